"""Small parts of reading and counting, each against numbers by hand or plain code."""

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import (
    ballots,
    features,
    matrices,
    options,
    rows,
)
from errorfloor.data.entries import Entries
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import ScoreTable

# Entries


@pytest.mark.parametrize(
    "wrong",
    [
        {"row": [0, 2]}, {"row": [-1, 1]}, {"label": [0, 2]}, {"label": [-1, 0]},
        {"count": [1, 0]}, {"count": [2, 2]}, {"weight": [1, 0]}, {"weight": [1, np.inf]},
    ],
)  # fmt: skip
def test_entries_that_are_not_those_of_a_table_are_refused(wrong):
    good = {"row": [0, 1], "label": [1, 0], "weight": [1.0, 2.0], "count": [1, 2]}
    counts = np.array([[0, 1], [2, 0]])
    Entries(**{name: np.array(one) for name, one in good.items()}).check(counts)
    with pytest.raises(ef.InputError, match="The entries of a table must be its items"):
        Entries(**{name: np.array(one) for name, one in {**good, **wrong}.items()}).check(counts)


# Items with features


def test_one_class_may_be_named_against_the_others():
    def codes(labels, **given):
        found = features.read_items(
            None, np.array(labels), np.zeros((len(labels), 1)), ReadOptions.of(**given)
        )
        return found.codes.tolist()

    assert codes(["a", "b", "c"], positive="b") == [0, 1, 0]
    assert codes([1, 2, 3], positive="2.0") == [0, 1, 0]
    assert codes([1, 2, 3], positive_from=2) == [0, 1, 1]
    for given, says in (
        ({"positive": "z"}, "`positive` 'z' is no label of any item"),
        ({"group": "g"}, "`group` does not go with `features`"),
        ({"drop_missing": True}, "`drop_missing` does not go with `features`"),
        ({"label": "y"}, "`label` names a column"),
    ):
        with pytest.raises(ef.InputError, match=says):
            codes(["a", "b"], **given)
    with pytest.raises(ef.InputError, match="has one class only, 'a'"):
        codes(["a", "a"])
    with pytest.raises(ef.InputError, match="`features` and `labels` must have the same length"):
        features.read_items(None, np.array([0, 1]), np.zeros((3, 1)), ReadOptions.of())
    with pytest.raises(ef.InputError, match="must have the same length"):
        features.read_items(np.zeros(2), np.array([0, 1, 1]), np.zeros((3, 1)), ReadOptions.of())
    with pytest.raises(ef.InputError, match="`labels` is missing"):
        features.read_items(None, None, np.zeros((3, 1)), ReadOptions.of())
    with pytest.raises(ef.InputError, match="needs the items one by one"):
        features.read_items(ScoreTable.empty(), None, np.zeros((3, 1)), ReadOptions.of())


# What may be said about data


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"unlabelled": True, "drop_missing": True}, "keeps items without a label, and `drop_mis"),
        ({"unlabelled": True, "cluster": "c"}, "`cluster` is not used with `unlabelled`"),
        ({"classes": "ab", "positive_from": 1}, "must be a list of two names"),
        ({"classes": ["a", "b"], "positive_from": 1}, "asks about all classes, and `positive_from"),
        ({"classes": ["a", "b", "c"], "positive": "c"}, "asks about all classes, and `positive`"),
        ({"classes": ["a", "b"], "positive": "a"}, "makes 'b' class 1, because it comes second"),
        ({"positive": "a", "positive_from": 1}, "both say which labels are class 1"),
        ({"positive_from": True}, "`positive_from` must be a finite number"),
        ({"positive_from": "3"}, "`positive_from` must be a finite number"),
        ({"positive_from": float("inf")}, "`positive_from` must be a finite number"),
        ({"group": 3}, "`group` must be the name of one column"),
        ({"duplicates": "some"}, "`duplicates` must be one of"),
        ({"metric": "auc"}, "`metric` does not go with this question"),
        ({"prior": 0.5}, "`prior` does not go with this question"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, says):
    with pytest.raises(ef.InputError, match=says):
        ReadOptions.of(**given)


def test_what_is_said_is_kept():
    where = ReadOptions.of(score="s", label=None, classes=["a", "b"], positive="b", weight="w")
    assert where.columns == {"score": "s"}
    assert where.sampling == {"weight": "w"}
    assert where.classes == ("a", "b")
    assert (where.drop_missing, where.unlabelled, where.duplicates) == (False, False, "error")
    assert ReadOptions.of(positive_from=3).positive_from == 3.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        ReadOptions.of(colour="red")
    assert options.is_source("a.csv")
    assert options.is_source(["a", "b"])
    assert not options.is_source([])
    assert not options.is_source(["a", 1])
    assert options.as_paths("a", "paths") == ["a"]
    assert options.as_paths(("a", "b"), "paths") == ["a", "b"]
    for wrong, says in (([], "`paths` is empty"), ([1], "must be a path"), (3, "must be a path")):
        with pytest.raises(ef.InputError, match=says):
            options.as_paths(wrong, "paths")


# Rows that stand for ranges


def test_coarsened_tables_keep_counts_weights_and_ranges():
    scores = np.array([0.1, 0.11, 0.51, 0.52, 0.9])
    made = ScoreTable.from_arrays(scores, [0, 1, 1, 0, 1], weight=[1.0, 2, 3, 4, 5])
    cell = matrices.cell_of(scores, 4)
    assert cell.tolist() == [0, 0, 2, 2, 3]
    found = made.coarsen(4)
    assert found.counts.tolist() == [[1, 1], [1, 1], [0, 1]]
    assert found.row_masses.tolist() == [3, 7, 5]
    assert (found.lows.tolist(), found.highs.tolist()) == ([0.1, 0.51, 0.9], [0.11, 0.52, 0.9])
    assert made.coarsen(2**20) is made
    with pytest.raises(ef.InputError, match="`cells` must be"):
        made.coarsen(0)


# Limits and corners


def test_shares_with_one_product_are_not_one_share():
    """Two of three votes and one of six: the same product of votes and totals."""
    rows = pd.DataFrame({"positives": [2, 1, 2], "total": [3, 6, 3], "gold": [1, 0, 0]})
    found = ef.from_votes(rows, positives="positives", totals="total", label="gold", interval=None)
    assert found.table.scores.tolist() == [1 / 6, 2 / 3]
    assert found.table.counts.tolist() == [[1, 0], [1, 1]]


def test_sources_count_rows_that_are_left_out():
    rows = pd.DataFrame({"score": [0.1, 0.4, None, 0.9, None], "label": [0, 1, 1, 1, 0]})
    found = ef.from_scores(rows, drop_missing=True, interval=None)
    assert (found.n, found.table.dropped, found.source.rows) == (3, 2, 5)


def test_numbers_of_rows_are_noted_beside_arrays():
    labels = np.arange(60) % 2
    for first in (0, 1):
        with pytest.warns(ef.ErrorFloorWarning):
            found = ef.from_scores(first + np.arange(60.0), labels, interval=None)
        assert found.source.facts["id_as_score"] is True
    for other in (2 + np.arange(60.0), np.arange(60.0) * 2):
        found = ef.from_scores(other, labels, interval=None)
        assert "id_as_score" not in found.source.facts


def test_more_votes_side_by_side_than_fit_into_memory_are_refused(monkeypatch):
    monkeypatch.setattr(ballots, "MOST_VOTES", 40)
    monkeypatch.setattr(rows, "MOST_VOTES", 40)
    rng = np.random.default_rng(0)
    for number in (10, 11):
        frame = pd.DataFrame(rng.integers(0, 2, (number, 4)), columns=["w1", "w2", "w3", "w4"])
        if number == 10:
            with pytest.warns(ef.ErrorFloorWarning):
                assert len(ef.annotators(frame, annotators=list(frame))) == 4
        else:
            with pytest.raises(ef.InputError, match="more than 40 votes"):
                ef.annotators(frame, annotators=list(frame))
            with pytest.raises(ef.InputError, match="more than 40 votes"):
                ef.people(frame, annotators=list(frame))
