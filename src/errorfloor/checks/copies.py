"""Whether items are copies of each other: equal or very close scores whose labels always agree."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import counted
from errorfloor._typing import Counts, Floats
from errorfloor.checks.record import Check
from errorfloor.data.tables import ScoreTable
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import Finding

LEAST_ROWS = 200  # different scores, fewer of which have no neighbours that are alike
MOST = 3  # items with one score that are looked at; more of them are a coarse scale
NEIGHBOURS = 5  # scores on either side that say how often labels differ around here
AROUND = 10  # gaps on either side that say how far scores are apart around here
CLOSE = 0.05  # share of such a gap below which two scores are very close
EXPECTED = 10.0  # labels that differ, on average, without which nothing is said
DEVIATIONS = 4.0  # one in 30,000 lies so far below


def _copies(estimate: Estimate) -> Iterator[Finding]:
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
    yield from _said("Equal", equal, differ[equal], _around(share, equal, equal))
    close = np.flatnonzero(_are_close(table.scores) & (items[:-1] == 1) & (items[1:] == 1))
    differ = np.abs(np.diff(share))[close]
    yield from _said("Close", close, differ, _around(share, close, close + 1))


def _are_close(scores: Floats) -> NDArray[np.bool_]:
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


def _said(
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
        "Equal": f"{counted(at.size, 'score')} occur in two or three items each",
        "Close": f"{counted(at.size, 'pair')} of scores are far closer than their neighbours",
    }
    yield Finding(
        f"{name} scores with equal labels",
        f"{found:,.0f} differ, about {wanted:,.0f} expected",
        "warn",
        f"{where[name]}. The labels of such items differ {found:,.0f} times; labels of "
        f"neighbouring items would differ about {wanted:,.0f} times. Many of these items seem to "
        "be copies of each other, and then the interval is too narrow.",
        Sentence(
            "Keep one row per item, or use a column that copies share as the cluster",
            *(aside("cluster"), "."),
        ),
    )


COPIES = Check(
    name="copies of items",
    kinds=(ScoreTable.kind,),
    run=_copies,
    asks="Do labels of items with equal or very close scores agree more often than chance allows?",
    false_alarm=0.0001,
)
