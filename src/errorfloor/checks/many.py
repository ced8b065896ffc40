"""What a statistician would ask about labels of more than two classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import lgamma, sqrt

import numpy as np

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import per_cent
from errorfloor._typing import Counts, Floats
from errorfloor.checks.record import Check, as_they_are, method_of
from errorfloor.checks.soft import certainty, few_items, trust, vote_shares
from errorfloor.checks.votes import plugin_bias, unanimity, votes_per_item
from errorfloor.checks.wording import wording_of
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Classes
from errorfloor.methods.rules.offsets import TOP1
from errorfloor.results.estimate import Estimate, VotesEstimate
from errorfloor.results.finding import Finding, Level

ENOUGH = 30  # items below which a share says little
FEW = 10  # labels of a class below which each of them decides
SPLIT = 0.001  # chance of a false alarm, at most
DISTINCT = 3  # kinds of votes, of which a total is no accident
NAMED = 4  # classes that a finding names
SURE = 12.0  # minus the logarithm of how often one order of columns may fit better by chance
AS_GOOD = 0.8  # of the best fit of any order, which the order as it is may miss
MOST_ROWS = 2**18  # which tell an order well enough
LEAST = 1e-6  # below which a score counts as this, so that its logarithm says something


def _soft(estimate: Estimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, SoftTable)
    p, words = table.probabilities, wording_of(estimate.measure)
    yield certainty(int(table.counts[p.max(axis=1) == 1].sum()), table.n, words)
    yield few_items(estimate)
    if len(table) == 1 and table.n >= ENOUGH:
        yield Finding(
            "Constant soft labels",
            ", ".join(f"{one:.4g}" for one in p[0][:NAMED]),
            "warn",
            f"All items have the same soft labels: the {words.limit} says nothing about the items "
            "unless every one truly has these probabilities.",
            "Check the columns of soft labels.",
        )
    yield _balance(table.counts @ p / table.n, table.classes, "The mean soft labels.")
    yield from vote_shares(np.unique(p), table.n, words)
    yield trust()


def _votes(estimate: Estimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, VoteTable)
    words = wording_of(estimate.measure)
    yield from _sum_of_others(table)
    yield from _too_split(table)
    yield few_items(estimate)
    yield from votes_per_item(table, words.limit)
    unanimous = table.votes.max(axis=1) == table.totals
    yield unanimity(float(table.counts[unanimous].sum() / table.n), words)
    share = table.counts @ (table.votes / table.totals[:, None]) / table.n
    yield _balance(share, table.classes, "Mean shares of the votes.")
    yield from _unseen(share == 0, table.classes, "votes", "note")
    if isinstance(estimate, VotesEstimate):
        yield from plugin_bias(estimate)


def _sum_of_others(table: VoteTable) -> Iterator[Finding]:
    """Find a column that is the sum of the others, which is no class."""
    total = (2 * table.votes == table.totals[:, None]).all(axis=0)
    if total.any() and len(table) >= DISTINCT and table.n >= ENOUGH:
        name = table.classes[int(np.argmax(total))]
        yield Finding(
            "A total among the classes",
            name,
            "refuted",
            f"On every item there are as many votes for {name} as for all others together: it is "
            "their total, not a class.",
            Sentence("Name the columns of the classes alone", aside("counts"), "."),
        )


def _too_split(table: VoteTable) -> Iterator[Finding]:
    """Find votes that differ more often than those of independent people, whatever the items."""
    from errorfloor.methods.votes.simplex import agreement_of  # SciPy's parts load slowly

    several = table.totals > 1
    n = int(table.counts[several].sum())
    guessing = 1 / len(table.classes)  # how often two votes on the hardest items agree
    agree = agreement_of(table.votes, table.counts)
    # Hoeffding's bound for a mean of numbers from 0 to 1.
    if table.entries is None and n and 2 * n * max(guessing - agree, 0) ** 2 > -np.log(SPLIT):
        yield Finding(
            "Misfit of votes",
            f"{per_cent(agree)} of pairs agree",
            "refuted",
            f"Two votes on an item agree less often than those of people who guess among "
            f"{len(table.classes)} classes ({per_cent(guessing)}): they are no independent votes.",
            "Look for people who see each other's votes, and for votes that were filled in or left "
            "out on purpose.",
        )


def _labels(estimate: Estimate) -> Iterator[Finding]:
    table = _scores_of(estimate)
    number = table.counts.sum(axis=0)
    largest = float(1 - number.max() / table.n)
    sentence = f"Always answering the largest class errs on {per_cent(largest)}."
    yield _balance(number / table.n, table.classes, sentence)
    yield from _unseen(number == 0, table.classes, "labels", "warn")
    few = [name for name, one in zip(table.classes, number, strict=True) if 0 < one < FEW]
    if few and table.n >= ENOUGH:
        yield Finding(
            "Few labels",
            f"{len(few):,} of {len(table.classes):,} classes",
            "note",
            f"Fewer than {FEW} labels are {_some(few)}: what any rule does with these hardly "
            f"moves the {estimate.measure.limit}, and its weight for them is a guess.",
        )


def _guessing(estimate: Estimate) -> Iterator[Finding]:
    table = _scores_of(estimate)
    number = table.counts.sum(axis=0)
    largest = float(1 - number.max() / table.n)
    if largest == 0:
        return
    gain = 1 - estimate.value / largest
    if _beyond(estimate, largest, table.n):
        yield Finding(
            "Worse than guessing",
            f"{per_cent(estimate.value)} against {per_cent(largest)}",
            "refuted",
            f"No floor is above the error of always answering the largest class, "
            f"{per_cent(largest)}: these scores are not what they are taken for.",
            "Weigh the classes by the method offsets.",
        )
        return
    sentence = (
        f"Compared with always answering the largest class, which errs on {per_cent(largest)}."
    )
    name = "Better than guessing"
    level: Level = "ok"
    if gain < 0.05:
        name = "Hardly better than guessing"
        level = "warn" if table.n >= 10 * ENOUGH else "note"
        sentence = (
            "By these scores hardly any rule errs less often than always answering the largest "
            "class. Either none does, or better scores would find a lower floor."
        )
    remedy = "Check the columns of scores." if level == "warn" else ""
    value = f"{per_cent(max(gain, 0.0), 1)} fewer errors"
    yield Finding(name, value, level, sentence, remedy)


def _beyond(estimate: Estimate, largest: float, n: int) -> bool:
    """Tell whether what a method takes from scores unchanged is above the error of guessing."""
    method = method_of(estimate)
    variance = largest * (1 - largest)
    if method is not None and method.name == TOP1.name:
        variance = min(estimate.value + largest, 1.0)  # where one of both rules errs, at most
    elif not as_they_are(method):
        return False
    return estimate.value > largest + 3 * sqrt(variance / n)


def _columns(estimate: Estimate) -> Iterator[Finding]:
    """Find columns of scores in another order than the classes."""
    table = _scores_of(estimate)
    number = table.counts.sum(axis=0)
    if len(table) < 2 or np.count_nonzero(number) < 2:
        return
    some = slice(None, None, -(-len(table) // MOST_ROWS))  # rows ascend, so these are spread out
    order, lead, noise = better_order(table.scores[some], table.counts[some])
    # Each of K! orders has its chance to look better.
    if order is None or lead <= noise * (2 * (SURE + lgamma(len(order) + 1))) ** 0.5:
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
        f"{_some(moved)}.",
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


def _balance(share: Floats, classes: Sequence[str], sentence: str) -> Finding:
    order = np.argsort(-share, kind="stable")
    shown = [f"{classes[k]} {per_cent(float(share[k]), 1)}" for k in order[:NAMED]]
    rest = len(classes) - len(shown)
    value = ", ".join(shown) + (f" and {rest} more" if rest else "")
    return Finding("Class balance", value, "ok", sentence)


def _unseen(
    unseen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    classes: Sequence[str],
    what: str,
    level: Level,
) -> Iterator[Finding]:
    names = [name for name, gone in zip(classes, unseen, strict=True) if gone]
    if names:
        yield Finding(
            f"Classes without {what}",
            f"{len(names):,} of {len(classes):,}",
            level,
            f"No {what} are {_some(names)}: the answer says nothing about these.",
            "Check the names of the classes." if level == "warn" else "",
        )


def _some(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _scores_of(estimate: Estimate) -> ScoreTable:
    assert isinstance(estimate.table, ScoreTable)
    return estimate.table


_check = partial(Check, classes=(Classes.MANY,))
_of_scores = partial(_check, kinds=(ScoreTable.kind,))
RECORDS = (
    _of_scores(
        name="order of columns",
        run=_columns,
        asks="Would the scores fit the labels far better in another order of the columns?",
        false_alarm=1e-4,
    ),
    _of_scores(
        name="labels of many classes",
        run=_labels,
        asks="Are there labels of all classes, and enough of each?",
    ),
    _of_scores(
        name="guessing among many classes",
        run=_guessing,
        asks="Does any rule by these scores err less often than answering the largest class?",
        of_errors=True,
        false_alarm=0.0014,
    ),
    _check(
        name="soft labels of many classes",
        kinds=(SoftTable.kind,),
        run=_soft,
        asks="Are soft labels of many classes hard ones, all the same, or shares of a few votes?",
    ),
    _check(
        name="votes for many classes",
        kinds=(VoteTable.kind,),
        run=_votes,
        asks="Are there enough votes per item, do they differ, and how far off are their shares?",
    ),
)
