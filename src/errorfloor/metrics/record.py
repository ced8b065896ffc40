"""What a metric is: a record of how good any model can get by it.

Probabilities have one number per item, of class 1, where there are two classes, and a column for
each class where there are more. The best value of a metric is a function of their distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted import Counted, OneByOne
from errorfloor.metrics.model import ModelValue, SurestItems
from errorfloor.metrics.tabled import CountedTable, best_value, slope, value_of_model
from errorfloor.metrics.two_by_two import OfTable


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
        How it follows from what a rule or a map does on items of two classes.
    is_error : bool
        Whether it is the share of items that a model gets wrong. Its floor is the Bayes error,
        "the floor" without further words, and it is made of errors on items and between classes.
    is_fraction : bool
        Whether its best value is a number from 0 to 1, whatever the data.
    of_model : ModelValue, optional
        How a model's own value is found on test items; without it models cannot be compared.
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
    rule: str = "the best cut of {}"
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

    def __post_init__(self) -> None:
        """Fill in what follows from a loss of both kinds of error."""
        if not isinstance(self.how, OfTable) or self.how.costs is not None:
            return
        if self.given:  # a known share of classes makes it another function of items
            return
        for name, made in (
            ("whole", partial(best_value, self.how, self.words)),
            ("counted", partial(CountedTable, self.how)),
            ("of_model", value_of_model(self.how)),
            ("slope", partial(slope, self.how)),
        ):
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
        return float(weights @ self.per_item(probabilities) / weights.sum())

    def on(self, probabilities: Floats, count: Counts, weight: Floats | None = None) -> Counted:
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


def both_classes(theta: float, metric: str) -> float:
    """Return the share of class 1, or say that the metric needs both classes."""
    if not 0 < theta < 1:
        sure = 1 if theta >= 1 else 0
        raise InputError(
            f"{metric} needs items of both classes, and here every item is surely of class "
            f"{sure}. Add items of the other class."
        )
    return theta
