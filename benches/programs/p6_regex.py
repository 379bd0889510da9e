import re

line = "On 2026-03-14 ada.lovelace@example.com wrote to grace_hopper@navy.mil about order #48151 (total: 62.50 EUR).\n"
text = line * ((1000000 + len(line) - 1) // len(line))
found = 0
for match in re.finditer(r"\b([\w.]+)@(\w+)\.(com|mil)\b", text):
    found += len(match.group(1))
return found
