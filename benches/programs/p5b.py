import json

parts = []
for i in range(10):
    parts.append(
        '{"id":' + str(i) + ',"name":"Product number ' + str(i) + '","price":' + str(i) + '.25,"quantity":' + str(i * 3)
        + ',"tags":["red","blue",null,true],"note":"A line of text with \\"quotes\\", an \\u00e9 and a line feed\\n; '
        + 'it goes on for a while, as notes do, to the end."}'
    )
chunk = ",".join(parts)
text = "[" + ",".join([chunk] * 540) + "]"
value = json.loads(text)
return len(value) if len(json.dumps(value)) > 1000000 else -1
