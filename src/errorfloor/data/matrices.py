"""Arrays of scores, soft labels and votes: checked, put in order, and equal rows counted.

Where there are two classes, all that follows works on numbers of class 1, so that the answer does
not depend on how the labels were given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    Part,
    argument,
    as_counts,
    as_labels,
    as_numbers,
    as_probabilities,
    as_scores,
    check_aligned,
    check_same_length,
    check_unit_interval,
    refuse,
    unmasked,
)
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.naming import (
    TWO_CLASSES,
    as_classes,
    codes_of,
    columns_in_order,
    distinct_values,
    naming_of,
    whole_of,
)
from errorfloor.data.values import as_entries, is_frame, missing_in, spelt, text_of

EXACT = 262_144  # distinct scores: a table has a row for each up to here, and beyond for cells
CELLS = 65_536  # of the grid from 0 to 1, where scores have to be merged
MOST_ITEMS = 2**62  # of a table, so that no sum of its counts is beyond 64 bits
ROUNDING = 1e-6  # by which probabilities may miss a sum of one
_OFF_GRID = 1e-3  # of a unit of the last decimal, by which 32 bits miss rounded numbers
_MOST_ROUNDED = 0.1001  # by which rounding may move a sum of probabilities
_MOST_TRIED = 8  # other columns, of which pairs and threes are added up
_FEWEST_MADE, _MADE = 20, 0.99  # rows that tell, and the share that says that sums are no accident
_SMALL = 2**22  # only for speed: entries of counts, up to which they are of the usual size


def check_total(counts: Counts) -> None:
    """Refuse counts that are too many to add up."""
    if int(counts.max(initial=0)) * counts.size <= MOST_ITEMS:
        return
    if sum(counts.ravel().tolist()) > MOST_ITEMS:
        raise _too_many("The counts of a table")


def _too_many(what: str) -> InputError:
    return InputError(
        f"{what} must add up to at most {MOST_ITEMS:,} items (2**62), and these are more. Check "
        "the counts."
    )


def column(values: object, name: str, least: int = 0, most: int = MOST_ITEMS) -> Counts:
    """Return counts as int64 that nobody can change, or say which is none; no counts are fine."""
    array = unmasked(values, name)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    whole = array.ndim == 1 and array.dtype == np.int64
    if whole and is_ours(array) and array.min() >= least and array.max() <= most:
        return array
    return as_counts(array, name=name, least=least, most=most).copy()


def by_class(values: object, name: str, most: int = MOST_ITEMS) -> Counts:
    """Return counts of shape (rows, classes), each class in one piece of memory."""
    array = unmasked(values, name)
    if array.ndim != 2 or array.shape[1] < 2:
        text = f" must have a column for each of two classes or more, got shape {array.shape}."
        raise InputError(argument(name), text)
    if array.dtype in (np.int64, np.int32) and is_ours(array) and array.min(initial=0) >= 0:
        return array
    rows, classes = array.shape
    found = np.empty((classes, rows), dtype=np.int64)
    for k in range(classes):
        found[k] = column(array[:, k], f"{name} of class {k}", most=most)
    return found.T


def is_ours(array: NDArray[Any]) -> bool:
    """Tell whether each class is in one piece of memory that nobody can change."""
    return array.flags.f_contiguous and not array.flags.writeable


def check_votes(votes: Counts) -> None:
    """Refuse items without votes, and with too many to add up."""
    if votes.max(initial=0) <= MOST_VOTES // votes.shape[1] and added(votes).all():
        return
    totals = votes.sum(axis=1, dtype=np.float64)
    refuse(totals == 0, totals, "Items must have votes", "Leave out items without votes.")
    refuse(
        totals > MOST_VOTES,
        totals,
        f"The votes on an item must be at most {MOST_VOTES:,}",
        "Check the numbers of votes.",
    )


def added(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of each row, class by class, so that it does not depend on the layout."""
    total = rows[:, 0].copy()
    for column_of_class in rows.T[1:]:
        total += column_of_class
    return total


def check_sums(rows: Floats, name: str, within: float = ROUNDING) -> None:
    """Refuse rows of probabilities that do not add up to one."""
    total = added(rows)
    refuse(
        ~(np.abs(total - 1) <= within),
        np.round(total, 9),
        (argument(name), " of an item must add up to 1"),
        "Divide them by their sum, or pass logits through a softmax.",
        entry="the sum of row",
    )


def rounding_of(rows: Floats) -> float:
    """Return by how much sums of probabilities may miss one because these were rounded.

    With d decimals each of K may be off by half a unit of the last one, so a sum by K / 2 units.
    """
    for decimals in range(1, 6):
        scaled = rows * 10.0**decimals
        if (np.abs(scaled - np.rint(scaled)) <= _OFF_GRID).all():
            whole = decimals == 1 and not (rows % 1).any()
            most = min(0.5001 * rows.shape[1] / 10**decimals, _MOST_ROUNDED)
            return ROUNDING if whole else max(most, ROUNDING)
    return ROUNDING


def made_of(rows: Floats, k: int) -> tuple[str, tuple[int, ...]] | None:
    """Return of which other columns one is the "sum" or "mean" on nearly all rows, if of any.

    Rows tell where the others are not all the same, and not all but one of them 0.
    """
    others = [place for place in range(rows.shape[1]) if place != k]
    several = {tuple(others)}
    if len(others) <= _MOST_TRIED:
        several |= {*combinations(others, 2), *combinations(others, 3)}
    for places in sorted(several):
        if len(places) < 2:
            continue
        some, one = rows[:, places], rows[:, k]
        there = ~np.isnan(one) & ~np.isnan(some).any(axis=1)
        whole = some.sum(axis=1)
        told = {
            "sum": (whole, (some != 0).sum(axis=1) > 1),
            "mean": (whole / len(places), some.min(axis=1) < some.max(axis=1)),
        }
        for name, (value, tells) in told.items():
            same = np.isclose(value, one, rtol=1e-9, atol=1e-9)[there & tells]
            if same.size >= _FEWEST_MADE and same.mean() >= _MADE:
                return name, places
    return None


def as_shares(rows: Floats, name: str) -> Floats:
    """Return probabilities by their sums, which may miss one by what rounding does."""
    check_sums(rows, name, rounding_of(rows) if are_off(rows) else ROUNDING)
    return normalised(rows)


def are_off(rows: Floats) -> int:
    """Return how many rows do not add up to one."""
    return int((~(np.abs(added(rows) - 1) <= ROUNDING)).sum())


def side_by_side(*classes: Counts) -> Counts:
    """Return counts of classes as columns, each in one piece of memory, that nobody can change."""
    counts = np.array(classes).T
    counts.setflags(write=False)
    return counts


def as_labelled_scores(scores: object, labels: object) -> tuple[Floats, Bools]:
    """Return scores with one label each as arrays, or say what is wrong with them."""
    s = as_scores(scores, name="scores")
    y = as_labels(labels, name="labels")
    check_same_length(s, y, ("scores", "labels"))
    return s, y


def by_score(scores: NDArray[Any], labels: Bools) -> tuple[Floats, Counts]:
    """Return the distinct scores, ascending, and the numbers of labels 0 and 1 at each.

    Scores are floats of any size.
    """
    s, y = _sorted(scores, labels)
    start = starts_of(s)
    ends = np.append(start[1:], s.size) - 1
    positives = np.diff(np.cumsum(y, dtype=np.int64)[ends], prepend=0)
    pair = side_by_side(ends - start + 1 - positives, positives)
    return s[start].astype(np.float64, copy=False), pair


def _sorted(scores: NDArray[Any], labels: Bools) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return scores in ascending order with their labels; labels of equal scores in any order."""
    if scores.min() < 0:
        order = np.argsort(scores)
        return scores[order], labels[order]
    # The bits of floats ascend as the floats do. Without the sign, which no score has but -0.0,
    # there is room for the label, and a sort of whole numbers is the fastest there is.
    bits = np.dtype(f"u{scores.itemsize}").type
    key = scores.view(bits) << bits(1)
    key |= labels
    key.sort()
    return (key >> bits(1)).view(scores.dtype), key & bits(1)


def order_of(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the order of rows by their key, a number or several; equal ones stay as they are.

    Of several numbers the next one is looked at where rows are still tied, which are few where
    numbers have many digits.
    """
    if keys.ndim == 1:
        return np.argsort(keys, kind="stable")
    order = np.argsort(keys[:, 0], kind="stable")
    at, run = _tied(keys[order, 0], np.arange(len(keys)), np.zeros(len(keys), dtype=np.intp))
    for k in range(1, keys.shape[1]):
        some = order[at]
        entries = np.lexsort((keys[some, k], run))
        order[at] = some[entries]
        at, run = _tied(keys[order[at], k], at, run)
    return order


def _tied(
    key: NDArray[Any], at: NDArray[np.intp], run: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which of some sorted places are tied with the next or the last, and with which."""
    new = np.ones(len(key), dtype=np.bool_)
    new[1:] = (key[1:] != key[:-1]) | (run[1:] != run[:-1])
    alone = new & np.append(new[1:], True)
    return at[~alone], np.cumsum(new)[~alone]


def ranks_of(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each key among the distinct ones in order."""
    order, row = in_order(keys)
    found = np.empty(len(keys), dtype=np.intp)
    found[order] = row
    return found


def in_order(keys: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order in which keys ascend, and the place of each, in it, among distinct ones."""
    order = np.argsort(keys) if keys.ndim == 1 else order_of(keys)
    new = np.zeros(len(keys), dtype=np.intp)
    new[starts_of(keys[order])[1:]] = 1
    return order, np.cumsum(new)


def starts_of(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each distinct key begins among sorted keys."""
    return np.flatnonzero(are_new(np.atleast_2d(keys.T)))


def are_new(columns: Iterable[NDArray[Any]]) -> Bools:
    """Tell which rows differ from the one before in some column; the first one is new."""
    new: Any = None
    for one in columns:
        if new is None:
            new = np.zeros(len(one), dtype=np.bool_)
            new[:1] = True
        new[1:] |= one[1:] != one[:-1]
    return np.asarray(new)


def is_ascending(keys: NDArray[Any]) -> bool:
    """Tell whether keys are distinct and in order."""
    if keys.ndim == 1:
        return not (keys[1:] <= keys[:-1]).any()
    tied = np.ones(max(len(keys) - 1, 0), dtype=np.bool_)
    for key in keys.T:
        if (tied & (key[1:] < key[:-1])).any():
            return False
        tied &= key[1:] == key[:-1]
    return not tied.any()


def pool(counts: NDArray[Any], order: Any, start: NDArray[np.intp]) -> NDArray[Any]:
    """Add up the counts of rows that belong together, for each class."""
    if start.size == 0:
        return counts
    summed = np.add.reduceat(counts.T[..., order], start, axis=-1)
    return np.asarray(summed.T)


def vote_key(votes: Counts) -> Counts:
    """Return what the rows of a vote table ascend by."""
    return np.column_stack((votes.sum(axis=1), votes[:, 1:]))


def votes_by_class(pattern: Counts, classes: int) -> Counts:
    """Return the number of votes for each class of rows with a vote per column, -1 for none."""
    size = classes + 1  # with a place for no vote before the classes
    key = pattern + np.arange(1, len(pattern) * size, size)[:, None]
    return np.bincount(key.ravel(), minlength=len(pattern) * size).reshape(-1, size)[:, 1:]


def two_columns(positives: object, totals: object) -> Counts:
    """Return the votes for both classes from those for class 1 and all of them."""
    k = column(positives, "positives", most=MOST_VOTES)
    m = column(totals, "totals", least=1, most=MOST_VOTES)
    check_same_length(k, m, ("positives", "totals"))
    check_positives(k, m)
    return side_by_side(m - k, k)


def check_positives(positives: Counts, totals: Counts) -> None:
    """Refuse more positive votes than votes."""
    refuse(
        positives > totals,
        positives,
        "`positives` must not exceed `totals`",
        "Check the order of the two arguments.",
    )


# A fixed grid of scores, for tables whose distinct scores are too many to keep.


def cell_of(scores: NDArray[Any], cells: int) -> Counts:
    """Return the cell of a fixed grid on the whole line that each score falls into.

    From 0 to 1 cells are finer towards both ends, as the standard deviation of a label is smaller
    there. Only operations that round the same way everywhere are used, so that any engine that
    computes the same expression finds the same cells.
    """
    least, most = scores.min(initial=0.0), scores.max(initial=1.0)
    if least >= 0 and most <= 1:
        return unit_cell_of(scores, cells)
    scores = scores.astype(np.float64, copy=False)  # only for speed
    inside = np.clip(scores, 0.0, 1.0)
    place = (1 + np.sqrt(inside) - np.sqrt(1 - inside)) / 2
    place = np.where(scores < 0, scores / (1 + np.abs(scores)), place)
    place = np.where(scores > 1, 2 - 1 / np.maximum(scores, 1), place)
    return np.asarray(np.floor(place * _below(cells)).astype(np.int64))


def unit_cell_of(scores: NDArray[Any], cells: int) -> Counts:
    """Return what `cell_of` does for scores of any precision that lie in [0, 1], in less time."""
    # In place, because this is most of the work on arrays of many scores.
    place = scores.astype(np.float64)
    rest = 1 - place
    np.sqrt(place, out=place)
    place += 1
    place -= np.sqrt(rest, out=rest)
    place *= _below(cells) / 2  # to halve a number rounds nothing
    return place.astype(np.int64)


def _below(cells: int) -> float:
    """Return a bit less than `cells`, so that 1 is in the last cell."""
    return math.nextafter(cells, 0)


# Arrays that people give, with a column for each class, checked and counted.


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
    shares = as_shares(rows, "soft_labels")
    if rows.shape[1] == 2:
        plain = shares if are_off(rows) else rows
        return as_probabilities(plain[:, 1], name="soft_labels"), None
    return shares, names


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


def normalised(rows: NDArray[Any]) -> Floats:
    """Return rows by their sums, each class in one piece of memory."""
    total = added(rows)
    found = np.empty(rows.shape[::-1])
    for k in range(rows.shape[1]):
        np.divide(rows[:, k], total, out=found[k])
    return found.T


def counted_soft(rows: Floats, names: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the distinct rows and how many items have each."""
    order = order_of(rows)
    start = _starts(rows, order)
    number = np.diff(start, append=len(rows))
    return {"probabilities": _taken(rows, order[start]), "counts": number, **_named(names, rows)}


def as_class_votes(
    positives: object, totals: object, classes: object = None
) -> tuple[Counts, tuple[str, ...] | None]:
    """Return numbers of votes with a column for each class, and the names that were given."""
    if is_matrix(positives):
        if totals is not None:
            raise InputError(
                argument("totals"),
                " must be left out where there is a column of votes for each class.",
            )
        votes = as_votes(positives)
        names = check_number(classes, votes.shape[1], "votes")
        check_votes(votes)
        return votes, names
    check_number(classes, 2, "votes")
    if totals is None and _are_lists(positives):
        raise InputError(
            argument("votes"),
            " holds lists of votes. Pass them as a column of a dataframe, and name that with ",
            *(argument("annotations"), "."),
        )
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
    return side_by_side(m - k, k), None


def _are_lists(values: Any) -> bool:
    """Tell whether the first of some values is a list, or text that is no number."""
    try:
        first = next(iter(values), None) if np.ndim(values) == 1 else None
    except ValueError:  # lists of unequal length
        return True
    if isinstance(first, str):
        return not first.strip().isdecimal()
    return isinstance(first, list | tuple | np.ndarray)


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


def score_columns(scores: Floats, labels: NDArray[Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the distinct scores and the labels of each class at each, as a table has them."""
    if scores.ndim == 1:
        distinct, counts = by_score(scores, labels)
        return {"scores": distinct, "counts": counts}
    return counted_scores(np.array(scores, order="F"), labels, names)


def without_frame(
    scores: object, labels: object, classes: object = None, **others: object
) -> tuple[Any, Any]:
    """Return scores next to labels as an array, if they are a dataframe, and the classes.

    Its columns are in the order of the classes then, which they are called after where the labels
    are. `others` are further arrays of the same items.
    """
    if not is_frame(scores):
        return scores, classes
    import narwhals as nw

    native: Any = scores
    try:
        frame = nw.from_native(native, eager_only=True)
        columns = {one.name: one for one in frame.iter_columns()}
    except TypeError:
        raise labels_apart(labels, argument("scores")) from None
    except nw.exceptions.DuplicateError:
        text = " has several columns of one name. Name each column once."
        raise InputError(argument("scores"), text) from None
    _check_rows(scores, {"labels": labels, **others})
    if len(columns) == 1:
        return next(iter(columns.values())).to_numpy(), classes
    words = [name for name, one in columns.items() if not _holds_numbers(one)]
    if words or not columns:
        what = f"the column {words[0]!r}, which holds no numbers" if words else "no columns"
        raise InputError(
            argument("scores"),
            f" has {what}. Pass the columns of scores alone, such as df[['a', 'b']].",
        )
    names = check_number(classes, len(columns), "scores")
    places, names = _classes_of_frame(columns, labels, names)
    return frame.to_numpy()[:, places], names


def _holds_numbers(column: Any) -> bool:
    """Tell whether a column has numbers, text that spells them, or what is looked at later."""
    kind = column.dtype
    if str(kind) in ("String", "Categorical", "Enum"):
        return all(spelt(str(one)) is not None for one in column.drop_nulls().unique().to_list())
    return not kind.is_temporal()


def _classes_of_frame(
    columns: Mapping[str, Any], labels: object, names: tuple[str, ...] | None
) -> tuple[list[int], tuple[str, ...] | None]:
    """Return the places of columns in the order of the classes, and the classes if these tell."""
    places, called = columns_in_order([*columns], names)
    entries = as_entries(labels)
    if entries.ndim != 1 or names is not None:
        return places, names  # labels of another shape are refused later
    values, _ = distinct_values(entries[~missing_in(entries)])
    naming = naming_of(values, len(called), None, (argument("labels"),), called)
    if {text_of(one) for one in values} <= {*called}:
        return places, called
    for name, one in columns.items():
        if np.array_equal(as_entries(one.to_numpy()), entries):
            text = f" has the labels themselves, in the column {name!r}. Leave it out."
            raise InputError(argument("scores"), text)
    # Words that are called otherwise than the columns are as the labels spell them.
    spelled = {naming.place[one]: text_of(one) for one in values if whole_of(one) is None}
    found = tuple(spelled.get(k, one) for k, one in enumerate(naming.names))
    return places, None if found == tuple(map(str, range(len(found)))) else found


def _check_rows(scores: Any, others: Mapping[str, Any]) -> None:
    """Refuse a dataframe next to series of pandas whose rows are called otherwise."""
    check_aligned(scores=scores, **others)
    index: Any = getattr(scores, "index", None)
    for name, one in others.items():
        other: Any = getattr(one, "index", None)
        both = hasattr(index, "equals") and hasattr(other, "equals")
        if both and len(index) == len(other) and not index.equals(other):
            raise InputError(
                *(argument("scores"), " and ", argument(name)),
                " have different indexes, so that their rows may be different items. Choose the "
                "same rows of both, or pass scores.to_numpy() where their places are right.",
            )


def labels_apart(labels: object, scores: Part) -> InputError:
    """Return what to say of labels next to rows without an order, with the call to write."""
    name = getattr(labels, "name", None)
    label = name if isinstance(name, str) else "label"
    return InputError(
        *(argument("labels"), " must be left out when ", scores),
        " is a file, or a dataframe whose columns are named or whose rows are not there yet. Name "
        "the column of the labels, too, such as from_scores(df, score=['a', 'b'], "
        f"label={label!r}).",
    )


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
    if rows.min() < 0:
        return np.asarray(rows[:, 1] - rows[:, 0])
    total = added(rows)
    if (np.abs(total - 1) <= ROUNDING).all():
        return rows[:, 1]
    return np.asarray(rows[:, 1] / total)


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
    return np.flatnonzero(are_new(rows[order, k] for k in range(rows.shape[1])))


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
