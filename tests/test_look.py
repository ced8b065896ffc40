"""What `look` makes of columns that no name tells, and of several files."""

import pandas as pd

import errorfloor as ef
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
