"""Draw counts: the bootstrap, and the jackknife behind BCa."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import MANY_ITEMS
from errorfloor.intervals.draws import QuickDraws
from errorfloor.methods.record import Statistic

if TYPE_CHECKING:
    from concurrent.futures import Future

# Counts drawn at a time: 1 MB of them, so that a block stays in the cache of one core.
BLOCK = 2**17
# Blocks from which on a second thread saves more than it takes to start.
WORTH_A_THREAD = 8  # only for speed


def bootstrap(
    statistics: Sequence[Statistic],
    count: Counts,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    quick: bool = False,
) -> Floats:
    """Return the values of several statistics on the same resamples, shape (statistics, resamples).

    Drawing n items with replacement is one multinomial draw over the cells. While one thread
    evaluates a block of resamples, the other draws the next: each goes through the blocks in
    order, so that threads change nothing but the time. `quick` draws have the same law, and other
    numbers for the same generator.
    """
    from concurrent.futures import ThreadPoolExecutor  # slow to load

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
    drawn = QuickDraws(count) if quick and QuickDraws.pay(count) else partial(draw, count)
    running: Future[None] | None = None
    with ThreadPoolExecutor(max_workers=1) as worker:
        for start in starts:
            block = slice(start, start + size)
            counts = drawn(len(range(n_resamples)[block]), rng)
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
    np.empty(2**24, dtype=np.uint8)  # only for speed


def draw(count: Counts, times: int, rng: np.random.Generator) -> Counts:
    """Return `times` multinomial draws of ``count.sum()`` items over the cells of `count`."""
    n = int(count.sum())
    many = count > MANY_ITEMS
    few = count[~many]
    cell = np.repeat(np.arange(few.size), few)  # of each item in a cell with few
    drawn = rng.multinomial(n, np.append(count[many], cell.size) / n, size=times)
    if few.size == 0:
        return np.ascontiguousarray(drawn[:, :-1])
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


def acceleration(leave_one_out: Floats, count: Counts) -> float:
    """Return the acceleration of BCa, a skewness of the jackknife; 0 where nothing varies.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, eq. 14.15.
    """
    deviation = np.average(leave_one_out, weights=count) - leave_one_out
    spread = count @ deviation**2
    return float(count @ deviation**3 / (6 * spread**1.5)) if spread > 0 else 0.0
