"""The band of `reliability` in version 0.1.0: all runs of up to 50 blocks, with equal shares."""

from __future__ import annotations

import numpy as np

from errorfloor.intervals.binomial import lower_limit, upper_limit
from errorfloor.questions.reliability import _block_starts


def band(table, level, blocks=50):
    """Return the lower and upper limit at each score of a table."""
    start = _block_starts(table, blocks)
    negatives, positives = (
        np.concatenate(([0], np.cumsum(np.add.reduceat(count, start))))
        for count in (table.negatives, table.positives)
    )
    first, last = np.triu_indices(start.size)
    no, yes = (count[last + 1] - count[first] for count in (negatives, positives))
    tail = (1 - level) / (2 * first.size)
    ended, ahead = np.zeros(start.size + 1), np.ones(start.size + 1)
    np.maximum.at(ended, last + 1, lower_limit(yes, yes + no, tail))
    np.minimum.at(ahead, first, upper_limit(yes, yes + no, tail))
    lows, highs = table.ranges
    behind = np.searchsorted(highs[np.append(start[1:], len(table)) - 1], table.scores, "right")
    before = np.searchsorted(lows[start], table.scores, "left")
    low, high = np.maximum.accumulate(ended), np.minimum.accumulate(ahead[::-1])[::-1]
    return low[behind], high[before]
