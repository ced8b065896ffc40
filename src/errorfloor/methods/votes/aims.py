"""What is averaged over the distribution behind votes: a function of an item's probability.

The floor of items whose votes are positive with probability eta is min(q, 1 - q), where q is the
probability that the label is positive: one more vote, or the majority of several. Whatever a metric
is, if its best value is the mean over items of a function of their probability, that mean is linear
in the distribution, and what bounds the floor bounds it too. All that is needed of the function is
how far it can be from its chord between neighbouring points of a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from errorfloor._checks import check_whole
from errorfloor._typing import Floats
from errorfloor.methods.votes.panels import Panel
from errorfloor.metrics.record import Metric, least_error, span_of_error
from errorfloor.metrics.two_by_two import OfTable

MOST_OF_MAJORITY = 1001  # votes; more are no majority that anybody takes


@dataclass(frozen=True, slots=True)
class Target:
    """The majority of so many votes, ties broken at random; 1 is one more vote.

    A vote that breaks a tie at random adds nothing: 2c votes have the same majority as 2c - 1.
    """

    majority: int = 1
    kinks: ClassVar[tuple[float, ...]] = ()  # that at 1/2 is a point of every grid
    peak: ClassVar[float] = 0.5  # a coin flip is the hardest item

    @property
    def needed(self) -> int:
        """Votes that make a majority of the odd number."""
        return (self.majority + 1) // 2

    def words(self, annotators: int | None = None) -> str:
        """Return the label, for people: by one of so many annotators, or by anybody like them."""
        ties = "" if self.majority % 2 else ", ties broken at random"
        if annotators is None:
            if self.majority == 1:
                return "one more annotator's vote"
            return f"the majority of {self.majority:,} votes{ties}"
        these = "this annotator" if annotators == 1 else f"these {annotators:,} annotators"
        if self.majority == 1:
            return f"one more vote by {'' if annotators == 1 else 'one of '}{these}"
        return f"the majority of {self.majority:,} votes by {these}{ties}"

    @property
    def others(self) -> str:
        """Who else might vote: a new person, or new ones."""
        return "a new one" if self.majority == 1 else "new ones"

    def positive(self, points: Floats) -> Floats:
        """Return the probability of a positive label where votes have these probabilities."""
        if self.needed == 1:
            return points
        from scipy.special import betainc  # SciPy's parts load slowly

        # From the nearer end, so that swapping the classes changes no bit.
        rare = betainc(self.needed, self.needed, np.minimum(points, 1 - points))
        return np.asarray(np.where(points <= 0.5, rare, 1 - rare))

    def __call__(self, points: Floats, /) -> Floats:
        """Return the floor of items with each probability of a positive vote."""
        return least_error(self.positive(points))

    def vote_at(self, label: float) -> float:
        """Return the probability of a positive vote that makes this one of a positive label."""
        if self.needed == 1:
            return label
        from scipy.special import betaincinv

        return float(betaincinv(self.needed, self.needed, label))

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest floor."""
        return span_of_error(2)

    def bend_on(self, angles: Floats, /) -> float:
        """Return how much the floor bends between any two angles; see `Aim`."""
        return self.bend

    @property
    def bend(self) -> float:
        """Bound of the floor's second derivative in t, eta = (1 - cos(t)) / 2, next to its kink.

        For eta below 1/2 the first derivative is K sin(t)^(2c - 1), c votes needed; the second
        one is largest where tan(t)^2 = 2c - 2.
        """
        from scipy.special import gammaln

        c = self.needed
        log_beta = 2 * gammaln(c) - gammaln(2 * c)
        slope = np.exp(-np.log(2.0) - (c - 1) * np.log(4.0) - log_beta)
        odd = 2 * c - 1
        return float(slope * np.sqrt(odd) * ((odd - 1) / odd) ** (c - 1))


ONE_VOTE = Target()


def target_of(majority: int | None) -> Target:
    """Return the target that a user asks for; None is one more vote."""
    if majority is None:
        return ONE_VOTE
    remedy = "It is how many votes decide the label; leave it out for one more annotator's vote."
    most = MOST_OF_MAJORITY
    return Target(check_whole(majority, name="majority", least=1, most=most, remedy=remedy))


class Aim(Protocol):
    """A function of the probability of a positive vote, whose mean over items is sought."""

    def __hash__(self) -> int:
        """Values on grids are kept for functions that come again."""

    @property
    def kinks(self) -> tuple[float, ...]:
        """Probabilities at which it has a kink, but for those on every grid."""

    @property
    def peak(self) -> float | None:
        """Where a concave function is largest; None where it is not concave."""

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest mean there can be."""

    def __call__(self, points: Floats, /) -> Floats:
        """Return its values at probabilities of a positive vote."""

    def bend_on(self, angles: Floats, /) -> float:
        """Return a number c such that it is within c step^2 / 8 of its chords.

        Chords join its values at neighbouring angles t, and at its kinks; eta = (1 - cos(t)) / 2.
        """


@dataclass(frozen=True, slots=True)
class PiecewiseLinear:
    """A function of the label's probability that is linear between knots."""

    knots: tuple[float, ...]  # ascending from 0 to 1
    values: tuple[float, ...]
    target: Target = ONE_VOTE
    on_grid: bool = False  # whether all knots are points of every grid

    @property
    def kinks(self) -> tuple[float, ...]:
        """Probabilities of a positive vote at the knots."""
        return () if self.on_grid else tuple(map(self.target.vote_at, self.knots[1:-1]))

    @property
    def slopes(self) -> Floats:
        """Slope between each two knots."""
        return np.asarray(np.diff(self.values) / np.diff(self.knots))

    @property
    def peak(self) -> float | None:
        """Where it is largest, if it is concave."""
        if not (np.diff(self.slopes) <= 0).all():
            return None
        return self.target.vote_at(self.knots[int(np.argmax(self.values))])

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest value."""
        return min(self.values), max(self.values)

    def __call__(self, points: Floats, /) -> Floats:
        """Return its values."""
        return np.interp(self.target.positive(points), self.knots, self.values)

    def bend_on(self, angles: Floats, /) -> float:
        """Return how much it bends: a linear function bends as the label's probability does."""
        return float(np.abs(self.slopes).max()) * self.target.bend


@dataclass(frozen=True, slots=True)
class Concave:
    """The best value of a metric on an item, a concave function that is largest at 1/2."""

    metric: Metric
    target: Target = ONE_VOTE
    kinks: ClassVar[tuple[float, ...]] = ()
    peak: ClassVar[float] = 0.5

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest value."""
        return self.metric.span(2)

    def __call__(self, points: Floats, /) -> Floats:
        """Return its values."""
        return self.metric.per_item(self.target.positive(points))

    def bend_on(self, angles: Floats, /) -> float:
        """Return how far it can be from its chords, from its values alone.

        A concave function of the label's probability q lies below its neighbouring chords where
        these are prolonged. And a chord is a linear function of q, which bends as q does.
        """
        q = self.target.positive(np.sin(angles / 2) ** 2)
        q, first = np.unique(q, return_index=True)
        values = self(np.sin(angles[first] / 2) ** 2)
        step, slope = np.diff(q), np.diff(values) / np.diff(q)
        fall = np.maximum(-np.diff(slope), 0.0)  # of the slope, at each point but the ends
        ahead, behind = np.append(fall, np.inf), np.insert(fall, 0, np.inf)
        over = float((step * np.minimum(ahead, behind)).max())
        apart = float(np.diff(angles).max()) ** 2 / 8
        return over / apart + float(np.abs(slope).max()) * self.target.bend


def aim_of(metric: Metric, target: Target) -> Aim | None:
    """Return what is averaged for the best value of a metric, or None where it is no such mean."""
    if metric.is_error:
        return target
    how = metric.how
    if isinstance(how, Panel | PiecewiseLinear):
        return how
    # Prices of one item are known if the share of class 1 is.
    if isinstance(how, OfTable) and how.prices is not None and metric.given:
        one, other = how.prices(*metric.given.get("prior", (0.0, 1.0)))
        return _tent(float(one), float(other), target)
    return Concave(metric, target) if metric.is_mean else None


def _tent(false_positive: float, false_negative: float, target: Target) -> PiecewiseLinear:
    """Return the least expected cost of either decision."""
    top = false_positive / (false_positive + false_negative)
    return PiecewiseLinear((0.0, top, 1.0), (0.0, false_negative * top, 0.0), target)
