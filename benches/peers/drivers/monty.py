"""pydantic-monty: a Python interpreter in Rust, in a pool of worker processes. A fresh session per run."""

import asyncio
import importlib.metadata

from serve import indented, say, serve


class Peer:
    def __init__(self, monty):
        self._monty = monty
        self._pool = None

    async def start(self):
        # As many workers as live runs: a session keeps its worker until it ends.
        self._pool = self._monty.AsyncMonty(min_processes=2, max_processes=1000)
        await self._pool.__aenter__()

    async def run(self, source, tools):
        # A monty program is a module: the tools are plain functions, and the body becomes one.
        code = f"async def main():\n{indented(source.replace('tools.', ''))}\nawait main()"
        async with self._pool.checkout(limits={"max_suspensions": 1_000_000}) as session:
            return await session.feed_run(code, external_lookup=tools)

    async def stop(self, source, seconds):
        async with self._pool.checkout(limits={"max_feed_duration_secs": seconds}) as session:
            try:
                await session.feed_run(source)
            except self._monty.MontyRuntimeError:
                return
        raise RuntimeError("the loop ended")

    async def parallel(self, source, tools, count):
        async def lane(runs):
            for _ in range(runs):
                await self.run(source, tools)

        await asyncio.gather(lane((count + 1) // 2), lane(count // 2))


async def main():
    try:
        import pydantic_monty
    except ImportError as error:
        return say({"skip": str(error)})
    peer = Peer(pydantic_monty)
    await peer.start()
    await serve(f"pydantic-monty {importlib.metadata.version('pydantic-monty')}", peer)


asyncio.run(main())
