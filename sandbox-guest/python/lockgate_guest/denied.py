"""What the sandbox does not give fails with an error that says so."""

import builtins
import functools
import io
import queue
import socket
import threading
import time

_NO_FILES = "a program can open files only in folders that were mounted for it; use a tool"
_NO_NETWORK = "there is no network; call a tool"
_NO_THREADS = "there are no threads; use asyncio"


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
    raise RuntimeError(_NO_THREADS)


class Lock:
    """`threading.Lock` where no other thread can release it: waiting for it without a timeout would be for ever."""

    __slots__ = ("_locked", "__weakref__")

    def __init__(self):
        self._locked = False

    def acquire(self, blocking=True, timeout=-1):
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if not self._locked:
            self._locked = True
            return True
        if not blocking:
            return False
        if timeout == -1:
            raise RuntimeError(f"this would wait for ever for another thread: {_NO_THREADS}")
        time.sleep(timeout)
        return False

    def release(self):
        if not self._locked:
            raise RuntimeError("release unlocked lock")
        self._locked = False

    def locked(self):
        return self._locked

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *error):
        self.release()

    def _at_fork_reinit(self):
        self._locked = False

    def __repr__(self):
        return f"<{'locked' if self._locked else 'unlocked'} threading.Lock object at {id(self):#x}>"


Lock.__module__ = "threading"


def install():
    """Puts these errors in the place of the system's."""
    builtins.open = io.open = _with_note(io.open)
    for name in ("getaddrinfo", "gethostbyname", "create_connection", "create_server"):
        setattr(socket, name, _no_network)
    for name in ("connect", "connect_ex", "bind"):
        setattr(socket.socket, name, _no_network)
    threading.Thread.start = _no_threads
    threading.Lock = threading._allocate_lock = Lock
    queue.SimpleQueue = queue._PySimpleQueue


install()
