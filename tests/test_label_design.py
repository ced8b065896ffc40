"""Which items to label: each step of the plan against hand calculation and plain code."""

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data.arrays import partly_labelled
from errorfloor.data.options import ReadOptions
from errorfloor.intervals.honest import of_fit
from errorfloor.methods.prediction_powered import PoweredCut
from errorfloor.questions.plan_labels import (
    Scored,
)


def cells(items, prob):
    items = np.array(items)
    return Scored(np.repeat(np.arange(items.size), items), items, np.array(prob))


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
