import asyncio

try:
    await asyncio.wait_for(tools.wait(ms=2000), timeout=0.02)
    first = "finished"
except asyncio.TimeoutError:
    first = "timed out"
second = await asyncio.wait_for(tools.echo(ok=True), timeout=20)
try:
    async with asyncio.timeout(0.02):
        await asyncio.sleep(20)
    third = "finished"
except TimeoutError:
    third = "timed out"
async with asyncio.timeout(None) as t:
    await asyncio.sleep(0)
return [first, second, third, t.expired()]
