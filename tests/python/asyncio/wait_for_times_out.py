# SPEC K2
# returns: "late"
import asyncio
try:
    await asyncio.wait_for(tools.hang(), 0.02)
except TimeoutError:
    return "late"
