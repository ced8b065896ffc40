"""Files as people have them: each kind is read without a word, and equals the same arrays."""

import json
import shlex
import sys
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.apps.cli.building import with_labels
from errorfloor.apps.cli.commands import cli
from errorfloor.data import format_record, formats
from errorfloor.data.exports import EXPORTS, export_of
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.data.values import are_lists
from errorfloor.show.recipe import command_line, python_code

FILES = Path(__file__).parent / "files"
SCORES = np.array([0.9, 0.2, 0.65, 0.35, 0.8, 0.05, 0.5, 0.95])
LABELS = np.array([1, 0, 1, 0, 0, 0, 1, 1])
PROBS = np.array(
    [[7, 2, 1], [1, 8, 1], [2, 2, 6], [5, 3, 2], [1, 1, 8], [3, 6, 1]], dtype=float
) / 10  # fmt: skip
CLASS = [0, 1, 2, 0, 2, 1]
VOTES = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1], [0, 0, 1]])
ANIMALS = np.array([[0, 0, 1], [1, 1, 1], [2, 2, 2], [0, 2, 0], [2, 1, 2], [1, 1, 0]])
COUNTS = np.stack([(k == ANIMALS).sum(axis=1) for k in range(3)], axis=1)


def table_of(name, **how):
    return read(FILES / name, LAYOUTS, ReadOptions.of(**how)).table


def same(found, expected):
    """Compare what tables hold, but for whose votes they are, which arrays do not say."""
    assert type(found) is type(expected)
    assert found.classes == expected.classes
    for name in ("scores", "votes", "counts"):
        if name in expected.columns:
            np.testing.assert_array_equal(found.columns[name], expected.columns[name])


@pytest.mark.parametrize(
    "name",
    [
        "decimal_comma.csv",
        "percent.csv",
        "percent_comma.csv",
        "latin_1.csv",
        "utf_16.csv",
        "utf_16_le.csv",
        "utf_16_be.csv",
        "pandas_index.csv",
        "array.json",
        "columns.json",
        "pandas_columns.json",
        "pandas_split.json",
        "pandas_table.json",
        "prediction_score.csv",
        "confidence_gold.csv",
        "proba_0_proba_1.csv",
        "parts",
        "parts/*.csv",
    ],
)
def test_scores_are_read_as_they_come(name):
    same(table_of(name), ScoreTable.from_arrays(SCORES, LABELS))


def test_workbooks_are_read_by_their_first_sheet():
    pytest.importorskip("openpyxl")
    same(table_of("scores.xlsx"), ScoreTable.from_arrays(SCORES, LABELS))


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("hugging_face.parquet", ("0", "1", "2")),
        ("mlflow.csv", ("0", "1", "2")),
        ("matrix.npz", ("0", "1", "2")),
        ("probs.jsonl", ("cat", "dog", "fox")),
    ],
)
def test_scores_of_many_classes_are_read_as_they_come(name, classes):
    same(table_of(name), ScoreTable.from_arrays(PROBS, CLASS, classes=classes))


@pytest.mark.parametrize(
    "name",
    [
        "annotations.jsonl",
        "annotations.parquet",
        "annotations_brackets.csv",
        "annotations_semicolons.csv",
        "n_yes_n_no.csv",
        "annotator_letters.csv",
        "item_worker_response_gold.csv",
        "prodigy_binary.jsonl",
    ],
)
def test_votes_are_read_as_they_come(name):
    same(table_of(name), VoteTable.from_arrays(VOTES.sum(axis=1), 3))


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("annotations_python.csv", "cat dog fox"),
        ("annotations_bars.csv", "cat dog fox"),
        ("rater_item_rating.csv", "1 2 3"),
        ("task_worker_label.csv", "cat dog fox"),
        ("label_studio.json", "cat dog fox"),
        ("argilla.json", "cat dog fox"),
        ("argilla_1.jsonl", "cat dog fox"),
        ("prodigy.jsonl", "cat dog fox"),
        ("doccano.jsonl", "cat dog fox"),
        ("doccano_1.jsonl", "1 2 3"),
    ],
)
def test_votes_for_many_classes_are_read_as_they_come(name, classes):
    same(table_of(name), VoteTable.from_arrays(COUNTS, classes=classes.split()))


@pytest.mark.parametrize("name", ["label_studio.json", "argilla.json", "prodigy.jsonl"])
def test_exports_say_whose_votes_they_are(name):
    plain = table_of("task_worker_label.csv")
    found = table_of(name)
    assert sorted(found.workloads[:, 1]) == sorted(plain.workloads[:, 1]) == [6, 6, 6]


def test_annotations_that_were_skipped_or_cancelled_are_counted(tmp_path):
    def task(number, *done):
        return {"id": number, "data": {"text": "x"}, "annotations": [*map(annotation, *done)]}

    def annotation(who, choice):
        value = {"type": "choices", "value": {"choices": [choice]}}
        empty = choice in ("cancelled", "blank")
        cancelled = choice == "cancelled"
        return {"completed_by": who, "result": [] if empty else [value], "was_cancelled": cancelled}

    votes = [("abc", ("yes", "no", "yes")), ("abc", ("yes", "cancelled", "no"))]
    more = [("abc", ("no", "blank", "yes")), ("ab", ("cancelled", "cancelled"))]
    for name, rows, start in (("one", votes, 0), ("two", more, 5), ("none", votes[:1], 9)):
        tasks = [task(start + k, *row) for k, row in enumerate(rows)]
        (tmp_path / f"{name}.json").write_text(json.dumps(tasks))
    one, two, none = (tmp_path / f"{name}.json" for name in ("one", "two", "none"))
    said = {
        (one,): "1 annotation without an answer is left out",
        (two,): "3 annotations without an answer are left out",
        (one, two): "4 annotations without an answer are left out",
        (two, one, none): "4 annotations without an answer are left out",
    }
    for files, note in said.items():
        reading = read(list(files), LAYOUTS, ReadOptions.of())
        assert reading.source.facts["notes"] == [f"Label Studio: {note}"]
        shown = CliRunner().invoke(cli, ["estimate", *map(str, files)])
        assert f"note: Label Studio: {note}" in shown.output
    assert "notes" not in read(none, LAYOUTS, ReadOptions.of()).source.facts


def test_missing_votes_side_by_side_are_counted(tmp_path):
    rows = ["case,reader_1,reader_2", "1,yes,no", "2,N/A,yes", "3,,no", "4,no,no", "5,yes,yes"]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(rows) + "\n")
    shown = CliRunner().invoke(cli, ["estimate", str(path)]).output
    assert "note: 2 of 10 votes are missing (blank, N/A and the like)" in shown
    path.write_text("\n".join([*rows[:2], *rows[4:]]) + "\n")
    assert "votes are missing" not in CliRunner().invoke(cli, ["estimate", str(path)]).output


def test_each_tool_is_told_by_its_records_and_no_other():
    first = {}
    for name in ("label_studio.json", "argilla.json", "prodigy.jsonl", "doccano.jsonl"):
        text = (FILES / name).read_text(encoding="utf-8")
        is_array = text.startswith("[")
        first[name] = json.loads(text)[0] if is_array else json.loads(text.splitlines()[0])
    for record, export in zip(first.values(), EXPORTS[:4], strict=True):
        assert [one for one in EXPORTS if one.fits(record)] == [export]
    assert export_of({"text": "x", "label": "cat", "score": 0.5}) is None
    assert export_of([1, 2]) is None


def test_an_export_without_votes_is_refused_by_the_name_of_its_tool(tmp_path):
    task = {"id": 1, "data": {"text": "x"}, "annotations": []}
    (tmp_path / "empty.json").write_text(json.dumps([task]))
    with pytest.raises(ef.InputError, match="export of Label Studio without a vote"):
        ef.from_votes(tmp_path / "empty.json")


def test_records_of_an_export_that_are_none_are_left_out(tmp_path):
    records = json.loads((FILES / "label_studio.json").read_text(encoding="utf-8"))
    (tmp_path / "x.json").write_text(json.dumps([records[0], None, "text", *records[1:]]))
    found = read(tmp_path / "x.json", LAYOUTS, ReadOptions.of()).table
    assert found == table_of("label_studio.json")


def test_an_export_is_told_though_its_first_record_is_long(tmp_path):
    records = json.loads((FILES / "label_studio.json").read_text(encoding="utf-8"))
    records[0] = {"data": {"text": "x" * 2**21}} | records[0]
    (tmp_path / "x.json").write_text(json.dumps(records))
    found = read(tmp_path / "x.json", LAYOUTS, ReadOptions.of()).table
    assert found == table_of("label_studio.json")


def test_json_that_is_damaged_or_too_large_is_refused_by_its_name(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    path.write_text('{"score": [0.1, 0.2,, 0.3], "label": [0, 1, 1]}')
    with pytest.raises(ef.InputError) as error:
        ef.from_scores(path)
    assert str(error.value) == (
        f"Could not read {str(path)!r}: it is no JSON, or not all there (Expecting value: line 1 "
        "column 21 (char 20)). Copy it again, or save its rows as CSV or JSON lines."
    )
    monkeypatch.setattr("errorfloor.data.documents._MOST", 2**20)
    path.write_text(json.dumps({"score": [0.1, 0.2], "label": [0, 1]}).ljust(2**20))
    assert ef.from_scores(path, interval=None).n == 2
    for text, what in (
        (path.read_text(), "an object"),
        ((FILES / "label_studio.json").read_text("utf-8"), "an export of Label Studio"),
    ):
        path.write_text(text.ljust(2**20 + 1))
        with pytest.raises(ef.InputError) as error:
            ef.look(path)
        assert str(error.value) == (
            f"Could not read {str(path)!r}: it is {what} of more than 1 MB. Save it as JSON lines "
            "or Parquet, with a row for each item or vote."
        )


def test_workbooks_without_rows_and_with_doubled_names_are_refused(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    from openpyxl.chart import BarChart

    empty, doubled, chart = (openpyxl.Workbook() for _ in range(3))
    empty.active.append(["", None])
    for row in (["score", "label", " score"], [0.1, 0, 0.2]):
        doubled.active.append(row)
    chart.create_chartsheet("only").add_chart(BarChart())
    chart.remove(chart.worksheets[0])
    is_empty = "its first sheet of rows is empty. Fill it, or save the rows as CSV."
    for book, said in (
        (empty, is_empty),
        (chart, is_empty),
        (doubled, "its first sheet has several columns called 'score'. Rename them."),
    ):
        path = tmp_path / "x.xlsx"
        book.save(path)
        with pytest.raises(ef.InputError) as error:
            ef.from_scores(path)
        assert str(error.value) == f"Could not read {str(path)!r}: {said}"
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"needs openpyxl: pip install 'errorfloor\[cli\]', or"):
        ef.from_scores(path)


def test_packed_lines_that_are_damaged_or_cut_off_are_refused(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "x.jsonl.zst"
    rows = "select range / 200 as score, range % 2 as label from range(200)"
    duckdb.execute(f"copy ({rows}) to '{path}' (format json, compression zstd)")
    whole = path.read_bytes()
    assert ef.from_scores(path, interval=None).n == 200
    for damaged in (whole[:10], whole[:-1], whole[:4] + b"????" + whole[8:], whole + b"more"):
        path.write_bytes(damaged)
        with pytest.raises(ef.InputError) as error:
            ef.from_scores(path)
        said = "it is damaged or not all there. Copy it again."
        assert str(error.value) == f"Could not read {str(path)!r}: {said}"


def test_files_packed_by_zstd_are_whole_only_to_the_last_byte(tmp_path):
    codec, path = pytest.importorskip("pyarrow").Codec("zstd"), tmp_path / "x.csv.zst"
    rng = np.random.default_rng(0)
    lines = "\n".join(["score,label", *(f"{i / 9:.3f},{i % 2}" for i in range(9))]).encode()
    plain = [
        lines,
        b"",
        b"0" * 300_000,
        rng.bytes(300_000),
    ]  # text, a run, and what is kept as it is
    frames = [codec.compress(one, asbytes=True) for one in plain]
    # One piece of 2 bytes in a frame with a sum, with a number for a dictionary, with a window.
    block = bytes([2 << 3 | 1, 0, 0]) + b"ab"
    frames.append(b"\x28\xb5\x2f\xfd" + bytes([0b00100100, 2]) + block + bytes(4))
    frames.append(b"\x28\xb5\x2f\xfd" + bytes([0b00100011, 0, 0, 0, 0, 2]) + block)
    frames.append(b"\x28\xb5\x2f\xfd" + bytes([0b11000000, 8]) + bytes(8) + block)
    frames.append(b"\x5f\x2a\x4d\x18" + bytes([3, 0, 0, 0]) + b"abc")  # left out by readers
    for frame in frames:
        for whole in (frame, frames[0] + frame, frame + frames[0]):
            path.write_bytes(whole)
            assert format_record.is_whole_zstd(str(path))
        for cut in {1, 4, 5, 7, len(frame) // 2, len(frame) - 1}:
            path.write_bytes(frames[0] + frame[:cut])
            assert not format_record.is_whole_zstd(str(path))
    path.write_bytes(b"")
    assert not format_record.is_whole_zstd(str(path))
    path.write_bytes(frames[0][:4] + bytes([0b00100000, 2, 2 << 3 | 7, 0, 0]) + b"ab")
    assert not format_record.is_whole_zstd(str(path))  # of a kind of block that there is not
    path.write_bytes(frames[0])
    assert ef.from_scores(path, interval=None).n == 9


def test_what_people_write_for_missing_values_is_missing():
    with pytest.raises(ef.InputError, match=r"missing values: 5 of 15 rows"):
        table_of("missing.csv")
    found = table_of("missing.csv", drop_missing=True)
    same(found, ScoreTable.from_arrays(SCORES, LABELS))
    assert found.dropped == 7


def test_a_minus_beside_a_plus_is_a_vote(tmp_path):
    path = tmp_path / "signs.csv"
    path.write_text("item,worker,vote\n1,a,+\n1,b,-\n2,a,+\n2,b,+\n")
    found = ef.frames.vote_table(path, item="item", vote="vote", annotator="worker", positive="+")
    same(found, VoteTable.from_arrays([1, 2], 2))


ENGINES = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "pyarrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_percentages_and_decimal_commas_are_numbers_in_every_engine(engine):
    words = ["90%", "20 %", "0,65", "0.35", "80,0%", ",05", "5e-1", "0,950"]
    frame = ENGINES[engine]({"score": words, "label": LABELS.tolist()})
    same(read(frame, LAYOUTS, ReadOptions.of()).table, ScoreTable.from_arrays(SCORES, LABELS))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_comma_that_may_stand_for_thousands_is_not_guessed(engine):
    frame = ENGINES[engine]({"score": ["1,234", "2,345"], "label": [0, 1]})
    with pytest.raises(ef.InputError, match=r"must be finite numbers: 2 of 2 .*'1,234'"):
        ef.from_scores(frame, score="score", label="label")


@pytest.mark.parametrize("mark", [";", "\t"])
@pytest.mark.parametrize(
    ("rows", "totals"),
    [
        (["0,5 2.000 1.200", "0,25 15 3", "1,5 1.500 1.499"], [2000, 15, 1500]),
        (["0,5 2.000 1.200", "0,25 15,0 3", "1,5 1.234.000 1.499"], [2000, 15, 1234000]),
        (["0,5 2.0 1.200", "0,25 15.5 3", "1,5 1.000 1"], None),
    ],
    ids=["whole", "with decimals", "a point is a point"],
)
def test_where_decimals_have_commas_points_stand_between_thousands(tmp_path, mark, rows, totals):
    path = tmp_path / "votes.csv"
    lines = [
        "price name m k",
        *(f"{row[: row.index(' ')]} ann{row[row.index(' ') :]}" for row in rows),
    ]
    path.write_text("\n".join(lines).replace(" ", mark) + "\n")
    if totals is None:  # which are fractions of votes
        with pytest.raises(ef.InputError, match=r"whole numbers of at least 0: 1 of 3 .*'15.5'"):
            ef.frames.vote_table(path, positives="k", totals="m")
        return
    found = ef.frames.vote_table(path, positives="k", totals="m")
    assert sorted(found.totals.tolist()) == sorted(totals)
    assert sorted(found.positives.tolist()) == [3, 1200, 1499]


def test_points_and_commas_for_decimals_of_one_column_leave_thousands_open(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score;label\n0,5;0\n0.25;1\n2.000;1\n" + "0,75;0\n" * 20)
    message = (
        r"must be finite numbers: 1 of 23 are bad, for example '2.000 \(a fraction or 2000\?\)'. "
        r"It may be thousands or a fraction: write it without that mark, or with a comma\."
    )
    with pytest.raises(ef.InputError, match=message):
        ef.from_scores(path, score="score", label="label")


@pytest.mark.parametrize("text", ["Well, no", "2,5 stars"])
def test_commas_in_words_leave_points_of_numbers_alone(tmp_path, text):
    path = tmp_path / "scores.csv"
    path.write_text(f"text;score;label\n{text};1.234;0\nyes;2.345;1\n")
    found = ef.frames.score_table(path, score="score", label="label")
    assert found.scores.tolist() == [1.234, 2.345]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", [list, lambda row: ";".join(map(str, row)), str])
def test_lists_of_votes_are_read_in_every_engine(engine, form):
    rows = [row.tolist() for row in VOTES]
    rows[1] = [0, 0]
    frame = ENGINES[engine]({"annotations": [form(row) for row in rows]})
    found = ef.frames.vote_table(frame, annotations="annotations")
    same(found, VoteTable.from_arrays([sum(row) for row in rows], [len(row) for row in rows]))


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_without_a_list_are_missing_and_brackets_need_not_close(engine):
    texts = [None, "[a, b, b]", "[b, a", "[a, 'b', ]", "a|a"]
    frame = ENGINES[engine]({"annotations": texts})
    asked = {"annotations": "annotations", "positive": "a"}
    with pytest.raises(ef.InputError, match=r"1 of 5 rows have no vote at all in `annotations`"):
        ef.from_votes(frame, **asked)
    found = ef.frames.vote_table(frame, **asked, drop_missing=True)
    same(found, VoteTable.from_arrays([1, 1, 1, 2], [3, 2, 2, 2]))
    assert found.dropped == 1


def test_lists_of_other_engines_are_refused_with_what_to_do():
    ibis = pytest.importorskip("ibis")
    with pytest.raises(ef.InputError) as error:
        ef.from_votes(ibis.memtable({"a": [[0, 1], [1, 1]]}), annotations="a")
    assert str(error.value) == (
        "`annotations` reads lists of files, and of pandas, polars, pyarrow and DuckDB frames. Lay "
        "each vote in a row of its own, and name `item` and `vote`."
    )


def test_an_engine_that_is_not_known_casts_text_to_numbers(monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("errorfloor.data.engines._READERS", {})
    frame = polars.DataFrame({"score": [" 0.5", "25%", "1", "0,75"], "label": [1, 0, 1, 1]})
    found = ef.from_scores(frame, interval=None)
    same(found.table, ScoreTable.from_arrays([0.5, 0.25, 1, 0.75], [1, 0, 1, 1]))


def test_lists_of_a_relation_are_read_twice_alike():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().read_parquet(str(FILES / "annotations.parquet"))
    for _ in range(2):
        found = ef.frames.vote_table(relation, annotations="annotations")
        same(found, VoteTable.from_arrays(VOTES.sum(axis=1), 3))


def test_lists_of_many_votes_and_other_columns_are_refused(tmp_path):
    frame = pd.DataFrame({"annotations": [[0] * 1001, [1]]})
    with pytest.raises(ef.InputError, match="up to 1,001 votes in a row"):
        ef.from_votes(frame, annotations="annotations")
    with pytest.raises(ef.InputError, match="`annotations` must be one of annotations"):
        ef.from_votes(frame, annotations="annotation")
    with pytest.raises(ef.InputError, match="has no votes"):
        ef.from_votes(pd.DataFrame({"a": [[], []]}), annotations="a")


@pytest.mark.parametrize("engine", ENGINES)
def test_lists_of_objects_are_no_votes(engine, tmp_path):
    frame = ENGINES[engine]({"annotations": [[{"label": 1}], [{"label": 0}, {"label": 1}]]})
    with pytest.raises(ef.InputError, match="holds lists of objects"):
        ef.from_votes(frame, annotations="annotations")


def test_lists_of_objects_in_files_are_no_votes(tmp_path):
    frame = pd.DataFrame({"annotations": [[{"label": 1}], [{"label": 0}, {"label": 1}]]})
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    for name in ("x.parquet", "x.jsonl"):
        with pytest.raises(ef.InputError, match="holds lists of objects"):
            ef.from_votes(tmp_path / name)


def test_lists_of_numbers_called_votes_may_be_counts_and_are_asked_for(tmp_path):
    path = tmp_path / "votes.npz"
    np.savez(path, votes=COUNTS)
    with pytest.raises(ef.InputError, match=r"You may mean\n  `counts='votes'`\n  `annotations="):
        ef.from_votes(path)
    same(ef.from_votes(path, counts="votes").table, VoteTable.from_arrays(COUNTS))


def test_lists_in_which_classes_repeat_are_votes_whatever_they_are_called(tmp_path):
    expected = VoteTable.from_arrays(VOTES.sum(axis=1), 3)
    for name in ("votes", "labels"):
        frame = pd.DataFrame({"id": range(6), name: VOTES.tolist()})
        same(read(frame, LAYOUTS, ReadOptions.of()).table, expected)
        frame.to_csv(tmp_path / "x.csv", index=False)
        same(read(tmp_path / "x.csv", LAYOUTS, ReadOptions.of()).table, expected)
    several = pd.DataFrame({"labels": [["a", "b"], ["b"], ["a", "c"]]})
    with pytest.raises(ef.InputError, match="Cannot tell which columns"):
        read(several, LAYOUTS, ReadOptions.of())


def test_blanks_may_divide_fields(tmp_path):
    path = tmp_path / "x.txt"
    rows = "".join(f"{s} {y}\n" for s, y in zip(SCORES, LABELS, strict=True))
    path.write_text(f"score label\n{rows}")
    same(read(path, LAYOUTS, ReadOptions.of()).table, ScoreTable.from_arrays(SCORES, LABELS))


def test_the_only_column_may_hold_lists(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("annotations\n" + "".join(";".join(map(str, row)) + "\n" for row in VOTES))
    same(read(path, LAYOUTS, ReadOptions.of()).table, VoteTable.from_arrays(VOTES.sum(axis=1), 3))


def test_text_is_no_list_because_it_has_commas():
    assert not are_lists(["Well, this; is text.", "So is this, too"])
    assert not are_lists(["0,5", "0,25"])
    assert not are_lists(["cat;dog", "fox"])
    assert not are_lists(["cat;cat", "fox", "owl"])
    assert not are_lists([None, None])


def test_encodings_are_told_by_bytes(tmp_path):
    path = tmp_path / "x.csv"
    for text, encoding, told in [
        ("a,b\n1,2\n", "utf-8", None),
        ("a,ä\n1,2\n", "utf-8", None),
        ("a,ä\n1,2\n", "latin-1", "cp1252"),
        ("a,€\n1,2\n", "cp1252", "cp1252"),
        ("a,b\n1,2\n", "utf-16-le", "utf-16-le"),
        ("a,b\n1,2\n", "utf-16-be", "utf-16-be"),
    ]:
        path.write_bytes(text.encode(encoding))
        assert formats.file_at(str(path)).encoding == told
    path.write_bytes(bytes(range(256)))
    assert formats.file_at(str(path)).encoding is None


def kept(how):
    """Return the votes that are to be kept, by slow obvious code."""
    rows = pd.read_csv(FILES / "repeated.csv").to_records(index=False).tolist()
    votes = {}
    for item, worker, vote in rows:
        key = (item, worker, len(votes)) if how == "all" else (item, worker)
        if how != "first" or key not in votes:
            votes[key] = vote
    items = sorted({key[0] for key in votes})
    ones = [sum(v for key, v in votes.items() if key[0] == item) for item in items]
    return VoteTable.from_arrays(ones, [sum(key[0] == item for key in votes) for item in items])


@pytest.mark.parametrize("how", ["first", "last", "all"])
@pytest.mark.parametrize("engine", ["file", *ENGINES])
def test_repeated_votes_are_dealt_with_as_the_user_says(how, engine):
    columns = pd.read_csv(FILES / "repeated.csv").to_dict("list")
    data = FILES / "repeated.csv" if engine == "file" else ENGINES[engine](columns)
    same(ef.frames.vote_table(data, **ROLES, duplicates=how), kept(how))


def test_the_last_of_repeated_votes_is_the_last_of_many_files_and_rows(tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {"item": rng.integers(0, 50, 60_000), "worker": rng.integers(0, 40, 60_000)}
    )
    rows["vote"] = rng.integers(0, 2, 60_000)
    for part in range(3):
        some = rows[part * 20_000 : (part + 1) * 20_000]
        some.to_csv(tmp_path / f"{part}.csv", index=False)
        some.to_parquet(tmp_path / f"{part}.parquet", index=False)
    for how in ("first", "last"):
        votes = rows.drop_duplicates(["item", "worker"], keep=how).groupby("item")["vote"]
        expected = VoteTable.from_arrays(votes.sum().to_numpy(), votes.count().to_numpy())
        for ending in ("csv", "parquet"):
            path = str(tmp_path / f"*.{ending}")
            same(ef.frames.vote_table(path, **ROLES, duplicates=how), expected)


ROLES = {"item": "item", "vote": "vote", "annotator": "worker"}


def test_repeated_votes_are_refused_with_the_item_and_what_to_do():
    message = r"in 2 cases .* for example 'w0' on item 'q1'.*\n  `duplicates='last'`"
    with pytest.raises(ef.InputError, match=message):
        table_of("repeated.csv")
    with pytest.raises(ef.InputError, match="`duplicates` must be one of error, first, last, all"):
        table_of("repeated.csv", duplicates="some")


def test_votes_of_unknown_people_have_no_duplicates():
    frame = pd.DataFrame({"item": [1, 1], "vote": [0, 1]})
    with pytest.raises(ef.InputError, match="`duplicates='last'` is about votes in rows"):
        ef.from_votes(frame, item="item", vote="vote", duplicates="last")
    with pytest.raises(ef.InputError, match="go with a dataframe or file of rows"):
        ef.from_votes([0, 1], 2, duplicates="last")


def test_one_row_of_json_with_lists_is_a_row(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text('{"probs": [0.2, 0.8], "label": 1}\n')
    assert ef.look(path).rows == 1
    path.write_text('{"probs": [0.2, 0.8],\n "label": [1')
    with pytest.raises(ef.InputError, match="not all there"):
        ef.look(path)


def test_several_labels_of_one_annotator_are_no_votes(tmp_path):
    path = tmp_path / "several.jsonl"
    labels = (["a"], ["b"], ["a", "b"])
    records = [{"id": i, "text": "x", "label": one} for i, one in enumerate(labels)]
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    with pytest.raises(ef.InputError, match="missing values: 1 of 3 rows"):
        ef.from_votes(path, item="item", vote="vote")


def test_text_that_turns_to_latin_late_is_refused_with_how_to_convert_it(tmp_path):
    path = tmp_path / "late.csv"
    rows = b"0.5,1,plain text that goes on and on\n" * 150_000
    path.write_bytes(b"score,label,text\n" + rows + "0.5,0,süß\n".encode("latin-1"))
    with pytest.raises(ef.InputError, match="iconv -f WINDOWS-1252 -t UTF-8"):
        ef.from_scores(path)


def test_the_recipe_of_an_answer_repeats_what_was_said_of_repeated_votes():
    with pytest.warns(ef.DoubtWarning, match="too few to speak for other people"):
        floor = ef.from_votes(FILES / "repeated.csv", duplicates="last")
    assert floor.source.options.duplicates == "last"
    assert "duplicates='last'" in python_code(floor)
    assert "--duplicates last" in command_line(floor)


def looked(name, **how):
    return ef.look(FILES / name, **how)


@pytest.mark.parametrize("path", sorted(FILES.iterdir()), ids=lambda path: path.name)
def test_a_look_says_a_next_command_that_works(path, monkeypatch):
    if path.suffix == ".xlsx":
        pytest.importorskip("openpyxl")
    found = ef.look(path)
    assert 1 <= len(found.next) <= 3
    words = shlex.split(found.next[0])
    asks = "ratings" if "rating" in path.name else "estimate"
    assert words[:3] == ["errorfloor", asks, str(path)]
    if asks == "ratings":
        words = shlex.split(next(line for line in found.next if " estimate " in line))
    labels = with_labels(LAYOUTS)(lambda labels, **_: tables.append(labels))
    tables = []
    click.command(labels).main(words[2:], standalone_mode=False)
    (asked,) = tables
    assert read(list(asked.files), asked.layouts, asked.where).table.n > 0
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found).splitlines()[0].startswith(f"{path}: ")
    assert found._repr_html_().startswith("<")


def test_a_look_counts_columns_classes_and_votes():
    found = looked("task_worker_label.csv")
    assert found.rows == 18
    assert [(one.name, one.kind, one.distinct, one.missing) for one in found.columns] == [
        ("task", "text", 6, 0),
        ("worker", "text", 3, 0),
        ("label", "text", 3, 0),
    ]
    (only,) = found.layouts
    assert (only.layout, only.n, only.votes) == ("annotations", 6, 18)
    assert only.classes == tuple(zip(("cat", "dog", "fox"), COUNTS.sum(axis=0), strict=True))
    assert only.columns == {"item": "task", "annotator": "worker", "vote": "label"}
    missing = looked("missing.csv")
    assert [one.missing for one in missing.columns] == [5, 2]
    assert missing.layouts[0].dropped == 7
    assert "--drop-missing" in missing.next[0]


def test_a_look_says_what_is_wrong_and_how_to_mend_it():
    (only,) = looked("repeated.csv").layouts
    assert "an annotator voted more than once" in only.problem
    assert [line.split()[-1] for line in looked("repeated.csv").next] == ["last", "first", "all"]
    frame = pd.DataFrame({"score": [0.1, 0.9], "label": ["a", "b"]})
    assert ef.look(frame).next == (
        "ef.from_scores(df, score='score', label='label', positive='b')",
        "ef.from_scores(df, score='score', label='label', positive='a')",
    )
    odd = ef.look(pd.DataFrame({"first": ["x", "y"], "second": [None, None]}))
    assert "Nothing is in column 'second'." in odd.problems
    assert odd.next[0] == "ef.from_scores(df, score=COL, label=COL)"
    with pytest.raises(ef.InputError, match="must be a dataframe, a path or a table"):
        ef.look([0.1, 0.2])


def test_a_look_guesses_where_no_name_tells():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(30), "b": rng.integers(0, 2, 30)})
    assert ef.look(frame).next == ("ef.from_scores(df, score='a', label='b')",)


def test_a_file_without_names_is_told_and_gets_some(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("0.9,1\n0.2,0\n0.7,1\n")
    with pytest.raises(ef.InputError, match="The first row holds values, not names"):
        ef.from_scores(path)
    found = ef.look(path)
    assert found.next == (f"(echo score,label; cat {path}) | errorfloor estimate -",)
    assert "The first row holds values" in found.problems[0]


def test_a_look_offers_votes_of_any_name():
    frame = pd.DataFrame({"task": [1, 1, 2, 2], "user": [*"abab"], "is_toxic": [0, 1, 1, 1]})
    expected = "ef.from_votes(df, item='task', annotator='user', vote='is_toxic')"
    assert ef.look(frame).next == (expected,)


def test_an_item_is_no_score_and_needs_no_annotator():
    frame = pd.DataFrame({"item": [1, 1, 2, 2], "vote": ["yes", "no", "yes", "yes"]})
    same(read(frame, LAYOUTS, ReadOptions.of()).table, VoteTable.from_arrays([1, 2], 2))
    frame = frame.rename(columns={"vote": "what"})
    with pytest.raises(ef.InputError, match="Cannot tell which columns"):
        read(frame, LAYOUTS, ReadOptions.of())


def test_a_look_at_a_table(tmp_path):
    table = VoteTable.from_arrays([1, 2], 3)
    table.save(tmp_path / "x.npz")
    assert ef.look(table).layouts[0].votes == 6
    assert ef.look(tmp_path / "x.npz").next == (f"errorfloor estimate {tmp_path / 'x.npz'}",)


def run(*words):
    found = CliRunner().invoke(cli, list(map(str, words)))
    return found.output


def test_errors_of_the_command_line_end_with_commands(tmp_path):
    path = FILES / "missing.csv"
    assert run("estimate", path).endswith(f"\n  errorfloor estimate {path} --drop-missing\n")
    path = FILES / "repeated.csv"
    assert run("estimate", path).endswith(f"\n  errorfloor estimate {path} --duplicates all\n")
    path = tmp_path / "word.csv"
    path.write_text("score,label\n0.1,0\nlow,1\n")
    assert run("estimate", path).endswith(f"\n  errorfloor look {path}\n")


def test_errors_do_not_print_what_columns_hold(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("score,label\n" + "".join(f'0.{i},"{chr(97 + i) * 500}"\n' for i in range(9)))
    said = run("estimate", path)
    assert "holds texts of up to 500 characters, which are no classes" in said
    assert "a" * 50 not in said


def test_percentages_are_understood_and_bare_ones_refused_with_the_fraction():
    path = FILES / "decimal_comma.csv"
    model = ("--test-items", "100", "--model-error")
    assert "0.23" in run("headroom", path, *model, "23")
    assert "Usage" not in run("headroom", path, *model, "23%")
    assert "95 % is 0.95" in run("estimate", path, "--level", "95")
    assert "90 % confidence" in run("estimate", path, "--level", "90%")


def test_levels_may_be_text_with_a_per_cent_sign():
    floor = ef.from_scores(SCORES, LABELS, level="90%", rng=0)
    assert floor.level == 0.9
    with pytest.raises(ef.InputError, match=r"got 90\. Write 0\.9 for 90 %\."):
        ef.from_scores(SCORES, LABELS, level=90, rng=0)


def offered(*words):
    """Return what a shell offers for the last of some words."""
    found = ShellComplete(cli, {}, "errorfloor", "_ERRORFLOOR_COMPLETE")
    return [one.value for one in found.get_completions(list(map(str, words[:-1])), words[-1])]


def test_shells_complete_columns_methods_and_sets():
    path = FILES / "task_worker_label.csv"
    assert offered("estimate", path, "--item", "") == ["task", "worker", "label"]
    assert offered("estimate", path, "--annotators", "task,w") == ["task,worker"]
    assert offered("estimate", "nowhere.csv", "--item", "") == []
    assert "isotonic" in offered("compare", path, "--method", "iso")
    assert "certified" in offered("estimate", path, "--interval", "")
    assert offered("data", "fetch", "cifar10") == ["cifar10h"]


@pytest.mark.parametrize("rows", [VOTES, ANIMALS], ids=["two classes", "three classes"])
def test_lists_of_votes_beside_a_gold_label_are_scores(tmp_path, rows):
    gold = rows[:, 0]
    names = [f"a{k}" for k in range(3)]
    wide = pd.DataFrame(rows, columns=names).assign(gold=gold)
    expected = read(wide, LAYOUTS, ReadOptions.of(annotators=names, label="gold")).table
    frame = pd.DataFrame({"annotations": rows.tolist(), "gold": gold})
    found = read(frame, LAYOUTS, ReadOptions.of(annotations="annotations", label="gold")).table
    assert found == expected
    frame.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    where = ReadOptions.of(annotations="annotations", label="gold")
    assert read(tmp_path / "x.jsonl", LAYOUTS, where).table == expected


def test_files_with_other_columns_are_told_apart_unless_rows_may_be_left_out(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("score,label\n" + "0.2,0\n0.9,1\n" * 20)
    second.write_text("ann1,ann2\n" + "0,1\n1,1\n" * 20)
    with pytest.raises(ef.InputError, match=r"a\.csv' has a column 'score', and .*b.* has none"):
        ef.from_scores([first, second])
    with pytest.warns(ef.DoubtWarning):  # of few items
        assert ef.from_scores([first, second], drop_missing=True).dropped == 40
