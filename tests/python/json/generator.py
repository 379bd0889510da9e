# SPEC A2
# fails: invalid-output, result.g is a generator; pass list(value)
return {"g": (n for n in [1])}
