import re

text = await tools.lookup(key="readme")
outline, links = [], []
for line in text.splitlines():
    if m := re.match(r"(#+)\s+(.*)", line):
        outline.append({"level": len(m[1]), "title": m[2]})
    links += re.findall(r"https?://[^\s)]+", line)
html = re.sub(r"`([^`]+)`", r"<code>\1</code>", re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text))
print(html.splitlines()[2])
return {"outline": outline, "links": links, "bullets": [l[2:] for l in text.splitlines() if l.startswith("- ")], "words": len(re.findall(r"\w+", text))}
