# SPEC A2
# fails: invalid-output, result[0] is a Decimal; pass str(value) or float(value)
import decimal
return [decimal.Decimal(1)]
