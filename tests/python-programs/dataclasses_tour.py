from dataclasses import asdict, astuple, dataclass, field, fields, replace
from typing import ClassVar, Optional


@dataclass(order=True)
class Item:
    sort_index: float = field(init=False, repr=False)
    name: str
    price: float
    qty: int = 1
    tags: list[str] = field(default_factory=list)
    currency: ClassVar[str] = "EUR"

    def __post_init__(self):
        self.sort_index = self.price * self.qty

    @property
    def total(self):
        return self.price * self.qty


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    label: Optional[str] = None


items = [Item("pen", 1.5, 10), Item("book", 12.0), Item("ink", 7.25, 3, ["blue"])]
for item in sorted(items, reverse=True):
    print(item, item.total)
p = Point(1, 2)
try:
    p.x = 5
except AttributeError as error:
    print(type(error).__name__)
return {
    "items": [asdict(i) for i in items],
    "tuple": astuple(p),
    "replaced": asdict(replace(p, y=9, label="q")),
    "eq": Point(1, 2) == p,
    "hash": hash(Point(1, 2)) == hash(p),
    "fields": [f.name for f in fields(Item)],
    "repr": repr(p),
}
