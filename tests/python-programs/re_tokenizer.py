import re

TOKENS = [("NUMBER", r"\d+(?:\.\d+)?"), ("NAME", r"[A-Za-z_]\w*"), ("OP", r"[-+*/()=]"), ("SKIP", r"\s+"), ("BAD", r".")]
scanner = re.compile("|".join(f"(?P<{n}>{p})" for n, p in TOKENS))


def tokens(text):
    for m in scanner.finditer(text):
        if m.lastgroup == "SKIP":
            continue
        if m.lastgroup == "BAD":
            raise ValueError(f"bad character {m.group()!r} at {m.start()}")
        yield m.lastgroup, m.group()


def parse(text):
    items = [*tokens(text), ("END", "")]
    at = 0

    def peek():
        return items[at][1]

    def take():
        nonlocal at
        at += 1
        return items[at - 1]

    def expression():
        value = term()
        while peek() in ("+", "-") and peek():
            op = take()[1]
            value = value + term() if op == "+" else value - term()
        return value

    def term():
        value = factor()
        while peek() in ("*", "/") and peek():
            op = take()[1]
            value = value * factor() if op == "*" else value / factor()
        return value

    def factor():
        kind, text = take()
        if text == "(":
            value = expression()
            take()
            return value
        if text == "-":
            return -factor()
        return float(text) if "." in text else int(text)

    return expression()


results = {t: parse(t) for t in ["1 + 2 * 3", "(1 + 2) * 3", "-4 / 2 + 1.5", "2*(3-(4-5))"]}
try:
    parse("1 ? 2")
except ValueError as e:
    results["error"] = str(e)
return results
