"""What engines bring back, what columns are of, and what only rows can tell."""

import threading
import time
from datetime import UTC, date, datetime

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import errorfloor as ef
from errorfloor.data import engines, frames, grid, read_rows
from errorfloor.data.columns import ChosenColumns
from errorfloor.data.engines import fetch, holds_several, kinds_of, lazy
from errorfloor.data.files import Few
from errorfloor.data.layouts import ANNOTATIONS, SCORES, VOTES
from errorfloor.data.options import ReadOptions
from errorfloor.data.rows import RowRequest
from errorfloor.data.tables import ScoreTable, VoteTable

duckdb = pytest.importorskip("duckdb")


# Engines


@pytest.mark.parametrize("number", range(1, 18))
def test_terms_are_joined_in_order_and_none_is_nested_deep(number):
    letters = "abcdefghijklmnopq"[:number]
    found = engines._in_pairs([*letters], lambda one, other: f"({one}{other})")
    assert found.replace("(", "").replace(")", "") == letters
    deepest = max(found[:i].count("(") - found[:i].count(")") for i in range(len(found)))
    assert deepest <= int(np.ceil(np.log2(number)))


def test_lists_among_other_objects_are_found():
    for several in ([1], {"a": 1}, {1}, np.array([1])):
        values = np.empty(3, dtype=object)
        values[:] = ["a", None, several]
        frame = lazy(pd.DataFrame({"v": values, "w": ["a", "b", "c"]}))
        assert holds_several(frame, fetch, "v")
        assert not holds_several(frame, fetch, "w")
    frame = lazy(pl.DataFrame({"v": [[1], [2]], "w": ["a", "b"]}))
    assert holds_several(frame, fetch, "v")
    assert not holds_several(frame, fetch, "w", frame.collect_schema())
    plain = pd.DataFrame({"v": pd.Series(["a", 1], dtype=object)})
    assert not holds_several(lazy(plain), fetch, "v")


def test_what_duckdb_brings_back_is_plain():
    query = """
        select * from (values
            (1, 0.5::double, 'a', date '2026-01-02', timestamp '2026-01-02 03:04:05',
             timestamptz '2026-01-02 03:04:05+00', true),
            (null, null, null, null, null, null, null)
        ) as t(i, x, t, d, s, z, b)
    """
    found = fetch(lazy(duckdb.sql(query)))
    assert found["i"][0] == 1
    assert found["x"][0] == 0.5
    assert np.isnan(found["i"][1])
    assert np.isnan(found["x"][1])
    assert found["t"].tolist() == ["a", None]
    assert found["d"].tolist() == [date(2026, 1, 2), None]
    assert found["s"].tolist() == [datetime(2026, 1, 2, 3, 4, 5), None]
    assert found["z"].tolist() == [datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), None]
    assert found["b"][0] == 1
    whole = np.array([1, 2], dtype=np.int64)
    assert engines._plain(whole, nw.Int64) is whole


def test_numbers_are_told_by_the_first_thousand_rows():
    for make in (pd.DataFrame, pl.DataFrame):
        late = make({"a": ["1"] * 1000 + ["word"], "b": ["word", *["1"] * 1000]})
        assert frames.columns(late) == {"a": "number", "b": "text"}
        early = make({"a": ["1"] * 999 + ["word"]})
        assert frames.columns(early) == {"a": "text"}
    likely, not_likely = ["a", "a", "b"], ["a", "b", "c"]
    for last, kind in ((100, "list"), (99, "votes")):  # of lists a hundred rows tell
        lists = pl.DataFrame({"v": [*[not_likely] * last, likely]})
        assert frames.columns(lists)["v"] == kind


def test_texts_are_of_the_kind_that_they_spell():
    for values, kind in (
        (["1", "0.5", "1e3", None], "number"),
        (["87%", "0,5"], "number"),
        (["1,234"], "text"),
        (["True", "false "], "boolean"),
        (["true", "1"], "text"),
        (["a", "1"], "text"),
        ([], "text"),
        ([None, None], "text"),
        ([[1, 2], None], "list"),
        ([(1, 2)], "list"),
        ([np.array([1, 2])], "list"),
        (["[1, 2]", "[3, 4]"], "list"),
    ):
        assert engines._kind_of_text(values) == kind
    frame = pl.DataFrame({"n": [1], "b": [True], "t": ["a"], "l": [[1]], "d": [date(2026, 1, 1)]})
    assert kinds_of(lazy(frame), fetch) == {
        "n": "number", "b": "boolean", "t": "text", "l": "list", "d": "other",
    }  # fmt: skip


@pytest.mark.parametrize("cells", [2**16, 2**17])
def test_cells_of_duckdb_are_those_of_arrays(cells):
    scores = np.append(np.random.default_rng(0).random(200), [0.0, 1.0])
    relation = duckdb.connect().from_df(pd.DataFrame({"score": scores}))
    for unit in (True, False):
        found = fetch(engines.with_cell(lazy(relation), cells, unit=unit))
        cell = dict(zip(found["score"].tolist(), found["cell"].tolist(), strict=True))
        assert [cell[one] for one in scores.tolist()] == grid.cell_of(scores, cells).tolist()


def test_progress_is_told_from_its_first_part_on():
    answers = [-1.0, 0.0, 0.5, 50.0]
    seen, done = [], threading.Event()

    class Connection:
        def query_progress(self):
            if not answers:
                done.set()
                return -1.0
            return answers.pop(0)

    before = set(threading.enumerate())
    with engines.watched(Connection(), seen.append):
        (watcher,) = set(threading.enumerate()) - before
        assert watcher.daemon  # nobody waits for it where the query never ends
        assert done.wait(30)
    assert not watcher.is_alive()
    assert seen == [0.005, 0.5]
    with engines.watched(None, None):
        assert set(threading.enumerate()) <= before


def test_a_watcher_that_is_busy_is_waited_for():
    class Busy:
        def query_progress(self):
            began.set()
            time.sleep(0.2)
            return 10.0

    seen, began = [], threading.Event()
    with engines.watched(Busy(), seen.append):
        assert began.wait(30)
    assert seen == [0.1]  # what was asked before the end is told before the end


# Tables of rows by the names of their columns


GROUPED = pd.DataFrame(
    {
        "k": [1, 2, 0, 3], "m": [3, 3, 2, 3], "n_a": [2, 1, 2, 0], "n_b": [1, 2, 0, 3],
        "l": ["0;1;0", "1;1;0", "0;0", "1;1;1"], "r1": [0, 1, 0, 1], "r2": [1, 1, 0, 1],
        "r3": [0, 0, None, 1], "g": [*"uuvv"],
    }
)  # fmt: skip


@pytest.mark.parametrize(
    "how",
    [
        {"positives": "k", "totals": "m"},
        {"counts": ["n_a", "n_b"]},
        {"annotations": "l"},
        {"annotators": ["r1", "r2", "r3"]},
    ],
)
def test_votes_of_every_layout_are_counted_by_group(how):
    whole = VoteTable.from_arrays([1, 2, 0, 3], [3, 3, 2, 3])
    assert frames.vote_table(GROUPED, **how).votes.tolist() == whole.votes.tolist()
    found = frames.vote_tables(GROUPED, group="g", **how)
    assert list(found) == ["u", "v"]
    for group, expected in (("u", ([1, 2], [3, 3])), ("v", ([0, 3], [2, 3]))):
        assert found[group].votes.tolist() == VoteTable.from_arrays(*expected).votes.tolist()


def test_single_votes_are_counted_by_group(tmp_path):
    long = pd.DataFrame(
        {
            "i": [0, 0, 0, 1, 1], "by": [*"xyxxy"], "v": [1, 0, 0, 1, 1],
            "g": [*"uuuvv"], "word": ["yes", "no", "no", "yes", "yes"],
        }
    )  # fmt: skip
    long.to_csv(tmp_path / "a.csv", index=False)
    named = {"item": "i", "annotator": "by"}
    for data in (long, tmp_path / "a.csv"):
        for how, yes in (("first", 1), ("last", 0)):
            found = frames.vote_tables(data, group="g", vote="v", duplicates=how, **named)
            assert found["u"].positives.tolist() == [yes]
            assert found["v"].positives.tolist() == [2]
            whole = frames.vote_table(data, vote="v", duplicates=how, **named)
            assert whole.positives.tolist() == [yes, 2]
        every = frames.vote_table(data, vote="word", positive="no", duplicates="all", **named)
        assert (every.positives.tolist(), every.totals.tolist()) == ([0, 2], [2, 3])
        with pytest.raises(ef.InputError, match="duplicates"):
            frames.vote_table(data, vote="v", **named)
    with pytest.raises(ef.InputError, match="makes 'yes' class 1"):
        frames.vote_table(long, item="i", vote="word", positive="no", classes=["no", "yes"])


@pytest.mark.parametrize(
    ("call", "how"),
    [
        (frames.score_table, {"score": "x", "label": "y"}),
        (frames.score_tables, {"score": "x", "label": "y", "group": "g"}),
        (frames.soft_table, {"soft": "x"}),
        (frames.soft_tables, {"soft": "x", "group": "g"}),
        (frames.vote_table, {"positives": "k", "totals": 3}),
        (frames.vote_tables, {"positives": "k", "totals": 3, "group": "g"}),
    ],
)
def test_what_is_missing_is_an_error_unless_it_is_to_be_left_out(call, how):
    data = pd.DataFrame({"x": [0.5, None], "k": [1, None], "y": [0, 1], "g": [1, 1]})
    with pytest.raises(ef.InputError, match="has missing values: 1 of 2 rows"):
        call(data, **how)
    found = call(data, **how, drop_missing=True)
    table = found[1] if "group" in how else found
    assert (table.n, table.dropped) == (1, 1)


def test_names_that_are_left_out_are_asked_for():
    data = pd.DataFrame({"x": [0.5], "y": [1]})
    for call, how, says in (
        (frames.score_table, {"score": "x"}, "`label` is missing. Name the column of labels"),
        (frames.vote_table, {}, "Name the columns by"),
        (frames.vote_table, {"positives": "x"}, "`totals` is missing. Pass both `positives` and"),
        (frames.soft_table, {"soft": "x", "cells": 1}, "`cells` must be a whole number of at le"),
        (frames.soft_table, {"soft": "x", "cells": 2.5}, "`cells` must be a whole number"),
    ):
        with pytest.raises(ef.InputError) as raised:
            call(data, **how)
        assert says in str(raised.value)
    assert frames.soft_table(data, soft="x", cells=2).n == 1
    with pytest.raises(ValueError, match="Expected a dataframe or the path of a file, got int"):
        frames.soft_table(3, soft="x")


def test_two_columns_of_scores_and_labels_may_be_fetched():
    both = {"score": "p", "label": "y"}
    plain = ReadOptions()
    assert read_rows._fetched(both, plain) == Few(("p", "y"), 2**24)
    for more in ({"group": "g"}, {"weight": "w"}, {"drop_missing": True}, {"unlabelled": True}):
        assert read_rows._fetched(both, ReadOptions(**more)) is None
    assert read_rows._fetched(both, ReadOptions(cells=2 * plain.cells)) is None
    assert read_rows._fetched({"score": ("p", "q"), "label": "y"}, plain) is None
    assert read_rows._fetched({"soft": "p"}, plain) is None
    assert read_rows._fetched({"score": "p"}, plain) is None


# What only rows can tell


def facts_of(frame, layout, columns, table, rows=None, guessed=()):
    request = RowRequest(frame=lazy(frame), run=fetch, columns=columns)
    chosen = ChosenColumns(layout, columns, guessed)
    return read_rows.facts_of(request, chosen, {None: table}, len(frame) if rows is None else rows)


def test_repeated_items_are_looked_for_among_a_million_rows():
    frame = pd.DataFrame({"id": [1, 1, 2], "item": [1, 1, 1], "p": [0.1, 0.2, 0.3], "y": [0, 1, 1]})
    table = ScoreTable.from_arrays(frame["p"], frame["y"])
    both = {"score": "p", "label": "y"}
    assert facts_of(frame, SCORES, both, table) == {"repeated_items": 2}  # "item" says more
    alone = frame.drop(columns="item")
    assert facts_of(alone, SCORES, both, table) == {"repeated_items": 1}
    assert facts_of(alone, SCORES, both, table, 2**20) == {"repeated_items": 1}
    assert facts_of(alone, SCORES, both, table, 2**20 + 1) == {}
    assert facts_of(alone.assign(id=[1, 2, 3]), SCORES, both, table) == {}
    assert facts_of(alone.drop(columns="id"), SCORES, both, table) == {}
    assert facts_of(alone.assign(id=[[1], [1], [2]]), SCORES, both, table) == {}
    votes = pd.DataFrame({"item": [1, 1, 2], "vote": [0, 1, 1], "id": [1, 1, 1]})
    several = {"item": "item", "vote": "vote"}
    assert facts_of(votes, ANNOTATIONS, several, VoteTable.from_arrays([1, 1], [2, 1])) == {}


def test_ids_in_place_of_scores_and_labels_beside_votes_are_told():
    n = 30
    plain = pd.DataFrame({"p": np.arange(n) * 1.0, "y": np.arange(n) % 2})
    table = ScoreTable.from_arrays(plain["p"], plain["y"])
    both = {"score": "p", "label": "y"}
    assert facts_of(plain, SCORES, both, table) == {"id_as_score": "p"}
    mixed = plain.sample(frac=1, random_state=0)
    assert facts_of(mixed, SCORES, both, table) == {}
    spread = plain.assign(p=plain["p"] / 2)
    halves = ScoreTable.from_arrays(spread["p"], spread["y"])
    assert facts_of(spread, SCORES, both, halves) == {}
    named = {"score": "user_id", "label": "y"}
    assert facts_of(spread.rename(columns={"p": "user_id"}), SCORES, named, halves) == {
        "id_as_score": "user_id"
    }
    several = {"score": ("p", "q", "r"), "label": "y"}
    wide = ScoreTable.from_arrays(np.eye(3), [0, 1, 2])
    assert facts_of(plain.assign(q=0, r=0), SCORES, several, wide) == {}
    lists = {"score": "user_id", "label": "y"}
    assert facts_of(spread.rename(columns={"p": "user_id"}), SCORES, lists, wide) == {}
    votes = pd.DataFrame({"k": [1, 2], "m": 3, "gold": [0, 1], "label": [1, 1]})
    own = {"votes": "k", "total": "m"}
    told = VoteTable.from_arrays([1, 2], [3, 3])
    assert facts_of(votes, VOTES, own, told) == {"labels_beside_votes": "gold"}
    assert facts_of(votes[["k", "m"]], VOTES, own, told) == {}


def test_a_thousand_rows_tell_whether_a_column_numbers_them():
    def numbers(values):
        return read_rows._numbers_rows(lazy(pd.DataFrame({"v": values})), fetch, "v")

    assert numbers(np.arange(30))
    assert numbers(np.arange(1, 31).astype(str))
    assert not numbers(["a"] * 30)
    assert numbers(np.append(np.arange(1000), 7))  # beyond, nobody looks
    assert not numbers(np.append(np.arange(999), 7))


def test_numbers_of_rows_are_not_guessed_to_be_scores():
    frame = lazy(pd.DataFrame({"a": np.arange(30), "score": np.arange(30), "y": 1}))
    for columns, guessed, refused in (
        ({"score": "a", "label": "y"}, ("score",), True),
        ({"score": "a", "label": "y"}, (), False),
        ({"score": "score", "label": "y"}, ("score",), False),  # whose name says it
        ({"score": "y", "label": "a"}, ("score", "label"), False),
    ):
        chosen = ChosenColumns(SCORES, columns, guessed)
        if refused:
            with pytest.raises(ef.InputError, match="Column 'a' numbers the rows"):
                read_rows.refuse_row_numbers(frame, fetch, chosen)
        else:
            read_rows.refuse_row_numbers(frame, fetch, chosen)
