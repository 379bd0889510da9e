from collections import deque
from itertools import accumulate, islice, pairwise

prices = [101.5, 102.25, 99.75, 98.0, 103.5, 107.0, 104.25, 104.25, 110.0]


def moving(xs, n):
    it = iter(xs)
    window = deque(islice(it, n), maxlen=n)
    yield sum(window) / n
    for x in it:
        window.append(x)
        yield sum(window) / n


ema, k = [prices[0]], 2 / (3 + 1)
for p in prices[1:]:
    ema.append(p * k + ema[-1] * (1 - k))
returns = [b / a - 1 for a, b in pairwise(prices)]
peaks = list(accumulate(prices, max))
drawdown = max((peak - p) / peak for peak, p in zip(peaks, prices))
low, high = min(prices), max(prices)
for p in prices:
    print(f"{p:>7.2f} " + "▇" * round(1 + 9 * (p - low) / (high - low)))
return {"sma": [round(x, 4) for x in moving(prices, 3)], "ema": [round(x, 4) for x in ema], "returns": [f"{r:+.2%}" for r in returns], "drawdown": round(drawdown, 6), "spark": "".join("▁▂▃▄▅▆▇█"[int(7 * (p - low) / (high - low))] for p in prices)}
