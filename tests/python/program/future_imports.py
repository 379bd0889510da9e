# SPEC H3
# returns: "int"
from __future__ import annotations
def f(x: int): pass
return f.__annotations__["x"]
