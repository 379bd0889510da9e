"""What is said of an error: name, message, and where in the program."""

import linecache
import traceback
from collections import deque
from itertools import islice

from wit_world.imports.types import Failure, FailureKind, Position

from . import bridge, stdlib

# Frames that are told below the first, inner errors of a group, and the length of one that is quoted in another text.
_MAX_FRAMES = 20
_MAX_INNER = 5
_ONE_LINE = 300

_MAIN = "<module>"


class Source:
    """The program's text, to which positions refer."""

    def __init__(self, text, file_name):
        self.text = text
        self.file_name = file_name
        self._lines = None
        # What shows source lines, such as `traceback`, looks here for them.
        linecache.cache[file_name] = (len(text), None, text.splitlines(True), file_name)

    def position(self, line, byte_column):
        """A place whose column counts bytes from 0, as one that counts UTF-16 code units from 1."""
        text = self.line(line)
        before = text.encode("utf-8", "replace")[: max(byte_column, 0)].decode("utf-8", "ignore")
        return Position(max(line, 1), len(before.encode("utf-16-le")) // 2 + 1)

    def line(self, number):
        if self._lines is None:
            self._lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def place(self, code, lasti):
        """Where an instruction of the program stands."""
        line, _, column, _ = next(islice(code.co_positions(), lasti // 2, None), (None,) * 4)
        return self.position(line or code.co_firstlineno, column or 0)

    def frames(self, trace):
        """The program's own frames of a traceback, innermost first: the position and the text of each."""
        own = deque(maxlen=_MAX_FRAMES + 1)
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == self.file_name:
                # Recursion repeats a frame.
                if own and own[-1][0] is code and own[-1][1] == trace.tb_lasti:
                    own[-1][2] += 1
                else:
                    own.append([code, trace.tb_lasti, 1])
            trace = trace.tb_next
        own.reverse()
        return [self._frame(*frame) for frame in own]

    def _frame(self, code, lasti, times):
        position = self.place(code, lasti)
        place = f"{self.file_name}:{position.line}:{position.column}"
        name = code.co_qualname.removeprefix(_MAIN + ".<locals>.")
        text = f"at {place}" if name == _MAIN else f"at {name} ({place})"
        return position, text if times == 1 else f"{text}, {times} times"


def failure(error, source, max_bytes, trace=None):
    """The failure of a program by an error that nothing caught."""
    kind = FailureKind.THROWN
    # A subclass is the program's own.
    if type(error) is RecursionError or _is_deep_source(error):
        kind = FailureKind.STACK_OVERFLOW
    elif type(error) is MemoryError:
        kind = FailureKind.OUT_OF_MEMORY
    frames = source.frames(trace or error.__traceback__)
    rejection = bridge.rejection(error)
    below = [text for _, text in frames]
    if below and not below[0].endswith(" times"):
        del below[0]
    return Failure(
        kind,
        name_of(error),
        _cut(message_of(error, source), max_bytes),
        frames[0][0] if frames else None,
        below,
        rejection[0] if rejection else None,
    )


def syntax(error, source):
    """The failure of a program that did not parse."""
    message = _text(error)
    position = None
    if isinstance(error, SyntaxError):
        message = error.msg
        if error.lineno is not None:
            line = source.line(error.lineno)
            before = line[: max((error.offset or 1) - 1, 0)]
            position = Position(max(error.lineno, 1), len(before.encode("utf-16-le", "replace")) // 2 + 1)
    return Failure(FailureKind.SYNTAX, name_of(error), message, position, [], None)


def plain(kind, message):
    """A failure without an error."""
    return Failure(kind, "", message, None, [], None)


def name_of(error):
    """The name of an error's class as a traceback has it."""
    kind = type(error)
    name = kind.__qualname__.removeprefix(_MAIN + ".<locals>.")
    module = kind.__module__
    if isinstance(module, str) and module not in ("__main__", "builtins"):
        name = f"{module}.{name}"
    return _cut(name, _ONE_LINE)


def message_of(error, source):
    """The message, a suggestion where CPython has one, notes, the errors of a group, the cause."""
    parts = [_text(error) + _suggestion(error)]
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, (list, tuple)):
        parts[0] += "".join(f"; {note}" for note in notes if isinstance(note, str))
    if isinstance(error, BaseExceptionGroup):
        inner = [_inner(each, source) for each in error.exceptions[:_MAX_INNER]]
        if len(error.exceptions) > _MAX_INNER:
            inner.append(f"and {len(error.exceptions) - _MAX_INNER} more")
        parts.append(f"[{'; '.join(inner)}]")
    if error.__cause__ is not None:
        parts.append(f"(cause: {one_line(error.__cause__)})")
    elif error.__context__ is not None and not error.__suppress_context__:
        parts.append(f"(while handling: {one_line(error.__context__)})")
    return " ".join(part for part in parts if part)


def one_line(error):
    """An error in bounded length, to be quoted within another message."""
    text = _text(error)
    return f"{name_of(error)}: {_cut(text, _ONE_LINE)}" if text else name_of(error)


def _inner(error, source):
    frames = source.frames(error.__traceback__)
    return f"{one_line(error)} ({frames[0][1]})" if frames else one_line(error)


def _is_deep_source(error):
    """Whether CPython's parser met its depth, which it calls a MemoryError."""
    return type(error) is MemoryError and str(error).startswith("Parser stack overflowed")


def _text(error):
    """The text of an error. Its class may be the program's, and fail, or try to end more than itself."""
    try:
        return str(error)
    except BaseException as failed:
        return f"<its text failed: {type(failed).__name__}>"


def _suggestion(error):
    name = getattr(error, "name", None)
    if isinstance(error, ModuleNotFoundError) and isinstance(name, str):
        return "; " + stdlib.instead(name)
    if not isinstance(error, (NameError, AttributeError, ImportError)) or not isinstance(name, str):
        return ""
    try:
        near = traceback._compute_suggestion_error(error, error.__traceback__, error.name)
    except Exception:
        return ""
    return f". Did you mean: {near!r}?" if near else ""


def _cut(text, max_bytes):
    if text.isascii() and len(text) <= max_bytes:
        return text
    # Half a surrogate pair crosses as its escape.
    data = text.encode("utf-8", "backslashreplace")
    return data[:max_bytes].decode("utf-8", "ignore")
