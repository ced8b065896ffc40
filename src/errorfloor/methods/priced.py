"""Costs and balanced error of cuts where items weigh differently or belong together.

Either is a sum of what errors of both kinds weigh, each times a price. So the best cut is that of
weight times price, and errors of the cut on items held out are priced alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import DOUBT, PSEUDO, Sample
from errorfloor.methods.weighted import WeightedCut
from errorfloor.metrics.two_by_two import Balanced, Cost, Loss, TwoByTwo, all_cuts

PRICED = "cost", "balanced-error"  # metrics


def prices_of(loss: Loss, zeros: Floats, ones: Floats) -> tuple[Floats, Floats]:
    """Return the prices of an error on a negative and on a positive, per weight.

    Costs are shared by all items. Half of the balanced error is shared by the items of each class;
    a class without items has none.
    """
    if isinstance(loss, Cost):
        each = _over(1.0, zeros + ones)
        return loss.false_positive * each, loss.false_negative * each
    assert isinstance(loss, Balanced)
    return _over(0.5, zeros), _over(0.5, ones)


def _over(part: float, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


class PricedCut(WeightedCut):
    """The least price of the errors of any rule "score > t" on its own items.

    Weights are divided by what a typical unit weighs, so that sums of them are about as many equal
    items: a typical one of the same class where prices are those of classes.
    """

    def __init__(self, loss: Loss, cells: Sample, span: tuple[float, float]) -> None:
        super().__init__(cells)
        self.loss = loss
        self.span = span  # of the metric
        self.by_class = isinstance(loss, Balanced)
        positive = cells.positive
        units = [self.design.unit] * 2
        if self.by_class:
            units = [self.only(own).unit for own in (~positive, positive)]
        self.weight = self.weight / np.where(positive, units[1], units[0])
        self.design = replace(cells, weight=self.weight)
        self.price = prices_of(loss, *self._classes(self.design.masses[None]))
        self.sign = np.where(positive, self.price[1], -self.price[0])

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the least price for each row of counts."""
        mass, positive = counts * self.weight, self.cells.positive
        zeros, ones = self._classes(mass)
        one, other = prices_of(self.loss, zeros, ones)
        walk = np.cumsum(mass * np.where(positive, other[:, None], -one[:, None]), axis=1)
        return np.asarray(np.maximum(one * zeros + np.minimum(walk.min(axis=1), 0), 0))

    def leave_one_out(self) -> Floats:
        """Return the price without one item of each cell in turn, of the cut that is best of all.

        One item less seldom changes which cut is best.
        """
        wrong = self.wrong(self.design.masses)
        table = self.table(np.where(wrong, self.cells.count, 0))
        positive = self.cells.positive
        zeros, ones, fp, fn = (
            np.maximum(mass - self.weight * out, 0)
            for mass, out in (
                (table.negatives, ~positive),
                (table.positives, positive),
                (table.false_positives, wrong & ~positive),
                (table.false_negatives, wrong & positive),
            )
        )
        one, other = prices_of(self.loss, zeros, ones)
        return np.asarray(one * fp + other * fn)

    def table(self, wrong: Floats | Counts) -> TwoByTwo:
        """Return what errors of both kinds weigh, and both classes; `wrong` are items of cells."""
        zeros, ones = self._classes(self.design.masses[None])
        fp, fn = self._classes((self.weight * wrong)[None])
        return TwoByTwo(float(fp[0]), float(fn[0]), float(zeros[0]), float(ones[0]))

    def every(self) -> TwoByTwo:
        """Return the same for all cuts."""
        found = all_cuts(self.cells.positive, self.design.masses[None])
        at = np.append(0, self.ends + 1)
        zeros, ones = float(found.negatives[0, 0]), float(found.positives[0, 0])
        return TwoByTwo(found.false_positives[0, at], found.false_negatives[0, at], zeros, ones)

    def only(self, own: Bools) -> Sample:
        """Return the design of the items of one class."""
        return self.design.only(own)

    def units(self, alike: float) -> Floats:
        """Return what a typical item of either class weighs, or as much of a cluster as goes along.

        For prices of classes it is as far from the mean of its class as in the class where items
        differ more: a few items of a rare class may all be light by chance.
        """
        items = self.design.items
        if not self.by_class:
            return np.full(2, items.unit + (self.design.unit - items.unit) * alike)
        classes = [self.only(own) for own in (~self.cells.positive, self.cells.positive)]
        mean = np.array([one.total / max(int(one.count.sum()), 1) for one in classes])
        unit = np.array([one.items.unit for one in classes])
        unit = mean * float((unit / mean).max())
        return unit + np.maximum([one.unit for one in classes] - unit, 0) * alike

    def _classes(self, mass: Floats) -> tuple[Floats, Floats]:
        return mass @ ~self.cells.positive, mass @ self.cells.positive


class PricedMidpoint(PricedCut):
    """Midpoint of the best cut's price on its own items and on items held out, ten-fold."""

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the midpoint for each row of counts."""
        other = np.clip([self._held_out(count, rng) for count in counts], *self.span)
        return np.asarray((super().values(counts, rng) + other) / 2)

    def _held_out(self, count: Counts, rng: np.random.Generator) -> float:
        rest = replace(self.cells, count=count, weight=self.weight)
        some = PricedCut(self.loss, rest, self.span)
        return float((np.abs(some.sign) * some.weight) @ some.held_out(rng))


def each_of(cut: PricedCut, wrong: Floats) -> float:
    """Return what an equal item weighs, of which as many as all weigh would vary as the price.

    To first order the price is a sum over units, of weight times how far prices of errors are from
    their mean. Of either class, `PSEUDO` units that are all wrong and as many that are all right
    are added, as `Sample.worth` does. `wrong` is how many items of each cell are wrong.
    """
    alike = 0.0 if cut.design.cluster is None else _alike(cut, wrong)
    priced = Priced.of(cut, wrong, alike, PSEUDO)
    squares = priced.squares(cut.design, wrong, cut.cells.positive)
    return (squares + PSEUDO * priced.of_pseudo_units()) / float(priced.spread.sum())


def _alike(cut: PricedCut, wrong: Floats) -> float:
    """Return how far the items of a cluster go along; see `Sample.usual`.

    That is 1 until some units have errors: about as many as would be wrong if all had one price.
    """
    priced = Priced.of(cut, wrong, 1.0, 0.0)
    positive, design = cut.cells.positive, cut.design
    within = priced.squares(design.items, wrong, positive)
    most = float(priced.spread @ priced.unit)
    found = 1.0
    if most > within:
        found = (priced.squares(design, wrong, positive) - within) / (most - within)
        found = min(max(found, 0.0), 1.0)
    errors = priced.mass * priced.share
    total, squares = float(priced.price @ errors), float(priced.price**2 @ errors)
    number = total**2 / squares / design.unit if squares > 0 else 0.0
    return (number * found + DOUBT) / (number + DOUBT)


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """Negatives and positives: what they weigh, their errors, and the prices of those."""

    mass: Floats
    share: Floats  # of errors
    unit: Floats  # what a pseudo unit weighs that is right
    ill: Floats  # what such units weigh that are wrong, of which there are fewer
    price: Floats  # of an error
    centre: Floats  # what the price of an item is on average

    @classmethod
    def of(cls, cut: PricedCut, wrong: Floats, alike: float, more: float) -> Priced:
        """Return the items of both classes, with so `many` pseudo units that are wrong, or right.

        Such a unit is a typical item, or as much of a cluster as goes along.
        """
        positive, price = cut.cells.positive, np.ravel(cut.price)
        total = np.array([cut.only(own).total for own in (~positive, positive)])
        errors = np.array([float(cut.weight @ (wrong * own)) for own in (~positive, positive)])
        unit, heavier = cut.units(alike), heavier_where_wrong(cut, wrong)
        mass = total + 2 * more * unit
        share = _over(1.0, mass) * (errors + more * unit)
        centre = price * share
        if not cut.by_class:  # the mean is that over all items, of whichever class
            centre = np.full(2, float(mass @ centre) / float(mass.sum()))
        return cls(mass, share, unit, unit * heavier, price, centre)

    @property
    def spread(self) -> Floats:
        """Sum of squared distances from the centre, of items that weigh 1."""
        right = (1 - self.share) * self.centre**2
        return self.mass * (self.share * (self.price - self.centre) ** 2 + right)

    def of_pseudo_units(self) -> float:
        """Return the same of one unit that is wrong and one that is right, of either class."""
        wrong = (self.unit * self.ill) @ (self.price - self.centre) ** 2
        return float(wrong + self.unit**2 @ self.centre**2)

    def squares(self, design: Sample, wrong: Floats, positive: Bools) -> float:
        """Return the sum over units of squared sums of weight times distance from the centre."""
        price, centre = (part[positive.astype(np.intp)] for part in (self.price, self.centre))
        if design.cluster is None:
            right = (design.count - wrong) * centre**2
            return float(design.each**2 @ (wrong * (price - centre) ** 2 + right))
        sums = np.bincount(design.cluster, design.each * (price * wrong - centre * design.count))
        return float(sums @ sums) * sums.size / max(sums.size - 1, 1)


def heavier_where_wrong(cut: PricedCut, wrong: Floats) -> Floats:
    """Return how much more than usual a negative, and a positive, weighs where it is wrong.

    A sample by score gives other weights to items on either side of a cut, whatever their class.
    The ratio of both is told by items of one class, and of it a standard error is taken off.
    """
    positive, count = cut.cells.positive, cut.cells.count
    if not cut.by_class:
        return np.ones(2)
    weight = np.log(cut.weight)
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
