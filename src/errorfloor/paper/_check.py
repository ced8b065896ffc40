"""One published number beside ours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """A number of the paper and the same number computed here."""

    name: str  # what the number is
    published: float
    ours: float
    error: float | None  # standard deviation of (ours - published) by chance; None if exact
    note: str = ""  # where the print or the released code was found to differ
