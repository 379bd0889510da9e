# SPEC J6
# returns: "too deep"
def f(n):
    return f(n + 1)
try:
    f(0)
except RecursionError:
    return "too deep"
