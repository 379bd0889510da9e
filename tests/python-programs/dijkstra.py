import heapq

edges = [("A", "B", 7), ("A", "D", 5), ("B", "C", 8), ("B", "D", 9), ("B", "E", 7), ("C", "E", 5), ("D", "E", 15), ("D", "F", 6), ("E", "F", 8), ("E", "G", 9), ("F", "G", 11)]
graph = {}
for a, b, w in edges:
    graph.setdefault(a, {})[b] = w
    graph.setdefault(b, {})[a] = w


def shortest(source):
    dist, prev, heap = {source: 0}, {}, [(0, source)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > dist[node]:
            continue
        for other, w in graph[node].items():
            if (new := d + w) < dist.get(other, float("inf")):
                dist[other], prev[other] = new, node
                heapq.heappush(heap, (new, other))
    return dist, prev


dist, prev = shortest("A")
path = ["G"]
while path[-1] in prev:
    path.append(prev[path[-1]])
print(" -> ".join(reversed(path)), dist["G"])
return {"dist": dict(sorted(dist.items())), "path": path[::-1]}
