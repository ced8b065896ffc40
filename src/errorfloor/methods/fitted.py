"""What intervals ask of a fitted method: its value, values on other counts, and its two sides.

A rule that is chosen on some items looks too good on them and too bad on others. What it loses on
its own items and on items held out are the two sides: honest limits come from both, and the
midpoint of their values is nearly without bias.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias, TypeVar

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Kinds, Losses, Sample
from errorfloor.metrics.two_by_two import Binomial

FOLDS = 10  # parts that are held out in turn
# Items are held out again, by other folds, until the upper limits of a dozen seeds are expected to
# lie within a tenth of the interval's width: 3.3 standard deviations, of four standard errors.
REPEATS = 10  # at most
FEWEST_REPEATS = 3  # that tell how much folds matter
STEADY = 0.12  # standard errors that one standard deviation by folds may have
MOST_REPEATED = 2**16  # items; of more, other folds hardly matter

HeldT = TypeVar("HeldT")
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


class MeanFloor:
    """Mean of a known number for each cell of a sample."""

    def __init__(self, floor: Floats, sample: Sample) -> None:
        self.floor = floor
        self.sample = sample

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        mass = self.sample.mass(counts)
        return np.asarray((mass * self.floor).sum(axis=1) / mass.sum(axis=1))

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        return self._without(self.sample.items)

    def without_units(self) -> Floats:
        """Return the floor without each unit in turn: an item of each cell, or a cluster."""
        return self._without(self.sample)

    def _without(self, sample: Sample) -> Floats:
        mean, mass, _ = sample.in_units(self.floor)
        rest = sample.total - mass
        rest = np.where(rest > 0, rest, np.inf)  # of one unit nothing is left
        return np.asarray((float(sample.masses @ self.floor) - mass * mean) / rest)


class Chosen(Fitted):
    """A rule, or a map, that is chosen by its loss.

    Attributes
    ----------
    midpoint : bool
        Whether the value is the middle of those of both sides, or that of its own items.
    repeats : int
        How often items are held out at most, by other folds each time.
    """

    midpoint: bool
    repeats = REPEATS
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

    def every_side(self) -> tuple[Sides, ...]:
        """Return both sides of all losses that the metric may follow from."""
        return (self.sides(),)

    @abstractmethod
    def own_values(self, counts: Counts, /) -> Floats:
        """Return the value on the items that choose the rule, for each row of counts."""

    @abstractmethod
    def on(self, count: Counts, rng: np.random.Generator, /) -> Chosen:
        """Return the same on other counts, with folds from `rng`."""

    def repeated(
        self,
        hold_out: Callable[[np.random.Generator], HeldT],
        noise: Callable[[HeldT], tuple[float, float]],
    ) -> list[HeldT]:
        """Hold items out by folds that are drawn until they hardly move the mean loss any more.

        `noise` returns the mean loss of items held out once, and its standard error.
        """
        rng = self.draw("folds")
        found = [hold_out(rng)]
        if self.repeats == 1 or int(self.sample.count.sum()) > MOST_REPEATED:
            return found
        first, error = noise(found[0])
        losses = [first]
        while len(found) < self.repeats:
            moved = float(np.std(losses)) * np.sqrt(1 / max(len(losses) - 1, 1))
            if len(found) >= FEWEST_REPEATS and moved <= STEADY * error:
                break
            found.append(hold_out(rng))
            losses.append(noise(found[-1])[0])
        return found

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


def mean_loss(sample: Sample, losses: Losses) -> float:
    """Return the mean of what items lose."""
    return float(sample.mass(losses.total).sum()) / sample.total


def noise_of(sample: Sample, losses: Losses) -> tuple[float, float]:
    """Return the mean of what items lose, and its standard error."""
    mean, squares = (
        float(sample.mass(part).sum()) / sample.total for part in (losses.total, losses.squares)
    )
    return mean, float(np.sqrt(max(squares - mean**2, 0.0) * sample.unit / sample.total))


def sides_of_errors(
    own: tuple[float, float],
    held_out: tuple[float, float],
    freedom: float = float("inf"),
    correlated: float = 0.0,
) -> Sides:
    """Return both sides from errors among so many items: of a rule, and on items held out."""
    below, above = partial(_share, *own, 0), partial(_share, *held_out, 1)
    return Sides(below, above, float, freedom, correlated)


def _share(errors: float, n: float, more: int, worth: float) -> Binomial:
    return Binomial(worth * errors + more, worth * n, 1.0)


def sides_of(
    sample: Sample,
    own: Losses,
    held_out: Losses,
    link: Callable[[Any], Any] = float,
    correlated: float = 0.0,
) -> Sides:
    """Return both sides of a mean of what items lose, with one more of the largest losses above."""
    below, above = (_of_equal_items(sample, losses) for losses in (own, held_out))
    return Sides(
        partial(_like, *below, 0.0),
        partial(_like_with_one_more, *above, held_out.most),
        link,
        sample.freedom,
        correlated,
    )


def _of_equal_items(sample: Sample, losses: Losses) -> tuple[float, float, float]:
    """Return sums of losses and of their squares, and the number, of equal items.

    These are as many as have a mean that varies as much. A loss is as usual as it counts in that.
    """
    total, squares = (float(sample.mass(part).sum()) for part in (losses.total, losses.squares))
    each = sample.unit
    if total > 0:
        each = sample.equal_item(losses, Kinds.one(sample, squares / total))
    return total / each, squares / each, sample.total / each


def _like(total: float, squares: float, n: float, more: float, worth: float) -> Binomial:
    """Return a binomial share of the mean and the variance of losses, with one more of them."""
    total, squares = worth * total + more, worth * squares + more**2
    scale = squares / total if total > 0 else 1.0
    return Binomial(total / scale, max(worth * n, total / scale), scale)


def _like_with_one_more(
    total: float, squares: float, n: float, most: float, worth: float
) -> Binomial:
    """Return the same, and the mean: losses that are all alike have no share that is larger."""
    one = _like(total, squares, n, most, worth)
    each = (one.successes, 1.0), (one.trials, 0.0), (one.scale, total / n)
    return Binomial(*map(np.array, each))
