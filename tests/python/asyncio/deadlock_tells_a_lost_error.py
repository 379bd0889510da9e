# SPEC H5
# fails: exception, a task failed and nothing awaited it: boom
import asyncio
event = asyncio.Event()
async def sets():
    raise ValueError("boom")
    event.set()
task = asyncio.create_task(sets())
await event.wait()
