"""Data that cannot be used is refused, in words that say what is wrong with which part of it."""

import gzip
import json
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import arrays, classes, read_rows
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read

N = 12
S = np.linspace(0.05, 0.95, N)
Y = np.arange(N) % 3 % 2
P3 = np.random.default_rng(0).dirichlet(np.ones(3), N).round(3)
FRAME = pd.DataFrame({"score": S, "label": Y})
TABLE = ef.ScoreTable.from_arrays(S, Y)
WEIGHTED = ef.ScoreTable.from_arrays(S, Y, weight=S + 1)
CLUSTERED = ef.ScoreTable.from_arrays(S, Y, weight=S + 1, cluster=np.arange(N) // 2)
READ_BY_TWO = pd.DataFrame(
    {"scan": [f"s{k}" for k in range(60)], "a": ["yes", "no"] * 30, "b": ["yes"] * 59 + ["no"]}
)
VOTE_PER_ROW = pd.DataFrame(
    {
        "task": [f"t{k // 3}" for k in range(90)],
        "worker": [f"w{k % 3}" for k in range(90)],
        "label": ["ok", "toxic", "ok"] * 30,
    }
)

REFUSED = {
    "items without a label where there are no scores": (
        lambda: read(pd.DataFrame({"soft": S}), LAYOUTS, ReadOptions.of(unlabelled=True)),
        "`unlabelled` keeps items with a score and without a label",
    ),
    "labels of other items, in plans": (
        lambda: ef.plan_labels(S, [0, 1], budget=3),
        "`scores` and `labels` must have the same length, got 12 and 2",
    ),
    "ids among numbers of votes": (
        lambda: ef.from_votes(counts=pd.DataFrame({"id": range(40), "yes": 3, "no": 2})),
        "`counts` has the column 'id', which numbers the items and is no number of votes for a",
    ),
    "ids among numbers of votes in an array": (
        lambda: ef.from_votes(counts=np.column_stack((np.arange(40), np.full((40, 2), 3)))),
        "`counts` has the column 0, which numbers the items",
    ),
    "ids that are called so among named columns": (
        lambda: ef.from_votes(
            pd.DataFrame({"id": range(7, 127, 3), "yes": 3, "no": 2}), counts=["id", "yes", "no"]
        ),
        "`counts` has the column 'id', which numbers the items",
    ),
    "a vote per row as if columns were annotators": (
        lambda: ef.from_votes(annotators=VOTE_PER_ROW),
        "`annotators` has the column 'task' of values that no other column has (t0, t1, t2, ...): "
        "these are ids, not somebody's votes. Leave it out; or, where a row is a single vote, pass "
        "the dataframe as `votes` and name its columns with `item`, `annotator` and `vote`.",
    ),
    "the same with numbers": (
        lambda: ef.from_votes(annotators=np.column_stack((np.arange(60) // 2, np.arange(60) % 2))),
        "`annotators` has the column 0 of values that no other column has (0, 1, 2, ...)",
    ),
    "ids among columns of annotators that were named": (
        lambda: ef.from_votes(READ_BY_TWO, annotators=["scan", "a"]),
        "`annotators` has the column 'scan' of values that no other column has (s0, s1, s2, ...): "
        "these are ids, not somebody's votes. Leave it out; or, where a row is a single vote, name "
        "its columns with `item`, `annotator`, `vote`.",
    ),
    "the same with one class against the rest": (
        lambda: ef.from_votes(READ_BY_TWO, annotators=["scan", "a", "b"], positive="yes"),
        "`annotators` has the column 'scan' of values that no other column has (s0, s1, s2, ...)",
    ),
    "answers that mean none, next to scores in arrays": (
        lambda: ef.from_scores(S, [0, 1] * 6, missing=9),
        "`missing` goes with a dataframe, a file or `annotators`. Leave such answers out of the",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    ask, says = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(says)):
        ask()


def test_sheets_without_rows_or_with_a_name_twice_are_refused(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")

    def saved(*rows):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "a.xlsx")
        return tmp_path / "a.xlsx"

    with pytest.raises(ef.InputError, match="its first sheet of rows is empty"):
        ef.look(saved())
    with pytest.raises(ef.InputError, match="several columns called 'b'"):
        ef.look(saved(["a", "b", None, "b"], [1, 2, 3, 4]))
    assert [one.name for one in ef.look(saved(["a", None, " b "], [1, 2, 3])).columns] == ["a", "b"]


# And what is read after a second look.


def votes_in_rows(last):
    item, who = np.divmod(np.arange(30), 3)
    vote = np.where(np.arange(30) % 4 == 0, "1", "0").astype(object)
    vote[-3:] = last
    return pd.DataFrame({"item": item, "annotator": who, "vote": vote})


@pytest.mark.filterwarnings("ignore::errorfloor._checks.ErrorFloorWarning")
def test_other_classes_after_many_votes_of_0_and_1_are_classes_of_all_votes(monkeypatch):
    monkeypatch.setattr(classes, "_FIRST", 10)
    frame = votes_in_rows("2")
    late = ef.annotators(frame)
    monkeypatch.setattr(classes, "_FIRST", 100)
    early = ef.annotators(frame)
    assert late.to_dict()["rows"] == early.to_dict()["rows"]
    assert late.floor.classes == early.floor.classes == ("0", "1", "2")
    monkeypatch.setattr(classes, "_FIRST", 10)
    with pytest.raises(ef.InputError):
        ef.annotators(votes_in_rows("2.5"))


def test_two_classes_of_scores_may_be_named_in_either_order():
    words = FRAME.assign(label=np.where(Y == 1, "yes", "no"))
    plain = ef.from_scores(words, classes=["no", "yes"], interval=None)
    assert plain.table.positives.tolist() == TABLE.positives.tolist()
    other = ef.from_scores(words, classes=["yes", "no"], interval=None)
    assert other.table.positives.tolist() == TABLE.negatives.tolist()
    with pytest.raises(ef.InputError, match="`classes` has 3 names, and `score` has"):
        ef.from_scores(words, classes=["no", "yes", "perhaps"])


@pytest.mark.parametrize(
    "names", [["a", "b", "c"], [1.0, 2.0, 3.0], [Decimal(1), Decimal(2), Decimal(3)]]
)
@pytest.mark.filterwarnings("ignore::errorfloor._checks.ErrorFloorWarning")
def test_annotators_may_be_called_anything(names):
    frame = votes_in_rows("0")
    plain = ef.from_votes(frame, interval=None).table
    assert plain.workloads[:, 1].tolist() == [10, 10, 10]
    other = frame.assign(annotator=[names[i] for i in frame["annotator"]])
    table = ef.from_votes(other, interval=None).table
    assert table.workloads[:, 1].tolist() == [10, 10, 10]
    assert table.votes.tolist() == plain.votes.tolist()


def test_labels_that_are_missing_are_told_in_any_spelling():
    def known(labels):
        return arrays.known_labels(labels).tolist()

    assert known([1.0, np.nan]) == [True, False]
    assert known(["a", None, "b"]) == [True, False, True]
    assert known(["a", float("nan")]) == [True, False]
    assert known(["a", "nan"]) == [True, True]
    assert known([1, pd.NA, 0]) == [True, False, True]
    assert known(np.ma.array([1, 0], mask=[True, False])) == [False, True]
    assert known(["a", np.ma.masked]) == [True, False]
    assert known([1, 0]) == [True, True]
    assert arrays.labels_there(["a", None, "b"]).tolist() == ["a", "b"]


def test_columns_that_are_no_numbers_do_not_number_rows():
    words = pd.DataFrame({"score": [f"{i}x" for i in range(30)], "label": [0, 1] * 15})
    with pytest.raises(ef.InputError, match="must be finite numbers"):
        ef.from_scores(words)
    assert not read_rows._are_row_numbers(words["score"].to_numpy())


@pytest.mark.parametrize("packed", [False, True])
def test_files_that_are_cut_off_are_refused(tmp_path, packed):
    rows = [{"score": i / 200, "label": i % 2} for i in range(200)]
    text = json.dumps(rows).encode()
    if packed:
        path = tmp_path / "a.json.gz"
        whole = gzip.compress(text)
        path.write_bytes(whole[:-20])
        says = "it is damaged or not all there"
    else:
        path = tmp_path / "a.json"
        path.write_bytes(text[:-20])
        says = "what opens at its start is not closed at its end"
    with pytest.raises(ef.InputError, match=says):
        ef.look(path)
