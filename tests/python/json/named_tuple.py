# SPEC A2
# fails: invalid-output, result[0] is a named tuple (P); pass value._asdict()
import collections
P = collections.namedtuple("P", "x")
return [P(1)]
