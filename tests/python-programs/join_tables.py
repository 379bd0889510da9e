employees = [(1, "Ann", 10), (2, "Ben", 20), (3, "Cid", None), (4, "Dot", 10)]
departments = {10: "R&D", 20: "Sales", 30: "HR"}
inner = [(n, departments[d]) for _, n, d in employees if d in departments]
left = [(n, departments.get(d)) for _, n, d in employees]
anti = sorted(set(departments) - {d for *_, d in employees})
by_dept = {}
for _, name, dept in employees:
    by_dept.setdefault(departments.get(dept, "?"), []).append(name)
for dept, names in sorted(by_dept.items()):
    print(f"{dept}: {', '.join(names)}")
index = {row[0]: dict(zip(("id", "name", "dept"), row)) for row in employees}
return {"inner": inner, "left": left, "anti": anti, "by_dept": by_dept, "index": index[3]}
