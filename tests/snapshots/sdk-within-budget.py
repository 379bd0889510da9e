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


# More tools, listed only: find them with $search, read their declarations with $describe.
# - read_file: Reads a text file.
# - save_tree: Stores a tree of nodes.
# - "search.code": Searches the code.
class Search_8a4aOutput_Item(TypedDict):
    name: str
    about: str
class Tools(Protocol):
    async def ping(self) -> None:
        ...
    @overload
    def __getitem__(self, name: Literal["$describe"]) -> Callable[[str], Awaitable[str]]:
        """The declaration of a tool by its exact name. Read it before you call a tool that is only listed."""
    @overload
    def __getitem__(self, name: Literal["$search"]) -> Callable[[str], Awaitable[list[Search_8a4aOutput_Item]]]:
        """Finds tools by words, best first."""
    @overload
    def __getitem__(self, name: str) -> Callable[..., Awaitable[Any]]: ...
tools: Tools
