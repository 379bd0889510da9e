import asyncio

lock, event, condition = asyncio.Lock(), asyncio.Event(), asyncio.Condition()
log = []


async def locked(name):
    async with lock:
        log.append(f"{name} in")
        await asyncio.sleep(0)
        log.append(f"{name} out")


async def waiter():
    await event.wait()
    log.append("event")


async def consumer():
    async with condition:
        await condition.wait_for(lambda: "ready" in log)
        log.append("consumed")


task = asyncio.create_task(waiter())
consume = asyncio.create_task(consumer())
await asyncio.gather(locked("a"), locked("b"))
event.set()
await task
async with condition:
    log.append("ready")
    condition.notify_all()
await consume
return log
