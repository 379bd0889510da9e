# SPEC J9
# returns: "late"
import asyncio
try:
    async with asyncio.timeout(0.02):
        while True:
            await asyncio.sleep(0)
except TimeoutError:
    return "late"
