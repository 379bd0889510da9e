import configparser
import tomllib

ini = configparser.ConfigParser()
ini.read_string("""
[DEFAULT]
base = /srv
[web]
root = %(base)s/www
port = 8080
debug = yes
""")
toml = tomllib.loads("""
title = "T"
when = 2024-01-02
[owner]
name = "Ada"
ports = [1, 2]
[[items]]
k = 1.5
[[items]]
k = 2e3
on = true
""")
toml["when"] = toml["when"].isoformat()
try:
    tomllib.loads("a = = 1")
except tomllib.TOMLDecodeError as e:
    bad = type(e).__name__
return {"root": ini["web"]["root"], "port": ini.getint("web", "port"), "debug": ini.getboolean("web", "debug"), "sections": ini.sections(), "toml": toml, "bad": bad}
