"""Arrays of labels, counted as dataframes and files are: equal rows, equal tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    InputError,
    argument,
    as_labels,
    as_scores,
    check_same_length,
    function,
)
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data import matrices
from errorfloor.data.entries import Entries, of_items, rows_of_codes
from errorfloor.data.matrices import (
    CELLS,
    EXACT,
    added,
    as_class_scores,
    as_class_votes,
    as_matrix,
    by_score,
    cell_of,
    counted_scores,
    counted_votes,
    in_order,
    is_matrix,
    normalised,
    one_score,
    ranks_of,
    score_columns,
    side_by_side,
    unit_cell_of,
    vote_key,
)
from errorfloor.data.naming import codes_of
from errorfloor.data.tables import GoldVotes, ScoreTable, VoteTable, with_vote
from errorfloor.data.values import as_entries, missing_in

if TYPE_CHECKING:
    from errorfloor.data.options import ReadOptions

MOST_REFINED = 4 * EXACT  # distinct scores that the second pass looks at, at most
MOST_RANGES = 16  # of scores that they lie in, at most
Ranges: TypeAlias = list[tuple[float, float]]
_MANY = 4096  # items in a row of merged scores
# 2^64 by the golden ratio: what Fibonacci hashing multiplies by.
_SPREAD = 0x9E3779B97F4A7C15  # only for speed
_CHUNK = 2**16  # only for speed: items at a time, which stay in the processor's cache


# Tables of cells, made exact where the best cut can be: which scores to look at again.


def unsure_ranges(table: ScoreTable) -> Ranges:
    """Return few ranges of scores that together hold all rows in which the best cut may be."""
    rows = np.flatnonzero(table.may_hold_the_best_cut())
    if rows.size == 0:
        return []
    # The rows between two wanted ones come along, but for the widest gaps if they are too many.
    total = np.cumsum(table.items)
    gap = total[rows[1:] - 1] - total[rows[:-1]]
    few = total[rows[-1]] - total[rows[0]] <= MOST_REFINED
    ends = np.sort(np.argsort(gap, kind="stable")[::-1][: 0 if few else MOST_RANGES - 1])
    ends = ends[gap[ends] > 0]
    first = rows[np.concatenate(([0], ends + 1))]
    last = rows[np.append(ends, rows.size - 1)]
    lows, highs = table.ranges
    return list(zip(lows[first].tolist(), highs[last].tolist(), strict=True))


def taken_apart(table: ScoreTable, ranges: Ranges, part: ScoreTable) -> ScoreTable:
    """Return the table with the rows in `ranges` replaced by those of `part`."""
    lows, highs = table.ranges
    inside = reduce(or_, ((lows >= low) & (highs <= high) for low, high in ranges))
    if (table.counts[inside].sum(axis=0) != part.counts.sum(axis=0)).any():
        raise InputError(
            "The data changed between two passes over it. Save it first, or pass ",
            argument("refine", False),
            ".",
        )
    rest = (lows[~inside], highs[~inside], table.counts[~inside])
    new = (*part.ranges, part.counts)
    low, high, counts = (np.concatenate(pair) for pair in zip(rest, new, strict=True))
    return ScoreTable.from_ranges(low, high, counts, dropped=table.dropped)


# Scores with labels.


def count_arrays(scores: object, labels: object, classes: object = None) -> ScoreTable:
    """Return the table that a file of these scores and labels has.

    Up to 262,144 distinct scores there is a row for each. Beyond, a row stands for the scores of
    one cell of a fixed grid, but for those in which the best cut can be. Nothing is sorted then
    but a few rows, so this takes less time than a sort of the scores. Scores that lie far beyond 1
    and so would share a few cells have a row each, and so have scores of more than two classes.

    Parameters
    ----------
    scores, labels, classes
        As in `ScoreTable.from_arrays`, which has a row for each score whatever their number.
    """
    s, y, names = as_class_scores(scores, labels, classes)
    if s.ndim == 1:
        return count_checked(s, y)
    return ScoreTable(**score_columns(s, y, names))


def count_weighed(
    scores: object, labels: object, classes: object, sampling: Mapping[str, object]
) -> ScoreTable:
    """Return the table of scores and labels with weights or clusters.

    As without, a row stands for the scores of one cell where there are too many; no cell is taken
    apart, and estimates say how far that can have moved them.
    """
    s, y, names = as_class_scores(scores, labels, classes)
    if s.ndim == 1 and _has_many(s):
        table = _by_cell(s, y, CELLS)
        if not _is_lumpy(table):
            return replace(table, entries=of_items(_rows_of_cells(s), y, "scores", **sampling))
    order, row = in_order(s + 0.0)
    y = y[order]
    if s.ndim == 2:
        table = ScoreTable(**counted_scores(s[order], y, names))
    else:
        places = np.empty(int(row[-1]) + 1)
        places[row] = s[order] + 0.0
        counts = np.bincount(2 * row + (y != 0), minlength=2 * places.size).reshape(-1, 2)
        table = ScoreTable(places, side_by_side(*counts.T))
    return merged_if_many(replace(table, entries=of_items(row, y, "scores", order, **sampling)))


def _rows_of_cells(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Return the row of each item in the table of cells that occur."""
    cell = np.empty(scores.size, dtype=np.intp)
    for start in range(0, scores.size, _CHUNK):
        here = slice(start, start + _CHUNK)
        cell[here] = cell_of(scores[here], CELLS)
    cell -= cell.min()
    return rows_of_codes(cell)


def merged_if_many(table: ScoreTable) -> ScoreTable:
    """Return a table with weights whose rows are cells where its scores are too many."""
    if len(table) <= matrices.EXACT or table.scores.ndim == 2:
        return table
    coarse = table.coarsen()
    return table if _is_lumpy(coarse) else coarse


def count_checked(
    scores: NDArray[Any], labels: NDArray[Any], *, cells: int = CELLS, refine: bool = True
) -> ScoreTable:
    """Return the table of finite numbers of any type with labels 0 and 1."""
    if scores.dtype.kind != "f":
        scores = scores.astype(np.float64)
    if not _has_many(scores):
        table = ScoreTable(*by_score(scores, labels != 0))
        if len(table) <= matrices.EXACT:
            return table
    table = _by_cell(scores, labels, cells)
    if refine and _is_lumpy(table):
        return ScoreTable(*by_score(scores, labels != 0))
    return _refined(scores, labels, table) if refine else table


def _is_lumpy(table: ScoreTable) -> bool:
    """Tell whether one row stands for so many scores that limits would suffer from it.

    The cells of the grid are narrow from 0 to 1 and around. Scores in the thousands share a few.
    """
    merged = table.items[table.coarse]
    return int(merged.max(initial=0)) > max(_MANY, table.n // 1024)


def _has_many(scores: NDArray[Any]) -> bool:
    """Tell whether the first scores alone are too many for a row each, which is soon known."""
    if scores.size <= matrices.EXACT:
        return False
    # One more, because 0.0 and -0.0 are of different bits.
    most = matrices.EXACT
    tried = 9 * most // 8, 4 * most  # only for speed: all are counted in the end
    return any(_different_bits(scores[:rows]) > most + 1 for rows in tried)


def _different_bits(scores: NDArray[Any]) -> int:
    """Return how many scores differ in their bits, or a few less, in a fraction of a sort's time.

    Their bits, mixed and times an odd number, spread over many more places than there are scores.
    What is counted is how many of these places are taken.
    """
    bits = 8 * scores.itemsize
    whole = np.dtype(f"u{scores.itemsize}").type
    key = np.ascontiguousarray(scores).view(whole)
    odd = whole(_SPREAD >> (64 - bits) | 1)  # only for speed: any odd number spreads them
    key = (key ^ key >> whole(bits // 2)) * odd
    used = min(scores.size.bit_length() + 4, bits)  # only for speed
    taken = np.zeros(2**used, dtype=np.bool_)
    taken[key >> whole(bits - used)] = True
    return int(np.count_nonzero(taken))


def _by_cell(scores: NDArray[Any], labels: NDArray[Any], cells: int) -> ScoreTable:
    """Return the table of the cells of the grid, from one pass over the items."""
    least, most = scores.min(), scores.max()
    before = cells if least < 0 else 0  # cells of negative scores
    size = before + (cells if most <= 1 else 2 * cells)
    find = unit_cell_of if least >= 0 and most <= 1 else cell_of
    counts = np.zeros(2 * size, dtype=np.int64)
    low, high = (np.full(size, edge, dtype=scores.dtype) for edge in (np.inf, -np.inf))
    for some, label in _chunks(scores, labels):
        cell = find(some, cells)
        if before:
            cell += before
        np.minimum.at(low, cell, some)
        np.maximum.at(high, cell, some)
        cell *= 2
        cell += label != 0
        found = np.bincount(cell)
        counts[: found.size] += found
    negatives, positives = counts.reshape(size, 2).T
    there = np.flatnonzero(negatives + positives)
    pair = side_by_side(negatives[there], positives[there])
    lows, highs = (edge[there].astype(np.float64) for edge in (low, high))
    return ScoreTable.from_ranges(lows, highs, pair)


def _refined(scores: NDArray[Any], labels: NDArray[Any], table: ScoreTable) -> ScoreTable:
    """Take the rows apart that can hold the best cut, by a second look at their scores."""
    ranges = unsure_ranges(table)
    if not ranges:
        return table
    parts = []
    for some, label in _chunks(scores, labels):
        inside = reduce(or_, ((some >= low) & (some <= high) for low, high in ranges))
        at = np.flatnonzero(inside)  # few, which to take is faster than to leave out the others
        parts.append((some[at], label[at]))
    s, y = (np.concatenate(column) for column in zip(*parts, strict=True))
    part = ScoreTable(*by_score(s, y != 0))
    return table if len(part) > MOST_REFINED else taken_apart(table, ranges, part)


def _chunks(
    scores: NDArray[Any], labels: NDArray[Any]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for start in range(0, scores.size, _CHUNK):
        here = slice(start, start + _CHUNK)
        yield scores[here], labels[here]


# Scores with labels of which some are missing.


def partly_labelled(scores: object, labels: object, options: ReadOptions) -> ScoreTable:
    """Return the table of arrays in which some labels are missing, left out or kept as such."""
    known = known_labels(labels)
    places = _as_places(scores)
    check_same_length(places.T[0] if places.ndim > 1 else places, known, ("scores", "labels"))
    if known.all():
        kept: Any = labels
    elif known.any():
        kept = labels_there(labels)
    else:
        raise none_labelled(known.size)
    if is_matrix(scores) and places.ndim == 1:  # where labels may be words
        kept, _ = codes_of(kept, 2, options.classes)
    some, weight = places[known], options.weight
    if weight is None:
        table = count_arrays(some, kept, options.classes)
    else:
        weight = weight if known.all() else _known_weights(weight, known)
        table = ScoreTable.from_arrays(some, kept, classes=options.classes, weight=weight)
    if options.drop_missing:
        return table.without(int(np.count_nonzero(~known)))
    return table if known.all() else with_others(table, _counts_at(places[~known]))


def _as_places(scores: object) -> NDArray[Any]:
    """Return scores as numbers; of two columns the score of class 1, which depends on all items."""
    if not is_matrix(scores):
        return as_scores(scores, name="scores")
    rows = as_matrix(scores, "scores")
    return one_score(rows) if rows.shape[1] == 2 else rows


def known_labels(labels: object) -> Bools:
    """Tell which entries of an array of labels are there: no None, NaN, NA or masked ones."""
    hidden = np.ma.getmaskarray(labels) if np.ma.isMaskedArray(labels) else None
    array = as_entries(labels)
    if array.ndim != 1:
        text = f" must be 1-d, got shape {array.shape}. Pass one label per item, or None."
        raise InputError(argument("labels"), text)
    known = ~missing_in(array)
    return np.asarray(known if hidden is None else known & ~hidden)


def labels_there(labels: object) -> NDArray[Any]:
    """Return the labels that are not missing."""
    return as_entries(labels)[known_labels(labels)]


def _known_weights(weight: object, known: Bools) -> Any:
    """Return the weights of labelled items; the others need none."""
    array = np.asanyarray(weight)  # with its mask, if it has one
    if array.ndim != 1:
        return weight  # which is refused where they are read
    check_same_length(known, array, ("scores", "weight"))
    return array[known].tolist() if array.dtype.kind == "O" else array[known]


def none_labelled(number: int) -> InputError:
    """Return the error of data without any label."""
    return InputError(
        argument("labels"),
        f" is missing for all {number:,} items. Label some of them first; ",
        *(function("plan_labels"), " says which."),
    )


def _counts_at(places: NDArray[Any]) -> ScoreTable:
    """Return the table of items as if their labels were of the first class."""
    labels = np.zeros(len(places), dtype=np.int64)
    if places.ndim == 1:
        return count_arrays(places, labels)
    return count_arrays(places, labels, tuple(map(str, range(places.shape[1]))))


def with_others(table: ScoreTable, others: ScoreTable) -> ScoreTable:
    """Return a table with further items, whose labels are not known whatever they say."""
    number = others.items.astype(np.int64)
    nothing = np.zeros((len(others), len(table.classes)), dtype=np.int64)
    entries = None
    if table.entries is not None:
        rows = np.arange(number.size)
        entries = Entries(rows, np.full(rows.size, len(table.classes)), np.ones(rows.size), number)
    unknown = ScoreTable(
        others.scores,
        nothing,
        unlabelled=number,
        lows=others.lows,
        highs=others.highs,
        classes=table.classes,
        entries=entries,
    )
    return table + unknown


# Votes next to one true label per item: their shares as scores, or the label as one more vote.


def class_shares_table(
    votes: Counts, labels: Counts, counts: Counts, *, classes: tuple[str, ...]
) -> ScoreTable:
    """Return the table of items whose shares of votes for each class are their scores."""
    gold, shares = GoldVotes.of(votes, labels, counts), class_shares(votes)
    if votes.shape[1] > 2:
        return ScoreTable(**counted_scores(shares, labels, classes, counts), gold=gold)
    share, row = np.unique(shares, return_inverse=True)
    both = np.zeros((2, share.size), dtype=np.int64)
    np.add.at(both, (labels, row), counts)
    return ScoreTable(share, side_by_side(*both), gold=gold)


def votes_table(
    votes: Counts, labels: Counts, counts: Counts, *, classes: tuple[str, ...]
) -> VoteTable:
    """Return the table of items whose label is one more vote."""
    columns = counted_votes(with_vote(votes, labels), counts, classes)
    return VoteTable(**columns, gold=GoldVotes.of(votes, labels, counts))


def class_shares(votes: Counts) -> Floats:
    """Return the shares of votes for each class; of two classes those of the second."""
    return np.asarray(votes[:, 1] / added(votes)) if votes.shape[1] == 2 else normalised(votes)


def shares_of_arrays(
    votes: object,
    totals: object,
    labels: object,
    classes: tuple[str, ...] | None = None,
    sampling: Mapping[str, object] | None = None,
    *,
    label_is_vote: bool = False,
) -> tuple[ScoreTable | VoteTable, tuple[str, ...]]:
    """Return the table of votes and labels that are given item by item, and the classes' names."""
    k, _ = as_class_votes(votes, totals, classes)
    if classes is None and not is_matrix(votes):
        labels = as_labels(labels, name="labels").astype(np.int64)
    y, names = codes_of(labels, k.shape[1], classes)
    check_same_length(k[:, 0], y, ("votes", "labels"))
    return table_beside(k, y, names, sampling, label_is_vote=label_is_vote), names


def table_beside(
    votes: Counts,
    labels: Counts,
    classes: tuple[str, ...],
    sampling: Mapping[str, object] | None = None,
    *,
    label_is_vote: bool = False,
) -> ScoreTable | VoteTable:
    """Return the table of votes for each class, and labels that are places of classes."""
    make: Any = votes_table if label_is_vote else class_shares_table
    ones = np.ones(len(votes), dtype=np.int64)
    table: ScoreTable | VoteTable = make(votes, labels, ones, classes=classes)
    if not sampling:
        return table
    key = vote_key(with_vote(votes, labels)) if label_is_vote else class_shares(votes)
    own = np.zeros_like(labels) if label_is_vote else labels
    return replace(table, entries=of_items(ranks_of(key), own, "votes", **sampling))
