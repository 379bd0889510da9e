# SPEC K2
# returns: [0,2,4]
async def evens():
    for n in range(0, 5, 2):
        yield (await tools.echo(n=n))["n"]
return [n async for n in evens()]
