"""How a model's own value of a metric is found on test items: kinds that metrics share.

The limits of a value are chosen by its kind. Decisions are counted in a matrix with a row for each
true class and a column for each decision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from errorfloor._typing import Floats


@dataclass(frozen=True, slots=True)
class ModelValue:
    """How a model's own value is found."""

    by_scores: ClassVar[bool] = False  # or else by decisions
    # Whether the value and a number of items tell how sure the value is.
    published: ClassVar[bool] = True
    # Whether it is known what labels that are redrawn at random do to the value of any model.
    follows_noise: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class WrongItems(ModelValue):
    """The share of items that the model gets wrong."""

    follows_noise: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class WrongInClasses(ModelValue):
    """The mean over classes of the share of its items that the model gets wrong."""

    follows_noise: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class CostOfDecisions(ModelValue):
    """The mean over items of what a decision costs, as given with the metric."""


@dataclass(frozen=True, slots=True)
class PositivesFound(ModelValue):
    """F1, a function of the share of true positives among all that are, or are named, positive."""

    published: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class PairsInOrder(ModelValue):
    """The share of pairs of items of both classes that the scores have in the right order."""

    by_scores: ClassVar[bool] = True
    follows_noise: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PrecisionOfRanks(ModelValue):
    """The mean precision above the items of class 1, in the order of the scores."""

    by_scores: ClassVar[bool] = True
    published: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class SurestItems(ModelValue):
    """The error among the items that the model is surest of, or how many of them it may answer."""

    by_scores: ClassVar[bool] = True
