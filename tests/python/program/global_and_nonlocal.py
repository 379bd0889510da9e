# SPEC H3
# returns: [2,2]
count = 0
held = 0
def bump():
    global count
    nonlocal held
    count += 1
    held += 1
bump()
bump()
return [count, held]
