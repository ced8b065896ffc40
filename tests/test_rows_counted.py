"""Rows are counted alike on every way that leads to a table, and what is left out is counted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import errorfloor as ef
from errorfloor.data import arrays, matrices, read_rows
from errorfloor.data.engines import fetch, lazy
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable

duckdb = pytest.importorskip("duckdb")

P, Y = [0.25, 0.5, 0.75, 0.5, 0.125], [0, 1, 1, 0, 1]


def relation(**columns):
    frame = pd.DataFrame(columns)
    return duckdb.connect().from_df(frame)


def read_table(data, **where):
    return read(data, LAYOUTS, ReadOptions.of(**where)).table


def same(found, expected):
    assert found == expected
    assert (found.entries is None) == (expected.entries is None)
    if found.entries is not None:
        theirs = expected.entries.arrays()
        assert found.entries.arrays().keys() == theirs.keys()
        for name, array in found.entries.arrays().items():
            assert array.tolist() == theirs[name].tolist()


# A few rows of DuckDB, which are fetched


@pytest.mark.parametrize(
    "how",
    [
        {}, {"positive": 0}, {"positive": 1}, {"positive_from": 1}, {"positive_from": -1},
        {"classes": ["1", "0"]}, {"group": "g"}, {"weight": "w"}, {"cluster": "g"},
    ],
)  # fmt: skip
def test_numbers_of_duckdb_are_counted_as_those_of_pandas(how):
    columns = {"p": P, "y": Y, "g": [1, 1, 2, 2, 2], "w": [1.0, 2.0, 1.0, 2.0, 3.0]}
    given = ReadOptions.of(score="p", label="y", **how)
    found, expected = (
        read(data, LAYOUTS, given).tables for data in (relation(**columns), pd.DataFrame(columns))
    )
    assert found.keys() == expected.keys()
    for group in found:
        same(found[group], expected[group])


def test_what_is_no_label_or_no_column_is_refused_in_duckdb_too():
    for columns, says in (
        ({"p": P, "y": [0, 1, 2, 0, 1]}, "`label` .column 'y'. must be 0 or 1"),
        ({"p": P, "y": [0, 1, -1, 0, 1]}, "`label` .column 'y'. must be 0 or 1"),
        ({"p": [*P[1:], np.inf], "y": Y}, "`score` .column 'p'. must be finite"),
        ({"p": P, "z": Y}, "`label` must be"),
        ({"p": [], "y": []}, "no rows|empty|at least one"),
    ):
        with pytest.raises(ef.InputError, match=says):
            ef.frames.score_table(relation(**columns), score="p", label="y")
    with pytest.raises(ef.InputError, match="`positive`"):  # which nobody has
        ef.frames.score_table(relation(p=P, y=[0] * 5), score="p", label="y", positive=1)
    one = ef.frames.score_table(relation(p=[0.5], y=[1]), score="p", label="y")
    same(one, ScoreTable.from_arrays([0.5], [1]))


# Distinct scores, and cells where they are too many


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize("distinct", [4, 5])
@pytest.mark.parametrize("repeats", [1, 3])
def test_there_is_a_row_for_each_score_up_to_a_number_of_them(make, distinct, repeats, monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 4)
    # The last score comes where the first rows do not tell that there are too many.
    s = np.array([0.1, 0.2, 0.3, 0.4] * 3 * repeats + [0.4001] * (distinct - 4))
    y = np.arange(s.size) % 2
    frame = make({"s": s, "y": y})
    whole = ef.frames.score_table(frame, score="s", label="y", cells=64)
    assert whole.n == s.size
    assert not (whole.coarse.any() and distinct == 4)
    same(whole, arrays.count_checked(s, y, cells=64))
    rough = ef.frames.score_table(frame, score="s", label="y", cells=64, refine=False)
    same(rough, arrays.count_checked(s, y, cells=64, refine=False))
    assert rough.coarse.any() == (distinct == 5)
    soft = ef.frames.soft_table(frame, soft="s", cells=64)
    assert soft.counts.sum() == s.size
    assert len(soft) == 4
    assert soft.coarse.any() == (distinct == 5)


def many(seed, size=600):
    rng = np.random.default_rng(seed)
    s = np.round(rng.random(size), 3)
    return s, (rng.random(size) < s).astype(int)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("seed", range(3))
def test_cells_and_what_is_taken_apart_are_those_of_arrays(make, seed, monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 64)
    s, y = many(seed)
    rough = arrays.count_checked(s, y, cells=32, refine=False)
    ranges = arrays.unsure_ranges(rough)
    inside = np.any([(s >= low) & (s <= high) for low, high in ranges], axis=0)
    distinct = np.unique(s[inside]).size
    assert distinct > 1
    apart = set()
    for most in (distinct, distinct - 1):
        monkeypatch.setattr(arrays, "MOST_REFINED", most)
        # Fewer may be looked at, which may leave fewer ranges to look into.
        found = ef.frames.score_table(make({"s": s, "y": y}), score="s", label="y", cells=32)
        same(found, arrays.count_checked(s, y, cells=32))
        apart.add(len(found))
    assert len(apart) == 2 or len(ranges) > 1


def test_groups_with_too_many_ranges_in_all_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 64)
    given = {"score": "s", "label": "y", "group": "g", "cells": 32}

    def frame(groups):
        s, y = (np.concatenate(column) for column in zip(*map(many, range(groups)), strict=True))
        return pd.DataFrame({"s": s, "y": y, "g": np.repeat([*"abcdefghi"[:groups]], 600)})

    rough = ef.frames.score_tables(frame(9), **given, refine=False)
    fine = ef.frames.score_tables(frame(9), **given)
    assert all(len(fine[group]) > len(rough[group]) for group in rough)
    monkeypatch.setattr(arrays, "MOST_RANGES", 1)  # in one group, and 8 in all
    for groups, expected in ((8, fine), (9, rough)):
        found = ef.frames.score_tables(frame(groups), **given)
        assert len(found) == groups
        for group, table in found.items():
            same(table, expected[group])


# What is left out


@pytest.mark.parametrize("beside", [{}, {"weight": "w"}])
def test_rows_that_are_left_out_are_counted_for_their_own_group(beside):
    frame = pd.DataFrame(
        {
            "p": [0.25, None, 0.75, 0.5, None], "y": [0, 1, 1, 0, 1], "g": [*"aabbc"],
            "w": [1.0, 2.0, 1.0, 2.0, 3.0],
        }
    )  # fmt: skip
    where = ReadOptions.of(score="p", label="y", group="g", drop_missing=True, **beside)
    tables = read(frame, LAYOUTS, where).tables
    assert {group: (table.n, table.dropped) for group, table in tables.items()} == {
        "a": (1, 1), "b": (2, 0), "c": (0, 1),
    }  # fmt: skip
    soft = ReadOptions.of(soft="p", group="g", drop_missing=True, **beside)
    tables = read(frame, LAYOUTS, soft).tables
    assert {group: (table.n, table.dropped) for group, table in tables.items()} == {
        "a": (1, 1), "b": (2, 0), "c": (0, 1),
    }  # fmt: skip
    assert all(isinstance(table, SoftTable) for table in tables.values())


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("labelled", [False, True])
def test_votes_that_are_left_out_are_counted_for_their_own_group(classes, labelled):
    names = ["n_x", "n_y", "n_z"][:classes]
    frame = pd.DataFrame({name: [1.0, None, 2.0, 3.0, None] for name in names})
    frame = frame.assign(g=[*"aabbc"], y=["x", "y", "y", "x", "x"])
    more = {"label": "y"} if labelled else {}
    where = ReadOptions.of(counts=names, group="g", drop_missing=True, **more)
    tables = read(frame, LAYOUTS, where).tables
    assert {group: (table.n, table.dropped) for group, table in tables.items()} == {
        "a": (1, 1), "b": (2, 0), "c": (0, 1),
    }  # fmt: skip
    kind = ScoreTable if labelled else VoteTable
    assert all(isinstance(table, kind) for table in tables.values())
    assert tables["c"].classes == tables["a"].classes
    assert len(tables["c"].classes) == classes


def test_votes_of_two_columns_that_are_left_out_are_counted_for_their_own_group():
    frame = pd.DataFrame(
        {"k": [1, None, 2, 3, None], "m": 3, "g": [*"aabbc"], "y": [0, 1, 1, 0, 1]}
    )
    for more in ({}, {"label": "y"}):
        where = ReadOptions.of(positives="k", totals="m", group="g", drop_missing=True, **more)
        tables = read(frame, LAYOUTS, where).tables
        assert {group: (table.n, table.dropped) for group, table in tables.items()} == {
            "a": (1, 1), "b": (2, 0), "c": (0, 1),
        }  # fmt: skip


# Weights and clusters next to rows


def test_repeated_items_are_counted_by_group_and_missing_ones_are_none():
    frame = pd.DataFrame(
        {"i": ["a", "a", "b", None, None, "a", "c", "c"], "g": [1, 1, 1, 1, 1, 2, None, None]}
    )
    for data in (frame, pl.from_pandas(frame)):
        assert read_rows.count_repeated(lazy(data), fetch, "i", None) == 3
        assert read_rows.count_repeated(lazy(data), fetch, "i", "g") == 1
        assert read_rows.count_repeated(lazy(data.head(0)), fetch, "i", None) == 0


def test_rows_of_classes_with_weights_are_told_apart_however_close_they_are():
    rows = np.array([[0.0, 1.0, 2.0], [-0.0, 1.0, 2.0], [1e-20, 1.0, 2.0], [3.0, -1.0, 0.5]])
    frame = pd.DataFrame(rows, columns=["p_a", "p_b", "p_c"])
    frame = frame.assign(y=["a", "b", "c", "a"], w=[1.0, 2.0, 3.0, 4.0])
    found = read_table(frame, score=["p_a", "p_b", "p_c"], label="y", weight="w")
    assert len(found) == 3
    masses = dict(zip(map(tuple, found.scores.tolist()), found.row_masses, strict=True))
    assert masses == {(0.0, 1.0, 2.0): 3, (1e-20, 1.0, 2.0): 3, (3.0, -1.0, 0.5): 4}


def test_shares_of_votes_with_weights_are_scores_of_their_own():
    frame = pd.DataFrame(
        {"k": [1, 2, 1, 0], "m": [2, 4, 4, 3], "y": [0, 1, 1, 0], "w": [1.0, 2.0, 3.0, 5.0]}
    )
    found = read_table(frame, positives="k", totals="m", label="y", weight="w")
    assert found.scores.tolist() == [0, 0.25, 0.5]
    assert found.row_masses.tolist() == [5, 3, 3]
    votes = read_table(frame, positives="k", totals="m", weight="w")
    assert votes.entries.weight.tolist() == [1, 5, 3, 2]  # by totals 2, 3, 4, 4
    assert len(votes) == 4


# Rows with a column for each class

CLASSES = ["p_a", "p_b", "p_c"]


def rows_of_classes(rows, **more):
    frame = pd.DataFrame(np.array(rows, dtype=float), columns=CLASSES)
    return frame.assign(y=["a", "b", "c", "a"][: len(frame)], **more)


def test_groups_of_rows_of_classes_count_what_is_left_out():
    rows = [[0.25, 0.5, 0.25], [np.nan, 0.5, 0.25], [0.5, 0.25, 0.25], [np.nan, 0.5, 0.25]]
    frame = rows_of_classes(rows, g=[*"aabc"])
    for how in ({"score": CLASSES, "label": "y"}, {"soft": CLASSES}):
        tables = read(frame, LAYOUTS, ReadOptions.of(**how, group="g", drop_missing=True)).tables
        assert {group: (table.n, table.dropped) for group, table in tables.items()} == {
            "a": (1, 1), "b": (1, 0), "c": (0, 1),
        }  # fmt: skip
        assert {table.classes for table in tables.values()} == {("a", "b", "c")}
        with pytest.raises(ef.InputError, match="missing"):
            read_table(frame, **how)


def test_soft_labels_of_classes_are_those_of_arrays():
    third = [0.33333333, 0.33333333, 0.33333333]
    rows = [third, [0.0, 0.0, 1.0], [0.5, 0.25, 0.25], third]
    found = ef.frames.soft_table(rows_of_classes(rows), soft=CLASSES)
    same(found, SoftTable.from_arrays(rows, classes=["a", "b", "c"]))
    assert found.probabilities.sum(axis=1).tolist() == pytest.approx([1, 1, 1], abs=1e-15)
    renamed = ef.frames.soft_table(rows_of_classes(rows), soft=CLASSES, classes=["x", "y", "z"])
    assert renamed.classes == ("x", "y", "z")
    for wrong, says in (
        ([-0.25, 0.5, 0.75], r"must lie in \[0, 1\]"),
        ([1.25, 0.0, -0.25], r"must lie in \[0, 1\]"),
        ([0.5, 0.25, 0.2], "must add up to 1"),
        ([0.5, 0.25, np.inf], r"must lie in \[0, 1\]"),
    ):
        with pytest.raises(ef.InputError, match=says):
            ef.frames.soft_table(rows_of_classes([*rows[1:], wrong]), soft=CLASSES)
