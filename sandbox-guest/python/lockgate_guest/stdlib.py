"""The modules that programs can import. There are no files to import from, so a module is there if it was imported here."""

import importlib
import sys

from _suggestions import _generate_suggestions

# Of the standard library, what makes no sense without files, processes, a terminal or a screen.
_LEFT_OUT = frozenset(
    """
    antigravity bdb cProfile code codeop compileall doctest ensurepip faulthandler idlelib modulefinder pdb profile pty
    py_compile pyclbr pydoc pydoc_data rlcompleter runpy site sitecustomize tabnanny this turtledemo venv webbrowser zipapp
    cmd getpass imaplib ftplib poplib smtplib socketserver xmlrpc wsgiref multiprocessing trace tracemalloc fileinput
    _aix_support _android_support _apple_support _ios_support _osx_support _pyrepl _lsprof
    """.split()
)
_SUBMODULES = """
    asyncio.base_events collections.abc concurrent.futures.thread email.message email.mime.multipart email.mime.text
    email.parser email.policy email.utils html.entities html.parser http.client http.cookies importlib.metadata
    importlib.resources json.decoder json.encoder json.scanner json.tool logging.config logging.handlers os.path
    unittest.mock urllib.error urllib.parse urllib.request urllib.robotparser xml.dom.minidom xml.etree.ElementTree
    xml.sax.handler xml.sax.saxutils xml.sax.expatreader zoneinfo compression.zlib compression.gzip
    encodings.idna encodings.utf_16 encodings.utf_32 encodings.latin_1 encodings.cp1252 encodings.ascii encodings.utf_8_sig
    encodings.unicode_escape encodings.raw_unicode_escape encodings.punycode encodings.utf_16_le encodings.utf_16_be
    encodings.hex_codec encodings.base64_codec encodings.rot_13 encodings.iso8859_1 encodings.iso8859_15 encodings.cp437
    encodings.shift_jis encodings.gbk encodings.big5 encodings.euc_jp encodings.euc_kr encodings.gb18030 encodings.koi8_r
    encodings.cp1251 encodings.mac_roman encodings.zlib_codec encodings.quopri_codec encodings.uu_codec
""".split()


def _preload():
    for name in sorted(sys.stdlib_module_names - _LEFT_OUT):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    for name in _SUBMODULES:
        importlib.import_module(name)


# What people reach for, and what does the same here.
_INSTEAD = {
    "requests": "there is no network; call a tool",
    "httpx": "there is no network; call a tool",
    "aiohttp": "there is no network; call a tool",
    "urllib3": "there is no network; call a tool",
    "ssl": "there is no network; call a tool",
    "numpy": "use lists, math and statistics",
    "pandas": "use csv, collections and itertools",
    "yaml": "use json, or parse it by hand",
    "bs4": "use html.parser",
    "lxml": "use xml.etree.ElementTree",
    "dateutil": "use datetime and zoneinfo",
    "pytz": "use zoneinfo",
    "pydantic": "use dataclasses",
    "ujson": "use json",
    "orjson": "use json",
    "regex": "use re",
    "bz2": "use zlib or gzip",
    "lzma": "use zlib or gzip",
    "subprocess": "there are no processes; call a tool",
    "multiprocessing": "there are no processes; use asyncio",
}


def instead(name):
    """What there is instead of a module that is missing."""
    top = name.partition(".")[0]
    hint = _INSTEAD.get(top)
    if hint is not None:
        return hint
    near = _generate_suggestions([known for known in sys.modules if "." not in known], top)
    if near is not None:
        return f"did you mean {near}?"
    return "a program has the pure part of the standard library, and its tools"


def close():
    """From here on no module is read from files."""
    sys.path.clear()
    sys.path_importer_cache.clear()
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder.__name__ != "PathFinder"]


_preload()
