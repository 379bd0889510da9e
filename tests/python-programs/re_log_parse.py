import re
from collections import Counter

log = await tools.lookup(key="log")
pattern = re.compile(r"^(?P<day>\d{4}-\d\d-\d\d) (?P<time>[\d:]+) (?P<level>[A-Z]+) (?P<message>.*)$", re.M)
entries = [m.groupdict() for m in pattern.finditer(log)]
levels = Counter(e["level"] for e in entries)
errors = [e["message"] for e in entries if e["level"] == "ERROR"]
print(levels.most_common())
return {"levels": dict(sorted(levels.items())), "errors": errors, "pids": re.findall(r"pid=(\d+)", log)}
