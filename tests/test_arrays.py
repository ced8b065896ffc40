"""Arrays of scores and labels give the tables of obvious code, and those of frames and files."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorfloor as ef
from errorfloor import frames
from errorfloor.data import arrays, matrices
from tests import engines

TINY = 5e-324  # the least float above 0
# Ties, both zeros, numbers without a normal exponent, both ends, and some outside [0, 1].
INSIDE = st.sampled_from([0.0, -0.0, TINY, 3 * TINY, 2.3e-308, 0.25, 0.3, 1 - 2**-53, 1.0])
OUTSIDE = st.sampled_from([-1e300, -2.5, -TINY, 1 + 2**-52, 7.0, 1e300])
NEAR = st.integers(0, 30).map(lambda i: 0.3 + i * 1e-10)  # several in a cell
PAIRS = st.one_of(
    st.lists(st.tuples(some, st.booleans()), min_size=1, max_size=80)
    for some in (INSIDE | NEAR, INSIDE | OUTSIDE | NEAR, st.floats(0, 1) | NEAR)
)


def slow(scores, labels):
    """Return the table of a row for each score, one item after the other."""
    counts = {}
    for score, label in zip(scores, labels, strict=True):
        counts.setdefault(score + 0.0, [0, 0])[int(label)] += 1
    return ef.ScoreTable(sorted(counts), [counts[score] for score in sorted(counts)])


def fewest_errors(table):
    """Return the errors of the best cut between rows."""
    wrong = [
        table.positives[:cut].sum() + table.negatives[cut:].sum() for cut in range(len(table) + 1)
    ]
    return min(wrong)


@given(PAIRS)
def test_a_table_of_arrays_counts_as_one_item_after_the_other_does(pairs):
    scores, labels = zip(*pairs, strict=True)
    table = ef.ScoreTable.from_arrays(scores, labels)
    expected = slow(scores, labels)
    assert table == expected
    assert table.scores.tobytes() == expected.scores.tobytes()  # no -0.0
    assert not table.counts.flags.writeable


@given(PAIRS, st.integers(1, 20), st.integers(1, 9))
def test_arrays_of_many_distinct_scores_give_the_table_of_a_frame(pairs, exact, chunk):
    scores, labels = map(np.array, zip(*pairs, strict=True))
    columns = {"p": ("float64", scores.tolist()), "y": ("bool", labels.tolist())}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrices, "EXACT", exact)
        patch.setattr(arrays, "_CHUNK", chunk)
        found = arrays.count_arrays(scores, labels)
        assert found == frames.score_table(engines.arrow(columns), score="p", label="y")
    complete = slow(scores, labels)
    assert len(complete) > exact or found == complete
    assert found.cut_resolution == 0
    assert fewest_errors(found) == fewest_errors(complete)


@pytest.mark.parametrize(
    "view",
    [
        pytest.param(lambda array: array.astype(np.float32), id="32 bits"),
        pytest.param(lambda array: np.repeat(array, 3)[::3], id="strided"),
        pytest.param(lambda array: array[::-1][::-1], id="reversed twice"),
        pytest.param(lambda array: array.astype(">f8"), id="bytes in the other order"),
        pytest.param(lambda array: (array * 9).astype(np.int16), id="whole numbers"),
        pytest.param(lambda array: array > 0.5, id="booleans"),
        pytest.param(lambda array: array.tolist(), id="a list"),
    ],
)
def test_arrays_of_any_type_are_counted(view, monkeypatch):
    rng = np.random.default_rng(2)
    scores, labels = view(rng.random(500)), rng.integers(2, size=500)
    expected = slow(np.array(scores, dtype=np.float64), labels)
    monkeypatch.setattr(matrices, "EXACT", 100)
    for kind in (np.bool_, np.int8, np.uint64, np.float32):
        given_labels = labels.astype(kind)
        assert ef.ScoreTable.from_arrays(scores, given_labels) == expected
        table = arrays.count_arrays(scores, given_labels)
        assert (table.n, table.positives.sum()) == (500, labels.sum())
        assert table.cut_resolution == 0


def test_the_second_look_is_given_up_where_it_would_be_at_too_many_scores(monkeypatch):
    scores = 0.3 + np.arange(400) * 1e-10
    labels = np.arange(400) % 7 < 3
    monkeypatch.setattr(matrices, "EXACT", 100)
    exact = ef.ScoreTable.from_arrays(scores, labels)
    assert arrays.count_arrays(scores, labels) == exact  # its one cell was taken apart
    monkeypatch.setattr(arrays, "MOST_REFINED", 399)
    assert arrays.count_arrays(scores, labels) == exact.coarsen()


@pytest.mark.parametrize("n", [10, 1000])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_score_is_named_however_many_there_are(n, bad, monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 100)
    scores = np.arange(n) / n
    scores[[7, 9]] = bad
    message = rf"`scores` must be finite numbers: entry 7 is {bad} \(2 of {n} are bad\)"
    with pytest.raises(ValueError, match=message):
        ef.from_scores(scores, np.arange(n) % 2)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.float64])
def test_a_bad_label_is_named_whatever_its_type(kind):
    labels = np.array([0, 1, 2, 2], dtype=kind)
    message = r"`labels` must be 0 or 1 \(or False or True\): entry 2 is 2.0 \(2 of 4 are bad\)"
    with pytest.raises(ValueError, match=message):
        ef.from_scores([0.1, 0.2, 0.3, 0.4], labels)


def test_scores_that_would_share_few_cells_have_a_row_each(monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 100)
    rng = np.random.default_rng(4)
    near = rng.random(20_000)
    labels = rng.random(20_000) < near
    assert arrays.count_arrays(near, labels).coarse.any()
    far = 1e6 + 1e5 * near  # on a scale of their own: the grid has one cell for all of them
    table = arrays.count_arrays(far, labels)
    assert not table.coarse.any()
    assert table == ef.ScoreTable.from_arrays(far, labels)


def test_groups_are_looked_at_again_each_in_its_own_ranges(monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 60)
    rng = np.random.default_rng(8)
    score, site = rng.random(4_000), rng.integers(0, 2, 4_000)
    label = rng.random(4_000) < np.where(site, score, score**3)
    rows = pl.DataFrame({"score": score, "label": label, "site": site})
    names = {"score": "score", "label": "label", "cells": 300}
    found = frames.score_tables(rows, group="site", **names)
    for one, table in found.items():
        assert table == frames.score_table(rows.filter(pl.col("site") == one), **names)
        assert table.coarse.any()
        assert table.cut_resolution == 0
