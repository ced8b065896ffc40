"""The jackknife interval of values that are smooth functions of the distribution of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor import _references as references
from errorfloor._typing import Counts, Floats
from errorfloor.intervals import jackknife
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.record import Basis, heeds_weights
from errorfloor.methods.soft import BestValue
from errorfloor.metrics import Metric

_ROUNDING = 1e-12  # what is below it is a rounding error
_WIDER = 1.03  # than Student's, which the study on the page calls for
_USUAL = float(np.log(40))  # items that may well be missing at a level of 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
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
        if error < _ROUNDING:
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


def jackknife_of(statistic: BestValue, value: float, span: tuple[float, float]) -> Jackknife:
    """Return the evidence for the best value of a metric on items with known probabilities."""
    count, p = statistic.sample.count, statistic.probabilities
    without = statistic.leave_one_out()
    error, freedom = spread_of(without, count)
    error = float(np.hypot(error, statistic.counted.error_of_pairs()))
    # Of means over items or pairs, the mean without each is the mean itself.
    free = float(count @ without / count.sum()) if statistic.counted.may_leave_span else None
    unseen = unseen_shift(statistic.metric, p, count)
    chosen = statistic.counted.off_by_choice()
    return Jackknife(value, error, freedom, unseen, span, free, chosen)


def spread_of(leave_one_out: Floats, count: Counts) -> tuple[float, float]:
    """Return the jackknife's standard error and its degrees of freedom."""
    units = jackknife.Units(leave_one_out, count, np.ones(count.size))
    error, freedom = jackknife.spread_of(units.moments(), units.number)
    if error < _ROUNDING:
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
    for kind in _kinds(probabilities, count):
        # Rows of two classes are in ascending order, and stay so.
        row = int(np.searchsorted(probabilities, kind)) if probabilities.ndim == 1 else 0
        more = np.insert(probabilities, row, kind, axis=0)
        found.append(metric.best(more, np.insert(weights, row, _USUAL)))
    return min(found) - value, max(found) - value


def _kinds(probabilities: Floats, count: Counts) -> Floats:
    mean = count @ probabilities / count.sum()
    if probabilities.ndim == 1:
        return np.array([0.0, 0.5, 1.0, mean])
    classes = probabilities.shape[1]
    return np.vstack((np.eye(classes), np.full(classes, 1 / classes), mean))


@heeds_weights()
def _jackknife(case: Case) -> Evidence:
    assert isinstance(case.statistic, BestValue)
    if np.isfinite(case.cells.freedom):  # units of unequal weight, or clusters
        return jackknife.of_case(case)
    span = case.options.metric.span(len(case.table.classes))
    return jackknife_of(case.statistic, case.value, span)


JACKKNIFE = IntervalKind(
    name="jackknife",
    basis=Basis.SMOOTH,
    make=_jackknife,
    promise="The limits come from leaving out one item at a time, and allow for kinds of items "
    "that the sample does not hold by chance. They are measured, not proven.",
    in_short="sampling noise, and kinds of items that were not seen",
    proof="[measured](metrics.md)",
    holds="measured",
    references=(references.LEAVE_ONE_OUT,),
    is_random=False,
    stands_in=1,
)
