import contextlib
import io

events = []


@contextlib.contextmanager
def step(name):
    events.append(f"enter {name}")
    try:
        yield name.upper()
    except KeyError as e:
        events.append(f"caught {e}")
    finally:
        events.append(f"exit {name}")


class Ctx:
    def __enter__(self):
        events.append("in")
        return self

    def __exit__(self, kind, value, tb):
        events.append(kind.__name__ if kind else "none")
        return kind is ZeroDivisionError


@contextlib.asynccontextmanager
async def session():
    events.append("open")
    try:
        yield await tools.lookup(key="bob")
    finally:
        await tools.echo(closing=True)
        events.append("close")


with step("a") as a, step("b"):
    raise KeyError("k")
with Ctx():
    1 / 0
with contextlib.suppress(ValueError):
    int("x")
async with session() as user:
    events.append(user["name"])
with contextlib.ExitStack() as stack:
    for n in range(3):
        stack.callback(events.append, f"cb{n}")
out = io.StringIO()
with contextlib.redirect_stdout(out):
    print("hidden")
with contextlib.closing(io.StringIO("x")) as f, contextlib.nullcontext(5) as five:
    pass
return {"events": events, "a": a, "out": out.getvalue(), "closed": f.closed, "five": five}
