# SPEC A5
# fails: invalid-output, nested deeper than 10000 levels; flatten it
a = []
for _ in range(10_000): a = [a]
return a
