"""How names, classes and the beginnings of files are understood, case by case."""

import io
import os
import re
import time
import zipfile

import numpy as np
import pytest

import errorfloor as ef
from errorfloor._checks import argument
from errorfloor.data import (
    classes,
    columns,
    documents,
    format_record,
    formats,
    naming,
    storage,
    vote_rows,
)
from errorfloor.data.annotators import bucket_of, part_of
from errorfloor.data.layouts import COUNTS, LAYOUTS, SCORES

SAID = (argument("labels"),)

# How text files are written


def test_blanks_divide_fields_where_each_row_has_as_many():
    assert formats._has_blanks(b"a b\n1 2\n")
    assert formats._has_blanks(b"a b\n1 2\n3 4")  # what is cut off does not count
    assert formats._has_blanks(b"a b\n1 2\n3 4 5")
    assert not formats._has_blanks(b"a b\n1 2 3\n")
    assert not formats._has_blanks(b"a b\n")
    assert not formats._has_blanks(b"a\n1\n")
    assert not formats._has_blanks(b"a,b c\n1,2 3\n")
    assert not formats._has_blanks(b'a "b"\n1 2\n')
    assert not formats._has_blanks(b"")
    row = b"1 2\n"
    assert formats._has_blanks(b"a b\n" + 99 * row + b"1 2 3\n")  # beyond the first hundred


def test_commas_are_decimal_where_other_marks_divide():
    assert formats._has_commas(b"a;b\n0,5;1\n")
    assert formats._has_commas(b"a\tb\n0,5\t1\n")
    assert not formats._has_commas(b"a;b\n0.5;1\n")
    assert not formats._has_commas(b"a,b;c\n0,5;1\n")
    assert not formats._has_commas(b"a|b\n0,5|1\n")


def test_wide_files_and_blank_fields_are_told():
    assert formats._is_wide(b",".join([b"a"] * 101) + b"\n1")
    assert not formats._is_wide(b",".join([b"a"] * 100) + b"\n" + b"," * 200)
    assert "'-'" in format_record._blank(b"a,b\n1,-\n")
    assert "'-'" not in format_record._blank(b"a,b\n+,-\n")
    assert "'NaN'" in format_record._blank(b"a,b\n+,-\n")
    assert formats._delimiter(b"votes\n1;0;1\n") == ", delim = '\x01'"
    assert formats._delimiter(b"a b\n1 2\n") == ", delim = ' '"
    assert formats._delimiter(b"a,b\n1,2\n") == ""


def test_how_a_wide_file_is_written_is_found_once_and_several_are_read_by_name(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    paths = {}
    for name, fields in (("wide", 101), ("slim", 100)):
        paths[name] = str(tmp_path / f"{name}.csv")
        row = ",".join(str(i) for i in range(fields))
        (tmp_path / f"{name}.csv").write_text(f"c{row}\n{row}\n")
    with duckdb.connect() as connection:
        one, slim, both = (
            formats._call_text(connection, [formats.file_at(path) for path in files])
            for files in ([paths["wide"]], [paths["slim"]], [paths["wide"], paths["wide"]])
        )
    assert "auto_detect = false" in one
    assert "union_by_name" not in one
    for call in (slim, both):
        assert "union_by_name = true" in call
        assert "auto_detect" not in call


def test_json_is_whole_where_its_last_bracket_closes_the_first():
    assert formats._is_whole_json(b"[1", b"2]\n")
    assert formats._is_whole_json(b'\xef\xbb\xbf {"a"', b"1} ")
    assert not formats._is_whole_json(b"[1", b"2}")
    assert not formats._is_whole_json(b"{1", b"2")
    assert formats._is_whole_json(b"a", b"b")
    assert formats._is_whole_json(b"[", b"")


def test_formats_are_told_by_names_and_beginnings(tmp_path):
    def told(content, name="data"):
        (tmp_path / name).write_bytes(content)
        return formats.format_of([formats.file_at(str(tmp_path / name))]).name

    assert told(b"a\tb\n1\t2") == "tsv"
    assert told(b"a,b\n1\t2") == "csv"
    assert told(b' {"a": 1}') == told(b"[1]") == "jsonl"
    assert told(b"PAR1") == "parquet"
    assert told(b"PK\x03\x04 xl/") == "excel"
    assert told(b"PK\x03\x04 a.npy") == "npz"
    assert told(b"PAR1", "data.CSV.gz") == "csv"
    assert formats.suffix_of("a.B.Csv.GZ") == ".csv"


def test_columns_of_parquet_are_named_without_their_parts(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = str(tmp_path / "a.parquet")
    query = "select 1 as a, [1, 2] as l, {'x': 1, 'y': [2]} as s, 3 as z"
    duckdb.sql(f"copy ({query}) to '{path}' (format parquet)")
    assert formats._names_in_parquet(duckdb.connect(), formats.File(path)) == ["a", "l", "s", "z"]


# Documents


def test_tables_inside_objects_are_found():
    def columns(whole):
        found = documents._of_object("a.json", whole, [])
        return None if found is None else {name: list(array) for name, array in found.items()}

    assert columns({"columns": ["a", 1], "data": [[1, 2], [3, None]]}) == (
        {"a": ["1", "3"], "1": ["2", None]}
    )
    assert columns({"a": [1, "x"], "b": [True, 0.5]}) == {"a": ["1", "x"], "b": ["true", "0.5"]}
    assert columns({"a": [1], "b": [1, 2]}) is None
    assert columns({"a": [], "b": []}) is None
    assert columns({"a": [1, 2], "b": 3}) is None  # one row that holds a list
    assert columns({"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": 4}}) == (
        {"a": ["1", "2"], "b": ["3", "4"]}
    )
    assert columns({"a": {"0": 1}, "b": {"1": 3}}) is None
    assert columns({"a": {}, "b": {}}) is None
    assert columns({"a": {"0": 1}, "b": 3}) is None
    inside = {"a": ["1", None], "b": [None, "2"]}
    assert columns({"data": [{"a": 1}, {"b": 2}], "n": 2}) == inside
    assert columns({"data": [{"a": 1}, 2], "n": 2}) is None


def test_the_first_record_tells_what_a_file_is():
    assert documents._first('  [ {"a": 1}, {') == ({"a": 1}, False)
    assert documents._first('{"a": 1}\n{"a": 2}') == ({"a": 1}, False)
    assert documents._first('{"a": [1]} ') == ({"a": [1]}, True)
    assert documents._first('{"a": 1}') == ({"a": 1}, False)
    assert documents._first('{"a": [1, ') == (None, True)
    assert documents._first("[1, ") == (1, False)
    assert documents._first("[[1, ") == (None, False)
    assert documents._records('[1, {"a": 2}]') == [1, {"a": 2}]
    assert documents._records('{"a": 1}\n\n {"a": 2}  ') == [{"a": 1}, {"a": 2}]
    assert documents._text(float("nan")) is None
    assert documents._text({"a": 1}) == '{"a": 1}'


# Archives


def test_arrays_that_claim_more_than_is_there_are_refused(tmp_path):
    content = io.BytesIO()
    np.save(content, np.zeros(8))
    raw = content.getvalue()
    assert storage._claimed(io.BytesIO(raw)) == ((8,), 64)
    assert storage._claimed(io.BytesIO(b"hello world")) is None
    large = raw.replace(b"(8,)", b"(9,)")
    assert storage._claimed(io.BytesIO(large)) == ((9,), 72)
    for version in ((1, 0), (2, 0)):
        content = io.BytesIO()
        np.lib.format.write_array(content, np.zeros((2, 3), np.int32), version=version)
        assert storage._claimed(io.BytesIO(content.getvalue())) == ((2, 3), 24)
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", raw.replace(b"(8,), }   ", b"(8000,), }"))
    with pytest.raises(ef.InputError, match="array 'x' claims 64,000 bytes, which are not there"):
        storage.read_arrays(path)


def test_arrays_beyond_the_memory_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.zeros(8))
    with zipfile.ZipFile(path) as archive:
        size = archive.infolist()[0].file_size
    monkeypatch.setattr(storage, "_memory", lambda: size)
    assert storage.read_arrays(path)["x"].size == 8
    monkeypatch.setattr(storage, "_memory", lambda: size - 1)
    with pytest.raises(ef.InputError, match="its arrays do not fit into memory"):
        storage.read_arrays(path)


def test_what_killed_runs_left_is_removed_after_a_day(tmp_path):
    day = 24 * 60 * 60
    names = {"old": day + 60, "new": day - 60}
    for name, age in names.items():
        path = tmp_path / f"{storage.PREFIX}{name}"
        path.write_text("x")
        folder = tmp_path / f"{storage.PREFIX}{name}-folder"
        folder.mkdir()
        (folder / "inside").write_text("x")
        for one in (folder / "inside", folder, path):
            os.utime(one, (time.time() - age,) * 2)
    other = tmp_path / "other"
    other.write_text("x")
    os.utime(other, (0, 0))
    used = tmp_path / f"{storage.PREFIX}used"
    used.mkdir()
    (used / "inside").write_text("x")
    os.utime(used, (0, 0))  # but what is in it is new
    storage.remove_leftovers(tmp_path)
    left = sorted(one.name.removeprefix(storage.PREFIX) for one in tmp_path.iterdir())
    assert left == ["new", "new-folder", "other", "used"]


def test_a_file_that_is_replaced_keeps_its_rights(tmp_path):
    path = tmp_path / "a.txt"
    storage.write_text(path, "one")
    usual = os.stat(path).st_mode & 0o777
    (tmp_path / "b.txt").write_text("x")
    assert usual == os.stat(tmp_path / "b.txt").st_mode & 0o777
    path.chmod(0o640)
    storage.write_text(path, "two")
    assert (path.read_text(), os.stat(path).st_mode & 0o777) == ("two", 0o640)
    assert len(list(tmp_path.iterdir())) == 2


# Names of classes


def test_values_are_classes_by_name_or_by_place():
    def told(values, number, classes=None, columns=None):
        found = naming.told(values, number, classes, SAID, columns)
        return found.names, found.place

    assert told(["b", "a"], 2) == (("a", "b"), {"b": 1, "a": 0})
    assert told(["2", 0], 3) == (("0", "1", "2"), {"2": 2, 0: 0})
    assert told(["b"], 2, ("b", "a")) == (("b", "a"), {"b": 0})
    assert told([1, 0], 2, ("no", "yes")) == (("no", "yes"), {1: 1, 0: 0})
    assert told(["x"], 2, None, ("x", "y")) == (("x", "y"), {"x": 0})
    assert told([True, False], 2) == (("0", "1"), {True: 1, False: 0})
    with pytest.raises(ef.InputError, match=r"must be whole numbers from 0 to 1, .* and has 2"):
        told([0, 2], 2)
    with pytest.raises(ef.InputError, match=r"must be whole numbers from 0 to 1, .* and has -1"):
        told([-1, 1], 2)
    with pytest.raises(ef.InputError, match=r"must have 2 different values.* and has 3: a, b, c"):
        told(["a", "b", "c"], 2)
    with pytest.raises(ef.InputError, match="must have 2 different values"):
        told(["a", 1], 2)


def test_several_labels_in_one_entry_are_told_from_names_with_commas():
    def refused(*values, classes=None):
        try:
            naming.refuse_several(values, SAID, classes)
        except ef.InputError as error:
            return re.search(r"entry, (.*?)\. A floor", str(error))[1]
        return None

    assert refused("cat", "dog") is None
    assert refused("cat;dog", "cat") == "'cat;dog'"
    assert refused("cat;dog", "cat", classes=("cat", "cat;dog")) is None
    assert refused("cat;dog") is None
    assert refused("[cat, dog]") == "'[cat, dog]'"
    assert refused("Paris, Texas", "Paris") is None  # Texas is nowhere else
    assert refused("Paris, Texas", "Paris", "Texas") == "'Paris, Texas'"
    assert refused("a, b", "b, c", "a, c") == "'a, b'"
    assert refused(["a", "b"]) == "['a', 'b']"


def test_names_that_users_give_are_two_or_more_different_ones():
    assert naming.as_classes(None) is None
    assert naming.as_classes([1, 2.0]) == ("1", "2")
    most = [str(one) for one in range(naming.MOST_CLASSES)]
    assert len(naming.as_classes(most)) == 1000
    for wrong, says in (
        ("ab", "must be a list of two names or more"),
        (["a"], "must be a list of two names or more"),
        ({"a": 1, "b": 2}, "must be a list of two names or more"),
        (["a", "b", "a"], "has 'a' twice"),
        ([*most, "x"], "must be at most 1,000 names, got 1,001"),
    ):
        with pytest.raises(ef.InputError, match=says):
            naming.as_classes(wrong)


def test_columns_of_classes_are_called_by_what_they_do_not_share():
    names = naming.names_of_columns
    assert names(["p_cat", "p_cow"]) == ("cat", "cow")
    assert names(["cat", "cow"]) == ("cat", "cow")
    assert names(["p_cat_x", "p_dog_x"]) == ("cat", "dog")
    assert names(["p_", "p_a"]) == ("p_", "p_a")
    assert names(["n(a)", "n(b)"]) == ("a", "b")
    assert names(["p_1", "p_1 "]) == ("p_1", "p_1 ")
    assert naming.listed(list("abcdef")) == "a, b, c, d, e, f"
    assert naming.listed(list("abcdefg")) == "a, b, c, d, e, f, ..."


def test_whole_numbers_are_told_however_they_are_written():
    whole = naming.whole_of
    assert [whole(one) for one in (True, "False", "7.0", "-3", "+4", 2.0)] == [1, 0, 7, -3, 4, 2]
    assert [whole(one) for one in ("7.5", "x", "1e3", "")] == [None] * 4
    assert (whole("9" * 18), whole("9" * 19)) == (10**18 - 1, None)


# Which columns are what


def test_readings_are_told_by_names_or_kinds():
    def readings(**kinds):
        found = columns.likely_readings(kinds, LAYOUTS)
        return [(one.layout.name, one.columns) for one in found]

    scores = SCORES.name
    assert readings(score="number", label="text") == [
        (scores, {"score": "score", "label": "label"})
    ]
    assert readings(x="number", y="text") == [(scores, {"score": "x", "label": "y"})]
    assert readings(x="number", y="boolean") == [(scores, {"score": "x", "label": "y"})]
    assert readings(x="number", y="number") == []
    assert readings(x="number", item="text") == []
    assert readings(x="number", y="text", z="text") == []
    assert readings(user_id="number", x="number", y="text") == [
        (scores, {"score": "x", "label": "y"})
    ]
    both = readings(p_a="number", p_b="number", label="text")
    assert both == [(SCORES.name, {"score": ("p_a", "p_b"), "label": "label"})]


def test_columns_that_begin_alike_are_classes_where_that_is_clear():
    role = next(role for role in COUNTS.roles if role.by_class)

    def found(**kinds):
        return columns.one_for_each(role, kinds)

    assert found(n_a="number", n_b="number") == ("n_a", "n_b")
    assert found(n_a="number", n_b="text") == ()
    assert found(n_a="number", votes_b="number") == ()
    assert found(n_a="number", n_b="number", votes_a="number", votes_b="number") == ()
    assert found(n_a="number", n_b="number", votes_a="number") == ("n_a", "n_b")


# Voters


def test_votes_by_groups_of_annotators_are_counted_one_by_one():
    rng = np.random.default_rng(0)
    pattern, n = rng.integers(-1, 2, (30, 4)), rng.integers(1, 4, 30)
    pattern[:, 0] = np.abs(pattern[:, 0])
    names = ["ann", "bob", "cay", "dan"]
    buckets = np.array([bucket_of(name) for name in names])
    slow = {}
    for row, times in zip(pattern, n, strict=True):
        for part in set(part_of(buckets).tolist()):
            own = [v for v, b in zip(row, buckets, strict=True) if part_of(b) == part and v >= 0]
            there = [v for v in row if v >= 0]
            if own:
                key = (part, len(there), sum(there), len(own), sum(own))
                slow[key] = slow.get(key, 0) + times
    found = vote_rows._by_group(pattern, buckets, n, 2)
    assert {tuple(row[:-1]): row[-1] for row in found.tolist()} == slow
    assert vote_rows._votes_of(np.array([[2, -1, 0], [1, 1, -1]]), 3).tolist() == [
        [1, 0, 1],
        [0, 2, 0],
    ]
    assert list(vote_rows.places(["b", "a", "b"])) == [("b", [0, 2]), ("a", [1])]


# Lists of votes


def test_lists_have_between_one_and_a_thousand_votes():
    assert classes._names_of_places("v", 2, "votes") == ("v[0]", "v[1]")
    assert len(classes._names_of_places("v", 1000, "votes")) == 1000
    with pytest.raises(ef.InputError, match="has up to 1,001 votes in a row, and at most 1,000"):
        classes._names_of_places("v", 1001, "votes")
    with pytest.raises(ef.InputError, match="has no votes"):
        classes._names_of_places("v", 0, "votes")


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
@pytest.mark.filterwarnings("ignore::errorfloor._checks.ErrorFloorWarning")
def test_lists_of_unequal_length_are_taken_apart_by_all_engines(engine):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    texts = ["0;1;1", "[1, 0]", "1|1|1|0", "", "0"]
    made = {
        "pandas": lambda: pd.DataFrame({"votes": texts}),
        "polars": lambda: pl.DataFrame({"votes": texts}),
        "pyarrow": lambda: pl.DataFrame({"votes": texts}).to_arrow(),
        "duckdb": lambda: pytest.importorskip("duckdb").from_arrow(
            pl.DataFrame({"votes": texts}).to_arrow()
        ),
    }
    frame = made[engine]()
    found = ef.from_votes(frame, annotations="votes", interval=None, drop_missing=True).table
    rows = dict(zip(map(tuple, found.votes.tolist()), found.counts.tolist(), strict=True))
    assert rows == {(1, 0): 1, (1, 1): 1, (1, 2): 1, (1, 3): 1}


def test_items_are_kept_as_they_came_and_put_in_order_by_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"item": list("bbaacc"), "annotator": [1, 2] * 3, "vote": [1, 1, 0, 1, 0, 0]}
    )
    found = ef.items(frame, symmetric=False)
    assert found.item.tolist() == ["a", "b", "c"]
    assert found.positives.tolist() == [1, 2, 0]
    plain = ef.items([1.0, 2, 0], 2, symmetric=False)
    assert plain.item.tolist() == [0, 1, 2]
    assert plain.positives.tolist() == [1, 2, 0]
    assert plain.contribution.tolist() == found.contribution.tolist()
    matrix = ef.items([[1, 1], [0, 2], [2, 0]], symmetric=False)
    assert matrix.positives.tolist() == [1, 2, 0]
