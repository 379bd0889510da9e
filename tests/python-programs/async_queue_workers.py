import asyncio

queue = asyncio.Queue(maxsize=3)
done = []


async def producer():
    for n in range(8):
        await queue.put(n)
    for _ in range(2):
        await queue.put(None)


async def worker(name):
    while (item := await queue.get()) is not None:
        result = await tools.echo(item=item)
        done.append(result["item"] ** 2)
        queue.task_done()
    queue.task_done()


await asyncio.gather(producer(), worker("a"), worker("b"))
await queue.join()
pq = asyncio.PriorityQueue()
for n in (3, 1, 2):
    pq.put_nowait(n)
try:
    asyncio.Queue().get_nowait()
except asyncio.QueueEmpty:
    empty = True
return {"done": sorted(done), "empty": queue.empty() and empty, "priority": [pq.get_nowait() for _ in range(3)]}
