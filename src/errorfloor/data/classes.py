"""Labels and votes as classes: which value is which, as the user says, or as it is plain.

Of two words common pairs tell which one is class 1. Votes may have any number of classes, and
columns of scores or counts have one each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from errorfloor._checks import InputError, Part, argument, check_choice
from errorfloor.data import vote_lists
from errorfloor.data.annotators import text_of
from errorfloor.data.ballots import Ballots
from errorfloor.data.class_rows import as_two
from errorfloor.data.class_values import (
    Told,
    divided,
    is_same,
    positive_of,
    told_by_values,
    told_by_words,
    two_of,
    which_is_1,
)
from errorfloor.data.engines import Frame, holds_several, is_missing, select, with_number
from errorfloor.data.layouts import Layout
from errorfloor.data.lists import holds_lists, taken_apart
from errorfloor.data.matrices import check_number
from errorfloor.data.naming import (
    MOST_CLASSES,
    PER_LABEL,
    Naming,
    names_of_columns,
    told,
)
from errorfloor.data.rows import NotBinaryError, Request
from errorfloor.data.spelling import spelt
from errorfloor.data.table import Table

_MOST = 50  # values that are looked at
_LISTED = 6  # values that a message names
_FIRST = 1000  # rows that are looked at first
_SOME_ROWS = 2**16  # in which the values are looked for where the positive one is named


def counted(request: Request, layout: Layout) -> tuple[Request, Any, Mapping[Any, Table]]:
    """Return what was read with the classes known, which value is which class, and the tables.

    The values are None where labels are 0 and 1 as they stand.
    """
    request = _taken_apart(request, layout)
    known, classes = settled(request, layout)
    with suppress(NotBinaryError):
        return known, classes, layout.tables(known)
    # The first votes were 0 and 1, or missing, and some others are not.
    known, classes = settled(request, layout, look=True)
    return known, classes, layout.tables(known)


def ballots_in(request: Request, layout: Layout) -> Ballots:
    """Return the single votes of rows."""
    known, _ = settled(request, layout)
    try:
        return _ballots(known, layout)
    except NotBinaryError:
        known, _ = settled(request, layout, look=True)
        return _ballots(known, layout)


def _ballots(known: Request, layout: Layout) -> Ballots:
    assert layout.ballots is not None
    found = layout.ballots(known)
    if known.naming is not None and known.has_many_classes:
        return found.with_classes(known.naming.names)
    return found


def settled(request: Request, layout: Layout, *, look: bool = False) -> tuple[Request, Any]:
    """Return the request with the classes known, and which values are of which class.

    The values are None where labels are 0 and 1 as they stand. With `look`, all values are looked
    at, and not only the first ones.
    """
    own = layout.of_classes
    if own is not None and isinstance(request.columns.get(own.argument), tuple):
        return _of_columns(request, own.argument)
    role = next((role for role in layout.roles if role.is_class), None)
    kinds = request.frame.collect_schema()
    if role is None:
        check_number(request.classes, 2, layout.roles[0].argument)
        return request, None
    if request.positive_from is not None:
        least = f"{request.positive_from:g}"
        return request, {"1": [f"{least} and more"], "0": [f"less than {least}"]}
    columns = _class_columns(request, role.argument)
    known = request.group is None or str(request.group) in [*kinds]
    there = [one for one in kinds if isinstance(one, str)]
    known = known and request.columns.get("score", columns[0]) in [*kinds]
    beside = _class_columns(request, "label") if layout.of_shares else []
    if not known or any(one not in there or kinds[one].is_nested() for one in columns + beside):
        return request, None  # which will be said where they are read
    if request.positive is not None:
        some = replace(request, frame=request.frame.head(_SOME_ROWS))
        return request, divided(_values(some, columns), request.positive)
    said: tuple[Part, ...] = (argument(role.argument), f" (column {columns[0]!r})")
    if layout.row_is_vote:
        return _of_votes(request, role.argument, columns + beside, said, look)
    if request.classes is not None:
        names = check_number(request.classes, 2, layout.roles[0].argument)
        return _named(request, told(_values(request, columns), 2, names, said))
    if not _has_words(request, columns[0]):
        return request, None
    return _of_words(request, role.argument, columns, _values(request, columns))


def _taken_apart(request: Request, layout: Layout) -> Request:
    """Return rows in which places of lists are columns of their own."""
    if layout.of_lists is not None:
        return _votes_apart(request, layout.of_lists.argument)
    role = layout.of_classes
    column = None if role is None else request.columns.get(role.argument)
    if role is None or not isinstance(column, str):
        return request
    there = column in [*request.frame.collect_schema()]
    if not there or not holds_lists(request.frame, request.run, column):
        if role.argument == "counts":
            text = f" (column {column!r}) must be a column for each class, or hold lists."
            raise InputError(argument(role.argument), text)
        return request
    frame, columns = taken_apart(request.frame, request.run, column, role.argument)
    return replace(request, frame=frame, columns={**request.columns, role.argument: columns})


def _votes_apart(request: Request, name: str) -> Request:
    """Return rows in which each vote of a list has a column."""
    column = check_choice(request.columns[name], map(str, request.frame.columns), name=name)
    frame, columns = vote_lists.taken_apart(request.frame, request.run, column, name)
    return replace(request, frame=frame, columns={**request.columns, name: columns})


def _class_columns(request: Request, name: str) -> list[str]:
    given = request.columns[name]
    return list(given) if isinstance(given, tuple) else [given]


def _of_columns(request: Request, name: str) -> tuple[Request, Any]:
    """Settle the classes of rows that have a column for each of them."""
    columns = request.columns[name]
    number = len(columns)
    names = check_number(request.classes, number, name)
    for said in ("positive", "positive_from"):
        if getattr(request, said) is not None and (number > 2 or name != "score"):
            text = " goes with one column, and there is one for each class. Leave it out."
            raise InputError(argument(said), text)
    hints = names_of_columns(columns)
    if names is not None and set(names) == set(hints):  # which may be in another order
        columns = tuple(columns[hints.index(one)] for one in names)
        request, hints = replace(request, columns={**request.columns, name: columns}), names
    elif names is None and positive_of(hints) == hints[0]:  # what means yes is class 1
        columns, hints = columns[::-1], hints[::-1]
        request = replace(request, columns={**request.columns, name: columns})
    naming = Naming(names or hints, {})
    if "label" in request.columns and request.columns["label"] in [*request.frame.columns]:
        label: str = request.columns["label"]
        naming = _of_labels(request, label, names, hints)
    request = replace(request, naming=naming, classes=naming.names)
    if number == 2 and name != "counts":
        request = as_two(request, name)
    return request, two_of(naming.names)


def _of_labels(
    request: Request, label: str, names: tuple[str, ...] | None, hints: tuple[str, ...]
) -> Naming:
    """Return which label is which of the classes that have columns."""
    said: tuple[Part, ...] = (argument("label"), f" (column {label!r})")
    _refuse_lists(request, [label], said)
    values = _values(request, [label], MOST_CLASSES + 1)
    if request.positive is not None or request.positive_from is not None:
        return _of_positive(request, values, names, hints)
    return told(values, len(hints), names, said, hints)


def _of_positive(
    request: Request,
    values: Sequence[str],
    names: tuple[str, ...] | None,
    hints: tuple[str, ...],
) -> Naming:
    """Return which of two classes labels are where the positive one was named."""
    if request.positive_from is not None:
        raise InputError(
            *(argument("positive_from"), " goes with one column of scores, and there is one for "),
            *("each class. Name the classes with ", argument("classes"), "."),
        )
    positive = text_of(request.positive)
    if names is None and positive == hints[0]:
        raise InputError(
            argument("positive"),
            f" is {positive!r}, whose scores come first, and class 1 comes second. Leave it out.",
        )
    ones = [value for value in values if is_same(value, request.positive)]
    zero = [value for value in values if value not in ones]
    both = names or (", ".join(zero) or hints[0], positive)
    return Naming((both[0], both[1]), {value: int(value in ones) for value in values})


def _of_votes(
    request: Request, name: str, columns: list[str], said: tuple[Part, ...], look: bool
) -> tuple[Request, Any]:
    """Settle the classes of single votes, of which there may be any number."""
    _refuse_lists(request, columns, said)
    if request.classes is not None:
        values = _values(request, columns, MOST_CLASSES + 1)
        return _named(request, told(values, len(request.classes), request.classes, said))
    if not look and _first_are_binary(request, columns):
        return request, None
    values = _values(request, columns, MOST_CLASSES + 1)
    return _settled(request, name, columns, values, told_by_values(values, said))


def _of_words(
    request: Request, name: str, columns: Sequence[str], values: Sequence[str]
) -> tuple[Request, Any]:
    """Settle the classes of labels that are words."""
    found = told_by_words(values, (argument(name), f" (column {columns[0]!r})"), many=False)
    return _settled(request, name, columns, values, found)


def _settled(
    request: Request,
    name: str,
    columns: Sequence[str],
    values: Sequence[str],
    found: Told | None,
) -> tuple[Request, Any]:
    """Settle the classes by what their values tell; where they do not, ask."""
    if found is None:
        means = _mean_scores(request, columns[0]) if "score" in request.columns else {}
        raise which_is_1(values, (argument(name), f" (column {columns[0]!r})"), means)
    if found.positive is not None:
        return replace(request, positive=found.positive), divided(values, found.positive)
    return (request, None) if found.naming is None else _named(request, found.naming)


def _named(request: Request, naming: Naming) -> tuple[Request, Any]:
    return replace(request, naming=naming), two_of(naming.names)


def _refuse_lists(request: Request, columns: Sequence[str], said: tuple[Part, ...]) -> None:
    """Refuse several labels in one entry, as pandas may keep them."""
    for column in columns:
        if holds_several(request.frame, request.run, column):
            raise InputError(*said, f" has several labels in one entry.{PER_LABEL}")


def _first_are_binary(request: Request, columns: Sequence[str]) -> bool:
    """Tell whether the first rows hold 0 and 1 only, as numbers, booleans or text."""
    head = request.run(_selected(request.frame, columns).head(_FIRST))
    found = {str(one) for values in head.values() for one in values.tolist() if _is_there(one)}
    return all(spelt(value) in (0, 1) for value in found)


def _has_words(request: Request, column: str) -> bool:
    """Tell whether the first labels are text that spells neither numbers nor booleans."""
    kind = request.frame.collect_schema()[column]
    if kind not in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return False
    found = _texts(request, _there(request, column).head(_FIRST))
    return any(spelt(value) is None for value in found)


def _values(request: Request, columns: Sequence[str], most: int = _MOST) -> list[str]:
    """Return the distinct values of all columns together, as text, in order."""
    found: set[str] = set()
    for column in columns:
        found |= _texts(request, _there(request, column).unique().head(most))
    return sorted(found)


def _there(request: Request, column: str) -> Frame:
    """Return the rows of a column in which nothing is missing."""
    rows = _selected(request.frame, [column])
    return rows.filter(~is_missing(rows, "value 0"))


def _texts(request: Request, rows: Frame) -> set[str]:
    return {str(one) for one in request.run(rows)["value 0"].tolist() if _is_there(one)}


def _selected(frame: Frame, columns: Sequence[str]) -> Frame:
    return select(frame, {f"value {i}": column for i, column in enumerate(columns)})


def _is_there(value: object) -> bool:
    # Neither None nor NaN nor the NA of pandas, of which nothing can be asked.
    return value is not None and str(value) not in ("nan", "<NA>", "NaT")


def _mean_scores(request: Request, label: str) -> dict[str, float]:
    columns = {"given": request.columns["score"], "label": label}
    rows = with_number(select(request.frame, columns), "given", "score")
    rows = rows.filter(nw.col("score").is_finite().fill_null(False), ~is_missing(rows, "label"))
    found = request.run(rows.group_by("label").agg(nw.col("score").mean().alias("mean")))
    means = np.asarray(found["mean"], np.float64).tolist()
    return dict(zip(map(str, found["label"].tolist()), means, strict=True))


def described_many(classes: Sequence[Sequence[Any]], what: str) -> str:
    """Name the classes with how many labels or votes each has.

    Examples
    --------
    >>> described_many([["cat", 1025], ["dog", 975], ["cow", 0]], "items")
    '3 classes: cat, 1,025 items; dog, 975; cow, 0'
    """
    some = classes if len(classes) <= _LISTED + 1 else classes[:_LISTED]
    first, *others = (f"{name}, {number:,}" for name, number in some)
    more = [f"and {len(classes) - len(some)} more"] if len(some) < len(classes) else []
    return f"{len(classes)} classes: {'; '.join([f'{first} {what}', *others, *more])}"


def described(classes: Any, ones: int, zeros: int, what: str) -> str:
    """Say which class is which, with how many there are of each.

    Examples
    --------
    >>> described({"1": ["spam"], "0": ["ham"]}, 1025, 975, "items")
    'class 1 = spam, 1,025 items; class 0 = ham, 975'
    """
    yes, no = (", ".join(classes[name]) or "none" for name in ("1", "0"))
    rest = " (one class against the rest)" if len(classes["0"]) > 1 else ""
    return f"class 1 = {yes}, {ones:,} {what}; class 0 = {no}, {zeros:,}{rest}"
