# SPEC J6: garbage alone never ends a run
# returns: "done"
for n in range(4_000):
    kept = "x" * 1_000_000
for n in range(4_000):
    cycle = ["x" * 200_000]
    cycle.append(cycle)
return "done"
