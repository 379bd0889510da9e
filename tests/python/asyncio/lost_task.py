# reports 6
# fails: exception at 5:5, ValueError: a task failed and nothing awaited it: oops
import asyncio
async def bad():
    raise ValueError("oops")
task = asyncio.create_task(bad())
await asyncio.sleep(0.001)
return "fine"
