"""What FeeBee found, and the one home of its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from errorfloor import metrics
from errorfloor._checks import check_level
from errorfloor._shown import Plain
from errorfloor._typing import Floats
from errorfloor.metrics import ERROR, Metric, named
from errorfloor.results.rows import Rows

ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher the FeeBee score of `first` is than that of `second` on the same noise.

    The limits are those of Student's t over the repeats; None where there is one repeat only.
    """

    first: str
    second: str
    value: float
    low: float | None
    high: float | None
    level: float

    @property
    def is_clear(self) -> bool:
        """Whether the limits leave 0 out."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class FeeBeeScore(Plain):
    """One method's FeeBee score: the mean distance by which its curve is out of bounds.

    Attributes
    ----------
    score : float
        Mean over the repeats; the sum of `upper` and `lower`.
    standard_error : float or None
        Of `score`, from the spread over the repeats; None where there is one repeat only. It
        tells what other noise would have changed, not what other items would.
    upper : float
        What estimates above the upper bound add to the score.
    lower : float
        What estimates below the lower bound add to it.
    excess : Difference
        The score less the oracle's on the same noise.
    """

    method: str
    score: float
    standard_error: float | None
    upper: float
    lower: float
    excess: Difference

    def to_dict(self) -> dict[str, Any]:
        """Return the score and its parts as plain values, ready for JSON."""
        excess = {"excess_low": self.excess.low, "excess_high": self.excess.high}
        return {**Plain.to_dict(self), "excess": self.excess.value, **excess}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseCurve:
    """A method's mean estimate at each level of noise.

    `low` to `high` is where one more run would fall at `level`, by Student's t over the repeats;
    None where there is one repeat only. The true floor lies between the two bounds. Of noise of
    several means, everything is the mean over them.
    """

    method: str
    noise: Floats
    estimate: Floats
    low: Floats | None
    high: Floats | None
    level: float
    lower_bound: Floats
    upper_bound: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeeBeeResult(Rows[FeeBeeScore]):
    """How well each method follows label noise that was added on purpose.

    Iterate over it, or index it by method, for the scores; "oracle" is a name as well.

    Attributes
    ----------
    model_error : float
        Error of a known model, which bounds the floor from above: its balanced error where that
        was asked for, and one less its AUC.
    n : int
        Number of items.
    noise : array of shape (levels,)
        Probability that a label is redrawn, each class alike: by a fair coin where there are two.
    estimates : dict of arrays of shape (repeats, levels) or (repeats, levels, means)
        Each method's estimate on each noisy table, and the oracle's, the last. Methods saw the
        same tables, so their differences are paired.
    notes : tuple of str
        What was left out.
    warnings : tuple of str
        Doubts met on the way.
    classes : int
        Number of classes.
    metric : str
        What was estimated: error, balanced-error or auc.
    means : tuple of float
        Of balanced error and AUC: the probabilities that a redrawn label is 1.
    share : float or None
        Of these too: the share of class 1 before noise was added.
    dimensions : int or None
        Number of features, where there are some.
    """

    model_error: float
    n: int
    noise: Floats
    estimates: Mapping[str, Floats] = field(repr=False)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    classes: int = 2
    metric: str = ERROR.name
    means: tuple[float, ...] = ()
    share: float | None = None
    dimensions: int | None = None

    @property
    def measure(self) -> Metric:
        """The metric that was estimated."""
        return named(self.metric)

    @property
    def model_value(self) -> float:
        """The known model's value of the metric: its error, or its AUC."""
        return self.model_error if self.measure.less_is_better else 1 - self.model_error

    @property
    def rows(self) -> tuple[FeeBeeScore, ...]:
        """The score of each method, without the oracle."""
        return tuple(self._score(method) for method in self.estimates if method != ORACLE)

    @property
    def oracle(self) -> FeeBeeScore:
        """What an unbiased estimator scores on the same noise; see `feebee`."""
        return self._score(ORACLE)

    @property
    def repeats(self) -> int:
        """How often the noise was drawn at each level."""
        return len(self.estimates[ORACLE])

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the largest best value that each level of noise allows.

        Arrays of shape (levels,), or of (levels, means) where there are several.
        """
        if self.share is None:
            least = self.noise * (1 - 1 / self.classes)
            return least, least + (1 - self.noise) * self.model_error
        means = np.array(self.means)
        ends = sorted((float(not self.measure.less_is_better), self.model_value))
        least, largest = (value_after(end, self.share, self.noise[:, None], means) for end in ends)
        return least, largest

    def __getitem__(self, method: str) -> FeeBeeScore:
        self._check(method)
        return self._score(method)

    def runs(self, method: str) -> Floats:
        """Return the score of each repeat, what one run of FeeBee would have reported."""
        self._check(method)
        return np.asarray(sum(self._parts(method)))

    def difference(self, first: str, second: str = ORACLE, *, level: float = 0.95) -> Difference:
        """Return how much higher the score of `first` is than that of `second`, with limits."""
        gap = self.runs(first) - self.runs(second)
        value, error = float(gap.mean()), _standard_error(gap)
        if error is None:
            return Difference(first, second, value, None, None, check_level(level))
        reach = _student(level, gap.size) * error
        return Difference(first, second, value, value - reach, value + reach, level)

    def differences(self, *, level: float = 0.95) -> tuple[Difference, ...]:
        """Return the difference of every pair of methods."""
        pairs = combinations(self.methods, 2)
        return tuple(self.difference(*pair, level=level) for pair in pairs)

    def curve(self, method: str, *, level: float = 0.95) -> NoiseCurve:
        """Return the mean estimate at each level of noise, with a band and the bounds."""
        self._check(method)
        found, bounds = self.estimates[method], self.bounds
        if self.share is not None:
            found, bounds = found.mean(axis=2), (bounds[0].mean(axis=1), bounds[1].mean(axis=1))
        mean, low, high = found.mean(axis=0), None, None
        level = check_level(level)
        if self.repeats > 1:
            spread = found.std(axis=0, ddof=1) * np.sqrt(1 + 1 / self.repeats)
            reach = _student(level, self.repeats) * spread
            low, high = mean - reach, mean + reach
        least, largest = bounds
        return NoiseCurve(
            method=method,
            noise=self.noise,
            estimate=mean,
            low=low,
            high=high,
            level=level,
            lower_bound=least,
            upper_bound=largest,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return scores, paired differences and curves as plain values, ready for JSON."""
        curves = {method: self.curve(method).estimate.tolist() for method in self.estimates}
        asked = {"means": list(self.means), "share": self.share, "model_value": self.model_value}
        return {
            "metric": self.metric,
            **({} if self.share is None else asked),
            **({} if self.dimensions is None else {"dimensions": self.dimensions}),
            "model_error": self.model_error,
            "n": self.n,
            "levels": self.noise.size,
            "repeats": self.repeats,
            "level": 0.95,
            "rows": [row.to_dict() for row in self],
            "oracle": self.oracle.to_dict(),
            "differences": [
                {name: getattr(gap, name) for name in ("first", "second", "value", "low", "high")}
                for gap in self.differences()
            ],
            "noise": self.noise.tolist(),
            "curves": curves,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def _check(self, method: str) -> None:
        if method not in self.estimates:
            names = ", ".join(self.estimates)
            raise KeyError(f"{method!r} was not evaluated; there are {names}")

    def _parts(self, method: str) -> tuple[Floats, Floats]:
        """Return what is above and what is below the bounds, a number for each repeat."""
        least, largest = self.bounds
        found = self.estimates[method]
        above, below = np.maximum(found - largest, 0), np.maximum(least - found, 0)
        if found.ndim > 2:  # means of the noise are levels as well
            above, below = (part.reshape(len(part), -1) for part in (above, below))
        return above.mean(axis=1), below.mean(axis=1)

    def _score(self, method: str) -> FeeBeeScore:
        upper, lower = self._parts(method)
        return FeeBeeScore(
            method=method,
            score=float(upper.mean() + lower.mean()),
            standard_error=_standard_error(upper + lower),
            upper=float(upper.mean()),
            lower=float(lower.mean()),
            excess=self.difference(method),
        )


def _standard_error(values: Floats) -> float | None:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None


def _student(level: float, size: int) -> float:
    """Return Student's quantile for a two-sided interval from `size` values."""
    from scipy.special import stdtrit

    return float(stdtrit(size - 1, (1 + check_level(level)) / 2))


# What labels that are redrawn at random do to the best value of a metric, where that is known.
# With probability `noise` a label of two classes is replaced by one that is 1 with probability
# `mean`. The share of class 1 moves from `share` towards `mean`, and so does each item's
# probability. What every rule and every order of the items tells about the labels shrinks by the
# same factor, whatever the data are.

MEANS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # over which Ushio et al. (2026) average


def known_under_noise() -> tuple[str, ...]:
    """Return the names of the metrics whose values under noise are known.

    Of error it is known where labels are redrawn by a fair coin, and not by another one.
    """
    every = ((one.name, one.of_model) for one in metrics.METRICS)
    return tuple(name for name, kind in every if kind is not None and kind.follows_noise)


def share_after(share: Any, noise: Any, mean: Any) -> Any:
    """Return the share of class 1 after labels were redrawn."""
    return (1 - noise) * share + noise * mean


def kept_after(share: Any, noise: Any, mean: Any) -> Any:
    """Return what noise leaves of the distance of balanced error, or AUC, from 1/2.

    Both are 1/2 less, or plus, a covariance with the label over twice the label's variance. Noise
    takes the covariance down by the factor ``1 - noise``, and the variance is that of its new
    share.
    """
    new = share_after(share, noise, mean)
    return (1 - noise) * share * (1 - share) / (new * (1 - new))


def value_after(value: Any, share: Any, noise: Any, mean: Any) -> Any:
    """Return what a balanced error or an AUC becomes: of the best model, and of any other.

    That is F(value) of Ushio, Ishida and Sugiyama (2026) for balanced error, and 1 - F(1 - value)
    for AUC: the same straight line through (1/2, 1/2).

    Examples
    --------
    >>> round(value_after(0.1, 0.2, 0.5, 0.5), 4), round(value_after(0.9, 0.2, 0.5, 0.5), 4)
    (0.3593, 0.6407)
    """
    return 0.5 + kept_after(share, noise, mean) * (value - 0.5)
