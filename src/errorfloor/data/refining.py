"""Tables of cells, made exact where the best cut can be: which scores to look at again, and how."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TypeAlias

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor.data.grid import EXACT
from errorfloor.data.tables import ScoreTable

MOST_REFINED = 4 * EXACT  # distinct scores that the second pass looks at, at most
MOST_RANGES = 16  # of scores that they lie in, at most

Ranges: TypeAlias = list[tuple[float, float]]


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
