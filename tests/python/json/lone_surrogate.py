# SPEC A2
# fails: invalid-output, result.s is a str with half a surrogate pair
return {"s": "a\ud800"}
