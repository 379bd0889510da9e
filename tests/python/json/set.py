# SPEC A2
# fails: invalid-output, result.a is a set; pass sorted(value) or list(value)
return {"a": {1}}
