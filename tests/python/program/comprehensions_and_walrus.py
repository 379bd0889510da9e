# SPEC H3
# returns: [[1,4],4,"b"]
squares = [last := n * n for n in (1, 2)]
match {"k": ["a", "b"]}:
    case {"k": [_, letter]}:
        pass
return [squares, last, letter]
