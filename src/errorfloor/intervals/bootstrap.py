"""Bootstrap intervals, percentile, basic and BCa, and how resamples are drawn as counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorfloor._references import BOOTSTRAP
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import MANY_ITEMS
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.methods.record import Basis, Statistic

if TYPE_CHECKING:
    from concurrent.futures import Future

CELLS, ITEMS = 256, 100_000  # up to which tables are small, and exact to ten digits
FINE = 1024  # parts of the range of a uniform number; a power of two, so that nothing is rounded
# Standard deviations of the sum by which its mean is too low: 7 % of the draws are drawn again.
RESERVE = 1.5
REACH = 9  # standard deviations beyond which there is nothing


@dataclass(frozen=True, eq=False)
class PoissonTable:
    """Inverse distribution functions of Poisson counts with given means, all above 0.

    `steps` has them behind each other: that of cell i rises from i to i + 1.
    """

    means: Floats

    @cached_property
    def _reached(self) -> tuple[Counts, Counts]:
        """The cell of each step, and the count that is reached there."""
        middle = self.means.astype(np.int64)
        reach = (REACH * np.sqrt(self.means) + 20).astype(np.int64)
        least = np.maximum(middle - reach, 0)
        size = middle + reach - least + 1
        cell = np.repeat(np.arange(size.size), size)
        begin = np.cumsum(size) - size
        return cell, np.arange(cell.size) - (begin - least)[cell]

    @cached_property
    def steps(self) -> Floats:
        """The distribution functions at all counts, each plus the number of its cell."""
        from scipy.special import gammaln

        cell, count = self._reached
        logs = count * np.log(self.means)[cell] - self.means[cell] - gammaln(count + 1.0)
        sums = np.cumsum(np.exp(logs))
        last = np.append(np.flatnonzero(np.diff(cell)), cell.size - 1)
        before = np.append(0.0, sums[last[:-1]])
        steps = (sums - before[cell]) / (sums[last] - before)[cell] + cell
        steps[last] = np.arange(1, last.size + 1)
        return np.asarray(steps)

    @cached_property
    def guide(self) -> NDArray[np.int32]:
        """The count of each fine part of the uniform numbers; -1 where there are several."""
        inside = np.bincount((self.steps * FINE).astype(np.intp))[: self.means.size * FINE]
        first = np.cumsum(inside) - inside
        return np.where(inside > 0, -1, self._reached[1][first]).astype(np.int32)

    def draw(self, times: int, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return draws of all counts, shape (times, cells)."""
        at = rng.random((times, self.means.size))
        cell = np.arange(self.means.size)
        at += cell
        np.minimum(at, np.nextafter(cell + 1.0, 0), out=at)  # which a sum may be rounded to
        at = at.ravel()
        found = self.guide[(at * FINE).astype(np.int32)]
        several = np.flatnonzero(found < 0)
        found[several] = self._reached[1][np.searchsorted(self.steps, at[several], side="right")]
        return found.reshape(times, -1)


@dataclass(frozen=True, eq=False)
class QuickDraws:
    """Draws of as many items as there are over the cells of `count`, all above 0."""

    count: Counts

    @classmethod
    def pay(cls, count: Counts) -> bool:
        """Tell whether such draws save time: few cells, with many items each on average."""
        n = int(count.sum())
        return 1 < count.size <= CELLS and 64 * count.size <= n <= ITEMS and bool(count.all())

    @cached_property
    def _parts(self) -> tuple[PoissonTable, NDArray[np.int32]]:
        """A table of somewhat fewer items, and the cell of each item."""
        # Of any share the draws have the same law; few of this one are too many, and drawn again.
        share = 1 - RESERVE / float(np.sqrt(self.count.sum()))  # only for speed
        cells = np.arange(self.count.size, dtype=np.int32)
        return PoissonTable(np.asarray(self.count * share, dtype=np.float64)), np.repeat(
            cells, self.count
        )

    def __call__(self, times: int, rng: np.random.Generator) -> Counts:
        """Return multinomial draws, shape (times, cells)."""
        table, cell = self._parts
        counts = table.draw(times, rng)
        missing = cell.size - counts.sum(axis=1)
        while (over := np.flatnonzero(missing < 0)).size:
            counts[over] = table.draw(over.size, rng)
            missing[over] = cell.size - counts[over].sum(axis=1)
        place = cell[rng.integers(cell.size, size=int(missing.sum()), dtype=np.int32)]
        place += np.repeat(np.arange(times, dtype=np.int32) * self.count.size, missing)
        added = np.bincount(place, minlength=counts.size).reshape(counts.shape)
        added += counts
        return added


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


@dataclass(frozen=True, slots=True, eq=False)
class Percentile:
    """Limits that leave out the lowest and the highest replicates.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, ch. 13 and 14.
    """

    value: float
    replicates: Floats = field(repr=False)
    method: str = "percentile"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        return _quantiles(self.replicates, _tails(level))


@dataclass(frozen=True, slots=True, eq=False)
class Basic(Percentile):
    """The percentile limits of the replicates' distances, mirrored at the value."""

    method: str = "basic"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, high = _quantiles(self.replicates, _tails(level))
        return 2 * self.value - high, 2 * self.value - low


@dataclass(frozen=True, slots=True, eq=False)
class BiasCorrected(Percentile):
    """Percentile limits at tails that allow for the replicates' median and skewness; ch. 14."""

    method: str = "bca"
    acceleration: float = 0.0

    @property
    def share_below(self) -> float:
        """Share of the replicates below the value; of those equal to it, half count."""
        below = np.count_nonzero(self.replicates < self.value)
        equal = np.count_nonzero(self.replicates == self.value)
        return (below + equal / 2) / self.replicates.size

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import ndtr, ndtri

        shift = ndtri(self.share_below)
        z = shift + ndtri(_tails(level))
        return _quantiles(self.replicates, ndtr(shift + z / (1 - self.acceleration * z)))


def _tails(level: float) -> Floats:
    return np.array([(1 - level) / 2, (1 + level) / 2])


def _quantiles(replicates: Floats, tails: Floats) -> tuple[float, float]:
    low, high = np.quantile(replicates, tails)
    return float(low), float(high)


def _plain(kind: type[Percentile], case: Case) -> Evidence:
    return kind(case.value, _replicates(case))


def _bca(case: Case) -> Evidence:
    replicates = _replicates(case)
    skewness = acceleration(case.statistic.leave_one_out(), case.count)
    evidence = BiasCorrected(case.value, replicates, acceleration=skewness)
    if not 0 < evidence.share_below < 1:
        raise Undefined("all replicates lie on one side of the estimate", instead=BASIC)
    return evidence


def _replicates(case: Case) -> Floats:
    """Return the replicates, if they vary."""
    assert case.replicates is not None, "whoever asks for this interval resamples"
    if case.replicates.min() == case.replicates.max():
        raise Undefined("all replicates are equal")
    return case.replicates


_NOISE_ONLY = (
    "They show how much the value would vary from one sample to the next, but not the bias of the "
    "method."
)
_kind = partial(
    IntervalKind,
    basis=Basis.ITEMS,
    in_short="sampling noise only; no bias is seen",
    proof="asymptotic, for the method's own target",
    references=(BOOTSTRAP,),
    resamples=True,
)

BCA = _kind(
    name="bca",
    make=_bca,
    promise=f"The limits come from a bias-corrected bootstrap of the items. {_NOISE_ONLY}",
)
BASIC = _kind(
    name="basic",
    make=partial(_plain, Basic),
    promise=f"The limits come from a bootstrap of the items. {_NOISE_ONLY}",
)
PERCENTILE = _kind(
    name="percentile",
    make=partial(_plain, Percentile),
    promise=f"The limits come from a bootstrap of the items. {_NOISE_ONLY}",
)
