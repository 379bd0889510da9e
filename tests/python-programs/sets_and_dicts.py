a, b = {1, 2, 3, 4}, {3, 4, 5}
d = {"x": 1, "y": 2}
e = {"y": 20, "z": 30}
inverted = {}
for key, values in {"a": [1, 2], "b": [2, 3]}.items():
    for v in values:
        inverted.setdefault(str(v), []).append(key)
d2 = dict(d)
popped = d2.pop("x"), d2.pop("q", None)
d2.update(w=5, **e)
first, *middle, last = range(6)
(p, q), r = (1, 2), 3
frozen = frozenset(a)
return {
    "ops": [sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b), a >= {1, 2}, a.isdisjoint({9})],
    "merge": d | e,
    "unpack": {**d, **e, "k": [*a & b]},
    "inverted": inverted,
    "popped": popped,
    "d2": d2,
    "get": [d.get("nope", 0), "x" in d, list(d), len(d)],
    "fromkeys": dict.fromkeys("abc", 0),
    "zip": dict(zip("ab", (1, 2), strict=True)),
    "star": [first, middle, last, p + q + r],
    "sorted": sorted(e.items(), key=lambda kv: -kv[1]),
    "views": sorted(d.keys() & e.keys()),
    "frozen": {frozen: "v"}[frozenset({4, 3, 2, 1})],
    "order": list({"b": 1, "a": 2, **{"b": 3}}),
    "reversed": list(reversed(d)),
    "min": min(d, key=d.get),
}
