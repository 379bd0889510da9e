"""The bridge: the objects whose members are the host's functions, the calls that a program makes, and how they settle."""

import asyncio
import sys
import weakref

from _suggestions import _generate_suggestions
from componentize_py_types import Ok
from wit_world.imports.types import Call

from . import lossless
from .lossless import NotJson, dumps, loads

# Unknown names are answered with the list of all names up to this many.
_MAX_LISTED = 12


class ToolCallError(Exception):
    """A call that failed: `toolName` (also `tool_name`) and `message`."""

    def __init__(self, tool_name, message):
        super().__init__(message)
        self.toolName = self.tool_name = tool_name
        self.message = message


ToolCallError.__module__ = "builtins"


class _State:
    """The calls of the run."""

    loop = None
    limits = None
    next_id = 1
    outgoing = []
    outgoing_bytes = 0
    pending = {}
    # Errors of calls by identity, so that a failure can name the call: id(error) -> (weak reference, id, title).
    rejected = {}


class ToolCall(asyncio.Future):
    """A call on its way. It is a future; and what wants a coroutine, such as `asyncio.create_task`, takes it for one."""

    __slots__ = ("_number", "_tool", "_place", "_steps")

    def send(self, value):
        return next(self._iterator())

    def throw(self, error, value=None, trace=None):
        return self._iterator().throw(error)

    def close(self):
        pass

    def _iterator(self):
        try:
            return self._steps
        except AttributeError:
            self._steps = self.__await__()
            return self._steps


def _ensure_future(coro_or_future, *, loop=None):
    """As in `asyncio`; a call becomes a task, as a coroutine does: `asyncio.wait` takes no coroutines."""
    if type(coro_or_future) is ToolCall:
        return _State.loop.create_task(coro_or_future)
    return _asyncio_ensure_future(coro_or_future, loop=loop)


_asyncio_ensure_future = asyncio.ensure_future
asyncio.ensure_future = _ensure_future
lossless.tell_awaitables(asyncio.Future)


class Tools:
    """A binding: each function of the host is an attribute, and an item under its exact name."""

    __slots__ = ("_binding", "__dict__")

    def __getattr__(self, name):
        tool = self._binding.tool(name) if not name.startswith("__") else None
        if tool is None:
            raise AttributeError(self._binding.unknown(name), name=name, obj=None)
        return tool

    def __getitem__(self, name):
        tool = self._binding.tool(name)
        if tool is None:
            raise KeyError(Unquoted(self._binding.unknown(name)))
        return tool

    def __setattr__(self, name, value):
        raise AttributeError(f"can't change {name}: {self._binding.title} is read-only")

    __delattr__ = lambda self, name: self.__setattr__(name, None)  # noqa: E731

    def __contains__(self, name):
        return name in self._binding.indices

    def __iter__(self):
        return iter(self._binding.indices)

    def __len__(self):
        return len(self._binding.indices)

    def __dir__(self):
        return [name for name in self._binding.indices if name.isidentifier()]

    def __repr__(self):
        return f"<{self._binding.title}: {', '.join(self._binding.indices)}>"


class Unquoted(str):
    """The text of a KeyError, which shows the repr of what it holds."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class _Binding:
    """What stands behind a binding's object."""

    def __init__(self, number, title, functions):
        self.number = number
        self.title = title
        self.indices = {name: index for index, name in enumerate(functions)}
        self.object = Tools.__new__(Tools)
        object.__setattr__(self.object, "_binding", self)

    def tool(self, name):
        """The function of an exact name, made at its first use."""
        index = self.indices.get(name) if type(name) is str else None
        if index is None:
            return None
        members = self.object.__dict__
        tool = members.get(name)
        if tool is None:
            tool = members[name] = _tool(self.number, index, name, self.title_of(name))
        return tool

    def title_of(self, name):
        return lossless.path(self.title, [name])

    def unknown(self, name):
        """The text of the error that there is no such function."""
        wrong = self.title_of(name) if type(name) is str else self.title
        known = list(self.indices)
        near = _generate_suggestions(known, name) if type(name) is str and known else None
        if near is None and type(name) is str:
            near = _folded(name, known)
        if near is not None:
            hint = f"did you mean {self.title_of(near)}?"
        elif not known:
            hint = "there are none"
        elif len(known) <= _MAX_LISTED:
            hint = f"there are {', '.join(known)}"
        else:
            hint = f"list({self.title}) lists them"
        return f"{wrong} is not a tool; {hint}"


def _folded(name, known):
    """The name that differs in case and separators only."""
    fold = lambda text: text.replace("_", "").replace("-", "").replace(".", "").lower()  # noqa: E731
    wanted = fold(name)
    return next((other for other in known if fold(other) == wanted), None)


def bind(bindings, limits, loop, namespace):
    """Gives the program its bindings."""
    state = _State
    state.loop = loop
    state.limits = limits
    for number, binding in enumerate(bindings):
        namespace[binding.global_] = _Binding(number, binding.global_, binding.functions).object


def reset():
    """Forgets everything; the warm-up ends with it."""
    state = _State
    state.next_id = 1
    state.outgoing = []
    state.outgoing_bytes = 0
    state.pending = {}
    state.rejected = {}


def take_calls():
    """The calls made since this was last asked."""
    state = _State
    state.outgoing_bytes = 0
    calls, state.outgoing = state.outgoing, []
    return calls


def is_idle():
    return not _State.pending


def rejection(error):
    """Of an error that is a call's: its id, and how the program wrote the call."""
    known = _State.rejected.get(id(error))
    return known[1:] if known is not None and known[0]() is error else None


def _tool(number, index, name, title):
    """The function of the program that calls a function of the host."""
    state = _State
    what = (name, title)

    def tool(*args, **kwargs):
        limits = state.limits
        frame = sys._getframe(1)
        call = ToolCall(loop=state.loop)
        call._tool = what
        call._place = (frame.f_code, frame.f_lasti)
        if args:
            if len(args) > 1 or kwargs:
                return _fail(call, TypeError(f"{title} takes one dict, or keyword arguments"))
            value = args[0]
        elif kwargs:
            value = kwargs
        else:
            value = None
        if len(state.pending) >= limits.max_pending_calls:
            text = f"{limits.max_pending_calls} calls are already waiting; await some of them before the next"
            return _fail(call, ToolCallError(name, text))
        if args or kwargs:
            try:
                text = dumps(value, "args", limits.max_depth, limits.max_pending_bytes - state.outgoing_bytes)
            except NotJson as problem:
                if problem.too_long and state.outgoing_bytes:
                    most = limits.max_pending_bytes
                    text = f"calls with more than {most} bytes of arguments would wait; await some of them before the next"
                    return _fail(call, ToolCallError(name, text))
                return _fail(call, TypeError(f"{title}: {problem}"))
            state.outgoing_bytes += len(text) if text.isascii() else len(text.encode())
        else:
            text = None
        call._number = state.next_id
        state.next_id += 1
        state.outgoing.append(Call(call._number, number, index, text))
        state.pending[call._number] = call
        return call

    tool.__name__ = tool.__qualname__ = name
    tool.__module__ = "__main__"
    return tool


def settle(completions):
    """Settles calls. Ids that are unknown or answered do nothing."""
    state = _State
    for completion in completions:
        call = state.pending.pop(completion.id, None)
        if call is None or call.done():
            continue
        outcome = completion.outcome
        if type(outcome) is Ok:
            call.set_result(loads(outcome.value))
        else:
            error = ToolCallError(call._tool[0], outcome.value)
            state.rejected[id(error)] = (weakref.ref(error), completion.id, call._tool[1])
            _fail(call, error)


def _fail(call, error):
    call.set_exception(error)
    _State.loop.watch(call)
    return call
