# SPEC K2
# returns: ["done",9]
import asyncio
seen = []
async def nine():
    await asyncio.sleep(0.001)
    return 9
task = asyncio.create_task(nine())
task.add_done_callback(lambda task: seen.append("done"))
seen.append(await asyncio.shield(task))
await asyncio.sleep(0)
return sorted(seen, key=str, reverse=True)
