import json
import textwrap

orders = await tools.lookup(key="orders")
report = {"currency": "EUR", "days": {}}
for order in orders:
    day = report["days"].setdefault(order["day"], {"count": 0, "total": 0.0, "orders": []})
    day["count"] += 1
    day["total"] = round(day["total"] + order["total"], 2)
    day["orders"].append({k: v for k, v in order.items() if k != "day"})
report["summary"] = {"total": round(sum(d["total"] for d in report["days"].values()), 2), "busiest": max(report["days"], key=lambda d: report["days"][d]["count"])}
print(textwrap.indent(json.dumps(report["summary"], indent=2), "    "))
return report
