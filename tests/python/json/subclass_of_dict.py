# SPEC A2
# fails: invalid-output, result[0] is an instance of a class of its own; pass dict(value)
class D(dict): pass
return [D()]
