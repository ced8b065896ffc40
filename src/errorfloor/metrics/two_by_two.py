"""Metrics of a rule for two classes that depend on its two kinds of error alone.

Each is written as a loss, less of which is better, and a link from the loss to the metric: a cost,
a balanced error, the share of errors among items that are positive or named so, which F1 is a
function of, and what MCC lacks of 1. All else follows: prices of errors, variances, limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Bools, Counts

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
        if np.ndim(some) == 0:  # numbers take a third of the time of arrays
            share = betaincinv(self.successes, behind, tail) if some and behind > 0 else float(some)
            return self.scale * share
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
    def weighs(self) -> bool:
        """Whether limits were measured where items weigh differently: those of sums of errors."""
        return self.prices is not None

    @property
    def by_class(self) -> bool:
        """Whether items of a class may be counted in another unit than those of the other."""
        one, other = (TwoByTwo(*np.array(part)) for part in _TWICE_THE_NEGATIVES)
        return bool(abs(self.of(one) - self.of(other)) < 1e-12)

    def of(self, table: TwoByTwo) -> Any:
        """Return the loss."""
        return self.loss(*(part * 1.0 for part in table.parts))  # whole products would overflow

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
    some = np.asarray(whole != 0)
    return np.where(some, part / np.where(some, whole, 1), 0.0)


def linear(prices: Callable[[Any, Any], tuple[Any, Any]], **more: Any) -> OfTable:
    """Return a metric whose loss is the sum of errors, each times the price of its class."""
    usual = {"loss": partial(_sum, prices), "form": _two_moments}
    return OfTable(prices=prices, **{**usual, **more})


def _counted(how: OfTable, table: TwoByTwo) -> Binomial:
    """Return the share of errors, which is binomial."""
    return Binomial(table.false_positives + table.false_negatives, table.n, 1.0)


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
    alike = false_positive == false_negative
    law = "binomial" if alike else "costs"
    given = {"loss": partial(_mean_cost, costs), "costs": costs, "needs": "", "law": law, **more}
    return linear(partial(_per_item, costs), **given)


def _mean_cost(costs: tuple[float, float], fp: Any, fn: Any, zeros: Any, ones: Any) -> Any:
    return over(costs[0] * fp + costs[1] * fn, zeros + ones)


def _per_item(costs: tuple[float, float], zeros: Any, ones: Any) -> tuple[Any, Any]:
    n = zeros + ones
    return over(costs[0], n), over(costs[1], n)


def _half_per_class(zeros: Any, ones: Any) -> tuple[Any, Any]:
    return over(0.5, zeros), over(0.5, ones)


def _by_other_class(zeros: Any, ones: Any) -> tuple[Any, Any]:
    return np.where(ones > 0, ones, 1), np.where(zeros > 0, zeros, 1)


def _missed(fp: Any, fn: Any, zeros: Any, ones: Any) -> Any:
    """Return errors as a share of the items that are positive or named so."""
    return over(fp + fn, ones + fp)


def _of_union(how: OfTable, table: TwoByTwo) -> Binomial:
    """Return that share, which is binomial for a fixed cut."""
    wrong = table.false_positives + table.false_negatives
    union = np.maximum(table.positives + table.false_positives, 1)
    return Binomial(wrong, union, np.ones_like(np.asarray(wrong, dtype=np.float64)))


def _uncorrelated(fp: Any, fn: Any, zeros: Any, ones: Any) -> Any:
    """Return half of what the correlation of label and decision lacks of 1.

    It is 0 where all decisions or all labels are alike.
    """
    n, named = zeros + ones, ones - fn + fp
    product = ones * zeros * named * (n - named)
    product = np.where(np.real(product) > STEP, product, 0)  # a step from 0 is no decision
    return (1 - over((ones - fn) * n - named * ones, np.sqrt(product))) / 2


def _one_more(how: OfTable, table: TwoByTwo) -> Any:
    """Return what one error more of either kind costs, by trying."""
    return how.of(how.with_one_more(table)) - how.of(table)


def _f1(loss: Any) -> Any:
    return 2 * (1 - loss) / (2 - loss)


def _mcc(loss: Any) -> Any:
    return 1 - 2 * loss


OF_ERROR = cost_of(1, 1, pooled=True, form=_counted)
OF_BALANCED = linear(_half_per_class, whole=_by_other_class, law="classes")
OF_F1 = OfTable(_missed, _f1, needs="positive", law="binomial", form=_of_union)
OF_MCC = OfTable(_uncorrelated, _mcc, step=_one_more)


def check_classes(name: str, count: Counts, positive: Bools, *, both: bool) -> None:
    """Say so where a metric needs items of a class of which there are none."""
    ones, zeros = int(count[positive].sum()), int(count[~positive].sum())
    if ones == 0 or (both and zeros == 0):
        needed = "items of both classes" if both else "positive items"
        raise InputError(
            f"{name} needs {needed}, and all {ones + zeros:,} labels are {int(ones > 0)}. Check "
            "which label is positive, or add items of the other class."
        )
