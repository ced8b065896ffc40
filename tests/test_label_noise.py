"""FeeBee: its laws, its oracle, and the slow way to the same numbers."""

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import best_cut_errors, fit
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import needs_data
from scipy import stats
from strategies import score_tables

import errorfloor as ef
from benchmarks.feebee import EPS, SETTINGS, VARIANTS
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture

CLIP = 1e-3
DETERMINISTIC = [method for method in ef.METHODS if method != "isotonic-cf"]


@pytest.fixture(scope="module")
def data():
    found = gaussian_mixture(300, rng=4)
    return np.round(corrupt(found.soft_labels, 2, 0.7), 2), found.labels


@pytest.fixture(scope="module")
def table(data):
    return ef.ScoreTable.from_arrays(*data)


def same(first, second):
    assert first.estimates.keys() == second.estimates.keys()
    for method, estimates in first.estimates.items():
        assert np.array_equal(estimates, second.estimates[method])
    assert first.to_dict() == second.to_dict()


def slow_floor(method):
    return lambda table: fit(table, method, clip=CLIP).floor


@pytest.mark.parametrize("method", ef.METHODS)
def test_without_noise_the_estimate_is_that_of_the_table(table, method):
    found = ef.feebee(table, methods=[method], model_error=0.3, levels=3, repeats=2, rng=0)
    if method == "isotonic-cf":  # other folds; both halves are below the best cut held out
        assert found.estimates[method][:, 0] == pytest.approx(0.1, abs=0.05)
    else:
        value = ef.from_scores(table, method=method, interval=None).value
        assert found.estimates[method][:, 0] == pytest.approx(2 * [value], abs=1e-9)


@pytest.mark.parametrize("model_error", [0.0, 0.05, 0.3, 0.5])
@pytest.mark.parametrize("constant", [0.0, 0.1, 0.2, 0.5])
def test_a_constant_estimator_has_its_closed_form_score(table, constant, model_error):
    # Below the bounds from noise 2c on, a triangle of area (1/2 - c)^2; above them up to noise
    # (c - E) / (1/2 - E), another one. The sum over levels is the integral to O(1 / levels).
    found = ef.feebee(
        table,
        methods={"constant": lambda _: constant},
        model_error=model_error,
        levels=401,
        repeats=2,
    )["constant"]
    over = max(constant - model_error, 0)
    assert found.lower == pytest.approx((0.5 - constant) ** 2, abs=2e-3)
    assert found.upper == pytest.approx(over and over**2 / (1 - 2 * model_error), abs=2e-3)
    assert found.score == found.upper + found.lower
    assert found.standard_error == 0
    noise = np.arange(401) / 400
    out = np.maximum(constant - noise / 2 - (1 - noise) * model_error, 0)
    assert found.upper == pytest.approx(out.mean(), abs=1e-15)


@given(st.floats(0, 0.5), st.floats(0, 1))
def test_an_estimator_that_is_always_right_has_score_zero(model_error, share):
    noise = np.linspace(0, 1, 21)
    right = noise / 2 + (1 - noise) * share * model_error
    found = ef.FeeBeeResult(
        model_error=model_error,
        n=10,
        noise=noise,
        estimates={"right": np.tile(right, (3, 1)), "oracle": np.tile(right, (3, 1))},
    )
    assert found["right"].score == pytest.approx(0, abs=1e-16)


@pytest.mark.parametrize("model_error", [0.02, 0.3])
def test_the_oracle_has_the_mean_and_the_variance_that_its_derivation_says(table, model_error):
    # 4,000 draws at 6 levels; see the docstring of `feebee`.
    found = ef.feebee(
        table, methods=["isotonic"], model_error=model_error, levels=6, repeats=4000, rng=1
    )
    cells = table.cells()
    share = best_cut_errors(cells)[0] / table.n
    noise = found.noise
    target = noise / 2 + (1 - noise) * min(share, model_error)
    spread = np.sqrt(noise / 2 * (1 - noise / 2) / table.n)
    oracle = found.estimates["oracle"]
    assert oracle[:, 0] == pytest.approx(4000 * [target[0]], abs=1e-12)
    z = (oracle.mean(axis=0) - target)[1:] / spread[1:] * np.sqrt(4000)
    assert np.abs(z).max() < 4.5
    np.testing.assert_allclose(oracle.std(axis=0), spread, rtol=4.5 / np.sqrt(8000))


def test_the_oracle_of_bounds_that_leave_no_room_scores_the_mean_size_of_its_noise(table):
    # With E = 0 the target is the only value allowed: mean |x| of a normal is sqrt(2 / pi) sd.
    found = ef.feebee(table, methods=["isotonic"], model_error=0, repeats=100, rng=2).oracle
    noise = np.linspace(0, 1, 101)
    spread = np.sqrt(noise / 2 * (1 - noise / 2) / table.n)
    expected = np.sqrt(2 / np.pi) * spread.mean()
    assert found.score == pytest.approx(expected, abs=4.5 * found.standard_error, rel=0.01)
    assert found.upper == pytest.approx(found.lower, rel=0.1)
    assert found.excess.value == found.excess.low == found.excess.high == 0


def test_the_same_seed_gives_the_same_answer_from_arrays_tables_and_shards(data, table):
    options = {"model_error": 0.2, "levels": 7, "repeats": 3, "rng": 5}
    expected = ef.feebee(*data, **options)
    scores, labels = data
    shards = [ef.ScoreTable.from_arrays(scores[i::3], labels[i::3]) for i in range(3)]
    same(expected, ef.feebee(table, **options))
    same(expected, ef.feebee(sum(shards, ef.ScoreTable.empty()), **options))
    same(expected, ef.feebee(pd.Series(scores), pl.Series(labels), **options))
    same(expected, ef.feebee(table, **{**options, "rng": np.random.default_rng(5)}))
    other = ef.feebee(table, **{**options, "rng": 6})
    assert not np.array_equal(other.estimates["isotonic"], expected.estimates["isotonic"])


def test_methods_alone_and_together_are_alike_to_the_last_bit(table):
    options = {"model_error": 0.2, "levels": 5, "repeats": 3, "rng": 5}
    together = ef.feebee(table, **options)
    assert together.methods == ef.METHODS
    for method in ef.METHODS:
        alone = ef.feebee(table, methods=[method], **options)
        assert np.array_equal(alone.estimates[method], together.estimates[method])
        assert alone[method] == together[method]
        assert alone.oracle == together.oracle


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("method", DETERMINISTIC)
@given(table=score_tables())
@settings(max_examples=10)
def test_fast_estimates_are_those_of_full_fits_to_the_same_noisy_tables(method, table):
    found = ef.feebee(
        table,
        methods={"fast": method, "slow": slow_floor(method)},
        model_error=0.2,
        levels=6,
        repeats=2,
        clip=CLIP,
        rng=0,
    )
    np.testing.assert_allclose(found.estimates["fast"], found.estimates["slow"], atol=2e-6)


@pytest.mark.parametrize("clip", [np.finfo(float).eps, "auto"])
def test_fits_that_start_at_the_expected_table_end_where_full_fits_do(clip):
    # Nearly separable, with exact zeros and ones: the hardest start there is.
    scores = np.concatenate([np.zeros(300), np.linspace(0.01, 0.99, 99), np.ones(300)])
    labels = scores > 0.4
    labels[[3, 310, 600]] = ~labels[[3, 310, 600]]
    table = ef.ScoreTable.from_arrays(scores, labels)
    distance = 0.005 if clip == "auto" else clip
    for method in ("beta", "beta-am", "beta-ab", "beta-a", "platt", "platt-logit"):
        slow = lambda noisy, method=method: fit(noisy, method, clip=distance).floor  # noqa: E731
        found = ef.feebee(
            table,
            methods={"fast": method, "slow": slow},
            model_error=0.2,
            levels=41,
            repeats=2,
            clip=clip,
            rng=0,
        )
        np.testing.assert_allclose(found.estimates["fast"], found.estimates["slow"], atol=1e-7)


def test_noise_on_cells_moves_estimates_as_noise_on_items_does(data):
    # 300 repeats each way at 5 levels: z-scores of the means, and ratios of the spreads, whose
    # logarithm has a standard error of about sqrt(1 / 300).
    scores, labels = data
    rng = np.random.default_rng(7)
    methods = ("isotonic", "hist-10", "beta", "platt")
    found = ef.feebee(
        scores, labels, methods=methods, model_error=0.2, levels=5, repeats=300, clip=CLIP, rng=8
    )
    slow = {method: np.empty((300, 5)) for method in methods}
    for repeat in range(300):
        for level, noise in enumerate(found.noise):
            redrawn = rng.random(labels.size) < noise
            noisy = np.where(redrawn, rng.random(labels.size) < 0.5, labels)
            table = ef.ScoreTable.from_arrays(scores, noisy)
            for method in methods:
                slow[method][repeat, level] = fit(table, method, clip=CLIP).floor
    for method in methods:
        fast, by_item = found.estimates[method][:, 1:], slow[method][:, 1:]
        error = np.sqrt((fast.var(axis=0) + by_item.var(axis=0)) / 300)
        assert np.abs((fast.mean(axis=0) - by_item.mean(axis=0)) / error).max() < 4.5
        ratio = np.log(fast.std(axis=0) / by_item.std(axis=0))
        assert np.abs(ratio).max() < 4.5 * np.sqrt(1 / 300)


def test_a_table_of_a_billion_items_is_as_easy_as_a_small_one():
    share = np.linspace(0.01, 0.99, 50)
    items = np.full(50, 2 * 10**7)
    positives = np.rint(items * share).astype(np.int64)
    table = ef.ScoreTable.from_counts(share, items - positives, positives)
    assert table.n == 10**9
    found = ef.feebee(table, model_error=0.25, repeats=2, rng=0)
    # What bends with the noise is right to about 1 / sqrt(n); a beta map is right without noise,
    # being the identity, but r/2 + (1 - r) p is no beta map of p.
    for method in ("isotonic", "isotonic-cf", "hist-50"):
        assert found[method].score < 2e-5
    assert found.estimates["beta"][0, 0] == pytest.approx(found.estimates["isotonic"][0, 0])
    assert found["beta"].score > 100 * found["isotonic"].score
    assert 0 < found.oracle.score < 1e-5
    assert found["corrupted"].score == pytest.approx(1 / 16, abs=1e-3)  # a constant 1/4


def test_one_repeat_has_no_standard_error_and_many_have_students(table):
    one = ef.feebee(table, methods=["isotonic"], model_error=0.1, repeats=1, levels=11, rng=0)
    row = one["isotonic"]
    assert row.standard_error is row.excess.low is row.excess.high is None
    assert not row.excess.is_clear
    assert one.curve("isotonic").low is None
    assert "oracle" in str(one)
    assert json.loads(json.dumps(one.to_dict()))["rows"][0]["standard_error"] is None
    many = ef.feebee(table, methods=["isotonic", "platt"], model_error=0.1, levels=11, rng=0)
    runs = many.runs("platt") - many.runs("isotonic")
    expected = stats.ttest_1samp(runs, 0).confidence_interval(0.9)
    gap = many.difference("platt", "isotonic", level=0.9)
    assert (gap.low, gap.high) == pytest.approx((expected.low, expected.high))
    assert gap.value == pytest.approx(many["platt"].score - many["isotonic"].score)
    assert many["platt"].standard_error == pytest.approx(stats.sem(many.runs("platt")))
    (pair,) = many.differences()
    assert (pair.first, pair.second, pair.value) == ("isotonic", "platt", -gap.value)
    with pytest.raises(ValueError, match="`level` must lie strictly"):
        many.difference("platt", level=95)


def test_the_band_of_a_curve_holds_another_run_as_often_as_it_says(table):
    first, second = (
        ef.feebee(
            table, methods=["platt"], model_error=0.1, levels=101, repeats=repeats, rng=repeats
        )
        for repeats in (20, 40)
    )
    curve = first.curve("platt", level=0.8)
    assert curve.lower_bound[-1] == curve.upper_bound[-1] == 0.5
    assert (curve.lower_bound[0], curve.upper_bound[0]) == (0, 0.1)
    estimates = second.estimates["platt"][:, 1:]
    inside = (curve.low[1:] <= estimates) & (estimates <= curve.high[1:])
    # The band itself varies with 20 runs: the share inside at one level has a standard deviation
    # of about 0.09, their mean over 100 levels 0.009.
    assert inside.mean() == pytest.approx(0.8, abs=0.03)
    assert np.array_equal(curve.estimate, first.estimates["platt"].mean(axis=0))


def test_a_result_is_json_text_html_frame_and_can_be_pickled(table):
    def half(_):
        return 0.5

    found = ef.feebee(table, methods=["isotonic", half], model_error=0.1, levels=5, rng=0)
    assert found.methods == ("isotonic", "half")
    assert len(found) == 2
    assert [row.method for row in found] == ["isotonic", "half"]
    record = json.loads(json.dumps(found.to_dict()))
    assert [row["method"] for row in record["rows"]] == ["isotonic", "half"]
    assert record["oracle"]["excess"] == 0
    assert record["repeats"] == 10
    assert len(record["curves"]["oracle"]) == record["levels"] == 5
    assert [gap["first"] for gap in record["differences"]] == ["isotonic"]
    assert [line.split()[0] for line in str(found).splitlines()] == [
        "method", "isotonic", "half", "oracle", "10",
    ]  # fmt: skip
    assert found._repr_html_().count("<tr>") == 4
    for backend, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        frame = found.to_frame(backend)
        assert isinstance(frame, kind)
        assert frame.shape == (2, 8)
        assert list(frame["method"]) == ["isotonic", "half"]
    same(pickle.loads(pickle.dumps(found)), found)
    with pytest.raises(KeyError, match="'beta' was not evaluated; there are isotonic, half"):
        found["beta"]
    with pytest.raises(KeyError, match="'beta' was not evaluated"):
        found.curve("beta")


def test_functions_and_names_mix_and_see_the_noisy_tables(table):
    seen = []

    def spy(noisy):
        seen.append(noisy)
        return ef.from_scores(noisy, method="isotonic", interval=None).value

    found = ef.feebee(table, methods=["isotonic", spy], model_error=0.1, levels=4, repeats=3, rng=0)
    assert np.array_equal(found.estimates["spy"], found.estimates["isotonic"])
    assert len(seen) == 12
    assert all(noisy.n == table.n for noisy in seen)
    assert seen.count(table) >= 3


def test_scores_on_another_scale_leave_out_what_needs_probabilities(data):
    found = ef.feebee(10 * data[0], data[1], model_error=0.2, levels=3, repeats=1)
    assert "beta" not in found.methods
    assert "were left out" in str(found)


def test_one_class_and_equal_scores_are_answers_with_warnings():
    with pytest.warns(ef.DegenerateDataWarning, match="All labels are 1"):
        found = ef.feebee([0.1, 0.4, 0.8], [1, 1, 1], model_error=0, levels=5, rng=0)
    assert found.warnings == ("All labels are 1: the floor is that of one class alone.",)
    with pytest.warns(ef.DegenerateDataWarning, match="All scores are equal"):
        found = ef.feebee(np.full(9, 0.3), np.arange(9) > 6, model_error=0.3, levels=5, rng=0)
    assert all(np.isfinite(row.score) for row in found)


# The paper's appendix prints five decimals of one run for each method. The spread of one run is
# taken from ours; `python -m benchmarks.feebee` does this for all sets, with more repeats.
@needs_data
@pytest.mark.parametrize("name", ["CIFAR-10", "Fashion-MNIST", "AbductiveNLI", "ICLR2019"])
def test_published_scores_are_within_three_standard_errors_of_one_run(name):
    setting = SETTINGS[name]
    methods = [method for method in setting.published if method not in VARIANTS]
    found = setting.run(methods, repeats=20, clip=EPS)
    for method in methods:
        runs = found.runs(method)
        error = runs.std(ddof=1) * np.sqrt(1 + 1 / runs.size)
        assert setting.published[method] == pytest.approx(runs.mean(), abs=3 * error + 5e-6)


# Means and standard errors of 6 runs of betacal 1.1.0, 101 levels, labels redrawn item by item:
# `redraw` of the benchmark, then `reference.floor`. The paper prints plain beta here.
@needs_data
@pytest.mark.parametrize(
    ("method", "score", "error"),
    [
        ("beta-am", 0.107286, 0.000123),
        ("beta-ab", 0.095577, 0.000193),
        ("beta-a", 0.109717, 0.000156),
    ],
)
def test_variants_of_beta_score_what_betacal_scores(method, score, error):
    found = SETTINGS["Fashion-MNIST"].run([method], repeats=20, clip=EPS)[method]
    assert found.score == pytest.approx(score, abs=4 * np.hypot(error, found.standard_error))


def test_scores_and_bands_of_known_estimates():
    estimates = {
        "mine": np.array([[0.1, 0.3, 0.6], [0.2, 0.3, 0.5], [0.0, 0.1, 0.5]]),
        "oracle": np.array([[0.1, 0.3, 0.5], [0.1, 0.3, 0.5], [0.0, 0.3, 0.5]]),
    }
    noise = np.array([0.0, 0.5, 1.0])
    found = ef.FeeBeeResult(model_error=0.1, n=50, noise=noise, estimates=estimates)
    least, largest = found.bounds
    assert least == pytest.approx([0, 0.25, 0.5])
    assert largest == pytest.approx([0.1, 0.3, 0.5])
    # What lies outside, over three levels: 0.1 above; 0.1 above; 0.15 below.
    assert found.runs("mine") == pytest.approx([0.1 / 3, 0.1 / 3, 0.05])
    score = found["mine"]
    assert (score.upper, score.lower) == pytest.approx((0.2 / 9, 0.15 / 9))
    assert score.score == pytest.approx(0.35 / 9)
    sd = np.std([0.1 / 3, 0.1 / 3, 0.05], ddof=1)
    assert score.standard_error == pytest.approx(sd / np.sqrt(3))
    gap = found.difference("mine", level=0.9)
    reach = stats.t.ppf(0.95, 2) * sd / np.sqrt(3)
    assert (gap.low, gap.high) == pytest.approx((gap.value - reach, gap.value + reach))
    assert gap.is_clear == (gap.low > 0)
    # One more run falls into the band: its own spread, and that of the mean.
    curve = found.curve("mine", level=0.9)
    spread = estimates["mine"].std(axis=0, ddof=1) * np.sqrt(4 / 3) * stats.t.ppf(0.95, 2)
    assert curve.estimate == pytest.approx(estimates["mine"].mean(axis=0))
    assert curve.high - curve.estimate == pytest.approx(spread)
    assert curve.estimate - curve.low == pytest.approx(spread)
    assert curve.lower_bound == pytest.approx(least)
    assert curve.upper_bound == pytest.approx(largest)
