def to_int(text):
    try:
        return int(text)
    except ValueError:
        return None


def validate(record):
    errors = []
    if not isinstance(record.get("name"), str) or not record["name"].strip():
        errors.append("name: required")
    age = record.get("age")
    if isinstance(age, bool) or not isinstance(age, int):
        errors.append("age: not an integer")
    elif not 0 <= age <= 150:
        errors.append(f"age: {age} is out of range")
    if "@" not in (record.get("mail") or ""):
        errors.append("mail: has no @")
    return errors


records = [{"name": "A", "age": 3, "mail": "a@b"}, {"name": " ", "age": True}, {"age": 200, "mail": "x"}, {}]
texts = ["12", " 7 ", "-3", "+4", "1_000", "0x1f", "1.5", "", "٣", "1e3"]
print([to_int(t) for t in texts])
return {"errors": [validate(r) for r in records], "bases": [int("0b101", 0), int("0o17", 0), int("ff", 16)], "float": [float("1e3"), float(" -2.5 "), float(".5")], "str": [str(1e16), str(1e15), str(0.1), str(100.0), repr(1 / 3), str(1e-5), str(123456789.123456789)], "bool": [bool(x) for x in ("", "0", 0, 0.0, [], [0], None)], "round": [round(0.5), round(1.5), round(2.675, 2), round(1234, -2)]}
