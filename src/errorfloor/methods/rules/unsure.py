"""Items for which the rule that likelihood chooses could as well be another one."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.methods.rules.logs import Labelled, blocks
from errorfloor.methods.rules.softmax import Family, Power, covariance

REACH = 3.0  # standard errors


def unsure_share(family: Family, items: Labelled, count: Counts, fitted: Power) -> float:
    """Return the share of items whose two likeliest classes are closer than their noise.

    The distance of their log-probabilities is compared with its own standard error, from the
    curvature of the likelihood. Where scores tell nothing that is so for all items.
    """
    totals = items.totals(count)
    spread = covariance(family, items, count, fitted)
    unsure = 0.0
    for block in blocks(totals.size, len(items.logs)):
        logs = items.logs[:, block]
        unsure += float(totals[block] @ (_distance(logs, fitted, spread) < REACH))
    return unsure / float(totals.sum())


def _distance(logs: Floats, fitted: Power, spread: Floats) -> Floats:
    """Return the distance between the two likeliest classes, in standard errors."""
    values = fitted.values(logs)
    row = np.arange(values.shape[1])
    first = values.argmax(axis=0)
    top = values[first, row]
    values[first, row] = -np.inf
    second = values.argmax(axis=0)
    gap = top - values[second, row]
    apart = logs[first, row] - logs[second, row]
    i, j = first + 1, second + 1  # the power comes first
    variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
    variance += apart * (2 * (spread[0, i] - spread[0, j]) + apart * spread[0, 0])
    return np.asarray(gap / np.sqrt(np.maximum(variance, np.finfo(float).tiny)))
