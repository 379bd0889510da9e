# SPEC A2
# fails: invalid-output, result[0] is a ValueError; pass str(value)
return [ValueError("x")]
