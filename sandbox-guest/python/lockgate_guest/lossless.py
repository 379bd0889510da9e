"""JSON in and out of a program, lossless (SPEC A), without recursion over its depth.

`dumps` has two ways: values whose kinds can be told in bulk go through the C encoder of `json`; all others, and all that are
wrong, are walked one by one, which also finds the path. Methods of the program's own classes are never called.
"""

import array
import dataclasses
import datetime
import decimal
import enum
import fractions
import json.encoder
import json.scanner
import pathlib
import re
import types
import uuid
from collections import Counter, OrderedDict, defaultdict, deque

MIN_INT = -(2**63)
MAX_INT = 2**64 - 1

# Deeper values do not go through the C code, which recurses.
_SHALLOW = 100
# Steps of a path that are written out; of a longer one the middle is left out.
_MAX_STEPS = 40
_MAX_NAME = 80

_LISTS = frozenset((list, tuple))
_DICTS = frozenset((dict, OrderedDict, defaultdict, Counter))
_CONTAINERS = _LISTS | _DICTS
_SCALARS = frozenset((str, int, float, bool, type(None)))
_PLAIN = _CONTAINERS | _SCALARS
_ONLY_STR = frozenset((str,))

_escape = json.encoder.c_encode_basestring
_new_encoder = json.encoder.c_make_encoder
_long_number = re.compile("[0-9]{19}").search
_float_repr = float.__repr__
_int_repr = int.__repr__
_inf = float("inf")


class NotJson(Exception):
    """Why a value does not cross: `path is what; mend`."""

    def __init__(self, message, too_long=False):
        super().__init__(message)
        # Whether nothing but its size is wrong.
        self.too_long = too_long


def dumps(value, root, max_depth, max_bytes):
    """The JSON text of a value; `root` is what its path starts with. Raises NotJson."""
    if type(value) in _CONTAINERS:
        text = _bulk(value, max_depth)
        if text is not None:
            if (len(text) if text.isascii() else len(text.encode())) > max_bytes:
                raise _too_long(root, max_bytes)
            return text
    return _walk(value, root, max_depth, max_bytes)


def _no_default(_):
    raise TypeError


def _bulk(value, max_depth):
    """The text by the C encoder; None where that can't tell."""
    level = [value]
    seen = {id(value)}
    met = 1
    depth = min(_SHALLOW, max_depth)
    kinds = set()
    while level:
        if not depth:
            return None
        depth -= 1
        below = []
        for container in level:
            if type(container) in _DICTS:
                if container and not _ONLY_STR.issuperset(map(type, dict.keys(container))):
                    return None
                items = dict.values(container)
            else:
                items = container
            here = set(map(type, items))
            if not here <= _SCALARS:
                if not here <= _PLAIN:
                    return None
                below += [item for item in items if type(item) in _CONTAINERS]
            kinds |= here
        # A container that is met twice may be a cycle, or grow without bounds.
        seen.update(map(id, below))
        met += len(below)
        if len(seen) != met:
            return None
        level = below
    try:
        parts = _new_encoder({}, _no_default, _escape, None, ":", ",", False, False, False)(value, 0)
        text = "".join(parts)
        if not text.isascii():
            text.encode()
    except (ValueError, TypeError, RecursionError):
        return None
    if (float in kinds and "-0.0" in text) or (int in kinds and _long_number(text)):
        return None
    return text


def _walk(value, root, max_depth, max_bytes):
    """The text by a walk with a stack of its own."""
    out = []
    room = max_bytes
    # Of each open container: what is left of it, how it ends, and whether it is a dict.
    rest = []
    steps = []
    open_ids = set()
    containers = []
    item = value
    while True:
        kind = type(item)
        if kind is str:
            text = _text(item, root, steps)
        elif item is None:
            text = "null"
        elif kind is bool:
            text = "true" if item else "false"
        elif kind is int:
            if not MIN_INT <= item <= MAX_INT:
                raise _wrong(root, steps, "an integer of more than 64 bits", "pass str(value)")
            text = _int_repr(item)
        elif kind is float:
            text = _float(item, root, steps)
        elif kind in _CONTAINERS:
            if len(rest) >= max_depth:
                raise _wrong(root, steps, f"nested deeper than {max_depth} levels", "flatten it")
            if id(item) in open_ids:
                raise _wrong(root, steps, "a cycle: it contains itself", "break the cycle or pass a copy without it")
            open_ids.add(id(item))
            containers.append(item)
            if kind in _DICTS:
                rest.append((iter(dict.items(item)), "}"))
                text = "{"
            else:
                rest.append((iter(item), "]"))
                text = "["
            steps.append(-1)
        else:
            raise _wrong(root, steps, *_found(item))
        out.append(text)
        room -= len(text) if text.isascii() else len(text.encode())
        if room < 0:
            raise _too_long(root, max_bytes)
        # The next item of the innermost container that has one.
        while rest:
            items, end = rest[-1]
            try:
                item = next(items)
            except StopIteration:
                out.append(end)
                room -= 1
                rest.pop()
                steps.pop()
                open_ids.discard(id(containers.pop()))
                continue
            except RuntimeError as error:
                raise _wrong(root, steps[:-1], f"changed while it was read ({error})", "pass a copy") from None
            last = steps[-1]
            if last != -1:
                out.append(",")
                room -= 1
            if end == "]":
                steps[-1] = last + 1
                break
            key, item = item
            if type(key) is not str:
                steps.pop()
                what = "a dict with a key that is no str: " + _short(key)
                raise _wrong(root, steps, what, "use str(key)")
            steps[-1] = key
            text = _text(key, root, steps)
            out.append(text)
            out.append(":")
            room -= len(text) + 1
            break
        else:
            return "".join(out)


def _text(value, root, steps):
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            mend = "repair it with value.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
            raise _wrong(root, steps, "a str with half a surrogate pair", mend) from None
    return _escape(value)


def _float(value, root, steps):
    if value != value:
        raise _wrong(root, steps, "NaN", "pass a finite number or None")
    if value in (_inf, -_inf):
        raise _wrong(root, steps, "an infinite number", "pass a finite number or None")
    text = _float_repr(value)
    if text == "-0.0":
        raise _wrong(root, steps, "-0.0", "pass 0")
    return text


def _too_long(root, max_bytes):
    return NotJson(f"{root} is longer than {max_bytes} bytes as JSON; make it smaller", too_long=True)


def _wrong(root, steps, what, mend):
    return NotJson(f"{path(root, steps)} is {what}; {mend}")


def path(root, steps):
    """A path as its author would write it: `args["items"][3]`."""
    if len(steps) > _MAX_STEPS:
        half = _MAX_STEPS // 2
        steps = [*steps[:half], None, *steps[-half:]]
    return root + "".join(_step(step) for step in steps)


def _step(step):
    if step is None:
        return "…"
    if type(step) is int:
        return f"[{step}]"
    if step.isidentifier() and step.isascii() and len(step) <= _MAX_NAME:
        return "." + step
    return f"[{_quoted(step)}]"


def _quoted(name):
    if len(name) > _MAX_NAME:
        name = name[:_MAX_NAME] + "…"
    return _escape(name.encode("utf-8", "backslashreplace").decode())


def _short(value):
    """A key in bounded length; only of kinds whose repr is CPython's own."""
    if type(value) in (int, float, bool, type(None), bytes):
        try:
            text = repr(value)
        except ValueError:
            return "a long int"
        return text if len(text) <= _MAX_NAME else text[:_MAX_NAME] + "…"
    return "an instance of " + type(value).__name__


# What is told of a value: its classes, what it is where the class does not say it, and the mend. The first that fits counts.
_KINDS = (
    ((bytes, bytearray, memoryview), None, "pass value.decode() or base64.b64encode(value).decode()"),
    ((set, frozenset), None, "pass sorted(value) or list(value)"),
    ((datetime.date, datetime.time), None, "pass value.isoformat()"),
    ((datetime.timedelta,), None, "pass value.total_seconds()"),
    ((decimal.Decimal, fractions.Fraction), None, "pass str(value) or float(value)"),
    ((complex,), None, "pass [value.real, value.imag]"),
    ((uuid.UUID, pathlib.PurePath), None, "pass str(value)"),
    ((enum.Enum,), "an enum member", "pass value.value"),
    ((types.AsyncGeneratorType,), "an async generator", "pass [item async for item in value]"),
    ((types.GeneratorType, map, filter, zip, enumerate, reversed), None, "pass list(value)"),
    ((type({}.keys()), type({}.values()), type({}.items())), "a view of a dict", "pass list(value)"),
    ((range, deque, array.array), None, "pass list(value)"),
    ((BaseException,), None, "pass str(value)"),
    ((type,), "a class", "pass data"),
    ((types.FunctionType, types.BuiltinFunctionType, types.MethodType), "a function", "pass data; a function can't cross"),
    ((types.ModuleType,), "a module", "pass data"),
    ((types.EllipsisType,), "Ellipsis", "fill it in"),
    ((list, tuple), "an instance of a class of its own", "pass list(value)"),
    ((dict,), "an instance of a class of its own", "pass dict(value)"),
    ((int, float, str), "an instance of a class of its own", "pass the plain value, e.g. str(value) or int(value)"),
)


def _found(item):
    """What an item is that is no JSON, and the mend."""
    kind = type(item)
    name = _class_name(kind)
    if issubclass(kind, _awaitables):
        return f"an awaitable ({name})", "await it"
    if dataclasses.is_dataclass(kind):
        return f"a dataclass ({name})", "pass dataclasses.asdict(value)"
    if issubclass(kind, tuple) and "_fields" in kind.__dict__:
        return f"a named tuple ({name})", "pass value._asdict()"
    for classes, what, mend in _KINDS:
        if issubclass(kind, classes):
            return what or f"{_article(name)} {name}", mend
    return f"an instance of {name}", "pass a dict with the fields you need"


def _class_name(kind):
    name = type.__dict__["__name__"].__get__(kind)
    return name if len(name) <= _MAX_NAME else name[:_MAX_NAME] + "…"


def _article(name):
    return "an" if name[:1].lower() in "aeio" else "a"


_awaitables = (types.CoroutineType,)


def tell_awaitables(*classes):
    """Names the classes of futures, which only the loop knows."""
    global _awaitables
    _awaitables += classes


class _Scanner:
    """What the C scanner asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = None
    memo = {}


_scan = json.scanner.c_make_scanner(_Scanner())


def loads(text):
    """The value of JSON text that the host wrote."""
    try:
        return _scan(text, 0)[0]
    except RecursionError:
        return _loads_deep(text)


def _loads_deep(text):
    """As `loads`, with a stack of its own. The text is compact, as the host writes it."""
    # Open containers, each with the key that its next value gets.
    stack = []
    at = 0
    while True:
        mark = text[at]
        if mark == "[" and text[at + 1] != "]":
            stack.append([[], None])
            at += 1
            continue
        if mark == "{" and text[at + 1] != "}":
            key, at = _scan(text, at + 1)
            stack.append([{}, key])
            at += 1
            continue
        value, at = _scan(text, at)
        while stack:
            container, key = stack[-1]
            if key is None:
                container.append(value)
            else:
                container[key] = value
            mark = text[at]
            at += 1
            if mark == ",":
                if key is not None:
                    stack[-1][1], at = _scan(text, at)
                    at += 1
                break
            value = container
            stack.pop()
        else:
            return value
