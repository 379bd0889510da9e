import copy

original = {"list": [1, [2, 3]], "d": {"x": {"y": 1}}}
alias = original
shallow = copy.copy(original)
deep = copy.deepcopy(original)
original["list"][1].append(4)
original["d"]["x"]["y"] = 9
original["new"] = True


class Node:
    def __init__(self, v):
        self.v, self.next = v, None

    def __deepcopy__(self, memo):
        n = Node(self.v * 10)
        memo[id(self)] = n
        n.next = copy.deepcopy(self.next, memo)
        return n


a, b = Node(1), Node(2)
a.next, b.next = b, a
c = copy.deepcopy(a)
grid = [[0] * 2] * 2
grid[0][0] = 1
good = [[0] * 2 for _ in range(2)]
good[0][0] = 1
return {"alias": alias is original, "shallow": shallow, "deep": deep, "cycle": [c.v, c.next.v, c.next.next is c], "grid": grid, "good": good, "slice": [1, 2][:] == [1, 2]}
