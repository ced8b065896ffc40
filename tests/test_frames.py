"""Any dataframe and any file give the table that arrays give."""

import contextlib
import gzip
import itertools
import json
import threading
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import engines
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import answer
from hypothesis import given
from hypothesis import strategies as st

import errorfloor as ef
from errorfloor import frames
from errorfloor.data import arrays as _refining
from errorfloor.data import engines as _engines
from errorfloor.data import files, formats, read_rows
from errorfloor.data import matrices as _grid
from errorfloor.data import rows as _counting
from errorfloor.data.matrices import cell_of
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture

N = 400
RNG = np.random.default_rng(20261115)
SCORES = np.round(RNG.random(N), 2)
LABELS = RNG.random(N) < SCORES
SITES = RNG.choice(["north", "south", "west"], size=N)

# How scores and labels may come: the kinds of both columns and their values.
KINDS = {
    "floats and integers": ("float64", SCORES.tolist(), "int64", LABELS.astype(int).tolist()),
    "32-bit floats and booleans": (
        "float32",
        SCORES.astype(np.float32).tolist(),
        "bool",
        LABELS.tolist(),
    ),
    'decimals and "0", "1"': (
        "decimal",
        [Decimal(f"{score:.4f}") for score in SCORES],
        "text",
        ["1" if label else "0" for label in LABELS],
    ),
    'text and "True", "false"': (
        "text",
        [f" {score!r} " for score in SCORES.tolist()],
        "text",
        ["True" if label else "false" for label in LABELS],
    ),
}


def columns(kind="floats and integers", **more):
    score_kind, scores, label_kind, labels = KINDS[kind]
    sites = ("text", SITES.tolist())
    return {"a score": (score_kind, scores), "y": (label_kind, labels), "site": sites, **more}


def with_entry(values, **entries):
    values = list(values)
    for where, value in entries.items():
        values[int(where.strip("_"))] = value
    return values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_gives_the_table_of_the_same_arrays(engine, kind):
    frame = engines.ENGINES[engine](columns(kind))
    scores = SCORES.astype(np.float32) if kind.startswith("32-bit") else SCORES
    expected = ef.ScoreTable.from_arrays(scores, LABELS)
    assert frames.score_table(frame, score="a score", label="y") == expected


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_what_is_missing_and_what_is_bad(engine):
    scores = with_entry(SCORES.tolist(), _3=None, _7=None, _9=float("nan"))
    labels = with_entry(LABELS.astype(int).tolist(), _7=None, _11=None)
    missing = engines.ENGINES[engine](
        columns() | {"a score": ("float64", scores), "y": ("int64", labels)}
    )
    with pytest.raises(ValueError, match=r"`score` \(column 'a score'\) has missing .*: 3 of 400"):
        frames.score_table(missing, score="a score", label="y")
    table = frames.score_table(missing, score="a score", label="y", drop_missing=True)
    kept = ~np.isin(np.arange(N), [3, 7, 9, 11])
    expected = ef.ScoreTable.from_arrays(SCORES[kept], LABELS[kept])
    assert table.dropped == 4
    assert table + ef.ScoreTable.empty() == table
    assert answer(ef.from_scores(table, rng=0)) == (
        answer(ef.from_scores(expected, rng=0)) | {"dropped": 4}
    )

    infinite = engines.ENGINES[engine](
        columns() | {"a score": ("float64", with_entry(SCORES.tolist(), _5=float("-inf")))}
    )
    with pytest.raises(ValueError, match=r"finite numbers: 1 of 400 are bad, for example -inf"):
        frames.score_table(infinite, score="a score", label="y")


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_labels_that_are_none(engine):
    wrong = with_entry(LABELS.astype(int).tolist(), _3=2, _4=2)
    words = ["cat" if label else "dog" for label in LABELS]
    frame = engines.ENGINES[engine](columns(word=("text", words)) | {"y": ("int64", wrong)})
    with pytest.raises(ValueError, match=r"`label` \(column 'y'\) must be 0 or 1.*: 2 of 400.* 2"):
        frames.score_table(frame, score="a score", label="y")
    with pytest.raises(ValueError, match=r"holds words: cat, dog"):
        frames.score_table(frame, score="a score", label="word")
    table = frames.score_table(frame, score="a score", label="word", positive="cat")
    assert table == ef.ScoreTable.from_arrays(SCORES, LABELS)
    with pytest.raises(ValueError, match=r"`positive` is 'bird', but .* has only: '(cat|dog)'"):
        frames.score_table(frame, score="a score", label="word", positive="bird")


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_missing_labels_where_the_positive_one_is_named(engine):
    words = with_entry(["cat" if label else "dog" for label in LABELS], _3=None, _7=None)
    numbers = with_entry(LABELS.astype(float).tolist(), _3=float("nan"), _7=None)
    frame = engines.ENGINES[engine](columns(word=("text", words), number=("float64", numbers)))
    kept = ~np.isin(np.arange(N), [3, 7])
    expected = ef.ScoreTable.from_arrays(SCORES[kept], LABELS[kept])
    for label, positive in (("word", "cat"), ("number", 1)):
        how = {"score": "a score", "label": label, "positive": positive}
        with pytest.raises(ValueError, match=r"`label` .* has missing values: 2 of 400 rows"):
            frames.score_table(frame, **how)
        table = frames.score_table(frame, **how, drop_missing=True)
        assert table.dropped == 2
        assert table + ef.ScoreTable.empty() == expected + _dropped(2)


def _dropped(number):
    return replace(ef.ScoreTable.empty(), dropped=number)


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_knows_the_positive_one_of_two_booleans(engine):
    frame = engines.ENGINES[engine](columns("32-bit floats and booleans"))
    for positive in (True, "true"):
        table = frames.score_table(frame, score="a score", label="y", positive=positive)
        assert table == ef.ScoreTable.from_arrays(SCORES.astype(np.float32), LABELS)


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_by_group_in_one_go(engine):
    frame = engines.ENGINES[engine](columns())
    tables = frames.score_tables(frame, score="a score", label="y", group="site")
    assert list(tables) == ["north", "south", "west"]
    for site, table in tables.items():
        own = np.equal(SITES, site)
        assert table == ef.ScoreTable.from_arrays(SCORES[own], LABELS[own])


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_what_is_left_out_of_groups_and_what_has_none(engine):
    # One group is lost as a whole, and two rows have no group.
    scores = [0.1, None, 0.3, 0.4, None, None, 0.7]
    sites = ["a", "a", "a", None, "b", None, "a"]
    labels = [0, 0, 1, 1, 1, 1, 1]
    frame = engines.ENGINES[engine](
        {"p": ("float64", scores), "y": ("int64", labels), "g": ("text", sites)}
    )
    named = {"score": "p", "label": "y", "group": "g", "interval": None}
    found = ef.from_scores(frame, **named, drop_missing=True)
    assert {group: (row.n, row.dropped) for group, row in found.items()} == {"a": (3, 1)}
    assert found.dropped == 4
    assert found.to_dict()["dropped"] == 4


TIMES = {
    "days": ([date(2026, 11, 14), date(2026, 11, 15)], "2026-11-14"),
    "nanoseconds": (np.array(["2026-11-14", "2026-11-15"], "M8[ns]"), "2026-11-14 00:00:00"),
    "zones": (
        [datetime(2026, 11, day, tzinfo=UTC) for day in (14, 15)],
        "2026-11-14 00:00:00+00:00",
    ),
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_groups_may_be_dates_and_times(engine, kind, monkeypatch):
    import duckdb
    import polars as pl
    import pyarrow as pa

    values, name = TIMES[kind]
    scores, labels = RNG.random(200), RNG.integers(2, size=200)
    times = pa.array(values).take(pa.array(np.arange(200) % 2))
    table = pa.table({"p": scores, "y": labels, "day": times})
    make = {"pandas": pa.Table.to_pandas, "polars": pl.from_arrow, "pyarrow": lambda t: t}
    frame = make.get(engine, duckdb.connect().from_arrow)(table)
    monkeypatch.setattr(_grid, "EXACT", 50)  # so that a second pass asks for the groups
    cut = {"method": "isotonic", "interval": None}  # its second pass leaves the value exact
    found = ef.from_scores(frame, score="p", label="y", group="day", **cut)
    assert next(map(str, found)) == name
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["group"] == name
    assert [row.value for row in found.values()] == [
        ef.from_scores(scores[part::2], labels[part::2], **cut).value for part in (0, 1)
    ]


def test_half_precision_and_128_bits_are_read():
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    half = SCORES.astype(np.float16)
    expected = ef.ScoreTable.from_arrays(half, LABELS)
    wide = pl.DataFrame({"p": half.astype(float), "y": LABELS}).with_columns(
        pl.col("y").cast(pl.Int128)
    )
    for frame in (
        pd.DataFrame({"p": half, "y": LABELS}),
        pa.table({"p": pa.array(half), "y": LABELS}),
        wide,
    ):
        assert frames.score_table(frame, score="p", label="y") == expected


def test_columns_of_lists_and_names_that_are_no_text_are_refused():
    import pandas as pd
    import polars as pl

    frame = pl.DataFrame({"p": [[0.1], [0.2]], "y": [0, 1]})
    with pytest.raises(ValueError, match=r"`score` \(column 'p'\) must hold lists of one length"):
        frames.score_table(frame, score="p", label="y")
    with pytest.raises(
        ValueError, match=r"`score` must be one of the columns 0, 1; got 0.* Give the columns"
    ):
        frames.score_table(pd.DataFrame({0: [0.1], 1: [1]}), score=0, label=1)


NUMBERED = pd.DataFrame({0: [0.1, 0.9], 1: [0, 1], "g": ["a", "b"]})


@pytest.mark.parametrize(
    "call",
    [
        lambda: ef.from_scores(NUMBERED),
        lambda: ef.from_scores(NUMBERED, score=0, label=1),
        lambda: ef.from_scores(NUMBERED, score="0", label="1"),
        lambda: ef.from_scores(NUMBERED, group=0),
        lambda: ef.from_votes(NUMBERED, annotators=[0, 1]),
        lambda: frames.soft_tables(NUMBERED, soft="g", group=1),
    ],
)
def test_columns_whose_names_are_no_text_are_refused_with_how_to_rename_them(call):
    with pytest.raises(ef.InputError, match=r"names that are text first, such as by frame\.rename"):
        call()
    named = ef.from_scores(NUMBERED.rename(columns=str), score="0", label="1", interval=None)
    assert named.n == 2


def test_a_list_in_place_of_the_name_of_the_groups_is_refused():
    with pytest.raises(
        ef.InputError, match=r"must be the name of one column, as text; got \['g'\]"
    ):
        ef.from_scores(NUMBERED, group=["g"])
    with pytest.raises(
        ef.InputError, match=r"`group` must be the name of a column, .* group='group'"
    ):
        ef.from_scores(NUMBERED, group=["g", "h"])


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, {1}, np.array([1])])
def test_groups_and_items_that_are_several_values_are_refused_or_left_alone(value):
    frame = pd.DataFrame({"p": [0.1, 0.9], "y": [0, 1], "item": [value, value]})
    with pytest.raises(ef.InputError, match=r"`group` \(column 'item'\) holds several values in"):
        ef.from_scores(frame, group="item")
    assert ef.from_scores(frame, interval=None).n == 2


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_positive_class_of_another_type_than_the_column_is_refused_by_name(make):
    frame = make({"p": [0.1, 0.9], "y": [0, 1], "t": ["0", "1"]})
    for positive in ("1", 1, 1.0, np.int64(1), True):
        assert (
            frames.score_table(frame, score="p", label="y", positive=positive).positives.sum() == 1
        )
    for positive in ("1", 1):
        assert (
            frames.score_table(frame, score="p", label="t", positive=positive).positives.sum() == 1
        )
    for positive in ("x", [1], {"a": 1}, b"1", object, 10**400, float("inf"), ("x",)):
        for label in ("y", "t"):
            with pytest.raises(ef.InputError, match=rf"`positive` is .*column '{label}'.* only: "):
                frames.score_table(frame, score="p", label=label, positive=positive)


def wide_text(delimiter):
    names = ["p", "y", "it's", "a,b", *(f"c{i}" for i in range(300))]
    rows = [names, *([str(i / 10), str(i % 2), "NA", "x;y"] + ["1"] * 300 for i in range(9))]
    return "\n".join(delimiter.join(f'"{one}"' for one in row) for row in rows)


@pytest.mark.parametrize(("name", "delimiter"), [("x.csv", ","), ("x.csv", ";"), ("x.tsv", "\t")])
@pytest.mark.parametrize("packed", [False, True])
def test_a_wide_file_is_read_like_a_narrow_one(tmp_path, name, delimiter, packed):
    text = wide_text(delimiter).encode()
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(text) if packed else text)
    expected = ef.ScoreTable.from_arrays(np.arange(9) / 10, np.arange(9) % 2)
    assert frames.score_table(path, score="p", label="y") == expected
    assert ef.from_scores(path, interval=None).n == 9
    kinds = frames.columns(path)
    assert list(kinds)[:4] == ["p", "y", "it's", "a,b"]
    assert kinds["it's"] == "text"  # of which there is nothing
    path.write_bytes(
        gzip.compress(text.replace(b"c7", b"p", 1)) if packed else text.replace(b"c7", b"p", 1)
    )
    with pytest.raises(ef.InputError, match="it has 2 columns called 'p'"):
        frames.score_table(path, score="p", label="y")


def test_how_a_wide_file_is_written_is_found_out_once(tmp_path):
    (tmp_path / "x.csv").write_text(wide_text(","))
    connection = files.connect(str(tmp_path))
    call = formats.format_called("csv").call(connection, [formats.file_at(str(tmp_path / "x.csv"))])
    connection.close()
    assert "auto_detect = false" in call
    assert "union_by_name" not in call


VOTES = RNG.integers(2, size=(120, 3))
VOTED = RNG.random((120, 3)) < 0.8
VOTED[:, 0] = True
VOTE_TABLE = ef.VoteTable.from_arrays((VOTES * VOTED).sum(axis=1), VOTED.sum(axis=1))


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_a_positive_vote_that_nobody_cast_is_refused_in_every_layout(engine):
    words = ("text", ["YES", "no", None])
    frame = engines.ENGINES[engine]({"i": ("int64", [1, 2, 3]), "ann": words, "bob": words})
    for layout in ({"annotators": ["ann", "bob"]}, {"item": "i", "vote": "ann"}):
        with pytest.raises(ValueError, match="`positive` is 'Yep', but"):
            frames.vote_table(frame, **layout, positive="Yep", drop_missing=True)
    found = frames.vote_table(frame, item="i", vote="ann", positive="yes", drop_missing=True)
    assert found.positives.sum() == 1
    with pytest.raises(ValueError, match="`annotators` has a column twice"):
        frames.vote_table(frame, annotators=["ann", "ann"])


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_reads_votes_in_three_layouts(engine):
    make = engines.ENGINES[engine]
    item, annotator = np.nonzero(VOTED)
    counted = make(
        {
            "k": ("int64", (VOTES * VOTED).sum(axis=1).tolist()),
            "m": ("float64", VOTED.sum(axis=1).astype(float).tolist()),
        }
    )
    assert frames.vote_table(counted, positives="k", totals="m") == VOTE_TABLE
    long = make(
        {
            "who": ("text", [f"ann-{i}" for i in annotator]),
            "what": ("int64", item.tolist()),
            "said": ("text", ["yes" if vote else "no" for vote in VOTES[VOTED]]),
        }
    )
    names = {"item": "what", "vote": "said", "annotator": "who", "positive": "yes"}
    found = frames.vote_table(long, **names)
    assert replace(found, by_group=None, workloads=None) == VOTE_TABLE
    wide = make(
        {
            f"ann-{i}": (
                "int64",
                [
                    int(v) if there else None
                    for v, there in zip(VOTES[:, i], VOTED[:, i], strict=True)
                ],
            )
            for i in range(3)
        }
    )
    annotators = ["ann-0", "ann-1", "ann-2"]
    assert frames.vote_table(wide, annotators=annotators) == found
    with pytest.raises(ValueError, match=r"\d+ of 120 rows have no vote at all in `annotators`"):
        frames.vote_table(wide, annotators=annotators[1:])
    some = frames.vote_table(wide, annotators=annotators[1:], drop_missing=True)
    voted = VOTED[:, 1:].any(axis=1)
    assert some.dropped == np.count_nonzero(~voted)
    assert some.n == np.count_nonzero(voted)


@pytest.mark.parametrize("spread", [1.0, 8.0], ids=["probabilities", "logits"])
@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_makes_the_same_cells_and_the_isotonic_answer_exact(
    engine, spread, monkeypatch
):
    monkeypatch.setattr(_grid, "EXACT", 100)
    rng = np.random.default_rng(5)
    scores = rng.random(600) if spread == 1 else rng.normal(0, spread, 600)
    labels = rng.random(600) < (scores if spread == 1 else 1 / (1 + np.exp(-scores)))
    frame = engines.ENGINES[engine](
        {"p": ("float64", scores.tolist()), "y": ("bool", labels.tolist())}
    )
    exact = ef.ScoreTable.from_arrays(scores, labels)
    first = frames.score_table(frame, score="p", label="y", cells=64, refine=False)
    assert first == exact.coarsen(64)
    assert 0 < first.cut_resolution < 0.05
    table = frames.score_table(frame, score="p", label="y", cells=64)
    assert table.n == 600
    assert table.coarse.any()
    estimate = ef.from_scores(table, method="isotonic", rng=0)
    assert estimate.resolution == 0
    assert estimate.value == ef.from_scores(exact, method="isotonic", interval=None).value
    assert "which leaves this value exact" in estimate.assumptions


@pytest.mark.parametrize("spread", [1.0, 8.0], ids=["probabilities", "logits"])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_rows_that_fit_into_memory_give_the_table_that_duckdb_counts(
    kind, spread, tmp_path, monkeypatch
):
    rng = np.random.default_rng(5)
    scores = (rng.random(600) if spread == 1 else rng.normal(0, spread, 600)).astype(kind)
    labels = rng.random(600) < (scores if spread == 1 else 1 / (1 + np.exp(-scores)))
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"p": scores, "y": labels}), file)
    for exact, cells, refine in itertools.product((100, 1000), (64, 2**16), (False, True)):
        how = {"score": "p", "label": "y", "cells": cells, "refine": refine}
        monkeypatch.setattr(_grid, "EXACT", exact)
        found = []
        for rows in (0, 599, 600):
            monkeypatch.setattr(_counting, "FEW_ROWS", rows)
            found.append(frames.score_table(file, **how))
        assert found[0] == found[1] == found[2]
        assert exact == 100 or not found[0].coarse.any()
        assert exact == 1000 or cells > 64 or found[0].coarse.any()
        arrays = ef.from_scores(scores, labels, rng=0)
        whole = ef.from_scores(file, score="p", label="y", rng=0)
        assert arrays.table == whole.table
        assert (arrays.value, arrays.interval) == (whole.value, whole.interval)


def test_cells_of_groups_are_made_exact_too(monkeypatch):
    monkeypatch.setattr(_grid, "EXACT", 50)
    rng = np.random.default_rng(6)
    scores, site = rng.random(900), rng.integers(3, size=900)
    labels = rng.random(900) < scores
    frame = engines.ENGINES["polars"](
        {
            "p": ("float64", scores.tolist()),
            "y": ("bool", labels.tolist()),
            "g": ("int64", site.tolist()),
        }
    )
    cut = {"method": "isotonic", "interval": None}
    floors = ef.from_scores(frame, score="p", label="y", group="g", **cut)
    for group, floor in floors.items():
        own = site == group
        assert floor.resolution == 0
        assert floor.value == ef.from_scores(scores[own], labels[own], **cut).value


def two_good_cuts():
    """Return scores, labels and a frame in which cuts at 1/4 and at 3/4 are equally good."""
    scores = (np.arange(4000) + 0.5) / 4000
    labels = ((scores > 0.25) & (scores < 0.5)) | (scores > 0.75)
    columns = {"p": ("float64", scores.tolist()), "y": ("bool", labels.tolist())}
    return scores, labels, engines.arrow(columns)


@pytest.mark.filterwarnings("ignore:Somewhere the probability falls")
def test_the_second_pass_leaves_out_what_lies_between_distant_cuts(monkeypatch):
    scores, labels, frame = two_good_cuts()
    monkeypatch.setattr(_grid, "EXACT", 100)
    first = frames.score_table(frame, score="p", label="y", cells=256, refine=False)
    wanted = first.may_hold_the_best_cut()
    assert len(_refining.unsure_ranges(first)) == 1
    monkeypatch.setattr(_refining, "MOST_REFINED", 1000)  # more lie between the two cuts
    ranges = _refining.unsure_ranges(first)
    assert len(ranges) > 1
    inside = [any(low <= s <= high for low, high in ranges) for s in first.scores]
    assert np.all(inside >= wanted)
    table = frames.score_table(frame, score="p", label="y", cells=256)
    cut = {"method": "isotonic", "interval": None}
    estimate = ef.from_scores(table, **cut)
    assert estimate.resolution == 0
    assert estimate.value == ef.from_scores(scores, labels, **cut).value


@pytest.mark.filterwarnings("ignore:Somewhere the probability falls")
def test_a_second_pass_over_too_many_scores_is_given_up_and_said(monkeypatch):
    _, _, frame = two_good_cuts()
    monkeypatch.setattr(_grid, "EXACT", 100)
    monkeypatch.setattr(_refining, "MOST_REFINED", 3)
    estimate = ef.from_scores(frame, score="p", label="y", interval=None)
    first = frames.score_table(frame, score="p", label="y", refine=False)
    assert estimate.table == first
    coarse = frames.score_table(frame, score="p", label="y", cells=64)
    assert ef.from_scores(coarse, method="isotonic", interval=None).resolution > 0


def test_merged_tables_stay_small(tmp_path, monkeypatch):
    monkeypatch.setattr(_grid, "EXACT", 300)
    near = 0.3 + np.arange(400) * 1e-10
    parts = [ef.ScoreTable.from_arrays(near[i::2], np.arange(200) % 3 == 0) for i in (0, 1)]
    for i, part in enumerate(parts):
        part.save(tmp_path / f"{i}.npz")
    together = ef.merge(tmp_path)
    assert len(together) < 3
    assert together == (parts[0] + parts[1]).coarsen()


def test_few_distinct_scores_are_exact_however_many_rows(monkeypatch):
    monkeypatch.setattr(_grid, "EXACT", 120)
    table = frames.score_table(engines.arrow(columns()), score="a score", label="y", cells=16)
    assert table == ef.ScoreTable.from_arrays(SCORES, LABELS)
    # The first rows can be few by chance; the whole then tells.
    monkeypatch.setattr(_grid, "EXACT", 90)
    rare = np.sort(SCORES)
    frame = engines.arrow({"p": ("float64", rare.tolist()), "y": ("bool", LABELS.tolist())})
    assert frames.score_table(frame, score="p", label="y", cells=16).coarse.any()


def test_data_that_change_between_passes_are_refused(monkeypatch):
    monkeypatch.setattr(_counting, "FEW_ROWS", 0)  # which are fetched in one pass
    monkeypatch.setattr(_grid, "EXACT", 100)
    import duckdb

    connection = duckdb.connect()
    connection.execute("select setseed(0.3)")  # or the counts would agree by chance, now and then
    restless = connection.sql(
        "select p, p + random() / 5 > 0.6 as y from (select random() as p from range(1000))"
    )
    with pytest.raises(ValueError, match="changed between two passes"):
        frames.score_table(restless, score="p", label="y", cells=16)


FEW = st.lists(st.tuples(st.integers(0, 40), st.booleans()), min_size=1, max_size=60)


@given(FEW, st.sampled_from([2, 4, 16]))
def test_resolution_bounds_what_merging_scores_does_to_the_best_cut(items, cells):
    scores, labels = (np.array(column) for column in zip(*items, strict=True))
    exact = ef.ScoreTable.from_arrays(scores / 40, labels)
    merged = exact.coarsen(cells)
    assert merged.n == exact.n
    assert np.all(np.diff(cell_of(exact.scores, cells)) >= 0)
    best, rough = (ef.calibrate(table).floor for table in (exact, merged))
    assert best <= rough + 1e-12
    assert rough <= best + merged.cut_resolution + 1e-12
    # Rows that may hold the best cut do hold it, or a cut between rows is as good.
    kept = ~np.isin(
        cell_of(exact.scores, cells), cell_of(merged.scores[merged.may_hold_the_best_cut()], cells)
    )
    if kept.all():
        assert rough == pytest.approx(best)


@given(FEW, FEW, st.sampled_from([2, 8, 64]))
def test_merging_scores_commutes_with_adding_tables(first, second, cells):
    one, two = (
        ef.ScoreTable.from_arrays([s / 20 - 0.5 for s, _ in part], [y for _, y in part])
        for part in (first, second)
    )
    together = (one + two).coarsen(cells)
    assert (one.coarsen(cells) + two.coarsen(cells)).coarsen(cells) == together
    assert together.coarsen(cells) == together
    assert together.coarsen(cells // 2 or 1) == (one + two).coarsen(cells // 2 or 1)


@pytest.mark.parametrize("method", ["corrupted", "hist-5", "hist-10", "isotonic"])
def test_the_resolution_of_an_estimate_holds(method):
    data = gaussian_mixture(3000, rng=3)
    scores = corrupt(data.soft_labels, 2, 0.7)
    exact = ef.from_scores(scores, data.labels, method=method, interval=None)
    assert exact.resolution == 0
    for cells in (64, 256, 1024):
        table = ef.ScoreTable.from_arrays(scores, data.labels).coarsen(cells)
        rough = ef.from_scores(table, method=method, interval=None)
        assert 0 < rough.resolution < 0.2
        assert abs(rough.value - exact.value) <= rough.resolution
        assert f"by at most {rough.resolution:.2g}" in rough.assumptions


def test_an_interval_that_leaves_merging_out_says_so():
    table = ef.ScoreTable.from_arrays(np.arange(100) / 99, np.arange(100) % 3 == 0).coarsen(4)
    silent = "the interval does not allow for that"
    assert silent in ef.from_soft_labels(table, rng=0).assumptions
    assert silent in ef.from_scores(table, interval="bca", n_resamples=50, rng=0).assumptions
    assert silent not in ef.from_scores(table, rng=0).assumptions  # its lower limit does
    assert silent not in ef.from_soft_labels(table, interval=None).assumptions


def test_methods_without_a_bound_say_what_they_approximate():
    table = ef.ScoreTable.from_arrays(np.arange(100) / 99, np.arange(100) % 3 == 0).coarsen(16)
    for row in ef.compare(table, methods=["beta", "platt", "isotonic-cf"], n_resamples=20, rng=0):
        assert row.resolution is None
        how = (
            "tries no threshold inside them"
            if row.method == "isotonic-cf"
            else "takes each at its middle"
        )
        assert f"{how}, which is an approximation" in row.assumptions
    assert any(
        "ranges of scores" in note
        for note in ef.feebee(
            table, model_error=0.4, levels=3, repeats=1, methods=["isotonic"]
        ).notes
    )


def test_the_lower_limit_allows_for_cuts_inside_merged_rows():
    data = gaussian_mixture(2000, rng=4)
    table = ef.ScoreTable.from_arrays(corrupt(data.soft_labels, 2, 0.7), data.labels)
    rough = table.coarsen(8)
    for interval in ("honest", "certified"):
        low = ef.from_scores(rough, interval=interval, rng=0).low
        assert low <= ef.from_scores(table, interval=interval, rng=0).low


def test_groups_print_index_and_become_frames():
    frame = engines.ENGINES["pandas"](columns())
    floors = ef.from_scores(frame, score="a score", label="y", group="site", rng=0)
    assert list(floors) == ["north", "south", "west"]
    assert floors["west"].n == np.count_nonzero(SITES == "west")
    assert str(floors).splitlines()[0].split() == ["site", "n", "error", "interval"]
    assert str(floors).endswith(
        "Method isotonic-cf. The 95 % confidence holds for each group, not for all at once."
    )
    assert "<td>north</td>" in floors._repr_html_()
    assert json.loads(json.dumps(floors.to_dict()))["rows"][1]["group"] == "south"
    assert floors.to_frame("pandas")["group"].tolist() == ["north", "south", "west"]
    again = ef.from_scores(frame, score="a score", label="y", group="site", rng=0)
    assert answer(again) == answer(floors)


def test_simultaneous_intervals_cover_all_groups_at_once():
    repetitions, groups, n = 150, 4, 60
    rng = np.random.default_rng(7)
    level, covered, each = 0.8, 0, []
    for _ in range(repetitions):
        soft = rng.choice([0.1, 0.4, 0.9], size=groups * n)  # floor 0.2
        frame = {"p": ("float64", soft.tolist()), "g": ("int64", [*range(groups)] * n)}
        floors = ef.from_soft_labels(
            engines.arrow(frame),
            soft="p",
            group="g",
            simultaneous=True,
            level=level,
            interval="percentile",
            n_resamples=200,
            rng=rng,
        )
        inside = [row.low <= 0.2 <= row.high for row in floors.values()]
        covered += all(inside)
        each.append(np.mean(inside))
    assert {row.level for row in floors.values()} == {1 - (1 - level) / groups}
    assert floors.level == level
    # The percentile interval is slightly short at n = 60; intervals of the plain level would
    # cover all four in 0.41 of the repetitions.
    error = np.sqrt(level * (1 - level) / repetitions)
    assert covered / repetitions > level - 0.06 - 3 * error


def test_a_group_that_cannot_be_estimated_is_named():
    frame = engines.arrow(
        {"k": ("int64", [0, 1, 1]), "m": ("int64", [2, 2, 1]), "g": ("text", ["a", "a", "b"])}
    )
    with pytest.raises(ValueError, match="`group` 'b': Some items need at least 2 votes"):
        ef.from_votes(frame, positives="k", totals="m", group="g")


def test_estimators_take_frames_by_the_names_of_columns(tmp_path):
    frame = engines.ENGINES["pandas"](columns())
    table = ef.ScoreTable.from_arrays(SCORES, LABELS)
    names = {"score": "a score", "label": "y"}
    assert answer(ef.from_scores(frame, **names, rng=0)) == answer(ef.from_scores(table, rng=0))
    one, two = (
        ef.compare(frame, **names, methods=["isotonic"], rng=0),
        ef.compare(table, methods=["isotonic"], rng=0),
    )
    assert answer(one) == answer(two)
    assert ef.calibrate(frame, **names).floor == ef.calibrate(table).floor
    noise = {"model_error": 0.4, "levels": 3, "repeats": 2, "methods": ["isotonic"], "rng": 0}
    assert ef.feebee(frame, **names, **noise).to_dict() == ef.feebee(table, **noise).to_dict()
    assert (
        ef.from_soft_labels(frame, soft="a score", rng=0).value
        == ef.from_soft_labels(SCORES, rng=0).value
    )
    votes = engines.ENGINES["polars"]({"k": ("int64", [0, 1, 2, 1])})
    assert answer(ef.from_votes(votes, positives="k", totals=2)) == answer(
        ef.from_votes([0, 1, 2, 1], 2)
    )
    assert ef.from_votes(positives=[0, 1, 2, 1], totals=2).n == 4


BAD = [
    (lambda f: ef.from_scores(f.rename(columns={"a score": "x"})), r"Cannot tell which columns to take\. The columns of the dataframe are x \(number\), y \(number\)"),
    (lambda f: ef.from_scores(f.rename(columns={"y": "z"}), score="a score"), "`label` is missing. Name its column"),
    (lambda f: ef.from_scores(f, score="a scor", label="y"), "`score` must be one of the columns a score, y, site; got 'a scor'. Did you mean a score"),
    (lambda f: ef.from_scores([0.1], [1], group="site"), "`positive`, `drop_missing` and `group` go with a dataframe"),
    (lambda f: ef.from_votes(f, group="site"), r"Cannot tell which columns to take(.|\n)*`positives='COL'` `totals='COL'`"),
    (lambda f: ef.from_votes(f, positives="y", item="site"), "`positives` and `item` cannot be used together"),
    (lambda f: ef.from_votes(f, positives="y"), "`totals` is missing"),
    (lambda f: ef.from_votes(f.rename(columns={"y": "z"}), item="site"), "`vote` is missing"),
    (lambda f: ef.from_votes(f, annotators="y"), "`annotators` must be a list of columns"),
    (lambda f: ef.from_votes(f, positives="y", totals=0), "`totals` must be a whole number of at least 1"),
    (lambda f: ef.from_votes(f, positives="a score", totals=3), r"`positives` \(column 'a score'\) must be whole numbers"),
    (lambda f: ef.from_votes(f, positives="y", totals="a score"), r"`totals` .* must be whole numbers of at least 0"),
    (lambda f: ef.from_votes(f, positives="y", totals=3, positive="x"), "`positive` goes with single votes"),
    (lambda f: ef.from_votes(f, item="site", vote="y", annotator="site"), "in 3 cases an annotator voted more than once on an item"),
    (lambda f: ef.from_scores(f[:0], score="a score", label="y"), "has no rows"),
    (lambda f: ef.from_scores(f, score="site", label="y"), r"400 of 400 are bad, for example '(north|south|west)'"),
    (lambda f: frames.score_table(f, score="a score", label="y", cells=1), "`cells` must be a whole number of at least 2"),
    (lambda f: frames.score_table([1, 2], score="p", label="y"), "Expected a dataframe or the path of a file, got list"),
    (lambda f: ef.from_soft_labels(f.assign(p=3.0), soft="p"), r"`soft_labels` must lie in \[0, 1\]"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_frames_are_refused_by_name_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call(engines.ENGINES["pandas"](columns()))


@pytest.mark.parametrize("engine", [name for name in engines.ENGINES if name != "spark"])
def test_names_of_columns_may_be_anything(engine):
    score, label = 'a "quoted" name; --', "`score` given $1 'x'"
    frame = engines.ENGINES[engine](
        {score: ("float64", SCORES.tolist()), label: ("bool", LABELS.tolist())}
    )
    expected = ef.ScoreTable.from_arrays(SCORES, LABELS)
    assert frames.score_table(frame, score=score, label=label) == expected
    assert frames.columns(frame) == {score: "number", label: "boolean"}


def test_columns_tell_what_kind_they_are(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('"a ""1""",b,c,d\n1,x,true,\n2.5,y,False,\n')
    assert frames.columns(path) == {'a "1"': "number", "b": "text", "c": "boolean", "d": "text"}
    frame = engines.arrow({"p": ("float32", [0.5]), "y": ("bool", [True])})
    assert frames.columns(frame) == {"p": "number", "y": "boolean"}


def rows_of_text(delimiter):
    head = delimiter.join(["a score", "y", "site"])
    lines = (
        delimiter.join([repr(s), str(int(y)), site])
        for s, y, site in zip(SCORES.tolist(), LABELS, SITES, strict=True)
    )
    return "\n".join([head, *lines]) + "\n"


def write(path, suffix):
    if suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(engines.arrow(columns()), path)
    elif suffix == ".jsonl":
        rows = zip(SCORES.tolist(), LABELS.tolist(), SITES.tolist(), strict=True)
        path.write_text(
            "\n".join(json.dumps({"a score": s, "y": y, "site": site}) for s, y, site in rows)
        )
    elif suffix == ".csv.gz":
        path.write_bytes(gzip.compress(rows_of_text(",").encode()))
    else:
        path.write_text(rows_of_text("\t" if suffix == ".tsv" else ","))


def test_globs_folders_and_lists_are_read_together(tmp_path):
    folder = tmp_path / "shards"
    (folder / "deep").mkdir(parents=True)
    for i, place in enumerate((folder, folder, folder / "deep")):
        write(place / f"{i}.csv", ".csv")
    (folder / "_SUCCESS").write_text("")
    (folder / "notes.md").write_text("not data")
    one = ef.ScoreTable.from_arrays(SCORES, LABELS)
    names = {"score": "a score", "label": "y"}
    assert frames.score_table(folder, **names) == one + one + one
    assert frames.score_table(f"{folder}/*.csv", **names) == one + one
    assert frames.score_table([folder / "0.csv", f"{folder}/**/2.csv"], **names) == one + one


def test_a_file_is_read_by_its_name_and_once(tmp_path, monkeypatch):
    names = {"score": "a score", "label": "y"}
    one = ef.ScoreTable.from_arrays(SCORES, LABELS)
    (tmp_path / "a1.csv").write_text("a score,y\n0.5,1\n")
    (tmp_path / "ab.csv").write_text("a score,y\n0.5,1\n")
    for name in ("a[1].csv", "a*.csv", "a?.csv", "it's.csv", "a\\b.csv"):
        write(tmp_path / name, ".csv")
        assert frames.score_table(tmp_path / name, **names) == one
        twice = [tmp_path / name, f"{tmp_path}/../{tmp_path.name}/{name}"]
        assert frames.score_table(twice, **names) == one
    monkeypatch.setenv("HOME", str(tmp_path))
    assert frames.score_table("~/it's.csv", **names) == one


@pytest.mark.parametrize("suffix", [".tsv", ".csv.gz", ".jsonl", ".parquet"])
def test_a_name_is_no_pattern_in_any_format(tmp_path, suffix):
    for name in ("a", "1"):
        write(tmp_path / f"a{name}{suffix}", suffix)
    one = ef.ScoreTable.from_arrays(SCORES, LABELS)
    for name in ("[a1]", "*", "?", "it's", "\\"):
        write(tmp_path / f"a{name}{suffix}", suffix)
        assert frames.score_table(tmp_path / f"a{name}{suffix}", score="a score", label="y") == one


def test_plain_and_packed_files_are_read_together(tmp_path):
    write(tmp_path / "b.csv", ".csv")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((tmp_path / "b.csv").read_bytes()))
    (tmp_path / "c.csv").write_bytes((tmp_path / "a.csv.gz").read_bytes())  # whatever its name
    one = ef.ScoreTable.from_arrays(SCORES, LABELS)
    assert frames.score_table(tmp_path, score="a score", label="y") == one + one + one


def test_the_first_rows_of_json_do_not_round_the_rest(tmp_path):
    path = tmp_path / "rows.jsonl"
    many = '{"p": 1, "y": 0}\n' * 25_000  # DuckDB looks at 20,480 to tell the types
    path.write_text(many + '{"p": 0.5, "y": true}\n{"p": "0.25", "y": "1"}\n')
    table = frames.score_table(path, score="p", label="y")
    assert table == ef.ScoreTable.from_counts([0.25, 0.5, 1], [0, 0, 25_000], [1, 1, 0])
    path.write_text(many + '{"p": 0.5, "y": 0.6}\n')
    with pytest.raises(ValueError, match=r"holds numbers: 0, 0.6. Say which one is class 1"):
        frames.score_table(path, score="p", label="y")
    path.write_text(many + '{"p": NaN, "y": 1}\n')
    assert frames.score_table(path, score="p", label="y", drop_missing=True).dropped == 1


def test_missing_words_in_text_files_are_missing(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("p,y\n0.1,0\nNA,1\n,1\n0.9,nan\n0.5,1\n")
    with pytest.raises(ValueError, match="has missing values: 2 of 5 rows"):
        frames.score_table(path, score="p", label="y")
    table = frames.score_table(path, score="p", label="y", drop_missing=True)
    assert (table.n, table.dropped) == (2, 3)


def test_progress_of_files_is_reported(tmp_path):
    class Slow:
        """A connection that does not know at first how far it is, and then does."""

        answers = itertools.chain([-1.0, 25.0], itertools.repeat(75.0))

        def query_progress(self):
            return next(self.answers)

    seen, done = [], threading.Event()

    def show(share):
        seen.append(share)
        if share == 0.75:
            done.set()

    with _engines.watched(Slow(), show):
        assert done.wait(30)
    assert seen[:2] == [0.25, 0.75]
    # A query of a file is watched, on its own connection.
    watching = []

    @contextlib.contextmanager
    def watched(connection, progress):
        watching.append((connection.query_progress(), progress))
        yield

    path = tmp_path / "rows.csv"
    write(path, ".csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_rows, "watched", watched)
        frames.score_table(path, score="a score", label="y", progress=show)
    assert watching
    assert all(progress is show for _, progress in watching)


UNREADABLE = [
    ("there is no such.csv", None, FileNotFoundError, "There is no file"),
    ("empty.csv", b"", ValueError, "empty.csv': it is empty"),
    (
        "book.csv",
        b"PK\x03\x04 and so on",
        ValueError,
        "book.csv': it is a ZIP archive, an Excel file",
    ),
    ("rows.csv", b"BZh9 and so on", ValueError, "it is packed by bzip2. Save its rows as CSV"),
    ("twice.csv", b"y,a score,y\n1,0.5,0\n", ValueError, "it has 2 columns called 'y'. Rename"),
    ("head.csv", b"a score,y\n", ValueError, "has no rows"),
    ("short.csv", b"a score,y\n0.1,0\n0.2\n", ValueError, "different numbers of fields"),
    (
        "late.csv",
        b"a score,y\n" + b"0,1\n" * 30_000 + b"0\n",
        ValueError,
        "Columns: 2 Found: 1\\. Check",
    ),
    ("noise.parquet", bytes(range(256)) * 4, ValueError, "Could not read .*noise.parquet"),
    ("noise.jsonl", b"\x00\x01\x02{", ValueError, "Could not read|must be one of"),
]


@pytest.mark.parametrize(("name", "content", "error", "message"), UNREADABLE)
def test_unreadable_files_are_refused_by_name(tmp_path, name, content, error, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=message):
        frames.score_table(path, score="a score", label="y")


def test_a_packed_file_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "rows.csv.gz"
    text = "p,y\n" + "".join(f"{p},{p > 0.5:d}\n" for p in RNG.random(20_000))
    path.write_bytes(gzip.compress(text.encode())[:-20_000])
    with pytest.raises(ValueError, match="is damaged or not all there"):
        frames.score_table(path, score="p", label="y")


def test_a_table_updated_day_by_day_stays_small_and_equals_one_pass(tmp_path, monkeypatch):
    monkeypatch.setattr(_grid, "EXACT", 300)
    rng = np.random.default_rng(8)
    scores = rng.random(5000)
    labels = rng.random(5000) < scores
    total = ef.ScoreTable.empty()
    whole = {"p": ("float64", scores.tolist()), "y": ("bool", labels.tolist())}
    for i, part in enumerate(np.array_split(np.arange(5000), 7)):
        day = {
            name: (kind, np.array(values)[part].tolist()) for name, (kind, values) in whole.items()
        }
        table = frames.score_table(
            engines.arrow(day), score="p", label="y", refine=False, cells=256
        )
        table.save(tmp_path / f"{i}.npz")
        total = (total + table).coarsen(256)
    once = frames.score_table(engines.arrow(whole), score="p", label="y", refine=False, cells=256)
    assert total == once
    assert ef.merge(tmp_path).coarsen(256) == once
    day = ef.ScoreTable.load(tmp_path / "0.npz")
    assert ef.from_scores(day, method="isotonic", interval=None).resolution > 0


def test_coarse_tables_are_saved_and_loaded_whole(tmp_path):
    table = ef.ScoreTable.from_arrays(np.arange(50) / 49, np.arange(50) % 2).coarsen(8)
    table.save(tmp_path / "table.npz")
    again = ef.ScoreTable.load(tmp_path / "table.npz")
    assert again == table
    assert again.cut_resolution == table.cut_resolution > 0
    exact = ef.ScoreTable.from_counts(table.scores, table.negatives, table.positives)
    assert exact != table
    with pytest.raises(ValueError, match="ranges around the scores that do not overlap"):
        ef.ScoreTable([0.1, 0.2], [[1, 0], [1, 0]], lows=[0.1, 0.1], highs=[0.2, 0.2])


def test_engines_agree_with_numpy_on_the_cells_of_hard_scores(monkeypatch):
    monkeypatch.setattr(_grid, "EXACT", 10)
    edges = np.concatenate([[0.0, -0.0, 1.0, 5e-324, 1e-300, 1 - 2**-53], np.arange(1, 64) / 64])
    near = np.concatenate([edges, np.nextafter(edges, 2), np.nextafter(edges[6:], 0)])
    wide = np.concatenate([near, -near, 1 + near, 1e300 * near[6:], -1e300 * near[6:]])
    # DuckDB, which would rather fetch so few rows, is to count them here, too.
    monkeypatch.setattr(_counting, "FEW_ROWS", 0)
    for scores, name in itertools.product((near, wide), ("polars", "duckdb", "pandas", "ibis")):
        labels = np.arange(scores.size) % 2 == 0
        frame = engines.ENGINES[name](
            {"p": ("float64", scores.tolist()), "y": ("bool", labels.tolist())}
        )
        found = frames.score_table(frame, score="p", label="y", cells=128, refine=False)
        assert found == ef.ScoreTable.from_arrays(scores, labels).coarsen(128)


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("cells", [2**16, 2**17])
def test_grids_of_any_size_have_the_cells_of_the_library(engine, cells, monkeypatch):
    # DuckDB counts cells in 16 bits where they fit; the last of 2**17 do not.
    monkeypatch.setattr(_counting, "FEW_ROWS", 0)
    monkeypatch.setattr(_grid, "EXACT", 50)
    scores = np.concatenate((np.arange(200) / 199, 0.999_999 + np.arange(100) * 1e-9))
    labels = np.arange(300) % 3 == 0
    columns = {"p": ("float64", scores.tolist()), "y": ("bool", labels.tolist())}
    frame = engines.ENGINES[engine](columns)
    found = frames.score_table(frame, score="p", label="y", cells=cells, refine=False)
    assert found == ef.ScoreTable.from_arrays(scores, labels).coarsen(cells)
    assert found.coarse.any()
