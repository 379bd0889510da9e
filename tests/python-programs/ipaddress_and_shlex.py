import fnmatch
import ipaddress
import shlex
from pathlib import PurePosixPath

net = ipaddress.ip_network("192.168.0.0/29")
path = PurePosixPath("/srv/data/report.tar.gz")
try:
    ipaddress.ip_address("300.1.1.1")
except ValueError as e:
    bad = str(e)
return {
    "hosts": [str(h) for h in net.hosts()],
    "in": ipaddress.ip_address("192.168.0.5") in net,
    "v6": ipaddress.ip_address("2001:db8::1").exploded,
    "private": ipaddress.ip_address("10.1.2.3").is_private,
    "sub": [str(n) for n in net.subnets(new_prefix=30)],
    "bad": bad,
    "shlex": shlex.split("cp 'my file' dest\\ dir --flag=\"a b\""),
    "quote": shlex.join(["echo", "it's", "a b"]),
    "match": fnmatch.filter(["a.py", "b.txt", "c.py"], "*.py"),
    "path": [path.name, path.stem, path.suffix, path.suffixes, str(path.parent), str(path.with_suffix(".zip")), list(path.parts), str(path.relative_to("/srv")), str(PurePosixPath("a") / "../b"), path.match("*.gz")],
}
