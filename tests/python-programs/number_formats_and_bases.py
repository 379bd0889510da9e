def to_base(n, base):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    out = ""
    while n:
        n, r = divmod(n, base)
        out = digits[r] + out
    return out or "0"


def roman(n):
    out = ""
    for value, mark in [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        times, n = divmod(n, value)
        out += mark * times
    return out


def human(size):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.1f} {unit}" if unit != "B" else f"{size} B"
        size /= 1024


print(human(0), human(1536), human(10**9), human(5 * 2**40))
return {"bases": [to_base(255, 2), to_base(12345, 36), int("zz", 36)], "roman": [roman(n) for n in (4, 1994, 2024)], "luhn": sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(reversed("4539148803436467"))) % 10 == 0, "collatz": (lambda f, n: f(f, n))(lambda f, n: [n] if n == 1 else [n] + f(f, n // 2 if n % 2 == 0 else 3 * n + 1), 6)}
