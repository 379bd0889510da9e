matrix = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
words = ["apple", "bob", "kayak", "level", "pear"]
pyth = [(a, b, c) for c in range(1, 30) for b in range(1, c) for a in range(1, b) if a * a + b * b == c * c]
primes = [n for n in range(2, 60) if all(n % d for d in range(2, int(n**0.5) + 1))]
squares = {n: n**2 for n in range(5)}
last = [y for x in range(4) if (y := x * 2) > 2]
return {
    "flat": [v for row in matrix for v in row],
    "transpose": [[row[i] for row in matrix] for i in range(3)],
    "zip": [list(t) for t in zip(*matrix)],
    "diag": [matrix[i][i] for i in range(3)],
    "pal": [w for w in words if w == w[::-1]],
    "lens": {w: len(w) for w in words},
    "inv": {str(v): k for k, v in squares.items()},
    "letters": sorted({c for w in words for c in w if c in "aeiou"}),
    "gen": sum(x * x for x in range(10)),
    "cond": ["even" if n % 2 == 0 else "odd" for n in range(3)],
    "nested": {r: {str(c): r * c for c in range(1, 4)} for r in range(1, 3)}[2],
    "pyth": pyth[:4],
    "primes": primes,
    "walrus": [last, y],
    "any_all": [any(w.startswith("k") for w in words), all(map(str.islower, words))],
    "dict_filter": {k: v for k, v in {"a": 1, "b": None, "c": 0}.items() if v is not None},
}
