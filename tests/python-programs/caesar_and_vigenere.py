from string import ascii_lowercase as abc
from string import ascii_uppercase as ABC


def caesar(text, n):
    n %= 26
    return text.translate(str.maketrans(abc + ABC, abc[n:] + abc[:n] + ABC[n:] + ABC[:n]))


def vigenere(text, key, sign=1):
    out, i = [], 0
    for c in text:
        if c.isalpha():
            base = ord("A") if c.isupper() else ord("a")
            out.append(chr((ord(c) - base + sign * (ord(key[i % len(key)]) - 97)) % 26 + base))
            i += 1
        else:
            out.append(c)
    return "".join(out)


def rle(text):
    from itertools import groupby

    return "".join(f"{len(list(g))}{k}" for k, g in groupby(text))


morse = dict(zip("SOE", ["...", "---", "."]))
secret = vigenere("Attack at Dawn!", "lemon")
return [caesar("Hello, World", 3), caesar(caesar("round", 7), -7), secret, vigenere(secret, "lemon", -1), rle("aaabccd"), " ".join(morse[c] for c in "SOS"), "".join(chr(int(b, 2)) for b in "1001000 1101001".split())]
