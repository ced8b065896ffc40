"""Labels as tables of counts: lossless for every estimator here, and they add.

A table has a kind, which says what its rows are: soft labels, votes or scores. Kinds never mix.
Where there are two classes, probabilities and scores are those of the second one, a number per row;
where there are more, they have a column for each class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from errorfloor._aligned import check_aligned
from errorfloor._checks import check_same_length, refuse
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.entries import Entries
from errorfloor.data.gold import GoldVotes
from errorfloor.data.matrices import score_columns, soft_columns
from errorfloor.data.ranged import Ranged
from errorfloor.data.sample import Sample
from errorfloor.data.table import (
    TWO_CLASSES,
    Table,
    by_class,
    check_sums,
    check_total,
    column,
    side_by_side,
)
from errorfloor.data.vote_table import VoteTable
from errorfloor.data.weighing import of_scores, weighed_soft

__all__ = ["KINDS", "ScoreTable", "SoftTable", "VoteTable"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SoftTable(Ranged):
    """Distinct soft labels with the number of items that have each.

    Parameters
    ----------
    probabilities : array-like of shape (rows,), or (rows, classes)
        True probabilities: of class 1 where there are two classes, else of each class.
    counts : array-like of shape (rows,)
        Number of items with each soft label.
    lows : array-like of shape (rows,), optional
        The least value that each row stands for, where a row stands for several.
    highs : array-like of shape (rows,), optional
        The largest value that each row stands for, likewise.
    dropped : int
        Items that were left out because something was missing.
    classes : sequence of str
        Names of the classes.

    Examples
    --------
    >>> soft = SoftTable.from_arrays([0.2, 0.9, 0.2])
    >>> soft.probabilities, soft.counts
    (array([0.2, 0.9]), array([2, 1]))
    """

    probabilities: Floats
    counts: Counts
    lows: Floats | None = None
    highs: Floats | None = None
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES
    entries: Entries | None = None

    kind: ClassVar[str] = "soft labels"
    place: ClassVar[str] = "probabilities"

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", column(self.counts, "counts", least=1))
        check_total(self.counts)
        self._set_places()
        self._check_unit("soft_labels")
        if self.probabilities.ndim > 1:
            check_sums(self.probabilities, "soft_labels")
        self._name_classes(2 if self.probabilities.ndim == 1 else self.probabilities.shape[1])
        self._check_entries()

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        places = np.zeros(0) if len(classes) == 2 else np.zeros((0, len(classes)))
        return cls(places, np.zeros(0, dtype=np.int64), classes=classes)

    @classmethod
    def from_arrays(
        cls,
        soft_labels: object,
        *,
        classes: Sequence[object] | None = None,
        weight: object = None,
        cluster: object = None,
    ) -> Self:
        """Count the items with each soft label.

        Parameters
        ----------
        soft_labels : array-like of shape (n,), or (n, classes)
            In [0, 1]: of class 1 where there are two classes, else of each; rows add up to 1.
        classes : sequence of str, optional
            Names of the classes, in the order of the columns.
        weight : array-like of shape (n,), optional
            What each item weighs, a positive number.
        cluster : array-like of shape (n,), optional
            What cluster each item belongs to.
        """
        check_aligned(soft_labels=soft_labels, weight=weight, cluster=cluster)
        if weight is None and cluster is None:
            return cls(**soft_columns(soft_labels, classes))
        return cls(**weighed_soft(soft_labels, classes, weight, cluster))

    def cells(self) -> Sample:
        """Lay the table out for statistics."""
        if self.entries is not None:
            return Sample.of_entries(self.probabilities, self.entries, labelled=False)
        return Sample.of_rows(self.probabilities, self.counts)

    @property
    def shares(self) -> Floats:
        """How common each class is."""
        sample = self.cells()
        mean = sample.masses @ sample.probabilities / sample.total
        return np.array([1 - mean, mean]) if mean.ndim == 0 else mean

    @classmethod
    def from_scores(cls, table: ScoreTable) -> SoftTable:
        """Take the scores of a table for true probabilities, and leave its labels aside."""
        return cls(
            table.scores,
            table.items if table.unlabelled is None else table.items + table.unlabelled,
            lows=table.lows,
            highs=table.highs,
            dropped=table.dropped,
            classes=table.classes,
            entries=_without_labels(table),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(Ranged):
    """Distinct scores with the number of labels of each class at each of them.

    Where there are too many distinct scores, a row may stand for all scores of a range instead;
    such a table is `coarse`, and estimates from it say how far that can have moved them.

    Parameters
    ----------
    scores : array-like of shape (rows,), or (rows, classes)
        Finite, distinct and ascending. Rows of several scores ascend by the first, then the next.
    counts : array-like of shape (rows, classes)
        Number of items with each label at each score.
    unlabelled : array-like of shape (rows,), optional
        Number of items without a label at each score.
    entries : Entries, optional
        How many items of each row, label, weight and cluster there are, where that matters.
    lows : array-like of shape (rows,), optional
        The least value that each row stands for, where a row stands for several.
    highs : array-like of shape (rows,), optional
        The largest value that each row stands for, likewise.
    dropped : int
        Items that were left out because something was missing.
    classes : sequence of str
        Names of the classes.
    gold : GoldVotes, optional
        The votes whose shares are the scores, next to the labels. Neither saved nor compared.

    Examples
    --------
    >>> a = ScoreTable.from_arrays([0.2, 0.9, 0.2], [0, 1, 1])
    >>> a.scores, a.negatives, a.positives
    (array([0.2, 0.9]), array([1, 0]), array([1, 1]))
    >>> a + a
    ScoreTable(n=6, rows=2)
    """

    scores: Floats
    counts: Counts
    unlabelled: Counts | None = None
    lows: Floats | None = None
    highs: Floats | None = None
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES
    entries: Entries | None = None
    gold: GoldVotes | None = None

    kind: ClassVar[str] = "scores"
    columns_of_0_1: ClassVar[frozenset[str]] = frozenset({"scores", "negatives", "positives"})
    place: ClassVar[str] = "scores"

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", by_class(self.counts, "counts"))
        check_total(self.counts)
        self._set_places()
        without = self.items == 0
        if self.unlabelled is not None:
            unlabelled = column(self.unlabelled, "unlabelled")
            check_total(unlabelled)
            self._freeze(counts=self.counts, unlabelled=unlabelled)
            without &= unlabelled == 0
        refuse(
            without,
            self.scores,
            "The counts of a score must not all be 0",
            "Leave out scores that no item has.",
        )
        self._name_classes(self.counts.shape[1])
        self._check_entries()

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        shape = (0, len(classes))
        places = np.zeros(0 if len(classes) == 2 else shape)
        return cls(places, np.zeros(shape, dtype=np.int64), classes=classes)

    @classmethod
    def from_arrays(
        cls,
        scores: object,
        labels: object,
        *,
        classes: Sequence[object] | None = None,
        weight: object = None,
        cluster: object = None,
    ) -> Self:
        """Count the items at each distinct score.

        Parameters
        ----------
        scores : array-like of shape (n,), or (n, classes)
            Any finite numbers: of class 1, or of each class (probabilities, shares or logits).
        labels : array-like of shape (n,)
            0 or 1, or False or True; of more classes their places from 0 on, or their names.
        classes : sequence of str, optional
            Names of the classes, in the order of the columns.
        weight : array-like of shape (n,), optional
            What each item weighs, a positive number.
        cluster : array-like of shape (n,), optional
            What cluster each item belongs to.
        """
        check_aligned(scores=scores, labels=labels, weight=weight, cluster=cluster)
        table = cls(**score_columns(scores, labels, classes))
        if weight is None and cluster is None:
            return table
        found = of_scores(table.places, (scores, labels, classes), weight, cluster)
        return replace(table, entries=found)

    @classmethod
    def from_counts(
        cls, scores: object, negatives: object, positives: object, *, dropped: int = 0
    ) -> ScoreTable:
        """Return the table of two classes with so many labels 0 and 1 at each distinct score."""
        pair = column(negatives, "negatives"), column(positives, "positives")
        check_same_length(*pair, ("negatives", "positives"))
        return cls(scores, side_by_side(*pair), dropped=dropped)  # type: ignore[arg-type]

    @classmethod
    def from_cells(cls, cells: Sample, count: Counts) -> ScoreTable:
        """Return the table that has `count` items in the cells."""
        if cells.classes > 2:
            by_row = np.zeros(cells.scores.shape, dtype=np.int64)
            by_row[cells.row, cells.label] = count
            some = by_row.any(axis=1)
            return cls(cells.scores[some], by_row[some])
        counts = np.zeros((2, cells.scores.size), dtype=np.int64)
        counts[cells.positive.astype(np.intp), cells.row] = count
        kept = counts.any(axis=0)
        return cls(cells.scores[kept], side_by_side(*counts[:, kept]))

    @classmethod
    def _renewed(cls, arrays: dict[str, Any]) -> dict[str, Any]:
        negatives, positives = (
            column(arrays.pop(name), name) for name in ("negatives", "positives")
        )
        check_same_length(negatives, positives, ("negatives", "positives"))
        return {**arrays, "counts": side_by_side(negatives, positives)}

    @property
    def negatives(self) -> Counts:
        """Number of items with label 0 at each score."""
        return self._of_two(0)

    @property
    def positives(self) -> Counts:
        """Number of items with label 1 at each score."""
        return self._of_two(1)

    @property
    def n_unlabelled(self) -> int:
        """Number of items without a label."""
        return 0 if self.unlabelled is None else int(self.unlabelled.sum())

    @property
    def labelled(self) -> ScoreTable:
        """The table of the items that have a label; itself where all have one."""
        if self.unlabelled is None:
            return self
        kept = np.asarray(self.items > 0)
        entries = self.entries and self.entries.labelled(len(self.classes))
        places: dict[str, Any] = {
            name: array[kept] for name, array in self.columns.items() if name != "unlabelled"
        }
        return replace(
            self, **places, unlabelled=None, entries=entries and entries.moved(np.cumsum(kept) - 1)
        )

    def may_hold_the_best_cut(self) -> Bools:
        """Tell which coarse rows a cut could divide with fewer errors than any cut between rows."""
        inside, between = self._errors()
        return np.asarray(self.coarse & (inside < between.min()))

    @property
    def cut_resolution(self) -> float:
        """How much lower the share of errors of the best cut may be among the scores themselves."""
        if not self.coarse.any():
            return 0.0
        inside, between = self._errors()
        least = inside[self.coarse].min()
        return float(max(between.min() - least, 0) / self.masses.sum())

    def _errors(self) -> tuple[Counts, Counts]:
        """Return the fewest errors that a cut in each row can have, and those of cuts between."""
        # Left of a row, all positives so far and all negatives from there on are wrong. At best,
        # a cut inside the row puts its negatives right and no positive wrong.
        negatives, positives = self.masses.T
        step = np.cumsum(positives - negatives)
        between = np.concatenate(([0], step)) + negatives.sum()
        return between[:-1] - negatives, between

    @property
    def masses(self) -> Any:
        """What the items of each label at each score weigh; their number without weights."""
        if self.entries is None:
            return self.counts
        return self.entries.labelled(len(self.classes)).sums(*self.counts.shape)

    @property
    def shares(self) -> Floats:
        """How common each class is among the labels."""
        masses = self.masses.sum(axis=0)
        return np.asarray(masses / masses.sum())

    def cells(self, *, complete: bool = False) -> Sample:
        """Lay the table out as one entry for each (score, label) that occurs.

        Parameters
        ----------
        complete : bool
            Have all labels of every score, occurring or not, for what changes labels.

        """
        if self.entries is not None and not complete:
            known = self.entries.labelled(len(self.classes))
            found = Sample.of_entries(self.scores, known, labelled=True)
            return replace(found, unlabelled=self.unlabelled, unseen=self.cut_resolution)
        if len(self.classes) > 2:
            chosen = np.ones(self.counts.shape, dtype=np.bool_) if complete else self.counts
            row, label = np.nonzero(chosen)
            count = self.counts[row, label].astype(np.int64)  # large tables have a smaller type
            return Sample(self.scores, row, label, count, unlabelled=self.unlabelled)
        count = np.column_stack((self.positives, self.negatives)).ravel()
        kept = np.arange(count.size) if complete else np.flatnonzero(count)
        pair = kept >> 1, 1 - (kept & 1), count[kept]
        unseen = 0.0 if complete else self.cut_resolution
        return Sample(self.scores, *pair, unlabelled=self.unlabelled, unseen=unseen)

    def _of_two(self, label: int) -> Counts:
        if len(self.classes) != 2:
            raise ValueError(
                f"A table of {len(self.classes)} classes has no negatives and positives. "
                "Use `counts`, which has a column for each class."
            )
        return self.counts[:, label]


def _without_labels(table: ScoreTable) -> Entries | None:
    known = None if table.entries is None else table.entries.labelled(len(table.classes))
    return None if known is None else known.without_labels()


KINDS: tuple[type[Table], ...] = (ScoreTable, VoteTable, SoftTable)
