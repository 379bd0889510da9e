# SPEC A2
# fails: invalid-output, result[0] is an infinite number; pass a finite number or None
return [-float("inf")]
