"""Numbers or arrays of them as arguments, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from errorfloor._checks import as_scores, refuse
from errorfloor._typing import Bools, Counts, Floats

# A float when every argument is a single number, else an array of their common shape.
FloatOrFloats: TypeAlias = Any


def as_numbers_that(
    fit: Callable[[Floats], Bools], values: object, name: str, must: str, remedy: str
) -> Floats:
    """Return numbers of any shape that fit, or say which does not."""
    array = as_numbers(values, name)
    refuse(~fit(array).ravel(), array.ravel(), f"`{name}` must {must}", remedy)
    return array


def as_fractions(values: object, name: str) -> Floats:
    """Return numbers in [0, 1], or say which is none."""
    remedy = "Divide percentages by 100."
    return as_numbers_that(lambda x: (x >= 0) & (x <= 1), values, name, "lie in [0, 1]", remedy)


def as_whole(values: object, name: str) -> Counts:
    """Return whole numbers of at least 1, or say which is none."""
    remedy = f"Pass how many {'votes per item has' if name == 'm' else 'items there are'}."
    return as_numbers_that(
        lambda x: (x >= 1) & (x == np.floor(x)) & (x < 2**53),
        *(values, name, "be whole numbers of at least 1", remedy),
    ).astype(np.int64)


def as_numbers(values: object, name: str) -> Floats:
    """Return finite floats of any shape; entries are counted in reading order."""
    try:
        array = np.asanyarray(values)  # keeps masks, which `as_scores` refuses by entry
    except ValueError:  # ragged lists, which it refuses by name
        return as_scores(values, name=name)
    return as_scores(array.ravel(), name=name).reshape(array.shape)


def check_shapes(**arrays: Floats | Counts) -> None:
    """Refuse arrays whose shapes do not go together."""
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        given = ", ".join(f"`{name}` {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"The shapes must fit together, got {given}. "
            "Pass one number for all but one of them, or a column and a row for a grid."
        ) from None


def plain(array: Floats) -> FloatOrFloats:
    """Return a single number as a float, and arrays as they are."""
    return array if array.ndim else float(array)
