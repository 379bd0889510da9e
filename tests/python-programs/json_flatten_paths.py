import json

doc = json.loads('{"a": {"b": [1, {"c": true}], "d": "x"}, "e": null, "f": []}')


def flatten(value, path=""):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from flatten(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from flatten(inner, f"{path}[{i}]")
    else:
        yield path, value


flat = dict(flatten(doc))
for path, value in flat.items():
    print(path, "=", json.dumps(value))
return flat
