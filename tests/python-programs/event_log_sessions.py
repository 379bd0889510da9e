from datetime import datetime, timedelta
from itertools import groupby

raw = """u1 2024-05-01T10:00:00 view
u2 2024-05-01T10:01:00 view
u1 2024-05-01T10:05:00 click
u1 2024-05-01T11:30:00 view
u2 2024-05-01T10:20:00 buy
u1 2024-05-01T11:31:10 buy"""
events = sorted((u, datetime.fromisoformat(t), a) for u, t, a in map(str.split, raw.splitlines()))
sessions = []
for user, items in groupby(events, key=lambda e: e[0]):
    last = None
    for _, at, action in items:
        if last is None or at - last > timedelta(minutes=30):
            sessions.append({"user": user, "start": at, "actions": []})
        sessions[-1]["actions"].append(action)
        sessions[-1]["end"] = last = at
for s in sessions:
    print(s["user"], s["start"].strftime("%H:%M"), s["end"] - s["start"], "+".join(s["actions"]))
return [{**s, "start": s["start"].isoformat(), "end": s["end"].isoformat(), "seconds": (s["end"] - s["start"]).seconds} for s in sessions]
