"""Brier score and log-loss of scores with weights and clusters: slow code, truths, attacks."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

import errorfloor as ef
from benchmarks import weights as study
from errorfloor.data.sample import Sample
from errorfloor.methods.scoring import brier
from errorfloor.methods.weighted_scoring import CellLosses, WeightedLoss

RNG = np.random.default_rng(12)
N = 300
SCORES = RNG.random(N).round(2)
LABELS = RNG.random(N) < SCORES
WEIGHTS = RNG.choice([0.5, 1.0, 3.0], size=N)
CLUSTERS = RNG.integers(70, size=N)
metrics = pytest.mark.parametrize("metric", ["brier", "log-loss"])


def ask(metric, scores=SCORES, labels=LABELS, **more):
    return ef.from_scores(scores, labels, metric=metric, rng=1, **more)


def loss_of(cells):
    return WeightedLoss(brier, cells, 0.25)


def cells_of(scores=SCORES, labels=LABELS, **beside):
    return ef.ScoreTable.from_arrays(scores, labels, **beside).cells()


@metrics
def test_the_value_is_the_weighted_loss_of_the_weighted_fit(metric):
    found = ask(metric, weight=WEIGHTS, method="isotonic", interval=None)
    fit = IsotonicRegression().fit(SCORES, LABELS, sample_weight=WEIGHTS)
    p = fit.predict(SCORES)
    of = {"brier": brier_score_loss, "log-loss": log_loss}[metric]
    assert found.value == pytest.approx(of(LABELS, p, sample_weight=WEIGHTS), abs=1e-6)


def test_without_an_item_the_loss_is_that_of_the_same_fit():
    loss = loss_of(cells_of(weight=WEIGHTS))
    count = loss.cells.count
    found, own = loss.leave_one_out(), loss.own_losses(count)
    each = own.total / count
    for cell in range(0, count.size, 13):
        left = loss.design.masses - loss.design.weight * (np.arange(count.size) == cell)
        assert found[cell] == pytest.approx(np.average(each, weights=left), abs=1e-12)


def test_without_the_heaviest_of_two_items_the_light_one_is_left():
    loss = loss_of(cells_of([0.5, 0.5], [0, 1], weight=[1.0, 100.0]))
    p = 100 / 101  # of the fit to both; the positive cell comes first
    assert loss.leave_one_out() == pytest.approx([p**2, (1 - p) ** 2])


def test_the_largest_loss_there_might_have_been_is_that_of_the_other_label():
    loss = loss_of(cells_of(weight=WEIGHTS))
    held = loss.losses_held_out(loss.cells.count, np.random.default_rng(0))
    each = held.total / loss.cells.count
    assert each.max() <= held.most < 1


def test_a_cluster_is_held_out_whole_and_every_item_once():
    labels = RNG.integers(2, size=200).astype(bool)
    cluster = np.repeat(np.arange(40), 5)
    # Each cluster has a score of its own, which the fit to others does not know.
    loss = loss_of(cells_of(np.arange(200) // 5 / 40, labels, cluster=cluster))
    held = loss.losses_held_out(loss.cells.count, np.random.default_rng(0))
    design, count = loss.design, loss.cells.count
    assert (held.total > 0).all()
    p = np.where(loss.cells.positive, 1, 0) - np.sqrt(held.total / count) * np.where(
        loss.cells.positive, 1, -1
    )
    for own in range(40):  # one map, so one probability, whatever the label
        assert np.ptp(p[loss.cells.cluster == own]) == pytest.approx(0, abs=1e-12)
    assert held.mean(design) > loss.own_losses(count).mean(design)


def test_losses_of_items_are_worth_what_plain_code_says():
    losses, weight = RNG.random(N) ** 3, WEIGHTS / ((WEIGHTS**2).sum() / WEIGHTS.sum())
    design = Sample.of_rows(np.arange(N), np.ones(N, dtype=int), weight)
    found = CellLosses(losses, losses**2, 1.0).sums(design)
    usual = (weight @ losses**2) / (weight @ losses)
    w, x = np.append(weight, np.ones(4)), np.append(losses, [usual, usual, 0, 0])
    away = (x - np.average(x, weights=w)) ** 2
    each = (w**2 @ away) / (w @ away)
    assert found.items == pytest.approx(weight.sum() / each)
    assert found.mean == pytest.approx(np.average(losses, weights=weight))
    # Losses that are 0 or 1 are errors, and worth as much.
    wrong = (losses > 0.5).astype(float)
    errors = CellLosses(wrong, wrong, 1.0)
    assert errors.sums(design).items == pytest.approx(design.worth(wrong)[1])
    nothing = CellLosses(np.zeros(N), np.zeros(N), 1.0).sums(design)
    assert nothing.items == pytest.approx(design.units)


def test_errors_in_clusters_are_worth_what_design_says():
    wrong, weight = (RNG.random(N) < 0.2).astype(float), np.ones(N)
    design = Sample.of_rows(np.arange(N), np.ones(N, dtype=int), weight, CLUSTERS)
    found = CellLosses(wrong, wrong, 1.0).sums(design).items
    assert found == pytest.approx(design.worth(wrong)[1], rel=0.02)
    rows = np.repeat(np.arange(N), 4)
    copies = Sample.of_rows(rows, np.ones(4 * N, dtype=int), np.ones(4 * N), rows)
    found = CellLosses(wrong[rows], wrong[rows], 1.0).sums(copies).items
    assert found == pytest.approx(N, rel=0.03)


@metrics
def test_near_equal_weights_give_nearly_the_limits_of_equal_ones(metric):
    rng = np.random.default_rng(2)
    scores = rng.random(2000)
    labels = rng.random(2000) < scores
    plain = ask(metric, scores, labels)
    found = ask(metric, scores, labels, weight=1 + rng.random(2000) / 100)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.01)


TIMES = 60
MOST = binom.ppf(0.999, TIMES, 0.06)


@pytest.mark.parametrize("labels", [study.BRIER, study.LOG_LOSS])
@pytest.mark.parametrize("weighting", ["more where hard", "5 % weigh 20"])
def test_limits_hold_with_weights(labels, weighting):
    truth = "rises evenly"
    share, width = study.covers(
        (labels, "honest"),
        study.best_value(labels, truth, weighting),
        lambda rng: study.weighted(truth, weighting, 300, rng),
        TIMES,
    )
    assert (1 - share) * TIMES <= MOST
    assert width < 0.5


@pytest.mark.parametrize("labels", [study.BRIER, study.LOG_LOSS])
@pytest.mark.parametrize("alike", [0.1, 1.0])
def test_limits_hold_with_fifty_clusters_of_unequal_size(labels, alike):
    share, _ = study.covers(
        (labels, "honest"),
        study.best_value(labels, "certain or a coin"),
        lambda rng: study.clustered("certain or a coin", "2 to 100 items", alike, rng),
        TIMES,
    )
    assert (1 - share) * TIMES <= MOST


@metrics
def test_one_item_of_all_the_weight_leaves_nearly_everything_open(metric):
    weight = np.where(np.arange(N) == 0, 1e6, 1.0)
    found = ask(metric, weight=weight)
    assert found.low <= found.value <= found.high
    top = {"brier": 0.25, "log-loss": np.log(2)}[metric]
    assert found.high > 0.9 * top
    half = ask(metric, weight=np.where(np.arange(N) == 0, N - 1.0, 1.0))
    assert half.high - half.low > top / 3


@metrics
@pytest.mark.parametrize(
    ("scores", "labels"),
    [([0.5], [1]), ([0.5, 0.5], [0, 1]), ([0.1, 0.9], [0, 1]), (np.arange(10), np.arange(10) % 2)],
)
@pytest.mark.filterwarnings("ignore::errorfloor.DegenerateDataWarning")
def test_a_few_items_have_limits_that_say_little(metric, scores, labels):
    found = ask(metric, scores, labels, weight=1.0 + np.arange(len(scores)))
    assert found.low <= found.value <= found.high
    assert found.high > 0.2


@metrics
def test_certified_limits_are_refused_with_weights(metric):
    name = "certified" if metric == "brier" else "bca"
    method = "isotonic-cf" if metric == "brier" else "isotonic"
    with pytest.raises(ef.InputError, match=f"{name} is not given with `weight` or `cluster`"):
        ask(metric, weight=WEIGHTS, interval=name, method=method)
    rows = RNG.dirichlet([1, 1, 1], size=N)
    with pytest.raises(ef.InputError, match="is not given with `weight` or `cluster` for such"):
        ask(metric, rows, rows.argmax(axis=1), weight=WEIGHTS)
