from datetime import date
from decimal import Decimal

n, x, s = 1234567, 3.14159, "hi"
specs = [
    f"{n:,}", f"{n:_}", f"{n:>12}|", f"{n:<12}|", f"{n:^12}|", f"{n:*^13,}", f"{n:x}", f"{n:#b}", f"{n:o}", f"{n:+d}", f"{n:e}",
    f"{x:.2f}", f"{x:8.3f}|", f"{x:08.3f}", f"{x:.0f}", f"{x:g}", f"{x:.3e}", f"{x:%}", f"{x:.1%}", f"{-x:+.1f}",
    f"{s!r}", f"{s:>5}|", f"{s:-<6}|", f"{s:.1}", f"{s!r:>8}|", f"{n=}", f"{x = :.2f}", f"{s.upper()!s:^6}|",
    f"{date(2024, 2, 3):%d/%m/%y}", f"{Decimal('1.005'):.2f}", f"{True:>6}", f"{None!s:>6}", f"{1e100:.3g}", f"{0.1 + 0.2}",
    "{0} {1} {0}".format("a", "b"), "{x[k]} {y.real}".format(x={"k": 1}, y=2), "%05.1f|%-6s|%+d|%x|%%|%r" % (2.345, "ab", 7, 255, "q"),
    f"{'nested'!r:{'>'}{12}}", f"{{literal}}", f"{n:{len(s) * 6},}",
]
for spec in specs:
    print(spec)
return specs
