"""Limits over the distributions that votes make likely: one region, whatever the classes.

The region holds the distributions whose log-likelihood is within half a chi-square quantile of the
maximum. Any weights v of the cells of a vote table bound the mean of a function f of an item's
probabilities: with ``P(p) = sum(v * chance of the cell at p)`` it is ``f(p) >= P(p) - sup(P - f)``,
so the mean of v over items bounds that of f from below whatever the distribution is. Of two classes
the supremum is taken over the whole of [0, 1], so the grid on which weights are sought can cost
sharpness but never validity. Of more it is taken over fixed points, which fill the simplex densely
but not wholly.

There are three kinds of values. *Means* of a function are bounded as they are. What means of many
functions decide, such as errors of models that abstain, is found by *inversion* (see `inversion`).
Others, such as AUC and F1, have a *slope* at each distribution towards any other: a function of p
whose mean says, to first order, how the value changes. The value is replaced by its slope at some
distribution, the extreme one within the region is found for it, and the next slope is taken there,
until limits stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from scipy.special import chdtri

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.bets import Bets, Blocks
from errorfloor.intervals.votes.bracket import missed_votes
from errorfloor.intervals.votes.inversion import limits_of
from errorfloor.methods.record import DEFAULT_OPTIONS, VOTES_DECIDE, Options
from errorfloor.methods.votes.aims import Aim, PiecewiseLinear
from errorfloor.methods.votes.dual import (
    TIE_BREAK,
    Joint,
    Kernel,
    Likelihood,
    Trail,
    bound_of,
    region_bound,
    region_start,
    root_gain,
)
from errorfloor.methods.votes.line import VoteLikelihood, binomial, grid
from errorfloor.methods.votes.mixture import value_of
from errorfloor.methods.votes.share_bias import lost_at
from errorfloor.methods.votes.simplex import (
    EXACT,
    FIRST,
    LIGHT,
    MOST_VOTES_USED,
    NEARLY,
    SOLVED,
    CountLikelihood,
    Gathered,
    PartitionLikelihood,
    SimplexLikelihood,
    expected,
    fitted_weights,
    floors,
    support,
)
from errorfloor.methods.votes.thinning import Votes, by_total, generator_of
from errorfloor.metrics import Metric
from errorfloor.metrics.record import least_error
from errorfloor.metrics.two_by_two import BALANCED, hardest

Cells: TypeAlias = tuple[Counts, Counts, Counts | Floats]  # positives, totals, items
Function: TypeAlias = Callable[[Floats], Floats]  # of probabilities

# Share of the error probability that the likelihood region may use; the rest is reserve for what
# the chi-square limit leaves out. Two votes leave a wide range of floors open, so at most one of
# the two limits can miss and little reserve is needed.
_SHARE_OF_TWO, _SHARE = 0.9, 0.5
# Items that the region counts at most: a region of more is so narrow that rounding decides where it
# ends, and limits become wider than those of fewer items.
_MOST_ITEMS = 1e7


def _radii(error: float, n: float, most: int, freedom: int) -> tuple[float, float]:
    """Return the log-likelihood per item that may be lost: to choose weights, and to use them."""
    n = min(n, _MOST_ITEMS)
    use = float(chdtri(1, (_SHARE_OF_TWO if most == 2 else _SHARE) * error)) / (2 * n)
    # At low levels the larger region would be the smaller one, and limits would not nest.
    return max(float(chdtri(min(4, freedom), error)) / (2 * n), use), use


@dataclass(frozen=True)
class Region:
    """The distributions that votes make likely.

    Attributes
    ----------
    parts : tuple of Likelihood
        One, or one for each total where items of each have a distribution of their own.
    choose, use : float
        Log-likelihood per item that may be lost: where weights are chosen, and for the bound.
    """

    parts: tuple[Likelihood, ...]
    choose: float
    use: float
    _trails: dict[tuple[float, float], Trail] = field(default_factory=dict, init=False)

    @cached_property
    def sizes(self) -> Floats:
        """Share of the items in each part."""
        sizes = np.array([part.n for part in self.parts])
        return np.asarray(sizes / sizes.sum())

    @cached_property
    def weights(self) -> tuple[Floats, ...]:
        """Weights of each part's points, of the distribution that fits the votes best."""
        return tuple(part.fitted(self._penalty) for part in self.parts)

    @property
    def _penalty(self) -> float:
        return min(TIE_BREAK, 0.05 / sum(part.n for part in self.parts))

    @cached_property
    def points(self) -> Floats:
        """The probabilities that distributions have weights of."""
        return np.concatenate([part.points for part in self.parts])

    @cached_property
    def fitted(self) -> Floats:
        """Weights of the distribution of all items that fits the votes best."""
        return np.concatenate([w * own for w, own in zip(self.sizes, self.weights, strict=True)])

    @property
    def fitted_mean(self) -> float:
        """What the parts are aimed at, on average over that distribution."""
        pairs = zip(self.parts, self.weights, strict=True)
        return float(self.sizes @ [part.floor @ own for part, own in pairs])

    @cached_property
    def chances(self) -> Floats:
        """Chance of each cell under that distribution."""
        rows = zip(self.sizes, self.parts, self.weights, strict=True)
        return np.concatenate([size * part.chances(own) for size, part, own in rows])

    @cached_property
    def best(self) -> float:
        """The largest mean log-likelihood."""
        return float(self.kernel().share @ np.log(self.chances))

    def kernel(self, aim: Any = None) -> Kernel:
        """Return the likelihood, aimed at a function of the probabilities."""
        parts = self.parts if aim is None else [part.aimed(aim) for part in self.parts]
        return parts[0] if len(parts) == 1 else Joint(parts, self.sizes)

    def mean(
        self, sign: float, aim: Any = None, choose: float | None = None
    ) -> tuple[float, Floats]:
        """Bound sign times the mean of a function from below, over all of the region.

        Also return the distribution that is extreme within `choose`.
        """
        choose = self.choose if choose is None else choose
        trail = self._trails.setdefault((sign, choose), {})
        kernel = self.kernel(aim)
        return region_bound(kernel, sign, self.chances, self.best, choose, self.use, trail)

    def lost(self, p: Any) -> float:
        """Return the log-likelihood per item that is lost if every item has these probabilities."""
        pairs = zip(self.parts, self.weights, strict=True)
        return float(
            self.sizes @ [part.single_point_loss(part.chances(own), p) for part, own in pairs]
        )


# --- two classes


def likelihood_limits(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    level: float = 0.95,
    n_points: int = 256,
    options: Options = DEFAULT_OPTIONS,
    with_band: bool = True,
) -> tuple[float, float]:
    """Return limits of a best value over the distributions that votes for two classes make likely.

    The lower limit bounds the value of every G whose log-likelihood is within half a chi-square
    quantile (one degree of freedom) of the maximum, from below; the upper limit likewise. Weights
    are chosen at a larger region (four degrees of freedom, or as many as votes), where they follow
    the noise of the votes less: chosen at the same region they would give the plain profile
    likelihood interval, which covers too seldom when G has an atom at 1/2 or two atoms close to it.

    Of means over items the largest value is the upper limit whenever "every item is the hardest",
    a coin flip, lies in the larger region, and the lower limit is never below the certified one. Of
    other values the limits hold those of "all items are alike" if that lies in the larger region:
    rankings and thresholds of such items are at the edge of what values there can be, where the
    profile of the likelihood says too little. So are those of two kinds of items for average
    precision.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    n_points : int
        Grid intervals, a power of two.
    options : Options, optional
        The metric, which label it is for, and why totals differ. Where votes decided when to stop,
        the likelihood is what it would be without; the certified limit is left out unless the rule
        is declared. Where the item did, each total has a distribution of its own, and the limits
        are those of one joint problem: the pairs (positives, total) are one multinomial sample.
    with_band : bool
        Whether the certified limit bounds the lower one; of numbers that are no counts it cannot.

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] N. Ignatiadis and S. Wager, JASA 117, 2022 (limits that allow for what votes cannot
       tell, affine in the data).
    """
    cells = positives, totals, counts
    region = TwoClassRegion.around(cells, level, n_points, options)
    if options.aim is None:
        return _value_limits(region, options.metric)
    low, high = region.mean_limits()
    # Where votes agree less than any G allows, the certified limit is the sharper one.
    if with_band and (options.totals_by != VOTES_DECIDE or options.rule is not None):
        from errorfloor.intervals.votes.band import Band  # loads slowly

        sure = Band.around(*cells, level, n_points, options)
        low = max(low, sure.lower_limit(1.0))
    least, largest = options.aim.span
    value = region.fitted_mean
    return max(min(low, value), least), min(max(high, value), largest)


def _value_limits(region: TwoClassRegion, metric: Metric) -> tuple[float, float]:
    """Return limits of a value that is no mean over items."""
    if metric.is_selective and not region.tells_much:
        low, high = limits_of(region, metric)
    else:
        low, high = region.limit(1.0), region.limit(-1.0)
    value, others = region.value(region.fitted), region.values_if_equal()
    low, high = min([low, *others]), max([high, *others])
    if getattr(metric.how, "least_of_two_kinds", False) and not region.tells_much:
        low = min(low, region.least_of_two())
    least, most = metric.span(2)
    return max(min(low, value), least), min(max(high, value), most)


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


@dataclass(frozen=True)
class TwoClassRegion(Region):
    """The distributions that votes for two classes make likely, and a value of them."""

    parts: tuple[VoteLikelihood, ...]
    options: Options
    top: float = 0.5  # the largest error of the best rule on an item
    certain: bool = False  # limits hold for the levels that are looked at; see `inversion.Sure`
    sketch: None = None

    @classmethod
    def around(
        cls, cells: Cells, level: float, n_points: int, options: Options, aim: Aim | None = None
    ) -> TwoClassRegion:
        """Return the region for a level, aimed at what is asked for, or at another function."""
        most = int(cells[1].max())
        radii = _radii(1 - level, float(cells[2].sum()), most, most)
        aim = aim or options.aim or options.target
        return cls(_on_grids(cells, n_points, aim, apart=options.by_item), *radii, options)

    def mean_limits(self) -> tuple[float, float]:
        """Return limits of the mean of a concave function, at which the parts are aimed."""
        aim = self.parts[0].target
        assert aim.peak is not None, "only concave functions have a hardest item"
        low = self.mean(1.0)[0]
        if self.lost(aim.peak) <= self.choose:
            return low, aim.span[1]
        high = -self.mean(-1.0)[0]
        if len(self.parts) > 1:
            flipped = self._with_hardest(aim, aim.peak)
            high = high if flipped is None else max(high, -flipped.mean(-1.0)[0])
        return low, high

    def _with_hardest(self, aim: Aim, peak: float) -> TwoClassRegion | None:
        """Return what is to be expected if items of some totals, as many as can be, are hardest.

        The hardest items of an error are coin flips. Those are within `choose` of the maximum.
        Votes on coin flips that lean to one side by chance would leave a floor of 1/2 too little
        room. None if no total can be coin flips.
        """
        rows = zip(self.sizes, self.parts, self.weights, strict=True)
        lost = np.array(
            [w * part.single_point_loss(part.chances(own), peak) for w, part, own in rows]
        )
        order = np.argsort(lost, kind="stable")
        coins = set(order[np.cumsum(lost[order]) <= self.choose].tolist())
        if not coins:
            return None
        cells = []
        for i, part in enumerate(self.parts):
            k, m, counts = part.positives, part.totals, part.n * part.share
            if i in coins:
                k = np.arange(int(m[0]) + 1)
                m = np.full(k.size, m[0])
                counts = part.n * binomial(k, m, np.array([peak]))[:, 0]
                seen = counts > 1e-9 * part.n
                k, m, counts = k[seen], m[seen], counts[seen]
            cells.append((k, m, counts))
        k, m, counts = (np.concatenate(column) for column in zip(*cells, strict=True))
        size = self.parts[0].size
        return replace(self, parts=_on_grids((k, m, counts), size, aim, apart=True))

    @property
    def most_votes(self) -> int:
        """The most votes that an item has."""
        return max(int(part.totals.max()) for part in self.parts)

    @property
    def tells_much(self) -> bool:
        """Whether votes leave so little open that one start finds what is extreme."""
        return self.most_votes >= _MANY_VOTES

    def value(self, weights: Floats) -> float:
        """Return the best value of the metric."""
        return value_of(self.options.metric, self.points, weights, self.options.target)

    def values_if_equal(self) -> list[float]:
        """Return the values that there may be if all items are alike; none if votes refute that.

        Of the probabilities that all may have, those are meant that no other one refutes.
        """
        eta = float(self.points @ self.fitted)
        lost = self.lost(eta)
        if not 0 < eta < 1 or lost > self.choose:
            return []
        votes = sum(float(part.n * (part.share @ part.totals)) for part in self.parts)
        reach = 4 * np.sqrt(eta * (1 - eta) / votes)
        tried = [*np.clip(eta + reach * np.linspace(-1, 1, 33), 1e-9, 1 - 1e-9).tolist(), 0.5]
        kept = [eta, *(other for other in tried if self.lost(other) <= lost + self.use)]
        label, one = self.options.target.positive(np.array(kept)), np.ones(1)
        return [self.options.metric.best(each * one, one) for each in label]

    def least_of_two(self) -> float:
        """Return the least average precision of two kinds of items that the votes do not refute."""
        chances = [size * part.matrix for size, part in zip(self.sizes, self.parts, strict=True)]
        return least_of_two(
            self.parts[0].points,
            np.concatenate(chances),
            self.kernel().share,
            self.best - self.choose,
            self.options.target.positive,
        )

    def limit(self, sign: float) -> float:
        """Return the lower limit, or with sign -1 the upper one, by slopes."""
        starts = sorted(self.starts[1:], key=lambda start: sign * self.value(start))
        tried = (self.fitted, *starts[:_TRIED])
        ends = [self._extreme_from(start, sign) for start in tried]
        at = min(ends, key=lambda end: sign * self.value(end))
        slope, value = self.slope(at), self.value(at)
        limit, _ = self._bound(slope, sign, self.choose)
        found = sign * value + limit - sign * float(at @ slope(self.points))
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
            aim = _on_knots(function)
            found += [self._bound(aim, sign, self.use)[1] for sign in (1.0, -1.0)]
        return found

    def sure(self, t: float, sign: float) -> float:
        """Bound sign times the mean of (t - r)_+ from below, r the least error of an item."""
        label = self.options.target.positive(grid(_KNOTS))
        return self._bound(_on_knots(_surer(t)(label)), sign, self.choose)[0]

    def slope(self, weights: Floats) -> PiecewiseLinear:
        """Return how the value changes as items of a distribution move to each probability."""
        metric, target = self.options.metric, self.options.target
        kept = weights > 1e-9 * weights.max()
        label = target.positive(self.points[kept])
        return _on_knots(slope_at(metric, label, weights[kept], target.positive(grid(_KNOTS))))

    def _extreme_from(self, at: Floats, sign: float) -> Floats:
        """Return the most extreme distribution in the region that is found from one of them on."""
        value = np.inf
        for _ in range(_MOST_ROUNDS):
            before, value = value, sign * self.value(at)
            if before - value < _CLOSE:
                break
            at = self._further(sign, at, self._bound(self.slope(at), sign, self.use)[1])
        return at

    def _further(self, sign: float, at: Floats, to: Floats) -> Floats:
        """Return the best distribution on the way from one to another."""
        way = [at, *((1 - length) * at + length * to for length in _LENGTHS)]
        return np.asarray(way[int(np.argmin([sign * self.value(one) for one in way]))])

    def _bound(self, aim: PiecewiseLinear, sign: float, choose: float) -> tuple[float, Floats]:
        """Return the limit of a mean, and the distribution that is extreme within `choose`."""
        scale = 2 * float(np.ptp(aim.values)) or 1.0  # the solver expects numbers like floors
        aim = replace(aim, values=tuple(value / scale for value in aim.values))
        limit, extreme = self.mean(sign, aim, choose)
        return scale * limit, self._inside(extreme)

    def _inside(self, extreme: Floats) -> Floats:
        """Return a distribution, or the mixture with the fitted one that is still in the region.

        The solver stops a little outside, and far outside where rounding stops it.
        """
        kernel = self.kernel()
        other, part = kernel.chances(extreme), 1.0
        for _ in range(30):
            mixed = (1 - part) * self.chances + part * other
            lost = self.best - float(kernel.share @ np.log(mixed)) if mixed.all() else np.inf
            if lost <= _OUTSIDE * self.use:
                break
            part *= 0.8
        return np.asarray((1 - part) * self.fitted + part * extreme)


def _on_grids(cells: Cells, size: int, aim: Aim, *, apart: bool) -> tuple[VoteLikelihood, ...]:
    """Return the likelihood of votes on a grid, or each total on a grid of its own."""
    positives, totals, counts = cells
    distinct = np.unique(totals)
    if not apart or distinct.size == 1:
        return (VoteLikelihood.on_grid(*cells, size, target=aim),)
    rows = [totals == total for total in distinct]
    return tuple(
        VoteLikelihood.on_grid(positives[i], totals[i], counts[i], size, target=aim, part=True)
        for i in rows
    )


def _on_knots(values: Floats) -> PiecewiseLinear:
    return PiecewiseLinear(tuple(grid(_KNOTS).tolist()), tuple(values.tolist()), on_grid=True)


def _surer(t: float) -> Function:
    """Return how much surer than t the best rule is."""
    return lambda label: np.maximum(t - least_error(label), 0.0)


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


_LEVELS = 64  # intervals between probabilities that are tried
_STEPS = 25  # of the share of the second kind, towards the most likely one
# Shares of the second kind that are tried, close to each other where one kind is rare.
_SHARES = (1 - np.cos(np.linspace(0, np.pi, 41))) / 2


def least_of_two(
    points: Floats, chances: Floats, share: Floats, least_likely: float, positive: Function
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


# --- many classes

_LEAST = 1e-12  # share of the heaviest point that Newton's steps use
# Temperatures of sketches: closer below, where what is bounded may begin to rise at some t.
_BELOW, _ABOVE = 1e-4, 3e-4
_ROUNDS, _NEAR = 4, 5e-4  # of the balanced error, whose slope depends on the shares of classes
# Share of the error probability for the noise of plain shares, where items have many votes.
_FOR_SHARES = 0.8


def many_likelihood_limits(
    votes: Counts, counts: Counts, *, level: float = 0.95, options: Options = DEFAULT_OPTIONS
) -> tuple[float, float]:
    """Return limits of a best value over the distributions that votes for many classes make likely.

    What sorted probabilities decide is bounded over the likelihood region of partitions; costs and
    balanced error over that of the counts themselves, with each class in its place. Weights are
    chosen at a larger region, as for two classes. The largest value there can be is the upper limit
    whenever "every item is the hardest" lies in the larger region.

    Parameters
    ----------
    votes : array of shape (rows, classes)
        Number of votes for each class.
    counts : array of shape (rows,)
        Number of items with such votes.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    options : Options, optional
        The metric, which label it is for, and why totals differ. Where the item decided, each total
        has a distribution of its own, and the limits are those of one joint problem.

    Returns
    -------
    low, high : float
    """
    metric, classes = options.metric, votes.shape[1]
    if metric.is_error:
        return _many_error_limits(votes, counts, level, options)
    region = ManyClassRegion.around(votes, counts, level, options)
    least, most = metric.span(classes)
    value = metric.best(region.points, region.fitted)
    if metric.is_selective:
        low, high = limits_of(region, metric)
        high = max(high, region.noisier(value)) if metric.less_is_better else high
    elif "prior" in metric.given:  # the balanced error as an expected cost
        each = _weighed_by(np.asarray(metric.given["prior"], dtype=np.float64))
        low, high = (sign * region.bound(each, sign)[0] for sign in (1.0, -1.0))
        high = most if region.lost(_hardest(metric, classes)) <= region.choose else high
    elif not metric.is_mean:  # the balanced error
        low, high = (_balanced(region, sign) for sign in (1.0, -1.0))
        high = most if region.lost(region.shares) <= region.choose else high
    else:
        low, high = (sign * region.bound(metric.per_item, sign)[0] for sign in (1.0, -1.0))
        high = most if region.lost(_hardest(metric, classes)) <= region.choose else high
    return max(min(low, value), least), min(max(high, value), most)


def _many_error_limits(
    votes: Counts, counts: Counts, level: float, options: Options
) -> tuple[float, float]:
    """Return limits of the floor.

    Items with more than ten votes count with the share of votes that the leading class leaves,
    within betting limits, and the region bounds the bias of that share. Blocks of items to bet on
    are drawn at random, but always the same for the same votes.
    """
    ordered = np.sort(votes, axis=1)[:, ::-1]
    votes, group = np.unique(ordered, axis=0, return_inverse=True)
    counts = np.bincount(group.ravel(), counts).astype(counts.dtype)
    classes, totals = votes.shape[1], votes.sum(axis=1)
    many = _by_shares(totals, options)
    for_shares = _FOR_SHARES * (1 - level) if many.any() else 0.0
    region = ManyClassRegion.around(votes, counts, level + for_shares, options)
    value, low = region.fitted_mean, region.mean(1.0)[0]
    high = float(max(part.floor.max() for part in region.parts))
    if region.lost(np.full(classes, 1 / classes)) > region.choose:
        high = -region.mean(-1.0)[0]
    low, high, top = min(low, value), max(high, value), 1 - 1 / classes
    if many.any():
        left = np.where(many, 1 - votes.max(axis=1) / totals, 0.0)
        blocks = Blocks.drawn(counts, generator_of(Votes(votes[:, 0], totals, counts)))
        least, most = Bets.of(left, blocks, (0.0, top)).limits(1 - for_shares)
        # With many votes, predicting each from the others errs little more than the floor.
        missed = Bets.of(missed_votes(votes), blocks).upper(1 - for_shares)
        low, high = low + least, min(high + most, missed)
    return max(low, 0.0), min(high, top)


def _by_shares(totals: Counts, options: Options) -> Any:
    """Tell which items count with the share of votes that the leading class leaves."""
    return (totals > MOST_VOTES_USED) & (options.target.majority <= 2)


def _partitions(votes: Counts, counts: Counts, options: Options) -> PartitionLikelihood:
    """Return the likelihood of sorted votes, aimed at what the error leaves open.

    That is the floor of items with few votes, and the bias of the share of those with many.
    """
    classes, totals, n = votes.shape[1], votes.sum(axis=1), float(counts.sum())
    kept, floor = support(classes).thinned, None
    if options.metric.is_error:
        many = _by_shares(totals, options)
        distinct, group = np.unique(totals[many], return_inverse=True)
        shares = np.bincount(group, counts[many], minlength=distinct.size) / n
        floor = (1 - float(shares.sum())) * floors(_thinned(classes), options.target.majority)
        if distinct.size:
            floor += shares @ _lost(classes, tuple(distinct.tolist()))
    found = PartitionLikelihood.of(expected(votes, counts), classes, kept, floor)
    return found if options.metric.is_error else replace(found, least=_LEAST)


def _counts(votes: Counts, counts: Counts, _: Options) -> CountLikelihood:
    """Return the likelihood of votes with each class in its place."""
    return replace(CountLikelihood.around(votes, counts), least=_LEAST)


def _thinned(classes: int) -> Floats:
    at = support(classes)
    return np.asarray(at.points[at.thinned])


@lru_cache(maxsize=2)  # groups of items, other levels: again and again the same totals
def _lost(classes: int, totals: tuple[int, ...]) -> Floats:
    found = lost_at(_thinned(classes), np.array(totals))
    found.setflags(write=False)
    return found


@dataclass(frozen=True)
class ManyClassRegion(Region):
    """The distributions that votes for many classes make likely."""

    parts: tuple[SimplexLikelihood, ...]
    votes: float  # on an item, on average
    quick: bool  # whether few points will do where votes tell much, as for many means
    certain: bool = False
    _gathered: dict[float, Gathered] = field(default_factory=dict, init=False)

    @classmethod
    def around(
        cls, votes: Counts, counts: Counts, level: float, options: Options
    ) -> ManyClassRegion:
        """Return the region for a level; each total has its own distribution if items decide."""
        totals, placed = votes.sum(axis=1), options.metric.by_place
        kind = by_total(totals) if options.by_item else np.zeros(counts.size)
        groups = [kind == one for one in np.unique(kind)]
        make = _counts if placed else _partitions
        parts = tuple(make(votes[own], counts[own], options) for own in groups)
        n = sum(part.n for part in parts)
        cells = max(sum(part.share.size - 1 for part in parts), 1)
        choose, use = _radii(1 - level, n, int(totals.max()), cells)
        if placed:
            # With each class in its place a fit follows the noise of many counts. Regions for one
            # degree of freedom leave out the truth where it is extreme.
            freedom = min(votes.shape[1] ** 2, cells)
            choose = use = float(chdtri(freedom, 1 - level)) / (2 * min(n, _MOST_ITEMS))
        votes_each = float(counts @ totals / counts.sum())
        return cls(parts, choose, use, votes_each, quick=not options.metric.is_error)

    @property
    def tells_much(self) -> bool:
        """Whether votes leave so little open that few points show where to look."""
        return self.quick and self.votes >= MOST_VOTES_USED and len(self.parts) == 1

    @cached_property
    def weights(self) -> tuple[Floats, ...]:
        """Weights of each part's points, of the distribution that fits the votes best."""
        if self.tells_much:
            return (fitted_weights(self.parts[0], self._penalty),)
        return tuple(part.fitted(self._penalty) for part in self.parts)

    @cached_property
    def shares(self) -> Floats:
        """Share of each class."""
        return np.asarray(self.fitted @ self.points)

    def noisier(self, error: float) -> float:
        """Return the error among sure items if a few votes on every item were guesses.

        Fixed points hold no items that are almost certain. With a share e of guesses, an item's m
        votes are less likely by a factor of (1 - e)^m at most, which the region allows.
        """
        guesses = -np.expm1(-self.use / self.votes)
        return float((1 - guesses) * error + guesses * self.top)

    def bound(self, aim: Function, sign: float) -> tuple[float, Floats]:
        """Bound sign times a mean from below; also return the distribution that is extreme.

        Where votes tell much, on the points that have mattered so far: close to `mean`, and sooner.
        """
        if not self.tells_much:
            return self.mean(sign, aim)
        return self._on_gathered(aim(self.points), sign, EXACT, SOLVED)

    def _on_gathered(
        self, aim: Floats, sign: float, temperatures: tuple[float, ...], tolerance: float
    ) -> tuple[float, Floats]:
        whole = replace(self.parts[0], floor=aim)
        if sign not in self._gathered:
            # With the fitted distribution on them the region is not empty, and bounds are finite.
            heavy = np.flatnonzero(self.fitted > LIGHT * self.fitted.max())
            self._gathered[sign] = Gathered.around(self.parts[0], heavy)
        gain = root_gain(self.best - float(whole.share @ np.log(whole.share)) - self.choose)
        start = region_start(whole, self.chances, self.choose)
        gathered = self._gathered[sign]
        weights, extreme = gathered.weights(sign * aim, gain, start, temperatures, tolerance)
        return bound_of(whole, sign, weights, self.best, self.use), extreme

    @property
    def top(self) -> float:
        """The largest error of the best rule on an item."""
        return 1 - 1 / int(self.points.shape[1])

    @property
    def sketch(self) -> ManyClassRegion | None:
        """What tells where to look, where votes leave little open."""
        return self if self.tells_much else None

    def sure(self, t: float, sign: float) -> float:
        """Bound sign times E (t - r)_+ from below, r the least error of an item."""
        return self.bound(_surer(t), sign)[0]

    def rough(self, t: float, sign: float) -> float:
        """Return a looser bound of the same, by some ten times the last temperature, sooner."""
        last = _BELOW if sign > 0 else _ABOVE
        return self._on_gathered(_surer(t)(self.points), sign, (FIRST, last), NEARLY)[0]

    def guess(self, t: float, sign: float) -> float:
        """Return sign times that mean, of the distribution that fits the votes best."""
        return sign * float(self.fitted @ _surer(t)(self.points))


def _balanced(region: ManyClassRegion, sign: float) -> float:
    """Return the limit of the balanced error: of its slope, taken where it is extreme."""
    at, found = region.fitted, np.inf
    for _ in range(_ROUNDS):
        before, value = found, BALANCED.best(region.points, at)
        slope = _slope_of_balanced(region.points, at)
        limit, extreme = region.bound(slope, sign)
        found = sign * value + limit - sign * float(at @ slope(region.points))
        if abs(found - before) < _NEAR:
            break
        at = (region.fitted + extreme) / 2
    return sign * found


def _slope_of_balanced(points: Floats, weights: Floats) -> Function:
    """Return how the balanced error changes as items move to any probabilities, but a constant."""
    shares = weights @ points
    q = points / shares
    first = q.argmax(axis=1)
    right = np.bincount(first, weights * q.max(axis=1), shares.size)

    def slope(p: Floats) -> Floats:
        own = p / shares
        return np.asarray((own @ right - own.max(axis=1)) / shares.size)

    return slope


def _weighed_by(prior: Floats) -> Function:
    """Return what an item loses of the balanced error where the shares of classes are known."""

    def lost(p: Floats) -> Floats:
        own = p / prior / prior.size
        return np.asarray(own.sum(axis=1) - own.max(axis=1))

    return lost


def _hardest(metric: Metric, classes: int) -> Floats:
    if "prior" in metric.given:
        return np.asarray(metric.given["prior"], dtype=np.float64)
    if "costs" in metric.given:
        return hardest(np.asarray(metric.given["costs"], dtype=np.float64))
    return np.full(classes, 1 / classes)
