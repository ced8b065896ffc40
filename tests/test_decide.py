import json
from collections import Counter

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.intervals import CutErrors


@pytest.fixture(scope="module")
def floor():
    data = gaussian_mixture(2000, rng=1)
    return ef.from_scores(corrupt(data.soft_labels, 2, 0.7), data.labels, rng=1)


def test_a_model_far_above_the_floor_has_room(floor):
    found = ef.headroom(floor, errors=300, n=1000)
    assert found.verdict == "room"
    assert 0 < found.low < found.difference < found.high
    assert found.difference == pytest.approx(0.3 - floor.value)
    assert found.p_above < 1e-6 < 1 - 1e-6 < found.p_below
    assert str(found) == found.sentence
    assert "points of room are left" in found.sentence


def test_a_model_at_the_floor_is_saturated(floor):
    found = ef.headroom(floor, model_error=floor.value, n=1000)
    assert found.verdict == "saturated"
    assert found.low < 0 < found.high
    assert "cannot be told from the floor" in found.sentence


def test_a_model_below_the_floor_is_suspicious(floor):
    found = ef.headroom(floor, errors=10, n=1000)
    assert found.verdict == "below"
    assert found.low < found.high < 0
    assert found.p_below < 1e-6
    assert "leaked test set" in found.sentence


def test_errors_and_a_fraction_of_them_are_the_same(floor):
    first, second = ef.headroom(floor, 90, 1000), ef.headroom(floor, model_error=0.09, n=1000)
    assert first.to_dict() == second.to_dict()
    assert json.loads(json.dumps(first.to_dict()))["floor"]["method"] == "isotonic"


@pytest.mark.parametrize("errors", [60, 100, 130])
def test_p_values_are_the_tails_at_which_the_verdict_turns(floor, errors):
    found = ef.headroom(floor, errors, 1000)
    p = min(found.p_above, found.p_below)
    if p < 0.49:
        for tail, turned in ((1.01 * p, True), (0.99 * p, False)):
            again = ef.headroom(floor, errors, 1000, level=1 - 2 * tail)
            assert (again.verdict != "saturated") == turned
    assert found.p_above + found.p_below == pytest.approx(1)


def test_a_known_floor_leaves_the_models_own_interval():
    # Without doubt about the floor the limits are those of Clopper and Pearson.
    certain = ef.from_soft_labels(np.full(10**6, 0.1), interval="hoeffding")
    found = ef.headroom(certain, 150, 1000)
    model = CutErrors("", 150, 1000, 150, 1000).limits(0.95)
    assert (found.low, found.high) == pytest.approx((model[0] - 0.1, model[1] - 0.1), abs=1e-4)


def test_more_test_items_narrow_the_difference(floor):
    widths = [
        (found := ef.headroom(floor, model_error=0.1, n=n)).high - found.low
        for n in (100, 1000, 10_000)
    ]
    assert widths == sorted(widths, reverse=True)


# 800 repetitions: the standard error of a rate of 0.05 a side is 0.0077.
@pytest.mark.parametrize("interval", ["honest", "certified"])
def test_an_optimal_model_is_called_above_or_below_as_rarely_as_the_level_says(interval):
    words = Counter()
    for seed in range(800):
        data, test = gaussian_mixture(400, rng=seed), gaussian_mixture(600, rng=10**6 + seed)
        found = ef.from_scores(data.soft_labels, data.labels, interval=interval, rng=seed)
        errors = np.count_nonzero((test.soft_labels > 0.5) != test.labels)
        words[ef.headroom(found, errors, 600, level=0.9).verdict] += 1
    assert words["room"] / 800 < 0.05 + 3 * 0.0077
    assert words["below"] / 800 < 0.05 + 3 * 0.0077


def test_a_model_five_points_above_the_floor_is_found_to_have_room():
    words = Counter()
    for seed in range(100):
        data, test = gaussian_mixture(2000, rng=seed), gaussian_mixture(2000, rng=10**6 + seed)
        found = ef.from_scores(data.soft_labels, data.labels, rng=seed)
        errors = np.count_nonzero((test.soft_labels > 0.5) != test.labels) + 100
        words[ef.headroom(found, errors, 2000).verdict] += 1
    assert words["room"] >= 99


def test_a_floor_from_votes_comes_with_a_warning_unless_the_labels_are_alike(rng):
    votes = ef.from_votes(rng.binomial(50, rng.beta(0.5, 0.5, 500)), 50, rng=0)
    with pytest.warns(ef.LabelShiftWarning, match="came from votes.*same_labelling=True"):
        found = ef.headroom(votes, 5, 500)
    assert "came from votes" in found.warnings[0]
    assert ef.headroom(votes, 5, 500, same_labelling=True).warnings == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"errors": 5}, r"`n` must be the number of test items, at least 1; got None"),
        ({"errors": 5, "n": 0}, r"`n` must be the number of test items"),
        ({"n": 10}, r"Give either `errors`, a number of items, or `model_error`, a fraction"),
        ({"errors": 1, "model_error": 0.1, "n": 10}, r"Give either"),
        ({"errors": 11, "n": 10}, r"`errors` must be a whole number from 0 to `n` = 10, got 11"),
        ({"errors": 0.1, "n": 10}, r"got 0\.1\. Pass a fraction as `model_error`"),
        ({"model_error": 7.5, "n": 10}, r"`model_error` must lie in \[0, 1\], got 7\.5\. Divide"),
        ({"model_error": float("nan"), "n": 10}, r"`model_error` must lie in"),
        ({"errors": 1, "n": 10, "level": 95}, r"`level` must lie strictly between 0 and 1"),
    ],
)
def test_bad_models_are_refused(floor, arguments, message):
    with pytest.raises(ValueError, match=message):
        ef.headroom(floor, **arguments)


def test_a_floor_without_an_interval_gives_no_verdict():
    bare = ef.from_soft_labels([0.1, 0.2], interval=None)
    with pytest.raises(ValueError, match="`estimate` has no interval"):
        ef.headroom(bare, 1, 10)
