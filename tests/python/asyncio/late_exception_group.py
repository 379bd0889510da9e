# reports 10
# fails: exception at 6:12, [ValueError: v0 (at bad (program.py:5:5)); ValueError: v1 (at bad (program.py:5:5))]
import asyncio
async def bad(n):
    raise ValueError(f"v{n}")
async with asyncio.TaskGroup() as group:
    for n in range(2):
        group.create_task(bad(n))
