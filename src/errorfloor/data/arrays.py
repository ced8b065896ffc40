"""Arrays of scores with labels, counted as dataframes and files are: equal rows, equal tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor.data import grid, refining
from errorfloor.data.grid import CELLS, cell_of, unit_cell_of
from errorfloor.data.matrices import as_class_scores, counted_scores
from errorfloor.data.table import by_score, in_order, side_by_side
from errorfloor.data.tables import ScoreTable
from errorfloor.data.weighing import of_items, rows_of_codes

_MANY = 4096  # items in a row of merged scores
# 2^64 by the golden ratio: what Fibonacci hashing multiplies by.
_SPREAD = 0x9E3779B97F4A7C15  # only for speed
_CHUNK = 2**16  # only for speed: items at a time, which stay in the processor's cache


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
    return ScoreTable(**counted_scores(np.array(s, order="F"), y, names))


def count_weighed(
    scores: object, labels: object, classes: object, beside: Mapping[str, object]
) -> ScoreTable:
    """Return the table of scores and labels with weights or clusters.

    As without, a row stands for the scores of one cell where there are too many; no cell is taken
    apart, and estimates say how far that can have moved them.
    """
    s, y, names = as_class_scores(scores, labels, classes)
    if s.ndim == 1 and _has_many(s):
        table = _by_cell(s, y, CELLS)
        if not _is_lumpy(table):
            return replace(table, entries=of_items(_rows_of_cells(s), y, beside, "scores"))
    order, row = in_order(s + 0.0)
    y = y[order]
    if s.ndim == 2:
        table = ScoreTable(**counted_scores(s[order], y, names))
    else:
        places = np.empty(int(row[-1]) + 1)
        places[row] = s[order] + 0.0
        counts = np.bincount(2 * row + (y != 0), minlength=2 * places.size).reshape(-1, 2)
        table = ScoreTable(places, side_by_side(*counts.T))
    return merged_if_many(replace(table, entries=of_items(row, y, beside, "scores", order)))


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
    if len(table) <= grid.EXACT or table.scores.ndim == 2:
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
        if len(table) <= grid.EXACT:
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
    if scores.size <= grid.EXACT:
        return False
    # One more, because 0.0 and -0.0 are of different bits.
    tried = 9 * grid.EXACT // 8, 4 * grid.EXACT  # only for speed: all are counted in the end
    return any(_different_bits(scores[:rows]) > grid.EXACT + 1 for rows in tried)


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
    ranges = refining.unsure_ranges(table)
    if not ranges:
        return table
    parts = []
    for some, label in _chunks(scores, labels):
        inside = reduce(or_, ((some >= low) & (some <= high) for low, high in ranges))
        at = np.flatnonzero(inside)  # few, which to take is faster than to leave out the others
        parts.append((some[at], label[at]))
    s, y = (np.concatenate(column) for column in zip(*parts, strict=True))
    part = ScoreTable(*by_score(s, y != 0))
    return table if len(part) > refining.MOST_REFINED else refining.taken_apart(table, ranges, part)


def _chunks(
    scores: NDArray[Any], labels: NDArray[Any]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for start in range(0, scores.size, _CHUNK):
        here = slice(start, start + _CHUNK)
        yield scores[here], labels[here]
