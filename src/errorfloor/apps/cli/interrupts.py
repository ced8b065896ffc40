"""Ctrl-C and kill, which end the program tidily even where a library swallows them, as some do."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

INTERRUPTED = 128 + signal.SIGINT  # the exit code of programs that Ctrl-C ends

_ENDING = (signal.SIGINT, signal.SIGTERM)  # what asks a program to end
_received = 0  # which of them came last


def leave_at_once() -> None:
    """Have Ctrl-C end the program there and then: nothing is open that has to be tidied up."""
    _handle(lambda number, _: os._exit(128 + number))


def remember() -> None:
    """Have Ctrl-C raise KeyboardInterrupt, and be remembered in case that this gets lost."""
    if _handle(_remember):
        usual = sys.unraisablehook
        # In callbacks and destructors Python would print that it ignores the exception.
        sys.unraisablehook = lambda lost: None if _received else usual(lost)


def wait() -> None:
    """Have Ctrl-C do nothing, for the moment that it takes to tidy up."""
    _handle(lambda *_: None)


def was_pressed() -> bool:
    """Tell whether Ctrl-C was pressed, or the program was told to end."""
    return bool(_received)


def code_of(code: int) -> int:
    """Return the exit code of a program that Ctrl-C ended, or `code` if nothing did."""
    return 128 + _received if _received else code


def check() -> None:
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
