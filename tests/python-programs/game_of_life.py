from collections import Counter

cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}


def step(cells):
    around = Counter((x + dx, y + dy) for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
    return {c for c, n in around.items() if n == 3 or (n == 2 and c in cells)}


history = [cells]
for _ in range(8):
    history.append(step(history[-1]))
for y in range(5):
    print("".join("#" if (x, y) in history[8] else "." for x in range(5)))
return {"sizes": [len(c) for c in history], "moved": sorted(history[4]) == sorted((x + 1, y + 1) for x, y in cells), "last": [list(c) for c in sorted(history[-1])]}
