# SPEC J9; LIMITATIONS
# returns: []
import importlib
wanted = '''abc argparse array ast asyncio base64 binascii bisect builtins calendar cmath collections collections.abc
colorsys concurrent.futures configparser contextlib contextvars copy csv dataclasses datetime decimal difflib dis email
email.message enum errno fnmatch fractions functools gc getopt gettext glob graphlib gzip hashlib heapq hmac html html.parser
http inspect io ipaddress itertools json keyword linecache locale logging math mimetypes numbers operator os os.path
optparse pathlib pickle platform plistlib pprint queue quopri random re reprlib sched secrets select selectors shelve shlex
shutil signal socket sqlite3 stat statistics string stringprep struct symtable sys sysconfig tarfile tempfile textwrap threading
time timeit token tokenize tomllib traceback types typing unicodedata unittest unittest.mock urllib.parse urllib.request uuid
warnings wave weakref xml.etree.ElementTree xml.dom.minidom zipfile zlib zoneinfo'''.split()
missing = []
for name in wanted:
    try:
        importlib.import_module(name)
    except ImportError:
        missing.append(name)
return missing
