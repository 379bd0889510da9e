from abc import ABC, abstractmethod
from typing import Any, Callable, Generic, Iterable, Literal, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union, get_args, get_type_hints, runtime_checkable

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []

    def push(self, item: T) -> None:
        self._items.append(item)

    def pop(self) -> T:
        return self._items.pop()


class Movie(TypedDict, total=False):
    title: str
    year: int


class Pair(NamedTuple):
    left: int
    right: str = "r"


@runtime_checkable
class Sized(Protocol):
    def size(self) -> int: ...


class Box:
    def size(self):
        return 3


class Shape(ABC):
    @abstractmethod
    def area(self): ...


class Square(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s**2


def f(a: int, b: Optional[str] = None, *c: float, d: Literal["x", "y"] = "x") -> dict[str, Any]:
    return {}


s: Stack[int] = Stack()
s.push(1)
m: Movie = {"title": "X"}
try:
    Shape()
    abstract = "made"
except TypeError:
    abstract = "refused"
return {
    "pop": s.pop(),
    "movie": m,
    "pair": Pair(1)._asdict(),
    "proto": [isinstance(Box(), Sized), isinstance(3, Sized)],
    "abstract": [abstract, Square(3).area()],
    "hints": sorted(get_type_hints(f)),
    "args": list(get_args(Literal["x", "y"])),
    "union": str(int | str),
}
