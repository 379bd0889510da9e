# SPEC J4: a program that spins gets the outcomes of its calls
# returns: {"a":1}
import asyncio
task = asyncio.create_task(tools.echo(a=1))
while not task.done():
    await asyncio.sleep(0)
return task.result()
