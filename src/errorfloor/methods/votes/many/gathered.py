"""Problems on all points of a likelihood, solved on those that matter, gathered on the way.

Weights of partitions bound a mean, less by how much they are off at the worst of all points; and
for the best weights few points are the worst. So weights are sought on some of the points, points
are added at which these weights are still further off, and so on: a cutting-plane method. Whatever
was gathered, a bound is by the worst of all points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Floats
from errorfloor.methods.votes.dual import (
    SMOOTHING,
    Gain,
    Trail,
    anneal,
    bound_of,
    log_gain,
    region_start,
    root_gain,
)
from errorfloor.methods.votes.many.likelihood import PartitionLikelihood

_STRIDE = 8  # one in so many points to begin with
_ADDED = 200  # points at once
_LIGHT = 1e-6  # share of the heaviest point's weight that is none
_MOST_SOLVED = 40  # problems on the way
# Further off than so many temperatures steps would stall; closer than that no points are missing.
_FAR, _CLOSE = 5.0, 0.1
# How nearly the last temperature is solved, for a rough bound or on the way, and for others.
_NEARLY, _SOLVED = 1e-3, 1e-9
_FIRST = 1e-3  # only for speed, as are all temperatures but the last
_EXACT = (_FIRST, 1e-4, 10 * SMOOTHING, SMOOTHING)  # only for speed
_FOR_FIT = (0.01, *_EXACT)  # only for speed


@dataclass
class Gathered:
    """The points of a likelihood that have mattered so far, and what was found on them."""

    likelihood: PartitionLikelihood
    points: NDArray[np.intp]
    trail: Trail = field(default_factory=dict, init=False)

    @classmethod
    def beside(cls, likelihood: PartitionLikelihood, some: NDArray[np.intp]) -> Gathered:
        """Begin with some points and an even choice of all others."""
        return cls(likelihood, np.union1d(some, np.arange(0, likelihood.floor.size, _STRIDE)))

    def weights(
        self,
        target: Floats,
        gain: Callable[[float], Gain],
        start: Floats,
        temperatures: tuple[float, ...],
        tolerance: float = _SOLVED,
    ) -> tuple[Floats, Floats]:
        """Return the best weights at the last of falling temperatures, and the distribution.

        They are those of `dual.anneal`, but that points which were not gathered have no weight.
        """
        weights, place = start, 0
        for _ in range(_MOST_SOLVED):
            at = temperatures[place]
            own, few = self.points, self.likelihood.among(self.points)
            final = place == len(temperatures) - 1
            weights, density = anneal(
                few, weights, few.log_arcsine, target[own], gain, at, at, self.trail,
                tolerance if final else _NEARLY,
            )  # fmt: skip
            off = self._gather(self.likelihood.polynomials(weights) - target, _CLOSE * at)
            if off > _FAR * at:
                place = max(place - 1, 0)
            elif final and not off:
                break
            elif not off:
                place += 1
        found = np.zeros(target.size)
        found[own] = density
        return weights, found

    def _gather(self, height: Floats, close: float) -> float:
        """Add points that are higher than those so far; return by how much, or 0 if none is."""
        above = height - height[self.points].max()
        new = np.flatnonzero(above > close)
        if not new.size:
            return 0.0
        most = new[np.argsort(-above[new], kind="stable")[:_ADDED]]
        self.points = np.union1d(self.points, most)
        return float(above.max())


@dataclass(frozen=True)
class GatheredRegion:
    """Bounds of means over a likelihood region; see `dual.region_bound`, which they are close to.

    Attributes
    ----------
    likelihood : PartitionLikelihood
        On all points.
    fitted : array of shape (points,)
        Weights of a distribution that reaches the maximum.
    choose, use : float
        Log-likelihood per item that may be lost: where weights are chosen, and for the bound.
    """

    likelihood: PartitionLikelihood
    fitted: Floats
    choose: float
    use: float

    def bound(self, aim: Floats, sign: float) -> tuple[float, Floats]:
        """Bound sign times the mean of what is given at each point, from below.

        Also return weights of the points that are extreme.
        """
        return self._bound(aim, sign, _EXACT, _SOLVED)

    def rough(self, aim: Floats, sign: float, last: float) -> float:
        """Return a looser bound of the same, by some ten times the last temperature, sooner."""
        return self._bound(aim, sign, (_FIRST, last), _NEARLY)[0]

    def _bound(
        self, aim: Floats, sign: float, temperatures: tuple[float, ...], tolerance: float
    ) -> tuple[float, Floats]:
        whole = replace(self.likelihood, floor=aim)
        if sign not in self._gathered:
            # With the fitted distribution on them the region is not empty, and bounds are finite.
            heavy = np.flatnonzero(self.fitted > _LIGHT * self.fitted.max())
            self._gathered[sign] = Gathered.beside(self.likelihood, heavy)
        best = float(whole.share @ np.log(self._chances))
        gain = root_gain(best - float(whole.share @ np.log(whole.share)) - self.choose)
        start = region_start(whole, self._chances, self.choose)
        gathered = self._gathered[sign]
        weights, extreme = gathered.weights(sign * aim, gain, start, temperatures, tolerance)
        return bound_of(whole, sign, weights, best, self.use), extreme

    @cached_property
    def _chances(self) -> Floats:
        return self.likelihood.chances(self.fitted)

    @cached_property
    def _gathered(self) -> dict[float, Gathered]:
        return {}


def fitted_weights(likelihood: PartitionLikelihood, penalty: float) -> Floats:
    """Return weights that fit as well as those of `PartitionLikelihood.fit_evenly`, sooner."""
    start = likelihood.share / likelihood.matrix.mean(axis=1)
    temperatures = (*(t for t in _FOR_FIT if t > penalty), penalty)
    nothing = np.zeros(likelihood.floor.size)
    # Where each cell is likeliest, no weight of it can grow without bound.
    gathered = Gathered.beside(likelihood, likelihood.matrix.argmax(axis=1))
    return gathered.weights(nothing, log_gain, start, temperatures)[1]
