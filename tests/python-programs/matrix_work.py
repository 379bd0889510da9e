def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def det(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** j * m[0][j] * det([row[:j] + row[j + 1 :] for row in m[1:]]) for j in range(len(m)))


def solve(a, b):
    n = len(a)
    m = [list(map(float, row)) + [float(x)] for row, x in zip(a, b)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[pivot] = m[pivot], m[i]
        for r in range(n):
            if r != i:
                f = m[r][i] / m[i][i]
                m[r] = [x - f * y for x, y in zip(m[r], m[i])]
    return [round(m[i][n] / m[i][i], 9) for i in range(n)]


def power(m, n):
    result = [[int(i == j) for j in range(len(m))] for i in range(len(m))]
    while n:
        if n & 1:
            result = matmul(result, m)
        m, n = matmul(m, m), n >> 1
    return result


a = [[2, 1, -1], [-3, -1, 2], [-2, 1, 2]]
for row in a:
    print(" ".join(f"{x:3d}" for x in row))
rotated = [list(r) for r in zip(*a[::-1])]
spiral, m = [], [row[:] for row in a]
while m:
    spiral += m.pop(0)
    m = [list(r) for r in zip(*m)][::-1]
return {"det": det(a), "x": solve(a, [8, -11, -3]), "square": matmul(a, a), "fib": power([[1, 1], [1, 0]], 90)[0][1], "rotated": rotated, "spiral": spiral, "trace": sum(a[i][i] for i in range(3))}
