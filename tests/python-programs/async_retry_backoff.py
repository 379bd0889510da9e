import asyncio

attempts = []


async def flaky(n):
    attempts.append(n)
    if n < 3:
        await tools.fail(why=f"attempt {n}")
    return await tools.echo(ok=n)


async def retry(f, times, delay=0.001):
    for n in range(1, times + 1):
        try:
            return await f(n)
        except ToolCallError as error:
            print(f"{type(error).__name__}: {error} (tool {error.toolName})")
            if n == times:
                raise
            await asyncio.sleep(delay * 2**n)


value = await retry(flaky, 5)
try:
    await retry(flaky, 2)
except ToolCallError as error:
    last = error.message
return {"value": value, "attempts": attempts, "last": last}
