"""The best cut of a sample by a metric of both kinds of error: its value and its two sides."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Kinds, Losses, Sample
from errorfloor.methods.cuts import Cuts, HeldOut, all_cuts, wrong_of
from errorfloor.methods.fitted import Chosen, Sides, Worth
from errorfloor.metrics.two_by_two import Binomial, OfTable, TwoByTwo, over

NEAR = 2.0  # standard deviations; cuts that are worse by more have no smaller limits
MOST_CUTS = 2**12  # that limits are computed for
MANY_ITEMS, MOST_JOINED = 2**20, 2**16  # beyond so many items, so many rows do
_AT_ONCE = 2**20  # only for speed: numbers


class CutFit(Chosen):
    """The best cut of a sample by a metric of both kinds of error.

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
        sample, rule = self.weighed, self.rule
        mass, zeros, ones = sample.masses[:rule], *sample.sizes
        fn = float(mass[sample.positive[:rule]].sum())
        return TwoByTwo(zeros - (float(mass.sum()) - fn), fn, zeros, ones)

    @cached_property
    def own_loss(self) -> float:
        """The least loss of any cut."""
        # As of resamples, to the last bit: those that are as good must be told from better ones.
        return float(self.cuts.least(self.weighed, self.weighed.masses[None])[0])

    @cached_property
    def held_out(self) -> HeldOut:
        """Errors on items held out in turn; drawn and fitted once."""
        sample = self.weighed
        if int(sample.count.sum()) > MANY_ITEMS:
            sample = sample.fewer_rows(MOST_JOINED)
        return HeldOut.of(self.cuts, sample, self.draw("folds"))

    @property
    def held_out_loss(self) -> float:
        """The loss on items held out."""
        return float(self.how.of(self.held_out.table))

    def on(self, count: Counts, rng: np.random.Generator) -> CutFit:
        """Return the same on other counts, with folds from `rng`."""
        other, midpoint = self.sample.counted(count), self.midpoint
        return CutFit(other, self.how, lambda _: rng, self.span, midpoint=midpoint)

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
        elif self.sample.weighs_alike:
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
        every = all_cuts(sample.positive, sample.masses[None])
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
        each = self.weighed.equal_item_of(lambda: self._losses(held.wrong))
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
        every = all_cuts(sample.positive, sample.masses[None])
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
