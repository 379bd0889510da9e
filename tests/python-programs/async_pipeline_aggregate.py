import asyncio
from collections import defaultdict

orders = await tools.lookup(key="orders")
rates = await tools.lookup(key="rates")
names = sorted({o["user"] for o in orders})
users = dict(zip(names, await asyncio.gather(*(tools.lookup(key=n) for n in names))))
per_team, per_day = defaultdict(float), defaultdict(list)
for order in orders:
    per_team[users[order["user"]]["team"]] += order["total"]
    per_day[order["day"]].append(order["order"])
for team, total in sorted(per_team.items(), key=lambda kv: (-kv[1], kv[0])):
    print(f"{team:<5} {total:>8.2f} EUR {total * rates['USD']:>8.2f} USD")
return {"team": {k: round(v, 2) for k, v in per_team.items()}, "day": per_day, "top": max(orders, key=lambda o: o["total"])["order"]}
