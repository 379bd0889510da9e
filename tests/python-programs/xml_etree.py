import xml.etree.ElementTree as ET

doc = """<?xml version="1.0"?><catalog><book id="1" lang="en"><title>A &amp; B</title><price>12.50</price></book>
<book id="2"><title>Ça va</title><price>7</price><tag>x</tag><tag>y</tag></book></catalog>"""
root = ET.fromstring(doc)
books = [{"id": b.get("id"), "title": b.findtext("title"), "price": float(b.findtext("price")), "tags": [t.text for t in b.findall("tag")]} for b in root.iter("book")]
new = ET.SubElement(root, "book", id="3")
ET.SubElement(new, "title").text = "<new>"
ET.indent(root)
text = ET.tostring(root, encoding="unicode")
print(text)
try:
    ET.fromstring("<a><b></a>")
except ET.ParseError as e:
    error = list(e.position)
return {"books": books, "total": sum(b["price"] for b in books), "found": root.find("./book[@id='2']/title").text, "count": len(root), "error": error}
