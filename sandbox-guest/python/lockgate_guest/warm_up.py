"""Runs programs while the component is built, so that each run starts with a warm interpreter, and freezes what is left."""

import gc

from componentize_py_types import Ok
from wit_world.imports.types import Binding, Completion, Limits, Program, State_Done, State_Waiting

from . import run, stdlib

_PROGRAMS = (
    "return 1+1",
    """
import asyncio, json
async def f(x):
    return x
r = await asyncio.gather(tools.a(1), tools.b(x=2), f(3))
class C:
    x: int = 1
for i in range(3):
    await tools.a({"i": i, "s": "é", "l": [1, 2.5, None, True]})
await asyncio.sleep(0)
return {"r": r, "c": C().x, "n": [{"a": 1}, (1, 2)]}
""",
)
_LIMITS = Limits(10_000, 1 << 24, 10_000, 1 << 26, 10_000)


def warm_up():
    run.reset()
    for program in _PROGRAMS * 3:
        step = run.start(Program(program, "program.py", [Binding("tools", ["a", "b"])], _LIMITS))
        while isinstance(step.state, State_Waiting):
            step = run.resume([Completion(call.id, Ok('{"a": [1, "x"]}')) for call in step.calls])
        if not isinstance(step.state, State_Done):
            raise RuntimeError(f"the warm-up failed: {step}")
        run.reset()
    stdlib.close()
    gc.collect()
    gc.freeze()
    # Cycles are counted, not their bytes: with few between two collections, large ones do not fill the memory.
    gc.set_threshold(200)
