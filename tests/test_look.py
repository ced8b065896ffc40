"""What `look` makes of columns that no name tells, and of several files."""

import json
import math
import shlex
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.data import engines, read_rows
from errorfloor.data.engines import kinds_of
from errorfloor.data.layouts import SCORES
from errorfloor.data.likely import first_values, readings_by_values
from errorfloor.data.read_rows import rows_of
from errorfloor.questions import look
from errorfloor.show.next_steps import in_lines


def column(name, kind="text", distinct=2, missing=0):
    return ef.results.ColumnLook(name=name, kind=kind, distinct=distinct, missing=missing)


def likely(**columns):
    """Return the readings that the values of columns suggest."""
    with rows_of(pd.DataFrame(columns)) as (frame, run):
        first = first_values(frame, run, kinds_of(frame, run))
    return [(one.layout.name, one.arguments) for one in readings_by_values(first)]


SHARES = [0.5 + 0.49 * math.sin(i) for i in range(60)]
AB, ABC = ["a", "b", "b"] * 20, ["a", "b", "c"] * 20
TOLD = ["no", "yes", "yes"] * 20


def test_numbers_next_to_a_column_of_few_values_may_be_scores_and_labels():
    assert likely(x=SHARES, y=AB) == [("scores", {"score": "x", "label": "y"})]
    assert likely(x=SHARES, u=ABC, z=AB, w=ABC)[0] == ("scores", {"score": "x", "label": "z"})
    assert likely(x=SHARES, category=ABC, z=AB) == [("scores", {"score": "x", "label": "category"})]
    assert likely(x=SHARES, y=[f"w{i}" for i in range(60)]) == []
    assert likely(x=SHARES, y=["a"] * 60) == []
    large = [100 * one for one in SHARES]
    assert likely(x=large, y=AB, z=SHARES)[0][1]["score"] == "z"  # a share
    assert likely(x=SHARES, y=AB, my_score=large)[0][1]["score"] == "my_score"


def test_row_numbers_are_never_scores():
    rows = list(range(60))
    for name, values in (
        ("n", rows),
        ("n", rows[::-1]),
        ("n", [7 * i % 60 for i in rows]),  # in another order
        ("n", [1000 + 3 * i for i in rows]),
        ("row_id", SHARES),
    ):
        assert likely(**{name: values}, y=AB) == []
        assert likely(**{name: values}, x=SHARES, y=AB) == [
            ("scores", {"score": "x", "label": "y"})
        ]


def test_columns_that_are_called_like_the_values_of_the_label_are_scores_of_classes(tmp_path):
    parts = {"a": SHARES, "b": SHARES[::-1], "c": SHARES[10:] + SHARES[:10]}
    want = ("scores", {"score": ("a", "b", "c"), "label": "truth"})
    assert likely(number=list(range(60)), **parts, truth=ABC) == [want]
    whole = {name: [round(9 * one) for one in values] for name, values in parts.items()}
    assert want not in likely(**whole, truth=ABC)  # which may be votes
    frame = pd.DataFrame({"text": ["x"] * 60, **parts, "truth": ABC})
    read = ef.from_scores(frame)
    assert read.classes == ("a", "b", "c")
    assert read.value == ef.from_scores(frame, score=["a", "b", "c"], label="truth").value
    assert ef.look(frame).layouts[0].columns["score"] == ("a", "b", "c")


def test_numbers_of_votes_for_yes_and_for_no_are_counts():
    yes = [i % 6 for i in range(60)]
    votes = {"text": AB, "yes": yes, "no": [5 - one for one in yes]}
    assert likely(**votes) == [("counts", {"counts": ("no", "yes")})]
    estimate = ef.from_votes(pd.DataFrame(votes))
    assert estimate.value == ef.from_votes(yes, [5] * 60).value
    assert likely(yes=SHARES, no=SHARES) == []


def test_three_columns_with_the_same_few_answers_may_be_annotators():
    other = {"y": ["low", "high"] * 30}
    assert likely(a=AB, b=ABC, c=AB, **other) == [("annotators", {"annotators": ("a", "b", "c")})]
    assert likely(a=AB, b=ABC, **other) == []
    many = {f"q{i}": ABC for i in range(20)}
    assert likely(**many, x=other["y"]) == [("annotators", {"annotators": ("q*",)})]
    assert likely(**many, quality=other["y"]) == []  # the pattern would take it as well


def test_next_to_an_item_and_an_annotator_up_to_two_columns_may_be_votes():
    given = {"item": "item", "annotator": "annotator"}
    columns = {"item": [i // 3 for i in range(60)], "annotator": ["p", "q", "r"] * 20}
    assert likely(**columns, a=AB, b=ABC, c=AB) == [
        ("annotations", {**given, "vote": "a"}),
        ("annotations", {**given, "vote": "b"}),
    ]
    assert likely(**columns, a=AB) == [("annotations", {**given, "vote": "a"})]


def test_predictions_and_labels_alone_are_told_the_error_of_the_model(tmp_path):
    wrong = [*AB[:6][::-1], *AB[6:]]
    frame = pd.DataFrame({"id": range(60), "label": AB, "prediction": wrong})
    found = ef.look(frame)
    assert found.layouts == ()
    (told,) = found.problems
    n = sum(a != b for a, b in zip(AB, wrong, strict=True))
    assert f"the model's error, {100 * n / 60:.1f} % ({n} of 60; 95 % interval" in told
    assert "A floor needs scores, votes or features as well." in told
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    assert ef.look(path).next == (
        f"errorfloor headroom {path} --score COL --label label --prediction prediction",
    )


@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")  # of few annotators
def test_a_column_of_predictions_next_to_what_gives_a_floor_is_to_be_compared(tmp_path):
    scores = pd.DataFrame({"score": SHARES, "label": TOLD, "y_pred": TOLD[::-1]})
    votes = pd.DataFrame(
        {"ann1": TOLD, "ann2": TOLD[::-1], "ann3": TOLD, "y_pred": ["yes"] * 30 + TOLD[:30]}
    )
    path = tmp_path / "its data.csv"
    for frame in (scores, votes):
        *_, line = ef.look(frame).next
        verdict = eval(line, {"ef": ef, "df": frame})
        assert verdict.model is not None
        frame.to_csv(path, index=False)
        *_, typed = ef.look(path).next
        assert typed.endswith(" --prediction y_pred")
        by_hand = CliRunner().invoke(cli, [*shlex.split(typed)[1:], "--json"])
        guessed = CliRunner().invoke(cli, ["headroom", str(path), "--json"])
        assert by_hand.exit_code == guessed.exit_code == 0, guessed.output
        found = [json.loads(one.stdout) for one in (by_hand, guessed)]
        sentences = {one["result"]["sentence"] for one in found}
        assert len(sentences) == 1
        assert "our model, at" in sentences.pop()
        assert [one["input"]["guessed"][-1:] == ["prediction"] for one in found] == [False, True]
        assert 'using column "y_pred" as the model\'s predictions' in guessed.stderr
        floor = ef.from_scores(path) if frame is scores else ef.from_votes(path)
        assert any("headroom" in one and "y_pred" in one for one in in_lines(floor))


@pytest.mark.parametrize(
    "columns",
    [
        {"y_pred": [*TOLD[1:], "perhaps"]},  # a class that no label has
        {"y_pred": TOLD, "prediction": TOLD},  # which of them?
        {"y_pred": SHARES},
        {"y_pred": ["a"] * 60},
        {"other": TOLD[::-1]},
    ],
    ids=lambda columns: ", ".join(columns),
)
def test_no_column_of_predictions_is_taken_where_that_is_unsure(columns, tmp_path):
    frame = pd.DataFrame({"score": SHARES, "label": TOLD, **columns})
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    assert not any("headroom" in line for line in ef.look(path).next)
    refused = CliRunner().invoke(cli, ["headroom", str(path)])
    assert refused.exit_code == 2
    assert "--model-errors" in refused.output


def test_one_label_per_item_and_features_get_a_way_out():
    (told,) = ef.look(pd.DataFrame({"text": [f"w{i}" for i in range(60)], "label": AB})).problems
    assert told.startswith("One label per item (column 'label') does not tell")
    numbers = {f"x{i}": [100 * one + i for one in SHARES] for i in range(3)}
    found = ef.look(pd.DataFrame({**numbers, "kind": AB}))
    assert found.next == ("ef.from_features(df, label='kind')",)
    found = ef.look(pd.DataFrame({"n": range(60), **numbers, "kind": AB}))
    assert found.next == ("ef.from_features(df, label='kind', features=['x0', 'x1', 'x2'])",)


def test_where_few_have_a_label_the_others_are_kept():
    frame = pd.DataFrame({"score": SHARES, "label": [*AB[:20], *[None] * 40]})
    frame["label"] = frame["label"].map({"a": 0, "b": 1})
    assert ef.look(frame).next == (
        "ef.from_scores(df, score='score', label='label', unlabelled=True)",
    )


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
    assert look.in_general(["a.csv", "b.csv"], columns) == (
        "errorfloor estimate a.csv b.csv --score COL --label COL",
        "errorfloor estimate a.csv b.csv --item COL --annotator COL --vote COL",
        "errorfloor estimate a.csv b.csv --annotators COL,COL,COL",
        "errorfloor estimate a.csv b.csv --votes COL --total COL",
        "errorfloor estimate a.csv b.csv --counts COL,COL,COL",
        "errorfloor estimate a.csv b.csv --soft COL",
        "errorfloor ratings a.csv b.csv --ratings COL,COL",
    )
    assert look.in_general(["a.csv"], columns)[0].startswith("errorfloor estimate a.csv --score")
    assert look.in_general([], columns) == (
        "ef.from_scores(df, score=COL, label=COL)",
        "ef.from_votes(df, item=COL, annotator=COL, vote=COL)",
        "ef.from_votes(df, annotators=[COL, COL, COL])",
        "ef.from_votes(df, positives=COL, totals=COL)",
        "ef.from_votes(df, counts=[COL, COL, COL])",
        "ef.from_soft_labels(df, soft=COL)",
        "ef.from_ratings(df, ratings=[COL, COL])",
    )


def test_two_columns_without_names_are_given_some():
    nameless = [column("0.1"), column("1")]
    assert look.in_general(["my file.csv"], nameless) == (
        "(echo score,label; cat 'my file.csv') | errorfloor estimate -",
    )
    assert len(look.in_general(["a.csv", "b.csv"], nameless)) == 7
    assert len(look.in_general(["a.csv"], [*nameless, column("2")])) == 7


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
    monkeypatch.setattr(files, "_SMALL", 0)  # as a large file is, which each query reads again
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
    several = look._way(SCORES, ("a.csv", "b c.csv"), how, columns={})
    assert (
        several.line
        == several.command
        == ("errorfloor estimate a.csv 'b c.csv' --score 'my score' --classes a,b --drop-missing")
    )
    frame = look._way(SCORES, (), how, columns={})
    assert frame.command is None
    assert frame.line == frame.code
    inside = "score='my score', classes=['a', 'b'], drop_missing=True"
    assert look._called("from_scores", ["a.csv"], how) == f"ef.from_scores('a.csv', {inside})"
    assert (
        look._called("from_scores", ["a.csv", "b.csv"], {}) == "ef.from_scores(['a.csv', 'b.csv'])"
    )
    assert frame.code == f"ef.from_scores(df, {inside})"


@pytest.mark.parametrize(
    ("columns", "reads"),
    [
        ({"tweet": [1, 1, 2, 2], "worker": [*"abac"], "label": [*"xyxx"]}, "annotations"),
        ({"patient": range(4), "risk": [0.1, 0.25, 0.5, 0.9], "disease": [0, 0, 1, 1]}, "scores"),
    ],
)
@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")
def test_files_with_one_possible_reading_are_read_so(columns, reads, tmp_path):
    frame = pd.concat([pd.DataFrame(columns)] * 20, ignore_index=True)
    first = next(iter(columns))
    frame[first] += 4 * (frame.index // 4)
    if reads == "scores":
        frame["risk"] += frame.index / 1000 * 0.9
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    found = (ef.from_votes if reads == "annotations" else ef.from_scores)(path)
    assert found.source.layout == reads


def test_whether_a_model_was_right_is_not_taken_for_a_label(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"confidence": rng.random(60), "correct": rng.random(60) < 0.7})
    found = ef.look(frame)
    assert not found.layouts
    assert "seems to say whether a model was right" in found.problems[0]


def test_columns_of_two_models_are_to_be_compared():
    frame = pd.DataFrame({"y": ["a", "b"] * 30, "model_a": ["a", "b"] * 30})
    frame["model_b"] = frame.y[::-1].to_numpy()
    assert ef.look(frame).next == ("ef.compare(df, label='y', prediction=['model_a', 'model_b'])",)


def test_rows_that_repeat_an_item_are_not_called_one_label_per_item(tmp_path):
    path = tmp_path / "hotels.csv"
    rows = [f"h{k % 40},u{k},{1 + (k * k + k // 40) % 5}" for k in range(120)]
    path.write_text("\n".join(["hotel,user,stars", *rows]) + "\n", encoding="utf-8")
    found = ef.look(path)
    (told,) = found.problems
    assert told.startswith("Column 'hotel' has the same value in several rows")
    assert found.next == (
        f"errorfloor estimate {path} --item hotel --annotator user --vote stars",
        f"errorfloor ratings {path} --item hotel --rating stars --rater user",
    )
    path.write_text("\n".join(["hotel,user,stars", *rows[:40]]) + "\n", encoding="utf-8")
    assert ef.look(path).problems[0].startswith("One label per item")  # each hotel has one
