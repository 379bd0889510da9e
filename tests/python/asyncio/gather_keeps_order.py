# SPEC K2
# returns: [3,1,2]
import asyncio
async def late(n):
    await asyncio.sleep(n / 100)
    return n
return await asyncio.gather(*(late(n) for n in (3, 1, 2)))
