"""Limits with weights and clusters: against slow and plain code, known truths, and attacks."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.optimize import brentq
from scipy.stats import binom, t
from sklearn.metrics import roc_auc_score

import errorfloor as ef
from benchmarks import weights as study
from errorfloor.intervals.bets import Bets, Blocks, growing_blocks, refuted_from, refuted_up_to
from errorfloor.intervals.certified import Certified
from errorfloor.intervals.jackknife import ALIKE, Units
from errorfloor.intervals.record import Seed, Streams

RNG = np.random.default_rng(7)


N = 400


SCORES = RNG.random(N)


LABELS = (RNG.random(N) < SCORES).astype(int)


WEIGHTS = RNG.choice([1.0, 3.0, 9.0], size=N)


CLUSTERS = np.repeat(np.arange(80), 5)


VOTES = RNG.binomial(3, SCORES)


def slow_stakes(weight, values, blocks, log_goal):
    """Return the stake of each block from all units before it, one block after the other."""
    stakes = []
    for count, x in zip(np.cumsum(blocks, axis=0) - blocks, values, strict=True):
        number, mass = count.sum(), count * weight
        usual = count @ weight**2 / number if number else 1.0
        mean = mass @ x / mass.sum() if number else 0.5
        spread = count @ (weight * (x - mean)) ** 2
        stakes.append(
            np.sqrt(2 * log_goal / (blocks.sum() * (0.25 * usual + spread)) * (number + 1))
        )
    return np.array(stakes)


@pytest.mark.parametrize("spread", [0.3, 3.0])
def test_bets_are_those_of_plain_code(spread):
    rng = np.random.default_rng(2)
    values, weight = rng.random(30) / 2, rng.lognormal(0, spread, 30)
    weight /= weight.max()
    blocks = rng.multinomial(3, [0.2] * 5, size=30).T
    bet = Bets.of(values, Blocks.of(blocks), (0.0, 0.5), weight=weight)
    low, high = bet.limits(0.9)
    assert bet.upper(0.9) == high
    goal, x = np.log(20), 2 * values
    stakes = slow_stakes(weight, [x] * 5, blocks, goal)
    for limit, own in ((2 * low, x), (1 - 2 * high, 1 - x)):

        def gain(mean, own=own):
            stake = np.minimum(stakes, 0.5 / mean if mean > 0 else np.inf)[:, None]
            return (blocks * np.log1p(stake * weight * (own - mean))).sum() - goal

        expected = brentq(gain, 0, 1, xtol=1e-14) if gain(0) > 0 else 0
        assert limit == pytest.approx(expected, abs=1e-11)
    # With equal weights they are those without weights.
    plain, equal = (
        Bets.of(values, Blocks.of(blocks), (0.0, 0.5), weight=w) for w in (1.0, np.ones(30))
    )
    assert equal.limits(0.9) == plain.limits(0.9)


@pytest.mark.parametrize("most", [1, 3])
def test_blocks_are_the_same_however_they_are_kept(most):
    count = np.random.default_rng(5).integers(0, most + 1, 200)
    few = Blocks.drawn(count, np.random.default_rng(6))
    counts = growing_blocks(count, np.random.default_rng(6))
    found = np.zeros(counts.shape)
    found[few.block, few.unit] = few.times
    assert (found == counts).all()
    assert few.n == count.sum()
    assert (np.diff(few.unit) >= 0).all()
    before = [seen.counts(200) for seen in few.before]
    assert (before == np.cumsum(counts, axis=0) - counts).all()


@pytest.mark.parametrize("start", [None, 0.0, 0.1, 0.3, 0.9, 1.0, -2.0])
@pytest.mark.parametrize("root", [0.3, 0.0, -1.0, 0.999, 1.0, 2.0, 1e-9])
@pytest.mark.parametrize("jump", [0.0, 3.0])
def test_the_root_of_a_falling_gain(start, root, jump):
    tried = []

    def gain(mean):
        tried.append(mean)
        return root - mean - (mean - root) ** 3 - jump * (mean > root)

    expected = pytest.approx(min(max(root, 0.0), 1.0), abs=2e-13)
    assert refuted_up_to(gain, 0.0, 1.0, start) == expected
    assert len(tried) < (100 if jump else 20)
    assert all(0 <= place <= 1 for place in tried)
    assert -refuted_from(lambda mean: gain(-mean), -1.0, 0.0) == expected


def test_the_certified_lower_limit_pays_for_every_cut():
    rng = np.random.default_rng(3)
    table = ef.ScoreTable.from_arrays(
        rng.random(60).round(1), rng.integers(2, size=60), weight=rng.choice([1.0, 4.0], 60)
    )
    found = ef.from_scores(table, interval="certified", rng=1)
    assert isinstance(found.evidence.evidence, Certified)  # within what holds the value too
    # One cut at a time, with the same stakes: none may refute less than all together.
    log_goal = np.log(2 / 0.05)
    cells = table.cells()
    weight = cells.each / cells.each.max()
    streams = Streams.of(Seed.of(1).begin())
    blocks = growing_blocks(cells.count, streams.for_("blocks"))
    before = np.cumsum(blocks, axis=0) - blocks
    ill = [cells.positive == (np.arange(len(cells)) < end) for end in cells.ends]  # of each cut
    best = [np.argmin(np.round([mass @ one for one in ill], 9)) for mass in before * weight]
    stakes = slow_stakes(weight, [ill[one].astype(float) for one in best], blocks, log_goal)
    mean = found.evidence.evidence.limits(0.95)[0] + 1e-9
    capped = np.minimum(stakes, 0.5 / mean)[:, None] * weight
    gains = [(blocks * np.log1p(capped * (one - mean))).sum() for one in ill]
    assert min(gains) == pytest.approx(log_goal, abs=1e-6)


def test_the_jackknife_of_a_weighted_mean_is_its_linearisation():
    found = ef.from_soft_labels(SCORES, weight=WEIGHTS, interval="jackknife")
    x = np.minimum(SCORES, 1 - SCORES)
    mean = np.average(x, weights=WEIGHTS)
    error = np.sqrt((WEIGHTS**2 * (x - mean) ** 2).sum()) / WEIGHTS.sum()
    assert found.value == pytest.approx(mean)
    assert found.evidence.error == pytest.approx(error, rel=0.02)
    half = (found.high - found.low) / 2
    assert half == pytest.approx(error * t.ppf(0.975, found.evidence.freedom), rel=0.02)


def test_the_jackknife_leaves_out_clusters():
    found = ef.from_soft_labels(SCORES, cluster=CLUSTERS, interval="jackknife")
    x = np.minimum(SCORES, 1 - SCORES)
    means = x.reshape(80, 5).mean(axis=1)
    error = means.std(ddof=1) / np.sqrt(80)
    assert found.evidence.error == pytest.approx(error, rel=1e-9)
    assert found.clusters == 80
    assert found.n_effective is None
    copies = ef.from_soft_labels(np.repeat(SCORES, 5), cluster=np.repeat(np.arange(N), 5),
                                 interval="jackknife")  # fmt: skip
    alone = ef.from_soft_labels(SCORES, interval="jackknife")
    assert (copies.low, copies.high) == pytest.approx((alone.low, alone.high), abs=2e-4)


def test_the_spread_of_a_unit_is_that_of_units_that_weigh_about_as_much():
    weights = np.exp(0.02 * np.arange(200))  # no two of which count as equal
    raises = RNG.normal(size=200) * weights
    units = Units(-raises, np.ones(200, dtype=np.int64), weights)
    own = raises - raises.mean()
    half = ALIKE // 2
    expected = 0.0
    for place, weight in enumerate(
        weights
    ):  # the middle of a unit is half a place behind its start
        start = min(max(place + 0.5 - half, 0), 200 - ALIKE)
        first, part = int(start), start % 1
        shares = np.array([1 - part, *np.ones(ALIKE - 1), part])[: 200 - first]
        near = slice(first, first + shares.size)
        expected += weight**2 * shares @ (own[near] / weights[near]) ** 2 / ALIKE
    assert units.pooled_moments()[0] == pytest.approx(expected)


def test_units_of_one_weight_have_the_spread_of_all_of_them():
    raises = RNG.normal(size=100)
    for times in (1, 3):
        units = Units(raises, np.full(100, times), np.full(100, 2.0))
        assert units.pooled_moments() == pytest.approx(units.moments())
    heavy = np.where(np.arange(100) < 40, 20.0, 1.0)
    units = Units(raises, np.ones(100, dtype=np.int64), heavy)
    assert units.pooled_moments() == pytest.approx(units.moments())
    almost = heavy * (1 + 1e-6 * np.arange(100)[::-1])  # equal to three digits, in another order
    units = Units(raises, np.ones(100, dtype=np.int64), almost)
    assert units.pooled_moments() == pytest.approx(units.moments(), rel=0.01)


def test_few_heavy_items_that_agree_by_chance_do_not_make_the_jackknife_sure():
    # Five items have half of the weight and are all easy; the others tell that items vary.
    soft = np.append(np.full(5, 0.0), np.tile([0.0, 0.5], 100))
    weight = np.append(np.full(5, 40.0), np.ones(200))
    found = ef.from_soft_labels(soft, weight=weight, interval="jackknife")
    assert found.high > 0.25 > found.value


@pytest.mark.parametrize(("heavy", "share"), [(20.0, 0.05), (5.0, 0.1)])
def test_the_jackknife_holds_where_few_items_weigh_much(heavy, share):
    held = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        soft = 1 / (1 + np.exp(-20 * (rng.random(300) - 0.4)))
        weight = np.where(rng.random(300) < share, heavy, 1.0)
        found = ef.from_soft_labels(soft, weight=weight, interval="jackknife")
        held += found.low <= 0.06931 <= found.high
    # Three standard errors below 0.95. Without units of similar weight it is 0.86 for the first.
    assert held / 300 > 0.95 - 3 * (0.95 * 0.05 / 300) ** 0.5


def test_the_study_writes_what_it_finds(monkeypatch):
    cases = [("soft labels", "betting"), ("scores", "honest"), ("scores", "certified")]
    cases += [(study.COST, "honest"), (study.VOTE_BRIER, "likelihood")]
    monkeypatch.setattr(study, "CASES", {case: study.CASES[case] for case in cases})
    text = study.document(4, (50,))  # there are no tables of clusters for `certified`
    assert text.startswith(study.HEADING)
    assert len(re.findall(r"^\| rises evenly \|", text, re.MULTILINE)) == 2 * len(study.CASES) - 1
    assert "**scores, `honest`, 50 items**" in text


def test_votes_of_few_clusters_that_differ_leave_much_open():
    # Nearly all clusters agree, and each is all copies. Without care one in five misses.
    eta = study.TRUTHS["2 % positive"](study.GRID)
    share, _ = study.covers(
        ("three votes", "likelihood"),
        float(np.minimum(eta, 1 - eta).mean()),
        lambda rng: study.clustered("2 % positive", "2 to 100 items", 1.0, rng),
        4 * 30,
    )
    assert (1 - share) * 30 <= binom.ppf(0.999, 30, 0.06)


def test_tables_of_some_intervals_take_the_place_of_old_ones():
    old = (
        "## H\n\n### Weights\n\n**a**\n\n| 1 |\n\n**b**\n\n| 2 |\n\n### Clusters\n\n**a**\n\n| 3 |"
    )
    new = "## H\n\n### Weights\n\n**a**\n\n| 7 |\n\n### Clusters\n\n**a**\n\n| 8 |\n"
    assert study.renewed(old, new) == old.replace("1", "7").replace("3", "8")
    more = "## H\n\n### Weights\n\n**c**\n\n| 9 |\n\n### Clusters\n\n**c**\n\n| 6 |\n"
    expected = old.replace("| 2 |", "| 2 |\n\n**c**\n\n| 9 |") + "\n\n**c**\n\n| 6 |"
    assert study.renewed(old, more) == expected


SMOOTH = ("auc", "average-precision", "f1", "balanced-error", "error-at-coverage")


@pytest.mark.filterwarnings("ignore:All soft labels are equal")
@pytest.mark.parametrize("design", [("weight",), ("cluster",), ("weight", "cluster")])
@pytest.mark.parametrize("metric", [*SMOOTH, "coverage-at-error"])
def test_what_no_item_changes_has_no_interval_and_a_clear_word(metric, design, tmp_path):
    # All items are the same, and so all can be answered with an error of 0.3 or none.
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"soft": np.full(40, 0.3), "weight": rng.uniform(1, 2, 40)})
    frame["cluster"] = rng.integers(12, size=40)
    at = {"at": 0.4} if "coverage" in metric else {}
    asked = {"metric": metric, **at, **{name: frame[name].to_numpy() for name in design}}
    word = "jackknife interval is undefined because the value is the same without any item"
    with pytest.raises(ef.InputError, match=f"{word}.*Leave it out with `interval=None`"):
        ef.from_soft_labels(frame["soft"].to_numpy(), **asked)
    alone = ef.from_soft_labels(frame["soft"].to_numpy(), interval=None, **asked)
    assert alone.interval is None

    from errorfloor.apps.cli.commands import cli

    path = tmp_path / "soft.csv"
    frame.to_csv(path, index=False)
    command = ["estimate", str(path), "--soft", "soft", "--metric", metric]
    command += [part for name in at for part in ("--at", str(at[name]))]
    command += [part for name in design for part in (f"--{name}", name)]
    refused = CliRunner().invoke(cli, command)
    assert isinstance(refused.exception, SystemExit)
    assert word in " ".join(refused.stderr.split())
    assert "--interval none" in " ".join(refused.stderr.split())
    assert CliRunner().invoke(cli, [*command, "--interval", "none"]).exit_code == 0


def test_few_clusters_get_a_clear_word():
    with pytest.raises(ValueError, match=r"`cluster` has 8 values\. An interval needs 10 clusters"):
        ef.from_scores(SCORES, LABELS, cluster=np.arange(N) // 50)
    assert ef.from_scores(SCORES, LABELS, cluster=np.arange(N) // 50, interval=None).clusters == 8
    with pytest.warns(ef.DoubtWarning, match="there are only 20 clusters, and they were tested"):
        ef.from_scores(SCORES, LABELS, cluster=np.arange(N) // 20, rng=1)
    unequal = np.maximum(np.arange(N) - 300, 0)
    with pytest.warns(ef.DoubtWarning, match=r"the 100 clusters .* count as 2, and limits"):
        ef.from_scores(SCORES, LABELS, cluster=unequal, rng=1)


@pytest.mark.filterwarnings("ignore:The number of times that each item:errorfloor.DoubtWarning")
def test_repeated_items_warn_unless_they_are_clusters():
    rows = np.repeat(np.arange(100), 3)
    frame = pd.DataFrame({"item": rows, "score": SCORES[rows], "label": LABELS[rows]})
    with pytest.warns(
        ef.DoubtWarning, match="Keep one row per item, or name the column of item ids"
    ):
        ef.from_scores(frame, score="score", label="label", rng=1)
    found = ef.from_scores(frame, score="score", label="label", cluster="item", rng=1)
    assert found.clusters == 100
    assert not found.warnings


def test_other_questions_refuse_weights_in_one_word():
    table = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=WEIGHTS)
    votes = ef.VoteTable.from_arrays(VOTES, 3, weight=WEIGHTS)
    for ask in (
        lambda: ef.reliability(table),
        lambda: ef.feebee(table, model_error=0.3),
        lambda: ef.plan(table, target=0.01),
        lambda: ef.plan(votes, target=0.01),
        lambda: ef.calibrate(table, method="platt"),
        lambda: ef.confusion(ef.from_scores(table, rng=1)),
    ):
        with pytest.raises(ValueError, match="does not use `weight` and `cluster`"):
            ask()
    equal = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=np.full(N, 2))
    plain = ef.ScoreTable.from_arrays(SCORES, LABELS)
    assert ef.plan(equal, target=0.1).to_dict() == ef.plan(plain, target=0.1).to_dict()


def test_the_weighted_isotonic_map_is_that_of_copies():
    whole = RNG.integers(1, 4, size=N)
    rows = np.repeat(np.arange(N), whole)
    one = ef.calibrate(ef.ScoreTable.from_arrays(SCORES, LABELS, weight=whole))
    other = ef.calibrate(SCORES[rows], LABELS[rows])
    assert one(np.linspace(0, 1, 50)) == pytest.approx(other(np.linspace(0, 1, 50)))


def test_a_comparison_leaves_out_what_does_not_heed_weights():
    rows = ef.compare(SCORES, LABELS, weight=WEIGHTS, rng=1)
    assert rows.methods == ("corrupted", "isotonic", "isotonic-cf")
    assert any("do not use weights" in note for note in rows.notes)


def test_the_command_line_takes_weights_and_clusters_and_tells_how_to_repeat_it(tmp_path):
    from errorfloor.apps.cli.commands import cli

    frame = pd.DataFrame({"score": SCORES, "label": LABELS, "w": WEIGHTS, "patient": CLUSTERS})
    path = tmp_path / "scores.csv"
    frame.to_csv(path, index=False)
    given = ["estimate", str(path), "--score", "score", "--label", "label"]
    run = CliRunner().invoke(cli, [*given, "--weight", "w", "--cluster", "patient", "--json"])
    found = json.loads(run.output)["result"]
    expected = ef.from_scores(SCORES, LABELS, weight=WEIGHTS, cluster=CLUSTERS, rng=found["seed"])
    assert (found["value"], found["low"]) == (expected.value, expected.low)
    assert found["clusters"] == 80
    assert found["n_effective"] == pytest.approx(expected.n_effective)
    frame = frame.drop(columns="patient")
    shown = ef.from_scores(frame, score="score", label="label", weight="w", rng=1)
    assert f"effective n = {shown.n_effective:,.0f}" in str(shown)
    page = ef.report(shown, tmp_path / "report.md").read_text()
    assert "| Effective items |" in page
    assert "weight='w'" in page
    assert "measured by simulation, not proven" in page
    assert "lower limit holds at any number" not in page


@pytest.mark.parametrize(
    ("scores", "labels"),
    [([0.5], [1]), ([0.5, 0.5], [0, 1]), ([0.1, 0.2, 0.3], [1, 1, 1]), ([0.1, 0.9], [0, 1])],
)
@pytest.mark.filterwarnings("ignore::errorfloor.DegenerateDataWarning")
@pytest.mark.filterwarnings("ignore:Few items with large:errorfloor.DoubtWarning")
def test_a_few_items_have_limits_that_say_little(scores, labels):
    weight = 1.0 + np.arange(len(scores))
    for interval in ("honest", "certified"):
        found = ef.from_scores(scores, labels, weight=weight, interval=interval, rng=1)
        assert found.low <= found.value <= found.high
        assert found.high > 0.4
    found = ef.from_soft_labels(scores, weight=weight, rng=1)
    assert found.low <= found.value <= found.high


def test_weighted_auc_is_that_of_pairs_and_equal_weights_change_nothing():
    found = ef.from_scores(SCORES, LABELS, metric="auc", weight=WEIGHTS)
    assert found.value == pytest.approx(
        roc_auc_score(LABELS, SCORES, sample_weight=WEIGHTS), abs=1e-12
    )
    plain = ef.from_scores(SCORES, LABELS, metric="auc").evidence
    about = np.where(np.arange(N) % 2, 3.0, 3.0001)
    equal = ef.from_scores(SCORES, LABELS, metric="auc", weight=about).evidence
    assert (equal.value, equal.n) == pytest.approx((plain.value, plain.n), rel=1e-4)
    assert equal.freedom == pytest.approx(N, rel=0.05)
    # Copies of items in clusters are worth as much as the items.
    twice = ef.from_scores(
        np.repeat(SCORES, 2), np.repeat(LABELS, 2), metric="auc", cluster=np.repeat(range(N), 2)
    )
    assert twice.evidence.n == pytest.approx(plain.n, rel=0.02)


def test_limits_of_a_weighted_auc_are_about_that_of_the_scores():
    # Also below 1/2, as without weights: the value ends there, its evidence does not.
    with pytest.warns(ef.RefutedWarning, match="are reversed"):
        found = ef.from_scores(-SCORES, LABELS, metric="auc", weight=WEIGHTS)
    assert found.value == 0.5
    expected = roc_auc_score(LABELS, -SCORES, sample_weight=WEIGHTS)
    assert found.evidence.value == pytest.approx(expected)
    assert found.high == 0.5
