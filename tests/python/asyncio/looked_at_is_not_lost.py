# reports 6
# returns: ["oops","the tool failed"]
import asyncio
async def bad():
    raise ValueError("oops")
tasks = [asyncio.create_task(bad()), asyncio.ensure_future(tools.fail())]
await asyncio.wait(tasks)
return [str(task.exception()) for task in tasks]
