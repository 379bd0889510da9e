rows = [("2024-01", "a", 3), ("2024-01", "b", 4), ("2024-02", "a", 5)]


def select(rows, where=lambda r: True, group=None, agg=None, order=None, limit=None):
    rows = [r for r in rows if where(r)]
    if group is not None:
        groups = {}
        for r in rows:
            groups.setdefault(r[group], []).append(r)
        rows = [(k, agg(v)) for k, v in groups.items()]
    if order is not None:
        rows.sort(key=order)
    return rows[:limit]


return [select(rows, group=0, agg=lambda g: sum(r[2] for r in g)), select(rows, where=lambda r: r[1] == "a", order=lambda r: -r[2], limit=1), select(rows, group=1, agg=len)]
