from datetime import date, datetime, timedelta, timezone

start = date(2024, 1, 31)
end = date.fromisoformat("2024-03-01")
days = (end - start).days
month_ends = []
d = start
while d <= date(2024, 6, 30):
    nxt = (d.replace(day=1) + timedelta(days=32)).replace(day=1)
    month_ends.append((nxt - timedelta(days=1)).isoformat())
    d = nxt
dt = datetime(2024, 3, 10, 23, 59, 30, tzinfo=timezone.utc)
berlin = dt.astimezone(timezone(timedelta(hours=1), "CET"))
print(berlin.strftime("%A %d %B %Y %H:%M:%S %Z"), berlin.isoformat())
parsed = datetime.strptime("07/04/2021 05:06 PM", "%d/%m/%Y %I:%M %p")
delta = timedelta(days=1, hours=2, minutes=3, seconds=4.5)
return {
    "days": days,
    "month_ends": month_ends,
    "iso": parsed.isoformat(),
    "week": list(date(2024, 12, 30).isocalendar()),
    "delta": [str(delta), delta.total_seconds(), str(delta * 2), delta // timedelta(hours=1)],
    "ts": dt.timestamp(),
    "from_ts": datetime.fromtimestamp(86400 * 365, timezone.utc).isoformat(),
    "weekday": [d.strftime("%a") for d in (date(2024, 2, 26) + timedelta(n) for n in range(7))],
    "cmp": dt > datetime(2024, 3, 10, tzinfo=timezone.utc),
}
