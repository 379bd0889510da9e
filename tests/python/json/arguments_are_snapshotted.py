# SPEC A1
# returns: {"a":[1]}
args = {"a": [1]}
call = tools.echo(args)
args["a"].append(2)
args["b"] = 3
return await call
