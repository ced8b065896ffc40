"""Single votes, annotators and entries: against slow plain code, or numbers by hand."""

from dataclasses import replace
from hashlib import blake2b

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import annotators, entries
from errorfloor.data.ballots import Ballots
from errorfloor.data.entries import Entries
from errorfloor.data.tables import VoteTable

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


# Annotators


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
