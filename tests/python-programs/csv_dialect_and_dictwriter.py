import csv
import io

text = "name|age|city\nAda|36|London\nBob|25|Paris\n"
csv.register_dialect("pipes", delimiter="|", quoting=csv.QUOTE_NONE)
people = list(csv.DictReader(io.StringIO(text), dialect="pipes"))
for person in people:
    person["age"] = int(person["age"]) + 1
buffer = io.StringIO()
writer = csv.DictWriter(buffer, fieldnames=["city", "name", "age"], extrasaction="ignore")
writer.writeheader()
writer.writerows(people)
sniffed = csv.Sniffer().sniff(text, delimiters="|,;")
return [buffer.getvalue(), sniffed.delimiter, csv.list_dialects()]
