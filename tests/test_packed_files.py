"""Files packed by zstd and workbooks, made byte by byte and cell by cell."""

import itertools
import sys
import zipfile

import pytest

import errorfloor as ef
from errorfloor.data import documents, format_record, formats

MAGIC = (0xFD2FB528).to_bytes(4, "little")


def block(kind, size, content, *, last=False):
    return (int(last) | kind << 1 | size << 3).to_bytes(3, "little") + content


BLOCKS = (
    block(0, 5, b"plain")
    + block(1, 1000, b"r")  # a byte that is repeated
    + block(2, 7, b"packed!")
    + block(0, 300, b"." * 300, last=True)
)


def frame(size_flag, one_piece, has_sum, id_flag, blocks=BLOCKS):
    """Return a frame whose header has the fields of RFC 8878, 3.1.1.1."""
    about = size_flag << 6 | one_piece << 5 | has_sum << 2 | id_flag
    window = b"" if one_piece else b"w"
    size = (b"s" if one_piece else b"", b"ss", b"ssss", b"s" * 8)[size_flag]
    name = (b"", b"i", b"ii", b"iiii")[id_flag]
    header = MAGIC + bytes([about]) + window + name + size
    return header + blocks + (b"sum!" if has_sum else b"")


def is_whole(path, content):
    path.write_bytes(content)
    return format_record.is_whole_zstd(str(path))


@pytest.mark.parametrize(("one_piece", "has_sum"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_frames_end_where_their_header_and_blocks_say(tmp_path, one_piece, has_sum):
    path = tmp_path / "x.zst"
    for size_flag, id_flag in itertools.product(range(4), range(4)):
        made = frame(size_flag, one_piece, has_sum, id_flag)
        assert is_whole(path, made)
        assert is_whole(path, made + made)
        assert not is_whole(path, made[:-1])
        assert not is_whole(path, made + b"\0")
        assert not is_whole(path, made + made[:-1])


def test_a_frame_that_was_cut_anywhere_is_not_whole(tmp_path):
    path = tmp_path / "x.zst"
    made = frame(1, 0, 1, 1)
    assert is_whole(path, made)
    assert not any(is_whole(path, made[:end]) for end in range(len(made)))


def test_a_block_may_be_the_last_by_its_first_bit_only(tmp_path):
    path = tmp_path / "x.zst"
    assert is_whole(path, frame(0, 1, 0, 0, block(0, 0, b"", last=True)))
    assert is_whole(path, frame(0, 1, 0, 0, block(1, 4, b"r", last=True)))
    assert not is_whole(path, frame(0, 1, 0, 0, block(0, 3, b"abc")))
    assert not is_whole(path, frame(0, 1, 0, 0, block(3, 3, b"abc", last=True)))  # no such kind


def test_frames_to_be_skipped_are_known_by_how_they_begin(tmp_path):
    path = tmp_path / "x.zst"
    made = frame(0, 1, 0, 0)
    for magic in range(0x184D2A50, 0x184D2A60):
        skipped = magic.to_bytes(4, "little") + (6).to_bytes(4, "little") + b"anyone"
        assert is_whole(path, skipped + made + skipped)
        assert not is_whole(path, skipped[:-1])
    for magic in (0x184D2A4F, 0x184D2A60, 0xFD2FB529, 0xFD2FB527):
        other = magic.to_bytes(4, "little") + (6).to_bytes(4, "little") + b"anyone"
        assert not is_whole(path, other)
        assert not is_whole(path, magic.to_bytes(4, "little") + made[4:])
    assert not is_whole(path, b"abcd" * 3)
    assert not is_whole(path, b"")


# Workbooks


def workbook(path, rows):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("other").append(["not", "read"])
    book.save(path)
    return str(path)


def columns(path, blank=("", "NA")):
    found = documents.columns_of_sheet(formats.file_at(path), blank)
    return {name: values.tolist() for name, values in found.items()}


def test_the_first_sheet_has_a_column_for_each_name(tmp_path):
    rows = [
        [None, None, None, None],
        [" score ", None, "label", ""],
        ["0.5", "aside", " NA ", "aside"],
        [None, "", None, None],
        ["0.25"],
        [None, None, "yes"],
        [" ", "only aside", "no"],
    ]
    found = columns(workbook(tmp_path / "x.xlsx", rows))
    assert found == {
        "score": ["0.5", "0.25", None, None],
        "label": [None, None, "yes", "no"],
    }


def test_the_column_that_is_there_twice_is_named(tmp_path):
    path = workbook(tmp_path / "x.xlsx", [["a", "b", " b"], [1, 2, 3]])
    with pytest.raises(ef.InputError, match="its first sheet has several columns called 'b'"):
        columns(path)
    with pytest.raises(ef.InputError, match="its first sheet of rows is empty"):
        columns(workbook(tmp_path / "y.xlsx", []))
    (tmp_path / "z.xlsx").write_bytes(b"PK\x05\x06" + b"\0" * 18)
    with pytest.raises(ef.InputError, match=r"z\.xlsx': it is a ZIP archive, and no workbook"):
        columns(str(tmp_path / "z.xlsx"))


def test_workbooks_need_their_library(tmp_path, monkeypatch):
    path = workbook(tmp_path / "x.xlsx", [["a"], [1]])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match="Reading Excel files needs openpyxl"):
        columns(path)


def test_formulas_are_read_as_their_values(tmp_path):
    path = workbook(tmp_path / "x.xlsx", [["score"], ["=1+1"]])
    computed = tmp_path / "y.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(computed, "w") as new:
        for name in old.namelist():
            # Excel writes what it computed behind the formula.
            new.writestr(name, old.read(name).replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>"))
    assert columns(str(computed)) == {"score": ["2"]}
