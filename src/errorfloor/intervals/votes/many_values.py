"""Limits of other metrics' best values over likely distributions, for more than two classes.

What sorted probabilities decide is bounded over the likelihood region of partitions, as the floor
of the error is; costs and balanced error over that of the counts themselves, with each class in its
place. The suprema are taken over fixed points, so the limits are measured, not proven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy.special import chdtri

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.votes.inversion import coverage_limits, error_limits
from errorfloor.intervals.votes.limits import LIKELIHOOD_SHARE, LIKELIHOOD_SHARE_OF_TWO
from errorfloor.methods.record import Options
from errorfloor.methods.votes.dual import Kernel, Trail, region_bound
from errorfloor.methods.votes.joint import Joint
from errorfloor.methods.votes.many.gathered import GatheredRegion, fitted_weights
from errorfloor.methods.votes.many.likelihood import PartitionLikelihood
from errorfloor.methods.votes.many.partitions import MOST_VOTES_USED, expected
from errorfloor.methods.votes.many.support import support
from errorfloor.methods.votes.many.unsorted import CountLikelihood
from errorfloor.methods.votes.thin import by_total
from errorfloor.metrics.record import Metric, least_error
from errorfloor.metrics.selective import AtCoverage, AtError
from errorfloor.metrics.two_by_two import hardest

Aim: TypeAlias = Callable[[Floats], Floats]

_TIE_BREAK = 1e-7
_LEAST = 1e-12  # share of the heaviest point that Newton's steps heed
# Temperatures of sketches: closer below, where what is bounded may begin to rise at some t.
_BELOW, _ABOVE = 1e-4, 3e-4
_ROUNDS, _NEAR = 4, 5e-4  # of the balanced error, whose slope depends on the shares of classes


def many_value_limits(
    votes: Counts, counts: Counts, *, level: float = 0.95, options: Options
) -> tuple[float, float]:
    """Return limits of the best value over the distributions that the votes make likely.

    Parameters
    ----------
    votes : array of shape (rows, classes)
        Number of votes for each class.
    counts : array of shape (rows,)
        Number of items with such votes.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    options : Options
        The metric, and why totals differ.
    """
    metric, classes = options.metric, votes.shape[1]
    region = ManyRegion.around(votes, counts, level, options)
    least, most = metric.span(classes)
    if isinstance(metric.how, AtCoverage):
        low, high = error_limits(_Doubts(region), float(metric.given["at"]))
        high = max(high, region.noisier(metric.best(region.points, region.fitted)))
    elif isinstance(metric.how, AtError):
        low, high = coverage_limits(_Doubts(region), float(metric.given["at"]))
    elif not metric.is_mean:  # the balanced error
        low, high = (_balanced(region, sign) for sign in (1.0, -1.0))
        high = most if region.alike(region.shares) else high
    else:
        low, high = (sign * region.limit(metric.per_item, sign)[0] for sign in (1.0, -1.0))
        high = most if region.alike(_hardest(metric, classes)) else high
    value = metric.best(region.points, region.fitted)
    return max(min(low, value), least), min(max(high, value), most)


@dataclass(frozen=True)
class ManyRegion:
    """The distributions that votes for many classes make likely."""

    parts: Sequence[PartitionLikelihood]
    choose: float
    use: float
    votes: float  # on an item, on average

    @classmethod
    def around(cls, votes: Counts, counts: Counts, level: float, options: Options) -> ManyRegion:
        """Return the region for a level; each total has its own distribution if items decide."""
        kind = by_total(votes.sum(axis=1)) if options.by_item else np.zeros(counts.size)
        groups = [kind == one for one in np.unique(kind)]
        make = CountLikelihood.around if options.metric.by_place else _sorted
        parts = [make(votes[own], counts[own]) for own in groups]
        n = sum(part.n for part in parts)
        most = int(votes.sum(axis=1).max())
        votes_each = float(counts @ votes.sum(axis=1) / counts.sum())
        cells = max(sum(part.share.size - 1 for part in parts), 1)
        if options.metric.by_place:
            # With each class in its place a fit follows the noise of many counts. Regions for one
            # degree of freedom leave out the truth where it is extreme.
            use = float(chdtri(min(votes.shape[1] ** 2, cells), 1 - level)) / (2 * n)
            return cls(parts, use, use, votes_each)
        share = LIKELIHOOD_SHARE_OF_TWO if most == 2 else LIKELIHOOD_SHARE
        use = float(chdtri(1, share * (1 - level))) / (2 * n)
        choose = max(float(chdtri(min(4, cells), 1 - level)) / (2 * n), use)
        return cls(parts, choose, use, votes_each)

    @cached_property
    def sizes(self) -> Floats:
        """Share of the items in each part."""
        sizes = np.array([part.n for part in self.parts])
        return np.asarray(sizes / sizes.sum())

    @cached_property
    def points(self) -> Floats:
        """The probabilities that distributions have weights of."""
        return np.concatenate([part.points for part in self.parts])

    @cached_property
    def fitted(self) -> Floats:
        """Weights of the distribution that fits the votes best."""
        penalty = min(_TIE_BREAK, 0.05 / sum(part.n for part in self.parts))
        if self.tells_much:
            return fitted_weights(replace(self.parts[0], least=_LEAST), penalty)
        weights = [part.fit_evenly(penalty) for part in self.parts]
        return np.concatenate([w * own for w, own in zip(self.sizes, weights, strict=True)])

    @cached_property
    def shares(self) -> Floats:
        """Share of each class."""
        return np.asarray(self.fitted @ self.points)

    @property
    def tells_much(self) -> bool:
        """Whether votes leave so little open that few points show where to look."""
        return self.votes >= MOST_VOTES_USED and len(self.parts) == 1

    def limit(self, aim: Aim, sign: float) -> tuple[float, Floats]:
        """Bound sign times a mean from below; also return the distribution that is extreme."""
        if self.tells_much:
            return self.gathered.bound(aim(self.points), sign)
        parts = [replace(part, floor=aim(part.points), least=_LEAST) for part in self.parts]
        kernel: Kernel = parts[0] if len(parts) == 1 else Joint(parts, self.sizes)
        chances = self._chances
        best = float(kernel.share @ np.log(chances))
        trail = self._trails.setdefault(sign, {})
        return region_bound(kernel, sign, chances, best, self.choose, self.use, trail)

    @cached_property
    def gathered(self) -> GatheredRegion:
        """The region on the points that have mattered so far."""
        part = replace(self.parts[0], least=_LEAST)
        return GatheredRegion(part, self.fitted, self.choose, self.use)

    def noisier(self, error: float) -> float:
        """Return the error among sure items if a few votes on every item were guesses.

        Fixed points hold no items that are almost certain. With a share e of guesses, an item's m
        votes are less likely by a factor of (1 - e)^m at most, which the region allows.
        """
        guesses = -np.expm1(-self.use / self.votes)
        return float((1 - guesses) * error + guesses * (1 - 1 / self.points.shape[1]))

    def alike(self, p: Floats) -> bool:
        """Tell whether all items may have these probabilities, as far as the larger region goes."""
        ends = np.cumsum([part.share.size for part in self.parts])[:-1]
        lost = 0.0
        pairs = zip(self.parts, self.sizes, np.split(self._chances, ends), strict=True)
        for part, size, fitted in pairs:
            if isinstance(part, CountLikelihood):
                lost += size * part.alike_loss(fitted / size, p)
            else:
                lost += size * part.uniform_loss(fitted / size)
        return lost <= self.choose

    @cached_property
    def _trails(self) -> dict[float, Trail]:
        return {}

    @cached_property
    def _chances(self) -> Floats:
        ends = np.cumsum([part.points.shape[0] for part in self.parts])[:-1]
        pairs = zip(self.parts, np.split(self.fitted, ends), strict=True)
        return np.concatenate([part.matrix @ own for part, own in pairs])


def _sorted(votes: Counts, counts: Counts) -> PartitionLikelihood:
    """Return the likelihood of partitions."""
    kept = support(votes.shape[1]).thinned
    return PartitionLikelihood.of(expected(votes, counts), votes.shape[1], kept)


@dataclass(frozen=True)
class _Doubts:
    """Limits of how far items are surer than some error, on average."""

    region: ManyRegion
    certain: bool = False

    @property
    def sketch(self) -> _Doubts | None:
        """What tells where to look, where votes leave little open."""
        return self if self.region.tells_much else None

    @property
    def top(self) -> float:
        """The largest error of the best rule on an item."""
        return 1 - 1 / int(self.region.points.shape[1])

    def sure(self, t: float, sign: float) -> float:
        """Bound sign times E (t - r)_+ from below, r the least error of an item."""
        return self.region.limit(_surer(t), sign)[0]

    def rough(self, t: float, sign: float) -> float:
        """Tell about where that bound is."""
        aim, last = _surer(t)(self.region.points), _BELOW if sign > 0 else _ABOVE
        return self.region.gathered.rough(aim, sign, last)

    def fitted(self, t: float, sign: float) -> float:
        """Return sign times that mean, of the distribution that fits the votes best."""
        return sign * float(self.region.fitted @ _surer(t)(self.region.points))


def _surer(t: float) -> Aim:
    return lambda points: np.maximum(t - least_error(points), 0.0)


def _balanced(region: ManyRegion, sign: float) -> float:
    """Return the limit of the balanced error: of its slope, taken where it is extreme."""
    at, found = region.fitted, np.inf
    for _ in range(_ROUNDS):
        before, value = found, _balanced_error(region.points, at)
        slope = _slope_of_balanced(region.points, at)
        limit, extreme = region.limit(slope, sign)
        found = sign * value + limit - sign * float(at @ slope(region.points))
        if abs(found - before) < _NEAR:
            break
        at = (region.fitted + extreme) / 2
    return sign * found


def _balanced_error(points: Floats, weights: Floats) -> float:
    shares = weights @ points
    return 1 - float(weights @ (points / shares).max(axis=1)) / shares.size


def _slope_of_balanced(points: Floats, weights: Floats) -> Callable[[Floats], Floats]:
    """Return how the balanced error changes as items move to any probabilities, but a constant."""
    shares = weights @ points
    q = points / shares
    first = q.argmax(axis=1)
    right = np.bincount(first, weights * q.max(axis=1), shares.size)

    def slope(p: Floats) -> Floats:
        own = p / shares
        return np.asarray((own @ right - own.max(axis=1)) / shares.size)

    return slope


def _hardest(metric: Metric, classes: int) -> Floats:
    if "costs" in metric.given:
        return hardest(np.asarray(metric.given["costs"], dtype=np.float64))
    return np.full(classes, 1 / classes)
