import random

rng = random.Random(42)
values = [rng.random() for _ in range(3)]
deck = list(range(10))
rng.shuffle(deck)
return {
    "values": [round(v, 12) for v in values],
    "deck": deck,
    "ints": [rng.randint(1, 6) for _ in range(10)],
    "choice": rng.choice("abcdef"),
    "choices": rng.choices(["x", "y"], weights=[1, 9], k=8),
    "sample": rng.sample(range(100), 5),
    "gauss": round(rng.gauss(0, 1), 9),
    "uniform": round(rng.uniform(5, 6), 9),
    "bits": rng.getrandbits(64) % 1000,
    "global": 0 <= random.random() < 1,
}
