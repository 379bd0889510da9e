# SPEC A2
# fails: invalid-output, result[0] is a function; pass data; a function can't cross
return [len]
