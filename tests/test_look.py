"""What `look` makes of columns that no name tells, and of several files."""

from types import SimpleNamespace

import pandas as pd

import errorfloor as ef
from errorfloor.data import engines, read_rows
from errorfloor.data.layouts import SCORES
from errorfloor.data.read_rows import rows_of
from errorfloor.questions import look


def column(name, kind="text", distinct=2, missing=0):
    return ef.results.ColumnLook(name=name, kind=kind, distinct=distinct, missing=missing)


def plausible(*columns, rows=100):
    return [(layout.name, given) for layout, given in look._plausible(columns, rows)]


def test_numbers_beside_a_column_of_few_values_may_be_scores_and_labels():
    number = column("x", "number", 90)
    assert plausible(number, column("y"), column("z", distinct=20)) == [
        ("scores", {"score": "x", "label": "z"})
    ]
    assert plausible(column("row_id", "number", 90), column("y")) == []
    assert plausible(number, column("y", distinct=21)) == []
    assert plausible(number, column("y", distinct=1)) == []
    assert plausible(number, column("y", distinct=None)) == []
    assert plausible(number, column("y"), rows=0) == []


def test_three_columns_of_two_to_five_values_may_be_annotators():
    columns = [column(name, distinct=n) for name, n in zip("abcde", (2, 5, 3, 6, 4), strict=True)]
    assert plausible(*columns) == [("annotators", {"annotators": ("a", "b", "c", "e")})]
    assert plausible(*columns[:2]) == []
    assert plausible(*columns[:3]) == [("annotators", {"annotators": ("a", "b", "c")})]


def test_beside_an_item_and_an_annotator_up_to_two_columns_may_be_votes():
    columns = [column("item", distinct=50), column("annotator", distinct=3)]
    given = {"item": "item", "annotator": "annotator"}
    more = [column(name) for name in "abc"]
    assert plausible(*columns, *more) == [
        ("annotations", {**given, "vote": "a"}),
        ("annotations", {**given, "vote": "b"}),
    ]
    assert plausible(*columns, more[0]) == [("annotations", {**given, "vote": "a"})]


def test_several_files_are_called_by_the_first_and_their_number(tmp_path):
    frame = pd.DataFrame({"score": [0.1, 0.9, 0.4], "label": [0, 1, 1]})
    paths = [str(tmp_path / f"{name}.csv") for name in "ab"]
    for path in paths:
        frame.to_csv(path, index=False)
    found = ef.look(paths)
    assert (found.name, found.rows) == (f"{paths[0]} and 1 more", 6)
    assert ef.look(paths[0]).name == paths[0]
    assert ef.look(frame).name == "the data"


def test_columns_without_rows_have_no_values(tmp_path):
    (tmp_path / "empty.csv").write_text("a,b\n")
    found = ef.look(tmp_path / "empty.csv")
    assert found.rows == 0
    assert [one.distinct for one in found.columns] == [0, 0]


def test_where_nothing_fits_the_layouts_are_shown_in_general():
    columns = [column("x"), column("y")]
    assert look._in_general(["a.csv", "b.csv"], columns) == (
        "errorfloor estimate a.csv b.csv --score COL --label COL",
        "errorfloor estimate a.csv b.csv --item COL --annotator COL --vote COL",
        "errorfloor estimate a.csv b.csv --annotators COL,COL,COL",
    )
    assert look._in_general(["a.csv"], columns)[0].startswith("errorfloor estimate a.csv --score")
    assert look._in_general([], columns) == (
        "ef.from_scores(df, score=COL, label=COL)",
        "ef.from_votes(df, item=COL, annotator=COL, vote=COL)",
        "ef.from_votes(df, annotators=[COL, COL, COL])",
    )


def test_two_columns_without_names_are_given_some():
    nameless = [column("0.1"), column("1")]
    assert look._in_general(["my file.csv"], nameless) == (
        "(echo score,label; cat 'my file.csv') | errorfloor estimate -",
    )
    assert len(look._in_general(["a.csv", "b.csv"], nameless)) == 3
    assert len(look._in_general(["a.csv"], [*nameless, column("2")])) == 3


def test_problems_are_said_in_order():
    def problems(rows, columns, tried=()):
        return list(look._problems(rows, columns, tried))

    plain, empty = column("x"), column("y", missing=5)
    good = SimpleNamespace(problem=None)
    bad = SimpleNamespace(problem="It is not so.")
    assert problems(0, [column("y", missing=0)]) == ["There are no rows."]
    assert problems(5, [plain], [good]) == []
    assert problems(5, [plain, empty], [good]) == ["Nothing is in column 'y'."]
    four = [column(name, missing=5) for name in "abcd"]
    assert problems(5, four, [good]) == ["Nothing is in column 'a', 'b', 'c'."]
    assert problems(6, four, [good, bad]) == []
    (nothing,) = problems(6, four)
    assert nothing.startswith("No columns are called what labels are usually called.")
    (several,) = problems(6, four, [good, good])
    assert several.startswith("The columns can be read in several ways.")
    (nameless,) = problems(6, [column("0.5"), column("1")], [good, good])
    assert "names" in nameless
    assert problems(6, [], [good]) == []


def test_columns_are_counted_unless_there_are_very_many():
    for number, distinct, missing in ((200, 2, 1), (201, None, None)):
        data = pd.DataFrame({f"c{i}": [1.0, 2.0, 2.0, None] for i in range(number)})
        with rows_of(data) as (frame, run):
            found = look._looked_at(frame, run, dict.fromkeys(data, "number"), 4)[7]
        assert (found.name, found.distinct, found.missing) == ("c7", distinct, missing)


def test_different_values_are_counted_of_plain_columns_and_not_too_many_cells(monkeypatch):
    data = pd.DataFrame({"x": ["a", "b", None, "b"], "y": [1.0, 2.0, 3.0, None], "z": [*"abcd"]})
    data["list"] = [[0.1, 0.2]] * 4
    with rows_of(data) as (frame, run):
        for kinds, most, distinct in (
            ({"x": "text", "y": "number", "z": "text"}, 12, [2, 3, 4]),
            ({"x": "text", "y": "number", "z": "text"}, 11, [None, None, None]),
            ({"x": "text", "list": "list"}, 4, [2, None]),
            ({"x": "votes", "y": "other"}, 12, [None, None]),
        ):
            for at_once in (1, 8, 2**24):  # one scan for each column, or for two, or for all
                monkeypatch.setattr(look, "_MOST_CELLS", most)
                monkeypatch.setattr(look, "_CELLS_AT_ONCE", at_once)
                found = look._looked_at(frame, run, kinds, 4)
                assert [one.distinct for one in found] == distinct
                gone = {"x": 1, "y": 1, "z": 0, "list": 0}
                assert [one.missing for one in found] == [gone[name] for name in kinds]


def test_many_columns_of_text_are_counted_in_few_scans(tmp_path, monkeypatch):
    from errorfloor.data import files

    names = [f"c{i}" for i in range(165)]
    rows = "\n".join(",".join(f"w{i * j % 7}" for j in range(165)) for i in range(50))
    (tmp_path / "wide.csv").write_text(f"{','.join(names)}\n{rows}\n")
    monkeypatch.setattr(files, "_SMALL", 0)  # as a large file is, which each query reads anew
    asked, execute = [], engines.fetch
    monkeypatch.setattr(read_rows, "fetch", lambda query: asked.append(1) or execute(query))
    assert [one.distinct for one in ef.look(tmp_path / "wide.csv").columns[1:7]] == [7] * 6
    assert len(asked) < 12


def test_rows_with_missing_values_are_left_out_where_there_are_some():
    frame = pd.DataFrame({"score": [0.1, 0.9, 0.4, None], "label": ["no", "yes", "yes", "no"]})
    found = ef.look(frame)
    (layout,) = found.layouts
    assert (layout.n, layout.dropped, layout.votes, layout.problem) == (3, 1, None, None)
    assert layout.classes == (("no", 1), ("yes", 2))
    assert found.next == ("ef.from_scores(df, score='score', label='label', drop_missing=True)",)


def test_what_an_error_asks_for_is_what_to_type():
    frame = pd.DataFrame({"score": [0.1, 0.9, 0.4, 0.3], "label": ["a", "b", "b", "a"]})
    found = ef.look(frame)
    (layout,) = found.layouts
    assert (layout.n, layout.dropped, layout.votes, layout.classes) == (None, 0, None, ())
    assert layout.problem.endswith(".")
    assert layout.code == "ef.from_scores(df, score='score', label='label')"
    assert found.next == (
        "ef.from_scores(df, score='score', label='label', positive='b')",
        "ef.from_scores(df, score='score', label='label', positive='a')",
    )


def test_an_error_that_lists_what_to_type_is_cut_there():
    for said, first in (("Name one:\n  a\n  b", "Name one."), ("It is so. Mend it.",) * 2):
        assert look._first(ef.InputError(said), str) == first


def test_votes_of_both_classes_are_counted(tmp_path):
    frame = pd.DataFrame({"positives": [0, 2, 3, 1], "totals": [3, 3, 3, 2]})
    (layout, *_) = ef.look(frame).layouts
    assert (layout.n, layout.votes) == (4, 11)
    assert [number for _, number in layout.classes] == [5, 6]
    table = ef.ScoreTable.from_arrays([0.1, 0.2, 0.2, 0.8], [0, 0, 1, 1])
    found = ef.look(table)
    assert found.layouts[0].classes == (("0", 2), ("1", 2))
    assert (found.rows, found.columns, found.problems) == (3, (), ())
    soft = ef.look(ef.SoftTable.from_arrays([0.1, 0.5, 0.5]))
    assert soft.layouts[0].classes == ()


def test_commands_and_code_name_files_columns_and_switches():
    how = {"score": "my score", "classes": ["a", "b"], "drop_missing": True}
    assert look._command(SCORES, ["a.csv", "b c.csv"], how) == (
        "errorfloor estimate a.csv 'b c.csv' --score 'my score' --classes a,b --drop-missing"
    )
    assert look._command(SCORES, [], how) is None
    inside = "score='my score', classes=['a', 'b'], drop_missing=True"
    assert look._code(SCORES, ["a.csv"], how) == f"ef.from_scores('a.csv', {inside})"
    assert look._code(SCORES, ["a.csv", "b.csv"], {}) == "ef.from_scores(['a.csv', 'b.csv'])"
    assert look._code(SCORES, [], how) == f"ef.from_scores(df, {inside})"
