import unicodedata

text = "Crème Brûlée — naïve café, Ångström ß ﬁ Ⅳ"
nfd = unicodedata.normalize("NFD", text)
plain = "".join(c for c in nfd if not unicodedata.combining(c))
slug = "-".join("".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()).split())
print(plain)
return {"plain": plain, "slug": slug, "lens": [len(text), len(nfd)], "names": [unicodedata.name(c) for c in "é—ß"], "cats": [unicodedata.category(c) for c in "aA1 -€"], "nfkc": unicodedata.normalize("NFKC", "ﬁⅣ①"), "width": [unicodedata.east_asian_width(c) for c in "a東"], "rev": "".join(reversed("añb")), "lookup": unicodedata.lookup("GREEK SMALL LETTER PI"), "sorted": sorted("éeèzä", key=lambda c: (unicodedata.normalize("NFD", c)[0], c)), "num": unicodedata.numeric("½")}
