"""Rows of frames and files, named, checked and read: one rule at a time."""

from dataclasses import replace

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import errorfloor as ef
from errorfloor import frames
from errorfloor.data import arrays, read, read_rows, rows
from errorfloor.data.columns import ChosenColumns
from errorfloor.data.engines import fetch, lazy
from errorfloor.data.layouts import ANNOTATIONS, COUNTS, LAYOUTS, SCORES, SOFT_LABELS, VOTES
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import ReadCall
from errorfloor.data.rows import ColumnRule, RowRequest, ScoreRows
from errorfloor.data.tables import ScoreTable, VoteTable

ENGINES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": lambda columns: pa.table(columns),
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}


def request(columns, engine="pandas", **more):
    frame = lazy(ENGINES[engine](columns))
    return RowRequest(frame=frame, run=fetch, columns={}, options=ReadOptions(**more))


def asked(*layouts, second=None, name=None, **given):
    return ReadCall(layouts or LAYOUTS, ReadOptions.of(**given), second, name=name)


# Columns by name


def test_columns_that_are_not_there_are_refused_by_name():
    with pytest.raises(ef.InputError, match="`vote` must be one of the columns a, b") as raised:
        rows.named(request({"a": [1], "b": [2]}), {"vote": "c"})
    assert "rename" not in str(raised.value).lower()
    numbered = pd.DataFrame({0: [1], "b": [2]})
    odd = RowRequest(frame=lazy(numbered), run=fetch, columns={})
    for column, choices in (("0", "b; got '0'"), (0, "0, b; got 0")):
        with pytest.raises(ef.InputError, match="Give the columns names that are text") as raised:
            rows.named(odd, {"vote": column})
        assert f"`vote` must be one of the columns {choices}" in str(raised.value)


def test_columns_hold_one_value_in_a_row():
    several = {"a": [[1, 2], [3]]}
    for name, more in (("vote", "ask about one label at a time"), ("item", "single values.")):
        with pytest.raises(ef.InputError, match="holds several values in a row") as raised:
            rows.named(request(several, "polars"), {name: "a"})
        assert str(raised.value).rstrip().endswith(more) or more in str(raised.value)
        assert ("one label at a time" in str(raised.value)) == (name == "vote")


# Checked rows


def checked(columns, names, rules=(), engine="pandas", missing=None, **more):
    some = request(columns, engine, **more)
    frame, given = rows.named(some, names)
    made = [rule(given) for rule in rules]
    return rows.checked(some, frame, given, made, missing)


def above(name, most):
    def rule(given):
        bad = (nw.col(f"given_{name}") > most).fill_null(False)
        return ColumnRule(given[name], f"given_{name}", bad, "must be small", "Take less.")

    return rule


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_are_counted_and_those_with_something_missing_left_out(engine):
    columns = {"a": [1, 2, None, 4], "b": ["x", None, None, "y"]}
    names = {"a": "a", "b": "b"}
    found = checked(columns, names, engine=engine, drop_missing=True)
    assert (found.n, found.dropped, found.groups) == (2, {None: 2}, ())
    assert sorted(float(one) for one in fetch(found.frame)["given_a"]) == [1, 4]
    with pytest.raises(ef.InputError, match=r"`a` \(column 'a'\) has missing values: 1 of 4 rows"):
        checked(columns, names, engine=engine)
    whole = checked({"a": [1, 2], "b": ["x", "y"]}, names, engine=engine)
    assert (whole.n, whole.dropped) == (2, {})
    grouped = {"a": [1, None, 3, None, None], "g": ["x", "x", "y", None, "x"]}
    found = checked(grouped, {"a": "a"}, engine=engine, drop_missing=True, group="g")
    assert (found.n, found.dropped, found.groups) == (2, {"x": 2, None: 1}, ("group",))
    named = checked(
        grouped | {"a": [1] * 5}, {"a": "a"}, engine=engine, drop_missing=True, group="g"
    )
    assert (named.n, named.dropped) == (4, {None: 1})


def test_rows_that_are_bad_are_refused_with_an_example():
    columns = {"a": [1, 9, None, 8], "b": [1, 2, 3, None]}
    names = {"a": "a", "b": "b"}
    with pytest.raises(ef.InputError) as raised:
        checked(columns, names, [above("a", 5)], drop_missing=True)
    # Of rows with something missing nothing is said.
    says = "`a` (column 'a') must be small: 1 of 4 are bad, for example 9.0. Take less."
    assert str(raised.value) == says
    with pytest.raises(ef.InputError, match=r"^`b` .*must be small"):
        checked(columns, names, [above("a", 9), above("b", 1)], drop_missing=True)
    with pytest.raises(ef.InputError, match=r"^The data has no rows"):
        checked({"a": [], "b": []}, names)
    with pytest.raises(ef.InputError, match="Something is missing in each of the 2 rows"):
        checked({"a": [1, None], "b": [None, 2]}, names, drop_missing=True)
    assert checked({"a": [1], "b": [2]}, names).n == 1
    one = checked({"a": [1, None], "b": [1, 2]}, names, drop_missing=True)
    assert (one.n, one.dropped) == (1, {None: 1})


def test_what_is_missing_may_be_told_otherwise():
    columns = {"a": [1, None, 3], "b": [None, None, 1]}
    both = {"a": nw.col("given_a").is_null() & nw.col("given_b").is_null()}
    found = checked(columns, {"a": "a", "b": "b"}, missing=both, drop_missing=True)
    assert (found.n, found.dropped) == (2, {None: 1})
    with pytest.raises(ef.InputError, match="`x` has missing values: 1 of 3 rows"):
        checked(columns, {"a": "a", "b": "b"}, missing={"x": both["a"]})
    groups = columns | {"g": ["x", "y", None]}
    found = checked(groups, {"a": "a", "b": "b"}, missing=both, drop_missing=True, group="g")
    assert (found.n, found.dropped) == (1, {"y": 1, None: 1})


@pytest.mark.parametrize("column", ["label", "score"])
def test_only_labels_beside_scores_may_be_missing_and_kept(column):
    data = {"score": [0.5, 0.2], "label": [0, 1]}
    data[column] = [data[column][0], None]
    with pytest.raises(ef.InputError, match="has missing values: 1 of 2 rows") as raised:
        frames.score_table(pd.DataFrame(data), score="score", label="label")
    assert ("`unlabelled=True`" in str(raised.value)) == (column == "label")


def test_many_columns_are_checked_together_and_the_bad_one_is_named(monkeypatch):
    monkeypatch.setattr(rows, "_FEW_COLUMNS", 2)
    for number in (2, 3, 7):
        for bad in range(number):
            columns = {f"c{k}": [1, 9 if k == bad else 2] for k in range(number)}
            some = request(columns)
            names = {f"counts {k}": one for k, one in enumerate(columns)}
            frame, given = rows.named(some, names)
            made = [above(name, 5)(given) for name in names]
            with pytest.raises(ef.InputError, match=rf"\(column 'c{bad}'\) must be small: 1 of 2"):
                rows.checked_together(some, frame, given, made, [])
            good = [above(name, 10)(given) for name in names]
            assert rows.checked_together(some, frame, given, good, []).n == 2


def test_a_positive_class_that_occurs_only_once_is_found():
    words = [f"no{k % 5}" for k in range(50)] + ["yes"]
    data = pd.DataFrame({"score": np.arange(51) / 51, "label": words})
    found = frames.score_table(data, score="score", label="label", positive="yes")
    assert found.counts.sum(axis=0).tolist() == [50, 1]
    with pytest.raises(ef.InputError, match=r"`positive` is 'Yep', but .* has only: 'no0', 'no1'"):
        frames.score_table(data, score="score", label="label", positive="Yep")


# Scores


@pytest.mark.parametrize("engine", ENGINES)
def test_scores_that_are_likely_good_are_all_of_them(engine):
    def likely(scores, labels, **more):
        some = request({"s": scores, "y": labels, "g": ["x"] * len(scores)}, engine, **more)
        some = replace(some, columns={"score": "s", "label": "y"})
        found = ScoreRows.read(some, "score", "label").likely()
        kept = sorted(float(one) for one in fetch(found.frame)["score"])
        return found.unit, found.n, kept, found.groups, found.labelled

    assert likely([0.0, 0.5, 1.0], [0, 1, 0]) == (True, 3, [0, 0.5, 1], (), True)
    assert likely([0.0, 0.5, 2.0], [0, 1, 0]) == (False, 3, [0, 0.5, 2], (), True)
    assert likely([-1.0, 0.5, 1.0], [0, 1, 0])[:3] == (False, 3, [-1, 0.5, 1])
    if engine == "pandas":  # whose rows are in order: the first thousand tell
        assert likely([0.5] * 1000 + [2.0], [0] * 1001)[0]
        assert not likely([0.5] * 999 + [2.0], [0] * 1000)[0]
    assert likely([0.1, 0.5, 1.0], [0, 2, -1])[:3] == (True, 3, [0.1])
    assert likely([0.1, 0.5, 1.0], [0.0, 0.5, 1.0])[:3] == (True, 3, [0.1, 1])
    assert likely([0.1, 0.5], [0, 1], group="g")[3] == ("group",)
    unlabelled = RowRequest(
        frame=lazy(ENGINES[engine]({"s": [0.5]})), run=fetch, columns={"score": "s"}
    )
    found = ScoreRows.read(unlabelled, "score")
    assert not found.likely().labelled
    assert not found.checked().labelled


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


def test_a_second_array_is_the_name_of_a_column_where_there_are_rows():
    assert read_rows._columns(asked(VOTES, positives="k")) == {"positives": "k"}
    assert read_rows._columns(asked(VOTES, positives="k", second="m")) == {
        "positives": "k",
        "totals": "m",
    }
    with pytest.raises(ef.InputError, match=r"`labels` must be left out when .* with `label`"):
        read_rows._columns(asked(SCORES, second=[0, 1]))


def test_one_column_has_one_use():
    chosen = ChosenColumns(SCORES, {"score": "s", "label": "y"})
    read_rows._check_uses(ReadOptions.of(weight="w", cluster="c", group="g"), chosen)
    for given in ({"weight": "s"}, {"cluster": "y"}, {"weight": "g", "group": "g"}):
        with pytest.raises(ef.InputError, match="which has another use already"):
            read_rows._check_uses(ReadOptions.of(**given), chosen)
    votes = ChosenColumns(VOTES, {"votes": "k", "total": "m"})
    read_rows._check_uses(ReadOptions.of(unlabelled=True), chosen)
    read_rows._check_uses(ReadOptions.of(), votes)
    with pytest.raises(ef.InputError, match="`unlabelled` keeps items with a score"):
        read_rows._check_uses(ReadOptions.of(unlabelled=True), votes)
    known = ChosenColumns(ANNOTATIONS, {"item": "i", "annotator": "a", "vote": "v"})
    read_rows._check_uses(ReadOptions.of(duplicates="first"), known)
    read_rows._check_uses(ReadOptions.of(), votes)
    with pytest.raises(ef.InputError, match="needs to know whose they are"):
        read_rows._check_uses(ReadOptions.of(duplicates="first"), votes)


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
