"""What a statistician would ask about scores with one label each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from errorfloor import intervals
from errorfloor._checks import Sentence, aside
from errorfloor._numbers import counted, per_cent
from errorfloor._typing import Counts, Floats
from errorfloor.checks.order import area
from errorfloor.checks.record import ANY, ENOUGH, Check, as_they_are, wording_of
from errorfloor.checks.soft import balance, some_of, unseen_classes, vote_shares
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Basis, Classes
from errorfloor.methods.rules.offsets import TOP1
from errorfloor.results.claim import Finding, Level
from errorfloor.results.estimate import Estimate, method_of

FEW = 10  # labels of a class below which each of them decides
MANY_WRONG = 0.01  # share of items whose score of 0 or 1 is wrong that curves feel
BLIND = 0.06  # three standard deviations of the area at most, to know that scores say nothing
SURE = 12.0  # minus the logarithm of how often one order of columns may fit better by chance
AS_GOOD = 0.8  # of the best fit of any order, which the order as it is may miss
MOST_ROWS = 2**18  # which tell an order well enough
LEAST = 1e-6  # below which a score counts as this, so that its logarithm says something


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
            f" Always answering the larger class is wrong on only {per_cent(rarer)}: compare the "
            f"{limit} with that number, not with 50 %."
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
                "so few can hardly show what their scores mean.",
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
    number = table.counts.sum(axis=0)
    two, guess = len(number) == 2, (table.n - int(number.max())) / table.n
    if guess == 0 or (two and len(table) == 1):
        return
    larger = "larger" if two else "largest"
    gain = 1 - estimate.value / guess
    if estimate.value > guess + 3 * _noise_of_guess(estimate, table, guess):
        meant = "true probabilities" if two else "what this method assumes"
        yield Finding(
            "Worse than guessing",
            f"{per_cent(estimate.value)} against {per_cent(guess)}",
            "refuted",
            f"No floor can be above the error of always answering the {larger} class, "
            f"{per_cent(guess)}: these scores are not {meant}.",
            "Calibrate them with a method such as isotonic."
            if two
            else "Use the method offsets, which weighs the classes.",
        )
        return
    name = "Better than guessing"
    level: Level = "ok"
    sentence = f"Always answering the {larger} class would be wrong on {per_cent(guess)}."
    if gain < 0.05:
        name = "Hardly better than guessing"
        level = "warn" if _say_nothing(table) else "note"
        sentence = (
            f"Hardly any rule on these scores is wrong less often than always answering the "
            f"{larger} class. Either none is, or better scores would find a lower floor."
        )
    elif two and estimate.high is not None and estimate.high >= guess:
        level = "note"
        sentence += " By the interval, perhaps no rule on these scores is wrong less often."
    remedy = f"Check the column{'' if two else 's'} of scores." if level == "warn" else ""
    yield Finding(name, f"{per_cent(max(gain, 0.0), 1)} fewer errors", level, sentence, remedy)


def _say_nothing(table: ScoreTable) -> bool:
    """Tell whether scores that gain nothing over guessing are worth a warning.

    Where one of two classes is rare that is usual, and no fault of scores that tell items apart.
    """
    if len(table.classes) > 2:
        return table.n >= 10 * ENOUGH
    at, noise = area(table)
    return abs(at - 0.5) < 3 * noise < BLIND


def _noise_of_guess(estimate: Estimate, table: ScoreTable, guess: float) -> float:
    """Return the standard deviation of the error of guessing if scores are what they should be.

    That is endless where a method does not take them unchanged.
    """
    method = method_of(estimate)
    if len(table.classes) > 2:
        variance = guess * (1 - guess)
        if method is not None and method.name == TOP1.name:
            variance = min(estimate.value + guess, 1.0)  # where one of both rules errs, at most
        elif not as_they_are(method):
            return math.inf
        return math.sqrt(variance / table.n)
    if not as_they_are(method):
        return math.inf
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
        f"probability; where their true probabilities differ, this {words.worsens} the "
        f"{words.limit}."
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
            "The scores are not probabilities. Methods that use only their order, or a sigmoid, "
            "accept them; the beta family does not.",
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
            f"{counted(number, 'item')} have a score of exactly 0 or 1, which claims certainty; "
            f"{counted(wrong, 'label')} said otherwise."
        )
    if wrong > MANY_WRONG * table.n and method is not None and method.needs_probabilities:
        level = "warn"
        remedy = f"This can change the answer of {method.name} much; isotonic is not affected."
    yield Finding("Exact zeros and ones", value, level, sentence, remedy)


def _shares(estimate: Estimate) -> Iterator[Finding]:
    if as_they_are(method_of(estimate)):
        table = _table(estimate)
        yield from vote_shares(table.scores, table.n, wording_of(estimate.measure))


# Of more than two classes.


def _labels(estimate: Estimate) -> Iterator[Finding]:
    table = _table(estimate)
    number = table.counts.sum(axis=0)
    largest = float(1 - number.max() / table.n)
    sentence = f"Always answering the largest class is wrong on {per_cent(largest)}."
    yield balance(number / table.n, table.classes, sentence)
    yield from unseen_classes(number == 0, table.classes, "labels", "warn")
    few = [name for name, one in zip(table.classes, number, strict=True) if 0 < one < FEW]
    if few and table.n >= ENOUGH:
        yield Finding(
            "Few labels",
            f"{len(few):,} of {len(table.classes):,} classes",
            "note",
            f"Some classes have fewer than {FEW} labels: {some_of(few)}. They hardly move the "
            f"{estimate.measure.limit}, and the weight of such a class in a rule is a guess.",
        )


def _columns(estimate: Estimate) -> Iterator[Finding]:
    """Find columns of scores in another order than the classes."""
    table = _table(estimate)
    number = table.counts.sum(axis=0)
    if len(table) < 2 or np.count_nonzero(number) < 2:
        return
    some = slice(None, None, -(-len(table) // MOST_ROWS))  # rows ascend, so these are spread out
    order, lead, noise = better_order(table.scores[some], table.counts[some])
    # Each of K! orders has its chance to look better.
    if order is None or lead <= noise * (2 * (SURE + math.lgamma(len(order) + 1))) ** 0.5:
        return
    moved = [
        f"{table.classes[column]} fits {table.classes[label]}"
        for label, column in enumerate(order)
        if column != label
    ]
    yield Finding(
        "Columns in another order",
        f"{len(moved):,} of {len(table.classes):,} classes",
        "refuted",
        "The scores fit the labels far better if columns are exchanged: the column of "
        f"{some_of(moved)}.",
        Sentence("Check which column is which class", aside("classes"), "."),
    )


def better_order(scores: Floats, counts: Counts) -> tuple[Counts | None, float, float]:
    """Return the order of columns that fits labels best, its lead, and the lead's noise.

    A column fits a label if the logarithms of its scores are higher where the label is there than
    they are on average. Weights of classes make no difference to that. The order is None where
    the columns as they are come near the best fit.
    """
    from scipy.optimize import linear_sum_assignment

    x = scores - scores.mean(axis=1, keepdims=True)
    if scores.min() >= 0:
        x = np.log(np.maximum(scores, LEAST * scores.max(axis=1, keepdims=True)))
        x -= x.mean(axis=1, keepdims=True)
    items = counts.sum(axis=1)
    x = x - items @ x / items.sum()
    fit = counts.T @ x  # by label, by column
    label, order = linear_sum_assignment(-fit)
    own, best = float(np.trace(fit)), float(fit[label, order].sum())
    if best <= 0 or own > AS_GOOD * best:
        return None, 0.0, 0.0
    apart = x[:, order] - x
    return order, best - own, float(np.sqrt((counts * apart**2).sum()))


def _average(estimate: Estimate) -> Iterator[Finding]:
    method, interval = method_of(estimate), estimate.interval
    if method is None or interval is None:
        return
    kind = intervals.of(method).get(interval.method)
    if kind is not None and kind.basis is Basis.ITEMS:
        yield Finding(
            "Interval of an average",
            interval.method,
            "warn",
            f"The {interval.method} interval is for the average confidence of "
            f"{estimate.method}. That average can be further from the {estimate.measure.limit} "
            "than the interval is wide.",
            "Use the method offsets, which counts errors, or its honest interval.",
        )


_check = partial(Check, kinds=(ScoreTable.kind,))
_of_many = partial(_check, classes=(Classes.MANY,))
RECORDS = (
    _of_many(
        name="order of columns",
        run=_columns,
        asks="Would the scores fit the labels far better if their columns were in another order?",
        false_alarm=1e-4,
    ),
    _of_many(
        name="labels of many classes",
        run=_labels,
        asks="Are there labels of all classes, and enough of each?",
    ),
    _check(name="constant scores", run=_same_for_all, asks="Do the scores differ at all?"),
    _check(
        name="classes",
        run=_classes,
        asks="Are there labels of both classes, and enough of each?",
    ),
    _check(
        name="guessing",
        run=_guessing,
        classes=ANY,
        of_errors=True,
        asks="Does any rule on these scores make fewer errors than always predicting the "
        "larger class?",
        false_alarm=0.0014,
    ),
    _check(name="ties", run=_ties, asks="How many items have equal scores?"),
    _check(
        name="range of scores",
        run=_certain,
        asks="Are some scores exactly 0 or 1 although the label says otherwise?",
    ),
    _check(
        name="scores that are vote shares",
        run=_shares,
        asks="If scores are used as probabilities, are they only vote shares, such as 2 of 3 "
        "votes?",
    ),
    _of_many(
        name="interval of an average",
        run=_average,
        asks="Does the interval cover the floor itself, or only the average error that the scores "
        "claim?",
    ),
)
