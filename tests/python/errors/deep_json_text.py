# SPEC A5
# returns: "too deep"
import json
try:
    json.loads("[" * 100_000 + "]" * 100_000)
except RecursionError:
    return "too deep"
