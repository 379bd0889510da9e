import asyncio
import contextvars

request = contextvars.ContextVar("request", default="none")


async def handler(name):
    token = request.set(name)
    await tools.echo(name=name)
    seen = request.get()
    request.reset(token)
    return [seen, request.get()]


seen = await asyncio.gather(handler("a"), handler("b"))
copied = contextvars.copy_context()
copied.run(request.set, "inner")
return {"seen": seen, "outer": request.get(), "copied": copied[request]}
