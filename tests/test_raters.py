"""Votes in arrays: a column for each class or each annotator, by name, and bare only if plain."""

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.show.recipe import command_line, python_code

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
RNG = np.random.default_rng(0)
P = RNG.beta(0.5, 0.5, size=150)
VOTES = RNG.binomial(1, P[:, None], size=(150, 5))
RATINGS = 1 + RNG.binomial(3, P[:, None], size=(150, 5))
WORDS = np.array(["ant", "bee", "cat", "dog"])[RATINGS - 1]
HOLES = RNG.random((150, 5)) < 0.2
HOLES[:, 0] = False
COUNTS = np.array([np.bincount(row - 1, minlength=4) for row in RATINGS])
GOLD = RNG.random(150) < P


def frame_of(votes, **more):
    return pd.DataFrame(votes, columns=[*"01234"]).assign(**more)


def with_holes(votes, hole):
    found = votes.astype(object)
    found[HOLES] = hole
    return found


@pytest.mark.parametrize("votes", [VOTES, VOTES == 1, VOTES.astype(float), VOTES.astype(str)])
def test_a_column_for_each_annotator_is_read_as_a_dataframe_is(votes):
    found = ef.from_votes(annotators=votes)
    same = ef.from_votes(frame_of(votes), annotators=[*"01234"])
    assert found.table == same.table
    assert (found.value, found.interval) == (same.value, same.interval)
    assert found.source.facts == same.source.facts


@pytest.mark.parametrize("votes", [RATINGS, WORDS, np.where(VOTES == 1, "yes", "no")])
@pytest.mark.parametrize("options", [{}, {"positive": "first"}, {"classes": "all"}])
def test_classes_of_annotators_are_told_as_in_a_dataframe(votes, options):
    values = sorted(set(votes.ravel().tolist()))
    given = {"first": values[0], "all": [*values[::-1], "another"]}
    options = {name: given[value] for name, value in options.items()}
    found = ef.from_votes(annotators=votes, **options)
    same = ef.from_votes(frame_of(votes), annotators=[*"01234"], **options)
    assert found.table == same.table
    assert found.source.facts == same.source.facts
    assert found.source.options.positive == same.source.options.positive


def test_ratings_may_be_positive_from_a_number_on():
    found = ef.from_votes(annotators=RATINGS, positive_from=3)
    assert found.table == ef.from_votes(annotators=(RATINGS >= 3)).table


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
@pytest.mark.parametrize("votes", [VOTES, WORDS])
def test_missing_votes_may_be_anything_that_means_missing(votes, hole):
    expected = ef.from_votes(frame_of(with_holes(votes, None)), annotators=[*"01234"]).table
    given = with_holes(votes, hole)
    assert ef.from_votes(annotators=given).table == expected
    assert ef.from_votes(annotators=given.tolist()).table == expected
    masked = np.ma.array(votes, mask=HOLES)
    assert ef.from_votes(annotators=masked).table == expected
    if hole is np.nan:  # which NumPy spells among words
        given = np.array(given.tolist()) if votes is WORDS else given.astype(float)
        assert ef.from_votes(annotators=given).table == expected


def test_items_without_votes_are_refused_or_left_out():
    votes = VOTES.astype(float)
    votes[[3, 7]] = np.nan
    with pytest.raises(ef.InputError, match="`annotators` has no vote for 2 of 150 items, such as"):
        ef.from_votes(annotators=votes)
    weight = np.arange(1.0, 151)
    found = ef.from_votes(annotators=votes, drop_missing=True, weight=weight)
    kept = np.delete(np.arange(150), [3, 7])
    assert found.dropped == 2
    same = ef.from_votes(annotators=VOTES[kept], weight=weight[kept])
    assert found.value == same.value


def test_numbers_of_votes_by_class_go_by_name_too():
    positives = VOTES.sum(axis=1)
    totals = np.where(np.arange(150) % 2, 5, 7)
    counts = np.column_stack((totals - positives, positives))
    plain = ef.from_votes(positives, totals)
    for given in (counts, counts.tolist(), counts.astype(float)):
        found = ef.from_votes(counts=given)
        assert (found.table, found.interval) == (plain.table, plain.interval)
    names = ef.from_votes(counts=COUNTS, classes=["ant", "bee", "cat", "dog"]).table
    assert (names.votes == ef.from_votes(annotators=WORDS).table.votes).all()


BARE = {
    "votes of annotators": VOTES,
    "ratings": RATINGS,
    "words": WORDS,
    "missing votes": with_holes(VOTES, None),
    "unequal totals": np.column_stack((VOTES.sum(axis=1), np.full(150, 3))),
    "one vote each": np.eye(4, dtype=int)[RATINGS[:, 0] - 1],
    "0 and 1 with one total": [[1, 1, 0], [0, 1, 1]],
    "all votes 1": np.ones((9, 3), dtype=int),
}


@pytest.mark.parametrize("labels", [None, GOLD])
@pytest.mark.parametrize("votes", BARE.values(), ids=BARE)
def test_a_bare_array_that_may_be_single_votes_is_refused_with_both_readings(votes, labels):
    with pytest.raises(ef.InputError, match=r"`votes`.*`counts`, and .*`annotators`"):
        ef.from_votes(votes, labels=labels)
    if labels is None:
        with pytest.raises(ef.InputError, match=r"`votes`.*`counts`, and .*`annotators`"):
            ef.items(votes)


def test_a_bare_array_with_one_total_above_1_is_counts():
    assert ef.from_votes(COUNTS).table == ef.from_votes(counts=COUNTS).table
    # Documented: ratings whose rows add up to one number look like counts.
    assert ef.from_votes([[1, 2], [2, 1]], interval=None).table.votes.tolist() == [[2, 1], [1, 2]]


def test_gold_labels_stand_beside_named_arrays():
    positives = VOTES.sum(axis=1)
    plain = ef.from_votes(positives, 5, labels=GOLD, rng=0)
    counts = np.column_stack((5 - positives, positives))
    for given in ({"counts": counts}, {"annotators": VOTES}):
        found = ef.from_votes(**given, labels=GOLD, rng=0)
        assert (found.table, found.interval) == (plain.table, plain.interval)
    words = np.where(VOTES == 1, "yes", "no")
    said = np.where(GOLD, "yes", "no").astype(object)
    assert ef.from_votes(annotators=words, labels=said, rng=0).table == plain.table
    said[3] = None
    with pytest.raises(ef.InputError, match="`labels` has no label for 1 of 150 items"):
        ef.from_votes(annotators=words, labels=said)
    found = ef.from_votes(annotators=words, labels=said, drop_missing=True, rng=0)
    assert (found.n, found.dropped) == (149, 1)


def test_items_and_annotators_take_the_same_arrays():
    found = ef.items(annotators=VOTES)
    same = ef.items(VOTES.sum(axis=1), 5)
    assert found.floor == same.floor
    assert (found.rank == same.rank).all()
    assert ef.items(counts=COUNTS).floor == ef.items(annotators=RATINGS).floor
    people = ef.annotators(annotators=with_holes(VOTES, np.nan))
    same = ef.annotators(frame_of(with_holes(VOTES, np.nan)), annotators=[*"01234"])
    assert people.rows == same.rows


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({"counts": COUNTS}, {"classes": ["a", "b", "c", "d"]}),
        ({"annotators": WORDS}, {"classes": ["dog", "cat", "bee", "ant"]}),
        ({"annotators": WORDS}, {"positive": "bee"}),
        ({"annotators": RATINGS}, {"positive_from": 2.5}),
        ({"annotators": np.where(VOTES == 1, "yes", "no")}, {}),
        ({"annotators": VOTES, "labels": GOLD}, {"rng": 1}),
        ({"counts": np.eye(2, dtype=int)[VOTES[:, 0]] + 1, "labels": GOLD}, {"rng": 1}),
        ({"annotators": np.where(HOLES, np.nan, VOTES), "weight": P + 1}, {"drop_missing": True}),
    ],
)
def test_what_is_printed_gives_the_same_again(given, more):
    found = ef.from_votes(**given, **more)
    space = dict(given)
    exec(python_code(found), space)  # our own text
    again = space["floor"]
    assert (again.value, again.interval, again.table) == (found.value, found.interval, found.table)
    assert command_line(found) is None


REFUSED = [
    ({"votes": frame_of(VOTES), "annotators": VOTES}, "Leave out `votes`"),
    (
        {"annotators": VOTES, "totals": 5},
        "`annotators` is an array of all votes. Leave out `totals`",
    ),
    (
        {"annotators": VOTES, "counts": COUNTS},
        "`annotators` is an array of all votes. Leave out `counts`",
    ),
    ({"annotators": [[0, 1], [1]]}, "`annotators` must have a row for each item"),
    ({"counts": [[0, 1], [1]]}, "`counts` has rows of unequal length"),
    ({"counts": [[1, 2], [1, None]]}, "`counts` must be whole numbers of at least 0"),
    ({"counts": COUNTS, "positive": 1}, "`positive`, `drop_missing` and `group`"),
    ({"annotators": VOTES, "group": "site"}, "`group` go with a dataframe"),
    ({"annotators": VOTES, "positive": "yes"}, "`positive` is 'yes', but `annotators` has only: 0"),
    ({"annotators": WORDS, "positive_from": 2}, "`annotators` must be finite numbers"),
    ({"annotators": RATINGS / 2}, "`annotators` has numbers that are no classes, such as 0.5"),
    ({"annotators": [["a", 1], [0, 1]]}, "`annotators` has both numbers and words, such as 'a'"),
    ({"annotators": [["a", "a"], ["a", "a"]]}, "Say which one is class 1"),
    ({"annotators": WORDS, "classes": ["ant", "bee", "cat"]}, "which is not one of the classes"),
    ({"annotators": [["a", ["b"]], ["a", "a"]]}, "`annotators` must have one vote in each entry"),
    ({"annotators": VOTES, "labels": GOLD[1:]}, "`annotators` and `labels` must have the same"),
    ({"annotators": [*"ab"]}, "`annotators` names columns, and there is no dataframe or file"),
    ({}, "`positives` is missing"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_cannot_be_meant_is_refused(given, said):
    with pytest.raises(ef.InputError, match=said.replace("(", r"\(")):
        ef.from_votes(**given)


def test_columns_may_be_an_index():
    frame = frame_of(VOTES)
    assert (
        ef.from_votes(frame, annotators=frame.columns).table
        == ef.from_votes(frame, annotators=[*frame.columns]).table
    )
