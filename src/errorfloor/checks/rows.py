"""What only rows can tell: items left out or repeated, ids in place of scores, other labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import Style, counted, per_cent
from errorfloor.checks.record import ANY, Check
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import Finding, Level

ENOUGH = 30  # items below which one that is missing is a large share
# Numbers of equal items: that so many have a common divisor by chance is one in 2^29.
FEW_COUNTS = 30
FEW_CLUSTERS, FEW_EQUAL_CLUSTERS = 50, 15  # below which limits were not tried
MANY = 0.05  # a share of items left out from which on they matter


def _fact(estimate: Estimate, name: str) -> object:
    return None if estimate.source is None else estimate.source.facts.get(name)


def _ids(estimate: Estimate) -> Iterator[Finding]:
    column = _fact(estimate, "id_as_score")
    if column is not None:
        named = f" ({column})" if isinstance(column, str) else ""
        yield Finding(
            "Scores are row numbers",
            "an id",
            "refuted",
            f"The scores{named} are an id or a row number, which says nothing about the labels "
            "but how the rows are sorted.",
            Sentence("Name the column of scores", aside("score"), "."),
        )


def _missing(estimate: Estimate) -> Iterator[Finding]:
    if estimate.dropped:
        share = estimate.dropped / (estimate.n + estimate.dropped)
        number = f"{counted(estimate.dropped, 'item')} ({per_cent(share, 1)})"
        yield Finding(
            "Left out",
            number,
            "warn" if share > MANY and estimate.n >= ENOUGH else "note",
            f"Something was missing in {number}. If that has to do with how hard an item is, "
            f"the {estimate.measure.limit} is that of the others only.",
        )


def _repeated(estimate: Estimate) -> Iterator[Finding]:
    repeated = _fact(estimate, "repeated_items")
    if isinstance(repeated, int) and repeated and estimate.clusters is None:
        rows = "1 row repeats" if repeated == 1 else f"{repeated:,} rows repeat"
        yield Finding(
            "Repeated items",
            counted(repeated, "row"),
            "warn",
            f"{rows} an item that is there already. Repeated items count each time, and make the "
            "interval too narrow.",
            Sentence(
                "Keep one row per item, or name the column of items as their cluster",
                *(aside("cluster"), "."),
            ),
        )


def _clustered(estimate: Estimate) -> Iterator[Finding]:
    """Find that there are too few clusters for limits that hold as often as they say."""
    if estimate.clusters is None or estimate.interval is None:
        return
    assert estimate.table is not None
    entries = estimate.table.entries
    number = float(estimate.clusters) if entries is None else entries.effective_clusters
    few = estimate.clusters < FEW_CLUSTERS
    if few or number < FEW_EQUAL_CLUSTERS:
        much = f"{estimate.clusters:,}" if few else f"{estimate.clusters:,}, of unequal size"
        yield Finding(
            "Few clusters",
            much,
            "warn",
            f"There are {counted(estimate.clusters, 'cluster')}, worth {number:.0f} of equal size. "
            f"Limits were tried with {FEW_CLUSTERS} clusters or more, worth {FEW_EQUAL_CLUSTERS} "
            "of equal size or more; nobody vouches for these.",
            "Label items of more clusters.",
        )


def _heavy(estimate: Estimate) -> Iterator[Finding]:
    """Find that items heavier than any that was drawn may move the answer beyond its limits."""
    table = estimate.table
    if estimate.n_effective is None or estimate.interval is None or estimate.clusters is not None:
        return
    assert table is not None
    if table.entries is None:  # unlabelled items make labels worth more; ratings weigh elsewhere
        return
    share = table.entries.heavier_share
    least, most = estimate.measure.span(len(table.classes))
    moved = share * (most - least)
    if moved > (estimate.interval.high - estimate.interval.low) / 2:
        if estimate.evidence is not None:  # whose limits go on where the metric ends
            low, high = estimate.evidence.limits(estimate.interval.level)
            if moved <= (high - low) / 2:
                return
        yield Finding(
            "Heavy items",
            f"about {per_cent(share, 1)} of the weight not seen",
            "warn",
            "Few heavy items were drawn, and heavier ones may exist that were not: by how the "
            f"largest weights thin out, about {per_cent(share, 1)} of all weight. If such items "
            f"are easier or harder than the others, the {estimate.measure.limit} may lie outside "
            "the limits.",
            "Compare the sum of the weights with the size of the population, and label more of "
            "the heaviest items.",
        )


def _copied(estimate: Estimate) -> Iterator[Finding]:
    """Find that all numbers of equal items are multiples, as if each item were there so often."""
    table: Any = estimate.table
    if table.entries is not None:
        return  # copies are no news where clusters are given, and weights tell items apart
    head = table.counts[:FEW_COUNTS]
    if np.gcd.reduce(head, axis=None) == 1:  # only for speed: soon known, most of the time
        return
    counts = table.counts[table.counts > 0]
    if counts.size < FEW_COUNTS:
        return
    times = int(np.gcd.reduce(counts))
    if times > 1:
        yield Finding(
            "Copied items",
            f"each {times:,} times",
            "warn",
            f"The numbers of equal items are all multiples of {times:,}, as if each row were there "
            f"{times:,} times. Then the interval is too narrow.",
            "Keep one row per item.",
        )


def _merged(estimate: Estimate) -> Iterator[Finding]:
    if estimate.resolution is None:
        yield Finding(
            "Merged scores",
            "no bound",
            "note",
            "Neighbouring scores were merged to save memory, which makes this "
            f"{estimate.measure.limit} an approximation; isotonic's comes with a bound on what "
            "that does.",
        )
    elif estimate.resolution:
        style = Style(in_per_cent=estimate.measure.per_cent, unit=estimate.measure.unit)
        moved = f"{style.factor * estimate.resolution:.2g}{style.of_points}"
        yield Finding(
            "Merged scores",
            f"at most {moved}",
            "note",
            "Neighbouring scores were merged to save memory, which can have moved the "
            f"{estimate.measure.limit} by no more than this.",
        )


def _chosen(estimate: Estimate) -> Iterator[Finding]:
    """Say which class is which, where labels are words or ratings."""
    classes = _fact(estimate, "classes")
    if isinstance(classes, dict):
        ones, zeros = (", ".join(map(str, classes.get(name, ()))) for name in ("1", "0"))
        several = len(classes.get("0", ())) > 1 and len(classes.get("1", ())) == 1
        level: Level = "note" if several else "ok"
        sentence = "Each label is of one of the two classes."
        if several:
            sentence = f"The answer is for {ones} against the rest: {zeros}."
        yield Finding("Classes", f"class 1 = {ones}; class 0 = {zeros}", level, sentence)


def _gold(estimate: Estimate) -> Iterator[Finding]:
    column = _fact(estimate, "labels_beside_votes")
    if column is not None:
        limit = estimate.measure.limit
        yield Finding(
            "Votes beside labels",
            f"column {column}",
            "warn",
            f"There is a column {column} beside the votes, which was not used: the {limit} is for "
            f"{estimate.target}, not for that label, and the two can differ by a factor of 2 or 3.",
            Sentence(f"Ask about {column}", aside("label", column), f" for its {limit}."),
        )


IDS = Check(
    name="ids",
    kinds=(ScoreTable.kind,),
    run=_ids,
    asks="Is the column of scores an id, an index or a row number?",
)
RECORDS = (
    Check(name="classes by name", run=_chosen, asks="Which labels are class 1, which class 0?"),
    Check(
        name="votes beside labels",
        kinds=(VoteTable.kind,),
        classes=ANY,
        run=_gold,
        asks="Is there a column of labels beside the votes, so that either may be meant?",
    ),
    Check(name="left out", run=_missing, asks="Were many items left out?", classes=ANY),
    Check(name="repeated items", run=_repeated, asks="Do rows repeat an item?", classes=ANY),
    Check(name="few clusters", run=_clustered, asks="Are there enough clusters?", classes=ANY),
    Check(
        name="heavy items",
        run=_heavy,
        asks="Could an item with a larger weight than any in the sample change the answer?",
        classes=ANY,
    ),
    Check(
        name="copied items",
        kinds=(ScoreTable.kind, SoftTable.kind, VoteTable.kind),
        classes=ANY,
        run=_copied,
        asks="Does every row occur equally often, or a multiple of that, as if rows had been "
        "copied?",
    ),
    Check(name="merged scores", run=_merged, asks="Were neighbouring scores merged?"),
)
