"""Cells: what resampling, noise and sharding change the counts of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.entries import Entries

# From so many items on, one binomial draw for a cell takes less time than drawing its items.
MANY_ITEMS = 16
# From so many items per cell on, so many at a time are divided.
FULL, BLOCK = 4, 2**17  # only for speed
_MOST_SMALL = 127  # that eight bits hold
APART = 8  # rows at either end of a run; seldom are all of them held out together


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The (score, label) pairs of a score table of two classes, by score, the positive one first.

    Resampling, noise and sharding change only the counts of these cells. Positive before
    negative makes every running sum of (positives - negatives) that ends inside a row no smaller
    than the one that ends before it, so a minimum over all of them is a minimum over true cuts.
    """

    scores: Floats  # of the table, one per row
    row: NDArray[np.intp]
    positive: Bools
    count: Counts
    weight: Floats | None = None  # of each item, where items weigh differently
    cluster: Counts | None = None  # of the items, from 0 on, where they belong together
    unlabelled: Counts | None = None  # items of each row without a label

    def __len__(self) -> int:
        return int(self.count.size)

    @property
    def row_starts(self) -> NDArray[np.intp]:
        """Index of the first cell of each row."""
        return np.searchsorted(self.row, np.arange(self.scores.size))

    def pooled(self, blocks: int) -> tuple[Bools, Counts]:
        """Return cells of blocks of neighbouring rows with about as many items each, likewise."""
        behind = np.cumsum(np.bincount(self.row, self.count))
        block = np.ceil(behind * (blocks / behind[-1])).astype(np.intp) - 1
        return self._in_blocks(block, blocks)

    def joined(self, most: int) -> tuple[Bools, Counts]:
        """Return at most so many rows' cells, with runs of rows that hold one class as one row.

        No cut inside such a run errs less than both cuts at its ends. Some rows at its ends stay
        apart where that is possible: where the run ends should not depend on labels that are to
        be held out. Where even runs are too many, blocks take their place; the best cut errs on
        half as many items as there are runs then, and what blocks may add to that is little.
        """
        some = np.zeros((2, self.scores.size), dtype=bool)
        some[self.positive.astype(np.intp), self.row] = self.count > 0
        new = some[0] & some[1]  # a row of both classes stays as it is
        new[0] = True
        new[1:] |= (some[0, 1:] != some[0, :-1]) | (some[1, 1:] != some[1, :-1])
        for apart in (APART, 0):
            kept = _with_ends(new, apart)
            if (rows := int(np.count_nonzero(kept))) <= most:
                return self._in_blocks(np.cumsum(kept) - 1, rows)
        return self.pooled(most)

    def _in_blocks(self, block: NDArray[np.intp], blocks: int) -> tuple[Bools, Counts]:
        cell = 2 * block[self.row] + ~self.positive
        count = np.bincount(cell, self.count, minlength=2 * blocks).astype(np.int64)
        return np.arange(2 * blocks) % 2 == 0, count


def of_entries(entries: Entries) -> tuple[NDArray[np.intp], Counts, tuple[Any, ...]]:
    """Return rows and labels of entries; with how many, what each weighs, and clusters from 0."""
    own = entries.relative
    cluster = own.cluster
    if cluster is not None:
        cluster = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    return own.row.astype(np.intp), own.label, (own.count, own.weight, cluster)


def entry_cells(scores: Floats, entries: Entries, classes: int) -> Cells | ClassCells:
    """Return the cells of a score table whose items weigh differently or belong together."""
    row, label, more = of_entries(entries)
    if classes > 2:
        return ClassCells(scores, row, label.astype(np.intp), *more)
    return Cells(scores, row, label == 1, *more)


def _with_ends(new: Bools, apart: int) -> Bools:
    """Tell where rows begin if so many at either end of each run stay apart."""
    start = np.flatnonzero(new)
    run = np.cumsum(new) - 1
    row = np.arange(new.size)
    at_start = row - start[run] <= apart if apart else np.zeros(new.size, dtype=bool)
    at_end = np.append(start[1:], new.size)[run] - row <= apart
    return np.asarray(new | at_start | at_end)


def split(
    count: Counts, parts: int, rng: np.random.Generator, *, into: Counts | None = None
) -> Counts:
    """Divide the items of the cells at random, each alike to any part; shape (parts, cells).

    With `into`, which has an ascending number from 0 on for each part, those of one number are
    put together.
    """
    many = count > MANY_ITEMS * parts
    few = np.where(many, 0, count) if many.any() else count
    blocks = [_divided(few[start:end], parts, rng, into) for start, end in pairwise(_ends(few))]
    divided = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)
    if many.any():
        drawn = rng.multinomial(count[many], np.full(parts, 1 / parts)).T
        start = None if into is None else np.flatnonzero(np.diff(into, prepend=-1))
        divided[:, many] = drawn if start is None else np.add.reduceat(drawn, start)
    return divided


def each_part(count: Counts, parts: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
    """Yield the parts of `split` one by one, as whole numbers of any type.

    Where most cells are one item, small arrays take less time than one of all parts.
    """
    items = int(count.sum())
    few = count.max(initial=0) <= min(MANY_ITEMS * parts, _MOST_SMALL)
    if not (few and count.min(initial=1) > 0 and items <= 2 * count.size):
        yield from split(count, parts, rng)
        return
    place = rng.integers(parts, size=items)
    place = place.astype(np.min_scalar_type(parts))  # only for speed
    start = np.cumsum(count) - count
    first, others = place[start], np.delete(place, start)
    cell = np.repeat(np.arange(count.size), count - 1)
    for part in range(parts):
        own = (first == part).view(np.int8)
        np.add.at(own, cell[others == part], 1)
        yield own


def _divided(count: Counts, parts: int, rng: np.random.Generator, into: Counts | None) -> Counts:
    """Divide items one by one; in blocks of cells they draw what all of them would at once."""
    cell = np.arange(count.size)
    if not (count == 1).all():
        cell = np.repeat(cell, count)
    place = rng.integers(parts, size=cell.size)
    if into is not None:
        place = into[place]
    number = parts if into is None else int(into[-1]) + 1
    place *= count.size
    place += cell
    return np.bincount(place, minlength=number * count.size).reshape(number, count.size)


def _ends(count: Counts) -> list[int]:
    """Return where blocks of cells begin and end whose counts stay in the processor's cache."""
    behind = np.cumsum(count)
    items = int(count.sum())
    if items <= FULL * count.size:  # there is as much to put together as to count
        return [0, count.size]
    ends = np.searchsorted(behind, np.arange(BLOCK, items, BLOCK)) + 1
    return [0, *np.unique(np.append(ends, count.size)).tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class SoftCells:
    """The rows of a table of soft labels."""

    probabilities: Floats
    count: Counts
    weight: Floats | None = None
    cluster: Counts | None = None

    def __len__(self) -> int:
        return int(self.count.size)


@dataclass(frozen=True, slots=True, eq=False)
class ClassCells:
    """The (row, label) pairs of a score table of many classes, by row, then by label."""

    scores: Floats  # of the table, a row of one score per class
    row: NDArray[np.intp]
    label: NDArray[np.intp]
    count: Counts
    weight: Floats | None = None
    cluster: Counts | None = None
    unlabelled: Counts | None = None

    def __len__(self) -> int:
        return int(self.count.size)


@dataclass(frozen=True, slots=True, eq=False)
class ClassVoteCells:
    """The rows of a vote table of many classes."""

    votes: Counts  # a column for each class
    count: Counts
    weight: Floats | None = None
    cluster: Counts | None = None

    def __len__(self) -> int:
        return int(self.count.size)

    @property
    def totals(self) -> Counts:
        """All votes on the items of each row."""
        return np.asarray(self.votes.sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class VoteCells:
    """The rows of a vote table of two classes."""

    positives: Counts
    totals: Counts
    count: Counts
    weight: Floats | None = None
    cluster: Counts | None = None

    def __len__(self) -> int:
        return int(self.count.size)
