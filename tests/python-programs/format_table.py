rows = [("name", "qty", "price"), ("widget", 4, 3.5), ("gear", 12, 0.75), ("flange", 1, 120.0)]
header, *body = rows
widths = [max(len(str(r[i])) for r in rows) for i in range(3)]
lines = [" | ".join(str(h).upper().center(w) for h, w in zip(header, widths)), "-+-".join("-" * w for w in widths)]
for name, qty, price in body:
    lines.append(f"{name:<{widths[0]}} | {qty:>{widths[1]}} | {price:>{widths[2]}.1f}")
total = sum(q * p for _, q, p in body)
lines.append(f"total: {total:,.2f}".rjust(len(lines[0])))
print("\n".join(lines))
return lines
