# SPEC H3
# returns: [2,3]
from math import *
total: int = int(sqrt(4))
later: int
for n in range(3):
    item: int = n + 1
return [total, item]
