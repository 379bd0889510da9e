# The Python twin of p1_typescript.ts, in the part of the language that every peer has.
from typing import Any

orders = [
    {
        "id": 1,
        "customer": "ada",
        "status": "paid",
        "lines": [{"product": "lamp", "quantity": 2, "price": 30.0}],
    },
    {
        "id": 2,
        "customer": "grace",
        "status": "open",
        "lines": [{"product": "desk", "quantity": 1, "price": 250.0}],
    },
    {
        "id": 3,
        "customer": "ada",
        "status": "paid",
        "lines": [{"product": "chair", "quantity": 4, "price": 75.5}],
    },
]


def total(order: dict[str, Any]) -> float:
    return sum([line["quantity"] * line["price"] for line in order["lines"]])


def summarise(items: list[dict[str, Any]], wanted: str) -> dict[str, Any]:
    totals: dict[str, Any] = {}
    for order in items:
        if order["status"] != wanted:
            continue
        customer = order["customer"]
        if customer not in totals:
            totals[customer] = {"orders": 0, "revenue": 0.0}
        totals[customer]["orders"] += 1
        totals[customer]["revenue"] += total(order)
    return totals


paid = summarise(orders, "paid")
top = None
for name in paid:
    if top is None or paid[name]["revenue"] > paid[top]["revenue"]:
        top = name
if top != "ada":
    return -1
return round(paid[top]["revenue"])
