from enum import Enum, Flag, IntEnum, StrEnum, auto, unique


class Color(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1

    @property
    def hex(self):
        return {1: "#f00", 2: "#0f0"}[self.value]


class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()


class Level(IntEnum):
    LOW = 10
    HIGH = 20


class Kind(StrEnum):
    A = auto()
    B = "bee"


@unique
class Planet(Enum):
    EARTH = (5.97e24, 6.37e6)
    MARS = (6.42e23, 3.39e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def gravity(self):
        return 6.674e-11 * self.mass / self.radius**2


try:
    Color(7)
except ValueError as e:
    print(e)
print(Color.RED, repr(Color.GREEN), Level.HIGH, Kind.B, f"{Kind.A}")
return {
    "alias": Color.CRIMSON is Color.RED,
    "members": [c.name for c in Color],
    "all": list(Color.__members__),
    "by_name": Color["GREEN"].hex,
    "perm": [p.name for p in Perm if p in (Perm.R | Perm.X)],
    "int": sorted([Level.HIGH, Level.LOW])[0] + 1,
    "kind": [str(k) for k in Kind],
    "gravity": {p.name: round(p.gravity, 2) for p in Planet},
}
