"""Votes item by item, for answers that are about single items.

The door counts rows and forgets which item was which. Here the layouts of votes are given a counter
that keeps the items as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts
from errorfloor.data.layouts import ANNOTATIONS, ANNOTATORS, COUNTS, ITEM, LISTS, VOTES, Layout
from errorfloor.data.matrices import counted_votes
from errorfloor.data.raters import Raters
from errorfloor.data.read import Reading
from errorfloor.data.table import TWO_CLASSES, Table, added, side_by_side
from errorfloor.data.tables import VoteTable


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
class Keeper:
    """Layouts of votes that keep what they count."""

    kept: list[VoteItems] = field(default_factory=list)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts, to be given to the door in place of the usual ones."""
        counters = (
            (VOTES, "counted"),
            (COUNTS, "by_class"),
            (ANNOTATIONS, "one_by_one"),
            (ANNOTATORS, "side_by_side"),
            (LISTS, "in_lists"),
        )
        return tuple(
            replace(layout, count=self._counter(name), from_arrays=self._of_arrays(layout))
            for layout, name in counters
        )

    def items_of(self, reading: Reading) -> VoteItems:
        """Return the items behind what was read."""
        table = reading.table
        assert isinstance(table, VoteTable)
        return self.kept[-1] if self.kept else VoteItems.of_table(table)

    def _of_arrays(self, layout: Layout) -> Callable[[Any, Any, Any], Table] | None:
        make = layout.from_arrays
        if make is None:
            return None

        def keep(given: Any, totals: Any, classes: Any) -> Table:
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

        return keep

    def _counter(self, name: str) -> Callable[[Any], Mapping[Any, Table]]:
        def count(request: Any) -> Mapping[Any, Table]:
            from errorfloor.data import vote_rows

            request = _with_names(request)
            by_item = "item" in request.columns
            items = getattr(vote_rows, name)(request)
            label = "given_item" if by_item else "group" if request.group is not None else None
            names, votes = _fetched(items, label)
            ones = np.ones(len(votes), np.int64)
            order = np.argsort(names, kind="stable") if by_item else np.arange(ones.size)
            made = counted_votes(votes, ones, items.classes)
            table = VoteTable(**made, dropped=sum(items.dropped.values()))
            self.kept.append(VoteItems(names[order], votes[order], ones, table.classes))
            return {None: table}

        return count


def _with_names(request: Any) -> Any:
    """Take a column that names the items for their group, where they have no other names."""
    from errorfloor.data.guessing import fitting

    if "item" in request.columns or request.group is not None:
        return request
    used = {one for value in request.columns.values() for one in _several(value)}
    there = [one for one in request.frame.collect_schema().names() if one not in used]
    found = fitting(ITEM, there)
    return replace(request, group=found[0] if len(found) == 1 else None)


def _fetched(items: Any, label: str | None) -> tuple[NDArray[Any], Counts]:
    """Return the names of items and their votes."""
    from errorfloor.data import packing
    from errorfloor.data.rows import whole

    packed = packing.names(len(items.classes), items.base) if items.base else []
    wanted = packed or ["positives", "totals"]
    found = items.run(items.frame.select(*wanted, *([label] if label else [])))
    if packed:
        votes = packing.unpacked(found, len(items.classes), items.base)
    else:
        k, m = whole(found["positives"]), whole(found["totals"])
        votes = side_by_side(m - k, k)
    return np.arange(len(votes)) if label is None else np.asarray(found[label]), votes


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
