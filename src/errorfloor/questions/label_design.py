"""Which items to label: how probable each is to be chosen, and how wide the interval will be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.intervals.honest import of_fit
from errorfloor.methods.prediction_powered import PoweredCut

FLOOR = 0.25  # of the mean, below which no item's standard deviation counts
CELLS = 1024  # of items with neighbouring scores, in which expected labels are drawn
SMOOTH = 0.05  # standard deviation of the smoothing, in shares of the items
DRAWS = 24  # of expected labels
LEAST = 1e-3  # of probabilities, so that all have a logit


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Cells of items with neighbouring scores, ascending, and what is known of each."""

    cell: Counts  # of each item
    items: Counts
    prob: Floats  # of class 1

    @property
    def spread(self) -> Floats:
        """Standard deviation of a label, raised where it is next to nothing."""
        own = np.sqrt(self.prob * (1 - self.prob))
        mean = float(self.items @ own) / float(self.items.sum())
        return np.asarray(np.maximum(own, FLOOR * mean) if mean > 0 else np.ones(own.size))

    @property
    def floor(self) -> float:
        """The floor that the probabilities have."""
        return mean_floor(self.prob, self.items)

    def chances(self, budget: float, open_: Counts, *, by_score: bool = True) -> Floats:
        """Return the probability of each cell's unlabelled items to be chosen, `budget` in all.

        `open_` is the number of unlabelled items of each cell.
        """
        size = self.spread if by_score else np.ones(self.items.size)
        sure = np.zeros(size.size, dtype=np.bool_)
        for _ in range(size.size):  # who would be chosen more than once is chosen
            rest = budget - float(open_[sure].sum())
            scale = rest / max(float(open_[~sure] @ size[~sure]), 1e-300)
            more = ~sure & (scale * size > 1)
            if not more.any():
                break
            sure |= more
        return np.asarray(np.where(sure, 1.0, np.minimum(scale * size, 1.0)))

    def width(self, chance: Floats, level: float, rng: np.random.Generator) -> float:
        """Return the mean width of the interval where items are labelled with these chances."""
        return float(np.mean([self._one_width(chance, level, rng) for _ in range(DRAWS)]))

    def _one_width(self, chance: Floats, level: float, rng: np.random.Generator) -> float:
        labelled = rng.binomial(self.items, np.minimum(chance, 1.0))
        ones = rng.binomial(labelled, self.prob)
        count = np.column_stack((ones, labelled - ones)).ravel()
        at = np.flatnonzero(count)
        if at.size == 0:
            return 0.5
        cells = Sample(
            np.arange(self.items.size, dtype=np.float64),
            at // 2,
            1 - at % 2,
            count[at],
            (1 / chance)[at // 2],
            unlabelled=self.items - labelled,
        )
        low, high = of_fit(PoweredCut(cells, lambda _: rng)).limits(level)
        return min(high, 0.5) - low


def scored(scores: Floats, labels: Floats, floor: float | None) -> Scored:
    """Return cells of items, with probabilities from the scores or, with a floor, from labels.

    `labels` are 0, 1 or NaN. Probabilities from labels are an isotonic fit, smoothed, and made as
    sharp as the floor says: the fit itself is too sharp by what it learnt by heart.
    """
    _, place, number = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(number) - number / 2) / scores.size
    group = np.unique((rank * CELLS).astype(np.int64), return_inverse=True)[1]
    cell = group[place]
    items = np.bincount(cell)
    if floor is None:
        prob = np.bincount(cell, scores) / items
        return Scored(cell, items, np.clip(prob, 0, 1))
    known = ~np.isnan(labels)
    prob = _fitted(cell[known], labels[known], items)
    return Scored(cell, items, _sharpened(prob, items, floor))


def _fitted(cell: Counts, labels: Floats, items: Counts) -> Floats:
    """Return a smoothed isotonic fit at each cell."""
    from scipy.optimize import isotonic_regression

    total = np.bincount(cell, minlength=items.size)
    ones = np.bincount(cell, labels, minlength=items.size)
    there = np.flatnonzero(total)
    fitted = isotonic_regression(ones[there] / total[there], weights=total[there]).x
    rank = (np.cumsum(items) - items / 2) / items.sum()
    line = np.interp(rank, rank[there], fitted)
    near = np.exp(-0.5 * ((rank[:, None] - rank) / SMOOTH) ** 2) * items
    return np.asarray(near @ line / near.sum(axis=1))


def _sharpened(prob: Floats, items: Counts, floor: float) -> Floats:
    """Return probabilities with logits stretched so that they have a floor, as far as they can."""
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    line = logit(np.clip(prob, LEAST, 1 - LEAST))

    def excess(power: float) -> float:
        return mean_floor(expit(np.exp(power) * line), items) - floor

    low, high = -3.0, 3.0
    if excess(low) <= 0 or excess(high) >= 0:
        return np.asarray(expit(np.exp(low if excess(low) <= 0 else high) * line))
    return np.asarray(expit(np.exp(brentq(excess, low, high)) * line))


def mean_floor(prob: Floats, items: Counts) -> float:
    """Return the mean of the smaller probability."""
    return float(items @ np.minimum(prob, 1 - prob)) / float(items.sum())


def drawn(chance: Floats, rng: np.random.Generator) -> Bools:
    """Choose items with these probabilities, as many as they add up to.

    Items in random order lie side by side on a line, each as long as its probability; those are
    chosen in which a step of length one from a random start ends.
    """
    order = rng.permutation(chance.size)
    ends = np.cumsum(chance[order])
    ends *= round(float(ends[-1])) / ends[-1]  # whole, but for rounding
    start = rng.random()
    steps = np.floor(ends - start)
    chosen = np.zeros(chance.size, dtype=np.bool_)
    chosen[order] = np.diff(steps, prepend=np.floor(-start)) > 0
    return chosen
