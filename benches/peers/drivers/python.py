"""CPython: a fresh `python` process per run; calls and outcomes are JSON lines over its pipes. No boundary but the process."""

import asyncio
import json
import platform
import sys
from pathlib import Path

from serve import serve

CHILD = Path(__file__).with_name("python_child.py")


class Peer:
    async def _start(self, source, tools):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            CHILD,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 26,
        )
        process.stdin.write(json.dumps({"source": source, "names": list(tools)}).encode() + b"\n")
        return process

    async def run(self, source, tools):
        process = await self._start(source, tools)

        async def answer(message):
            value = await tools[message["name"]](message["argument"])
            process.stdin.write(json.dumps({"id": message["id"], "value": value}).encode() + b"\n")

        done = None
        answering = set()
        while line := await process.stdout.readline():
            message = json.loads(line)
            if "done" in message:
                done = message["done"]
                continue
            task = asyncio.ensure_future(answer(message))
            answering.add(task)
            task.add_done_callback(answering.discard)
        await process.wait()
        return done

    async def stop(self, source, seconds):
        process = await self._start(source, {})
        await asyncio.sleep(seconds)
        process.kill()
        await process.wait()

    async def parallel(self, source, tools, count):
        async def lane(runs):
            for _ in range(runs):
                await self.run(source, tools)

        await asyncio.gather(lane((count + 1) // 2), lane(count // 2))


asyncio.run(serve(f"CPython {platform.python_version()}, a process per run", Peer()))
