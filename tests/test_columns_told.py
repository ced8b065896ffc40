"""Which columns hold what, and what is made of several columns, case by case."""

import pandas as pd
import polars as pl
import pytest

import errorfloor as ef
from errorfloor._checks import either
from errorfloor.data.columns import NO_NAMES, TEXT_FIRST, as_named, choose, has_no_names, plain
from errorfloor.data.layouts import (
    ANNOTATIONS,
    COUNTS,
    LAYOUTS,
    SCORES,
    SOFT_LABELS,
    VOTES,
    VOTES_AND_LABELS,
)
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import ReadCall


def kinds(columns):
    return dict.fromkeys(columns.split(), "number")


def test_one_column_in_a_list_is_that_column():
    there = ["p", "y", "a,b", "q*"]
    for given, taken in (
        (["p"], "p"),
        (("p",), "p"),
        ("p", "p"),
        ("a,b", "a,b"),  # the name of a column, and no two of them
        (["q*"], "q*"),
        ("p_*", ("p_*",)),
        (["p?"], ("p?",)),
        ("p,q", ("p,q",)),
        ("[pq]", ("[pq]",)),
        ("absent", "absent"),
        (["p", "q"], ("p", "q")),
        (3, 3),
    ):
        assert plain(SCORES, {"score": given, "label": "y"}, there) == {
            "score": taken,
            "label": "y",
        }
    with pytest.raises(ef.InputError, match="`score` must be a column, or a list of columns"):
        plain(SCORES, {"score": []}, there)
    with pytest.raises(ef.InputError, match="`score` has a column twice"):
        plain(SCORES, {"score": ["p", "p"]}, there)


def test_columns_of_classes_that_were_taken_are_told():
    found = choose(kinds("p_a p_b p_c y"), {"label": "y"}, LAYOUTS, "x.csv")
    assert found.columns == {"score": ("p_a", "p_b", "p_c"), "label": "y"}
    assert found.guessed == ("score",)
    (mention,) = found.mentions
    assert mention.value == "['p_a', 'p_b', 'p_c']"
    named = choose(kinds("score p_a p_b y"), {"label": "y"}, LAYOUTS, "x.csv")
    assert named.columns == {"score": "score", "label": "y"}
    assert named.guessed == ("score",)


def test_a_pattern_of_classes_fits_two_columns_or_more():
    there = kinds("p_a p_b y")
    found = choose(there, {"score": "p_*", "label": "y"}, LAYOUTS, "x.csv")
    assert found.columns == {"score": ("p_a", "p_b"), "label": "y"}
    turned = choose(there, {"score": ["p_b", "p_a"], "label": "y"}, LAYOUTS, "x.csv")
    assert turned.columns["score"] == ("p_b", "p_a")  # the order of the classes
    with pytest.raises(ef.InputError, match=r"`score` needs two columns or more.*'\*_a' is 1\."):
        choose(there, {"score": "*_a", "label": "y"}, LAYOUTS, "x.csv")
    alone = choose(there, {"annotators": ["*_a"]}, LAYOUTS, "x.csv")
    assert alone.columns == {"annotators": ("p_a",)}


def test_one_column_has_one_role():
    for given in ({"score": "a", "label": "a"}, {"item": "i", "vote": "v", "label": "v"}):
        with pytest.raises(ef.InputError, match=r"name the same column, '[av]'"):
            as_named(given, LAYOUTS, ["a", "i", "v"])
    assert as_named({"item": "i", "annotator": "i", "vote": "v"}, LAYOUTS, ["i", "v"]) is not None


def test_names_that_are_values_are_no_names():
    assert not has_no_names([])
    assert has_no_names(["0.5"])
    assert has_no_names(["0.5", 1, "true"])
    assert not has_no_names(["0.5", "label"])
    for columns, hint in ((["0.5", "1"], NO_NAMES), ([0, 1], TEXT_FIRST), (["a", "b"], "")):
        with pytest.raises(ef.InputError) as raised:
            choose(dict.fromkeys(columns, "number"), {}, LAYOUTS, "x.csv")
        listed = ", ".join(f"{one} (number)" for one in columns)
        assert f"The columns of x.csv are {listed}.{hint} Name them by\n" in str(raised.value)


def test_forty_columns_are_listed_and_of_more_it_is_said_how_many():
    for number, end in ((39, "c38 (number)."), (40, "c39 (number)."), (41, " and 1 more.")):
        with pytest.raises(ef.InputError) as raised:
            choose({f"c{i}": "number" for i in range(number)}, {}, LAYOUTS, "x.csv")
        assert end in str(raised.value)
        assert ("more." in str(raised.value)) == (number > 40)
        assert "c40" not in str(raised.value)


def test_totals_that_are_not_there_are_absent_and_huge_ones_are_refused():
    there = kinds("k m")
    with pytest.raises(ef.InputError, match=r"is called 'absent' \(`totals`\)"):
        choose(there, {"votes": "k", "total": "absent"}, LAYOUTS, "x.csv")
    with pytest.raises(ef.InputError, match=r"is called 3 \(`label`\)"):
        choose(there, {"score": "k", "label": 3}, LAYOUTS, "x.csv")
    with pytest.raises(ef.InputError, match="`totals` must be a whole number"):
        plain(VOTES, {"votes": "k", "total": "9" * 9000}, there)


def test_votes_are_found_beside_a_label_that_was_named():
    found = choose(kinds("positives total y"), {"label": "y"}, LAYOUTS, "x.csv")
    assert found.layout is VOTES_AND_LABELS
    assert found.columns == {"votes": "positives", "total": "total", "label": "y"}
    assert found.guessed == ("votes", "total")
    beside = choose(kinds("p k m y"), {"label": "y"}, LAYOUTS, "x.csv")  # a score goes before
    assert (beside.layout, beside.columns["score"]) == (SCORES, "p")
    assert choose(kinds("k m"), {"votes": "k"}, LAYOUTS, "x.csv").layout is VOTES
    # Two ways to read votes are none.
    with pytest.raises(ef.InputError, match="`score` is missing"):
        choose(kinds("k m rater1 rater2 y"), {"label": "y"}, LAYOUTS, "x.csv")


def test_how_votes_are_named_beside_a_label_is_said_where_it_alone_was_named():
    says = " If there are votes, give their columns with\n  `positives='COL'` `totals='COL'`"
    for given, allowed, said in (
        ({"label": "c"}, (SCORES, VOTES_AND_LABELS), says),
        ({"label": "c"}, (SCORES,), ""),
        ({"score": "a"}, (SCORES, VOTES_AND_LABELS), ""),
    ):
        with pytest.raises(ef.InputError) as raised:
            choose(kinds("a b c"), given, allowed, "x.csv")
        assert str(raised.value).endswith(f"a (number), b (number), c (number).{said}")


def test_what_is_left_is_taken_but_for_ids_in_place_of_numbers():
    found = choose(kinds("id a y"), {"label": "y"}, LAYOUTS, "x.csv")
    assert found.columns == {"score": "a", "label": "y"}
    assert choose(kinds("s id"), {"score": "s"}, LAYOUTS, "x.csv").columns["label"] == "id"
    with pytest.raises(ef.InputError, match="`score` is missing"):
        choose(kinds("id y"), {"label": "y"}, LAYOUTS, "x.csv")


# Two columns for two classes


def frame(first, second, **more):
    return pd.DataFrame({"p_a": first, "p_b": second, "y": ["a", "b", "b", "a"], **more})


@pytest.mark.parametrize(
    ("first", "second", "scores"),
    [
        ([0.25, 0.5, 0.125, 1], [0.75, 0.5, 0.875, 0], [0, 0.5, 0.75, 0.875]),  # they add up to 1
        ([1, 2, 1, 3], [3, 2, 0, 1], [0, 0.25, 0.5, 0.75]),  # shares
        ([-1, 2, 1, 3], [3, 2, 0, 1], [-2, -1, 0, 4]),  # logits
        ([1, 2, 1, 3], [3, 2, 0, -1], [-4, -1, 0, 2]),
        ([-1, 0, 1, 3], [1, 0, 0, 1], [-2, -1, 0, 2]),  # zeros are logits, too
        ([-1, 0.25, 0.5, 0], [2, 0.75, 0.5, 1], [0, 0.5, 1, 3]),  # logits that add up to 1
        ([0.75 - 1e-8, 0.5 + 1e-8, 0.875, 0], [0.25, 0.5, 0.125, 1], [0.125, 0.25, 0.5, 1]),
    ],
)
def test_two_columns_of_scores_become_one(first, second, scores):
    table = ef.frames.score_table(frame(first, second), score=["p_a", "p_b"], label="y")
    assert table.scores.tolist() == scores
    assert table.n == 4


@pytest.mark.parametrize(
    ("first", "second", "scores"),
    [
        ([0.25, 0.5, 0.125, 1], [0.75, None, 0.875, 0], [0, 0.75, 0.875]),
        ([0.25, None, 0.125, 1], [0.75, 0.5, 0.875, 0], [0, 0.75, 0.875]),
        ([0.25, float("nan"), 0.125, 1], [0.75, 0.5, 0.875, 0], [0, 0.75, 0.875]),
        ([0.25, None, 0.125, 1], [0.75, None, 0.875, 0], [0, 0.75, 0.875]),
        ([1, 2, None, 3], [3, 2, 0, 1], [0.25, 0.5, 0.75]),
        ([1, 0, 2, 3], [3, None, 2, 1], [0.25, 0.5, 0.75]),
        ([-1, 2, None, 3], [3, 2, -1, 1], [-2, 0, 4]),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_missing_entry_of_two_columns_says_nothing_about_the_others(make, first, second, scores):
    data = make({"p_a": first, "p_b": second, "y": ["a", "b", "b", "a"]})
    table = ef.frames.score_table(data, score=["p_a", "p_b"], label="y", drop_missing=True)
    assert table.scores.tolist() == scores
    assert table.dropped == 1
    with pytest.raises(ef.InputError, match="missing"):
        ef.frames.score_table(data, score=["p_a", "p_b"], label="y")


def test_two_columns_that_are_no_shares_are_refused():
    blank = frame([1, 0, 2, 3], [3, 0, 2, 1])
    with pytest.raises(ef.InputError, match="must not all be 0: 1 of 4 are"):
        ef.frames.score_table(blank, score=["p_a", "p_b"], label="y")
    soft = frame([0.25, 0.5, 0.5, 0.5], [0.75, 0.5, 0.25, 0.5 + 1e-3])
    with pytest.raises(ef.InputError, match=r"must add up to 1: .*row 2 is 0\.75 \(1 of 4"):
        ef.frames.soft_table(soft, soft=["p_a", "p_b"])
    for make in (pd.DataFrame, pl.DataFrame):
        whole, hole = [0.25, 0.5, 0.5, 0.5], [0.75, None, 0.5, 0.5]
        some = make({"p_a": whole, "p_b": hole})
        table = ef.frames.soft_table(some, soft=["p_a", "p_b"], drop_missing=True)
        assert (table.probabilities.tolist(), table.dropped) == ([0.5, 0.75], 1)
        for none in (None, float("nan")):
            turned = make({"p_a": [0.75, none, 0.5, 0.5], "p_b": whole})
            table = ef.frames.soft_table(turned, soft=["p_a", "p_b"], drop_missing=True)
            assert (table.probabilities.tolist(), table.dropped) == ([0.25, 0.5], 1)
            with pytest.raises(ef.InputError, match="has missing values: 1 of 4 rows"):
                ef.frames.soft_table(turned, soft=["p_a", "p_b"])


# What is asked besides the data


def asked_of(*layouts, name=None, **where):
    return ReadCall(layouts, ReadOptions.of(**where), name=name)


def test_data_is_called_by_what_it_may_be():
    assert asked_of(SCORES).first.name == "scores"
    assert asked_of(VOTES, ANNOTATIONS).first.name == "positives"
    assert asked_of(ANNOTATIONS, VOTES).first.name == "positives"
    assert asked_of(ANNOTATIONS).first.name == "data"
    assert asked_of(SCORES, VOTES).first.name == "data"
    assert asked_of(SCORES, VOTES, name="model").first.name == "model"
    assert asked_of(SOFT_LABELS, COUNTS, VOTES, SCORES).pair is VOTES
    assert asked_of(SCORES, VOTES, VOTES_AND_LABELS).kinds == ("scores", "votes")
    assert [either(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a",
        "a or b",
        "a, b or c",
    ]
