import asyncio

delays = [120, 10, 60]
seen = []
for next_done in asyncio.as_completed([tools.wait(ms=d) for d in delays]):
    result = await next_done
    seen.append(result["ms"])
    print("done", result["ms"])
return seen
