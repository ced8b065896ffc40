"""Metrics with weights and clusters: truths, slow code, attacks, refusals; laws are elsewhere."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binom
from sklearn.isotonic import IsotonicRegression

import errorfloor as ef
from benchmarks import weights as study
from errorfloor import methods
from errorfloor.apps.cli.commands import cli
from errorfloor.methods.record import Options
from errorfloor.metrics.choice import MetricChoice

RNG = np.random.default_rng(11)
N = 300
SCORES = RNG.random(N).round(2)
LABELS = RNG.random(N) < SCORES
VOTES = RNG.binomial(3, RNG.random(N))
WEIGHTS = RNG.choice([0.5, 1.0, 3.0], size=N)
CLUSTERS = RNG.integers(70, size=N)
CLASSES = RNG.dirichlet([1, 1, 1], size=N)
COSTS = (1.0, 5.0)
OF_CUTS = {
    "error": {"metric": "error"},
    "cost": {"metric": "cost", "costs": COSTS},
    "balanced-error": {"metric": "balanced-error"},
    "known prior": {"metric": "balanced-error", "prior": 0.4},
}
OF_MAPS = {"brier": {"metric": "brier"}, "log-loss": {"metric": "log-loss"}}
OF_SCORES = OF_CUTS | OF_MAPS
OF_VOTES = OF_MAPS | {
    "cost": OF_CUTS["cost"],
    "known prior": OF_CUTS["known prior"],
    "error-at-coverage": {"metric": "error-at-coverage", "at": 0.7},
    "coverage-at-error": {"metric": "coverage-at-error", "at": 0.1},
}
TOP = {"error": 0.5, "cost": 5 / 6, "balanced-error": 0.5, "brier": 0.25, "log-loss": np.log(2)}

of_cuts, of_scores, of_votes = (
    pytest.mark.parametrize("given", asked.values(), ids=asked)
    for asked in (OF_CUTS, OF_SCORES, OF_VOTES)
)
few_heavy = pytest.mark.filterwarnings("ignore:Few items with large:errorfloor.DoubtWarning")
unlike = pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")  # of what ignores clusters


def ask(given, scores=SCORES, labels=LABELS, **more):
    return ef.from_scores(scores, labels, rng=1, **given, **more)


def ask_votes(given, votes=VOTES, **more):
    return ef.from_votes(votes, 3, **given, **more)


def width(found):
    return found.high - found.low


# Copies, and weights that are nearly the same


@of_cuts
@unlike
def test_copies_in_clusters_tell_no_more_than_the_items(given):
    rows = np.repeat(np.arange(N), 4)
    best, best_of_copies = (
        ask(given, SCORES[own], LABELS[own], cluster=own, method="isotonic", interval=None)
        for own in (np.arange(N), rows)
    )
    assert best_of_copies.value == pytest.approx(best.value)
    alone = ask(given)
    copies, apart = (
        ask(given, SCORES[rows], LABELS[rows], cluster=cluster)
        for cluster in (rows, np.random.default_rng(2).permutation(rows))
    )
    # Folds are drawn in another way, and leave the same noise.
    assert copies.value == pytest.approx(alone.value, rel=0.02)
    assert width(copies) == pytest.approx(width(alone), rel=0.2)
    # Items of a cluster that have nothing to do with each other are worth nearly all.
    assert width(apart) < 0.75 * width(alone)


@of_votes
def test_copies_of_votes_in_clusters_tell_no_more_than_the_items(given):
    rows = np.repeat(np.arange(N), 3)
    copied = ask_votes(given, VOTES[rows], cluster=rows)
    assert width(copied) == pytest.approx(width(ask_votes(given)), rel=0.1)
    assert width(ask_votes(given, VOTES[rows])) < 0.95 * width(copied)


def drawn(n=2000):
    rng = np.random.default_rng(2)
    scores = rng.random(n)
    return scores, rng.random(n) < scores, rng.binomial(3, scores), 1 + rng.random(n) / 100


@of_scores
def test_near_equal_weights_give_nearly_the_limits_of_equal_ones(given):
    scores, labels, _, weight = drawn()
    plain, found = ask(given, scores, labels), ask(given, scores, labels, weight=weight)
    assert found.value == pytest.approx(plain.value, abs=0.002)
    assert width(found) == pytest.approx(width(plain), rel=0.15)


@of_votes
def test_near_equal_weights_of_votes_give_nearly_the_limits_of_equal_ones(given):
    *_, votes, weight = drawn()
    plain, found = ask_votes(given, votes), ask_votes(given, votes, weight=weight)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.02)


# Known truths: misses of at most 0.06 at 95 %, with three standard errors of Monte Carlo

TIMES = 100
WEIGHTED = [
    ("scores", "honest", "rises steeply", "more where hard", 0.7),
    ("scores", "honest", "rises steeply", "5 % weigh 20", 0.7),
    ("soft labels", "betting", "rises steeply", "more where hard", 0.7),
    ("soft labels", "betting", "rises steeply", "5 % weigh 20", 0.7),
    (study.COST, "honest", "certain or a coin", "more where hard", 0.7),
    (study.BALANCED, "honest", "certain or a coin", "5 % weigh 20", 0.7),
    (study.BRIER, "honest", "rises evenly", "5 % weigh 20", 0.5),
    (study.LOG_LOSS, "honest", "rises evenly", "more where hard", 0.5),
    (study.VOTE_COST, "likelihood", "rises steeply", "more where hard", 0.7),
    (study.VOTE_BRIER, "likelihood", "2 % positive", "1, 2 or 4", 0.7),
    (study.VOTE_LOG_LOSS, "likelihood", "rises steeply", "more where hard", 0.7),
    (study.AUC, "honest", "rises evenly", "more where hard", 0.25),
    (study.AUC, "honest", "rises evenly", "1, 2 or 4", 0.25),
]
CLUSTERED = [
    ("scores", "honest", "rises evenly", study.ALIKE),
    ("soft labels", "betting", "rises evenly", study.ALIKE),
    (study.COST, "honest", "rises evenly", (0.1,)),
    (study.BALANCED, "honest", "rises evenly", (1.0,)),
    (study.BRIER, "honest", "certain or a coin", (1.0,)),
    (study.LOG_LOSS, "honest", "certain or a coin", (0.1,)),
    (study.VOTE_COST, "likelihood", "2 % positive", (1.0,)),
]


def assert_held(share):
    assert (1 - share) * TIMES <= binom.ppf(0.999, TIMES, 0.06)


@pytest.mark.parametrize(("labels", "interval", "truth", "weighting", "most"), WEIGHTED)
def test_limits_hold_with_weights(labels, interval, truth, weighting, most):
    share, mean_width = study.covers(
        (labels, interval),
        study.best_value("scores" if labels == "soft labels" else labels, truth, weighting),
        lambda rng: study.weighted(truth, weighting, 300, rng),
        TIMES,
    )
    assert_held(share)
    assert mean_width < most


@pytest.mark.parametrize(
    ("labels", "interval", "truth", "alike"),
    [(*case, alike) for *case, some in CLUSTERED for alike in some],
)
def test_limits_hold_with_fifty_clusters_of_unequal_size(labels, interval, truth, alike):
    share, _ = study.covers(
        (labels, interval),
        study.best_value("scores" if labels == "soft labels" else labels, truth),
        lambda rng: study.clustered(truth, "2 to 100 items", alike, rng),
        TIMES,
    )
    assert_held(share)


@pytest.mark.parametrize("labels", ["scores", study.COST])
def test_limits_that_ignore_weights_would_not_hold(labels):
    # The same settings without weights: what the tests above would fail on.
    floor = study.best_value(labels, "rises steeply", "more where hard")
    given, missed = OF_CUTS["cost" if labels == study.COST else "error"], 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sample = study.weighted("rises steeply", "more where hard", 300, rng)
        found = ask(given, sample.scores, sample.labels)
        missed += not found.low <= floor <= found.high
    assert missed > 15


def test_limits_that_ignore_clusters_would_not_hold():
    missed = 0
    for seed in range(40):
        sample = study.clustered("rises evenly", "2 to 100 items", 1.0, np.random.default_rng(seed))
        found = ef.from_soft_labels(sample.eta, rng=seed)
        missed += not found.low <= 0.25 <= found.high
    assert missed > 10


def test_items_that_may_all_be_coin_flips_may_be_so_for_models_that_abstain():
    # The best error at any coverage is 1/2 then, which limits of its own leave out in 8 of 100.
    missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        votes, weight = rng.binomial(3, 0.5, 300), rng.choice([1.0, 2.0, 4.0], 300)
        missed += ask_votes(OF_VOTES["error-at-coverage"], votes, weight=weight).high < 0.5
    assert missed <= binom.ppf(0.9, 40, 0.03)


# Heavy items, and few


def test_the_weights_of_a_rare_class_are_taken_to_differ_as_much_as_all():
    # Twenty positives, none of them heavy, as happens in a third of such samples.
    labels = np.arange(1000) < 20
    weight = np.where(np.arange(1000) % 20 == 19, 20.0, 1.0)
    weight[19] = 1.0
    scores = np.random.default_rng(3).random(1000)
    found = ask(OF_CUTS["cost"], scores, labels, weight=weight)
    assert found.value < 0.055
    assert found.high > 0.1  # 5 * 0.02
    # Balanced errors of positives that are all light are no surer than those of the others.
    alike, balanced = (
        ask(OF_CUTS["balanced-error"], scores, labels, weight=one)
        for one in (np.ones(1000), weight)
    )
    assert width(balanced) > 1.2 * width(alike)


def test_rare_heavy_items_are_allowed_for_though_none_was_drawn():
    # Likely positives were drawn more often: a missed one weighs up to twenty times as much.
    def draw(rng):
        x = rng.random(300)
        eta = x**3 / (x**3 + (1 - x) ** 3)
        labels = rng.random(300) < eta
        return study.Sample(x, eta, labels, None, {"weight": 1 / (0.05 + eta)})

    # 0.90 of the samples without it.
    share, mean_width = study.covers((study.BALANCED, "honest"), 0.0998, draw, TIMES)
    assert (1 - share) * TIMES <= binom.ppf(0.95, TIMES, 0.05)
    assert mean_width < 0.3


def test_what_a_class_weighs_in_all_does_not_matter_for_balanced_error():
    one, other = (
        ask(OF_CUTS["balanced-error"], weight=np.where(LABELS, WEIGHTS * times, WEIGHTS))
        for times in (1, 64)
    )
    assert (one.value, one.high) == pytest.approx((other.value, other.high), rel=1e-6)


@of_scores
@few_heavy
def test_one_item_of_all_the_weight_leaves_nearly_everything_open(given):
    found = ask(given, weight=np.where(np.arange(N) == 0, 1e6, 1.0))
    assert found.n_effective == pytest.approx(1, abs=0.01)
    assert found.low <= found.value <= found.high
    top = TOP[given["metric"]]
    assert found.high > 0.85 * top
    # With half of all weight, still a good part.
    half = ask(given, weight=np.where(np.arange(N) == 0, N - 1.0, 1.0))
    assert width(half) > top / 3


@of_votes
@few_heavy
def test_one_vote_of_all_the_weight_leaves_much_open(given):
    found = ask_votes(given, weight=np.where(np.arange(N) == 0, 1e6, 1.0))
    assert width(found) > 1.3 * width(ask_votes(given))


@of_cuts
@unlike
def test_pure_clusters_of_unequal_size_are_worth_few_items(given):
    rng = np.random.default_rng(4)
    size = np.exp(rng.uniform(np.log(2), np.log(100), 50)).astype(int)
    cluster = np.repeat(np.arange(50), size)
    own = rng.random(50)
    labels = (rng.random(50) < own)[cluster]
    found = ask(given, own[cluster], labels, cluster=cluster)
    assert width(found) > 2 * width(ask(given, own[cluster], labels))


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([0.5, 0.5], [0, 1]),
        ([0.1, 0.9], [0, 1]),
        (np.arange(10) / 10, [0, 0, 1, 0, 1, 0, 1, 1, 1, 1]),
    ],
)
@of_scores
@few_heavy
@pytest.mark.filterwarnings("ignore::errorfloor.DegenerateDataWarning")
def test_a_few_items_have_limits_that_say_little(given, scores, labels):
    found = ask(given, scores, labels, weight=1.0 + np.arange(len(scores)))
    assert found.low <= found.value <= found.high
    assert found.high > (0.2 if given["metric"] in OF_MAPS else 0.35)


@pytest.mark.parametrize("votes", [[0, 3], [0] * 10, [3, 1, 2, 0, 0, 0, 3, 3, 3, 2]])
@of_votes
@few_heavy
def test_a_few_votes_have_limits_that_say_little(given, votes):
    found = ask_votes(given, votes, weight=1.0 + np.arange(len(votes)))
    assert found.low <= found.value <= found.high
    # Votes that all agree leave no doubt of an easy item.
    assert found.high > 0.04 or given["metric"] == "coverage-at-error"


@pytest.mark.filterwarnings("ignore::errorfloor.DegenerateDataWarning")
def test_one_class_alone_costs_nothing_and_has_no_balanced_error():
    alone = SCORES[:40], np.ones(40)
    found = ask(OF_CUTS["cost"], *alone, weight=1.0 + np.arange(40))
    assert (found.low, found.value) == (0, 0)
    assert 0 < found.high < 5 / 6
    with pytest.raises(ef.InputError, match="needs items of both classes"):
        ask(OF_CUTS["balanced-error"], *alone, weight=1.0 + np.arange(40))


# Slow code


def test_the_jackknife_is_for_noise_alone():
    given = {"metric": "balanced-error", "method": "isotonic", "interval": "jackknife"}
    found = ask(given, weight=WEIGHTS)
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


def test_a_brier_score_of_votes_is_half_the_weighted_disagreement_of_two():
    # Unbiased: among two of an item's votes, p (1 - p) is half the chance that they differ.
    found = ask_votes(OF_VOTES["brier"], weight=WEIGHTS)
    differ = VOTES * (3 - VOTES) / 3
    assert found.value == pytest.approx(np.average(differ, weights=WEIGHTS) / 2, abs=0.01)


def brier_of(cells, method="isotonic", seed=0):
    """Return the Brier score as methods give it to intervals."""
    (record,) = (one for one in methods.RECORDS if one.name == method and "brier" in one.metrics)
    options = Options(
        metric=MetricChoice("brier").of(2), draw=lambda _: np.random.default_rng(seed)
    )
    return record.bind(cells, options)


def cells_of(scores=SCORES, labels=LABELS, **beside):
    return ef.ScoreTable.from_arrays(scores, labels, **beside).cells()


def squared(p, cells):
    return (p[cells.row] - cells.positive) ** 2


def test_without_an_item_the_loss_is_that_of_the_same_fit():
    cells = cells_of(weight=WEIGHTS)
    p = IsotonicRegression().fit(SCORES, LABELS, sample_weight=WEIGHTS).predict(cells.scores)
    found, each = brier_of(cells).leave_one_out(), squared(p, cells)
    for cell in range(0, len(cells), 13):
        left = cells.masses - cells.weight * (np.arange(len(cells)) == cell)
        assert found[cell] == pytest.approx(np.average(each, weights=left), abs=1e-6)
    pair = brier_of(cells_of([0.5, 0.5], [0, 1], weight=[1.0, 100.0]))
    p = 100 / 101  # of the fit to both; the positive cell comes first
    assert pair.leave_one_out() == pytest.approx([p**2, (1 - p) ** 2])


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
@pytest.mark.usefixtures("folds_once")
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


# What is refused, and where it is not

NOT_GIVEN = "is not given with `weight` or `cluster`"
FOR_SUCH = f"{NOT_GIVEN} for such"
MIXED = np.where(np.arange(N) % 2, 3, 5)
SCORED, VOTED = (ef.from_scores, SCORES, LABELS), (ef.from_votes, VOTES, 3)
REFUSED = [
    (*SCORED, OF_CUTS["cost"] | {"interval": "certified"}, f"certified {NOT_GIVEN}"),
    (*SCORED, {"metric": "auc", "interval": "certified"}, f"certified {NOT_GIVEN}.*honest or jack"),
    (*SCORED, {"metric": "f1"}, f"{FOR_SUCH}.*error, balanced-error, cost, brier, log-loss or auc"),
    (*SCORED, {"metric": "mcc"}, FOR_SUCH),
    (*SCORED, {"metric": "brier", "interval": "certified"}, f"certified {NOT_GIVEN}"),
    (*SCORED, {"metric": "log-loss", "method": "isotonic", "interval": "bca"}, f"bca {NOT_GIVEN}"),
    (ef.from_scores, CLASSES, CLASSES.argmax(axis=1), {"metric": "brier"}, FOR_SUCH),
    (ef.from_scores, CLASSES, CLASSES.argmax(axis=1), {"metric": "log-loss"}, FOR_SUCH),
    (ef.from_scores, CLASSES, CLASSES.argmax(axis=1), {"interval": "certified"},
     f"certified {NOT_GIVEN}"),
    (ef.compare, SCORES, LABELS, {"metric": "f1"}, FOR_SUCH),
    (*VOTED, {"metric": "balanced-error"}, r"needs the share of class 1\. Give it with `prior`"),
    *((*VOTED, {"metric": metric}, FOR_SUCH)
      for metric in ("auc", "f1", "mcc", "average-precision")),
    (*VOTED, {"metric": "brier", "interval": "certified"}, f"certified {NOT_GIVEN}"),
    *((*VOTED, {"totals_by": by}, f"`totals_by='{by}'` is not answered with")
      for by in ("votes", "item")),
    (ef.from_votes, VOTES, MIXED, {"metric": "brier", "totals_by": "item"},
     "`totals_by='item'` is not answered with `weight`"),
    (ef.from_votes, np.column_stack([VOTES, 3 - VOTES, 0 * VOTES]), None, {"metric": "brier"},
     FOR_SUCH),
]  # fmt: skip


@pytest.mark.parametrize(("call", "one", "other", "given", "words"), REFUSED)
def test_what_is_not_built_is_refused_in_one_word(call, one, other, given, words):
    with pytest.raises(ef.InputError, match=words):
        call(one, *([] if other is None else [other]), weight=WEIGHTS, **given)


def test_a_comparison_names_no_method_that_is_there():
    found = ef.compare(SCORES, LABELS, weight=WEIGHTS, rng=1, **OF_CUTS["cost"])
    assert found.methods == ("isotonic", "isotonic-cf")
    assert found.notes == ()


def test_the_command_line_takes_costs_with_weights_and_clusters(tmp_path):
    path = tmp_path / "scores.csv"
    columns = {"score": SCORES, "label": LABELS * 1, "w": WEIGHTS, "patient": CLUSTERS}
    pd.DataFrame(columns).to_csv(path, index=False)
    typed = "--score score --label label --weight w --cluster patient --metric cost --costs 1,5"
    run = CliRunner().invoke(cli, ["estimate", str(path), *typed.split(), "--json"])
    found = json.loads(run.output)["result"]
    given = OF_CUTS["cost"] | {"weight": WEIGHTS, "cluster": CLUSTERS}
    expected = ef.from_scores(SCORES, LABELS, **given)
    numbers = [found[name] for name in ("value", "low", "high")]
    assert numbers == [expected.value, expected.low, expected.high]
