import re

template = "Hi {{ name | upper }}, you have {{ count }} {{ count | plural:item }}. {{ missing }}"
filters = {"upper": lambda v: v.upper(), "plural": lambda v, word: word if v == 1 else word + "s"}


def render(template, **context):
    def replace(m):
        name, *pipes = (p.strip() for p in m[1].split("|"))
        if name not in context:
            return f"[{name}?]"
        value = context[name]
        for pipe in pipes:
            f, _, arg = pipe.partition(":")
            value = filters[f](value, *([arg] if arg else []))
        return str(value)

    return re.sub(r"\{\{(.+?)\}\}", replace, template)


out = [render(template, name="Ada", count=n) for n in (1, 3)]
print(*out, sep="\n")
return out
