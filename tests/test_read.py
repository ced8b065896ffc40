"""One door: the same labels give the same table, however they are brought."""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import engines
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from errorfloor import frames
from errorfloor._checks import InputError
from errorfloor.data import files, matrices, read_rows
from errorfloor.data.layouts import ANNOTATIONS, ANNOTATORS, LAYOUTS, SCORES, SOFT_LABELS, VOTES
from errorfloor.data.options import ReadOptions, Source
from errorfloor.data.read import read
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable

P, Y = [0.25, 0.5, 0.75, 0.5], [0, 1, 1, 0]
K, M = [0, 1, 3, 2], [2, 3, 3, 3]
TABLE = ScoreTable.from_arrays(P, Y)
VOTE_TABLE = VoteTable.from_arrays(K, M)
SOFT_TABLE = SoftTable.from_arrays(P)
OF_VOTES = (VOTES, ANNOTATIONS, ANNOTATORS)
TEXT = "p,y\n" + "".join(f"{p},{y}\n" for p, y in zip(P, Y, strict=True))


def table_of(data, layouts=LAYOUTS, second=None, **where):
    return read(data, layouts, ReadOptions.of(**where), second=second).table


def source_of(data, layouts=LAYOUTS, second=None, **where):
    return read(data, layouts, ReadOptions.of(**where), second=second).source


def error_of(data, layouts=LAYOUTS, second=None, **where):
    with pytest.raises(InputError) as raised:
        read(data, layouts, ReadOptions.of(**where), second=second)
    return str(raised.value)


# The same table from everything.


def write_rows(folder, name, columns):
    path = folder / name
    frame = pl.DataFrame(columns)
    if name.endswith(".npz"):
        np.savez(path, **{column: np.array(values) for column, values in columns.items()})
    elif name.endswith(".parquet"):
        frame.write_parquet(path)
    elif name.endswith(".jsonl"):
        frame.write_ndjson(path)
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    else:
        frame.write_csv(path, separator="\t" if name.endswith(".tsv") else ",")
    return path


FILES = ["x.csv", "x.tsv", "x.jsonl", "x.parquet", "x.csv.gz", "x.npz", "stdin"]
BROUGHT = {
    "scores": (SCORES, TABLE, {"p": P, "y": Y}),
    "votes": (VOTES, VOTE_TABLE, {"k": K, "m": M}),
    "soft labels": (SOFT_LABELS, SOFT_TABLE, {"soft_label": P}),
}


@pytest.mark.parametrize("what", BROUGHT)
@pytest.mark.parametrize("name", FILES)
def test_files_of_every_format_give_the_table_of_arrays_without_names(what, name, tmp_path):
    layout, expected, columns = BROUGHT[what]
    path = write_rows(tmp_path, name, columns)
    for data in (path, str(path), [path]):
        found = read(data, LAYOUTS, ReadOptions.of())
        assert found.table == expected
        assert found.source.layout == layout.name
        assert list(found.source.columns.values()) == list(columns)


@pytest.mark.parametrize("what", BROUGHT)
def test_arrays_frames_tables_and_saved_tables_give_the_same_table(what, tmp_path):
    layout, expected, columns = BROUGHT[what]
    first, *second = columns.values()
    assert table_of(first, (layout,), *second) == expected
    assert table_of(np.array(first), (layout,), *map(np.array, second)) == expected
    for make in (pd.DataFrame, pl.DataFrame, pl.LazyFrame):
        assert table_of(make(columns)) == expected
    expected.save(tmp_path / "table.npz")
    assert table_of(tmp_path / "table.npz") == expected
    assert table_of(expected) is expected


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_is_read_without_names(engine):
    frame = engines.ENGINES[engine](
        {"p": ("float64", P), "y": ("int64", Y), "text": ("text", "abcd")}
    )
    found = read(frame, LAYOUTS, ReadOptions.of())
    assert found.table == TABLE
    assert found.source.guessed == ("score", "label")


def without_people(table):
    """Return a vote table without what it keeps of annotators."""
    return replace(table, by_group=None, workloads=None)


def test_three_layouts_of_votes_agree():
    wide = pd.DataFrame({"rater1": [1, 1, 0], "rater2": [0, 1, 0], "rater3": [None, 1, 1]})
    expected = VoteTable.from_arrays([1, 3, 1], [2, 3, 3])
    assert without_people(table_of(wide)) == expected
    long = wide.reset_index(names="item").melt("item", var_name="worker", value_name="vote")
    partly = read(long, LAYOUTS, ReadOptions.of(drop_missing=True))
    assert (partly.table.n, partly.table.dropped) == (3, 0)  # a vote is missing, and no item
    assert partly.source.facts["missing_in_rows"]["missing"] == 1
    assert without_people(table_of(long.dropna())) == expected
    assert table_of(long.dropna(), item="item", vote="vote") == expected
    assert source_of(long.dropna()).rows == 8  # votes, not items
    assert source_of(wide).rows == 3


def test_several_files_and_folders_are_read_as_one(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(TEXT)
    for data in (tmp_path, f"{tmp_path}/*.csv", [tmp_path / "a.csv", tmp_path / "b.csv"]):
        assert table_of(data) == TABLE + TABLE
    np.savez(tmp_path / "c.npz", p=P, y=Y)
    np.savez(tmp_path / "d.npz", y=Y, p=P)
    assert table_of(f"{tmp_path}/*.npz") == table_of(tmp_path, format="npz") == TABLE + TABLE
    assert table_of(tmp_path, format="csv") == TABLE + TABLE
    assert "different formats: csv, npz" in error_of(tmp_path)


def test_files_are_read_in_the_format_that_is_named(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_text(TEXT.replace(",", "\t"))
    assert table_of(path, format="tsv") == TABLE
    assert source_of(path, format="tsv").options.format == "tsv"
    assert "`format` must be one of" in error_of(path, format="tvs")


def test_groups_have_a_table_each(tmp_path):
    frame = pd.DataFrame({"p": P, "y": Y, "site": [*"abab"]})
    found = read(frame, LAYOUTS, ReadOptions.of(group="site"))
    assert found.tables == {
        "a": ScoreTable.from_arrays(P[::2], Y[::2]),
        "b": ScoreTable.from_arrays(P[1::2], Y[1::2]),
    }
    assert (found.source.options.group, found.source.rows) == ("site", 4)
    with pytest.raises(ValueError, match="too many values"):
        found.table  # noqa: B018
    assert "`group` must be one of the columns p, y, site; got 'sites'" in error_of(
        frame, group="sites"
    )


def test_the_column_of_groups_is_not_taken_for_another():
    frame = pd.DataFrame({"a": P, "b": Y, "label": [*"abab"]})
    found = read(frame, LAYOUTS, ReadOptions.of(score="a", group="label"))
    assert found.source.columns == {"score": "a", "label": "b"}
    assert list(found.tables) == ["a", "b"]


# What is guessed and what is not.


def test_columns_that_are_all_named_are_read_without_a_look_at_their_kinds(monkeypatch):
    def fail(*_):
        raise AssertionError("looked at the rows")

    frame = pl.DataFrame({"a": P, "b": Y, "k": [0, 1, 1, 0], "m": M})
    monkeypatch.setattr(read_rows, "kinds_of", fail)
    assert table_of(frame, score="a", label="b") == TABLE
    assert table_of(frame, OF_VOTES, positives="k", totals="m").n == 4
    assert table_of(frame, annotators=["b", "k"]).n == 4
    assert source_of(frame, score="a", label="b").guessed == ()
    with pytest.raises(AssertionError, match="looked at the rows"):
        table_of(frame, score="a")


def test_what_was_not_named_is_completed_and_said():
    frame = pd.DataFrame({"a": P, "b": Y})
    source = source_of(frame, score="a")
    assert source.columns == {"score": "a", "label": "b"}
    assert source.guessed == ("label",)
    assert "`label` is missing. Name its column, too. The columns of the dataframe are" in (
        error_of(frame.assign(c=1), score="a")
    )
    assert "Cannot tell which columns to take. The columns of the dataframe are a (number)" in (
        error_of(frame.assign(c=P))
    )
    assert "`score` and `positives` cannot be used together" in (
        error_of(frame, score="a", positives="b")
    )
    assert "`score` must be one of the columns a, b; got 'A'" in error_of(
        frame, score="A", label="b"
    )


def test_totals_may_be_a_column_or_a_number_however_they_are_given(tmp_path):
    frame = pd.DataFrame({"k": [0, 1, 2], "m": [2, 2, 2]})
    frame.to_csv(tmp_path / "votes.csv", index=False)
    expected = VoteTable.from_arrays([0, 1, 2], 2)
    for data in (frame, tmp_path / "votes.csv"):
        for totals in (2, "m", "2"):
            assert table_of(data, OF_VOTES, second=totals, positives="k") == expected
            assert table_of(data, OF_VOTES, second=totals) == expected
            assert table_of(data, OF_VOTES, positives="k", totals=totals) == expected
    assert source_of(frame, OF_VOTES, second=2).columns == {"votes": "k", "total": 2}
    assert table_of([0, 1, 2], OF_VOTES, second=2) == expected
    assert "`totals` must be a whole number" in error_of(frame, OF_VOTES, second=[2, 2, 2])
    assert "`totals` must be one of the columns k, m; got 'n'" in (
        error_of(frame, OF_VOTES, positives="k", totals="n")
    )


def test_lists_of_text_are_arrays_where_they_can_be(tmp_path):
    text = [str(p) for p in P]
    assert table_of(text, (SOFT_LABELS,)) == SOFT_TABLE
    assert table_of(text, (SCORES,), second=Y) == TABLE
    assert "`scores` must be numbers: entry 0 is a" in error_of(
        ["a", "1"], (SCORES,), second=[0, 1]
    )
    with pytest.raises(FileNotFoundError, match=r"There is no file 'a\.csv'"):
        table_of(["a.csv"])


# Words, numbers and booleans as labels.


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_labels_that_are_words_need_to_know_the_positive_one(engine):
    words = ["dog" if y else "cat" for y in Y]
    frame = engines.ENGINES[engine]({"p": ("float64", P), "y": ("text", words)})
    for named in ({}, {"score": "p", "label": "y"}):
        said = error_of(frame, **named)
        assert said == (
            "`label` (column 'y') holds words: cat, dog. Say which one is class 1. The scores are "
            "highest for dog: 0.625 on average:\n  `positive='dog'`\n  `positive='cat'`"
        )
        assert table_of(frame, positive="dog", **named) == TABLE
    assert error_of(frame, positive="wolf") == (
        "`positive` is 'wolf', but `label` (column 'y') has only: 'cat', 'dog'."
    )


def test_words_are_asked_about_in_every_file_and_where_votes_have_one_value(tmp_path):
    words = {"item": [1, 1, 2], "worker": [*"aba"], "vote": ["a", "a", "a"]}
    wide = {"rater1": ["a", "a"], "rater2": ["a", None]}
    np.savez(tmp_path / "words.npz", p=P, y=[*"abab"])
    for data, listed in (
        (pd.DataFrame(words), "a"),
        (pl.DataFrame(wide), "a"),
        (tmp_path / "words.npz", "a, b"),
    ):
        assert f" holds words: {listed}. Say which one" in error_of(data)
    words["vote"] = ["a", "b", "b"]
    for how in ({"positive": "b"}, {}):  # of two words that are votes the second is class 1
        found = without_people(table_of(pd.DataFrame(words), **how))
        assert found == VoteTable.from_arrays([1, 1], [2, 1])
    many = pd.DataFrame({"p": [0.5] * 9, "y": [*"abcdefghi"]})
    assert error_of(many).count(", ...") == 1
    assert "must be 0 or 1" in error_of(pd.DataFrame({"p": P, "y": ["x", "0", "1", "y"]}))


def test_a_stray_word_and_other_numbers_are_bad_labels_and_no_words():
    said = error_of(pd.DataFrame({"p": P, "y": [*"01", "oops", "1"]}))
    assert said.endswith("on they are positive with `positive_from`.")
    for labels in ([2, 3, 2, 3], ["2", "3", "2", "3"]):
        assert error_of(pd.DataFrame({"p": P, "y": labels})) == (
            "`label` (column 'y') holds numbers: 2, 3. Say which one is class 1. The scores are "
            "highest for 2: 0.5 on average:\n  `positive='2'`\n  `positive='3'`"
        )


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_a_number_given_as_text_is_the_positive_number(engine):
    frame = engines.ENGINES[engine]({"p": ("float64", P), "y": ("int64", [2, 3, 3, 2])})
    for positive in (3, "3", 3.0, "3.0"):
        assert table_of(frame, positive=positive) == TABLE
    for positive in ("cat", True, 4):
        assert "but `label` (column 'y') has only: 2, 3." in error_of(frame, positive=positive)


def test_text_and_booleans_match_the_positive_one_as_they_are_spelt(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("p,y\n0.25,2\n0.5,3\n0.75,3\n0.5,2\n")
    assert table_of(path, positive=3) == table_of(path, positive="3") == TABLE
    frame = pd.DataFrame({"p": P, "y": [bool(y) for y in Y]})
    assert table_of(frame, positive="true") == table_of(frame, positive=True) == TABLE
    assert source_of(path, positive="3").options.positive == "3"


def test_a_positive_one_goes_with_classes_only(tmp_path):
    for frame in (pd.DataFrame({"k": K, "m": M}), pd.DataFrame({"soft": P})):
        assert "`positive` goes with single votes and with labels, not with" in (
            error_of(frame, positive=1)
        )


# Tables.


def test_tables_of_another_kind_are_refused_with_what_they_hold():
    assert error_of(VOTE_TABLE, (SCORES,)) == (
        "`scores` is a VoteTable, which holds votes; this needs scores. Use from_votes for it."
    )
    assert "`positives` is a ScoreTable, which holds scores; this needs votes" in (
        error_of(TABLE, OF_VOTES)
    )
    assert "this needs scores or votes. Use from_soft_labels" in (
        error_of(SOFT_TABLE, (SCORES, VOTES))
    )
    with pytest.raises(InputError, match="`pilot` is a SoftTable"):
        read(SOFT_TABLE, (SCORES,), ReadOptions.of(), name="pilot")


def test_the_scores_of_a_table_may_be_taken_for_soft_labels(tmp_path):
    TABLE.save(tmp_path / "table.npz")
    for data in (TABLE, tmp_path / "table.npz"):
        for layouts, named in (((SOFT_LABELS,), {}), (LAYOUTS, {"soft": "scores"})):
            found = read(data, layouts, ReadOptions.of(**named))
            assert found.table == SOFT_TABLE
            assert found.source.layout == "soft labels"
            assert found.source.columns == {"soft": "scores"}
        assert table_of(data) == TABLE
    assert "whose columns are known" in error_of(VOTE_TABLE, soft="scores")


def test_tables_take_no_columns_no_options_and_no_second_array(tmp_path):
    TABLE.save(tmp_path / "table.npz")
    for data, said in (
        (TABLE, "`scores` is a ScoreTable"),
        (tmp_path / "table.npz", "a saved table"),
    ):
        assert f"{said}, whose columns are known, so name none." in (
            error_of(data, (SCORES,), score="p", label="y")
        )
        for option in ({"positive": 1}, {"drop_missing": True}, {"group": "g"}):
            assert error_of(data, (SCORES,), **option) == (
                "`positive`, `drop_missing` and `group` go with a dataframe or file of rows. "
                "Pass one, and name its columns with `score` and `label`."
            )
    assert "`soft='scores'` takes the scores" in error_of(TABLE, score="p")
    assert error_of(TABLE, (SCORES,), second=Y) == (
        "`labels` must be left out when `scores` is a ScoreTable."
    )
    assert error_of(VOTE_TABLE, OF_VOTES, second=3) == (
        "`totals` must be left out when `positives` is a VoteTable."
    )
    assert "of the classes 0, 1. Leave out `classes`" in error_of(
        TABLE, (SCORES,), classes=["a", "b"]
    )


@pytest.mark.parametrize("table", [TABLE, VOTE_TABLE, SOFT_TABLE], ids=lambda table: table.kind)
def test_empty_tables_are_refused(table, tmp_path):
    empty = type(table).empty()
    assert error_of(empty) == "`data` is an empty table. Pass at least one item."
    empty.save(tmp_path / "empty.npz")
    assert "empty.npz is an empty table" in error_of(tmp_path / "empty.npz")


def test_soft_labels_outside_0_and_1_are_refused_wherever_they_come_from(tmp_path):
    outside = [0.2, 1.5]
    for coarse in ({}, {"lows": [0.2, 0.5], "highs": [0.2, 1.5]}):
        with pytest.raises(InputError, match=r"`soft_labels` must lie in \[0, 1\]: row 1 is 1.5"):
            SoftTable([0.2, 1.0 if coarse else 1.5], [1, 1], **coarse)
    np.savez(tmp_path / "table.npz", probabilities=outside, counts=[1, 1], kind="soft labels")
    (tmp_path / "x.csv").write_text("soft\n0.2\n1.5\n")
    for data in (
        outside,
        tmp_path / "table.npz",
        tmp_path / "x.csv",
        pd.DataFrame({"soft": outside}),
        ScoreTable.from_arrays(outside, [0, 1]),
    ):
        assert "`soft_labels` must lie in [0, 1]" in error_of(data, (SOFT_LABELS,))
    with pytest.raises(InputError, match=r"`soft_labels` must lie in \[0, 1\]: row 1 is 1\.5"):
        frames.soft_table(tmp_path / "x.csv", soft="soft")


# Arrays.


def test_arrays_that_may_be_anything_are_refused_with_what_to_pass():
    assert error_of(P) == (
        "`data` must be a table made by ScoreTable.from_arrays, VoteTable.from_arrays or "
        "SoftTable.from_arrays, a dataframe or a file. An array does not say whether it holds "
        "scores, votes or soft labels."
    )
    assert "must be a dataframe or a file" in error_of(P, (ANNOTATIONS,))


def test_arrays_need_their_second_and_take_no_columns_and_options():
    assert error_of(P, (SCORES,)) == (
        "`labels` is missing. Pass one true label per item; without labels, use "
        "from_soft_labels or from_votes."
    )
    assert error_of(K, OF_VOTES) == (
        "`totals` is missing. Pass the number of votes per item, or one number for all; or a "
        "column of votes for each class."
    )
    assert "go with a dataframe or file" in error_of(P, (SCORES,), second=Y, group="site")
    with pytest.raises(ValueError, match="`scores` is no dataframe or file but list, which has no"):
        table_of(P, (SCORES,), score="p", label="y")


def test_labels_beside_rows_without_an_order_are_refused(tmp_path):
    (tmp_path / "x.csv").write_text(TEXT)
    frame = pd.DataFrame({"p": P, "y": Y})
    for data in (pl.from_pandas(frame).lazy(), tmp_path / "x.csv"):
        assert error_of(data, (SCORES,), second=pd.Series(Y, name="sick")) == (
            "`labels` must be left out when `scores` is a file, or a dataframe whose columns are "
            "named or whose rows are not there yet. Name the column of the labels, too, such as "
            "from_scores(df, score=['a', 'b'], label='sick')."
        )
    named = error_of(frame, (SCORES,), second=Y, score="p")
    assert "such as from_scores(df, score=['a', 'b'], label='label')" in named


# Files.


def test_missing_values_are_counted_and_left_out_if_asked(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("p,y\n0.2,0\n,0\n0.7,1\n0.6,\n0.1,0\n")
    assert error_of(path) == (
        "`score` (column 'p') has missing values: 1 of 5 rows. Fill them in, or pass "
        "`drop_missing=True` to leave these rows out."
    )
    found = read(path, LAYOUTS, ReadOptions.of(drop_missing=True))
    assert (found.table.n, found.table.dropped, found.source.rows) == (3, 2, 5)
    np.savez(tmp_path / "gaps.npz", p=[0.2, np.nan, 0.7], y=["a", "b", ""])
    table = table_of(tmp_path / "gaps.npz", positive="a", drop_missing=True)
    assert (table.n, table.dropped) == (1, 2)


def test_plain_arrays_of_any_usual_type_are_columns(tmp_path):
    path = tmp_path / "x.npz"
    days = np.array(["2026-11-14", "2026-11-15"], "M8[D]")[[0, 1, 0, 1]]
    np.savez(path, p=np.array(P, ">f4"), y=np.array(Y, bool), day=days, **{'a "b"': [*"abab"]})
    assert table_of(path) == TABLE
    found = read(path, LAYOUTS, ReadOptions.of(group="day"))
    assert [str(day)[:10] for day in found.tables] == ["2026-11-14", "2026-11-15"]
    assert list(read(path, LAYOUTS, ReadOptions.of(group='a "b"')).tables) == ["a", "b"]


def test_arrays_of_a_file_have_to_be_plain_and_of_one_length(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, p=[0.1, 0.2], y=[1])
    assert "x.npz' must hold 1-d arrays of equal length, got p (2,), y (1,)" in error_of(path)
    np.savez(path, p=np.zeros((2, 2, 2)))
    assert "got p (2, 2, 2)" in error_of(path)
    np.savez(path)
    assert "got none" in error_of(path)
    np.savez(path, p=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="cannot be read"):
        table_of(path)
    path.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(ValueError, match="cannot be read"):
        table_of(path)


def test_errors_call_a_copy_of_standard_input_by_its_name(tmp_path):
    path = tmp_path / "stdin"
    for content, said in (
        (b"", "Could not read standard input: it is empty."),
        (b"a,b\n1,2\n", "The columns of standard input are a (number), b (number)."),
        (b"p,p,y\n1,2,1\n", "Could not read standard input: it has 2 columns called 'p'"),
        (b"PK\x03\x04", "standard input cannot be read"),
    ):
        path.write_bytes(content)
        found = error_of(path, called="standard input")
        assert said in found
        assert str(path) not in found
    path.write_text(TEXT)
    source = source_of(path, called="standard input")
    assert (source.options.called, source.files) == ("standard input", (str(path),))


def without_duckdb(code):
    start = "import sys; sys.modules['duckdb'] = None\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", start + code], capture_output=True, text=True
    )
    return done.stdout + done.stderr


def test_without_duckdb_saved_tables_and_frames_are_read(tmp_path):
    TABLE.save(tmp_path / "table.npz")
    said = without_duckdb(
        "import polars as pl; from errorfloor.data.read import *\n"
        "from errorfloor.data.options import *; from errorfloor.data.layouts import *\n"
        f"print(read({str(tmp_path / 'table.npz')!r}, LAYOUTS, ReadOptions.of()).table)\n"
        "print(read(pl.DataFrame({'p': [0.5], 'y': [1]}), LAYOUTS, ReadOptions.of()).table)"
    )
    assert said.split("\n")[:2] == ["ScoreTable(n=4, rows=3)", "ScoreTable(n=1, rows=1)"]


def test_arrays_and_tables_need_no_dataframe_library():
    said = without_duckdb(
        "from errorfloor.data.read import *; from errorfloor.data.options import *\n"
        "from errorfloor.data.layouts import *\n"
        "from errorfloor.data.tables import *\n"
        "read([0.5], (SCORES,), ReadOptions.of(), second=[1])\n"
        "read(SoftTable.from_arrays([0.5]), LAYOUTS, ReadOptions.of())\n"
        "print('narwhals' in sys.modules)"
    )
    assert said == "False\n"


# Saved tables.


def test_saved_tables_keep_scores_that_lie_close_together(tmp_path):
    close = ScoreTable.from_arrays([0.5, 0.5 + 1e-9], [0, 1])
    close.save(tmp_path / "a.npz")
    close.save(tmp_path / "b.npz")
    assert files.merge(tmp_path) == close + close
    assert len(files.merge(tmp_path)) == 2


def test_saved_tables_add_up_and_kinds_do_not_merge(tmp_path):
    for name, table in (("a", TABLE), ("b", TABLE)):
        table.save(tmp_path / f"{name}.npz")
    assert table_of(tmp_path) == files.merge(tmp_path) == TABLE + TABLE
    for other in (VOTE_TABLE, SOFT_TABLE):
        other.save(tmp_path / "c.npz")
        for call in (files.merge, table_of):
            with pytest.raises(
                InputError,
                match=f"The files hold both scores and {other.kind}; .*c.npz' is the first of",
            ):
                call(tmp_path)
    with pytest.raises(InputError, match="`paths` is empty"):
        files.merge([])


def test_merged_soft_labels_stay_small(tmp_path, monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 300)
    near = 0.3 + np.arange(400) * 1e-10
    parts = [SoftTable.from_arrays(near[i::2]) for i in (0, 1)]
    for i, part in enumerate(parts):
        part.save(tmp_path / f"{i}.npz")
    assert files.merge(tmp_path) == (parts[0] + parts[1]).coarsen()


OF_0_1 = {
    "scores": (
        {"scores": [0.25, 0.5, 0.75], "negatives": [1, 1, 0], "positives": [0, 1, 1]},
        TABLE,
    ),
    "votes": (
        {"positives": [0, 1, 2, 3], "totals": [2, 3, 3, 3], "counts": [1, 1, 1, 1]},
        VOTE_TABLE,
    ),
}


@pytest.mark.parametrize("kind", OF_0_1)
def test_tables_that_0_1_saved_are_read(kind, tmp_path):
    columns, expected = OF_0_1[kind]
    path = tmp_path / "old.npz"
    np.savez(path, **columns)
    assert table_of(path) == files.load_table(path) == files.merge(path) == expected
    np.savez(path, **columns, dropped=np.int64(7))
    assert files.load_table(path).dropped == 7
    expected.save(tmp_path / "new.npz")
    assert files.merge(tmp_path).n == 2 * expected.n


def test_files_that_hold_no_table_are_refused_by_name(tmp_path):
    np.savez(tmp_path / "x.npz", p=P)
    (tmp_path / "y.npz").write_text("no table")
    for name in ("x.npz", "y.npz"):
        with pytest.raises(
            InputError, match=rf"{name}' does not hold a table: .* Pass a table that"
        ):
            files.load_table(tmp_path / name)


# Counting by name.


def test_soft_labels_are_counted_by_name_and_group_and_in_cells(monkeypatch):
    frame = pd.DataFrame({"p": [0.1, 0.2, 0.1, None], "g": [*"aabb"]})
    assert frames.soft_table(frame[:3], soft="p") == SoftTable.from_arrays([0.1, 0.2, 0.1])
    tables = frames.soft_tables(frame, soft="p", group="g", drop_missing=True)
    assert (tables["a"].n, tables["b"].n, tables["b"].dropped) == (2, 1, 1)
    assert "`soft` (column 'p') has missing values: 1 of 4" in error_of(frame, soft="p")
    monkeypatch.setattr(matrices, "EXACT", 100)
    soft = np.random.default_rng(1).random(600)
    for make in (pd.DataFrame, pl.DataFrame):
        found = frames.soft_table(make({"p": soft}), soft="p", cells=64)
        assert found == SoftTable.from_arrays(soft).coarsen(64)


def test_a_score_table_needs_labels_and_points_to_soft_tables():
    frame = pd.DataFrame({"p": P, "g": [*"aabb"]})
    for call in (frames.score_table, frames.score_tables):
        group = {"group": "g"} if call is frames.score_tables else {}
        with pytest.raises(InputError, match=r"`label` is missing\..* use soft_table\."):
            call(frame, score="p", **group)


def test_counting_by_name_guesses_nothing():
    frame = pd.DataFrame({"k": K, "m": M})
    with pytest.raises(
        InputError, match=r"`totals` is missing\. Pass both `positives` and `totals`"
    ):
        frames.vote_table(frame, positives="k")
    with pytest.raises(InputError, match="Name the columns by\n  `positives='COL'`"):
        frames.vote_table(frame)
    with pytest.raises(InputError, match="`positives` and `item` cannot be used together"):
        frames.vote_table(frame, positives="k", item="m")
    assert frames.vote_table(frame, positives="k", totals=3) == VoteTable.from_arrays(K, 3)


def test_the_public_module_has_all_that_counts():
    import errorfloor.frames as public

    assert {name: getattr(public, name) for name in public.__all__} == {
        name: getattr(files if name in ("load_table", "merge") else frames, name)
        for name in public.__all__
    }


# Sources and facts.


def test_a_source_says_what_was_read_and_is_plain_json(tmp_path):
    frame = pd.DataFrame({"rater1": [1, 0], "rater2": [1, 1]})
    assert source_of(frame, drop_missing=True) == Source(
        origin="frame",
        layout="annotators",
        columns={"annotators": ("rater1", "rater2")},
        guessed=("annotators",),
        options=ReadOptions(drop_missing=True),
        rows=2,
    )
    assert source_of(P, (SCORES,), second=Y) == Source(origin="arrays", layout="scores", rows=4)
    assert source_of(TABLE) == Source(origin="table", layout="scores", rows=4)
    (tmp_path / "x.csv").write_text(TEXT)
    source = source_of(str(tmp_path / "x.csv"), positive=np.int64(1), group=None)
    plain = json.loads(json.dumps(source.to_dict()))
    assert plain == source.to_dict()
    assert plain["files"] == [str(tmp_path / "x.csv")]
    assert (plain["positive"], plain["columns"]) == (1, {"score": "p", "label": "y"})
    options = ReadOptions(positive=pd.Timestamp(0))
    source = Source(origin="frame", layout="x", options=options)
    assert source.to_dict()["positive"] == "1970-01-01 00:00:00"


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_rows_that_repeat_an_item(engine):
    rows = {"p": ("float64", P), "y": ("int64", Y), "id": ("text", ["a", "b", "a", None])}
    assert source_of(engines.ENGINES[engine](rows)).facts == {"repeated_items": 1}


@pytest.mark.parametrize("name", ["id", "Item ID", "example_id", "items"])
def test_a_column_of_items_is_known_by_its_name(name):
    frame = pd.DataFrame({"p": P, "y": Y, name: [*"abac"]})
    assert source_of(frame).facts == {"repeated_items": 1}
    assert source_of(frame, score="p", label="y").facts == {"repeated_items": 1}


def test_rows_repeat_an_item_within_their_group_and_where_rows_are_items():
    rows = {"p": P, "y": Y, "item": [1, 2, 1, 2], "model": [*"aabb"]}
    assert source_of(pd.DataFrame(rows)).facts == {"repeated_items": 2}
    assert source_of(pd.DataFrame(rows), group="model").facts == {}
    assert source_of(pd.DataFrame(rows), group="item").facts == {}
    assert source_of(pd.DataFrame({"p": P, "y": Y, "item": [1, 2, 3, 4]})).facts == {}
    votes = pd.DataFrame({"item": [1, 1], "worker": [1, 2], "vote": [0, 1]})
    assert source_of(votes).facts == {}
    for columns in ({"k": K, "m": M}, {"soft": P}, {"rater1": Y, "rater2": Y}):
        repeated = pd.DataFrame({**columns, "id": [7, 7, 7, 8], "item_id": [1, 1, 2, 3]})
        assert source_of(repeated).facts == {"repeated_items": 1}  # of the surer name
    nested = pl.DataFrame({"p": P, "y": Y, "id": [[1], [1], [1], [1]]})
    assert source_of(nested).facts == {}


def test_repeated_items_are_looked_for_in_few_rows_only(monkeypatch):
    frame = pd.DataFrame({"p": P, "y": Y, "id": [1, 1, 1, 1]})
    monkeypatch.setattr(read_rows, "FEW_TO_LOOK_AT", 3)
    assert source_of(frame).facts == {}
    monkeypatch.setattr(read_rows, "FEW_TO_LOOK_AT", 4)
    assert source_of(frame).facts == {"repeated_items": 3}


def test_progress_is_passed_on_for_files(tmp_path, monkeypatch):
    import contextlib

    watching = []

    @contextlib.contextmanager
    def watched(_, progress):
        watching.append(progress)
        yield

    (tmp_path / "x.csv").write_text(TEXT)
    monkeypatch.setattr(read_rows, "watched", watched)
    read(tmp_path / "x.csv", LAYOUTS, ReadOptions.of(), progress=print)
    assert watching
    assert set(watching) == {print}


# Files that are no plain files, or not all there.

ROWS_IN_JSON = [{"p": p, "y": y} for p, y in zip(P, Y, strict=True)]
JSON = json.dumps(ROWS_IN_JSON)
JSON_LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS_IN_JSON)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    "text",
    [JSON, json.dumps(ROWS_IN_JSON, indent=1) + "\n", JSON_LINES],
    ids=["array", "indented", "lines"],
)
def test_json_that_was_cut_off_is_refused_by_name(tmp_path, text, pack):
    path = tmp_path / ("x.json.gz" if pack is gzip.compress else "x.json")
    path.write_bytes(pack(text.encode()))
    assert table_of(path) == TABLE
    path.write_bytes(pack(f"{text} \n\n".encode()))
    assert table_of(path) == TABLE
    whole_rows = {i + 1 for i, letter in enumerate(text) if letter == "}"}
    for length in range(len(text.rstrip()) - 1, 0, -6):
        if text is JSON_LINES and (length in whole_rows or length - 1 in whole_rows):
            continue
        path.write_bytes(pack(text[:length].encode()))
        assert f"Could not read {str(path)!r}: it is not all there" in error_of(path)


@pytest.mark.parametrize("indent", [None, 1])
def test_json_packed_by_zstd_that_was_cut_off_is_refused_by_name(tmp_path, indent):
    path = tmp_path / "x.json.zst"
    text = json.dumps(ROWS_IN_JSON, indent=indent)
    codec = pa.Codec("zstd")
    path.write_bytes(codec.compress(text.encode(), asbytes=True))
    assert table_of(path) == TABLE
    for length in (text.rindex(",", 0, text.rindex("{")) + 1, text.rindex("}") + 1, len(text) // 2):
        path.write_bytes(codec.compress(text[:length].encode(), asbytes=True))
        assert f"Could not read {str(path)!r}: it is not all there" in error_of(path)


def feed(path, content):
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    return writer


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def contents(folder):
    table = ScoreTable.from_arrays(P, Y)
    table.save(folder / "table.npz")
    pl.DataFrame({"p": P, "y": Y}).write_parquet(folder / "x.parquet")
    return {
        "csv": TEXT.encode(),
        "gzip": gzip.compress(TEXT.encode()),
        "json": JSON.encode(),
        "table": (folder / "table.npz").read_bytes(),
        "parquet": (folder / "x.parquet").read_bytes(),
    }


@pytest.mark.skipif(os.name != "posix", reason="has no pipes with names")
@pytest.mark.parametrize("what", ["csv", "gzip", "json", "table", "parquet"])
def test_a_pipe_is_read_like_a_file_and_called_by_its_path(pipe, tmp_path, monkeypatch, what):
    content = contents(tmp_path)[what]
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    writer = feed(pipe, content)
    found = read(pipe, LAYOUTS, ReadOptions.of())
    writer.join()
    assert found.table == TABLE
    assert found.source.files == (str(pipe),)
    writer = feed(pipe, content[:-5] + b"\0\0[[[")
    assert str(pipe) in error_of(pipe, score="p", label="z")
    writer.join()
    assert not any((tmp_path / "scratch").iterdir())


@pytest.mark.skipif(os.name != "posix", reason="has no pipes with names")
def test_pipes_are_counted_scanned_and_merged(pipe, tmp_path):
    writer = feed(pipe, TEXT.encode())
    assert frames.score_table(pipe, score="p", label="y") == TABLE
    writer.join()
    writer = feed(pipe, TEXT.encode())
    rows = frames.scan(pipe)
    writer.join()
    assert frames.score_table(rows, score="p", label="y") == TABLE
    writer = feed(pipe, contents(tmp_path)["table"])
    assert files.merge([pipe, tmp_path / "table.npz"]) == TABLE + TABLE
    writer.join()


def test_files_are_read_where_temporary_files_lie_in_a_folder_with_an_apostrophe(
    tmp_path, monkeypatch
):
    folder = tmp_path / "it's ours"
    folder.mkdir()
    (folder / "x.csv").write_text(TEXT)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert table_of(folder / "x.csv") == TABLE
    assert frames.scan(folder / "x.csv").columns == ["p", "y"]


@pytest.mark.parametrize("name", FILES)
def test_files_with_the_longest_names_are_read(tmp_path, name):
    path = write_rows(tmp_path, name, {"p": P, "y": Y})
    long = path.rename(tmp_path / ("n" * (255 - len(name)) + name))
    assert table_of(long) == TABLE


def test_columns_of_parquet_with_the_same_name_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    columns = [pa.array(P), pa.array(Y), pa.array(P[::-1])]
    pq.write_table(pa.table(columns, names=["p", "y", "p"]), path)
    assert "x.parquet': it has 2 columns called 'p'. Rename them" in error_of(path)
    assert "2 columns called 'p'" in error_of(path, score="p", label="y")
    nested = [pa.array(P), pa.array(Y), pa.array([{"p": 1, "q": [1]}] * 4), pa.array(P)]
    pq.write_table(pa.table(nested, names=["p", "y", "parts", "p_1"]), path)
    assert table_of(path, score="p", label="y") == TABLE


# Little files of Parquet, which one database reads that is kept.


def parquet(path, scores):
    more = {"group": np.arange(len(scores)) % 3, "weight": 1 + np.arange(len(scores)) % 2}
    more["word"] = np.where(np.arange(len(scores)) % 2, "yes", "no")
    pq.write_table(pa.table({"score": scores, "label": np.arange(len(scores)) % 2} | more), path)
    return ScoreTable.from_arrays(scores, np.arange(len(scores)) % 2)


def test_a_file_that_is_replaced_is_read_anew_however_alike_it_is(tmp_path):
    path = tmp_path / "rows.parquet"
    for start in range(5):
        expected = parquet(path, np.arange(start, start + 4.0))
        os.utime(path, (1e9, 1e9))
        assert table_of(path) == expected


def test_a_database_is_opened_where_there_is_more_to_do_than_to_fetch_few_rows(
    tmp_path, monkeypatch
):
    path = tmp_path / "rows.parquet"
    expected = parquet(path, np.arange(9.0))
    opened = []
    connect = files.connect
    monkeypatch.setattr(
        files, "connect", lambda *how, **more: opened.append(how) or connect(*how, **more)
    )
    table_of(path)  # one for little files is there now
    monkeypatch.setattr(files, "_LITTLE", 0)
    named = {"score": "score", "label": "label"}
    for few, more, own in (
        (2**24, {}, False),
        (9, {}, False),
        (8, {}, True),
        (9, {"drop_missing": True}, True),
    ):
        opened.clear()
        monkeypatch.setattr(read_rows, "FEW_ROWS", few)
        assert frames.score_table(path, **named, **more) == expected
        assert table_of(path, **named, **more) == expected
        assert len(opened) == 2 * own
    others = [{"label": "word"}, {"group": "group"}, {"weight": "weight"}, {"unlabelled": True}]
    for more in others:
        opened.clear()
        read(path, LAYOUTS, ReadOptions.of(**named | more))
        assert len(opened) == 1


@pytest.mark.parametrize("score", ["float32", "int8", "string"])
@pytest.mark.parametrize("label", ["int8", "float64", "bool"])
def test_numbers_of_any_type_are_read_and_refused_alike(score, label, tmp_path):
    def of(scores, labels):
        columns = {"p": pa.array(scores).cast(score), "y": pa.array(labels).cast(label)}
        pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
        return lambda **how: table_of(tmp_path / "rows.parquet", score="p", label="y", **how)

    p, y = [2, 0, 1, 1, 3], [1, 0, 1, 0, 1]
    assert of(p, y)() == ScoreTable.from_arrays(p, y)
    with pytest.raises(InputError, match=r"`score` .column 'p'. has missing values: 1 of 5 rows"):
        of([None, *p[1:]], y)()
    for holes in (([None, *p[1:]], y), (p, [None, *y[1:]])):
        assert of(*holes)(drop_missing=True).without(0) == ScoreTable.from_arrays(p[1:], y[1:])
    if label != "bool":
        with pytest.raises(InputError, match=r"`label` .column 'y'. must be 0 or 1"):
            of(p, [*y[1:], -1])()
    if score == "float32":
        with pytest.raises(InputError, match=r"`score` .column 'p'. must be finite numbers"):
            of([*p[1:], float("inf")], y)()


def test_a_damaged_file_spoils_no_other(tmp_path):
    expected = parquet(tmp_path / "good.parquet", np.arange(9.0))
    whole = (tmp_path / "good.parquet").read_bytes()
    (tmp_path / "bad.parquet").write_bytes(whole[:200] + whole[220:])
    for _ in range(2):
        with pytest.raises(InputError, match=r"Could not read .*bad\.parquet"):
            table_of(tmp_path / "bad.parquet")
        assert table_of(tmp_path / "good.parquet") == expected


def test_files_are_read_from_several_threads_at_a_time(tmp_path):
    expected = [parquet(tmp_path / f"{i}.parquet", np.arange(3.0 + i)) for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(table_of, [tmp_path / f"{i}.parquet" for i in range(8)] * 5)
    assert list(found) == expected * 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_was_forked_reads_files_and_ends(tmp_path):
    parquet(tmp_path / "rows.parquet", np.arange(9.0))
    code = """
import os, sys, errorfloor as ef
read = lambda: ef.frames.score_table(sys.argv[1], score="score", label="label").n
assert read() == 9
child = os.fork()
assert read() == 9
if child:
    assert os.waitpid(child, 0)[1] == 0
    print("both")
"""
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "rows.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "both\n", done.stderr
