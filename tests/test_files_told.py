"""How files begin and end, how their text is encoded, and which database reads them."""

import os
import shutil
import sys
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data import documents, files
from errorfloor.data.format_record import ZSTD
from errorfloor.data.formats import file_at

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

# Encodings


def found_of(*paths):
    return files.Found.of([file_at(str(path)) for path in paths])


# Beginnings and ends


def test_the_first_and_the_last_line_tell_of_what_duckdb_alone_unpacks(tmp_path):
    path = tmp_path / "a.jsonl.zst"
    first, last = (
        "".join(sign * 500 for sign in signs) for signs in ("abcdefghijkl", "ABCDEFGHIJKL")
    )

    def ends(text):
        path.write_bytes(pa.Codec("zstd").compress(text.encode(), asbytes=True))
        with duckdb.connect() as connection:
            return files._ends(connection, str(path), ZSTD)

    assert ends(f"{first}\nmiddle,\"'\n{last}\n") == (first[:4096].encode(), last[-4096:].encode())
    assert ends("only\n") == (b"only", b"only")
    assert ends('\n\n{"a": 1}\n{"b": 2}\n\n') == (b'{"a": 1}', b'{"b": 2}')
    for nothing in ("", "\n\n"):
        with pytest.raises(ef.InputError, match="nothing is in it, or it is not all there"):
            ends(nothing)
    path = tmp_path / "[a].jsonl.zst"  # no pattern, or it would be the file before
    assert ends("own\n") == (b"own", b"own")
    path.write_bytes(b"(\xb5/\xfd damaged")
    with duckdb.connect() as connection:
        assert files._ends(connection, str(path), ZSTD) == (b"", b"")


# Files and their copies


def test_columns_that_have_a_number_of_their_own_are_no_doubles(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,a_1,b\n1,2,3\n")
    assert ef.frames.columns(path) == dict.fromkeys(["a", "a_1", "b"], "number")
    path.write_text("a,a,b\n1,2,3\n")
    with pytest.raises(ef.InputError, match="it has 2 columns called 'a'"):
        ef.frames.columns(path)


def test_files_in_folders_below_are_found_by_two_stars_and_never_twice(tmp_path):
    for name in ("a.csv", "x/b.csv", "x/y/c.csv", "x/_d.csv", ".z/e.csv", "x/f.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("score\n")

    def found(*names):
        listed = files.find([str(tmp_path / name) for name in names], [".csv"])
        return [os.path.relpath(one, tmp_path) for one in listed]

    assert found("**/[abc].csv") == ["a.csv", "x/b.csv", "x/y/c.csv"]
    assert found("") == ["a.csv", "x/b.csv", "x/y/c.csv"]
    assert found("x", "a.csv", "x/b.csv") == ["a.csv", "x/b.csv", "x/y/c.csv"]
    assert found("x/f.md") == ["x/f.md"]
    os.symlink(tmp_path / "a.csv", tmp_path / "z.csv")
    assert found("a.csv", "z.csv") == ["a.csv"]  # the first name that it has
    with pytest.raises(FileNotFoundError, match="There is no file"):
        found("x/*.tsv")
    shutil.rmtree(tmp_path / "x" / "y")
    (tmp_path / "x" / "b.csv").unlink()
    with pytest.raises(FileNotFoundError, match="has no file ending in"):
        found("x")


def test_reading_files_without_duckdb_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match="Reading files needs duckdb: pip install"):
        files.connect(".")


# Databases


def settings(connection, *names):
    asked = ", ".join(f"current_setting('{name}')" for name in names)
    return connection.sql(f"select {asked}").fetchone()


def rows_in(path, number=5):
    columns = {"p": np.arange(number) / 10, "y": np.arange(number) % 2, "t": ["a"] * number}
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.mark.parametrize(
    ("kind", "ordered", "few", "little", "fetched", "kept"),
    [
        ("parquet", False, None, 0, 9, True),
        ("parquet", False, None, -1, 9, False),
        ("parquet", True, None, 9, 9, True),
        ("parquet", True, None, -1, 9, False),
        ("parquet", False, 5, -1, 0, True),
        ("parquet", False, 5, -1, -1, False),
        ("parquet", False, 4, -1, 0, False),
        ("parquet", False, 4, 0, 0, True),
        ("parquet", True, 5, 9, 9, True),
        ("csv", False, None, 0, 9, True),
        ("csv", True, 5, 0, 9, True),
        ("csv", False, None, -1, 9, False),
        ("csv", False, 5, -1, 9, False),
        ("npz", False, None, 9, 9, False),
        ("npz", False, 5, 9, 9, False),
    ],
)
def test_little_files_are_read_by_the_database_that_is_kept(
    kind, ordered, few, little, fetched, kept, tmp_path, monkeypatch
):
    path = str(tmp_path / f"a.{kind}")
    if kind == "parquet":
        rows_in(path)
    elif kind == "npz":
        np.savez(path, p=np.arange(5) / 10, y=np.arange(5) % 2)
    else:
        Path(path).write_text("p,y\n" + "0.5,1\n" * 5)
    size = os.path.getsize(path)
    monkeypatch.setattr(files, "_LITTLE", size + little)  # bytes more than there are
    monkeypatch.setattr(files, "_FETCHED", size + fetched)
    used = files.Few(("p", "y"), few) if few else None
    with files.opened(found_of(path), ordered=ordered, few=used) as opened:
        connection, rows = opened
        assert rows.count("*").fetchone() == (5,)
        own = settings(connection, "parquet_metadata_cache")[0]
        assert own is not kept
        assert settings(connection, "preserve_insertion_order")[0] is (kept or ordered)
    with pytest.raises(duckdb.Error):
        connection.sql("select 1")  # it is closed


def test_the_rows_of_one_file_are_gone_when_those_of_another_are_read(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in "ab"]
    for number, path in enumerate(paths):
        path.write_text("p,y\n" + f"{number},1\n" * 5)
    with files.opened(found_of(paths[0]), ordered=False) as (_, rows):
        with files.opened(found_of(paths[1]), ordered=False) as (_, others):
            assert rows.min("p").fetchone() == ("0",)
            assert others.min("p").fetchone() == ("1",)
        assert rows.min("p").fetchone() == ("0",)
    with files.opened(found_of(paths[1]), ordered=False) as (connection, others):
        assert others.max("p").fetchone() == ("1",)
        assert connection.sql("select count(*) from duckdb_tables()").fetchone() == (1,)
    with files.opened(found_of(rows_in(tmp_path / "a.parquet")), ordered=False) as (connection, _):
        assert connection.sql("select count(*) from duckdb_tables()").fetchone() == (0,)


def test_what_the_rows_of_a_crowd_tool_are_made_through_ends_with_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "HITId,WorkerId,AssignmentStatus,Answer.taskAnswers\n"
        + "".join(f'{i},w,Approved,"[{{""label"": ""a""}}]"\n' for i in range(3))
    )
    with files.opened(found_of(path), ordered=False) as (_, rows):
        assert {"HITId", "WorkerId", "vote"} <= {*rows.columns}
    with files.opened(found_of(path), ordered=False) as (_, _), closing(files._cursor()) as cursor:
        for what in ("tables", "views where not internal"):
            assert cursor.sql(f"select count(*) from duckdb_{what}").fetchone() == (0,)


def test_a_database_that_fails_is_not_kept(tmp_path):
    path = rows_in(tmp_path / "a.parquet")
    with files.opened(found_of(path), ordered=False) as (connection, _):
        assert files._kept
    with (
        pytest.raises(ef.InputError, match="Could not read"),
        files.opened(found_of(path), ordered=False) as (connection, _),
    ):
        connection.sql("select absent")
    assert not files._kept


def test_copies_are_called_by_the_names_of_their_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("score,é\n".encode("latin-1"))

    @contextmanager
    def failing():
        with files.found_in(str(path), None) as found:
            (copy,) = found.paths
            assert copy != str(path)
            yield copy
            raise ef.InputError(f"Could not read {copy!r}: ", "no.")

    with pytest.raises(ef.InputError) as raised, failing() as copy:
        pass
    assert str(raised.value) == f"Could not read {str(path)!r}: no."
    assert not os.path.exists(copy)


# Formats


def test_files_that_cannot_be_read_are_named():
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("needs a file that opens and cannot be read")
    with pytest.raises(OSError, match="/proc/self/mem") as raised:
        file_at("/proc/self/mem")
    assert raised.value.filename == "/proc/self/mem"


# Documents


def test_objects_are_read_up_to_a_size(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text('{"score": [0.5, 0.25], "label": [1, 0]}')
    opening = partial(open, mode="rb")
    size = os.path.getsize(path)
    monkeypatch.setattr(documents, "_MOST", size)
    assert list(documents.columns_of_json(str(path), opening)) == ["score", "label"]
    monkeypatch.setattr(documents, "_MOST", size - 1)
    with pytest.raises(ef.InputError, match="it is an object of more than"):
        documents.columns_of_json(str(path), opening)
    path.write_text('{"score": 0.5, "label": 1}\n' * 9)  # rows of any number are read by DuckDB
    assert documents.columns_of_json(str(path), opening) is None
    path.write_text('{"score": [0.5, ')
    monkeypatch.setattr(documents, "_MOST", size)
    with pytest.raises(ef.InputError, match="it is no JSON, or not all there"):
        documents.columns_of_json(str(path), opening)
