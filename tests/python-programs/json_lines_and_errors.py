import json

lines = ['{"id": 1, "ok": true}', "", "{broken", '{"id": 2, "ok": false}', "[1, 2", "3"]
good, bad = [], []
for number, line in enumerate(lines, 1):
    if not line.strip():
        continue
    try:
        good.append(json.loads(line))
    except json.JSONDecodeError as error:
        bad.append({"line": number, "pos": error.pos, "doc": error.doc})
decoder = json.JSONDecoder()
text = '{"a":1} [2] "three" 4'
at, many = 0, []
while at < len(text):
    value, at = decoder.raw_decode(text, at)
    many.append(value)
    at += 1
return {"good": good, "bad": bad, "many": many}
