"""Metrics of a rule "score > t" that depend on its two kinds of error alone.

Each is written as a loss, less of which is better: a cost, a balanced error, the share of errors
among items that are positive or named so, which F1 is a function of, and what MCC lacks of 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Bools, Counts, Floats


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

    def scaled(self, worth: float) -> TwoByTwo:
        """Return the same with each item counted as so many."""
        return TwoByTwo(*(worth * part for part in self._parts()))

    def with_one_more(self) -> tuple[TwoByTwo, TwoByTwo]:
        """Return the same with one more error of either kind, among the same items."""
        fp, fn, zeros, ones = self._parts()
        return TwoByTwo(fp + 1, fn, zeros, ones), TwoByTwo(fp, fn + 1, zeros, ones)

    def at(self, which: Any) -> TwoByTwo:
        """Return the errors of some of the rules, on the same items."""
        return TwoByTwo(
            self.false_positives[which], self.false_negatives[which], self.negatives, self.positives
        )

    def _parts(self) -> tuple[Any, Any, Any, Any]:
        return self.false_positives, self.false_negatives, self.negatives, self.positives


def all_cuts(positive: Bools, counts: Counts | Floats) -> TwoByTwo:
    """Return the errors of every cut, for each row of counts; that below all scores comes first.

    A cut between the positive and the negative cell of a row is none, and errs on both of them:
    it is never better than the cuts on either side.
    """
    below = np.zeros((len(counts), positive.size + 1))
    np.cumsum(counts * positive, axis=1, out=below[:, 1:])
    passed = np.zeros_like(below)
    np.cumsum(counts * ~positive, axis=1, out=passed[:, 1:])
    zeros, ones = passed[:, -1:], below[:, -1:]
    return TwoByTwo(zeros - passed, below, zeros, ones)


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


class Loss(Protocol):
    """A loss that depends on both kinds of error."""

    def of(self, table: TwoByTwo, /) -> Any:
        """Return the loss."""

    def metric(self, loss: Any, /) -> Any:
        """Return the metric of a loss; it falls where the loss rises if more of it is better."""

    def like(self, table: TwoByTwo, /) -> Binomial:
        """Return a binomial share that varies as the loss does."""

    def prices(self, table: TwoByTwo, /) -> tuple[float, float]:
        """Return by how much one more false positive and one more false negative raise the loss."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The mean cost per item."""

    false_positive: float
    false_negative: float

    @classmethod
    def given(cls, given: Mapping[str, Any]) -> Cost:
        """Return the cost that a user gave, as a matrix of decisions."""
        costs = np.asarray(given["costs"])
        return cls(float(costs[0, 1]), float(costs[1, 0]))

    @property
    def are_alike(self) -> bool:
        """Whether both kinds of error cost the same."""
        return self.false_positive == self.false_negative

    def of(self, table: TwoByTwo) -> Any:
        """Return the mean cost."""
        return self._total(table, 1) / np.maximum(table.n, 1)

    def metric(self, loss: Any) -> Any:
        """Return the same."""
        return loss

    def like(self, table: TwoByTwo) -> Binomial:
        """Return a binomial share with the same variance, that of a cost of 0 or `scale`."""
        total, squares = self._total(table, 1), self._total(table, 2)
        most = max(self.false_positive, self.false_negative)
        some = total > 0
        scale = np.where(some, squares / np.where(some, total, 1), most)
        return Binomial(total / scale, np.asarray(table.n, dtype=np.float64), scale)

    def prices(self, table: TwoByTwo) -> tuple[float, float]:
        """Return both costs, shared by all items."""
        return self.false_positive / table.n, self.false_negative / table.n

    def _total(self, table: TwoByTwo, power: int) -> Any:
        one, other = self.false_positive**power, self.false_negative**power
        return one * table.false_positives + other * table.false_negatives


class Balanced:
    """The mean of the shares of errors of both classes."""

    def of(self, table: TwoByTwo) -> Any:
        """Return the balanced error; a class without items has none."""
        one, other = self.prices(table)
        return one * table.false_positives + other * table.false_negatives

    def metric(self, loss: Any) -> Any:
        """Return the same."""
        return loss

    def like(self, table: TwoByTwo) -> Binomial:
        """Return a binomial share with the variance of two independent ones."""
        one, other = self.prices(table)
        fp, fn = table.false_positives, table.false_negatives
        total = one * fp + other * fn
        squares = one**2 * fp + other**2 * fn
        less = 2 * (one**3 * fp**2 + other**3 * fn**2)  # what the variance is below `squares`
        some = total > 0
        trials = np.where(some, total**2 / np.where(some, less, 1), 1)
        scale = np.where(some, trials * squares / np.where(some, total, 1), 1)
        return Binomial(total * trials / scale, trials, scale)

    def prices(self, table: TwoByTwo) -> tuple[Any, Any]:
        """Return half the weight of an item in its class."""
        return 0.5 / np.maximum(table.negatives, 1), 0.5 / np.maximum(table.positives, 1)


class Missed:
    """Errors as a share of the items that are positive or named so; F1 is a function of it."""

    def of(self, table: TwoByTwo) -> Any:
        """Return the share of errors."""
        return (table.false_positives + table.false_negatives) / self._union(table)

    def metric(self, loss: Any) -> Any:
        """Return F1."""
        return 2 * (1 - loss) / (2 - loss)

    def like(self, table: TwoByTwo) -> Binomial:
        """Return the share itself, which is binomial for a fixed cut."""
        wrong = table.false_positives + table.false_negatives
        return Binomial(wrong, self._union(table), np.ones_like(np.asarray(wrong, dtype=float)))

    def prices(self, table: TwoByTwo) -> tuple[float, float]:
        """Return the derivatives: a false positive is one more such item, too."""
        union = self._union(table)
        return (1 - self.of(table)) / union, 1 / union

    @staticmethod
    def _union(table: TwoByTwo) -> Any:
        return np.maximum(table.positives + table.false_positives, 1)


class Uncorrelated:
    """Half of what the correlation of label and decision, MCC, lacks of 1."""

    def of(self, table: TwoByTwo) -> Any:
        """Return (1 - MCC) / 2; MCC is 0 where all decisions or all labels are alike."""
        return (1 - self._correlation(table)) / 2

    def metric(self, loss: Any) -> Any:
        """Return MCC."""
        return 1 - 2 * loss

    def like(self, table: TwoByTwo) -> Binomial:
        """Return a binomial share with the variance of MCC for many items."""
        loss = self.of(table)
        variance = _variance(self._correlation(table), table) / 4
        usual = loss * (1 - loss)
        some = (variance > 0) & (usual > 0)
        trials = np.where(some, usual / np.where(some, variance, 1), table.n)
        trials = np.minimum(trials, table.n)
        return Binomial(loss * trials, trials, np.ones_like(trials))

    def prices(self, table: TwoByTwo) -> tuple[float, float]:
        """Return how much one error more of either kind costs, by trying."""
        loss, (more, other) = self.of(table), table.with_one_more()
        return self.of(more) - loss, self.of(other) - loss

    @staticmethod
    def _correlation(table: TwoByTwo) -> Any:
        named, product = _named(table)
        right = (table.positives - table.false_negatives) * table.n - named * table.positives
        some = product > 0
        return np.where(some, right / np.sqrt(np.where(some, product, 1)), 0.0)


def _named(table: TwoByTwo) -> tuple[Any, Any]:
    """Return the items that are named positive, and the product of all four margins."""
    named = table.positives - table.false_negatives + table.false_positives
    product = 1.0 * table.positives * table.negatives * named * (table.n - named)
    return named, product


def _variance(correlation: Any, table: TwoByTwo) -> Any:
    """Return the variance of MCC for many items.

    References
    ----------
    .. [1] Y. Bishop, S. Fienberg and P. Holland, "Discrete Multivariate Analysis", 1975, 11.3.
    """
    named, product = _named(table)
    some = product > 0
    one = (2 * table.positives - table.n) ** 2 * 1.0
    one = one / np.maximum(table.positives * table.negatives, 1)
    other = (2.0 * named - table.n) ** 2 / np.where(some, named * (table.n - named), 1)
    sign = np.sign((2 * table.positives - table.n) * (2 * named - table.n))
    square = correlation**2
    skew = correlation * (1 + square / 2) * sign * np.sqrt(one * other)
    variance = (1 - square + skew - 0.75 * square * (one + other)) / table.n
    return np.where(some, np.maximum(variance, 0), 0.0)


def check_classes(name: str, count: Counts, positive: Bools, *, both: bool) -> None:
    """Say so where a metric needs items of a class of which there are none."""
    ones, zeros = int(count[positive].sum()), int(count[~positive].sum())
    if ones == 0 or (both and zeros == 0):
        needed = "items of both classes" if both else "positive items"
        raise InputError(
            f"{name} needs {needed}, and all {ones + zeros:,} labels are {int(ones > 0)}. Check "
            "which label is positive, or add items of the other class."
        )
