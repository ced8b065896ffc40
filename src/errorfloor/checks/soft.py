"""What a statistician would ask about soft labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from errorfloor._checks import Sentence, function
from errorfloor._numbers import counted, per_cent
from errorfloor._typing import Bools, Floats
from errorfloor.checks.record import ANY, ENOUGH, Check, Wording, few_items, wording_of
from errorfloor.data.tables import SoftTable
from errorfloor.results.claim import Finding, Level
from errorfloor.results.estimate import Estimate

MOST_VOTES = 20  # shares of no more votes than this are recognised
NAMED = 4  # classes that a finding names
FEW_VOTES = 5  # shares of so many are far too extreme for probabilities


def _table(estimate: Estimate) -> SoftTable:
    assert isinstance(estimate.table, SoftTable)
    return estimate.table


def vote_shares(shares: Floats, n: int, words: Wording) -> Iterator[Finding]:
    """Recognise shares of a few votes, which are too extreme to be taken for probabilities."""
    if shares.size < 3 or n < max(2 * shares.size, ENOUGH):
        return
    for m in range(2, MOST_VOTES + 1):
        if np.abs(shares * m - np.round(shares * m)).max() < 1e-6:
            yield Finding(
                "Vote shares",
                f"multiples of 1/{m}",
                "warn" if m <= FEW_VOTES else "note",
                f"The values look like shares of {m} votes, or like a scale with {m} steps. Shares "
                f"of few votes make the {words.limit} too {words.too_good}.",
                Sentence(
                    "If they are such shares, pass the votes",
                    *(function("from_votes", is_aside=True), ", which corrects for that."),
                ),
            )
            return


def balance(share: Floats, classes: Sequence[str], sentence: str) -> Finding:
    """Say how common the classes are, the most common first."""
    order = np.argsort(-share, kind="stable")
    shown = [f"{classes[k]} {per_cent(float(share[k]), 1)}" for k in order[:NAMED]]
    rest = len(classes) - len(shown)
    value = ", ".join(shown) + (f" and {rest} more" if rest else "")
    return Finding("Class balance", value, "ok", sentence)


def unseen_classes(
    unseen: Bools,
    classes: Sequence[str],
    what: str,
    level: Level,
) -> Iterator[Finding]:
    """Name the classes without any labels or votes."""
    names = [name for name, gone in zip(classes, unseen, strict=True) if gone]
    if names:
        yield Finding(
            f"Classes without {what}",
            f"{len(names):,} of {len(classes):,}",
            level,
            f"There are no {what} for {some_of(names)}: the answer says nothing about these "
            "classes.",
            "Check the names of the classes." if level == "warn" else "",
        )


def some_of(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _all(estimate: Estimate) -> Iterator[Finding]:
    table = _table(estimate)
    p, words = table.probabilities, wording_of(estimate.measure)
    two = p.ndim == 1
    yield few_items(estimate)
    # Few items may well have the same probability.
    if len(table) == 1 and table.n >= ENOUGH:
        sentence = "All soft labels are equal" if two else "All items have the same soft labels"
        one = "this probability" if two else "these probabilities"
        yield Finding(
            "Constant soft labels",
            f"all {p[0]:.4g}" if two else ", ".join(f"{share:.4g}" for share in p[0][:NAMED]),
            "warn",
            f"{sentence}: the {words.limit} says nothing about the items unless every one truly "
            f"has {one}.",
            f"Check the column{'' if two else 's'} of soft labels.",
        )
    mean = table.items @ p / table.n
    if two:
        yield Finding(
            "Class balance",
            f"{per_cent(float(mean), 1)} positive",
            "ok",
            "The mean soft label, which is the share of class 1 to expect.",
        )
    else:
        yield balance(mean, table.classes, "The mean soft labels.")
    yield from vote_shares(np.unique(p), table.n, words)
    divided = None if estimate.source is None else estimate.source.facts.get("divided")
    if divided:
        yield Finding("Rounded probabilities", counted(divided, "item"), "note", rounded(divided))
    yield trust()


def rounded(number: int) -> str:
    """Say that probabilities were divided by their sum."""
    return (
        f"The probabilities of {counted(number, 'item')} add up to 1 but for the rounding of their "
        "decimals, and were divided by their sum."
    )


def trust() -> Finding:
    """Say what nobody can check."""
    return Finding(
        "Trust",
        "not checked",
        "note",
        Sentence(
            "Nothing here can tell whether the soft labels are true probabilities. With one true "
            "label per item they can be calibrated first",
            *(function("from_scores", is_aside=True), "."),
        ),
    )


def _certain(estimate: Estimate) -> Iterator[Finding]:
    table = _table(estimate)
    p = table.probabilities
    certain = (p == 0) | (p == 1) if p.ndim == 1 else p.max(axis=1) == 1
    found = certainty(int(table.items[certain].sum()), table.n, wording_of(estimate.measure))
    if certain.any() and found.level == "ok" and not estimate.measure.is_mean:
        found = replace(found, sentence="Items whose class is said to be certain.")
    yield found


def certainty(number: int, n: int, words: Wording) -> Finding:
    """Say how many soft labels claim certainty, and refute those that all do."""
    value = f"{counted(number, 'item')} ({per_cent(number / n, 1)})" if number else "none"
    level: Level = "note" if number > n / 2 else "ok"
    sentence = f"Items said to be certain add nothing to the {words.limit}."
    remedy = ""
    if number == 0:
        sentence = "No soft label claims certainty."
    if number == n and n >= ENOUGH:
        level = "refuted"
        sentence = (
            f"All soft labels are 0 or 1: these are hard labels, whose {words.limit} is "
            f"{words.best} by construction."
        )
        votes = function("from_votes", is_aside=True)
        remedy = Sentence("Pass probabilities, or votes", votes, ".")
    return Finding("Exact zeros and ones", value, level, sentence, remedy)


_check = partial(Check, kinds=(SoftTable.kind,), classes=ANY)
RECORDS = (
    _check(
        name="hard labels",
        run=_certain,
        asks="Are all soft labels 0 or 1?",
    ),
    _check(
        name="soft labels",
        run=_all,
        asks="Are there enough soft labels? Do they differ? Are they only vote shares, such as 2 "
        "of 3 votes?",
    ),
)
