"""Cuts: the rules "score > t", the best one by any metric of both kinds of error, and its sides.

Isotonic regression is the best cut for error, and so it is for every one of these metrics: the rule
that is best for known probabilities is a threshold, and a cut where scores are in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Draw, Kinds, Losses, Sample
from errorfloor.methods.fitted import FOLDS, Chosen, Sides, Worth
from errorfloor.metrics.two_by_two import Binomial, OfTable, TwoByTwo, errors_of_thresholds, over

NO_WORSE, TAKEN_OFF = 3.0, 1.5  # in standard deviations; see `Cuts.unclear`
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
            return np.asarray(how.of(all_cuts(sample, mass)).min(axis=1))
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
            return int(np.argmin(self.how.of(all_cuts(sample, mass[None]))[0]))
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
        and a half standard deviations of them are taken off first, because a few errors next to the
        best threshold on an easy set are no flat part. `each` is what an item weighs.
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
        bound = NO_WORSE**2 * one * other * (1 + ROUNDING)
        good = np.flatnonzero(walk * walk <= bound * items)[[0, -1]]
        both = np.array([one, other])
        errors = np.maximum(items[good] * both - walk[good], 0) / (one + other)
        sure = np.maximum(errors - TAKEN_OFF * np.sqrt(errors), 0)
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


def all_cuts(sample: Sample, mass: Any) -> TwoByTwo:
    """Return the errors of every cut, for each row of masses; that below all scores comes first."""
    return errors_of_thresholds(sample.positive.astype(np.float64), mass)


def wrong_of(sample: Sample, rule: int) -> Bools:
    """Tell which cells a cut errs on."""
    wrong = ~sample.positive
    wrong[:rule] = sample.positive[:rule]
    return wrong


def table_of(sample: Sample, counts: Any, rule: int) -> TwoByTwo:
    """Return the errors of a cut on so many items of each cell, by what they weigh."""
    mass, positive = sample.mass(counts), sample.positive
    zeros, ones = sample.by_class(mass)
    fn = float(mass[:rule][positive[:rule]].sum())
    passed = float(mass[:rule].sum()) - fn
    return TwoByTwo(float(zeros) - passed, fn, float(zeros), float(ones))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Errors of cuts on the parts of a sample that did not choose them."""

    table: TwoByTwo  # by what items weigh
    wrong: Callable[[], NDArray[Any]] = field(repr=False)  # how many items of each cell are

    @classmethod
    def mean(cls, each: Sequence[HeldOut]) -> HeldOut:
        """Return the errors on average, of the same items held out by other folds each time."""
        if len(each) == 1:
            return each[0]
        tables = np.mean([one.table.parts for one in each], axis=0).tolist()
        return cls(TwoByTwo(*tables), lambda: np.mean([one.wrong() for one in each], axis=0))

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


NEAR = 2.0  # standard deviations; cuts that are worse by more have no smaller limits
MOST_CUTS = 2**12  # that limits are computed for
MANY_ITEMS, MOST_JOINED = 2**20, 2**16  # beyond so many items, so many rows do
_AT_ONCE = 2**20  # only for speed: numbers


class CutFit(Chosen):
    """The best threshold on a sample by a metric of both kinds of error.

    Where a class may be counted in a unit of its own, as for balanced error, that is what a typical
    unit of it weighs.
    """

    def __init__(
        self,
        sample: Sample,
        how: OfTable,
        draw: Draw,
        span: tuple[float, float] = (0.0, 1.0),
        *,
        midpoint: bool = False,
    ) -> None:
        super().__init__(sample, draw)
        self.how, self.cuts, self.span, self.midpoint = how, Cuts(how), span, midpoint
        self.link = how.link

    @cached_property
    def weighed(self) -> Sample:
        """The sample with each class in its own unit, where that changes nothing of the loss."""
        sample = self.sample
        if not self.how.by_class:
            return sample
        units = [sample.only(own).unit for own in (~sample.positive, sample.positive)]
        return sample.reweighted(1 / np.where(sample.positive, units[1], units[0]))

    # Both sides -------------------------------------------------------------------------------

    @cached_property
    def rule(self) -> int:
        """The best cut."""
        return self.cuts.fit(self.weighed, self.weighed.masses)

    @cached_property
    def own(self) -> TwoByTwo:
        """Its errors."""
        return table_of(self.weighed, self.weighed.count, self.rule)

    @cached_property
    def own_loss(self) -> float:
        """The least loss of any cut."""
        # As of resamples, to the last bit: those that are as good must be told from better ones.
        return float(self.cuts.least(self.weighed, self.weighed.masses[None])[0])

    @cached_property
    def held_out(self) -> HeldOut:
        """Errors on items held out in turn, on average over folds; drawn and fitted once."""
        sample = self.weighed
        if int(sample.count.sum()) > MANY_ITEMS:
            sample = sample.fewer_rows(MOST_JOINED)

        def noise(held: HeldOut) -> tuple[float, float]:
            like = self.how.like(held.table.scaled(1 / sample.unit))
            return float(self.how.of(held.table)), float(np.max(like.deviation))

        return HeldOut.mean(self.repeated(partial(HeldOut.of, self.cuts, sample), noise))

    @property
    def held_out_loss(self) -> float:
        """The loss on items held out."""
        return float(self.how.of(self.held_out.table))

    def on(self, count: Counts, rng: np.random.Generator) -> CutFit:
        """Return the same on other counts, with folds from `rng`."""
        other, midpoint = self.sample.counted(count), self.midpoint
        found = CutFit(other, self.how, lambda _: rng, self.span, midpoint=midpoint)
        found.repeats = 1
        return found

    def own_values(self, counts: Counts) -> Floats:
        """Return the best value for each row of counts."""
        size = max(_AT_ONCE // len(self.sample), 1)  # only for speed
        parts = (counts[start : start + size] for start in range(0, len(counts), size))
        least = [self.cuts.least(self.weighed, self.weighed.mass(part)) for part in parts]
        return np.asarray(self.link(np.concatenate(least)))

    def leave_one_out(self) -> Floats:
        """Return the value on its own items without one item of each cell in turn.

        It is exact, but for metrics other than costs where weights differ: there it is that of the
        cut which is best with all items. One item less seldom changes which that is.
        """
        if self.how.costs is not None:
            found = self._without_one_cost()
        elif self.sample.has_equal_weights:
            found = self._without_one()
        else:
            found = self._by_the_same_cut()
        return np.asarray(self.link(found))

    def _without_one(self) -> Floats:
        """Return the least losses without an item of each cell.

        Whether a cut errs less without an item depends on its class and on which side it is. So
        there are two losses of each cut and class, and their running minima tell all.
        """
        sample = self.weighed
        each = float(sample.each[0])
        every = all_cuts(sample, sample.masses[None])
        fp, fn, zeros, ones = (part[0] for part in every.parts)
        inside = np.ones(fp.size, dtype=bool)
        inside[sample.ends] = False
        found = np.empty(len(sample))
        for own, one in ((~sample.positive, 0), (sample.positive, 1)):
            zero, less = each * (1 - one), each * one
            fewer = np.maximum(zeros - zero, 0), np.maximum(ones - less, 0)
            above = self.how.of(TwoByTwo(np.maximum(fp - zero, 0), fn, *fewer))
            below = self.how.of(TwoByTwo(fp, np.maximum(fn - less, 0), *fewer))
            above[inside] = below[inside] = np.inf
            least = np.minimum(
                np.minimum.accumulate(above)[:-1], np.minimum.accumulate(below[::-1])[::-1][1:]
            )
            found[own] = least[own]
        return found

    def _without_one_cost(self) -> Floats:
        """Return the same for costs, whatever items weigh: an item spares its own alone."""
        sample, costs = self.weighed, self.how.costs
        assert costs is not None
        walk = np.cumsum(self.cuts.steps(sample, sample.masses))
        first = costs[0] * sample.sizes[0]
        losses = np.append(first, first + walk)
        above = np.minimum.accumulate(losses)[:-1]  # of cuts that an item is above
        below = np.minimum.accumulate(losses[::-1])[::-1][1:]
        spared = sample.each * np.where(sample.positive, costs[1], costs[0])
        wrong, right = np.where(sample.positive, (below, above), (above, below))
        rest = np.maximum(sample.total - sample.each, 0)
        return np.asarray(over(np.minimum(wrong - spared, right), rest))

    def _by_the_same_cut(self) -> Floats:
        sample, positive = self.weighed, self.weighed.positive
        wrong = wrong_of(sample, self.rule)
        out = wrong & ~positive, wrong & positive, ~positive, positive
        fewer = (
            np.maximum(part - sample.each * own, 0)
            for part, own in zip(self.own.parts, out, strict=True)
        )
        return np.asarray(self.how.of(TwoByTwo(*fewer)))

    # What honest limits need ------------------------------------------------------------------

    def sides(self) -> Sides:
        """Return both sides: cuts near the best on all items, and items held out."""
        held = self.held_out
        each = self.weighed.equal_item_of(lambda: self._losses(held.wrong()))
        above = partial(like_with_one_more, self.how, held.table.scaled(1 / each))
        freedom = min(self.weighed.freedom, self.how.freedom(self.own))
        return Sides(self.below, above, self.link, freedom, self._correlated(each))

    @property
    def below(self) -> Worth:
        """What the losses of cuts near the best vary like, an item being worth so many."""
        return partial(_like, self.how, self.near)

    def _losses(self, wrong: Any) -> tuple[Losses, Kinds]:
        """Return what items lose that are wrong, and the kinds of items that lose alike."""
        sample, how = self.weighed, self.how
        if how.pooled:
            return Losses(wrong, wrong), Kinds.one(sample, 1.0)
        errors = sample.by_class(sample.mass(wrong))
        price = how.slopes(TwoByTwo(*errors, *sample.sizes))[:2]
        kind = sample.positive.astype(np.intp)

        def centre(mass: Floats, total: Floats) -> Floats:
            slopes = how.slopes(TwoByTwo(*over(total, price), *mass))
            return np.asarray(over(-slopes[2:], slopes[:2]) * price)

        heavier = _heavier_where_wrong(sample, wrong) if how.by_class else np.ones(2)
        losses = Losses(price[kind] * wrong, price[kind] ** 2 * wrong)
        return losses, Kinds(kind, price, centre, self._units, heavier)

    def _units(self, alike: float) -> Floats:
        """Return what a typical item of either class weighs, or as much of a cluster as goes along.

        For prices of classes it is as far from the mean of its class as in the class where items
        differ more: a few items of a rare class may all be light by chance.
        """
        sample = self.weighed
        if not self.how.by_class:
            return np.full(2, sample.typical(alike))
        classes = [sample.only(own) for own in (~sample.positive, sample.positive)]
        mean = np.array([one.total / max(int(one.count.sum()), 1) for one in classes])
        unit = np.array([one.items.unit for one in classes])
        unit = mean * float((unit / mean).max())
        return unit + np.maximum([one.unit for one in classes] - unit, 0) * alike

    @cached_property
    def near(self) -> TwoByTwo:
        """Return the errors, in equal items, of the cuts that may have the least limit.

        Less what a cut inside merged rows may err less.
        """
        sample, how = self.weighed, self.how
        each = sample.equal_item_of(
            lambda: self._losses(np.where(wrong_of(sample, self.rule), sample.count, 0))
        )
        if how.pooled:  # of equal errors the best cut has the least limit
            fp, fn, zeros, ones = self.own.parts
            least = max(fp + fn - sample.unseen * (zeros + ones), 0.0)
            return TwoByTwo(least, 0.0, zeros, ones).scaled(1 / each)
        every = all_cuts(sample, sample.masses[None])
        fp, fn, zeros, ones = (part[0] for part in every.parts)
        ends = sample.ends
        some = TwoByTwo(fp[ends], fn[ends], float(zeros[0]), float(ones[0])).scaled(1 / each)
        values = how.of(some)
        best = int(np.argmin(values))
        reach = float(how.like(some.at(best)).deviation)
        near = np.flatnonzero(values <= values[best] + NEAR * reach)
        near = near[:: -(-near.size // MOST_CUTS)]
        return some.at(np.append(near, best))

    def _correlated(self, each: float) -> float:
        """Return the share of the held-out variance that folds have in common."""
        how, sample = self.how, self.weighed
        each = sample.unit if how.pooled else each
        price = how.price(self.own.scaled(1 / each))
        flat = self.cuts.unclear(sample, price, each)
        variance = float(how.like(self.held_out.table.scaled(1 / each)).deviation) ** 2
        return min(flat * price[0] * price[1] / 4 / variance, 1.0) if variance > 0 else 0.0


def _heavier_where_wrong(sample: Sample, wrong: Any) -> Floats:
    """Return how much more than usual a negative, and a positive, weighs where it is wrong.

    A sample by score gives other weights to items on either side of a cut, whatever their class.
    The ratio of both is told by items of one class, and of it a standard error is taken off.
    """
    positive, count, weight = sample.positive, sample.count, np.log(sample.each)
    above = np.where(positive, count - wrong, wrong)  # items that the cut calls positive
    gain, known, squares = 0.0, 0.0, 0.0
    for own in (positive, ~positive):
        high, low = above * own, (count - above) * own
        n, m = float(high.sum()), float(low.sum())
        if n == 0 or m == 0:
            continue
        one, other = float(high @ weight) / n, float(low @ weight) / m
        gain += n * m / (n + m) * (one - other)
        known += n * m / (n + m)
        squares += float(high @ (weight - one) ** 2 + low @ (weight - other) ** 2)
    if known == 0:
        return np.ones(2)
    error = np.sqrt(squares / float(count.sum()) / known)
    more = gain / known
    return np.exp(np.maximum([more - error, -more - error], 0.0))


def _like(how: OfTable, table: TwoByTwo, worth: float) -> Binomial:
    return how.like(table.scaled(worth))


def like_with_one_more(how: OfTable, table: TwoByTwo, worth: float) -> Binomial:
    """Return what the loss varies like with one more error, an item being worth so many."""
    return how.like(how.with_one_more(table.scaled(worth)))
