# SPEC K2
# returns: ["ValueError: bad","cancelled"]
import asyncio
seen = []
async def waits():
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise
async def fails():
    await asyncio.sleep(0)
    raise ValueError("bad")
try:
    async with asyncio.TaskGroup() as group:
        group.create_task(waits())
        group.create_task(fails())
except* ValueError as errors:
    seen.insert(0, f"ValueError: {errors.exceptions[0]}")
return seen
