# reports 11
# fails: exception at 3:1, tools.AB is not a tool; did you mean tools["a-b"]?
tools.AB({})
