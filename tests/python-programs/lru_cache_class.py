from collections import OrderedDict


class LRU:
    def __init__(self, size):
        self.size, self.data, self.hits, self.misses = size, OrderedDict(), 0, 0

    def __getitem__(self, key):
        if key in self.data:
            self.hits += 1
            self.data.move_to_end(key)
            return self.data[key]
        self.misses += 1
        raise KeyError(key)

    def __setitem__(self, key, value):
        self.data[key] = value
        self.data.move_to_end(key)
        if len(self.data) > self.size:
            evicted, _ = self.data.popitem(last=False)
            print("evict", evicted)

    def get(self, key, compute):
        try:
            return self[key]
        except KeyError:
            self[key] = value = compute(key)
            return value


cache = LRU(3)
out = [cache.get(n, lambda n: n * n) for n in [1, 2, 3, 1, 4, 2, 5, 1]]
return {"out": out, "keys": list(cache.data), "stats": [cache.hits, cache.misses]}
