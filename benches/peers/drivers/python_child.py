"""Runs one program inside of a `python` process: see python.py."""

import asyncio
import json
import os
import sys


class Tools:
    pass


async def main():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    start = json.loads(await reader.readline())
    waiting = {}
    out = sys.stdout

    def tool(name):
        def call(argument):
            number = len(waiting) + 1
            future = waiting[number] = loop.create_future()
            out.write(json.dumps({"id": number, "name": name, "argument": argument}) + "\n")
            return future

        return call

    async def read():
        while True:
            # What the program asked for in this turn goes out at once.
            out.flush()
            line = await reader.readline()
            if not line:
                # The host is gone: a program that waits for it would wait for ever.
                os._exit(1)
            message = json.loads(line)
            waiting[message["id"]].set_result(message["value"])
            # Lets the program go on before waiting for more.
            await asyncio.sleep(0)

    tools = Tools()
    for name in start["names"]:
        setattr(tools, name, tool(name))
    body = "".join(f"    {line}\n" for line in start["source"].splitlines())
    scope = {"tools": tools}
    exec(f"async def main():\n{body}", scope)
    program = asyncio.ensure_future(scope["main"]())
    await asyncio.sleep(0)
    reading = asyncio.ensure_future(read())
    value = await program
    reading.cancel()
    out.write(json.dumps({"done": value}) + "\n")
    out.flush()


asyncio.run(main())
