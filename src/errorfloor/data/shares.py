"""Shares of votes as scores, beside one true label per item: the paper's own route."""

from __future__ import annotations

import numpy as np

from errorfloor._checks import as_labels, check_same_length
from errorfloor._typing import Counts
from errorfloor.data.matrices import as_votes, counted_scores, is_matrix
from errorfloor.data.naming import codes_of
from errorfloor.data.table import added, side_by_side
from errorfloor.data.tables import ScoreTable, VoteTable


def shares_table(
    positives: Counts, totals: Counts, labels: Counts, counts: Counts, *, dropped: int = 0
) -> ScoreTable:
    """Return the table of items whose shares of positive votes are their scores."""
    share, row = np.unique(positives / totals, return_inverse=True)
    both = np.zeros((2, share.size), dtype=np.int64)
    np.add.at(both, (labels, row), counts)
    return ScoreTable(share, side_by_side(*both), dropped=dropped)


def class_shares_table(
    votes: Counts,
    labels: Counts,
    counts: Counts,
    *,
    classes: tuple[str, ...],
    dropped: int = 0,
) -> ScoreTable:
    """Return the table of items whose shares of votes for each class are their scores."""
    if votes.shape[1] == 2:
        return shares_table(votes[:, 1], added(votes), labels, counts, dropped=dropped)
    totals = added(votes)
    shares = np.empty(votes.shape[::-1])
    for k in range(votes.shape[1]):
        np.divide(votes[:, k], totals, out=shares[k])
    return ScoreTable(**counted_scores(shares.T, labels, classes, counts), dropped=dropped)


def shares_of_arrays(
    votes: object, totals: object, labels: object, classes: tuple[str, ...] | None = None
) -> tuple[ScoreTable, tuple[str, ...]]:
    """Return the table of votes and labels that are given item by item, and the classes' names."""
    VoteTable.from_arrays(votes, totals, classes=classes)  # says what is wrong with the votes
    if is_matrix(votes):
        k = as_votes(votes)
    else:
        ones = np.asarray(votes, dtype=np.int64)
        k = side_by_side(np.asarray(totals, dtype=np.int64) - ones, ones)
    if classes is None and not is_matrix(votes):
        labels = as_labels(labels, name="labels").astype(np.int64)
    y, names = codes_of(labels, k.shape[1], classes)
    check_same_length(k[:, 0], y, ("votes", "labels"))
    return class_shares_table(k, y, np.ones(len(k), dtype=np.int64), classes=names), names
