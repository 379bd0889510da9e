from collections import Counter, defaultdict

rows = [{"id": i, "bucket": i * i % 7, "value": (i * 37 % 1000) / 10} for i in range(5000)]
totals = defaultdict(lambda: [0, 0.0])
for row in rows:
    entry = totals[row["bucket"]]
    entry[0] += 1
    entry[1] += row["value"]
top = sorted(rows, key=lambda r: (-r["value"], r["id"]))[:3]
text = "".join(chr(97 + i * i % 26) for i in range(20000))
counts = Counter(text)
print(f"{len(rows):,} rows, {len(text):,} characters")
big = sum(i**3 for i in range(1, 20001))
return {"totals": {str(k): [n, round(v, 3)] for k, (n, v) in sorted(totals.items())}, "top": top, "counts": sorted(counts.items())[:5], "big": str(big), "checksum": sum(i * ord(c) for i, c in enumerate(text)) % 1000003}
