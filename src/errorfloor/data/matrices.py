"""Arrays with a column for each class, checked and counted; those of two classes as one column.

Where there are two classes, all that follows works on numbers of class 1, so that the answer does
not depend on how the labels were given.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    argument,
    as_counts,
    as_numbers,
    as_probabilities,
    check_same_length,
    check_unit_interval,
    refuse,
    unmasked,
)
from errorfloor._typing import Counts, Floats
from errorfloor.data.naming import as_classes, codes_of
from errorfloor.data.table import (
    ROUNDING,
    TWO_CLASSES,
    added,
    as_labelled_scores,
    by_score,
    check_positives,
    check_sums,
    check_votes,
    order_of,
    pool,
    side_by_side,
    starts_of,
    vote_key,
)

_SMALL = 2**22  # only for speed: entries of counts, up to which they are of the usual size


def is_matrix(values: object) -> bool:
    """Tell whether values have columns."""
    try:
        return np.ndim(values) == 2  # type: ignore[arg-type]
    except ValueError:  # lists of unequal length
        return False


def as_matrix(values: object, name: str) -> Floats:
    """Return an array with a column for each class as finite floats."""
    array = _columns_of(as_numbers(unmasked(values, name), name), name)
    finite = np.ones(len(array), dtype=np.bool_)
    for k in range(array.shape[1]):
        finite &= np.isfinite(array[:, k])
    refuse(
        ~finite,
        array,
        (argument(name), " must be finite numbers"),
        "Drop or fill missing and infinite values first.",
        entry="row",
    )
    return array


def _columns_of(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim != 2 or array.shape[1] < 2 or array.size == 0:
        raise InputError(
            argument(name),
            f" must have a row for each item and a column for each class, got shape {array.shape}. "
            "Pass one column as 1-d.",
        )
    return array


def check_number(classes: object, number: int, name: str) -> tuple[str, ...] | None:
    """Return the names of so many classes, or say that they are more or fewer."""
    names = as_classes(classes)
    if names is not None and len(names) != number:
        what = f"{number} columns" if number > 2 else "numbers of class 1 and so two classes"
        text = f" has {len(names)} names, and "
        raise InputError(argument("classes"), text, argument(name), f" has {what}.")
    return names


def soft_columns(soft_labels: object, classes: object = None) -> dict[str, Any]:
    """Return the distinct soft labels and their counts, as a table has them."""
    values, names = as_soft(soft_labels, classes)
    return counted_once(np.sort(values)) if values.ndim == 1 else counted_soft(values, names)


def as_soft(soft_labels: object, classes: object) -> tuple[Floats, tuple[str, ...] | None]:
    """Return soft labels of class 1, or of each of many, and the names of these."""
    if not is_matrix(soft_labels):
        check_number(classes, 2, "soft_labels")
        return as_probabilities(soft_labels, name="soft_labels"), None
    rows = as_matrix(soft_labels, "soft_labels")
    names = check_number(classes, rows.shape[1], "soft_labels")
    for k in range(rows.shape[1]):
        check_unit_interval(rows[:, k], name="soft_labels", entry="row")
    check_sums(rows, "soft_labels")
    if rows.shape[1] == 2:
        return as_probabilities(rows[:, 1], name="soft_labels"), None
    return normalised(rows), names


def counted_once(ordered: Floats) -> dict[str, Any]:
    """Return the distinct soft labels among ordered ones, and their counts."""
    new = ordered[1:] != ordered[:-1]
    if new.all():  # most often so where there are very many
        ones = np.ones(ordered.size, dtype=np.int64)
        for column in (ordered, ones):
            column.flags.writeable = False  # only for speed: the table need not copy it
        return {"probabilities": ordered, "counts": ones}
    start = np.flatnonzero(np.concatenate(([True], new)))
    return {"probabilities": ordered[start], "counts": np.diff(start, append=ordered.size)}


def normalised(rows: Floats) -> Floats:
    """Return rows of probabilities that add up to one, each class in one piece of memory."""
    total = added(rows)
    found = np.empty(rows.shape[::-1])
    for k in range(rows.shape[1]):
        np.divide(rows[:, k], total, out=found[k])
    return found.T


def counted_soft(
    rows: Floats, names: tuple[str, ...] | None, counts: Counts | None = None
) -> dict[str, Any]:
    """Return the distinct rows and how many items have each."""
    order = order_of(rows)
    start = _starts(rows, order)
    ones = np.ones(len(rows), dtype=np.int64) if counts is None else counts
    number = pool(ones, order, start)
    return {"probabilities": _taken(rows, order[start]), "counts": number, **_named(names, rows)}


def vote_columns(positives: object, totals: object, classes: object = None) -> dict[str, Any]:
    """Return the distinct votes on items and their counts, as a table has them."""
    if is_matrix(positives):
        if totals is not None:
            raise InputError(
                argument("totals"),
                " must be left out where there is a column of votes for each class.",
            )
        votes = as_votes(positives)
        names = check_number(classes, votes.shape[1], "votes")
        check_votes(votes)
        return counted_votes(votes, None, names)
    check_number(classes, 2, "votes")
    if totals is None:
        raise InputError(
            argument("totals"),
            " is missing. Pass the number of votes per item, or one number for all; or a column of "
            "votes for each class.",
        )
    k = as_counts(positives, name="positives", least=0)
    same = unmasked(totals, "totals").ndim == 0
    m = as_counts([totals] if same else totals, name="totals", least=1)
    if same:
        m = np.broadcast_to(m, k.shape)
    check_same_length(k, m, ("positives", "totals"))
    check_positives(k, m)
    return counted_votes(side_by_side(m - k, k), None, None)


def check_counts(values: object) -> None:
    """Refuse an array that may hold single votes, with a column for each annotator.

    Counts of votes for each class are taken for such only where all items have equally many, more
    than one, and some class has two of them.
    """
    _columns_of(np.asarray(values), "votes")
    try:
        votes = as_votes(values)
        totals = votes.sum(axis=1)
        why = "" if totals[0] > 1 else f"each row adds up to {totals[0]}"
        why = why or ("" if votes.max() > 1 else "all entries are 0 or 1")
        other = int(np.argmax(totals != totals[0]))
        if totals[other] != totals[0]:
            why = f"row 0 adds up to {totals[0]} and row {other} to {totals[other]}"
    except InputError:
        why = "its entries are not all whole numbers of at least 0"
    if why:
        raise InputError(
            argument("votes"),
            f" is an array with columns, and {why}: it does not say what the columns are. Pass "
            "numbers of votes with a column for each class as ",
            *(argument("counts"), ", and single votes with a column for each annotator as "),
            *(argument("annotators"), "."),
        )


def as_votes(values: object, name: str = "votes") -> Counts:
    """Return numbers of votes with a column for each class, or say which is none."""
    array = _columns_of(unmasked(values, name), name)
    if array.dtype.kind in "iu" and array.min() >= 0 and array.max() <= MOST_VOTES:
        return array.astype(np.int64, copy=False)
    columns = [as_counts(array[:, k], name=name, least=0) for k in range(array.shape[1])]
    return np.array(columns).T


def counted_votes(
    votes: Counts, counts: Counts | None, names: tuple[str, ...] | None
) -> dict[str, Any]:
    """Return the distinct rows, ascending as those of a table do, and how many items have each."""
    found = _by_number(votes, counts)
    if found is None:
        key = vote_key(votes)
        order = order_of(key)
        start = starts_of(key[order])
        ones = np.ones(len(votes), dtype=np.int64) if counts is None else counts
        found = votes[order[start]], pool(ones, order, start)
    return {"votes": found[0], "counts": found[1], **_named(names, votes)}


def _by_number(votes: Counts, counts: Counts | None) -> tuple[Counts, Counts] | None:
    """Return the same by one number for each row, or None where that would be too large.

    The total and the votes for all classes but the first are its digits.
    """
    if len(votes) == 0:
        return None
    digits = [added(votes), *votes.T[1:]]
    bases = [int(digit.max()) + 1 for digit in digits]
    most = math.prod(bases)
    if most >= 2**62:
        return None
    key = digits[0].copy()
    for digit, base in zip(digits[1:], bases[1:], strict=True):
        key *= base
        key += digit
    there, number = _counted(key, counts, most)
    others = []
    for base in reversed(bases[1:]):
        there, digit = np.divmod(there, base)
        others.append(digit)
    columns = np.array([there - sum(others), *reversed(others)], dtype=np.int64)
    return columns.T, number


def _counted(key: Counts, counts: Counts | None, most: int) -> tuple[Counts, Counts]:
    """Return the distinct keys, ascending, and how many items have each."""
    if counts is not None:
        order = order_of(key)
        start = starts_of(key[order])
        return key[order[start]], pool(counts, order, start)
    if most > 4096 + 4 * key.size:  # only for speed
        return np.unique(key, return_counts=True)
    number = np.bincount(key)  # a place for each number that is possible takes no sort
    there = np.flatnonzero(number)
    return there, number[there]


def score_columns(scores: object, labels: object, classes: object = None) -> dict[str, Any]:
    """Return the distinct scores and the labels of each class at each, as a table has them."""
    s, y, names = as_class_scores(scores, labels, classes)
    if s.ndim == 1:
        distinct, counts = by_score(s, y)
        return {"scores": distinct, "counts": counts}
    return counted_scores(np.array(s, order="F"), y, names)


def as_class_scores(
    scores: object, labels: object, classes: object = None
) -> tuple[Floats, NDArray[Any], tuple[str, ...]]:
    """Return scores with one label each; of two classes the scores of class 1, and 0 or 1."""
    if not is_matrix(scores):
        names = check_number(classes, 2, "scores")
        if names is None:
            return *as_labelled_scores(scores, labels), TWO_CLASSES
        code, names = codes_of(labels, 2, names)
        s, _ = as_labelled_scores(scores, code)
        return s, code == 1, names
    rows = as_matrix(scores, "scores")
    code, names = codes_of(labels, rows.shape[1], check_number(classes, rows.shape[1], "scores"))
    check_same_length(rows[:, 0], code, ("scores", "labels"))
    check_some_positive(rows)
    if rows.shape[1] == 2:
        return one_score(rows), code == 1, names
    return rows, code, names


def check_some_positive(rows: Floats) -> None:
    """Refuse rows without a positive entry, where no score is negative."""
    if rows.size and rows.min() >= 0:
        refuse(
            ~(added(rows) > 0),
            rows,
            (argument("scores"), " of an item must not all be 0"),
            "Leave out such items, or pass logits.",
            entry="row",
        )


def one_score(rows: Floats) -> Floats:
    """Return a score of class 1 from those of two classes.

    Those that add up to one are probabilities. Others that are not negative are made so, and of
    logits the difference is taken.
    """
    if add_up(rows):
        return rows[:, 1]
    if rows.min() >= 0:
        return np.asarray(rows[:, 1] / (rows[:, 0] + rows[:, 1]))
    return np.asarray(rows[:, 1] - rows[:, 0])


def add_up(rows: Floats) -> bool:
    """Tell whether all rows are probabilities that add up to one."""
    return bool(rows.min() >= 0 and (np.abs(added(rows) - 1) <= ROUNDING).all())


def counted_scores(
    rows: Floats, code: Counts, names: tuple[str, ...], counts: Counts | None = None
) -> dict[str, Any]:
    """Return the distinct rows and how many labels of each class there are.

    `rows` is used up: it is put in order in place, as there may be gigabytes of it.
    """
    number = rows.shape[1]
    for k in range(number):
        rows[:, k] += 0.0  # equal places, equal bits
    order = order_of(rows)
    start = _starts(rows, order)
    at = np.zeros(len(rows), dtype=np.int64)
    at[start[1:]] = 1
    np.cumsum(at, out=at)
    mine = code[order]
    weight = None if counts is None else counts[order]
    total = len(rows) if counts is None else int(counts.sum())
    small = number * start.size > _SMALL and total < 2**31
    found = np.empty((number, start.size), dtype=np.int32 if small else np.int64)
    for k in range(number):
        own = mine == k
        if weight is None:
            found[k] = np.bincount(at[own], minlength=start.size)
        else:
            found[k] = 0
            np.add.at(found[k], at[own], weight[own])
    del at, mine
    found.setflags(write=False)
    return {"scores": _taken(rows, order[start]), "counts": found.T, "classes": names}


def _starts(rows: Floats, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where each distinct row begins among rows in order, a class at a time."""
    new = np.zeros(len(rows), dtype=np.bool_)
    new[:1] = True
    for k in range(rows.shape[1]):
        column = rows[order, k]
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


def _taken(rows: Floats, order: NDArray[np.intp]) -> Floats:
    """Return some rows, each class in one piece of memory, that nobody can change."""
    if order.size == len(rows) and rows.flags.f_contiguous and rows.flags.writeable:
        for k in range(rows.shape[1]):
            rows[:, k] = rows[order, k]
        found = rows
    else:
        found = np.empty((rows.shape[1], order.size)).T
        for k in range(rows.shape[1]):
            found[:, k] = rows[order, k]
    found.setflags(write=False)
    return found


def _named(names: tuple[str, ...] | None, rows: NDArray[Any]) -> dict[str, Any]:
    return {} if names is None or rows.shape[1] == 2 else {"classes": names}
