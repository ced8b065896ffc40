"""How the items of cells are divided at random into parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts

# From so many items on, one multinomial draw for a cell takes less time than drawing its items.
MANY_ITEMS = 16
# From so many items per cell on, so many at a time are divided.
FULL, BLOCK = 4, 2**17  # only for speed
_MOST_SMALL = 127  # that eight bits hold


def each_part(
    count: Counts, parts: int, rng: np.random.Generator, *, into: Counts | None = None
) -> Iterator[NDArray[Any]]:
    """Yield the parts of `split` one by one, as whole numbers of any type.

    Where most cells are one item, small arrays take less time than one of all parts.
    """
    items = int(count.sum())
    few = count.max(initial=0) <= min(MANY_ITEMS * parts, _MOST_SMALL)
    if into is not None or not (few and count.min(initial=1) > 0 and items <= 2 * count.size):
        yield from split(count, parts, rng, into=into)
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
    if items <= FULL * count.size:  # only for speed: as much to put together as to count
        return [0, count.size]
    ends = np.searchsorted(behind, np.arange(BLOCK, items, BLOCK)) + 1
    return [0, *np.unique(np.append(ends, count.size)).tolist()]
