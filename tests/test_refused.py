"""Questions that the data cannot answer are refused, in words that name the remedy."""

import re

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor._checks.ErrorFloorWarning")

N = 60
RNG = np.random.default_rng(0)
S = RNG.random(N).round(2)
Y = (RNG.random(N) < S).astype(int)
SAID = (S > 0.5).astype(int)
P3 = RNG.dirichlet(np.ones(3), N).round(3)
Y3 = P3.argmax(axis=1)
FRAME = pd.DataFrame({"score": S, "label": Y, "said": SAID, "site": np.arange(N) % 2})


def brier_floor():
    return ef.from_scores(S, Y, metric="brier", rng=0)


REFUSED = {
    "a kappa that no such shares allow": (
        lambda: ef.from_agreement(pairs=100, kappa=-1, share=(0.9, 0.1)),
        "`kappa` = -1 is impossible with such shares: -0.64 of all pairs agree",
    ),
    "scores below 0 of a method that takes probabilities, by their entry": (
        lambda: ef.calibrate([0.5, -1, 2], [0, 1, 1], method="beta"),
        "`scores` must lie in [0, 1]: entry 1 is -1.0",
    ),
    "a rule that stopped the votes, where their numbers are not said to follow from it": (
        lambda: ef.from_votes([0, 1, 2, 2] * 9, 2, stopping="third"),
        "`stopping` says how votes decided",
    ),
    "several labels of an item, in votes": (
        lambda: ef.from_votes(annotators=np.stack([SAID, Y, SAID] * 4, 1).reshape(N, 4, 3)),
        "got shape (60, 4, 3). These look like 3 labels per item. A floor is about one class per "
        "item: for items with several labels, ask about one label at a time, with 1 for the items "
        "that have it and 0 for the others. Of the first of them: "
        "from_votes(annotators=annotators[:, :, 0]).",
    ),
    "several labels of an item, in lists of votes": (
        lambda: ef.from_votes(annotators=[[[0, 1], [1, 1]], [[0, 0], [1, 0]]]),
        "Of the first of them: from_votes(annotators=annotators[:, :, 0]).",
    ),
    "several labels of an item next to a score": (
        lambda: ef.from_scores(S, np.stack([Y, SAID], axis=1)),
        "These look like 2 labels per item. A floor is about one class per item",
    ),
    "several labels of an item next to as many scores": (
        lambda: ef.from_scores(np.stack([S, S], axis=1), np.stack([Y, SAID], axis=1)),
        "Of the first label: scores[:, 0], labels[:, 0].",
    ),
    "items of an estimate from scores": (
        lambda: ef.items(ef.from_scores(S, Y)),
        "`votes` must be votes of several people on each item, and this is an estimate from other "
        "data. With one label per item nothing tells a wrong label from a hard item",
    ),
    "items of an estimate from votes": (
        lambda: ef.items(ef.from_votes(Y + SAID, 2)),
        "`votes` is an estimate, which has no names of items. Pass the votes themselves, as you "
        "did to from_votes.",
    ),
    "new scores of two classes for a map of three": (
        lambda: ef.calibrate(P3, Y3)(np.ones((2, 2))),
        "one row per item and 3 columns",
    ),
    "new scores for a map of three, by row and class": (
        lambda: ef.calibrate(P3, Y3)([[1, 1, 1], [1, 1, np.inf]]),
        "at least 0, as in the fit: row 1 has inf for class '2'",
    ),
    "new logits for a map of three, by row and class": (
        lambda: ef.calibrate(np.log(P3 + 0.01), Y3)([[0, np.inf, 1]]),
        "must be finite: row 0 has inf for class '1'",
    ),
    "a floor that its own data refute, next to features": (
        lambda: ef.from_features(P3, Y, floor=ef.from_votes([1] * 100, 2)),
        "`floor` is refuted by its own data",
    ),
    "decisions next to scores for a metric of scores": (
        lambda: ef.headroom(S, labels=Y, predictions=SAID, metric="brier"),
        "For brier estimate the floor first",
    ),
    "a Brier score above 1": (
        lambda: ef.headroom(brier_floor(), model_value=1.01, n=100, metric="brier"),
        "`model_value` must be the model's Brier score, from 0 to 1; got 1.01",
    ),
    "a Brier score below 0": (
        lambda: ef.headroom(brier_floor(), model_value=-0.01, n=100, metric="brier"),
        "`model_value` must be the model's Brier score, from 0 to 1; got -0.01",
    ),
    "a Brier score in words": (
        lambda: ef.headroom(brier_floor(), model_value="low", n=100, metric="brier"),
        "`model_value` must be the model's Brier score, from 0 to 1; got 'low'",
    ),
    "half a test item": (
        lambda: ef.headroom(brier_floor(), model_value=0.2, n=0.5, metric="brier"),
        "`n` must be the number of test items, at least 1; got 0.5",
    ),
    "no test item": (
        lambda: ef.headroom(brier_floor(), model_value=0.2, n=0, metric="brier"),
        "`n` must be the number of test items, at least 1; got 0",
    ),
    "a model of three classes next to a floor of two": (
        lambda: ef.headroom(brier_floor(), model_scores=P3, labels=Y3, metric="brier"),
        "`model_scores` are of 3 classes, and the floor is of 2",
    ),
    "names of columns next to arrays": (
        lambda: ef.headroom(S, labels=Y, predictions=SAID, score="score"),
        "`score` goes with a dataframe or file",
    ),
    "arrays of labels next to a column of predictions": (
        lambda: ef.headroom(FRAME, labels=Y, prediction="said"),
        "`labels` goes with an array of scores, and `prediction` with a dataframe",
    ),
    "arrays of predictions next to a column of them": (
        lambda: ef.headroom(FRAME, predictions=SAID, prediction="said"),
        "`predictions` goes with an array of scores, and `prediction` with a dataframe",
    ),
    "a column of predictions next to an estimate": (
        lambda: ef.headroom(brier_floor(), prediction="said", metric="brier"),
        "`prediction` is a column of a dataframe or file. Pass one, or give `model_scores` or",
    ),
    "groups next to predictions, of other metrics": (
        lambda: ef.headroom(FRAME, prediction="score", group="site", metric="brier"),
        "`group` cannot be used with `prediction`",
    ),
    "a table of which no item has a label": (
        lambda: ef.from_scores(
            ef.ScoreTable(np.array([0.1, 0.2]), np.zeros((2, 2), int), unlabelled=np.array([3, 4]))
        ),
        "None of the 7 items has a label",
    ),
    "other metrics of votes for three classes, in plans": (
        lambda: ef.plan(ef.VoteTable.from_arrays(RNG.multinomial(5, P3)), metric="brier"),
        "`metric='brier'` is planned for votes of two classes",
    ),
    **{
        f"a width of {wrong!r}": (
            lambda wrong=wrong: ef.plan_labels(S, width=wrong),
            f"`width` must be a number between 0 and 1, such as 0.05 for five points; got {wrong}",
        )
        for wrong in (0, 1, -0.1, 1.5, True)
    },
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    ask, says = REFUSED[case]
    with pytest.raises(ef.InputError, match=re.escape(says)):
        ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda path, name: ef.from_scores(path, method=name),
        lambda path, name: ef.from_votes(path, method=name),
        lambda path, name: ef.from_votes(path, label="gold", method=name),
        lambda path, name: ef.calibrate(path, method=name),
        lambda path, name: ef.reliability(path, method=name),
        lambda path, name: ef.feebee(path, methods=[name], model_error=0.1),
    ],
)
def test_methods_that_do_not_exist_are_refused_before_a_file_is_looked_for(ask, tmp_path):
    with pytest.raises(ef.InputError, match="`method` must be one of"):
        ask(tmp_path / "missing.csv", "nonsense")


def test_groups_that_are_an_array_are_sent_to_a_dataframe():
    group = pd.Series(["a", "b"] * 10, name="branch")
    with pytest.raises(ef.InputError, match=r"Put all of them into a dataframe.*group='group'"):
        ef.from_scores([0.1, 0.9] * 10, [0, 1] * 10, group=group)
