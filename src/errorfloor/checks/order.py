"""Whether labels rise with scores: scores in reverse, and probabilities that fall somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import p_equals, per_cent
from errorfloor._typing import Counts, Floats
from errorfloor.checks.record import Check, wording_of
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Shape
from errorfloor.results.claim import Finding, Level
from errorfloor.results.estimate import Estimate, method_of

DEVIATIONS = 3  # of the area of scores that say nothing: one in 740 lies so far below 1/2
FALLING = 0.05  # error probability of the test of order, at most; measured 0.006
MATERIAL = 0.2  # share of the floor that falling probabilities must cost to refute it
_SMALL = 2**31  # items of which all pairs can be counted by whole numbers
BLOCKS = 100  # of equal mass, at most, that the test looks at


def area(table: ScoreTable) -> tuple[float, float]:
    """Return the area under the ROC curve, and its standard deviation for scores that say nothing.

    One class alone has no area; 1/2 stands for it.
    """
    return _area(table, np.cumsum(table.negatives))


def _area(table: ScoreTable, negatives: Counts) -> tuple[float, float]:
    """Do the same with the running number of negatives at hand."""
    pairs = (table.n - float(negatives[-1])) * float(negatives[-1])
    if pairs == 0:
        return 0.5, 0.0
    ones = table.positives if table.n < _SMALL else table.positives.astype(np.float64)
    ties = float(ones @ table.negatives)
    above = float(ones @ negatives) - ties / 2
    return above / pairs, math.sqrt((table.n + 1) / (12 * pairs))


def has_both(table: ScoreTable) -> bool:
    """Tell whether there are scores and labels to put in relation."""
    return len(table) > 1 and bool(table.positives.any()) and bool(table.negatives.any())


def chance_of_order(negatives: Counts, positives: Counts) -> float:
    """Return how likely labels fall as far as these do, at most, if probabilities rise.

    Of the running numbers of both labels, that of positives is compared with the convex curve
    below it. Where probabilities rise, the expected number is convex in the number of items, and a
    convex function added to noise can only bring it nearer to the largest convex function below.
    So the largest distance is at most that of the noise, which is largest where the
    probabilities are all equal: then it is the range of a Brownian bridge at most, whose law is
    that of Kuiper's statistic.
    """
    ends = _ends(negatives, positives)
    ones = np.concatenate(([0], positives[ends])).astype(np.float64)
    items = np.concatenate(([0], negatives[ends])) + ones
    distance = float((ones - _convex_below(items, ones)).max())
    share = ones[-1] / items[-1]
    return _range_of_bridge_above(distance / math.sqrt(items[-1] * share * (1 - share)))


def errors_saved(table: ScoreTable) -> tuple[int, int]:
    """Return how many errors less than the best cut makes a rule that turns round where it pays.

    And the errors of the best cut.
    """
    walk = np.concatenate(([0], np.cumsum(table.positives - table.negatives)))
    cut = int(np.argmin(walk))
    left, right = walk[: cut + 1], walk[cut:]
    rise = (left - np.minimum.accumulate(left)).max()
    fall = (np.maximum.accumulate(right) - right).max()
    return int(rise + fall), int(table.negatives.sum() + walk[cut])


def _ends(negatives: Counts, positives: Counts) -> NDArray[np.intp]:
    """Return the last rows of blocks of about equal mass; rows are not divided."""
    rows = negatives.size
    if rows <= BLOCKS:
        return np.arange(rows)
    total = negatives + positives
    wanted = np.linspace(0, total[-1], BLOCKS + 1)[1:]
    return np.unique(np.append(np.minimum(np.searchsorted(total, wanted), rows - 1), rows - 1))


def _convex_below(x: Floats, y: Floats) -> Floats:
    """Return the largest convex function below the points, at each x."""
    kept: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        while len(kept) > 1:
            (xa, ya), (xb, yb) = kept[-2:]
            if (yb - ya) * (point[0] - xb) < (point[1] - yb) * (xb - xa):
                break
            kept.pop()
        kept.append(point)
    at, values = zip(*kept, strict=True)
    return np.asarray(np.interp(x, at, values))


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
    negatives, positives = np.cumsum(table.negatives), np.cumsum(table.positives)
    at, noise = _area(table, negatives)
    together = None if table.entries is None else table.entries.cluster
    if table.entries is not None and together is not None:
        # As if items of a cluster were copies of each other, which they are at worst.
        noise *= math.sqrt(table.n / table.entries.effective_clusters)
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
    if together is not None:
        return  # the law of what follows is that of items that stand alone
    chance = chance_of_order(negatives, positives)
    if chance >= FALLING:
        yield Finding(
            "Rising probabilities",
            "not refuted",
            "ok",
            "A probability that rises with the score fits the labels.",
        )
    else:
        yield _falling(table, chance, by_bins, estimate)


def _reversed(estimate: Estimate, at: float, level: Level) -> Finding:
    source = estimate.source
    classes = None if source is None else source.facts.get("classes")
    other: tuple[str, ...] = tuple(classes["0"]) if isinstance(classes, dict) else ()
    if len(other) == 1:
        turn = Sentence(f"If class 1 is {other[0]}, choose it", aside("positive", other[0]))
    else:
        turn = Sentence("If class 1 is the other label, choose that one", aside("positive"))
    return Finding(
        "Reversed scores",
        f"AUC {at:.3f}",
        level,
        "The scores are reversed: items with higher scores are positive less often "
        f"(AUC {at:.3f}).",
        Sentence(turn, "; otherwise reverse the scores, for example by 1 - score."),
    )


def _falling(table: ScoreTable, chance: float, by_bins: bool, estimate: Estimate) -> Finding:
    claim, words = estimate.claim, wording_of(estimate.measure)
    saved, errors = errors_saved(table)
    less = saved / max(errors, 1)
    costs = (
        f" A rule that switches there makes {per_cent(less, 0)} fewer errors than any threshold"
        if less >= MATERIAL
        else " It hardly changes which rule is best"
    )
    # A bound by the best cut needs no order; a floor does.
    bounds = not claim.any_model and claim.limits != "none"
    level: Level = "refuted" if less >= MATERIAL and not bounds else "warn"
    return Finding(
        "Falling probabilities",
        f"rising ones are refuted, {p_equals(chance)}",
        "note" if by_bins else level,
        f"Somewhere the probability falls as the score rises ({p_equals(chance)})."
        f"{costs}: the {words.limit} of the best threshold is only {words.bound} on the true one.",
        "Look at the reliability curve; hist-K, which needs no order, or better scores may find a "
        f"{words.better} {words.limit}.",
    )


ORDER = Check(
    name="order",
    kinds=(ScoreTable.kind,),
    run=_order,
    asks="Is class 1 more frequent at higher scores, or are the scores reversed or out of order?",
    false_alarm=0.05,
    any_sample=True,  # weights change who is asked, not whether labels rise with the scores
)
