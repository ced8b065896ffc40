"""Whether labels rise with scores: scores in reverse, and probabilities that fall somewhere."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errorfloor._numbers import p_equals, per_cent
from errorfloor._typing import Floats
from errorfloor.checks.record import Check, method_of
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Shape
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import Finding, Level

DEVIATIONS = 3  # of the area of scores that say nothing: one in 740 lies so far below 1/2
FALLING = 0.05  # error probability of the test of order, at most; measured 0.006
MATERIAL = 0.2  # share of the floor that falling probabilities must cost to refute it
BLOCKS = 100  # of equal mass, at most, that the test looks at


def area(table: ScoreTable) -> tuple[float, float]:
    """Return the area under the ROC curve, and its standard deviation for scores that say nothing.

    One class alone has no area; 1/2 stands for it.
    """
    before = np.cumsum(table.negatives) - table.negatives / 2
    pairs = int(table.positives.sum()) * int(table.negatives.sum())
    if pairs == 0:
        return 0.5, 0.0
    return float(table.positives @ before) / pairs, math.sqrt((table.n + 1) / (12 * pairs))


def has_both(table: ScoreTable) -> bool:
    """Tell whether there are scores and labels to put in relation."""
    return len(table) > 1 and bool(table.positives.any()) and bool(table.negatives.any())


@dataclass(frozen=True, slots=True)
class Order:
    """How far labels are from rising with the scores.

    Attributes
    ----------
    chance : float
        At most so likely is a fall as large as this one if the probabilities rise.
    gained : int
        How many errors fewer than the best cut makes a rule that also turns round where it pays.
    errors : int
        Of the best cut.
    """

    chance: float
    gained: int
    errors: int

    @classmethod
    def of(cls, table: ScoreTable) -> Order:
        """Compare the running number of positives with the convex curve below it.

        Where probabilities rise, the expected number is convex in the number of items, and a
        convex function added to the noise can only bring it nearer to the largest convex function
        below. So the largest distance is at most that of the noise, which is largest where the
        probabilities are all equal: then it is the range of a Brownian bridge at most, whose law
        is that of Kuiper's statistic.
        """
        ends = _ends(table)
        items = np.concatenate(([0.0], np.cumsum(table.items)[ends]))
        positives = np.concatenate(([0.0], np.cumsum(table.positives)[ends]))
        distance = float((positives - _convex_below(items, positives)).max())
        share = positives[-1] / items[-1]
        chance = _range_of_bridge_above(distance / math.sqrt(items[-1] * share * (1 - share)))
        walk = np.concatenate(([0], np.cumsum(table.positives - table.negatives)))
        cut = int(np.argmin(walk))
        left, right = walk[: cut + 1], walk[cut:]
        rise = (left - np.minimum.accumulate(left)).max()
        fall = (np.maximum.accumulate(right) - right).max()
        errors = int(table.negatives.sum() + walk[cut])
        return cls(chance, int(rise + fall), errors)


def _ends(table: ScoreTable) -> np.ndarray:
    """Return the last rows of blocks of about equal mass; rows are not divided."""
    if len(table) <= BLOCKS:
        return np.arange(len(table))
    total = np.cumsum(table.items)
    wanted = np.linspace(0, total[-1], BLOCKS + 1)[1:]
    ends = np.minimum(np.searchsorted(total, wanted), len(table) - 1)
    return np.unique(np.append(ends, len(table) - 1))


def _convex_below(x: Floats, y: Floats) -> Floats:
    """Return the largest convex function below the points, at each x."""
    kept: list[int] = []
    for i in range(x.size):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (y[b] - y[a]) * (x[i] - x[b]) < (y[i] - y[b]) * (x[b] - x[a]):
                break
            kept.pop()
        kept.append(i)
    return np.interp(x, x[kept], y[kept])


def _range_of_bridge_above(x: float) -> float:
    """Return how likely the range of a Brownian bridge is above x; 1 where that is likely."""
    if x < 1:
        return 1.0
    square = (np.arange(1.0, 10.0) * x) ** 2
    return float(2 * np.sum((4 * square - 1) * np.exp(-2 * square)))


def _order(estimate: Estimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, ScoreTable)
    if not has_both(table):
        return
    at, noise = area(table)
    method = method_of(estimate)
    shape = Shape.NONE if method is None else method.shape
    by_bins = shape is Shape.BINS
    if at < 0.5 - DEVIATIONS * noise:
        # Bins and curves may fall as well as rise, and find the same floor either way.
        yield _reversed(estimate, at, "warn" if by_bins or shape is Shape.CURVE else "refuted")
        return
    yield Finding(
        "Direction of scores",
        f"AUC {at:.3f}",
        "ok" if at > 0.5 + 2 * noise else "note",
        "Chance that a positive item scores above a negative one; 0.5 is no better than chance.",
    )
    order = Order.of(table)
    if order.chance >= FALLING:
        yield Finding(
            "Rising probabilities",
            "not refuted",
            "ok",
            "A probability that rises with the score fits the labels.",
        )
    else:
        yield _falling(order, by_bins)


def _reversed(estimate: Estimate, at: float, level: Level) -> Finding:
    source = estimate.source
    classes = None if source is None else source.facts.get("classes")
    other: tuple[str, ...] = () if classes is None else tuple(classes["0"])
    if len(other) == 1:
        typed = shlex.quote(other[0])
        turn = f"If class 1 is {other[0]}, say positive={other[0]!r} (--positive {typed}); else "
    else:
        turn = "If class 1 is the other label, name that one with positive (--positive); else "
    return Finding(
        "Reversed scores",
        f"AUC {at:.3f}",
        level,
        "The scores are in reverse: items with higher scores are positive less often "
        f"(AUC {at:.3f}).",
        f"{turn}turn the scores round, such as 1 - score.",
    )


def _falling(order: Order, by_bins: bool) -> Finding:
    less = order.gained / max(order.errors, 1)
    level: Level = "refuted" if less >= MATERIAL else "warn"
    costs = (
        f" A rule that turns round there errs {per_cent(less, 0)} less often than the best cut"
        if level == "refuted"
        else " It hardly changes which rule is best"
    )
    return Finding(
        "Falling probabilities",
        f"rising ones are refuted, {p_equals(order.chance)}",
        "note" if by_bins else level,
        f"Somewhere the probability falls as the score rises ({p_equals(order.chance)})."
        f"{costs}: the floor of the best cut is only an upper bound on the true one.",
        "Look at the reliability curve; hist-K, which needs no order, or better scores may find a "
        "lower floor.",
    )


ORDER = Check(
    name="order",
    kinds=(ScoreTable.kind,),
    run=_order,
    asks="Do labels rise with the scores, or are the scores in reverse or out of order?",
    false_alarm=0.05,
)
