import csv
import io
from collections import defaultdict

data = """region,product,units,price
north,apple,10,0.5
south,pear,3,1.25
north,pear,7,1.25
east,"fig, dried",2,4.0
south,apple,20,0.45
"""
totals = defaultdict(float)
for row in csv.DictReader(io.StringIO(data)):
    totals[row["region"]] += int(row["units"]) * float(row["price"])
for region, total in sorted(totals.items(), key=lambda kv: -kv[1]):
    print(f"{region:<6} {total:>8.2f}")
return {k: round(v, 2) for k, v in sorted(totals.items())}
