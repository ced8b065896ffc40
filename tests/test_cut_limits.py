"""Values of scores of no use: within their limits, and within what the metric can be."""

import numpy as np
import pytest
from questions import COSTS, GIVEN

import errorfloor as ef
from errorfloor import intervals, methods
from errorfloor.methods.record import Classes, Series
from errorfloor.metrics import named

# What scores of no use leave: errors held out above those of guessing, and floors that are not.


def limits_of_scores():
    """Yield each method for scores that says that its limits hold its value, and with what."""
    refuted = ("top1", "corrupted")  # by values above guessing, which stay as they are
    resampled = ("bca", "basic", "percentile")  # of which none is promised to hold the value
    for one in methods.RECORDS:
        method = one.make(4) if isinstance(one, Series) else one
        if method.reads != ef.ScoreTable.kind or method.name in refuted:
            continue
        for metric in method.metrics:
            for kind in intervals.of(method).values():
                if kind.name not in resampled:
                    yield pytest.param(
                        method,
                        named(metric),
                        kind,
                        id=f"{method.classes.name}-{method.name}-{metric}-{kind.name}",
                    )


def noise(classes, n, rng):
    scores = rng.random(n) if classes == 2 else rng.dirichlet(np.ones(classes), n)
    labels = rng.integers(classes, size=n).astype(float)
    labels[:classes] = range(classes)
    return scores, labels


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize(("method", "metric", "kind"), list(limits_of_scores()))
def test_values_lie_within_their_limits_and_what_the_metric_can_be(method, metric, kind):
    classes = 2 if method.classes is Classes.TWO else 3
    options = {"method": method.name, "metric": metric.name, "interval": kind.name}
    options |= GIVEN.get(metric.name, {})
    if metric.name == "cost":
        options["costs"] = COSTS[method.classes]
    weighted = method.weighs(metric) and kind.weighs(metric)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        scores, labels = noise(classes, (30, 80, 12)[seed % 3], rng)
        if method.partly:
            options["unlabelled"] = True
            labels[classes:][rng.random(labels.size - classes) < 0.5] = np.nan
        for more in ({}, {"weight": rng.uniform(0.5, 3, labels.size)})[: 1 + weighted]:
            try:
                found = ef.from_scores(scores, labels, rng=seed, **options, **more)
            except ef.InputError:  # too few items for some intervals
                assert labels.size == 12
                continue
            least, most = found.measure.span(classes)
            ends = np.array([least, found.low, found.value, found.high, most])
            assert (np.diff(ends) >= -1e-12).all()
