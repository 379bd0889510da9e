# SPEC K2
# returns: ["late",true]
import asyncio
try:
    async with asyncio.timeout(0.02) as limit:
        await asyncio.sleep(60)
except TimeoutError:
    return ["late", limit.expired()]
