"""The ceiling or floor of one set of ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errorfloor.metrics.record import Metric
from errorfloor.metrics.variances import NOISE, RATIO, rating_metric
from errorfloor.results.claim import Claim
from errorfloor.results.estimate import Estimate

SCOPE = "for ratings by people like these, not for a hidden truth"
_HIGH = 0.5  # a ceiling that is no small one
THESE = "for ratings by these raters"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingsEstimate(Estimate):
    """The best possible R2, correlation, QWK, MSE or MAE where people give numbers.

    Attributes
    ----------
    icc : float
        Share of signal in the variance of one rating: what two people reach with each other. It is
        no ceiling.
    signal : float
        Variance of the items' true scores.
    noise : float
        Variance of a rating about its item's true score.
    ratings : int
        Number of ratings; 0 where a published agreement was given.
    raters : int or None
        Number of raters, where they are known and shared by items.
    label : str or int
        Which label a model is compared with: "one" more rating, the "mean" of those at hand, the
        mean of so many, or "median-3".
    whole_grades : float or None
        About the best value of a model that may only give whole grades, where ratings are.
    """

    icc: float
    signal: float
    noise: float
    ratings: int
    raters: int | None = None
    label: str | int = "one"
    whole_grades: float | None = None

    @property
    def measure(self) -> Metric:
        """The metric that the value is the best of."""
        return rating_metric(self.metric)

    @property
    def claim(self) -> Claim:
        """Both limits are limits of any model."""
        some = self.interval is not None
        few = self.raters is not None and self.raters < 3
        return Claim(low=some, high=some, scope=THESE if few else SCOPE)

    @property
    def classes(self) -> tuple[str, ...]:
        """Ratings have none."""
        return ()

    @property
    def guessing(self) -> float | None:
        """What a model gets that predicts the mean throughout; None for the absolute error."""
        if self.measure.how.of == NOISE:
            return self.signal + self.value
        return 0.0 if self.measure.how.of == RATIO else None

    @property
    def has_signal(self) -> bool:
        """Whether the ratings show that items differ: the ceiling is surely above 0."""
        return self.icc > 0 and (self.low is None or self.measure.less_is_better or self.low > 0)

    @property
    def may_have_signal(self) -> bool:
        """Whether the ceiling may be high, although the ratings do not show that it is above 0."""
        return self.value > 0 and (self.high or 0.0) > _HIGH

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        names = ("icc", "signal", "noise", "ratings", "raters", "label", "whole_grades")
        plain = Estimate.to_dict(self)
        del plain["classes"]
        return {**plain, **{name: getattr(self, name) for name in names}}
