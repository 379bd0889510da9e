from collections import defaultdict
from itertools import groupby

sales = [
    {"q": "Q1", "region": "N", "amount": 100}, {"q": "Q1", "region": "S", "amount": 150},
    {"q": "Q2", "region": "N", "amount": 120}, {"q": "Q2", "region": "S", "amount": 90},
    {"q": "Q1", "region": "N", "amount": 50}, {"q": "Q3", "region": "W", "amount": 10},
]
pivot = defaultdict(lambda: defaultdict(int))
for s in sales:
    pivot[s["q"]][s["region"]] += s["amount"]
regions = sorted({s["region"] for s in sales})
print("quarter  " + "".join(f"{r:>6}" for r in regions) + "   sum")
for q in sorted(pivot):
    row = [pivot[q].get(r, 0) for r in regions]
    print(f"{q:<9}" + "".join(f"{v:>6}" for v in row) + f"{sum(row):>6}")
running, total = [], 0
for q, items in groupby(sorted(sales, key=lambda s: s["q"]), key=lambda s: s["q"]):
    total += sum(i["amount"] for i in items)
    running.append([q, total])
share = {r: f"{sum(s['amount'] for s in sales if s['region'] == r) / total:.1%}" for r in regions}
return {"pivot": pivot, "running": running, "share": share}
