import csv, io

rows = [["id", "text"], [1, 'say "hi"'], [2, "a,b"], [3, "two\nlines"], [4, ""], [5, None]]
out = io.StringIO()
writer = csv.writer(out, lineterminator="\n")
writer.writerows(rows)
minimal = out.getvalue()
out = io.StringIO()
csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, delimiter=";").writerows(rows[:3])
back = list(csv.reader(io.StringIO(minimal)))
print(minimal, end="")
return {"minimal": minimal, "nonnumeric": out.getvalue(), "back": back}
