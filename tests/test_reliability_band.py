"""The reliability curve: its fit, its band against slow code and a known truth, its histogram."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

import errorfloor as ef
from errorfloor import ScoreTable, reliability
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.questions.reliability import _band


def slow_runs(sizes):
    """Return the runs of blocks and what share of the error probability each has."""
    blocks, length, runs = len(sizes), 1, {}
    while length < blocks:
        step = max(length // 10, 1)
        starts = sorted({*range(0, blocks - length, step), blocks - length})
        for i in starts:
            runs[i, i + length - 1] = 1 / np.sqrt(len(starts))
        length = max(length + 1, round(1.2 * length))
    runs[0, blocks - 1] = 1.0
    enough = min(12, sum(sizes) // 10)
    runs = {run: w for run, w in runs.items() if sum(sizes[run[0] : run[1] + 1]) >= enough}
    overlap = 2 * (blocks - 1) / (blocks + 7) * (1 + 4 * blocks / sum(sizes))
    return runs, overlap


def slow_band(table, level, blocks):
    """Every run of blocks, every score, one at a time."""
    count = table.negatives + table.positives
    low_score, high_score = table.scores[0], table.scores[-1]
    groups = {}
    for row in range(len(table)):
        mass = (count[:row].sum() + count[row] / 2) / table.n
        spread = high_score - low_score
        width = (table.scores[row] - low_score) / spread if spread else 0
        key = int(blocks // 2 * mass), min(int(blocks // 2 * width), blocks // 2 - 1)
        groups.setdefault(key, []).append(row)
    groups = list(groups.values())
    runs, overlap = slow_runs([int(count[rows].sum()) for rows in groups])
    spent = (1 - level) * (1 + overlap * (20 * (1 - level)) ** 0.3) / sum(runs.values())
    lows, highs = table.ranges
    low, high = np.zeros(len(table)), np.ones(len(table))
    for (i, j), share in runs.items():
        tail = spent * share / 2
        rows = np.concatenate(groups[i : j + 1])
        test = binomtest(int(table.positives[rows].sum()), int(count[rows].sum()))
        limits = test.proportion_ci(1 - 2 * tail, method="exact")
        for row, score in enumerate(table.scores):
            if highs[rows].max() <= score:
                low[row] = max(low[row], limits.low)
            if lows[rows].min() >= score:
                high[row] = min(high[row], limits.high)
    return low, high


@pytest.mark.parametrize("scale", [3, 20, 10**6])
@pytest.mark.parametrize("blocks", [4, 10, 40])
def test_the_band_is_that_of_all_runs_of_blocks(scale, blocks):
    rng = np.random.default_rng(scale)
    scores = np.floor(rng.beta(0.4, 0.4, 120) * scale) / scale
    table = ScoreTable.from_arrays(scores, rng.random(120) < scores)
    for low, slow in zip(_band(table, 0.9, blocks), slow_band(table, 0.9, blocks), strict=True):
        np.testing.assert_allclose(low, slow, rtol=1e-9, atol=1e-12)


def test_the_limits_of_a_merged_row_hold_nowhere_inside_it():
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    table = ScoreTable.from_arrays(scores, rng.random(300) < scores).coarsen(8)
    assert table.coarse.any()
    for low, slow in zip(_band(table, 0.9, 10), slow_band(table, 0.9, 10), strict=True):
        np.testing.assert_allclose(low, slow, rtol=1e-9, atol=1e-12)


TRUTHS = {
    "coin": lambda s: np.full_like(s, 0.5),
    "steps": lambda s: np.where(s < 0.3, 0.1, np.where(s < 0.6, 0.2, 0.9)),
    "line": lambda s: s,
    "rare": lambda s: 0.05 * s**4,
}


def holds(table, truth, level):
    low, high = _band(table, level)
    p = truth(table.scores)
    return bool(((low <= p) & (p <= high)).all())


# At least 80 % of the runs must be covered. Were it exactly 80 %, the share among 400 runs would
# have a standard deviation of 2 points; three of them are allowed for. With shares that add up
# to three times as much, 58 to 71 % of the runs with coin flips are covered.
@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
@pytest.mark.parametrize("steps", [2, 10, 100])
def test_the_band_holds_all_true_probabilities_at_its_level(truth, steps):
    rng = np.random.default_rng(7)
    level, repeats, covered = 0.8, 400, 0
    for _ in range(repeats):
        scores = np.round(rng.random(300) * steps) / steps
        table = ScoreTable.from_arrays(scores, rng.random(300) < truth(scores))
        covered += holds(table, truth, level)
    assert covered / repeats >= level - 3 * (level * (1 - level) / repeats) ** 0.5


# Runs overlap most, and all of them are near their limits, where the truth is the same at all
# scores. Sums of so many labels are nearly Gaussian: nothing is left of what whole numbers add.
@pytest.mark.parametrize("rows", [2, 3, 5, 11])
def test_the_shares_spent_do_for_many_equal_items(rows):
    rng = np.random.default_rng(rows)
    level, repeats = 0.8, 1000
    scores, n = np.arange(rows), 10**6
    covered = 0
    for positives in rng.binomial(n, 0.5, size=(repeats, rows)):
        table = ScoreTable.from_counts(scores, n - positives, positives)
        covered += holds(table, TRUTHS["coin"], level)
    assert covered / repeats >= level - 3 * (level * (1 - level) / repeats) ** 0.5


@pytest.mark.parametrize(
    ("n", "width", "narrower"),  # the mean width of the band of 0.1.0 on these items
    [(300, 0.5244, 0.08), (1000, 0.3848, 0.09), (10_000, 0.2109, 0.15)],
)
def test_the_band_is_narrower_than_that_of_version_0_1_0(n, width, narrower):
    rng = np.random.default_rng(n)
    widths = []
    for _ in range(5):
        scores = rng.random(n)
        low, high = _band(ScoreTable.from_arrays(scores, rng.random(n) < scores), 0.95)
        widths.append(np.mean(high - low))
    assert np.mean(widths) < (1 - narrower) * width


def test_the_curve_is_the_calibration_map(rng):
    scores = rng.random(200)
    labels = rng.random(200) < scores
    for method in ("isotonic", "beta", "hist-5", "platt"):
        curve = reliability(scores, labels, method=method)
        map_ = ef.calibrate(scores, labels, method=method)
        np.testing.assert_array_equal(curve.scores, map_.table.scores)
        np.testing.assert_array_equal(curve.probabilities, map_.probabilities)
        assert (curve.method, curve.n, curve.level) == (method, 200, 0.95)


def test_the_band_does_not_depend_on_the_method_and_widens_with_the_level(rng):
    scores = rng.random(2000)
    labels = rng.random(2000) < scores
    wide, same, narrow = (
        reliability(scores, labels, method=method, level=level)
        for method, level in (("isotonic", 0.99), ("beta", 0.99), ("isotonic", 0.5))
    )
    np.testing.assert_array_equal(wide.low, same.low)
    assert (wide.low <= narrow.low).all()
    assert (wide.high >= narrow.high).all()
    assert (wide.high - wide.low).mean() > (narrow.high - narrow.low).mean() + 0.02


def test_scores_out_of_order_make_the_limits_cross(rng):
    scores = rng.random(2000)
    labels = rng.random(2000) < scores
    assert reliability(scores, labels).in_order
    assert not reliability(1 - scores, labels).in_order


def test_tables_and_arrays_give_the_same(rng):
    scores, labels = rng.random(50).round(1), rng.random(50) < 0.5
    one = reliability(scores, labels)
    two = reliability(ScoreTable.from_arrays(scores, labels))
    assert one.to_dict() == two.to_dict()
    assert json.loads(json.dumps(one.to_dict()))["in_order"] is one.in_order


def test_the_histogram_counts_every_item_once(rng):
    scores, labels = rng.random(500).round(2), rng.random(500) < 0.3
    curve = reliability(scores, labels)
    assert curve.edges[0] == 0
    assert curve.edges[-1] == 1
    assert curve.negatives.sum() == np.count_nonzero(~labels)
    assert curve.positives.sum() == np.count_nonzero(labels)
    logits = reliability(10 * scores - 5, labels)
    assert logits.edges[0] == (10 * scores - 5).min()


def test_large_tables_keep_what_the_curve_needs():
    data = gaussian_mixture(200_000, rng=0)
    table = ScoreTable.from_arrays(corrupt(data.soft_labels, 2, 0.7), data.labels)
    curve, low_high = reliability(table), _band(table, 0.95)
    assert curve.scores.size <= 4000
    # Drawn with straight lines, nothing differs from the full curve by as much as a line's width.
    whole = ef.calibrate(table).probabilities
    for shown, full in zip(
        (curve.probabilities, curve.low, curve.high), (whole, *low_high), strict=True
    ):
        drawn = np.interp(table.scores, curve.scores, shown)
        assert np.abs(drawn - full).max() < 0.005


@pytest.mark.parametrize("scores", [[0.5], [3.0, 3.0], [-8e307, 8e307], [0.0, 5e-324]])
def test_few_and_extreme_scores_have_a_band(scores):
    curve = reliability(scores, [True] * len(scores))
    assert (curve.probabilities == 1).all()
    assert (curve.high == 1).all()
    assert curve.positives.sum() == len(scores)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="`labels` is missing"):
        reliability([0.1, 0.2])
    with pytest.raises(ValueError, match="`level` must lie strictly between 0 and 1"):
        reliability([0.1], [1], level=95)
    with pytest.raises(ValueError, match="`method` must be one of"):
        reliability([0.1], [1], method="isotone")
    with pytest.raises(ValueError, match="isotonic-cf corrects an estimate"):
        reliability([0.1], [1], method="isotonic-cf")


def test_limits_that_meet_leave_room_for_one_curve():
    found = ef.reliability(np.linspace(0, 1, 50), np.arange(50) % 2)
    assert replace(found, low=found.high).in_order
    assert not replace(found, low=found.high + 1e-9).in_order
