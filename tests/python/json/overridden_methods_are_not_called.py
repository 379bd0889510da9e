# SPEC A2
# fails: invalid-output, result[0] is an instance of a class of its own
class Liar(dict):
    def items(self):
        raise RuntimeError
    def __iter__(self):
        while True: pass
return [Liar(a=1)]
