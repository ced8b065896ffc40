"""What a metric is: a record of how good any model can get by it.

Probabilities have one number per item, of class 1, where there are two classes, and a column for
each class where there are more. The best value of a metric is a function of their distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats


def _no_mean(probabilities: Floats) -> Floats:
    raise TypeError("The metric is no mean over items.")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, and the best value of it that any model can have.

    Attributes
    ----------
    name : str
        As people ask for it.
    limit : str
        What the best value is called: a floor where less is better, else a ceiling.
    less_is_better : bool
    span : callable
        From a number of classes to the least and the largest best value there can be.
    per_item : callable, optional
        From probabilities to the best expected value on each item, where the best value of many
        items is the mean of these.
    formula, many_formula : str
        What is computed for two classes and for more, for people.
    opposite : str
        What one less the metric is called where people know that better, as accuracy.
    other_names : tuple of str
        What else people ask for it by, with hyphens between words.
    on_hub : str
        What model cards of the Hugging Face Hub call it, or its opposite; its name by default.
    title : str
        What people call it in a sentence; the name by default.
    per_cent : bool
        Whether people state it in per cent.
    unit : str
        What a plain number of it is counted in, if anything.
    whole : callable, optional
        From probabilities and weights to the best value, where it is no mean over items.
    counted : callable, optional
        From the probabilities of a table's rows and their counts to the best value of a sample,
        for any counts; where the metric is no mean over items.
    weighted : callable, optional
        The same for items that weigh differently, from what an item of each row weighs, too. By
        default one table after the other is computed.
    moved : callable, optional
        From probabilities, the least and the largest that they may be, and weights to how far the
        best value may be off; where that is known.
    two_only : bool
        Whether it is for two classes only.
    needs, takes : tuple of str
        Which of `costs`, `at` and `prior` must be given with it, and which may be.
    given : mapping
        What was given of these, as plain values.
    rule : str
        Which rules on scores in their order are compared by it, with {} for the scores.
    with_given : callable, optional
        From what was given and a number of classes to the metric that uses it.
    how : OfTable, OfItems or OfRanks, optional
        How it follows from what a rule or a map does on items of two classes. `OfTable` is in
        `metrics/two_by_two.py`, `OfItems` in `metrics/probabilities.py`, `OfRanks` in
        `metrics/ranking.py`.
    is_error : bool
        Whether it is the share of items that a model gets wrong. Its floor is the Bayes error,
        "the floor" without further words, and it is made of errors on items and between classes.
    is_fraction : bool
        Whether its best value is a number from 0 to 1, whatever the data.
    of_model : ModelValue, optional
        How a model's own value is found on test items; what `how` is `OfTable` for has one.
        Without any, models cannot be compared.
    slope : callable, optional
        From probabilities in ascending order, their weights, which add up to 1, the metric, and
        where items may move to, to how the best value changes as they do, but for a constant.
        Where a value is a maximum over thresholds, an item that is added falls on the better side
        of the threshold. By default it is found by moving a few items.
    smoothing : pair of float
        How many items' worth of log-likelihood a unit of relative entropy to the reference costs
        where a distribution is fitted to votes for it, and the arcsine share of the reference.
    by_place : bool
        Whether it asks which class is which, so that more than two classes cannot be sorted.
    by_pairs : bool
        Whether pairs of votes tell its best value, without any fit.
    """

    name: str
    limit: str
    less_is_better: bool
    span: Callable[[int], tuple[float, float]]
    per_item: Callable[[Floats], Floats] = _no_mean
    formula: str = ""
    many_formula: str = ""
    opposite: str = ""
    title: str = ""
    per_cent: bool = True
    unit: str = ""
    whole: Callable[[Floats, Floats | Counts], float] | None = None
    counted: Callable[[Floats, Counts], Counted] | None = None
    weighted: Callable[[Floats, Counts, Floats], Counted] | None = None
    moved: Callable[[Floats, Floats, Floats, Counts], float] | None = None
    two_only: bool = False
    rule: str = "the best threshold on {}"
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict, hash=False)
    with_given: Callable[[Mapping[str, Any], int], Metric] | None = None
    how: Any = None
    is_error: bool = False
    is_fraction: bool = True
    of_model: ModelValue | None = None
    slope: Callable[[Floats, Floats, Metric, Floats], Floats] | None = None
    smoothing: tuple[float, float] = (2.0, 0.5)
    by_place: bool = False
    by_pairs: bool = False
    other_names: tuple[str, ...] = ()
    on_hub: str = ""

    def __post_init__(self) -> None:
        """Fill in what follows from how it depends on items of two classes."""
        follows = getattr(self.how, "follows", None)
        if follows is None or self.given:  # known shares of classes make it another function
            return
        for name, made in follows().items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, made)

    @property
    def words(self) -> str:
        """What people call it in a sentence."""
        return self.title or self.name

    def best(self, probabilities: Floats, weights: Floats | Counts) -> float:
        """Return the best value on items with these probabilities, so many of each."""
        if self.whole is not None:
            return self.whole(probabilities, weights)
        if self.is_mean:
            return float(weights @ self.per_item(probabilities) / weights.sum())
        masses: Any = weights
        if probabilities.ndim == 1 and (probabilities[1:] < probabilities[:-1]).any():
            order = np.argsort(probabilities, kind="stable")  # as rows of tables are
            probabilities, masses = probabilities[order], masses[order]
        found = float(self.on(probabilities, masses).values(masses[None])[0])
        if np.isnan(found):
            raise self.without_class(masses @ of_classes(probabilities))
        return found

    def without_class(self, shares: Floats) -> InputError:
        """Return what says of which class there are no items."""
        name, missing = self.words[:1].upper() + self.words[1:], int(np.argmin(shares))
        if shares.size > 2:
            return InputError(
                f"{name} needs items of every class, and class number {missing} has a probability "
                "of 0 on all items. Leave it out, or add items of it."
            )
        return InputError(
            f"{name} needs items of both classes, and here every item is surely of class "
            f"{1 - missing}. Add items of the other class."
        )

    def on(self, probabilities: Floats, count: Any, weight: Floats | None = None) -> Counted:
        """Return the best value of a sample, for any counts of the rows of a table.

        `weight` is what an item of each row weighs, where items weigh differently.
        """
        if self.counted is None:
            raise InputError(
                f"The record of the metric {self.name} does not say how its best value is counted "
                "(counted), so samples have none."
            )
        if weight is None:
            return self.counted(probabilities, count)
        if self.weighted is not None:
            return self.weighted(probabilities, count, weight)
        return OneByOne(self.best, probabilities, count, weight)

    @property
    def needs_classes(self) -> str:
        """Of which classes there must be items: "both", "positive" or none."""
        return "" if "prior" in self.given else getattr(self.how, "needs", "")

    @property
    def is_mean(self) -> bool:
        """Whether the best value of many items is the mean of the best values on each."""
        return self.per_item is not _no_mean

    @property
    def is_selective(self) -> bool:
        """Whether models may leave the items aside that they are least sure of."""
        return isinstance(self.of_model, SurestItems)

    def shown(self, value: float) -> float:
        """Return the value as people like to see it: of an error, the accuracy."""
        return 1 - value if self.opposite else value

    def gap(self, value: float, best: float) -> float:
        """Return how much worse `value` is than `best`; negative where it is better."""
        return value - best if self.less_is_better else best - value


def least_error(probabilities: Floats) -> Floats:
    """Return the chance that the likeliest class is wrong, of each item."""
    if probabilities.ndim == 1:
        return np.minimum(probabilities, 1 - probabilities)
    return np.asarray(1 - probabilities.max(axis=1))


def of_classes(probabilities: Floats) -> Floats:
    """Return a column for each class, also where there are two."""
    if probabilities.ndim == 2:
        return probabilities
    return np.column_stack((1 - probabilities, probabilities))


def span_of_error(classes: int) -> tuple[float, float]:
    """Return the least and the largest error of the best rule."""
    return 0.0, 1 - 1 / classes


def span_of_share(classes: int) -> tuple[float, float]:
    """Return 0 and 1."""
    return 0.0, 1.0


class Counted(Protocol):
    """The best value of a metric on items with known probabilities, for any counts of them.

    Made from the probabilities of a table's rows, those of class 1 in ascending order, and counts.
    """

    is_slow: bool = False  # to compute without each item in turn

    def values(self, counts: Counts, /) -> Floats:
        """Return the best value for each row of counts; NaN where the metric has none."""

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn; NaN likewise."""

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return False

    def error_of_pairs(self) -> float:
        """Return the standard error that comes from pairs of items, beyond that of single ones."""
        return 0.0

    def off_by_choice(self) -> tuple[float, float]:
        """Return how far the value may be too low, and too high, as these items chose the rule."""
        return 0.0, 0.0


class OneByOne(Counted):
    """The best value of items that weigh differently, of one table after the other."""

    is_slow: bool = True

    def __init__(
        self,
        best: Callable[[Floats, Floats], float],
        probabilities: Floats,
        count: Counts,
        weight: Floats,
    ) -> None:
        self.best = best
        self.probabilities = probabilities
        self.count = count
        self.weight = weight

    def values(self, counts: Counts, /) -> Floats:
        """Return the best value for each row of counts."""
        return np.array([self._value(count) for count in counts])

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn."""
        every = np.arange(self.count.size)
        return np.array([self._value(self.count - (every == row)) for row in every])

    def _value(self, count: Counts) -> float:
        some = count > 0
        if not count.any():
            return float("nan")
        try:
            return self.best(self.probabilities[some], count[some] * self.weight[some])
        except InputError:  # a class is missing
            return float("nan")


class CountedMean(Counted):
    """The mean of a known number for each row, within what it can be."""

    def __init__(self, numbers: Floats, count: Counts, span: tuple[float, float]) -> None:
        self.numbers = numbers
        self.count = count
        self.span = span

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return True

    def values(self, counts: Counts, /) -> Floats:
        """Return the mean for each row of counts."""
        return np.asarray(np.clip(counts @ self.numbers / counts.sum(axis=1), *self.span))

    def leave_one_out(self) -> Floats:
        """Return the mean without one item of each row in turn, which may lie outside."""
        total = self.count @ self.numbers
        return np.asarray((total - self.numbers) / max(int(self.count.sum()) - 1, 1))


def ratio(above: Floats, below: Floats) -> Floats:
    """Return quotients, NaN where the divisor is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))


# From probabilities, the least and the largest that they may be, and counts.
Moved = Callable[[Floats, Floats, Floats, Counts], float]


def reach_of(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
    """Return how far items may be from their rows, on average."""
    return float(counts @ np.maximum(highs - p, p - lows) / counts.sum())


def moved_mean(per_item: Callable[[Floats], Floats], peak: float) -> Moved:
    """Return the answer for a mean of numbers that rise with p up to a peak and fall from there."""

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        here = per_item(p)
        inside = np.clip(peak, lows, highs)  # the peak itself, or an end
        away = [np.abs(per_item(place) - here) for place in (lows, highs, inside)]
        return float(counts @ np.max(away, axis=0) / counts.sum())

    return moved


def moved_ratio(excess: Callable[[Floats, Counts], float]) -> Moved:
    """Return the answer for AUC and balanced error with the mean as share of class 1.

    Both are u / 2 away from 1/2, with u a mean over two items, or of their distances from the mean,
    over 2 theta (1 - theta). Where items move by r on average, neither the one nor the other
    changes by more than 2 r, and u by no more than 2 r (1 + u) / (2 theta (1 - theta) - 2 r).
    """

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        reach = reach_of(p, lows, highs, counts)
        theta = float(counts @ p / counts.sum())
        least = 2 * theta * (1 - theta) - 2 * reach
        return 0.5 if least <= 0 else min(reach * (1 + excess(p, counts)) / least, 0.5)

    return moved


@dataclass(frozen=True, slots=True)
class ModelValue:
    """How a model's own value is found."""

    by_scores: ClassVar[bool] = False  # or else by decisions
    # Whether the value and a number of items tell how sure the value is.
    published: ClassVar[bool] = True
    # Whether it is known what labels that are redrawn at random do to the value of any model.
    follows_noise: ClassVar[bool] = False


class WrongItems(ModelValue):
    """The share of items that the model gets wrong."""

    follows_noise: ClassVar[bool] = True


class WrongInClasses(ModelValue):
    """The mean over classes of the share of its items that the model gets wrong."""

    follows_noise: ClassVar[bool] = True


class CostOfDecisions(ModelValue):
    """The mean over items of what a decision costs, as given with the metric."""


class PositivesFound(ModelValue):
    """F1, a function of the share of true positives among all that are, or are named, positive."""

    published: ClassVar[bool] = False


class Correlation(ModelValue):
    """The correlation of label and decision."""

    published: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class TableValue(ModelValue):
    """Any function of the two-by-two table of decisions, in numbers or shares of items.

    Attributes
    ----------
    value : callable
        From a matrix of two rows and two columns to the value, which falls, or rises, with the
        wrong decisions of each class.
    """

    value: Callable[[Floats], float]


@dataclass(frozen=True, slots=True)
class BoundedLoss(ModelValue):
    """The mean over items of a loss of the model's probabilities.

    Attributes
    ----------
    losses : callable
        From probabilities, a column for each class, to the loss with each class as the label.
    largest : callable
        From a number of classes to the largest loss that an item can have.
    """

    losses: Callable[[Floats], Floats]
    largest: Callable[[int], float]
    by_scores: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class UnboundedLoss(ModelValue):
    """The mean over items of a loss above 0 of the model's probabilities, see `BoundedLoss`."""

    losses: Callable[[Floats], Floats]
    by_scores: ClassVar[bool] = True
    published: ClassVar[bool] = False


class PairsInOrder(ModelValue):
    """The share of pairs of items of both classes that the scores have in the right order."""

    by_scores: ClassVar[bool] = True
    follows_noise: ClassVar[bool] = True


class PrecisionOfRanks(ModelValue):
    """The mean precision above the items of class 1, in the order of the scores."""

    by_scores: ClassVar[bool] = True
    published: ClassVar[bool] = False


class SurestItems(ModelValue):
    """The error among the items that the model is surest of, or how many of them it may answer."""

    by_scores: ClassVar[bool] = True
