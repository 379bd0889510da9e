# SPEC H4
# returns: nothing
x = 1
if x:
    return
