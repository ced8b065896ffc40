"""How a process of the command starts, ends and is interrupted.

Without `start_quickly` a command such as `errorfloor estimate votes.csv` takes about half as long
again, and without `end_quickly` about a seventh longer (`python -m benchmarks.start`).
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from types import FrameType
from typing import Any

_USUAL = gc.get_threshold()


def start_quickly() -> None:
    """Keep from the process what libraries would load without any use of it here."""
    # Hundreds of modules are full of objects that stay; looking for cycles in them is in vain.
    gc.set_threshold(1_000_000)
    import numpy

    # DuckDB imports pandas, where it is installed, to tell whether constants are its values.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
    # SciPy asks NumPy for every name that it has, and so for its reader of Fortran and its tests.
    for name in ("f2py", "testing"):
        vars(numpy).setdefault(name, None)


def keep_running() -> None:
    """Look for cycles as usual from now on, but not in what is loaded: the process goes on."""
    gc.freeze()
    gc.set_threshold(*_USUAL)


def run_exit_functions() -> None:
    """Do what is due at the end of a process, such as to remove temporary files."""
    atexit._run_exitfuncs()


def end_quickly(code: int) -> None:
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


INTERRUPTED = 128 + signal.SIGINT  # the exit code of programs that Ctrl-C ends

_ENDING = (signal.SIGINT, signal.SIGTERM)  # what asks a program to end
_received = 0  # which of them came last


def end_on_signal() -> None:
    """Have Ctrl-C end the program there and then: nothing is open that has to be tidied up."""
    _handle(lambda number, _: os._exit(128 + number))


def raise_on_signal() -> None:
    """Have Ctrl-C raise KeyboardInterrupt, and be remembered in case that this gets lost."""
    if _handle(_remember):
        usual = sys.unraisablehook
        # In callbacks and destructors Python would print that it ignores the exception.
        sys.unraisablehook = lambda lost: None if _received else usual(lost)


def ignore_signals() -> None:
    """Have Ctrl-C do nothing, for the moment that it takes to tidy up."""
    _handle(lambda *_: None)


def was_interrupted() -> bool:
    """Tell whether Ctrl-C was pressed, or the program was told to end."""
    return bool(_received)


def exit_code(code: int) -> int:
    """Return the exit code of a program that Ctrl-C ended, or `code` if nothing did."""
    return 128 + _received if _received else code


def check_interrupt() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and something has swallowed it."""
    if _received:
        raise KeyboardInterrupt


def _remember(number: int, frame: FrameType | None) -> None:
    global _received
    _received = number
    raise KeyboardInterrupt


def _handle(handler: Any) -> bool:
    """Set what ends the program, unless whoever started it has that ignored."""
    used = [one for one in _ENDING if signal.getsignal(one) is not signal.SIG_IGN]
    for one in used:
        signal.signal(one, handler)
    return bool(used)
