from functools import cache


def knapsack(items, capacity):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for c in range(capacity, weight - 1, -1):
            best[c] = max(best[c], best[c - weight] + value)
    return best[capacity]


@cache
def lcs(a, b):
    if not a or not b:
        return ""
    if a[0] == b[0]:
        return a[0] + lcs(a[1:], b[1:])
    return max(lcs(a[1:], b), lcs(a, b[1:]), key=len)


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


coins = [1] + [0] * 100
for coin in (1, 5, 10, 25, 50):
    for amount in range(coin, 101):
        coins[amount] += coins[amount - coin]
return {"knapsack": knapsack([(1, 1), (3, 4), (4, 5), (5, 7)], 7), "lcs": lcs("AGGTAB", "GXTXAYB"), "lev": [levenshtein("kitten", "sitting"), levenshtein("", "abc")], "coins": coins[100]}
