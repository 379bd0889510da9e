import math


def newton(f, x, eps=1e-12):
    steps = 0
    while abs(f(x)) > eps and steps < 100:
        h = 1e-6
        x -= f(x) * 2 * h / (f(x + h) - f(x - h))
        steps += 1
    return x


def simpson(f, a, b, n=100):
    h = (b - a) / n
    return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * f(a + i * h) for i in range(n + 1))


def bisect(f, lo, hi):
    while hi - lo > 1e-10:
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if f(lo) * f(mid) > 0 else (lo, mid)
    return lo


return {"sqrt2": round(newton(lambda x: x * x - 2, 1), 9), "sin": round(simpson(math.sin, 0, math.pi), 8), "cos": round(bisect(lambda x: math.cos(x) - x, 0, 1), 8), "e": round(sum(1 / math.factorial(n) for n in range(18)), 12), "pi": round(4 * sum((-1) ** k / (2 * k + 1) for k in range(1000)), 8), "erf": round(math.erf(1), 9), "gamma": math.gamma(6), "log": [round(math.log(10), 9), math.log2(1024), math.log10(0.001)]}
