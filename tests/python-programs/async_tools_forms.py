one = await tools.echo({"a": 1, "b": [None, True, "ü"]})
two = await tools["echo"](a=1)
call = tools.echo(x=1)
three = await call
fan = [tools.echo(i=i) for i in range(3)]
four = [(await c)["i"] for c in fan]
try:
    await tools.fail(why="on purpose")
except Exception as error:
    five = [type(error).__name__, str(error), error.toolName]
return [one, two, three, four, five]
