"""How much worse a model is than the best there can be: the difference, its limits and p-values."""

from __future__ import annotations

from dataclasses import dataclass

from errorfloor import intervals
from errorfloor.checks.record import method_of
from errorfloor.intervals.record import Evidence
from errorfloor.questions.models import Model
from errorfloor.results import Estimate

_MOST_DEVIATIONS = 7.0  # of the normal distribution, beyond which p-values are not told apart
_LARGEST_TAIL = 0.25  # at which limits of votes are asked for


@dataclass(frozen=True, slots=True)
class Gap:
    """How much worse a model is than the best there can be: the worse value less the better."""

    worse: float
    worse_evidence: Evidence
    better: float
    better_evidence: Evidence
    leaves_open: bool = False  # whether the limits of either part are more than noise

    @classmethod
    def of(cls, model: Model, floor: Estimate, evidence: Evidence) -> Gap:
        """Put the two in the order in which they are subtracted."""
        ours: tuple[float, Evidence] = (model.value, model.evidence)
        best = (floor.value, evidence)
        if not floor.measure.less_is_better:
            ours, best = best, ours
        method = method_of(floor)
        kind = None if method is None else intervals.of(method).get(evidence.method)
        return cls(*ours, *best, leaves_open=kind is not None and kind.leaves_open)

    @property
    def value(self) -> float:
        """The difference, positive where the model is the worse."""
        return self.worse - self.better

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the difference."""
        worse_low, worse_high = self.worse_evidence.limits(level)
        better_low, better_high = self.better_evidence.limits(level)
        if self.leaves_open:
            return worse_low - better_high, worse_high - better_low
        down = _distance(self.worse - worse_low, better_high - self.better)
        up = _distance(worse_high - self.worse, self.better - better_low)
        return self.value - down, self.value + up

    def p_values(self, level: float) -> tuple[float, float]:
        """Return the least tails at which 0 is outside: of "no room", and of "not beyond"."""
        above = self.worse >= self.better
        if self.leaves_open:
            tail = self._least_tail(level, above)
            return (tail, 1.0) if above else (1.0, tail)
        tail = self._tail(above)
        return (tail, 1 - tail) if above else (1 - tail, tail)

    def _margin(self, tail: float, above: bool) -> float:
        """Return how far 0 is outside the limits with these tails."""
        low, high = self.limits(1 - 2 * tail)
        return low if above else -high

    def _tail(self, above: bool) -> float:
        from scipy.optimize import brentq
        from scipy.special import ndtr

        def margin(z: float) -> float:
            return self._margin(float(ndtr(-z)), above)

        least, most = 1e-6, _MOST_DEVIATIONS  # tails from nearly a half to 1e-12
        if margin(least) <= 0:
            return 0.5
        if margin(most) > 0:
            return float(ndtr(-most))
        return float(ndtr(-brentq(margin, least, most, xtol=1e-5)))

    def _least_tail(self, level: float, above: bool) -> float:
        """Return a tail at which the limits are apart, the least up to one part in a hundred.

        Limits at low levels are not asked for, as they are made for high ones; nor is it assumed
        that they widen strictly with the level, so that the tail agrees with the verdict.
        """
        from scipy.special import ndtr, ndtri

        given = (1 - level) / 2
        apart = self._margin(given, above) > 0
        largest = max(_LARGEST_TAIL, given)
        if not apart and self._margin(largest, above) <= 0:
            return 1.0
        # From the smaller to the larger number of deviations: apart at the first, not at the last.
        first, last = (given, ndtr(-_MOST_DEVIATIONS)) if apart else (largest, given)
        near, far = -ndtri(first), -ndtri(last)
        if apart and (far <= near or self._margin(float(last), above) > 0):
            return float(min(first, last))
        while far - near > 0.005:
            middle = (near + far) / 2
            near, far = (middle, far) if self._margin(ndtr(-middle), above) > 0 else (near, middle)
        return float(ndtr(-near))


def _distance(first: float, second: float) -> float:
    # A limit on the wrong side of its estimate (a biased bootstrap) adds nothing.
    return float((max(first, 0.0) ** 2 + max(second, 0.0) ** 2) ** 0.5)
