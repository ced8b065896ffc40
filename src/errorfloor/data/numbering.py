"""Numbers that count rows, which are no scores and no features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from errorfloor._typing import Floats

LEAST = 20  # rows from which on their numbers are no accident
_ROUNDING = 0.01  # of a step, by which rounding moves numbers that were scaled


def is_numbered(values: Floats) -> bool:
    """Tell whether values are 0, 1, 2, ... or 1, 2, 3, ... in this order."""
    if values.size < LEAST or values[0] not in (0, 1) or values[1] != values[0] + 1:
        return False
    return bool(np.array_equal(values, values[0] + np.arange(values.size)))


def is_id(values: Floats) -> bool:
    """Tell whether values number items, or may well do so.

    They are all different whole numbers that rise or fall from row to row, or have no gaps; or any
    numbers in equal steps from row to row, as row numbers are that somebody scaled.
    """
    if values.size < LEAST:
        return False
    steps = np.diff(values)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    if not (values == np.floor(values)).all():
        line = np.linspace(values[0], values[-1], values.size)
        return in_order and bool((np.abs(values - line) <= _ROUNDING * np.abs(steps).max()).all())
    gapless = values.max() - values.min() + 1 == values.size
    return in_order or bool(gapless and np.unique(values).size == values.size)


def are_numbered(tables: Iterable[Any]) -> bool:
    """Tell whether scores are whole numbers without gaps, each of them once."""
    parts = [table for table in tables if len(table)]
    n = sum(table.n for table in parts)
    if n < LEAST:
        return False
    low = min(float(table.ranges[0][0]) for table in parts)
    high = max(float(table.ranges[1][-1]) for table in parts)
    if low not in (0, 1) or high - low + 1 != n:
        return False
    return all(map(_has_whole_numbers_once, parts))


def _has_whole_numbers_once(table: Any) -> bool:
    lows, highs = table.ranges
    return np.array_equal(lows, np.floor(lows)) and bool((table.items <= highs - lows + 1).all())


def number_rows(scores: object) -> bool:
    """Tell whether an array of scores numbers its rows."""
    array = np.asarray(scores)
    return array.ndim == 1 and array.dtype.kind in "iuf" and is_numbered(array)
