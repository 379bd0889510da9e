# SPEC K2
# returns: ["in","event","condition","barrier"]
import asyncio
seen = []
lock, event, condition, barrier = asyncio.Lock(), asyncio.Event(), asyncio.Condition(), asyncio.Barrier(2)
async with lock:
    assert lock.locked()
    seen.append("in")
asyncio.get_running_loop().call_later(0.005, event.set)
await event.wait()
seen.append("event")
async def notify():
    async with condition:
        condition.notify_all()
async with condition:
    asyncio.create_task(notify())
    await condition.wait()
seen.append("condition")
await asyncio.gather(barrier.wait(), barrier.wait())
seen.append("barrier")
return seen
