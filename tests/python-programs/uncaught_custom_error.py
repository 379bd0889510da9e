class Invalid(Exception):
    pass


async def check(value):
    data = await tools.echo(value=value)
    if data["value"] > 2:
        raise Invalid(f"{data['value']} is more than 2")
    return data["value"]


for n in range(5):
    print(await check(n))
return "done"
