"""Brier score and log-loss of scores with weights and clusters: slow code, truths, attacks."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

import errorfloor as ef
from benchmarks import weights as study
from errorfloor import methods
from errorfloor.methods.record import Options
from errorfloor.metrics.choice import MetricChoice

pytestmark = pytest.mark.usefixtures("folds_once")

RNG = np.random.default_rng(12)
N = 300
SCORES = RNG.random(N).round(2)
LABELS = RNG.random(N) < SCORES
WEIGHTS = RNG.choice([0.5, 1.0, 3.0], size=N)
CLUSTERS = RNG.integers(70, size=N)
metrics = pytest.mark.parametrize("metric", ["brier", "log-loss"])


def ask(metric, scores=SCORES, labels=LABELS, **more):
    return ef.from_scores(scores, labels, metric=metric, rng=1, **more)


def brier_of(cells, method="isotonic", seed=0):
    """Return the Brier score as methods give it to intervals."""
    (record,) = (one for one in methods.RECORDS if one.name == method and "brier" in one.metrics)
    options = Options(
        metric=MetricChoice("brier").of(2), draw=lambda _: np.random.default_rng(seed)
    )
    return record.bind(cells, options)


def cells_of(scores=SCORES, labels=LABELS, **beside):
    return ef.ScoreTable.from_arrays(scores, labels, **beside).cells()


@metrics
def test_the_value_is_the_weighted_loss_of_the_weighted_fit(metric):
    found = ask(metric, weight=WEIGHTS, method="isotonic", interval=None)
    fit = IsotonicRegression().fit(SCORES, LABELS, sample_weight=WEIGHTS)
    p = fit.predict(SCORES)
    of = {"brier": brier_score_loss, "log-loss": log_loss}[metric]
    assert found.value == pytest.approx(of(LABELS, p, sample_weight=WEIGHTS), abs=1e-6)


def squared(p, cells):
    return (p[cells.row] - cells.positive) ** 2


def test_without_an_item_the_loss_is_that_of_the_same_fit():
    cells = cells_of(weight=WEIGHTS)
    p = IsotonicRegression().fit(SCORES, LABELS, sample_weight=WEIGHTS).predict(cells.scores)
    found, each = brier_of(cells).leave_one_out(), squared(p, cells)
    for cell in range(0, len(cells), 13):
        left = cells.masses - cells.weight * (np.arange(len(cells)) == cell)
        assert found[cell] == pytest.approx(np.average(each, weights=left), abs=1e-6)


def test_without_the_heaviest_of_two_items_the_light_one_is_left():
    loss = brier_of(cells_of([0.5, 0.5], [0, 1], weight=[1.0, 100.0]))
    p = 100 / 101  # of the fit to both; the positive cell comes first
    assert loss.leave_one_out() == pytest.approx([p**2, (1 - p) ** 2])


def slow_fit(cells, count):
    """Return the fit to some items, with one more of the mean in each block."""
    row, weight = np.repeat(cells.row, count), np.repeat(cells.weight, count)
    label = np.repeat(cells.positive, count)
    some = np.unique(row)
    p = IsotonicRegression().fit(row, label, sample_weight=weight).predict(some)
    share = (weight @ label + 0.5) / (weight.sum() + 1)
    mass = np.bincount(row, weight)[some]
    size = np.array([mass[np.isclose(p, one)].sum() for one in p])
    return np.interp(np.arange(len(cells.scores)), some, (p * size + share) / (size + 1))


@pytest.mark.parametrize("beside", [{"weight": WEIGHTS}, {"cluster": CLUSTERS}])
def test_the_midpoint_is_that_of_slow_code_whose_folds_are_whole_units(beside):
    cells = cells_of(**beside)
    cells = cells.reweighted(1 / cells.unit)
    weight = beside.get("weight")
    p = IsotonicRegression().fit(SCORES, LABELS, sample_weight=weight).predict(cells.scores)
    own = squared(p, cells)
    held_out = np.zeros(len(cells))
    for part in cells.parts(10, np.random.default_rng(4)):
        p = slow_fit(cells, cells.count - part)
        held_out += part * squared(p, cells)
    expected = (cells.masses @ own + cells.weight @ held_out) / cells.total / 2
    found = brier_of(cells, "isotonic-cf", 4).value
    assert found == pytest.approx(expected, abs=1e-4)  # equal blocks may be one or several


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
@pytest.mark.filterwarnings("ignore:Few heavy items:errorfloor.DoubtWarning")
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
@pytest.mark.filterwarnings("ignore:Few heavy items:errorfloor.DoubtWarning")
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
