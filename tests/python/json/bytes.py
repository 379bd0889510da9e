# SPEC A2
# fails: invalid-output, result[0] is a bytes; pass value.decode() or base64.b64encode(value).decode()
return [b"x"]
