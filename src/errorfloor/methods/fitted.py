"""What intervals ask of a fitted method: its value, values on other counts, and its two sides.

A rule that is chosen on some items looks too good on them and too bad on others. What it loses on
its own items and on items held out are the two sides: honest limits come from both, and the
midpoint of their values is nearly without bias.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Sample
from errorfloor.metrics.two_by_two import Binomial

FOLDS = 10  # parts that are held out in turn

Worth: TypeAlias = Callable[[float], Binomial]  # from how many items each is worth


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Losses of a chosen rule on its own items, and on items held out.

    Either is compared with a binomial share of the same mean and variance, times a scale. What is
    held out has one more error, of the kind that raises the loss most.
    """

    below: Worth
    above: Worth
    link: Callable[[Any], Any] = float  # from loss to metric
    freedom: float = float("inf")  # of the variance, where units of unequal weight tell it
    correlated: float = 0.0  # share of the held-out variance that the folds have in common


class Fitted(ABC):
    """A method that is fitted to a sample."""

    def __init__(self, sample: Sample, draw: Draw) -> None:
        self.sample = sample
        self.draw = draw

    @cached_property
    def value(self) -> float:
        """What is estimated."""
        return float(self.values(self.sample.count[None], self.draw("folds"))[0])

    @abstractmethod
    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the value for each row of counts; `rng` is for those that hold items out."""


class Chosen(Fitted):
    """A rule, or a map, that is chosen by its loss.

    Attributes
    ----------
    midpoint : bool
        Whether the value is the middle of those of both sides, or that of its own items.
    """

    midpoint: bool
    link: Callable[[Any], Any]
    span: tuple[float, float]  # of the metric; some rule that ignores scores is as good as its end

    @property
    @abstractmethod
    def own_loss(self) -> float:
        """The loss on the items that chose the rule."""

    @property
    @abstractmethod
    def held_out_loss(self) -> float:
        """The loss on items that did not, ten-fold."""

    @abstractmethod
    def sides(self) -> Sides:
        """Return both sides."""

    @abstractmethod
    def own_values(self, counts: Counts, /) -> Floats:
        """Return the value on the items that choose the rule, for each row of counts."""

    @abstractmethod
    def on(self, count: Counts, rng: np.random.Generator, /) -> Chosen:
        """Return the same on other counts, with folds from `rng`."""

    @cached_property
    def value(self) -> float:
        """What is estimated."""
        own = float(self.link(self.own_loss))
        if not self.midpoint:
            return own
        return (own + float(np.clip(self.link(self.held_out_loss), *self.span))) / 2

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the value for each row of counts."""
        if not self.midpoint:
            return self.own_values(counts)
        return np.array([self.on(count, rng).value for count in counts])
