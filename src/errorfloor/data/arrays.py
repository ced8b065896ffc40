"""Arrays of scores with labels, counted as dataframes and files are: equal rows, equal tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

import numpy as np

from errorfloor._typing import Bools, Floats
from errorfloor.data import grid, refining
from errorfloor.data.grid import CELLS, cell_of
from errorfloor.data.table import as_labelled_scores, by_score, side_by_side
from errorfloor.data.tables import ScoreTable

_CHUNK = 2**16  # items at a time, whose scores and cells stay in the processor's cache


def count_arrays(scores: object, labels: object) -> ScoreTable:
    """Return the table that a file of these scores and labels has.

    Up to 262,144 distinct scores there is a row for each. Beyond, a row stands for the scores of
    one cell of a fixed grid, but for those in which the best cut can be. Nothing is sorted then
    but a few rows, so this takes less time than a sort of the scores.

    Parameters
    ----------
    scores, labels : array-like of shape (n,)
        As in `ScoreTable.from_arrays`, which has a row for each score whatever their number.
    """
    s, y = as_labelled_scores(scores, labels)
    if s.size <= grid.EXACT or _distinct(s[: 2 * grid.EXACT]) <= grid.EXACT:
        table = ScoreTable(*by_score(s, y))
        if len(table) <= grid.EXACT:
            return table
    return _refined(s, y, _by_cell(s, y))


def _distinct(scores: Floats) -> int:
    """Return how many distinct scores there are."""
    ascending = np.sort(scores)
    return 1 + int(np.count_nonzero(ascending[1:] != ascending[:-1]))


def _by_cell(scores: Floats, labels: Bools) -> ScoreTable:
    """Return the table of the cells of the grid, from one pass over the items."""
    before = CELLS if scores.min() < 0 else 0  # cells of negative scores
    size = before + 2 * CELLS
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    counts = np.zeros(2 * size, dtype=np.int64)
    for some, positive in _chunks(scores, labels):
        cell = cell_of(some, CELLS) + before
        np.minimum.at(low, cell, some)
        np.maximum.at(high, cell, some)
        found = np.bincount(2 * cell + positive)
        counts[: found.size] += found
    negatives, positives = counts.reshape(size, 2).T
    there = np.flatnonzero(negatives + positives)
    pair = side_by_side(negatives[there], positives[there])
    return ScoreTable.from_ranges(low[there], high[there], pair)


def _refined(scores: Floats, labels: Bools, table: ScoreTable) -> ScoreTable:
    """Take the rows apart that can hold the best cut, by a second look at their scores."""
    ranges = refining.unsure_ranges(table)
    if not ranges:
        return table
    parts = []
    for some, positive in _chunks(scores, labels):
        inside = reduce(or_, ((some >= low) & (some <= high) for low, high in ranges))
        parts.append((some[inside], positive[inside]))
    s, y = (np.concatenate(column) for column in zip(*parts, strict=True))
    part = ScoreTable(*by_score(s, y))
    return table if len(part) > refining.MOST_REFINED else refining.taken_apart(table, ranges, part)


def _chunks(scores: Floats, labels: Bools) -> Iterator[tuple[Floats, Bools]]:
    for start in range(0, scores.size, _CHUNK):
        here = slice(start, start + _CHUNK)
        yield scores[here], labels[here]
