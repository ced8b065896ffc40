"""Files that are damaged or too large: the right answer or one clear error, and soon."""

import gzip
import io
import json
import random
import time
import zipfile

import numpy as np
import pytest

import errorfloor as ef
from errorfloor import InputError
from errorfloor.data import storage
from errorfloor.data.storage import read_arrays

ROWS = 60
rng = np.random.default_rng(0)
SCORES = rng.random(ROWS).round(3)
LABELS = (rng.random(ROWS) < SCORES).astype(int)


def workbook():
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["score", "label"])
    for score, label in zip(SCORES.tolist(), LABELS.tolist(), strict=True):
        book.active.append([score, label])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def arrays(save):
    file = io.BytesIO()
    save(file, score=SCORES, label=LABELS)
    return file.getvalue()


def packed():
    rows = "".join(f"{one},{label}\n" for one, label in zip(SCORES, LABELS, strict=True))
    return gzip.compress(f"score,label\n{rows}".encode(), mtime=0)


KINDS = {
    "a.xlsx": (workbook, 300),
    "a.npz": (lambda: arrays(np.savez), 60),
    "packed.npz": (lambda: arrays(np.savez_compressed), 60),
    "a.csv.gz": (packed, 60),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_flipped_bit_never_changes_the_answer(tmp_path, name):
    make, flips = KINDS[name]
    path = tmp_path / name
    path.write_bytes(make())
    check_flips(path, flips, lambda: ef.frames.score_table(path, score="score", label="label"))


@pytest.mark.parametrize("compressed", [False, True])
def test_a_flipped_bit_never_changes_a_table(tmp_path, compressed):
    path = tmp_path / "table.npz"
    ef.ScoreTable.from_arrays(SCORES, LABELS).save(path)
    if compressed:
        np.savez_compressed(path, **read_arrays(path))
    check_flips(path, 1000, lambda: ef.ScoreTable.load(path))


def check_flips(path, flips, read):
    content, right = path.read_bytes(), read()
    assert right == ef.ScoreTable.from_arrays(SCORES, LABELS)
    refused = 0
    for bit in random.Random(1).sample(range(8 * len(content)), flips):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            assert read() == right, bit
        except InputError as error:
            assert path.name in str(error)  # noqa: PT017
            refused += 1
    assert refused > flips / 2


def sheet_of(xml, path):
    """Write a workbook whose sheet is this XML."""
    with zipfile.ZipFile(io.BytesIO(workbook())) as old, zipfile.ZipFile(path, "w", 8) as new:
        for name in old.namelist():
            new.writestr(name, xml if name.endswith("sheet1.xml") else old.read(name))
    return path


NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEAD = f'<worksheet xmlns="{NAMESPACE}">{{}}<sheetData>'
NAMES = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("score", "label"))
END = "</sheetData></worksheet>"


def cpu_of(question):
    start = time.process_time()
    with pytest.raises(InputError) as raised:
        question()
    assert time.process_time() - start < 5
    return str(raised.value)


def test_a_lone_cell_far_away_costs_nothing(tmp_path):
    book = pytest.importorskip("openpyxl").load_workbook(io.BytesIO(workbook()))
    book.active.cell(1048576, 16384).value = 1
    book.save(tmp_path / "far.xlsx")
    start = time.process_time()
    kinds = ef.frames.columns(tmp_path / "far.xlsx")
    assert time.process_time() - start < 5
    assert list(kinds) == ["score", "label"]


def test_what_a_sheet_says_of_its_size_leaves_no_row_out(tmp_path):
    rows = "".join(f"<row><c><v>0.{i}</v></c><c><v>{i % 2}</v></c></row>" for i in range(1, 9))
    xml = f'{HEAD.format("""<dimension ref="A1:B3"/>""")}<row>{NAMES}</row>{rows}{END}'
    path = sheet_of(xml, tmp_path / "short.xlsx")
    assert ef.frames.score_table(path, score="score", label="label").n == 8


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('<row r="{i}"><c r="XFD{i}"><v>1</v></c></row>', "more than 2,097,152 cells"),
        ('<row r="{i}000000"><c><v>1</v></c></row>', "more than 2,097,152 cells"),
        ("<row>" + "<c/>" * 3000 + "</row>", "unpacks to more than is read of a workbook"),
    ],
    ids=["wide", "tall", "empty"],
)
def test_workbooks_with_too_many_cells_are_refused_soon(tmp_path, rows, said):
    body = "".join(rows.replace("{i}", str(i)) for i in range(2, 2500))
    xml = f"{HEAD.format('')}<row>{NAMES}</row>{body}{END}"
    path = sheet_of(xml, tmp_path / "bomb.xlsx")
    message = cpu_of(lambda: ef.look(path))
    assert said in message
    assert "bomb.xlsx" in message
    assert "save the sheet as CSV" in message.replace("Save", "save")


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(workbook())
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("xl/media/image.bin", bytes(storage.BOOK_BYTES))
    assert "512 MB" in cpu_of(lambda: ef.look(path))


def test_arrays_that_unpack_to_far_more_than_their_file_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "ARRAY_BYTES", 2**20)
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, score=np.zeros(2**17), label=np.zeros(2**17, np.int8))
    message = cpu_of(lambda: ef.look(path))
    assert "bomb.npz" in message
    assert "at most 1,048,576 are read" in message
    assert "Save its arrays without compression" in message
    np.savez(path, score=np.zeros(2**17), label=np.zeros(2**17, np.int8))
    assert ef.look(path).rows == 2**17


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.npz", "a.parquet", "a.xlsx"])
def test_more_columns_than_are_read_are_refused_soon(tmp_path, name):
    path = tmp_path / name
    number = 1 + (storage.TEXT_COLUMNS if name in ("a.csv", "a.json") else storage.COLUMNS)
    names = [f"c{i}" for i in range(number)]
    if name == "a.csv":
        path.write_text(f"{','.join(names)}\n{','.join(['1'] * number)}\n")
    elif name == "a.json":
        path.write_text(json.dumps({"data": [dict.fromkeys(names, 1)]}))
    elif name == "a.npz":
        np.savez(path, scores=np.zeros((3, number)))
    elif name == "a.parquet":
        arrow = pytest.importorskip("pyarrow.parquet")
        arrow.write_table(pytest.importorskip("pyarrow").table({one: [1] for one in names}), path)
    else:
        cells = "".join(f'<c t="inlineStr"><is><t>{one}</t></is></c>' for one in names)
        sheet_of(f"{HEAD.format('')}<row>{cells}</row>{END}", path)
    message = cpu_of(lambda: ef.frames.columns(path))
    assert f"{name}': it has more than {number - 1:,} columns, the most that are read." in message


def test_packed_json_is_not_unpacked_without_end(tmp_path, monkeypatch):
    from errorfloor.data import documents

    monkeypatch.setattr(documents, "_MOST", 2**16)
    path = tmp_path / "a.json.gz"
    path.write_bytes(
        gzip.compress(json.dumps({"score": [0.5] * 10**5, "label": [1] * 10**5}).encode())
    )
    assert "Save it as JSON lines or Parquet" in cpu_of(lambda: ef.look(path))
