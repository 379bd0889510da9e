import functools
from functools import cached_property, lru_cache, partial, reduce, singledispatch, total_ordering, wraps

calls = []


@lru_cache(maxsize=None)
def fib(n):
    calls.append(n)
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def logged(prefix):
    def deco(f):
        @wraps(f)
        def inner(*args, **kwargs):
            print(prefix, f.__name__, args, kwargs)
            return f(*args, **kwargs)
        return inner
    return deco


@logged("->")
def add(a, b=1):
    "adds"
    return a + b


@singledispatch
def show(x):
    return f"other {x}"


@show.register
def _(x: int):
    return f"int {x}"


@show.register(list)
def _(x):
    return f"list of {len(x)}"


@total_ordering
class V:
    def __init__(self, s):
        self.t = tuple(map(int, s.split(".")))

    def __eq__(self, o):
        return self.t == o.t

    def __lt__(self, o):
        return self.t < o.t

    @cached_property
    def text(self):
        calls.append("text")
        return ".".join(map(str, self.t))


v = V("1.10")
return {
    "fib": fib(50),
    "calls": len(calls),
    "info": list(fib.cache_info()),
    "add": [add(1), add(2, b=3), add.__name__, add.__doc__],
    "show": [show(1), show([1]), show("x"), show(True)],
    "v": [V("1.9") < v, V("1.10") >= v, v.text, v.text, calls.count("text")],
    "reduce": reduce(lambda a, b: a * b, range(1, 11)),
    "partial": partial(int, base=2)("1011"),
    "cmp": sorted(["bb", "a", "ccc"], key=functools.cmp_to_key(lambda a, b: len(b) - len(a))),
}
