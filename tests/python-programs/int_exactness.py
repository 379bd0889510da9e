values = {"max_safe": 2**53 - 1, "beyond": 2**53 + 1, "u64": 2**64 - 1, "i64": -(2**63), "float": 0.1 + 0.2, "small": 5e-324, "huge": 1.7976931348623157e308, "exp": 1e22, "true": True}
back = await tools.echo(values=values)
assert back["values"] == values
return {"back": back["values"], "types": [type(v).__name__ for v in back["values"].values()], "sum": back["values"]["beyond"] - 2**53}
