"""Every function reads by the same door: arrays, tables, frames and files, and groups."""

import json
import os
import pickle
import stat

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers import answer

import errorfloor as ef
from errorfloor.data import matrices
from errorfloor.datasets import iclr
from errorfloor.datasets.iclr import Submission
from errorfloor.datasets.synthetic import gaussian_mixture
from errorfloor.results import Groups

N = 240
SCORES = {"score": "p", "label": "answer", "positive": "yes"}


@pytest.fixture(scope="module")
def frame():
    data = gaussian_mixture(N, rng=2).corrupted(2, 0.7)
    votes = np.random.default_rng(3).binomial(3, data.soft_labels)
    return pd.DataFrame(
        {
            "p": data.scores,
            "answer": np.where(data.labels, "yes", "no"),
            "votes": votes,
            "total": 3,
            "soft": data.soft_labels,
            "site": np.where(np.arange(N) < 100, "north", "south"),
        }
    )


@pytest.fixture(scope="module")
def path(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("door") / "data.parquet"
    frame.to_parquet(path)
    return path


def plain(result):
    """Return results of any kind as values that can be compared."""
    if isinstance(result, Groups):
        return {name: plain(one) for name, one in result.items()}
    return json.loads(json.dumps(answer(result)))


QUESTIONS = {
    "from_scores": (ef.from_scores, {"rng": 0}),
    "compare": (ef.compare, {"methods": ["isotonic", "platt"], "n_resamples": 20, "rng": 0}),
    "calibrate": (ef.calibrate, {"method": "beta"}),
    "reliability": (ef.reliability, {"level": 0.9}),
    "feebee": (
        ef.feebee,
        {"methods": ["isotonic"], "model_error": 0.2, "levels": 3, "repeats": 2, "rng": 0},
    ),
    "headroom": (ef.headroom, {"errors": 40, "n": 200, "rng": 0}),
    "plan": (ef.plan, {"items": [100, 1000], "target": 0.1}),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_function_reads_arrays_tables_frames_and_files_alike(frame, path, name):
    ask, options = QUESTIONS[name]
    labels = (frame["answer"] == "yes").to_numpy()
    table = ef.ScoreTable.from_arrays(frame["p"], labels)
    expected = plain(ask(table, **options))
    assert plain(ask(frame, **SCORES, **options)) == expected
    assert plain(ask(path, **SCORES, **options)) == expected
    if name not in ("headroom", "plan"):  # which do not take bare arrays
        assert plain(ask(frame["p"].to_numpy(), labels, **options)) == expected


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_function_answers_for_groups(frame, path, name):
    ask, options = QUESTIONS[name]
    found = ask(path, **SCORES, group="site", **options)
    assert isinstance(found, Groups)
    assert list(found) == ["north", "south"]
    assert found.column == "site"
    assert plain(ask(frame, **SCORES, group="site", **options)) == plain(found)
    if name in ("calibrate", "reliability", "plan"):  # where nothing is random
        one = ask(frame[frame["site"] == "north"], **SCORES, **options)
        assert plain(one) == plain(found["north"])


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_function_leaves_out_missing_values_where_asked(frame, name):
    ask, options = QUESTIONS[name]
    holes = frame.copy()
    holes.loc[[5, 7], "p"] = np.nan
    with pytest.raises(ef.InputError, match=r"`score` \(column 'p'\) has missing values: 2 of 240"):
        ask(holes, **SCORES, **options)
    left = ask(holes.drop(index=[5, 7]), **SCORES, **options)
    kept = ask(holes, **SCORES, drop_missing=True, **options)
    if name in ("calibrate", "reliability", "feebee", "plan"):
        assert plain(kept) == plain(left)
    else:
        estimate = kept["isotonic"] if name == "compare" else getattr(kept, "floor", kept)
        assert estimate.dropped == 2


def test_votes_and_soft_labels_come_by_the_same_door(frame, path):
    votes = ef.from_votes(frame["votes"], 3)
    for found in (
        ef.from_votes(path, positives="votes", totals="total"),
        ef.headroom(path, errors=9, n=90, positives="votes", totals=3, same_labelling=True).floor,
    ):
        assert (found.value, found.low, found.high) == (votes.value, votes.low, votes.high)
    assert ef.plan(path, positives="votes", totals="total", items=[100]).trade is not None
    soft = ef.headroom(path, errors=9, n=90, soft="soft", rng=0).floor
    assert soft.value == ef.from_soft_labels(frame["soft"]).value


def test_a_report_can_be_asked_of_a_file(path, tmp_path):
    page = ef.report(path, tmp_path / "report.json", **SCORES, rng=0)
    found = json.loads(page.read_text(encoding="utf-8"))
    assert found["floor"]["value"] == ef.from_scores(path, **SCORES, rng=0).value
    assert found["source"]["file"] == str(path)


def test_what_is_no_floor_is_refused_by_headroom(frame):
    for floor in (None, [0.1, 0.2], {"value": 0.1}):
        with pytest.raises(ValueError, match="`estimate` must be an Estimate"):
            ef.headroom(floor, errors=98, n=1000)
    floor = ef.from_scores(frame, **SCORES, rng=0)
    with pytest.raises(ef.InputError, match="`group` goes with data, not with an Estimate"):
        ef.headroom(floor, errors=98, n=1000, group="site")
    with pytest.raises(ef.InputError, match="`score` goes with data, not with an Estimate"):
        ef.headroom(floor, errors=98, n=1000, score="p")


def test_a_misspelt_column_argument_is_refused(path):
    for ask in (ef.headroom, ef.plan):
        with pytest.raises(TypeError, match="unexpected keyword argument 'scores'"):
            ask(
                path,
                scores="p",
                label="answer",
                **({"errors": 1, "n": 9} if ask is ef.headroom else {}),
            )


def test_a_verdict_keeps_the_models_own_interval_and_the_floor_at_its_level(frame):
    floor = ef.from_scores(frame, **SCORES, rng=0)
    found = ef.headroom(floor, errors=40, n=200, level=0.9)
    assert found.model.low < 0.2 < found.model.high
    assert found.model.level == found.floor.level == 0.9
    assert (found.floor.low, found.floor.high) == (
        floor.at_level(0.9).low,
        floor.at_level(0.9).high,
    )
    assert found.errors == 40


def test_old_names_of_p_values_work_with_a_note(frame):
    found = ef.headroom(ef.from_scores(frame, **SCORES, rng=0), errors=40, n=200)
    with pytest.warns(DeprecationWarning, match="p_above is called p_room now") as caught:
        assert found.p_above == found.p_room
    assert caught[0].filename == __file__  # where the old name is used
    with pytest.warns(DeprecationWarning, match="p_below is called p_beyond now"):
        assert found.p_below == found.p_beyond


def test_results_keep_what_they_were_made_from(frame, path):
    found = ef.from_scores(path, **SCORES, method="beta", clip=0.01, level=0.8, rng=5)
    assert found.metric == "error"
    assert found.target == "the given label"
    assert found.options == {
        "interval": "auto",
        "level": 0.8,
        "n_resamples": 1000,
        "clip": 0.01,
    }
    assert found.seed.number == 5
    assert found.source.files == (str(path),)
    assert found.source.columns == {"score": "p", "label": "answer"}
    assert found.source.options.positive == "yes"
    assert found.source.rows == N
    votes = ef.from_votes(frame["votes"], 3, model_error=0.2)
    assert votes.target == "one more annotator's vote"
    assert votes.options["model_error"] == 0.2
    assert votes.source.origin == "arrays"
    assert json.loads(json.dumps(found.to_dict()))["source"]["columns"]["score"] == "p"


@pytest.mark.parametrize("name", QUESTIONS)
def test_results_can_be_pickled(frame, name):
    ask, options = QUESTIONS[name]
    if name != "calibrate":  # whose map is a function
        found = ask(frame, **SCORES, group="site", **options)
        assert plain(pickle.loads(pickle.dumps(found))) == plain(found)


def test_bad_input_says_its_group(frame):
    worse = frame.assign(p=np.where(frame["site"] == "south", frame["p"] + 5, frame["p"]))
    with pytest.raises(ef.InputError, match=r"`group` 'south': `scores` must lie in \[0, 1\]"):
        ef.from_scores(worse, **SCORES, group="site", method="beta")


@pytest.mark.skipif(os.name != "posix", reason="has no such rights")
def test_reviews_are_kept_in_a_file_of_the_usual_rights(tmp_path):
    (tmp_path / "usual").touch()
    paper = Submission("a", (6.0, 8.0), (3.0, None), "Accept", True)
    iclr._write(tmp_path / "iclr.csv", [paper])
    usual, ours = ((tmp_path / name).stat().st_mode for name in ("usual", "iclr.csv"))
    assert stat.S_IMODE(ours) == stat.S_IMODE(usual)
    assert iclr._read(tmp_path / "iclr.csv", 2023) == [paper]


def test_a_table_of_0_1_that_may_hold_soft_labels_is_not_taken_for_scores(tmp_path):
    soft = np.linspace(0.01, 0.99, 50)
    none, one = np.zeros(50, dtype=int), np.ones(50, dtype=int)
    path = tmp_path / "old.npz"
    np.savez(path, scores=soft, negatives=one, positives=none)
    for ask, more in ((ef.from_scores, {}), (ef.headroom, {"errors": 1, "n": 9})):
        with pytest.raises(ef.InputError, match=r"saved by version 0\.1, which kept soft labels"):
            ask(path, **more)
    expected = ef.from_soft_labels(soft, interval=None).value
    assert ef.from_soft_labels(path, interval=None).value == expected
    assert ef.headroom(path, errors=1, n=9, soft="scores", rng=0).floor.value == expected
    np.savez(path, scores=soft, negatives=one, positives=one)
    assert ef.from_scores(path, interval=None).n == 100


def test_floors_of_groups_for_a_model_each_have_the_level_by_themselves(path):
    for verdict in ef.headroom(path, errors=40, n=200, group="site", rng=0, **SCORES).values():
        assert verdict.floor.level == 0.95
        assert verdict.floor.options["simultaneous"] is False


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (ef.from_scores, {"score": "p", "label": "p"}),
        (ef.from_votes, {"positives": "p", "totals": "p"}),
    ],
)
def test_one_column_cannot_be_two_things(ask, named):
    first, second = named
    with pytest.raises(
        ef.InputError, match=f"`{first}` and `{second}` name the same column, 'p'. Name a column"
    ):
        ask(pd.DataFrame({"p": [0, 1, 1], "q": [1, 1, 1]}), **named)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_rows_of_many_scores_are_looked_at_again_where_the_best_cut_may_be(monkeypatch):
    # So near that they are in one cell, which only a second look takes apart.
    scores, labels = 0.3 + np.arange(400) * 1e-10, np.arange(400) % 7 < 3
    exact = ef.ScoreTable.from_arrays(scores, labels)
    monkeypatch.setattr(matrices, "EXACT", 100)
    rows = pd.DataFrame({"p": scores, "y": labels})
    assert ef.from_scores(rows, score="p", label="y", interval=None).table == exact


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_among_scores_is_named_by_column_and_value(make):
    rows = make({"p": ["0.1", "abc", "0.4"], "y": [0, 1, 1]})
    message = r"`score` \(column 'p'\) must be finite numbers: 1 of 3 are bad, .* 'abc'"
    with pytest.raises(ef.InputError, match=message):
        ef.from_scores(rows, score="p", label="y")
