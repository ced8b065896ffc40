"""Which items to label: each step of the plan against hand calculation and plain code."""

import numpy as np
import pytest
from scipy.special import expit, logit

import errorfloor as ef
from errorfloor.data.arrays import partly_labelled
from errorfloor.data.options import ReadOptions
from errorfloor.intervals.honest import of_fit
from errorfloor.methods.prediction_powered import PoweredCut
from errorfloor.questions import plan_labels
from errorfloor.questions.plan_labels import (
    Scored,
    _fitted,
    _sharpened,
    drawn,
    mean_floor,
    scored,
)


def cells(items, prob):
    items = np.array(items)
    return Scored(np.repeat(np.arange(items.size), items), items, np.array(prob))


def test_the_spread_of_a_label_is_raised_to_a_quarter_of_the_mean():
    # Standard deviations 0.5 once and 0 three times: the mean is 0.125.
    assert cells([1, 3], [0.5, 0.0]).spread.tolist() == [0.5, 0.125 / 4]
    assert cells([2, 2], [0.2, 0.9]).spread == pytest.approx([0.4, 0.3])
    assert cells([1, 3], [1.0, 0.0]).spread.tolist() == [1.0, 1.0]  # all sure: all alike


def test_chances_are_in_proportion_to_the_spread_and_at_most_one():
    some = cells([12, 10, 20], [0.5, 0.2, 0.9])  # standard deviations 0.5, 0.4, 0.3
    open_ = np.array([10, 10, 10])
    assert some.chances(6, open_) == pytest.approx([0.25, 0.2, 0.15])
    assert some.chances(6, open_, by_score=False) == pytest.approx([0.2, 0.2, 0.2])
    # In proportion the first would have 1.125. It has 1, and the others share the 17 that are left.
    assert some.chances(27, open_) == pytest.approx([1, 17 / 7 * 0.4, 17 / 7 * 0.3])
    # The second is above 1 only after the first is out: 28.5 - 20 = 8.5 on ten.
    assert some.chances(28.5, open_) == pytest.approx([1, 1, 0.85])
    assert some.chances(30, open_).tolist() == [1, 1, 1]
    assert some.chances(31, open_).tolist() == [1, 1, 1]
    assert some.chances(1, np.array([0, 0, 2])) == pytest.approx([5 / 6, 2 / 3, 0.5])


def test_the_floor_is_the_mean_of_the_smaller_probability():
    assert mean_floor(np.array([0.1, 0.8]), np.array([3, 1])) == pytest.approx(0.5 / 4)
    assert cells([3, 1], [0.1, 0.8]).floor == pytest.approx(0.5 / 4)


def test_cells_hold_items_with_neighbouring_scores(monkeypatch):
    monkeypatch.setattr(plan_labels, "CELLS", 2)
    scores = np.array([0.9, 0.2, 0.2, 0.2, 0.5, 0.4])
    # Middle ranks: 1.5 / 6 for the three equal ones, then 3.5, 4.5 and 5.5 sixths.
    found = scored(scores, np.full(6, np.nan), None)
    assert found.cell.tolist() == [1, 0, 0, 0, 1, 1]
    assert found.items.tolist() == [3, 3]
    assert found.prob == pytest.approx([0.2, 0.6])
    monkeypatch.setattr(plan_labels, "CELLS", 6)  # empty cells are left out
    found = scored(scores, np.full(6, np.nan), None)
    assert found.cell.tolist() == [3, 0, 0, 0, 2, 1]
    assert found.prob == pytest.approx([0.2, 0.4, 0.5, 0.9])
    monkeypatch.setattr(plan_labels, "CELLS", 2)  # 2.5 / 6 is in the first half, and 5.5 / 6 not
    many = scored(np.array([0.9, *[0.2] * 5]), np.full(6, np.nan), None)
    assert many.items.tolist() == [5, 1]


def test_there_are_a_thousand_cells_and_a_bit():
    found = scored(np.linspace(0, 1, 2048), np.full(2048, np.nan), None)
    assert found.items.tolist() == [2] * 1024


def test_probabilities_from_labels_are_a_smoothed_isotonic_fit():
    items = np.array([10, 20, 10, 40, 20])
    cell, labels = np.array([0, 0, 1, 1, 3, 3, 3, 4]), np.array([0, 1, 0, 0, 1, 1, 0, 1.0])
    # Shares 1/2 and 0 of two labels each pool to 1/4; then 2/3 and 1. The third cell has no label.
    rank = np.array([0.05, 0.2, 0.35, 0.6, 0.9])
    between = 1 / 4 + (2 / 3 - 1 / 4) * (0.35 - 0.2) / (0.6 - 0.2)
    line = np.array([1 / 4, 1 / 4, between, 2 / 3, 1])
    smooth = []
    for own in rank:
        near = [n * np.exp(-((own - r) ** 2) / (2 * 0.05**2)) for n, r in zip(items, rank)]  # noqa: B905
        smooth.append(np.dot(near, line) / np.sum(near))
    assert _fitted(cell, labels, items) == pytest.approx(smooth, rel=1e-12)
    # The last three labels alone weigh the pooled mean by their number.
    assert _fitted(np.array([0, 1, 1]), np.array([1, 0, 0.0]), np.array([1, 1])) == pytest.approx(
        [1 / 3, 1 / 3]
    )


def test_probabilities_are_stretched_to_the_floor_as_far_as_they_can_be():
    prob, items = np.array([0.2, 0.4, 0.7, 0.95]), np.array([5, 1, 2, 2])
    for floor in (0.05, 0.2, 0.3):
        found = _sharpened(prob, items, floor)
        assert mean_floor(found, items) == pytest.approx(floor, abs=1e-9)
        stretch = logit(found) / logit(prob)  # one for all
        assert stretch == pytest.approx(np.full(4, stretch[0]))
    flattest, sharpest = (expit(np.exp(power) * logit(prob)) for power in (-3, 3))
    assert _sharpened(prob, items, 0.5) == pytest.approx(flattest)
    assert _sharpened(prob, items, 0.0) == pytest.approx(sharpest)
    for end in (flattest, sharpest):  # and just as far
        assert _sharpened(prob, items, mean_floor(end, items)) == pytest.approx(end)
    # Sure ones have a logit all the same: that of one in a thousand.
    sure = _sharpened(np.array([0.0, 1.0]), np.array([1, 1]), 0.001)
    assert sure == pytest.approx([0.001, 0.999], rel=1e-6)


def test_labels_decide_where_a_floor_is_given(monkeypatch):
    monkeypatch.setattr(plan_labels, "CELLS", 4)
    scores = np.arange(8.0)
    labels = np.array([0, np.nan, 0, 1, np.nan, 0, 1, 1])
    found = scored(scores, labels, 0.2)
    known = ~np.isnan(labels)
    own = _fitted(np.arange(8)[known] // 2, labels[known], np.full(4, 2))
    assert found.prob == pytest.approx(_sharpened(own, np.full(4, 2), 0.2))
    assert found.floor == pytest.approx(0.2)


def test_the_width_is_that_of_intervals_from_labels_that_are_drawn():
    some = cells([60, 40, 70, 90, 50], [0.05, 0.3, 0.5, 0.8, 1.0])
    chance = np.array([0.5, 0.25, 1.0, 0.5, 0.125])
    rng, scores = np.random.default_rng(4), np.repeat(np.arange(5.0), some.items)
    widths = []
    for _ in range(24):
        labelled = rng.binomial(some.items, chance)
        ones = rng.binomial(labelled, some.prob)
        parts = zip(ones, labelled, some.items, strict=True)
        labels = np.concatenate([np.repeat([1, 0, np.nan], (k, m - k, n - m)) for k, m, n in parts])
        weight = np.where(np.isnan(labels), np.nan, 1 / chance[scores.astype(int)])
        table = partly_labelled(scores, labels, ReadOptions.of(weight=weight, unlabelled=True))
        low, high = of_fit(PoweredCut(table.cells(), lambda _, rng=rng: rng)).limits(0.9)
        widths.append(min(high, 0.5) - low)
    found = some.width(chance, 0.9, np.random.default_rng(4))
    assert found == pytest.approx(np.mean(widths), rel=1e-9)
    assert some._one_width(chance, 0.9, np.random.default_rng(4)) == pytest.approx(widths[0])


def test_without_any_label_the_interval_is_all_there_is():
    rng = np.random.default_rng(0)
    assert cells([5, 5], [0.3, 0.9]).width(np.full(2, 1e-300), 0.95, rng) == 0.5


def test_no_interval_ends_beyond_a_half():
    few, chance = cells([1, 1, 1], [0.5, 0.5, 0.5]), np.ones(3)
    widths = [few._one_width(chance, 0.99, np.random.default_rng(seed)) for seed in range(8)]
    assert max(widths) <= 0.5


def test_as_many_items_are_chosen_as_chances_add_up_to_when_rounded():
    for seed in range(30):
        assert drawn(np.full(4, 0.65), np.random.default_rng(seed)).sum() == 3


def test_items_are_chosen_where_steps_of_one_end_on_their_line():
    chance = np.array([0.9, 0.5, 0.1, 0.3, 0.2, 1.0])
    for seed in range(50):
        rng = np.random.default_rng(seed)
        order, start = rng.permutation(6), rng.random()
        slow, end = set(), 0.0
        for item in order:
            begin, end = end, end + chance[item]
            if any(begin < start + step <= end for step in range(4)):
                slow.add(item)
        assert set(np.flatnonzero(drawn(chance, np.random.default_rng(seed)))) == slow


def test_a_plan_without_labels_says_that_it_takes_scores_for_probabilities():
    # Scores of four times the true logits: the floor is 32.5 %, and scores say 12.9 %.
    generator = np.random.default_rng(4)
    logits = generator.normal(size=5_000)
    scores, chances = 1 / (1 + np.exp(-4 * logits)), 1 / (1 + np.exp(-logits))
    plan = ef.plan_labels(scores, budget=300, rng=0)
    labels = np.full(5_000, np.nan)
    labels[plan.rows] = generator.random(300) < chances[plan.rows]
    found = ef.from_scores(scores, labels, unlabelled=True, weight=plan.weight, rng=0)
    assert found.high - found.low > 1.8 * plan.width  # what the sentence is for
    assert "scores are calibrated probabilities of class 1" in plan.assumptions
    assert "Label 50 random items first (a pilot)" in plan.assumptions
    assert plan.to_dict()["assumptions"] == plan.assumptions
    pilot = np.where(np.arange(5_000) % 100 == 0, generator.random(5_000) < chances, np.nan)
    again = ef.plan_labels(scores, pilot, budget=250, rng=0)
    assert again.assumptions.startswith("The widths assume that the 50 items with labels so far")
