"""Runs programs in this very CPython, as the sandbox would: prints one JSON line for each, with what it returned and printed.

Usage: native.py TABLE PROGRAM...
"""

import ast
import asyncio
import contextlib
import io
import json
import sys
import types


class ToolCallError(Exception):
    def __init__(self, tool_name, message):
        super().__init__(message)
        self.toolName = self.tool_name = tool_name
        self.message = message


class Tools:
    """The tools that `python_programs.rs` gives the programs in the sandbox."""

    def __init__(self, table):
        self._table = table

    def __getitem__(self, name):
        return getattr(self, name)

    def echo(self, value=None, /, **arguments):
        return asyncio.ensure_future(self._echo(value or arguments))

    def lookup(self, value=None, /, **arguments):
        return asyncio.ensure_future(self._lookup((value or arguments)["key"]))

    def fail(self, value=None, /, **arguments):
        return asyncio.ensure_future(self._fail((value or arguments).get("why", "the tool failed")))

    def wait(self, value=None, /, **arguments):
        return asyncio.ensure_future(self._wait(value or arguments))

    async def _echo(self, arguments):
        return json.loads(json.dumps(arguments))

    async def _lookup(self, key):
        if key not in self._table:
            raise ToolCallError("lookup", f"there is no {key}")
        return json.loads(json.dumps(self._table[key]))

    async def _fail(self, why):
        raise ToolCallError("fail", why)

    async def _wait(self, arguments):
        await asyncio.sleep(arguments["ms"] / 1000)
        return json.loads(json.dumps(arguments))


class Returned(BaseException):
    """The end of a program: a module can't return."""


class Returns(ast.NodeTransformer):
    """Turns the returns of the program itself into errors that carry the value."""

    def visit_Return(self, node):
        value = node.value or ast.Constant(None)
        call = ast.Call(ast.Name("__Returned", ast.Load()), [value], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Raise(call, None), node))

    def keep(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = keep


async def run(text, name, table):
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    scope = module.__dict__
    scope.update(tools=Tools(table), ToolCallError=ToolCallError, __Returned=Returned)
    tree = Returns().visit(ast.parse(text, name))
    code = compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    coroutine = eval(code, scope)
    if coroutine is not None:
        await coroutine


def main(table, names):
    own = sys.modules["__main__"]
    for name in names:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        output = io.StringIO()
        end = {}
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                asyncio.run(run(text, name, table))
            except Returned as returned:
                end["result"] = returned.args[0]
            except Exception as error:
                end["error"] = f"{type(error).__qualname__}: {error}"
        sys.modules["__main__"] = own
        print(json.dumps({"name": name, "output": output.getvalue(), **end}, allow_nan=False))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        main(json.load(file), sys.argv[2:])
