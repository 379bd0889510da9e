import io
import pprint

text = io.StringIO()
print("a", 1, sep="-", end="|", file=text)
print(*range(3), sep="\n", file=text)
text.seek(0)
lines = text.readlines()
raw = io.BytesIO(b"\x00\x01abc\n")
raw.read(2)
nested = {"name": "x" * 30, "items": [{"k": i, "v": "y" * 10} for i in range(4)], "empty": {}, "t": (1,)}
pprint.pprint(nested, width=60)
print(pprint.pformat([[1, [2, [3, [4]]]]], depth=3))
wrapper = io.TextIOWrapper(io.BytesIO("é\r\nb".encode()), encoding="utf-8")
return {"lines": lines, "rest": raw.read().decode(), "wrapped": wrapper.readlines(), "tell": raw.tell(), "short": pprint.pformat({"b": 1, "a": 2})}
