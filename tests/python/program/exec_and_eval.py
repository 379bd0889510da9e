# SPEC J6
# returns: [3,6]
space = {}
exec("def f(n):\n    return n * 2", space)
return [eval("1 + 2"), space["f"](3)]
