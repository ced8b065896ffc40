"""What ratings say about models: how much of their variance is signal, and how much is noise.

Item x, ratings Y that are independent given x: signal V = Var E[Y|x], noise W = E Var(Y|x). Two
ratings per item identify both. With shared raters, pairs of ratings tell them apart: two of one
item, two of one rater, and two that share neither. Everything here is a function of totals over
items, so that leaving out an item, a cluster or a rater is a subtraction.

References
----------
.. [1] P. Shrout and J. Fleiss, "Intraclass correlations: uses in assessing rater reliability",
   Psychological Bulletin 86, 1979.
.. [2] L. Lin, "A concordance correlation coefficient to evaluate reproducibility", Biometrics 45,
   1989.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from errorfloor._typing import Counts, Floats

if TYPE_CHECKING:
    from collections.abc import Callable

    from errorfloor.data.tables import RatingTable

ABSOLUTE, RELATIVE = "absolute", "relative"
RATERS = (ABSOLUTE, RELATIVE)
FEW_RATERS = 3  # below which shared raters stand for themselves only
_TINY = 1e-300

_Function: TypeAlias = "Callable[[Floats], Variances]"


@dataclass(frozen=True, slots=True)
class Variances:
    """Variances of ratings; numbers, or arrays with an entry for each set of items.

    Attributes
    ----------
    signal : float
        Of the items' true scores. An estimate may be negative.
    noise : float
        Of a rating about its item's true score.
    between : float
        Of the items' mean ratings, as many as they have.
    """

    signal: Any
    noise: Any
    between: Any

    @property
    def of_means(self) -> Any:
        """Noise of an item's mean rating."""
        return self.between - self.signal


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """Ratings item by item, ready for statistics.

    Attributes
    ----------
    value : array of shape (ratings,)
        Ratings, less their mean.
    item : array of shape (ratings,)
        The row of each.
    size, count, weight : array of shape (rows,)
        Ratings of an item, number of such items, and what one weighs.
    unit : array of shape (rows,), optional
        The cluster of each row.
    rater : array of shape (ratings,), optional
        Whose rating it is.
    prediction : array of shape (rows,), optional
        A model's, less the same mean.
    """

    value: Floats
    item: Counts
    size: Counts
    count: Counts
    weight: Floats
    unit: Counts | None = None
    rater: Counts | None = None
    prediction: Floats | None = None
    mean: Floats = field(default_factory=lambda: np.zeros(0))  # of each row's ratings
    spread: Floats = field(default_factory=lambda: np.zeros(0))  # their variance; 0 of one

    @classmethod
    def of(cls, table: RatingTable, *, shared: bool = False) -> Rated:
        """Return the ratings of a table; with shared raters each item has a row of its own."""
        if shared:
            table = table.one_by_one
        value, size = table.values, table.sizes
        item = np.repeat(np.arange(size.size), size)
        weight = (
            np.ones(size.size) if table.weights is None else table.weights / table.weights.max()
        )
        unit = None
        if table.clusters is not None:
            unit = np.unique(table.clusters, return_inverse=True)[1].astype(np.int64)
        mass = (weight * table.counts / size)[item]
        centre = float(mass @ value / mass.sum())
        prediction = None if table.predictions is None else table.predictions - centre
        raters = table.raters if shared else None
        made = cls(value - centre, item, size, table.counts, weight, unit, raters, prediction)
        return made.with_values(made.value)

    def with_values(self, value: Floats) -> Rated:
        """Return the same with other values in place of the ratings."""
        rows = self.size.size
        mean = np.bincount(self.item, value, minlength=rows) / self.size
        squares = np.bincount(self.item, (value - mean[self.item]) ** 2, minlength=rows)
        spread = squares / np.maximum(self.size - 1, 1)
        exact = np.bincount(self.item, value != value[self.first[self.item]], minlength=rows) > 0
        return replace(self, value=value, mean=mean, spread=np.where(exact, spread, 0.0))

    @property
    def first(self) -> Counts:
        """Where the ratings of each row begin."""
        return np.cumsum(self.size) - self.size

    @property
    def ranks(self) -> Rated:
        """The same with mid-ranks in place of ratings, as shares of all; items weigh the same."""
        mass = (self.weight * self.count / self.size)[self.item]
        made = self.with_values(mid_ranks(self.value, mass))
        if self.prediction is None:
            return made
        own = mid_ranks(self.prediction, self.weight * self.count)
        return replace(made, prediction=own)

    @property
    def several(self) -> Any:
        """Which rows have two ratings or more."""
        return self.size > 1

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.count.sum())

    @property
    def differences(self) -> Floats:
        """Mean absolute difference of two ratings of each row; 0 of one."""
        order = np.lexsort((self.value, self.item))
        place = np.arange(self.value.size) - self.first[self.item]
        size = self.size[self.item]
        factor = (2 * place - size + 1) / np.maximum(size * (size - 1) / 2, 1)
        terms = factor * self.value[order]
        return np.bincount(self.item, terms, minlength=self.size.size).astype(np.float64)

    def units(self, parts: Floats) -> tuple[Floats, Counts]:
        """Return what each unit adds to totals, and how many such units there are."""
        if self.unit is None:
            return parts, self.count
        number = int(self.unit.max()) + 1
        sums = np.zeros((number, parts.shape[1]))
        np.add.at(sums, self.unit, parts * self.count[:, None])
        return sums, np.ones(number, dtype=np.int64)


def mid_ranks(value: Floats, mass: Floats) -> Floats:
    """Return the share of all that is below each value, and half of what is equal; from -1/2."""
    distinct, at = np.unique(value, return_inverse=True)
    own = np.bincount(at, mass, minlength=distinct.size)
    return np.asarray(((np.cumsum(own) - own / 2) / own.sum() - 0.5)[at], dtype=np.float64)


# Totals ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Totals over items, what each unit adds to them, and the variances that follow.

    Attributes
    ----------
    total : array of shape (totals,)
    parts : array of shape (units, totals)
        What one unit, an item or a cluster, adds.
    number : array of shape (units,)
        How many such units there are.
    variances : callable
        From totals to variances.
    by_rater : array of shape (raters, totals), optional
        What a rater adds, where raters are shared.
    moments : int
        Where the four totals of the items' masses and mean ratings begin.
    """

    total: Floats
    parts: Floats
    number: Counts
    variances: _Function
    by_rater: Floats | None = None
    moments: int = 0  # the first of four: of mass, squared mass, mean rating and its square

    @property
    def all(self) -> Variances:
        """The variances of all items."""
        return self.variances(self.total)

    @property
    def without_units(self) -> Floats:
        """Totals without each unit."""
        return np.asarray(self.total - self.parts)

    @property
    def without_raters(self) -> Floats | None:
        """Totals without each rater; None where raters are not shared, or too few to be drawn."""
        if self.by_rater is None or len(self.by_rater) < FEW_RATERS:
            return None
        return np.asarray(self.total - self.by_rater)


# The totals that predictions add: of weight times prediction, its square, its product with means.
_OF_MODELS = 3


def totals_of(rated: Rated, raters: str = ABSOLUTE) -> Totals:
    """Return the totals of ratings; raters are shared where they are known."""
    made = _apart(rated) if rated.rater is None else _shared(rated, raters)
    if rated.prediction is None:
        return made
    mass, f = rated.weight, rated.prediction
    own = np.column_stack((mass * f, mass * f**2, mass * f * rated.mean))
    parts, number = rated.units(own)
    by_rater = made.by_rater
    if by_rater is not None and rated.rater is not None:
        less = _without_rating(rated)
        change = (mass * f)[rated.item] * (rated.mean[rated.item] - less.mean)
        lost = np.where(less.left, 0.0, 1.0)
        columns = (mass * f, mass * f**2)
        gone = [np.bincount(rated.rater, lost * one[rated.item]) for one in columns]
        gone.append(np.bincount(rated.rater, np.where(less.left, change, own[rated.item, 2])))
        by_rater = np.column_stack((by_rater, *gone))
    return Totals(
        np.append(made.total, own.T @ rated.count),
        np.column_stack((made.parts, parts)),
        number,
        lambda sums: made.variances(sums[..., :-_OF_MODELS]),
        by_rater,
        made.moments,
    )


@dataclass(frozen=True, slots=True)
class JointMoments:
    """Moments of predictions and mean ratings; numbers, or arrays with an entry for each set.

    Attributes
    ----------
    covariance : float
        Of predictions and mean ratings, which is that with the true scores.
    variance : float
        Of predictions.
    shift : float
        Mean prediction minus mean rating.
    distance : float
        Mean squared difference of predictions and mean ratings.
    """

    covariance: Any
    variance: Any
    shift: Any
    distance: Any

    @classmethod
    def of(cls, totals: Totals, sums: Floats) -> JointMoments:
        """Return the moments of sets of items, from totals with predictions."""
        mass, squares, first, second = np.moveaxis(
            sums[..., totals.moments : totals.moments + 4], -1, 0
        )
        own, own_square, both = np.moveaxis(sums[..., -_OF_MODELS:], -1, 0)
        degrees = np.maximum(mass - squares / mass, _TINY)
        return cls(
            (both - own * first / mass) / degrees,
            np.maximum(own_square - own**2 / mass, 0) / degrees,
            (own - first) / mass,
            (own_square - 2 * both + second) / mass,
        )


def _apart(rated: Rated) -> Totals:
    """Return totals where each item has raters of its own."""
    mass, two = rated.weight, rated.several
    columns = (
        *(mass, mass**2, mass * rated.mean, mass * rated.mean**2),
        *(mass * two, mass * rated.spread * two, mass * rated.spread / rated.size * two),
        mass * ~two,
    )
    own = np.column_stack(columns)
    parts, number = rated.units(own)
    return Totals(own.T @ rated.count, parts, number, _of_items)


def _of_items(sums: Floats) -> Variances:
    """Return variances from totals over items, of which each has raters of its own.

    An item with one rating is taken to be as noisy as others are.
    """
    mass, squares, first, second, two, spread, of_mean, one = np.moveaxis(sums, -1, 0)
    between = (second - first**2 / mass) / np.maximum(mass - squares / mass, _TINY)
    noise = spread / np.maximum(two, _TINY)
    of_means = (of_mean + noise * one) / mass
    return Variances(between - of_means, noise, between)


@dataclass(frozen=True, slots=True, eq=False)
class _Less:
    """Items without one of their ratings: an entry for each rating."""

    left: Any  # whether any rating is left
    mean: Floats
    squares: Floats  # sum of squares about the mean
    size: Counts


def _without_rating(rated: Rated) -> _Less:
    size, mean = rated.size[rated.item], rated.mean[rated.item]
    off = rated.value - mean
    squares = rated.spread[rated.item] * (size - 1) - off**2 * size / np.maximum(size - 1, 1)
    return _Less(size > 1, mean - off / np.maximum(size - 1, 1), np.maximum(squares, 0), size - 1)


def _shared(rated: Rated, raters: str) -> Totals:
    """Return totals where raters are shared: pairs of ratings by what they have in common.

    A pair weighs what its two items do. Half the mean squared difference of two ratings is the
    noise for two of one item, signal and noise less the variance of biases for two of one rater,
    and signal and noise for two that share neither.
    """
    assert rated.rater is not None
    weight = rated.weight[rated.item]
    y, item, rater = rated.value, rated.item, rated.rater
    each = np.column_stack((weight, weight * y, weight * y**2))
    of_item, of_rater = _sums(item, each), _sums(rater, each)
    several, size, mass = rated.several, rated.size, rated.weight
    own = np.column_stack(
        (
            *(of_item, _inside(of_item), of_item[:, 0] ** 2, np.zeros((len(mass), 2))),
            mass**2 * size,
            *(mass * size * rated.spread * several, mass * size * several),
            *(mass, mass**2, mass * rated.mean, mass * rated.mean**2),
        )
    )
    # What an item, or a cluster of them, takes from the pairs of one rater.
    unit = item if rated.unit is None else rated.unit[item]
    parts, number = rated.units(own)
    parts = parts.copy()
    parts[:, 5:7] = _taken(unit, rater, each, of_rater, len(parts))
    total = rated.count @ own
    total[5:7] = _inside(of_rater).sum(), (of_rater[:, 0] ** 2).sum()
    by_rater = _of_raters(rated, each, of_item, of_rater)
    return Totals(total, parts, number, partial(_of_pairs, raters=raters), by_rater, moments=10)


def _of_raters(rated: Rated, each: Floats, of_item: Floats, of_rater: Floats) -> Floats:
    """Return what each rater adds to the totals."""
    assert rated.rater is not None
    item, rater, weight = rated.item, rated.rater, each[:, 0]
    size, several = rated.size, rated.several
    less = _without_rating(rated)
    kept = np.where(less.size > 1, less.squares / np.maximum(less.size - 1, 1), 0)
    pairs = rated.several[item]
    left = np.where(less.left, 1.0, 0.0)
    gone = np.column_stack(
        (
            weight * (size * rated.spread * several)[item] - weight * less.size * kept,
            weight * (size[item] * pairs - less.size * (less.size > 1)),
            *(weight * (1 - left), weight**2 * (1 - left)),
            weight * (rated.mean[item] - left * less.mean),
            weight * (rated.mean[item] ** 2 - left * less.mean**2),
        )
    )
    return np.column_stack(
        (
            of_rater,
            _taken(rater, item, each, of_item, len(of_rater)),
            *(_inside(of_rater), of_rater[:, 0] ** 2),
            np.bincount(rater, weight**2).astype(np.float64),
            _sums(rater, gone),
        )
    )


def _sums(at: Counts, columns: Floats) -> Floats:
    return np.column_stack([np.bincount(at, one) for one in columns.T])


def _inside(sums: Floats) -> Floats:
    """Return sums over all pairs within each of some sets of half the squared difference."""
    return np.asarray(sums[:, 0] * sums[:, 2] - sums[:, 1] ** 2)


def _taken(one: Counts, other: Counts, each: Floats, sums: Floats, number: int) -> Floats:
    """Return what each of `one` takes from the pairs within all of `other`, and their weight."""
    key, at = np.unique(one * len(sums) + other, return_inverse=True)
    a, b, c = _sums(at, each).T
    whole, first, second = sums[key % len(sums)].T
    pairs = whole * c + a * second - a * c - 2 * first * b + b**2
    weight = 2 * whole * a - a**2
    place = key // len(sums)
    return np.column_stack([np.bincount(place, one, minlength=number) for one in (pairs, weight)])


def _of_pairs(sums: Floats, raters: str) -> Variances:
    """Return variances from pairs of ratings by what they have in common."""
    columns = np.moveaxis(sums, -1, 0)
    whole, first, second, in_items, of_items, in_raters, of_raters, same = columns[:8]
    noise_sum, noise_mass, mass, squares, mean, square = columns[8:]
    item = noise_sum / np.maximum(noise_mass, _TINY)
    rater = in_raters / np.maximum(of_raters - same, _TINY)
    pairs = whole**2 - of_items - of_raters + same
    neither = (whole * second - first**2 - in_items - in_raters) / np.maximum(pairs, _TINY)
    between = (square - mean**2 / mass) / np.maximum(mass - squares / mass, _TINY)
    noise = item if raters == ABSOLUTE else np.maximum(item + rater - neither, 0.0)
    return Variances(neither - item, noise, between)


def are_shared(rated_item: Counts, rater: Counts) -> bool:
    """Tell whether some rater rated several items, and pairs without a common rater exist."""
    return bool(np.bincount(rater).max(initial=0) > 1 and np.unique(rater).size > 1)
