# reports 10
# fails: exception at 5:1, asyncio.run() can't be called: the program already runs in an event loop; use `await main()`
import asyncio
async def main(): pass
asyncio.run(main())
