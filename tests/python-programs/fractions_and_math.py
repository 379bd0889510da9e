import math
from fractions import Fraction

third = Fraction(1, 3)
h = sum(Fraction(1, n) for n in range(1, 11))
print(third, h, float(h), Fraction("0.125"), Fraction(3.5), Fraction(math.pi).limit_denominator(1000))
return {
    "sum": str(third + Fraction(1, 6)),
    "h": [h.numerator, h.denominator],
    "gcd": [math.gcd(84, 36), math.lcm(4, 6, 10), math.comb(10, 3), math.perm(5, 2), math.factorial(20)],
    "floor": [math.floor(-2.5), math.ceil(-2.5), math.trunc(-2.5), round(2.5), round(3.5), round(-2.567, 2)],
    "isqrt": math.isqrt(10**20 + 1),
    "hypot": math.hypot(3, 4),
    "dist": math.dist((1, 2), (4, 6)),
    "prod": math.prod([1, 2, 3, 4]),
    "close": math.isclose(0.1 + 0.2, 0.3),
    "fsum": math.fsum([0.1] * 10),
    "div": [divmod(-7, 2), divmod(7, -2), -7 // 2, -7 % 3, 2**-1, pow(3, 200, 13)],
    "big": str(2**100),
    "bits": [(1023).bit_length(), (0b1011).bit_count(), int("ff", 16), hex(255), bin(5), oct(8), 0xFF ^ 0x0F],
}
