xs = list(range(10))
ys = xs[:]
ys[2:5] = ["a"]
del ys[-2:]
zs = [1, 2, 3]
zs[len(zs):] = [4]
zs.insert(1, 9)
zs.extend(x for x in (7, 8))
zs.remove(9)
(a, *b), c = [1, 2, 3], 4
chunks = [xs[i : i + 3] for i in range(0, len(xs), 3)]
matrix = [[0] * 3 for _ in range(2)]
matrix[1][2] = 5
s = slice(1, 8, 3)
return {"ys": ys, "zs": zs, "idx": zs.index(7), "count": [1, 1, 2].count(1), "chunks": chunks, "neg": [xs[-1], xs[-3:], xs[::-3], xs[5:2], xs[20:]], "s": [xs[s], s.indices(10)], "abc": [a, b, c], "swap": [*(lambda p, q: (q, p))(1, 2)], "enum": [f"{i}:{v}" for i, v in enumerate("ab", start=1)], "mul": [[1] * 3, "ab" * 2, (0,) * 2], "cmp": [[1, 2] < [1, 3], (1,) < (1, 0), "a" < "b"], "range": [len(range(0, 100, 7)), 21 in range(0, 100, 7), range(10)[3:5].stop], "pop": [xs.pop(0), xs.pop(), len(xs)], "matrix": matrix}
