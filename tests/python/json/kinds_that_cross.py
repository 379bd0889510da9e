# SPEC A1
# returns: {"list":[1,2.5,true,false,null,"é\u0000😀"],"tuple":[1,[2]],"counter":{"a":2},"default":{"k":[1]},"ordered":{"z":1,"a":2},"whole":3,"max":18446744073709551615,"min":-9223372036854775808}
from collections import Counter, OrderedDict, defaultdict
default = defaultdict(list)
default["k"].append(1)
return {
    "list": [1, 2.5, True, False, None, "é\x00😀"],
    "tuple": (1, (2,)),
    "counter": Counter("aa"),
    "default": default,
    "ordered": OrderedDict(z=1, a=2),
    "whole": 3.0,
    "max": 2**64 - 1,
    "min": -(2**63),
}
