"""Votes beside one true label per item: their shares as scores, or the label as one more vote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errorfloor._checks import as_labels, check_same_length
from errorfloor._typing import Counts, Floats
from errorfloor.data.gold import GoldVotes, with_vote
from errorfloor.data.matrices import as_votes, counted_scores, counted_votes, is_matrix
from errorfloor.data.naming import codes_of
from errorfloor.data.table import added, rows_of, side_by_side, vote_key
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.data.weighing import of_items


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
    *,
    label_is_vote: bool = False,
) -> tuple[ScoreTable | VoteTable, tuple[str, ...]]:
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
    return table_beside(k, y, names, beside, label_is_vote=label_is_vote), names


def table_beside(
    votes: Counts,
    labels: Counts,
    classes: tuple[str, ...],
    beside: Mapping[str, object] | None = None,
    *,
    label_is_vote: bool = False,
) -> ScoreTable | VoteTable:
    """Return the table of votes for each class, and labels that are places of classes."""
    make: Any = votes_table if label_is_vote else class_shares_table
    ones = np.ones(len(votes), dtype=np.int64)
    table: ScoreTable | VoteTable = make(votes, labels, ones, classes=classes)
    if not beside:
        return table
    key = vote_key(with_vote(votes, labels)) if label_is_vote else class_shares(votes)
    own = np.zeros_like(labels) if label_is_vote else labels
    return replace(table, entries=of_items(rows_of(key), own, beside, "votes"))
