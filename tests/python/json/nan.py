# SPEC A2
# fails: invalid-output, result.a[1] is NaN; pass a finite number or None
return {"a": [1, float("nan")]}
