"""Honest limits: on one side from the items that chose a rule, on the other from items held out.

They are about the best rule of the scores, which any method for scores may be judged by: the best
cut of two classes, the best offsets of more. Losses of maps, rules that leave items aside, and
labels on some of the items have limits of the same kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from errorfloor._references import BINOMIAL, REJECTION, WEIGHTED_COUNTS
from errorfloor._references import POWERED as POWERED_REFERENCE
from errorfloor.intervals.models import lower_limit, upper_limit, worth_of_freedom
from errorfloor.intervals.record import Case, Evidence, IntervalKind, nothing_more
from errorfloor.methods.cuts import CutFit
from errorfloor.methods.fitted import Chosen, Sides
from errorfloor.methods.isotonic import weighs
from errorfloor.methods.prediction_powered import CorrectedErrors, PredictionPowered
from errorfloor.methods.record import Basis, Classes, Method, Shape, uses_weights
from errorfloor.methods.rules.offsets import OffsetFit, TopErrors
from errorfloor.metrics import ERROR, named
from errorfloor.metrics.selective import FIRST_PRICES

# Coin flips throughout: cross-fitted errors have about 1 + 1.3 times the binomial variance. What
# is more than binomial has short tails, so that far out less of it counts. Both numbers fit the
# quantiles from 0.1 to 0.0005 of simulated coin flips, alone and with other items, for any number
# of distinct scores; see "Upper limits" in docs/theory/scores.md.
_EXTRA, _SHORT = 1.3, 4.5


@dataclass(frozen=True, slots=True, eq=False)
class Honest:
    """Limits of the least loss of any rule, turned into those of the metric.

    Below, the rule that looks best loses no more than the truly best one does on these items.
    Above, rules tried on items that did not choose them lose no less than the best one; the folds
    are correlated as far as no rule is clearly best, so that items held out count as fewer. Few
    units of unequal weight tell less of their own variance: Student's t takes the place of the
    normal distribution.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
    .. [2] E. Korn and B. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24, 1998.
    .. [3] M. Fay and E. Feuer, "Confidence intervals for directly standardized rates: a method
       based on the gamma distribution", Statistics in Medicine 16, 1997.
    """

    sides: Sides
    method: str = "honest"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail, sides = (1 - level) / 2, self.sides
        known = worth_of_freedom(sides.freedom, tail)
        low = np.min(sides.below(known).quantile(tail))
        above = sides.above(known * worth_of_correlated(sides.correlated, tail))
        high = np.max(above.quantile(1 - tail))
        low, high = sorted(float(sides.link(float(end))) for end in (low, high))
        return low, high


def worth_of_correlated(share: float, tail: float) -> float:
    """Return how many independent items an item held out is worth, at most 1.

    Folds have so large a share of the variance in common.
    """
    from scipy.special import ndtri

    return float(1 / (1 + _EXTRA * share / (1 + share * ndtri(tail) ** 2 / _SHORT)))


@dataclass(frozen=True, slots=True, eq=False)
class AtPrices:
    """Limits of a metric that follows from the least loss at some price of leaving items aside.

    By duality the least loss at any price bounds the metric, on the side of the fit's own items: of
    their limits the tightest is taken, of a few prices. Losses on items held out bound it only at
    the right price, which is not known: of their limits, at all prices, the widest is taken. Where
    the metric rises with the loss both are the largest, else the smallest.
    """

    each: Sequence[Evidence]  # by price, the best guess first
    rises: bool
    method: str = "honest"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, high = zip(*(one.limits(level) for one in self.each), strict=True)
        if self.rises:
            return max(low[:FIRST_PRICES]), max(high)
        return min(low), min(high[:FIRST_PRICES])


def cut_of(case: Case) -> CutFit:
    """Return the cut that the value is of; of other methods, the one with the least error."""
    fit = case.statistic
    if isinstance(fit, CutFit) and fit.sample is case.cells:
        return fit
    return CutFit(case.cells, ERROR.how, case.streams.for_)


def offsets_of(case: Case) -> OffsetFit:
    """Return the rule with the best offsets, which other methods are judged by as well."""
    fit = case.statistic
    return fit if isinstance(fit, OffsetFit) else OffsetFit.of(case.cells, case.options)


def _chosen(case: Case) -> Chosen | TopErrors:
    """Return the rule or map that the value is of, or the best rule where there is none."""
    fit = case.statistic
    if isinstance(fit, Chosen | TopErrors) and not isinstance(fit, CutFit):
        return fit
    return cut_of(case) if case.method.classes is Classes.TWO else offsets_of(case)


@uses_weights(where=weighs)
def _honest(case: Case) -> Evidence:
    each = tuple(map(Honest, _chosen(case).every_side()))
    return each[0] if len(each) == 1 else AtPrices(each, case.options.metric.less_is_better)


def _assumes(method: Method) -> str:
    if method.shape is Shape.ORDER:
        return "; the upper limit holds for any scores"
    return (
        "; the interval's lower limit needs scores in the order of the true probabilities instead, "
        "its upper limit holds for any scores"
    )


of_error = partial(
    IntervalKind,
    basis=Basis.CUTS,
    references=(BINOMIAL,),
    assumes=_assumes,
    allows_for_merging=True,
    tests_rules=True,
)
HONEST = of_error(
    name="honest",
    make=_honest,
    promise="The lower limit holds at any number of items. The upper one comes from ten-fold "
    "cross-fitting, against the optimism of the best threshold, and allows for items where none is "
    "clearly best; its coverage is measured by simulation, not proven.",
    with_weights="The lower limit comes from the best threshold, the upper one from ten-fold "
    "cross-fitting by item or cluster; both count the errors as those of as many equal items as "
    "vary as much. Their coverage is measured by simulation, not proven.",
    in_short="lower limit exact at any n; upper limit cross-fitted, for any scores",
    proof="lower limit [proven](theory/scores.md#the-honest-intervals-lower-limit), upper one "
    "measured",
    stands_in=1,
)


def for_any_scores(method: Method) -> str:
    """Say which limit of a method for one metric holds whatever the scores are."""
    side = "upper" if named(method.metrics[0]).less_is_better else "lower"
    return f"; the {side} limit holds for any scores"


measured = partial(  # whose coverage is
    IntervalKind,
    proof="[measured](../benchmarks/results/metrics.md)",
    assumes=for_any_scores,
    tests_rules=True,
    stands_in=1,
)
HONEST_TABLES = measured(
    name="honest",
    basis=Basis.CUT_TABLES,
    make=_honest,
    promise="One limit comes from the best threshold on all items, which looks too good. The other "
    "comes from ten-fold cross-fitting, and allows for items where none is clearly best. Errors of "
    "unequal weights are taken as binomial with the same mean and variance. Coverage is measured "
    "by simulation, not proven.",
    with_weights="The lower limit comes from the best threshold, the upper one from ten-fold "
    "cross-fitting by item or cluster; both count errors as those of as many equal items as vary "
    "as much. Coverage is measured by simulation, not proven.",
    in_short="costs, balanced error, F1, MCC: from the best threshold to a cross-fitted one",
    references=(BINOMIAL, WEIGHTED_COUNTS),
)


def _assumes_of_rules(method: Method) -> str:
    if Basis.ITEMS not in method.bases:
        return "; the upper limit holds for any scores"
    return (
        "; the interval's lower limit needs the largest weighted score to be that of the likeliest "
        "class instead, its upper limit holds for any scores"
    )


of_rules = partial(
    IntervalKind,
    basis=Basis.RULES,
    references=(BINOMIAL,),
    assumes=_assumes_of_rules,
    tests_rules=True,
)
HONEST_RULES = of_rules(
    name="honest",
    make=_honest,
    promise="The lower limit comes from the fewest errors that a search over all weights of the "
    "classes finds. The upper one comes from ten-fold cross-fitting, and allows for items where "
    "no rule is clearly best. Coverage is measured by simulation, not proven.",
    with_weights="The lower limit comes from the fewest errors that a search over all weights of "
    "the classes finds, the upper one from ten-fold cross-fitting by item or cluster; both count "
    "the errors as those of as many equal items as vary as much. Coverage is measured.",
    in_short="many classes: fewest errors of any weights below, cross-fitted errors above",
    proof="[measured](../benchmarks/results/many_scores.md)",
    stands_in=1,
)
HONEST_LOSSES = measured(
    name="honest",
    basis=Basis.LOSSES,
    make=_honest,
    promise="The lower limit comes from losses on the items of the fit, which are too low; the "
    "upper one from losses on items held out, ten-fold, which are too high. Coverage is measured "
    "by simulation, not proven.",
    with_weights="The lower limit comes from losses on the items of the fit, the upper one from "
    "losses on items or clusters held out, ten-fold; both count as those of as many equal items as "
    "vary as much. Coverage is measured by simulation, not proven.",
    in_short="Brier score, log-loss, costs of many classes: own items below, held-out ones above",
    references=(WEIGHTED_COUNTS,),
)
SELECTED = measured(
    name="honest",
    basis=Basis.SELECTED,
    make=_honest,
    promise="One limit comes from the items of the fit, which look too good; the other from items "
    "held out, ten-fold, which look too bad. The price of leaving an item aside is not known: the "
    "first is the tightest of those for several prices, as each of them holds, the other is the "
    "widest. Coverage is measured by simulation, not proven.",
    in_short="error at a coverage, coverage at an error: own items, and held-out ones",
    references=(REJECTION, WEIGHTED_COUNTS),
    assumes=nothing_more,
)
# How far from the fewest errors towards the held-out ones the lower limit starts. The fewest alone
# never missed; see benchmarks/results/judges.md.
WITHIN = 0.25


@dataclass(frozen=True, slots=True)
class PoweredErrors:
    """Limits of corrected shares of errors, as those of as many labels as have their variance.

    Without help from predictions they are the limits of the labels alone.
    """

    found: CorrectedErrors
    correlated: float = 0.0
    method: str = "powered"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        least, held_out, n = self.found.least, self.found.held_out, self.found.worth
        share = least + WITHIN * (held_out - least)
        low = lower_limit(n * share, n, tail)
        n *= worth_of_correlated(self.correlated, tail)
        return float(low), float(upper_limit(n * held_out, n, tail))


def of_fit(fit: PredictionPowered) -> PoweredErrors:
    """Return the limits of a rule's errors, from labels on some items."""
    return PoweredErrors(fit.found, fit.correlated)


@uses_weights()
def _powered(case: Case) -> Evidence:
    assert isinstance(case.statistic, PredictionPowered)
    return of_fit(case.statistic)


POWERED = IntervalKind(
    name="powered",
    basis=Basis.POWERED,
    references=(POWERED_REFERENCE,),
    tests_rules=True,
    make=_powered,
    promise="The limits are those of as many labels as would tell as much as labels and scores "
    "together. The upper one comes from ten-fold cross-fitting, and allows for items where no rule "
    "is clearly best. Their coverage is measured by simulation, not proven.",
    in_short="labels on some items: as many labels as labels and all scores are worth",
    proof="[measured](../benchmarks/results/judges.md)",
    stands_in=1,
)
