"""How often the answer of a panel of people is that of one more person: agreement, and beyond it.

A panel of r people answers with the class that most of them vote for, ties at random. A(1) is the
agreement of two people; as r grows A(r) never falls, and tends to the best that any model can do.
Below the number of votes on an item no model of votes is needed: every vote is judged by all panels
of the others. All terms are probabilities and none is subtracted, so that nothing is lost to
rounding at a thousand votes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.record import Metric, span_of_error

_MOST_ENTRIES = 2**20  # only for memory: of polynomials that are multiplied at once


def panel_agreement(votes: Counts, r: int) -> Floats:
    """Return how often a vote on an item equals the plurality of r others, ties at random.

    Parameters
    ----------
    votes : array of shape (n, classes)
        Votes for each class on each item; NaN is returned for items with at most r votes.
    r : int
        People in a panel.
    """
    votes = np.asarray(votes, dtype=np.int64)
    result = np.full(len(votes), np.nan)
    able = np.flatnonzero(votes.sum(axis=1) > r)
    if not able.size:
        return result
    cells, at = np.unique(-np.sort(-votes[able], axis=1), axis=0, return_inverse=True)
    found, used = np.empty(len(cells)), (cells > 0).sum(axis=1)
    for number in np.unique(used):  # classes without votes have no part in it
        own = used == number
        few = cells[own, :number]
        found[own] = 1.0 if number == 1 else _of_two(few, r) if number == 2 else _of_many(few, r)
    result[able] = found[at.ravel()]
    return result


def panel_chance(probabilities: Floats, r: int) -> Floats:
    """Return the chance that one more vote equals the plurality of r, ties at random.

    Parameters
    ----------
    probabilities : array of shape (n,) or (n, classes)
        Of a vote for class 1, or for each class.
    r : int
        People in a panel.
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim == 1:
        from scipy.special import betainc

        if r % 2 == 0:  # which says as much as one less
            r -= 1
        half = (r + 1) // 2
        wins = betainc(half, half, p)  # at least half of r votes are for class 1
        return np.asarray(p * wins + (1 - p) * (1 - wins))
    return _chances(p.tobytes(), p.shape[1], r)


@lru_cache(maxsize=64)  # mixtures have the same points again and again
def _chances(points: bytes, classes: int, r: int) -> Floats:
    from scipy.special import gammaln, xlogy  # SciPy's parts load slowly

    p = np.frombuffer(points).reshape(-1, classes)
    # As if each class had a Poisson number of votes, given that there are r of them.
    number = np.arange(r + 1)
    logs = xlogy(number, r * p[:, :, None]) - r * p[:, :, None] - gammaln(number + 1)
    rest = xlogy(number, r * (1 - p)[:, :, None]) - r * (1 - p)[:, :, None] - gammaln(number + 1)
    whole = float(np.exp(r * math.log(r) - r - math.lgamma(r + 1)))
    own = np.exp(logs)
    found = (p * _wins(own, own, np.exp(rest), r)).sum(axis=1) / whole
    np.clip(found, 0.0, 1.0, out=found)
    found.setflags(write=False)
    return np.asarray(found)


def _missed(r: int, probabilities: Floats) -> Floats:
    return 1 - panel_chance(probabilities, r)


@dataclass(frozen=True, slots=True)
class Panel:
    """The chance that one more vote of two classes is not what r people say, as is averaged.

    It meets what `aims.Aim` asks for: its mean over items is linear in their distribution.
    """

    people: int
    kinks: ClassVar[tuple[float, ...]] = ()
    peak: ClassVar[float] = 0.5  # on a coin flip no panel is right more often than one person

    @property
    def metric(self) -> Metric:
        """The same as a metric: a mean over items, of any number of classes."""
        return Metric(
            name="panel",
            limit="floor",
            less_is_better=True,
            span=span_of_error,
            per_item=partial(_missed, self.people),
            how=self,
        )

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest mean there can be."""
        return span_of_error(2)

    def __call__(self, points: Floats, /) -> Floats:
        """Return its values at probabilities of a positive vote."""
        return _missed(self.people, points)

    def bend_on(self, angles: Floats, /) -> float:
        """Return a bound of its second derivative in t, where eta = (1 - cos(t)) / 2.

        With q the chance that the panel says 1, it is 1 - eta q - (1 - eta)(1 - q). Its slope in
        eta is at most 1 + q', its second derivative at most 4 q' + |q''|, and eta changes with t by
        sin(t) / 2, whose square is at most 1/4.
        """
        a = (self.people + 1) // 2
        log_beta = 2 * math.lgamma(a) - math.lgamma(2 * a)
        first = math.exp(-(a - 1) * math.log(4.0) - log_beta)
        second = 0.0
        if a > 1:
            odd = 2 * a - 3
            largest = (1 - 1 / odd) ** (a - 2) / math.sqrt(odd) if a > 2 else 1.0
            second = (a - 1) * largest * math.exp(-(a - 2) * math.log(4.0) - log_beta)
        return 0.5 + 1.5 * first + second / 4


def log_choose(n: Floats | Counts, k: Floats | Counts) -> Floats:
    """Return the logarithm of a binomial coefficient."""
    from scipy.special import gammaln

    found: Floats = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return found


def _of_two(votes: Counts, r: int) -> Floats:
    """Return the same for two classes, from hypergeometric tails."""
    first, second = votes.T
    m = first + second
    own = _tail(m - 1, first - 1, r)
    other = _tail(m - 1, second - 1, r)
    return np.asarray(np.clip((first * own + second * other) / m, 0.0, 1.0))


def _tail(m: Counts, k: Counts, r: int) -> Floats:
    """Return the chance that most of r of m votes are among k; of half of them, half of it."""
    drawn = np.arange((r + 1) // 2, r + 1)[None]
    m, k = m[:, None], k[:, None]
    able = (drawn <= k) & (r - drawn <= m - k)
    j = np.where(able, drawn, 0)
    left = np.where(able, r - drawn, 0)
    logs = log_choose(k, j) + log_choose(m - k, left) - log_choose(m, np.full_like(m, r))
    chance = np.where(able, np.exp(logs), 0.0)
    if r % 2 == 0:
        chance[:, 0] /= 2
    return np.asarray(chance.sum(axis=1))


def _of_many(votes: Counts, r: int) -> Floats:
    """Return the same for many classes.

    Keeping each of the m - 1 other votes with chance r / (m - 1), given that r stay, is drawing r.
    """
    m = votes.sum(axis=1)
    t = r / (m - 1.0)
    own = _binomial(votes - 1, t, r)
    other = _binomial(votes, t, r)
    rest = _binomial(m[:, None] - votes, t, r)
    whole = _binomial((m - 1)[:, None], t, r)[:, 0, r]
    wins = _wins(own, other, rest, r) / whole[:, None]
    return np.asarray(np.clip((votes * wins).sum(axis=1) / m, 0.0, 1.0))


def _binomial(size: Counts, t: Floats, r: int) -> Floats:
    """Return the chances that 0 to r of so many votes stay, each with chance t."""
    from scipy.special import xlogy

    number = np.arange(r + 1)
    n, t = size[:, :, None], t[:, None, None]
    able = number <= n
    k = np.where(able, number, 0)
    logs = log_choose(n, k) + xlogy(k, t) + xlogy(n - k, 1 - t)
    return np.where(able, np.exp(logs), 0.0)


def _wins(own: Floats, other: Floats, rest: Floats, r: int) -> Floats:
    """Return the chance that r votes are cast and class k has most of them, ties at random.

    Parameters
    ----------
    own, other : array of shape (n, classes, r + 1)
        Chances of 0 to r votes for each class: where it is the one that wins, and where not.
    rest : array of shape (n, classes, r + 1)
        Chances of so many votes for all classes but one.
    r : int
        Votes in all.
    """
    n, classes, _ = other.shape
    most = np.arange(r // 2 + 1, r + 1)  # with which no other class can have as many
    wins = (own[:, :, most] * rest[:, :, r - most]).sum(axis=2)
    for j in range(-(-r // classes), r // 2 + 1):
        if j == 0:
            continue
        # A class that shares the lead with t others wins in 1 of t + 1 cases, which is the
        # integral of s^t from 0 to 1; it is a polynomial in s, so that few points are exact.
        tied = min(classes - 1, r // j - 1)
        nodes, weights = np.polynomial.legendre.leggauss(tied // 2 + 1)
        s, w = (nodes + 1) / 2, weights / 2
        size = max(_MOST_ENTRIES // (s.size * classes * (r - j + 1)), 1)
        for start in range(0, n, size):
            at = slice(start, start + size)
            wins[at] += own[at, :, j] * _all_below(other[at], j, r - j, s, w)
    return np.asarray(wins)


def _all_below(other: Floats, j: int, left: int, s: Floats, w: Floats) -> Floats:
    """Return the chance that all classes but one have `left` votes and none has more than j."""
    n, classes, _ = other.shape
    kept = min(j, left)
    terms = np.repeat(other[None, :, :, : kept + 1], s.size, axis=0)
    if kept == j:
        terms[..., j] *= s[:, None, None]
    one = np.zeros((s.size, n, left + 1))
    one[..., 0] = 1.0
    before = [one]
    for k in range(classes - 1):
        before.append(_times(before[-1], terms[:, :, k]))
    after, found = one, np.empty((n, classes))
    for k in reversed(range(classes)):
        both = (before[k] * after[..., ::-1]).sum(axis=2)  # the coefficient of x^left
        found[:, k] = w @ both
        if k:
            after = _times(after, terms[:, :, k])
    return found


def _times(polynomial: Floats, factor: Floats) -> Floats:
    """Multiply polynomials, and leave out the powers beyond the first one's."""
    found = polynomial * factor[..., :1]
    for i in range(1, factor.shape[-1]):
        found[..., i:] += polynomial[..., :-i] * factor[..., i : i + 1]
    return found
