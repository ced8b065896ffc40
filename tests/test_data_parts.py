"""Small parts of reading and counting, each against numbers by hand or plain code."""

import builtins
import io
import os
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.checks import order
from errorfloor.data import (
    annotators,
    arrays,
    ballots,
    classes,
    documents,
    entries,
    exports,
    features,
    files,
    formats,
    grid,
    matrices,
    score_rows,
    source,
    values,
    vote_rows,
)
from errorfloor.data.entries import Entries
from errorfloor.data.naming import MOST_CLASSES
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import ScoreTable
from errorfloor.features import classics, leaks

# Text


def test_utf_16_without_a_mark_is_told_by_its_zeros():
    text = "score,label\n0.1,0\n"
    assert formats._by_zeros(text.encode("utf-16-le")) == "utf-16-le"
    assert formats._by_zeros(text.encode("utf-16-be")) == "utf-16-be"
    assert formats._by_zeros(b"\0" * 20) is None
    assert formats._by_zeros(b"ab" * 20) is None
    seven, eight = (b"a\0" * n + b"ab" * (10 - n) for n in (7, 8))  # more than seven in ten
    assert formats._by_zeros(seven) is None
    assert formats._by_zeros(eight) == "utf-16-le"
    turned = (bytes(pair) for pair in (b"\0a" * 7 + b"ab" * 3, b"\0a" * 8 + b"ab" * 2))
    assert [formats._by_zeros(one) for one in turned] == [None, "utf-16-be"]


def test_text_is_latin_1_only_where_it_is_text(tmp_path):
    def told(content, name="a.csv"):
        (tmp_path / name).write_bytes(content)
        return formats.file_at(str(tmp_path / name)).encoding

    assert told("score,label\n0.1,café\n".encode()) is None
    assert told("score,label\n0.1,café\n".encode("cp1252")) == "cp1252"
    assert told("score,label\n0.1,caf\xe9\x01\n".encode("latin-1")) is None  # no text
    assert told("score\n".encode("utf-16")) == "utf-16"
    assert told("score\n0.1\n0.2\n".encode("utf-16-be")) == "utf-16-be"
    assert told(b"score\xe9", "a.parquet") is None
    assert told(b"PAR1\xe9\xe9") is None
    assert told(b"caf\xc3") == "cp1252"  # cut off within a letter


def test_numbers_and_booleans_are_spelt():
    assert [values.spelt(one) for one in (" True", "FALSE", "1e3", "yes", "inf", "-inf", "nan")][
        :6
    ] == [1, 0, 1000, None, None, None]
    assert [values.number_of(one) for one in (True, np.False_, "7", "7.5", "x", 3.5)] == [
        1, 0, 7, 7.5, None, 3.5,
    ]  # fmt: skip
    assert isinstance(values.number_of("7"), int)


def test_lists_are_told_by_what_repeats():
    assert values.are_lists(["0;1;1", "0;0", "1"])  # two of three are several
    assert not values.are_lists(["0;1;1", "1"])  # half are not most
    assert not values.are_lists(["1;2", "3;4"])  # nothing repeats
    assert not values.are_lists([None])
    assert values.are_lists(["[1, 2]", None, "[]"])
    assert not values.are_lists(["[1, 2", "1]"])
    long = "a" * 40
    assert values.are_lists([f"{long}|{long}"])
    assert not values.are_lists([f"{long}a|{long}a"])
    assert not values.are_lists(["not one;not one"])


def test_votes_in_an_entry_are_texts():
    assert values.votes_in(None) == values.votes_in(float("nan")) == []
    assert values.votes_in("[1, 0.0, None]") == ["1", "0", None]
    assert values.votes_in("yes; no|'no'") == ["yes", "no", "no"]
    assert values.votes_in("[yes, no]") == ["yes", "no"]
    assert values.votes_in((1, 0)) == ["1", "0"]
    assert values.votes_in(" ") == [None]
    assert values.are_votes(["1;1", "0"])
    assert not values.are_votes(["1;2;2"])
    assert not values.are_votes(["1;0;0", "0;0;1"])  # a single 1 each: numbers of votes
    assert values.are_votes(["1;0;0", "0;0;0"])
    assert not values.are_votes([])


# Grids, numbers of rows, memory


def test_cells_of_the_grid_are_those_of_the_formula():
    scores = np.array([-3.0, -0.5, 0.0, 0.1, 0.5, 0.9, 1.0, 1.5, 4.0])
    place = [-0.75, -1 / 3, 0, 0, 0, 0, 0, 2 - 1 / 1.5, 1.75]
    for i in range(2, 7):
        place[i] = (1 + np.sqrt(scores[i]) - np.sqrt(1 - scores[i])) / 2
    expected = [int(np.floor(one * (100 - 1e-9))) for one in place]
    assert grid.cell_of(scores, 100).tolist() == expected
    assert grid.cell_of(scores[2:7], 100).tolist() == expected[2:7]
    assert grid.unit_cell_of(np.array([0, 1], np.float32), 8).tolist() == [0, 7]
    assert grid.cell_of(np.array([0.2, 1.0 + 1e-9]), 8).tolist()[1] == 8


def test_numbers_that_count_rows_are_told():
    twenty = np.arange(20.0)
    assert values.is_numbered(twenty)
    assert values.is_numbered(twenty + 1)
    assert not values.is_numbered(twenty + 2)
    assert not values.is_numbered(twenty[:19])
    assert not values.is_numbered(twenty[::-1])
    assert not values.is_numbered(np.r_[twenty[:19], 18])
    assert values.number_rows(list(range(20)))
    assert not values.number_rows(twenty[:, None])
    assert not values.number_rows([str(one) for one in range(20)])


def test_tables_of_whole_numbers_without_gaps_count_rows():
    def made(scores):
        return ScoreTable.from_arrays(scores, np.arange(len(scores)) % 2)

    whole = np.arange(20.0)
    assert values.are_numbered([made(whole)])
    assert values.are_numbered([made(whole[::2]), ScoreTable.empty(), made(whole[1::2])])
    assert values.are_numbered([made(whole + 1)])
    assert not values.are_numbered([made(whole[:19])])
    assert not values.are_numbered([made(whole + 2)])
    assert not values.are_numbered([made(np.r_[whole[:19], 20])])
    assert not values.are_numbered([made(np.r_[whole[:18], 17, 19])])
    assert not values.are_numbered([made(np.r_[0, whole[1:19] + 0.5, 19])])


def test_memory_is_what_the_system_leaves(monkeypatch):
    assert score_rows.bytes_needed(10, 3) == 10 * (20 * 3 + 48)
    files = {
        "/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    2000 kB\n",
        "/sys/fs/cgroup/memory.max": "1500000\n",
        "/sys/fs/cgroup/memory.current": "900000\n",
        "/sys/fs/cgroup/memory.stat": "anon 7\ninactive_file 100000\n",
    }

    def opened(name, *_, **__):
        if name not in files:
            raise OSError
        return io.StringIO(files[name])

    monkeypatch.setattr(builtins, "open", opened)
    found = score_rows._of_machine(), score_rows._of_container(), score_rows.bytes_free()
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    unlimited = score_rows._of_container(), score_rows.bytes_free()
    del files["/proc/meminfo"]
    whole = score_rows._of_machine()
    monkeypatch.undo()
    assert found == (2_048_000, 700_000, 0.9 * 700_000)
    assert unlimited == (float("inf"), 0.9 * 2_048_000)
    assert whole > 1e6


# Packed votes


@pytest.mark.parametrize(("number", "base"), [(3, 10), (5, 2**40), (70, 2), (62, 2), (2, 2**62)])
def test_packed_votes_are_digits(number, base):
    chunks = vote_rows._chunks(number, base)
    assert [k for chunk in chunks.values() for k in chunk] == list(range(number))
    assert vote_rows.packed_names(number, base) == [f"w{j}" for j in range(len(chunks))]
    sizes = [len(chunk) for chunk in chunks.values()]
    assert all(base**size < 2**62 or size == 1 for size in sizes)
    assert len(sizes) == 1 or base ** (sizes[0] + 1) >= 2**62
    votes = np.random.default_rng(0).integers(0, min(base, 100), (6, number))
    found = {
        name: np.array([sum(int(row[k]) * base**i for i, k in enumerate(chunk)) for row in votes])
        for name, chunk in chunks.items()
    }
    assert vote_rows.unpacked(found, number, base).tolist() == votes.tolist()


# Lists of numbers


def test_lists_must_have_one_length_of_two_or_more():
    assert classes._one_length(2, 2, "p", "score") == 2
    assert classes._one_length(MOST_CLASSES, MOST_CLASSES, "p", "score") == MOST_CLASSES
    for least, most, says in (
        (1, 1, "these have 1."),
        (2, 3, "these have from 2 to 3."),
        (MOST_CLASSES + 1, MOST_CLASSES + 1, "these have"),
    ):
        with pytest.raises(ef.InputError, match=says):
            classes._one_length(least, most, "p", "score")


# Entries


def test_entries_are_put_in_order_and_counted():
    row, label = np.array([1, 0, 1, 0, 1]), np.array([0, 1, 1, 0, 0])
    weight = np.array([2.0, 1.0, 1.0, 3.0, 2.0])
    found = Entries.of(row, label, weight, None)
    rows = np.column_stack((found.row, found.label, found.weight, found.count)).tolist()
    assert rows == [[0, 1, 1, 1], [0, 0, 3, 1], [1, 1, 1, 1], [1, 0, 2, 2]]
    counted = Entries.of(row, label, weight, None, np.array([5, 1, 1, 1, 2]))
    assert counted.count.tolist() == [1, 1, 1, 7]
    cluster = np.array([7, 7, 8, 8, 9])
    apart = Entries.of(row, label, weight, cluster)
    assert (apart.count.tolist(), apart.cluster.tolist()) == ([1] * 5, [7, 8, 8, 7, 9])
    assert apart.clusters == 3
    mass = np.array([3.0, 4.0, 2.0])  # of clusters 7, 8 and 9
    assert apart.effective_clusters == pytest.approx(mass.sum() ** 2 / (mass**2).sum())
    assert found.n_effective == pytest.approx(9.0**2 / (4 + 1 + 1 + 9 + 4))
    assert found.sums(2, 2).tolist() == [[3, 1], [4, 1]]
    assert found.without_labels().sums(2, 1).tolist() == [[4], [5]]
    large = Entries.of(row + 2**24, label, weight, None)  # rows that no key has room for
    assert (large.row - 2**24).tolist() == found.row.tolist()
    assert large.count.tolist() == found.count.tolist()


def test_entries_without_labels_and_equal_ones_are_told():
    some = Entries.of(np.array([0, 0, 1]), np.array([0, 2, 1]), np.array([1.0, 2.0, 3.0]), None)
    assert some.labelled(2).weight.tolist() == [1, 3]
    assert some.labelled(3) is some
    assert not some.are_equal
    assert not some.is_plain
    alike = Entries.of(np.array([0, 0]), np.array([0, 1]), np.array([2.0, 2.0]), None)
    assert alike.are_equal
    assert alike.is_plain
    shared = Entries.of(np.array([0, 0]), np.array([0, 1]), None, np.array([5, 5]))
    assert shared.are_equal
    assert not shared.is_plain


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


def test_tables_with_weights_have_masses_and_add():
    p = np.array([[0.2, 0.3, 0.5], [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    one = ScoreTable.from_arrays(p, [2, 0, 1], weight=[1.0, 2.0, 3.0])
    two = ScoreTable.from_arrays(p[:2], [2, 1], classes=["0", "1", "2"], weight=[5.0, 7.0])
    whole = one + two
    both = ScoreTable.from_arrays(
        np.r_[p, p[:2]], [2, 0, 1, 2, 1], weight=[1.0, 2.0, 3.0, 5.0, 7.0]
    )
    assert whole.row_masses.tolist() == both.row_masses.tolist() == [9, 9]
    assert one.plain.row_masses.tolist() == one.row_masses.tolist() == [4, 2]
    for name in ("row", "label", "weight", "count"):
        assert getattr(whole.entries, name).tolist() == getattr(both.entries, name).tolist()


def test_rows_of_votes_are_by_total_and_then_by_votes(monkeypatch):
    votes = np.array([[1, 2], [0, 1], [3, 0], [1, 2], [1, 0], [2, 1]])
    expected = [
        4,
        1,
        2,
        4,
        0,
        3,
    ]  # of totals and positives (3,2), (1,1), (3,0), (3,2), (1,0), (3,1)
    assert entries._rows_of_votes(votes).tolist() == expected
    monkeypatch.setattr(entries, "_FEW", 0)
    assert entries._rows_of_votes(votes).tolist() == expected
    assert entries.rows_of_codes(np.array([5, 2, 9, 2])).tolist() == [1, 0, 2, 0]


def test_the_first_of_both_tables_may_be_empty():
    some = Entries.of(np.array([0]), np.array([0]), np.array([2.0]), None)
    assert entries.entries_together(None, None, (1, 1)) is None
    assert entries.entries_together(None, some, (0, 1)) is some
    assert entries.entries_together(some, None, (1, 0)) is some
    moved = entries.entries_together(some, some, (1, 1))
    assert moved.row.tolist() == [0, 1]


# Ranges in which the best cut may be


def test_few_ranges_hold_all_rows_in_which_the_best_cut_may_be(monkeypatch):
    monkeypatch.setattr(arrays, "MOST_REFINED", 20)
    monkeypatch.setattr(arrays, "MOST_RANGES", 3)

    def ranges(wanted, items):
        lows = np.arange(len(items), dtype=float)
        made = SimpleNamespace(
            may_hold_the_best_cut=lambda: np.isin(np.arange(len(items)), wanted),
            items=np.array(items),
            ranges=(lows, lows + 0.5),
        )
        return arrays.unsure_ranges(made)

    assert ranges([], [5] * 4) == []
    assert ranges([1, 3], [5] * 6) == [(1.0, 3.5)]
    assert ranges([0, 4], [5] * 6) == [(0.0, 4.5)]  # twenty items beyond the first row
    assert ranges([0, 5], [5] * 6) == [(0.0, 0.5), (5.0, 5.5)]
    assert ranges([0, 1, 5], [5] * 6) == [(0.0, 1.5), (5.0, 5.5)]
    assert ranges([0, 2, 5], [30, 1, 30, 5, 5, 30]) == [(0.0, 0.5), (2.0, 2.5), (5.0, 5.5)]
    # The two widest gaps are left out: five items, thirty and twenty.
    wanted, items = [0, 2, 4, 6], [1, 5, 1, 30, 1, 20, 1]
    assert ranges(wanted, items) == [(0.0, 2.5), (4.0, 4.5), (6.0, 6.5)]


# Annotators


def test_what_tables_keep_of_annotators_must_go_with_the_votes():
    by_group, work = [[3, 4, 2, 2, 1, 5]], [[9, 10]]  # two of four votes, on five items
    rows, loads = annotators.checked(by_group, work, 10)
    assert (rows.tolist(), loads.tolist()) == (by_group, work)
    for wrong in (
        [[3, 4, 2, 5, 1, 2]], [[3, 4, 2, 2, 3, 5]], [[3, 4, 3, 2, 0, 5]], [[3, 4, 2, 1, 1, 5]],
    ):  # fmt: skip
        with pytest.raises(ef.InputError, match="does not go with its votes"):
            annotators.checked(wrong, work, 10)
    with pytest.raises(ef.InputError, match="does not go with its votes"):
        annotators.checked(by_group, [[9, 11]], 10)
    with pytest.raises(ef.InputError, match="must be counts with the columns part, totals"):
        annotators.checked([[3, 4, 2, -2, 1, 5]], work, 10)
    with pytest.raises(ef.InputError, match="must be counts with the columns bucket, votes"):
        annotators.checked(by_group, [[9, 10, 1]], 10)


def test_pairs_threes_and_fours_of_equal_votes_are_counted():
    votes, own = np.array([[5, 2, 0]]), np.array([[2, 1, 0]])
    found = annotators.of_many(np.array([7]), votes, own, np.array([3]))
    assert found.tolist() == [[7, 7, 5 * 4 + 2, 5 * 4 * 3, 5 * 4 * 3 * 2, 3, 3 * 2, 3]]
    rows, _ = annotators.checked(found, [[1, 9]], 9, many=True)
    assert rows.tolist() == found.tolist()
    for place, wrong in ((2, 43), (6, 13), (5, 8), (6, 23), (5, 0)):
        bad = found.copy()
        bad[0, place] = wrong
        with pytest.raises(ef.InputError, match="does not go with its votes"):
            annotators.checked(bad, [[1, int(bad[0, 5]) * 3]], int(bad[0, 5]) * 3, many=True)


# Exports


def test_records_of_tools_have_the_votes_that_were_meant():
    def votes(record):
        export = exports.export_of(record)
        return export.name, list(export.votes(record))

    task = {"_task_hash": 1, "_input_hash": 2, "_session_id": "s"}
    assert votes({**task, "answer": "accept"}) == ("Prodigy", [(1, "s", 1)])
    assert votes({**task, "answer": "reject"}) == ("Prodigy", [(1, "s", 0)])
    assert votes({**task, "answer": "ignore"}) == ("Prodigy", [])
    assert votes({**task, "answer": "accept", "accept": ["a"]})[1] == [(2, "s", "a")]
    assert votes({**task, "answer": "accept", "accept": ["a", "b"]})[1] == [(2, "s", None)]
    assert votes({**task, "answer": "reject", "accept": ["a"]})[1] == []
    assert votes({"text": "t", "label": ["a"], "username": "u"}) == ("doccano", [("t", "u", "a")])
    assert votes({"text": "t", "label": [], "id": 4})[1] == []
    old = {"text": "t", "annotations": [{"label": 3, "user": 1}, {"label": 4, "user": 2}]}
    assert votes(old)[1] == [("t", 1, 3), ("t", 2, 4)]
    assert exports.export_of({"text": "t", "label": ["a"]}) is None
    assert exports.export_of({"label": ["a"], "id": 3}) is None
    assert exports.export_of([1]) is None

    def answer(value, status="submitted"):
        return {"user_id": "u", "value": value, "status": status}

    fields = {"fields": {"text": "t"}, "id": 3}
    by_question = {"q": [answer("a"), answer("b", "draft"), answer("c", None)], "r": [answer("z")]}
    assert votes({**fields, "responses": by_question}) == (
        ("Argilla", [(3, "u", "a"), (3, "u", "c")])
    )
    first = [
        {"user_id": "u", "values": {"q": {"value": "a"}}, "status": "submitted"},
        {"user_id": "v", "values": {"q": {"value": "b"}}, "status": "discarded"},
        {"user_id": "w", "values": {}, "status": "submitted"},
    ]
    assert votes({**fields, "responses": first})[1] == [(3, "u", "a")]

    def done(choices, **more):
        value = {"choices": choices}
        result = [{"type": "textarea"}, {"type": "choices", "value": value}, {"type": "rating"}]
        return {"result": result, "completed_by": {"email": "e", "id": 5}, **more}

    task = {"data": {}, "id": 8}
    found = votes({**task, "annotations": [done(["a"]), done(["b"], was_cancelled=True)]})
    assert found == ("Label Studio", [(8, "e", "a")])
    assert votes({**task, "completions": [done(["a", "b"], completed_by=6)]})[1] == [(8, 6, None)]
    assert votes({**task, "annotations": [done(["a"], skipped=True)]})[1] == []


def test_items_without_an_id_are_numbered_and_nobodys_votes_have_no_annotator():
    export = exports.Export("x", bool, lambda record: iter(record["votes"]), "Votes are taken.")
    records = [{"votes": [(None, None, "a")]}, "no record", {"votes": [("i", None, "b")]}]
    assert exports.rows_of_export(export, records) == [
        {"item": 0, "vote": "a"},
        {"item": "i", "vote": "b"},
    ]
    records[2] = {"votes": [("i", "ann", "b")]}
    assert [row["annotator"] for row in exports.rows_of_export(export, records)] == [None, "ann"]
    with pytest.raises(ef.InputError, match="This is an export of x without a vote"):
        exports.rows_of_export(export, [{"votes": []}])


# Classic estimates


def test_numbers_of_neighbours_are_read_from_names():
    assert (classics.find("knn-1").k, classics.find("knn-999999").k) == (1, 999_999)
    assert classics.find("knn-K").name == "knn-15"
    assert classics.find("knn-007").name == "knn-7"
    for wrong in ("knn-0", "knn-1000000", "knn--1", "knn-1.5", "knn"):
        with pytest.raises(ef.InputError, match="knn-K needs a whole number K of at least 1"):
            classics.find(wrong)


def test_cells_of_a_grid_hold_items_that_are_not_alone():
    x = np.array([[0.1, 0.1], [0.9, 0.2], [1.1, 0.1], [-0.1, 0.1], [0.5, 0.5], [1.5, 0.9]])
    items, place = classics._shared_cells(x, 1.0)
    assert items.tolist() == [0, 1, 2, 4, 5]
    assert place[[0, 1, 3]].tolist() == [place[0]] * 3
    assert place[2] == place[4] != place[0]
    codes = np.array([[0, 0, 1, 0, 1, 0], [1, 1, 1, 0, 1, 1]])
    assert classics._minority(codes, 2, items, place).tolist() == [2, 0]


# Rows in order


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_ordered_and_counted_as_sorted_tuples_are(seed):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 3, (40, 3))
    rows = [tuple(row) for row in keys.tolist()]
    order = matrices.order_of(keys)
    assert order.tolist() == sorted(range(40), key=lambda i: (rows[i], i))
    distinct = sorted(set(rows))
    assert matrices.rows_of(keys).tolist() == [distinct.index(row) for row in rows]
    assert matrices.starts_of(keys[order]).tolist() == [
        i for i in range(40) if i == 0 or rows[order[i]] != rows[order[i - 1]]
    ]
    assert matrices.is_ascending(np.array(distinct))
    assert not matrices.is_ascending(np.array([*distinct, distinct[-1]]))
    assert not matrices.is_ascending(np.array([*distinct[1:], distinct[0]]))
    assert matrices.is_ascending(np.array([1, 2, 4]))
    assert not matrices.is_ascending(np.array([1, 2, 2]))
    assert not matrices.is_ascending(np.array([2, 1]))
    assert matrices.is_ascending(np.zeros((0, 2)))


@pytest.mark.parametrize("limit", [None, 0])
def test_votes_are_counted_by_rows(limit, monkeypatch):
    rng = np.random.default_rng(0)
    votes = rng.integers(0, 4, (50, 3))
    votes[:, 0] += 1
    if limit is not None:  # keys that are too large for one number
        monkeypatch.setattr(matrices, "_by_number", lambda votes, counts: None)
    slow = Counter(tuple(row) for row in votes.tolist())
    ordered = sorted(slow, key=lambda row: (sum(row), row[1:]))
    found = matrices.counted_votes(votes, None, None)
    assert found["votes"].tolist() == [list(row) for row in ordered]
    assert found["counts"].tolist() == [slow[row] for row in ordered]
    twice = matrices.counted_votes(votes, np.full(50, 2), None)
    assert twice["counts"].tolist() == [2 * slow[row] for row in ordered]
    large = matrices.counted_votes(votes * 1000, None, None)  # too sparse for a place for each
    assert large["counts"].tolist() == found["counts"].tolist()
    assert large["votes"].tolist() == (1000 * found["votes"]).tolist()


def test_scores_of_two_classes_become_one():
    assert matrices.one_score(np.array([[0.25, 0.75], [1, 0]])).tolist() == [0.75, 0]
    assert matrices.one_score(np.array([[1.0, 3.0], [2, 2]])).tolist() == [0.75, 0.5]
    assert matrices.one_score(np.array([[-1.0, 3.0], [2, 2]])).tolist() == [4, 0]
    assert matrices.add_up(np.array([[0.25, 0.75 + 1e-7]]))
    assert not matrices.add_up(np.array([[0.25, 0.76]]))
    assert not matrices.add_up(np.array([[-0.25, 1.25]]))


def test_tables_of_shares_that_sum_to_nearly_one_are_normalised():
    found = ef.SoftTable.from_arrays(np.array([[0.2, 0.3, 0.5 + 5e-7], [0.2, 0.3, 0.5]]))
    assert found.probabilities.sum(axis=1) == pytest.approx(1, abs=1e-15)
    with pytest.raises(ef.InputError, match="must add up to 1"):
        ef.SoftTable.from_arrays(np.array([[0.2, 0.3, 0.6]]))
    one = matrices.counted_once(np.array([0.1, 0.1, 0.4]))
    assert (one["probabilities"].tolist(), one["counts"].tolist()) == ([0.1, 0.4], [2, 1])
    each = matrices.counted_once(np.array([0.1, 0.4]))
    assert (each["probabilities"].tolist(), each["counts"].tolist()) == ([0.1, 0.4], [1, 1])


def test_scores_and_labels_are_counted_for_any_kind_of_float():
    scores, labels = np.array([0.5, -0.0, 0.25, 0.5, 0.0]), np.array([1, 0, 1, 0, 1], bool)
    for kind in (np.float64, np.float32, np.float16):
        places, counts = matrices.by_score(scores.astype(kind), labels)
        assert places.tolist() == [0, 0.25, 0.5]
        assert counts.tolist() == [[1, 1], [0, 1], [1, 1]]
    places, counts = matrices.by_score(scores - 0.25, labels)
    assert (places.tolist(), counts.tolist()) == (
        [-0.25, 0, 0.25],
        [[1, 1], [0, 1], [1, 1]],
    )


def test_too_many_items_to_add_up_are_refused():
    most = matrices.MOST_ITEMS
    matrices.check_total(np.array([most - 1, 1]))
    with pytest.raises(ef.InputError, match="must add up to at most"):
        matrices.check_total(np.array([most, 1]))
    large = ef.SoftTable(np.array([0.5]), np.array([most]))
    assert (large + ef.SoftTable.empty()).n == most
    with pytest.raises(ef.InputError, match="The tables must add up to at most"):
        large + ef.SoftTable(np.array([0.5]), np.array([1]))
    left = ef.SoftTable(np.array([0.5]), np.array([1]), dropped=most)
    with pytest.raises(ef.InputError, match="The tables must add up to at most"):
        left + ef.SoftTable(np.array([0.5]), np.array([1]), dropped=1)


def test_tables_of_other_classes_do_not_add_but_for_empty_ones():
    three = ScoreTable(np.array([[0.2, 0.3, 0.5]]), np.array([[1, 0, 2]]), classes=tuple("abc"))
    other = ScoreTable(np.array([[0.2, 0.3, 0.5]]), np.array([[1, 0, 2]]), classes=tuple("abd"))
    with pytest.raises(ValueError, match="different classes: a, b, c, and a, b, d"):
        three + other
    none = replace(ScoreTable.empty(), dropped=2)
    assert (none + three).dropped == (three + none).dropped == 2
    assert (three + none).counts.tolist() == [[1, 0, 2]]
    with pytest.raises(ValueError, match="must be 3 different names"):
        ScoreTable(np.array([[0.2, 0.3, 0.5]]), np.array([[1, 0, 2]]), classes=tuple("aab"))


def test_items_with_too_many_votes_are_refused():
    matrices.check_votes(np.array([[matrices.MOST_VOTES - 1, 1, 0]]))
    with pytest.raises(ef.InputError, match="The votes on an item must be at most"):
        matrices.check_votes(np.array([[matrices.MOST_VOTES, 1, 0]]))
    with pytest.raises(ef.InputError, match="Items must have votes: entry 1"):
        matrices.check_votes(np.array([[1, 0], [0, 0]]))


# Too many scores for a row each


@pytest.mark.parametrize("shift", [0.0, -0.5, 0.7])
def test_scores_in_cells_keep_their_labels_and_their_range(shift, monkeypatch):
    monkeypatch.setattr(arrays, "_CHUNK", 64)
    rng = np.random.default_rng(0)
    scores, labels = rng.random(500) + shift, rng.integers(0, 2, 500)
    found = arrays._by_cell(scores, labels, 16)
    cell = grid.cell_of(scores, 16)
    for row, (one, low, high) in enumerate(zip(np.unique(cell), *found.ranges, strict=True)):
        own = cell == one
        assert (low, high) == (scores[own].min(), scores[own].max())
        assert found.counts[row].tolist() == [(own & (labels == k)).sum() for k in (0, 1)]
    assert found.n == 500
    assert arrays._rows_of_cells(scores).max() < 3 * grid.CELLS


def test_different_bits_are_counted_up_to_a_few():
    rng = np.random.default_rng(0)
    for kind in (np.float64, np.float32):
        scores = np.repeat(rng.random(1000).astype(kind), 3)
        distinct = np.unique(scores).size
        assert 0.95 * distinct <= arrays._different_bits(scores) <= distinct
    assert arrays._different_bits(np.zeros(100)) == 1


def test_many_scores_are_told_by_the_first_ones(monkeypatch):
    monkeypatch.setattr(grid, "EXACT", 64)
    rng = np.random.default_rng(0)
    assert not arrays._has_many(rng.random(64))
    assert arrays._has_many(rng.random(300))
    few = np.tile(np.linspace(0, 1, 60), 10)
    assert not arrays._has_many(few)
    late = np.concatenate((np.zeros(80), rng.random(300)))  # among the first 256, not the first 72
    assert arrays._has_many(late)
    assert not arrays._has_many(np.concatenate((np.zeros(256), rng.random(300))))


def test_tables_of_many_scores_are_exact_where_the_best_cut_can_be(monkeypatch):
    monkeypatch.setattr(grid, "EXACT", 64)
    rng = np.random.default_rng(0)
    scores = rng.random(2000)
    labels = (rng.random(2000) < scores).astype(int)
    exact = ScoreTable.from_arrays(scores, labels)
    found = arrays.count_checked(scores, labels, cells=64)
    assert found.n == 2000
    assert found.counts.sum(axis=0).tolist() == exact.counts.sum(axis=0).tolist()
    assert len(found) < len(exact)
    value = ef.from_scores(exact, interval=None).value
    assert ef.from_scores(found, interval=None).value == value
    plain = arrays.count_checked(scores, labels, cells=64, refine=False)
    assert len(plain) <= 64
    assert plain.coarse.any()
    few = arrays.count_checked(scores.round(1), labels)
    assert not few.coarse.any()
    assert len(few) == 11
    assert arrays.count_checked(np.array([3, 1, 3]), np.array([0, 1, 1])).scores.tolist() == [1, 3]


def test_rows_of_too_many_merged_scores_are_lumpy():
    def lumpy(items, spread=1e-9):
        low = np.array([1.0, 2.0])
        made = ScoreTable.from_ranges(
            low, low + np.array([spread, 0]), np.array([[items, 0], [10**6, 0]])
        )
        return arrays._is_lumpy(made)

    assert not lumpy(4096)
    assert lumpy(4097)
    assert not lumpy(10**6, 0.0)  # the same score


# Items with features


def test_sets_of_labels_are_counted_by_rows_of_the_table():
    data = features.read_items(
        np.array([0.5, 0.2, 0.5, 0.9]), np.array([1, 0, 0, 1]), np.zeros((4, 2)), ReadOptions.of()
    )
    assert data.row.tolist() == [1, 0, 1, 2]
    assert data.counts(np.array([[1, 0, 0, 1], [0, 0, 0, 0]])).tolist() == [
        [0, 1, 1, 1, 1, 0],
        [0, 1, 0, 2, 0, 1],
    ]  # of each row class 1 first
    assert data.counts(data.codes[None])[0].sum() == 4
    three = features.read_items(None, np.array(list("abca")), np.zeros((4, 1)), ReadOptions.of())
    assert three.counts(three.codes[None]).tolist() == [[2, 1, 1]]
    assert not three.scored
    assert three.table.scores.tolist() == [[1 / 3] * 3]


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
        ({"unlabelled": True, "cluster": "c"}, "`cluster` is not heeded with `unlabelled`"),
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
    assert where.beside == {"weight": "w"}
    assert where.classes == ("a", "b")
    assert (where.drop_missing, where.unlabelled, where.duplicates) == (False, False, "error")
    assert ReadOptions.of(positive_from=3).positive_from == 3.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        ReadOptions.of(colour="red")
    assert source.is_source("a.csv")
    assert source.is_source(["a", "b"])
    assert not source.is_source([])
    assert not source.is_source(["a", 1])
    assert source.as_paths("a", "paths") == ["a"]
    assert source.as_paths(("a", "b"), "paths") == ["a", "b"]
    for wrong, says in (([], "`paths` is empty"), ([1], "must be a path"), (3, "must be a path")):
        with pytest.raises(ef.InputError, match=says):
            source.as_paths(wrong, "paths")


# Rows that stand for ranges


def test_ranges_that_overlap_become_one():
    lows, highs = np.array([3.0, 0.0, 1.0, 5.0, 2.0]), np.array([3.0, 1.0, 1.5, 6.0, 2.5])
    counts = np.arange(10).reshape(5, 2) + 1
    found = ScoreTable.from_ranges(lows, highs, counts, dropped=4)
    assert (found.lows.tolist(), found.highs.tolist()) == ([0, 2, 3, 5], [1.5, 2.5, 3, 6])
    assert found.scores.tolist() == [0.75, 2.25, 3, 5.5]
    assert found.counts.tolist() == [[8, 10], [9, 10], [1, 2], [7, 8]]
    assert found.coarse.tolist() == [True, True, False, True]
    assert found.dropped == 4
    inside = ScoreTable.from_ranges(np.array([0.0, 1, 4]), np.array([5.0, 2, 4.5]), counts[:3])
    assert (inside.lows.tolist(), inside.highs.tolist()) == ([0], [5])
    exact = ScoreTable.from_ranges(np.array([1.0, 0]), np.array([1.0, 0]), counts[:2])
    assert exact.lows is None
    assert exact.scores.tolist() == [0, 1]


def test_coarsened_tables_keep_counts_weights_and_ranges():
    scores = np.array([0.1, 0.11, 0.51, 0.52, 0.9])
    made = ScoreTable.from_arrays(scores, [0, 1, 1, 0, 1], weight=[1.0, 2, 3, 4, 5])
    cell = grid.cell_of(scores, 4)
    assert cell.tolist() == [0, 0, 2, 2, 3]
    found = made.coarsen(4)
    assert found.counts.tolist() == [[1, 1], [1, 1], [0, 1]]
    assert found.row_masses.tolist() == [3, 7, 5]
    assert (found.lows.tolist(), found.highs.tolist()) == ([0.1, 0.51, 0.9], [0.11, 0.52, 0.9])
    assert made.coarsen(2**20) is made
    with pytest.raises(ef.InputError, match="`cells` must be"):
        made.coarsen(0)


@pytest.mark.parametrize(
    ("lows", "highs"),
    [([0.2, 0.5], [0.3, 0.6]), ([0.1, 0.3], [0.3, 0.6]), ([0.1, 0.5], [0.15, 0.6]), ([0.1], [0.2])],
)
def test_ranges_must_lie_around_the_scores_and_apart(lows, highs):
    counts = np.ones((2, 2), int)
    ScoreTable(
        np.array([0.15, 0.55]), counts, lows=np.array([0.1, 0.5]), highs=np.array([0.3, 0.6])
    )
    with pytest.raises(ValueError, match=r"must be ranges around the scores|of equal length"):
        ScoreTable(np.array([0.18, 0.55]), counts, lows=np.array(lows), highs=np.array(highs))


# Limits and corners


def test_as_many_rows_as_blocks_stay_apart():
    rows = np.cumsum(np.arange(order.BLOCKS) ** 2 + 1)
    assert order._ends(rows, rows).tolist() == list(range(order.BLOCKS))
    assert order._ends(np.append(rows, rows[-1] + 1), np.append(rows, rows[-1])).size < order.BLOCKS


@pytest.mark.parametrize("beside", [{}, {"weight": np.array([1.0, 2, 3, 4])}])
def test_tables_have_no_negative_zeros(beside):
    for signs in ([-0.0, 0.0, 0.5, -0.0], [-0.0, -0.0, -0.0, 1.0]):
        found = ScoreTable.from_arrays(np.array(signs), np.array([0, 1, 0, 1]), **beside)
        assert not np.signbit(found.scores).any()
        assert len(found) == 2


def test_single_votes_are_one_to_an_entry():
    rows = pd.DataFrame(
        {"item": [1, 1, 2], "annotator": list("aba"), "vote": [["cat"], ["dog", "cat"], ["cat"]]}
    )
    with pytest.raises(ef.InputError, match=r"`vote` .*has several labels in one entry"):
        ef.from_votes(rows)


def test_shares_with_one_product_are_not_one_share():
    """Two of three votes and one of six: the same product of votes and totals."""
    rows = pd.DataFrame({"positives": [2, 1, 2], "total": [3, 6, 3], "gold": [1, 0, 0]})
    found = ef.from_votes(rows, positives="positives", totals="total", label="gold", interval=None)
    assert found.table.scores.tolist() == [1 / 6, 2 / 3]
    assert found.table.counts.tolist() == [[1, 0], [1, 1]]


def test_exports_are_read_up_to_256_megabytes(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('[{"fields": {"text": "a"}, "responses": [], "id": 1},')
    os.truncate(path, 2**28 + 1)  # the rest takes no place on the disk
    with pytest.raises(ef.InputError, match="an export of Argilla of more than 256 MB"):
        documents.columns_of_json(str(path), io.FileIO)


def test_labels_of_entries_lie_inside_the_classes():
    one = np.array([1])
    by_class = np.array([[0, 0], [1, 0]])
    Entries.of(one, 0 * one, one * 1.0, None, one).check(by_class)
    beyond = Entries.of(0 * one, 2 * one, one * 1.0, None, one)  # the same place, counted through
    with pytest.raises(ef.InputError):
        beyond.check(by_class)


def test_exports_of_argilla_have_fields_and_responses():
    assert exports._is_argilla({"fields": {}, "responses": []})
    assert exports._is_argilla({"fields": {}, "responses": {}})
    assert not exports._is_argilla({"fields": {}})
    assert not exports._is_argilla({"fields": [], "responses": []})
    assert not exports._is_argilla({"responses": {}})


def test_connections_keep_to_their_settings(tmp_path):
    connection = files.connect(str(tmp_path))
    names = ["temp_directory", "preserve_insertion_order", "autoinstall_known_extensions"]
    asked_for = ", ".join(f"current_setting('{name}')" for name in names)
    found = connection.sql(f"select {asked_for}").fetchone()
    assert found == (str(tmp_path), False, False)
    connection.close()


def test_sources_count_rows_that_are_left_out():
    rows = pd.DataFrame({"score": [0.1, 0.4, None, 0.9, None], "label": [0, 1, 1, 1, 0]})
    found = ef.from_scores(rows, drop_missing=True, interval=None)
    assert (found.n, found.table.dropped, found.source.rows) == (3, 2, 5)


class Ranges:
    """A table of rows that stand for ranges of whole numbers."""

    def __init__(self, lows, highs, items):
        self.ranges, self.items, self.n = (np.array(lows), np.array(highs)), items, int(items.sum())

    def __len__(self):
        return len(self.items)


def test_rows_that_stand_for_ranges_may_be_numbers_of_rows():
    twos = np.full(25, 2)
    lows = np.arange(0.0, 50, 2)
    assert values.are_numbered([Ranges(lows, lows + 1, twos)])
    assert values.are_numbered([Ranges(lows + 1, lows + 2, twos)])
    assert not values.are_numbered([Ranges(lows + 2, lows + 3, twos)])
    assert not values.are_numbered([Ranges(lows, lows + 2, twos)])  # one too far
    assert not values.are_numbered([Ranges(lows, lows + 1, twos + (lows == 0))])
    split = [
        Ranges(lows[:10], lows[:10] + 1, twos[:10]),
        Ranges(lows[10:], lows[10:] + 1, twos[10:]),
    ]
    assert values.are_numbered(split)
    assert not values.are_numbered([Ranges(lows[:9], lows[:9] + 1, twos[:9])])  # 18 rows


def test_numbers_of_rows_are_noted_beside_arrays():
    labels = np.arange(60) % 2
    with pytest.warns(ef.ErrorFloorWarning):
        found = ef.from_scores(np.arange(60.0), labels, interval=None)
    assert found.source.facts["id_as_score"] is True
    found = ef.from_scores(np.arange(60.0) * 2, labels, interval=None)
    assert "id_as_score" not in found.source.facts


def test_lists_of_lists_are_no_votes_in_files_either(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    nested = pa.table({"votes": [[[0], [1]], [[1], [1]], [[0], [0]]]})
    pytest.importorskip("pyarrow.parquet").write_table(nested, path)
    for data in (path, nested):
        with pytest.raises(ef.InputError, match="holds lists of objects or of lists, not of votes"):
            ef.from_votes(data, annotations="votes")


def test_more_votes_side_by_side_than_fit_into_memory_are_refused(monkeypatch):
    monkeypatch.setattr(ballots, "MOST_VOTES", 40)
    monkeypatch.setattr(vote_rows, "MOST_VOTES", 40)
    rng = np.random.default_rng(0)
    for rows in (10, 11):
        frame = pd.DataFrame(rng.integers(0, 2, (rows, 4)), columns=["w1", "w2", "w3", "w4"])
        if rows == 10:
            with pytest.warns(ef.ErrorFloorWarning):
                assert len(ef.annotators(frame, annotators=list(frame))) == 4
        else:
            with pytest.raises(ef.InputError, match="more than 40 votes"):
                ef.annotators(frame, annotators=list(frame))


def test_a_feature_tells_the_label_if_each_of_its_values_has_one():
    value = np.repeat([0.0, 1.0, 2.0], 40)
    assert leaks._tells(value, (value == 1).astype(int), 2)  # two values may have the same
    other = (value == 1).astype(int)
    other[0] = 1
    assert not leaks._tells(value, other, 2)
    assert not leaks._tells(np.repeat(np.arange(7.0), 20), np.repeat([0, 1] * 4, 20)[:140], 2)
    assert leaks._tells(np.repeat(np.arange(6.0), 20), np.repeat([0, 1] * 3, 20), 2)
    assert not leaks._tells(np.repeat(np.arange(3.0), 9), np.repeat([0, 1, 0], 9), 2)  # too few
