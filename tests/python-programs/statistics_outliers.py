import math
import statistics

values = [10, 12, 11, 13, 12, 95, 11, 10, 12, -40, 13]
q1, _, q3 = statistics.quantiles(values, n=4, method="inclusive")
iqr = q3 - q1
low, high = q1 - 1.5 * iqr, q3 + 1.5 * iqr
outliers = [v for v in values if not low <= v <= high]
clean = [v for v in values if low <= v <= high]
mu, sd = statistics.mean(clean), statistics.pstdev(clean)
print(f"bounds {low:.2f}..{high:.2f}; {len(outliers)} outliers; mean {mu:.3f} ± {sd:.3f}")
histogram = {}
for v in clean:
    histogram[v] = histogram.get(v, 0) + 1
for v in sorted(histogram):
    print(f"{v:>3} {'#' * histogram[v]}")
return {"outliers": outliers, "z": [round((v - mu) / sd, 3) for v in clean], "rms": round(math.sqrt(sum(v * v for v in clean) / len(clean)), 6)}
