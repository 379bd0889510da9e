import asyncio

limit = asyncio.Semaphore(2)
active = peak = 0
order = []


async def work(n):
    global active, peak
    async with limit:
        active += 1
        peak = max(peak, active)
        order.append(n)
        value = await tools.echo(n=n)
        await asyncio.sleep(0)
        active -= 1
        return value["n"] * 10


results = await asyncio.gather(*(work(n) for n in range(6)))
return {"results": results, "peak": peak, "order": order, "locked": limit.locked()}
