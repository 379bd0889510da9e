# SPEC H3
# returns: ["P(x=1)","<class '__main__.P'>","f"]
from dataclasses import dataclass
@dataclass
class P:
    x: int
def f(): pass
return [repr(P(1)), str(P), f.__qualname__]
