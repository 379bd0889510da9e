"""From a program's text to the coroutine function that it is the body of."""

import ast
import importlib
import types

# What falls off the end of a program; it is no JSON, so no program can return it by accident.
NOTHING = frozenset(("the program returned nothing",))

_MAIN = "<module>"


def compile_program(source, file_name, namespace):
    """The function whose body the program is. Raises what `compile` raises.

    Names that the program's top level binds are globals, as in a script: `global` works in its functions, and its classes are
    called what they are called there. Only what a function of it declares `nonlocal` stays a variable of the body.
    """
    body = ast.parse(source, file_name).body
    futures = []
    while body and isinstance(body[0], ast.ImportFrom) and body[0].module == "__future__":
        futures.append(body.pop(0))
    _end_with_nothing(body)
    if "*" in source:
        _name_stars(body)
    code = _body_code(futures, body, [], file_name)
    names = {*code.co_varnames, *code.co_cellvars}
    if names and "nonlocal" in source:
        names -= {name for node in ast.walk(ast.Module(body, [])) if isinstance(node, ast.Nonlocal) for name in node.names}
    if names:
        _drop_annotations(body, names)
        code = _body_code(futures, body, sorted(names), file_name)
    return types.FunctionType(code, namespace)


def _body_code(futures, body, names, file_name):
    place = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
    declared = [ast.Global(names, **place)] if names else []
    main = ast.AsyncFunctionDef(
        name=_MAIN,
        args=ast.arguments([], [], None, [], [], None, []),
        body=[*declared, *body],
        decorator_list=[],
        returns=None,
        type_params=[],
        **place,
    )
    try:
        module = compile(ast.Module([*futures, main], []), file_name, "exec", dont_inherit=True)
    except SyntaxError as error:
        if "in async generator" in error.msg:
            error.msg = "'yield' outside function"
            _place_at_yield(error, body)
        raise
    return next(const for const in module.co_consts if isinstance(const, types.CodeType))


def _place_at_yield(error, body):
    """A program is no generator: the place is that of the first `yield` that is its own."""
    for statement in _own_statements(body):
        if not isinstance(statement, _SCOPES):
            for node in ast.walk(statement):
                if isinstance(node, (ast.Yield, ast.YieldFrom)):
                    error.lineno, error.offset = node.lineno, node.col_offset + 1
                    return


def _end_with_nothing(body):
    """What returns no value returns NOTHING: `return None` is a value."""
    last = body[-1] if body else None
    line, column = (last.end_lineno, last.end_col_offset) if last else (1, 0)
    place = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}
    for node in _own_statements(body):
        if isinstance(node, ast.Return) and node.value is None:
            node.value = ast.copy_location(ast.Constant(NOTHING), node)
    body.append(ast.Return(ast.Constant(NOTHING, **place), **place))


def _drop_annotations(body, names):
    """Nothing reads the annotation of a variable of a function, and a global may have none."""
    for node in _own_statements(body):
        for _, block in ast.iter_fields(node):
            if isinstance(block, list):
                _drop_in(block, names)
    _drop_in(body, names)


def _drop_in(block, names):
    for at, node in enumerate(block):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in names:
            if node.value is None:
                block[at] = ast.copy_location(ast.Pass(), node)
            else:
                block[at] = ast.copy_location(ast.Assign([node.target], node.value), node)


def _name_stars(body):
    """`from math import *` is for modules alone: here the names are written out."""
    for node in _own_statements(body):
        if isinstance(node, ast.ImportFrom) and not node.level and node.names[0].name == "*":
            module = importlib.import_module(node.module)
            names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
            place = {name: getattr(node.names[0], name) for name in node.names[0]._attributes}
            node.names = [ast.alias(name, **place) for name in names]


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _own_statements(body):
    """The statements of a body, and those of its blocks, but not those of its functions and classes."""
    rest = list(body)
    while rest:
        node = rest.pop()
        yield node
        if not isinstance(node, _SCOPES):
            for name in _BLOCKS:
                rest += getattr(node, name, ())
