# reports 8: results in the order of completion
# returns: [1,2,3]
import asyncio
async def late(n):
    await tools.sleep(ms=n * 40)
    return n
return [await each for each in asyncio.as_completed([late(3), late(1), late(2)])]
