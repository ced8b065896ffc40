"""Votes in rows, in every layout and by whom, against plain loops over the votes."""

from collections import Counter
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import errorfloor as ef
from errorfloor.data.annotators import bucket_of, part_of
from errorfloor.data.items import KeptVotes, VoteItems
from errorfloor.frames import vote_table, vote_tables

ENGINES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": lambda columns: pa.table(columns),
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}
WORDS = ("cat", "cow", "dog")


def made(seed, classes, items=30, people=12):
    """Return single votes as tuples of site, item, annotator and class."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        who = rng.choice(people, rng.integers(1, 5), replace=False)
        site = "north" if item % 3 else "south"
        rows += [(site, item, f"w{one}", int(rng.integers(classes))) for one in who]
    return rows


def columns_of(rows, names=("site", "item", "who", "vote")):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def slow(rows, classes):
    """Return what a table keeps of annotators, by loops: two lists of rows in order."""
    by_item = {}
    for _, item, who, vote in rows:
        by_item.setdefault(item, []).append((part_of(bucket_of(who)), vote))
    kept = Counter()
    for votes in by_item.values():
        every = Counter(vote for _, vote in votes)
        for part in {part for part, _ in votes}:
            own = Counter(vote for one, vote in votes if one == part)
            kept[(part, *_about(every, own, classes))] += 1
    work = Counter()
    for who, n in Counter(who for _, _, who, _ in rows).items():
        work[bucket_of(who), n] += 1
    loads = sorted([bucket, n] for (bucket, n), times in work.items() for _ in range(times))
    return sorted([*key, n] for key, n in kept.items()), loads


def _about(every, own, classes):
    if classes == 2:
        return every.total(), every[1], own.total(), own[1]
    falls = [
        sum(np.prod([n - less for less in range(size)]) for n in every.values())
        for size in (2, 3, 4)
    ]
    rest = every - own
    again = sum(n * (n - 1) for n in rest.values())
    return every.total(), *map(int, falls), own.total(), again


def counted(rows, classes):
    votes = {}
    for _, item, _, vote in rows:
        votes.setdefault(item, [0] * classes)[vote] += 1
    return ef.VoteTable.from_arrays(list(votes.values()), classes=WORDS[:classes])


def check(found, rows, classes):
    kept, loads = slow(rows, classes)
    assert found.by_group.tolist() == kept
    assert sorted(found.workloads.tolist()) == loads
    plain = replace(found, by_group=None, workloads=None)
    expected = counted(rows, classes)
    assert (plain.votes.tolist(), plain.counts.tolist()) == (
        expected.votes.tolist(),
        expected.counts.tolist(),
    )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_votes_one_by_one_are_kept_by_group_of_annotators(engine, classes):
    rows = made(classes, classes)
    data = columns_of(rows)
    if classes == 3:
        data["vote"] = [WORDS[vote] for vote in data["vote"]]
    frame = ENGINES[engine](data)
    names = {"item": "item", "annotator": "who", "vote": "vote"}
    check(vote_table(frame, **names), rows, classes)
    for site, found in vote_tables(frame, **names, group="site").items():
        check(found, [row for row in rows if row[0] == site], classes)


@pytest.mark.parametrize("kind", [pa.decimal128(6, 2), pa.large_string(), pa.float32()])
def test_kinds_of_ids_that_only_some_engines_have(kind):
    who = [Decimal("7.50"), Decimal("8.00")] * 3
    texts = ["7.5", "8"] * 3
    data = {
        "item": pa.array([1, 1, 2, 2, 3, 3]),
        "who": pa.array(texts if kind == pa.large_string() else who).cast(kind)
        if kind != pa.float32()
        else pa.array([7.5, 8.0] * 3, kind),
        "vote": pa.array([0, 1, 1, 1, 0, 0]),
    }
    names = {"item": "item", "annotator": "who", "vote": "vote"}
    found = [
        vote_table(make(pa.table(data)), **names)
        for make in (lambda t: t, pl.from_arrow, lambda t: duckdb.connect().from_arrow(t))
    ]
    expected = sorted([bucket_of(one), 3] for one in ("7.5", "8"))
    assert [one.workloads.tolist() for one in found] == [expected] * 3
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    "people",
    [
        [date(2026, 1, 1), date(2026, 1, 2), date(2026, 12, 31)],
        [datetime(2026, 1, 1), datetime(2026, 1, 1, 12, 30), datetime(2026, 1, 1, 12, 30, 0, 5)],
        [datetime(2026, 1, 1), datetime(2026, 1, 2), datetime(2026, 2, 1)],
        [7, 8, 12],
        [7.0, 8.5, 12.0],
        [True, False, True],
        ["7", "8", "b"],
    ],
    ids=lambda people: str(people[1]),
)
def test_engines_tell_the_same_annotators_apart(people):
    who = people * 6
    data = {"item": np.repeat(np.arange(6), 3).tolist(), "who": who, "vote": [0, 1, 1, 1, 0, 0] * 3}
    names = {"item": "item", "annotator": "who", "vote": "vote", "duplicates": "all"}
    found = [vote_table(make(data), **names) for make in ENGINES.values()]
    assert sorted(found[0].workloads[:, 1].tolist()) == sorted(
        Counter(str(one) for one in who).values()
    )
    assert all(one == found[0] for one in found[1:])
    if not isinstance(people[0], bool | datetime):  # of which engines have texts of their own
        buckets = {row[0] for row in found[0].workloads.tolist()}
        assert buckets == {bucket_of(one) for one in people}


# Rows that are checked


@pytest.mark.parametrize("engine", ENGINES)
def test_votes_that_are_counted_are_whole_numbers(engine):
    def table(k, m, **more):
        data = {"k": k} if isinstance(m, int) else {"k": k, "m": m}
        totals = m if isinstance(m, int) else "m"
        return vote_table(ENGINES[engine](data), positives="k", totals=totals, **more)

    found = table([0, 1, 1], [1, 2, 1])
    assert (found.votes.tolist(), found.counts.tolist()) == ([[1, 0], [0, 1], [1, 1]], [1, 1, 1])
    assert table([0, 1, 2], 2).totals.tolist() == [2, 2, 2]
    for k, m, says in (
        ([0, -1], [1, 1], r"`positives` .* must be whole numbers of at least 0: 1 of 2 are bad"),
        ([0.0, 0.5], [1, 1], r"`positives` .* must be whole numbers of at least 0"),
        ([0, 0], [1, 0], r"1 of 2 rows are items without any vote\. Pass `drop_missing=True`"),
        ([0, 1], [1, 0], r"`positives` .* must not exceed `totals`: 1 of 2 are bad, for example 1"),
        ([0, 2], [1, 1], r"`positives` .* must not exceed `totals`: 1 of 2 are bad, for example 2"),
        ([0, 3], 2, r"`positives` .* must not exceed `totals`"),
        ([0.0, 2.0**53], [1.0, 2.0**53], r"`positives` .* must be whole numbers"),
    ):
        with pytest.raises(ef.InputError, match=says):
            table(k, m)
    left = table([0, 0, 1], [1, 0, 2], drop_missing=True)
    assert (left.n, left.dropped) == (2, 1)
    large = 2**53 - 1
    assert table([large], [large]).positives.tolist() == [large]


@pytest.mark.parametrize("engine", ENGINES)
def test_votes_for_each_class_are_counted(engine):
    def table(*columns, **more):
        data = {f"n_{name}": list(one) for name, one in zip("abc", columns, strict=True)}
        return vote_table(ENGINES[engine](data), counts=list(data), **more)

    found = table([1, 0, 1], [0, 5, 0], [2, 0, 2])
    assert (found.votes.tolist(), found.counts.tolist()) == ([[1, 0, 2], [0, 5, 0]], [2, 1])
    assert found.classes == ("a", "b", "c")
    assert table([1], [0], [2], classes=["x", "y", "z"]).classes == ("x", "y", "z")
    with pytest.raises(ef.InputError, match="1 of 2 rows are items without any vote"):
        table([1, 0], [0, 0], [2, 0])
    left = table([1, 0], [0, 0], [2, 0], drop_missing=True)
    assert (left.n, left.dropped) == (1, 1)
    with pytest.raises(ef.InputError, match=r"`counts` \(column 'n_b'\) must be whole numbers"):
        table([1, 0], [0, -1], [2, 1])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("group", [None, "site"])
def test_votes_of_one_annotator_on_an_item(engine, group):
    data = {
        "item": [1, 1, 1, 1, 2, 2, 3],
        "who": ["a", "b", "a", "a", "a", "a", "b"],
        "vote": [0, 1, 1, 0, 1, 0, 1],
        "site": ["x"] * 7,
    }
    names = {"item": "item", "annotator": "who", "vote": "vote"}

    def table(**more):
        frame = ENGINES[engine](data)
        if group is None:
            return vote_table(frame, **names, **more)
        return vote_tables(frame, **names, **more, group=group)["x"]

    says = "in 2 cases an annotator voted more than once on an item; for example 'a' on item 1"
    with pytest.raises(ef.InputError, match=says):
        table()
    every = table(duplicates="all")
    assert (every.votes.tolist(), every.counts.tolist()) == ([[0, 1], [1, 1], [2, 2]], [1, 1, 1])
    if engine == "duckdb":
        with pytest.raises(ef.InputError, match="needs rows in an order"):
            table(duplicates="first")
        return
    first, last = table(duplicates="first"), table(duplicates="last")
    assert (first.votes.tolist(), first.counts.tolist()) == ([[0, 1], [1, 1]], [2, 1])
    assert (last.votes.tolist(), last.counts.tolist()) == ([[1, 0], [0, 1], [1, 1]], [1, 1, 1])


def test_a_positive_vote_has_to_occur():
    wide = pd.DataFrame({"a": ["yes", None], "b": ["no", "no"]})
    found = vote_table(wide, annotators=["a", "b"], positive="yes")
    assert found.votes.tolist() == [[1, 0], [1, 1]]
    assert vote_table(wide, annotators=["a", "b"], positive="Yes ") == found
    with pytest.raises(ef.InputError, match="`positive` is 'Yep', but no column of `annotators`"):
        vote_table(wide, annotators=["a", "b"], positive="Yep")
    many = pd.DataFrame({"item": np.arange(60) // 2, "vote": [f"w{k}" for k in range(60)]})
    for word in ("w0", "w59"):  # of more values than are shown
        found = vote_table(many, item="item", vote="vote", positive=word)
        assert (found.votes.tolist(), found.counts.tolist()) == ([[2, 0], [1, 1]], [29, 1])
    long = pd.DataFrame({"item": [1, 2], "vote": ["yes", "no"]})
    with pytest.raises(ef.InputError, match=r"is 'y', but `vote` .* has only: 'no', 'yes'"):
        vote_table(long, item="item", vote="vote", positive="y")


# Items one by one


def test_votes_are_kept_item_by_item():
    from errorfloor.data.options import ReadOptions
    from errorfloor.data.read import read

    def kept(data, second=None, **given):
        keeper = KeptVotes()
        reading = read(data, keeper.layouts, ReadOptions.of(**given), second=second)
        return keeper.items_of(reading)

    found = kept([1, 0, 2], 2)
    assert found.names.tolist() == [0, 1, 2]
    assert found.votes.tolist() == [[1, 1], [2, 0], [0, 2]]
    assert (found.positives.tolist(), found.totals.tolist()) == ([1, 0, 2], [2, 2, 2])
    assert found.counts.tolist() == [1, 1, 1]
    long = pd.DataFrame({"item": ["b", "a", "b"], "vote": [1, 0, 0]})
    found = kept(long, item="item", vote="vote")
    assert found.names.tolist() == ["a", "b"]
    assert found.votes.tolist() == [[1, 0], [1, 1]]
    classes = pd.DataFrame({"item": ["b", "a", "b"], "vote": ["x", "y", "z"]})
    found = kept(classes, item="item", vote="vote")
    assert found.votes.tolist() == [[0, 1, 0], [1, 0, 1]]
    assert found.classes == ("x", "y", "z")
    wide = pd.DataFrame({"id": ["q", "p"], "r1": [0, 1], "r2": [1, 1]})
    found = kept(wide, annotators=["r1", "r2"])
    assert found.names.tolist() == ["q", "p"]
    assert found.votes.tolist() == [[1, 1], [0, 2]]
    plain = kept(wide.drop(columns="id"), annotators=["r1", "r2"])
    assert plain.names.tolist() == [0, 1]
    counts = kept(pd.DataFrame({"k": [1, 0], "m": [3, 2]}), positives="k", totals="m")
    assert counts.votes.tolist() == [[2, 1], [2, 0]]
    table = ef.VoteTable.from_arrays([1, 1, 0], 2)
    rows = KeptVotes().items_of(read(table, KeptVotes().layouts, ReadOptions.of()))
    assert isinstance(rows, VoteItems)
    assert (rows.votes.tolist(), rows.counts.tolist()) == ([[2, 0], [1, 1]], [1, 2])
