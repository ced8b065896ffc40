"""What a statistician would ask about scores with labels, and about soft labels."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from errorfloor._typing import Floats
from errorfloor.data.tables import ScoreTable, SoftTable
from errorfloor.methods.record import Method
from errorfloor.results import Estimate
from errorfloor.show.numbers import counted, per_cent
from errorfloor.show.records import as_they_are, method_of
from errorfloor.show.report.blocks import Diagnostic, Level

FEW = 30  # items or labels of a class below which a share says little
MOST_VOTES = 20  # shares of no more votes than this are recognised


def of_scores(table: ScoreTable, estimate: Estimate) -> Iterator[Diagnostic]:
    """Yield what to know about scores with one label each."""
    yield from _constant(table)
    yield _balance(table)
    yield from _few_of_a_class(table)
    if table.positives.any() and table.negatives.any() and len(table) > 1:
        yield _beyond_base_rate(table, estimate)
        yield _direction(table)
    yield _ties(table)
    yield _zeros_and_ones_with_labels(table, method_of(estimate))
    if as_they_are(method_of(estimate)):
        yield from _vote_shares(table.scores, table.n)


def of_soft_labels(table: SoftTable, estimate: Estimate) -> Iterator[Diagnostic]:
    """Yield what to know about soft labels without labels."""
    yield few_items(table.n)
    if len(table) == 1:
        yield Diagnostic(
            "Constant soft labels",
            f"all {table.probabilities[0]:.4g}",
            "warn",
            "All soft labels are equal. Unless every item truly has this probability, the floor "
            "says nothing about the items.",
        )
    mean = float(table.items @ table.probabilities / table.n)
    yield Diagnostic(
        "Class balance",
        f"{per_cent(mean, 1)} positive",
        "ok",
        "The mean soft label, which is the share of class 1 to expect.",
    )
    yield _zeros_and_ones_of_soft_labels(table)
    yield from _vote_shares(table.probabilities, table.n)
    yield Diagnostic(
        "Trust",
        "not checked",
        "note",
        "Nothing here can tell whether the soft labels are true probabilities. With one true "
        "label per item they can be calibrated first (from_scores).",
    )


def few_items(n: int) -> Diagnostic:
    """Say whether there are enough items for a share to say something."""
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
            f" Always answering the larger class errs on {per_cent(rarer)} only: judge the floor "
            "beside that number, not beside 50 %."
        )
    value = f"{per_cent(positives / table.n, 1)} positive"
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
    if as_they_are(method_of(estimate)) and estimate.value > rarer + 3 * _noise_of_share(table):
        return Diagnostic(
            "Worse than guessing",
            f"{per_cent(estimate.value)} against {per_cent(rarer)}",
            "warn",
            "No floor is above the error of always answering the larger class: these scores are "
            "not the true probabilities that they are taken for.",
        )
    name = "Better than guessing"
    level: Level = "ok"
    sentence = f"Compared with always answering the larger class, which errs on {per_cent(rarer)}."
    if gain < 0.05:
        name = "Hardly better than guessing"
        # Where one class is rare this is usual, and no fault of scores that tell items apart.
        area, noise = _area(table)
        level = "note" if area > 0.5 + 3 * noise else "warn"
        sentence = (
            "By these scores hardly any rule errs less often than always answering the larger "
            "class. Either none does, or better scores would find a lower floor."
        )
    elif estimate.high is not None and estimate.high >= rarer:
        level = "note"
        sentence += " The interval does not leave out that no rule by these scores errs less often."
    return Diagnostic(name, f"{per_cent(max(gain, 0.0), 1)} fewer errors", level, sentence)


def _noise_of_share(table: ScoreTable) -> float:
    """Return the standard deviation of the share of positives if scores are probabilities."""
    return math.sqrt(table.items @ (table.scores * (1 - table.scores))) / table.n


def _area(table: ScoreTable) -> tuple[float, float]:
    """Return the area under the ROC curve, and its standard deviation for scores that say nothing.

    One class alone has no area; 1/2 stands for it.
    """
    before = np.cumsum(table.negatives) - table.negatives / 2
    pairs = int(table.positives.sum()) * int(table.negatives.sum())
    if pairs == 0:
        return 0.5, 0.0
    return float(table.positives @ before) / pairs, math.sqrt((table.n + 1) / (12 * pairs))


def _direction(table: ScoreTable) -> Diagnostic:
    area, noise = _area(table)
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


def _ties(table: ScoreTable) -> Diagnostic:
    count = table.items
    if table.coarse.any():
        return Diagnostic(
            "Ties", "unknown", "note", "Neighbouring scores were merged, so ties were not counted."
        )
    share = float(count[count > 1].sum() / table.n)
    value = f"{per_cent(share, 1)} of items"
    sentence = (
        f"{counted(len(table), 'distinct score')}. Items with equal scores get one "
        "probability; where their true ones differ, that raises the floor."
    )
    return Diagnostic("Ties", value, "note" if share > 0.5 else "ok", sentence)


def _zeros_and_ones_with_labels(table: ScoreTable, method: Method | None) -> Diagnostic:
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
    number = int(table.items[zero | one].sum())
    if number == 0:
        return Diagnostic("Exact zeros and ones", "none", "ok", "No score claims certainty.")
    wrong = int(table.positives[zero].sum() + table.negatives[one].sum())
    value = f"{counted(number, 'item')} ({per_cent(number / table.n, 1)})"
    sentence = "These scores claim certainty, and their labels agree."
    if wrong:
        sentence = f"These scores claim certainty, against {counted(wrong, 'label')}."
    if wrong and method is not None and method.needs_probabilities:
        sentence += f" That weighs heavily in {method.name}; isotonic does not mind."
        return Diagnostic("Exact zeros and ones", value, "warn", sentence)
    return Diagnostic("Exact zeros and ones", value, "note" if wrong else "ok", sentence)


def _zeros_and_ones_of_soft_labels(table: SoftTable) -> Diagnostic:
    certain = (table.probabilities == 0) | (table.probabilities == 1)
    number = int(table.items[certain].sum())
    value = f"{counted(number, 'item')} ({per_cent(number / table.n, 1)})" if number else "none"
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


def _vote_shares(shares: Floats, n: int) -> Iterator[Diagnostic]:
    """Recognise shares of a few votes, which are too extreme to be taken for probabilities."""
    if shares.size < 3 or n < 2 * shares.size:
        return
    for m in range(2, MOST_VOTES + 1):
        if np.abs(shares * m - np.round(shares * m)).max() < 1e-6:
            yield Diagnostic(
                "Vote shares",
                f"multiples of 1/{m}",
                "warn" if m <= 5 else "note",
                f"The values look like shares of {m} votes or a scale of as many steps. Shares of "
                "few votes make the floor too low; from_votes corrects for that.",
            )
            return
