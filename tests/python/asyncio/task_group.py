# SPEC K2
# returns: [{"a":1},2]
import asyncio
async def two():
    return 2
async with asyncio.TaskGroup() as group:
    one = group.create_task(tools.echo(a=1))
    other = group.create_task(two())
return [one.result(), other.result()]
