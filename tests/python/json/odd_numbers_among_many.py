# SPEC A2
# fails: invalid-output, result[500].v is -0.0; pass 0
return [{"v": -0.0 if n == 500 else n / 7} for n in range(1000)]
