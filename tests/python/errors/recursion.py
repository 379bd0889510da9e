# SPEC J6: names recursion
# fails: sandbox-exit at 4:12, used up the stack
def f(n):
    return f(n + 1)
f(0)
