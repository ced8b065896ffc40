"""What only rows can tell: items left out, repeated or copied, ids, equal models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import Style, counted, per_cent, short
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.checks.record import ANY, ENOUGH, Check, Checked
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.data.values import times_copied
from errorfloor.results.claim import UNUSED, Finding, Level
from errorfloor.results.estimate import Estimate
from errorfloor.results.models import ModelComparison

# Clusters, and such of equal size, below which limits were not tried: of a floor, and of models.
FEW_CLUSTERS, FEW_EQUAL_CLUSTERS = 50, 15
FEW_OF_MODELS = 15, 15
MANY = 0.05  # a share of items left out from which on they matter


def _fact(result: Checked, name: str) -> Any:
    return None if result.source is None else result.source.facts.get(name)


def _subject(result: Checked) -> str:
    """Return what the answer is: a floor, a ceiling, or which model is better."""
    return "comparison" if isinstance(result, ModelComparison) else result.measure.limit


def _ids(estimate: Estimate) -> Iterator[Finding]:
    column = _fact(estimate, "id_as_score")
    if column is not None:
        named = f" ({column})" if isinstance(column, str) else ""
        yield Finding(
            "Scores are row numbers",
            "an id",
            "refuted",
            f"The scores{named} are an id or a row number, which says nothing about the labels "
            "except how the rows are sorted.",
            Sentence("Name the column of scores", aside("score"), "."),
        )


def _missing(estimate: Checked) -> Iterator[Finding]:
    rows = _fact(estimate, "missing_in_rows")
    if rows is not None and estimate.group is None:
        share = rows["missing"] / rows["rows"]
        number = f"{rows['missing']:,} of {counted(rows['rows'], rows['what'])}"
        yield Finding(
            "Votes left out" if rows["what"] == "vote" else "Ratings left out",
            f"{number} ({per_cent(share, 1)})",
            "warn" if share > MANY and estimate.n >= ENOUGH else "note",
            f"Something was missing in {number} ({per_cent(share, 1)}). If people gave no "
            f"{rows['what']} where they were unsure, the {_subject(estimate)} may be too "
            "optimistic.",
        )
    if estimate.dropped:
        share = estimate.dropped / (estimate.n + estimate.dropped)
        number = f"{counted(estimate.dropped, 'item')} ({per_cent(share, 1)})"
        yield Finding(
            "Left out",
            number,
            "warn" if share > MANY and estimate.n >= ENOUGH else "note",
            f"Something was missing in {number}. If such items are harder or easier than others, "
            f"the {_subject(estimate)} is that of the other items only.",
        )
    if isinstance(estimate, Estimate) and estimate.n_unused:
        unused = counted(estimate.n_unused, "item")
        only = "for metrics other than the error only labelled items are used"
        if estimate.measure.is_error:
            only = f"the method {estimate.method} uses labelled items only"
        yield Finding(
            UNUSED,
            unused,
            "note",
            f"The scores of {unused} without a label have no part in this answer: {only}.",
        )


def _repeated(estimate: Checked) -> Iterator[Finding]:
    repeated = _fact(estimate, "repeated_items")
    if isinstance(repeated, int) and repeated and estimate.clusters is None:
        rows = "1 row repeats" if repeated == 1 else f"{repeated:,} rows repeat"
        yield Finding(
            "Repeated items",
            counted(repeated, "row"),
            "warn",
            f"{rows} an item of an earlier row. Repeated items count each time, and make the "
            "interval too narrow.",
            Sentence(
                "Keep one row per item, or name the column of item ids as the cluster",
                *(aside("cluster"), "."),
            ),
        )


def _beside(estimate: Checked) -> Iterator[Finding]:
    """Find columns that are called as weights or clusters are, hold such, and were not used."""
    weights = _fact(estimate, "weight_beside")
    if weights is not None:
        column, least, most = weights
        yield Finding(
            "Weights that were not used",
            str(column),
            "warn",
            f"Column {column!r} has numbers from {short(least)} to {short(most)} "
            "and was not used: each item counts the same. If it says how many items of the "
            f"population each item stands for, this {_subject(estimate)} holds for these items and "
            "not for the population.",
            Sentence("Then name the column", aside("weight", column), "."),
        )
    together = _fact(estimate, "cluster_beside")
    if together is not None and estimate.clusters is None:
        column, repeated = together
        yield Finding(
            "Items that may belong together",
            str(column),
            "warn",
            f"In {counted(repeated, 'row')} column {column!r} repeats the value of an earlier row. "
            "If these items belong together, as images of one patient do, the interval is too "
            "narrow.",
            Sentence("Then name the column", aside("cluster", column), "."),
        )


def _clustered(estimate: Checked) -> Iterator[Finding]:
    """Find that there are too few clusters for limits that hold as often as they say."""
    if estimate.clusters is None:
        return
    least, least_equal = FEW_CLUSTERS, FEW_EQUAL_CLUSTERS
    if isinstance(estimate, ModelComparison):
        least, least_equal = FEW_OF_MODELS
        number = float(_fact(estimate, "effective_clusters"))
    elif estimate.interval is None:
        return
    else:
        assert estimate.table is not None
        entries = estimate.table.entries
        number = float(estimate.clusters) if entries is None else entries.effective_clusters
    few = estimate.clusters < least
    if few or number < least_equal:
        there = counted(estimate.clusters, "cluster")
        if few:
            much = f"{estimate.clusters:,}"
            what = f"there {'is' if estimate.clusters == 1 else 'are'} only {there}, and they were "
            what += f"tested with {least} or more"
        else:
            much = f"{estimate.clusters:,}, of unequal size"
            what = f"the {there} are of such unequal size that they count as {number:.0f}, and "
            what += f"limits were tested where they count as {least_equal} or more"
        yield Finding(
            "Few clusters",
            much,
            "warn",
            f"The limits may be too narrow: {what}.",
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
            "Few items with large weights were drawn, and items with even larger weights may be "
            f"missing: about {per_cent(share, 1)} of all weight, judging by the largest weights "
            "here. If such items are easier or harder than the others, the "
            f"{estimate.measure.limit} may lie outside the limits.",
            "Compare the sum of the weights with the size of the population, and label more of "
            "the heaviest items.",
        )


def _copied(estimate: Checked) -> Iterator[Finding]:
    """Find that all numbers of equal items are multiples, as if each item were there so often."""
    if isinstance(estimate, ModelComparison):
        times = int(_fact(estimate, "times_copied") or 1)
    else:
        table: Any = estimate.table
        # Copies are no news where clusters are given, and weights tell items apart.
        times = 1 if table.entries is not None else times_copied(table.counts)
    if times > 1:
        yield Finding(
            "Copied items",
            f"each {times:,} times",
            "warn",
            f"The number of times that each item occurs is a multiple of {times:,}, as if each row "
            "had been copied. If so, the interval is too narrow.",
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


def _chosen(estimate: Checked) -> Iterator[Finding]:
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
            "Votes next to labels",
            f"column {column}",
            "warn",
            f"Column {column!r} was not used: the {limit} is for "
            f"{estimate.target}, not for that label, and the two can differ by a factor of 2 or 3.",
            Sentence(
                f"If {column!r} is by somebody who had not seen these votes, use it as the label",
                *(aside("label", column), ". If it is a majority vote of several people, ask for "),
                *("the floor of such majorities", aside("majority"), "."),
            ),
        )


# Rows of models that are compared.


def _only_label(result: ModelComparison) -> Iterator[Finding]:
    label = _fact(result, "only_label")
    if label is not None:
        yield Finding(
            "One class of labels",
            str(label),
            "warn",
            f"All labels are {label}: a model that always answers {label} would be perfect here. "
            "How models do on other classes cannot be seen.",
            "Compare models on items of all classes.",
        )


def _equal_models(result: ModelComparison) -> Iterator[Finding]:
    pairs = _fact(result, "equal_models") or ()
    for first, second in pairs:
        yield Finding(
            "Equal models",
            f"{first} and {second}",
            "note",
            f"{first} and {second} give the same answer for every item.",
            "Check that the two columns are of different models.",
        )


def _matched_by_order(result: ModelComparison) -> Iterator[Finding]:
    if _fact(result, "other_ids"):
        yield Finding(
            "Rows matched by order",
            "no id in common",
            "warn",
            "The files have no id in common. Their labels are the same in the same order, so rows "
            "with the same number are treated as the same item.",
            "Give each item the same id in all files.",
        )


# Copies among scores: equal or very close ones whose labels always agree.

LEAST_ROWS = 200  # different scores, fewer of which have no neighbours that are alike
MOST = 3  # items with one score that are looked at; more of them are a coarse scale
NEIGHBOURS = 5  # scores on either side that say how often labels differ around here
AROUND = 10  # gaps on either side that say how far scores are apart around here
CLOSE = 0.05  # share of such a gap below which two scores are very close
EXPECTED = 10.0  # labels that differ, on average, below which there is no finding
DEVIATIONS = 4.0  # one in 30,000 lies so far below


def _close_copies(estimate: Estimate) -> Iterator[Finding]:
    """Compare how often labels differ among close items, and among those next to them.

    Labels of different items are independent given their scores, so it makes no difference how
    close two scores are. Copies have one label, however it came about.
    """
    table = estimate.table
    assert isinstance(table, ScoreTable)
    if len(table) < LEAST_ROWS or table.entries is not None or table.coarse.any():
        return
    items, share = table.items, table.positives / table.items
    equal = np.flatnonzero((items > 1) & (items <= MOST))
    differ = 2 * table.positives * table.negatives / np.maximum(items * (items - 1), 1)
    yield from _compared("Equal", equal, differ[equal], _around(share, equal, equal))
    close = np.flatnonzero(_are_close(table.scores) & (items[:-1] == 1) & (items[1:] == 1))
    differ = np.abs(np.diff(share))[close]
    yield from _compared("Close", close, differ, _around(share, close, close + 1))


def _are_close(scores: Floats) -> Bools:
    """Tell which scores are far closer to the next than their neighbours are to each other."""
    last = np.arange(scores.size - 1)
    low, high = np.maximum(last - AROUND, 0), np.minimum(last + AROUND + 1, scores.size - 1)
    return np.asarray(np.diff(scores) < CLOSE * (scores[high] - scores[low]) / (high - low))


def _around(share: Floats, first: Counts, last: Counts) -> tuple[Floats, Floats]:
    """Return how often labels of two of the scores on either side differ, and their mean."""
    low = np.maximum(first - NEIGHBOURS, 0)
    high = np.minimum(last + NEIGHBOURS, share.size - 1)
    number = high - low - (last - first)

    def summed(values: Floats) -> Floats:
        total = np.concatenate(([0.0], np.cumsum(values)))
        return np.asarray(total[high + 1] - total[low] - total[last + 1] + total[first])

    sums, squares = summed(share), summed(share**2)
    pairs = number * (number - 1)
    differ = 2 * ((number - 1) * sums - sums**2 + squares) / pairs
    return np.clip(differ, 0, 1), np.clip(sums / number, 0, 1)


def _compared(
    name: str, at: Counts, differ: Floats, around: tuple[Floats, Floats]
) -> Iterator[Finding]:
    expected, mean = around
    if expected.sum() < EXPECTED:
        return
    # That of the labels themselves, and that of their neighbours, which the expectation is from.
    variance = expected * (1 - expected) + 4 * mean * (1 - mean) * (1 - 2 * mean) ** 2
    found, wanted = float(differ.sum()), float(expected.sum())
    if found - wanted >= -DEVIATIONS * math.sqrt(float(variance.sum())):
        return
    where = {
        "Equal": f"{counted(at.size, 'score')} are shared by two or three items",
        "Close": f"{counted(at.size, 'pair')} of scores are far closer than their neighbours",
    }
    yield Finding(
        f"{name} scores with equal labels",
        f"{found:,.0f} differ, about {wanted:,.0f} expected",
        "warn",
        f"{where[name]}. The labels of such items differ {found:,.0f} times; if all were "
        f"separate, about {wanted:,.0f} times would be expected. Many of these items seem to be "
        "copies of each other. If they are, the interval is too narrow.",
        Sentence(
            "Keep one row per item, or use a column with the same value for all copies as the "
            "cluster",
            *(aside("cluster"), "."),
        ),
    )


_of_all = partial(Check, results=(Estimate, ModelComparison))
_of_any_classes = partial(_of_all, classes=ANY)
IDS = Check(
    name="ids",
    kinds=(ScoreTable.kind,),
    run=_ids,
    asks="Is the column of scores an id, an index or a row number?",
)
RECORDS = (
    Check(
        name="copies of items",
        kinds=(ScoreTable.kind,),
        run=_close_copies,
        asks="Do items with almost the same score have the same label more often than by chance?",
        false_alarm=0.0001,
    ),
    _of_all(
        name="classes by name",
        run=_chosen,
        asks="Which labels are class 1, which class 0?",
    ),
    Check(
        name="votes next to labels",
        kinds=(VoteTable.kind,),
        classes=ANY,
        run=_gold,
        asks="Is there also a column of labels, so that it is unclear which of both is meant?",
    ),
    _of_any_classes(name="left out", run=_missing, asks="Were many items left out?"),
    _of_any_classes(name="repeated items", run=_repeated, asks="Do rows repeat an item?"),
    _of_any_classes(
        name="weights and clusters that were not used",
        run=_beside,
        asks="Is there an unused column called patient, subject or cluster whose values repeat? Or "
        "one called sample_weight or similar, with positive numbers that are not all equal?",
    ),
    _of_any_classes(name="few clusters", run=_clustered, asks="Are there enough clusters?"),
    Check(
        name="heavy items",
        run=_heavy,
        asks="Could an item with a larger weight than any in the sample change the answer?",
        classes=ANY,
    ),
    _of_any_classes(
        name="copied items",
        kinds=(ScoreTable.kind, SoftTable.kind, VoteTable.kind),
        run=_copied,
        asks="Does every row occur twice, three times or more, as if rows had been copied?",
    ),
    Check(name="merged scores", run=_merged, asks="Were neighbouring scores merged?"),
)
_of_models = partial(Check, results=(ModelComparison,))
MODELS = (
    _of_models(
        name="rows matched by order",
        run=_matched_by_order,
        asks="If each model has its own file, do the files use different ids for the same items?",
    ),
    _of_models(name="one class of labels", run=_only_label, asks="Are all labels the same?"),
    _of_models(name="equal models", run=_equal_models, asks="Do two models give the same answers?"),
)
