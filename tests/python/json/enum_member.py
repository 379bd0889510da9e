# SPEC A2
# fails: invalid-output, result[0] is an enum member; pass value.value
import enum
class Color(enum.StrEnum):
    RED = 'red'
return [Color.RED]
