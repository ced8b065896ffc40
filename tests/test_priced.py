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
from errorfloor.data.sample import Sample
from errorfloor.methods.priced import PricedCut, PricedMidpoint, each_of, heavier_where_wrong
from errorfloor.metrics.two_by_two import Balanced, Cost

RNG = np.random.default_rng(11)
N = 300
SCORES = RNG.random(N).round(2)
LABELS = RNG.random(N) < SCORES
WEIGHTS = RNG.choice([0.5, 1.0, 3.0], size=N)
CLUSTERS = RNG.integers(70, size=N)
COSTS = (1.0, 5.0)
LOSSES = {"cost": Cost(*COSTS), "balanced-error": Balanced()}
ASKED = {
    "cost": {"metric": "cost", "costs": COSTS},
    "balanced-error": {"metric": "balanced-error"},
    "known prior": {"metric": "balanced-error", "prior": 0.4},
}
# Misses of at most 0.06 at 95 %, with three standard errors of Monte Carlo.
TIMES = 100
MOST = binom.ppf(0.999, TIMES, 0.06)

asked = pytest.mark.parametrize("given", ASKED.values(), ids=ASKED)
both_losses = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


def cells_of(scores=SCORES, labels=LABELS, **beside):
    return ef.ScoreTable.from_arrays(scores, labels, **beside).cells()


def slow_losses(loss, scores, labels, weight):
    """Return the loss of every cut, one at a time."""
    found = []
    for cut in np.append(np.unique(scores), np.inf):
        named = scores >= cut
        fp, fn = weight[named & ~labels].sum(), weight[~named & labels].sum()
        if isinstance(loss, Cost):
            total = fp * loss.false_positive + fn * loss.false_negative
            found.append(total / weight.sum())
        else:
            found.append((fp / weight[~labels].sum() + fn / weight[labels].sum()) / 2)
    return np.array(found)


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


@both_losses
def test_the_value_is_that_of_the_best_cut(loss):
    cut = PricedCut(loss, cells_of(weight=WEIGHTS), (0, 1))
    losses = slow_losses(loss, SCORES, LABELS, WEIGHTS)
    assert cut.values(cut.cells.count[None], RNG)[0] == pytest.approx(losses.min(), abs=1e-12)
    # Its errors of both kinds are those of all cuts, in units.
    every = cut.every()
    found = cut.price[0] * every.false_positives + cut.price[1] * every.false_negatives
    assert found == pytest.approx(losses, abs=1e-12)


@both_losses
def test_without_an_item_the_value_is_that_of_the_same_cut(loss):
    cut = PricedCut(loss, cells_of(weight=WEIGHTS), (0, 1))
    cells = cut.cells
    fewer = cells.count - np.eye(len(cells), dtype=int)
    best = cut.values(fewer, RNG)
    found = cut.leave_one_out()
    assert (found >= best - 1e-12).all()
    assert np.mean(found < best + 1e-12) > 0.9
    assert found.max() < best.max() + 0.01


@asked
def test_whole_weights_stand_for_that_many_items(given):
    whole = RNG.integers(1, 5, size=N)
    rows = np.repeat(np.arange(N), whole)
    one = ef.from_scores(SCORES, LABELS, weight=whole, interval=None, **given)
    other = ef.from_scores(SCORES[rows], LABELS[rows], interval=None, **given)
    assert one.value == pytest.approx(other.value, abs=1e-12)


@both_losses
def test_the_midpoint_is_that_of_errors_in_sample_and_held_out(loss):
    midpoint = PricedMidpoint(loss, cells_of(weight=WEIGHTS, cluster=CLUSTERS), (0, 0.4))
    count = midpoint.cells.count[None]
    own = PricedCut(loss, midpoint.cells, (0, 1))
    wrong = own.held_out(np.random.default_rng(3))
    table = own.table(wrong)
    other = own.price[0] * table.false_positives + own.price[1] * table.false_negatives
    expected = (own.values(count, RNG)[0] + min(float(other[0]), 0.4)) / 2
    found = midpoint.values(count, np.random.default_rng(3))[0]
    assert found == pytest.approx(expected, abs=1e-12)


@both_losses
def test_a_cluster_is_held_out_whole(loss):
    # Each cluster has a score of its own and a label of its own: cuts never learn of it.
    cluster = np.repeat(np.arange(40), 5)
    labels = np.repeat(RNG.integers(2, size=40), 5).astype(bool)
    cut = PricedCut(loss, cells_of(np.zeros(200), labels, cluster=cluster), (0, 1))
    wrong = cut.held_out(np.random.default_rng(0))
    sums = np.bincount(cut.cells.cluster, wrong)
    assert set(sums) <= {0, 5}


def slow_each(loss, labels, weight, wrong, heavier):
    """Return what an item weighs by the same law, from items that stand alone."""
    weight = weight.copy()
    if isinstance(loss, Balanced):
        for own in (labels, ~labels):
            weight[own] /= (weight[own] ** 2).sum() / weight[own].sum()
    else:
        weight /= (weight**2).sum() / weight.sum()
    units = np.ones(2)  # of the weights in their unit
    if isinstance(loss, Balanced):
        parts = [weight[~labels], weight[labels]]
        units = np.array([own.mean() for own in parts])
        units *= max((own**2).mean() / own.mean() ** 2 for own in parts)
    # Wrong ones are heavier, and as many fewer.
    w = np.concatenate((weight, units * heavier, units))
    y = np.concatenate((labels, [False, True, False, True]))
    ill = np.concatenate((wrong > 0, [True, True, False, False]))
    times = np.concatenate((np.ones(weight.size), 2 / heavier, [2, 2]))
    if isinstance(loss, Balanced):
        price = np.where(y, 0.5 / weight[labels].sum(), 0.5 / weight[~labels].sum())
        value = price * ill
        mass = w * times
        centre = np.where(y, *(np.average(value[own], weights=mass[own]) for own in (y, ~y)))
    else:
        value = np.where(y, loss.false_negative, loss.false_positive) * ill / weight.sum()
        centre = np.average(value, weights=w * times)
    away = times * (value - centre) ** 2
    return (w**2 * away).sum() / (w * away).sum()


@both_losses
def test_items_are_worth_what_plain_code_says(loss):
    wrong = RNG.random(N) < 0.1
    order = np.lexsort((WEIGHTS, ~LABELS, SCORES))
    cells = cells_of(np.arange(N) / N, LABELS[order], weight=WEIGHTS[order])
    cut = PricedCut(loss, cells, (0, 1))
    wrong = wrong[order].astype(float)
    expected = slow_each(
        loss, cells.positive, WEIGHTS[order], wrong, heavier_where_wrong(cut, wrong)
    )
    assert each_of(cut, wrong) == pytest.approx(expected)


def test_items_weigh_as_others_on_their_side_of_the_cut():
    wrong = RNG.random(N) < 0.2
    above = wrong != LABELS
    weight = np.where(above, 1.0, 8.0) * np.where(LABELS, 3.0, 1.0)
    order = np.lexsort((weight, ~LABELS, SCORES))
    cells = cells_of(np.arange(N) / N, LABELS[order], weight=weight[order])
    cut = PricedCut(Balanced(), cells, (0, 1))
    # A positive that is wrong is below the cut, where all items weigh eight times as much.
    assert heavier_where_wrong(cut, wrong[order] * 1.0) == pytest.approx([1, 8])
    assert heavier_where_wrong(cut, np.zeros(N)) == pytest.approx([1, 1])
    independent = PricedCut(Balanced(), cells_of(weight=WEIGHTS), (0, 1))
    found = heavier_where_wrong(independent, independent.held_out(RNG))
    assert found == pytest.approx([1, 1], abs=0.2)


def test_the_weights_of_a_rare_class_are_taken_to_differ_as_much_as_all():
    # Twenty positives, none of them heavy, as happens in a third of such samples.
    labels = np.arange(1000) < 20
    weight = np.where(np.arange(1000) % 20 == 19, 20.0, 1.0)
    weight[19] = 1.0
    scores = RNG.random(1000)
    found = ef.from_scores(scores, labels, metric="cost", costs=COSTS, weight=weight, rng=1)
    assert found.value < 0.055
    assert found.high > 0.1  # 5 * 0.02
    cut = PricedCut(Balanced(), cells_of(scores, labels, weight=weight), (0, 0.5))
    zero = cut.only(~cut.cells.positive)
    ratio = zero.unit / (zero.total / 980)
    assert cut.units(0.0) == pytest.approx([1, ratio])


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


@both_losses
def test_copies_in_clusters_are_worth_what_the_items_are(loss):
    rows = np.repeat(np.arange(N), 4)
    twice = PricedCut(loss, cells_of(SCORES[rows], LABELS[rows], cluster=rows), (0, 1))
    wrong = twice.wrong(twice.design.masses) * twice.cells.count
    table = twice.table(wrong).scaled(1 / each_of(twice, wrong * 1.0))
    assert table.n == pytest.approx(N, rel=0.03)
    # Items of a cluster that have nothing to do with each other are worth nearly all.
    shuffled = RNG.permutation(rows)
    apart = PricedCut(loss, cells_of(SCORES[rows], LABELS[rows], cluster=shuffled), (0, 1))
    wrong = apart.wrong(apart.design.masses) * apart.cells.count
    table = apart.table(wrong).scaled(1 / each_of(apart, wrong * 1.0))
    assert 2 * N < table.n < 6 * N


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
    found = ef.from_scores(
        SCORES, LABELS, metric="balanced-error", weight=WEIGHTS, interval="jackknife", rng=1
    )
    assert found.low < found.value < found.high
    cells = cells_of(weight=WEIGHTS)
    cut = PricedCut(Balanced(), cells, (0, 0.5))
    wrong = np.where(cut.wrong(cut.design.masses), cells.count, 0)
    table = cut.table(wrong)
    share = np.where(
        cells.positive,
        table.false_negatives / table.positives,
        table.false_positives / table.negatives,
    )
    away = np.abs(cut.sign) * (wrong / cells.count - share)
    error = np.sqrt(Sample.of_rows(cells, cells.count, cut.weight).squares(away))
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
