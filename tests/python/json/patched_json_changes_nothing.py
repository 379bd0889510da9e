# SPEC J6
# returns: {"a":[1,{"b":2}]}
import json
json.dumps = json.loads = json.encoder.c_make_encoder = json.scanner.c_make_scanner = None
json.JSONEncoder.default = lambda *_: 1
return await tools.echo({"a": [1, {"b": 2}]})
