"""Votes on items as a table of counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from errorfloor._aligned import check_aligned
from errorfloor._checks import MOST_VOTES
from errorfloor._typing import Counts, Floats
from errorfloor.data import annotators
from errorfloor.data.entries import Entries, together
from errorfloor.data.gold import GoldVotes
from errorfloor.data.matrices import counted_votes, vote_columns
from errorfloor.data.sample import Sample
from errorfloor.data.table import (
    TWO_CLASSES,
    Table,
    by_class,
    check_total,
    check_votes,
    column,
    is_ascending,
    rows_of,
    two_columns,
    vote_key,
)
from errorfloor.data.weighing import of_votes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VoteTable(Table):
    """Distinct votes on an item with the number of items that have them.

    Parameters
    ----------
    votes : array-like of shape (rows, classes)
        Number of votes for each class. Rows ascend by their total, then by the votes for class 1,
        2 and so on.
    counts : array-like of shape (rows,)
        Number of items with such votes.
    dropped : int
        Items that were left out because something was missing.
    classes : sequence of str
        Names of the classes.
    by_group : array-like of shape (rows, 6 or 8), optional
        What is kept where annotators are known: how many items with such votes (`totals`,
        `positives`) have so many of them from a group of annotators. Of more than two classes, how
        many pairs of votes agree with and without the group.
    workloads : array-like of shape (a, 2), optional
        The votes of each annotator, where annotators are known.
    gold : GoldVotes, optional
        The votes without the gold label, where that was added as one more. Neither saved nor
        compared.

    Examples
    --------
    >>> votes = VoteTable.from_arrays([0, 2, 2, 3], totals=3)
    >>> votes.positives, votes.totals, votes.counts
    (array([0, 2, 3]), array([3, 3, 3]), array([1, 2, 1]))
    """

    votes: Counts
    counts: Counts
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES
    by_group: Counts | None = None
    workloads: Counts | None = None
    entries: Entries | None = None
    gold: GoldVotes | None = None

    kind: ClassVar[str] = "votes"
    columns_of_0_1: ClassVar[frozenset[str]] = frozenset({"positives", "totals", "counts"})

    def __post_init__(self) -> None:
        votes = by_class(self.votes, "votes", most=MOST_VOTES)
        self._freeze(votes=votes, counts=column(self.counts, "counts", least=1))
        check_total(self.counts)
        check_votes(votes)
        if not is_ascending(vote_key(votes)):
            raise ValueError(
                "The rows of a vote table must be distinct and ascend by total, then positives. "
                "Build tables with VoteTable.from_arrays."
            )
        self._name_classes(votes.shape[1])
        self._check_entries()
        if self.by_group is not None or self.workloads is not None:
            total = int(self.totals @ self.counts)
            many = len(self.classes) > 2
            kept = annotators.checked(self.by_group, self.workloads, total, many=many)
            for name, array in zip(("by_group", "workloads"), kept, strict=True):
                object.__setattr__(self, name, array)

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        votes = np.zeros((0, len(classes)), dtype=np.int64)
        return cls(votes, np.zeros(0, dtype=np.int64), classes=classes)

    @classmethod
    def from_arrays(
        cls,
        positives: object,
        totals: object = None,
        *,
        classes: Sequence[object] | None = None,
        weight: object = None,
        cluster: object = None,
    ) -> Self:
        """Count the items with each combination of votes.

        Parameters
        ----------
        positives : array-like of shape (n,), or (n, classes)
            Votes for class 1 on each item, or votes for each class.
        totals : int or array-like of shape (n,), optional
            All votes on each item, at least 1; left out where there is a column for each class.
        classes : sequence of str, optional
            Names of the classes, in the order of the columns.
        weight : array-like of shape (n,), optional
            What each item weighs, a positive number.
        cluster : array-like of shape (n,), optional
            What cluster each item belongs to.
        """
        check_aligned(positives=positives, totals=totals, weight=weight, cluster=cluster)
        table = cls(**vote_columns(positives, totals, classes))
        if weight is None and cluster is None:
            return table
        return replace(table, entries=of_votes(positives, totals, weight, cluster))

    @classmethod
    def from_counts(
        cls, positives: Counts, totals: Counts, counts: Counts, **more: Any
    ) -> VoteTable:
        """Return the table of pairs that occur `counts` times each, equal pairs pooled."""
        return cls._pooled(two_columns(positives, totals), column(counts, "counts"), **more)

    @classmethod
    def _renewed(cls, arrays: dict[str, Any]) -> dict[str, Any]:
        votes = two_columns(arrays.pop("positives"), arrays.pop("totals"))
        return {**arrays, "votes": votes}

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.counts.sum())

    @property
    def totals(self) -> Counts:
        """All votes on the items of each row."""
        return np.asarray(self.votes.sum(axis=1))

    @property
    def positives(self) -> Counts:
        """Votes for class 1 on the items of each row."""
        if len(self.classes) != 2:
            raise ValueError(
                f"A table of {len(self.classes)} classes has no positives. "
                "Use `votes`, which has a column for each class."
            )
        return self.votes[:, 1]

    @property
    def shares(self) -> Floats:
        """How common each class is among the answers of one person on each item."""
        sample = self.cells()
        return np.asarray(sample.masses @ (sample.votes / sample.totals[:, None]) / sample.total)

    def cells(self) -> Sample:
        """Lay the table out for statistics."""
        if self.entries is not None:
            return Sample.of_entries(self.votes, self.entries, labelled=False)
        return Sample.of_rows(self.votes, self.counts)

    @classmethod
    def _pooled(cls, votes: Counts, counts: Counts, **more: Any) -> Self:
        return cls(**counted_votes(votes, counts, None), **more)

    def _plus(self, other: Self) -> Self:
        votes = np.concatenate((self.votes, other.votes))
        entries = together(self.entries, other.entries, (len(self), len(other)))
        return self._pooled(
            votes,
            np.concatenate((self.counts, other.counts)),
            entries=None if entries is None else entries.moved(rows_of(vote_key(votes))),
            dropped=self.dropped + other.dropped,
            classes=self.classes,
            **annotators.together(self, other),
        )
