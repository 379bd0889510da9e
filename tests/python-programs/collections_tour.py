from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple

words = "the cat sat on the mat the end".split()
counts = Counter(words)
counts.subtract(["the"])
counts.update({"cat": 2})
Point = namedtuple("Point", "x y", defaults=[0])
p = Point(3)
window = deque(maxlen=3)
sums = []
for n in range(1, 8):
    window.append(n)
    sums.append(sum(window))
ordered = OrderedDict(a=1, b=2, c=3)
ordered.move_to_end("a")
tree = lambda: defaultdict(tree)
t = tree()
t["x"]["y"]["z"] = 1
chain = ChainMap({"color": "red"}, {"color": "blue", "size": 3})
print(p, p._replace(y=5), counts.most_common(2))
rot = deque("abcd")
rot.rotate(1)
return {
    "counts": dict(counts),
    "total": counts.total(),
    "and": dict(Counter("aab") & Counter("abb")),
    "elements": sorted(Counter(a=2, b=1).elements()),
    "point": p._asdict(),
    "sums": sums,
    "ordered": list(ordered),
    "tree": t,
    "chain": dict(sorted(chain.items())),
    "rot": "".join(rot),
}
