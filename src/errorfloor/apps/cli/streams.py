"""Standard input, output and error where whoever started the program has closed them."""

from __future__ import annotations

import os
import sys


def fill() -> None:
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
