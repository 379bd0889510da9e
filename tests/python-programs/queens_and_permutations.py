from itertools import permutations

solutions = [p for p in permutations(range(6)) if len({p[i] + i for i in range(6)}) == len({p[i] - i for i in range(6)}) == 6]
for row in solutions[0]:
    print("." * row + "Q" + "." * (5 - row))
anagrams = {}
for w in ["listen", "silent", "enlist", "google", "elgoog", "abc"]:
    anagrams.setdefault("".join(sorted(w)), []).append(w)
powerset = [[x for i, x in enumerate("abc") if mask >> i & 1] for mask in range(8)]
return {"count": len(solutions), "anagrams": [g for g in anagrams.values() if len(g) > 1], "powerset": powerset}
