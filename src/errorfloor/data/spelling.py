"""Numbers, booleans and lists of votes that text spells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

BETWEEN = r"\s*[;|,]\s*"  # the votes of a list


def spelt(text: str) -> float | None:
    """Return the number or boolean that text spells, and None for words."""
    word = text.strip().lower()
    if word in ("true", "false"):
        return float(word == "true")
    try:
        number = float(word)
    except ValueError:
        return None
    return number if abs(number) < inf else None


def number_of(value: Any) -> Any:
    """Return what spells a number as that number, and None for what does not."""
    if not isinstance(value, str):
        return int(value) if isinstance(value, bool | np.bool_) else value
    for number in (int, float):
        try:
            return number(value)
        except ValueError:
            continue
    return None


def are_lists(values: Sequence[Any]) -> bool:
    """Tell whether values of text spell lists of votes, such as [0, 1], 0;1 or yes|no.

    Examples
    --------
    >>> are_lists(["0;1;1", "0;0"]), are_lists(["[0, 1]", "[]"]), are_lists(["yes", "no"])
    (True, True, False)
    >>> are_lists(["A sentence; not short.", "Another one, with a comma"])
    False
    """
    texts = [str(value).strip() for value in values if value is not None]
    if not texts:
        return False
    if all(text[:1] == "[" and text[-1:] == "]" for text in texts):
        return True
    parts = []
    for text in texts:
        parts.append(re.split(BETWEEN, text[:10_000]))
        if any(len(part) > 40 or " " in part for part in parts[-1]):
            return False
    several = [split for split in parts if len(split) > 1]
    # Classes repeat, and one comma may be that of a number.
    repeated = any(len(set(split)) < len(split) for split in several)
    return 2 * len(several) > len(parts) and repeated
