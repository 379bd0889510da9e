def describe(value):
    match value:
        case None:
            return "nothing"
        case bool():
            return "bool"
        case int(n) if n < 0:
            return f"negative {n}"
        case int() | float():
            return "number"
        case str() as s if s.startswith("/"):
            return f"path {s[1:]}"
        case []:
            return "empty"
        case [x]:
            return f"one {x}"
        case [first, *rest, last]:
            return f"{first}..{last} ({len(rest)} between)"
        case {"type": "circle", "r": r}:
            return f"circle {r}"
        case {"type": str(kind), **rest}:
            return f"{kind} with {sorted(rest)}"
        case (a, b):
            return "pair"
        case _:
            return type(value).__name__


class P:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def where(p):
    match p:
        case P(0, 0):
            return "origin"
        case P(x=0, y=y):
            return f"y axis {y}"
        case P(x, y):
            return f"{x},{y}"


for command in ["go north", "take lamp and key", "quit", "dance"]:
    match command.split():
        case ["go", ("north" | "south") as way]:
            print("going", way)
        case ["take", *things]:
            print("taking", things)
        case ["quit"]:
            print("bye")
        case other:
            print("what?", other)
values = [None, True, -3, 2.5, "/etc", [], [1], [1, 2, 3, 4], {"type": "circle", "r": 2}, {"type": "box", "w": 1, "h": 2}, {1}, "x"]
return [describe(v) for v in values] + [where(P(0, 0)), where(P(0, 3)), where(P(1, 2))]
