"""Single votes, annotators and entries: against slow plain code, or numbers by hand."""

from hashlib import blake2b

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import annotators, entries
from errorfloor.data.ballots import Ballots

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


# Entries


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
