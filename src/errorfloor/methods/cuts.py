"""Cuts: the rules "score > t", by any metric of both kinds of error, and what they err on.

Isotonic regression is the best cut for error, and so it is for every one of these metrics: the rule
that is best for known probabilities is a threshold, and a cut where scores are in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.fitted import FOLDS
from errorfloor.metrics.two_by_two import OfTable, TwoByTwo, over

FAR, SURE = 3.0, 1.5  # in standard deviations; see `Cuts.unclear`
ROUNDING = 1e-12  # of what all items weigh, by which sums that are equal may differ
MOST_ROWS = 2**14  # between which cuts are tried on held-out items that weigh differently


@dataclass(frozen=True, eq=False)
class Cuts:
    """The rules "score > t". A rule is how many cells are below the cut."""

    how: OfTable

    def steps(self, sample: Sample, mass: Any) -> NDArray[Any]:
        """Return what each cell adds to the loss once it is below the cut, for each row of masses.

        For losses that are sums of errors, in any unit. Where masses and prices are whole numbers
        these are too, so that cuts which err alike are exactly alike.
        """
        assert self.how.prices is not None
        if self.how.costs is not None:
            return np.asarray(mass * _signed(sample, *self.how.costs))
        price = self.how.whole or self.how.prices
        one, other = (np.asarray(part)[..., None] for part in price(*sample.by_class(mass)))
        return np.asarray(mass * np.where(sample.positive, other, -one))

    def least(self, sample: Sample, mass: Any) -> Floats:
        """Return the least loss of any cut, for each row of masses."""
        how = self.how
        if how.prices is None:
            return np.asarray(how.of(all_cuts(sample.positive, mass)).min(axis=1))
        walk = np.cumsum(self.steps(sample, mass), axis=1)
        below = np.minimum(walk.min(axis=1), 0)
        if how.costs is not None:
            a, b = how.costs
            first = a * (b * mass.sum(axis=1) - walk[:, -1]) / (a + b)  # a for each negative
            return np.asarray(np.maximum(first + below, 0) / mass.sum(axis=1))
        zeros, ones = sample.by_class(mass)
        one, other = how.prices(zeros, ones)
        unit: Any = 1.0
        if how.whole is not None:  # of which one is known by either class that has items
            both = zip((one, other), how.whole(zeros, ones), strict=True)
            unit = np.maximum(*(over(price, whole) for price, whole in both))
        return np.asarray(np.maximum(one * zeros + below * unit, 0))

    def fit(self, sample: Sample, mass: Any) -> int:
        """Return the best cut; of several the lowest."""
        if self.how.prices is None:
            return int(np.argmin(self.how.of(all_cuts(sample.positive, mass[None]))[0]))
        steps = self.steps(sample, mass)
        return self.lowest(sample, np.cumsum(steps), steps)

    @staticmethod
    def lowest(sample: Sample, walk: NDArray[Any], steps: NDArray[Any]) -> int:
        """Return where a walk is least: how many cells are below the cut; of several the fewest.

        Where cuts err on the same items, only rounding tells sums of fractions apart, which no unit
        of weights may decide.
        """
        if walk.dtype.kind == "i":
            best = int(np.argmin(walk))
            return best + 1 if walk[best] < 0 else 0
        if not walk.size:
            return 0
        ends = sample.ends[1:] - 1
        best = int(lowest(walk[ends], float(np.abs(steps).sum())))
        return int(ends[best]) + 1 if best >= 0 else 0

    def unclear(self, sample: Sample, price: Any, each: float) -> float:
        """Return about how many items lie where no cut is clearly best.

        A cut counts as no worse than the best one if its excess loss is at most three standard
        deviations of coin flips between them. On either side of the best cut the items up to the
        farthest such cut are looked at, and those that the best cut errs on count, with as many
        more as their price says: all of them where they are coin flips, few where they are not. One
        and a half standard deviations of them are taken off first, because a few errors beside the
        best cut of an easy set are no flat part. `each` is what an item weighs.
        """
        if min(price) <= 0:  # MCC, where the best cut leaves all items on one side
            return 0.0
        one, other = 1.0, float(price[1] / price[0])
        mass = sample.masses / each
        walk = _running(sample, mass * np.where(sample.positive, other, -one))
        items = _running(sample, mass)
        best = int(np.argmin(walk))
        walk -= walk[best]
        items -= items[best]
        np.abs(items, out=items)
        bound = FAR**2 * one * other * (1 + ROUNDING)
        good = np.flatnonzero(walk * walk <= bound * items)[[0, -1]]
        both = np.array([one, other])
        errors = np.maximum(items[good] * both - walk[good], 0) / (one + other)
        sure = np.maximum(errors - SURE * np.sqrt(errors), 0)
        return float(sure @ ((one + other) / both))


def lowest(walks: Floats, path: Any) -> NDArray[np.intp]:
    """Return the first place where each walk is least, or -1 where it is nowhere below 0.

    `path` is how long a walk is at most.
    """
    least = np.minimum(walks.min(axis=-1), 0) + ROUNDING * path
    return np.where(least >= 0, -1, np.argmax(walks <= least[..., None], axis=-1))


def _signed(sample: Sample, one: float, other: float) -> NDArray[Any]:
    """Return what positives cost and, below 0, what negatives do; whole numbers if these are."""
    if one == int(one) and other == int(other):
        one, other = int(one), int(other)
    return np.where(sample.positive, other, -one)


def _running(sample: Sample, steps: Floats) -> Floats:
    """Return 0 and the running sums up to the end of each row."""
    sums = np.zeros(steps.size + 1)
    np.cumsum(steps, out=sums[1:])
    return sums if sample.ends.size == sums.size else sums[sample.ends]


def all_cuts(positive: Bools, counts: Any) -> TwoByTwo:
    """Return the errors of every cut, for each row of counts; that below all scores comes first.

    A cut between the positive and the negative cell of a row is none, and errs on both of them:
    it is never better than the cuts on either side.
    """
    below = np.zeros((len(counts), positive.size + 1))
    np.cumsum(counts * positive, axis=1, out=below[:, 1:])
    passed = np.zeros_like(below)
    np.cumsum(counts * ~positive, axis=1, out=passed[:, 1:])
    zeros, ones = passed[:, -1:].copy(), below[:, -1:]
    return TwoByTwo(np.subtract(zeros, passed, out=passed), below, zeros, ones)


def wrong_of(sample: Sample, rule: int) -> Bools:
    """Tell which cells a cut errs on."""
    wrong = ~sample.positive
    wrong[:rule] = sample.positive[:rule]
    return wrong


def table_of(sample: Sample, counts: Any, rule: int) -> TwoByTwo:
    """Return the errors of a cut on so many items of each cell, by what they weigh."""
    mass, positive = sample.mass(counts), sample.positive
    zeros, ones = sample.by_class(mass)
    fn = float(mass[:rule] @ positive[:rule])
    passed = float(mass[:rule].sum()) - fn
    return TwoByTwo(float(zeros) - passed, fn, float(zeros), float(ones))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Errors of cuts on the parts of a sample that did not choose them."""

    table: TwoByTwo  # by what items weigh
    find_wrong: Callable[[], NDArray[Any]] = field(repr=False)

    @property
    def wrong(self) -> NDArray[Any]:
        """How many items of each cell are wrong."""
        return self.find_wrong()

    @classmethod
    def mean(cls, each: Sequence[HeldOut]) -> HeldOut:
        """Return the errors on average, of the same items held out by other folds each time."""
        if len(each) == 1:
            return each[0]
        tables = np.mean([one.table.parts for one in each], axis=0).tolist()
        return cls(TwoByTwo(*tables), lambda: np.mean([one.wrong for one in each], axis=0))

    @classmethod
    def of(cls, cuts: Cuts, sample: Sample, rng: np.random.Generator) -> HeldOut:
        """Hold items out in turn, ten-fold."""
        if cuts.how.prices is not None and sample.masses.dtype.kind == "f":
            wrong = _wrong_at_once(cuts.how, sample, rng)
            fp, fn = (float(part) for part in sample.by_class(sample.mass(wrong)))
            return cls(TwoByTwo(fp, fn, *sample.sizes), lambda: wrong)
        tried = list(_tried(cuts, sample, rng))
        passed, fn = np.sum([one.below for one in tried], axis=0)
        zeros, ones = sample.sizes
        return cls(
            TwoByTwo(zeros - float(passed), float(fn), zeros, ones),
            lambda: _wrong_among(sample, tried),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A part of the items, and the cut that is best on all others."""

    part: NDArray[Any]
    rule: int
    below: tuple[float, float]  # negatives and positives of the part below the cut, by weight


def _tried(cuts: Cuts, sample: Sample, rng: np.random.Generator) -> Iterator[Tried]:
    """Yield parts that are held out.

    Of whole numbers, what a part adds to a walk can be taken off that of all, which saves time.
    """
    parts, sign = sample.parts(FOLDS, rng), _small_costs(cuts.how, sample)
    if sign is None:
        for part in parts:
            rule = cuts.fit(sample, sample.mass(sample.count - part))
            table = table_of(sample, part, rule)
            passed = table.negatives - table.false_positives
            yield Tried(part, rule, (passed, table.false_negatives))
        return
    small: Any = np.int32 if int(sample.count.sum()) < 2**28 else np.int64
    whole = np.cumsum(sign * sample.count, dtype=small)
    assert cuts.how.costs is not None
    one, other = (int(cost) for cost in cuts.how.costs)
    for part in parts:
        walk = np.cumsum(sign * part, dtype=small)
        rest = whole - walk
        best = int(np.argmin(rest))
        if rest[best] >= 0:
            yield Tried(part, 0, (0.0, 0.0))
            continue
        lost = int(walk[best])
        if one == other:  # which kind of error it is makes no difference
            yield Tried(part, best + 1, (-lost / one, 0.0))
            continue
        items = int(part[: best + 1].sum())
        ones = (lost + one * items) // (one + other)
        yield Tried(part, best + 1, (items - ones, ones))


def _small_costs(how: OfTable, sample: Sample) -> NDArray[Any] | None:
    """Return what each cell costs below a cut, where that is a small whole number."""
    if how.costs is None or max(how.costs) > 4 or sample.masses.dtype.kind != "i":
        return None
    one, other = how.costs
    if one != int(one) or other != int(other):
        return None
    narrow = np.int8 if max(how.costs) == 1 else np.int16  # so that items times costs have room
    return np.where(sample.positive, other, -one).astype(narrow)


def _wrong_among(sample: Sample, tried: Iterable[Tried]) -> NDArray[Any]:
    wrong = np.zeros(len(sample), dtype=np.int64)
    for one in tried:
        wrong += one.part * wrong_of(sample, one.rule)
    return wrong


def _wrong_at_once(how: OfTable, sample: Sample, rng: np.random.Generator) -> NDArray[Any]:
    """Return how many items of each cell are wrong, all parts at once: for sums of errors.

    Cuts are tried between blocks of rows where rows are many.
    """
    row, rows = sample.blocks(MOST_ROWS)
    item, fold = sample.folds(FOLDS, rng)
    mass, own, kind = sample.masses, row, sample.positive
    if item is not None:
        mass, own, kind = sample.each[item], row[item], kind[item]
    at, shape = fold * rows + own, (FOLDS, rows)
    if how.costs is not None:
        signed = mass * np.where(kind, how.costs[1], -how.costs[0])
        steps = np.bincount(at, signed, minlength=FOLDS * rows).reshape(shape)
        # Parts are taken off before sums are run, so that a row without items adds exactly 0.
        steps = steps.sum(axis=0) - steps
    else:
        parts = (np.bincount(at, mass * one, minlength=FOLDS * rows) for one in (~kind, kind))
        zeros, ones = (part.reshape(shape).sum(axis=0) - part.reshape(shape) for part in parts)
        assert how.prices is not None
        one, other = (how.whole or how.prices)(zeros.sum(axis=1), ones.sum(axis=1))
        steps = other[:, None] * ones - one[:, None] * zeros
    below = lowest(np.cumsum(steps, axis=1), np.abs(steps).sum(axis=1)) + 1
    ill = kind == (own < below[fold])
    if item is None:
        return np.asarray(sample.count * ill)
    return np.bincount(item[ill], minlength=len(sample))
