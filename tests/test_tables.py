import dataclasses
import math

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import labelled_scores, score_tables, vote_tables, votes

import errorfloor as ef
from errorfloor import ScoreTable, SoftTable, VoteTable
from errorfloor.data.engines import fetch, lazy, with_cell
from errorfloor.data.matrices import CELLS, cell_of, unit_cell_of


@given(labelled_scores(), labelled_scores())
def test_adding_score_tables_equals_pooling_their_items(first, second):
    pooled = ScoreTable.from_arrays(
        *(np.concatenate(pair) for pair in zip(first, second, strict=True))
    )
    assert ScoreTable.from_arrays(*first) + ScoreTable.from_arrays(*second) == pooled


@given(votes(), votes())
def test_adding_vote_tables_equals_pooling_their_items(first, second):
    pooled = VoteTable.from_arrays(
        *(np.concatenate(pair) for pair in zip(first, second, strict=True))
    )
    assert VoteTable.from_arrays(*first) + VoteTable.from_arrays(*second) == pooled


@given(st.one_of(score_tables(), vote_tables()))
def test_the_empty_table_is_neutral(table):
    empty = type(table).empty()
    assert len(empty) == empty.n == 0
    assert table + empty == empty + table == table
    assert empty + empty == empty


@given(score_tables(), score_tables(), score_tables())
def test_addition_of_tables_is_associative_and_commutative(a, b, c):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)


@given(labelled_scores())
def test_a_score_table_has_a_row_per_distinct_score_and_counts_every_item(data):
    scores, labels = data
    table = ScoreTable.from_arrays(scores, labels)
    assert table.n == len(scores)
    assert np.array_equal(table.scores, np.unique(scores))
    for score, negatives, positives in zip(
        table.scores, table.negatives, table.positives, strict=True
    ):
        assert (negatives, positives) == (
            np.sum(~labels[scores == score]),
            np.sum(labels[scores == score]),
        )
    assert table.negatives.dtype == table.positives.dtype == np.int64


@given(votes())
def test_a_vote_table_counts_every_item(data):
    positives, totals = data
    table = VoteTable.from_arrays(positives, totals)
    assert table.n == len(positives)
    rows = zip(table.positives, table.totals, table.counts, strict=True)
    for k, m, count in rows:
        assert count == np.sum((positives == k) & (totals == m))
    assert len(table) == len(set(zip(positives.tolist(), totals.tolist(), strict=True)))


@given(st.one_of(score_tables(), vote_tables()))
def test_a_saved_table_loads_as_itself(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("tables") / "table.npz"
    table.save(path)
    assert type(table).load(path) == table
    assert [entry.name for entry in path.parent.iterdir()] == ["table.npz"]


@given(score_tables())
def test_cells_and_their_table_are_inverse(table):
    cells = table.cells()
    assert ScoreTable.from_cells(cells, cells.count) == table
    assert cells.count.min() >= 1
    assert (np.diff(2 * cells.row - cells.positive) > 0).all()  # by score, positive first


@given(score_tables())
def test_complete_cells_have_both_labels_of_every_row(table):
    cells = table.cells(complete=True)
    assert ScoreTable.from_cells(cells, cells.count) == table
    assert np.array_equal(cells.row, np.repeat(np.arange(len(table)), 2))
    assert np.array_equal(cells.positive, np.tile([True, False], len(table)))
    occurs = cells.count > 0
    assert np.array_equal(cells.row[occurs], table.cells().row)
    assert np.array_equal(cells.count[occurs], table.cells().count)


def test_negative_zero_and_zero_are_one_score():
    table = ScoreTable.from_arrays([0.0, -0.0, -0.0], [0, 1, 1])
    assert len(table) == 1
    assert not np.signbit(table.scores[0])


def test_one_total_for_all_items_equals_a_column_of_it():
    assert VoteTable.from_arrays([0, 2, 2], 3) == VoteTable.from_arrays([0, 2, 2], [3, 3, 3])


def test_votes_in_huge_numbers_are_counted_too():
    table = VoteTable.from_arrays([2**40, 0, 2**40], 2**40)
    assert (table.positives.tolist(), table.counts.tolist()) == ([0, 2**40], [1, 2])


def test_tables_cannot_be_changed_and_do_not_change_their_input():
    scores, counts = np.array([0.1, 0.2]), np.array([1, 1])
    table = ScoreTable.from_counts(scores, counts, counts)
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.scores = scores
    with pytest.raises(ValueError, match="read-only"):
        table.negatives[0] = 5
    scores[0] = counts[0] = 0  # still the caller's own
    assert table.scores[0] == 0.1
    assert table.negatives[0] == 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0.2, 0.1], [1, 1], [1, 1]), "ascending"),
        (([0.1, 0.1], [1, 1], [1, 1]), "distinct"),
        (([np.nan], [1], [1]), "finite"),
        (([0.1], [0], [0]), r"counts of a score must not all be 0: entry 0 is 0\.1"),
        (([0.1], [-1], [2]), "`negatives` must be whole numbers of at least 0: entry 0 is -1"),
        (([0.1], [1, 1], [1]), "`negatives` and `positives` must have the same length"),
        (([0.1], [1, 1], [1, 1]), "equal length"),
    ],
)
def test_score_tables_with_impossible_rows_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        ScoreTable.from_counts(*columns)


def test_vote_tables_with_rows_out_of_order_are_refused():
    with pytest.raises(ValueError, match="ascend by total"):
        VoteTable([[1, 1], [2, 0]], [1, 1])


def test_loading_something_else_is_one_clear_error(tmp_path):
    path = tmp_path / "votes.npz"
    VoteTable.from_arrays([1], 2).save(path)
    with pytest.raises(ValueError, match=r"does not hold a ScoreTable.*ScoreTable\.save"):
        ScoreTable.load(path)
    path.write_text("no archive")
    with pytest.raises(ValueError, match="does not hold a VoteTable"):
        VoteTable.load(path)
    with pytest.raises(FileNotFoundError):
        VoteTable.load(tmp_path / "missing.npz")


def test_pickled_arrays_are_never_loaded(tmp_path):
    path = tmp_path / "pickle.npz"
    np.savez(path, positives=np.array([{}], dtype=object), totals=[1], counts=[1])
    with pytest.raises(ValueError, match="it is no NPZ file of plain arrays"):
        VoteTable.load(path)


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "table.npz"
    table = VoteTable.from_arrays([1], 2)
    table.save(path)

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="disk full"):
        (table + table).save(path)
    assert VoteTable.load(path) == table
    assert len(list(tmp_path.iterdir())) == 1


def test_soft_labels_have_a_table_of_their_own(tmp_path):
    table = SoftTable.from_arrays([0.2, 0.9, 0.2])
    assert (table.probabilities.tolist(), table.counts.tolist()) == ([0.2, 0.9], [2, 1])
    assert (table + table).counts.tolist() == [4, 2]
    assert table + SoftTable.empty() == table
    table.save(tmp_path / "soft.npz")
    assert SoftTable.load(tmp_path / "soft.npz") == table
    with pytest.raises(ValueError, match="does not hold a ScoreTable"):
        ScoreTable.load(tmp_path / "soft.npz")


def test_tables_of_different_kinds_do_not_add():
    tables = (
        SoftTable.from_arrays([0.5]),
        ScoreTable.from_arrays([0.5], [1]),
        VoteTable.from_arrays([1], 2),
    )
    for first in tables:
        for second in tables:
            if first is not second:
                with pytest.raises(TypeError):
                    first + second


def test_a_score_table_has_a_column_of_counts_for_each_class(tmp_path):
    table = ScoreTable([0.1, 0.7], [[1, 0, 2], [0, 3, 0]], classes=("cat", "dog", "bird"))
    assert table.n == 6
    assert table.items.tolist() == [3, 3]
    assert (table + table).counts.tolist() == [[2, 0, 4], [0, 6, 0]]
    table.save(tmp_path / "three.npz")
    again = ScoreTable.load(tmp_path / "three.npz")
    assert again == table
    assert again.classes == ("cat", "dog", "bird")
    with pytest.raises(ValueError, match="A table of 3 classes has no negatives and positives"):
        _ = table.positives
    with pytest.raises(ValueError, match="The tables have different classes: cat, dog, bird"):
        table + ScoreTable([0.1], [[1, 1, 1]])


def test_scores_and_soft_labels_may_have_a_column_for_each_class():
    scores = ScoreTable([[0.1, 0.2, 0.7], [0.1, 0.3, 0.6]], [[1, 0, 0], [0, 2, 1]])
    other = ScoreTable([[0.1, 0.25, 0.65], [0.1, 0.3, 0.6]], [[0, 1, 0], [1, 0, 0]])
    both = scores + other
    assert both.scores.tolist() == [[0.1, 0.2, 0.7], [0.1, 0.25, 0.65], [0.1, 0.3, 0.6]]
    assert both.counts.tolist() == [[1, 0, 0], [0, 1, 0], [1, 2, 1]]
    soft = SoftTable([[0.1, 0.2, 0.7]], [4])
    assert (soft + soft).counts.tolist() == [8]
    assert soft.classes == ("0", "1", "2")
    with pytest.raises(ValueError, match="distinct and ascending"):
        SoftTable([[0.1, 0.3, 0.6], [0.1, 0.2, 0.7]], [1, 1])


def test_a_vote_table_has_a_column_of_votes_for_each_class():
    table = VoteTable([[3, 0, 0], [1, 1, 1], [0, 3, 0]], [5, 2, 1], classes=("a", "b", "c"))
    assert table.totals.tolist() == [3, 3, 3]
    assert (table + table).counts.tolist() == [10, 4, 2]
    with pytest.raises(ValueError, match="A table of 3 classes has no positives"):
        _ = table.positives
    with pytest.raises(ValueError, match="3 different names"):
        VoteTable([[1, 1, 1]], [1], classes=("a", "b", "b"))


def test_items_without_a_label_add_like_counts(tmp_path):
    first = ScoreTable([0.1, 0.2], [[1, 0], [0, 0]], unlabelled=[0, 3])
    second = ScoreTable.from_arrays([0.2, 0.9], [1, 1])
    both = first + second
    assert both.unlabelled.tolist() == [0, 3, 0]
    assert both.counts.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert both.n == 3  # labels; without them nothing is counted
    both.save(tmp_path / "table.npz")
    assert ScoreTable.load(tmp_path / "table.npz") == both
    found = ef.from_scores(both, rng=0)
    assert (found.method, found.n, found.n_unlabelled) == ("ppi", 3, 3)
    assert both.labelled == ScoreTable.from_arrays([0.1, 0.2, 0.9], [0, 1, 1])


def test_one_score_does_not_tell_three_classes_apart():
    table = ScoreTable([0.1, 0.7], [[1, 0, 2], [0, 3, 0]])
    for ask in (ef.from_scores, ef.compare, ef.calibrate, ef.reliability):
        with pytest.raises(ValueError, match=r"one score.*3 classes.*one class against the rest"):
            ask(table)
    with pytest.raises(ValueError, match=r"one score.*3 classes"):
        ef.feebee(table, model_error=0.1)


def test_files_of_0_1_load_by_their_columns(tmp_path):
    path = tmp_path / "old.npz"
    np.savez(path, scores=[0.1, 0.2], negatives=[1, 0], positives=[0, 2], dropped=np.int64(3))
    old = ScoreTable.load(path)
    assert old == dataclasses.replace(ScoreTable.from_arrays([0.1, 0.2, 0.2], [0, 1, 1]), dropped=3)
    np.savez(path, positives=[0, 2], totals=[2, 3], counts=[4, 5])
    votes = VoteTable.load(path)
    assert (votes.positives.tolist(), votes.totals.tolist()) == ([0, 2], [2, 3])
    ranges = {"lows": [0.1, 0.3], "highs": [0.2, 0.3]}
    np.savez(path, scores=[0.15, 0.3], negatives=[1, 1], positives=[1, 0], **ranges)
    assert ScoreTable.load(path).coarse.tolist() == [True, False]


def test_files_of_tables_say_their_kind_and_version(tmp_path):
    path = tmp_path / "table.npz"
    for table in (SoftTable.from_arrays([0.5]), VoteTable.from_arrays([1], 2)):
        table.save(path)
        with np.load(path) as file:
            assert str(file["kind"]) == table.kind
            assert file["version"] == 2


def test_two_classes_take_no_more_memory_than_two_columns_of_counts():
    table = ScoreTable.from_arrays(np.arange(1000) / 1000, np.arange(1000) % 2)
    assert sum(column.nbytes for column in table.columns.values()) == 3 * 8 * 1000
    assert table.positives.flags.c_contiguous
    assert table.negatives.flags.c_contiguous
    assert np.shares_memory(table.positives, table.counts)


@pytest.mark.parametrize(
    "table",
    [
        SoftTable.from_arrays([0.2, 0.9]),
        SoftTable([[0.1, 0.2, 0.7]], [4]),
        ScoreTable.from_arrays([0.2, 0.9], [0, 1]),
        ScoreTable.from_arrays(np.arange(20) / 19, np.arange(20) % 2).coarsen(4),
        ScoreTable([[0.1, 0.2, 0.7]], [[1, 0, 2]]),
        VoteTable.from_arrays([0, 2], 3),
        VoteTable([[3, 0, 0], [0, 3, 0]], [5, 2]),
    ],
)
def test_items_that_were_left_out_add_up_as_well(table):
    first, second = table.without(3), table.without(4)
    assert (first + second).dropped == 7
    assert (first + second).without(0) == table + table
    assert (first + table).dropped == (table + first).dropped == 3
    assert first != table
    assert first.coarsen(2).dropped == 3 if hasattr(table, "coarsen") else True


def test_tables_made_of_counts_keep_how_many_items_were_left_out():
    assert VoteTable.from_counts([1, 1], [2, 2], [3, 4], dropped=5).dropped == 5
    assert ScoreTable.from_counts([0.1], [1], [2], dropped=5).dropped == 5
    assert SoftTable.from_scores(ScoreTable.from_counts([0.1], [1], [2], dropped=5)).dropped == 5


@pytest.mark.parametrize("cells", [8, 2**17])
def test_frames_have_the_cells_of_arrays(cells):
    scores = np.array([-30.0, -0.1, 0.0, 0.01, 0.25, 0.5, 0.99, 1.0, 1.25, 2.0, 50.0])
    for some, unit in ((scores, False), (scores[2:8], True)):
        frames = pd.DataFrame({"score": some}), duckdb.from_df(pd.DataFrame({"score": some}))
        for frame in frames:
            found = fetch(with_cell(lazy(frame), cells, unit=unit))["cell"]
            assert found.tolist() == cell_of(some, cells).tolist()


def test_cells_of_the_grid_are_finer_towards_0_and_1_and_cover_the_line():
    # Places: (1 + sqrt(s) - sqrt(1 - s)) / 2 inside, s / (1 + |s|) below 0, 2 - 1 / s above 1.
    scores = np.array([-np.inf, -1.0, -0.1, 0.0, 0.01, 0.25, 0.5, 0.99, 1.0, 1.25, 2.0, 1e300])
    expected = [-8, -4, -1, 0, 0, 2, 3, 7, 7, 9, 11, 15]
    assert cell_of(scores[1:], 8).tolist() == expected[1:]
    edges = cell_of(np.linspace(0, 1, 10_001), 100)
    assert (np.diff(edges) >= 0).all()
    sizes = np.bincount(edges)
    assert sizes.size == 100
    assert sizes[0] < sizes[10] < sizes[50] > sizes[90] > sizes[99]
    assert np.abs(sizes - sizes[::-1]).max() <= 1
    assert cell_of(np.array([0.0, 1.0]), 100).tolist() == [0, 99]
    assert cell_of(np.array([0.0, 1.0, 1.5]), 100).tolist() == [0, 99, 133]
    assert cell_of(np.array([-1.0, 0.0, 1.0]), 100).tolist() == [-50, 0, 99]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_cells_of_scores_from_0_to_1_are_those_of_the_formula_at_any_precision(kind):
    rng = np.random.default_rng(3)
    ends = [0.0, -0.0, 1.0, 0.5, 2**-24, 1 - 2**-11]
    scores = np.concatenate((ends, rng.random(500), rng.random(50) ** 9)).astype(kind)
    below = math.nextafter(CELLS, 0)
    expected = [
        math.floor((1 + math.sqrt(s) - math.sqrt(1 - s)) / 2 * below) for s in scores.tolist()
    ]
    for found in (unit_cell_of(scores, CELLS), cell_of(scores, CELLS)):
        assert found.dtype == np.int64
        assert found.tolist() == expected
    beyond = np.append(scores, kind(1.5))  # which takes the longer way
    assert cell_of(beyond, CELLS)[:-1].tolist() == expected


def test_ranges_that_touch_become_one_row():
    lows, highs = np.array([0.5, 0.1, 0.2, 0.8]), np.array([0.6, 0.2, 0.3, 0.8])
    counts = np.array([[1, 0], [2, 1], [0, 4], [1, 1]])
    table = ScoreTable.from_ranges(lows, highs, counts, dropped=2)
    assert table.ranges[0].tolist() == [0.1, 0.5, 0.8]
    assert table.ranges[1].tolist() == [0.3, 0.6, 0.8]
    assert table.scores == pytest.approx([0.2, 0.55, 0.8])
    assert table.counts.tolist() == [[2, 5], [1, 0], [1, 1]]
    assert table.coarse.tolist() == [True, True, False]
    assert table.dropped == 2
    points = ScoreTable.from_ranges(lows, lows, counts)
    assert points.lows is None
    assert points.scores.tolist() == [0.1, 0.2, 0.5, 0.8]
    nested = ScoreTable.from_ranges(
        np.array([0.1, 0.2, 0.5]), np.array([0.9, 0.3, 0.6]), counts[1:]
    )
    assert (nested.lows.tolist(), nested.highs.tolist()) == ([0.1], [0.9])
    assert ScoreTable.from_ranges(lows[:0], highs[:0], counts[:0], dropped=3).dropped == 3


@pytest.mark.parametrize(
    ("lows", "highs"),
    [
        ([0.1, 0.2], [0.2, 0.3]),  # they touch
        ([0.16, 0.25], [0.2, 0.3]),  # a score below its range
        ([0.1, 0.25], [0.14, 0.3]),  # above its range
        ([0.1], [0.2]),  # one for two
    ],
)
def test_ranges_that_overlap_or_miss_their_scores_are_refused(lows, highs):
    with pytest.raises(ValueError, match=r"do not overlap|of equal length"):
        ScoreTable([0.15, 0.3], [[1, 1], [1, 0]], lows=lows, highs=highs)


def test_ranges_may_begin_and_end_at_their_scores():
    table = ScoreTable([0.1, 0.3], [[1, 1], [1, 0]], lows=[0.1, 0.2], highs=[0.15, 0.3])
    assert table.coarse.tolist() == [True, True]
    assert table.n == 3


def test_merged_rows_say_where_a_better_cut_may_be_and_how_much_better():
    # Errors of cuts between rows: 5, 6, 5, 4, 9. At best, cuts inside the merged rows: 4 and 3.
    counts = [[0, 1], [2, 1], [2, 1], [1, 6]]
    table = ScoreTable(
        [0.1, 0.4, 0.6, 0.9], counts, lows=[0.1, 0.3, 0.5, 0.9], highs=[0.1, 0.45, 0.7, 0.9]
    )
    cuts = [-1, 0.1, 0.4, 0.6, 0.9]
    negatives, positives = np.array(counts).T
    errors = [
        negatives[table.scores > cut].sum() + positives[table.scores <= cut].sum() for cut in cuts
    ]
    inside = [errors[row] - negatives[row] for row in (1, 2)]
    assert table.cut_resolution == max(min(errors) - min(inside), 0) / table.n
    assert table.may_hold_the_best_cut().tolist() == [
        False, *(value < min(errors) for value in inside), False,
    ]  # fmt: skip
    assert dataclasses.replace(table, lows=None, highs=None).cut_resolution == 0


MASKED = np.ma.array([0.1, 0.2], mask=[False, True])
TWO = [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ScoreTable(MASKED, TWO), "`scores` has 1 masked entries"),
        (lambda: ScoreTable([0.1, 0.2], np.ma.array(TWO, mask=[[0, 0], [0, 1]])), "`counts` has 1"),
        (lambda: ScoreTable([0.1, 0.2], TWO, unlabelled=MASKED), "`unlabelled` has 1"),
        (lambda: ScoreTable([0.1, 0.2], TWO, lows=MASKED, highs=[0.1, 0.2]), "`lows` has 1"),
        (lambda: VoteTable(np.ma.array([[1, 1]], mask=[[1, 0]]), [1]), "`votes` has 1 masked"),
        (lambda: VoteTable([[1, 1]], np.ma.array([1], mask=[1])), "`counts` has 1 masked"),
        (lambda: SoftTable(MASKED, [1, 1]), "`probabilities` has 1 masked"),
        (lambda: ScoreTable([0.1], [[1, 1]], dropped=-5), "`dropped` must be a whole number of at"),
        (lambda: VoteTable([[1, 1]], [1], dropped=0.5), "`dropped` must be a whole .* got 0.5"),
        (lambda: SoftTable([0.5], [1], dropped=10**400), "`dropped` .* at most 4,611,686,018"),
        (
            lambda: ScoreTable(np.array(["2026-11-15"], "M8[D]"), [[1, 1]]),
            "`scores` must be numbers",
        ),
        (lambda: ScoreTable(["a"], [[1, 1]]), "`scores` must be numbers: entry 0 is a"),
        (
            lambda: ScoreTable([10**400], [[1, 1]]),
            r"`scores` must be numbers: entry 0 is 10+\.\.\. ",
        ),
        (lambda: ScoreTable([0.1], [[1, 1]], lows=[-np.inf], highs=[1]), "`lows` must be finite"),
        (lambda: ScoreTable([0.1], [[1, 1]], lows=[0], highs=[np.inf]), "`highs` must be finite"),
        (lambda: ScoreTable([0.1], [[1, 1]], lows=[np.nan], highs=[1]), "`lows` must be finite"),
        (
            lambda: ScoreTable([0.1], [[1, 1]], lows=np.array([0], "M8[D]")),
            "`lows` must be numbers",
        ),
        (lambda: ScoreTable([0.1], [[1, 1]], highs=[0.05]), "`lows` and `highs` must be ranges"),
        (lambda: VoteTable([[2**53, 0]], [1]), "`votes of class 0` must be whole numbers"),
        (
            lambda: VoteTable([[3]], [1]),
            r"^`votes` must have a column for each of two .*\(1, 1\)\.$",
        ),
        (
            lambda: ScoreTable([0.1], [3]),
            r"^`counts` must have a column for each of .* shape \(1,\)",
        ),
        (lambda: VoteTable([[2**52, 2**52]], [1]), "The votes on an item must be at most"),
        (lambda: VoteTable.from_arrays([1], 10**400), "`totals` must be numbers: entry 0 is 10"),
    ],
)
def test_a_table_cannot_be_made_of_what_is_no_count_and_no_place(make, message):
    with pytest.raises(ef.InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"dropped": -5}, "`dropped` must be a whole number"),
        ({"scores": np.array(["2026-11-15"], "M8[D]")}, "`scores` must be numbers"),
        ({"lows": [-np.inf], "highs": [0.2]}, "`lows` must be finite"),
        ({"counts": [[2**62, 1]]}, "add up to at most 4,611,686,018,427,387,904 items"),
    ],
)
def test_a_file_cannot_hold_what_no_table_can(tmp_path, columns, message):
    path = tmp_path / "table.npz"
    np.savez(path, **{"scores": [0.1], "counts": [[1, 1]], "kind": "scores"} | columns)
    with pytest.raises(ValueError, match=message):
        ScoreTable.load(path)
    with pytest.raises(ef.InputError, match=message):
        ef.from_scores(path)


def test_masks_that_hide_nothing_are_fine():
    table = ScoreTable(np.ma.array([0.1, 0.2]), np.ma.array(TWO), dropped=np.int64(3))
    assert table == ScoreTable([0.1, 0.2], TWO, dropped=3)


MANY = 2**53 - 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: ScoreTable(np.arange(600) / 600, np.full((600, 2), MANY)),
        lambda: ScoreTable([0.1], [[2**62, 1]]),
        lambda: ScoreTable([0.1], [[1, 1]], unlabelled=[2**62 + 1]),
        lambda: ScoreTable.from_counts(np.arange(1200) / 1200, [MANY] * 1200, [0] * 1200),
        lambda: VoteTable([[1, 1], [1, 2]], [2**62, 1]),
        lambda: SoftTable(np.arange(600) / 600, [MANY] * 600),
    ],
)
def test_more_items_than_can_be_added_up_are_refused(make):
    with pytest.raises(ef.InputError, match=r"at (most|least)"):
        make()


def test_counts_add_up_exactly_to_as_many_as_there_may_be():
    half = 2**61
    for most in (
        ScoreTable([0.1, 0.2], [[half, 0], [0, half - 1]]),
        VoteTable([[1, 1], [1, 2]], [half, half - 1]),
        SoftTable([0.1, 0.2], [half, half - 1]),
    ):
        assert most.n == 2**62 - 1
        for n in (2, 2**62):
            with pytest.raises(ef.InputError, match=r"must add up to at most .* items \(2\*\*62\)"):
                most + _of(type(most), n)
        assert (most + _of(type(most), 1)).n == 2**62


def _of(kind, n):
    if kind is ScoreTable:
        return ScoreTable([0.1], [[n, 0]])
    return VoteTable([[1, 1]], [n]) if kind is VoteTable else SoftTable([0.1], [n])


def test_a_table_is_made_coarser_by_a_number_of_cells():
    table = ScoreTable.from_arrays([0.1, 0.2], [0, 1])
    for cells in (0, -1, 1.5, 10**400):
        with pytest.raises(ef.InputError, match="`cells` must be a whole number of at least 1"):
            table.coarsen(cells)
