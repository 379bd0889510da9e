# SPEC J9
# returns: ["a","b","c"]
import asyncio
seen = []
loop = asyncio.get_running_loop()
loop.call_later(0.03, seen.append, "c")
loop.call_later(0.01, seen.append, "a")
loop.call_later(0.02, seen.append, "b")
cancelled = loop.call_later(0.005, seen.append, "x")
cancelled.cancel()
await asyncio.sleep(0.05)
return seen
