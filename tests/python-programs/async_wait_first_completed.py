import asyncio

slow = asyncio.create_task(asyncio.sleep(30, "slow"))
fast = asyncio.create_task(asyncio.sleep(0.01, "fast"))
done, pending = await asyncio.wait({slow, fast}, return_when=asyncio.FIRST_COMPLETED)
winner = done.pop().result()
for task in pending:
    task.cancel()
states = await asyncio.gather(*pending, return_exceptions=True)
return {"winner": winner, "pending": len(pending), "cancelled": [isinstance(s, asyncio.CancelledError) for s in states]}
