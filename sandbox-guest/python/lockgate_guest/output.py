"""What a program prints: `sys.stdout` and `sys.stderr` as text layers whose lines go to the host as they end."""

import io
import sys

from wit_world import log
from wit_world.imports.types import LogLevel


class _Lines(io.RawIOBase):
    """Cuts what is written into lines."""

    def __init__(self, level):
        self.level = level
        self.rest = b""
        self.max_bytes = 1 << 20

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        if b"\n" in data:
            text = self.rest + data if self.rest else data
            # What one print writes is one line of the log, as far as it is whole.
            lines, _, self.rest = text.rpartition(b"\n")
            self._log(lines)
        else:
            self.rest += data
            if len(self.rest) > self.max_bytes:
                self.end()
        return len(data)

    def end(self):
        """The end of the program is the end of its last line."""
        if self.rest:
            text, self.rest = self.rest, b""
            self._log(text)

    def _log(self, text):
        log(self.level, text.decode("utf-8", "replace"))


def _stream(level):
    raw = _Lines(level)
    return raw, io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
    )


_out, stdout = _stream(LogLevel.INFO)
_err, stderr = _stream(LogLevel.ERROR)


def begin(max_bytes):
    """Gives the program its streams."""
    _out.max_bytes = _err.max_bytes = max_bytes
    sys.stdout = sys.__stdout__ = stdout
    sys.stderr = sys.__stderr__ = stderr


def end():
    """Logs what was printed without a line feed."""
    for stream, raw in ((stdout, _out), (stderr, _err)):
        try:
            stream.flush()
        except ValueError:
            # The program closed it.
            pass
        raw.end()
