"""What the sandbox does not give fails with an error that says so."""

import builtins
import functools
import io
import socket
import threading

_NO_FILES = "a program can open files only in folders that were mounted for it; use a tool"
_NO_NETWORK = "there is no network; call a tool"


def _with_note(opens):
    @functools.wraps(opens)
    def open(*args, **kwargs):
        try:
            return opens(*args, **kwargs)
        except (FileNotFoundError, PermissionError) as error:
            error.add_note(_NO_FILES)
            raise

    return open


def _no_network(*args, **kwargs):
    raise OSError(_NO_NETWORK)


def _no_threads(self):
    raise RuntimeError("there are no threads; use asyncio")


def install():
    """Puts these errors in the place of the system's."""
    builtins.open = io.open = _with_note(io.open)
    for name in ("getaddrinfo", "gethostbyname", "create_connection", "create_server"):
        setattr(socket, name, _no_network)
    for name in ("connect", "connect_ex", "bind"):
        setattr(socket.socket, name, _no_network)
    threading.Thread.start = _no_threads


install()
