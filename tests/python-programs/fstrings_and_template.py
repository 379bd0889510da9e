from string import Template, ascii_lowercase, capwords, punctuation

user = {"name": "Ada", "langs": ["py", "rs"]}
text = f"""Dear {user['name']},
you know {len(user['langs'])} languages: {', '.join(l.upper() for l in user['langs'])}.
{'Well done!' if len(user['langs']) > 1 else 'Learn more.'}"""
print(text)
t = Template("$who owes ${amount} to $$whom")
return [text, t.substitute(who="Bob", amount=5), t.safe_substitute(who="Eve"), capwords("the quick  fox"), ascii_lowercase[::5], len(punctuation), "abc".translate(str.maketrans("ab", "xy", "c"))]
