s = "  Hello, Wörld! hello  "
return {
    "strip": [s.strip(), s.lstrip().rstrip("o "), "xxabcxx".strip("x"), "prefix-x".removeprefix("prefix-"), "a.py".removesuffix(".py")],
    "case": [s.upper(), s.lower(), s.title(), s.swapcase(), "straße".casefold(), "hELLO".capitalize()],
    "find": [s.find("ell"), s.rfind("ell"), s.count("l"), s.index("W"), "abc".find("z")],
    "split": ["a,b,,c".split(","), " a  b ".split(), "a-b-c".rsplit("-", 1), "k=v=w".partition("="), "k=v=w".rpartition("="), "l1\nl2\r\nl3".splitlines()],
    "join": "-".join("abc"),
    "replace": "aaa".replace("a", "b", 2),
    "test": ["123".isdigit(), "abc".isalpha(), "a1".isalnum(), "A".isupper(), " ".isspace(), "x_1".isidentifier(), "½".isnumeric(), "²".isdecimal()],
    "just": ["7".zfill(3), "-7".zfill(4), "x".ljust(3, "."), "x".rjust(3), "x".center(5, "*")],
    "start": ["abc".startswith(("x", "ab")), "abc".endswith("bc")],
    "ord": [ord("A"), chr(8364), "\u00e9" == "é", len("👍🏽"), "👍🏽".encode().hex()],
    "slice": ["abcdef"[::-1], "abcdef"[1:5:2], "abcdef"[-3:]],
    "expand": "a\tb".expandtabs(4),
    "repr": [repr("it's"), repr('"'), repr("a\n\x00é\u2028"), ascii("é")],
    "encode": "é".encode("utf-16-le").hex(),
}
