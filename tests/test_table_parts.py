"""What tables of counts check, keep and add, row by row and by hand."""

from dataclasses import replace

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data import arrays, matrices, tables
from errorfloor.data.entries import Entries
from errorfloor.data.items import KeptScores
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable

THREE = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.5, 0.25, 0.25]])


def frozen(values, kind=None, order="F"):
    """Return an array as tables keep them: nobody can change it."""
    array = np.array(values, dtype=kind, order=order)
    array.setflags(write=False)
    return array


def entries_of(found):
    """Return the entries of a table as tuples of row, label, weight and count."""
    e = found.entries
    return sorted(zip(*(one.tolist() for one in (e.row, e.label, e.weight, e.count)), strict=True))


# What all tables share


def test_tables_are_equal_if_all_that_they_hold_is():
    one = ScoreTable.from_arrays([0.2, 0.9], [0, 1])
    assert one == ScoreTable.from_arrays([0.9, 0.2], [1, 0])
    assert one != one.without(1)
    assert one != ScoreTable.from_arrays([0.2, 0.9], [1, 1])
    assert one != replace(one, unlabelled=np.array([0, 1]))
    assert one != replace(one, classes=("a", "b"))
    assert one != SoftTable.from_arrays([0.2, 0.9])
    assert one.without(3).dropped == 3
    weighed = ScoreTable.from_arrays([0.2, 0.9], [0, 1], weight=[1.0, 2.0])
    assert one != weighed
    assert weighed != ScoreTable.from_arrays([0.2, 0.9], [0, 1], weight=[1.0, 3.0])


def test_columns_are_of_one_length_and_cannot_be_changed():
    with pytest.raises(ValueError, match=r"The columns must be of equal length, got probab.* \(2,"):
        SoftTable([0.2, 0.9], [1])
    found = SoftTable([0.2, 0.9], [1, 2])
    for column in found.columns.values():
        assert not column.flags.writeable
    with pytest.raises(ef.InputError, match="`dropped` must be"):
        SoftTable([0.2], [1], dropped=-1)


def test_names_are_as_many_as_classes_and_differ():
    counts = [[1, 0], [0, 1]]
    assert ScoreTable([0.2, 0.9], counts, classes=("b", "a")).classes == ("b", "a")
    assert ScoreTable(THREE[:2][::-1], np.eye(3, dtype=int)[:2]).classes == ("0", "1", "2")
    for names in (("a", "a"), ("a", "b", "c"), ("a", "a", "b"), ("a",)):
        with pytest.raises(ValueError, match="`classes` must be 2 different names"):
            ScoreTable([0.2, 0.9], counts, classes=names)


def test_plain_tables_are_those_without_entries():
    one = ScoreTable.from_arrays([0.2, 0.9], [0, 1])
    assert one.plain is one
    alike = ScoreTable.from_arrays([0.2, 0.9], [0, 1], weight=[2.0, 2.0])
    assert alike.plain == one
    weighed = ScoreTable.from_arrays([0.2, 0.9], [0, 1], weight=[1.0, 2.0])
    assert weighed.plain is weighed


# Counts


def test_counts_are_whole_numbers_that_nobody_can_change():
    ours = frozen([1, 2, 3])
    assert matrices.column(ours, "counts", least=1, most=3) is ours
    assert matrices.column([], "counts").dtype == np.int64
    for values in ([1, 2, 3], np.array([1.0, 2, 3]), frozen([1.0, 2, 3]), frozen([1, 2, 3], "i4")):
        found = matrices.column(values, "counts", least=1, most=3)
        assert (found.tolist(), found.dtype) == ([1, 2, 3], np.int64)
        assert found is not values
    for values, limits in (
        ([0, 1], {"least": 1}),
        (frozen([0, 1]), {"least": 1}),
        (frozen([1, 4]), {"most": 3}),
        ([1, 4], {"most": 3}),
        (frozen([-1, 4]), {}),
        (frozen([[1, 2]]), {}),
        (frozen([0.5, 1.0]), {}),
    ):
        with pytest.raises(ef.InputError, match="`counts` must be"):
            matrices.column(values, "counts", **limits)


# Rows that stand for ranges


def test_ranges_have_no_negative_zeros():
    low = np.array([-0.0, 0.5])
    for found in (
        ScoreTable.from_ranges(low, np.array([0.25, 0.5]), np.eye(2, dtype=int)),
        ScoreTable.from_ranges(low, low, np.eye(2, dtype=int)),
        ScoreTable([-0.0, 0.5], np.eye(2, dtype=int), lows=[-0.0, 0.5], highs=[0.25, 0.5]),
        ScoreTable([-0.25, 0.5], np.eye(2, dtype=int), lows=[-0.5, 0.5], highs=[-0.0, 0.5]),
    ):
        for column in (*found.ranges, found.scores):
            assert not np.signbit(column[column == 0]).any()
    ours = frozen([-0.0, 0.5])
    assert not np.signbit(ScoreTable(ours, np.eye(2, dtype=int)).scores).any()
    three = ScoreTable(frozen([[0.5, 0.5, -0.0]]), [[1, 0, 0]])
    assert not np.signbit(three.scores).any()


def test_rows_are_coarse_where_they_stand_for_several_places():
    plain = SoftTable([0.2, 0.5], [1, 2])
    assert plain.coarse.tolist() == [False, False]
    assert [one.tolist() for one in plain.ranges] == [[0.2, 0.5]] * 2
    half = SoftTable([0.2, 0.5], [1, 2], lows=[0.1, 0.5])
    assert half.coarse.tolist() == [True, False]
    assert [one.tolist() for one in half.ranges] == [[0.1, 0.5], [0.2, 0.5]]
    other = SoftTable([0.2, 0.5], [1, 2], highs=[0.3, 0.5])
    assert [one.tolist() for one in other.ranges] == [[0.2, 0.5], [0.3, 0.5]]
    assert (half.n, half.items.tolist(), half.row_masses.tolist()) == (3, [1, 2], [1, 2])


def test_empty_ranges_and_tables_stay_empty():
    none = ScoreTable.from_ranges(np.zeros(0), np.zeros(0), np.zeros((0, 2), int), dropped=3)
    assert (len(none), none.dropped) == (0, 3)
    assert ScoreTable.from_ranges(np.zeros(0), np.zeros(0), np.zeros((0, 2), int)).dropped == 0
    assert none.coarsen() is none
    three = ScoreTable.from_arrays(THREE, [0, 1, 2])
    assert three.coarsen(1) is three


def test_ranges_keep_their_entries():
    lows, highs = np.array([0.5, 0.1, 0.55]), np.array([0.6, 0.2, 0.7])
    own = Entries(np.arange(3), np.array([0, 1, 1]), np.array([1.0, 2, 3]), np.ones(3, int))
    found = ScoreTable.from_ranges(
        lows, highs, np.array([[1, 0], [0, 1], [0, 1]]), entries=own, unlabelled=np.array([0, 0, 0])
    )
    assert entries_of(found) == [(0, 1, 2, 1), (1, 0, 1, 1), (1, 1, 3, 1)]
    assert (found.lows.tolist(), found.highs.tolist()) == ([0.1, 0.5], [0.2, 0.7])
    assert tables._rows_after(np.array([1, 0, 2]), np.array([0, 1])).tolist() == [1, 0, 1]


# Tables of scores


def test_scores_of_no_item_are_refused():
    with pytest.raises(ef.InputError, match="The counts of a score must not all be 0: entry 1"):
        ScoreTable([0.2, 0.9], [[1, 0], [0, 0]])
    with pytest.raises(ef.InputError, match="The counts of a score must not all be 0: entry 1"):
        ScoreTable([0.2, 0.9], [[1, 0], [0, 0]], unlabelled=[1, 0])
    some = ScoreTable([0.2, 0.9], [[1, 0], [0, 0]], unlabelled=[0, 1])
    assert (some.n, some.n_unlabelled) == (1, 1)
    assert ScoreTable([0.2], [[1, 0]]).n_unlabelled == 0
    with pytest.raises(ef.InputError, match="must add up to at most"):
        ScoreTable([0.2, 0.9], np.eye(2, dtype=int), unlabelled=[matrices.MOST_ITEMS, 1])
    assert ScoreTable.from_counts([0.2, 0.9], [1, 0], [0, 2]).dropped == 0
    for make in (ScoreTable.from_counts, lambda s, n, p: ScoreTable.from_file(
        {"scores": s, "negatives": n, "positives": p}
    )):  # fmt: skip
        assert make([0.2, 0.9], [1, 0], [0, 2]).counts.tolist() == [[1, 0], [0, 2]]
        with pytest.raises(ef.InputError, match="`negatives` and `positives` must have the same"):
            make([0.2], [1], [1, 2])
    assert some.labelled.scores.tolist() == [0.2]
    assert some.labelled.unlabelled is None
    three = ScoreTable(THREE[1:], [[1, 0, 0], [0, 1, 0]])
    for ask in (lambda: three.positives, lambda: three.negatives):
        with pytest.raises(ValueError, match="A table of 3 classes has no negatives and positives"):
            ask()


def test_labelled_items_keep_their_entries():
    where = ReadOptions.of(unlabelled=True, weight=[1.0, 1, 5, 2])
    some = arrays.partly_labelled([0.4, 0.2, 0.6, 0.9], [0, None, None, 1], where)
    assert some.counts.tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert some.unlabelled.tolist() == [1, 0, 1, 0]
    assert entries_of(some) == [(0, 2, 1, 1), (1, 0, 1, 1), (2, 2, 1, 1), (3, 1, 2, 1)]
    assert entries_of(some.labelled) == [(0, 0, 1, 1), (1, 1, 2, 1)]
    assert some.labelled.scores.tolist() == [0.4, 0.9]
    soft = SoftTable.from_scores(replace(some, entries=None))
    assert soft.counts.tolist() == [1, 1, 1, 1]
    assert SoftTable.from_scores(ScoreTable([0.2], [[1, 2]])).counts.tolist() == [3]


# Votes


def test_votes_that_no_table_can_have_are_refused():
    with pytest.raises(ef.InputError, match="Items must have votes"):
        VoteTable([[0, 0]], [1])
    with pytest.raises(ef.InputError, match="must add up to at most"):
        VoteTable([[1, 0], [0, 1]], [matrices.MOST_ITEMS, 1])
    for kept in ({"workloads": [[1, 1]]}, {"by_group": [[0, 1, 0, 1, 0, 1]]}):
        with pytest.raises(ef.InputError, match="What a vote table keeps of annotators"):
            VoteTable([[1, 0]], [1], **kept)


def test_entries_are_those_of_the_items():
    one = np.ones(1, int)
    wrong = Entries(0 * one, 0 * one, np.ones(1), 5 * one)
    for made in (
        VoteTable([[1, 0]], [1]),
        ScoreTable([0.5], [[1, 0]]),
        SoftTable([0.5], [1]),
    ):
        replace(made, entries=Entries(0 * one, 0 * one, np.ones(1), one))
        with pytest.raises(ef.InputError, match="The entries of a table must be its items"):
            replace(made, entries=wrong)


# Shares of votes as scores


# Items without a label


def test_items_without_a_label_are_left_out_or_kept():
    scores, labels = [0.4, 0.2, 0.4, 0.9], [0, None, 1, 1]
    left = arrays.partly_labelled(scores, labels, ReadOptions.of(drop_missing=True))
    assert (left.n, left.dropped, left.unlabelled) == (3, 1, None)
    assert left.counts.tolist() == [[1, 1], [0, 1]]
    kept = arrays.partly_labelled(scores, labels, ReadOptions.of(unlabelled=True))
    assert (kept.n, kept.dropped, kept.unlabelled.tolist()) == (3, 0, [1, 0, 0])
    whole = arrays.partly_labelled(scores, [0, 0, 1, 1], ReadOptions.of(unlabelled=True))
    assert (whole.n, whole.unlabelled) == (4, None)
    assert (
        arrays.partly_labelled(scores, [0, 0, 1, 1], ReadOptions.of(drop_missing=True)).dropped == 0
    )
    with pytest.raises(ef.InputError, match="`labels` is missing for all 4 items"):
        arrays.partly_labelled(scores, [None] * 4, ReadOptions.of(unlabelled=True))
    with pytest.raises(ef.InputError, match="`scores` and `labels` must have the same length"):
        arrays.partly_labelled(scores, [0, None], ReadOptions.of(unlabelled=True))
    with pytest.raises(ef.InputError, match="`labels` must be 1-d"):
        arrays.known_labels([[0], [1]])


def test_items_of_many_classes_without_a_label_are_kept():
    scores = [*THREE.tolist(), [0.25, 0.25, 0.5]]
    labels = ["a", None, "c", "b"]
    kept = arrays.partly_labelled(
        scores, labels, ReadOptions.of(unlabelled=True, classes=["a", "b", "c"])
    )
    assert kept.counts.tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 1]]
    assert kept.unlabelled.tolist() == [1, 0, 0]
    # Of two columns, all items tell whether they are logits.
    two = [[1.0, 3.0], [-1.0, 1.0], [2.0, 2.0]]
    found = arrays.partly_labelled(two, [1, None, 0], ReadOptions.of(unlabelled=True))
    assert found.scores.tolist() == [0, 2]
    assert found.unlabelled.tolist() == [0, 1]
    for classes in (None, ["no", "yes"]):
        where = ReadOptions.of(drop_missing=True, classes=classes)
        found = arrays.partly_labelled(two, ["yes", None, "no"], where)
        assert (found.scores.tolist(), found.counts.tolist()) == ([0, 2], [[1, 0], [0, 1]])


def test_weights_of_items_without_a_label_are_not_asked_for():
    known = np.array([True, False, True])
    assert arrays._known_weights([1.0, np.nan, 3.0], known).tolist() == [1, 3]
    assert arrays._known_weights([1.0, None, 3.0], known) == [1, 3]
    assert arrays._known_weights(2.0, known) == 2.0
    with pytest.raises(ef.InputError, match="`scores` and `weight` must have the same length"):
        arrays._known_weights([1.0, 2.0], known)
    hidden = np.ma.array([1.0, 2.0, 3.0], mask=[False, False, True])
    where = ReadOptions.of(unlabelled=True, weight=hidden)
    for labels in ([0, None, 1], [0, 1, 1]):
        with pytest.raises(ef.InputError, match="`weight`"):
            arrays.partly_labelled([0.1, 0.2, 0.3], labels, where)
    masked = np.ma.array([0, 1, 1], mask=[False, True, False])
    assert arrays.known_labels(masked).tolist() == [True, False, True]
    assert arrays.labels_there(["a", None, "b"]).tolist() == ["a", "b"]


@pytest.mark.parametrize("missing", [1, 2])
def test_rows_without_a_label_are_kept_in_their_groups(missing):
    import pandas as pd

    from errorfloor.data.layouts import SCORES
    from errorfloor.data.read import read

    labels = ["yes", "no", "yes", "no", *[None] * missing]
    data = {
        "score": [0.1, 0.2, 0.1, 0.4, *[0.2] * missing],
        "label": labels,
        "site": ["x", "x", "y", "y", *["x"] * missing],
    }
    where = ReadOptions.of(score="score", label="label", positive="yes", unlabelled=True)
    found = read(pd.DataFrame(data), (SCORES,), where).table
    assert found.scores.tolist() == [0.1, 0.2, 0.4]
    assert found.counts.tolist() == [[0, 2], [1, 0], [1, 0]]
    assert found.unlabelled.tolist() == [0, missing, 0]
    by_site = read(pd.DataFrame(data), (SCORES,), replace(where, group="site")).tables
    assert by_site["x"].unlabelled.tolist() == [0, missing]
    assert by_site["y"].unlabelled is None
    whole = read(pd.DataFrame(data).head(4), (SCORES,), where).table
    assert (whole.n, whole.unlabelled) == (4, None)
    with pytest.raises(ef.InputError, match=f"missing for all {missing} items"):
        read(pd.DataFrame(data).tail(missing), (SCORES,), where)


# Single items, and sums of files


def test_scores_are_kept_item_by_item():
    kept = KeptScores()
    assert (kept.scores.size, kept.labels.size) == (0, 0)
    assert [role.name for role in kept.layout(labelled=True).roles] == ["score", "label"]
    assert [role.name for role in kept.layout(labelled=False).roles] == ["score"]
    kept._of_arrays([0.5, 0.1, 0.9], [1, None, 0], None)
    assert kept.scores.tolist() == [0.5, 0.1, 0.9]
    np.testing.assert_array_equal(kept.labels, [1, np.nan, 0])
    kept._of_arrays([0.5, 0.1], None, ("a", "b"))
    assert np.isnan(kept.labels).tolist() == [True, True]
    kept._of_arrays([0.5, 0.1], [None, None], None)
    assert np.isnan(kept.labels).tolist() == [True, True]
    with pytest.raises(ef.InputError, match="`scores` and `labels` must have the same length"):
        kept._of_arrays([0.5, 0.1], [None, 1, 0], None)
    for wrong in (([[0.5, 0.5]], None), ([0.5], ("a", "b", "c"))):
        with pytest.raises(ef.InputError, match="is answered for two classes only"):
            kept._of_arrays(wrong[0], None, wrong[1])


def test_scores_of_rows_are_kept_with_labels_of_0_and_1():
    import pandas as pd

    def read(columns, **given):
        kept = KeptScores()
        frame = pd.DataFrame(columns)
        from errorfloor.data.read import read as door

        door(frame, (kept.layout(labelled="label" in given),), ReadOptions.of(**given))
        return kept

    found = read({"s": [0.5, 0.1, 0.9], "y": [1, None, 0]}, score="s", label="y")
    assert found.scores.tolist() == [0.5, 0.1, 0.9]
    np.testing.assert_array_equal(found.labels, [1, np.nan, 0])
    assert np.isnan(read({"s": [0.5, 0.1]}, score="s").labels).all()
    with pytest.raises(ef.InputError, match=r"`label` must be 0 or 1, or missing: entry 1 is 2"):
        read({"s": [0.5, 0.1, 0.3], "y": [1, 2, 0]}, score="s", label="y", positive_from=None)
