import asyncio

names = ["ada", "bob", "cem", "dee", "eve"]
users = await asyncio.gather(*(tools.lookup(key=n) for n in names))
by_team = {}
for user in users:
    by_team.setdefault(user["team"], []).append(user["name"])
print(by_team)
oldest = max(users, key=lambda u: u["age"])
return {"teams": by_team, "oldest": oldest["name"], "mean": sum(u["age"] for u in users) / len(users)}
