"""Metrics of decisions, which two kinds of error make: error, costs, balanced error, F1, MCC.

Of a rule for two classes each is written as a loss, less of which is better, and a link from the
loss to the metric: a cost, a balanced error, the share of errors among items that are positive or
named so, which F1 is a function of, and what MCC lacks of 1. All else follows: prices of errors,
variances, limits, and the best value for known probabilities. There the best rule names items above
a threshold positive, so that it is the least loss of any threshold between rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.metrics.record import (
    Correlation,
    CostOfDecisions,
    Counted,
    CountedMean,
    Metric,
    PositivesFound,
    TableValue,
    WrongInClasses,
    WrongItems,
    least_error,
    moved_mean,
    moved_ratio,
    of_classes,
    reach_of,
    span_of_error,
    span_of_share,
)

STEP = 1e-30  # into the complex, whose part is the slope to all digits


@dataclass(frozen=True, slots=True, eq=False)
class TwoByTwo:
    """Errors of both kinds, with the items of both classes: numbers, or arrays of several rules."""

    false_positives: Any
    false_negatives: Any
    negatives: Any
    positives: Any

    @property
    def n(self) -> Any:
        """All items."""
        return self.negatives + self.positives

    @property
    def parts(self) -> tuple[Any, Any, Any, Any]:
        """All four numbers."""
        return self.false_positives, self.false_negatives, self.negatives, self.positives

    def scaled(self, worth: float) -> TwoByTwo:
        """Return the same with each item counted as so many."""
        return TwoByTwo(*(worth * part for part in self.parts))

    def at(self, which: Any) -> TwoByTwo:
        """Return the errors of some of the rules, on the same items."""
        fp, fn, zeros, ones = self.parts
        return TwoByTwo(fp[which], fn[which], zeros, ones)


@dataclass(frozen=True, slots=True, eq=False)
class Binomial:
    """A binomial share of the same mean and variance as a loss: ``scale * successes / trials``."""

    successes: Any
    trials: Any
    scale: Any

    @property
    def deviation(self) -> Any:
        """Standard deviation of the loss."""
        share = self.successes / self.trials
        return self.scale * np.sqrt(np.maximum(share * (1 - share), 0) / self.trials)

    def at(self, which: Any) -> Binomial:
        """Return some of several."""
        parts = np.broadcast_arrays(self.successes, self.trials, self.scale)
        return Binomial(*(part[which] for part in parts))

    def quantile(self, tail: float) -> Any:
        """Return the loss at which the share would be at that tail of its distribution.

        0 where nothing was lost, and the whole scale where all of it was.
        """
        from scipy.special import betaincinv

        some, behind = self.successes > 0, self.trials - self.successes + 1
        whole = behind <= 0
        share = betaincinv(np.where(some, self.successes, 1), np.where(whole, 1, behind), tail)
        return self.scale * np.where(some, np.where(whole, 1.0, share), 0.0)


def _same(loss: Any) -> Any:
    return loss


@dataclass(frozen=True, slots=True, eq=False)
class OfTable:
    """How a metric follows from both kinds of error.

    Attributes
    ----------
    loss : callable
        From false positives, false negatives, negatives and positives to a loss that rises with
        both errors, within [0, 1] but for costs.
    link : callable
        From the loss to the metric.
    prices : callable, optional
        From negatives and positives to what an error of either kind costs, where the loss is the
        sum of these.
    whole : callable, optional
        The same in a unit in which counts of items have whole prices, so that ties are exact.
    costs : pair of float, optional
        Prices per item, where all items share them.
    needs : {"both", "positive", ""}
        Of which classes there must be items.
    law : {"binomial", "costs", "classes", ""}
        What is proven of the errors of a fixed cut: that their share is binomial, that the mean of
        costs or of the shares of both classes can be bet on, or nothing.
    pooled : bool
        Whether all errors are alike, so that both classes are one kind of item.
    form : callable, optional
        From this and a table to a binomial share that varies as the loss does. By default that of
        a loss of the same variance for many items.
    step : callable, optional
        From this and a table to what one error more of either kind costs, where that is no slope.
    """

    loss: Callable[[Any, Any, Any, Any], Any]
    link: Callable[[Any], Any] = _same
    prices: Callable[[Any, Any], tuple[Any, Any]] | None = None
    whole: Callable[[Any, Any], tuple[Any, Any]] | None = None
    costs: tuple[float, float] | None = None
    needs: str = "both"
    law: str = ""
    pooled: bool = False
    form: Callable[[OfTable, TwoByTwo], Binomial] | None = None
    step: Callable[[OfTable, TwoByTwo], Any] | None = None

    @property
    def by_class(self) -> bool:
        """Whether items of a class may be counted in another unit than those of the other."""
        one, other = (TwoByTwo(*np.array(part)) for part in _TWICE_THE_NEGATIVES)
        return bool(abs(self.of(one) - self.of(other)) < 1e-12)

    def of(self, table: TwoByTwo) -> Any:
        """Return the loss."""
        return self.loss(*(part * 1.0 for part in table.parts))  # whole products would overflow

    def follows(self) -> dict[str, Any]:
        """Return what a record of the metric need not say; costs are means over items instead."""
        if self.costs is not None:
            return {}
        return {
            "counted": partial(CountedTable, self),
            "of_model": TableValue(partial(_of_matrix, self)),
            "slope": partial(slope, self),
        }

    def slopes(self, table: TwoByTwo) -> Any:
        """Return the derivatives of the loss by all four numbers."""
        parts = [np.asarray(part, dtype=np.complex128) for part in table.parts]
        with np.errstate(all="ignore"):
            found = [
                np.imag(self.loss(*(part + 1j * STEP * (i == j) for j, part in enumerate(parts))))
                for i in range(4)
            ]
        slopes = np.array(np.broadcast_arrays(*found)) / STEP
        return np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)

    def with_one_more(self, table: TwoByTwo) -> TwoByTwo:
        """Return two rules, with one more error of either kind among the same items.

        One where errors are alike. Where the law of the loss is not known, errors are at most all
        items of their class.
        """
        fp, fn, zeros, ones = table.parts
        if self.pooled:
            return TwoByTwo(fp + 1, fn, zeros, ones)
        more, other = fp + np.array([1, 0]), fn + np.array([0, 1])
        if self.form is None:
            more, other = np.minimum(more, max(zeros, fp)), np.minimum(other, max(ones, fn))
        return TwoByTwo(more, other, zeros, ones)

    def freedom(self, table: TwoByTwo) -> float:
        """Return the degrees of freedom of the variance, at least 1.

        They are endless where the law of the loss is known. Else the rarer class tells the
        variance, with one degree less than it has items.
        """
        if self.form is not None:
            return float("inf")
        return max(min(float(table.negatives), float(table.positives)) - 1, 1.0)

    def price(self, table: TwoByTwo) -> Any:
        """Return by how much one more false positive and one more false negative raise the loss."""
        if self.step is not None:
            return self.step(self, table)
        if self.prices is not None:
            return np.array(self.prices(table.negatives, table.positives))
        return self.slopes(table)[:2]

    def like(self, table: TwoByTwo) -> Binomial:
        """Return a binomial share that varies as the loss does."""
        if self.form is not None:
            return self.form(self, table)
        loss, variance = self.of(table), self._variance(table)
        usual = loss * (1 - loss)
        some = (variance > 1e-300) & (usual > 0)
        trials = np.where(some, usual / np.where(some, variance, 1), table.n)
        trials = np.minimum(trials, table.n)
        return Binomial(loss * trials, trials, np.ones_like(trials))

    def _variance(self, table: TwoByTwo) -> Any:
        """Return the variance of the loss of a fixed rule, for many items: from what each adds."""
        fp, fn, zero, one = self.slopes(table)
        wrong = table.false_positives * (fp + zero) ** 2 + table.false_negatives * (fn + one) ** 2
        right = (table.negatives - table.false_positives) * zero**2
        return wrong + right + (table.positives - table.false_negatives) * one**2


_TWICE_THE_NEGATIVES = (3.0, 5.0, 40.0, 30.0), (6.0, 5.0, 80.0, 30.0)


def over(part: Any, whole: Any) -> Any:
    """Return a quotient, and 0 where there is nothing to divide by."""
    if np.ndim(whole) == 0 and np.ndim(part) == 0:
        return part / whole if whole != 0 else 0.0 * part
    if np.count_nonzero(whole) == np.size(whole):  # only for speed
        return part / whole
    some = np.asarray(whole != 0)
    return np.where(some, part / np.where(some, whole, 1), 0.0)


def linear(prices: Callable[[Any, Any], tuple[Any, Any]], **more: Any) -> OfTable:
    """Return a metric whose loss is the sum of errors, each times the price of its class."""
    usual = {"loss": partial(_sum, prices), "form": _two_moments}
    return OfTable(prices=prices, **{**usual, **more})


def _sum(prices: Any, fp: Any, fn: Any, zeros: Any, ones: Any) -> Any:
    one, other = prices(zeros, ones)
    return one * fp + other * fn


def _two_moments(how: OfTable, table: TwoByTwo) -> Binomial:
    """Match the sum of squared prices, and what the variance is below it, apart."""
    assert how.prices is not None
    fp, fn = table.false_positives, table.false_negatives
    if how.costs is not None:
        (one, other), most = how.costs, max(how.costs)
        total, squares = one * fp + other * fn, one**2 * fp + other**2 * fn
        some = total > 0
        scale = np.where(some, squares / np.where(some, total, 1), most)
        return Binomial(total / scale, np.asarray(table.n, dtype=np.float64), scale)
    one, other = how.prices(table.negatives, table.positives)
    total, squares = one * fp + other * fn, one**2 * fp + other**2 * fn
    less = (one * fp) ** 2 / np.maximum(table.negatives, 1)
    less = less + (other * fn) ** 2 / np.maximum(table.positives, 1)
    some = total > 0
    trials = np.where(some, total**2 / np.where(some, less, 1), 1)
    scale = np.where(some, trials * squares / np.where(some, total, 1), 1)
    return Binomial(total * trials / scale, trials, scale)


def cost_of(false_positive: float, false_negative: float, **more: Any) -> OfTable:
    """Return the mean cost per item of errors that cost so much."""
    costs = false_positive, false_negative
    law = "binomial" if false_positive == false_negative else "costs"
    given = {"loss": partial(_mean_cost, costs), "costs": costs, "needs": "", "law": law, **more}
    return linear(partial(_per_item, costs), **given)


def _mean_cost(costs: tuple[float, float], fp: Any, fn: Any, zeros: Any, ones: Any) -> Any:
    return over(costs[0] * fp + costs[1] * fn, zeros + ones)


def _per_item(costs: tuple[float, float], zeros: Any, ones: Any) -> tuple[Any, Any]:
    n = zeros + ones
    return over(costs[0], n), over(costs[1], n)


def check_classes(name: str, count: Counts, positive: Bools, *, both: bool) -> None:
    """Say so where a metric needs items of a class of which there are none."""
    ones, zeros = int(count[positive].sum()), int(count[~positive].sum())
    if ones == 0 or (both and zeros == 0):
        needed = "items of both classes" if both else "positive items"
        raise InputError(
            f"{name[:1].upper()}{name[1:]} needs {needed}, and all {ones + zeros:,} labels are "
            f"{int(ones > 0)}. Check which label is positive, or add items of the other class."
        )


# Best values for known probabilities ----------------------------------------------------------


_CANDIDATES = 64  # thresholds that may be best without an item: so many of the best with it


def errors_of_thresholds(p: Floats, counts: Any) -> TwoByTwo:
    """Return the errors of thresholds below all rows and behind each, for each row of counts.

    `p` is the share of items of class 1: that of rows in ascending order, or 0 and 1 of cells. A
    threshold between the positive and the negative cell of a row errs on both of them: it is never
    better than those on either side.
    """
    fn, passed = np.zeros((2, len(counts), p.size + 1))
    for each, sums in ((p, fn[:, 1:]), (1 - p, passed[:, 1:])):
        np.cumsum(np.multiply(counts, each, out=sums), axis=1, out=sums)
    zeros, ones = passed[:, -1:].copy(), fn[:, -1:].copy()
    return TwoByTwo(np.subtract(zeros, passed, out=passed), fn, zeros, ones)


class CountedTable(Counted):
    """The best value of any threshold, for any counts of rows in ascending order."""

    def __init__(self, how: OfTable, p: Floats, count: Floats | Counts) -> None:
        self.how = how
        self.p = p
        self.count = count

    def values(self, counts: Counts | Floats, /) -> Floats:
        """Return the best value for each row of counts; NaN where a class is missing."""
        table = errors_of_thresholds(self.p, counts)
        losses = np.asarray(self.how.loss(*table.parts)).min(axis=1)
        return self._known(np.asarray(self.how.link(losses)), table)

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn."""
        table = errors_of_thresholds(self.p, self.count[None])
        best = np.argsort(np.asarray(self.how.of(table))[0], kind="stable")[:_CANDIDATES]
        least = np.full(self.p.size, np.inf)
        ones, zeros = np.minimum(self.p, self.count), np.minimum(1 - self.p, self.count)
        fewer = table.negatives[0] - zeros, table.positives[0] - ones
        fp, fn = np.empty((2, self.p.size))
        for cut in best:
            # An item above the cut may be a false positive less, one below a false negative.
            fp[:cut], fn[cut:] = table.false_positives[0, cut], table.false_negatives[0, cut]
            np.maximum(table.false_positives[0, cut] - zeros[cut:], 0, out=fp[cut:])
            np.maximum(table.false_negatives[0, cut] - ones[:cut], 0, out=fn[:cut])
            np.minimum(least, self.how.loss(fp, fn, *fewer), out=least)
        return self._known(np.asarray(self.how.link(least)), TwoByTwo(0, 0, *fewer))

    def _known(self, values: Floats, table: TwoByTwo) -> Floats:
        zeros, ones = (np.ravel(part) for part in (table.negatives, table.positives))
        lacks = (ones <= 0) if self.how.needs else np.zeros(ones.shape, dtype=bool)
        if self.how.needs == "both":
            lacks = lacks | (zeros <= 0)
        return np.where(lacks, np.nan, values)


def slope(how: OfTable, p: Floats, w: Floats, _: object, x: Floats) -> Floats:
    """Return how the best value changes as items move to each x, but for a constant.

    An item that is added falls on the better side of the threshold.
    """
    table = errors_of_thresholds(p, w[None])
    best = int(np.argmin(np.asarray(how.of(table))[0]))
    fp, fn = table.false_positives[0, best], table.false_negatives[0, best]
    one = TwoByTwo(fp, fn, table.negatives[0, 0], table.positives[0, 0])
    of_fp, of_fn, of_zeros, of_ones = (float(part) for part in how.slopes(one))
    above = (of_fp + of_zeros) * (1 - x) + of_ones * x
    below = of_zeros * (1 - x) + (of_fn + of_ones) * x
    turned = np.imag(how.link(complex(how.of(one)) + 1j * STEP)) / STEP
    return np.asarray(turned * np.minimum(above, below))


def _of_matrix(how: OfTable, matrix: Floats) -> float:
    (tn, fp), (fn, tp) = np.asarray(matrix, dtype=np.float64)
    return float(how.link(how.of(TwoByTwo(fp, fn, tn + fp, fn + tp))))


# Error and costs -------------------------------------------------------------------------------


def _counted(how: OfTable, table: TwoByTwo) -> Binomial:
    """Return the share of errors, which is binomial."""
    return Binomial(table.false_positives + table.false_negatives, table.n, 1.0)


def _least_cost(costs: Floats, probabilities: Floats) -> Floats:
    if probabilities.ndim == 1:
        false_positive, false_negative = costs[0, 1], costs[1, 0]
        missed = false_negative * probabilities
        return np.asarray(np.minimum(false_positive * (1 - probabilities), missed))
    return np.asarray((probabilities @ costs).min(axis=1))


def hardest(costs: Floats) -> Floats:
    """Return the probabilities of the item whose best decision costs most: a game's solution."""
    from scipy.optimize import linprog

    # Probabilities p and a value v with v <= (p @ costs)[j] for every decision j, v the largest.
    classes = len(costs)
    goal = np.append(np.zeros(classes), -1.0)
    below = np.column_stack((-costs.T, np.ones(classes)))
    total = np.append(np.ones(classes), 0.0)[None]
    found = linprog(goal, A_ub=below, b_ub=np.zeros(classes), A_eq=total, b_eq=[1.0])
    return np.asarray(found.x[:classes] / found.x[:classes].sum())


def _span_of_cost(costs: Floats, classes: int) -> tuple[float, float]:
    if classes == 2:
        one, other = costs[0, 1], costs[1, 0]
        return 0.0, float(one * other / (one + other))
    return 0.0, float((hardest(costs) @ costs).min())


def _with_costs(given: Mapping[str, Any], classes: int) -> Metric:
    costs = np.asarray(given["costs"], dtype=np.float64)
    per_item = partial(_least_cost, costs)
    return replace(
        COST,
        given=given,
        per_item=per_item,
        moved=moved_mean(per_item, costs[0, 1] / (costs[0, 1] + costs[1, 0])),
        span=partial(_span_of_cost, costs),
        how=cost_of(float(costs[0, 1]), float(costs[1, 0])) if classes == 2 else COST.how,
    )


OF_ERROR = cost_of(1, 1, pooled=True, form=_counted)
ERROR = Metric(
    name="error",
    other_names=("accuracy", "acc", "error-rate", "zero-one-loss"),
    on_hub="accuracy",
    limit="floor",
    less_is_better=True,
    span=span_of_error,
    per_item=least_error,
    formula="min(p, 1 - p)",
    many_formula="1 - max p",
    opposite="accuracy",
    how=OF_ERROR,
    is_error=True,
    of_model=WrongItems(),
)
COST = Metric(
    name="cost",
    limit="floor",
    less_is_better=True,
    span=span_of_error,  # replaced once the costs are known
    formula="min(cost of a false positive * (1 - p), cost of a false negative * p)",
    many_formula="the least expected cost of any decision",
    title="mean cost per item",
    per_cent=False,
    needs=("costs",),
    by_place=True,
    how=cost_of(1, 1),  # replaced likewise
    with_given=_with_costs,
    is_fraction=False,
    of_model=CostOfDecisions(),
)


# Balanced error --------------------------------------------------------------------------------


def _half_per_class(zeros: Any, ones: Any) -> tuple[Any, Any]:
    return over(0.5, zeros), over(0.5, ones)


def _by_other_class(zeros: Any, ones: Any) -> tuple[Any, Any]:
    return np.where(ones > 0, ones, 1), np.where(zeros > 0, zeros, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """The two forms of the best balanced error, each a mean over items; see `forms_of`."""

    without_max: Floats  # one less the largest share-weighted probability of each item
    without_rest: Floats  # what the largest leaves of all of them
    discriminant: float  # the second form has the smaller variance where it is at least 0

    def best(self) -> Floats:
        """Return the form with the smaller variance."""
        return self.without_rest if self.discriminant >= 0 else self.without_max


def forms_of(probabilities: Floats, weights: Floats | Counts, prior: Floats) -> Forms:
    """Return what is averaged for the best balanced error, where the shares of classes are known.

    With q = p / prior / K for each class, the best balanced error is 1 - E max q, and also
    E (sum q - max q), because the sum has the mean 1. For two classes these are the max form and
    the min form of Ushio, Ishida and Sugiyama (2026), and the sign of the discriminant is theirs.
    """
    q = of_classes(probabilities) / prior / prior.size
    largest, total = q.max(axis=1), q.sum(axis=1)
    # Var(total - largest) <= Var(largest) iff the covariance of total and largest - total / 2
    # is at least 0.
    discriminant = float(weights @ ((total - 1) * (largest - total / 2)) / weights.sum())
    return Forms(1 - largest, total - largest, discriminant)


class CountedForms(CountedMean):
    """The best balanced error with known shares of classes: the mean of the form that varies less.

    Which form that is, the items of the table decide.
    """

    def __init__(self, probabilities: Floats, count: Counts, prior: Floats) -> None:
        self.probabilities = probabilities
        self.prior = prior
        self.forms = forms_of(probabilities, count, prior)
        super().__init__(self.forms.best(), count, span_of_error(prior.size))

    def varies_least(self, count: Counts) -> int:
        """Return which form items in other numbers decide for: 0 for the min form, else 1."""
        if not count.any():
            return 0
        return int(forms_of(self.probabilities, count, self.prior).discriminant < 0)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the largest number of an item, in the min form and in the max form."""
        classes, largest = self.prior.size, 1 / (self.prior.size * self.prior.min())
        # Of the weighted probabilities the largest is at least 1 / K, and at least their mean.
        most = 0.5 if classes == 2 else (1 - 1 / classes) * largest
        return np.array([0.0, 1 - largest]), np.array([most, 1 - 1 / classes])


def _with_prior(given: Mapping[str, Any], classes: int) -> Metric:
    prior = np.asarray(given["prior"], dtype=np.float64)

    def whole(probabilities: Floats, weights: Floats | Counts) -> float:
        return float(weights @ forms_of(probabilities, weights, prior).best() / weights.sum())

    def form(name: str, p: Floats) -> Floats:
        forms: Floats = getattr(forms_of(p, np.ones(p.size), prior), name)
        return forms

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        names = "without_rest", "without_max"
        each = (moved_mean(partial(form, name), prior[1]) for name in names)
        return max(one(p, lows, highs, counts) for one in each)

    counted = partial(CountedForms, prior=prior)
    return replace(BALANCED, given=given, whole=whole, counted=counted, moved=moved, slope=None)


class CountedBalance(Counted):
    """The best balanced error, with mean probabilities as shares of classes.

    Of two classes the min form and the max form are then one number.
    """

    def __init__(self, p: Floats, count: Counts) -> None:
        self.p = np.ascontiguousarray(of_classes(p).T)  # a row for each class
        self.count = count

    def values(self, counts: Counts, /) -> Floats:
        """Return the best balanced error for each row of counts; NaN where a class is missing."""
        masses = counts.astype(np.float64)
        shares = masses @ self.p.T
        some = (shares > 0).all(axis=1)
        # Each class in units of the first, which saves a pass.
        ratios = shares[:, :1] / np.where(shares > 0, shares, 1)
        top = np.multiply.outer(ratios[:, 1], self.p[1])
        np.maximum(top, self.p[0], out=top)
        for label in range(2, len(self.p)):
            np.maximum(top, np.multiply.outer(ratios[:, label], self.p[label]), out=top)
        reached = np.einsum("ij,ij->i", top, masses) / np.where(some, shares[:, 0], 1)
        found = np.clip(1 - reached / len(self.p), *span_of_error(len(self.p)))
        return np.where(some, found, np.nan)

    def leave_one_out(self) -> Floats:
        """Return the best balanced error without one item of each row in turn."""
        shares = (self.p @ self.count)[:, None]
        if (shares <= 0).any():
            return np.full(self.count.size, np.nan)
        fewer, tiny = shares - self.p, 1e-12 * shares  # what rounding leaves of nothing
        gone = (fewer <= tiny).any(axis=0)
        inverse = np.where(gone, 0.0, 1 / np.maximum(fewer, tiny))
        weighted = self.p / shares
        first, close = weighted.argmax(axis=0), self._may_change(weighted, inverse * shares)
        # Rows whose best class stays so add up by class; the others are looked at one by one.
        chosen = self.p[first, np.arange(first.size)] * self.count
        reached = np.bincount(first[~close], chosen[~close], minlength=len(self.p)) @ inverse
        for row in np.flatnonzero(close):
            reached += self.count[row] * (inverse * self.p[:, row, None]).max(axis=0)
        reached -= (inverse * self.p).max(axis=0)
        return np.where(gone, np.nan, 1 - reached / len(self.p))

    @staticmethod
    def _may_change(weighted: Floats, moved: Floats) -> Bools:
        """Tell in which rows another class may be best once an item is left out."""
        best = weighted.argmax(axis=0)[None]
        most, least = moved.max(axis=1), np.where(moved > 0, moved, np.inf).min(axis=1)
        least = np.where(np.isfinite(least), least, 0.0)
        rivals = weighted * most[:, None]
        np.put_along_axis(rivals, best, -1.0, axis=0)
        own = np.take_along_axis(weighted * least[:, None], best, axis=0)[0]
        return np.asarray(rivals.max(axis=0) >= own)

    def off_by_choice(self) -> tuple[float, float]:
        """Return how far the value may be too low because these items chose the best rule.

        The rule for two classes is to name class 1 above the mean probability. Where many items are
        about at the mean, the mean distance from it has a kink there, and is too large on either
        side. It is looked at two standard errors of the mean away, less what a straight line would
        have.
        """
        share, p = self.count / self.count.sum(), self.p[-1]
        theta = float(share @ p)
        if len(self.p) > 2 or not 0 < theta < 1:
            return 0.0, 0.0
        error = float(np.sqrt(share @ (p - theta) ** 2 / self.count.sum()))
        above, below = share @ (p > theta), share @ (p < theta)
        bent = 0.0
        for shift, slope in ((2 * error, 1 - 2 * above), (-2 * error, 2 * below - 1)):
            moved = share @ (np.abs(p - theta - shift) - np.abs(p - theta))
            bent = max(bent, float(moved - slope * shift))
        return bent / (4 * theta * (1 - theta)), 0.0


OF_BALANCED = linear(_half_per_class, whole=_by_other_class, law="classes")


def _above_half(p: Floats, counts: Counts) -> float:
    return 1 - 2 * BALANCED.best(p, counts)


BALANCED = Metric(
    name="balanced-error",
    other_names=("balanced-accuracy",),
    on_hub="balanced_accuracy",
    limit="floor",
    less_is_better=True,
    span=span_of_error,
    counted=CountedBalance,
    moved=moved_ratio(_above_half),
    formula="min(p / P(1), (1 - p) / P(0)) / 2",
    many_formula="1 - max p / P(class) / K",
    opposite="balanced accuracy",
    title="balanced error",
    takes=("prior",),
    with_given=_with_prior,
    how=OF_BALANCED,
    by_place=True,
    of_model=WrongInClasses(),
)


# F1 --------------------------------------------------------------------------------------------


def _missed(fp: Any, fn: Any, zeros: Any, ones: Any) -> Any:
    """Return errors as a share of the items that are positive or named so."""
    return over(fp + fn, ones + fp)


def _of_union(how: OfTable, table: TwoByTwo) -> Binomial:
    """Return that share, which is binomial for a fixed cut."""
    wrong = table.false_positives + table.false_negatives
    union = np.maximum(table.positives + table.false_positives, 1)
    return Binomial(wrong, union, np.ones_like(np.asarray(wrong, dtype=np.float64)))


def _f1(loss: Any) -> Any:
    return 2 * (1 - loss) / (2 - loss)


class CountedF1(CountedTable):
    """The best F1: where the mean of `excess` is 0, and the largest of any threshold."""

    def __init__(self, p: Floats, count: Counts) -> None:
        super().__init__(OF_F1, p, count)

    @staticmethod
    def excess(p: Floats, f: float) -> Floats:
        """Return what an item adds to E (2p - f)_+ - f E p: it falls with f for every p."""
        return np.asarray(np.maximum(2 * p - f, 0) - f * p)


def _f1_moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
    """Return how far F1 may be off, 2 right / (named + positive) of any set of items.

    Where items move by r on average, `right` and `positive` change by no more than r.
    """
    reach = reach_of(p, lows, highs, counts)
    least = float(counts @ p / counts.sum()) - reach
    return 1.0 if least <= 0 else min(reach * (2 + F1.best(p, counts)) / least, 1.0)


OF_F1 = OfTable(_missed, _f1, needs="positive", law="binomial", form=_of_union)
F1 = Metric(
    name="f1",
    other_names=("f1-score",),
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    counted=CountedF1,
    moved=_f1_moved,
    formula="the largest 2 true positives / (named positive + positive) of any threshold for p",
    title="F1",
    how=OF_F1,
    per_cent=False,
    two_only=True,
    of_model=PositivesFound(),
)


# MCC -------------------------------------------------------------------------------------------


def _uncorrelated(fp: Any, fn: Any, zeros: Any, ones: Any) -> Any:
    """Return half of what the correlation of label and decision lacks of 1.

    It is 0 where all decisions or all labels are alike.
    """
    n, named = zeros + ones, ones - fn + fp
    rest = n - named
    product = named * rest * (ones * zeros)
    product = np.where(np.real(product) > STEP, product, 0)  # a step from 0 is no decision
    return (1 - over(ones * rest - n * fn, np.sqrt(product))) / 2


def _one_more(how: OfTable, table: TwoByTwo) -> Any:
    """Return what one error more of either kind costs, by trying."""
    return how.of(how.with_one_more(table)) - how.of(table)


def _mcc(loss: Any) -> Any:
    return 1 - 2 * loss


class CountedMcc(CountedTable):
    """The best MCC, the largest correlation of any threshold; 0 where all items are alike."""

    def __init__(self, p: Floats, count: Counts) -> None:
        super().__init__(OF_MCC, p, count)

    def off_by_choice(self) -> tuple[float, float]:
        """Return how far the value may be too high because these items chose the best rule.

        Any other threshold may be as good, or even the best, that is behind by less than two
        standard errors of its distance: where many items have one probability, with them or not.
        """
        n = float(self.count.sum())
        share = self.count / n
        # Shares of items above each threshold, and their sums of p and of p^2; then of none.
        above = [np.cumsum((share * self.p**power)[::-1])[::-1] for power in range(3)]
        named, total = above[0][1:], float(above[1][0])
        if not named.size or not 0 < total < 1:
            return 0.0, 0.0
        value = (above[1][1:] - named * total) / np.sqrt(named * (1 - named) * total * (1 - total))
        best = int(np.argmax(value))
        error = np.sqrt(self._variance_beside(best, value, above) / n)
        return 0.0, float(np.max(2 * error - (value[best] - value), initial=0.0))

    @staticmethod
    def _variance_beside(best: int, value: Floats, above: list[Floats]) -> Floats:
        """Return the variance of what an item adds to each threshold's value less the best one's.

        To first order, any item adds `other` p, and one above the threshold `one` + `right` p more.
        """
        named, total = above[0][1:], above[1][0]
        right = 1 / np.sqrt(named * (1 - named) * total * (1 - total))
        one = -total * right - value * (0.5 - named) / (named * (1 - named))
        other = -named * right - value * (0.5 - total) / (total * (1 - total))
        every = other - other[best]
        place = np.arange(1, named.size + 1)
        lower, upper = np.minimum(place, best + 1), np.maximum(place, best + 1)
        sign, which = np.where(place <= best, 1, -1), np.where(place <= best, place - 1, best)
        parts = (
            (0.0, every, 0 * lower, lower),
            (sign * one[which], sign * right[which] + every, lower, upper),
            (one - one[best], right - right[best] + every, upper, None),
        )
        mean, square = np.zeros((2, named.size))
        for constant, slope, start, end in parts:
            n, p, pp = (sums[start] - (0 if end is None else sums[end]) for sums in above)
            mean += constant * n + slope * p
            square += constant**2 * n + 2 * constant * slope * p + slope**2 * pp
        return np.asarray(np.maximum(square - mean**2, 0))


OF_MCC = OfTable(_uncorrelated, _mcc, step=_one_more)
MCC = Metric(
    name="mcc",
    other_names=("matthews-corrcoef",),
    on_hub="matthews_correlation",
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    counted=CountedMcc,
    formula="the largest correlation of label and decision of any threshold for p",
    title="MCC",
    how=OF_MCC,
    smoothing=(8.0, 0.5),  # a maximum over thresholds follows noise
    per_cent=False,
    two_only=True,
    of_model=Correlation(),
)
