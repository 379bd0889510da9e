import itertools as it
import operator

data = [3, 1, 4, 1, 5, 9, 2, 6]
rows = [("fruit", "apple"), ("fruit", "pear"), ("veg", "leek"), ("fruit", "fig")]
return {
    "acc": list(it.accumulate(data)),
    "max": list(it.accumulate(data, max)),
    "prod": list(it.accumulate(data, operator.mul, initial=1)),
    "group": [[k, [n for _, n in g]] for k, g in it.groupby(rows, key=operator.itemgetter(0))],
    "sorted_group": {k: len(list(g)) for k, g in it.groupby(sorted(rows), key=lambda r: r[0])},
    "comb": ["".join(c) for c in it.combinations("abcd", 2)],
    "perm": len(list(it.permutations(range(5), 3))),
    "product": [f"{a}{b}" for a, b in it.product("xy", range(2))],
    "cwr": list(it.combinations_with_replacement([1, 2], 2)),
    "pair": list(it.pairwise(data))[:3],
    "chain": list(it.chain.from_iterable([[1], [2, 3], []])),
    "slice": list(it.islice(it.count(10, 5), 2, 6)),
    "zip": list(it.zip_longest([1, 2, 3], "ab", fillvalue="-")),
    "take": list(it.takewhile(lambda n: n < 5, data)),
    "drop": list(it.dropwhile(lambda n: n < 5, data)),
    "compress": list(it.compress("abcdef", [1, 0, 1, 0, 1, 1])),
    "star": list(it.starmap(pow, [(2, 5), (3, 2)])),
    "tee": [list(x) for x in it.tee(range(3), 2)],
    "cycle": [x for x, _ in zip(it.cycle("ab"), range(5))],
    "filterfalse": list(it.filterfalse(lambda n: n % 2, data)),
    "repeat": list(it.repeat("z", 3)),
}
