"""Items that are copies of others, which their scores and labels tell."""

import numpy as np
import pytest

import errorfloor as ef

EQUAL, CLOSE = "Equal scores with equal labels", "Close scores with equal labels"


def alarms(scores, labels, **options):
    found = ef.from_scores(scores, labels, interval=None, rng=0, **options)
    return [one for one in found.findings if one.name in (EQUAL, CLOSE)]


def task(rng, n, curve=lambda p: p, shape=0.5):
    p = rng.beta(shape, shape, n)
    return p, (rng.random(n) < curve(p)).astype(int)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize(("noise", "name"), [(0, EQUAL), (1e-6, CLOSE)])
@pytest.mark.parametrize("scale", [lambda p: p, lambda p: 50 * np.log(p / (1 - p))])
def test_copies_are_found_by_their_labels(noise, name, scale):
    rng = np.random.default_rng(0)
    p, y = task(rng, 1500)
    again = rng.integers(0, 1500, 450)
    copies = np.clip(p[again] + noise * rng.normal(size=450), 1e-9, 1 - 1e-9)
    scores, labels = scale(np.append(p, copies)), np.append(y, y[again])
    (one,) = alarms(scores, labels)
    assert (one.name, one.level) == (name, "warn")
    assert "copies of each other" in one.sentence
    assert "--cluster" in one.remedy
    assert not alarms(scores, labels, cluster=np.append(np.arange(1500), again))
    # Another item with the same score has a label of its own.
    other = np.append(y, rng.random(450) < p[again])
    assert not alarms(scores, other)


CURVES = {
    "as it is": lambda p: p,
    "a hump": lambda p: np.where((p > 0.5) & (p < 0.8), 0.9, 0.1),
    "a wave": lambda p: 0.5 + 0.45 * np.sin(40 * p),
    "easy": lambda p: 1 / (1 + np.exp(-40 * (p - 0.5))),
}


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("digits", [None, 2, 3, 4])
def test_scores_of_few_digits_are_no_copies(name, digits):
    rng = np.random.default_rng(1)
    for n, shape in ((500, 1), (2000, 0.1), (2000, 0.5), (5000, 1)) * 3:
        p, y = task(rng, n, CURVES[name], shape)
        assert not alarms(p if digits is None else p.round(digits), y)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_coarse_scores_and_small_floats_are_no_copies():
    rng = np.random.default_rng(2)
    for n in (300, 3000):
        p, y = task(rng, n)
        assert not alarms(rng.binomial(20, p) / 20, y)
        assert not alarms(p.astype(np.float16), y)
        assert not alarms(rng.integers(0, 300, n), rng.random(n) < 0.4)
