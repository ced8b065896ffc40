"""Single values: which are missing, what numbers and lists text spells, and numbers of rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import unmasked
from errorfloor._typing import Bools, Counts, Floats

_MOST_BITS = 10_000  # of a number that Python writes out in digits
_WHOLE = re.compile(r"([+-]?\d+)\.0+")
# Numbers with a comma for a point. With three digits behind it, it may stand for thousands.
COMMA = r"^[+-]?(?:0*,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))(?:e[+-]?[0-9]+)? ?%?$"
TRIMMED = " \t\r\n\"'"  # around a vote
BETWEEN = r"\s*[;|,]\s*"  # the votes of a list
# Lists as NumPy prints them: [1 0 1], and [np.str_('yes')] or ['yes' 'no'] with what Python has in
# their place. DuckDB reads these patterns, too.
PRINTED_NUMBERS = r"^\s*\[[-+.0-9\s]+\]\s*$"
PRINTED_WORDS = ((r"\bnp\.\w+\(([^()]*)\)", r"\1"), (r"'\s+'", "', '"))
LEAST_NUMBERED = 20  # rows from which on their numbers are no accident
_ROUNDING = 0.01  # of a step, by which rounding moves numbers that were scaled
# Shares of votes are often written with two digits: how far such a share, and the number of votes
# that it stands for, may be from the exact one.
SHARE_ROUNDING, MOST_ROUNDING = 0.0051, 0.1


def is_frame(data: object) -> bool:
    """Tell whether `data` is a dataframe, without the library that reads them all."""
    # Of its type, because a lazy frame would have to find out what its columns are.
    # The last is that of a Hugging Face dataset.
    signs = ("columns", "__narwhals_dataframe__", "__narwhals_lazyframe__", "column_names")
    return any(hasattr(type(data), sign) for sign in signs)


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


def text_of(value: Any) -> str:
    """Return the text of an id: the same for 7, 7.0 and "7".

    Examples
    --------
    >>> text_of(7.0), text_of("7.0"), text_of(" ann ")
    ('7', '7', 'ann')
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float | Decimal) and isfinite(plain) and plain == int(plain):
        plain = int(plain)
    if isinstance(plain, int) and plain.bit_length() > _MOST_BITS:
        return hex(plain)  # which has no limit of digits
    text = str(plain).strip()
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def as_texts(values: NDArray[Any]) -> NDArray[Any]:
    """Return the text of each of some ids."""
    plain = values.tolist()
    known = {value: text_of(value) for value in dict.fromkeys(plain)}
    return np.array([known[value] for value in plain], dtype=object)


# Numbers, booleans and lists of votes that text spells.


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


def is_float(text: str) -> bool:
    """Tell whether Python reads text as a number, which may be NaN or infinite."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def written_number(text: str) -> float | None:
    """Return the number that people write so, None for words and what may be either of two.

    Examples
    --------
    >>> written_number("87 %"), written_number("0,87"), written_number("1,234")
    (0.87, 0.87, None)
    """
    word = text.strip().lower()
    pointed = word.replace(",", ".") if re.fullmatch(COMMA, word) else word
    try:
        return float(pointed[:-1]) / 100 if word.endswith("%") else float(pointed)
    except ValueError:
        return None


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
        text = _with_commas(value).strip()
        try:
            spelt = ast.literal_eval(text) if text[:1] in "[(" else None
        except (SyntaxError, ValueError):
            spelt = None
        value = spelt if spelt is not None else re.split(BETWEEN, text.strip("[]() "))
    entries = np.atleast_1d(np.asarray(value, dtype=object)).ravel().tolist()
    texts = (None if is_missing(one) else text_of(one).strip(TRIMMED) for one in entries)
    return [text or None for text in texts]


def _with_commas(text: str) -> str:
    """Return a list that NumPy printed as Python writes it, and other text as it is."""
    if re.match(PRINTED_NUMBERS, text):
        return ",".join(text.split())
    if text.lstrip()[:1] != "[":
        return text
    for pattern, plain in PRINTED_WORDS:
        text = re.sub(pattern, plain, text)
    return text


# Numbers that count rows, which are no scores and no features.


def is_numbered(values: Floats) -> bool:
    """Tell whether values are 0, 1, 2, ... or 1, 2, 3, ... in this order."""
    if values.size < LEAST_NUMBERED or values[0] not in (0, 1) or values[1] != values[0] + 1:
        return False
    return bool(np.array_equal(values, values[0] + np.arange(values.size)))


def is_id(values: Floats) -> bool:
    """Tell whether values number items, or may well do so.

    They are all different whole numbers that rise or fall from row to row, or have no gaps; or any
    numbers in equal steps from row to row, as row numbers are that somebody scaled.
    """
    if values.size < LEAST_NUMBERED:
        return False
    steps = np.diff(values)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    if not (values == np.floor(values)).all():
        line = np.linspace(values[0], values[-1], values.size)
        return in_order and bool((np.abs(values - line) <= _ROUNDING * np.abs(steps).max()).all())
    gapless = values.max() - values.min() + 1 == values.size
    return in_order or bool(gapless and np.unique(values).size == values.size)


def are_ids(values: Counts, items: int, *, called_so: bool) -> bool:
    """Tell whether the whole numbers of so many items, in any order, number these.

    They are all different, and without gaps from 0 or 1 on unless they are called ids.
    """
    if items < LEAST_NUMBERED or values.size != items or np.unique(values).size != items:
        return False
    return called_so or bool(values.min() in (0, 1) and values.max() - values.min() + 1 == items)


def are_numbered(tables: Iterable[Any]) -> bool:
    """Tell whether scores are whole numbers without gaps, each of them once."""
    parts = [table for table in tables if len(table)]
    n = sum(table.n for table in parts)
    if n < LEAST_NUMBERED:
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


# Numbers of equal items: that so many have a common divisor by chance is one in 2^29.
FEW_COUNTS = 30


def times_copied(counts: Counts) -> int:
    """Return how often each item is there, as far as numbers of equal items can tell; 1 if not.

    Examples
    --------
    >>> times_copied(np.arange(2, 80, 2)), times_copied(np.array([2, 4]))
    (2, 1)
    """
    if np.gcd.reduce(counts[:FEW_COUNTS], axis=None) == 1:  # only for speed: soon known
        return 1
    there = counts[counts > 0]
    return int(np.gcd.reduce(there)) if there.size >= FEW_COUNTS else 1


# Values as SQL writes them.


def as_text(value: str) -> str:
    """Return a text as SQL has it."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Return the name of a column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'
