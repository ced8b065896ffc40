"""FeeBee for balanced error and AUC: what noise does to them, oracles, and slow ways to both."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import score_tables

import errorfloor as ef
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.methods.record import Options
from errorfloor.metrics import named
from errorfloor.questions import feebee
from errorfloor.questions.feebee import (
    OfOrder,
    best_balanced_rule,
    expected_after_redraw,
    redraw_labels,
)
from errorfloor.results.feebee import MEANS, share_after, value_after
from errorfloor.show.sentences import sentence_of

METRICS = ["balanced-error", "auc"]
NO_NOISE = np.random.default_rng(0)
MODEL = {"balanced-error": 0.2, "auc": 0.85}
METHODS = ["isotonic", "hist-10", "beta", "beta-a", "platt", "platt-logit", "corrupted"]


@pytest.fixture(scope="module")
def table():
    found = gaussian_mixture(300, weights=(0.75, 0.25), rng=4)
    return ef.ScoreTable.from_arrays(np.round(corrupt(found.soft_labels, 2, 0.7), 2), found.labels)


def options_of(metric):
    return Options(metric=named(metric))


def printed_form(value, share, noise, mean):
    """F of Ushio, Ishida and Sugiyama (2026), as they write it."""

    def moved(t):
        return (1 - noise) * t + noise * mean

    numerator = moved(2 * share * (1 - share) * value + share**2) - moved(share) ** 2
    return numerator / (2 * moved(share) * (1 - moved(share)))


def least_balanced_error(table):
    positives, negatives = table.positives, table.negatives
    return min(
        (positives[:i].sum() / positives.sum() + negatives[i:].sum() / negatives.sum()) / 2
        for i in range(len(table) + 1)
    )


def auc_of_scores(table):
    order = 0.5 + 0.5 * np.sign(np.subtract.outer(table.scores, table.scores))
    pairs = (table.positives[:, None] * table.negatives * order).sum()
    return pairs / (table.positives.sum() * table.negatives.sum())


unit = st.floats(0.01, 0.99)


@given(unit, unit, unit, unit)
def test_a_straight_line_is_the_printed_form(value, share, noise, mean):
    line = value_after(value, share, noise, mean)
    assert line == pytest.approx(printed_form(value, share, noise, mean), abs=1e-9)
    assert value_after(1 - value, share, noise, mean) == pytest.approx(1 - line, abs=1e-12)
    assert abs(line - 0.5) <= abs(value - 0.5) + 1e-12  # noise tells nothing


@pytest.mark.parametrize("metric", METRICS)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9)), min_size=2, max_size=8),
    unit,
    unit,
)
def test_the_best_value_of_noisy_probabilities_is_known_without_them(metric, atoms, noise, mean):
    prob, weight = (np.array(column, dtype=float) for column in zip(*atoms, strict=True))
    share = float(weight @ prob / weight.sum())
    if not 1e-6 < share < 1 - 1e-6:
        return
    best = named(metric).best
    noisy = share_after(prob, noise, mean)
    expected = value_after(best(prob, weight), share, noise, mean)
    assert best(noisy, weight) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_redrawn_labels_of_a_known_distribution_have_the_value_that_theory_says(metric):
    # From first principles: items, labels, redrawn labels, and the value counted on 400,000 items
    # by the order of the true probabilities. A cut's value is off by about 1e-3, one standard
    # error of a balanced error at 10 % of 400,000 items.
    rng = np.random.default_rng(7)
    prob = np.sort(rng.beta(0.5, 1.5, 400_000))
    labels = rng.random(prob.size) < prob
    true = named(metric).best(prob, np.ones(prob.size))
    for noise, mean in ((0.2, 0.1), (0.5, 0.8), (0.8, 0.4)):
        redrawn = rng.random(prob.size) < noise
        noisy = np.where(redrawn, rng.random(prob.size) < mean, labels)
        positives, negatives = np.cumsum(noisy), np.cumsum(~noisy)
        if metric == "auc":
            value = (negatives[noisy]).sum() / (positives[-1] * negatives[-1])
        else:
            value = (1 + (positives / positives[-1] - negatives / negatives[-1]).min()) / 2
        assert value == pytest.approx(value_after(true, prob.mean(), noise, mean), abs=4e-3)


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.8])
def test_redrawn_labels_are_one_as_often_as_the_mean_says(mean):
    count = np.array([400, 100, 0, 50, 30, 0])  # three rows, positive labels first
    noise = np.array([0.0, 0.3, 1.0])
    rng = np.random.default_rng(1)
    draws = np.array([redraw_labels(count, noise, rng, mean) for _ in range(4000)])
    rows = draws.reshape(4000, 3, -1, 2).sum(axis=3)
    assert (rows == count.reshape(-1, 2).sum(axis=1)).all()
    assert (draws[:, 0] == count).all()
    for i, one in enumerate(noise):
        expected = expected_after_redraw(count, one, mean)
        pairs = count.reshape(-1, 2)
        slow = pairs[:, 0] * (1 - one * (1 - mean)) + pairs[:, 1] * one * mean
        assert expected[::2] == pytest.approx(slow)
        kept, come = one * (1 - mean), one * mean
        spread = np.sqrt(pairs @ [kept * (1 - kept), come * (1 - come)] / 4000)
        assert (np.abs(draws[:, i, ::2].mean(axis=0) - slow) <= 4.5 * spread + 1e-9).all()


@given(table=score_tables(), noise=st.floats(0, 0.99), mean=unit)
def test_any_rule_and_any_order_move_on_the_same_line(table, noise, mean):
    cells = table.cells(complete=True)
    positives = int(table.positives.sum())
    if not 0 < positives < table.n:
        return
    expected = expected_after_redraw(cells.count, noise, mean)
    for statistic in (best_balanced_rule(cells), OfOrder()):
        before, after = (
            statistic.values(np.asarray(one)[None], NO_NOISE)[0] for one in (cells.count, expected)
        )
        moved = value_after(before, positives / table.n, noise, mean)
        assert after == pytest.approx(moved, abs=1e-9)


@given(table=score_tables())
def test_the_oracles_are_the_best_cut_and_the_auc_of_the_scores(table):
    positives, negatives = table.positives, table.negatives
    if not (positives.any() and negatives.any()):
        return
    cells = table.cells(complete=True)
    found = best_balanced_rule(cells).values(cells.count[None], NO_NOISE)[0]
    assert found == pytest.approx(least_balanced_error(table), abs=1e-12)
    found = OfOrder().values(cells.count[None], NO_NOISE)[0]
    assert found == pytest.approx(auc_of_scores(table), abs=1e-12)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("method", METHODS)
def test_fast_estimates_are_those_of_full_fits_to_the_same_noisy_tables(method, metric, table):
    def slow(noisy):
        prob = ef.calibrate(noisy, method=method).probabilities
        return named(metric).best(prob, noisy.items)

    if method == "corrupted":
        slow = lambda noisy: named(metric).best(noisy.scores, noisy.items)  # noqa: E731
    options = {"model_value": MODEL[metric], "means": [0.2, 0.7], "levels": 4, "repeats": 2}
    found = ef.feebee(table, methods={"fast": method, "slow": slow}, metric=metric, **options)
    np.testing.assert_allclose(found.estimates["fast"], found.estimates["slow"], atol=1e-7)


def test_isotonic_has_the_least_balanced_error_of_any_cut(table):
    cells = table.cells(complete=True)
    isotonic = feebee.bind_to_metric(
        feebee.method_of("isotonic", named("balanced-error")),
        cells,
        options_of("balanced-error"),
    )
    counts = redraw_labels(cells.count, np.linspace(0, 1, 9), np.random.default_rng(2), 0.3)
    best = [
        best_balanced_rule(cells.__class__(cells.scores, cells.row, cells.positive, count)).values(
            count[None], NO_NOISE
        )[0]
        for count in counts
    ]
    assert isotonic.values(counts, NO_NOISE) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("model", [0.5, "near"])
def test_the_oracle_is_unbiased_within_the_bounds(table, metric, model):
    # 400 draws at each of 5 levels of 3 means; the mean of a ratio of two counts is off by O(1/n).
    # A model that is better than the oracle's own rule takes the oracle into the bounds.
    model = {"balanced-error": 0.02, "auc": 0.99}[metric] if model == "near" else model
    found = ef.feebee(
        table, methods=["corrupted"], metric=metric, model_value=model, means=[0.1, 0.5, 0.8],
        levels=6, repeats=400, rng=1,
    )  # fmt: skip
    value = {"balanced-error": least_balanced_error, "auc": auc_of_scores}[metric](table)
    assert 0.02 < value < 0.99
    within = min(value, model) if metric == "balanced-error" else max(value, model)
    target = value_after(within, found.share, found.noise[:, None], np.array(found.means))
    draws = found.estimates["oracle"]
    error = draws.std(axis=0, ddof=1) / np.sqrt(400)
    assert (np.abs(draws.mean(axis=0) - target) <= 4.5 * error + 2e-3).all()
    low, high = found.bounds
    assert (low - 1e-12 <= target).all()
    assert (target <= high + 1e-12).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("constant", [0.2, 0.5, 0.8])
def test_a_constant_estimator_has_its_closed_form_score(table, metric, constant):
    found = ef.feebee(
        table, methods={"constant": lambda _: constant}, metric=metric, model_value=MODEL[metric],
        repeats=2, rng=0,
    )  # fmt: skip
    assert found.means == MEANS
    out = []
    share = table.positives.sum() / table.n
    for noise in np.arange(21) / 20:
        for mean in MEANS:
            ends = [
                printed_form(end, share, noise, mean) for end in (0, MODEL["balanced-error"])
            ] if metric == "balanced-error" else [
                1 - printed_form(1 - end, share, noise, mean) for end in (MODEL["auc"], 1)
            ]  # fmt: skip
            out.append(max(ends[0] - constant, constant - ends[1], 0))
    assert found["constant"].score == pytest.approx(np.mean(out), abs=1e-12)
    assert found["constant"].standard_error == 0


def test_an_estimator_that_follows_noise_beats_one_that_does_not(table):
    for metric in METRICS:
        found = ef.feebee(
            table, methods=["isotonic", "corrupted", "platt"], metric=metric, rng=3,
            model_value=MODEL[metric],
        )  # fmt: skip
        gap = found.difference("corrupted", "isotonic")
        assert gap.is_clear
        assert gap.value > 0.05
        assert found["isotonic"].score < 0.05


@pytest.mark.parametrize("metric", METRICS)
def test_the_same_seed_gives_the_same_bits_whatever_methods_run_along(table, metric):
    options = {"metric": metric, "model_value": MODEL[metric], "levels": 3, "repeats": 2, "rng": 5}
    together = ef.feebee(table, **options)
    assert {"isotonic", "hist-10", "beta", "platt"} <= set(together.methods)
    assert ("ranking" if metric == "auc" else "isotonic-cf") in together.methods
    alone = ef.feebee(table, methods=["platt"], **options)
    for name in ("platt", "oracle"):
        assert np.array_equal(alone.estimates[name], together.estimates[name])
    again = pickle.loads(pickle.dumps(together))
    assert again.to_dict() == ef.feebee(table, **options).to_dict() == together.to_dict()
    other = ef.feebee(table, methods=["platt"], **{**options, "rng": 6})
    assert not np.array_equal(other.estimates["platt"], alone.estimates["platt"])


def test_results_say_metric_means_and_model_in_text_json_and_pictures(table):
    found = ef.feebee(
        table, methods=["isotonic", "platt"], metric="AUC", model_value=0.9, means=[0.25, 0.5],
        levels=5, repeats=3, rng=0,
    )  # fmt: skip
    assert found.estimates["platt"].shape == (3, 5, 2)
    text = str(found)
    assert (
        "3 repeats at each of 5 levels of noise, for each of 2 shares of class 1; n = 300, "
        "model AUC 0.9" in text
    )
    assert "Of 2 methods of AUC" in sentence_of(found)
    content = json.loads(json.dumps(found.to_dict()))
    assert content["metric"] == "auc"
    assert content["model_value"] == 0.9
    assert content["means"] == [0.25, 0.5]
    assert len(content["curves"]["platt"]) == 5
    curve = found.curve("platt")
    assert curve.estimate == pytest.approx(found.estimates["platt"].mean(axis=(0, 2)))
    assert curve.upper_bound[0] == 1
    assert curve.lower_bound[0] == pytest.approx(0.9)
    assert curve.upper_bound[-1] == curve.lower_bound[-1] == pytest.approx(0.5)
    ax = ef.plot.noise_curves(found)
    assert "hundredths of AUC" in ax.get_ylabel()
    error = ef.feebee(table, methods=["platt"], model_error=0.3, levels=3, repeats=1)
    assert error.metric == "error"
    assert error.means == ()
    assert error.share is None


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("metric", METRICS)
def test_noise_that_leaves_one_class_is_said_and_counts_as_knowing_nothing(metric):
    tiny = ef.ScoreTable.from_arrays([0.1, 0.6, 0.9], [0, 1, 1])
    found = ef.feebee(
        tiny, methods=["isotonic", "hist-10", "platt"], metric=metric, model_value=0.5,
        means=[0.05], levels=3, repeats=50, rng=0,
    )  # fmt: skip
    assert any("Noise left one class on" in note for note in found.notes)
    for estimates in found.estimates.values():
        assert np.isfinite(estimates).all()
    assert (found.estimates["isotonic"][:, -1] == 0.5).any()


def test_groups_are_evaluated_apart(table):
    import pandas as pd

    rng = np.random.default_rng(0)
    score = rng.random(80).round(1)
    frame = pd.DataFrame({"score": score, "label": rng.random(80) < score, "g": ["a", "b"] * 40})
    found = ef.feebee(
        frame, group="g", metric="auc", model_value=0.5, methods=["isotonic"], levels=2, repeats=2,
        rng=0,
    )  # fmt: skip
    assert set(found) == {"a", "b"}
    assert found["a"].metric == "auc"


def ask(scores=(0.1, 0.4, 0.6, 0.9), labels=(0, 1, 0, 1), **options):
    return ef.feebee(scores, labels, **{"metric": "auc", "levels": 2, "repeats": 1, **options})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: ask(metric="f1", model_value=0.5),
            r"`metric='f1'` has no known value under noise",
        ),
        (lambda: ask(), r"`model_value` is missing: the AUC .* 0\.5 is what a constant one has"),
        (lambda: ask(model_error=0.1), r"`model_error` is no AUC\. Give .* as `model_value`"),
        (lambda: ask(model_value=0.4), r"`model_value` must lie in \[0\.5, 1\], got 0\.4"),
        (
            lambda: ask(model_value=0.4, model_error=0.3, metric="error"),
            r"`model_error` and `model_value` are two names",
        ),
        (
            lambda: ask(metric="balanced-error", model_error=0.6),
            r"`model_error` must lie in \[0, 0",
        ),
        (lambda: ask(metric="error"), r"`model_error` is missing"),
        (lambda: ask(metric="error", model_error=0.3, means=[0.2]), r"`means` goes with balanced"),
        (lambda: ask(model_value=0.9, means=[0.2, 1]), r"`means` must .* without 0 and 1; got 1"),
        (lambda: ask(model_value=0.9, means=[]), r"`means` must be numbers between 0 and 1"),
        (lambda: ask(model_value=0.9, means="0.5"), r"`means` must be numbers .*got '0\.5'"),
        (lambda: ask(model_value=0.9, methods=["isotonc"]), r"`method` .*Did you mean isotonic"),
        (lambda: ask(model_value=0.9, methods=["isotonic-cf"]), r"`method` must be one of .*AUC"),
        (lambda: ask(model_value=0.9, labels=[1, 1, 1, 1]), r"AUC needs labels of both classes"),
        (
            lambda: ask(
                np.full((3, 3), 1 / 3), [0, 1, 2], metric="balanced-error", model_value=0.4
            ),
            r"`metric='balanced-error'` has a known value under noise for two classes",
        ),
        (lambda: ask([3, 4], [0, 1], model_value=0.9, methods=["beta"]), r"`scores` must lie in"),
        (lambda: ask(model_value=0.9, levels=1), r"`levels` must be .* 21 is usual"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_remedy(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@settings(max_examples=10)
@given(table=score_tables(), mean=unit)
@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_every_table_of_both_classes_is_answered_with_finite_numbers(table, mean):
    if not 0 < table.positives.sum() < table.n:
        return
    for metric in METRICS:
        found = ef.feebee(
            table, metric=metric, model_value=0.5, means=[mean], levels=3, repeats=2, rng=0
        )
        assert np.isfinite([row.score for row in found]).all()


def test_the_command_answers_as_the_function_does(table, tmp_path, capsys):
    from errorfloor.apps.cli.commands import run

    counts = np.concatenate([table.negatives, table.positives])
    scores = np.repeat(np.tile(table.scores, 2), counts)
    labels = np.repeat([0, 1], [table.negatives.sum(), table.positives.sum()])
    path = tmp_path / "scores.csv"
    lines = (f"{score},{label}\n" for score, label in zip(scores, labels, strict=True))
    path.write_text("score,label\n" + "".join(lines))
    how = ["--means", "0.2,0.5", "--levels", "3", "--repeats", "2", "--seed", "4", "--json"]
    how += ["--method", "platt", "--method", "isotonic"]
    asked = ["feebee", str(path), "--metric", "auc", "--model-value", "0.9", *how]
    assert run(asked) == 0
    found = json.loads(capsys.readouterr().out)["result"]
    expected = ef.feebee(
        table, methods=["platt", "isotonic"], metric="auc", model_value=0.9, means=[0.2, 0.5],
        levels=3, repeats=2, rng=4,
    ).to_dict()  # fmt: skip
    assert found["rows"] == expected["rows"]
    assert found["means"] == [0.2, 0.5]
    assert run(["feebee", str(path), "--metric", "auc", "--model-error", "0.1"]) == 1
    assert "--model-error is no AUC" in capsys.readouterr().err
    assert run(["feebee", str(path), "--metric", "auc"]) == 2
    assert run(["feebee", str(path), "--metric", "auc", "--means", "0.2,1"]) == 2
