# SPEC J9
# returns: ["e9","900150983cd24fb0d6963f7d28e17f72","ff fe 61 00",[1,2]]
import hashlib, sqlite3
rows = sqlite3.connect(":memory:").execute("select 1, 2").fetchone()
return ["é".encode("latin-1").hex(), hashlib.md5(b"abc").hexdigest(), "a".encode("utf-16").hex(" "), list(rows)]
