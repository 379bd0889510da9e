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


ReadFileArgs = TypedDict("ReadFileArgs", {
    # Path below the root.
    "path": str,
    # First line, counted from 1. (default: 1; minimum: 1)
    "from": NotRequired[int],
    "encoding": NotRequired[Literal["utf-8", "latin-1"]],
})
class SaveTree_Node(TypedDict):
    # Shown in the tree.
    name: str
    children: "NotRequired[list[SaveTree_Node]]"
class SaveTreeArgs(TypedDict):
    root: "SaveTree_Node"
    labels: NotRequired[dict[str, str]]
class SearchCode_b640Args_Scope_3(TypedDict):
    folder: str
SearchCode_b640Args = TypedDict("SearchCode_b640Args", {
    # (minLength: 1; e.g. "fn main")
    "query": str,
    # - "all": Every file.
    # - "changed": Files that differ from the last commit.
    "scope": NotRequired[Literal["all", "changed"] | SearchCode_b640Args_Scope_3],
    # (maximum: 500)
    "max-results": NotRequired[int | None],
    # Deprecated. (format: date-time)
    "since": NotRequired[str],
})
class SearchCode_b640Output_Matches_Item(TypedDict):
    path: str
    line: int
    text: str
class SearchCode_b640Output(TypedDict):
    total: int
    matches: list[SearchCode_b640Output_Matches_Item]
class Tools(Protocol):
    async def ping(self) -> None:
        ...
    async def read_file(self, args: ReadFileArgs) -> str:
        """Reads a text file."""
    async def save_tree(self, args: SaveTreeArgs) -> int | None:
        """Stores a tree of nodes."""
    @overload
    def __getitem__(self, name: Literal["search.code"]) -> Callable[[SearchCode_b640Args], Awaitable[SearchCode_b640Output]]:
        """Searches the code.

        The pattern is a regular expression: `a|b`, "quoted", C:\\path, */ and \"\"\".
        """
    @overload
    def __getitem__(self, name: str) -> Callable[..., Awaitable[Any]]: ...
tools: Tools
