"""Limits of means over items whose votes come from annotators that many items share.

The answer is about a fresh person, so annotators are a sample as well as items. What an annotator
does to all of his items together adds to the variance between items: D is the change of an item
without one of its votes, and products of two changes by the same annotator add up to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.annotators import unseen_share
from errorfloor.intervals.models import Wilson
from errorfloor.intervals.votes.limits import FEWEST_ANNOTATORS


@dataclass(frozen=True, slots=True, eq=False)
class CrossedVotes:
    """Who cast which vote on which item.

    Attributes
    ----------
    item, annotator, vote : array of shape (votes,)
        Places of each.
    """

    item: Counts
    annotator: Counts
    vote: Counts

    @property
    def effective(self) -> float:
        """How many annotators with equal workloads say as much."""
        work = np.bincount(self.annotator).astype(np.float64)
        return float(work.sum() ** 2 / (work @ work))

    @property
    def number(self) -> int:
        """How many annotators there are."""
        return int(np.unique(self.annotator).size)

    def added(self, change: Floats) -> float:
        """Return the sum over annotators of products of the changes of two of their items."""
        each = change[self.item, self.vote]
        total = np.bincount(self.annotator, each)
        squares = np.bincount(self.annotator, each**2)
        return max(float((total**2 - squares).sum()), 0.0)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over items, its variance, and how well that is known.

    Attributes
    ----------
    value : float
    variance : float
        Of the mean, by items and by annotators where these are known.
    freedom : float
        Degrees of freedom of the variance (Satterthwaite's).
    n : int
        Number of items.
    effective : float
        Annotators with equal workloads who say as much; infinite where they are no sample.
    above_chance : tuple of two floats
        What the mean is above that of guesses: as far as two people have a part in it, and as far
        as one has.
    people : float
        The part of the variance that annotators add.
    """

    value: float
    variance: float
    freedom: float
    n: int
    effective: float = math.inf
    above_chance: tuple[float, float] = (0.0, 0.0)
    people: float = 0.0

    @classmethod
    def of(
        cls,
        values: Floats,
        change: Floats | None = None,
        crowd: CrossedVotes | None = None,
        *,
        pseudo: float = 0.0,
        above_chance: tuple[float, float] = (0.0, 0.0),
    ) -> Mean:
        """Return the mean of values, one for each item; NaN for items that have no part in it.

        Parameters
        ----------
        values : array of shape (n,)
        change : array of shape (n, classes), optional
            By how much a value changes without one of the item's votes for each class.
        crowd : CrossedVotes, optional
            Who cast which vote.
        pseudo : float
            Sum of squares of items that are added at both ends, so that few differences are not
            taken for none.
        above_chance : tuple of two floats
            As in the attributes.
        """
        used = ~np.isnan(values)
        kept = values[used]
        n = kept.size
        value = float(kept.mean())
        squares = float(((kept - value) ** 2).sum()) + pseudo
        items = squares / max(n - 1, 1) / n
        if crowd is None or change is None or crowd.effective < FEWEST_ANNOTATORS:
            return cls(value, items, max(n - 1.0, 1.0), n)
        people = crowd.added(np.where(used[:, None], change, 0.0)) / n**2
        both = items + people
        few = crowd.effective
        freedom = both**2 / (items**2 / max(n - 1, 1) + people**2 / (few - 1)) if both else n - 1
        return cls(value, both, max(float(freedom), 1.0), n, few, above_chance, people)

    def share_limits(self, level: float) -> tuple[float, float]:
        """Return Wilson's limits of a share, with as many items as the variance is worth."""
        share = min(max(self.value, 0.0), 1.0)
        spread = share * (1 - share)
        size = spread / self.variance if spread > 0 and self.variance > 0 else float(self.n)
        low, high = Wilson(share, size, freedom=self.freedom).limits(level)
        return max(self._lower(low, level), 0.0), high

    def limits(self, level: float) -> tuple[float, float]:
        """Return Student's limits."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.deviation
        return self._lower(self.value - half, level), self.value + half

    def _lower(self, low: float, level: float) -> float:
        """Allow for people who guess and happen to be missing, as the interval of the floor does.

        J people hold none of a kind that is a share s of all with chance (1 - s)^J. With such a
        share of guesses a vote is above chance 1 - s as often, and two votes agree (1 - s)^2 as
        often.
        """
        return self.value - math.hypot(self.value - low, self._missing(level))

    def _missing(self, level: float) -> float:
        s = unseen_share(self.effective, (1 - level) / 2) if self.effective < math.inf else 0.0
        two, one = self.above_chance
        return max((1 - (1 - s) ** 2) * two + s * one, 0.0)

    def widened(self, value: float, low: float, high: float, level: float) -> tuple[float, float]:
        """Return limits of a similar mean, that know of items alone, with what annotators add."""
        if self.effective == math.inf:
            return low, high
        from scipy.special import stdtrit

        shared = float(stdtrit(self.effective - 1, (1 + level) / 2)) * math.sqrt(self.people)
        below = math.hypot(value - low, shared, self._missing(level))
        return value - below, value + math.hypot(high - value, shared)

    @property
    def deviation(self) -> float:
        """Standard error of the mean."""
        return float(np.sqrt(self.variance))

    def p_above(self) -> float:
        """Return the p-value of a mean of at most 0."""
        from scipy.special import stdtr

        if self.variance <= 0:
            return 0.0 if self.value > 0 else 1.0
        return float(stdtr(self.freedom, -self.value / self.deviation))

    def p_either(self) -> float:
        """Return the p-value of a mean of 0."""
        above = self.p_above()
        return min(2 * min(above, 1 - above), 1.0)
