def parse(row):
    name, amount = row.split(",")
    return name, int(amount)


print("parsing")
rows = ["a,1", "b,two"]
parsed = [parse(r) for r in rows]
return parsed
