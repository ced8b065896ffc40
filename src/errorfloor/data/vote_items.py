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
from errorfloor.data.layouts import ANNOTATIONS, ANNOTATORS, ITEM, VOTES, Layout
from errorfloor.data.read import Reading
from errorfloor.data.table import Table
from errorfloor.data.tables import VoteTable


@dataclass(frozen=True, slots=True)
class VoteItems:
    """The votes on each item."""

    names: NDArray[Any]
    positives: Counts
    totals: Counts
    counts: Counts  # of items that a row stands for

    @classmethod
    def of_table(cls, table: VoteTable) -> VoteItems:
        """Take the rows of a table, which knows no items."""
        return cls(np.arange(len(table)), table.positives, table.totals, table.counts)


@dataclass(slots=True)
class Keeper:
    """Layouts of votes that keep what they count."""

    kept: list[VoteItems] = field(default_factory=list)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts, to be given to the door in place of the usual ones."""
        counters = ((VOTES, "counted"), (ANNOTATIONS, "one_by_one"), (ANNOTATORS, "side_by_side"))
        return tuple(
            replace(layout, count=self._counter(name), from_arrays=self._of_arrays(layout))
            for layout, name in counters
        )

    def items_of(self, reading: Reading) -> VoteItems:
        """Return the items behind what was read."""
        table = reading.table
        assert isinstance(table, VoteTable)
        return self.kept[-1] if self.kept else VoteItems.of_table(table)

    def _of_arrays(self, layout: Layout) -> Callable[[Any, Any], Table] | None:
        make = layout.from_arrays
        if make is None:
            return None

        def keep(positives: Any, totals: Any) -> Table:
            table = make(positives, totals)
            k = np.asarray(positives, dtype=np.float64).astype(np.int64)
            m = np.broadcast_to(np.asarray(totals, dtype=np.float64).astype(np.int64), k.shape)
            self.kept.append(VoteItems(np.arange(k.size), k, m, np.ones(k.size, np.int64)))
            return table

        return keep

    def _counter(self, name: str) -> Callable[[Any], Mapping[Any, Table]]:
        def count(request: Any) -> Mapping[Any, Table]:
            from errorfloor.data import vote_rows
            from errorfloor.data.columns import fitting
            from errorfloor.data.rows import whole

            by_item = "item" in request.columns
            if not by_item and request.group is None:
                used = {one for value in request.columns.values() for one in _several(value)}
                there = [one for one in request.frame.collect_schema().names() if one not in used]
                found = fitting(ITEM, there)
                request = replace(request, group=found[0] if len(found) == 1 else None)
            items = getattr(vote_rows, name)(request)
            label = "given_item" if by_item else "group" if request.group is not None else None
            wanted = ["positives", "totals", *([label] if label else [])]
            found = items.run(items.frame.select(*wanted))
            k, m = whole(found["positives"]), whole(found["totals"])
            names = np.arange(k.size) if label is None else np.asarray(found[label])
            order = np.argsort(names, kind="stable") if by_item else np.arange(k.size)
            self.kept.append(VoteItems(names[order], k[order], m[order], np.ones(k.size, np.int64)))
            lost = sum(items.dropped.values())
            ones = np.ones(k.size, np.int64)
            table = VoteTable.from_counts(positives=k, totals=m, counts=ones, dropped=lost)
            return {None: table}

        return count


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
