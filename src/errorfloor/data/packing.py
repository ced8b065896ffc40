"""Votes for many classes as a few whole numbers per item, so that any engine can group by them.

The votes for some classes are the digits of one number, in a base that is above all of them. Adding
the numbers of two votes adds up their digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts
from errorfloor.data.engines import Frame, added_up

_MOST = 2**62  # that a number stays below


def weights(places: Sequence[nw.Expr], number: int, base: int) -> list[nw.Expr]:
    """Return the numbers of an item whose votes are for classes with these places.

    Places that are missing, or none, add nothing.
    """
    found = []
    for name, chunk in _chunks(number, base).items():
        terms = [
            (place == k).fill_null(False).cast(nw.Int64) * base**i
            for place in places
            for i, k in enumerate(chunk)
        ]
        found.append(added_up(terms).cast(nw.Int64).alias(name))
    return found


def numbers(counts: Sequence[nw.Expr], base: int) -> list[nw.Expr]:
    """Return the numbers of an item that has so many votes for each class."""
    found = []
    for name, chunk in _chunks(len(counts), base).items():
        terms = [counts[k].cast(nw.Int64) * base**i for i, k in enumerate(chunk)]
        found.append(added_up(terms).cast(nw.Int64).alias(name))
    return found


def names(number: int, base: int) -> list[str]:
    """Return what the columns of numbers are called."""
    return [*_chunks(number, base)]


def as_whole(frame: Frame, columns: Sequence[str]) -> Frame:
    """Return sums of numbers as such; DuckDB has a wider type for them, which becomes floats."""
    return frame.with_columns(*(nw.col(name).cast(nw.Int64).alias(name) for name in columns))


def unpacked(found: Mapping[str, NDArray[Any]], number: int, base: int) -> Counts:
    """Return the votes for each class."""
    chunks = _chunks(number, base)
    votes = np.empty((number, len(next(iter(found.values())))), dtype=np.int64)
    for name, chunk in chunks.items():
        rest = found[name].astype(np.int64)  # floats would not hold large ones
        for k in chunk:
            rest, votes[k] = np.divmod(rest, base)
    return votes.T


def _chunks(number: int, base: int) -> dict[str, range]:
    assert base > 1  # there are votes
    digits = 1
    while base ** (digits + 1) < _MOST:
        digits += 1
    starts = range(0, number, digits)
    return {f"w{j}": range(k, min(k + digits, number)) for j, k in enumerate(starts)}
