"""How far best values may be off where probabilities are known to lie in short ranges only.

Rows of a merged table stand for the middle of a range; an item may be anywhere in it. Two classes
only, as tables of more are never merged.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from errorfloor._typing import Counts, Floats

# From probabilities, the least and the largest that they may be, and counts.
Moved = Callable[[Floats, Floats, Floats, Counts], float]


def reach_of(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
    """Return how far items may be from their rows, on average."""
    return float(counts @ np.maximum(highs - p, p - lows) / counts.sum())


def moved_mean(per_item: Callable[[Floats], Floats], peak: float) -> Moved:
    """Return the answer for a mean of numbers that rise with p up to a peak and fall from there."""

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        here = per_item(p)
        inside = np.clip(peak, lows, highs)  # the peak itself, or an end
        away = [np.abs(per_item(place) - here) for place in (lows, highs, inside)]
        return float(counts @ np.max(away, axis=0) / counts.sum())

    return moved


def moved_ratio(excess: Callable[[Floats, Counts], float]) -> Moved:
    """Return the answer for AUC and balanced error with the mean as share of class 1.

    Both are u / 2 away from 1/2, with u a mean over two items, or of their distances from the mean,
    over 2 theta (1 - theta). Where items move by r on average, neither the one nor the other
    changes by more than 2 r, and u by no more than 2 r (1 + u) / (2 theta (1 - theta) - 2 r).
    """

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        reach = reach_of(p, lows, highs, counts)
        theta = float(counts @ p / counts.sum())
        least = 2 * theta * (1 - theta) - 2 * reach
        return 0.5 if least <= 0 else min(reach * (1 + excess(p, counts)) / least, 0.5)

    return moved


def moved_with_share(theta: float) -> Moved:
    """Return the answer for AUC with a known share of class 1: no pair changes by more."""

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        return min(reach_of(p, lows, highs, counts) / (theta * (1 - theta)), 0.5)

    return moved


def moved_f1(best: Callable[[Floats, Counts], float]) -> Moved:
    """Return the answer for F1, 2 right / (named + positive) of any set of items.

    Where items move by r on average, `right` and `positive` change by no more than r.
    """

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        reach = reach_of(p, lows, highs, counts)
        least = float(counts @ p / counts.sum()) - reach
        return 1.0 if least <= 0 else min(reach * (2 + best(p, counts)) / least, 1.0)

    return moved


def moved_selective(best: Callable[[Floats, Counts], float]) -> Moved:
    """Return the answer for a value that falls, or rises, with the least error of every item."""

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        ends = np.stack([np.minimum(end, 1 - end) for end in (lows, highs)])
        most = np.where((lows <= 0.5) & (highs >= 0.5), 0.5, ends.max(axis=0))
        # A probability below 1/2 is its own least error.
        here = best(p, counts)
        return max(abs(best(end, counts) - here) for end in (ends.min(axis=0), most))

    return moved
