"""A number of errors that no offsets can do without, proved by pairs of classes.

An item of class j is an error of a rule with offsets wherever class k beats j there. So among the
items of classes j and k any offsets err at least as often as the best cut of the difference of the
two log scores. Each class may be part of several pairs, with weights that add up to at most one:
then no error is counted more than once. The best weights are a matching of the classes with
themselves.
"""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.methods.rules.fewest import best_place
from errorfloor.methods.rules.logs import Labelled


def needed_errors(items: Labelled, count: Counts) -> int:
    """Return a number of errors that every choice of offsets makes on these items."""
    from scipy.optimize import linear_sum_assignment  # slow to load

    errors = pair_errors(items, count)
    row, column = linear_sum_assignment(errors, maximize=True)
    # Each pair is there twice, and errors are whole numbers.
    return int(np.ceil(errors[row, column].sum() / 2))


def pair_errors(items: Labelled, count: Counts) -> Counts:
    """Return, for each pair of classes, the errors of the best cut among their own items."""
    some = count > 0
    items, count = items.where(some), count[some]
    classes = len(items.logs)
    of_class = [np.flatnonzero(items.label == k) for k in range(classes)]
    errors = np.zeros((classes, classes), dtype=np.int64)
    for j in range(classes):
        for k in range(j):
            pair = np.concatenate((of_class[j], of_class[k]))
            behind = items.logs[k, pair] - items.logs[j, pair]  # j wins above this place
            sign = np.where(np.arange(pair.size) < of_class[j].size, 1, -1)
            errors[j, k] = errors[k, j] = _fewest(behind, sign * count[pair])
    return errors


def _fewest(behind: Floats, gain: Counts) -> int:
    right, _ = best_place(behind, gain, -int(gain.sum(where=gain < 0)), np.random.default_rng(0))
    return int(np.abs(gain).sum()) - right
