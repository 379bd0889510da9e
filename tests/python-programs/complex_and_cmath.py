import cmath
import math

roots = [cmath.exp(2j * cmath.pi * k / 4) for k in range(4)]
a, b, c = 1, 2, 5
d = cmath.sqrt(b * b - 4 * a * c)
solutions = [(-b + s * d) / (2 * a) for s in (1, -1)]


def mandelbrot(c, limit=30):
    z = 0
    for n in range(limit):
        z = z * z + c
        if abs(z) > 2:
            return n
    return limit


for y in range(-4, 5):
    print("".join("#" if mandelbrot(complex(x / 10, y / 4)) == 30 else "." for x in range(-20, 8)))
return {"roots": [[round(r.real), round(r.imag)] for r in roots], "solutions": [str(s) for s in solutions], "polar": [round(v, 9) for v in cmath.polar(1 + 1j)], "ops": str((1 + 2j) * (3 - 1j)), "abs": abs(3 + 4j), "conj": str((1 + 2j).conjugate()), "degrees": math.degrees(math.atan2(1, 1))}
