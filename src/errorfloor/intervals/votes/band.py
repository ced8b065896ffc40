"""The certified band: exact limits for shares of items, and the values they allow.

A band around the votes bounds the means of all functions of eta at once. Some values are on one
side of a number if, and only if, such means are on one side of known numbers; whatever values the
band cannot rule out are an interval, and the limits hold whenever the band does. F1 is at least x
if and only if ``E (2 eta - x)_+ - x E eta >= 0``, which falls as x grows; errors of models that
abstain are in `inversion`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linprog

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.models import lower_limit, upper_limit
from errorfloor.intervals.votes.inversion import limits_of
from errorfloor.methods.record import DEFAULT_OPTIONS, Options
from errorfloor.methods.votes.aims import ONE_VOTE, Aim, PiecewiseLinear, Target
from errorfloor.methods.votes.line import binomial, cosines, grid, supremum
from errorfloor.metrics import Metric
from errorfloor.metrics.two_by_two import OF_F1

_HALVINGS = 12  # of the interval in which a limit of F1 lies
# Thresholds of each kind that the certified band uses; more cost level, fewer cost sharpness.
_MOST_THRESHOLDS = 10
# Share of the error probability spent on sets that treat k and m - k alike. They decide the floor
# of symmetric G, the others only add what the asymmetry of G tells.
_FOLDED_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Band:
    """Limits for the share of items in a few sets of cells, and the sets' probabilities."""

    low: Floats
    high: Floats
    matrix: Floats  # sets by points
    degree: int
    target: Aim = ONE_VOTE
    blocks: int = 1  # of points, one for each total where each has a distribution of its own

    @property
    def size(self) -> int:
        """Number of grid intervals."""
        return int(self.matrix.shape[1]) // self.blocks - 1

    @classmethod
    def around(
        cls,
        positives: Counts,
        totals: Counts,
        counts: Counts | Floats,
        level: float,
        n_points: int,
        options: Options = DEFAULT_OPTIONS,
    ) -> Band:
        """Return the band around the votes of a table."""
        n = float(counts.sum())
        law = _law_of(totals, counts, options)
        degree = int(law.totals.max())
        while n_points < 8 * np.sqrt(degree):
            n_points *= 2
        sets, error = law.sets(1 - level)
        matrix = law.chances(sets, grid(n_points))
        low, high = _limits(sets @ law.observed(positives, totals, counts), n, error)
        return cls(low, high, matrix, degree, options.aim or options.target, law.blocks)

    def lower_limit(self, sign: float) -> float:
        """Bound sign times the mean floor over every G whose sets have shares inside the band."""
        target = sign * np.tile(self.target(grid(self.size)), self.blocks)
        rows = np.vstack((self.matrix, -self.matrix))
        sides = np.concatenate((self.high, -self.low))
        ones = np.ones((1, target.size))
        found = linprog(target, A_ub=rows, b_ub=sides, A_eq=ones, b_eq=[1.0], method="highs")
        if found.status != 0:
            sides = sides + self._least_slack(rows, sides)
            found = linprog(target, A_ub=rows, b_ub=sides, A_eq=ones, b_eq=[1.0], method="highs")
        price = np.maximum(-found.ineqlin.marginals, 0.0)
        # Weak duality: valid for any prices, so rounding in the solver does no harm.
        values = (-price @ rows).reshape(self.blocks, self.size + 1)
        series = cosines(values, min(self.degree, self.size))
        worst = max(supremum(one, sign, self.target) for one in series)
        return float(-price @ sides) - worst

    @staticmethod
    def _least_slack(rows: Floats, sides: Floats) -> float:
        """Return how far the band must be widened until some G lies inside.

        Happens with probability below 1 - level if votes are binomial; the wider band is valid.
        """
        n_points = rows.shape[1]
        cost = np.append(np.zeros(n_points), 1.0)
        elastic = np.column_stack((rows, -np.ones(rows.shape[0])))
        ones = np.append(np.ones(n_points), 0.0)[None, :]
        found = linprog(cost, A_ub=elastic, b_ub=sides, A_eq=ones, b_eq=[1.0], method="highs")
        return float(found.fun) * (1 + 1e-6) + 1e-9


@dataclass(frozen=True, slots=True)
class _CellLaw:
    """The pairs of votes that items can have, one cell each, and how likely each is."""

    positives: Counts
    totals: Counts
    share: Floats | None = None  # of the items that have the cell's total, where that is chance
    log_orders: Floats | None = None  # in which a declared rule can end with the cell

    @property
    def blocks(self) -> int:
        """Number of distributions behind the items."""
        one = self.share is not None or self.log_orders is not None
        return 1 if one else np.unique(self.totals).size

    def sets(self, error: float) -> tuple[Floats, Floats]:
        """Return sets of cells as rows of zeros and ones, and the error probability of each."""
        if self.blocks == 1:
            return _sets(self.positives, self.totals, error)
        return _sets_of_each(self.positives, self.totals, error)

    def chances(self, sets: Floats, points: Floats) -> Floats:
        """Return the probability of each set at each point, block after block."""
        probability = binomial(self.positives, self.totals, points, self.log_orders)
        if self.share is not None:
            probability *= self.share[:, None]
        if self.blocks == 1:
            return np.asarray(sets @ probability)
        own = [self.totals == total for total in np.unique(self.totals)]
        return np.hstack([sets[:, cells] @ probability[cells] for cells in own])

    def observed(self, positives: Counts, totals: Counts, counts: Counts | Floats) -> Floats:
        """Return the number of items in each cell; cells beyond the law's are in no set."""
        # The cells ascend by total, then by positives, and so do these numbers.
        wide = int(max(self.totals.max(), totals.max())) + 1
        keys, own = self.totals * wide + self.positives, totals * wide + positives
        place = np.minimum(np.searchsorted(keys, own), keys.size - 1)
        known = keys[place] == own
        return np.asarray(np.bincount(place[known], counts[known], keys.size), dtype=np.float64)


def _law_of(totals: Counts, counts: Counts | Floats, options: Options) -> _CellLaw:
    if options.rule is not None:
        k, m, log_orders = options.rule.cells()
        return _CellLaw(k, m, log_orders=log_orders)
    distinct, group = np.unique(totals, return_inverse=True)
    all_k = np.concatenate([np.arange(m + 1) for m in distinct])
    all_m = np.repeat(distinct, distinct + 1)
    if options.by_item:
        return _CellLaw(all_k, all_m)
    share = np.bincount(group, counts, distinct.size) / float(counts.sum())
    return _CellLaw(all_k, all_m, np.repeat(share, distinct + 1))


def _sets_of_each(positives: Counts, totals: Counts, error: float) -> tuple[Floats, Floats]:
    """Return sets for totals that each have a distribution of their own, likewise.

    Half of the error probability is for how many items have each total. Of the rest each total
    has the same part.
    """
    distinct = np.unique(totals)
    sizes = (totals == distinct[:, None]).astype(np.float64)
    rows, errors = [sizes], [np.full(distinct.size, error / 2 / distinct.size)]
    for own in sizes.astype(bool):
        if totals[own][0] == 1:  # one set says how many are positive
            inner, spent = np.array([[1.0, 0.0]]), np.ones(1)
        else:
            inner, spent = _sets(positives[own], totals[own], 1.0)
        whole = np.zeros((len(inner), totals.size))
        whole[:, own] = inner
        rows.append(whole)
        errors.append(spent * error / 2 / distinct.size)
    return np.vstack(rows), np.concatenate(errors)


def _sets(positives: Counts, totals: Counts, error: float) -> tuple[Floats, Floats]:
    """Return sets of cells as rows of zeros and ones, and the error probability of each.

    Sets depend on the totals only. Lower sets hold cells with a share of positives up to some
    threshold, folded sets those with a minority share up to some threshold.
    """
    share = positives / totals
    minority = np.minimum(positives, totals - positives) / totals
    lower = _up_to(share, np.arange(1, _MOST_THRESHOLDS + 1) / (2 * _MOST_THRESHOLDS + 2))
    folded = _up_to(minority, np.arange(_MOST_THRESHOLDS) / (4 * _MOST_THRESHOLDS))
    errors = np.concatenate(
        (
            np.full(len(lower), (1 - _FOLDED_SHARE) * error / len(lower)),
            np.full(len(folded), _FOLDED_SHARE * error / len(folded)),
        )
    )
    return np.vstack((lower, folded)), errors


def _up_to(values: Floats, angles: Floats) -> Floats:
    """Return the distinct sets ``values <= threshold`` that are neither empty nor everything."""
    distinct = np.unique(values)[:-1]
    if distinct.size > angles.size:
        thresholds = np.sin(np.pi * angles) ** 2
        distinct = np.unique(distinct[np.searchsorted(distinct, thresholds, side="right") - 1])
    sets: Floats = (values <= distinct[:, None]).astype(np.float64)
    return sets


def _limits(successes: Floats, n: float, error: Floats) -> tuple[Floats, Floats]:
    # Hoeffding's comparison with the binomial needs a tail that starts one above the mean. The
    # only other tail this rare is "at least one", at most the mean; 1 - exp(-tail) allows for it.
    tail = -np.expm1(-error / 2)
    return lower_limit(successes, n, tail), upper_limit(successes, n, tail)


def certified_limits(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    level: float = 0.95,
    n_points: int = 256,
    options: Options = DEFAULT_OPTIONS,
) -> tuple[float, float]:
    """Return limits of a best value over every distribution whose votes agree with the data.

    The share of items in each of a few fixed sets of (positives, total) pairs gets an exact
    binomial interval, at levels that add up to `level`; two linear programs find the smallest and
    largest mean of a G with all shares inside, and further ones decide values that means decide.
    With unequal totals the number of items in a set is a sum of unequal Bernoulli variables, whose
    tails are no heavier than the binomial's [1]_; so one band serves all totals. Valid for every G,
    any number of items and votes.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    level : float
        Confidence level.
    n_points : int
        Grid intervals of the linear programs, a power of two.
    options : Options, optional
        The metric, which label it is for, and why totals differ. Where the item decided, the sets
        are of pairs with one total, and the totals that occur are taken for all that can. Where
        votes did, by a declared rule, a pair's law is (orders that the rule allows) eta^k (1 -
        eta)^(m - k).

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] W. Hoeffding, Ann. Math. Statist. 27, 1956, theorem 4.
    .. [2] C. Clopper and E. Pearson, Biometrika 26, 1934.
    """
    band = Band.around(positives, totals, counts, level, n_points, options)
    if options.aim is not None:
        least, largest = options.aim.span
        return max(band.lower_limit(1.0), least), min(-band.lower_limit(-1.0), largest)
    means, metric = _Means(band, options.target), options.metric
    assert is_decided(metric), "who asks has looked whether means decide the value"
    return means.f1_limits() if metric.how is OF_F1 else limits_of(means, metric)


def is_decided(metric: Metric) -> bool:
    """Tell whether means over items decide a value that is no such mean itself."""
    return metric.is_selective or metric.how is OF_F1


@dataclass(frozen=True)
class _Means:
    """Limits of means of any functions, all of which hold at once."""

    band: Band
    target: Target
    top: float = 0.5
    certain: bool = True
    sketch: None = None

    def limit(self, knots: tuple[float, ...], values: tuple[float, ...], sign: float) -> float:
        """Bound sign times the mean of a function that is linear between knots, from below."""
        return replace(self.band, target=PiecewiseLinear(knots, values, self.target)).lower_limit(
            sign
        )

    def f1(self, x: float, sign: float) -> float:
        """Bound sign times what is at least 0 where F1 is at least x."""
        return self.limit((0.0, x / 2, 1.0), (0.0, -x * x / 2, 2 - 2 * x), sign)

    def sure(self, t: float, sign: float) -> float:
        """Bound sign times D(t)."""
        if t >= 0.5:
            return self.limit((0.0, 0.5, 1.0), (t, t - 0.5, t), sign)
        return self.limit((0.0, t, 1 - t, 1.0), (t, 0.0, 0.0, t), sign)

    def f1_limits(self) -> tuple[float, float]:
        """Return limits of F1, by halving what is left."""
        low, high, step = 0.0, 1.0, 0.5
        for _ in range(_HALVINGS):
            low += step if self.f1(low + step, 1.0) >= 0 else 0.0
            high -= step if self.f1(high - step, -1.0) > 0 else 0.0
            step /= 2
        return low, high
