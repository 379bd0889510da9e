import re
import string
from collections import Counter

text = """It was the best of times, it was the worst of times, it was the age of wisdom,
it was the age of foolishness, it was the epoch of belief..."""
words = re.findall(r"[a-z']+", text.lower())
stop = {"it", "was", "the", "of"}
top = Counter(w for w in words if w not in stop).most_common(3)
bigrams = Counter(zip(words, words[1:])).most_common(2)
cleaned = text.translate(str.maketrans("", "", string.punctuation))
print(*[f"{w}:{n}" for w, n in top], sep=", ")
return {"top": top, "bigrams": [[" ".join(b), n] for b, n in bigrams], "clean": cleaned.split()[:6], "longest": max(words, key=len), "unique": len(set(words)), "avg": round(sum(map(len, words)) / len(words), 3)}
