class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x=0, y=0):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vector(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __eq__(self, o):
        return isinstance(o, Vector) and (self.x, self.y) == (o.x, o.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __abs__(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __bool__(self):
        return bool(self.x or self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __repr__(self):
        return f"Vector({self.x!r}, {self.y!r})"

    def __format__(self, spec):
        return f"<{self.x:{spec}}, {self.y:{spec}}>"

    def __call__(self, z):
        return [*self, z]

    def __neg__(self):
        return self * -1

    @classmethod
    def unit(cls):
        return cls(1, 1)

    @staticmethod
    def dims():
        return 2


v = Vector(3, 4)
w = v + 2 * Vector.unit()
print(v, w, -v, f"{v:.1f}", bool(Vector()))
try:
    v.z = 1
except AttributeError:
    print("no z")
return {"w": list(w), "abs": abs(v), "in": 3 in v, "set": len({Vector(1, 2), Vector(1, 2)}), "call": v(5), "item": v[-1], "len": len(v), "unpack": [*v], "dims": Vector.dims()}
