"""Single votes with their annotators, for questions that tables of counts cannot answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Bools, Counts
from errorfloor.data.annotators import GROUPS, bucket_of, of_many, part_of, text_of
from errorfloor.data.table import TWO_CLASSES
from errorfloor.data.tables import VoteTable

MOST_VOTES = 2**26  # that fit into memory


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """One entry per vote, in an order that depends on nothing but items and annotators.

    Attributes
    ----------
    item, annotator : array of shape (votes,)
        Numbers of the items, and of the annotators in `names`.
    vote : array of shape (votes,)
        0 or 1; of more classes their places in `classes`.
    names : tuple of str
        The annotators' ids as text.
    half : array of shape (items,)
        A half of the items, drawn by a hash that votes have no influence on.
    classes : tuple of str
        Names of the classes.
    """

    item: Counts
    annotator: Counts
    vote: Counts
    names: tuple[str, ...]
    half: Bools
    classes: tuple[str, ...] = TWO_CLASSES

    @classmethod
    def of(cls, item: Any, annotator: Any, vote: Any) -> Ballots:
        """Return the votes of columns with one entry per vote."""
        _check_number(len(vote))
        items, at = _codes(item)
        names, by = _codes(annotator)
        order = np.lexsort((by, at))
        votes = np.asarray(vote, dtype=np.float64).astype(np.int64)
        half = np.array([bucket_of(one) % 2 == 1 for one in items], dtype=np.bool_)
        return cls(at[order], by[order], votes[order], tuple(names), half)

    @classmethod
    def side_by_side(cls, pattern: Counts, names: list[str]) -> Ballots:
        """Return the votes of one row per item and one column per annotator, -1 for none."""
        _check_number(pattern.size)
        pattern = pattern[np.lexsort(pattern.T[::-1])]  # engines have rows in any order
        item, annotator = np.nonzero(pattern >= 0)
        half = np.random.default_rng(0).random(len(pattern)) < 0.5
        texts = tuple(text_of(name) for name in names)
        return cls(item, annotator, pattern[item, annotator], texts, half)

    def with_classes(self, classes: tuple[str, ...]) -> Ballots:
        """Return the same votes with names of the classes that they are for."""
        return replace(self, classes=classes)

    @property
    def totals(self) -> Counts:
        """Number of votes on each item."""
        return np.bincount(self.item, minlength=self.half.size)

    @property
    def positives(self) -> Counts:
        """Number of votes for class 1 on each item."""
        return self.counts[:, 1]

    @property
    def counts(self) -> Counts:
        """Number of votes for each class on each item."""
        number = len(self.classes)
        key = self.item * number + self.vote
        return np.bincount(key, minlength=number * self.half.size).reshape(-1, number)

    def _table_of_many(self, bucket: Counts) -> VoteTable:
        number, counts = len(self.classes), self.counts
        key, at = np.unique(self.item * GROUPS + part_of(bucket), return_inverse=True)
        own = np.bincount(at * number + self.vote, minlength=key.size * number)
        ones = np.ones(key.size, np.int64)
        rows = of_many(key % GROUPS, counts[key // GROUPS], own.reshape(-1, number), ones)
        work = np.column_stack((bucket, np.ones(bucket.size, np.int64)))
        made = VoteTable.from_arrays(counts[self.totals > 0])
        return replace(made, classes=self.classes, by_group=rows, workloads=work)

    def where(self, chosen: Bools) -> Ballots:
        """Return some of the votes; items and annotators keep their numbers."""
        item, annotator, vote = self.item[chosen], self.annotator[chosen], self.vote[chosen]
        return Ballots(item, annotator, vote, self.names, self.half, self.classes)

    def table(self) -> VoteTable:
        """Return how many items have how many votes, with what tables keep of annotators."""
        bucket = np.array([bucket_of(name) for name in self.names], dtype=np.int64)[self.annotator]
        if len(self.classes) > 2:
            return self._table_of_many(bucket)
        key, at = np.unique(self.item * GROUPS + part_of(bucket), return_inverse=True)
        item, part = key // GROUPS, key % GROUPS
        m, k = self.totals, self.positives
        own = np.bincount(at), np.bincount(at, self.vote).astype(np.int64)
        rows = np.column_stack((part, m[item], k[item], *own, np.ones(item.size, np.int64)))
        work = np.column_stack((bucket, np.ones(bucket.size, np.int64)))
        some = m > 0
        return VoteTable.from_counts(
            k[some], m[some], np.ones(int(some.sum()), np.int64), by_group=rows, workloads=work
        )


def _codes(values: Any) -> tuple[list[str], Counts]:
    """Return the distinct texts in order, and which of them each value has."""
    plain = values.tolist()
    texts = {value: text_of(value) for value in dict.fromkeys(plain)}
    distinct = sorted(set(texts.values()))
    place = {text: i for i, text in enumerate(distinct)}
    code = {value: place[text] for value, text in texts.items()}
    return distinct, np.array([code[value] for value in plain], dtype=np.int64)


def _check_number(votes: int) -> None:
    if votes > MOST_VOTES:
        raise InputError(
            f"There are more than {MOST_VOTES:,} votes, which is too many to look at one by one. "
            "Take a sample of the items, with all of their votes."
        )
