# SPEC K2
# returns: 2
import asyncio
gate = asyncio.Semaphore(2)
running = most = 0
async def work():
    global running, most
    async with gate:
        running += 1
        most = max(most, running)
        await tools.sleep(ms=2)
        running -= 1
await asyncio.gather(*(work() for _ in range(7)))
return most
