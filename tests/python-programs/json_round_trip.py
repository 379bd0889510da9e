import json

doc = {"name": "Zoë", "n": [1, 2.5, -3e10, True, None], "nested": {"a": {"b": ["x", "\u2028", "\"q\""]}}}
text = json.dumps(doc, indent=2, sort_keys=True)
print(text)
ascii_text = json.dumps(doc, separators=(",", ":"))
raw = json.dumps(doc, ensure_ascii=False)
assert json.loads(text) == json.loads(ascii_text) == json.loads(raw) == doc
return [len(text), ascii_text, raw]
