import inspect
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers import answer
from hypothesis import given
from needs import needs_data
from strategies import votes

import errorfloor as ef
from benchmarks import realdata
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture


@pytest.fixture(scope="module")
def data():
    found = gaussian_mixture(400, rng=11)
    return np.round(corrupt(found.soft_labels, 2, 0.7), 2), found.labels


def same(first, second):
    assert answer(first) == answer(second)
    assert np.array_equal(first.replicates, second.replicates) or first.replicates is None


def test_known_values_of_the_three_inputs():
    assert ef.from_soft_labels([0.0, 1.0, 0.5, 0.25], interval=None).value == 0.1875
    assert ef.from_votes([0, 1, 2, 3], 3, method="plugin", interval=None).value == pytest.approx(
        1 / 6
    )
    assert ef.from_votes([1, 1], [2, 4], method="plugin", interval=None).value == 0.375
    best = ef.from_scores([1, 2, 3, 4], [0, 1, 0, 1], method="isotonic", interval=None)
    assert best.value == 0.25


def test_each_row_of_a_comparison_is_what_the_method_gives_alone(data):
    rows = ef.compare(*data, n_resamples=50, rng=9)
    assert rows.methods == ef.METHODS
    for row in rows:
        same(row, ef.from_scores(*data, method=row.method, n_resamples=50, rng=9))


def test_the_same_seed_gives_the_same_answer_and_a_generator_moves_on(data):
    first, second = (ef.from_scores(*data, method="beta", rng=1).low for _ in range(2))
    assert first == second
    generator = np.random.default_rng(1)
    first, second = (ef.from_scores(*data, method="beta", rng=generator).low for _ in range(2))
    assert first != second


def test_default_intervals(data):
    rows = ef.compare(*data, n_resamples=20, rng=0)
    for row in rows:
        assert row.interval_method == ("honest" if row.method.startswith("isotonic") else "bca")
        assert row.level == 0.95
    assert ef.from_soft_labels(data[0]).interval_method == "betting"
    assert ef.from_votes([0, 1, 2, 3], 3, method="plugin").interval_method == "betting"
    assert ef.from_votes([0, 1, 2, 3], 3).interval_method == "likelihood"


def test_without_an_interval_there_is_none(data):
    for found in (
        ef.from_scores(*data, interval=None),
        ef.from_soft_labels(data[0], interval=None),
        ef.from_votes([1, 2], 3, interval=None),
        *ef.compare(*data, interval=None),
    ):
        assert found.low is found.high is found.level is found.interval_method is None
        assert found.replicates is None
        assert "interval" not in str(found)


def test_comparing_scores_on_another_scale_leaves_out_what_needs_probabilities(data):
    rows = ef.compare(10 * data[0], data[1], interval=None)
    assert set(rows.methods) == {
        "isotonic", "isotonic-cf", "hist-10", "hist-25", "hist-50", "hist-100", "platt",
    }  # fmt: skip
    assert "were left out" in str(rows)
    assert "beta-am" in rows.notes[0]
    with pytest.raises(KeyError, match="'beta' was not compared; there are isotonic"):
        rows["beta"]


def test_one_class_is_an_answer_with_a_warning(rng):
    scores = rng.random(30)
    for method in ef.METHODS:
        with pytest.warns(ef.DegenerateDataWarning, match="All labels are 1"):
            found = ef.from_scores(scores, np.ones(30), method=method, interval=None)
        assert 0 <= found.value <= 0.5
        assert found.warnings == ("All labels are 1: the floor is that of one class alone.",)


def test_equal_scores_are_an_answer_with_a_warning():
    labels = np.arange(40) % 4 == 0
    for method in ef.METHODS:
        with pytest.warns(ef.DegenerateDataWarning, match="All scores are equal"):
            found = ef.from_scores(np.full(40, 0.3), labels, method=method, interval="honest")
        assert 0 <= found.low <= found.high <= 0.5
        # Maps with an intercept see the base rate; the others cannot. Platt's targets are smoothed.
        if method not in ("corrupted", "beta-ab", "beta-a"):
            assert found.value == pytest.approx(0.25, abs=0.03)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("interval", ["honest", "certified", "bca", "basic", "percentile"])
@pytest.mark.parametrize("label", [0, 1])
def test_a_single_item_is_an_answer(interval, label):
    for method in ef.METHODS:
        found = ef.from_scores([0.7], [label], method=method, interval=interval, rng=0)
        assert 0 <= found.low <= found.high <= 0.5
    assert ef.from_soft_labels([0.7], interval="betting").high == pytest.approx(0.5)


def test_warnings_point_at_the_line_of_the_caller():
    with pytest.warns(ef.DegenerateDataWarning) as caught:
        ef.from_scores([0.1, 0.2], [1, 1], interval=None)
    assert caught[0].filename == __file__


@given(votes())
def test_the_plugin_is_the_mean_share_of_minority_votes(pair):
    positives, totals = pair
    share = positives / totals
    found = ef.from_votes(positives, totals, method="plugin", interval=None).value
    assert found == pytest.approx(np.minimum(share, 1 - share).mean(), abs=1e-12)


def test_an_estimate_is_json_text_html_and_can_be_pickled(data):
    found = ef.from_scores(*data, method="beta", rng=0)
    record = json.loads(json.dumps(found.to_dict()))
    assert set(record) == {
        *("sentence", "value", "low", "high", "level", "n", "resolution", "dropped"),
        *("method", "interval_method", "assumptions", "warnings", "claim"),
        *("metric", "target", "classes", "options", "seed", "source", "refuted", "findings"),
    }
    assert record["n"] == 400
    assert str(found).count("\n") == 0
    assert f"an error of {100 * found.value:.1f} %" in str(found)
    assert "<table" in found._repr_html_()
    same(pickle.loads(pickle.dumps(found)), found)
    assert found.assumptions.count(".") == 1
    rows = ef.compare(*data, methods=["isotonic", "platt"], rng=0)
    assert json.loads(json.dumps(rows.to_dict()))["rows"][1]["method"] == "platt"
    assert rows._repr_html_().count("<tr>") == 3


def test_the_text_of_a_small_floor_keeps_its_digits():
    interval = ef.Interval(0.00021, 0.00109, 0.9, "honest")
    found = ef.Estimate(
        value=0.0005, method="isotonic", interval=interval, n=10_000, assumptions=""
    )
    assert (
        str(found)
        == "floor at most 0.11 % with 90 % confidence; the best threshold on these scores gives an "
        "error of 0.05 %, interval 0.02 to 0.11 % (n = 10,000, method isotonic, honest interval)"
    )


@pytest.mark.parametrize(
    ("backend", "kind"),
    [
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
        (None, pd.DataFrame),
    ],
)
def test_a_comparison_becomes_the_users_dataframe(data, backend, kind):
    frame = ef.compare(*data, methods=["isotonic", "beta"], rng=0).to_frame(backend)
    assert isinstance(frame, kind)
    assert frame.shape == (2, 12)
    assert list(frame["method"].to_pylist() if backend == "pyarrow" else frame["method"]) == [
        "isotonic",
        "beta",
    ]


def test_assumptions_say_what_the_interval_needs(data):
    assert "The scores need not be calibrated" in ef.from_scores(*data).assumptions
    complete = ef.from_scores(*data, complete=True)
    assert "upper limit holds for any scores" in complete.assumptions
    assert "order" in ef.from_scores(*data, method="beta", interval="certified").assumptions
    assert "upper limit" not in ef.from_scores(*data, method="beta", interval=None).assumptions
    assert "few votes" in ef.from_votes([1, 2], 3, method="plugin", interval=None).assumptions


# Isotonic floors of the paper's real sets, from scikit-learn 1.9: benchmarks.reference.floor.
@needs_data
@pytest.mark.parametrize(
    ("name", "items"),
    [
        ("CIFAR-10", 10_000),
        ("Fashion-MNIST", 10_000),
        ("SNLI", 1514),
        ("ICLR2025", 11_520),
    ],
)
def test_real_sets_have_the_floors_of_their_best_cuts(name, items):
    scores, labels = realdata.load(name)
    found = ef.from_scores(scores, labels, method="isotonic", rng=0)
    assert found.n == items
    cuts = np.concatenate(([-1.0], np.unique(scores)))
    errors = [np.count_nonzero((scores > cut) != labels) for cut in cuts]
    assert found.value == min(errors) / items
    assert found.low < found.value < found.high


def test_certified_limits_choose_cuts_without_any_look_at_the_held_out_half(monkeypatch):
    # Rows joined by all labels would know the held-out ones, and the limits would lose their proof.
    table = gaussian_mixture(2_000, rng=0).score_table
    usual = {kind: ef.from_scores(table, interval=kind, rng=0) for kind in ("honest", "certified")}
    monkeypatch.setattr("errorfloor.methods.cuts.MANY_ITEMS", 1_000)
    monkeypatch.setattr("errorfloor.methods.cuts.MOST_JOINED", 16)
    many = {kind: ef.from_scores(table, interval=kind, rng=0) for kind in ("honest", "certified")}
    assert many["certified"].interval == usual["certified"].interval
    assert many["honest"].low == usual["honest"].low
    assert many["honest"].high != usual["honest"].high


def test_an_estimate_says_how_far_merged_rows_can_have_moved_it():
    # The merged row has one label only: no cut inside it is better than those next to it.
    ranges = {"lows": [0.1, 0.5], "highs": [0.1, 0.6]}
    own = {"method": "isotonic", "rng": 0}
    table = ef.ScoreTable([0.1, 0.55], [[8, 3], [0, 9]], **ranges)
    exact = ef.from_scores(table, interval=None, **own)
    assert exact.resolution == 0
    assert "1 of 2 rows stand for ranges of scores, at most 0.1 wide" in exact.assumptions
    assert exact.assumptions.endswith("which leaves this value exact.")
    midpoint = ef.from_scores(table, interval=None)
    assert midpoint.resolution is None
    assert midpoint.assumptions.endswith(
        "tries no threshold inside them, which is an approximation."
    )
    moved = ef.from_scores(ef.ScoreTable([0.1, 0.55], [[8, 3], [2, 7]], **ranges), **own)
    assert moved.resolution == pytest.approx(2 / 20)
    assert moved.assumptions.endswith("which moves this value by at most 0.1.")
    whole = ef.from_scores([0.1, 0.5], [0, 1], interval=None)
    assert (whole.resolution, "rows" in whole.assumptions) == (0, False)


def test_groups_share_the_error_probability_where_all_limits_shall_hold_at_once():
    rows = {
        "score": [*np.arange(60) / 60, 0.5],
        "label": [*(np.arange(60) % 7 > 3), None],
        "batch": [*("abc"[i % 3] for i in range(60)), "a"],
    }
    ask = {"score": "score", "label": "label", "group": "batch", "drop_missing": True, "rng": 0}
    frame = pl.DataFrame(rows, strict=False)
    apart = ef.from_scores(frame, **ask, level=0.9)
    together = ef.from_scores(frame, **ask, level=0.9, simultaneous=True)
    assert [(g.level, g.dropped, g.simultaneous) for g in (apart, together)] == [
        (0.9, 1, False), (0.9, 1, True),
    ]  # fmt: skip
    for name in "abc":
        assert apart[name].level == 0.9
        assert together[name].level == pytest.approx(1 - 0.1 / 3)
        assert apart[name].n == together[name].n == 20
        assert apart[name].at_level(together[name].level).high == together[name].high
    compared = ef.compare(frame, **ask, methods=["isotonic"], level=0.9)
    assert not compared.simultaneous
    assert [compared[name]["isotonic"].level for name in "abc"] == [0.9] * 3
    assert compared["b"]["isotonic"].high == apart["b"].high
    assert compared["b"]["isotonic"].options["simultaneous"] is False
    # What was asked for is the level of all groups at once, or else the level of each.
    assert together["a"].at_level(0.8).options["level"] == together["a"].options["level"]
    assert apart["a"].at_level(0.8).options["level"] == 0.8
    verdicts = ef.headroom(frame.drop_nulls(), 5, 20, group="batch", level=0.9, rng=0)
    assert [verdicts[name].floor.level for name in "abc"] == [0.9] * 3


def test_results_have_the_names_they_list_and_no_others():
    for name in ef.results.__all__:
        assert name in dir(ef.results)
        assert getattr(ef.results, name) is not None
    with pytest.raises(AttributeError, match=r"'errorfloor\.results' has no attribute 'Estimat'"):
        ef.results.Estimat  # noqa: B018


QUESTIONS = (
    *(ef.from_scores, ef.from_soft_labels, ef.from_votes, ef.from_agreement, ef.compare),
    *(ef.calibrate, ef.annotators, ef.reliability, ef.headroom, ef.plan),
)
DEFAULTS = {"level": 0.95, "n_resamples": 1000, "drop_missing": False, "simultaneous": False}


@pytest.mark.parametrize("ask", QUESTIONS, ids=lambda ask: ask.__name__)
def test_all_questions_have_the_same_defaults(ask):
    parameters = inspect.signature(ask).parameters
    found = {name: parameters[name].default for name in DEFAULTS if name in parameters}
    assert found == {name: DEFAULTS[name] for name in found}
    assert found


def test_a_name_that_is_no_method_is_refused_before_a_file_is_read():
    with pytest.raises(ef.InputError, match="`method` must be one of"):
        ef.from_scores("no such file.csv", method="none")
