"""One run: compile the program, turn the loop until nothing is ready, say what the program waits for."""

import asyncio
import builtins
import random
import sys
import types

from wit_world.imports.types import FailureKind, State_Done, State_Failed, State_Waiting, Step

from . import bridge, failures, output, prepare
from .lossless import NotJson, dumps
from .loop import new_loop

loop = new_loop()
# Taken now: a program may change what these modules hold.
_AWAITABLES = (asyncio.Future, types.CoroutineType)


class _Run:
    """The run."""

    main = None
    source = None
    limits = None
    # The end, once it is reached: later steps repeat nothing.
    over = False


def start(program):
    """Starts the program."""
    random.seed()
    run = _Run
    limits = run.limits = program.limits
    source = run.source = failures.Source(program.source, program.file_name)
    loop.max_timers = limits.max_timers
    output.begin(limits.max_output_bytes)
    namespace = sys.modules["__main__"].__dict__
    bridge.bind(program.bindings, limits, loop, namespace)
    try:
        function = prepare.compile_program(program.source, program.file_name, namespace)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError, ImportError) as error:
        return _end(State_Failed(failures.syntax(error, source)))
    run.main = loop.create_task(_main(function))
    return _step()


async def _main(function):
    """The program; what it returns without awaiting it is awaited."""
    value = await function()
    while isinstance(value, _AWAITABLES):
        value = await value
    return value


def resume(completions):
    """Hands over completions, fires due timers, and goes on."""
    if _Run.over:
        return Step([], State_Waiting(None))
    bridge.settle(completions)
    return _step()


def _step():
    """The step that ends when nothing is ready."""
    run = _Run
    main = run.main
    try:
        loop.turn(main)
    except (SystemExit, KeyboardInterrupt) as error:
        return _end(State_Failed(_failure(error)))
    if main.done():
        return _end(_finish(main))
    due = loop.next_due()
    if due is None and bridge.is_idle():
        # Nothing can wake the program any more; an error that it lost says more than that.
        lost = _lost()
        if lost is not None:
            return _end(State_Failed(lost))
    return Step(bridge.take_calls(), State_Waiting(due))


def _finish(main):
    """The state of a program that came to its end."""
    try:
        value = main.result()
    except BaseException as error:
        return State_Failed(_failure(error))
    lost = _lost()
    if lost is not None:
        return State_Failed(lost)
    if value == prepare.NOTHING if type(value) is frozenset else False:
        return State_Done(None)
    limits = _Run.limits
    try:
        return State_Done(dumps(value, "result", limits.max_depth, limits.max_output_bytes))
    except NotJson as problem:
        kind = FailureKind.OUTPUT_LIMIT if problem.too_long else FailureKind.INVALID_OUTPUT
        return State_Failed(failures.plain(kind, str(problem)))


def _failure(error):
    if isinstance(error, SystemExit):
        error.add_note("to end a program, return from it")
    return failures.failure(error, _Run.source, _Run.limits.max_output_bytes)


def _lost():
    """The failure by the first error that nothing saw, if there is one."""
    errors = [(future._exception, future) for future in loop.failed if future._log_traceback and future is not _Run.main]
    errors += [(error, None) for error in loop.lost]
    if not errors:
        return None
    error, future = errors[0]
    failure = _failure(error)
    if type(future) is bridge.ToolCall:
        what = f"{future._tool[1]} failed and nothing awaited it"
        if failure.position is None and future._place[0].co_filename == _Run.source.file_name:
            failure.position = _Run.source.place(*future._place)
    else:
        what = "a task failed and nothing awaited it"
    failure.message = f"{what}: {failure.message}"
    if len(errors) > 1:
        failure.message += f" (and {len(errors) - 1} more)"
    return failure


def _end(state):
    _Run.over = True
    output.end()
    return Step(bridge.take_calls(), state)


def reset():
    """Forgets the run; the warm-up ends with it."""
    _Run.main = _Run.source = _Run.limits = None
    _Run.over = False
    bridge.reset()
    loop.reset()
    module = types.ModuleType("__main__")
    module.__builtins__ = builtins
    module.ToolCallError = bridge.ToolCallError
    sys.modules["__main__"] = module
