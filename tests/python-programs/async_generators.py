import asyncio


async def pages(total, size):
    for start in range(0, total, size):
        page = await tools.echo(items=list(range(start, min(start + size, total))))
        yield page["items"]


async def evens(source):
    async for items in source:
        for item in items:
            if item % 2 == 0:
                yield item


collected = [n async for n in evens(pages(10, 4))]
total = sum([n async for n in evens(pages(6, 3)) if n])
gen = pages(4, 2)
first = await anext(gen)
await gen.aclose()
awaited = [(await tools.echo(n=n))["n"] for n in range(3)]
return {"collected": collected, "total": total, "first": first, "rest": [x async for x in gen], "awaited": awaited}
