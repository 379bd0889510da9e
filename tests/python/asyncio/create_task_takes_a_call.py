# SPEC K2
# returns: [{"a":1},true,true]
import asyncio, inspect
call = tools.echo(a=1)
flags = [asyncio.iscoroutine(call), inspect.isawaitable(call)]
task = asyncio.create_task(call)
return [await task, *flags]
