"""Shares of votes as scores, beside one true label per item: the paper's own route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from errorfloor._checks import as_labels, check_same_length
from errorfloor._typing import Counts, Floats
from errorfloor.data.entries import Entries
from errorfloor.data.matrices import as_votes, counted_scores, is_matrix
from errorfloor.data.naming import codes_of
from errorfloor.data.table import added, rows_of, side_by_side
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.data.weighing import of_items


def shares_table(
    positives: Counts,
    totals: Counts,
    labels: Counts,
    counts: Counts,
    *,
    dropped: int = 0,
    entries: Entries | None = None,
) -> ScoreTable:
    """Return the table of items whose shares of positive votes are their scores."""
    share, row = np.unique(positives / totals, return_inverse=True)
    both = np.zeros((2, share.size), dtype=np.int64)
    np.add.at(both, (labels, row), counts)
    return ScoreTable(share, side_by_side(*both), dropped=dropped, entries=entries)


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
    shares = class_shares(votes)
    return ScoreTable(**counted_scores(shares, labels, classes, counts), dropped=dropped)


def class_shares(votes: Counts) -> Floats:
    """Return the shares of votes for each class; of two classes those of the second."""
    totals = added(votes)
    if votes.shape[1] == 2:
        return np.asarray(votes[:, 1] / totals)
    shares = np.empty(votes.shape[::-1])
    for k in range(votes.shape[1]):
        np.divide(votes[:, k], totals, out=shares[k])
    return shares.T


def shares_of_arrays(
    votes: object,
    totals: object,
    labels: object,
    classes: tuple[str, ...] | None = None,
    beside: Mapping[str, object] | None = None,
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
    return shares_of_counts(k, y, names, beside), names


def shares_of_counts(
    votes: Counts,
    labels: Counts,
    classes: tuple[str, ...],
    beside: Mapping[str, object] | None = None,
) -> ScoreTable:
    """Return the table of votes for each class, and labels that are places of classes."""
    ones = np.ones(len(votes), dtype=np.int64)
    table = class_shares_table(votes, labels, ones, classes=classes)
    if not beside:
        return table
    rows = rows_of(class_shares(votes))
    return replace(table, entries=of_items(rows, labels, beside, "votes"))
