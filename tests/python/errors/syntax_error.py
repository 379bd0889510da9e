# SPEC J7
# fails: exception at 4:8, SyntaxError: expected ':'
x = 1
if True
    x = 2
