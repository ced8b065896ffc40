"""Costs and balanced error of scores with weights and clusters: slow code, truths, attacks."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from helpers import answer
from scipy.stats import binom

import errorfloor as ef
from benchmarks import weights as study

RNG = np.random.default_rng(11)
N = 300
SCORES = RNG.random(N).round(2)
LABELS = RNG.random(N) < SCORES
WEIGHTS = RNG.choice([0.5, 1.0, 3.0], size=N)
CLUSTERS = RNG.integers(70, size=N)
COSTS = (1.0, 5.0)
ASKED = {
    "cost": {"metric": "cost", "costs": COSTS},
    "balanced-error": {"metric": "balanced-error"},
    "known prior": {"metric": "balanced-error", "prior": 0.4},
}
# Misses of at most 0.06 at 95 %, with three standard errors of Monte Carlo.
TIMES = 100
MOST = binom.ppf(0.999, TIMES, 0.06)

asked = pytest.mark.parametrize("given", ASKED.values(), ids=ASKED)


@asked
@pytest.mark.parametrize("method", ["isotonic", "isotonic-cf"])
def test_equal_weights_and_clusters_of_one_change_no_bit(given, method):
    def ask(**beside):
        return answer(ef.from_scores(SCORES, LABELS, rng=1, method=method, **given, **beside))

    plain = ask()
    assert ask(weight=np.ones(N)) == plain
    assert ask(weight=np.full(N, 0.3)) == plain
    assert ask(cluster=np.arange(N)) == plain


@asked
def test_only_ratios_of_weights_matter(given):
    one, other = (
        ef.from_scores(SCORES, LABELS, rng=1, weight=WEIGHTS * times, **given)
        for times in (1, 2.0**-40)
    )
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
    assert one.low < one.value < one.high


@asked
def test_whole_weights_stand_for_that_many_items(given):
    whole = RNG.integers(1, 5, size=N)
    rows = np.repeat(np.arange(N), whole)
    # Of the best cut: folds part copies, that are items of their own, and leave a weight whole.
    given = {**given, "method": "isotonic", "interval": None}
    one = ef.from_scores(SCORES, LABELS, weight=whole, **given)
    other = ef.from_scores(SCORES[rows], LABELS[rows], **given)
    assert one.value == pytest.approx(other.value, abs=1e-12)


def test_the_weights_of_a_rare_class_are_taken_to_differ_as_much_as_all():
    # Twenty positives, none of them heavy, as happens in a third of such samples.
    labels = np.arange(1000) < 20
    weight = np.where(np.arange(1000) % 20 == 19, 20.0, 1.0)
    weight[19] = 1.0
    scores = RNG.random(1000)
    found = ef.from_scores(scores, labels, metric="cost", costs=COSTS, weight=weight, rng=1)
    assert found.value < 0.055
    assert found.high > 0.1  # 5 * 0.02
    # Balanced errors of positives that are all light are no surer than those of the others.
    alike, balanced = (
        ef.from_scores(scores, labels, metric="balanced-error", weight=one, rng=1)
        for one in (np.ones(1000), weight)
    )
    assert balanced.high - balanced.low > 1.2 * (alike.high - alike.low)


def test_rare_heavy_items_are_allowed_for_though_none_was_drawn():
    # Likely positives were drawn more often: a missed one weighs up to twenty times as much.
    def draw(rng):
        x = rng.random(300)
        eta = x**3 / (x**3 + (1 - x) ** 3)
        labels = rng.random(300) < eta
        return study.Sample(x, eta, labels, None, {"weight": 1 / (0.05 + eta)})

    # 0.90 of the samples without it.
    share, width = study.covers((study.BALANCED, "honest"), 0.0998, draw, TIMES)
    assert (1 - share) * TIMES <= binom.ppf(0.95, TIMES, 0.05)
    assert width < 0.3


@asked
@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")  # of what ignores clusters
def test_copies_in_clusters_tell_no_more_than_the_items(given):
    rows = np.repeat(np.arange(N), 4)
    best, best_of_copies = (
        ef.from_scores(
            SCORES[own], LABELS[own], cluster=own, method="isotonic", interval=None, **given
        )
        for own in (np.arange(N), rows)
    )
    assert best_of_copies.value == pytest.approx(best.value)
    alone = ef.from_scores(SCORES, LABELS, rng=1, **given)
    copies, apart = (
        ef.from_scores(SCORES[rows], LABELS[rows], cluster=cluster, rng=1, **given)
        for cluster in (rows, RNG.permutation(rows))
    )
    # Folds are drawn in another way, and leave the same noise.
    assert copies.value == pytest.approx(alone.value, rel=0.02)
    width = alone.high - alone.low
    assert copies.high - copies.low == pytest.approx(width, rel=0.2)
    # Items of a cluster that have nothing to do with each other are worth nearly all.
    assert apart.high - apart.low < 0.75 * width


@asked
def test_near_equal_weights_give_nearly_the_limits_of_equal_ones(given):
    rng = np.random.default_rng(2)
    scores = rng.random(2000)
    labels = rng.random(2000) < scores
    plain = ef.from_scores(scores, labels, rng=1, **given)
    found = ef.from_scores(scores, labels, weight=1 + rng.random(2000) / 100, rng=1, **given)
    assert found.value == pytest.approx(plain.value, abs=0.002)
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.15)


def test_what_a_class_weighs_in_all_does_not_matter_for_balanced_error():
    heavy = np.where(LABELS, WEIGHTS * 64, WEIGHTS)
    one, other = (
        ef.from_scores(SCORES, LABELS, metric="balanced-error", weight=weight, rng=1)
        for weight in (WEIGHTS, heavy)
    )
    assert (one.value, one.high) == pytest.approx((other.value, other.high), rel=1e-6)


@pytest.mark.parametrize("labels", [study.COST, study.BALANCED])
@pytest.mark.parametrize("weighting", ["more where hard", "5 % weigh 20"])
def test_limits_hold_with_weights(labels, weighting):
    truth = "certain or a coin"
    floor = study.best_value(labels, truth, weighting)
    share, width = study.covers(
        (labels, "honest"), floor, lambda rng: study.weighted(truth, weighting, 300, rng), TIMES
    )
    assert (1 - share) * TIMES <= MOST
    assert width < 0.7


@pytest.mark.parametrize("labels", [study.COST, study.BALANCED])
@pytest.mark.parametrize("alike", [0.1, 1.0])
def test_limits_hold_with_fifty_clusters_of_unequal_size(labels, alike):
    share, width = study.covers(
        (labels, "honest"),
        study.best_value(labels, "rises evenly"),
        lambda rng: study.clustered("rises evenly", "2 to 100 items", alike, rng),
        TIMES,
    )
    assert (1 - share) * TIMES <= MOST
    assert width < 0.9 if alike == 1 else width < 0.2


def test_limits_that_ignore_weights_would_not_hold():
    floor = study.best_value(study.COST, "rises steeply", "more where hard")
    missed = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sample = study.weighted("rises steeply", "more where hard", 300, rng)
        found = ef.from_scores(sample.scores, sample.labels, metric="cost", costs=COSTS, rng=seed)
        missed += not found.low <= floor <= found.high
    assert missed > 15


@asked
@pytest.mark.filterwarnings("ignore:Few heavy items:errorfloor.DoubtWarning")
def test_one_item_of_all_the_weight_leaves_nearly_everything_open(given):
    weight = np.where(np.arange(N) == 0, 1e6, 1.0)
    found = ef.from_scores(SCORES, LABELS, weight=weight, rng=1, **given)
    assert found.low <= found.value <= found.high
    top = 5 / 6 if given["metric"] == "cost" else 0.5
    assert found.high > 0.85 * top
    # With half of all weight, still a good part.
    half = np.where(np.arange(N) == 0, N - 1.0, 1.0)
    found = ef.from_scores(SCORES, LABELS, weight=half, rng=1, **given)
    assert found.high - found.low > top / 3


@asked
@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")  # of what ignores clusters
def test_pure_clusters_of_unequal_size_are_worth_few_items(given):
    rng = np.random.default_rng(4)
    size = np.exp(rng.uniform(np.log(2), np.log(100), 50)).astype(int)
    cluster = np.repeat(np.arange(50), size)
    own = rng.random(50)
    labels = (rng.random(50) < own)[cluster]
    found = ef.from_scores(own[cluster], labels, cluster=cluster, rng=1, **given)
    alone = ef.from_scores(own[cluster], labels, rng=1, **given)
    assert found.high - found.low > 2 * (alone.high - alone.low)


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([0.5, 0.5], [0, 1]),
        ([0.1, 0.9], [0, 1]),
        (np.arange(10) / 10, [0, 0, 1, 0, 1, 0, 1, 1, 1, 1]),
    ],
)
@asked
@pytest.mark.filterwarnings("ignore::errorfloor.DegenerateDataWarning")
@pytest.mark.filterwarnings("ignore:Few heavy items:errorfloor.DoubtWarning")
def test_a_few_items_have_limits_that_say_little(given, scores, labels):
    weight = 1.0 + np.arange(len(scores))
    found = ef.from_scores(scores, labels, weight=weight, rng=1, **given)
    assert found.low <= found.value <= found.high
    assert found.high > 0.35


@pytest.mark.filterwarnings("ignore::errorfloor.DegenerateDataWarning")
def test_one_class_alone_costs_nothing_and_has_no_balanced_error():
    weight = 1.0 + np.arange(40)
    found = ef.from_scores(SCORES[:40], np.ones(40), metric="cost", costs=COSTS, weight=weight)
    assert (found.low, found.value) == (0, 0)
    assert 0 < found.high < 5 / 6
    with pytest.raises(ef.InputError, match="needs items of both classes"):
        ef.from_scores(SCORES[:40], np.ones(40), metric="balanced-error", weight=weight)


def test_the_jackknife_is_for_noise_alone():
    given = {"metric": "balanced-error", "method": "isotonic", "interval": "jackknife"}
    found = ef.from_scores(SCORES, LABELS, weight=WEIGHTS, rng=1, **given)
    assert found.low < found.value < found.high
    # To first order it is a sum over items: of what an error adds to the share of its class.
    classes = [np.flatnonzero(label == LABELS) for label in (0, 1)]

    def shares(cut):
        wrong = (cut < SCORES) != LABELS
        return [np.average(wrong[own], weights=WEIGHTS[own]) for own in classes]

    best = min(np.append(np.unique(SCORES), -1.0), key=lambda cut: sum(shares(cut)))
    assert found.value == pytest.approx(sum(shares(best)) / 2)
    wrong = (best < SCORES) != LABELS
    away = [
        0.5 * WEIGHTS[own] / WEIGHTS[own].sum() * (wrong[own] - share)
        for own, share in zip(classes, shares(best), strict=True)
    ]
    error = np.sqrt((np.concatenate(away) ** 2).sum())
    assert found.evidence.error == pytest.approx(error, rel=0.1)


def test_what_is_not_built_is_refused_in_one_word():
    with pytest.raises(ef.InputError, match="certified is not given with `weight` or `cluster`"):
        ef.from_scores(SCORES, LABELS, metric="cost", costs=COSTS, weight=WEIGHTS,
                       interval="certified")  # fmt: skip
    for metric in ("f1", "mcc"):
        with pytest.raises(ef.InputError, match="is not given with `weight` or `cluster` for such"):
            ef.from_scores(SCORES, LABELS, metric=metric, weight=WEIGHTS)
    with pytest.raises(ef.InputError, match="error, balanced-error, cost, brier, log-loss or auc"):
        ef.from_scores(SCORES, LABELS, metric="f1", weight=WEIGHTS)


def test_the_command_line_takes_costs_with_weights_and_clusters(tmp_path):
    from errorfloor.apps.cli.commands import cli

    frame = pd.DataFrame({"score": SCORES, "label": LABELS * 1, "w": WEIGHTS, "patient": CLUSTERS})
    path = tmp_path / "scores.csv"
    frame.to_csv(path, index=False)
    given = ["estimate", str(path), "--score", "score", "--label", "label", "--weight", "w"]
    given += ["--cluster", "patient", "--metric", "cost", "--costs", "1,5", "--json"]
    run = CliRunner().invoke(cli, given)
    found = json.loads(run.output)["result"]
    expected = ef.from_scores(SCORES, LABELS, weight=WEIGHTS, cluster=CLUSTERS,
                              metric="cost", costs=COSTS, rng=found["seed"])  # fmt: skip
    assert (found["value"], found["low"], found["high"]) == (
        expected.value, expected.low, expected.high,
    )  # fmt: skip


def test_a_comparison_names_no_method_that_is_there():
    found = ef.compare(SCORES, LABELS, metric="cost", costs=COSTS, weight=WEIGHTS, rng=1)
    assert found.methods == ("isotonic", "isotonic-cf")
    assert found.notes == ()
    with pytest.raises(ef.InputError, match="is not given with `weight` or `cluster` for such"):
        ef.compare(SCORES, LABELS, metric="f1", weight=WEIGHTS, rng=1)
