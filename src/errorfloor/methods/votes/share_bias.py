"""How far vote shares fall below the floor on average: exactly, and without a sum over votes.

Of two classes there is a formula. Of more, it takes the largest of multinomial counts:
``P(no class has more than r of m votes) = m! [x^m] prod_k T_r(p_k x)`` with the exponential series
T_r cut off behind its r-th term. The coefficient is a sum over points of a circle whose radius is
about m; with ``exp(-p_k x)`` next to each factor nothing grows, whatever the number of votes.

Beyond 128 votes numbers of votes that are themselves random (Poisson) take the place of the fixed
number, by which classes become independent. Means at five neighbouring rates are weighted such
that any polynomial of degree four in the number of votes comes out exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.aims import Target
from errorfloor.metrics.record import least_error

# Numbers of votes whose biases are computed one by one; others are interpolated.
_MOST_TOTALS = 512
# Votes that are summed over where there is no formula.
_MOST_SUMMED = 1024


def mean_lost(points: Floats, weights: Floats, totals: Counts, counts: Counts) -> float:
    """Return minus the bias of the plug-in from items with these totals, drawn from points.

    The bias is smooth in the logarithm of the votes. Where there are very many totals a cubic
    spline through some of them is within 1e-9 of it.
    """
    distinct, group = np.unique(totals, return_inverse=True)
    share = np.bincount(group, counts) / counts.sum()
    pairs, of = np.unique(distinct // 2, return_inverse=True)  # 2c and 2c + 1 votes lose the same
    floors, weights = least_error(points), weights / weights.max()

    def lost(halves: Counts) -> Floats:
        rows = [np.average(lost_by_votes(floors, 2 * c), weights=weights) for c in halves]
        return np.array(rows)

    if pairs.size <= _MOST_TOTALS:
        return float(share @ lost(pairs)[of])
    from scipy.interpolate import CubicSpline

    knots = np.unique(
        np.geomspace(pairs[0] + 1, pairs[-1] + 1, _MOST_TOTALS).round().astype(np.int64)
    )
    curve = CubicSpline(np.log(knots), lost(knots - 1) * np.sqrt(knots))
    return float(share @ (curve(np.log1p(pairs)) / np.sqrt(pairs + 1))[of])


def mean_lost_of(
    target: Target, points: Floats, weights: Floats, totals: Counts, counts: Counts
) -> float:
    """Return the same for the majority of several votes, by a sum over votes.

    Of more than 1,024 votes it is less than a thousandth, and taken as if of 1,024.
    """
    from errorfloor.methods.votes.line import binomial  # SciPy's parts load slowly

    distinct, group = np.unique(np.minimum(totals, _MOST_SUMMED), return_inverse=True)
    lost = []
    for m in distinct:
        k = np.arange(m + 1)
        expected = target(k / m) @ binomial(k, np.full(k.size, m), points)
        lost.append(np.average(target(points) - expected, weights=weights))
    return float(np.bincount(group, counts) @ lost / counts.sum())


def lost_by_votes(p: Floats, m: Counts) -> Floats:
    """Return minus the bias at each p <= 1/2; see the notes of `errorfloor.bounds.exact_bias`."""
    from scipy.special import betainc, xlogy

    c = m // 2
    # log(4 p (1 - p)) without cancellation at either end
    spread = np.where(p < 0.25, 4 * p * (1 - p), 1.0)
    near_half = np.where(p < 0.25, 0.0, 1 - 2 * p) ** 2
    power = xlogy(c, spread) + c * np.log1p(-near_half)
    above = np.where(c > 0, betainc(c + 1, np.maximum(c, 1), p), 0.0)
    lost = p * _central_binomial(c) * np.exp(power) - (1 - 2 * p) * above
    return np.asarray(np.maximum(lost, 0.0))


def _central_binomial(c: Counts) -> Floats:
    """Return (2c choose c) / 4^c, by Stirling's series from 20 on: gamma functions lose digits."""
    from scipy.special import binom

    x = 1 / np.maximum(c, 20.0)
    y = x * x
    tail = y * (1 / 192 + y * (-1 / 640 + y * (17 / 14336 - y * 31 / 18432)))
    large = np.sqrt(x / np.pi) * np.exp(x * (tail - 1 / 8))
    few = np.minimum(c, 20)
    return np.where(c < 20, binom(2 * few, few) / 4.0**few, large)


MOST_EXACT = 128
# Of many votes some totals have their bias computed, so far apart or more, and not more of them.
_KNOT, _MOST_KNOTS = 0.15, 8
_RATES = np.linspace(-1.5, 1.5, 5)  # in roots of the number of votes
_CHUNK = 256  # only for speed: points at a time
_NEGLIGIBLE, _CLEAR_LEAD = 1e-13, 25.0
_MOST_COUNTS, _NODES = 1024, 96  # that are summed over; of more, a sum over nodes


def mean_largest(points: Floats, totals: Counts) -> Floats:
    """Return the mean share of votes of the class that has most of them.

    Parameters
    ----------
    points : array of shape (points, classes)
        Probabilities of the classes, the largest first.
    totals : array of shape (totals,)
        Numbers of votes.

    Returns
    -------
    array of shape (totals, points)

    Examples
    --------
    >>> mean_largest(np.array([[0.5, 0.5, 0.0]]), np.array([2]))  # 2 of 2, or 1 of 2
    array([[0.75]])
    """
    found = np.empty((totals.size, points.shape[0]))
    few = np.flatnonzero(totals <= MOST_EXACT)
    while few.size:  # numbers of votes that one circle serves
        group = few[totals[few] >= totals[few].max() // 2]
        for at in range(0, points.shape[0], _CHUNK):
            here = slice(at, at + _CHUNK)
            found[group, here] = _exact(points[here], totals[group])
        few = np.setdiff1d(few, group)
    for i in np.flatnonzero(totals > MOST_EXACT):
        found[i] = points[:, 0]
        # By Chernoff's bound another class leads with a chance of at most exp(-distance).
        distance = totals[i] * (np.sqrt(points[:, 0]) - np.sqrt(points[:, 1])) ** 2
        open_ = distance < _CLEAR_LEAD + np.log(points.shape[1])
        if open_.any():
            found[i, open_] = _smoothed(points[open_], int(totals[i]))
    return found


def plurality(points: Floats, votes: int) -> Floats:
    """Return the chance that the first class, the likeliest, has the most of so many votes.

    Ties are broken at random.

    Examples
    --------
    >>> plurality(np.array([[0.5, 0.3, 0.2]]), 3).round(4)  # p^3 + 3 p^2 (1 - p) + 6 p q r / 3
    array([0.56])
    """
    parts = [
        _plurality(points[at : at + _CHUNK], votes) for at in range(0, points.shape[0], _CHUNK)
    ]
    return np.concatenate(parts)


def _exact(points: Floats, totals: Counts) -> Floats:
    """Return mean shares for numbers of votes within a factor of two."""
    most = int(totals.max())
    circle = _Circle(points, most, float(totals.mean()))
    below = np.zeros(circle.shape, dtype=np.complex128)  # sum over r of P(largest <= r)
    for _ in range(most):
        circle.advance()
        below += circle.product()
    return np.asarray((most - circle.coefficients(below, totals)) / totals[:, None])


def _plurality(points: Floats, votes: int) -> Floats:
    circle = _Circle(points, votes, float(votes), first=1)
    found = np.zeros(circle.shape, dtype=np.complex128)
    lead = np.exp(-points[:, :1] * votes) * np.ones(circle.x.size, dtype=np.complex128)
    circle.advance()
    for count in range(1, votes + 1):
        lead *= points[:, :1] / count * circle.x
        circle.advance()
        # Of t classes with equally many votes each wins once in t times, and 1/t is the integral
        # of s^(t - 1): terms of the tied ones are multiplied by s. There are at most votes/count.
        tied = min(votes // count, points.shape[1])
        nodes, weights = np.polynomial.legendre.leggauss(tied // 2 + 1)
        for node, weight in zip(nodes, weights, strict=True):
            found += weight / 2 * lead * circle.product((node + 1) / 2)
    return np.asarray(circle.coefficients(found, np.array([votes]))[0])


class _Circle:
    """Series of all classes on a circle, cut off behind a term that advances."""

    def __init__(self, points: Floats, most: int, radius: float, first: int = 0) -> None:
        self.radius = radius
        # Coefficients further away than this are negligible next to those looked for.
        self.nodes = int(9 * np.sqrt(most) + 15)
        half = np.arange(self.nodes // 2 + 1)  # the other half is conjugate
        self.x = radius * np.exp(2j * np.pi * half / self.nodes)
        self.share = np.where((half == 0) | (2 * half == self.nodes), 1, 2) / self.nodes
        own = points[:, first:]
        self.classes = own[:, own.any(axis=0)]
        self.shape = points.shape[0], self.x.size
        self.order = -1
        shape = (self.classes.shape[1], *self.shape)
        self.terms = np.exp(-self.classes.T * radius)[:, :, None] * np.ones(shape, complex)
        self.series = np.zeros(shape, complex)
        outside = points[:, :first].sum(axis=1)  # classes that somebody else takes care of
        rest = 1 - outside - self.classes.sum(axis=1)
        self.done = np.exp(rest[:, None] * (self.x - radius))
        self.active = self.classes.shape[1]
        # Real and imaginary parts side by side, to be scaled by real numbers.
        self._parts = self.x.view(np.float64)
        self._factor = np.empty(self.shape, dtype=np.complex128)

    def advance(self) -> None:
        """Add the next term to the series of each class."""
        self.order += 1
        for k in range(self.active):
            if self.order:
                scale = (self.classes[:, k] / self.order)[:, None]
                np.multiply(scale, self._parts, out=self._factor.view(np.float64))
                self.terms[k] *= self._factor
            self.series[k] += self.terms[k]
        # Classes are sorted: the last have the smallest counts, and soon no further terms.
        while self.active and self._has_no_more(self.active - 1):
            self.active -= 1
            self.done = self.done * self.series[self.active]

    def product(self, tied: float = 1.0) -> NDArray[np.complex128]:
        """Return the product of all series, with a factor for their last terms."""
        found: NDArray[np.complex128] = self.done.copy()
        for k in range(self.active):
            found *= self.series[k] if tied == 1.0 else self.series[k] + (tied - 1) * self.terms[k]
        return found

    def coefficients(self, values: NDArray[np.complex128], totals: Counts) -> Floats:
        """Return the coefficients of a function on the circle, over those of exp."""
        from scipy.special import gammaln

        angles = np.angle(self.x) * totals[:, None]
        logs = totals * np.log(self.radius) - self.radius - gammaln(totals + 1)
        turned = (np.exp(-1j * angles) * self.share) @ values.T
        return np.asarray(turned.real / np.exp(logs)[:, None])

    def _has_no_more(self, k: int) -> bool:
        from scipy.special import gammaln

        mean = float(self.classes[:, k].max()) * self.radius
        left = np.exp((self.order + 1) * np.log(mean) - mean - gammaln(self.order + 2))
        return bool(self.order > 2 * mean and left < _NEGLIGIBLE)


def _smoothed(points: Floats, votes: int) -> Floats:
    """Return mean shares for many votes, by random numbers of votes."""
    rates = votes + _RATES * np.sqrt(votes)
    # Falling factorials of a Poisson number have the powers of its rate as means.
    powers = np.arange(_RATES.size)
    wanted = np.cumprod(np.concatenate(([1.0], 1 - powers[:-1] / votes)))
    weights = np.linalg.solve((rates / votes) ** powers[:, None], wanted)
    found = np.empty(points.shape[0])
    for at in range(0, points.shape[0], _CHUNK):
        own = points[at : at + _CHUNK]
        found[at : at + _CHUNK] = weights @ [_largest_poisson(own, rate) for rate in rates]
    return found / votes


def _largest_poisson(points: Floats, rate: float) -> Floats:
    """Return the mean of the largest of independent Poisson counts."""
    from scipy.special import gammaincc, gammaln, xlogy

    mean = rate * points[:, 0]
    spread = np.sqrt(mean)
    low = np.maximum(np.floor(mean - 9 * spread), 0.0)
    width = np.ceil(mean + 10 * spread + 15) - low
    means = rate * points.T
    means = means[(means + 9 * np.sqrt(means) + 15 > low).any(axis=1)]
    if width.max() > _MOST_COUNTS:  # a smooth step, whose integral needs few nodes
        step = width / _NODES
        at = low[:, None] + step[:, None] * (np.arange(_NODES) + 0.5)
        below = np.ones(at.shape)
        for own in means:
            below *= gammaincc(at + 1, own[:, None])
        return np.asarray(low + 0.5 + step * (1 - below).sum(axis=1))
    chance = gammaincc(low + 1, means)  # P(count <= low) of each class
    with np.errstate(divide="ignore"):
        term = np.exp(xlogy(low, means) - means - gammaln(low + 1))
    found = low + 1 - chance.prod(axis=0)
    for further in range(1, int(width.max()) + 1):
        term *= means / (low + further)
        chance += term
        found += 1 - np.minimum(chance, 1.0).prod(axis=0)
    return np.asarray(found)


def lost_at(points: Floats, totals: Counts) -> Floats:
    """Return how far plug-ins from so many votes lie below the floor, (totals, points).

    The loss is smooth in the logarithm of the votes; of many large totals some are computed.
    """
    found = np.empty((totals.size, points.shape[0]))
    high = totals > MOST_EXACT
    knots = totals[high]
    if knots.size:
        low, most = float(knots.min()), float(knots.max())
        size = min(int(np.ceil(np.log(most / low) / _KNOT)) + 1, _MOST_KNOTS)
        if knots.size > size:
            knots = np.unique(np.geomspace(low, most, size).round().astype(np.int64))
    if not high.all():
        found[~high] = mean_largest(points, totals[~high]) - points[:, 0]
    if knots.size:
        some = mean_largest(points, knots) - points[:, 0]
        place = np.interp(np.log(totals[high]), np.log(knots), np.arange(knots.size))
        below = np.minimum(place.astype(np.intp), max(knots.size - 2, 0))
        part = (place - below)[:, None]
        above = np.minimum(below + 1, knots.size - 1)
        found[high] = (1 - part) * some[below] + part * some[above]
    return np.maximum(found, 0.0)
