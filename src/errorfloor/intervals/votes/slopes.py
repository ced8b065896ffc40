"""How best values of metrics change as items move: one function of the probability for each.

At a distribution of probabilities, the slope of a value towards "all items have probability x" is a
function of x, but for a constant. Its mean says, to first order, how the value of another
distribution differs. Where a value is a maximum over thresholds, an item that is added falls on the
better side of the threshold, so slopes have no jumps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from errorfloor._typing import Floats
from errorfloor.metrics import Metric
from errorfloor.metrics.means import least_error
from errorfloor.metrics.selective import risk_coverage

_STEP = 1e-6  # share of items that are moved to take a slope where there is no formula

# From probabilities in ascending order, their weights, the metric, and where the slope is wanted.
Slope: TypeAlias = Callable[[Floats, Floats, Metric, Floats], Floats]


def slope_at(metric: Metric, points: Floats, weights: Floats, x: Floats) -> Floats:
    """Return the slope of the best value of a metric at a distribution, towards each x."""
    order = np.argsort(points, kind="stable")
    p, w = points[order], weights[order] / weights.sum()
    known = SLOPES.get(metric.name) if "prior" not in metric.given else None
    return (known or by_steps)(p, w, metric, x)


def by_steps(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    """Return the slope by moving a few items, one x after the other."""
    before = metric.best(p, w)
    points, share = np.append(p, 0.0), np.append((1 - _STEP) * w, _STEP)
    found = []
    for one in x:
        points[-1] = one
        found.append((metric.best(points, share) - before) / _STEP)
    return np.array(found)


def _auc(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    theta = float(w @ p)
    below, mass = np.cumsum(w), np.cumsum(w * p)
    place = np.searchsorted(p, x, side="right")
    under, up = np.append(0.0, below)[place], np.append(0.0, mass)[place]
    lesser = up + x * (1 - under) - x * theta  # E min(x, p) - x E p
    own = np.append(0.0, below)[:-1], np.append(0.0, mass)[:-1]
    pairs = float(w @ (own[1] + p * (1 - own[0]) - p * theta))
    both = 2 * theta * (1 - theta)
    return np.asarray(-2 * lesser / both + pairs * 2 * (1 - 2 * theta) * x / both**2)


def _average_precision(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    """Return the slope by moving a few items to all x at once."""
    every = np.concatenate((p, x))
    order = np.argsort(-every, kind="stable")
    moved = np.vstack((np.zeros(x.size), np.eye(x.size)))
    step = np.concatenate(([0.0], np.full(x.size, _STEP)))[:, None]
    share = np.hstack((np.broadcast_to(w, (x.size + 1, p.size)) * (1 - step), moved * step))
    share, q = share[:, order], every[order]
    before = np.cumsum(share, axis=1) - share
    found = np.cumsum(share * q, axis=1) - share * q
    some = before > 1e-14
    growth = np.where(some, np.log1p(share / np.where(some, before, 1.0)), 0.0)
    area = (q * (q * share + (found - q * before) * growth)).sum(axis=1) / (share @ q)
    return np.asarray((area[1:] - area[0]) / _STEP)


def _f1(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    f = metric.best(p, w)
    named = float(w[p > f / 2].sum())
    return np.asarray((np.maximum(2 * x - f, 0.0) - f * x) / (named + float(w @ p)))


def _mcc(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    theta = float(w @ p)
    named, right = np.cumsum(w[::-1])[:-1], np.cumsum((w * p)[::-1])[:-1]
    inside = (named > 1e-12) & (named < 1 - 1e-12)
    if not inside.any():
        return np.zeros(x.size)
    named, right = named[inside], right[inside]
    spread = np.sqrt(named * (1 - named) * theta * (1 - theta))
    values = (right - named * theta) / spread
    top = int(values.argmax())
    n, s, value = named[top], spread[top], max(float(values[top]), 0.0)
    threshold = theta + s * value * (1 - 2 * n) / (2 * n * (1 - n))
    along = -n / s - value * (1 - 2 * theta) / (2 * theta * (1 - theta))
    return np.asarray(np.maximum(x - threshold, 0.0) / s + along * x)


def _balanced(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    theta = float(w @ p)
    both = theta * (1 - theta)
    least = np.minimum(p * (1 - theta), (1 - p) * theta)
    value = float(w @ least) / (2 * both)
    above = p > theta
    moved = float(w[above] @ (1 - p[above])) - float(w[~above] @ p[~above])
    own = np.minimum(x * (1 - theta), (1 - x) * theta)
    return np.asarray((own + moved * x) / (2 * both) - value * (1 - 2 * theta) * x / both)


def _error_at_coverage(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    coverage = float(metric.given["at"])
    return np.asarray(-np.maximum(_last(p, w, coverage) - least_error(x), 0.0) / coverage)


def _coverage_at_error(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    error, value = float(metric.given["at"]), metric.best(p, w)
    last = _last(p, w, value)
    if value >= 1 or last <= error:
        return np.zeros(x.size)
    return np.asarray(np.maximum(last - least_error(x), 0.0) / (last - error))


def _last(p: Floats, w: Floats, coverage: float) -> float:
    """Return the least error of the last item that is kept at a coverage."""
    kept, _ = risk_coverage(p, w)
    errors = np.sort(least_error(p))
    return float(errors[min(int(np.searchsorted(kept[1:], coverage)), errors.size - 1)])


SLOPES: Mapping[str, Slope] = {
    "auc": _auc,
    "average-precision": _average_precision,
    "f1": _f1,
    "mcc": _mcc,
    "balanced-error": _balanced,
    "error-at-coverage": _error_at_coverage,
    "coverage-at-error": _coverage_at_error,
}
