"""Arrays with a column for each class, names of classes and missing entries, by hand."""

import datetime
from collections import Counter
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import grid, matrices, naming, read, values
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable

# Missing entries


def test_entries_stay_what_they_are():
    assert values.as_entries(["a", "b"]).dtype.kind == "U"
    assert values.as_entries(["a", None]).tolist() == ["a", None]
    mixed = values.as_entries(["a", 1.5])
    assert mixed.tolist() == ["a", 1.5]
    spelt = np.array(["a", "nan"])
    assert values.as_entries(spelt) is spelt
    assert values.as_entries([["a", "b"], ["c", "d"]]).shape == (2, 2)
    ragged = values.as_entries([[1], [1, 2]])
    assert ragged.shape == (2,)
    assert ragged.tolist() == [[1], [1, 2]]
    assert values.as_entries([1, 2]).dtype.kind == "i"


def test_entries_are_missing_in_their_own_ways():
    nat = np.datetime64("nat")
    some = [None, float("nan"), pd.NA, pd.NaT, np.ma.masked, nat]
    assert all(values.is_missing(one) for one in some)
    there = [0, "", "nan", False, np.array([1, 2]), np.array([]), datetime.date(2026, 1, 1)]
    assert not any(values.is_missing(one) for one in there)
    assert values.missing_in(np.array([1.0, np.nan])).tolist() == [False, True]
    assert values.missing_in(np.array([nat, "2026-01-01"], "M8[D]")).tolist() == [True, False]
    assert values.missing_in(np.array([1, 2])).tolist() == [False, False]
    assert values.missing_in(np.array(["nan", ""])).tolist() == [False, False]
    assert values.missing_in(np.array(["a", None], object)).tolist() == [False, True]
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    with pytest.raises(ef.InputError):
        values.shown_entries(masked, "labels")
    assert values.shown_entries(["a", None], "labels").tolist() == ["a", None]


# Matrices


def test_what_has_columns_is_a_matrix():
    assert matrices.is_matrix([[1, 2], [3, 4]])
    assert matrices.is_matrix(np.zeros((0, 3)))
    assert not any(map(matrices.is_matrix, ([1, 2], 5, np.zeros((1, 1, 1)), [[1], [1, 2]])))


@pytest.mark.parametrize("shape", [(3, 1), (0, 3), (0, 1)])
def test_a_matrix_has_rows_and_a_column_for_each_class(shape):
    with pytest.raises(ef.InputError, match="must have a row for each item and a column for each"):
        matrices.as_matrix(np.zeros(shape), "scores")
    with pytest.raises(ef.InputError, match="must have a row for each item and a column for each"):
        matrices.as_votes(np.zeros(shape, int))


def test_entries_of_a_matrix_are_finite():
    assert matrices.as_matrix([[1, 2]], "scores").tolist() == [[1, 2]]
    for k in range(3):
        for bad in (np.nan, np.inf, -np.inf):
            rows = np.ones((4, 3))
            rows[2, k] = bad
            with pytest.raises(
                ef.InputError, match=r"must be finite numbers: row 2 .*\(1 of 4 are"
            ):
                matrices.as_matrix(rows, "scores")


def test_classes_are_as_many_as_columns():
    assert matrices.check_number(None, 3, "scores") is None
    assert matrices.check_number(["a", "b", "c"], 3, "scores") == ("a", "b", "c")
    with pytest.raises(ef.InputError, match="has 2 names, and `scores` has 3 columns"):
        matrices.check_number(["a", "b"], 3, "scores")
    with pytest.raises(
        ef.InputError, match="has 3 names, and `votes` has numbers of class 1 and so"
    ):
        matrices.check_number(["a", "b", "c"], 2, "votes")
    for make in (
        lambda: VoteTable.from_arrays([1, 2], 3, classes=["a", "b", "c"]),
        lambda: VoteTable.from_arrays([[1, 2], [1, 2]], classes=["a", "b", "c"]),
        lambda: SoftTable.from_arrays([0.5], classes=["a", "b", "c"]),
        lambda: SoftTable.from_arrays([[0.5, 0.5]], classes=["a", "b", "c"]),
        lambda: ScoreTable.from_arrays([0.5, 1], [0, 1], classes=["a", "b", "c"]),
        lambda: ScoreTable.from_arrays([[0.5, 0.5]] * 2, [0, 1], classes=["a", "b", "c"]),
    ):
        with pytest.raises(ef.InputError, match="`classes` has 3 names"):
            make()


def test_soft_labels_of_two_columns_are_those_of_the_second():
    values, names = matrices.as_soft([[0.25, 0.75], [1.0, 0.0]], None)
    assert (values.tolist(), names) == ([0.75, 0], None)
    values, _ = matrices.as_soft([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], None)
    assert values.tolist() == [0.75, 0, 0.5]
    values, _ = matrices.as_soft([[0.25, 0.5, 0.25], [0, 0, 1]], None)
    assert values.tolist() == [[0.25, 0.5, 0.25], [0, 0, 1]]
    values, names = matrices.as_soft([0.25, 1.0], ["a", "b"])
    assert (values.tolist(), names) == ([0.25, 1], None)
    values, names = matrices.as_soft([[0.25, 0.5, 0.25]], list("abc"))
    assert (values.tolist(), names) == ([[0.25, 0.5, 0.25]], ("a", "b", "c"))
    for k in range(3):
        rows = np.full((2, 3), 0.5)
        rows[1, k] = -0.5 if k else 1.5
        rows[1, (k + 1) % 3] = 0.0
        with pytest.raises(ef.InputError, match="`soft_labels` must lie in"):
            matrices.as_soft(rows, None)


def test_distinct_soft_labels_are_counted():
    rows = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25]])
    found = matrices.soft_columns(rows, ["a", "b", "c"])
    assert found["probabilities"].tolist() == [[0.25, 0.5, 0.25], [0.5, 0.25, 0.25]]
    assert (found["counts"].tolist(), found["classes"]) == ([1, 2], ("a", "b", "c"))
    counted = matrices.counted_soft(rows, None, np.array([3, 4, 5]))
    assert counted["counts"].tolist() == [4, 8]
    assert "classes" not in counted
    assert matrices.soft_columns([0.5, 0.25, 0.5])["counts"].tolist() == [1, 2]


def test_votes_are_whole_numbers_with_a_column_for_each_class():
    for kind in (np.int64, np.uint8, np.float64, np.int32):
        found = matrices.as_votes(np.array([[1, 0], [2, 3]], kind))
        assert (found.tolist(), found.dtype) == ([[1, 0], [2, 3]], np.int64)
    for bad in ([[1, -1], [2, 3]], [[1, 2.5], [2, 3]], [[1, 2**60], [2, 3]]):
        with pytest.raises(ef.InputError, match="`votes` must be whole numbers of at least 0"):
            matrices.as_votes(bad)
    with pytest.raises(ef.InputError, match="`totals` must be left out"):
        matrices.vote_columns([[1, 2]], 3)
    with pytest.raises(ef.InputError, match="`totals` is missing"):
        matrices.vote_columns([1, 2], None)
    with pytest.raises(ef.InputError, match="`positives` must not exceed"):
        matrices.vote_columns([1, 3], 2)
    with pytest.raises(ef.InputError, match="Items must have votes"):
        matrices.vote_columns([[1, 2], [0, 0]], None)
    with pytest.raises(ef.InputError, match="`totals` must be whole numbers of at least 1"):
        matrices.vote_columns([0, 1], [0, 1])
    with pytest.raises(ef.InputError, match="must have the same length"):
        matrices.vote_columns([0, 1], [1, 1, 1])
    found = matrices.vote_columns([0, 1, 0], [1, 1, 1])
    assert (found["votes"].tolist(), found["counts"].tolist()) == ([[1, 0], [0, 1]], [2, 1])
    assert matrices.as_votes(np.array([[1.0, 0, 2]])).tolist() == [[1, 0, 2]]
    assert matrices.vote_columns([1], 2, ["a", "b"])["votes"].tolist() == [[1, 1]]
    two = matrices.vote_columns([[1, 2, 0], [0, 1, 0]], None, list("abc"))
    assert two["classes"] == ("a", "b", "c")
    assert "classes" not in matrices.vote_columns([[1, 2]], None, ["a", "b"])
    assert matrices.vote_columns([[1, 2, 0]], None, list("abc"))["classes"] == ("a", "b", "c")


def test_votes_too_many_for_one_number_are_counted_by_rows():
    large = 2**40
    votes = np.array([[large, 1], [1, large], [large, 1], [0, 2]])
    found = matrices.counted_votes(votes, None, None)
    assert found["votes"].tolist() == [[0, 2], [large, 1], [1, large]]
    assert found["counts"].tolist() == [1, 2, 1]
    nothing = matrices.counted_votes(np.zeros((0, 3), int), None, None)
    assert (nothing["votes"].shape, nothing["counts"].shape) == ((0, 3), (0,))


def test_scores_and_labels_of_two_classes_and_of_more():
    rows = [[1.0, 3.0], [2.0, 2.0], [0.0, 5.0]]
    scores, labels, names = matrices.as_class_scores(rows, [0, 1, 1])
    assert (scores.tolist(), labels.tolist(), names) == (
        [0.75, 0.5, 1],
        [False, True, True],
        ("0", "1"),
    )
    scores, labels, names = matrices.as_class_scores([0.2, 0.9], ["no", "yes"], ["no", "yes"])
    assert (scores.tolist(), labels.tolist(), names) == ([0.2, 0.9], [False, True], ("no", "yes"))
    with pytest.raises(ef.InputError, match="must have the same length"):
        matrices.as_class_scores([[0.5, 0.5, 0]] * 2, [0, 1, 2])
    two = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]]
    scores, labels, names = matrices.as_class_scores(two, ["c", "a"], ["a", "b", "c"])
    assert (scores.tolist(), labels.tolist(), names) == (two, [2, 0], ("a", "b", "c"))
    for shape in ([[0.5, 0.5], [0, 0]], [[0.5, 0.5, 0], [0, 0, 0]]):
        with pytest.raises(ef.InputError, match=r"must not all be 0: row 1 .*\(1 of 2"):
            matrices.as_class_scores(shape, [0, 1])
    matrices.check_some_positive(np.array([[-1.0, 1.0]]))  # logits
    matrices.check_some_positive(np.zeros((0, 2)))
    # Probabilities that miss one by rounding stay as they are.
    nearly = np.array([[0.25, 0.75 + 1e-7], [1, 0]])
    assert matrices.one_score(nearly).tolist() == nearly[:, 1].tolist()


def test_labels_are_counted_at_each_row_of_scores():
    rng = np.random.default_rng(0)
    rows = rng.integers(-1, 2, (60, 3)) * 0.5
    rows[rows == 0] = rng.choice([0.0, -0.0], np.count_nonzero(rows == 0))
    code = rng.integers(0, 3, 60)
    counts = rng.integers(1, 5, 60)
    names = ("a", "b", "c")
    keys = [tuple((row + 0.0).tolist()) for row in rows]
    once, often = Counter(zip(keys, code.tolist(), strict=True)), Counter()
    for key, label, n in zip(keys, code.tolist(), counts.tolist(), strict=True):
        often[key, label] += n
    for given, expected in ((None, once), (counts, often)):
        found = matrices.counted_scores(np.array(rows, order="F"), code, names, given)
        distinct = sorted(set(keys))
        assert [tuple(row) for row in found["scores"].tolist()] == distinct
        assert not np.signbit(found["scores"][found["scores"] == 0]).any()
        assert found["counts"].tolist() == [
            [expected[key, k] for k in range(3)] for key in distinct
        ]
        assert found["classes"] == names
        assert not found["scores"].flags.writeable
        assert not found["counts"].flags.writeable
        assert found["counts"].dtype == np.int64


def test_counts_of_very_many_rows_take_less_room_where_they_fit(monkeypatch):
    rows, code = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]], order="F"), np.array([0, 1])
    most = 2**31

    def counted(counts):
        return matrices.counted_scores(rows.copy("F"), code, tuple("abc"), counts)["counts"]

    monkeypatch.setattr(matrices, "_SMALL", 6)
    assert counted(None).dtype == np.int64
    monkeypatch.setattr(matrices, "_SMALL", 5)
    assert counted(None).dtype == np.int32
    small = counted(np.array([1, most - 2]))
    assert (small.dtype, small.tolist()) == (np.int32, [[0, most - 2, 0], [1, 0, 0]])
    large = counted(np.array([most - 1, 1]))
    assert (large.dtype, large.tolist()) == (np.int64, [[0, 1, 0], [most - 1, 0, 0]])


def test_rows_are_taken_without_changing_what_others_hold():
    rows = np.array([[2.0, 1, 0], [1, 2, 3]])
    for given in (rows, np.array(rows, order="F")):
        given.setflags(write=False)
        found = matrices._taken(given, np.array([1, 0]))
        assert found.tolist() == [[1, 2, 3], [2, 1, 0]]
        assert given.tolist() == rows.tolist()
        assert found.flags.f_contiguous
        assert not found.flags.writeable
    once = matrices._taken(np.array(rows), np.array([1, 0]))
    assert once.flags.f_contiguous
    assert matrices._taken(np.array(rows, order="F"), np.array([1])).tolist() == [[1, 2, 3]]


# Names of classes


def test_facts_of_classes_are_counts_or_which_one_is_1():
    two = ScoreTable.from_arrays([0.2, 0.9], [0, 1])
    assert read.facts_of_classes([two]) == {}
    assert read.facts_of_classes([two], ("0", "1")) == {}
    assert read.facts_of_classes([two], ("no", "yes")) == {"classes": {"1": ["yes"], "0": ["no"]}}
    p = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
    scores = ScoreTable.from_arrays(p, ["b", "a", "b"], classes=["a", "b", "c"])
    assert read.facts_of_classes([scores]) == {"classes": [["a", 1], ["b", 2], ["c", 0]]}
    assert read.facts_of_classes([scores, scores])["classes"] == [["a", 2], ["b", 4], ["c", 0]]
    votes = VoteTable.from_arrays([[1, 2, 0], [0, 3, 1], [1, 2, 0]])
    assert read.facts_of_classes([votes])["classes"] == [["0", 2], ["1", 7], ["2", 1]]
    soft = SoftTable.from_arrays(p)
    assert read.facts_of_classes([soft])["classes"] == [["0", 0], ["1", 1], ["2", 1]]


def test_names_of_two_classes_come_from_labels_beside_two_columns():
    two, three, one = [[0.5, 0.5]] * 2, [[0.5, 0.25, 0.25]] * 2, [0.5, 0.5]
    labels = ["no", "yes"]
    assert naming.names_in_arrays(two, labels, None, True) == ("no", "yes")
    assert naming.names_in_arrays(three, labels, None, True) is None
    assert naming.names_in_arrays(one, labels, None, True) is None
    assert naming.names_in_arrays(two, labels, None, False) is None
    assert naming.names_in_arrays(two, labels, ("a", "b"), True) == ("a", "b")


def test_names_of_classes_are_checked():
    assert naming.as_classes(None) is None
    assert naming.as_classes([0, 1.0, " b "]) == ("0", "1", "b")
    for bad in ("ab", b"ab", {"a": 1, "b": 2}, 3, [], ["a"]):
        with pytest.raises(ef.InputError, match="must be a list of two names or more"):
            naming.as_classes(bad)
    with pytest.raises(ef.InputError, match="has '1' twice"):
        naming.as_classes(["0", "1", 1.0])
    most = naming.MOST_CLASSES
    assert len(naming.as_classes(range(most))) == most
    with pytest.raises(ef.InputError, match="must be at most 1,000 names, got 1,001"):
        naming.as_classes(range(most + 1))


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (["proba_cat", "proba_cow"], ["cat", "cow"]),
        (["p cat x", "p dog x"], ["cat", "dog"]),
        (["cat_n", "dog_n"], ["cat", "dog"]),
        (["cat", "cow"], ["cat", "cow"]),
        (["a_b_x", "a_b_y"], ["x", "y"]),
        (["n_a_1", "n_b_1"], ["a", "b"]),
        (["n1", "n2"], ["n1", "n2"]),
        (["p_", "p_a"], ["p_", "p_a"]),  # one would have no name
        (["p_a_", "p_ a_"], ["p_a_", "p_ a_"]),  # two would have one
        (["n_9", "n_10", "n_11"], ["9", "10", "11"]),
    ],
)
def test_names_of_columns_are_what_they_do_not_share(columns, names):
    assert naming.names_of_columns(columns) == tuple(names)


def test_texts_share_how_they_begin():
    assert naming._shared(["abc", "abd", "abx"]) == "ab"
    assert naming._shared(["ab", "abc"]) == "ab"
    assert naming._shared(["x", "a"]) == ""


def test_labels_are_places_or_names():
    def codes(labels, number, classes=None):
        code, names = naming.codes_of(labels, number, classes)
        return code.tolist(), names

    assert codes([0, 2, 1], 3) == ([0, 2, 1], ("0", "1", "2"))
    assert codes(np.array([0, 2, 1], np.uint8), 3) == ([0, 2, 1], ("0", "1", "2"))
    assert codes(["2", "0", "1"], 3) == ([2, 0, 1], ("0", "1", "2"))
    assert codes([True, False], 2) == ([1, 0], ("0", "1"))
    assert codes(["b", "c", "a", "b"], 3) == ([1, 2, 0, 1], ("a", "b", "c"))
    assert codes(["b", "a"], 2, ("b", "a")) == ([0, 1], ("b", "a"))
    assert codes([0, 1, 0], 2, ("b", "a")) == ([0, 1, 0], ("b", "a"))
    assert codes([1, 2], 2, ("2", "1")) == ([1, 0], ("2", "1"))
    for labels, says in (
        ([0, 3, 1], "must be whole numbers from 0 to 2, one for each column, and has 3"),
        ([0, -1, 1], "must be whole numbers from 0 to 2, one for each column, and has -1"),
        (["a", "b"], "must have 3 different values, one for each column, and has 2: a, b"),
        (["a", "b", "1"], "must have 3 different values, .* and has 3: 1, a, b"),
    ):
        with pytest.raises(ef.InputError, match=says):
            codes(labels, 3)
    with pytest.raises(ef.InputError, match="has 'z', which is none of the classes a, b"):
        codes(["a", "z"], 2, ("a", "b"))


def test_columns_name_the_classes_of_labels():
    def place(values, number, **given):
        found = naming.told(values, number, given.pop("classes", None), ("x",), **given)
        return found.names, found.place

    assert place(["a", "b"], 2, columns=("b", "a")) == (("b", "a"), {"a": 1, "b": 0})
    assert place([0, 1], 2, columns=("b", "a")) == (("b", "a"), {0: 0, 1: 1})
    # Columns that have numbers only say nothing about words.
    assert place(["x", "y"], 2, columns=("0", "1")) == (("x", "y"), {"x": 0, "y": 1})
    assert place([1], 3, columns=("0", "1", "2")) == (("0", "1", "2"), {1: 1})
    with pytest.raises(ef.InputError, match="none of the classes b, a that the columns are called"):
        place(["a", "z"], 2, columns=("b", "a"))
    assert naming.Naming(("a",), {"1": 0, 2.0: 1}).are_numbers
    assert not naming.Naming(("a",), {"1": 0, "b": 1}).are_numbers


def test_whole_numbers_are_told_from_words():
    values = ["7", "-3", "+2", "true", False, 3.0, "3.5", "x", "1" * 18, "1" * 19, ""]
    expected = [7, -3, 2, 1, 0, 3, None, None, int("1" * 18), None, None]
    assert [naming.whole_of(value) for value in values] == expected


def test_several_labels_in_one_entry_are_refused():
    def several(values, classes=None):
        with suppress(ef.InputError):
            naming.refuse_several(values, ("x",), classes)
            return False
        return True

    assert several(["cat;dog", "cat"])
    assert several([["cat"], "dog"])
    assert several([{"cat"}])
    assert several(["[cat, dog]"])
    assert several(["a,b", "a,c", "b,c"])  # each part occurs twice
    assert not several(["cat", "dog"])
    assert not several(["Paris, France", "Rome, Italy"])  # a comma in a name
    assert not several(["Paris, France", "Lyon, France"])
    assert not several(["a,b", "a"])  # what is beside it may be a name
    assert not several(["cat;dog", "cow|horse"])
    assert not several(["cat;dog", "cat"], ("cat;dog", "cat"))
    assert not several([1, 2])


def test_lists_of_values_are_short_in_messages():
    assert naming.listed(list("abcdef")) == "a, b, c, d, e, f"
    assert naming.listed(list("abcdefg")) == "a, b, c, d, e, f, ..."
    assert naming.brief("x" * 40) == "x" * 40
    assert naming.brief("x" * 41) == "x" * 30 + "..."


def test_labels_are_one_to_an_item():
    with pytest.raises(ef.InputError, match="has a column of 0 and 1 for each class"):
        naming.codes_of([[0, 1], [1, 0]], 2, None)
    with pytest.raises(ef.InputError, match="has a column of 0 and 1 for each class"):
        naming.codes_of([[0, 1]], 2, None)
    for wrong in ([[0, 2], [1, 0]], [[0], [1]], [["a", "b"]], np.zeros((1, 1, 2)), 3):
        with pytest.raises(ef.InputError, match="must be 1-d, got shape"):
            naming.codes_of(wrong, 2, None)
    with pytest.raises(ef.InputError, match="is empty"):
        naming.codes_of([], 2, None)


def test_distinct_values_keep_their_place():
    found, at = naming._distinct(np.array(["b", "a", "b"]))
    assert (found, at.tolist()) == (["a", "b"], [1, 0, 1])
    found, at = naming._distinct(np.array(["b", None, "b"], object))
    assert (found, at.tolist()) == (["b", None], [0, 1, 0])
    listed = values.as_entries([["a"], ["b", "c"]])
    found, at = naming._distinct(listed)
    assert (found, at.tolist()) == ([["a"], ["b", "c"]], [0, 1])
    with pytest.raises(ef.InputError, match=r"missing entries, such as entry 1 \(2 of 4\)"):
        naming.codes_of(["a", None, "b", None], 2, None)


# The grid


def test_cells_of_the_usual_grid_fit_into_those_of_others():
    assert grid.CELLS == 2**16
    scores = np.random.default_rng(0).random(1000)
    assert np.array_equal(grid.cell_of(scores, grid.CELLS) // 2**8, grid.cell_of(scores, 2**8))


def test_one_cell_holds_all_scores_from_0_to_1():
    scores = np.array([0.0, 0.3, 1.0])
    assert grid.cell_of(scores, 1).tolist() == [0, 0, 0]
    assert grid.cell_of(np.append(scores, 1.5), 1).tolist() == [0, 0, 0, 1]
    assert grid.cell_of(np.array([-0.5, 1.0]), 1).tolist() == [-1, 0]
    assert grid.cell_of(np.zeros(0), 4).tolist() == []


@pytest.mark.parametrize("cells", [1, 7, 64, 65_536])
def test_both_ways_to_the_cells_of_the_grid_agree(cells):
    rng = np.random.default_rng(cells)
    edges = np.array([0, 1, 0.5, 5e-324, 1e-300, np.nextafter(1, 0), np.nextafter(0.5, 0)])
    scores = np.concatenate((edges, rng.random(5000), rng.beta(0.1, 0.1, 5000)))
    slow = grid.cell_of(np.append(scores, [-1.0, 2.0]), cells)[:-2]
    assert np.array_equal(grid.unit_cell_of(scores, cells), slow)
    assert np.array_equal(grid.cell_of(scores, cells), slow)
