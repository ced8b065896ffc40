"""Models that may leave items aside, from scores with labels of two classes.

Keeping the surest items is best at some price of leaving an item aside: the rule that errs or pays
the least. Its mean loss gives the error at a coverage, and the coverage at an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from errorfloor._references import REJECTION
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample, split
from errorfloor.methods.isotonic import FOLDS, ISOTONIC, ISOTONIC_CF
from errorfloor.methods.ranks import by_row
from errorfloor.methods.record import Basis, Method, Options, unknown_resolution
from errorfloor.methods.scoring import NO_LOSSES, LossSums, isotonic_map
from errorfloor.metrics import Metric
from errorfloor.metrics.selective import share_within

REACH = 2.0  # standard deviations of a coverage
ROUNDING = 1e-12  # of shares


class Goal(Protocol):
    """Which point of the risk-coverage curve is asked for."""

    most: float | None  # the price where all items may be kept

    def coverage(self, kept: Floats, wrong: Floats, /) -> float:
        """Return which share of the items is kept, from the curve of the surest first."""

    def noise(self, loss: LossSums, price: float, /) -> float:
        """Return how far the share that is kept may be off, in standard deviations of one."""

    def least(self, price: float, /) -> float:
        """Return the least price that says something, where one is the best guess."""

    def value(self, loss: float, price: float, /) -> float:
        """Return the metric where errors and the price of items left aside cost so much."""


class AtCoverage:
    """The error of the items that are kept, where so many must be."""

    most: float | None = None

    def __init__(self, share: float) -> None:
        self.share = share

    def coverage(self, kept: Floats, wrong: Floats) -> float:
        """Return the share that must be kept."""
        return self.share

    def noise(self, loss: LossSums, price: float) -> float:
        """Return the standard deviation of the share of items that one price keeps."""
        return float(np.sqrt(self.share * (1 - self.share) / loss.items))

    def least(self, price: float) -> float:
        """Return 0: any price says something."""
        return 0.0

    def value(self, loss: float, price: float) -> float:
        """Return the error among kept items: the loss less what items left aside cost."""
        return (loss - price * (1 - self.share)) / self.share


class AtError:
    """The share of items that is kept, where at most so many of them may be wrong."""

    def __init__(self, error: float) -> None:
        self.error = error
        self.most: float | None = 0.5 if error < 0.5 else (1 + error) / 2

    def coverage(self, kept: Floats, wrong: Floats) -> float:
        """Return the largest share at which errors are allowed."""
        return share_within(self.error, kept, wrong)

    def noise(self, loss: LossSums, price: float) -> float:
        """Return the standard deviation of the coverage."""
        return loss.deviation / max(price - self.error, 1e-9)

    def least(self, price: float) -> float:
        """Return a price a quarter as far from the error that is allowed."""
        return self.error + (price - self.error) / 4

    def value(self, loss: float, price: float) -> float:
        """Return the coverage at which errors are just allowed."""
        return (price - loss) / max(price - self.error, 1e-9)


def slope(kept: Floats, wrong: Floats, coverage: float, *, behind: bool) -> float:
    """Return the error of the items that are kept last at a coverage, or of those `behind` it."""
    at = int(np.searchsorted(kept, coverage + ROUNDING * (2 * behind - 1)))
    at = min(max(at, 1), kept.size - 1)
    return float((wrong[at] - wrong[at - 1]) / (kept[at] - kept[at - 1]))


def goal_of(metric: Metric) -> Goal:
    """Return which point a metric asks for."""
    at = float(metric.given["at"])
    return AtCoverage(at) if metric.less_is_better else AtError(at)


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Of each cell: how likely the decision on it is wrong by a fit, and whether it is."""

    doubt: Floats
    wrong: Bools

    def curve(self, count: Counts) -> tuple[Floats, Floats]:
        """Return the share of items that are kept, the surest first, and the errors among them.

        Errors are those that the fit expects, as a share of all items.
        """
        some = np.flatnonzero(count)
        order = some[np.argsort(self.doubt[some], kind="stable")]
        share = count[order] / count.sum()
        kept = np.concatenate(([0.0], np.cumsum(share)))
        kept[-1] = 1.0
        return kept, np.concatenate(([0.0], np.cumsum(share * self.doubt[order])))

    def lost(self, price: float, count: Counts) -> LossSums:
        """Return errors on items that are surer than the price, and the price of all others."""
        # Where nothing costs anything, the next item may be an error even so.
        return LossSums.of(self.losses(price), count, np.ones(count.size))

    def losses(self, price: float) -> Floats:
        """Return the same of each cell."""
        return np.where(self.doubt >= price, price, 1.0 * self.wrong)


class Surest:
    """A point of the risk-coverage curve of a fit, on its own items.

    A fit says of each cell how sure it is, from the counts of all.
    """

    cells: Sample

    def __init__(self, metric: Metric, cells: Sample, classes: int) -> None:
        self.goal = goal_of(metric)
        self.span = metric.span(classes)
        self.cells = cells
        self.prices = self._prices(cells.count)  # the first is the best guess

    def decided(self, count: Counts, *, others: bool) -> Decided:
        """Return what a fit to these items says of all cells, `others` if it is for other items."""
        raise NotImplementedError

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the value for each row of counts."""
        return np.array([self._value(count, rng) for count in counts])

    def _value(self, count: Counts, rng: np.random.Generator) -> float:
        price = self._prices(count)[0]
        return self.metric(self.in_sample(count, price).mean, price)

    def metric(self, loss: float, price: float) -> float:
        """Return the metric of a mean loss at a price, within what it can be."""
        return float(np.clip(self.goal.value(loss, price), *self.span))

    def in_sample(self, count: Counts, price: float) -> LossSums:
        """Return the losses of the fit on its own items."""
        return self.decided(count, others=False).lost(price, count)

    def held_out(
        self, count: Counts, prices: Sequence[float], rng: np.random.Generator
    ) -> list[LossSums]:
        """Return the losses on each of ten parts, of the fit to all the others, at each price."""
        found = [NO_LOSSES for _ in prices]
        for part in split(count, FOLDS, rng):
            decided = self.decided(count - part, others=True)
            losses = (decided.lost(price, part) for price in prices)
            found = [one + other for one, other in zip(found, losses, strict=True)]
        return found

    def _prices(self, count: Counts) -> tuple[float, ...]:
        """Return the price of leaving items aside, and what it might be as well.

        It is the error of the items that are kept last; where the curve has a kink there, items
        kept a little earlier or later have another one.
        """
        decided = self.decided(count, others=False)
        kept, wrong = decided.curve(count)
        coverage = self.goal.coverage(kept, wrong)
        price = self._price(kept, wrong, coverage)
        off = REACH * self.goal.noise(decided.lost(price, count), price)
        sides = [self._price(kept, wrong, coverage + by) for by in (-off, off)]
        return price, max(min(sides), self.goal.least(price)), max(sides)

    def _price(self, kept: Floats, wrong: Floats, coverage: float) -> float:
        if coverage >= 1 and self.goal.most is not None:
            return self.goal.most
        # An error may be allowed just where items of a larger one begin.
        behind = self.goal.most is not None
        return slope(kept, wrong, float(np.clip(coverage, 0, 1)), behind=behind)


class Midpoint(Surest):
    """Midpoint of that point on the items of the fit and on items held out, ten-fold."""

    def _value(self, count: Counts, rng: np.random.Generator) -> float:
        price = self._prices(count)[0]
        (held_out,) = self.held_out(count, (price,), rng)
        return (super()._value(count, rng) + self.metric(held_out.mean, price)) / 2


class BestOfSurest(Surest):
    """A point of the risk-coverage curve of the isotonic fit, on its own items."""

    cells: Sample

    def decided(self, count: Counts, *, others: bool) -> Decided:
        """Return what the isotonic fit to these items says of all cells."""
        zeros, ones = by_row(self.cells, count[None])
        p = isotonic_map(zeros[0], ones[0], more=1.0 if others else 0.0)[self.cells.row]
        return Decided(np.minimum(p, 1 - p), np.asarray((p > 0.5) != self.cells.positive))


class MidpointOfSurest(Midpoint, BestOfSurest):
    """Midpoint of that point on the items of the fit and on items held out, ten-fold."""


def _bind(statistic: type[BestOfSurest], cells: Sample, options: Options) -> BestOfSurest:
    return statistic(options.metric, cells, 2)


_METRICS = ("error-at-coverage", "coverage-at-error")
_RULE = (
    "The labels calibrate the scores by isotonic regression, and the items whose likelier class is "
    "likeliest are kept first."
)
OWN = replace(
    ISOTONIC,
    bind=partial(_bind, BestOfSurest),
    metrics=_METRICS,
    bases=frozenset({Basis.SELECTED}),
    if_wrong="the value of the best rising curve: too pessimistic",
    explains=f"{_RULE} The value is that of this rule on the same items.",
    references=(*ISOTONIC.references, REJECTION),
    resolution=unknown_resolution,
)
MIDPOINT = replace(
    ISOTONIC_CF,
    bind=partial(_bind, MidpointOfSurest),
    metrics=_METRICS,
    bases=frozenset({Basis.SELECTED}),
    if_wrong="the value of the best rising curve: too pessimistic",
    explains=f"{_RULE} The value is the midpoint of what that gives on the items of the fit, which "
    "looks too good, and on items that were held out, which looks too bad.",
    references=(*ISOTONIC.references, REJECTION),
    when_merged="takes items of one row as tied",
)
RECORDS: tuple[Method, ...] = (OWN, MIDPOINT)
DEFAULTS: tuple[Method, ...] = (MIDPOINT,)
