"""What engines bring back, what columns are of, and what only rows can tell."""

import threading
import time

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor import frames
from errorfloor.data import engines, read_rows
from errorfloor.data.columns import ChosenColumns
from errorfloor.data.engines import fetch, lazy
from errorfloor.data.layouts import SCORES, VOTES
from errorfloor.data.rows import RowRequest
from errorfloor.data.tables import ScoreTable, VoteTable

duckdb = pytest.importorskip("duckdb")


# Engines


def test_progress_is_told_from_its_first_part_on():
    answers = [-1.0, 0.0, 0.5, 50.0]
    seen, done = [], threading.Event()

    class Connection:
        def query_progress(self):
            if not answers:
                done.set()
                return -1.0
            return answers.pop(0)

    before = set(threading.enumerate())
    with engines.watched(Connection(), seen.append):
        (watcher,) = set(threading.enumerate()) - before
        assert watcher.daemon  # nobody waits for it where the query never ends
        assert done.wait(30)
    assert not watcher.is_alive()
    assert seen == [0.005, 0.5]
    with engines.watched(None, None):
        assert set(threading.enumerate()) <= before


def test_a_watcher_that_is_busy_is_waited_for():
    class Busy:
        def query_progress(self):
            began.set()
            time.sleep(0.2)
            return 10.0

    seen, began = [], threading.Event()
    with engines.watched(Busy(), seen.append):
        assert began.wait(30)
    assert seen == [0.1]  # what was asked before the end is told before the end


# Tables of rows by the names of their columns


GROUPED = pd.DataFrame(
    {
        "k": [1, 2, 0, 3], "m": [3, 3, 2, 3], "n_a": [2, 1, 2, 0], "n_b": [1, 2, 0, 3],
        "l": ["0;1;0", "1;1;0", "0;0", "1;1;1"], "r1": [0, 1, 0, 1], "r2": [1, 1, 0, 1],
        "r3": [0, 0, None, 1], "g": [*"uuvv"],
    }
)  # fmt: skip


@pytest.mark.parametrize(
    "how",
    [
        {"positives": "k", "totals": "m"},
        {"counts": ["n_a", "n_b"]},
        {"annotations": "l"},
        {"annotators": ["r1", "r2", "r3"]},
    ],
)
def test_votes_of_every_layout_are_counted_by_group(how):
    whole = VoteTable.from_arrays([1, 2, 0, 3], [3, 3, 2, 3])
    assert frames.vote_table(GROUPED, **how).votes.tolist() == whole.votes.tolist()
    found = frames.vote_tables(GROUPED, group="g", **how)
    assert list(found) == ["u", "v"]
    for group, expected in (("u", ([1, 2], [3, 3])), ("v", ([0, 3], [2, 3]))):
        assert found[group].votes.tolist() == VoteTable.from_arrays(*expected).votes.tolist()


def test_single_votes_are_counted_by_group(tmp_path):
    long = pd.DataFrame(
        {
            "i": [0, 0, 0, 1, 1], "by": [*"xyxxy"], "v": [1, 0, 0, 1, 1],
            "g": [*"uuuvv"], "word": ["yes", "no", "no", "yes", "yes"],
        }
    )  # fmt: skip
    long.to_csv(tmp_path / "a.csv", index=False)
    named = {"item": "i", "annotator": "by"}
    for data in (long, tmp_path / "a.csv"):
        for how, yes in (("first", 1), ("last", 0)):
            found = frames.vote_tables(data, group="g", vote="v", duplicates=how, **named)
            assert found["u"].positives.tolist() == [yes]
            assert found["v"].positives.tolist() == [2]
            whole = frames.vote_table(data, vote="v", duplicates=how, **named)
            assert whole.positives.tolist() == [yes, 2]
        every = frames.vote_table(data, vote="word", positive="no", duplicates="all", **named)
        assert (every.positives.tolist(), every.totals.tolist()) == ([0, 2], [2, 3])
        with pytest.raises(ef.InputError, match="duplicates"):
            frames.vote_table(data, vote="v", **named)
    with pytest.raises(ef.InputError, match="makes 'yes' class 1"):
        frames.vote_table(long, item="i", vote="word", positive="no", classes=["no", "yes"])


@pytest.mark.parametrize(
    ("call", "how"),
    [
        (frames.score_table, {"score": "x", "label": "y"}),
        (frames.score_tables, {"score": "x", "label": "y", "group": "g"}),
        (frames.soft_table, {"soft": "x"}),
        (frames.soft_tables, {"soft": "x", "group": "g"}),
        (frames.vote_table, {"positives": "k", "totals": 3}),
        (frames.vote_tables, {"positives": "k", "totals": 3, "group": "g"}),
    ],
)
def test_what_is_missing_is_an_error_unless_it_is_to_be_left_out(call, how):
    data = pd.DataFrame({"x": [0.5, None], "k": [1, None], "y": [0, 1], "g": [1, 1]})
    with pytest.raises(ef.InputError, match="has missing values: 1 of 2 rows"):
        call(data, **how)
    found = call(data, **how, drop_missing=True)
    table = found[1] if "group" in how else found
    assert (table.n, table.dropped) == (1, 1)


# What only rows can tell


def facts_of(frame, layout, columns, table, rows=None, guessed=()):
    request = RowRequest(frame=lazy(frame), run=fetch, columns=columns)
    chosen = ChosenColumns(layout, columns, guessed)
    return read_rows.facts_of(request, chosen, {None: table}, len(frame) if rows is None else rows)


def test_ids_in_place_of_scores_and_labels_beside_votes_are_told():
    n = 30
    plain = pd.DataFrame({"p": np.arange(n) * 1.0, "y": np.arange(n) % 2})
    table = ScoreTable.from_arrays(plain["p"], plain["y"])
    both = {"score": "p", "label": "y"}
    assert facts_of(plain, SCORES, both, table) == {"id_as_score": "p"}
    mixed = plain.sample(frac=1, random_state=0)
    assert facts_of(mixed, SCORES, both, table) == {}
    spread = plain.assign(p=plain["p"] / 2)
    halves = ScoreTable.from_arrays(spread["p"], spread["y"])
    assert facts_of(spread, SCORES, both, halves) == {}
    named = {"score": "user_id", "label": "y"}
    assert facts_of(spread.rename(columns={"p": "user_id"}), SCORES, named, halves) == {
        "id_as_score": "user_id"
    }
    several = {"score": ("p", "q", "r"), "label": "y"}
    wide = ScoreTable.from_arrays(np.eye(3), [0, 1, 2])
    assert facts_of(plain.assign(q=0, r=0), SCORES, several, wide) == {}
    lists = {"score": "user_id", "label": "y"}
    assert facts_of(spread.rename(columns={"p": "user_id"}), SCORES, lists, wide) == {}
    votes = pd.DataFrame({"k": [1, 2], "m": 3, "gold": [0, 1], "label": [1, 1]})
    own = {"votes": "k", "total": "m"}
    told = VoteTable.from_arrays([1, 2], [3, 3])
    assert facts_of(votes, VOTES, own, told) == {"labels_beside_votes": "gold"}
    assert facts_of(votes[["k", "m"]], VOTES, own, told) == {}


def test_numbers_of_rows_are_not_guessed_to_be_scores():
    frame = lazy(pd.DataFrame({"a": np.arange(30), "score": np.arange(30), "y": 1}))
    for columns, guessed, refused in (
        ({"score": "a", "label": "y"}, ("score",), "'a' numbers the rows"),
        ({"score": "a", "label": "y"}, (), False),
        ({"score": "score", "label": "y"}, ("score",), False),  # whose name says it
        ({"score": "y", "label": "a"}, ("score", "label"), "'y' has two values at most"),
    ):
        chosen = ChosenColumns(SCORES, columns, guessed)
        if refused:
            with pytest.raises(ef.InputError, match=refused):
                read_rows.refuse_row_numbers(frame, fetch, chosen)
        else:
            read_rows.refuse_row_numbers(frame, fetch, chosen)
