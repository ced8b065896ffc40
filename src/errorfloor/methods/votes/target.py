"""Which label a floor from votes is for: one more vote, or the majority of several.

The floor of items whose votes are positive with probability eta is min(q, 1 - q), where q is the
probability that the label is positive. Its mean over items is linear in their distribution, so
what bounds the floor of one vote bounds that of a majority as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._checks import check_whole
from errorfloor._typing import Floats
from errorfloor.metrics import ERROR

MOST_OF_MAJORITY = 1001  # votes; more are no majority that anybody takes


@dataclass(frozen=True, slots=True)
class Target:
    """The majority of so many votes, ties broken at random; 1 is one more vote.

    A vote that breaks a tie at random adds nothing: 2c votes have the same majority as 2c - 1.
    """

    majority: int = 1

    @property
    def needed(self) -> int:
        """Votes that make a majority of the odd number."""
        return (self.majority + 1) // 2

    @property
    def words(self) -> str:
        """The label, for people."""
        if self.majority == 1:
            return "one more annotator's vote"
        ties = "" if self.majority % 2 else ", ties broken at random"
        return f"the majority of {self.majority:,} votes{ties}"

    def positive(self, points: Floats) -> Floats:
        """Return the probability of a positive label where votes have these probabilities."""
        if self.needed == 1:
            return points
        from scipy.special import betainc  # SciPy's parts load slowly

        # From the nearer end, so that swapping the classes changes no bit.
        rare = betainc(self.needed, self.needed, np.minimum(points, 1 - points))
        return np.asarray(np.where(points <= 0.5, rare, 1 - rare))

    def floors(self, points: Floats) -> Floats:
        """Return the floor of items with each probability of a positive vote."""
        return ERROR.per_item(self.positive(points))

    def vote_at(self, label: float) -> float:
        """Return the probability of a positive vote that makes this one of a positive label."""
        if self.needed == 1:
            return label
        from scipy.special import betaincinv

        return float(betaincinv(self.needed, self.needed, label))

    @property
    def kinks(self) -> tuple[float, ...]:
        """The kink of the floor at 1/2 is a point of every grid."""
        return ()

    @property
    def peak(self) -> float | None:
        """A coin flip is the hardest item."""
        return 0.5

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest floor."""
        return ERROR.span(2)

    def bend_on(self, angles: Floats, /) -> float:
        """Return how much the floor bends between any two angles; see `aims.Aim`."""
        return self.bend

    @property
    def bend(self) -> float:
        """Bound of the floor's second derivative in t, eta = (1 - cos(t)) / 2, beside its kink.

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
