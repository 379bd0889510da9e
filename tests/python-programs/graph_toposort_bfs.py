from collections import deque
from graphlib import CycleError, TopologicalSorter

deps = {"app": {"lib", "log"}, "lib": {"core"}, "log": {"core"}, "core": set()}
order = list(TopologicalSorter(deps).static_order())
try:
    list(TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())
except CycleError as e:
    cycle = sorted(set(e.args[1]))
maze = ["S.#.", "..#.", "#...", "##.E"]
start = next((r, c) for r, row in enumerate(maze) for c, ch in enumerate(row) if ch == "S")
queue, seen = deque([(start, [start])]), {start}
path = None
while queue:
    (r, c), trail = queue.popleft()
    if maze[r][c] == "E":
        path = trail
        break
    for nr, nc in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
        if 0 <= nr < 4 and 0 <= nc < 4 and maze[nr][nc] != "#" and (nr, nc) not in seen:
            seen.add((nr, nc))
            queue.append(((nr, nc), trail + [(nr, nc)]))
parent = {}


def find(x):
    while parent.setdefault(x, x) != x:
        x = parent[x]
    return x


for a, b in [(1, 2), (3, 4), (2, 3), (5, 6)]:
    parent[find(a)] = find(b)
return {"first": order[0], "last": order[-1], "cycle": cycle, "path": path, "groups": len({find(x) for x in range(1, 7)})}
