"""A quick start and a quick end: what libraries load and tidy up that no command needs.

Without `spare` a command such as `errorfloor estimate votes.csv` takes about half as long again,
and without `leave` about a seventh longer (`python -m benchmarks.start`).
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

_USUAL = gc.get_threshold()


def spare() -> None:
    """Keep from the process what libraries would load without any use of it here."""
    # Hundreds of modules are full of objects that stay; looking for cycles in them is in vain.
    gc.set_threshold(1_000_000)
    import numpy

    # DuckDB imports pandas, where it is installed, to tell whether constants are its values.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
    # SciPy asks NumPy for every name that it has, and so for its reader of Fortran and its tests.
    for name in ("f2py", "testing"):
        vars(numpy).setdefault(name, None)


def stay() -> None:
    """Look for cycles as usual from now on, but not in what is loaded: the process goes on."""
    gc.freeze()
    gc.set_threshold(*_USUAL)


def tidy() -> None:
    """Do what is due at the end of a process, such as to remove temporary files."""
    atexit._run_exitfuncs()


def leave(code: int) -> None:
    """End the process once all is written, without taking every loaded module apart."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # nobody reads it, or it is closed
            code = code or 1
    os._exit(code)


def fill_streams() -> None:
    """Have closed streams lead nowhere, so that no file that is opened later takes their place.

    A closed standard input stays None in `sys`: whoever wants to read it can tell.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, which is this
        if getattr(sys, name) is None and name != "stdin":
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
