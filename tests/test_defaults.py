"""What is taken where nothing is said: the same in all functions, and kept in the answers."""

import inspect
import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions.plan import Measured

DEFAULTS = {
    "by_score": True,
    "clip": "auto",
    "complete": False,
    "cost_per_item": 0.0,
    "cost_per_vote": 1.0,
    "drop_missing": False,
    "interval": "auto",
    "label_is_vote": False,
    "items": (100, 300, 1000, 3000, 10_000),
    "level": 0.95,
    "method": "sequential",  # of features; elsewhere it depends on the data
    "metric": "error",
    "models": (),
    "n_resamples": 1000,
    "repeats": 10,
    "rng": 0,
    "same_labelling": False,
    "simultaneous": False,
    "totals_by": "chance",
    "unlabelled": False,
    "votes": (2, 3, 5, 10, 20),
}
SCORES, LABELS = [0.1, 0.2, 0.6, 0.7, 0.8] * 4, [0, 1, 0, 1, 1] * 4
SINGLE = pd.DataFrame({"item": [0, 0, 1, 1], "annotator": [*"abab"], "vote": [0, 1, 1, 1]})
CALLS = {
    "annotators": lambda: ef.annotators(SINGLE),
    "calibrate": lambda: ef.calibrate(SCORES, LABELS),
    "compare": lambda: ef.compare(SCORES, LABELS, methods=["isotonic"], rng=0),
    "confusion": lambda: ef.confusion(ef.SoftTable.from_arrays([0.2, 0.9])),
    "feebee": lambda: ef.feebee(SCORES, LABELS, methods=["corrupted"], model_error=0.3, levels=2),
    "from_agreement": lambda: ef.from_agreement(pairs=50, agree=45),
    "from_features": lambda: ef.from_features(np.arange(20.0)[:, None], LABELS, rng=0),
    "from_scores": lambda: ef.from_scores(SCORES, LABELS, rng=0),
    "from_soft_labels": lambda: ef.from_soft_labels(SCORES, rng=0),
    "from_votes": lambda: ef.from_votes([0, 1, 2, 3], 3),
    "headroom": lambda: ef.headroom(0.1, errors=3, n=10),
    "items": lambda: ef.items([0, 1, 2, 3], 3),
    "look": lambda: ef.look(SINGLE),
    "plan": lambda: ef.plan(ef.VoteTable.from_arrays([0, 1, 2], 2), votes=[2], items=[100]),
    "plan_labels": lambda: ef.plan_labels(np.linspace(0, 1, 40), budget=10, rng=0),
    "reliability": lambda: ef.reliability(SCORES, LABELS),
}


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("name", CALLS)
def test_defaults_are_those_of_all_functions(name):
    found = CALLS[name]()
    parameters = inspect.signature(getattr(ef, name)).parameters.values()
    given = [one for one in parameters if one.default not in (None, inspect.Parameter.empty)]
    for one in given:
        expected = "error" if one.name == "duplicates" else DEFAULTS[one.name]
        assert one.default == expected, one.name
        assert type(one.default) is type(expected), one.name
    if "level" in {one.name for one in given} and name != "compare":
        assert found.level == 0.95
    if isinstance(found, ef.Estimate):
        for kept in {one.name for one in given} & found.options.keys() & DEFAULTS.keys():
            assert found.options[kept] == DEFAULTS[kept] or kept == "models"


DRAWING = {
    "compare": lambda **rng: ef.compare(SCORES, LABELS, methods=["isotonic"], **rng),
    "feebee": lambda **rng: ef.feebee(SCORES, LABELS, methods=["corrupted"], model_error=0.3,
                                      levels=2, **rng),
    "from_features": lambda **rng: ef.from_features(np.arange(20.0)[:, None], LABELS, **rng),
    "from_scores": lambda **rng: ef.from_scores(SCORES, LABELS, **rng),
    "from_soft_labels": lambda **rng: ef.from_soft_labels(SCORES, interval="bca", **rng),
    "from_votes": lambda **rng: ef.from_votes([0, 1, 2, 3] * 5, 3, method="plugin",
                                              interval="bca", **rng),
    "headroom": lambda **rng: ef.headroom(ef.ScoreTable.from_arrays(SCORES, LABELS), errors=3,
                                          n=10, **rng),
    "plan_labels": lambda **rng: ef.plan_labels(np.linspace(0, 1, 40), budget=10, **rng),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("name", DRAWING)
def test_equal_calls_give_equal_answers_and_the_seed_is_zero(name):
    found = {json.dumps(DRAWING[name]().to_dict(), sort_keys=True, default=str) for _ in range(12)}
    zero = json.dumps(DRAWING[name](rng=0).to_dict(), sort_keys=True, default=str)
    assert found == {zero}
    # A seed that nobody gave is drawn where that is asked for.
    first, second = (json.dumps(DRAWING[name](rng=None).to_dict(), default=str) for _ in range(2))
    assert first != second


def test_every_function_that_takes_a_seed_takes_zero_and_those_that_draw_data_none():
    functions = [getattr(ef, name) for name in ef.__all__ if callable(getattr(ef, name))]
    takes = {one.__name__: inspect.signature(one).parameters["rng"].default for one in functions
             if inspect.isfunction(one) and "rng" in inspect.signature(one).parameters}  # fmt: skip
    assert takes.keys() >= DRAWING.keys() | {"confusion", "report"}
    assert set(takes.values()) == {0}
    made = [one for one in vars(ef.datasets.synthetic).values() if inspect.isfunction(one)]
    drawn = [one for one in made if "rng" in inspect.signature(one).parameters]
    assert drawn
    for one in drawn:
        assert inspect.signature(one).parameters["rng"].default in (None, inspect.Parameter.empty)


def test_a_floor_that_was_estimated_takes_no_other_seed():
    floor = ef.from_scores(SCORES, LABELS)
    for rng in (None, 0):
        ef.confusion(floor, rng=rng)
    with pytest.raises(ef.InputError, match="goes with data"):
        ef.confusion(floor, rng=1)


@pytest.mark.parametrize("metric", ["error", "balanced-error", "cost", "f1", "brier"])
def test_the_default_from_scores_is_the_midpoint_whatever_the_interval(metric):
    given = {"costs": (1, 3)} if metric == "cost" else {}
    data = ef.datasets.synthetic.gaussian_mixture(60, rng=1)
    ask = partial(ef.from_scores, data.soft_labels, data.labels, metric=metric, **given)
    named = ask(method="isotonic-cf", interval=None)
    for interval in (None, "honest"):
        found = ask(interval=interval)
        assert (found.method, found.value) == ("isotonic-cf", named.value)
    assert ask(method="isotonic", interval=None).value != named.value


@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")
def test_floors_inside_other_answers_have_the_usual_number_of_resamples():
    assert ef.annotators(SINGLE).floor.options["n_resamples"] == 1000
    table = ef.ScoreTable.from_arrays(SCORES, LABELS)
    assert ef.headroom(table, errors=3, n=10, rng=0).floor.options["n_resamples"] == 1000
    found, _ = Measured(MetricChoice("auc"), 0.9).of_scores(table)
    assert (found.options["n_resamples"], found.level, found.seed) == (
        1000,
        0.9,
        ef.from_scores(table, metric="auc", level=0.9, rng=0).seed,
    )


def test_feebee_has_a_hundred_steps_of_error_and_twenty_of_other_metrics():
    given = {"methods": ["isotonic"], "repeats": 1, "rng": 0}
    error = ef.feebee(SCORES, LABELS, model_error=0.3, **given)
    np.testing.assert_allclose(error.noise, np.linspace(0, 1, 101))
    auc = ef.feebee(SCORES, LABELS, metric="auc", model_value=0.7, **given)
    np.testing.assert_allclose(auc.noise, np.linspace(0, 1, 21))
    np.testing.assert_allclose(auc.means, np.arange(1, 10) / 10)
