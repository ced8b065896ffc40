"""How best values of metrics change as items move: one function of the probability for each.

At a distribution of probabilities, the slope of a value towards "all items have probability x" is a
function of x, but for a constant. Its mean says, to first order, how the value of another
distribution differs. Where a value is a maximum over thresholds, an item that is added falls on the
better side of the threshold, so slopes have no jumps.
"""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Floats
from errorfloor.metrics import Metric

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
