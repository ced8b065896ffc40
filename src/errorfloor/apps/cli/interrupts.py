"""Ctrl-C, which ends the program even where a library swallows it, as some do while they load."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

INTERRUPTED = 130  # 128 + SIGINT, the exit code of programs that Ctrl-C ends

_pressed = False


def leave_at_once() -> None:
    """Have Ctrl-C end the program there and then: nothing is open that has to be tidied up."""
    _handle(lambda *_: os._exit(INTERRUPTED))


def remember() -> None:
    """Have Ctrl-C raise KeyboardInterrupt, and be remembered in case that this gets lost."""
    if _handle(_remember):
        usual = sys.unraisablehook
        # In callbacks and destructors Python would print that it ignores the exception.
        sys.unraisablehook = lambda lost: None if _pressed else usual(lost)


def was_pressed() -> bool:
    """Tell whether Ctrl-C was pressed."""
    return _pressed


def heed() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and something has swallowed it."""
    if _pressed:
        raise KeyboardInterrupt


def _remember(number: int, frame: FrameType | None) -> None:
    global _pressed
    _pressed = True
    raise KeyboardInterrupt


def _handle(handler: Any) -> bool:
    """Set what Ctrl-C does, unless whoever started the program has it ignored."""
    heeded = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    if heeded:
        signal.signal(signal.SIGINT, handler)
    return heeded
