"""What a statistician would ask about the data behind a floor, answered from its table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from errorfloor._typing import Counts
from errorfloor.calibration import needs_unit_interval
from errorfloor.reliability_band import Reliability
from errorfloor.reporting._words import counted, percent, points
from errorfloor.results import Comparison, Estimate, VotesEstimate
from errorfloor.tables import ScoreTable, VoteTable

Level: TypeAlias = Literal["ok", "note", "warn"]

FEW = 30  # items or labels of a class below which a share says little
MOST_VOTES = 20  # shares of no more votes than this are recognised


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One question about the data, its answer, and what the answer means."""

    name: str
    value: str
    level: Level
    sentence: str


def diagnose(
    estimate: Estimate, comparison: Comparison | None, curve: Reliability | None
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of an estimate, those that call for attention first."""
    table = estimate.table
    found: list[Diagnostic] = []
    if isinstance(table, VoteTable):
        found += _of_votes(table, estimate)
    elif isinstance(table, ScoreTable) and estimate.method == "clean":
        found += _of_soft_labels(table)
    elif isinstance(table, ScoreTable):
        found += _of_scores(table, estimate)
    if curve is not None:
        found.append(_order(curve))
    if comparison is not None and len(comparison) > 1:
        found.append(_agreement(estimate, comparison))
    found += _of_estimate(estimate)
    return tuple(sorted(found, key=lambda one: ("warn", "note", "ok").index(one.level)))


def _of_scores(table: ScoreTable, estimate: Estimate) -> Iterator[Diagnostic]:
    yield from _constant(table)
    yield _balance(table)
    yield from _few_of_a_class(table)
    if table.positives.any() and table.negatives.any() and len(table) > 1:
        yield _beyond_base_rate(table, estimate)
        yield _direction(table)
    yield _ties(table)
    yield _zeros_and_ones_with_labels(table, estimate.method)
    if estimate.method == "corrupted":
        yield from _vote_shares(table)


def _of_soft_labels(table: ScoreTable) -> Iterator[Diagnostic]:
    count = _counts(table)
    yield _few_items(table.n)
    if len(table) == 1:
        yield Diagnostic(
            "Constant soft labels",
            f"all {table.scores[0]:.4g}",
            "warn",
            "All soft labels are equal. Unless every item truly has this probability, the floor "
            "says nothing about the items.",
        )
    mean = float(count @ table.scores / table.n)
    yield Diagnostic(
        "Class balance",
        f"{percent(mean, 1)} positive",
        "ok",
        "The mean soft label, which is the share of class 1 to expect.",
    )
    yield _zeros_and_ones_of_soft_labels(table)
    yield from _vote_shares(table)
    yield Diagnostic(
        "Trust",
        "not checked",
        "note",
        "Nothing here can tell whether the soft labels are true probabilities. With one true "
        "label an item they can be calibrated first (from_scores).",
    )


def _of_votes(table: VoteTable, estimate: Estimate) -> Iterator[Diagnostic]:
    yield _few_items(table.n)
    yield from _votes_an_item(table)
    unanimous = (table.positives == 0) | (table.positives == table.totals)
    share = float(table.counts[unanimous].sum() / table.n)
    yield Diagnostic(
        "Unanimous items",
        percent(share, 1),
        "note" if share == 1 else "ok",
        "Nobody disagrees anywhere, so the votes show no floor above 0."
        if share == 1
        else "Items whose votes all agree.",
    )
    positive = float(table.counts @ (table.positives / table.totals) / table.n)
    yield Diagnostic(
        "Class balance", f"{percent(positive, 1)} positive", "ok", "Mean share of positive votes."
    )
    if isinstance(estimate, VotesEstimate):
        yield from _plugin_bias(estimate)


def _of_estimate(estimate: Estimate) -> Iterator[Diagnostic]:
    if estimate.dropped:
        share = estimate.dropped / (estimate.n + estimate.dropped)
        yield Diagnostic(
            "Left out",
            f"{counted(estimate.dropped, 'item')} ({percent(share, 1)})",
            "warn" if share > 0.05 else "note",
            "Something was missing in these items. If that has to do with how hard an item is, "
            "the floor is that of the others only.",
        )
    if estimate.resolution is None:
        yield Diagnostic(
            "Merged scores",
            "no bound",
            "note",
            "Neighbouring scores were merged to save memory, and this method takes each range at "
            "its middle; the isotonic floor comes with a bound on what that does.",
        )
    elif estimate.resolution:
        yield Diagnostic(
            "Merged scores",
            f"at most {100 * estimate.resolution:.2g} points",
            "note",
            "Neighbouring scores were merged to save memory, which can have moved the floor by "
            "no more than this.",
        )


def _counts(table: ScoreTable) -> Counts:
    return table.negatives + table.positives


def _few_items(n: int) -> Diagnostic:
    if n < FEW:
        return Diagnostic(
            "Few items", f"{n:,}", "warn", "So few items say little about any others like them."
        )
    return Diagnostic("Items", f"{n:,}", "ok", "The interval allows for their number.")


def _constant(table: ScoreTable) -> Iterator[Diagnostic]:
    if len(table) == 1:
        yield Diagnostic(
            "Constant scores",
            f"all {table.scores[0]:.4g}",
            "warn",
            "All items have the same score, so calibration turns it into the share of the "
            "positive class, and the floor is that of guessing the larger class. The scores are "
            "perfectly calibrated then and yet say nothing: the true floor may be anything below, "
            "even 0 (the paper's example 2).",
        )


def _balance(table: ScoreTable) -> Diagnostic:
    positives, negatives = int(table.positives.sum()), int(table.negatives.sum())
    rarer = min(positives, negatives) / table.n
    sentence = f"{counted(positives, 'positive')}, {counted(negatives, 'negative')}."
    if rarer < 0.05:
        sentence += (
            f" Always answering the larger class errs on {percent(rarer)} only: judge the floor "
            "beside that number, not beside 50 %."
        )
    value = f"{percent(positives / table.n, 1)} positive"
    return Diagnostic("Class balance", value, "note" if rarer < 0.05 else "ok", sentence)


def _few_of_a_class(table: ScoreTable) -> Iterator[Diagnostic]:
    for count, name in ((table.positives, "positive"), (table.negatives, "negative")):
        number = int(count.sum())
        sentence = (
            f"With so few {name}s each of them moves the floor, and calibration maps are hardly "
            "determined where they lie."
        )
        if number == 0:
            sentence = f"There is no {name} label: the floor is that of one class alone."
        if number < FEW:
            yield Diagnostic(f"Few {name}s", counted(number, name), "warn", sentence)


def _beyond_base_rate(table: ScoreTable, estimate: Estimate) -> Diagnostic:
    rarer = min(int(table.positives.sum()), int(table.negatives.sum())) / table.n
    gain = 1 - estimate.value / rarer
    name = "Better than guessing"
    level: Level = "ok"
    sentence = f"Compared with always answering the larger class, which errs on {percent(rarer)}."
    if gain < 0.05:
        name = "Hardly better than guessing"
        level = "warn"
        sentence = (
            "The scores tell items apart hardly better than guessing the larger class does. The "
            "floor is an upper bound then: better scores may find a lower one."
        )
    elif estimate.high is not None and estimate.high >= rarer:
        level = "note"
        sentence += " The interval does not leave out that the scores tell nothing."
    return Diagnostic(name, f"{percent(max(gain, 0.0), 1)} fewer errors", level, sentence)


def _direction(table: ScoreTable) -> Diagnostic:
    before = np.cumsum(table.negatives) - table.negatives / 2
    positives, negatives = int(table.positives.sum()), int(table.negatives.sum())
    area = float(table.positives @ before) / (positives * negatives)
    # The standard deviation of the area where scores have nothing to do with labels.
    noise = math.sqrt((table.n + 1) / (12 * positives * negatives))
    if area < 0.5 - 2 * noise:
        return Diagnostic(
            "Reversed scores",
            f"AUC {area:.3f}",
            "warn",
            "Items with higher scores are positive less often. If the scores are those of the "
            "other class, turn them round (1 - score).",
        )
    return Diagnostic(
        "Direction of scores",
        f"AUC {area:.3f}",
        "ok" if area > 0.5 + 2 * noise else "note",
        "Chance that a positive item scores above a negative one; 0.5 is no better than chance.",
    )


def _order(curve: Reliability) -> Diagnostic:
    level = f"{100 * curve.level:g} %"
    if curve.in_order:
        sentence = f"A probability that rises with the score fits the labels at {level}."
        return Diagnostic("Rising probabilities", "not refuted", "ok", sentence)
    return Diagnostic(
        "Falling probabilities",
        "rising ones are refuted",
        "warn",
        f"Somewhere the probability falls as the score rises, at {level}. Isotonic's floor is then "
        "that of the best cut of these scores, an upper bound on the true one.",
    )


def _ties(table: ScoreTable) -> Diagnostic:
    count = _counts(table)
    if table.coarse.any():
        return Diagnostic(
            "Ties", "unknown", "note", "Neighbouring scores were merged, so ties were not counted."
        )
    share = float(count[count > 1].sum() / table.n)
    value = f"{percent(share, 1)} of items"
    sentence = (
        f"{counted(len(table), 'distinct score')}. Items with equal scores get one "
        "probability; where their true ones differ, that raises the floor."
    )
    return Diagnostic("Ties", value, "note" if share > 0.5 else "ok", sentence)


def _zeros_and_ones_with_labels(table: ScoreTable, method: str) -> Diagnostic:
    low, high = float(table.scores[0]), float(table.scores[-1])
    if low < 0 or high > 1:
        return Diagnostic(
            "Range of scores",
            f"{low:.3g} to {high:.3g}",
            "note",
            "They are no probabilities. Methods that use only their order or a sigmoid take them, "
            "the beta family does not.",
        )
    zero, one = table.scores == 0, table.scores == 1
    number = int(_counts(table)[zero | one].sum())
    if number == 0:
        return Diagnostic("Exact zeros and ones", "none", "ok", "No score claims certainty.")
    wrong = int(table.positives[zero].sum() + table.negatives[one].sum())
    value = f"{counted(number, 'item')} ({percent(number / table.n, 1)})"
    sentence = "These scores claim certainty, and their labels agree."
    if wrong:
        sentence = f"These scores claim certainty, against {counted(wrong, 'label')}."
    if wrong and needs_unit_interval(method):
        sentence += f" That weighs heavily in {method}; isotonic does not mind."
        return Diagnostic("Exact zeros and ones", value, "warn", sentence)
    return Diagnostic("Exact zeros and ones", value, "note" if wrong else "ok", sentence)


def _zeros_and_ones_of_soft_labels(table: ScoreTable) -> Diagnostic:
    number = int(_counts(table)[(table.scores == 0) | (table.scores == 1)].sum())
    value = f"{counted(number, 'item')} ({percent(number / table.n, 1)})" if number else "none"
    level: Level = "note" if number > table.n / 2 else "ok"
    sentence = "Items said to be certain add nothing to the floor."
    if number == 0:
        sentence = "No soft label claims certainty."
    if number == table.n:
        level = "warn"
        sentence = (
            "All soft labels are 0 or 1: these are hard labels, whose floor is 0 by construction. "
            "Pass probabilities, or votes (from_votes)."
        )
    return Diagnostic("Exact zeros and ones", value, level, sentence)


def _vote_shares(table: ScoreTable) -> Iterator[Diagnostic]:
    """Recognise shares of a few votes, which are too extreme to be taken for probabilities."""
    scores = table.scores
    if ((scores == 0) | (scores == 1)).all() or table.n < 2 * len(table):
        return
    for m in range(2, MOST_VOTES + 1):
        if np.abs(scores * m - np.round(scores * m)).max() < 1e-6:
            yield Diagnostic(
                "Vote shares",
                f"multiples of 1/{m}",
                "warn",
                f"The values look like shares of {m} votes or a scale of as many steps. Shares of "
                "few votes make the floor too low; from_votes corrects for that.",
            )
            return


def _votes_an_item(table: VoteTable) -> Iterator[Diagnostic]:
    low, high = int(table.totals.min()), int(table.totals.max())
    mean = float(table.counts @ table.totals / table.n)
    value = f"{low:,}" if low == high else f"{low:,} to {high:,}, {mean:.1f} on average"
    level: Level = "ok"
    sentence = "Enough to tell the distribution behind them closely."
    if high == 1:
        level = "warn"
        sentence = (
            "A single vote an item cannot disagree with itself: from these votes, items that "
            "everybody agrees on and coin flips look the same."
        )
    elif mean <= 3:
        level = "note"
        sentence = (
            "So few votes leave a range of floors open however many items there are. More votes "
            "on the same items narrow it, more items do not."
        )
    elif mean < 10:
        sentence = "Some spread of floors stays open, which the intervals of mixture contain."
    yield Diagnostic("Votes an item", value, level, sentence)
    if low != high:
        yield Diagnostic(
            "Unequal numbers of votes",
            f"{len(np.unique(table.totals)):,} different",
            "note",
            "Each item counts once, however many votes it has. Where hard items were given more "
            "votes on purpose, their number tells something that no method here uses.",
        )


def _plugin_bias(estimate: VotesEstimate) -> Iterator[Diagnostic]:
    if estimate.bias is not None:
        low, high = estimate.low, estimate.high
        width = high - low if low is not None and high is not None else 0.0
        serious = estimate.method == "plugin" and -estimate.bias > max(width / 4, 1e-4)
        yield Diagnostic(
            "Bias of vote shares",
            points(estimate.bias),
            "warn" if serious else "ok",
            "The plain shares of votes are too low by this much on average, and the interval does "
            "not show it. Use method mixture."
            if serious
            else f"Plain shares of votes would have said {percent(estimate.plugin)}; on average "
            "they miss the floor by this much.",
        )
    if estimate.bias_bound is not None:
        sentence = (
            "The paper's corollary 2, for any distribution whose floor is no higher than the model "
            "error that was given."
        )
        if estimate.bias_bound > estimate.value:
            sentence += " It exceeds the floor itself, so with these votes it tells nothing."
        value = f"{100 * estimate.bias_bound:.2f} points"
        yield Diagnostic("Bound on that bias", value, "ok", sentence)


def _agreement(estimate: Estimate, comparison: Comparison) -> Diagnostic:
    rows = sorted((row for row in comparison if row.method != "corrupted"), key=_value)
    value = f"{percent(rows[0].value)} to {percent(rows[-1].value)}"
    apart = [pair for pair in combinations(rows, 2) if _apart(*pair)]
    if not apart:
        sentence = f"The intervals of all {len(rows)} methods overlap."
        return Diagnostic("Agreement of methods", value, "ok", sentence)
    lower, upper = max(apart, key=_how_telling)
    order = _family(lower) == "hist" and _family(upper) == "isotonic"
    wrong = upper if _family(lower) in _WITHOUT_CURVE else lower
    if order:
        why = "A higher score does not always mean a higher probability, as isotonic assumes."
    elif _family(wrong) == "hist":
        why = f"The bins of {wrong.method} are too wide for these scores."
    else:
        why = f"The curve that {wrong.method} assumes does not fit these scores."
    return Diagnostic(
        "Methods disagree",
        value,
        "warn" if order or wrong.method == estimate.method else "note",
        f"The interval of {lower.method} lies below that of {upper.method}. {why}",
    )


_WITHOUT_CURVE = ("isotonic", "hist")


def _family(row: Estimate) -> str:
    return row.method.split("-")[0]


def _value(row: Estimate) -> float:
    return row.value


def _how_telling(pair: tuple[Estimate, Estimate]) -> tuple[bool, float]:
    """Put what refutes isotonic's assumption above all, and else the distance."""
    lower, upper = pair
    order = _family(lower) == "hist" and _family(upper) == "isotonic"
    return order, upper.value - lower.value


def _apart(first: Estimate, second: Estimate) -> bool:
    a, b = first.interval, second.interval
    return a is not None and b is not None and (a.high < b.low or b.high < a.low)
