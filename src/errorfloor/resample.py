"""Draw counts: bootstrap, jackknife, label noise, random parts and cross-fitting on cells."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import numpy as np

from errorfloor._typing import Bools, Counts, Floats

# Counts drawn at a time: 1 MB of them, so that a block stays in the cache of one core.
BLOCK = 2**17
# Blocks from which on a second thread saves more than it takes to start.
WORTH_A_THREAD = 8
# From so many items on, one binomial draw for a cell takes less time than drawing its items.
MANY_ITEMS = 16


class Statistic(Protocol):
    """A number computed from the items of a table, bound to the table's cells."""

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the statistic for each row of `counts`, an array of shape (k, cells).

        `rng` is for statistics that divide items at random; the others leave it alone.
        """

    def leave_one_out(self) -> Floats:
        """Return, for each cell, the statistic of the table less one item of that cell."""


def bootstrap(
    statistics: Sequence[Statistic], count: Counts, *, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """Return the values of several statistics on the same resamples, shape (statistics, resamples).

    Drawing n items with replacement is one multinomial draw over the cells. While one thread
    evaluates a block of resamples, the other draws the next: each goes through the blocks in
    order, so that threads change nothing but the time.
    """
    size = max(1, BLOCK // count.size)
    replicates = np.empty((len(statistics), n_resamples))
    # A generator of its own for each statistic, so that none depends on which others there are.
    (seed,) = rng.bit_generator.seed_seq.spawn(1)  # type: ignore[attr-defined]
    own = [np.random.default_rng(seed) for _ in statistics]

    def evaluate(block: slice, counts: Counts) -> None:
        for values, statistic, generator in zip(replicates, statistics, own, strict=True):
            values[block] = statistic.values(counts, generator)

    keep_freed_memory()
    starts = range(0, n_resamples, size)
    running: Future[None] | None = None
    with ThreadPoolExecutor(max_workers=1) as worker:
        for start in starts:
            block = slice(start, start + size)
            counts = draw(count, len(range(n_resamples)[block]), rng)
            if running is not None:
                running.result()
            if len(starts) < WORTH_A_THREAD:
                evaluate(block, counts)
            else:
                running = worker.submit(evaluate, block, counts)
        if running is not None:
            running.result()
    return replicates


def keep_freed_memory() -> None:
    """Have the blocks of a loop reuse each other's memory.

    Freeing one large array lets glibc keep smaller ones. Without this it hands each freed block
    back to the kernel, and the page faults of the next one double the time.
    """
    np.empty(2**24, dtype=np.uint8)


def draw(count: Counts, times: int, rng: np.random.Generator) -> Counts:
    """Return `times` multinomial draws of ``count.sum()`` items over the cells of `count`."""
    n = int(count.sum())
    many = count > MANY_ITEMS
    few = count[~many]
    cell = np.repeat(np.arange(few.size), few)  # of each item in a cell with few
    drawn = rng.multinomial(n, np.append(count[many], cell.size) / n, size=times)
    ends = np.cumsum(drawn[:, -1])
    items = rng.integers(cell.size, size=ends[-1]) if cell.size else cell
    if cell.size > few.size:
        items = cell[items]
    by_item = np.empty((times, few.size), dtype=np.int64)
    for row, part in zip(by_item, np.split(items, ends[:-1]), strict=True):
        row[:] = np.bincount(part, minlength=few.size)
    if few.size == count.size:
        return by_item
    counts = np.empty((times, count.size), dtype=np.int64)
    counts[:, many] = drawn[:, :-1]
    counts[:, ~many] = by_item
    return counts


def redraw_labels(count: Counts, noise: Floats, rng: np.random.Generator) -> Counts:
    """Return counts after each label was redrawn by a fair coin with a probability of `noise`.

    Parameters
    ----------
    count : array of shape (cells,)
        Of both labels of every row, as ``cells(complete=True)`` lays them out.
    noise : array of shape (k,)
        Probabilities, one for each draw.

    Returns
    -------
    array of shape (k, cells)
        Every row of the table keeps its number of items.
    """
    # A coin agrees with the old label half of the time, so what changes sides is binomial. Draws
    # of one cell follow one another, because NumPy sets up a binomial once for all that are alike.
    occurs = np.flatnonzero(count)
    flipped = np.zeros((noise.size, count.size), dtype=np.int64)
    size = (occurs.size, noise.size)
    flipped[:, occurs] = rng.binomial(count[occurs, None], noise / 2, size=size).T
    pairs = flipped.reshape(noise.size, -1, 2)
    return np.asarray(count - flipped + pairs[..., ::-1].reshape(flipped.shape))


def expected_after_redraw(count: Counts, noise: float) -> Floats:
    """Return the mean of what `redraw_labels` draws at one level of noise."""
    pairs = count.reshape(-1, 2)
    return np.asarray((pairs + (pairs[:, ::-1] - pairs) * (noise / 2)).ravel())


def acceleration(leave_one_out: Floats, count: Counts) -> float:
    """Return the acceleration of BCa, a skewness of the jackknife; 0 where nothing varies.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, eq. 14.15.
    """
    deviation = np.average(leave_one_out, weights=count) - leave_one_out
    spread = count @ deviation**2
    return float(count @ deviation**3 / (6 * spread**1.5)) if spread > 0 else 0.0


def split(count: Counts, parts: int, rng: np.random.Generator) -> Counts:
    """Divide the items of the cells at random, each alike to any part; shape (parts, cells)."""
    many = count > MANY_ITEMS * parts
    few = np.flatnonzero(~many)
    cell = np.repeat(few, count[few])
    part = rng.integers(parts, size=cell.size)
    divided = np.bincount(part * count.size + cell, minlength=parts * count.size)
    divided = divided.reshape(parts, count.size)
    divided[:, many] = rng.multinomial(count[many], np.full(parts, 1 / parts)).T
    return divided


def cross_fitted_errors(positive: Bools, parts: Counts) -> int:
    """Return the errors on each part of the cut that is best on all the others, added up."""
    sign = np.where(positive, 1, -1)
    whole = parts.sum(axis=0)
    return sum(held_out_errors(sign, whole - part, part) for part in parts)


def held_out_errors(sign: Counts, train: Counts, test: Counts) -> int:
    """Return the errors on `test` of the cut that is best on `train`.

    Cells are by score, positive first, with `sign` +1 or -1. Of several best cuts the lowest
    is taken.
    """
    walk = np.cumsum(sign * train)
    best = int(np.argmin(walk))
    negatives = int(test[sign < 0].sum())
    if walk[best] >= 0:  # the cut below all scores
        return negatives
    return negatives + int((sign * test)[: best + 1].sum())
