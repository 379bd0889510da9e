# SPEC A2
# fails: invalid-output, result[0] is an integer of more than 64 bits
return [-(2**63) - 1]
