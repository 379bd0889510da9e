# SPEC K2
# returns: [0,1,4,9,16]
import asyncio
queue, out = asyncio.Queue(), []
async def worker():
    while True:
        n = await queue.get()
        out.append((await tools.echo(n=n))["n"] ** 2)
        queue.task_done()
workers = [asyncio.create_task(worker()) for _ in range(3)]
for n in range(5):
    queue.put_nowait(n)
await queue.join()
for each in workers:
    each.cancel()
return sorted(out)
