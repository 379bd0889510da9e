import ast

source = "def area(r, pi=3.14):\n    return pi * r ** 2\n\nclass A:\n    def m(self): return area(2)\n"
tree = ast.parse(source)
functions = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
calls = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call)]


class Renamer(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.copy_location(ast.Name({"pi": "PI"}.get(node.id, node.id), node.ctx), node)


literal = ast.literal_eval("{'a': [1, 2.5, (None, True)], 'b': -3}")
try:
    ast.literal_eval("__import__('os')")
except ValueError:
    refused = True
OPS = {ast.Add: lambda a, b: a + b, ast.Mult: lambda a, b: a * b, ast.Sub: lambda a, b: a - b, ast.Div: lambda a, b: a / b}


def calc(node):
    match node:
        case ast.Expression(body):
            return calc(body)
        case ast.Constant(value):
            return value
        case ast.BinOp(left, op, right):
            return OPS[type(op)](calc(left), calc(right))
    raise ValueError("unsupported")


return {"functions": functions, "calls": calls, "unparse": ast.unparse(Renamer().visit(ast.parse("x = pi * 2 if pi else [pi]"))), "literal": literal, "refused": refused, "calc": calc(ast.parse("2 + 3 * (4 - 1) / 2", mode="eval"))}
