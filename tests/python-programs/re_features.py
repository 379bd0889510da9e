import re

text = "The year 1999 and 2024; mail a.b@c.org or x@y.co, price $3.50 / €4,20."
return {
    "years": re.findall(r"\b(?:19|20)\d{2}\b", text),
    "mails": re.findall(r"[\w.]+@\w+(?:\.\w+)+", text),
    "swap": re.sub(r"(\w+)@(\w+)", r"\2 at \1", text, count=1),
    "func": re.sub(r"\d+", lambda m: str(int(m[0]) + 1), text),
    "split": re.split(r"\s*[;,/]\s*", text),
    "named": re.search(r"(?P<cur>[$€])(?P<amount>[\d.,]+\d)", text).groupdict(),
    "look": re.findall(r"(?<=\$)\d+(?=\.)", text),
    "flags": re.findall(r"""(?x) th e  # comment
        """, text, re.I),
    "span": re.search("mail", text).span(),
    "full": bool(re.fullmatch(r"[A-Z].*\.", text)),
    "subn": re.subn("[aeiou]", "*", text)[1],
    "escape": re.escape("a.b*c"),
    "lazy": re.findall(r"<(.+?)>", "<a><b>c>"),
    "atomic": re.findall(r"a++b", "aaab ab b"),
    "unicode": re.findall(r"\w+", "naïve Ünïcode 東京"),
}
