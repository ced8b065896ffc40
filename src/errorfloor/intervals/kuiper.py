"""Quantiles of Kuiper's statistic, the largest error of an empirical measure on any interval."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

EXACT_UP_TO = 1000  # items; a quantile there takes about a tenth of a second


@lru_cache(maxsize=4096)
def quantile(n: int, level: float) -> float:
    """Return the `level` quantile of the statistic of n uniform numbers.

    Exact up to `EXACT_UP_TO`; beyond, its expansion for large n, a little too large.
    """
    if n == 1:
        return 1.0
    limit = limit_quantile(level) / np.sqrt(n)
    if n > EXACT_UP_TO:
        return float(limit - 0.3 / n)
    from scipy.optimize import brentq

    def excess(v: float) -> float:
        below, above = law(v, n)
        return below - level if level < 0.5 else (1 - level) - above

    # The exact quantile is between 5.2 / n below the limit and 0.5 / n above, for every n here.
    low, high = max(1 / n, limit - 6 / n), min(1.0, limit + 1 / n)
    return float(brentq(excess, low, high, xtol=1e-13))


def law(v: float, n: int) -> tuple[float, float]:
    """Return P(V <= v) and P(V > v) of Kuiper's statistic V of n >= 2 uniform numbers.

    Both are sums of positive terms, so neither loses digits to the other when it is small.

    Seen from one of the n points on the circle, the i-th of the others is at X_i, and V - 1/n is
    the range of i/n - X_i over i = 0, ..., n - 1. Of the n points exactly one sees its own value as
    the least; hence P(V <= v) = n P(i/n - v + 1/n <= X_i <= i/n for all i) for n - 1 uniforms.
    In units of 1/n those are a Poisson process N of rate 1 given N(n) = n - 1, with N(j) >= j for
    j = 1, ..., n - 1 and N(i - w) < i for all i, where w = n v - 1 = width - h. Steps of h and
    1 - h in turn visit exactly these times, and `state` holds N - j from 0 to width - 1. Mass
    that leaves at the top with `left` points to come stays above the lower line to the end
    with probability 1 - left / (n - time), by the ballot theorem, and belongs to P(V > v).
    """
    from scipy.special import gammaln, xlogy

    width = max(int(np.ceil(n * v - 1)), 1)
    h = width - (n * v - 1)
    jump = np.arange(min(n, 40))  # more than 39 points within 1/n: chance 1e-48
    short, rest = (np.exp(xlogy(jump, x) - x - gammaln(jump + 1)) for x in (h, 1 - h))
    state = np.ones(1)
    lost = np.zeros((2 * n - 1, jump.size))
    for step in range(2 * n - 1):
        state = np.convolve(state, rest)[1:] if step % 2 else np.convolve(state, short)
        out = state[width : width + jump.size]
        lost[step, : out.size] = out
        state = state[:width]

    after = np.arange(2 * n - 1)[:, None]
    start = (after + 1) // 2
    remaining = n - start - h * (after % 2 == 0)
    left = n - 1 - (start + width + jump)
    possible = (left >= 0) & (remaining > left)
    k, t = np.where(possible, left, 0), np.where(possible, remaining, 1.0)
    log_total = xlogy(n - 1, n) - n - gammaln(n)
    arrive = np.exp(xlogy(k, t) - t - gammaln(k + 1) - log_total) * (1 - k / t)
    below = n * state[0] * np.exp(h - 1 - log_total)
    return float(below), float(n * np.sum(lost * arrive, where=possible))


@lru_cache(maxsize=256)
def limit_quantile(level: float) -> float:
    """Return the `level` quantile of sqrt(n) times Kuiper's statistic for large n."""
    from scipy.optimize import brentq

    square = np.arange(1.0, 30.0) ** 2

    def below(x: float) -> float:  # the series of `above` after Poisson summation
        terms = square * np.exp(-(np.pi**2) * square / (2 * x**2))
        return float(np.sqrt(2 * np.pi) * np.pi**2 / x**3 * terms.sum())

    def above(x: float) -> float:
        return float(2 * np.sum((4 * square * x**2 - 1) * np.exp(-2 * square * x**2)))

    if level < 0.5:
        return float(brentq(lambda x: below(x) - level, 0.1, 2.0, xtol=1e-14))
    return float(brentq(lambda x: (1 - level) - above(x), 1.0, 8.0, xtol=1e-14))
