"""Weights of items: floors and limits of the population that the weights stand for."""

from functools import partialmethod

import engines
import numpy as np
import pandas as pd
import pytest
from helpers import answer
from laws import QUESTIONS, law
from numpy.testing import assert_array_equal

import errorfloor as ef
from errorfloor.data.sample import split
from errorfloor.intervals.bets import Blocks, growing_blocks

N = 300
RNG = np.random.default_rng(20261116)
SCORES = np.round(RNG.random(N), 2)
LABELS = (RNG.random(N) < SCORES).astype(int)
WEIGHTS = RNG.choice([0.1, 0.25, 1.7], size=N)
CLUSTERS = RNG.integers(60, size=N)
POSITIVES = RNG.binomial(5, SCORES)
ROWS = RNG.dirichlet([1, 1, 1], size=N).round(1)
ROWS[:, 2] = 1 - ROWS[:, 0] - ROWS[:, 1]
ROWS = np.abs(ROWS) / np.abs(ROWS).sum(axis=1, keepdims=True)
NAMES = np.array(["a", "b", "c"])[RNG.integers(3, size=N)]

CALLS = {
    "soft": lambda **more: ef.from_soft_labels(SCORES, rng=1, **more),
    "soft, three classes": lambda **more: ef.from_soft_labels(ROWS, rng=1, **more),
    "scores": lambda **more: ef.from_scores(SCORES, LABELS, rng=1, **more),
    "corrupted": lambda **more: ef.from_scores(
        SCORES, LABELS, method="corrupted", interval="betting", rng=1, **more
    ),
    "isotonic-cf": lambda **more: ef.from_scores(
        SCORES, LABELS, method="isotonic-cf", rng=1, **more
    ),
    "certified": lambda **more: ef.from_scores(SCORES, LABELS, interval="certified", rng=1, **more),
}


@law(QUESTIONS, lambda one: one.weighs)
def test_only_ratios_of_weights_matter_to_the_last_bit(question):
    rng = np.random.default_rng(6)
    cluster = rng.integers(60, size=150)
    for given, factor in (
        (rng.choice([0.1, 0.25, 1.7], 150), 10),
        (rng.uniform(0.5, 3, 150), 3),
        (np.ones(150), 1 / 150),
    ):
        for beside in ({}, {"cluster": cluster}):
            try:
                expected = answer(question.ask(**beside, weight=given))
            except ef.InputError as error:
                assert "cluster" in str(error)  # noqa: PT017 -- few take weights without
                continue
            assert answer(question.ask(**beside, weight=given * factor)) == expected


def test_weights_of_any_size_are_as_good_as_others():
    def found(factor, **more):
        return answer(ef.from_scores(SCORES, LABELS, weight=WEIGHTS * factor, rng=1, **more))

    for more in ({}, {"cluster": CLUSTERS}):
        assert found(1e-200, **more) == found(1e200, **more) == found(1, **more)


def test_weights_that_differ_by_rounding_alone_are_equal():
    weight = np.full(N, 0.3)
    weight[::3] = 0.1 + 0.2
    for more in ({}, {"cluster": CLUSTERS}):
        expected = answer(ef.from_scores(SCORES, LABELS, rng=1, **more))
        assert answer(ef.from_scores(SCORES, LABELS, weight=weight, rng=1, **more)) == expected


def test_ties_between_sums_of_weights_are_ties_in_any_unit():
    # Three items of weight 1 make up for one of weight 3, in tenths and in thirds of a unit.
    scores, labels = [0.1, 0.1, 0.1, 0.2, 0.3], [1, 1, 1, 0, 1]
    for unit in (1, 0.1, 1 / 3, 7e-50):
        weight = unit * np.array([1, 1, 1, 3, 4])
        table = ef.ScoreTable.from_arrays(scores, labels, weight=weight)
        assert table.masses.tolist() == [[0, 3], [3, 0], [0, 4]]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_weights_count_as_they_weigh(call):
    one = call(weight=WEIGHTS)
    assert one.n_effective == pytest.approx(WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum())
    assert one.low <= one.value <= one.high


def columns():
    return {
        "score": ("float64", SCORES.tolist()),
        "label": ("int64", LABELS.tolist()),
        "weight": ("float64", WEIGHTS.tolist()),
        "patient": ("int64", CLUSTERS.tolist()),
        "positives": ("int64", POSITIVES.tolist()),
        "totals": ("int64", [5] * N),
    }


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_the_same_entries(engine):
    frame = engines.ENGINES[engine](columns())
    beside = {"weight": "weight", "cluster": "patient"}
    expected = ef.from_scores(SCORES, LABELS, weight=WEIGHTS, cluster=CLUSTERS, rng=1)
    found = ef.from_scores(frame, score="score", label="label", rng=1, **beside)
    assert found.table == expected.table
    assert answer(found) == answer(expected)
    with pytest.warns(ef.DoubtWarning, match="'patient' .* If these items belong together"):
        soft = ef.from_soft_labels(frame, soft="score", rng=1, weight="weight")
    assert answer(soft) == answer(ef.from_soft_labels(SCORES, weight=WEIGHTS, rng=1))


def test_shards_in_any_order_add_to_the_same_bits(tmp_path):
    whole = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=WEIGHTS, cluster=CLUSTERS)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(N)
        parts = [
            ef.ScoreTable.from_arrays(
                SCORES[at], LABELS[at], weight=WEIGHTS[at], cluster=CLUSTERS[at]
            )
            for at in np.array_split(order, 4)
        ]
        for i, part in enumerate(parts):
            part.save(tmp_path / f"{i}.npz")
        assert ef.merge(tmp_path) == whole
    assert whole + ef.ScoreTable.empty() == whole == ef.ScoreTable.empty() + whole
    votes = ef.VoteTable.from_arrays(POSITIVES, 5, weight=WEIGHTS)
    halves = (
        ef.VoteTable.from_arrays(POSITIVES[at], 5, weight=WEIGHTS[at])
        for at in (slice(0, 100), slice(100, N))
    )
    assert sum(halves, ef.VoteTable.empty()) == votes
    with pytest.raises(ValueError, match="has weights or clusters and the other has none"):
        _ = votes + ef.VoteTable.from_arrays(POSITIVES, 5)


def test_coarse_tables_keep_weights():
    table = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=WEIGHTS)
    coarse = table.coarsen(16)
    assert coarse.masses.sum() == pytest.approx(table.masses.sum())
    exact = ef.from_scores(table, method="isotonic", interval=None).value
    found = ef.from_scores(coarse, method="isotonic", interval=None)
    assert exact <= found.value <= exact + found.resolution + 1e-12


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 0, 1], "`weight` must be positive finite numbers: entry 1 is 0.0"),
        ([1, -2, 1], "`weight` must be positive finite numbers: entry 1 is -2.0"),
        ([1, np.nan, 1], "`weight` must be finite numbers: entry 1 is nan"),
        ([1, np.inf, 1], "`weight` must be finite numbers: entry 1 is inf"),
        ([1, 1], "`scores` and `weight` must have the same length"),
        ([1, 1e-300, 1], "`weight` must lie between"),
        ([1, 1e-70, 1], r"`weight` goes from 1e-70 to 1, so the largest is more than 2e\+60 times"),
        ("w", "is the name of a column, and the labels are arrays"),
    ],
)
def test_bad_weights_are_refused_by_entry(weight, message):
    with pytest.raises(ValueError, match=message):
        ef.from_scores([0.1, 0.2, 0.3], [0, 1, 1], weight=weight)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([1, 0, 1], "must be positive finite numbers: 1 of 3 are bad, for example 0"),
        ([1, None, 1], "has missing values: 1 of 3 rows"),
        (["1", "x", "1"], "must be positive finite numbers: 1 of 3 are bad, for example 'x'"),
        ([1, 1e-300, 1], "must lie between 1e-271 and 8e.*bad, for example 1e-300. Only their rat"),
        ([1, 1e-70, 1], r"the largest is more than 2e\+60 times the smallest. Leave out items"),
    ],
)
def test_bad_columns_of_weights_are_refused(column, message):
    frame = pd.DataFrame({"score": [0.1, 0.2, 0.3], "label": [0, 1, 1], "w": column})
    with pytest.raises(ValueError, match=message):
        ef.from_scores(frame, weight="w")
    with pytest.raises(ValueError, match="has another use already"):
        ef.from_scores(frame, score="score", label="label", weight="score")
    with pytest.raises(ValueError, match="must be the name of a column"):
        ef.from_scores(frame, weight=[1, 1, 1])


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        (
            [1, np.nan, 2],
            "`cluster` must not be missing: entry 1 is nan (1 of 3 are bad). Give items that stand "
            "alone a cluster of their own.",
        ),
        (["a", "b", np.nan], "`cluster` must not be missing: entry 2 is nan (1 of 3 are bad)."),
        (["a", None, None], "`cluster` must not be missing: entry 1 is None (2 of 3 are bad)."),
        ([pd.NA, 1, 2], "`cluster` must not be missing: entry 0 is <NA> (1 of 3 are bad)."),
        (np.array(["2026-11-16", "NaT", "NaT"], "M8[D]"), "`cluster` must not be missing: entry 1"),
        (np.ma.array([1, 2, 3], mask=[0, 0, 1]), "`cluster` has 1 masked entries. Leave them out"),
        (
            "person",
            "`cluster` is the name of a column, and the labels are arrays. Pass an array with an "
            "entry for each item.",
        ),
        (np.ones((3, 2)), "`cluster` must be one name or number per item, got shape (3, 2)."),
        ([1, 2], "`scores` and `cluster` must have the same length, got 3 and 2."),
    ],
)
def test_bad_clusters_are_refused_by_entry(cluster, message):
    with pytest.raises(ef.InputError) as caught:
        ef.from_scores([0.1, 0.2, 0.3], [0, 1, 1], cluster=cluster)
    assert str(caught.value).startswith(message)


def test_clusters_of_any_kind_are_told_by_their_names():
    plain = ef.ScoreTable.from_arrays(SCORES, LABELS, cluster=CLUSTERS)
    texts = CLUSTERS.astype(str)
    for names in (texts, list(texts), texts.astype(object), CLUSTERS.astype(float)):
        assert ef.ScoreTable.from_arrays(SCORES, LABELS, cluster=names) == plain


@pytest.mark.parametrize("name", ["weight", "cluster"])
def test_a_table_has_its_weights_already(name, tmp_path):
    table = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=WEIGHTS)
    already = "which has weights and clusters already if any. Leave out"
    with pytest.raises(ef.InputError) as caught:
        ef.from_scores(table, **{name: WEIGHTS})
    assert str(caught.value) == f"`scores` is a ScoreTable, {already} `{name}`."
    file = tmp_path / "table.npz"
    table.save(file)
    with pytest.raises(ef.InputError) as caught:
        ef.from_scores(file, **{name: "w"})
    assert str(caught.value) == f"{file} is a saved table, {already} `{name}`."


def test_tables_with_clusters_do_not_add_to_others():
    both = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=WEIGHTS, cluster=CLUSTERS)
    weighed = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=WEIGHTS)
    for one, other in ((both, weighed), (weighed, both)):
        with pytest.raises(ef.InputError) as caught:
            _ = one + other
        assert str(caught.value) == (
            "One of the tables has clusters and the other has none. Count both with `cluster`, or "
            "both without."
        )


@pytest.mark.parametrize("kind", ["pandas", "csv"])
def test_columns_for_each_class_and_weights_make_the_table_of_the_arrays(kind, tmp_path):
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"]).assign(y=NAMES, w=WEIGHTS, of=CLUSTERS)
    data = frame
    if kind == "csv":
        data = tmp_path / "rows.csv"
        frame.to_csv(data, index=False)
    beside = {"weight": WEIGHTS, "cluster": CLUSTERS}
    columns = {"weight": "w", "cluster": "of", "interval": None}
    found = ef.from_scores(data, score=["a", "b", "c"], label="y", **columns)
    assert found.table == ef.ScoreTable.from_arrays(ROWS, NAMES, **beside)
    soft = ef.from_soft_labels(data, soft=["a", "b", "c"], **columns)
    assert soft.table == ef.SoftTable.from_arrays(ROWS, classes=["a", "b", "c"], **beside)
    mean = np.average(1 - ROWS.max(axis=1), weights=WEIGHTS.astype(np.float32))
    assert soft.value == pytest.approx(mean)
    one, other = (
        ef.ScoreTable.from_arrays(ROWS[at], NAMES[at], weight=WEIGHTS[at], cluster=CLUSTERS[at])
        for at in (slice(0, 90), slice(90, N))
    )
    assert one + other == found.table == other + one


def test_more_classes_than_a_key_has_room_for_are_weighed_as_well():
    classes = 140  # of which 128 fit
    labels = np.random.default_rng(5).integers(classes, size=400)
    labels[:4] = (139, 139, 0, 128)
    scores = np.full((400, classes), 0.5)
    weight = np.tile([1.0, 2.0], 200)
    table = ef.ScoreTable.from_arrays(scores, labels, weight=weight)
    assert len(table) == 1
    masses = np.bincount(labels, weight, minlength=classes)
    assert_array_equal(table.masses[0], masses)
    # The last label comes first, and of equal ones the lighter.
    assert (np.diff(table.entries.label) <= 0).all()
    pairs = table.entries.label * -10 + table.entries.weight
    assert (np.diff(pairs) > 0).all()
    assert table == ef.ScoreTable.from_arrays(scores, labels[::-1], weight=weight[::-1])


def test_weights_of_scores_stay_where_these_are_taken_for_probabilities():
    table = ef.ScoreTable.from_arrays(SCORES, LABELS, weight=WEIGHTS)
    mean = np.average(np.minimum(SCORES, 1 - SCORES), weights=WEIGHTS.astype(np.float32))
    found = ef.from_soft_labels(table, interval=None)
    assert found.value == pytest.approx(mean)
    # One row for each of a few cells: its soft label is the middle of the cell.
    coarse = ef.from_soft_labels(table.coarsen(16), interval=None)
    assert abs(coarse.value - mean) <= coarse.resolution
    lows, highs = coarse.table.ranges
    reach = ((highs - lows) / 2)[np.searchsorted(highs, SCORES)]
    assert coarse.resolution == pytest.approx(
        np.average(reach, weights=WEIGHTS.astype(np.float32)), rel=1e-9
    )


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        (
            {"weight": "w"},
            "With `weight` there are more than 2 different items, which do not fit "
            "into memory. Round the weights to a few digits, or take a sample of the rows.",
        ),
        (
            {"cluster": "c"},
            "With `cluster` there are more than 2 different items, which do not fit "
            "into memory. Take a sample of the rows.",
        ),
        (
            {"weight": "w", "cluster": "c"},
            "With `weight` and `cluster` there are more than 2 "
            "different items, which do not fit into memory. Round the weights to a few digits, or "
            "take a sample of the rows.",
        ),
    ],
)
def test_more_different_items_than_fit_into_memory_are_refused(beside, said, monkeypatch):
    frame = pd.DataFrame({"score": 0.5, "label": 1, "w": [1.0, 2, 3], "c": [*"abc"]})
    monkeypatch.setattr("errorfloor.data.rows.MOST_DIFFERENT", 2)
    with pytest.raises(ef.InputError) as caught:
        ef.from_scores(frame, **beside)
    assert str(caught.value) == said
    votes = pd.DataFrame({"k": [0, 1, 2], "m": 2})
    with pytest.raises(ef.InputError) as caught:
        ef.from_votes(votes, positives="k", totals="m")
    assert str(caught.value) == (
        "There are more than 2 different items, which do not fit into memory. Take a sample of the "
        "rows."
    )


def test_a_column_called_weight_is_not_used_unless_it_is_named():
    frame = pd.DataFrame({"score": SCORES, "label": LABELS, "weight": WEIGHTS})
    with pytest.warns(ef.DoubtWarning, match="Column 'weight' has numbers .* and was not used"):
        assert ef.from_scores(frame, rng=1).n_effective is None
    assert ef.from_scores(frame, weight="weight", rng=1).n_effective is not None
    assert any("weight='weight' (--weight weight)" in line for line in ef.look(frame).problems)


def test_what_would_be_wrong_with_weights_is_refused():
    for method in ("hist-10", "beta", "platt"):
        with pytest.raises(ValueError, match=f"{method} does not use `weight`"):
            ef.from_scores(SCORES, LABELS, weight=WEIGHTS, method=method)
    with pytest.raises(ValueError, match="hoeffding is not given with `weight`"):
        ef.from_soft_labels(SCORES, weight=WEIGHTS, interval="hoeffding")


def test_annotators_count_as_without_weights_where_weights_are_equal():
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(120), 4)
    people = np.concatenate([rng.choice(40, 4, replace=False) for _ in range(120)])
    chance = rng.beta(0.5, 0.5, 120)[item]
    frame = pd.DataFrame({"item": item, "annotator": people, "vote": rng.random(480) < chance})
    named = {"item": "item", "annotator": "annotator", "vote": "vote"}
    plain = ef.from_votes(frame, **named)
    assert plain.interval_method == "annotators"
    frame["w"] = 2.0
    assert answer(ef.from_votes(frame, **named, weight="w")) == answer(plain)
    frame["w"] = 1.0 + item % 3
    assert ef.from_votes(frame, **named, weight="w").interval_method == "likelihood"
    frame.loc[0, "w"] = 9.0
    with pytest.raises(ValueError, match=r"`weight` .* is not the same in all rows of an item"):
        ef.from_votes(frame, **named, weight="w")


def test_groups_have_weights_of_their_own_and_rows_without_one_can_be_left_out():
    weight = np.where(np.arange(N) == 5, np.nan, WEIGHTS)
    site = np.where(np.arange(N) % 3, "x", "y")
    frame = pd.DataFrame({"score": SCORES, "label": LABELS, "w": weight, "site": site})
    named = {"score": "score", "label": "label", "weight": "w", "method": "isotonic"}
    found = ef.from_scores(frame, **named, group="site", drop_missing=True)
    assert found.dropped == 1
    for name in "xy":
        own = frame[(site == name) & ~np.isnan(weight)]
        alone = ef.from_scores(own, **named)
        assert (found[name].value, found[name].n_effective) == (alone.value, alone.n_effective)


def test_shares_of_weighted_votes_beside_labels_are_the_same_from_arrays_and_frames():
    frame = pd.DataFrame({"k": POSITIVES, "m": 5, "label": LABELS, "w": WEIGHTS})
    one = ef.from_votes(POSITIVES, 5, labels=LABELS, weight=WEIGHTS, rng=1)
    other = ef.from_votes(frame, positives="k", totals="m", label="label", weight="w", rng=1)
    assert one.table == other.table
    assert answer(one) == answer(other)


def test_scores_too_many_for_a_row_each_keep_their_weights(monkeypatch):
    from errorfloor.data import matrices

    monkeypatch.setattr(matrices, "EXACT", 100)
    rng = np.random.default_rng(3)
    scores, weight = rng.random(3000), rng.random(3000) + 0.1
    labels = (rng.random(3000) < scores).astype(int)
    exact = ef.ScoreTable.from_arrays(scores, labels, weight=weight)
    monkeypatch.setattr("errorfloor.data.arrays.CELLS", 512)
    monkeypatch.setattr("errorfloor.data.arrays._MANY", 10**6)
    found = ef.from_scores(scores, labels, weight=weight, method="isotonic", interval=None)
    assert len(found.table) <= 512
    assert found.table == exact.coarsen(512)
    best = ef.from_scores(exact, method="isotonic", interval=None).value
    assert best <= found.value <= best + found.resolution
    frame = pd.DataFrame({"score": scores, "label": labels, "w": weight})
    monkeypatch.setattr(ef.ScoreTable, "coarsen", partialmethod(ef.ScoreTable.coarsen, 512))
    assert ef.from_scores(frame, weight="w", interval=None).table == found.table
    # Far beyond 1 a few cells would hold all scores, so these have a row each.
    monkeypatch.setattr("errorfloor.data.arrays._MANY", 10)
    far = ef.from_scores(frame.assign(score=1e6 + scores), weight="w", interval=None)
    assert len(far.table) == np.unique(1e6 + scores).size


@pytest.mark.parametrize("beside", ["weight", "cluster"])
def test_reversed_scores_are_refuted_whatever_the_sample(beside):
    rng = np.random.default_rng(4)
    p = rng.random(400)
    y = (rng.random(400) < p).astype(int)
    arrays = {"weight": rng.choice([1.0, 2.0, 5.0], 400), "cluster": np.arange(400) // 4}
    given = {beside: arrays[beside]}
    with pytest.warns(ef.RefutedWarning, match="are reversed"):
        assert ef.from_scores(1 - p, y, rng=0, **given).refuted
    assert not ef.from_scores(p, y, rng=0, **given).refuted


def test_blocks_that_grow_are_sixteenths_put_together():
    count = np.array([1, 0, 7, 3, 2_000_000, 1])
    sixteenths = split(count, 16, np.random.default_rng(1))
    expected = np.add.reduceat(sixteenths, [0, 1, 2, 4, 8])
    assert_array_equal(growing_blocks(count, np.random.default_rng(1)), expected)


def test_rows_of_votes_are_those_of_the_table():
    rng = np.random.default_rng(1)
    for totals in (rng.integers(1, 6, 300), rng.integers(1, 100_000, 300)):
        ones = rng.integers(0, totals + 1)
        table = ef.VoteTable.from_arrays(ones, totals, weight=rng.random(300))
        assert len(table.entries.count) == 300  # and the check of entries found every row


def test_rows_are_the_same_however_they_are_found(monkeypatch):
    soft = np.concatenate((RNG.random(500).round(2), [0.0, -0.0, 1.0]))
    weight = RNG.random(503)
    expected = ef.SoftTable.from_arrays(soft, weight=weight)
    monkeypatch.setattr("errorfloor.data.entries._MANY", 0)
    assert ef.SoftTable.from_arrays(soft, weight=weight) == expected


def test_an_answer_says_what_weights_and_clusters_have_to_be():
    cluster = np.arange(N) // 2
    both = ef.from_scores(SCORES, LABELS, weight=WEIGHTS, cluster=cluster, interval=None)
    apart = " Items of different clusters have nothing to do with each other."
    assert both.assumptions.endswith(
        " With the weights, the items represent the population." + apart
    )
    alone = ef.from_scores(SCORES, LABELS, cluster=cluster, interval=None)
    assert alone.assumptions.endswith(apart)
    assert "weights" not in alone.assumptions
    assert "cluster" not in ef.from_scores(SCORES, LABELS, interval=None).assumptions


def test_what_comes_before_a_block_is_known_even_where_it_is_empty():
    some = Blocks.of(np.array([[2, 0], [0, 3], [0, 0], [0, 0], [0, 0]]))
    assert some.n == 5
    before = [[0, 0], [2, 0], [2, 3], [2, 3], [2, 3]]
    assert [seen.counts(2).tolist() for seen in some.before] == before


def test_zeros_of_both_signs_are_one_score():
    frame = pd.DataFrame({"score": [-0.0, 0.0, 0.5], "label": [0, 1, 1], "w": [1.0, 2.0, 3.0]})
    table = ef.from_scores(frame, score="score", label="label", weight="w", interval=None).table
    assert table.scores.tolist() == [0.0, 0.5]
    assert not np.signbit(table.scores).any()


@pytest.mark.parametrize("given", [{}, {"prior": 0.3}], ids=str)
def test_the_best_auc_of_weights_near_1_is_near_that_of_none(given):
    rng = np.random.default_rng(3)
    p = rng.beta(0.6, 1.3, 60)
    plain = ef.from_soft_labels(p, metric="auc", interval=None, **given).value
    equal = ef.from_soft_labels(p, metric="auc", interval=None, weight=np.ones(60), **given).value
    about = rng.uniform(0.999, 1.001, 60)
    near = ef.from_soft_labels(p, metric="auc", interval=None, weight=about, **given).value
    assert equal == plain
    assert near == pytest.approx(plain, abs=1e-4)
