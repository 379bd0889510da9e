# SPEC K2
# returns: [0,1,2]
import asyncio
queue, got = asyncio.Queue(maxsize=1), []
async def fill():
    for n in range(3):
        await queue.put(n)
    queue.shutdown()
asyncio.create_task(fill())
try:
    while True:
        got.append(await queue.get())
except asyncio.QueueShutDown:
    return got
