import uuid

ns = uuid.uuid5(uuid.NAMESPACE_DNS, "example.com")
ids = [str(uuid.uuid5(ns, name)) for name in ("a", "b", "a")]
u = uuid.UUID("12345678123456781234567812345678")
random_one = uuid.uuid4()
return {"ns": str(ns), "same": ids[0] == ids[2], "ids": ids, "v3": str(uuid.uuid3(uuid.NAMESPACE_URL, "https://x")), "hex": u.hex, "int": str(u.int), "urn": u.urn, "version": [ns.version, random_one.version], "sorted": sorted(ids[:2])}
