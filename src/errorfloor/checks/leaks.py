"""Whether scores and labels are two things: labels made from scores, and scores made of labels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import counted
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.checks.order import area
from errorfloor.checks.record import ANY, ENOUGH, Check, Wording, wording_of
from errorfloor.data.columns import simple
from errorfloor.data.tables import ScoreTable
from errorfloor.results.claim import TRAINED, Finding, Level
from errorfloor.results.estimate import Estimate

SAMPLE = 10  # items from which on scores that are labels are no accident
FEW = 10  # different scores of a class that make a cluster
FAR = 5.0  # widths of the wider cluster between two that look like labels with noise
ON_BORDER = 0.05  # share of items, at most, that may lie where scores leave the label open
LEAST = 1e-300  # below which a probability counts as this, so that its logarithm says something
# How much too cautious scores may be before a label that never contradicts them is doubted, and
# before it is refuted: the factor of their log-odds, and the chance of no contradiction.
DOUBT, REFUTED = (8.0, 0.01), (20.0, 1e-4)
MANY = 100  # items from which on no single error is as good as training data gets
NEARLY = 0.999  # share of pairs in order from which on the same is asked of scores with errors
SPREAD = 2.0  # of log-odds, in standard deviations, that scores on another scale are taken to have
_PREDICTION = (
    r"(.*_)?(y_?)?(pred|preds|prediction|predictions|predicted|predict|yhat|y_hat)"
    r"(_?(y|label|labels|class|classes|target|value|outcome))?(_?\d+)?"
)


def names_a_prediction(column: object) -> bool:
    """Tell whether a column is called what predictions are called.

    Examples
    --------
    >>> names_a_prediction("y_pred"), names_a_prediction("PredictedLabel"), names_a_prediction("y")
    (True, True, False)
    """
    return re.fullmatch(_PREDICTION, simple(column)) is not None


def _leaks(estimate: Estimate) -> Iterator[Finding]:
    """Find scores that are labels or predictions, and labels that are predictions."""
    table = estimate.table
    assert isinstance(table, ScoreTable)
    some = np.count_nonzero(table.counts.any(axis=0)) > 1
    if table.gold is not None or table.n < SAMPLE or not (some or len(table.classes) > 2):
        return  # shares of votes are neither
    found = _in_place_of_scores(table, wording_of(estimate.measure))
    parted = SeparatedScores.of(table) if found is None and some else None
    if found is None and parted is not None:
        found = _clusters(parted) or _prediction(parted, estimate)
    if found is None and _called_prediction(estimate) is not None:
        found = _by_name(estimate)
    if found is None and parted is None and some:
        found = _nearly_perfect(table, estimate.measure.limit)
    yield from () if found is None else (found,)


def _in_place_of_scores(table: ScoreTable, words: Wording) -> Finding | None:
    """Find labels or predictions in the place of scores: one value, or row of 0 and 1, for each."""
    if len(table) > len(table.classes) or table.coarse.any():
        return None
    scores, two = table.scores, table.scores.ndim == 1
    pure = int(table.counts.max(axis=1).sum()) == table.n
    labels = np.unique(table.counts.argmax(axis=1))
    if two:
        whole = len(table) == 2 and np.array_equal(scores, np.floor(scores))
        zero_one = bool(whole and scores[0] == 0 and scores[1] == 1)
    else:
        whole = bool(((scores == 0) | (scores == 1)).all() and (scores.sum(axis=1) == 1).all())
        zero_one = whole
    if whole and pure and 1 < labels.size == len(table):
        return Finding(
            "Scores are the labels",
            f"{counted(len(table), 'score')}, {counted(table.n, 'item')}",
            "refuted",
            f"The scores are the labels themselves, so {words.perfect} says nothing.",
            "Name scores that were made without the labels.",
        )
    if zero_one:
        return Finding(
            "Scores are predictions",
            "0 or 1",
            "refuted",
            f"The scores are 0/1 predictions: they show only the {words.value} of these "
            f"predictions, and the true {words.limit} may be {words.beyond}.",
            "Pass the probabilities or scores behind the predictions; for the error of a model, "
            "see headroom.",
        )
    return None


@dataclass(frozen=True, slots=True, eq=False)
class SeparatedScores:
    """Scores that part the labels without an error: by a cut, or by the highest score."""

    table: ScoreTable
    apart: Floats  # of each row from what would change its label, by other label; in log-odds

    @classmethod
    def of(cls, table: ScoreTable) -> SeparatedScores | None:
        """Return how far rows are from the border, or None where labels contradict the scores."""
        found = _from_cut(table) if table.scores.ndim == 1 else _from_others(table)
        mixed = np.count_nonzero(table.counts, axis=1) > 1
        if found is None or int(table.items[mixed].sum()) > ON_BORDER * table.n:
            return None
        return cls(table, found)

    @property
    def n(self) -> int:
        """Number of items whose label follows from the score."""
        return int(self.table.items[self.sure].sum())

    @property
    def sure(self) -> Bools:
        """Tell which rows leave no choice: either label goes with what lies on the border."""
        mixed = np.count_nonzero(self.table.counts, axis=1) > 1
        return np.asarray((self.apart.min(axis=1) > 0) & ~mixed)

    def chance(self, cautious: float) -> float:
        """Return the chance of no contradiction, if log-odds are so many times as large."""
        with np.errstate(under="ignore"):
            odds = np.exp(-cautious * self.apart).sum(axis=1)
        return math.exp(-float(self.table.items[self.sure] @ np.log1p(odds[self.sure])))


def _from_cut(table: ScoreTable) -> Floats | None:
    """Return the distances from the cut that parts labels; a score on it may have both."""
    last, first = _edges(table.counts)
    if last > first:
        return None
    values = _log_odds(table)
    cut = (values[last] + values[first]) / 2
    return np.asarray(np.abs(values - cut)[:, None])


def _edges(counts: Counts) -> tuple[int, int]:
    """Return the last row with a label 0, and the first with a label 1."""
    return int(np.flatnonzero(counts[:, 0])[-1]), int(np.flatnonzero(counts[:, 1])[0])


def _log_odds(table: ScoreTable) -> Floats:
    """Return the log-odds of probabilities; other scores brought to a spread of log-odds."""
    scores = table.scores
    if scores[0] >= 0 and scores[-1] <= 1:
        return np.log(np.maximum(scores, LEAST)) - np.log(np.maximum(1 - scores, 2.0**-54))
    mean = float(table.items @ scores) / table.n
    spread = math.sqrt(float(table.items @ (scores - mean) ** 2) / table.n)
    return np.asarray((scores - mean) * (SPREAD / spread if spread else 0.0))


def _from_others(table: ScoreTable) -> Floats | None:
    """Return how far the highest score is above the others, where the label is always its class."""
    scores = table.scores
    highest = scores == scores.max(axis=1, keepdims=True)
    if table.counts[~highest].any():
        return None
    if scores.min() >= 0:
        values = np.log(np.maximum(scores, LEAST))
        return _below(values, highest)
    apart = _below(scores, highest)
    spread = math.sqrt(float(table.items @ apart.min(axis=1) ** 2) / table.n)
    return np.asarray(apart * (SPREAD / spread)) if spread else None


def _below(values: Floats, highest: Bools) -> Floats:
    """Return by how much all scores but the first of the highest are below it."""
    rows, first = np.arange(len(values)), highest.argmax(axis=1)
    others = np.ones(values.shape, dtype=np.bool_)
    others[rows, first] = False
    apart = values[rows, first][:, None] - values
    return np.asarray(apart[others].reshape(len(values), -1))


def _clusters(parted: SeparatedScores) -> Finding | None:
    """Find two narrow ranges of scores far apart, one for each label, as label plus noise has."""
    table = parted.table
    if table.scores.ndim > 1 or table.n < ENOUGH:
        return None
    last, first = _edges(table.counts)
    if last == first or min(last + 1, len(table) - first) < FEW:
        return None
    values = _log_odds(table)
    width = max(values[last] - values[0], values[-1] - values[first])
    if values[first] - values[last] < FAR * width:
        return None
    ends = [f"{table.scores[row]:.4g}" for row in (0, last, first, len(table) - 1)]
    return Finding(
        "Scores like the labels",
        f"{ends[0]} to {ends[1]}, and {ends[2]} to {ends[3]}",
        "warn",
        f"All scores of items with label 0 lie from {ends[0]} to {ends[1]}, and those with label 1 "
        f"from {ends[2]} to {ends[3]}: the scores look like the label with a little noise.",
        "Check that the scores were made without the labels.",
    )


def _prediction(parted: SeparatedScores, estimate: Estimate) -> Finding:
    """Say that the label follows from the score, and whether it must be a prediction."""
    table, column = parted.table, _called_prediction(estimate)
    level: Level = "note"
    alone = table.entries is None or table.entries.cluster is None  # copies are no evidence
    if alone and parted.chance(DOUBT[0]) < DOUBT[1]:
        level = "warn"
    if column is not None or (alone and parted.chance(REFUTED[0]) < REFUTED[1]):
        level = "refuted"
    if level == "note" and alone and parted.n >= MANY:
        return _trained_on(
            f"no exception in {counted(parted.n, 'item')}",
            f"The scores predict the labels of all {counted(parted.n, 'item')} without an error.",
            estimate.measure.limit,
        )
    rule = "is the class with the highest score"
    if table.scores.ndim == 1:
        rule = f"is 1 where the score is above {_cut_in_short(table)}, and 0 below"
    limit = estimate.measure.limit
    meaning = {
        "refuted": f"It is a prediction made from these scores, so the {limit} says nothing "
        "about the truth.",
        "warn": "True labels seldom follow scores so exactly: this looks like a prediction made "
        f"from these scores. If it is one, the {limit} says nothing about the truth.",
        "note": "This happens where a task is easy, and where the label is a prediction made from "
        "the scores.",
    }
    named = f"The label (column {column})" if column is not None else "The label"
    return Finding(
        "Label that follows from the score",
        f"no exception in {counted(parted.n, 'item')}",
        level,
        f"{named} {rule}, without exception in {counted(parted.n, 'item')}. {meaning[level]}",
        "Check the column of labels." if level == "note" else _REMEDY,
    )


def _nearly_perfect(table: ScoreTable, limit: str) -> Finding | None:
    """Find scores of two classes that are almost without a pair out of order."""
    if table.scores.ndim > 1 or table.n < MANY or table.coarse.any():
        return None
    share, _ = area(table)
    if share <= NEARLY:
        return None
    sentence = (
        f"The scores put {counted(table.n, 'item')} in almost perfect order (AUC {share:.4f})."
    )
    return _trained_on(f"AUC {share:.4f}", sentence, limit)


def _trained_on(value: str, sentence: str, limit: str) -> Finding:
    return Finding(
        TRAINED,
        value,
        "note",  # easy tasks have it too
        f"{sentence} A model's scores for its own training data look like this; in that case the "
        f"{limit} says nothing about new items. Very easy tasks look like this, too.",
        "Use scores of items that the model was not trained on.",
    )


_REMEDY = Sentence("Name the column of true labels", aside("label"), ".")


def _cut_in_short(table: ScoreTable) -> str:
    """Return a number with few digits that parts the labels."""
    last, first = _edges(table.counts)
    low, high = float(table.scores[last]), float(table.scores[first])
    middle = (low + high) / 2
    texts = (f"{middle:.{digits}g}" for digits in range(1, 17))
    return next((text for text in texts if low <= float(text) <= high), repr(middle))


def _called_prediction(estimate: Estimate) -> str | None:
    """Return the column of labels where its name says that it holds predictions."""
    column = None if estimate.source is None else estimate.source.columns.get("label")
    return str(column) if column is not None and names_a_prediction(column) else None


def _by_name(estimate: Estimate) -> Finding:
    column = _called_prediction(estimate)
    return Finding(
        "Label called a prediction",
        f"column {column}",
        "warn",
        f"The labels are from a column called {column}, which names what a model predicts. The "
        "answer is then about guessing that model, not about the truth.",
        _REMEDY,
    )


RECORDS = (
    Check(
        name="labels in place of scores, and the other way round",
        kinds=(ScoreTable.kind,),
        classes=ANY,
        run=_leaks,
        asks="Are the scores really labels or 0/1 predictions? Were the labels made from the "
        "scores? Do scores and labels fit so well that the items may be training data?",
    ),
)
