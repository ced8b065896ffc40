"""Tables of two classes made from one of many: the top label, and one class against the rest."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.rules.fewest import TIE
from errorfloor.methods.rules.logs import shares


def top_label(table: ScoreTable) -> ScoreTable:
    """Return the largest share of each row, and whether its class is the label.

    Of tied classes the first counts.
    """
    share = shares(table.scores).T
    top = share.max(axis=1)
    first = np.argmax(share >= (top * (1 - TIE))[:, None], axis=1)
    return _two(top, table.counts[np.arange(len(table)), first], table)


def against_the_rest(table: ScoreTable, number: int) -> ScoreTable:
    """Return the share of one class in each row, and whether it is the label."""
    return _two(shares(table.scores)[number], table.counts[:, number], table)


def _two(share: Floats, own: Counts, table: ScoreTable) -> ScoreTable:
    scores, row = np.unique(share, return_inverse=True)
    positives, items = (
        np.bincount(row, count, minlength=scores.size).astype(np.int64)
        for count in (own, table.items)
    )
    return ScoreTable.from_counts(scores, items - positives, positives, dropped=table.dropped)
