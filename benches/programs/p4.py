import asyncio

calls = [tools.sleep({"ms": 10}) for _ in range(100)]
return len(await asyncio.gather(*calls))
