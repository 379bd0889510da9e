# SPEC A1
# returns: [{"a":1,"b":2},{"a":1}]
one = await tools.echo(a=1)
one["b"] = 2
return [one, await tools.echo(a=1)]
