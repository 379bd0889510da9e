# SPEC A2
# fails: invalid-output, result is a view of a dict; pass list(value)
return {"a": 1}.keys()
