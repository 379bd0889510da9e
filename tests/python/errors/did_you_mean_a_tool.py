# reports 11
# fails: exception at 3:1, tools.ecko is not a tool; did you mean tools.echo?
tools.ecko({})
