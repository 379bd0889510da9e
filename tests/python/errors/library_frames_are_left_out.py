# SPEC J7
# fails: exception at 4:1, json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
import json
json.loads("nope")
