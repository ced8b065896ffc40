"""Entries of arrays that are not there: None, NaN, NA of pandas and no time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import unmasked
from errorfloor._typing import Bools


def as_entries(values: object) -> NDArray[Any]:
    """Return an array in which what is missing stays so, and lists of any length are entries.

    Examples
    --------
    >>> as_entries(["cat", float("nan")])
    array(['cat', nan], dtype=object)
    """
    try:
        array = np.asarray(values)
    except ValueError:  # lists of unequal length
        return _objects(values)
    if array.dtype.kind in "UT" and array.ndim == 1 and not isinstance(values, np.ndarray):
        objects = _objects(values)
        if any(not isinstance(one, str) for one in objects):  # NumPy spells NaN as a word
            return objects
    return array


def shown_entries(values: object, name: str) -> NDArray[Any]:
    """Return the same, of which none may be masked."""
    return as_entries(unmasked(values, name) if np.ma.isMaskedArray(values) else values)


def missing_in(array: NDArray[Any]) -> Bools:
    """Tell which entries of a 1-d array are missing.

    Examples
    --------
    >>> missing_in(np.array(["cat", None, np.nan], dtype=object))
    array([False,  True,  True])
    """
    if array.dtype.kind == "f":
        return np.asarray(np.isnan(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype.kind == "O":
        return np.array([is_missing(one) for one in array.tolist()], dtype=np.bool_)
    return np.zeros(array.shape, dtype=np.bool_)


def is_missing(value: Any) -> bool:
    """Tell whether one entry is missing."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, np.ndarray):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # NA of pandas, of which nothing is true
        return True


def _objects(values: Any) -> NDArray[Any]:
    plain = list(values)
    array = np.empty(len(plain), dtype=object)
    array[:] = plain
    return array
