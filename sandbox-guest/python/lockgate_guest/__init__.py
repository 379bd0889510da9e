"""The Python guest: implements the world `program-guest` with CPython.

Everything here is imported while the component is built, and is part of its snapshot: importing it is its warm-up.
"""

from . import stdlib  # Before anything else: the modules that programs can import.
from . import denied, run
from .warm_up import warm_up


class WitWorld:
    """The exports of the world."""

    def start(self, program):
        return run.start(program)

    def resume(self, completions):
        return run.resume(completions)


warm_up()
