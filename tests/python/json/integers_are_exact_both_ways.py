# SPEC A4
# returns: [true,true,true]
wide = [2**53 + 1, 2**64 - 1, -(2**63)]
back = (await tools.echo(wide=wide))["wide"]
return [a == b and type(b) is int for a, b in zip(wide, back)]
