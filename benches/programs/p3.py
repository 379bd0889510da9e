import asyncio

calls = [tools.noop({"i": i}) for i in range(10000)]
return len(await asyncio.gather(*calls))
