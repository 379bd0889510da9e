import asyncio
import inspect

loop = asyncio.get_running_loop()
future = loop.create_future()
order = []
loop.call_soon(order.append, "soon")
loop.call_later(0.01, future.set_result, 42)
future.add_done_callback(lambda f: order.append(f.result()))


async def child():
    order.append(asyncio.current_task().get_name())
    return "child"


task = asyncio.create_task(child(), name="kid")
value = await future
await asyncio.sleep(0)
bad = loop.create_future()
bad.set_exception(ValueError("bad"))
try:
    await bad
except ValueError as error:
    order.append(str(error))
return {"value": value, "order": order, "task": task.result(), "done": [future.done(), bad.cancelled()], "is": [inspect.iscoroutinefunction(child), asyncio.isfuture(future)]}
