import datetime
import decimal
import json


class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (datetime.date, datetime.datetime)):
            return o.isoformat()
        if isinstance(o, decimal.Decimal):
            return str(o)
        if isinstance(o, set):
            return sorted(o)
        return super().default(o)


value = {"day": datetime.date(2024, 2, 29), "at": datetime.datetime(2024, 2, 29, 12, 30), "d": decimal.Decimal("1.10"), "s": {3, 1, 2}}
text = json.dumps(value, cls=Encoder)
print(text)
try:
    json.dumps({"x": object()}, cls=Encoder)
except TypeError as e:
    print("TypeError", "object" in str(e))
hooked = json.loads(text, object_hook=lambda d: {k.upper(): v for k, v in d.items()})
floats = json.loads("[1.10, 2.20]", parse_float=decimal.Decimal)
return [hooked, str(sum(floats)), json.loads("[1, NaN]", parse_constant=lambda name: name)]
