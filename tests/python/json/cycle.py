# SPEC A2
# fails: invalid-output, result[0].b is a cycle: it contains itself; break the cycle or pass a copy without it
a = []
a.append({"b": a})
return a
