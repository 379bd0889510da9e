from datetime import datetime, timezone

raw = ["2024-01-02", "2024-01-02T03:04:05", "2024-01-02T03:04:05+02:00", "2024-01-02 03:04:05.678", "02.01.2024", "Jan 2, 2024", "not a date"]
formats = ["%d.%m.%Y", "%b %d, %Y"]


def parse(text):
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    for fmt in formats:
        try:
            return datetime.strptime(text, fmt)
        except ValueError:
            continue
    return None


out = []
for text in raw:
    value = parse(text)
    out.append(None if value is None else (value if value.tzinfo else value.replace(tzinfo=timezone.utc)).astimezone(timezone.utc).isoformat())
    print(f"{text:<28}-> {out[-1]}")
return out
