def append(item, bucket=[]):
    bucket.append(item)
    return list(bucket)


def counter():
    count = 0

    def up(by=1):
        nonlocal count
        count += by
        return count

    return up


total = 0


def add(n):
    global total
    total += n


for n in (1, 2, 3):
    add(n)
late = [lambda: i for i in range(3)]
bound = [lambda i=i: i for i in range(3)]
a, b = counter(), counter()
a(), a(5), b()


def args(*args, key="k", **kwargs):
    return [list(args), key, dict(sorted(kwargs.items()))]


def positional(a, b, /, c, *, d=4):
    return [a, b, c, d]


try:
    positional(a=1, b=2, c=3)
except TypeError:
    refused = True
return {"default": [append(1), append(2)], "counter": [a(0), b(0)], "total": total, "late": [f() for f in late], "bound": [f() for f in bound], "args": args(1, 2, key="z", y=1, x=2), "positional": [positional(1, 2, c=3), refused], "names": [n for n in ("total", "append") if n in globals()], "main": __name__}
