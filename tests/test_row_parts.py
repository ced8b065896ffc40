"""Rows of frames and files, named, checked and read: one rule at a time."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import errorfloor as ef
from errorfloor import frames
from errorfloor.data import arrays, read
from errorfloor.data.layouts import ANNOTATIONS, COUNTS, SCORES, SOFT_LABELS, VOTES
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import ScoreTable, VoteTable

# Columns by name


# Checked rows


@pytest.mark.parametrize("column", ["label", "score"])
def test_only_labels_beside_scores_may_be_missing_and_kept(column):
    data = {"score": [0.5, 0.2], "label": [0, 1]}
    data[column] = [data[column][0], None]
    with pytest.raises(ef.InputError, match="has missing values: 1 of 2 rows") as raised:
        frames.score_table(pd.DataFrame(data), score="score", label="label")
    assert ("`unlabelled=True`" in str(raised.value)) == (column == "label")


def test_a_positive_class_that_occurs_only_once_is_found():
    words = [f"no{k % 5}" for k in range(50)] + ["yes"]
    data = pd.DataFrame({"score": np.arange(51) / 51, "label": words})
    found = frames.score_table(data, score="score", label="label", positive="yes")
    assert found.counts.sum(axis=0).tolist() == [50, 1]
    with pytest.raises(ef.InputError, match=r"`positive` is 'Yep', but .* has only: 'no0', 'no1'"):
        frames.score_table(data, score="score", label="label", positive="Yep")


# Scores


# The second pass


def test_rows_in_ranges_are_replaced_by_those_of_a_part():
    whole = ScoreTable(
        [0.5, 2.5, 4.5, 6.0],
        [[1, 2], [3, 0], [2, 2], [1, 0]],
        lows=[0.0, 2.0, 4.0, 6.0],
        highs=[1.0, 3.0, 5.0, 6.0],
        dropped=3,
    )
    part = ScoreTable([0.0, 1.0, 4.0, 5.0], [[1, 0], [0, 2], [2, 0], [0, 2]])
    found = arrays.taken_apart(whole, [(0.0, 1.0), (4.0, 5.0)], part)
    assert found.scores.tolist() == [0, 1, 2.5, 4, 5, 6]
    assert found.counts.tolist() == [[1, 0], [0, 2], [3, 0], [2, 0], [0, 2], [1, 0]]
    assert found.coarse.tolist() == [False, False, True, False, False, False]
    assert found.dropped == 3
    fewer = ScoreTable([0.0, 1.0, 4.0], [[1, 0], [0, 2], [2, 1]])
    with pytest.raises(ef.InputError, match="The data changed between two passes"):
        arrays.taken_apart(whole, [(0.0, 1.0), (4.0, 5.0)], fewer)
    with pytest.raises(ef.InputError, match="The data changed between two passes"):
        arrays.taken_apart(whole, [(0.0, 1.0)], part)


# The door


def test_data_that_say_what_they_hold():
    table = ScoreTable.from_arrays([0.2, 0.9], [0, 1])
    frame = pd.DataFrame({"p": [0.1]})
    assert all(map(read.is_data, (table, "a.csv", frame, pl.LazyFrame(frame.to_dict("list")))))
    assert not any(map(read.is_data, ([0.5], np.zeros(2), None, 3)))
    reading = read.read(table, (SCORES,), ReadOptions.of())
    assert read.is_data(reading)
    assert read.read(reading, (VOTES,), ReadOptions.of()) is reading


def test_arrays_are_read_where_one_layout_fits():
    def door(data, *layouts, second=None, **given):
        return read.read(data, layouts, ReadOptions.of(**given), second=second)

    assert door([1, 2], VOTES, COUNTS, second=3).table == VoteTable.from_arrays([1, 2], 3)
    by_class = door([[1, 2], [0, 3]], VOTES, COUNTS)
    assert by_class.table == VoteTable.from_arrays([[1, 2], [0, 3]])
    assert by_class.source.layout == "counts"
    assert (by_class.source.origin, by_class.source.rows) == ("arrays", 2)
    with pytest.raises(ef.InputError, match="An array does not say whether it holds"):
        door([0.5, 0.2], SCORES, SOFT_LABELS)
    with pytest.raises(ef.InputError, match="must be a dataframe or a file"):
        door([1, 2], ANNOTATIONS)
    weighed = door([0.2, 0.9], SCORES, second=[0, 1], weight=[1.0, 2.0])
    assert weighed.table.row_masses.tolist() == [1, 2]
    votes = door([1, 2], VOTES, second=3, weight=[1.0, 2.0])
    assert votes.table == VoteTable.from_arrays([1, 2], 3, weight=[1.0, 2.0])
    soft = door([0.2, 0.9], SOFT_LABELS, cluster=[1, 1])
    assert soft.table.entries.clusters == 1
    left = door(
        [0.2, 0.9, 0.5], SCORES, second=["b", None, "a"], drop_missing=True, classes=["a", "b"]
    )
    assert (left.table.n, left.table.dropped, left.source.rows) == (2, 1, 3)
    assert left.source.facts["classes"] == {"1": ["b"], "0": ["a"]}
    words = door([[0.5, 0.5]] * 3, SCORES, second=["yes", None, "no"], drop_missing=True)
    assert words.source.facts["classes"] == {"1": ["yes"], "0": ["no"]}
    for data, layout, second in (([1, 2], VOTES, 3), ([0.5, 0.2], SOFT_LABELS, None)):
        with pytest.raises(ef.InputError, match="go with a dataframe or file of rows"):
            door(data, layout, second=second, drop_missing=True)
    with pytest.raises(ef.InputError, match="go with a dataframe or file of rows"):
        door([0.5, 0.2], SCORES, drop_missing=True)
    with pytest.raises(ef.InputError, match=r"`totals` must be left out when .* is a VoteTable"):
        door(VoteTable.from_arrays([1], 2), VOTES, second=2)


# Rows by the door


def test_the_door_refuses_what_columns_cannot_be():
    scores = pd.DataFrame({"score": [0.2, 0.9], "label": [0, 1]})
    with pytest.raises(ef.InputError, match="`weight` must be the name of a column"):
        ef.from_scores(scores, weight=[1.0, 2.0])
    with pytest.raises(ef.InputError, match="names column 'score', which has another use"):
        ef.from_scores(scores, score="score", label="label", weight="score")
    votes = pd.DataFrame({"item": [1, 1, 2], "vote": [0, 1, 1], "y": [0, 0, 1]})
    with pytest.raises(ef.InputError, match="needs to know whose they are"):
        ef.from_votes(votes, item="item", vote="vote", duplicates="last")
    with pytest.raises(ef.InputError, match="The columns of the dataframe are item"):
        ef.annotators(votes.drop(columns="vote"))


def test_what_rows_tell_of_classes_is_kept():
    data = pd.DataFrame(
        {
            "p_a": [0.5, 0.2, 0.1, 0.6],
            "p_b": [0.25, 0.3, 0.8, 0.2],
            "p_c": [0.25, 0.5, 0.1, 0.2],
            "label": ["a", "c", "b", "a"],
        }
    )
    found = read.read(data, (SCORES,), ReadOptions.of())
    assert found.source.facts["classes"] == [["a", 2], ["b", 1], ["c", 1]]
    words = pd.DataFrame({"score": [0.2, 0.9], "label": ["no", "yes"]})
    assert read.read(words, (SCORES,), ReadOptions.of()).source.facts["classes"]["1"] == ["yes"]


def test_files_are_called_by_the_first_of_them(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.csv").write_text("x,z\n1,2\n")
    first, *others = (str(tmp_path / f"{name}.csv") for name in ("a", "b", "c"))
    with pytest.raises(ef.InputError, match=r"The columns of \S*a\.csv are x"):
        ef.from_scores(first)
    with pytest.raises(ef.InputError, match=r"The columns of \S*a\.csv and 2 more are x"):
        ef.from_scores([first, *others])
    with pytest.raises(ef.InputError, match=r"The columns of the dataframe are x"):
        ef.from_scores(pd.DataFrame({"x": [1], "z": [2]}))


def test_a_group_that_takes_a_needed_column_is_named():
    data = pd.DataFrame({"p": [0.2, 0.9], "y": [0, 1], "w": [1.0, 2.0]})
    with pytest.raises(ef.InputError, match=r"^`group='y'` leaves too few columns"):
        ef.from_scores(data, group="y")
    with pytest.raises(ef.InputError) as raised:
        ef.from_scores(data.drop(columns="y"))
    assert "leaves too few columns" not in str(raised.value)
    # Columns of weights are no candidates for anything else.
    other = pd.DataFrame({"a": [0.2, 0.9], "b": ["no", "yes"], "w": [1.0, 2.0]})
    found = ef.from_scores(other, weight="w", interval=None)
    assert found.source.columns == {"score": "a", "label": "b"}


def test_what_was_read_says_which_class_was_named():
    data = pd.DataFrame({"score": [0.2, 0.9, 0.4], "label": ["a", "b", "b"]})
    assert ef.from_scores(data, positive="b", interval=None).source.options.positive == "b"
    named = ef.from_scores(data, classes=["a", "b"], interval=None)
    assert (named.source.options.positive, named.source.options.classes) == (None, ("a", "b"))
    assert named.source.origin == "frame"
