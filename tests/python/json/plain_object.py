# SPEC A2
# fails: invalid-output, result[0] is an instance of P; pass a dict with the fields you need
class P: pass
return [P()]
