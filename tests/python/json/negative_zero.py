# SPEC A2
# fails: invalid-output, result.x is -0.0; pass 0
return {"x": -0.0}
