"""What a statistician would ask about scores with one label each."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from errorfloor._numbers import counted, per_cent
from errorfloor.checks.order import area, has_both
from errorfloor.checks.record import Check, as_they_are, method_of
from errorfloor.checks.soft import vote_shares
from errorfloor.checks.wording import wording_of
from errorfloor.data.tables import ScoreTable
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import Finding, Level

ENOUGH = 30  # items or labels of a class below which a share says little
FEW = 10  # labels of a class below which each of them decides
MANY_WRONG = 0.01  # share of items whose score of 0 or 1 is wrong that curves feel
BLIND = 0.06  # three standard deviations of the area at most, to know that scores say nothing


def _table(estimate: Estimate) -> ScoreTable:
    assert isinstance(estimate.table, ScoreTable)
    return estimate.table


def _classes(estimate: Estimate) -> Iterator[Finding]:
    table, limit = _table(estimate), estimate.measure.limit
    positives, negatives = int(table.positives.sum()), int(table.negatives.sum())
    rarer = min(positives, negatives) / table.n
    sentence = f"{counted(positives, 'positive')}, {counted(negatives, 'negative')}."
    if rarer < 0.05:
        sentence += (
            f" Always answering the larger class errs on {per_cent(rarer)} only: judge the "
            f"{limit} beside that number, not beside 50 %."
        )
    value = f"{per_cent(positives / table.n, 1)} positive"
    yield Finding("Class balance", value, "note" if rarer < 0.05 else "ok", sentence)
    for number, name, label in ((positives, "positive", 0), (negatives, "negative", 1)):
        if number == 0:
            yield _one_class(name, label, limit)
        elif number < ENOUGH:
            # Of a few items in all, nobody expects much.
            level: Level = "warn" if number < FEW and table.n >= ENOUGH else "note"
            yield Finding(
                f"Few {name}s",
                counted(number, name),
                level,
                f"There are only {counted(number, name)}: each of them moves the {limit}, and "
                "calibration maps are hardly determined where they lie.",
                f"Label more items that may be {name}, drawn at random.",
            )


def _one_class(name: str, label: int, limit: str) -> Finding:
    return Finding(
        "One class",
        f"no {name}",
        "warn",
        f"All labels are {label}: the {limit} is that of one class alone.",
        "Check the column of labels, and which of them is positive.",
    )


def _same_for_all(estimate: Estimate) -> Iterator[Finding]:
    table = _table(estimate)
    if len(table) == 1:
        metric, words = estimate.measure, wording_of(estimate.measure)
        constant = f"this is the {metric.words} of always answering the larger class, and "
        constant = constant if metric.is_error else ""
        yield Finding(
            "Constant scores",
            f"all {table.scores[0]:.4g}",
            "warn",
            f"All scores are equal: they cannot tell items apart, whatever the {words.limit} is.",
            f"Pass scores that differ: {constant}the true {words.limit} may be {words.beyond} (the "
            "paper's example 2).",
        )


def _guessing(estimate: Estimate) -> Iterator[Finding]:
    table = _table(estimate)
    if not has_both(table):
        return
    rarer = min(int(table.positives.sum()), int(table.negatives.sum())) / table.n
    gain = 1 - estimate.value / rarer
    at_face_value = as_they_are(method_of(estimate))
    if at_face_value and estimate.value > rarer + 3 * _noise_of_share(table):
        yield Finding(
            "Worse than guessing",
            f"{per_cent(estimate.value)} against {per_cent(rarer)}",
            "refuted",
            f"No floor is above the error of always answering the larger class, {per_cent(rarer)}: "
            "these scores are not the true probabilities that they are taken for.",
            "Calibrate them with a method such as isotonic.",
        )
        return
    name = "Better than guessing"
    level: Level = "ok"
    sentence = f"Compared with always answering the larger class, which errs on {per_cent(rarer)}."
    remedy = ""
    if gain < 0.05:
        name = "Hardly better than guessing"
        # Where one class is rare this is usual, and no fault of scores that tell items apart.
        at, noise = area(table)
        level = "warn" if abs(at - 0.5) < 3 * noise < BLIND else "note"
        sentence = (
            "By these scores hardly any rule errs less often than always answering the larger "
            "class. Either none does, or better scores would find a lower floor."
        )
        remedy = "Check the column of scores." if level == "warn" else ""
    elif estimate.high is not None and estimate.high >= rarer:
        level = "note"
        sentence += " The interval does not leave out that no rule by these scores errs less often."
    yield Finding(name, f"{per_cent(max(gain, 0.0), 1)} fewer errors", level, sentence, remedy)


def _noise_of_share(table: ScoreTable) -> float:
    """Return the standard deviation of the share of positives if scores are probabilities."""
    return math.sqrt(table.items @ (table.scores * (1 - table.scores))) / table.n


def _ties(estimate: Estimate) -> Iterator[Finding]:
    table = _table(estimate)
    if table.coarse.any():
        yield Finding(
            "Ties", "unknown", "note", "Neighbouring scores were merged, so ties were not counted."
        )
        return
    share, words = 1 - np.count_nonzero(table.items == 1) / table.n, wording_of(estimate.measure)
    sentence = (
        f"{counted(len(table), 'distinct score')}. Items with equal scores get one "
        f"probability; where their true ones differ, that {words.worsens} the {words.limit}."
    )
    value = f"{per_cent(share, 1)} of items"
    yield Finding("Ties", value, "note" if share > 0.5 else "ok", sentence)


def _certain(estimate: Estimate) -> Iterator[Finding]:
    table, method = _table(estimate), method_of(estimate)
    low, high = float(table.scores[0]), float(table.scores[-1])
    if low < 0 or high > 1:
        yield Finding(
            "Range of scores",
            f"{low:.3g} to {high:.3g}",
            "note",
            "They are no probabilities. Methods that use only their order or a sigmoid take them, "
            "the beta family does not.",
        )
        return
    # Scores ascend, so only the first can be 0 and only the last 1.
    zero, one = slice(0, int(low == 0)), slice(len(table) - int(high == 1), len(table))
    number = int(table.counts[zero].sum() + table.counts[one].sum())
    if number == 0:
        yield Finding("Exact zeros and ones", "none", "ok", "No score claims certainty.")
        return
    wrong = int(table.positives[zero].sum() + table.negatives[one].sum())
    value = f"{counted(number, 'item')} ({per_cent(number / table.n, 1)})"
    sentence = "These scores claim certainty, and their labels agree."
    level: Level = "note" if wrong else "ok"
    remedy = ""
    if wrong:
        sentence = (
            f"{counted(number, 'item')} have a score of exactly 0 or 1, which claims certainty, "
            f"against {counted(wrong, 'label')}."
        )
    if wrong > MANY_WRONG * table.n and method is not None and method.needs_probabilities:
        level = "warn"
        remedy = f"That weighs heavily in {method.name}; isotonic does not mind."
    yield Finding("Exact zeros and ones", value, level, sentence, remedy)


def _shares(estimate: Estimate) -> Iterator[Finding]:
    if as_they_are(method_of(estimate)):
        table = _table(estimate)
        yield from vote_shares(table.scores, table.n, wording_of(estimate.measure))


_KINDS = (ScoreTable.kind,)
CONSTANT = Check(
    name="constant scores", kinds=_KINDS, run=_same_for_all, asks="Do the scores differ at all?"
)
CLASSES = Check(
    name="classes",
    kinds=_KINDS,
    run=_classes,
    asks="Are there labels of both classes, and enough of each?",
)
GUESSING = Check(
    name="guessing",
    kinds=_KINDS,
    run=_guessing,
    of_errors=True,
    asks="Does any rule on these scores err less often than always predicting the larger class?",
    false_alarm=0.0014,
)
TIES = Check(name="ties", kinds=_KINDS, run=_ties, asks="How many items have equal scores?")
CERTAIN = Check(
    name="range of scores",
    kinds=_KINDS,
    run=_certain,
    asks="Are scores probabilities, and are some 0 or 1 although the label says otherwise?",
)
SHARES = Check(
    name="scores that are vote shares",
    kinds=_KINDS,
    run=_shares,
    asks="Are the scores, which are treated as probabilities, shares of a few votes?",
)
RECORDS = (CONSTANT, CLASSES, GUESSING, TIES, CERTAIN, SHARES)
