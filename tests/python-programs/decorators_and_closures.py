import functools
import inspect


def memo(f):
    seen = {}

    @functools.wraps(f)
    def inner(*args):
        if args not in seen:
            seen[args] = f(*args)
        return seen[args]

    inner.seen = seen
    return inner


def repeat(times):
    def deco(f):
        return lambda *a: [f(*a) for _ in range(times)]
    return deco


def validate(**types):
    def deco(f):
        signature = inspect.signature(f)

        @functools.wraps(f)
        def inner(*args, **kwargs):
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in types and not isinstance(value, types[name]):
                    raise TypeError(f"{name} must be {types[name].__name__}")
            return f(*args, **kwargs)
        return inner
    return deco


class count_calls:
    def __init__(self, f):
        self.f, self.n = f, 0

    def __call__(self, *a):
        self.n += 1
        return self.f(*a)


@memo
def slow(n):
    return n**2


@repeat(3)
def hi(x):
    return x


@validate(a=int, b=str)
def pair(a, b="x"):
    return [a, b]


@count_calls
def ping():
    return "pong"


try:
    pair("no")
except TypeError as e:
    error = str(e)
compose = lambda *fs: functools.reduce(lambda f, g: lambda x: g(f(x)), fs)
curried = lambda a: lambda b: lambda c: a + b + c
[ping() for _ in range(4)]
return [slow(4), slow(4), len(slow.seen), hi("a"), pair(1), error, ping.n, compose(str.strip, str.upper, len)(" abc "), curried(1)(2)(3), str(inspect.signature(pair))]
