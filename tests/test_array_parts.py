"""Arrays with a column for each class, names of classes and missing entries, by hand."""

import datetime

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import matrices, naming, values
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable

# Missing entries


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


# Names of classes


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
        found = naming.naming_of(values, number, given.pop("classes", None), ("x",), **given)
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
    found, at = naming.distinct_values(np.array(["b", "a", "b"]))
    assert (found, at.tolist()) == (["a", "b"], [1, 0, 1])
    found, at = naming.distinct_values(np.array(["b", None, "b"], object))
    assert (found, at.tolist()) == (["b", None], [0, 1, 0])
    listed = values.as_entries([["a"], ["b", "c"]])
    found, at = naming.distinct_values(listed)
    assert (found, at.tolist()) == ([["a"], ["b", "c"]], [0, 1])
    with pytest.raises(ef.InputError, match=r"missing entries, such as entry 1 \(2 of 4\)"):
        naming.codes_of(["a", None, "b", None], 2, None)
