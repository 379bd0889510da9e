# SPEC A1
# returns: [[1],[1],{"a":[1]}]
one = [1]
return [one, one, {"a": one}]
