import json

old = json.loads('{"v": 1, "deps": {"a": "1.0", "b": "2.1"}, "files": ["x", "y"]}')
new = json.loads('{"v": 2, "deps": {"a": "1.0", "c": "0.3"}, "files": ["x", "z", "w"]}')


def diff(a, b, path=()):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if key not in a:
                yield "+", (*path, key), b[key]
            elif key not in b:
                yield "-", (*path, key), a[key]
            else:
                yield from diff(a[key], b[key], (*path, key))
    elif isinstance(a, list) and isinstance(b, list):
        for i in range(max(len(a), len(b))):
            if i >= len(a):
                yield "+", (*path, i), b[i]
            elif i >= len(b):
                yield "-", (*path, i), a[i]
            else:
                yield from diff(a[i], b[i], (*path, i))
    elif a != b:
        yield "~", path, [a, b]


changes = [(op, "/".join(map(str, path)), value) for op, path, value in diff(old, new)]
for change in changes:
    print(*change)
return changes
