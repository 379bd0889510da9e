# SPEC K2
# returns: ["finally",true]
import asyncio
seen = []
async def work():
    try:
        await tools.hang()
    finally:
        seen.append("finally")
task = asyncio.create_task(work())
await asyncio.sleep(0)
task.cancel()
try:
    await task
except asyncio.CancelledError:
    seen.append(task.cancelled())
return seen
