# `tools` in the programs of run_code. Nothing is kept from one program to the next.
# - Every call is awaited: await tools.name({...}). A call that is not awaited is abandoned when the program ends.
# - Independent calls: await asyncio.gather(...); they run in parallel where the tools allow it. With return_exceptions=True
#   the program goes on when some fail.
# - Values are plain JSON: dicts, lists (tuples become lists), str, int, float, bool, None; no NaN, sets, bytes or objects.
# - A failed call raises ToolCallError. Catch it to go on; uncaught, it ends the program.
# - Names that are no identifiers: await tools["the-name"]({...}).
# - Return the answer and print() what else you need; keep both short.
#
# Example: user = await tools.get_user({"id": 7}); return user["name"]
# Example: texts = await asyncio.gather(*(tools.read_file({"path": path}) for path in paths))
#   return [{"path": path, "lines": len(text.splitlines())} for path, text in zip(paths, texts)]
from typing import Any, Awaitable, Callable, Literal, NotRequired, Protocol, TypeAlias, TypedDict, overload


class ToolCallError(Exception):
    toolName: str
    message: str


