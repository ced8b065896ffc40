"""Means over the distribution behind votes that limits can be proven for: one function of eta each.

Whatever a metric is, if its best value is the mean over items of a function of their probability,
that mean is linear in the distribution, and what bounds the floor bounds it too. All that is needed
of the function is how far it can be from its chord between neighbouring points of a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from errorfloor._typing import Floats
from errorfloor.methods.votes.panels import Panel
from errorfloor.methods.votes.target import ONE_VOTE, Target
from errorfloor.metrics import Metric
from errorfloor.metrics.two_by_two import OfTable


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

    def floors(self, points: Floats, /) -> Floats:
        """Return its values at probabilities of a positive vote."""

    def bend_on(self, angles: Floats, /) -> float:
        """Return a number c such that it is within c step^2 / 8 of its chords.

        Chords join its values at neighbouring angles t, and at its kinks; eta = (1 - cos(t)) / 2.
        """


@dataclass(frozen=True, slots=True)
class Lines:
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

    def floors(self, points: Floats, /) -> Floats:
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

    @property
    def kinks(self) -> tuple[float, ...]:
        """No kinks."""
        return ()

    @property
    def peak(self) -> float | None:
        """A coin flip is the hardest item."""
        return 0.5

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest value."""
        return self.metric.span(2)

    def floors(self, points: Floats, /) -> Floats:
        """Return its values."""
        return self.metric.per_item(self.target.positive(points))

    def bend_on(self, angles: Floats, /) -> float:
        """Return how far it can be from its chords, from its values alone.

        A concave function of the label's probability q lies below its neighbouring chords where
        these are prolonged. And a chord is a linear function of q, which bends as q does.
        """
        q = self.target.positive(np.sin(angles / 2) ** 2)
        q, first = np.unique(q, return_index=True)
        values = self.floors(np.sin(angles[first] / 2) ** 2)
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
    if isinstance(how, Panel | Lines):
        return how
    # Prices of one item are known if the share of class 1 is.
    if isinstance(how, OfTable) and how.prices is not None and metric.given:
        one, other = how.prices(*metric.given.get("prior", (0.0, 1.0)))
        return _tent(float(one), float(other), target)
    return Concave(metric, target) if metric.is_mean else None


def _tent(false_positive: float, false_negative: float, target: Target) -> Lines:
    """Return the least expected cost of either decision."""
    top = false_positive / (false_positive + false_negative)
    return Lines((0.0, top, 1.0), (0.0, false_negative * top, 0.0), target)
