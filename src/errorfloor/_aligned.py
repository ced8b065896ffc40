"""Whether arrays that belong together name their entries in the same order."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from errorfloor._checks import InputError, argument


def check_aligned(**arrays: Any) -> None:
    """Refuse series whose indexes hold the same values in another order.

    Arrays are paired by place. Series that were sorted apart would be paired wrongly; those with
    other indexes, such as rows of two files, are paired by place, as scikit-learn does.
    """
    indexed = [(name, array.index) for name, array in arrays.items() if _has_index(array)]
    for (name, index), (other, another) in combinations(indexed, 2):
        if not index.equals(another) and _are_permuted(index, another):
            raise InputError(
                *(argument(name), " and ", argument(other)),
                " have the same index in different orders, and arrays are paired by place. Put "
                f"both in one order, {other}.loc[{name}.index]; or pass {name}.to_numpy() and "
                f"{other}.to_numpy() where their places are right.",
            )


def _has_index(array: Any) -> bool:
    """Tell a series or dataframe of pandas from a list, whose index is a method."""
    return hasattr(getattr(array, "index", None), "equals") and hasattr(array, "to_numpy")


def _are_permuted(index: Any, other: Any) -> bool:
    if len(index) != len(other):
        return False
    try:
        return bool(index.sort_values().equals(other.sort_values()))
    except TypeError:  # values that cannot be ordered
        return set(index) == set(other)
