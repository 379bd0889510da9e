# SPEC A2
# fails: invalid-output, result[0] is a complex; pass [value.real, value.imag]
return [1j]
