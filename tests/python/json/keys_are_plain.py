# SPEC A3
# returns: {"__proto__":1,"constructor":2,"":3,"$serde_json::private::Number":"4","__class__":5}
return await tools.echo({"__proto__": 1, "constructor": 2, "": 3, "$serde_json::private::Number": "4", "__class__": 5})
