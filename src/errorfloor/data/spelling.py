"""Numbers, booleans and lists of votes that text spells."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from errorfloor.data.annotators import text_of
from errorfloor.data.missing import is_missing

TRIMMED = " \t\r\n\"'"  # around a vote
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
        parts.append(re.split(BETWEEN, text[:10_000]))  # only for speed: not all of a long one
        if any(len(part) > 40 or " " in part for part in parts[-1]):
            return False
    several = [split for split in parts if len(split) > 1]
    # Classes repeat, and one comma may be that of a number.
    repeated = any(len(set(split)) < len(split) for split in several)
    return 2 * len(several) > len(parts) and repeated


def are_votes(values: Sequence[Any]) -> bool:
    """Tell whether lists hold classes, which repeat, and not numbers of votes or several labels.

    Classes are words, or 0 and 1. Lists with a single 1 each may be numbers of votes as well.

    Examples
    --------
    >>> are_votes(["0;1;1", "0;0"]), are_votes([["cat", "cat", "dog"]]), are_votes([["a", "b"]])
    (True, True, False)
    >>> are_votes([[2, 1], [0, 3]]), are_votes([[0, 0, 1], [1, 0, 0]])
    (False, False)
    """
    rows = [[one for one in votes_in(value) if one is not None] for value in values]
    rows = [row for row in rows if row]
    numbers = [[spelt(one) for one in row] for row in rows]
    if any(number not in (None, 0, 1) for row in numbers for number in row):
        return False
    single = all(row.count(1) == 1 and None not in row for row in numbers)
    return not single and any(len(set(row)) < len(row) for row in rows)


def votes_in(value: Any) -> list[str | None]:
    """Return the votes of one entry as text, None for those that are missing."""
    if is_missing(value):
        return []
    if isinstance(value, str):
        text = value.strip()
        try:
            spelt = ast.literal_eval(text) if text[:1] in "[(" else None
        except (SyntaxError, ValueError):
            spelt = None
        value = spelt if spelt is not None else re.split(BETWEEN, text.strip("[]() "))
    entries = np.atleast_1d(np.asarray(value, dtype=object)).ravel().tolist()
    texts = (None if is_missing(one) else text_of(one).strip(TRIMMED) for one in entries)
    return [text or None for text in texts]
