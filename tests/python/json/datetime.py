# SPEC A2
# fails: invalid-output, result.when is a datetime; pass value.isoformat()
import datetime
return {"when": datetime.datetime(2024, 1, 1)}
