"""The jackknife: what the value would be without each item, or each cluster, in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor import _references as references
from errorfloor._references import JACKKNIFE as REFERENCE
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.methods.fitted import MeanFloor
from errorfloor.methods.record import Basis, uses_weights
from errorfloor.methods.soft import BestValue
from errorfloor.metrics import Metric

ROUNDING = 1e-14  # of values that are the same
GROUPS = 400  # of units, where to leave out each would take long
# Units of similar weight whose spread stands for that of each: the few heaviest ones alone would
# tell too small a one about half of the time; benchmarks/results/weights.md has how it was chosen.
ALIKE = 30
DIGITS = 10  # binary, to which such weights count as equal


@dataclass(frozen=True, slots=True)
class Jackknife:
    """Limits from the spread of the value without each unit, by Student's t.

    Tails are those of a studentised mean: where units that raise the value lie farther from it, the
    upper limit is farther off, by the first term of its expansion. Few units of unequal weight, and
    few that differ much from the rest, tell less of the spread and have fewer degrees of freedom.

    References
    ----------
    .. [1] B. Efron and C. Stein, Ann. Statist. 9, 1981.
    .. [2] P. Hall, "The Bootstrap and Edgeworth Expansion", 1992, section 2.6.
    """

    value: float
    error: float  # standard error
    freedom: float
    skewness: float = 0.0  # of what units add to the value, over the root of their number
    method: str = "jackknife"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import ndtri, stdtrit

        tail = (1 + level) / 2
        half = float(stdtrit(max(self.freedom, 1.0), tail))
        shift = self.skewness * (2 * float(ndtri(tail)) ** 2 + 1) / 6
        shift = min(max(shift, -half / 2), half / 2)
        return self.value - self.error * (half - shift), self.value + self.error * (half + shift)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Items, clusters or groups of them, each left out in turn."""

    values: Floats  # of the statistic without the unit
    times: Counts  # how many units have that value
    mass: Floats  # what each of them weighs

    @property
    def number(self) -> int:
        """How many units there are."""
        return int(self.times.sum())

    @property
    def raises(self) -> Floats:
        """How much each unit raises the value, above the mean of all."""
        return np.asarray(float(self.times @ self.values) / self.number - self.values)

    def moments(self) -> Floats:
        """Return sums over units of the second to fourth power of what they add to the value."""
        raises = self.raises
        squares = raises * raises  # much faster than powers
        return np.array(
            [float(self.times @ each) for each in (squares, squares * raises, squares**2)]
        )

    def pooled_moments(self) -> Floats:
        """Return the same where each unit varies as the `ALIKE` nearest to it in weight do.

        These are means over collapsed strata, as surveys have them: never too small on average,
        whichever way values depend on weights. Units of one weight, to three digits, share their
        mean.
        """
        if np.ptp(self.mass) == 0:  # only for speed
            return self.moments()
        group, times, mass = self._by_mass()
        ends = np.append(0.0, np.cumsum(times))
        width = min(ALIKE, self.number)
        low = np.clip((ends[1:] + ends[:-1] - width) / 2, 0, self.number - width)
        low, high = np.minimum(low, ends[:-1]), np.maximum(low + width, ends[1:])
        moments = []
        ratio = self.raises / self.mass
        each, scale = self.times * ratio, times * mass
        for _ in range(3):
            each, scale = each * ratio, scale * mass
            sums = np.append(0.0, np.cumsum(np.bincount(group, each)))
            means = (np.interp(high, ends, sums) - np.interp(low, ends, sums)) / (high - low)
            moments.append(float(scale @ means))
        return np.array(moments)

    def _by_mass(self) -> tuple[NDArray[np.intp], Floats, Floats]:
        """Return groups of units of about one weight: of each unit, their sizes, their weights.

        Groups ascend. The bits of positive floats ascend as the floats do, so nothing is sorted.
        """
        group = self.mass.view(np.int64) >> (52 - DIGITS)
        group -= group.min()
        occupied = np.bincount(group) > 0
        group = (np.cumsum(occupied) - 1)[group]
        times = np.bincount(group, self.times).astype(np.float64)
        return group, times, np.bincount(group, self.times * self.mass) / times


def without_each(statistic: Any, design: Sample, rng: np.random.Generator) -> Units:
    """Return the value without each unit.

    Where units are many and the value takes long, units are left out in random groups of equal
    size; their spread tells the same.
    """
    _, mass, times = design.in_units(design.each)
    if int(times.sum()) > GROUPS and getattr(statistic, "is_slow", False):
        parts = list(design.parts(GROUPS, rng))
        values = [statistic.values((design.count - part)[None], rng) for part in parts]
        mass = np.array([float(part @ design.each) for part in parts])
        kept = mass > 0  # of few units, a group may have none
        return Units(
            np.concatenate(values)[kept],
            np.ones(np.count_nonzero(kept), dtype=np.int64),
            mass[kept],
        )
    if isinstance(statistic, MeanFloor):
        return Units(statistic.without_units(), times, mass)
    if not design.clusters:
        return Units(statistic.leave_one_out(), times, mass)
    values = [statistic.values(counts, rng) for counts in design.without_each()]
    return Units(np.concatenate(values), times, mass)


@uses_weights()
def of_case(case: Case) -> Evidence:
    """Return the evidence of items, or of clusters, with any weights."""
    units = without_each(case.statistic, case.cells, case.streams.for_("blocks"))
    if units.number < 2:
        raise Undefined("one item or cluster does not vary")
    if np.ptp(units.values) <= ROUNDING * np.abs(units.values).max():
        raise Undefined("the value is the same without any item or cluster")
    moments = _larger(units.moments(), units.pooled_moments())
    error, freedom = spread_of(moments, units.number)
    second, third, _ = moments
    return Jackknife(case.value, error, min(units.number - 1, freedom), float(third / second**1.5))


def _larger(own: Floats, pooled: Floats) -> Floats:
    """Return the larger moments; of the third, the one that goes farther where both tend to."""
    second, _, fourth = np.maximum(own, pooled)
    third = max(own[1], pooled[1]) if own[1] + pooled[1] > 0 else min(own[1], pooled[1])
    return np.array([second, third, fourth])


def spread_of(moments: Floats, number: int) -> tuple[float, float]:
    """Return the standard error and its degrees of freedom, from moments of `number` units.

    The variance of an estimated variance is about (kurtosis - 1) / n of its square, that of a
    chi-square with f degrees of freedom 2 / f of it.
    """
    second, _, fourth = moments
    tails = max(fourth / second**2 * number - 1, 1e-9) if second > 0 else 1e-9
    return float(np.sqrt((number - 1) / number * second)), float(2 * number / tails)


JACKKNIFE = IntervalKind(
    name="jackknife",
    basis=Basis.ITEMS,
    make=of_case,
    promise="The limits come from the spread of the value without each item, or each cluster, by "
    "Student's t. They show how much the value would vary from one sample to the next, but not the "
    "bias of the method.",
    in_short="sampling noise only, of items or clusters with any weights",
    proof="asymptotic, for the method's own target",
    references=(REFERENCE,),
)


_TOO_SMALL = 1e-12  # what is below it is a rounding error
_WIDER = 1.03  # than Student's, which the study on the page calls for
_USUAL = float(np.log(40))  # items that may well be missing at a level of 0.95


@dataclass(frozen=True, slots=True, eq=False)
class SmoothJackknife:
    """Student's limits on the logit scale, which allow for kinds of items that were not seen.

    The standard error is that of the jackknife, and its degrees of freedom follow from how unequal
    the items' influences are. A share of log(2 / (1 - level)) / n of the items may be of a kind
    that no item of the sample is of; neither limit is nearer to the value than such items,
    of the worst kind, could bring it. Both allow for a best rule that the items chose.

    References
    ----------
    .. [1] B. Efron and C. Stein, "The jackknife estimate of variance", Ann. Statist. 9, 1981.
    """

    value: float
    error: float  # standard error
    freedom: float  # degrees of freedom
    unseen: tuple[float, float]  # how far `_USUAL` unseen items may lower and raise the value
    span: tuple[float, float]
    free: float | None = None  # the value before it was brought into the span, if it may leave it
    chosen: tuple[float, float] = (0.0, 0.0)  # how far too low, and too high, the best rule may be
    method: str = "jackknife"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, high = self._smooth(level)
        low, high = low - self.chosen[1], high + self.chosen[0]
        missing = float(np.log(2 / (1 - level))) / _USUAL
        below, above = (self.value + missing * shift for shift in self.unseen)
        return min(low, below), max(high, above)

    def _smooth(self, level: float) -> tuple[float, float]:
        from scipy.special import expit, logit, stdtrit

        least, most = self.span
        place = (self.value - least) / (most - least)
        error = self.error / (most - least)
        if error < _TOO_SMALL:
            return self.value, self.value
        half = float(_WIDER * stdtrit(self.freedom, (1 + level) / 2)) * error
        if self.free is not None and half > place * (1 - place):
            # Such an estimate may be at an end of the span, where the logit scale has no meaning.
            free, half = self.free, half * (most - least)
            return min(free - half, self.value), max(free + half, self.value)
        if not 0 < place < 1:
            return self.value, self.value
        reach = half / (place * (1 - place))
        low, high = expit(logit(place) + np.array([-reach, reach]))
        return float(least + (most - least) * low), float(least + (most - least) * high)


def jackknife_of(statistic: BestValue, value: float, span: tuple[float, float]) -> SmoothJackknife:
    """Return the evidence for the best value of a metric on items with known probabilities."""
    count, p = statistic.sample.count, statistic.probabilities
    without = statistic.leave_one_out()
    error, freedom = _spread_without(without, count)
    error = float(np.hypot(error, statistic.counted.error_of_pairs()))
    # Of means over items or pairs, the mean without each is the mean itself.
    free = float(count @ without / count.sum()) if statistic.counted.may_leave_span else None
    unseen = unseen_shift(statistic.metric, p, count)
    chosen = statistic.counted.off_by_choice()
    return SmoothJackknife(value, error, freedom, unseen, span, free, chosen)


def _spread_without(leave_one_out: Floats, count: Counts) -> tuple[float, float]:
    """Return the jackknife's standard error and its degrees of freedom."""
    units = Units(leave_one_out, count, np.ones(count.size))
    error, freedom = spread_of(units.moments(), units.number)
    if error < _TOO_SMALL:
        return 0.0, float(units.number)
    return error, float(np.clip(freedom, 1, 1e9))


def unseen_shift(metric: Metric, probabilities: Floats, count: Counts) -> tuple[float, float]:
    """Return how far a few more items of one kind can lower and raise the best value.

    The kinds are those for which metrics have their extremes: items that are sure to be of a class,
    those about which nothing is known, and those as the mean of all.
    """
    value = metric.best(probabilities, count)
    weights = count.astype(np.float64)
    found = [value]
    mean = count @ probabilities / count.sum()
    kinds: Any = (0.0, 0.5, 1.0, mean)
    if probabilities.ndim == 2:
        classes = probabilities.shape[1]
        kinds = (*np.eye(classes), np.full(classes, 1 / classes), mean)
    for kind in kinds:
        # Rows of two classes are in ascending order, and stay so.
        row = int(np.searchsorted(probabilities, kind)) if probabilities.ndim == 1 else 0
        more = np.insert(probabilities, row, kind, axis=0)
        found.append(metric.best(more, np.insert(weights, row, _USUAL)))
    return min(found) - value, max(found) - value


@uses_weights()
def _jackknife(case: Case) -> Evidence:
    assert isinstance(case.statistic, BestValue)
    if np.isfinite(case.cells.freedom):  # units of unequal weight, or clusters
        return of_case(case)
    span = case.options.metric.span(len(case.table.classes))
    return jackknife_of(case.statistic, case.value, span)


JACKKNIFE_SMOOTH = IntervalKind(
    name="jackknife",
    basis=Basis.SMOOTH,
    make=_jackknife,
    promise="The limits come from leaving out one item at a time, and allow for kinds of items "
    "that the sample does not hold by chance. They are measured, not proven.",
    in_short="sampling noise, and kinds of items that were not seen",
    proof="[measured](../benchmarks/results/metrics.md)",
    references=(references.LEAVE_ONE_OUT,),
    is_random=False,
    stands_in=1,
)
