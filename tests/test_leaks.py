"""Labels that are predictions made from the scores, and scores that are made of labels."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.show.text import long_text_of

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
FOLLOWS = "Label that follows from the score"


def finding(name, *data, **options):
    """Return the finding of a name, or None."""
    found = ef.from_scores(*data, interval=None, rng=0, **options)
    return next((one for one in found.findings if one.name == name), None)


def level(name, *data, **options):
    one = finding(name, *data, **options)
    return None if one is None else one.level


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


@pytest.mark.parametrize(
    "scores",
    [
        np.random.default_rng(0).beta(0.5, 0.5, 1500),
        np.random.default_rng(1).uniform(size=1000),
        np.random.default_rng(2).normal(1, 3, 1000),  # logits
        np.random.default_rng(3).uniform(size=2000).round(2),
    ],
)
@pytest.mark.parametrize("cut", [0.5, 0.3])
def test_a_label_that_is_a_cut_of_many_scores_is_a_prediction(scores, cut):
    labels = scores >= cut
    one = finding(FOLLOWS, scores, labels)
    assert one.level == "refuted"
    assert "is a prediction made from these scores" in one.sentence
    assert "--label" in one.remedy
    # A single label on the other side, far from the cut, is one that no cut makes.
    labels[np.argmin(scores)] = True
    assert level(FOLLOWS, scores, labels) is None


def test_the_cut_is_named_with_few_digits():
    scores = np.random.default_rng(0).uniform(size=3000)
    one = finding(FOLLOWS, scores, scores > 0.37)
    assert (
        "is 1 where the score is above 0.37, and 0 below, without exception in 3,000 items"
        in one.sentence
    )


def test_a_score_on_the_cut_may_have_both_labels():
    exact = np.random.default_rng(0).uniform(size=3000)
    one = finding(FOLLOWS, exact.round(2), exact > 0.522)
    assert one.level == "refuted"
    assert f"in {np.count_nonzero(exact.round(2) != 0.52):,} items" in one.sentence
    assert level(FOLLOWS, exact.round(1), exact > 0.52) is None  # a tenth is on the cut


@pytest.mark.parametrize("logits", [False, True])
def test_the_class_of_the_highest_score_is_a_prediction(logits):
    scores = np.random.default_rng(4).normal(0, 2, (1500, 4))
    labels = scores.argmax(axis=1)
    if not logits:
        scores = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    one = finding(FOLLOWS, scores, labels)
    assert one.level == "refuted"
    assert "the class with the highest score" in one.sentence
    labels[0] = (labels[0] + 1) % 4
    assert level(FOLLOWS, scores, labels) is None


def honest(rng, n):
    """Yield easy tasks whose scores often part their labels without an error."""
    for shape in (0.02, 0.005):
        p = rng.beta(shape, shape, n)
        yield p, rng.random(n) < p
    for apart in (8, 12):
        y = rng.integers(0, 2, n)
        logit = apart * (rng.normal(size=n) + apart * (y - 0.5))
        yield logit, y
        yield sigmoid(logit), y
    y = rng.integers(0, 2, n)
    yield sigmoid(4 * (rng.normal(size=n) + 4 * (y - 0.5))).round(2), y
    yield 0.2 + 0.6 * y + rng.normal(0, 0.05, n), y  # as forests have it
    yield np.where(y == 1, 0.98, 0.02), y  # a tree with two leaves
    p = np.exp(rng.normal(0, 40, (n, 3)))
    p /= p.sum(axis=1, keepdims=True)
    yield p, (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    of = rng.integers(0, 3, n)
    yield np.full((3, 3), 0.001)[of] + 0.997 * np.eye(3)[of], of  # a tree with three leaves


@pytest.mark.parametrize("n", [30, 300, 2000])
def test_easy_tasks_are_not_taken_for_predictions(n):
    rng = np.random.default_rng(n)
    alarms = [
        one.name
        for _ in range(8 if n < 1000 else 3)
        for scores, labels in honest(rng, n)
        if 0 < np.count_nonzero(labels) < n
        for one in ef.from_scores(scores, labels, interval=None, rng=0).findings
        if one.name in (FOLLOWS, "Scores are the labels", "Scores like the labels")
        and one.level in ("refuted", "warn")
    ]
    assert not alarms


def test_what_parts_few_labels_is_noted_and_more_is_doubted():
    rng = np.random.default_rng(0)
    for n, expected in ((9, None), (10, "note"), (30, "note"), (200, "warn"), (1000, "refuted")):
        scores = rng.uniform(size=n)
        scores[:2] = 0.2, 0.8
        assert level(FOLLOWS, scores, scores > 0.5) == expected, n


def test_copies_are_no_evidence():
    scores = np.repeat(np.random.default_rng(0).uniform(size=30), 50)
    cluster = np.repeat(np.arange(30), 50)
    assert level(FOLLOWS, scores, scores > 0.5, cluster=cluster) == "note"


def test_shares_of_votes_are_no_labels():
    votes = 3 * np.eye(3, dtype=int)[np.arange(60) % 3]
    found = ef.from_votes(votes, labels=np.arange(60) % 3, interval=None)
    assert not found.refuted


NAMED = "Label called a prediction"


@pytest.mark.parametrize(
    "column",
    [
        *("y_pred", "prediction", "predicted", "Pred", "y_hat", "predicted_class", "preds"),
        *("model_prediction", "predictedLabel", "pred_label", "bert prediction"),
    ],
)
def test_a_column_called_a_prediction_is_doubted_as_a_label(column):
    rng = np.random.default_rng(0)
    p = rng.uniform(size=200)
    frame = pd.DataFrame({"prob": p, column: (rng.random(200) < p).astype(int)})
    one = finding(NAMED, frame, score="prob", label=column)
    assert one.level == "warn"
    assert column in one.sentence
    # With few items as well, where no label contradicts the scores.
    frame[column] = (p > 0.5).astype(int)
    one = finding(FOLLOWS, frame[:20], score="prob", label=column)
    assert one.level == "refuted"
    assert f"(column {column})" in one.sentence


@pytest.mark.parametrize("column", ["y", "label", "predator", "y_true", "spread", "expected"])
def test_other_names_are_no_predictions(column):
    rng = np.random.default_rng(0)
    p = rng.uniform(size=200)
    frame = pd.DataFrame({"prob": p, column: (rng.random(200) < p).astype(int)})
    assert finding(NAMED, frame, score="prob", label=column) is None


def test_the_command_line_refuses_a_prediction_as_a_label(tmp_path):
    from errorfloor.apps.cli.commands import cli

    path = tmp_path / "model.csv"
    p = np.random.default_rng(0).beta(0.5, 0.5, 800)
    pd.DataFrame({"prob": p, "y_pred": (p > 0.5).astype(int)}).to_csv(path, index=False)
    words = ["estimate", str(path), "--score", "prob", "--label", "y_pred"]
    ran = CliRunner().invoke(cli, [*words, "--json"])
    assert json.loads(ran.stdout)["result"]["refuted"] is True
    ran = CliRunner().invoke(cli, words)
    assert "100.00 %" not in ran.stdout
    assert "Name the column of true labels" in ran.stdout


LIKE = "Scores like the labels"


@pytest.mark.parametrize(
    "noise",
    [
        lambda rng, n: rng.normal(0, 0.01, n),
        lambda rng, n: rng.uniform(-0.05, 0.05, n),
        lambda rng, n: rng.uniform(0, 1e-6, n),
    ],
)
def test_labels_with_a_little_noise_in_place_of_scores_are_found(noise):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 500)
    for scores in (y + noise(rng, 500), 0.1 + 0.8 * y + noise(rng, 500) / 5):
        one = finding(LIKE, scores, y)
        assert one.level == "warn"
        assert "the label with a little noise" in one.sentence
    assert finding(LIKE, y + rng.normal(0, 0.2, 500), y) is None


@pytest.mark.parametrize("errors", [0, 2])
def test_scores_as_good_as_those_of_training_data_are_told(errors):
    rng = np.random.default_rng(30)
    labels = rng.integers(0, 2, 1200)
    labels[:2] = 0, 1
    scores = np.where(labels == 1, rng.uniform(0.62, 1, 1200), rng.uniform(0, 0.38, 1200))
    scores[:errors] = 0.5 + 0.001 * (1 - 2 * labels[:errors])
    every = ef.from_scores(scores, labels).findings
    (found,) = (one for one in every if one.name == "Scores as of training data")
    assert found.level == "note"  # easy tasks have it too
    assert "for its own training data look like this" in found.text
    honest = ef.from_scores(np.clip(scores + rng.normal(0, 0.25, 1200), 0, 1), labels)
    assert "Scores as of training data" not in {one.name for one in honest.findings}


def test_a_terminal_shows_that_scores_may_be_those_of_training_data():
    labels = np.arange(1200) % 2
    found = ef.from_scores(0.2 + 0.5 * labels + np.linspace(0, 0.2, 1200), labels)
    assert not found.warnings
    assert (
        "Note: The scores predict the labels of all 1,200 items without an error"
        in long_text_of(found)
    )
    assert "Note: The scores predict the labels of all 1,200 items without an error" in str(found)


def test_headroom_and_cards_say_what_scores_of_training_data_hang_on():
    labels = np.arange(1200) % 2
    found = ef.from_scores(0.2 + 0.5 * labels + np.linspace(0, 0.2, 1200), labels)
    verdict = ef.headroom(found, errors=300, n=1000)
    hangs_on = "holds only if the model behind these scores was not trained on these items"
    assert hangs_on in verdict.sentence
    for answer in (found, verdict):
        assert hangs_on in " ".join(re.findall(r">([^<]+)<", ef.card(answer).svg))
