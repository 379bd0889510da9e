# SPEC J4
# fails: sandbox-exit, more memory than its limit of 268435456 bytes
kept = []
while True:
    kept.append("x" * 1_000_000)
