# SPEC J6
# fails: sandbox-exit, used up the stack
import sys
sys.setrecursionlimit(10**6)
def f(n):
    return f(n + 1)
f(0)
