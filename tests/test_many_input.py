"""Labels of many classes, however they come: arrays, frames of every engine, files, lists."""

import io
import itertools
import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from engines import ENGINES

import errorfloor as ef
from errorfloor import frames
from errorfloor.apps.cli.commands import cli
from errorfloor.data import rows
from errorfloor.data.classes import described_many
from errorfloor.data.items import KeptVotes
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.matrices import is_ascending, order_of
from errorfloor.data.naming import names_of_columns
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read

LOCAL = ["pandas", "pandas-arrow", "polars", "polars-lazy", "pyarrow", "duckdb", "dask", "ibis"]
RNG = np.random.default_rng(0)
N = 150
NAMES = ("bird", "cat", "dog")
P = RNG.dirichlet([0.5] * 3, size=N)
CODE = (P.cumsum(axis=1) > RNG.random((N, 1))).argmax(axis=1)
WORDS = np.array(NAMES)[CODE]
TOTALS = RNG.integers(1, 6, size=N)
VOTES = np.array([RNG.multinomial(m, p) for m, p in zip(TOTALS, P, strict=True)])
SCORES = ef.ScoreTable.from_arrays(P, WORDS)
SOFT = ef.SoftTable.from_arrays(P, classes=NAMES)
COUNTED = ef.VoteTable.from_arrays(VOTES, classes=NAMES)
BALLOTS = [np.repeat(NAMES, row).tolist() for row in VOTES]
TWO = np.column_stack((1 - P[:, 0], P[:, 0]))
YES = RNG.random(N) < P[:, 0]
BINARY = ef.ScoreTable.from_arrays(P[:, 0], YES)


def reading(data, **where):
    return read(data, LAYOUTS, ReadOptions.of(**where))


def table_of(data, **where):
    return reading(data, **where).table


def without_people(table):
    return replace(table, by_group=None, workloads=None)


def error_of(call, *given, **more):
    with pytest.raises(ef.InputError) as raised:
        call(*given, **more)
    return str(raised.value)


def by_class(prefix, values, kind="float64"):
    return {f"{prefix}{name}": (kind, values[:, k].tolist()) for k, name in enumerate(NAMES)}


def long_votes():
    item = [i for i, ballots in enumerate(BALLOTS) for _ in ballots]
    return item, [vote for ballots in BALLOTS for vote in ballots]


def wide_votes():
    rows = [ballots + [None] * (5 - len(ballots)) for ballots in BALLOTS]
    return {f"rater{a}": ("text", [row[a] for row in rows]) for a in range(5)}


# Arrays


def test_tables_of_arrays_count_what_a_dictionary_counts():
    rows = RNG.integers(0, 3, size=(400, 4)) / 2 + 0.5  # many are equal
    label = RNG.integers(0, 4, size=400)
    table = ef.ScoreTable.from_arrays(rows, label)
    slow = {}
    for row, one in zip(map(tuple, rows), label, strict=True):
        slow.setdefault(row, [0] * 4)[one] += 1
    assert [tuple(row) for row in table.scores.tolist()] == sorted(slow)
    assert table.counts.tolist() == [slow[row] for row in sorted(slow)]
    votes = RNG.integers(0, 3, size=(400, 4)) + np.array([1, 0, 0, 0])
    table = ef.VoteTable.from_arrays(votes)
    slow = {}
    for row in map(tuple, votes.tolist()):
        slow[row] = slow.get(row, 0) + 1
    ordered = sorted(slow, key=lambda row: (sum(row), *row[1:]))
    assert list(map(tuple, table.votes.tolist())) == ordered
    assert table.counts.tolist() == [slow[row] for row in ordered]
    assert ef.VoteTable.from_arrays(votes.astype(float)) == table


def test_votes_too_many_for_one_number_are_counted_as_well():
    votes = np.array([[2**40, 1, 3, 0], [5, 2**40, 0, 0], [2**40, 1, 3, 0]])
    table = ef.VoteTable.from_arrays(votes)
    assert table.votes.tolist() == [votes[0].tolist(), votes[1].tolist()]
    assert table.counts.tolist() == [2, 1]


@pytest.mark.parametrize("values", [2, 3, 1000])
def test_rows_are_ordered_as_by_all_their_numbers(values):
    keys = RNG.integers(0, values, size=(500, 4)) / 7
    order = order_of(keys)
    assert (order == np.lexsort(keys.T[::-1])).all()  # which is stable
    distinct = np.unique(keys, axis=0)
    assert is_ascending(distinct)
    assert not is_ascending(keys)
    assert not is_ascending(distinct[[0, 0, 1]])
    assert not is_ascending(distinct[[1, 0]])


def test_labels_may_be_names_places_or_text_of_them():
    for labels in (CODE, CODE.astype(float), list(map(str, CODE)), CODE.astype(np.uint8)):
        table = ef.ScoreTable.from_arrays(P, labels)
        assert table.classes == ("0", "1", "2")
        assert (table.counts == SCORES.counts).all()
    assert SCORES.classes == NAMES  # words in sorted order
    assert ef.ScoreTable.from_arrays(P, CODE, classes=NAMES) == SCORES
    ratings = ef.ScoreTable.from_arrays(P, CODE + 1, classes=[1, 2, 3])
    assert ratings.classes == ("1", "2", "3")
    assert (ratings.counts == SCORES.counts).all()
    turned = ef.ScoreTable.from_arrays(P[:, ::-1], WORDS, classes=NAMES[::-1])
    assert turned.counts.sum(axis=0).tolist() == SCORES.counts.sum(axis=0).tolist()[::-1]
    absent = ef.ScoreTable.from_arrays(P, ["dog"] * N, classes=NAMES)
    assert absent.counts.sum(axis=0).tolist() == [0, 0, N]


def test_what_is_free_is_what_the_system_and_a_container_leave(monkeypatch):
    files = {"/proc/meminfo": "MemTotal: 9000 kB\nMemAvailable:    2000 kB\n"}
    folder = "/sys/fs/cgroup/memory"

    def fake(path, encoding):
        if path not in files:
            raise FileNotFoundError(path)
        return io.StringIO(files[path])

    monkeypatch.setattr(rows, "open", fake, raising=False)
    assert rows.bytes_free() == pytest.approx(0.9 * 1024 * 2000)
    files |= {f"{folder}.max": "900000", f"{folder}.current": "700000"}
    assert rows.bytes_free() == pytest.approx(0.9 * 1024 * 2000)  # what it says is not whole
    files[f"{folder}.stat"] = "anon 5\ninactive_file 300\n"
    assert rows.bytes_free() == pytest.approx(0.9 * 200_300)
    files[f"{folder}.stat"] = "anon 5\n"
    assert rows.bytes_free() == pytest.approx(0.9 * 200_000)
    files[f"{folder}.max"] = "max"
    assert rows.bytes_free() == pytest.approx(0.9 * 1024 * 2000)
    files.clear()
    pages = {"SC_PHYS_PAGES": 50, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__, raising=False)
    assert rows.bytes_free() == pytest.approx(0.9 * 50 * 4096)
    assert rows.bytes_needed(10, 3) == 10 * (3 * 20 + 48)


def test_soft_labels_are_made_to_add_up_in_any_layout_of_memory():
    off = P * (1 + 5e-7)
    table = ef.SoftTable.from_arrays(off)
    assert table == ef.SoftTable.from_arrays(np.asfortranarray(off))
    assert np.abs(table.probabilities.sum(axis=1) - 1).max() < 1e-15
    assert table.classes == ("0", "1", "2")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ef.SoftTable.from_arrays(P * 0.9), "must add up to 1: the sum of row 0 is 0.9"),
        (lambda: ef.SoftTable.from_arrays(P - 1), r"`soft_labels` must lie in [0, 1]: row 0 is"),
        (lambda: ef.SoftTable.from_arrays(P[:, :1]), "a column for each class, got shape (150, 1)"),
        (lambda: ef.SoftTable.from_arrays(P, classes=["a", "b"]), "`classes` has 2 names"),
        (lambda: ef.SoftTable.from_arrays(P[:, 0], classes="abc"), "`classes` must be a list"),
        (lambda: ef.VoteTable.from_arrays(VOTES, 5), "`totals` must be left out"),
        (lambda: ef.VoteTable.from_arrays(VOTES * 0), "Items must have votes: entry 0"),
        (lambda: ef.VoteTable.from_arrays(VOTES - 9), "`votes` must be whole numbers of at least"),
        (lambda: ef.VoteTable.from_arrays(VOTES / 2), "`votes` must be whole numbers of at least"),
        (lambda: ef.ScoreTable.from_arrays(P, CODE + 1), "from 0 to 2, one for each column, and"),
        (lambda: ef.ScoreTable.from_arrays(P, ["a"] * N), "must have 3 different values, one for"),
        (lambda: ef.ScoreTable.from_arrays(P, np.eye(3)[CODE]), "pass labels.argmax(axis=1)"),
        (lambda: ef.ScoreTable.from_arrays(P, [["a", "b"]] * N), "1-d, got shape"),
        (lambda: ef.ScoreTable.from_arrays(P, [["a"], ["a", "b"]] * (N // 2)), "one at a time"),
        (lambda: ef.ScoreTable.from_arrays(P, ["a;b", "a", "b"] * (N // 3)), "one entry, 'a;b'"),
        (lambda: ef.ScoreTable.from_arrays(P, [None] * N), "missing entries, such as entry 0"),
        (
            lambda: ef.from_scores(P, ["a", "b", np.nan] * (N // 3)),
            "`labels` has missing entries, such as entry 2 (50 of 150). Leave such items out with",
        ),
        (lambda: ef.from_scores(P, ["a", "b", pd.NA] * (N // 3)), "such as entry 2 (50 of 150)"),
        (
            lambda: ef.from_scores(P, np.ma.array(CODE, mask=np.arange(N) == 7)),
            "`labels` has missing entries, such as entry 7 (1 of 150). Leave such items out with",
        ),
        (lambda: ef.from_scores(P, []), "`labels` is empty. Pass at least one item."),
        (lambda: ef.ScoreTable.from_arrays(P, WORDS, classes=["a", "b", "c"]), "has 'bird', which"),
        (lambda: ef.ScoreTable.from_arrays(P, CODE[:5]), "same length, got 150 and 5"),
        (lambda: ef.ScoreTable.from_arrays(P * np.nan, CODE), "finite numbers: row 0 is [nan nan"),
        (lambda: ef.ScoreTable.from_arrays(P * 0, CODE), "must not all be 0: row 0 is [0. 0. 0.]"),
        (lambda: ef.ScoreTable.from_arrays(P[:, 0], YES, classes=NAMES), "`classes` has 3 names"),
        (lambda: ef.ScoreTable.from_arrays(P, CODE, classes=["a", "a", "b"]), "has 'a' twice"),
        (lambda: ef.ScoreTable.from_arrays(P, CODE, classes=range(1001)), "at most 1,000 names"),
        (lambda: ReadOptions.of(classes=["no", "yes"], positive="no"), "`positive` 'no'. Give one"),
        (lambda: ReadOptions.of(classes=NAMES, positive="cat"), "`classes` asks about all classes"),
        (lambda: ReadOptions.of(classes=NAMES, positive_from=3), "`positive_from` about one side"),
        (lambda: ef.from_votes(COUNTED, classes=NAMES[::-1]), "of the classes bird, cat, dog."),
    ],
)
def test_what_is_wrong_with_arrays_is_said(call, words):
    said = error_of(call)
    assert words.replace("one at a time", "one label at a time") in said


def test_names_that_hold_commas_are_no_several_labels():
    towns = ["Boston, MA", "Worcester, MA", "Paris; Texas"]
    table = ef.ScoreTable.from_arrays(P, np.array(towns)[CODE])
    assert table.classes == tuple(sorted(towns))
    both = ["a", "b", "a;b"]
    assert ef.ScoreTable.from_arrays(P, np.array(both)[CODE], classes=both).classes == tuple(both)


# Two classes, however given


def test_probabilities_of_two_columns_that_miss_one_by_rounding_stay_as_they_are():
    nearly = [[0.25, 0.75 + 1e-7], [1, 0]]
    assert ef.ScoreTable.from_arrays(nearly, [1, 0]).scores.tolist() == [0, 0.75 + 1e-7]


def test_two_columns_are_the_two_class_table_to_the_last_bit():
    assert ef.SoftTable.from_arrays(TWO) == ef.SoftTable.from_arrays(TWO[:, 1])
    k = RNG.binomial(4, P[:, 0])
    assert ef.VoteTable.from_arrays(np.column_stack((4 - k, k))) == ef.VoteTable.from_arrays(k, 4)
    assert ef.ScoreTable.from_arrays(TWO, YES) == BINARY
    words = np.where(YES, "yes", "no")
    assert ef.ScoreTable.from_arrays(TWO, words) == BINARY
    share = ef.ScoreTable.from_arrays(TWO * 3, YES)
    assert share == ef.ScoreTable.from_arrays(3 * TWO[:, 1] / (3 * TWO[:, 0] + 3 * TWO[:, 1]), YES)
    logits = np.log(TWO)
    difference = logits[:, 1] - logits[:, 0]
    assert ef.ScoreTable.from_arrays(logits, YES) == ef.ScoreTable.from_arrays(difference, YES)
    two = ef.from_votes(np.column_stack((4 - k, k)), labels=words, rng=0)
    one = ef.from_votes(k, 4, labels=YES, rng=0)
    assert (two.table, two.value, two.interval) == (one.table, one.value, one.interval)
    assert two.source.facts["classes"] == {"1": ["yes"], "0": ["no"]}
    found = ef.from_scores(TWO, words, rng=0)
    plain = ef.from_scores(P[:, 0], YES, rng=0)
    assert (found.value, found.interval) == (plain.value, plain.interval)
    named = ef.from_scores(P[:, 0], words, classes=["no", "yes"], rng=0)
    assert (named.value, named.interval) == (plain.value, plain.interval)
    assert named.source.facts["classes"] == {"1": ["yes"], "0": ["no"]}
    assert found.table.classes == ("0", "1")


@pytest.mark.parametrize("name", LOCAL)
def test_two_columns_of_a_frame_are_one_in_every_engine(name):
    words, both = ("text", np.where(YES, "yes", "no").tolist()), ("no", "yes")
    for scale in (lambda x: x, lambda x: 3 * x, np.log):
        rows = scale(TWO)
        columns = {f"p_{one}": ("float64", rows[:, k].tolist()) for k, one in enumerate(both)}
        found = reading(ENGINES[name]({**columns, "label": words}))
        assert found.table == ef.ScoreTable.from_arrays(rows, YES)
        assert found.source.facts["classes"] == {"1": ["yes"], "0": ["no"]}
    columns = {f"p_{one}": ("float64", TWO[:, k].tolist()) for k, one in enumerate(both)}
    assert table_of(ENGINES[name](columns), soft="p_*") == ef.SoftTable.from_arrays(TWO[:, 1])
    votes = VOTES[:, :2] + 1
    counts = {f"n_{one}": ("int64", votes[:, k].tolist()) for k, one in enumerate(both)}
    expected = ef.VoteTable.from_arrays(votes[:, 1], votes.sum(axis=1))
    assert table_of(ENGINES[name](counts)) == expected


def test_two_columns_say_what_is_wrong_and_classes_put_them_in_order():
    frame = pd.DataFrame(TWO, columns=["p_no", "p_yes"]).assign(label=np.where(YES, "yes", "no"))
    assert table_of(frame, classes=["no", "yes"]) == BINARY
    turned = table_of(frame, classes=["yes", "no"])
    assert turned == ef.ScoreTable.from_arrays(TWO[:, 0], ~YES)
    named = {"score": "p_*", "label": "label"}
    assert table_of(frame, **named, positive="yes") == BINARY
    assert "whose scores come first" in error_of(reading, frame, **named, positive="no")
    assert "goes with one column" in error_of(reading, frame, **named, positive_from=1)
    assert "must add up to 1: the sum of row 0 is 1.5 (150 of 150 are bad)" in error_of(
        reading, frame.assign(p_no=0.5 + frame.p_no), soft=["p_no", "p_yes"]
    )
    blank = frame.assign(p_no=0.0, p_yes=2.0 * np.arange(N))
    assert "must not all be 0: 1 of 150" in error_of(reading, blank, **named)
    plain = frame.rename(columns={"p_no": "p_0", "p_yes": "p_1"})
    assert table_of(plain) == BINARY
    animals = plain.assign(label=np.where(YES, "dog", "cat"))
    assert table_of(animals) == BINARY
    assert table_of(animals, score="p_*", label="label", positive="dog") == BINARY


# Layouts in every engine


@pytest.mark.parametrize("name", LOCAL)
def test_every_layout_of_every_engine_makes_the_table_of_the_arrays(name):
    make = ENGINES[name]
    words = {"label": ("text", WORDS.tolist())}
    scores = make({**by_class("proba_", P), **words})
    found = reading(scores)
    assert found.table == SCORES
    assert found.source.columns["score"] == tuple(f"proba_{one}" for one in NAMES)
    counted = dict(zip(NAMES, np.bincount(CODE).tolist(), strict=True))
    assert found.source.facts["classes"] == [list(pair) for pair in counted.items()]
    assert table_of(scores, soft="proba_*") == SOFT
    places = {"label": ("int64", CODE.tolist())}
    assert table_of(make({**by_class("proba_", P), **places})) == SCORES
    item, vote = long_votes()
    annotations = make({"item": ("int64", item), "vote": ("text", vote)})
    assert table_of(annotations, item="item", vote="vote") == COUNTED
    assert without_people(table_of(make(wide_votes()))) == COUNTED
    counts = make({**by_class("n_", VOTES, "int64"), "gold": words["label"]})
    assert table_of(counts, counts="n_*") == COUNTED
    shares = ef.from_votes(counts=VOTES, labels=WORDS, classes=NAMES, interval=None).table
    assert table_of(counts, counts="n_*", label="gold") == shares
    gold = make({**wide_votes(), "gold": words["label"]})
    raters = [f"rater{a}" for a in range(5)]
    assert table_of(gold, annotators=raters, label="gold") == shares
    labels = WORDS[item].tolist()
    long = make({"item": ("int64", item), "vote": ("text", vote), "gold": ("text", labels)})
    assert table_of(long, item="item", vote="vote", label="gold") == shares


@pytest.mark.parametrize("name", LOCAL)
def test_groups_share_their_classes_and_lose_rows_in_every_engine(name):
    make = ENGINES[name]
    group = np.where(np.arange(N) < 3, "lost", np.where(np.arange(N) % 2, "odd", "even"))
    holes = P.copy()
    holes[:3, 1] = np.nan
    columns = by_class("proba_", np.where(np.isnan(holes), None, holes))
    frame = make({**columns, "label": ("text", WORDS.tolist()), "site": ("text", group.tolist())})
    tables = reading(frame, group="site", drop_missing=True).tables
    assert [*tables] == ["even", "odd", "lost"]
    for site in ("even", "odd"):
        own = group == site
        assert tables[site] == ef.ScoreTable.from_arrays(P[own], CODE[own], classes=NAMES)
    assert (tables["lost"].n, tables["lost"].dropped, tables["lost"].classes) == (0, 3, NAMES)
    votes = make({**by_class("n_", VOTES, "int64"), "site": ("text", group.tolist())})
    tables = reading(votes, group="site").tables
    assert sum(tables.values(), ef.VoteTable.empty()) == COUNTED
    assert "has missing values: 3 of 150" in error_of(reading, frame)
    soft = reading(frame, soft="proba_*", group="site", drop_missing=True).tables
    assert sum(soft.values(), ef.SoftTable.empty()).without(0) == ef.SoftTable.from_arrays(
        P[3:], classes=NAMES
    )


@pytest.mark.parametrize("name", [name for name in LOCAL if name != "dask"])  # which is slow
def test_ratings_are_classes_however_they_are_written(name):
    ratings = RNG.integers(1, 6, size=(60, 3))
    expected = ef.VoteTable.from_arrays(
        np.stack([(ratings == k).sum(axis=1) for k in range(1, 6)], axis=1), classes=range(1, 6)
    )
    for kind, cast in (("int64", int), ("float64", float), ("text", str)):
        columns = {f"rater{a}": (kind, list(map(cast, ratings[:, a].tolist()))) for a in range(3)}
        found = reading(ENGINES[name](columns))
        assert without_people(found.table) == expected
    assert found.table.classes == ("1", "2", "3", "4", "5")
    frame = ENGINES[name](columns)
    more = table_of(frame, classes=range(7))
    assert more.votes.shape[1] == 7
    assert (more.votes[:, 0] == 0).all()
    assert table_of(frame, positive_from=3).classes == ("0", "1")


@pytest.mark.parametrize("name", ["pandas", "pandas-arrow", "polars", "pyarrow", "duckdb", "ibis"])
def test_lists_are_columns_in_engines_that_have_them(name):
    table = pa.table({"probs": P.tolist(), "label": CODE, "label_count": VOTES.tolist()})
    make = {
        "pandas": lambda: table.to_pandas(),
        "pandas-arrow": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.from_arrow(table),
        "pyarrow": lambda: table,
        "duckdb": lambda: __import__("duckdb").connect().from_arrow(table),
        "ibis": lambda: __import__("ibis").memtable(table),
    }
    frame = make[name]()
    assert table_of(frame, score="probs", label="label", classes=NAMES) == SCORES
    assert table_of(frame, soft="probs", classes=NAMES) == SOFT
    assert table_of(frame, counts="label_count", classes=NAMES) == COUNTED
    assert table_of(frame, counts="label_count").classes == ("0", "1", "2")


def test_arrays_in_columns_and_objects_of_python_are_lists():
    arrays = pl.DataFrame({"probs": P, "label": CODE})
    assert isinstance(arrays.schema["probs"], pl.Array)
    assert table_of(arrays, classes=NAMES) == SCORES
    objects = pd.DataFrame({"probs": list(P), "label": CODE})
    assert table_of(objects, score="probs", label="label", classes=NAMES) == SCORES
    holes = objects.assign(probs=[None, *P[1:]])
    found = table_of(holes, score="probs", label="label", classes=NAMES, drop_missing=True)
    assert found == ef.ScoreTable.from_arrays(P[1:], WORDS[1:]).without(1)
    uneven = objects.assign(probs=[[0.5, 0.5], *P[1:]])
    assert "these have from 2 to 3" in error_of(reading, uneven, score="probs", label="label")


def test_files_of_every_format_make_the_table_of_the_arrays(tmp_path):
    frame = pd.DataFrame(P, columns=[f"proba_{one}" for one in NAMES]).assign(label=WORDS)
    frame.to_csv(tmp_path / "scores.csv", index=False)
    frame.to_csv(tmp_path / "scores.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "scores.parquet")
    scores = {f"proba_{one}": P[:, k] for k, one in enumerate(NAMES)}
    np.savez(tmp_path / "scores.npz", **scores, label=WORDS)
    for name in ("scores.csv", "scores.tsv", "scores.parquet", "scores.npz"):
        assert table_of(tmp_path / name) == SCORES
    lines = (
        json.dumps({"probs": p, "label": one, "label_count": v})
        for p, one, v in zip(P.tolist(), WORDS.tolist(), VOTES.tolist(), strict=True)
    )
    (tmp_path / "lists.jsonl").write_text("\n".join(lines))
    pl.read_ndjson(tmp_path / "lists.jsonl").write_parquet(tmp_path / "lists.parquet")
    for name in ("lists.jsonl", "lists.parquet"):
        assert table_of(tmp_path / name, score="probs") == SCORES
        assert table_of(tmp_path / name, counts="label_count", classes=NAMES) == COUNTED


def test_many_columns_in_duckdb_may_be_decimals_booleans_and_huge_numbers():
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql(
        "select * from (values (0.25::decimal(4, 2), true, 3::hugeint, 'a'), "
        "(1.5::decimal(4, 2), false, 0::hugeint, 'b')) as t(a, b, c, label)"
    )
    found = table_of(rows, score=["a", "b", "c"], label="label")
    assert found == ef.ScoreTable.from_arrays(
        [[0.25, 1, 3], [1.5, 0, 0]], ["a", "b"], classes=["a", "b", "c"]
    )


@pytest.mark.parametrize("bad", ["c0", "c2", "c4"])
def test_of_very_many_columns_a_bad_one_is_named(bad, monkeypatch):
    monkeypatch.setattr("errorfloor.data.rows._FEW_COLUMNS", 3)
    columns = [f"c{k}" for k in range(5)]
    frame = pd.DataFrame(np.full((4, 5), 0.5), columns=columns).assign(label=columns[:4])
    frame.loc[2, bad] = np.inf
    said = error_of(reading, frame, score=columns, label="label")
    assert said == (
        f"`score` (column '{bad}') must be finite numbers: 1 of 4 are bad, for example inf. Drop "
        "infinite values and convert text to numbers first."
    )
    frame.loc[2, bad] = np.nan
    said = error_of(reading, frame, score=columns, label="label")
    assert said.startswith("`score` has missing values: 1 of 4 rows. Fill them in, or pass")
    assert table_of(frame, score=columns, label="label", drop_missing=True).n == 3


def test_columns_are_guessed_where_their_names_leave_no_doubt():
    plain = pd.DataFrame(P, columns=[*NAMES])
    for prefix in ("proba_", "prob_", "p_", "score_", "logit_"):
        frame = plain.add_prefix(prefix).assign(y=WORDS)
        assert table_of(frame) == SCORES
        assert table_of(frame, label="y") == SCORES
    votes = pd.DataFrame(VOTES, columns=[*NAMES])
    for prefix in ("n_", "count_", "votes_"):
        assert table_of(votes.add_prefix(prefix)) == COUNTED
    assert table_of(plain.add_prefix("soft_")) == SOFT
    both = pd.concat([plain.add_prefix("p_"), plain.add_prefix("logit_")], axis=1)
    assert "Cannot tell which columns" in error_of(reading, both.assign(y=WORDS))
    beside = votes.add_prefix("n_").assign(score=P[:, 0], label=YES)  # whose names are surer
    assert table_of(beside) == BINARY
    numbers = pd.DataFrame({"n_positive": [1, 2], "n_votes": [3, 3]})  # have names of their own
    assert table_of(numbers) == ef.VoteTable.from_arrays([1, 2], 3)


# Classes of votes


def test_classes_order_votes_and_may_name_some_that_nobody_voted_for():
    item, vote = long_votes()
    frame = pd.DataFrame({"item": item, "worker": np.arange(len(item)), "vote": vote})
    assert table_of(frame).classes == NAMES
    assert without_people(table_of(frame)) == COUNTED
    turned = table_of(frame, classes=["cow", "dog", "cat", "bird"])
    assert turned.classes == ("cow", "dog", "cat", "bird")
    assert (turned.counts @ turned.votes).tolist() == [0, *VOTES.sum(axis=0).tolist()[::-1]]
    assert "has 'dog', which is not one of the classes bird, cat" in error_of(
        reading, frame, classes=["bird", "cat"]
    )
    code = frame.assign(vote=[NAMES.index(one) for one in vote])
    assert without_people(table_of(code, classes=NAMES)) == COUNTED
    assert table_of(frame, positive="cat").classes == ("0", "1")
    words = frame.assign(vote=np.where(frame.vote == "dog", "b", "a"))
    two = reading(words)
    assert two.source.facts["classes"] == {"1": ["b"], "0": ["a"]}
    assert two.table == table_of(words, positive="b") == table_of(words, classes=["a", "b"])


def test_a_third_value_far_down_makes_a_third_class():
    item = np.repeat(np.arange(1500), 2)
    vote = np.r_[RNG.integers(0, 2, size=2999), 2]
    frame = pd.DataFrame({"item": item, "worker": np.tile([1, 2], 1500), "vote": vote})
    found = reading(frame)
    assert found.table.classes == ("0", "1", "2")
    assert found.source.facts["classes"][2] == ["2", 1]


@pytest.mark.parametrize(
    ("vote", "words"),
    [
        ([0.5, 1, 2, 1], "numbers that are no classes, such as 0.5"),
        (["a;b", "a", "b", "b"], "several labels in one entry, 'a;b'"),
        ([["a"], ["b"], ["a", "b"], ["a"]], "several labels in one entry"),
        (["0", "1", "skip", "1"], "must be 0 or 1"),
        (["a", "a", "a", "a"], "holds words: a."),
        ([3, 3, 3, 3], "holds numbers: 3."),
    ],
)
def test_votes_that_are_no_classes_are_refused(vote, words):
    frame = pd.DataFrame({"item": [1, 1, 2, 2], "worker": [1, 2, 1, 2], "vote": vote})
    assert words in error_of(reading, frame)


def test_too_many_values_are_no_classes():
    frame = pd.DataFrame({"item": range(1100), "worker": 1, "vote": range(1100)})
    assert "more than 1,000 different values" in error_of(reading, frame)


@pytest.mark.parametrize(
    ("change", "where", "words"),
    [
        ({"p_b": [0.5, np.inf]}, {}, "`score` (column 'p_b') must be finite numbers: 1 of 2"),
        ({"label": ["a", "x"]}, {}, "which is not one of the classes a, b, c that the columns"),
        ({"label": [["a"], ["b"]]}, {}, "several labels in one entry"),
        ({}, {"positive": "a"}, "`positive` goes with one column"),
        ({}, {"score": ["p_a", "p_a"], "label": "label"}, "has a column twice"),
        ({}, {"score": "p_a*", "label": "label"}, "needs two columns or more"),
        ({}, {"score": "q_*", "label": "label"}, "is called 'q_*'"),
        ({}, {"counts": "p_a"}, "must be a column for each class, or hold lists"),
        ({}, {"counts": "p_*"}, "`counts` (column 'p_a') must be whole numbers"),
        ({}, {"soft": "p_*", "positive": "a"}, "Leave it out"),
        ({"p_a": [0.5, 0.5]}, {"soft": "p_*"}, "`soft` of an item must add up to 1"),
        ({"p_a": [-0.5, 0.5]}, {"soft": "p_*"}, "`soft` (column 'p_a') must lie in [0, 1]"),
    ],
)
def test_what_is_wrong_with_columns_of_classes_is_said(change, where, words):
    columns = {"p_a": [0.2, 0.3], "p_b": [0.5, 0.5], "p_c": [0.3, 0.2], "label": ["a", "b"]}
    assert words in error_of(reading, pd.DataFrame({**columns, **change}), **where)


def test_items_without_votes_are_refused_or_left_out():
    counts = pd.DataFrame({"n_a": [1, 0], "n_b": [0, 0], "n_c": [2, 0]})
    assert "1 of 2 rows are items without any vote" in error_of(reading, counts)
    holes = counts.assign(n_b=[1, None])
    assert "has missing values: 1 of 2" in error_of(reading, holes)
    assert table_of(holes, drop_missing=True).dropped == 1


# Tables


@pytest.mark.parametrize("table", [SCORES, SOFT, COUNTED], ids=lambda table: table.kind)
def test_tables_add_save_load_and_have_an_empty_one(table, tmp_path):
    kind = type(table)
    assert kind.empty() + table == table + kind.empty() == table + kind.empty(NAMES) == table
    assert (kind.empty().without(4) + table).dropped == 4
    table.save(tmp_path / "one.npz")
    assert kind.load(tmp_path / "one.npz") == table
    assert ef.merge([tmp_path / "one.npz"]) == table
    assert (table + table).n == 2 * table.n
    assert len(table + table) == len(table)
    if kind is not ef.VoteTable:
        assert table.coarsen(4) is table
        assert not table.coarse.any()
    other = kind.empty(("x", "y", "z")).without(1)
    with pytest.raises(ValueError, match="different classes: bird, cat, dog, and x, y, z"):
        table + other


def test_a_saved_table_of_many_classes_answers_as_its_arrays_do(tmp_path):
    SCORES.save(tmp_path / "x.npz")
    found = ef.from_scores(tmp_path / "x.npz", rng=0)
    assert found.table == SCORES
    assert found.interval == ef.from_scores(P, WORDS, rng=0).interval


def test_rows_that_all_lack_something_are_refused():
    frame = pd.DataFrame({"score": [0.1, None], "label": [None, 1]})
    for drop in (False, True):
        said = error_of(ef.from_scores, frame, drop_missing=drop)
        assert said == "Something is missing in each of the 2 rows. Check the columns."


def test_parts_of_scores_add_up_to_the_whole():
    rows = RNG.integers(1, 4, size=(300, 3)).astype(float)
    label = RNG.integers(0, 3, size=300)
    parts = (ef.ScoreTable.from_arrays(rows[i::3], label[i::3]) for i in range(3))
    assert sum(parts, ef.ScoreTable.empty()) == ef.ScoreTable.from_arrays(rows, label)


def test_large_tables_keep_small_counts_and_are_not_copied():
    rows = RNG.random((45_000, 100))
    table = ef.ScoreTable.from_arrays(rows, RNG.integers(0, 100, size=45_000))
    assert table.counts.dtype == np.int32
    assert table.n == 45_000
    assert table.cells().count.dtype == np.int64
    assert (table + table).n == 90_000
    frozen = np.asfortranarray(table.scores)
    frozen.setflags(write=False)
    assert ef.ScoreTable(frozen, table.counts, classes=table.classes).scores is frozen
    negative = np.array([[-0.0, 1.0], [2.0, 3.0]], order="F")[:, [0, 1, 1]]
    negative = np.asfortranarray(negative)
    negative.setflags(write=False)
    zero = ef.ScoreTable(negative, np.ones((2, 3), dtype=int)).scores[0, 0]
    assert not np.signbit(zero)


def test_rows_that_would_not_fit_are_refused_before_they_are_read(monkeypatch, tmp_path):
    frame = pd.DataFrame(P, columns=[f"proba_{one}" for one in NAMES]).assign(label=WORDS)
    frame.to_parquet(tmp_path / "scores.parquet")
    need = rows.bytes_needed(N, 3)
    monkeypatch.setattr(rows, "bytes_free", lambda: need - 1)
    said = error_of(reading, tmp_path / "scores.parquet")
    assert "has 150 rows of 3 classes, which take about 0.0 GB" in said
    assert "Take a sample of the rows" in said
    assert "rows of 3 classes" in error_of(reading, frame, soft="proba_*")
    monkeypatch.setattr(rows, "bytes_free", lambda: need)
    assert table_of(tmp_path / "scores.parquet") == SCORES
    assert rows.bytes_needed(10**7, 10) < 3e9  # what ten million rows of ten classes may take


def test_a_system_that_does_not_say_how_much_memory_it_has_is_not_limited(monkeypatch):
    def silent(*_, **__):
        raise OSError

    monkeypatch.setattr(rows, "open", silent, raising=False)
    assert rows.bytes_free() == 0.9 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.delattr(os, "sysconf")  # as on Windows
    assert rows.bytes_free() == np.inf
    frame = pd.DataFrame(P, columns=NAMES).assign(label=WORDS)
    assert table_of(frame, score=NAMES, label="label") == SCORES


def test_free_memory_is_what_the_machine_and_the_container_leave():
    assert 0 < rows.bytes_free() < 1e15


@pytest.mark.parametrize(("number", "most"), [(3, 5), (100, 10), (1000, 3), (5, 2**40)])
def test_votes_are_packed_into_numbers_and_taken_out_again(number, most):
    votes = RNG.integers(0, most, size=(20, number))
    base = int(votes.max()) + 1
    frame = pl.DataFrame({f"c{k}": votes[:, k] for k in range(number)})
    import narwhals as nw

    exprs = rows.packed_counts([nw.col(f"c{k}") for k in range(number)], base)
    found = nw.from_native(frame).select(*exprs)
    columns = {name: found[name].to_numpy() for name in rows.packed_names(number, base)}
    assert (rows.unpacked(columns, number, base) == votes).all()


@pytest.mark.parametrize("name", ["polars", "duckdb"])
def test_a_hundred_classes_are_counted_in_engines(name):
    names = [f"class {k:02}" for k in range(100)]
    code = RNG.integers(0, 100, size=(80, 4))
    code[:, 1] = code[:, 0]
    expected = ef.VoteTable.from_arrays(
        np.array([np.bincount(row, minlength=100) for row in code]), classes=names
    )
    words = np.array(names)[code]
    wide = ENGINES[name]({f"rater{a}": ("text", words[:, a].tolist()) for a in range(4)})
    found = table_of(wide, classes=names)
    assert without_people(found) == expected
    long = {
        "item": ("int64", np.repeat(np.arange(80), 4).tolist()),
        "vote": ("text", words.ravel().tolist()),
        "worker": ("text", [f"rater{a}" for a in range(4)] * 80),
    }
    assert table_of(ENGINES[name](long), classes=names) == found


def test_items_are_kept_with_their_votes_for_each_class():
    item, vote = long_votes()
    for data, where in (
        (pd.DataFrame({"item": item, "vote": vote}), {"item": "item", "vote": "vote"}),
        (pd.DataFrame(VOTES, columns=[f"n_{one}" for one in NAMES]), {}),
        (None, {"counts": VOTES, "classes": NAMES}),
    ):
        keeper = KeptVotes()
        found = read(data, keeper.layouts, ReadOptions.of(**where))
        kept = keeper.items_of(found)
        assert found.table == COUNTED
        assert (kept.votes == VOTES).all()
        assert kept.classes == NAMES


# Names, and the command line


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (["proba_cat", "proba_cow"], ("cat", "cow")),
        (["n_1", "n_12"], ("1", "12")),
        (["cat votes", "dog votes"], ("cat", "dog")),
        (["p(a)", "p(b)"], ("a", "b")),
        (["cat", "cow"], ("cat", "cow")),
        (["p_", "p_a"], ("p_", "p_a")),
        (["p_new_york", "p_new_jersey"], ("york", "jersey")),
    ],
)
def test_classes_are_called_what_columns_do_not_share(columns, names):
    assert names_of_columns(columns) == names


def test_long_lists_of_classes_are_cut():
    said = described_many([[str(k), k] for k in range(20)], "votes")
    assert said == "20 classes: 0, 0 votes; 1, 1; 2, 2; 3, 3; 4, 4; 5, 5; and 14 more"


def test_the_command_line_names_classes_and_columns(tmp_path):
    frame = pd.DataFrame(P, columns=[f"proba_{one}" for one in NAMES]).assign(label=WORDS)
    path = tmp_path / "scores.csv"
    frame.to_csv(path, index=False)

    def run(*words):
        return CliRunner().invoke(cli, ["count", str(path), *words, "-o", str(tmp_path / "t.npz")])

    for words in (
        [],
        ["--score", "proba_*", "--label", "label"],
        ["--score", "proba_bird,proba_cat,proba_dog", "--classes", "bird,cat,dog"],
        ["--score", "proba_*", *itertools.chain(*(("--classes", one) for one in NAMES))],
    ):
        ran = run(*words)
        assert ran.exit_code == 0, ran.output
        assert ef.ScoreTable.load(tmp_path / "t.npz") == SCORES
        counts = np.bincount(CODE)
        listed = f"3 classes: bird, {counts[0]} items; cat, {counts[1]}; dog, {counts[2]}"
        assert f"note: {listed}" in ran.stderr
    ran = run("--classes", "bird,cat,dog", "--positive", "cat")
    assert ran.exit_code == 2
    assert "--classes asks about all classes, and --positive about one side" in ran.stderr
    ran = run("--classes", "bird,cat,cow")
    assert ran.exit_code == 1
    assert "--label (column 'label') has 'dog', which is not one of the classes" in ran.stderr


def test_frames_take_columns_of_classes():
    frame = pd.DataFrame(P, columns=[f"proba_{one}" for one in NAMES])
    frame[[f"n_{one}" for one in NAMES]] = VOTES
    frame = frame.assign(label=WORDS, site=np.arange(N) % 2)
    named = {"score": "proba_*", "label": "label"}
    assert frames.score_table(frame, **named) == SCORES
    assert frames.soft_table(frame, soft="proba_*", classes=NAMES) == SOFT
    assert frames.vote_table(frame, counts=[f"n_{one}" for one in NAMES]) == COUNTED
    parts = frames.score_tables(frame, **named, group="site").values()
    assert sum(parts, ef.ScoreTable.empty()) == SCORES
    parts = frames.vote_tables(frame, counts="n_*", group="site").values()
    assert sum(parts, ef.VoteTable.empty()) == COUNTED
    said = error_of(frames.score_table, frame, **named, classes=NAMES, positive="cat")
    assert "`classes` asks about all classes" in said


@pytest.mark.parametrize("shape", [(5, 1), (0, 3)])
def test_votes_need_items_and_two_columns(shape):
    with pytest.raises(ef.InputError, match="`votes` must have a row for each item and a column"):
        ef.from_votes(np.ones(shape, dtype=int))


# Probabilities that were rounded


def rounded(decimals, classes=3, n=400):
    shares = np.random.default_rng(4).dirichlet([0.5] * classes, n)
    return shares, shares.round(decimals)


def frame_of(rows):
    return pd.DataFrame(rows, columns=[f"p_{name}" for name in "abcdefgh"[: rows.shape[1]]])


@pytest.mark.parametrize(("decimals", "classes"), [(3, 3), (2, 2), (2, 8), (4, 5), (1, 2)])
@pytest.mark.parametrize("kind", ["array", "float32", "frame", "named", "lists", "file"])
def test_rounded_probabilities_are_divided_by_their_sum(tmp_path, decimals, classes, kind):
    _, rows = rounded(decimals, classes)
    if classes == 2:
        rows[:, 1] = (1 - rows[:, 0]).round(decimals)
        rows[::7, 1] -= (rows[::7, 1] > 0.5) * 10.0**-decimals
    off = int((np.abs(rows.sum(axis=1) - 1) > 1e-6).sum())
    assert off > 0
    true = ef.from_soft_labels(rows / rows.sum(axis=1, keepdims=True), interval=None)
    how = {"soft": [*frame_of(rows)]} if kind == "named" else {}
    data = rows.astype(np.float32) if kind == "float32" else rows
    if kind in ("frame", "named", "file"):
        data = frame_of(rows.round(decimals)).assign(id=np.arange(len(rows)))
    if kind == "lists":
        data = pd.DataFrame({"soft": [[*map(float, one)] for one in rows.round(decimals)]})
    if kind == "file":
        data.to_csv(tmp_path / "soft.csv", index=False)
        data = tmp_path / "soft.csv"
    found = ef.from_soft_labels(data, interval=None, **how)
    assert found.value == pytest.approx(true.value, abs=1e-6)
    assert found.source.facts["divided"] == off
    told = [one for one in found.findings if one.name == "Rounded probabilities"]
    assert [one.level for one in told] == ["note"]
    assert told[0].sentence.startswith(f"The probabilities of {off} items add up to 1 but for the")


@pytest.mark.parametrize("data", ["array", "frame"])
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        # Three decimals of three classes may be off by 0.0015.
        ([[0.585, 0.414, 0.003], [0.5, 0.25, 0.25]], r"row 0 is 1\.002 \(1 of 2 are bad\)"),
        ([[0.12345678, 0.5, 0.376], [0.5, 0.25, 0.25]], r"row 0 is 0\.99945678 \("),
        ([[0.5, 0.5, 0.0], [0.3, 0.3, 0.2]], r"row 1 is 0\.8 \("),  # which is off by 0.15 at most
        ([[1, 0, 0], [0, 0, 0]], r"row 1 is 0\.0 \("),
        ([[0.5, 0.5], [0.7, 0.5]], r"row 1 is 1\.2 \("),
    ],
)
def test_sums_that_rounding_does_not_explain_are_refused(data, rows, said):
    rows = np.array(rows, dtype=float)
    given = {"soft": [*frame_of(rows)]} if data == "frame" else {}
    with pytest.raises(ef.InputError, match=f"must add up to 1: the sum of {said}"):
        ef.from_soft_labels(frame_of(rows) if data == "frame" else rows, **given)


def test_a_dataframe_of_probabilities_alone_needs_no_names():
    shares, rows = rounded(3)
    frame = frame_of(rows)
    found = ef.from_soft_labels(frame, interval=None)
    assert found.source.columns == {"soft": ("p_a", "p_b", "p_c")}
    assert found.classes == ("a", "b", "c")
    assert ef.look(frame).next == ("ef.from_soft_labels(df, soft=['p_a', 'p_b', 'p_c'])",)
    assert ef.from_soft_labels(shares, interval=None).value == pytest.approx(found.value, abs=1e-3)
    for other in (frame.assign(x=0.5), frame.assign(x=np.arange(len(frame)) % 3), frame[["p_a"]]):
        with pytest.raises(ef.InputError, match="Cannot tell which") as raised:
            ef.from_soft_labels(other)
        assert "`soft=['COL', 'COL', 'COL']`" in str(raised.value)
