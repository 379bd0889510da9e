import time
from datetime import timedelta


def human(seconds):
    parts = []
    for name, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        n, seconds = divmod(seconds, size)
        if n:
            parts.append(f"{int(n)}{name}")
    return " ".join(parts) or "0s"


def parse(text):
    units = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    return sum(int(p[:-1]) * units[p[-1]] for p in text.split())


start = time.perf_counter()
time.sleep(0.002)
elapsed = time.perf_counter() - start
print(human(93784), timedelta(seconds=93784), str(timedelta(days=-1, minutes=5)))
return {"human": [human(n) for n in (0, 59, 3600, 90061)], "parse": parse("1d 2h 3m 4s"), "slept": elapsed >= 0.001, "gm": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(86400 * 366)), "now": time.time() > 1_600_000_000, "mono": time.monotonic() <= time.monotonic()}
