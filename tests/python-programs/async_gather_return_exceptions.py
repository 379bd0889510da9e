import asyncio

keys = ["ada", "nobody", "bob", "nothing"]
results = await asyncio.gather(*[tools.lookup(key=k) for k in keys], return_exceptions=True)
found, missing = {}, {}
for key, result in zip(keys, results):
    if isinstance(result, Exception):
        missing[key] = [type(result).__name__, str(result), result.toolName]
    else:
        found[key] = result["id"]
return {"found": found, "missing": missing}
