"""How files begin and end, how their text is encoded, and which database reads them."""

import atexit
import gzip
import io
import os
import shutil
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data import documents, files, formats
from errorfloor.data.format_record import GZIP, ZSTD, Packing
from errorfloor.data.formats import FORMATS, file_at, start_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

# Encodings


def found_of(*paths):
    return files.Found.of([file_at(str(path)) for path in paths])


def told(path, content):
    path.write_bytes(content)
    return file_at(str(path)).encoding


def test_signs_that_no_text_has_make_a_file_no_text(tmp_path):
    # Tabs, ends of lines and pages, and the end of a file of old times.
    written = {*range(9, 14), 26, *range(32, 127), *range(128, 256)}
    for byte in range(1, 256):
        content = b"score\n0.5,caf\xe9 " + bytes([byte]) + b" x\n"
        assert told(tmp_path / "a.csv", content) == ("cp1252" if byte in written else None)


def test_a_letter_may_be_cut_off_where_no_more_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "LOOKED_AT", 8)
    half = "ä".encode()[:1]
    assert told(tmp_path / "a.csv", b"score,\n" + half) is None  # 8 bytes: it may go on
    assert told(tmp_path / "a.csv", b"score,\n" + "ä\n".encode()) is None
    assert told(tmp_path / "a.csv", b"score,\nx" + half) is None  # which is not looked at
    assert told(tmp_path / "a.csv", b"score,\n"[1:] + half) == "cp1252"  # 7 bytes are all of it
    assert told(tmp_path / "a.csv", b"sco" + half + b"re,\n") == "cp1252"


def test_four_megabytes_are_looked_at(tmp_path):
    assert told(tmp_path / "a.csv", b"a" * (2**22 - 1) + b"\xe9") is None  # may be half a letter
    assert told(tmp_path / "a.csv", b"a" * (2**22 - 2) + b"\xe9a") == "cp1252"
    assert told(tmp_path / "a.csv", b"a" * 2**22 + b"\xe9a") is None


def test_zeros_are_counted_in_the_first_4096_bytes(tmp_path):
    # The second byte of a mark of Latin letters is 1, and the first is 0.
    assert told(tmp_path / "a.csv", ("a" * 2048 + "Ā").encode("utf-16-le")) == "utf-16-le"
    assert told(tmp_path / "a.csv", ("a" * 2047 + "Ā").encode("utf-16-le")) is None


@pytest.mark.parametrize("seed", range(4))
def test_zeros_in_every_other_byte_are_told_as_plain_code_tells_them(seed):
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(400):
        size = int(rng.integers(1, 14))
        share = rng.choice([0, 0.1, 0.6, 0.7, 0.9, 1], size=2)
        start = bytes(
            0 if rng.random() < share[i % 2] else int(rng.integers(1, 3)) for i in range(size)
        )
        zeros = [sum(start[i] == 0 for i in range(first, size, 2)) for first in (0, 1)]
        expected = None
        if zeros[0] == 0 and 20 * zeros[1] > 7 * size:
            expected = "utf-16-le"
        elif zeros[1] == 0 and 20 * zeros[0] > 7 * size:
            expected = "utf-16-be"
        assert formats._by_zeros(start) == expected
        seen.add(expected)
    assert len(seen) == 3


# Beginnings and ends


def test_4096_bytes_at_either_end_tell_whether_a_file_is_whole(tmp_path):
    content = np.random.default_rng(0).integers(33, 127, 10_000).astype(np.uint8).tobytes()
    path = str(tmp_path / "a.json")
    for size in (10_000, 4097, 4096, 4095, 1):
        Path(path).write_bytes(content[:size])
        assert files._ends(None, path, None) == (content[:4096][:size], content[:size][-4096:])
    with gzip.open(path, "wb") as packed:
        packed.write(content)
    assert files._ends(None, path, GZIP) == (content, content[-4096:])


def test_packed_files_are_unpacked_a_megabyte_at_a_time():
    content = np.random.default_rng(0).bytes(2**20 + 100)
    asked = []

    class Stream(io.BytesIO):
        def read(self, size=-1):
            asked.append(size)
            return super().read(size)

    packing = Packing("x", ".x", b"x", lambda file: Stream(content))
    start, end = files._ends(None, "a.x", packing)
    assert start == content[: len(start)]
    assert end == content[-4096:]
    assert max(asked) <= 2**20
    assert min(asked) > 0


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


def test_what_duckdb_says_is_told_without_its_advice():
    def said(text, *names):
        return str(files._unreadable(names or ("a.csv",), ValueError(text)))

    assert "'a.csv': one two. Check" in said("one\ntwo\n\nthree")
    assert "'a.csv': one. Check" in said("one\nPossible fixes: none\ntwo")
    assert "'a.csv': one. Check" in said("one.\nThe search space\ntwo")
    assert "'a.csv': one two three. Check" in said("one\ntwo\nthree\nfour")
    assert "2 files from 'a' on: one. Check" in said("one", "a", "b")
    assert """-t UTF-8 'it'"'"'s' > utf-8.csv""" in said("Invalid UTF-8", "it's", "other")


# Files and their copies


def test_columns_that_have_a_number_of_their_own_are_no_doubles(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,a_1,b\n1,2,3\n")
    assert ef.frames.columns(path) == dict.fromkeys(["a", "a_1", "b"], "number")
    path.write_text("a,a,b\n1,2,3\n")
    with pytest.raises(ef.InputError, match="it has 2 columns called 'a'"):
        ef.frames.columns(path)


def test_copies_that_are_kept_are_removed_when_python_ends(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes("score,é\n".encode("latin-1"))
    ends = []
    monkeypatch.setattr(atexit, "register", lambda *how, **more: ends.append((how, more)))
    plain = tmp_path / "b.csv"
    plain.write_text("score\n")
    assert files.kept_in(str(plain), None).paths == [str(plain)]
    assert not ends
    copy, other = files.kept_in([str(path), str(plain)], None).paths
    assert other == str(plain)
    assert Path(copy).read_text(encoding="utf-8") == "score,é\n"
    (((end, *how), more),) = ends
    for _ in range(2):  # whoever removed it before has done no harm
        end(*how, **more)
        assert not os.path.exists(os.path.dirname(copy))


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


def test_few_rows_of_numbers_may_be_fetched(tmp_path):
    rows = duckdb.read_parquet(rows_in(tmp_path / "a.parquet"))
    for columns, most, fits in (
        (("p", "y"), 5, True),
        (("p", "y"), 6, True),
        (("p", "y"), 4, False),
        (("p", "t"), 5, False),
        (("p", "absent"), 5, False),
    ):
        assert files.Few(columns, most).fits(rows) is fits


@pytest.mark.parametrize(
    ("kind", "ordered", "few", "little", "fetched", "kept"),
    [
        ("parquet", False, None, 0, 9, True),
        ("parquet", False, None, -1, 9, False),
        ("parquet", True, None, 9, 9, False),
        ("parquet", False, 5, -1, 0, True),
        ("parquet", False, 5, -1, -1, False),
        ("parquet", False, 4, -1, 0, False),
        ("parquet", False, 4, 0, 0, True),
        ("parquet", True, 5, 9, 9, False),
        ("csv", False, None, 9, 9, False),
        ("csv", False, 5, 9, 9, False),
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
        assert settings(connection, "preserve_insertion_order")[0] is ordered
    with pytest.raises(duckdb.Error):
        connection.sql("select 1")  # it is closed


def test_the_database_that_is_kept_remembers_nothing_of_files():
    with files._cursor() as connection:
        names = ("parquet_metadata_cache", "enable_external_file_cache", "threads", "memory_limit")
        assert settings(connection, *names) == (False, False, 1, "953.6 MiB")


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


@pytest.mark.parametrize(("more", "kept"), [(0, True), (-1, False)])
def test_rows_of_small_text_files_are_kept_between_queries(more, kept, tmp_path, monkeypatch):
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for path in paths:
        Path(path).write_text("p,y\n0.5,1\n")
    monkeypatch.setattr(files, "_SMALL", 2 * os.path.getsize(paths[0]) + more)
    with files.opened(found_of(*paths), ordered=False) as (connection, rows):
        names = [name for (name,) in connection.sql("show tables").fetchall()]
        assert names == (["in_memory"] if kept else [])
        assert rows.count("*").fetchone() == (2,)
    whole = rows_in(tmp_path / "a.parquet")
    monkeypatch.setattr(files, "_LITTLE", 0)
    monkeypatch.setattr(files, "_SMALL", 2**24)
    with files.opened(found_of(whole), ordered=False) as (connection, rows):
        assert connection.sql("show tables").fetchall() == []


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


def test_formats_are_what_they_are():
    flags = ("is_text", "finds_delimiter", "holds_tables", "is_archive")
    found = {kind.name: [name for name in flags if getattr(kind, name)] for kind in FORMATS}
    assert (
        found
        | {
            "csv": ["is_text", "finds_delimiter"],
            "tsv": ["is_text"],
            "jsonl": ["is_text"],
            "parquet": [],
            "npz": ["holds_tables", "is_archive"],
            "excel": ["is_archive"],
            "inspect": ["is_archive"],
        }
        == found
    )
    suffixes = [suffix for kind in FORMATS for suffix in kind.suffixes]
    assert len(found) == len(FORMATS)
    assert sorted(suffixes) == sorted({suffix.lower() for suffix in suffixes})


def test_a_format_is_told_by_its_first_4096_bytes(tmp_path):
    path = tmp_path / "data"
    for before, name in ((4095, "tsv"), (4096, "csv")):
        path.write_bytes(b"a" * before + b"\tb\n1\t2\n")
        assert found_of(path).kind.name == name


def test_files_that_cannot_be_read_are_named():
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("needs a file that opens and cannot be read")
    with pytest.raises(OSError, match="/proc/self/mem") as raised:
        start_of("/proc/self/mem", 4)
    assert raised.value.filename == "/proc/self/mem"


def test_arrays_of_one_length_are_columns(tmp_path):
    path = tmp_path / "a.npz"

    def rows(**arrays):
        np.savez(path, **arrays)
        return ef.frames.scan(path).fetchall()

    day = np.array(["2026-01-02", "2026-01-03"], dtype="datetime64[D]")
    wide = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = rows(a=np.array([1.5, 2.5], dtype=">f8"), w=wide, t=np.array(["x", ""]), d=day)
    assert [row[:3] for row in found] == [(1.5, [1, 2], "x"), (2.5, [3, 4], None)]
    assert [row[3].day for row in found] == [2, 3]
    for wrong in (
        {"a": np.zeros(2), "b": np.zeros(3)},
        {"a": np.zeros((2, 2, 2))},
        {"a": np.array(1.0)},
        {"a": np.zeros(2), "b": np.array(1.0)},
        {"a": np.zeros((2, 3)), "b": np.zeros(3)},
    ):
        with pytest.raises(ef.InputError, match="must hold 1-d arrays of equal length, got a "):
            rows(**wrong)
    with pytest.raises(ef.InputError, match="got none"):
        rows()


# Documents


def test_what_is_no_object_is_no_table():
    assert documents._first("abc") == (None, False)
    assert documents._first("[{") == (None, False)
    assert documents._first('{"a": [1]}x') == ({"a": [1]}, False)
    assert documents._first('{"a": [1]} {"a": [2]}') == ({"a": [1]}, False)
    assert documents._first('[{"a": [1]}]') == ({"a": [1]}, False)
    assert documents._first("[1]") == (1, False)
    assert documents._first("3") == (3, False)
    assert documents._first('{"a": {"b": 1}}') == ({"a": {"b": 1}}, True)
    one = documents._of_object("a.json", {"a": [1], "b": [2]}, [])  # one row by columns
    assert {name: list(array) for name, array in one.items()} == {"a": ["1"], "b": ["2"]}
    assert [documents._text(one) for one in (None, float("nan"), 0.5, "a", True)] == [
        None, None, "0.5", "a", "true",
    ]  # fmt: skip


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
