"""Limits of a metric's best value over the distributions that votes make likely.

Some metrics are no mean over items: AUC, F1, MCC, average precision, balanced error, errors of
models that may abstain. Their best value is still a function of the distribution G behind the
votes, and at each G it has a slope towards any other: a function of eta whose mean says, to first
order, how the value changes. Limits of means are known. So the value is replaced by its slope at
some G, the extreme distribution within the likelihood region is found for it, and the next slope is
taken there, until limits stay where they are. Errors of models that abstain have limits by
inversion, which finds the extreme of all; see `inversion`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import chdtri

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.votes.inversion import coverage_limits, error_limits
from errorfloor.intervals.votes.limits import LIKELIHOOD_SHARE, LIKELIHOOD_SHARE_OF_TWO
from errorfloor.methods.record import Options
from errorfloor.methods.votes.aims import Lines
from errorfloor.methods.votes.dual import Trail, region_bound
from errorfloor.methods.votes.grid import grid
from errorfloor.methods.votes.joint import JointLikelihood
from errorfloor.methods.votes.likelihood import TIE_BREAK, Mixture, VoteLikelihood
from errorfloor.methods.votes.values import value_of
from errorfloor.metrics import Metric
from errorfloor.metrics.record import least_error
from errorfloor.metrics.selective import AtCoverage, AtError

_LEVELS = 64  # intervals between probabilities that are tried
_STEPS = 25  # of the share of the second kind, towards the most likely one
# Shares of the second kind that are tried, close to each other where one kind is rare.
_SHARES = (1 - np.cos(np.linspace(0, np.pi, 41))) / 2


def least_of_two(
    points: Floats,
    chances: Floats,
    share: Floats,
    least_likely: float,
    positive: Callable[[Floats], Floats],
) -> float:
    """Return the least average precision of two atoms that are likely enough; 1 for none.

    Parameters
    ----------
    points : array of shape (p,)
        Probabilities of a vote, ascending.
    chances : array of shape (cells, p)
        Chances of each cell's votes at each of them.
    share : array of shape (cells,)
        Share of the items in each cell.
    least_likely : float
        The least mean log-likelihood per item.
    positive : callable
        From probabilities of a vote to those of the label.
    """
    tried = np.arange(0, points.size, max(1, points.size // _LEVELS))
    first, second = (tried[one] for one in np.triu_indices(tried.size, 1))
    likely = _most_likely(chances[:, first], chances[:, second], share) >= least_likely
    low, high = chances[:, first[likely]], chances[:, second[likely]]
    least = 1.0
    label = positive(points)
    for part in _SHARES:
        with np.errstate(divide="ignore"):
            inside = share @ np.log((1 - part) * low + part * high) >= least_likely
        ends = label[first[likely][inside]], label[second[likely][inside]]
        least = min(least, float(average_precision_of_two(*ends, part).min(initial=1.0)))
    return least


def average_precision_of_two(one: Floats, other: Floats, part: float) -> Floats:
    """Return the best average precision where `part` of the items have the other probability.

    Items of the larger probability come first; those of one probability in random order, as in
    `metrics.ranking`.
    """
    top, end = np.maximum(one, other), np.minimum(one, other)
    first = np.where(other > one, part, 1 - part)  # share of items
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(first > 0, -first * np.log(first), 0.0)
    area = top**2 * first + end * (end * (1 - first) + (top - end) * growth)
    positives = (1 - part) * one + part * other
    return np.asarray(np.divide(area, positives, out=np.ones(one.size), where=positives > 0))


def _most_likely(low: Floats, high: Floats, share: Floats) -> Floats:
    """Return the largest mean log-likelihood of two atoms, nearly."""
    part = np.full(low.shape[1], 0.5)
    for _ in range(_STEPS):
        taken = part * high
        part = share @ (taken / (taken + (1 - part) * low + np.finfo(np.float64).tiny))
    with np.errstate(divide="ignore"):
        return np.asarray(share @ np.log((1 - part) * low + part * high))


_STEP = 1e-6  # share of items that are moved to take a slope where there is no formula


def slope_at(metric: Metric, points: Floats, weights: Floats, x: Floats) -> Floats:
    """Return the slope of the best value of a metric at a distribution, towards each x."""
    order = np.argsort(points, kind="stable")
    p, w = points[order], weights[order] / weights.sum()
    return (metric.slope or by_steps)(p, w, metric, x)


def by_steps(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    """Return the slope by moving a few items, one x after the other."""
    before = metric.best(p, w)
    points, share = np.append(p, 0.0), np.append((1 - _STEP) * w, _STEP)
    found = []
    for one in x:
        points[-1] = one
        found.append((metric.best(points, share) - before) / _STEP)
    return np.array(found)


_KNOTS = 256  # intervals between probabilities at which slopes are taken
_MOST_ROUNDS, _CLOSE = 6, 2e-4
_OUTSIDE = 1.1  # times the log-likelihood that may be lost, which is near enough
_TRIED = 4  # distributions to begin with, the most extreme ones
# Where the functions fold whose extreme distributions are tried first: of all probabilities, fewer
# where there are more votes, which leave less open; and as parts of the rarer class's share.
_FOLDS, _FEW_FOLDS, _FEW_VOTES = (0.15, 0.3, 0.5, 0.75, 1.0), (0.3, 0.6, 1.0), 10
_RARE_FOLDS = (0.2, 0.5)
_MANY_VOTES = 20
_LENGTHS = np.array([0.125, 0.25, 0.5, 0.75, 1.0])  # of steps from one distribution to the next


def value_limits(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    level: float = 0.95,
    n_points: int = 256,
    options: Options,
) -> tuple[float, float]:
    """Return limits of the best value over the distributions that the votes make likely.

    The region is that of `limits.likelihood_limits`, and so is the larger region at which weights
    are chosen. If "all items are alike" lies in the larger region, the limits hold the values that
    they may have: rankings and thresholds of items that are alike are at the edge of what values
    there can be, where the profile of the likelihood says too little. So are those of two kinds of
    items for average precision; see `atoms`.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    n_points : int
        Grid intervals, a power of two.
    options : Options
        The metric, which label it is for, and why totals differ.
    """
    region = Region.around((positives, totals, counts), level, n_points, options)
    at = float(options.metric.given.get("at", 0.0))
    if isinstance(options.metric.how, AtCoverage) and not region.tells_much:
        low, high = error_limits(region, at)
    elif isinstance(options.metric.how, AtError) and not region.tells_much:
        low, high = coverage_limits(region, at)
    else:
        low, high = region.limit(1.0), region.limit(-1.0)
    value = region.value(region.fitted)
    alike = region.alike()
    low, high = min([low, *alike]), max([high, *alike])
    if getattr(options.metric.how, "least_of_two_kinds", False) and not region.tells_much:
        low = min(low, region.least_of_two())
    least, most = options.metric.span(2)
    return max(min(low, value), least), min(max(high, value), most)


@dataclass(frozen=True)
class Region:
    """The distributions that votes make likely, and a value of them."""

    votes: VoteLikelihood | JointLikelihood
    fits: tuple[Mixture, ...]
    options: Options
    choose: float  # log-likelihood per item that may be lost, where weights are chosen
    use: float  # and where limits are taken
    top: float = 0.5  # the largest error of the best rule on an item
    certain: bool = False  # limits hold for the levels that are looked at; see `inversion.Sure`
    sketch: None = None

    @classmethod
    def around(
        cls,
        cells: tuple[Counts, Counts, Counts | Floats],
        level: float,
        n_points: int,
        options: Options,
    ) -> Region:
        """Return the region for a level."""
        _, totals, counts = cells
        most, n = int(totals.max()), float(counts.sum())
        share = LIKELIHOOD_SHARE_OF_TWO if most == 2 else LIKELIHOOD_SHARE
        use = float(chdtri(1, share * (1 - level))) / (2 * n)
        choose = max(float(chdtri(min(4, most), 1 - level)) / (2 * n), use)
        penalty = min(TIE_BREAK, 0.05 / n)
        if options.by_item and np.unique(totals).size > 1:
            apart = JointLikelihood.on_grids(*cells, n_points, target=options.target)
            return cls(apart, apart.fits(penalty), options, choose, use)
        votes = VoteLikelihood.on_grid(*cells, n_points, target=options.target)
        return cls(votes, (votes.fit(penalty)[0],), options, choose, use)

    @property
    def parts(self) -> tuple[VoteLikelihood, ...]:
        """The likelihoods of items that have one distribution."""
        return (self.votes,) if isinstance(self.votes, VoteLikelihood) else self.votes.parts

    @property
    def most_votes(self) -> int:
        """The most votes that an item has."""
        return max(int(part.totals.max()) for part in self.parts)

    @property
    def tells_much(self) -> bool:
        """Whether votes leave so little open that one start finds what is extreme."""
        return self.most_votes >= _MANY_VOTES

    @cached_property
    def points(self) -> Floats:
        """The probabilities that distributions have weights of."""
        return np.concatenate([fit.points for fit in self.fits])

    @cached_property
    def fitted(self) -> Floats:
        """Weights of the distribution that fits the votes best."""
        sizes = getattr(self.votes, "sizes", np.ones(1))
        return np.concatenate([w * fit.weights for w, fit in zip(sizes, self.fits, strict=True)])

    def value(self, weights: Floats) -> float:
        """Return the best value of the metric."""
        return value_of(self.options.metric, self.points, weights, self.options.target)

    def alike(self) -> list[float]:
        """Return the values that there may be if all items are alike; none if votes refute that.

        Of the probabilities that all may have, those are meant that no other one refutes.
        """
        eta = float(self.points @ self.fitted)
        lost = self._lost_alike(eta)
        if not 0 < eta < 1 or lost > self.choose:
            return []
        votes = sum(float(part.n * (part.share @ part.totals)) for part in self.parts)
        reach = 4 * np.sqrt(eta * (1 - eta) / votes)
        tried = [*np.clip(eta + reach * np.linspace(-1, 1, 33), 1e-9, 1 - 1e-9).tolist(), 0.5]
        kept = [eta, *(other for other in tried if self._lost_alike(other) <= lost + self.use)]
        label, one = self.options.target.positive(np.array(kept)), np.ones(1)
        return [self.options.metric.best(each * one, one) for each in label]

    def _lost_alike(self, eta: float) -> float:
        """Return the log-likelihood per item that is lost if every item has this probability."""
        sizes = getattr(self.votes, "sizes", np.ones(1))
        lost = [part.alike_loss(fit, eta) for part, fit in zip(self.parts, self.fits, strict=True)]
        return float(sizes @ lost)

    def least_of_two(self) -> float:
        """Return the least average precision of two kinds of items that the votes do not refute."""
        sizes = getattr(self.votes, "sizes", np.ones(1))
        chances = [size * part.matrix for size, part in zip(sizes, self.parts, strict=True)]
        likely = self._best - self.choose
        positive = self.options.target.positive
        return least_of_two(
            self.fits[0].points, np.concatenate(chances), self.votes.share, likely, positive
        )

    def limit(self, sign: float) -> float:
        """Return the lower limit, or with sign -1 the upper one."""
        starts = sorted(self.starts[1:], key=lambda start: sign * self.value(start))
        tried = (self.fitted, *starts[:_TRIED])
        ends = [self._extreme_from(start, sign) for start in tried]
        at = min(ends, key=lambda end: sign * self.value(end))
        slope, value = self.slope(at), self.value(at)
        limit, _ = self._bound(slope, sign, self.choose)
        found = sign * value + limit - sign * float(at @ slope.floors(self.points))
        return sign * min(found, sign * value)

    @cached_property
    def starts(self) -> list[Floats]:
        """Distributions to begin with: the fitted one, and some with few points, as likely.

        The values of some metrics are lowest, or highest, at distributions on as few points as can
        be, and there are several that are so next to their neighbours. Means of a polynomial just
        beyond what votes tell, and of functions with one fold, are extreme at such distributions.
        """
        if self.tells_much:
            return [self.fitted]
        folds = _FOLDS if self.most_votes <= _FEW_VOTES else _FEW_FOLDS
        mean = float(self.points @ self.fitted)
        rare = [part * min(mean, 1 - mean) for part in _RARE_FOLDS]
        knots = grid(_KNOTS)
        of = knots if mean <= 0.5 else 1 - knots
        hinges = [np.maximum(fold - of, 0.0) for fold in (*rare, *folds)]
        wave = np.cos((self.most_votes + 1) * np.arccos(1 - 2 * knots))
        found = [self.fitted]
        for function in (wave, *hinges):
            aim = Lines(tuple(knots.tolist()), tuple(function.tolist()), on_grid=True)
            found += [self._bound(aim, sign, self.use)[1] for sign in (1.0, -1.0)]
        return found

    def sure(self, t: float, sign: float) -> float:
        """Bound sign times the mean of (t - r)_+ from below, r the least error of an item."""
        knots = grid(_KNOTS)
        hinge = np.maximum(t - least_error(self.options.target.positive(knots)), 0.0)
        aim = Lines(tuple(knots.tolist()), tuple(hinge.tolist()), on_grid=True)
        return self._bound(aim, sign, self.choose)[0]

    def _extreme_from(self, at: Floats, sign: float) -> Floats:
        """Return the most extreme distribution in the region that is found from one of them on."""
        value = np.inf
        for _ in range(_MOST_ROUNDS):
            before, value = value, sign * self.value(at)
            if before - value < _CLOSE:
                break
            at = self._further(sign, at, self._bound(self.slope(at), sign, self.use)[1])
        return at

    def _bound(self, aim: Lines, sign: float, choose: float) -> tuple[float, Floats]:
        """Return the limit of a mean, and the distribution that is extreme within `choose`."""
        scale = 2 * float(np.ptp(aim.values)) or 1.0  # the solver expects numbers like floors
        aim = replace(aim, values=tuple(value / scale for value in aim.values))
        if isinstance(self.votes, VoteLikelihood):
            votes: VoteLikelihood | JointLikelihood = replace(self.votes, target=aim)
        else:
            parts = tuple(replace(part, target=aim) for part in self.votes.parts)
            votes = replace(self.votes, parts=parts)
        trail = self._trails.setdefault((sign, choose), {})
        found = region_bound(votes, sign, self._chances, self._best, choose, self.use, trail)
        return scale * found[0], self._inside(found[1])

    def _inside(self, extreme: Floats) -> Floats:
        """Return a distribution, or the mixture with the fitted one that is still in the region.

        The solver stops a little outside, and far outside where rounding stops it.
        """
        other, part = self.votes.chances(extreme), 1.0
        for _ in range(30):
            mixed = (1 - part) * self._chances + part * other
            if mixed.all() and self._best - float(self.votes.share @ np.log(mixed)) <= (
                _OUTSIDE * self.use
            ):
                break
            part *= 0.8
        return np.asarray((1 - part) * self.fitted + part * extreme)

    @cached_property
    def _trails(self) -> dict[tuple[float, float], Trail]:
        return {}

    @cached_property
    def _chances(self) -> Floats:
        return self.votes.chances(self.fitted)

    @cached_property
    def _best(self) -> float:
        return float(self.votes.share @ np.log(self._chances))

    def slope(self, weights: Floats) -> Lines:
        """Return how the value changes as items of a distribution move to each probability."""
        metric, target = self.options.metric, self.options.target
        kept = weights > 1e-9 * weights.max()
        knots = grid(_KNOTS)
        label = target.positive(self.points[kept])
        found = slope_at(metric, label, weights[kept], target.positive(knots))
        return Lines(tuple(knots.tolist()), tuple(found.tolist()), on_grid=True)

    def _further(self, sign: float, at: Floats, to: Floats) -> Floats:
        """Return the best distribution on the way from one to another."""
        way = [at, *((1 - length) * at + length * to for length in _LENGTHS)]
        return np.asarray(way[int(np.argmin([sign * self.value(one) for one in way]))])
