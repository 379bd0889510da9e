# SPEC K2
# returns: ["outer","inner"]
import asyncio, contextvars
name = contextvars.ContextVar("name", default="outer")
async def inner():
    name.set("inner")
    await asyncio.sleep(0)
    return name.get()
got = await asyncio.create_task(inner())
return [name.get(), got]
