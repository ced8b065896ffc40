"""What a statistician would ask about votes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from errorfloor._numbers import per_cent, points, points_of_size
from errorfloor.checks.record import Check
from errorfloor.checks.soft import few_items
from errorfloor.checks.wording import Wording, wording_of
from errorfloor.data.tables import VoteTable
from errorfloor.methods.votes.plugin import PLUGIN
from errorfloor.results.estimate import Estimate, VotesEstimate
from errorfloor.results.finding import Finding, Level

ENOUGH = 30  # items below which a share says little


def _votes(estimate: Estimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, VoteTable)
    words = wording_of(estimate.measure)
    yield few_items(estimate)
    yield from votes_per_item(table, words.limit)
    unanimous = (table.positives == 0) | (table.positives == table.totals)
    yield unanimity(float(table.counts[unanimous].sum() / table.n), words)
    positive = float(table.counts @ (table.positives / table.totals) / table.n)
    yield Finding(
        "Class balance", f"{per_cent(positive, 1)} positive", "ok", "Mean share of positive votes."
    )
    if isinstance(estimate, VotesEstimate):
        yield from plugin_bias(estimate)


def unanimity(share: float, words: Wording) -> Finding:
    """Say on how many items all votes agree."""
    return Finding(
        "Unanimous items",
        per_cent(share, 1),
        "note" if share == 1 else "ok",
        f"Nobody disagrees anywhere, so the votes show no {words.limit} {words.short}."
        if share == 1
        else "Items whose votes all agree.",
    )


def votes_per_item(table: VoteTable, limit: str) -> Iterator[Finding]:
    """Say whether there are enough votes on an item, and whether their numbers differ."""
    low, high = int(table.totals.min()), int(table.totals.max())
    mean = float(table.counts @ table.totals / table.n)
    value = f"{low:,}" if low == high else f"{low:,} to {high:,}, {mean:.1f} on average"
    level: Level = "ok"
    sentence = "Enough votes: what is still unsure comes mostly from the number of items."
    if high == 1:
        level = "warn" if table.n >= ENOUGH else "note"
        sentence = (
            "A single vote per item cannot disagree with itself: from these votes, items that "
            "everybody agrees on and coin flips look the same."
        )
    elif mean <= 3:
        level = "note"
        sentence = (
            f"So few votes leave a range of {limit}s open however many items there are. More votes "
            "per item close it, more items alone do not."
        )
    elif mean < 10:
        sentence = f"Some spread of {limit}s stays open, which the intervals of mixture contain."
    yield Finding("Votes per item", value, level, sentence)
    if low != high:
        yield Finding(
            "Unequal numbers of votes",
            f"{len(np.unique(table.totals)):,} different",
            "note",
            "Each item counts once, however many votes it has. Why the numbers differ is part of "
            "the question (totals_by).",
        )


def plugin_bias(estimate: VotesEstimate) -> Iterator[Finding]:
    """Say how far plain shares of votes are off."""
    if not estimate.measure.is_error:
        return
    if estimate.bias is not None:
        low, high = estimate.low, estimate.high
        width = high - low if low is not None and high is not None else 0.0
        serious = estimate.method == PLUGIN.name and -estimate.bias > max(width / 4, 1e-4)
        yield Finding(
            "Bias of vote shares",
            points(estimate.bias),
            "note" if serious else "ok",  # whoever asks for plain shares gets them
            "The plain shares of votes are too low by about this much on average, and the interval "
            "does not show it. Use method mixture."
            if serious
            else f"Plain shares of votes would have said {per_cent(estimate.plugin)}; on average "
            "they miss the floor by about this much.",
        )
    if estimate.bias_bound is not None:
        sentence = (
            "The paper's corollary 2, for any distribution whose floor is no higher than the model "
            "error that was given."
        )
        if estimate.bias_bound > estimate.value:
            sentence += " It exceeds the floor itself, so with these votes it tells nothing."
        value = points_of_size(estimate.bias_bound)
        yield Finding("Bound on that bias", value, "ok", sentence)


RECORDS = (
    Check(
        name="votes",
        kinds=(VoteTable.kind,),
        run=_votes,
        asks="Are there enough votes per item, do they differ, and how far off are their shares?",
    ),
)
