board = [list(map(int, row)) for row in "530070000 600195000 098000060 800060003 400803001 700020006 060000280 000419005 000080079".split()]
steps = 0


def options(r, c):
    used = set(board[r]) | {board[i][c] for i in range(9)}
    br, bc = r // 3 * 3, c // 3 * 3
    used |= {board[i][j] for i in range(br, br + 3) for j in range(bc, bc + 3)}
    return [d for d in range(1, 10) if d not in used]


def solve():
    global steps
    empty = [(len(o := options(r, c)), r, c, o) for r in range(9) for c in range(9) if not board[r][c]]
    if not empty:
        return True
    _, r, c, opts = min(empty)
    for d in opts:
        steps += 1
        board[r][c] = d
        if solve():
            return True
    board[r][c] = 0
    return False


solved = solve()
for row in board:
    print("".join(map(str, row)))
return {"solved": solved, "steps": steps, "first": board[0]}
