def quick(xs):
    if len(xs) < 2:
        return xs
    pivot, *rest = xs
    return quick([x for x in rest if x < pivot]) + [pivot] + quick([x for x in rest if x >= pivot])


def merge_sort(xs):
    if len(xs) < 2:
        return xs
    mid = len(xs) // 2
    left, right = merge_sort(xs[:mid]), merge_sort(xs[mid:])
    out = []
    while left and right:
        out.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return out + left + right


def insertion(xs):
    xs = xs[:]
    for i in range(1, len(xs)):
        j, x = i, xs[i]
        while j and xs[j - 1] > x:
            xs[j] = xs[j - 1]
            j -= 1
        xs[j] = x
    return xs


data = [(i * 7919) % 101 for i in range(60)]
expected = sorted(data)
find = lambda xs, t: next((i for i, x in enumerate(xs) if x == t), -1)
assert quick(data) == merge_sort(data) == insertion(data) == expected
data.sort(key=lambda x: (x % 10, -x))
return {"first": expected[:5], "by_digit": data[:6], "at": find(expected, expected[10])}
