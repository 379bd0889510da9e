from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, getcontext, localcontext

cents = Decimal("0.01")
prices = [Decimal("19.99"), Decimal("5.005"), Decimal("0.1") * 3]
net = sum(prices)
tax = (net * Decimal("0.19")).quantize(cents, ROUND_HALF_UP)
print(net, tax, net + tax)
with localcontext() as ctx:
    ctx.prec = 50
    root = Decimal(2).sqrt()
getcontext().prec = 10
return {
    "round": [str(Decimal("2.675").quantize(cents, r)) for r in (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN)],
    "root": str(root),
    "third": str(Decimal(1) / 3),
    "exact": Decimal("0.1") + Decimal("0.2") == Decimal("0.3"),
    "norm": [str(Decimal("1E+3").normalize()), f"{Decimal('1234567.891'):,.2f}", str(Decimal("-0.00"))],
    "tuple": [Decimal("3.14").as_tuple().exponent, Decimal("Infinity").is_infinite()],
    "int": int(Decimal("12.9")),
    "cmp": Decimal("1.0") == Decimal("1.00"),
    "div": [str(v) for v in divmod(Decimal("17.5"), Decimal(4))],
}
