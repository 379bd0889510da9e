# SPEC A2
# fails: invalid-output, result.m is a dict with a key that is no str: 1; use str(key)
return {"m": {1: 2}}
