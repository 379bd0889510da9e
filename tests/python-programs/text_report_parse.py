report = """
== Server alpha ==
cpu: 85%
mem: 4.2 GB / 8 GB
status: OK

== Server beta ==
cpu: 12%
mem: 7.9 GB / 8 GB
status: DEGRADED
note: disk nearly full
"""
servers = {}
current = None
for line in map(str.strip, report.splitlines()):
    if line.startswith("==") and line.endswith("=="):
        current = servers.setdefault(line.strip("= ").removeprefix("Server "), {})
    elif ":" in line and current is not None:
        key, value = (part.strip() for part in line.split(":", 1))
        if value.endswith("%"):
            value = int(value[:-1]) / 100
        elif "/" in value:
            used, size = (float(part.split()[0]) for part in value.split("/"))
            value = {"used": used, "size": size, "ratio": round(used / size, 3)}
        current[key] = value
alerts = [f"{name}: {key}" for name, s in servers.items() for key, bad in (("cpu", s["cpu"] > 0.8), ("mem", s["mem"]["ratio"] > 0.9), ("status", s["status"] != "OK")) if bad]
print("\n".join(alerts))
return {"servers": servers, "alerts": alerts}
