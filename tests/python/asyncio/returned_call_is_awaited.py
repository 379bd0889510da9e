# reports 5
# returns: {"a":1}
return tools.echo(a=1)
