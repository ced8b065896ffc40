"""Columns with a list in each row: numbers for each class, and votes, in every engine."""

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import classes
from errorfloor.data.engines import fetch, lazy

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

NUMBERS = [[0.5, 0.25, 0.25], None, [0.0, 0.0, 1.0], [0.25, 0.75, 0.0]]


def frames(values, kind=None):
    """Return the same column `p` in engines that know lists, next to numbers of rows."""
    table = pa.table({"p": pa.array(values, kind), "i": list(range(len(values)))})
    return {
        "pandas": pd.DataFrame({"p": pd.Series(values, dtype=object), "i": range(len(values))}),
        "pandas-arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.from_arrow(table),
        "pyarrow": table,
        "duckdb": duckdb.connect().from_arrow(table),
    }


def held(data):
    return classes.holds_lists(lazy(data), fetch, "p")


def fetched(frame, names):
    found = fetch(frame.select("i", *names))
    order = np.argsort(found["i"])
    return [[_plain(found[name][i]) for name in names] for i in order]


def _plain(value):
    return None if value is None or value != value else float(value)


@pytest.mark.parametrize("engine", ["pandas", "pandas-arrow", "polars", "pyarrow", "duckdb"])
def test_lists_of_numbers_become_columns(engine):
    data = frames(NUMBERS, pa.list_(pa.float64()))[engine]
    assert held(data)
    frame, names = classes.numbers_apart(lazy(data), fetch, "p", "score")
    assert names == ("p[0]", "p[1]", "p[2]")
    expected = [[0.5, 0.25, 0.25], [None] * 3, [0, 0, 1], [0.25, 0.75, 0]]
    assert fetched(frame, names) == expected


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
@pytest.mark.parametrize(
    ("values", "says"),
    [([[0.5, 0.5], [1.0]], "from 1 to 2"), ([[1.0], None], "have 1"), ([[], []], "have 0")],
)
def test_lists_of_other_lengths_are_refused(engine, values, says):
    data = frames(values, pa.list_(pa.float64()))[engine]
    with pytest.raises(ef.InputError, match=rf"`score` \(column 'p'\) must hold lists.*{says}"):
        classes.numbers_apart(lazy(data), fetch, "p", "score")


@pytest.mark.parametrize("engine", ["pandas-arrow", "polars", "pyarrow", "duckdb"])
@pytest.mark.parametrize("values", [[None, None], []])
def test_lists_that_are_all_missing_are_refused(engine, values):
    data = frames(values, pa.list_(pa.float64()))[engine]
    assert held(data)
    with pytest.raises(ef.InputError, match=r"a number for each of two .*; these have 0"):
        classes.numbers_apart(lazy(data), fetch, "p", "score")


def test_lists_of_a_fixed_length_are_lists():
    fixed = pl.DataFrame(
        {"p": [[0.5, 0.5], [1.0, 0.0]], "i": [0, 1]},
        schema_overrides={"p": pl.Array(pl.Float64, 2)},
    )
    assert held(fixed)
    frame, names = classes.numbers_apart(lazy(fixed), fetch, "p", "score")
    assert fetched(frame, names) == [[0.5, 0.5], [1, 0]]


def test_what_holds_no_lists_is_told():
    assert not any(held(data) for data in frames([0.5, 0.25, None]).values())
    objects = frames([{"a": 0.5}, {"a": 0.25}])
    assert not any(held(objects[name]) for name in ("pandas", "polars", "pyarrow", "duckdb"))
    # Text spells lists in files, which DuckDB reads, and nowhere else.
    spelt = frames(["[0.5, 0.5]", None, " [1, 0]"])
    assert {name for name, data in spelt.items() if held(data)} == {"duckdb"}
    assert not held(frames(["[0.5, 0.5]", "1"])["duckdb"])
    assert not held(frames([None, None], pa.string())["duckdb"])
    frame, names = classes.numbers_apart(lazy(spelt["duckdb"]), fetch, "p", "score")
    assert fetched(frame, names) == [[0.5, 0.5], [None, None], [1, 0]]


def test_objects_of_python_are_lists_if_one_of_the_first_hundred_is():
    def of(values):
        return held(pd.DataFrame({"p": pd.Series(values, dtype=object)}))

    assert of([None, float("nan"), [0.5, 0.5]])
    assert of([(0.5, 0.5)])
    assert of([np.array([0.5, 0.5])])
    assert not of([None, None])
    assert not of([1.5, None, "a"])
    assert of([None] * 99 + [[1, 0]])
    assert not of([None] * 100 + [[1, 0]])


def test_missing_objects_are_missing_in_each_column():
    data = pd.DataFrame(
        {"p": pd.Series([(1, 0), None, float("nan"), [0, 1]], dtype=object), "i": range(4)}
    )
    frame, names = classes.numbers_apart(lazy(data), fetch, "p", "score")
    assert fetched(frame, names) == [[1, 0], [None, None], [None, None], [0, 1]]


# Lists of votes

TEXTS = ["yes; no|yes", "no", None, "[yes, 'no']", "no,,yes"]
APART = [["yes", "no", "yes"], ["no"], [], ["yes", "no"], ["no", None, "yes"]]


def votes(data):
    frame, names = classes.votes_apart(lazy(data), fetch, "p", "annotations")
    assert names == tuple(f"p[{k}]" for k in range(len(names)))
    found = fetch(frame.select("i", *names))
    rows = [[found[name].tolist()[i] for name in names] for i in np.argsort(found["i"])]
    return [[None if one is None or one != one else one for one in row] for row in rows]


def padded(rows):
    most = max(map(len, rows))
    return [row + [None] * (most - len(row)) for row in rows]


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_votes_in_lists_and_in_text_are_taken_apart(engine):
    assert votes(frames(TEXTS)[engine]) == padded(APART)
    words = [["a", "b"], None, ["b"], ["a", None, "a"]]
    assert votes(frames(words)[engine]) == padded([one or [] for one in words])
    numbers = [[1, 0, 1], [], [0]]
    assert votes(frames(numbers, pa.list_(pa.int64()))[engine]) == padded(
        [[str(one) for one in row] for row in numbers]
    )
    quoted = ['["a;b", "c"]', "['d']"]
    assert votes(frames(quoted)[engine]) == [["a;b", "c"], ["d", None]]


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_lists_without_votes_and_of_too_many_are_refused(engine, monkeypatch):
    monkeypatch.setattr(classes, "MOST_IN_LIST", 3)
    assert votes(frames(["a;b;c"])[engine]) == [["a", "b", "c"]]
    with pytest.raises(ef.InputError, match="has up to 4 votes in a row, and at most 3 are read"):
        votes(frames(["a;b;c;d"])[engine])
    for nothing in ([None, None], []):
        with pytest.raises(ef.InputError, match=r"\(column 'p'\) has no votes"):
            votes(frames(nothing, pa.list_(pa.string()))[engine])


def test_a_thousand_votes_are_read():
    most = ";".join(["a"] * 1000)
    assert votes(frames([most])["polars"]) == [["a"] * 1000]
    with pytest.raises(ef.InputError, match=r"up to 1,001 votes in a row, and at most 1,000 are"):
        votes(frames([f"{most};a"])["polars"])


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
@pytest.mark.parametrize(
    "values", [[[["a"], ["b", "c"]]], [[{"by": "a"}, {"by": "b"}]], ['[{"by": 1}]', "[]"]]
)
def test_lists_of_objects_are_no_votes(engine, values):
    with pytest.raises(ef.InputError, match="holds lists of objects or of lists, not of votes"):
        votes(frames(values)[engine])


def test_lists_of_one_length_inside_lists_are_no_votes_either():
    nested = [[["a"], ["b"]], [["c"], ["c"]]]
    for engine in ("polars", "pyarrow", "duckdb"):
        with pytest.raises(ef.InputError, match="holds lists of objects or of lists"):
            votes(frames(nested)[engine])
    fixed = pl.DataFrame(
        {"p": [["a", "b"]], "i": [0]}, schema_overrides={"p": pl.Array(pl.String, 2)}
    )
    assert votes(fixed) == [["a", "b"]]


def test_votes_keep_the_other_columns():
    for engine, data in frames(TEXTS).items():
        if engine != "pandas-arrow":
            frame, names = classes.votes_apart(lazy(data), fetch, "p", "annotations")
            assert frame.collect_schema().names() == ["p", "i", *names]


def test_engines_that_do_not_know_lists_say_what_to_do():
    ibis = pytest.importorskip("ibis")
    frame = ibis.memtable(frames(["a;b", "b"])["pyarrow"])
    with pytest.raises(ef.InputError, match=r"Lay each vote in a row of its own"):
        votes(frame)


@pytest.mark.parametrize("gone", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("made", [list, np.array])
def test_rows_without_a_list_are_left_out_whatever_stands_there(gone, made):
    rows = [made([0.2, 0.8]), gone, made([0.7, 0.3]), made([0.4, 0.6])]
    data = pd.DataFrame({"p": pd.Series(rows, dtype=object)})
    found = ef.from_soft_labels(data, soft="p", drop_missing=True, interval=None)
    assert (found.n, found.dropped) == (3, 1)
    assert found.value == pytest.approx((0.2 + 0.3 + 0.4) / 3)


@pytest.mark.parametrize("gone", [None, np.nan, pd.NA, pd.NaT])
def test_votes_that_are_missing_in_a_list_or_with_it_are_no_votes(gone):
    rows = [["a", "b", gone], gone, ["a", "a"], [gone, "b", "b"]]
    data = pd.DataFrame({"votes": pd.Series(rows, dtype=object)})
    table = ef.frames.vote_table(data, annotations="votes", drop_missing=True)
    assert (table.n, table.dropped) == (3, 1)
    assert table.totals.tolist() == [2, 2, 2]
    assert table.positives.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "texts",
    [
        ["[np.str_('no'), np.str_('yes')]", "[np.str_('yes')]"],
        ["['no' 'yes']", "['yes']"],
        ["['no'\n 'yes']", "['yes']"],
        ["[np.int64(0), np.int64(1)]", "[np.int64(1)]"],
        ["[0 1]", "[1]"],
        ["[ 0.  1.]", "[1.]"],
    ],
)
def test_lists_that_numpy_printed_hold_the_same_votes(tmp_path, texts):
    texts = texts * 40
    frame = pd.DataFrame({"i": range(len(texts)), "votes": texts})
    plain = pd.DataFrame({"votes": ["0;1", "1"] * 40})
    path = tmp_path / "printed.csv"
    frame.to_csv(path, index=False)
    expected = ef.frames.vote_table(plain, annotations="votes")
    for data in (frame, path):
        assert ef.frames.vote_table(data, annotations="votes") == expected
