import operator
from operator import attrgetter, itemgetter, methodcaller

people = [{"n": "Zed", "a": 30, "c": "B"}, {"n": "amy", "a": 25, "c": "A"}, {"n": "Bob", "a": 30, "c": "A"}, {"n": "Cat", "a": 25, "c": "B"}]
by_age_name = sorted(people, key=lambda p: (-p["a"], p["n"].lower()))
stable = sorted(sorted(people, key=itemgetter("n")), key=itemgetter("c"), reverse=True)
return {
    "multi": [p["n"] for p in by_age_name],
    "stable": [p["n"] for p in stable],
    "casefold": sorted(["b", "A", "c", "ä"], key=str.casefold),
    "natural": sorted(["f10", "f9", "f1"], key=lambda s: (s[0], int(s[1:]))),
    "none_last": sorted([3, None, 1], key=lambda x: (x is None, x)),
    "items": itemgetter(2, 0)("abc"),
    "attr": attrgetter("real", "imag")(3 + 4j),
    "method": methodcaller("split", "-")("a-b"),
    "ops": [operator.add(1, 2), operator.truediv(1, 4), operator.contains([1], 1), operator.index(True)],
    "min": min(people, key=itemgetter("a", "n"))["n"],
    "reverse": list(reversed(range(0, 10, 3))),
    "rank": {n: i for i, n in enumerate(sorted("hello"), 1)},
}
