"""Which value is which class, and what is said where that is not plain."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import errorfloor as ef
from errorfloor.data import classes, naming
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.naming import MOST_CLASSES
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.read_rows import ballots_of
from errorfloor.data.tables import ScoreTable


def told(data, **where):
    """Return the table, and which values are which class."""
    found = read(data, LAYOUTS, ReadOptions.of(**where))
    return found.table, found.source.facts.get("classes")


def error_of(data, **where):
    with pytest.raises(ef.InputError) as raised:
        read(data, LAYOUTS, ReadOptions.of(**where))
    return str(raised.value)


def scored(labels, scores=None):
    labels = list(labels)
    p = np.arange(len(labels)) / 16 if scores is None else scores
    return pd.DataFrame({"p": p, "y": pd.Series(labels)})


SCORED = {"score": "p", "label": "y"}


# Labels


def test_labels_are_classes_as_they_are_given():
    plain = ScoreTable.from_arrays([0, 1 / 16, 2 / 16, 3 / 16], [0, 1, 1, 0])
    for labels, how, both in (
        ([0, 1, 1, 0], {}, None),
        (["0", "1", "1", "0"], {}, None),
        (["no", "yes", "yes", "no"], {}, {"1": ["yes"], "0": ["no"]}),
        (["a", "b", "b", "a"], {"classes": ["a", "b"]}, {"1": ["b"], "0": ["a"]}),
        ([0, 1, 1, 0], {"classes": ["a", "b"]}, {"1": ["b"], "0": ["a"]}),
        ([0, 1, 1, 0], {"classes": ["0", "1"]}, None),
        (["a", "b", "b", "c"], {"positive": "b"}, {"1": ["b"], "0": ["a", "c"]}),
        ([3.0, 2.0, 2.0, 7.0], {"positive": 2}, {"1": ["2.0"], "0": ["3.0", "7.0"]}),
        ([3, 5, 5, 4], {"positive_from": 5}, {"1": ["5 and more"], "0": ["less than 5"]}),
    ):
        table, found = told(scored(labels), **SCORED, **how)
        assert table.counts.tolist() == plain.counts.tolist()
        assert found == both
    with_none = scored(["no", "yes", None, "no"])
    assert told(with_none, **SCORED, drop_missing=True)[1] == {"1": ["yes"], "0": ["no"]}


def test_labels_that_are_no_two_classes_are_refused():
    for labels, how, says in (
        ([0, 1, 2, 0], {"classes": ["a", "b"]}, "`label` (column 'y')"),
        ([1, 2, 2, 1], {}, "holds numbers: 1, 2. Say which one is class 1. The scores are highest"),
        ([1, 2, 2, 3], {}, "must be 0 or 1"),
        (["0", "x", "0", "0"], {}, "must be 0 or 1"),
        (["1", "x", "1", "1"], {}, "must be 0 or 1"),
        (["a", "b", "a", "b"], {"classes": ["a", "b", "c"]}, "`classes`"),
        (["x", "x", "x", "x"], {}, "holds words: x. Say which one is class 1:\n"),
        (["a;b", "b", "a", "b"], {}, "several"),
    ):
        assert says in error_of(scored(labels), **SCORED, **how)
    lists = pd.DataFrame({"p_a": [0.1, 0.2], "p_b": 0.3, "p_c": 0.5, "y": [["a", "b"], ["c"]]})
    assert "`label` (column 'y') has several labels in one entry" in error_of(
        lists, score=["p_a", "p_b", "p_c"], label="y"
    )


def test_it_is_asked_which_word_is_class_1_the_likeliest_first():
    data = scored(["a", "b", "b", "a"])
    assert error_of(data, **SCORED) == (
        "`label` (column 'y') holds words: a, b. Say which one is class 1. The scores are highest "
        "for a: 0.09375 on average:\n  `positive='a'`\n  `positive='b'`"
    )
    higher = scored(["a", "b", "b", "a"], [0.0, 0.5, 0.75, 0.25])
    assert error_of(higher, **SCORED).endswith(
        "The scores are highest for b: 0.625 on average:\n  `positive='b'`\n  `positive='a'`"
    )
    three = scored([*"abc"], [0.25, 0.5, np.nan])  # a class without a score comes last
    assert error_of(three, **SCORED) == (
        "`label` (column 'y') holds words: a, b, c. Say which one is class 1; the answer is then "
        "for that one against the rest. The scores are highest for b: 0.5 on average:\n"
        "  `positive='b'`\n  `positive='a'`\n  `positive='c'`"
    )
    alone = scored(["a", "a"])
    assert "highest" not in error_of(alone, **SCORED)
    many = error_of(scored([*"abcdefgh"]), **SCORED)
    assert many.count("`positive=") == 6


def test_texts_are_no_classes():
    for length, says in ((100, "holds words"), (101, "holds texts of up to 101 characters")):
        assert says in error_of(scored(["a" * length, "b"]), **SCORED)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_words_are_found_behind_any_number_of_rows_without_a_label(make):
    data = make({"p": np.arange(1204) / 2048, "y": [None] * 1200 + ["yes", "no"] * 2})
    table, both = told(data, **SCORED, drop_missing=True)
    assert (table.n, table.dropped, both) == (4, 1200, {"1": ["yes"], "0": ["no"]})
    kept, _ = told(data, **SCORED, unlabelled=True)
    assert (kept.n, kept.n_unlabelled) == (4, 1200)
    for before, says in ((1000, "must be 0 or 1"), (999, "holds words: 2, word. Say which")):
        late = make({"p": np.arange(before + 1) / 2048, "y": ["2"] * before + ["word"]})
        assert says in error_of(late, **SCORED)


def test_words_are_found_behind_any_number_of_rows_without_a_vote():
    data = votes([None] * 1200 + ["yes", "no", "no", "yes", "yes", "yes"])
    table, both = told(data, item="item", vote="vote", drop_missing=True)
    assert both == {"1": ["yes"], "0": ["no"]}
    assert (table.positives.tolist(), table.totals.tolist()) == ([1, 2], [2, 2])
    assert table.n == 3


# Columns of classes


def wide(names, **more):
    rows = np.array([[0.25, 0.75], [0.5, 0.5], [0.875, 0.125], [0.0, 1.0]])
    return pd.DataFrame(rows, columns=names).assign(**more)


def test_two_columns_are_classes_in_their_order_but_for_what_means_yes():
    second = [0.125, 0.5, 0.75, 1.0]
    first = [0.0, 0.25, 0.5, 0.875]
    for names, how, labels, scores, both in (
        (["p_a", "p_b"], {}, "abab", second, ["a", "b"]),
        (["p_a", "p_b"], {"classes": ["b", "a"]}, "abab", first, ["b", "a"]),
        (["p_a", "p_b"], {"classes": ["x", "y"]}, "xyxy", second, ["x", "y"]),
        (["p_no", "p_yes"], {}, ["no", "yes"] * 2, second, ["no", "yes"]),
        (["p_yes", "p_no"], {}, ["no", "yes"] * 2, first, ["no", "yes"]),
        (["p_yes", "p_no"], {"classes": ["yes", "no"]}, ["no", "yes"] * 2, second, ["yes", "no"]),
        (["p_0", "p_1"], {}, [0, 1, 0, 1], second, None),
        (["p_a", "p_b"], {"positive": "b"}, "abab", second, ["a", "b"]),
        (["p_a", "p_b"], {"positive": "z"}, "xyzx", second, ["x, y", "z"]),
        (["p_a", "p_b"], {"positive": "b", "classes": ["a", "b"]}, "abab", second, ["a", "b"]),
    ):
        data = wide(names, y=[*labels])
        table, found = told(data, score=names, label="y", **how)
        assert table.scores.tolist() == scores
        assert found == (None if both is None else {"1": [both[1]], "0": [both[0]]})
        ones = dict(zip(table.scores.tolist(), table.positives.tolist(), strict=True))
        own = data[names[0] if scores == first else names[1]]
        yes = "1" if both is None else both[1]
        assert ones == {
            score: int(str(label) == yes) for score, label in zip(own, data["y"], strict=True)
        }


def test_what_does_not_go_with_columns_of_classes_is_refused():
    two = wide(["p_a", "p_b"], y=[*"abab"], r=[1, 2, 3, 4])
    both = {"score": ["p_a", "p_b"], "label": "y"}
    assert "whose scores come first, and class 1 comes second" in error_of(
        two, **both, positive="a"
    )
    assert "`positive_from` goes with one column of scores" in error_of(
        two, score=["p_a", "p_b"], label="r", positive_from=2
    )
    for said in ({"positive": "b"}, {"positive_from": 1}):
        assert "goes with one column, and there is one for each class" in error_of(
            two, soft=["p_a", "p_b"], **said
        )
        three = two.assign(p_c=0.0)
        assert "goes with one column, and there is one for each class" in error_of(
            three, score=["p_a", "p_b", "p_c"], label="y", **said
        )
    assert "must be a column for each class, or hold lists" in error_of(two, counts="r")
    assert "`classes`" in error_of(two, soft="p_a", classes=["a", "b", "c"])
    votes = pd.DataFrame({"k": [1, 2], "m": 3})
    assert "`classes`" in error_of(votes, positives="k", totals="m", classes=["a", "b", "c"])
    assert told(votes, positives="k", totals="m", classes=["a", "b"])[0].n == 2
    assert "must be one of" in error_of(two, score=["p_a", "p_b"], label="absent")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_scores_of_two_models_are_not_guessed_to_be_those_of_two_classes(frame):
    a, b = np.array([0.1, 0.8, 0.7, 0.2]), np.array([0.3, 0.9, 0.6, 0.4])
    y = np.array([0, 1, 1, 0])
    models = frame({"y": y, "score_a": a, "score_b": b})
    assert "may be scores of 2 models or of 2 classes" in error_of(models)
    assert ef.from_scores(models, score=["score_a", "score_b"], label="y", interval=None).n == 4
    for own in (
        {"y": y, "score_a": a, "score_b": 1 - a},  # which sum to 1
        {"y": np.where(y, "b", "a"), "score_a": a, "score_b": b},  # named after the labels
        {"y": y, "score_0": a, "score_1": b},
    ):
        assert ef.from_scores(frame(own), interval=None).n == 4


def test_counts_of_two_classes_stay_counts():
    votes = pd.DataFrame({"n_no": [1, 2], "n_yes": [2, 0]})
    table, both = told(votes, counts=["n_no", "n_yes"])
    assert (table.positives.tolist(), table.totals.tolist()) == ([0, 2], [2, 3])
    assert both == {"1": ["yes"], "0": ["no"]}


# Votes


def votes(values):
    n = len(values)
    return pd.DataFrame({"item": np.arange(n) // 2, "vote": pd.Series(values, dtype=object)})


def test_votes_are_classes_in_the_order_of_their_values():
    for values, names, counts in (
        ([0, 1, 2, 2], ("0", "1", "2"), [[0, 0, 2], [1, 1, 0]]),
        (["0", "10", "9", "9"], ("0", "9", "10"), [[0, 2, 0], [1, 0, 1]]),
        ([*"abcc"], ("a", "b", "c"), [[0, 0, 2], [1, 1, 0]]),
        ([2, 3, 3, 3], ("0", "1"), [[0, 2], [1, 1]]),
    ):
        table, _ = told(votes(values), item="item", vote="vote")
        assert table.classes == names
        found = (
            table.votes
            if len(names) > 2
            else np.column_stack((table.totals - table.positives, table.positives))
        )
        assert sorted(found.tolist()) == counts
    assert told(votes([2, 3, 3, 3]), item="item", vote="vote")[1] == {"1": ["3"], "0": ["2"]}
    for wrong, says in (
        ([3, 3, 3, 3], "`vote` (column 'vote') holds numbers: 3. Say which one is class 1"),
        (["a"] * 4, "holds words: a. Say which one is class 1"),
        (["1", "1.5", "2", "2"], "has numbers that are no classes, such as 1.5."),
        (["0", "x", "0", "0"], "must be 0 or 1"),
        (["1", "x", "1", "1"], "must be 0 or 1"),
    ):
        assert says in error_of(votes(wrong), item="item", vote="vote")


def test_labels_beside_votes_may_be_classes_that_nobody_voted_for():
    data = votes([*"abab"]).assign(gold=["a", "a", "c", "c"])
    table, _ = told(data, item="item", vote="vote", label="gold")
    assert table.classes == ("a", "b", "c")


def test_values_may_be_a_thousand_classes(monkeypatch):
    assert MOST_CLASSES == 1000
    for module in (classes, naming):
        monkeypatch.setattr(module, "MOST_CLASSES", 3)
    asked = {"item": "item", "vote": "vote"}
    assert told(votes([1, 2, 3, 3]), **asked)[0].classes == ("1", "2", "3")
    assert told(votes([*"abcc"]), **asked)[0].classes == ("a", "b", "c")
    for values in ([1, 2, 3, 4], [*"abcd"]):
        assert "has more than 3 different values, such as '" in error_of(votes(values), **asked)
    assert "such as 1.5." in error_of(votes(["1", "1.5", "2", "2"]), **asked)
    named = told(votes([*"abcc"]), **asked, classes=[*"abc"])[0]
    assert named.classes == ("a", "b", "c")
    assert "'d'" in error_of(votes([*"abcd"]), **asked, classes=[*"abc"]).replace("d.", "'d'")
    rows = pd.DataFrame(np.eye(3), columns=["p_a", "p_b", "p_c"]).assign(y=[*"abc"])
    assert told(rows, score=["p_a", "p_b", "p_c"], label="y")[0].n == 3


def test_single_votes_for_two_classes_are_0_and_1():
    data = votes([*"abab"]).assign(by=["x", "y"] * 2)
    where = {"item": "item", "vote": "vote", "annotator": "by"}
    two = ballots_of(data, ReadOptions.of(**where, classes=["a", "b"]))
    assert two.classes == ("0", "1")
    assert two.vote.tolist() == [0, 1, 0, 1]
    three = ballots_of(data, ReadOptions.of(**where, classes=["a", "b", "c"]))
    assert three.classes == ("a", "b", "c")
    late = pd.DataFrame(
        {"item": np.arange(1002) // 2, "by": ["x", "y"] * 501, "vote": [0, 1] * 500 + [2, 1]}
    )
    assert ballots_of(late, ReadOptions.of(**where)).classes == ("0", "1", "2")
