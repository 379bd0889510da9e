# SPEC A2
# fails: invalid-output, result.n[0] is an integer of more than 64 bits; pass str(value)
return {"n": [2**64]}
