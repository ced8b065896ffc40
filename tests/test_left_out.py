"""Every statistic that resampling intervals can be had for knows its value without each item."""

import numpy as np
import pytest

from errorfloor import methods
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Basis, Classes, Options, Series
from errorfloor.metrics.choice import MetricChoice

COSTS = {2: (1, 3), 3: [[0, 1, 2], [3, 0, 1], [1, 1, 0]]}
AT = {"error-at-coverage": 0.7, "coverage-at-error": 0.1}
# Values of the same fit or rule without an item: what a new one changes is of second order.
SAME_FIT = {
    ("beta", "error"),
    ("beta-am", "error"),
    ("beta-ab", "error"),
    ("beta-a", "error"),
    ("platt", "error"),
    ("platt-logit", "error"),
    ("temperature", "error"),
    ("vector", "error"),
    ("ovr-isotonic", "error"),
    ("isotonic", "brier"),
    ("isotonic", "log-loss"),
}


def table_of(kind, classes):
    """Return a small table, with several items in most of its rows."""
    rng = np.random.default_rng(5)
    n = 240
    if classes is Classes.MANY:
        p = rng.dirichlet(np.ones(3), 12)[rng.integers(12, size=n)]
        if kind == SoftTable.kind:
            return SoftTable.from_arrays(p)
        if kind == VoteTable.kind:
            return VoteTable.from_arrays(rng.multinomial(5, p))
        return ScoreTable.from_arrays(p, [rng.choice(3, p=row) for row in p])
    p = np.round(rng.beta(0.6, 0.9, n), 1)
    if kind == SoftTable.kind:
        return SoftTable.from_arrays(p)
    if kind == VoteTable.kind:
        return VoteTable.from_arrays(rng.binomial(5, p), 5)
    return ScoreTable.from_arrays(0.1 + 0.8 * p, rng.random(n) < p)


def cases():
    """Return each method that says so, with each of its metrics."""
    for one in methods.RECORDS:
        method = one.make(4) if isinstance(one, Series) else one
        if Basis.ITEMS in method.bases:
            for metric in method.metrics:
                name = f"{method.name} {method.reads} {method.classes.name} {metric}"
                yield pytest.param(method, metric, id=name)


@pytest.mark.parametrize(("method", "metric"), list(cases()))
def test_the_value_without_each_item(method, metric):
    table = table_of(method.reads, method.classes)
    classes = len(table.classes)
    asked = MetricChoice(
        metric, costs=COSTS[classes] if metric == "cost" else None, at=AT.get(metric)
    )
    cells = table.cells()
    statistic = method.bind(cells, Options(metric=asked.of(classes)))
    found = statistic.leave_one_out()
    less = cells.count - np.eye(len(cells), dtype=np.int64)
    value, *slow = statistic.values(np.vstack((cells.count, less)), np.random.default_rng(1))
    moved = np.abs(np.array(slow) - value).max()
    assert moved > 0
    off = np.abs(found - slow)
    if (method.name, metric) in SAME_FIT:
        assert off.max() < 0.2 * moved
    elif method.name == "isotonic" and metric == "auc":
        # The ranking without the item: lower than that of the fit, and it moves alike.
        apart = found - slow
        assert np.ptp(apart) < 0.5 * np.ptp(slow)
        assert (apart < 0).all()
    elif method.name == "isotonic-cf" and metric != "error":
        # That of the best cut: errors held out move by other folds.
        own = next(
            one for one in methods.RECORDS if one.name == "isotonic" and metric in one.metrics
        )
        best = own.bind(cells, Options(metric=asked.of(classes))).leave_one_out()
        assert found == pytest.approx(best)
    elif method.name == "isotonic" and metric == "cost":  # another cut may be best without an item
        assert np.mean(off > 1e-9) < 0.1
        assert (found > np.array(slow) - 1e-9).all()
    else:
        assert off.max() < 1e-9
