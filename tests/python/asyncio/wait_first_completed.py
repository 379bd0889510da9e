# reports 8: the true winner
# returns: ["fast",1]
import asyncio
async def late(name, ms):
    await tools.sleep(ms=ms)
    return name
tasks = [asyncio.create_task(late("slow", 5000)), asyncio.create_task(late("fast", 5))]
done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
for task in pending:
    task.cancel()
return [done.pop().result(), len(pending)]
