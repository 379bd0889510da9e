import statistics as st

xs = [2.5, 3.1, 4.7, 5.0, 5.0, 6.2, 8.8]
ys = [1.0, 2.2, 2.9, 4.1, 5.2, 5.8, 7.1]
slope, intercept = st.linear_regression(xs, ys)
return {
    "mean": round(st.mean(xs), 6),
    "fmean": round(st.fmean(xs), 6),
    "median": st.median(xs),
    "low_high": [st.median_low([1, 2, 3, 4]), st.median_high([1, 2, 3, 4])],
    "mode": st.mode(xs),
    "multimode": st.multimode("aabbc"),
    "stdev": round(st.stdev(xs), 6),
    "pvar": round(st.pvariance(xs), 6),
    "quartiles": [round(q, 4) for q in st.quantiles(xs, n=4)],
    "geo": round(st.geometric_mean(xs), 6),
    "harm": round(st.harmonic_mean(xs), 6),
    "corr": round(st.correlation(xs, ys), 6),
    "line": [round(slope, 6), round(intercept, 6)],
    "normal": round(st.NormalDist(100, 15).cdf(130), 6),
}
