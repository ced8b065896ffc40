"""Shares of votes as scores, beside one true label per item: the paper's own route."""

from __future__ import annotations

import numpy as np

from errorfloor._checks import as_labels, check_same_length
from errorfloor._typing import Counts
from errorfloor.data.table import side_by_side
from errorfloor.data.tables import ScoreTable, VoteTable


def shares_table(
    positives: Counts, totals: Counts, labels: Counts, counts: Counts, *, dropped: int = 0
) -> ScoreTable:
    """Return the table of items whose shares of positive votes are their scores."""
    share, row = np.unique(positives / totals, return_inverse=True)
    both = np.zeros((2, share.size), dtype=np.int64)
    np.add.at(both, (labels, row), counts)
    return ScoreTable(share, side_by_side(*both), dropped=dropped)


def shares_of_arrays(positives: object, totals: object, labels: object) -> ScoreTable:
    """Return the table of votes and labels that are given item by item."""
    VoteTable.from_arrays(positives, totals)  # says what is wrong with the votes
    k = np.asarray(positives, dtype=np.int64)
    y = as_labels(labels, name="labels")
    check_same_length(k, y, ("votes", "labels"))
    m = np.broadcast_to(np.asarray(totals, dtype=np.int64), k.shape)
    return shares_table(k, m, y.astype(np.int64), np.ones(k.size, dtype=np.int64))
