"""What a statistician would ask about ratings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from errorfloor._checks import Sentence, aside
from errorfloor.checks.record import Check
from errorfloor.data.naming import no_answers
from errorfloor.data.tables import RatingTable
from errorfloor.metrics.variances import RATIO
from errorfloor.results.claim import Finding

A_THIRD = 1 / 3  # of the variance between items that one of them may make
FEW_RATERS = 3
_MOST_STEPS = 1000  # of a scale on which such numbers are looked for


def _signal(estimate: Any) -> Iterator[Finding]:
    if estimate.measure.how.of != RATIO or estimate.interval is None:
        return
    if estimate.has_signal:
        yield Finding(
            "Signal", f"ICC {estimate.icc:.2f}", "ok", "Items differ more than by chance."
        )
        return
    if estimate.may_have_signal:
        yield Finding(
            "Signal",
            "not shown",
            "warn",
            f"{estimate.too_few} too few to show that ratings of one item are more alike than "
            "those of different items.",
            "Have more people rate these items."
            if estimate.raters_limit
            else "Have more items rated.",
        )
        return
    yield Finding(
        "Signal",
        "none",
        "warn",
        "No signal: as far as these items can show, people's ratings of one item are no more "
        "alike than their ratings of different items.",
        "Check that each rating stands next to the right item, or have more items rated.",
    )


def _codes(estimate: Any) -> Iterator[Finding]:
    """Find numbers that stand for no rating, such as 99 next to 1 to 7."""
    values = np.unique(estimate.table.values)
    found = no_answers([f"{one:g}" for one in values]) if values.size <= _MOST_STEPS else []
    if found:
        named = ", ".join(found)
        yield Finding(
            "Numbers that are no rating",
            named,
            "warn",
            f"{named} is used as a rating, although it is far from all others.",
            Sentence("If it means no rating, leave it out", aside("missing", ",".join(found)), "."),
        )


def _agreement(estimate: Any) -> Iterator[Finding]:
    if estimate.noise == 0 and estimate.ratings:
        yield Finding(
            "Disagreement",
            "none",
            "warn",
            "On every item all ratings agree. If people could see each other's ratings, or one "
            "rating was copied, this says nothing about how well they agree on their own.",
            "Check that ratings were given independently.",
        )


def _outlier(estimate: Any) -> Iterator[Finding]:
    """Find that a single item makes much of the variance between items."""
    table: RatingTable = estimate.table
    item = np.repeat(np.arange(len(table)), table.sizes)
    means = np.bincount(item, table.values) / table.sizes
    mass = table.counts if table.weights is None else table.counts * table.weights
    off = (means - float(mass @ means) / float(mass.sum())) ** 2
    whole = float(mass @ off)
    each = off if table.weights is None else off * table.weights
    share = float(each.max()) / whole if whole > 0 else 0.0
    if share > A_THIRD and table.n > 4:
        where = float(means[int(np.argmax(each))])
        yield Finding(
            "One item",
            f"{100 * share:.0f} % of the variance",
            "warn",
            f"A single item, with a mean rating of {where:g}, makes up {100 * share:.0f} % of the "
            "variance between items. Other such items may exist that nobody rated, so the limits "
            "are too narrow.",
            "Check the item; where ratings span orders of magnitude, take their logarithms.",
        )


def _raters(estimate: Any) -> Iterator[Finding]:
    if estimate.raters is not None and estimate.raters < FEW_RATERS:
        yield Finding(
            "Raters",
            f"{estimate.raters}",
            "warn",
            f"The answer is for these {estimate.raters} raters. An answer for other raters needs "
            f"ratings by at least {FEW_RATERS} raters.",
            "Have some items rated by other people.",
        )
    elif estimate.raters is not None:
        text = "The raters are treated as a random sample; the answer is for one more like them."
        yield Finding("Raters", f"{estimate.raters:,}", "ok", text)


def _columns(estimate: Any) -> Iterator[Finding]:
    """Find that columns of ratings differ, where they were not said to be raters."""
    fact = estimate.columns_differ
    if fact is not None:
        yield Finding(
            "Columns differ",
            str(fact),
            "warn",
            "The columns of ratings differ by more than chance. This happens where each column is "
            "one rater, or where the ratings of a row are sorted. If each column is a rater who "
            "rated many items, the limits are too narrow, and the value may be too low.",
            Sentence("If each column is one rater, say so", aside("rater", True, "--shared"), "."),
        )


def _singles(estimate: Any) -> Iterator[Finding]:
    table: RatingTable = estimate.table
    ones = int(table.counts @ (table.sizes == 1))
    if ones == 0:
        return
    left = estimate.interval is not None and estimate.interval.method == "certified"
    what = (
        "They are left out by the certified limits."
        if left
        else "They are assumed to be as noisy as the others."
    )
    yield Finding(
        "Items with one rating",
        f"{ones:,} of {table.n:,}",
        "note",
        f"{ones:,} of {table.n:,} items have only one rating, which says nothing about noise. "
        f"{what}",
    )


_check = partial(Check, kinds=(RatingTable.kind,))
RECORDS = (
    _check(
        name="numbers that are no rating",
        run=_codes,
        asks="Is a number such as 99 or -9 far from all other ratings?",
    ),
    _check(name="signal", run=_signal, asks="Do items differ more than by chance?"),
    _check(
        name="no disagreement",
        run=_agreement,
        asks="Do people ever disagree on an item?",
    ),
    _check(
        name="one item",
        run=_outlier,
        asks="Does a single item make up a third of the variance between items?",
    ),
    _check(
        name="few shared raters",
        run=_raters,
        asks="Are there at least three raters who rated the same items?",
    ),
    _check(
        name="columns differ",
        run=_columns,
        asks="Do columns of ratings look like different raters, although you did not name them as "
        "raters?",
        false_alarm=0.001,
        any_sample=True,
    ),
    _check(
        name="single ratings",
        run=_singles,
        asks="How many items have only one rating?",
    ),
)
