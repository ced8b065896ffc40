"""The reliability curve: fitted probabilities at each score, within limits that hold for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import check_level
from errorfloor._typing import Counts, Floats
from errorfloor.calibration import Clip, as_score_table, calibrate, needs_unit_interval
from errorfloor.tables import ScoreTable

BLOCKS = 50  # at most; more make finer steps, and wider limits
BINS = 20
MOST_SCORES = 2000  # a curve looks the same with more


def reliability(
    scores: object,
    labels: object = None,
    *,
    method: str = "isotonic",
    level: float = 0.95,
    clip: Clip = "auto",
) -> Reliability:
    """Fit the probability of class 1 to each score, with a band that holds at all scores at once.

    Parameters
    ----------
    scores : array-like of shape (n,), or ScoreTable
        Any finite numbers for isotonic, hist-K and platt; in [0, 1] for the others.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` is a table.
    method : str
        The calibrator of the curve; see `calibrate`. The band is the same for all.
    level : float
        Probability that the band holds the true probabilities at all scores together.
    clip : float or "auto"
        See `calibrate`.

    Returns
    -------
    Reliability
        What `errorfloor.plot.reliability` draws.

    Notes
    -----
    The band assumes that the true probability does not fall as the score rises, and nothing else.
    The scores are divided into up to 50 blocks, by equal mass and by equal width, which have up to
    1275 runs of neighbouring blocks. The positives of a run are no more than binomial with the
    probability at its right end, and no fewer than with the one at its left. So the lower limit at
    a score is the largest exact binomial limit [3]_ of the runs that end there or before, the upper
    limit the smallest of those that start there or later. All limits hold together, because each
    has its share of the error probability [1]_, [2]_.

    References
    ----------
    .. [1] F. Yang and R. Barber, "Contraction and uniform convergence of isotonic regression",
       Electronic Journal of Statistics 13, 2019.
    .. [2] T. Dimitriadis, L. Duembgen, A. Henzi, M. Puke and J. Ziegel, "Honest calibration
       assessment for binary outcome predictions", Biometrika 110, 2023.
    .. [3] C. Clopper and E. Pearson, Biometrika 26, 1934.

    Examples
    --------
    >>> curve = reliability([0.1, 0.4, 0.9] * 50, [0, 0, 1, 0, 1, 1] * 25)
    >>> curve.probabilities.round(2), curve.low.round(2), curve.high.round(2)
    (array([0. , 0.5, 1. ]), array([0.  , 0.31, 0.9 ]), array([0.1 , 0.69, 1.  ]))
    """
    level = check_level(level)
    table = as_score_table(scores, labels, unit=needs_unit_interval(method))
    probabilities = calibrate(table, method=method, clip=clip).probabilities
    low, high = _band(table, level)
    shown = _shown(table.scores, probabilities, low, high)
    negatives, positives, edges = _histogram(table)
    return Reliability(
        scores=table.scores[shown],
        probabilities=probabilities[shown],
        low=low[shown],
        high=high[shown],
        level=level,
        method=method,
        n=table.n,
        edges=edges,
        negatives=negatives,
        positives=positives,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reliability:
    """A reliability curve with its band, and the histogram of the scores.

    Attributes
    ----------
    scores : array of shape (p,)
        Distinct scores, ascending. Where there are thousands, those that the curve needs.
    probabilities : array of shape (p,)
        Fitted probability of class 1 at each.
    low, high : array of shape (p,)
        Limits of the true probabilities, for all scores together at `level`, if these do not
        fall as the score rises. Between scores the lower limit of the score before holds, and
        the upper limit of the score behind.
    method : str
        The calibrator.
    n : int
        Number of items.
    edges : array of shape (b + 1,)
        Edges of the histogram's bins.
    negatives, positives : array of shape (b,)
        Items with label 0 and with label 1 in each bin.
    """

    scores: Floats
    probabilities: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    n: int
    edges: Floats
    negatives: Counts
    positives: Counts

    @property
    def in_order(self) -> bool:
        """Whether the limits leave room for probabilities that do not fall with the score.

        True scores in order fail this with a probability of at most one minus the level.
        """
        return bool((self.low <= self.high).all())

    def to_dict(self) -> dict[str, Any]:
        """Return the curve and how it was obtained as plain values, ready for JSON."""
        arrays = ("scores", "probabilities", "low", "high", "edges", "negatives", "positives")
        return {
            **{name: getattr(self, name).tolist() for name in arrays},
            "level": self.level,
            "method": self.method,
            "n": self.n,
            "in_order": self.in_order,
        }


def _band(table: ScoreTable, level: float, blocks: int = BLOCKS) -> tuple[Floats, Floats]:
    """Return the lower and upper limit at each score of a table."""
    from scipy.special import betaincinv

    start = _block_starts(table, blocks)
    negatives, positives = (
        np.concatenate(([0], np.cumsum(np.add.reduceat(count, start))))
        for count in (table.negatives, table.positives)
    )
    first, last = np.triu_indices(start.size)  # of every run of blocks
    no, yes = (count[last + 1] - count[first] for count in (negatives, positives))
    tail = (1 - level) / (2 * first.size)
    ended = np.zeros(start.size + 1)  # largest lower limit of the runs in the first blocks
    np.maximum.at(ended, last + 1, betaincinv(np.maximum(yes, 1), no + 1, tail) * (yes > 0))
    ahead = np.ones(start.size + 1)  # smallest upper limit of the runs from a block on
    over = betaincinv(yes + 1, np.maximum(no, 1), 1 - tail)
    np.minimum.at(ahead, first, np.where(no > 0, over, 1.0))
    lows, highs = table.ranges
    behind = np.searchsorted(highs[np.append(start[1:], len(table)) - 1], table.scores, "right")
    before = np.searchsorted(lows[start], table.scores, "left")
    low, high = np.maximum.accumulate(ended), np.minimum.accumulate(ahead[::-1])[::-1]
    return low[behind], high[before]


def _block_starts(table: ScoreTable, blocks: int) -> NDArray[np.intp]:
    """Return the first row of each block: labels are not looked at, and rows not divided.

    Half of the blocks are of equal mass, a row going by its middle item, and half are of equal
    width, for the few items that are often left between crowds at both ends.
    """
    count = table.negatives + table.positives
    mass = (np.cumsum(count) - count / 2) / count.sum()
    distance = table.scores / 2 - table.scores[0] / 2  # halves, so that nothing overflows
    width = distance / (distance[-1] or 1.0)
    half = blocks // 2
    block = np.floor(half * mass) + np.minimum(np.floor(half * width), half - 1)
    return np.flatnonzero(np.diff(block, prepend=-1) > 0)


def _shown(scores: Floats, *curves: Floats) -> NDArray[np.intp]:
    """Return rows that draw all curves: evenly spread ones, and both sides of each step."""
    rows = scores.size
    if rows <= MOST_SCORES:
        return np.arange(rows)
    even = MOST_SCORES // 4
    by_score = np.searchsorted(scores, np.linspace(scores[0], scores[-1], even))
    kept = [np.linspace(0, rows - 1, even).astype(np.intp), by_score]
    for curve in curves:
        step = np.flatnonzero(np.diff(curve))
        if step.size <= even:  # else it is no step function
            kept += [step, step + 1]
    return np.unique(np.concatenate(kept))


def _histogram(table: ScoreTable) -> tuple[Counts, Counts, Floats]:
    least, most = float(table.scores[0]), float(table.scores[-1])
    span = (0.0, 1.0) if least >= 0 and most <= 1 else (least, most)
    edges = np.histogram_bin_edges(table.scores, BINS, span)
    negatives, positives = (
        np.histogram(table.scores, edges, weights=count)[0]
        for count in (table.negatives, table.positives)
    )
    return negatives, positives, edges
