"""The floor that a published agreement rate allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errorfloor.results.claim import Claim
from errorfloor.results.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementEstimate(Estimate):
    """An error floor from how many pairs of votes agree.

    Attributes
    ----------
    agree : int or float
        Pairs of votes on one item that agree; not whole where a rate was given that is not one of
        so many pairs, such as a mean over several raters.
    pairs : int
        All pairs.
    share : float or None
        Share of the votes that are for class 1, where it is known.
    allowed_low : float
        The least floor that this agreement allows with unlimited pairs.
    allowed_high : float
        The largest such floor.
    """

    agree: float
    pairs: int
    share: float | None
    allowed_low: float
    allowed_high: float

    @property
    def claim(self) -> Claim:
        """Both sides, for people drawn like those who agree."""
        some = self.interval is not None
        return Claim(low=some, high=some, scope="for the answers of people drawn like these")

    @property
    def agreement(self) -> float:
        """Share of the pairs that agree."""
        return self.agree / self.pairs

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        names = ("agree", "pairs", "share", "allowed_low", "allowed_high")
        return {**Estimate.to_dict(self), **{name: getattr(self, name) for name in names}}
