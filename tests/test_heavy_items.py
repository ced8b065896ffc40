"""Items that are heavier than any that was drawn: how much they may weigh, and what is said."""

import warnings

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data.entries import Entries


def entries(weight, count=None):
    weight = np.asarray(weight, dtype=float)
    zeros = np.zeros(weight.size, dtype=np.int64)
    count = np.ones(weight.size, dtype=np.int64) if count is None else np.asarray(count)
    return Entries.of(zeros, zeros, weight, None, count)


def test_what_is_heavier_than_the_heaviest_goes_on_as_the_largest_weights_do():
    weight = np.append(np.ones(13), [2.0, 4.0, 8.0])
    # Of 16 items the largest four are 1, 2, 4 and 8, beyond the next one, 1.
    tail = np.log([1, 2, 4, 8]).mean()
    assert tail > 0.8
    assert entries(weight).heavier_share == pytest.approx(40 / (40 + 27))
    weight = np.append(np.ones(13), [1.2, 1.5, 3.0])
    tail = np.log([1, 1.2, 1.5, 3]).mean()
    beyond = 3 / (1 - tail)
    assert entries(weight).heavier_share == pytest.approx(beyond / (beyond + 18.7), rel=1e-6)
    # Only ratios matter.
    assert entries(7 * weight).heavier_share == pytest.approx(entries(weight).heavier_share)


def test_a_largest_weight_that_several_items_share_ends_the_tail():
    found = entries([1.0, 20.0], [14, 2]).heavier_share
    assert found == pytest.approx(20 / (20 + 54))
    beyond = 20 / (1 - np.log(20) / 4)
    assert entries([1.0, 20.0], [15, 1]).heavier_share == pytest.approx(beyond / (beyond + 35))


def test_equal_items_are_one_by_one_what_they_are_together():
    weight = np.repeat([1.0, 3.0, 5.0, 9.0], [20, 6, 3, 1])
    together = entries([1.0, 3.0, 5.0, 9.0], [20, 6, 3, 1])
    assert entries(weight).heavier_share == pytest.approx(together.heavier_share)


def test_the_share_that_was_not_drawn_is_about_right_for_a_pareto_tail():
    rng, exponent, n = np.random.default_rng(3), 2.0, 400
    drawn = rng.random((200, n)) ** (-1 / exponent)
    truth = drawn.max(axis=1) ** (1 - exponent)  # of the weight beyond the largest one
    found = [entries(one).heavier_share for one in drawn]
    assert 1 < np.median(found) / np.median(truth) < 2  # rather too much than too little


def heavy(weight, seed=0, **more):
    rng = np.random.default_rng(seed)
    n = len(weight)
    p = rng.random(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        found = ef.from_soft_labels(p, weight=weight, rng=0, **more)
    return [one for one in found.findings if one.name == "Heavy items"]


def test_one_heavy_item_is_a_warning_in_plain_words():
    weight = np.append(np.ones(99), 100.0)
    with pytest.warns(ef.DoubtWarning, match="Few items with large weights were drawn"):
        ef.from_soft_labels(np.linspace(0, 1, 100), weight=weight, rng=0)
    (found,) = heavy(weight)
    assert found.level == "warn"
    assert "even larger weights may be missing" in found.sentence
    assert "sum of the weights" in found.remedy
    assert not heavy(weight, interval=None)
    assert not heavy(weight, cluster=np.arange(100) // 2)


def test_weights_that_differ_little_or_are_many_are_no_warning():
    rng = np.random.default_rng(1)
    assert not heavy(rng.choice([1.0, 2.0, 4.0], 100))
    assert not heavy(np.ones(100))
    assert not heavy(rng.exponential(1, 1000) + 0.01)
    assert not heavy(np.where(np.arange(300) < 15, 20.0, 1.0))


def test_limits_that_end_where_the_metric_does_are_no_warning():
    # Scores in reverse: the AUC is far below 1/2, where limits of no width are shown.
    rng = np.random.default_rng(7)
    scores = rng.random(400)
    labels = rng.random(400) < scores
    weight = rng.choice([1.0, 3.0, 9.0], 400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        found = ef.from_scores(-scores, labels, metric="auc", weight=weight, rng=0)
    assert (found.low, found.high) == (0.5, 0.5)
    assert "Heavy items" not in [one.name for one in found.findings]
