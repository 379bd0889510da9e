"""The driver's side of the protocol for a Python peer, and the works: serve.mjs and works.mjs in Python."""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

PROGRAMS = Path(__file__).parent.parent.parent / "programs"

# At most this many bodies of `sleep` at one time, as Lockgate's scheduler has by default.
LANES = 10


def programs():
    return {path.stem: path.read_text() for path in PROGRAMS.glob("*.py")}


def say(line):
    print(json.dumps(line), flush=True)


class Tools:
    """The tools of the programs. `on_hang` sees each call that never ends."""

    def __init__(self, on_hang=lambda: None):
        path = os.environ.get("LOCKGATE_BENCH_REPORT")
        self._report = json.loads(Path(path).read_text()) if path else {"rows": []}
        self._lanes = asyncio.Semaphore(LANES)
        self._on_hang = on_hang

    async def noop(self, _arguments):
        return None

    async def report(self, _arguments):
        return self._report

    async def sleep(self, arguments):
        async with self._lanes:
            await asyncio.sleep(arguments["ms"] / 1000)

    async def hang(self, _arguments):
        self._on_hang()
        await asyncio.Event().wait()

    def table(self):
        return {name: getattr(self, name) for name in ("noop", "report", "sleep", "hang")}


def works(peer):
    """What each work runs. `peer` has run(source, tools), and may have stop(source, seconds) and parallel(source, count)."""
    sources = programs()
    tools = Tools().table()
    table = {}

    def repeat(source):
        async def work(iterations):
            for _ in range(iterations):
                value = await peer.run(source, tools)
            return {"value": value}

        return work

    for name, source in sources.items():
        table[name] = repeat(source)

    async def p4_host(iterations):
        for _ in range(iterations):
            await asyncio.gather(*[tools["sleep"]({"ms": 10}) for _ in range(100)])
        return {"value": 100}

    async def p8(count):
        hanging = asyncio.Semaphore(0)
        held = Tools(hanging.release).table()
        running = [asyncio.ensure_future(peer.run(sources["p8"], held)) for _ in range(count)]
        for _ in range(count):
            await hanging.acquire()
        return {"value": count, "keep": running}

    async def p7(iterations):
        limit = 0.1
        late, gap = [], 0.0
        for _ in range(iterations):
            gaps = [time.perf_counter(), 0.0]

            async def tick():
                while True:
                    await asyncio.sleep(0.001)
                    now = time.perf_counter()
                    gaps[1] = max(gaps[1], now - gaps[0] - 0.001)
                    gaps[0] = now

            ticking = asyncio.ensure_future(tick())
            await asyncio.sleep(0)
            began = time.perf_counter()
            await peer.stop(sources["p7"], limit)
            late.append(time.perf_counter() - began - limit)
            ticking.cancel()
            gap = max(gap, gaps[1], time.perf_counter() - gaps[0] - 0.001)
        return {"value": 0, "late_ms": sorted(late)[len(late) // 2] * 1000, "gap_ms": gap * 1000}

    async def p9(iterations):
        await peer.parallel(sources["p1"], tools, iterations)
        return {"value": 2}

    table["p4_host"], table["p8"], table["p7"], table["p9"] = p4_host, p8, p7, p9
    return table


async def serve(name, peer):
    table = works(peer)
    say({"peer": name, "works": sorted(table)})
    kept = []
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        request = json.loads(line)
        try:
            began = time.perf_counter()
            done = await table[request["work"]](request["iterations"])
            wall = (time.perf_counter() - began) * 1e6
            kept.append(done.pop("keep", None))
            say({"wall_us": wall, **done})
        except Exception as error:
            say({"error": (str(error) or type(error).__name__).splitlines()[-1]})
    os._exit(0)


def indented(source):
    return "".join(f"    {line}\n" for line in source.splitlines())
