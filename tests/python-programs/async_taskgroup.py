import asyncio

results = {}


async def fetch(name):
    user = await tools.lookup(key=name)
    results[name] = user["age"]


async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(fetch(n), name=f"fetch-{n}") for n in ("ada", "bob")]
    group.create_task(fetch("cem"))
print(sorted(results.items()))
caught = []
try:
    async with asyncio.TaskGroup() as group:
        group.create_task(fetch("nobody"))
        group.create_task(asyncio.sleep(30))
except* ToolCallError as errors:
    caught = [str(e) for e in errors.exceptions]
return {"results": dict(sorted(results.items())), "caught": caught, "names": [t.get_name() for t in tasks], "done": all(t.done() for t in tasks)}
