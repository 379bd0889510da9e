import inspect
import types

ns = types.SimpleNamespace(a=1, b={"c": 2})
ns.d = [*vars(ns)]
Dynamic = type("Dynamic", (), {"x": 5, "double": lambda self: self.x * 2})
obj = Dynamic()
setattr(obj, "y", 7)


class Service:
    """Doc."""

    def get_a(self, key: str, default: int = 0) -> int:
        "Gets."

    def get_b(self):
        pass

    def _private(self):
        pass


methods = {n: str(inspect.signature(m)) for n, m in inspect.getmembers(Service, inspect.isfunction) if not n.startswith("_")}
dispatch = {"upper": str.upper, "len": len, "rev": lambda s: s[::-1]}
print(ns)
code = compile("x * 2 + y", "<expr>", "eval")
scope = {}
exec("def f(n):\n    return n + 1\nz = f(41)", scope)
return {"ns": ns.d, "dynamic": [obj.double(), obj.y, hasattr(obj, "z"), getattr(obj, "z", None), Dynamic.__name__], "methods": methods, "dispatch": {k: f("abc") for k, f in dispatch.items()}, "eval": [eval(code, {"x": 3, "y": 1}), scope["z"]], "doc": [Service.__doc__, Service.get_a.__doc__, Service.get_a.__annotations__["return"].__name__], "callable": [callable(len), callable(3)], "type": [type(x).__name__ for x in (1, "", None, [], {}, 1.0, b"", (), ..., len)]}
