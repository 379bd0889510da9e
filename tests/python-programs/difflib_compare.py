import difflib

old = "alpha\nbeta\ngamma\ndelta\n".splitlines(keepends=True)
new = "alpha\nbeta 2\ngamma\nepsilon\ndelta\n".splitlines(keepends=True)
patch = "".join(difflib.unified_diff(old, new, "old.txt", "new.txt", n=1))
print(patch, end="")
matcher = difflib.SequenceMatcher(None, "kitten", "sitting")
return {"patch": patch, "close": difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]), "ratio": round(matcher.ratio(), 6), "ops": [[tag, i1, i2, j1, j2] for tag, i1, i2, j1, j2 in matcher.get_opcodes()], "ndiff": [l.rstrip() for l in difflib.ndiff(["one"], ["ore"])]}
