texts = ["plain", "ünïcödé", "東京", "👍🏽", "\u2028\u2029", "\x00\x1f\x7f", "\"quoted\" \\ back", "a\tb\nc", "", "\u200b\ufeff", "𝕏" * 3]
back = await tools.echo(texts=texts, **{"key ü": 1, "": 2, "__proto__": {"x": 1}, "constructor": None})
assert back["texts"] == texts
for t in texts[:4]:
    print(t, len(t))
return {"back": back, "keys": list(back)}
