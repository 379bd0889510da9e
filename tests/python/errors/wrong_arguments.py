# SPEC A2
# returns: ["tools.echo takes one dict, or keyword arguments","tools.echo: args.a is a set; pass sorted(value) or list(value)"]
seen = []
for call in (lambda: tools.echo({}, b=1), lambda: tools.echo(a={1})):
    try:
        await call()
    except TypeError as error:
        seen.append(str(error))
return seen
