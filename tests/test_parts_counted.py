"""Single votes, annotators and entries: against slow plain code, or numbers by hand."""

import itertools
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import annotators, arrays, ballots, entries, grid, score_rows
from errorfloor.data.ballots import Ballots
from errorfloor.data.entries import Entries
from errorfloor.data.tables import ScoreTable, VoteTable

# Single votes


def votes_of(classes, seed=0):
    rng = np.random.default_rng(seed)
    pairs = [(i, a) for i in range(25) for a in range(7) if rng.random() < 0.4 or a == i % 7]
    item, by = np.array(pairs).T
    return pd.DataFrame(
        {
            "item": item,
            "by": [f"annotator {a}" for a in by],
            "vote": rng.integers(classes, size=len(item)),
        }
    ).sample(frac=1, random_state=0)


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_tables_of_single_votes_are_those_of_their_rows(classes):
    frame = votes_of(classes)
    names = tuple(map(str, range(classes)))
    single = Ballots.of(*(frame[name].to_numpy() for name in ("item", "by", "vote")))
    single = single.with_classes(names)
    some = frame["item"].to_numpy() % 2 == 0  # of the others no vote is left
    ordered = np.array(sorted(map(str, range(25))))
    few = np.array([int(one) % 2 == 0 for one in ordered])[single.item]
    for votes, rows in ((single, frame), (single.where(few), frame[some])):
        expected = ef.frames.vote_table(
            rows, item="item", annotator="by", vote="vote", classes=names
        )
        found = votes.table()
        assert found == expected
        assert found.by_group.tolist() == expected.by_group.tolist()
        assert found.workloads.tolist() == expected.workloads.tolist()
    counts = np.zeros((25, classes), dtype=int)
    for item, vote in zip(single.item, single.vote, strict=True):
        counts[item, vote] += 1
    assert single.counts.tolist() == counts.tolist()
    assert single.totals.tolist() == counts.sum(axis=1).tolist()
    assert single.positives.tolist() == counts[:, 1].tolist()
    halves = [annotators.bucket_of(one) % 2 == 1 for one in ordered]
    assert single.half.tolist() == halves


def test_votes_side_by_side_do_not_depend_on_the_order_of_rows():
    pattern = np.random.default_rng(0).integers(-1, 3, (40, 3))
    names = ["a", "b", " c "]
    one = Ballots.side_by_side(pattern, names)
    other = Ballots.side_by_side(pattern[::-1], names)
    ordered = sorted(pattern.tolist())
    expected = [
        (i, k, vote) for i, row in enumerate(ordered) for k, vote in enumerate(row) if vote >= 0
    ]
    for found in (one, other):
        votes = zip(found.item, found.annotator, found.vote, strict=True)
        assert [tuple(map(int, vote)) for vote in votes] == expected
    assert one.names == ("a", "b", "c")
    assert one.half.tolist() == other.half.tolist()
    assert 10 < one.half.sum() < 30
    assert one.half.size == 40


def test_so_many_single_votes_fit_into_memory(monkeypatch):
    # Items, annotators and votes are of eight bytes each.
    assert 3 * 8 * ballots.MOST_VOTES < 2e9
    monkeypatch.setattr(ballots, "MOST_VOTES", 4)
    items, by, votes = np.arange(5), np.array([*"abcde"]), np.array([0, 1, 1, 0, 1])
    assert Ballots.of(items[:4], by[:4], votes[:4]).vote.tolist() == [0, 1, 1, 0]
    with pytest.raises(ef.InputError, match="There are more than 4 votes"):
        Ballots.of(items, by, votes)
    assert Ballots.side_by_side(np.zeros((2, 2), int), ["a", "b"]).totals.tolist() == [2, 2]
    with pytest.raises(ef.InputError, match="There are more than 4 votes"):
        Ballots.side_by_side(np.zeros((5, 1), int), ["a"])


def test_so_many_scores_and_labels_take_half_a_gigabyte():
    # Eight bytes each, and as much again to sort them.
    assert 2 * (8 + 8) * score_rows.FEW_ROWS <= 2**29


# Annotators


def test_annotators_are_told_apart_by_the_same_numbers_everywhere():
    for one, text in (
        (7, "7"),
        (7.0, "7"),
        ("7.00", "7"),
        (" ann ", "ann"),
        ("ü", "ü"),
        (1.5, "1.5"),
    ):
        digest = blake2b(text.encode(), digest_size=8).digest()
        number = sum(byte << 8 * place for place, byte in enumerate(digest)) & 0xFFFFF
        assert annotators.bucket_of(one) == number
        assert annotators.part_of(number) == number & 0b111111
    # As documented.
    assert annotators.MOST_ANNOTATORS == 100_000
    assert annotators.MOST_ROWS == 1_048_576


def test_votes_of_many_classes_are_counted_in_64_bits():
    most = annotators.MOST_ALIKE
    assert most**4 < 2**63
    one = np.array([[most, 0, 0]])
    rows = annotators.of_many(np.array([0]), one, one, np.array([1]))
    assert rows[0, 4] == most * (most - 1) * (most - 2) * (most - 3)


def is_taken(row, votes, many=False):
    try:
        annotators.checked([row], [[9, votes]], votes, many=many)
    except ef.InputError:
        return False
    return True


def test_votes_of_a_group_are_some_of_all_votes():
    for m, k, own, yes in itertools.product(range(4), repeat=4):
        within = own >= 1 and 0 <= yes <= k and 0 <= own - yes <= m - k
        assert is_taken([3, m, k, own, yes, 1], own) == within


def test_pairs_of_a_group_are_some_of_all_pairs():
    for votes in itertools.product(range(4), repeat=3):
        for own in itertools.product(*(range(n + 1) for n in votes)):
            if sum(own):
                row = annotators.of_many(
                    np.array([3]), np.array([votes]), np.array([own]), np.array([1])
                )
                assert is_taken(row[0], sum(own), many=True)
    # Group, votes, pairs, threes, fours, its votes, pairs without these, items: each is one off.
    for row in (
        [3, 1, 0, 0, 0, 2, 0, 1],  # more of its votes than there are
        [3, 3, 6, 6, 0, 0, 6, 1],  # none of its votes
        [3, 3, 0, 0, 0, 1, 1, 1],  # more pairs without them than with
        [3, 2, 3, 0, 0, 1, 0, 1],  # more pairs than votes make
        [3, 3, 6, 6, 0, 1, 3, 1],  # more pairs without them than votes make
        [3, 4, 13, 0, 0, 1, 0, 1],
        [3, 4, 12, 0, 0, 1, 7, 1],
    ):
        assert not is_taken(row, row[5], many=True)
    assert is_taken([3, 4, 12, 24, 24, 1, 6, 1], 1, many=True)


def test_what_is_kept_of_annotators_is_in_order_and_read_only():
    by_group = [[3, 4, 2, 2, 1, 5], [1, 4, 2, 2, 1, 1], [3, 4, 2, 2, 1, 2]]
    rows, work = annotators.checked(by_group, [[9, 10], [2, 3], [9, 3]], 16)
    assert rows.tolist() == [[1, 4, 2, 2, 1, 1], [3, 4, 2, 2, 1, 7]]
    assert work.tolist() == [[2, 3], [9, 13]]
    assert not rows.flags.writeable
    assert not work.flags.writeable
    for wrong in (
        [[3.0, 4, 2, 2, 1, 5]],
        [3, 4, 2, 2, 1, 5],
        [[3, 4, 2, 2, 1]],
        np.ones((6, 5), int),
    ):
        with pytest.raises(ef.InputError, match="must be counts with the columns part"):
            annotators.checked(wrong, [[9, 10]], 10)
    with pytest.raises(ef.InputError, match="The counts of a table must add up to at most"):
        annotators.checked([[3, 4, 2, 2, 1, 2**62]] * 2, [[9, 2]], 2)


def test_annotators_that_share_a_hash_are_allowed_for():
    def work(number):
        return np.column_stack((np.arange(number), np.ones(number, int)))

    assert [annotators.number_of(work(n)) for n in (1, 2, 300, 1000)] == [1, 2, 300, 1000]
    # 2**20 places, of which so many people leave as many empty as there are.
    empty = 2**20 * (1 - 2**-20) ** 200_000
    assert annotators.number_of(work(round(2**20 - empty))) == pytest.approx(200_000, abs=2)
    assert annotators.number_of(work(2**20)) == round(2**20 * 20 * np.log(2))
    loads = np.array([[5, 1], [6, 3], [9, 4]])
    assert annotators.effective_number(loads) == 64 / 26


def test_tables_without_items_lose_no_annotators(recwarn):
    known = ef.frames.vote_table(votes_of(2), item="item", annotator="by", vote="vote")
    unknown = ef.frames.vote_table(votes_of(2), item="item", vote="vote")
    for one, other in ((known, VoteTable.empty()), (VoteTable.empty(), known)):
        assert annotators.together(one, other)["workloads"].tolist() == known.workloads.tolist()
    assert annotators.together(VoteTable.empty(), VoteTable.empty()) == {}
    both = annotators.together(known, known)
    assert both["workloads"][:, 1].tolist() == (2 * known.workloads[:, 1]).tolist()
    assert both["by_group"][:, -1].tolist() == (2 * known.by_group[:, -1]).tolist()
    assert annotators.together(unknown, unknown) == {}
    assert not recwarn
    with pytest.warns(ef.LostAnnotatorsWarning):
        assert annotators.together(known, unknown) == {}


# Entries


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("most", [(3, 2), (2**24, 3), (3, 128), (2**24 - 1, 127), (2**25, 300)])
def test_entries_are_those_of_plain_code(seed, most):
    rng = np.random.default_rng(seed)
    size = 40 if seed else 0  # and none at all
    row = rng.choice([0, 1, most[0]], size)
    label = rng.choice([0, 1, most[1]], size)
    weight = rng.choice([0.5, 1.0, 3.0], size)
    cluster = rng.integers(0, 3, size)
    count = rng.integers(1, 5, size)
    for with_cluster, with_count, with_weight in itertools.product([True, False], repeat=3):
        expected = {}
        for i in range(size):
            key = int(row[i]), -int(label[i]), float(weight[i]) if with_weight else 1.0
            key += (int(cluster[i]),) if with_cluster else ()
            expected[key] = expected.get(key, 0) + (int(count[i]) if with_count else 1)
        found = Entries.of(
            row,
            label,
            weight if with_weight else None,
            cluster if with_cluster else None,
            count if with_count else None,
        )
        columns = [found.row, -found.label, found.weight]
        columns += [found.cluster] if with_cluster else []
        keys = [tuple(key) for key in zip(*(one.tolist() for one in columns), strict=True)]
        assert keys == sorted(expected)
        assert found.count.tolist() == [expected[key] for key in keys]
        assert (found.cluster is None) != with_cluster
        assert len(found) == len(expected)


def test_no_entries_and_one_alone_weigh_the_same():
    none = Entries.of(np.zeros(0, int), np.zeros(0, int), None, None)
    one = Entries.of(np.array([0]), np.array([1]), np.array([3.0]), None)
    two = Entries.of(np.array([0, 0]), np.array([1, 1]), np.array([3.0, 4.0]), None)
    clustered = Entries.of(np.array([0, 1]), np.array([1, 1]), None, np.array([5, 6]))
    for some, equal in ((none, True), (one, True), (two, False), (clustered, True)):
        assert (some.are_equal, some.is_plain) == (equal, equal)


def test_sums_of_entries_are_kept_for_these_entries_alone():
    some = Entries.of(np.array([0, 1, 1]), np.array([1, 0, 0]), np.array([2.0, 3.0, 4.0]), None)
    sums = some.sums(2, 2)
    assert sums.tolist() == [[0, 2], [7, 0]]
    assert some.sums(2, 2) is sums
    assert not sums.flags.writeable
    assert some.sums(3, 2).tolist() == [[0, 2], [7, 0], [0, 0]]
    assert replace(some, weight=some.weight / 7).sums(2, 2).tolist() == [[0, 2], [7, 0]]
    assert replace(some, weight=some.weight + 2).sums(2, 2).tolist() == [[0, 4], [11, 0]]
    assert some.moved(np.array([0, 0])).sums(1, 2).tolist() == [[7, 2]]


def test_entries_of_no_items_are_refused_and_good_ones_are_frozen():
    by_class = np.array([[0, 1], [2, 0]])
    good = Entries.of(np.array([0, 1]), np.array([1, 0]), None, np.array([3, 4]), np.array([1, 2]))
    good.check(by_class)
    assert not any(array.flags.writeable for array in good.arrays().values())
    row, label, ones = np.array([0, 0, 1]), np.array([1, 0, 0]), np.ones(3)
    for wrong in (
        Entries(row, label, ones, np.array([1, 0, 2])),  # no item of class 0 in the first row
        Entries(row[1:], label[1:], ones, np.array([1, 2])),  # a weight too many
        Entries(row[::2], label[::2], -ones[1:], np.array([1, 2])),
        Entries(row[::2], label[::2], np.nan * ones[1:], np.array([1, 2])),
    ):
        with pytest.raises(ef.InputError, match="The entries of a table must be its items"):
            wrong.check(by_class)


def test_entries_of_two_tables_stand_one_behind_the_other():
    one = Entries.of(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), None)
    other = Entries.of(np.array([0]), np.array([1]), np.array([4.0]), None)
    both = entries.entries_together(one, other, (3, 1))
    assert (both.row.tolist(), both.weight.tolist()) == ([0, 1, 2, 3], [1, 2, 3, 4])
    assert (both.label.tolist(), both.cluster) == ([0, 1, 0, 1], None)
    assert entries.entries_together(None, None, (3, 1)) is None
    assert entries.entries_together(None, other, (0, 1)) is other
    assert entries.entries_together(other, None, (1, 0)) is other
    clustered = replace(other, cluster=np.array([8]))
    twice = entries.entries_together(clustered, clustered, (1, 1))
    assert (twice.row.tolist(), twice.cluster.tolist()) == ([0, 1], [8, 8])
    for wrong, rows in (((None, other), (1, 1)), ((other, None), (1, 1)), ((one, None), (3, 2))):
        with pytest.raises(ef.InputError, match="has weights or clusters and the other has none"):
            entries.entries_together(*wrong, rows)
    for wrong in ((clustered, other), (other, clustered)):
        with pytest.raises(ef.InputError, match="has clusters and the other has none"):
            entries.entries_together(*wrong, (1, 1))


def test_weights_lie_where_their_squares_can_be_added():
    ends = np.array([2.0**-900, 1.0, 2.0**900])
    assert entries.as_weights(ends, 3, "labels").tolist() == ends.tolist()
    for wrong, says in (
        (np.nextafter(2.0**-900, 0), "must lie between 1e-271 and 8e"),
        (np.nextafter(2.0**900, np.inf), "must lie between 1e-271 and 8e"),
        (0.0, "must be positive finite numbers"),
        (-1.0, "must be positive finite numbers"),
        (np.inf, "must be finite"),
        (np.nan, "must be finite"),
    ):
        with pytest.raises(ef.InputError, match=says):
            entries.as_weights(np.array([1.0, wrong]), 2, "labels")
    for check, name in ((entries.as_weights, "weight"), (entries.as_clusters, "cluster")):
        with pytest.raises(ef.InputError, match=f"`{name}` is the name of a column"):
            check("a", 2, "labels")
        with pytest.raises(ef.InputError, match=f"`labels` and `{name}` must have the same length"):
            check(np.ones(2), 3, "labels")
    with pytest.raises(ef.InputError, match=r"one name or number per item, got shape \(2, 1\)"):
        entries.as_clusters(np.ones((2, 1)), 2, "labels")


def test_clusters_have_the_same_numbers_everywhere():
    def number(text):
        digest = blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") // 2

    names = ["7", "ann", "7", "bob", "ü"]
    expected = [number(name) for name in names]
    for given in (
        names,
        np.array(names, dtype=object),
        np.array([7, "ann", 7.0, "bob", "ü"], object),
    ):
        assert entries.as_clusters(given, 5, "labels").tolist() == expected
    assert entries.cluster_numbers(np.array([7.0, 3.0])).tolist() == [number("7"), number("3")]
    with pytest.raises(ef.InputError, match="`cluster` must not be missing"):
        entries.as_clusters(np.array(["a", None], dtype=object), 2, "labels")


def test_entries_are_kept_in_files_by_their_names():
    some = Entries.of(np.array([0, 1]), np.array([1, 0]), np.array([2.0, 3.0]), np.array([5, 6]))
    found = entries.entries_in_file({**some.arrays(), "scores": np.array([0.1, 0.2])})
    assert set(found) == {"scores", "entries"}
    for name, array in some.arrays().items():
        assert found["entries"].arrays()[name].tolist() == array.tolist()
    assert entries.entries_in_file({"scores": 1}) == {"scores": 1}


# Arrays of scores


@pytest.mark.parametrize("spread", [1.0, 3.0])
@pytest.mark.parametrize("shift", [0.0, -0.5, -4.0])
def test_rows_of_cells_are_numbered_as_their_cells_are(shift, spread, monkeypatch):
    monkeypatch.setattr(arrays, "_CHUNK", 64)
    scores = spread * np.random.default_rng(0).random(300) + shift
    _, expected = np.unique(grid.cell_of(scores, grid.CELLS), return_inverse=True)
    assert arrays._rows_of_cells(scores).tolist() == expected.tolist()


def test_zeros_of_both_signs_are_one_score_and_small_numbers_are_not(monkeypatch):
    monkeypatch.setattr(grid, "EXACT", 4)
    s = np.array([0.0, -0.0, 1e-20, 0.5, 0.75] * 4)
    y = np.arange(s.size) % 2
    exact = arrays.count_checked(s, y)
    assert exact.scores.tolist() == [0, 1e-20, 0.5, 0.75]
    assert not np.signbit(exact.scores).any()
    assert exact.items.tolist() == [8, 4, 4, 4]
    weight = 1.0 + np.arange(s.size)
    weighed = arrays.count_weighed(s, y, None, {"weight": weight})
    assert weighed.scores.tolist() == [0, 1e-20, 0.5, 0.75]
    assert not np.signbit(weighed.scores).any()
    assert weighed.counts.tolist() == exact.counts.tolist()
    assert weighed.row_masses.tolist() == [weight[abs(s) == one].sum() for one in weighed.scores]


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.float32, np.float16])
def test_numbers_of_any_kind_are_counted_as_floats_are(kind, monkeypatch):
    monkeypatch.setattr(grid, "EXACT", 16)
    s = np.random.default_rng(0).permutation(np.arange(-20, 21)).astype(kind)
    y = (s > 3).astype(np.int8)
    for refine in (True, False):
        found = arrays.count_checked(s, y, cells=64, refine=refine)
        assert found == arrays.count_checked(s.astype(np.float64), y, cells=64, refine=refine)
        assert found.n == 41
        assert found.scores.dtype == np.float64


def test_tables_with_weights_have_cells_where_scores_are_too_many(monkeypatch):
    monkeypatch.setattr(grid, "EXACT", 16)
    rng = np.random.default_rng(0)
    s, y = rng.random(400), rng.integers(0, 2, 400)
    weight = rng.choice([1.0, 2.0], 400)
    found = arrays.count_weighed(s, y, None, {"weight": weight})
    cell = grid.cell_of(s, grid.CELLS)
    assert len(found) == np.unique(cell).size
    assert found.items.tolist() == np.bincount(cell)[np.unique(cell)].tolist()
    assert found.row_masses.sum() == weight.sum()
    for number in (16, 17):
        s = np.tile(0.3 + np.arange(number) * 1e-9, 3)
        table = ScoreTable.from_arrays(s, np.arange(s.size) % 2, weight=np.ones(s.size))
        assert len(table) == number
        assert len(arrays.merged_if_many(table)) == (number if number == 16 else 1)
    rows = rng.random((40, 3))
    wide = ScoreTable.from_arrays(rows, rng.integers(0, 3, 40), weight=np.ones(40))
    assert arrays.merged_if_many(wide) is wide
    far = ScoreTable.from_arrays(1e6 + np.arange(5000), np.arange(5000) % 2, weight=np.ones(5000))
    assert arrays.merged_if_many(far) is far  # all in one cell


def test_so_many_items_in_a_row_are_lumpy():
    def lumpy(items, others):
        low = np.array([1.0, 2.0])
        counts = np.array([[items, 0], [others, 0]])
        made = ScoreTable.from_ranges(low, low + np.array([1e-9, 0]), counts)
        return arrays._is_lumpy(made)

    n = 5000 * 1024  # of which 5000 are a part in 1024
    assert not lumpy(5000, n - 5000)
    assert lumpy(5001, n - 5001)
    assert lumpy(5000, n - 5001)
    assert not lumpy(4096, 1)
    assert lumpy(4097, 1)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_scores_that_differ_in_few_bits_spread_as_well(kind):
    if kind == np.float16:
        scores = np.arange(2**12, dtype=np.uint16).view(np.float16)
    else:
        whole = np.uint64 if kind == np.float64 else np.uint32
        start = np.array([0.3], dtype=kind).view(whole)[0]
        scores = (start + np.arange(2**12, dtype=whole)).view(kind)  # one behind the other
    for given in (scores, scores[::-1], np.repeat(scores, 3), scores[::2]):
        distinct = np.unique(given).size
        assert 0.9 * distinct <= arrays._different_bits(given) <= distinct
