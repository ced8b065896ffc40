"""Scores and votes item by item, for answers that are about single items.

The door counts rows and forgets which item was which. Here layouts are given a counter that keeps
the items as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument, as_labels, as_scores, check_same_length, refuse
from errorfloor._typing import Counts, Floats
from errorfloor.data.arrays import count_arrays, known_labels, labels_there
from errorfloor.data.ballots import Raters
from errorfloor.data.layouts import ITEM, SCORES, Layout, of_kind
from errorfloor.data.matrices import added, counted_votes, is_matrix, side_by_side
from errorfloor.data.naming import TWO_CLASSES
from errorfloor.data.source import Reading
from errorfloor.data.tables import Table, VoteTable

if TYPE_CHECKING:
    from errorfloor.data.rows import CheckedRows, RowRequest


@dataclass(slots=True)
class KeptScores:
    """A layout of scores that keeps what it counts: scores, and labels that may be missing."""

    scores: Floats = field(default_factory=lambda: np.zeros(0))
    labels: Floats = field(default_factory=lambda: np.zeros(0))
    files: tuple[str, ...] = ()

    def layout(self, *, labelled: bool) -> Layout:
        """Return the layout, to be given to the door in place of the usual one."""
        roles = SCORES.roles if labelled else SCORES.roles[:1]
        return replace(SCORES, roles=roles, count=self._count, from_arrays=self._of_arrays)

    def _of_arrays(self, scores: Any, labels: Any, classes: Any) -> Table:
        refuse_classes(is_matrix(scores) or (classes is not None and len(classes) > 2))
        self.scores = as_scores(scores, name="scores")
        self.labels = np.full(self.scores.size, np.nan)
        if labels is not None:
            known = known_labels(labels)
            check_same_length(self.scores, known, ("scores", "labels"))
            if known.any():
                self.labels[known] = as_labels(labels_there(labels), name="labels")
        return self._table()

    def _count(self, request: Any) -> Mapping[Any, Table]:
        from errorfloor.data.score_rows import ScoreRows

        refuse_classes(request.has_many_classes)
        labelled = "label" in request.columns
        rows = ScoreRows.read(request, "score", "label" if labelled else None)
        names = ("score", "label") if labelled else ("score",)
        found = request.run(rows.frame.select(*names))
        self.scores = as_scores(np.asarray(found["score"], dtype=np.float64), name="score")
        self.labels = np.full(self.scores.size, np.nan)
        if labelled:
            labels = np.asarray(found["label"], dtype=np.float64)
            bad = ~np.isnan(labels) & (labels != 0) & (labels != 1)
            remedy = ("Name the class you call positive with ", argument("positive"), ".")
            refuse(bad, labels, (argument("label"), " must be 0 or 1, or missing"), remedy)
            self.labels = labels
        return {None: self._table()}

    def _table(self) -> Table:
        # The door wants a table, which nobody looks at.
        return count_arrays(self.scores[:1], np.zeros(1))


def refuse_classes(many: bool) -> None:
    """Refuse scores of many classes."""
    if many:
        raise InputError(
            "Which items to label is answered for scores of two classes. Give one score per item, "
            "such as that of the class which the judge has chosen."
        )


@dataclass(frozen=True, slots=True)
class VoteItems:
    """The votes on each item."""

    names: NDArray[Any]
    votes: Counts  # a column for each class
    counts: Counts  # of items that a row stands for
    classes: tuple[str, ...] = TWO_CLASSES

    @property
    def totals(self) -> Counts:
        """All votes on each item."""
        return added(self.votes)

    @property
    def positives(self) -> Counts:
        """Votes for class 1 on each item."""
        return self.votes[:, 1]

    @classmethod
    def of_table(cls, table: VoteTable) -> VoteItems:
        """Take the rows of a table, which knows no items."""
        return cls(np.arange(len(table)), table.votes, table.counts, table.classes)


@dataclass(slots=True)
class KeptVotes:
    """Layouts of votes that keep what they count."""

    kept: list[VoteItems] = field(default_factory=list)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts, to be given to the door in place of the usual ones."""
        return tuple(
            replace(
                layout,
                count=partial(self._count, layout),
                from_arrays=layout.from_arrays and partial(self._of_arrays, layout.from_arrays),
            )
            for layout in of_kind(VoteTable.kind)
        )

    def items_of(self, reading: Reading) -> VoteItems:
        """Return the items behind what was read."""
        table = reading.table
        assert isinstance(table, VoteTable)
        return self.kept[-1] if self.kept else VoteItems.of_table(table)

    def _of_arrays(
        self, make: Callable[..., Table], given: Any, totals: Any, classes: Any
    ) -> Table:
        table = make(given, totals, classes)
        if isinstance(given, Raters):
            votes = given.counts
        else:
            votes = np.asarray(given, dtype=np.float64).astype(np.int64)
        if votes.ndim == 1:
            m = np.asarray(totals, dtype=np.float64).astype(np.int64)
            votes = side_by_side(m - votes, votes)
        ones = np.ones(len(votes), np.int64)
        self.kept.append(VoteItems(np.arange(len(votes)), votes, ones, table.classes))
        return table

    def _count(self, layout: Layout, request: RowRequest) -> Mapping[Any, Table]:
        assert layout.votes is not None
        request = _with_names(request)
        by_item = "item" in request.columns
        items = layout.votes(request)
        label = "given_item" if by_item else "group" if request.options.group is not None else None
        names, votes = _fetched(items, label)
        ones = np.ones(len(votes), np.int64)
        order = np.argsort(names, kind="stable") if by_item else np.arange(ones.size)
        made = counted_votes(votes, ones, items.classes)
        table = VoteTable(**made, dropped=sum(items.dropped.values()))
        self.kept.append(VoteItems(names[order], votes[order], ones, table.classes))
        return {None: table}


def _with_names(request: RowRequest) -> RowRequest:
    """Take a column that names the items for their group, where they have no other names."""
    from errorfloor.data.columns import fitting

    if "item" in request.columns or request.options.group is not None:
        return request
    used = {one for value in request.columns.values() for one in _several(value)}
    there = [one for one in request.frame.collect_schema().names() if one not in used]
    found = fitting(ITEM, there)
    return request.with_options(group=found[0] if len(found) == 1 else None)


def _fetched(items: CheckedRows, label: str | None) -> tuple[NDArray[Any], Counts]:
    """Return the names of items and their votes."""
    from errorfloor.data import vote_rows
    from errorfloor.data.rows import whole

    packed = vote_rows.packed_names(len(items.classes), items.base) if items.base else []
    wanted = packed or ["positives", "totals"]
    found = items.run(items.frame.select(*wanted, *([label] if label else [])))
    if packed:
        votes = vote_rows.unpacked(found, len(items.classes), items.base)
    else:
        k, m = whole(found["positives"]), whole(found["totals"])
        votes = side_by_side(m - k, k)
    return np.arange(len(votes)) if label is None else np.asarray(found[label]), votes


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
