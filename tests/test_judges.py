"""Scores on all items, labels on some: reading, estimates, limits, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy.special import kolmogorov

import errorfloor as ef
from errorfloor.data.arrays import partly_labelled
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.models import lower_limit, upper_limit
from errorfloor.methods.prediction_powered import PoweredCut, flat_variance, post_stratified
from errorfloor.methods.record import Options
from errorfloor.metrics import METRICS
from errorfloor.questions import sampling
from errorfloor.questions.plan_labels import drawn
from errorfloor.questions.sampling import largest_difference

N = 4000


def made(seed=0, n=400, size=N, eta=None):
    """Return scores of many items, the labels of some (NaN elsewhere), and true probabilities."""
    rng = np.random.default_rng(seed)
    eta = rng.beta(0.5, 0.5, size) if eta is None else eta(rng, size)
    labels = np.full(size, np.nan)
    some = rng.choice(size, n, replace=False)
    labels[some] = rng.random(n) < eta[some]
    return eta**3, labels, eta


@pytest.fixture(scope="module")
def judged():
    return made()


def test_missing_labels_are_an_error_that_names_both_remedies(judged):
    scores, labels, _ = judged
    frame = pd.DataFrame({"score": scores, "label": labels})
    with pytest.raises(ef.InputError, match=r"unlabelled=True` to keep them.*`drop_missing=True`"):
        ef.from_scores(frame)
    with pytest.raises(ef.InputError, match=r"entry \d is nan .*`unlabelled=True`"):
        ef.from_scores(scores, labels)
    with pytest.raises(ef.InputError, match="keeps items without a label, and `drop_missing`"):
        ef.from_scores(frame, unlabelled=True, drop_missing=True)
    with pytest.raises(ef.InputError, match="`cluster` is not used with `unlabelled`"):
        ef.from_scores(scores, labels, unlabelled=True, cluster=np.arange(N))
    with pytest.raises(ef.InputError, match="missing for all 4,000 items"):
        ef.from_scores(scores, np.full(N, None), unlabelled=True)
    with pytest.raises(ef.InputError, match="missing for all 4,000 items"):
        ef.from_scores(frame.assign(label=np.nan), unlabelled=True)


def test_bad_arrays_beside_missing_labels_are_refused_by_name(judged):
    scores, labels, _ = judged
    with pytest.raises(ef.InputError) as caught:
        ef.from_scores(scores, np.column_stack((labels, labels)), unlabelled=True)
    assert str(caught.value) == (
        "`labels` must be 1-d, got shape (4000, 2). Pass one label per item, or None."
    )
    for weight in (np.ones(N - 1), [1.0] * (N + 1)):
        with pytest.raises(ef.InputError) as caught:
            ef.from_scores(scores, labels, unlabelled=True, weight=weight)
        assert str(caught.value) == (
            f"`scores` and `weight` must have the same length, got {N} and {len(weight)}. Pass one "
            "entry per item in both."
        )
    with pytest.raises(ef.InputError, match="`weight` must be 1-d"):
        ef.from_scores(scores, labels, unlabelled=True, weight=np.ones((N, 2)))
    with pytest.raises(ef.InputError, match="`weight` is the name of a column"):
        ef.from_scores(scores, labels, unlabelled=True, weight="w")


def test_votes_are_not_kept_without_a_label(tmp_path):
    from errorfloor.apps.cli.commands import cli

    path = tmp_path / "votes.csv"
    path.write_text("item,vote\n1,0\n1,1\n2,1\n")
    said = CliRunner().invoke(cli, ["estimate", str(path), "--unlabelled"])
    assert said.exit_code == 1
    assert said.output.startswith(
        "error: --unlabelled keeps items with a score and without a label. Name the columns "
        "--score and --label, or leave it out.\n"
    )


def test_words_may_be_missing_in_any_way():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1, 1, 1], 90)
    words = np.array(["ant", "bee", "cat"])[rng.integers(3, size=90)].tolist()
    gone = np.arange(90) % 3 == 1
    plain = ef.from_scores(scores[~gone], np.array(words)[~gone], rng=0)
    for nothing in (None, np.nan, pd.NA):
        some = [nothing if lost else word for word, lost in zip(words, gone, strict=True)]
        kept = ef.from_scores(scores, some, unlabelled=True, method="offsets", rng=0)
        assert kept.n == 60
        assert kept.table.classes == ("ant", "bee", "cat")
        assert kept.interval == plain.interval


def test_arrays_of_any_kind_and_dropped_items_say_the_same(judged):
    scores, labels, _ = judged
    known = ~np.isnan(labels)
    found = ef.from_scores(scores, labels, unlabelled=True, rng=0)
    assert (found.method, found.n, found.n_unlabelled) == ("ppi", 400, 3600)
    as_none = [int(one) if there else None for one, there in zip(labels, known, strict=True)]
    masked = np.ma.array(np.nan_to_num(labels).astype(int), mask=~known)
    as_na = [pd.NA if one is None else one for one in as_none]
    for other in (as_none, as_na, masked, pd.array(as_none, dtype="Int64")):
        assert ef.from_scores(scores, other, unlabelled=True, rng=0).interval == found.interval
    plain = ef.from_scores(scores[known], labels[known], rng=0)
    with pytest.warns(ef.DoubtWarning, match="missing in 3,600 items"):
        dropped = ef.from_scores(scores, labels, drop_missing=True, rng=0)
    assert dropped.interval == plain.interval
    alone = ef.from_scores(scores, labels, unlabelled=True, method="isotonic-cf", rng=0)
    assert alone.interval == plain.interval == found.labelled_only.interval
    full = ef.from_scores(scores[known], labels[known], unlabelled=True, rng=0)
    assert (full.method, full.interval) == ("isotonic-cf", plain.interval)  # nothing is missing


ENGINES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns, nan_to_null=True),
    "lazy": lambda columns: pl.LazyFrame(columns),
    "pyarrow": lambda columns: pa.Table.from_pandas(pd.DataFrame(columns)),
    "duckdb": lambda columns: duck(columns),
    "dask": lambda columns: dask(columns),
}


def duck(columns):
    import duckdb

    frame = pd.DataFrame(columns)
    return duckdb.connect().from_df(frame)


def dask(columns):
    return pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(columns), npartitions=3)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_makes_the_same_table(judged, engine):
    scores, labels, _ = judged
    frame = ENGINES[engine]({"score": scores, "label": labels})
    want = ef.from_scores(scores, labels, unlabelled=True, rng=0)
    assert ef.from_scores(frame, unlabelled=True, rng=0).interval == want.interval


def test_files_words_weights_and_groups_are_read_alike(judged, tmp_path):
    scores, labels, _ = judged
    words = np.where(np.isnan(labels), None, np.where(labels == 1, "spam", "ham"))
    frame = pd.DataFrame({"score": scores, "label": words, "site": np.arange(N) % 2})
    frame["weight"] = np.where(np.isnan(labels), np.nan, 2.0)
    frame.to_csv(tmp_path / "judged.csv", index=False)
    want = ef.from_scores(scores, labels, unlabelled=True, rng=0)
    for data in (frame, tmp_path / "judged.csv"):
        # Equal weights are none, and items without a label need no weight.
        found = ef.from_scores(data, unlabelled=True, weight="weight", rng=0)
        assert found.interval == want.interval
        assert found.source.facts["classes"] == {"1": ["spam"], "0": ["ham"]}
        groups = ef.from_scores(data, unlabelled=True, group="site", rng=0)
        assert sum(group.n for group in groups.values()) == 400
        assert sum(group.n_unlabelled for group in groups.values()) == 3600
    weight = np.where(np.isnan(labels), np.nan, 3.0)
    assert ef.from_scores(scores, labels, unlabelled=True, weight=weight, rng=0).interval == (
        want.interval
    )


def test_tables_with_items_without_labels_add_save_and_load(judged, tmp_path):
    scores, labels, _ = judged
    frame = pd.DataFrame({"score": scores, "label": labels, "w": 1 + (scores > 0.5)})
    whole, *parts = (
        read(part, LAYOUTS, ReadOptions.of(unlabelled=True, weight="w")).table
        for part in (frame, frame[:1500], frame[1500:])
    )
    assert sum(parts[1:], parts[0]) == whole
    whole.save(tmp_path / "judged.npz")
    assert ScoreTable.load(tmp_path / "judged.npz") == whole
    assert whole.n_unlabelled == 3600
    assert whole.labelled.n == whole.n == 400


# Slow and obvious: the correction item by item, with the rule and the guesses handed in.
def slowly(loss, guess, others, weight):
    """Return the power-tuned estimate and its variance times n, from lists of held-out items."""
    n, share = len(loss), len(loss) / (len(loss) + len(others))
    weight = weight * n / weight.sum()
    mean = (weight * loss).sum() / n
    centre = share * guess.mean() + (1 - share) * others.mean()  # of all items

    def variance(power):
        own = weight**2 * (loss - mean - power * (guess - centre)) ** 2
        part = weight * power * (guess - centre) * (2 * (loss - mean) - power * (guess - centre))
        return (own.sum() + share * part.sum()) / n

    powers = np.linspace(0, 1, 10_001)
    best = powers[np.argmin([variance(power) for power in powers])]
    return mean - best * ((weight * guess).sum() / n - centre), variance(best), best


@pytest.mark.parametrize("weighted", [False, True])
def test_the_correction_is_that_of_the_formula_item_by_item(weighted):
    from errorfloor.methods.prediction_powered import Moments

    rng = np.random.default_rng(5)
    guess, others = rng.random(300), rng.random(900) ** 1.2
    loss = (rng.random(300) < guess).astype(float)
    weight = rng.uniform(0.5, 3, 300) if weighted else np.ones(300)
    moments = Moments(weight * 300 / weight.sum(), 0.25)
    moments.add(np.ones(300, dtype=int), loss, guess, float(others.mean()))
    found = moments.found(0.1, 300)
    value, variance, power = slowly(loss, guess, others, weight)
    assert found.power == pytest.approx(power, abs=1e-4)
    assert found.held_out == pytest.approx(value, abs=1e-5)
    assert found.variance == pytest.approx(variance, rel=1e-6)
    assert found.least == pytest.approx(0.1 + found.correction)


def test_all_labelled_and_useless_scores_leave_the_labels_alone():
    rng = np.random.default_rng(1)
    scores = rng.random(500)
    labels = (rng.random(500) < 0.3).astype(float)
    cells = ScoreTable.from_arrays(scores, labels).cells()
    found = PoweredCut(cells, Options().draw).found
    assert found.correction == 0
    widths = []
    for seed in range(20):
        _, y, _ = made(seed, eta=lambda rng, size: np.full(size, 0.3))
        own = ef.from_scores(np.random.default_rng(seed).random(N), y, unlabelled=True, rng=0)
        widths.append((own.high - own.low) / (own.labelled_only.high - own.labelled_only.low))
    assert np.mean(widths) < 1.01
    assert np.max(widths) < 1.05


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("case", ["reversed", "one class", "ten", "one", "one score"])
def test_odd_data_have_an_answer_and_limits_in_order(case):
    scores, labels, _ = made(3, n=10 if case == "ten" else 1 if case == "one" else 300)
    if case == "reversed":
        scores = -scores
    if case == "one class":
        labels = np.where(np.isnan(labels), np.nan, 0.0)
    if case == "one score":
        scores = np.zeros(N)
    found = ef.from_scores(scores, labels, unlabelled=True, rng=0)
    assert 0 <= found.low <= found.value <= found.high <= 0.5
    if case == "one class":
        n = found.evidence.found.worth
        assert found.low == pytest.approx(lower_limit(0, n, 0.025), abs=1e-12)
        assert found.high <= upper_limit(2, n, 0.025)
        assert n < 400  # one wrong label says little of its variance
    if case == "reversed":  # no cut is better than one class for all
        assert found.value > 0.4


def test_limits_cover_the_floor_and_are_as_narrow_as_predicted():
    rng, hits, ratios, relative = np.random.default_rng(11), 0, [], []
    eta = np.sort(rng.beta(0.5, 0.5, 20_000))
    floor = np.minimum(eta, 1 - eta).mean()
    predicted = np.sqrt((eta * (1 - eta)).mean() / (floor * (1 - floor)))
    for seed in range(60):
        labels = np.full(eta.size, np.nan)
        some = rng.choice(eta.size, 500, replace=False)
        labels[some] = rng.random(500) < eta[some]
        found = ef.from_scores(eta, labels, unlabelled=True, rng=seed)
        hits += found.low <= floor <= found.high
        alone = found.labelled_only
        ratios.append((found.high - found.low) / (alone.high - alone.low))
        relative.append(500 / found.n_effective)
    assert hits >= 54  # of 60; fewer have a chance of 0.001 at 0.95
    assert np.mean(ratios) < 1.03 * predicted
    assert np.sqrt(np.mean(relative)) == pytest.approx(predicted, abs=0.03)


def two_phase(seed, size=20_000, budget=500):
    rng = np.random.default_rng(seed)
    eta = rng.beta(0.5, 0.5, size)
    chance = np.maximum(np.sqrt(eta * (1 - eta)), 0.03)
    chance *= budget / chance.sum()
    labels = np.where(rng.random(size) < chance, rng.random(size) < eta, np.nan)
    return eta, labels, 1 / chance


def half_as_often_where_hard(seed, draw, budget=200, size=20_000):
    """Return scores, labels, hard items labelled half as often, and the true floor."""
    rng = np.random.default_rng(seed)
    eta = draw(rng, size)
    error = np.minimum(eta, 1 - eta)
    chance = np.where(error > error.mean(), 0.5, 1.0)
    chance *= budget / chance.sum()
    labels = np.where(rng.random(size) < chance, rng.random(size) < eta, np.nan)
    return eta, labels, error.mean()


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, size: rng.beta(0.5, 0.5, size),
        lambda rng, size: (
            1 / (1 + np.exp(-2 * (rng.normal(size=size) + rng.choice([-1, 1], size))))
        ),
        lambda rng, size: (
            rng.choice([0.0, 0.5, 1.0], size, p=[0.25, 0.5, 0.25]) + rng.uniform(0, 1e-6, size)
        ),
    ],
    ids=["arcsine", "normal", "half coin flips"],
)
def test_hard_items_labelled_half_as_often_are_made_up_for(draw):
    # Without strata 0.05 to 0.16 of the floors are above the upper limit.
    above, inside = [], []
    for seed in range(120):
        scores, labels, floor = half_as_often_where_hard(seed, draw)
        try:
            found = ef.from_scores(scores, labels, unlabelled=True, rng=seed)
        except ef.InputError as error:
            assert "do not stand for all" in str(error)  # noqa: PT017 -- chance, seldom
            continue
        above.append(floor > found.high)
        inside.append(found.low <= floor <= found.high)
    assert len(above) > 100
    assert np.mean(above) < 0.075  # 0.025 and three standard errors
    assert np.mean(inside) > 0.92  # fewer than 0.95 by a standard error and a half


def test_strata_by_score_weigh_as_all_their_items():
    # 400 scored items in order; of the lower half 60 have a label, of the upper one 20.
    scores, labels = np.arange(400.0), np.full(400, np.nan)
    labels[0:180:3], labels[200:400:10] = 1.0, 0.0
    table = partly_labelled(scores, labels, ReadOptions.of(unlabelled=True))
    made_up = post_stratified(table.cells(), table.scores)
    known = ~np.isnan(labels)
    lower = scores[known] < 200
    assert made_up.weight[lower] == pytest.approx(np.full(60, 0.5 / 0.75))
    assert made_up.weight[~lower] == pytest.approx(np.full(20, 0.5 / 0.25))
    # Given weights that say the same leave nothing to make up for.
    weight = np.where(lower, 1.0, 3.0)
    again = post_stratified(replace(table.cells(), weight=weight), table.scores)
    assert again.weight / again.weight[0] == pytest.approx(weight)
    # Too few labels for two strata, and labels in one half alone, are left as they are.
    few, lowest = (np.where(scores % step == 0, 1.0, np.nan) for step in (10, 2))
    lowest[190:] = np.nan
    for unknown in (few, lowest):
        table = partly_labelled(scores, unknown, ReadOptions.of(unlabelled=True))
        assert post_stratified(table.cells(), table.scores).weight is None
    every = ef.ScoreTable.from_arrays(scores, np.arange(400) % 2).cells()
    assert post_stratified(every, scores) is every


def test_labels_near_the_cut_are_refused_without_weights_and_right_with_them():
    floor = (0.5 - 1 / np.pi) * 1.0  # of a beta (1/2, 1/2): the mean of min(eta, 1 - eta)
    hits = []
    for seed in range(30):
        scores, labels, weight = two_phase(seed)
        if not seed:
            with pytest.raises(ef.InputError, match=r"do not stand for all.*`weight`"):
                ef.from_scores(scores, labels, unlabelled=True)
            with pytest.raises(ef.InputError, match="even with `weight`"):
                ef.from_scores(scores, labels, unlabelled=True, weight=1 / weight)
        found = ef.from_scores(scores, labels, unlabelled=True, weight=weight, rng=seed)
        hits.append(found.low <= floor <= found.high)
    assert np.mean(hits) >= 0.86  # 26 of 30; fewer have a chance of 0.005 at 0.95


def test_random_labels_are_seldom_refused():
    chances = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(200, np.full(500, 1 / 500))
        others = rng.multinomial(5000, np.full(500, 1 / 500))
        rows = (counts + others) > 0
        table = ScoreTable(
            np.flatnonzero(rows) / 500,
            np.column_stack((counts, 0 * counts))[rows],
            unlabelled=others[rows],
        )
        chances.append(largest_difference(table)[1])
    chances = np.array(chances)
    assert chances.min() > 1e-4
    assert np.mean(chances < 0.1) < 0.17  # 0.1 and three standard errors
    assert np.mean(chances < 0.5) > 0.3  # the test does see something


def test_the_distance_is_that_of_two_cumulative_shares():
    line = np.array([0.3, 0.1, 0.3, 0.7, 0.5])
    weights = [[2.0], [1.0, 1.0], [3.0, 0.5, 0.5], [], [4.0]]  # of the labelled items of each row
    everything = np.array([4, 5, 6, 3, 2])
    own = np.array([(x, w) for x, some in zip(line, weights, strict=True) for w in some])
    every, variances, apart = np.repeat(line, everything), [], []
    for cut in line:
        share = own[own[:, 0] <= cut, 1].sum() / own[:, 1].sum()
        apart.append(abs(share - (every <= cut).mean()))
        variances.append(np.sum(own[:, 1] ** 2 * ((own[:, 0] <= cut) - share) ** 2))
    effective = own[:, 1].sum() ** 2 / np.sum(own[:, 1] ** 2)
    unit = 2 * np.sqrt(max(variances) * (1 - effective / every.size)) / own[:, 1].sum()
    mass, square = (np.array([sum(w**power for w in some) for some in weights]) for power in (1, 2))
    assert sampling._distance(line, mass, square, everything) == pytest.approx((max(apart), unit))
    # Where all are labelled alike there is nothing to tell.
    ones = np.ones(3)
    assert sampling._distance(np.arange(3.0), ones, ones, np.ones(3, int)) == (0, 0)


def test_many_classes_are_looked_at_one_by_one_and_by_the_largest():
    scores = np.array([[2.0, 1.0, 1.0], [0.0, 3.0, 1.0]])
    lines = sampling._lines(scores)
    assert np.array(lines).tolist() == [[0.5, 0], [0.25, 0.75], [0.25, 0.25], [0.5, 0.75]]
    assert np.array(sampling._lines(-scores)).tolist() == [[-2, 0], [-1, -3], [-1, -1], [-1, 0]]
    table = ScoreTable(
        np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]),
        np.array([[20, 0, 0], [0, 4, 0]]),
        unlabelled=np.array([60, 80]),
    )
    # The labelled share up to 0.2 of the first class is 20/24 where that of all is 80/164.
    apart, chance = largest_difference(table)
    assert apart == pytest.approx(20 / 24 - 80 / 164)
    root = np.sqrt(20 * (4 / 24) ** 2 + 4 * (20 / 24) ** 2)
    unit = 2 * root * np.sqrt(1 - 24 / 164) / 24
    assert chance == pytest.approx(4 * kolmogorov(apart / unit))


def test_many_classes_are_corrected_as_well():
    rng = np.random.default_rng(4)
    prob = rng.dirichlet([0.4] * 4, 6000)
    labels = np.full(6000, np.nan)
    labels[:900] = (prob[:900].cumsum(axis=1) < rng.random((900, 1))).sum(axis=1)
    scores = prob**2 / (prob**2).sum(axis=1, keepdims=True)
    found = ef.from_scores(scores, labels, unlabelled=True, rng=0)
    floor = 1 - prob.max(axis=1).mean()
    assert found.low <= floor <= found.high
    assert (found.method, found.n_unlabelled) == ("ppi", 5100)
    best = prob.max(axis=1)
    predicted = (best * (1 - best)).mean() / (floor * (1 - floor))
    assert found.n / found.n_effective == pytest.approx(predicted, abs=0.1)
    named = np.array(["a", "b", "c", "d"])[np.nan_to_num(labels).astype(int)].astype(object)
    named[np.isnan(labels)] = None
    frame = pd.DataFrame(scores, columns=list("abcd")).assign(label=named)
    other = ef.from_scores(frame, score=list("abcd"), label="label", unlabelled=True, rng=0)
    assert other.interval == found.interval
    near = np.where(best < 0.5, labels, np.nan)
    with pytest.raises(ef.InputError, match="do not stand for all"):
        ef.from_scores(scores, near, unlabelled=True)


GIVEN = {
    "cost": {"costs": (1, 3)},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.1},
}
OTHERS = [one.name for one in METRICS if not one.is_error]


@pytest.mark.parametrize("metric", OTHERS)
@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")
def test_scores_without_a_label_that_have_no_part_are_counted(judged, metric):
    scores, labels, _ = judged
    asked = {"metric": metric, "interval": None, **GIVEN.get(metric, {})}
    found = ef.from_scores(scores, labels, unlabelled=True, **asked)
    said = "The scores of 3,600 items without a label have no part in this answer: "
    assert (found.n, found.n_unlabelled, found.n_unused) == (400, 0, 3600)
    assert f"Note: {said}for metrics other than the error" in str(found)
    assert found.to_dict()["n_unused"] == 3600
    known = ~np.isnan(labels)
    plain = ef.from_scores(scores[known], labels[known], **asked)
    assert "n_unused" not in plain.to_dict()


def test_a_method_without_use_for_scores_alone_says_so(judged, tmp_path):
    from errorfloor.apps.cli.commands import cli

    scores, labels, _ = judged
    used = ef.from_scores(scores, labels, unlabelled=True, rng=0)
    assert (used.n_unused, "have no part" in str(used)) == (0, False)
    own = ef.from_scores(scores, labels, unlabelled=True, method="isotonic", interval=None)
    assert "have no part in this answer: the method isotonic uses labelled items" in str(own)
    assert "have no part in this answer" in ef.report(own, tmp_path / "a.md").read_text()
    pd.DataFrame({"score": scores, "label": labels}).to_csv(tmp_path / "j.csv", index=False)
    command = ["estimate", str(tmp_path / "j.csv"), "--unlabelled", "--metric", "auc"]
    text = CliRunner().invoke(cli, command).output
    assert "The scores of 3,600 items without a label have no part" in text


def test_the_command_and_text_say_how_many_labels_and_what_they_say_alone(judged, tmp_path):
    from errorfloor.apps.cli.commands import cli

    scores, labels, _ = judged
    pd.DataFrame({"score": scores, "label": labels}).to_csv(tmp_path / "j.csv", index=False)
    run = CliRunner().invoke
    text = run(cli, ["estimate", str(tmp_path / "j.csv"), "--unlabelled", "--seed", "0"]).output
    assert "(labels on 400 of 4,000 items, method ppi, powered interval)" in text
    assert "The labelled items alone would give " in text
    done = run(cli, ["estimate", str(tmp_path / "j.csv"), "--unlabelled", "--seed", "0", "--json"])
    found = json.loads(done.stdout)["result"]
    assert found["n_unlabelled"] == 3600
    assert found["labelled_only"]["method"] == "isotonic-cf"
    assert found["source"]["unlabelled"] is True
    counted = run(
        cli, ["count", str(tmp_path / "j.csv"), "--unlabelled", "-o", str(tmp_path / "t.npz")]
    )
    assert counted.exit_code == 0
    again = run(cli, ["estimate", str(tmp_path / "t.npz"), "--seed", "0", "--json"])
    assert json.loads(again.stdout)["result"]["low"] == found["low"]
    rows = run(cli, ["compare", str(tmp_path / "j.csv"), "--unlabelled", "--seed", "0", "--json"])
    assert json.loads(rows.stdout)["result"]["rows"][0]["method"] == "ppi"


def test_flat_parts_are_those_of_cuts_without_weights_and_of_equal_items_with_them():
    rng = np.random.default_rng(8)
    scores, labels = rng.integers(0, 300, 800), rng.random(800) < 0.5
    table = ScoreTable.from_arrays(scores, labels)
    flat = 4 * flat_variance(table.cells())
    assert 100 < flat < 800
    # Equal weights are none; half of the items with three times the weight are fewer items.
    cells = table.cells()
    heavy = replace(cells, weight=np.where(rng.random(len(cells)) < 0.5, 3.0, 1.0))
    assert flat_variance(replace(cells, weight=np.full(len(cells), 2.0))) == pytest.approx(flat / 4)
    assert flat_variance(heavy) > 1.1 * flat / 4


def test_a_plan_draws_unsure_items_more_often_and_keeps_its_promise():
    rng = np.random.default_rng(3)
    eta = rng.beta(0.5, 0.5, 20_000)
    widths, promised = [], []
    for seed in range(12):
        plan = ef.plan_labels(eta, budget=400, rng=seed)
        labels = np.full(eta.size, np.nan)
        labels[plan.rows] = rng.random(400) < eta[plan.rows]
        found = ef.from_scores(eta, labels, weight=plan.weight, unlabelled=True, rng=seed)
        widths.append(found.high - found.low)
        promised.append(plan.width)
    assert np.mean(widths) == pytest.approx(np.mean(promised), rel=0.1)
    assert np.mean(promised) < plan.width_at_random
    unsure = np.sqrt(eta * (1 - eta))
    assert unsure[plan.rows].mean() > 1.2 * unsure.mean()
    assert np.nansum(plan.weight) == pytest.approx(eta.size, rel=0.1)
    assert np.array_equal(ef.plan_labels(eta, budget=400, rng=11).rows, plan.rows)
    wide = ef.plan_labels(eta, width=0.08, rng=0)
    assert wide.width == pytest.approx(0.08, rel=0.05)


def test_each_item_is_drawn_as_often_as_its_weight_says():
    chance = np.array([0.9, 0.5, 0.1, 0.3, 0.2, 1.0])
    rng = np.random.default_rng(0)
    draws = np.array([drawn(chance, rng) for _ in range(4000)])
    assert (draws.sum(axis=1) == 3).all()
    assert np.abs(draws.mean(axis=0) - chance).max() < 4 * np.sqrt(0.25 / 4000)


def test_a_plan_goes_on_from_labels_and_files(judged, tmp_path):
    from errorfloor.apps.cli.commands import cli

    scores, labels, _ = judged
    plan = ef.plan_labels(scores, labels, budget=200, rng=0)
    assert (plan.labelled, plan.budget, plan.floor_from_labels) == (400, 200, True)
    assert not set(plan.rows) & set(np.flatnonzero(~np.isnan(labels)))
    assert np.isfinite(plan.weight).sum() == 600
    frame = pd.DataFrame({"score": scores, "label": labels})
    frame.to_csv(tmp_path / "j.csv", index=False)
    for data in (frame, pl.from_pandas(frame), tmp_path / "j.csv"):
        again = ef.plan_labels(data, score="score", label="label", budget=200, rng=0)
        assert np.array_equal(again.rows, plan.rows)
        assert again.width == plan.width
    told = ["--score", "score", "--label", "label", "--budget", "200", "--seed", "0"]
    output = tmp_path / "to_label.csv"
    done = CliRunner().invoke(cli, ["label", str(tmp_path / "j.csv"), *told, "-o", str(output)])
    assert "Label 200 items more (400 have a label) of 4,000" in done.output
    rows = pd.read_csv(output)
    assert list(rows) == ["row", "score", "label", "probability", "weight"]
    assert rows["row"][:200].tolist() == plan.rows.tolist()
    assert rows["label"].notna().sum() == 400
    assert np.allclose(rows["weight"], plan.weight[rows["row"]])
    assert np.allclose(rows["probability"] * rows["weight"], 1)


def test_plans_that_cannot_be_are_refused():
    scores = np.linspace(0, 1, 500)
    with pytest.raises(ef.InputError, match="Give `budget` or `width`"):
        ef.plan_labels(scores)
    with pytest.raises(ef.InputError, match="Give `budget` or `width`"):
        ef.plan_labels(scores, budget=3, width=0.1)
    with pytest.raises(ef.InputError, match="500 items have no label"):
        ef.plan_labels(scores, budget=501)
    with pytest.raises(ef.InputError, match=r"`width` 0.01 is narrower than 500 labels make it"):
        ef.plan_labels(scores, width=0.01)
    with pytest.raises(ef.InputError, match="with 30 labels of both classes any scores will do"):
        ef.plan_labels(10 * scores, budget=5)
    with pytest.raises(ef.InputError, match="is answered for two classes only"):
        ef.plan_labels(np.ones((5, 3)), budget=2)
    for asked in ({"budget": 1}, {"width": 0.2}):
        with pytest.raises(ef.InputError, match=r"All items have labels.*whose `labels` are blank"):
            ef.plan_labels(scores, scores > 0.5, **asked)
    frame = pd.DataFrame({"score": scores, "label": scores > 0.5})
    assert ef.plan_labels(frame, score="score", budget=5, rng=0).labelled == 0  # none is named
    every = ef.plan_labels(scores, budget=500, rng=0)
    assert every.rows.size == 500
    assert np.allclose(every.weight, 1)


def test_other_questions_take_the_labelled_items_and_soft_labels_all(judged):
    scores, labels, _ = judged
    known = ~np.isnan(labels)
    frame = pd.DataFrame({"score": scores, "label": labels})
    table = read(frame, LAYOUTS, ReadOptions.of(unlabelled=True)).table
    plain = ScoreTable.from_arrays(scores[known], labels[known])
    assert table.labelled == plain
    assert np.array_equal(ef.calibrate(table)(scores), ef.calibrate(plain)(scores))
    assert ef.reliability(table).to_dict() == ef.reliability(plain).to_dict()
    assert np.array_equal(ef.plan(table).width, ef.plan(plain).width)
    soft = ef.from_soft_labels(table)
    assert soft.n == N
    assert soft.value == pytest.approx(np.minimum(scores, 1 - scores).mean())
    found = ef.from_scores(table, rng=0)
    assert found.at_level(0.8).labelled_only.level == 0.8
    # Other metrics are answered from the labels, which have to stand for all as well.
    own = ef.from_scores(table, metric="auc", rng=0)
    assert own.interval == ef.from_scores(plain, metric="auc", rng=0).interval
    near = np.where(np.abs(scores - 0.3) < 0.2, labels, np.nan)
    with pytest.raises(ef.InputError, match="do not stand for all"):
        ef.from_scores(scores, near, metric="auc", unlabelled=True)


def test_reports_say_how_many_of_the_items_have_labels(judged, tmp_path):
    scores, labels, _ = judged
    found = ef.from_scores(scores, labels, unlabelled=True, rng=1)
    ef.report(found, tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| Items | 400 labels of 4,000 items |" in text
    assert "labels on 400 of 4,000 items" in str(found)
