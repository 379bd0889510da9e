# SPEC A2
# fails: invalid-output, result.p is a dataclass (P); pass dataclasses.asdict(value)
import dataclasses
@dataclasses.dataclass
class P:
    x: int
return {"p": P(1)}
