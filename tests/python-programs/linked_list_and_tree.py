class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next

    def __iter__(self):
        node = self
        while node:
            yield node.value
            node = node.next


def reverse(node):
    prev = None
    while node:
        node.next, prev, node = prev, node, node.next
    return prev


class Tree:
    def __init__(self):
        self.root = None
        self.size = 0

    def insert(self, key):
        self.size += 1
        if self.root is None:
            self.root = [key, None, None]
            return self
        node = self.root
        while True:
            side = 1 if key < node[0] else 2
            if node[side] is None:
                node[side] = [key, None, None]
                return self
            node = node[side]

    def inorder(self, node="root"):
        node = self.root if node == "root" else node
        return [] if node is None else self.inorder(node[1]) + [node[0]] + self.inorder(node[2])

    def height(self, node="root"):
        node = self.root if node == "root" else node
        return 0 if node is None else 1 + max(self.height(node[1]), self.height(node[2]))


head = Node(1, Node(2, Node(3)))
tree = Tree()
for k in [8, 3, 10, 1, 6, 14, 4]:
    tree.insert(k)
trie = {}
for word in ("car", "cat", "dog"):
    node = trie
    for ch in word:
        node = node.setdefault(ch, {})
    node["$"] = True
return {"reversed": list(reverse(head)), "inorder": tree.inorder(), "height": tree.height(), "trie": trie}
