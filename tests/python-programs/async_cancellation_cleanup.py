import asyncio

log = []


async def job():
    try:
        log.append("start")
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        log.append("cancelled")
        raise
    finally:
        log.append("cleanup")


task = asyncio.create_task(job())
await asyncio.sleep(0)
task.cancel("no longer needed")
try:
    await task
except asyncio.CancelledError:
    log.append("seen")
shielded = asyncio.ensure_future(tools.wait(ms=30))
outer = asyncio.shield(shielded)
outer.cancel()
try:
    await outer
except asyncio.CancelledError:
    log.append("outer")
result = await shielded
return {"log": log, "cancelled": task.cancelled(), "shielded": result}
