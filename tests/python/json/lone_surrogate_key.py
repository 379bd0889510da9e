# SPEC A2
# fails: invalid-output, is a str with half a surrogate pair
return {"a\ud800": 1}
