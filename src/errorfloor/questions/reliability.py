"""The reliability curve: fitted probabilities at each score, within limits that hold for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from errorfloor import methods
from errorfloor._keywords import record_of
from errorfloor._typing import Counts, Floats
from errorfloor.data.options import Reading
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.intervals.models import lower_limit, upper_limit
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.record import Calibration, Classes, Clip, Method, Options
from errorfloor.methods.rules.fewest import TIE
from errorfloor.methods.rules.logs import shares
from errorfloor.questions.calibrate import CalibrateAsk, fit, that_maps
from errorfloor.questions.question import (
    Part,
    ScoreColumns,
    answer_of_scores,
    check_classes,
    first_of,
    takes,
    where_in,
)
from errorfloor.questions.sampling import unweighted
from errorfloor.results import ClassReliability, Groups, Reliability


def top_label(table: ScoreTable) -> ScoreTable:
    """Return the largest share of each row, and whether its class is the label.

    Of tied classes the first counts.
    """
    share = shares(table.scores).T
    top = share.max(axis=1)
    first = np.argmax(share >= (top * (1 - TIE))[:, None], axis=1)
    return _two(top, table.counts[np.arange(len(table)), first], table)


def against_the_rest(table: ScoreTable, number: int) -> ScoreTable:
    """Return the share of one class in each row, and whether it is the label."""
    return _two(shares(table.scores)[number], table.counts[:, number], table)


def _two(share: Floats, own: Counts, table: ScoreTable) -> ScoreTable:
    scores, row = np.unique(share, return_inverse=True)
    positives, items = (
        np.bincount(row, count, minlength=scores.size).astype(np.int64)
        for count in (own, table.items)
    )
    return ScoreTable.from_counts(scores, items - positives, positives, dropped=table.dropped)


BLOCKS, ITEMS = 200, 4  # so many blocks at most, with so many items each on average
FEWEST = 12  # items of a run where there are many; the limits of fewer are hardly worth a share
BINS = 20
MOST_SCORES = 2000  # a curve looks the same with more


class ReliabilityAsk(CalibrateAsk):
    """Which map is asked for, with a band about it."""

    def methods_for(self, reading: Reading) -> tuple[Method, ...]:
        """Return the method whose map is asked for."""
        if Classes.of(first_of(reading)) is Classes.MANY:
            # Curves are of one share against a label that is right or wrong.
            return (that_maps(methods.find(self.method or ISOTONIC.name)),)
        return CalibrateAsk.methods_for(self, reading)

    def ready(self, reading: Reading) -> Callable[[Table, Part], Any]:
        """Return what draws the curves of a table."""
        (method,), options = self.methods_for(reading), self.options
        return lambda table, _: _curves(table, method, options, self.level)


class _Options(ScoreColumns, total=False):
    method: str | None
    level: float
    clip: Clip


@overload
def reliability(
    scores: object, labels: object = None, *, group: None = None, **options: Unpack[_Options]
) -> Reliability | ClassReliability: ...
@overload
def reliability(
    scores: object, labels: object = None, *, group: str, **options: Unpack[_Options]
) -> Groups[Reliability | ClassReliability]: ...
@takes(_Options, ReliabilityAsk)
def reliability(
    scores: object, labels: object = None, *, group: str | None = None, **options: Unpack[_Options]
) -> Any:
    """Fit the probability of class 1 to each score, with a band that holds at all scores at once.

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, K), ScoreTable, dataframe or path
        Any finite numbers for isotonic, hist-K and platt; in [0, 1] for the others. Of more than
        two classes one score each: shares of each row's sum, or logits if any is below 0.
    labels : array-like of shape (n,), optional
        0 or 1 for each item, or one of the classes; left out when `scores` has them.
    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels; guessed likewise.
    positive : optional
        The label that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order, as in `from_scores`.
    group : str, optional
        Column of a dataframe or file: one answer for each of its values.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    method : str, optional
        The calibrator of the curve, isotonic by default; see `calibrate`. The band is the same for
        all of them.
    level : float
        Probability that the band holds the true probabilities at all scores together.
    clip : float or "auto"
        See `calibrate`.

    Returns
    -------
    Reliability or ClassReliability
        What `errorfloor.plot.reliability` draws. Of more than two classes, the curves of the top
        label and of each class against the rest, which `errorfloor.plot.class_reliability` draws.
        With `group`, one for each of its values.

    Notes
    -----
    The band assumes that the true probability does not fall as the score rises, and nothing else.
    The scores are divided into up to 200 blocks, by equal mass and by equal width. Runs of
    neighbouring blocks are looked at, of many lengths, the long ones at fewer places [3]_. The
    positives of a run are no more than binomial with the probability at its right end, and no fewer
    than with the one at its left. So the lower limit at a score is the largest exact binomial limit
    [4]_ of the runs that end there or before, the upper limit the smallest of those that start
    there or later [1]_, [2]_.

    Each limit has its share of the error probability. Shares that add up to one minus the level
    would do whatever the truth is; because runs overlap, they may add up to up to three times
    that at a level of 0.95. How much was found by simulation, where the truth is the same at all
    scores: then all runs are equally near their limits. Measured coverage is in the documentation.

    References
    ----------
    .. [1] F. Yang and R. Barber, "Contraction and uniform convergence of isotonic regression",
       Electronic Journal of Statistics 13, 2019.
    .. [2] T. Dimitriadis, L. Duembgen, A. Henzi, M. Puke and J. Ziegel, "Honest calibration
       assessment for binary outcome predictions", Biometrika 110, 2023.
    .. [3] C. Rivera and G. Walther, "Optimal detection of a jump in the intensity of a Poisson
       process or in a density with likelihood ratio statistics", Scandinavian Journal of
       Statistics 40, 2013.
    .. [4] C. Clopper and E. Pearson, Biometrika 26, 1934.

    Examples
    --------
    >>> curve = reliability([0.1, 0.4, 0.9] * 50, [0, 0, 1, 0, 1, 1] * 25)
    >>> curve.probabilities.round(2), curve.low.round(2), curve.high.round(2)
    (array([0. , 0.5, 1. ]), array([0.  , 0.32, 0.9 ]), array([0.1 , 0.68, 1.  ]))
    """
    ask = record_of(ReliabilityAsk, options).checked(ScoreTable.kind)
    where = where_in(options, group)
    return answer_of_scores(scores, labels, where, ask, labelled=True)


def _curves(
    table: Table, method: Method, options: Options, level: float
) -> Reliability | ClassReliability:
    assert isinstance(table, ScoreTable)
    table = unweighted(table, "reliability")
    if len(table.classes) == 2:
        return _curve(table, method, options, level)
    check_classes(table)
    every = (against_the_rest(table, k) for k in range(len(table.classes)))
    return ClassReliability(
        classes=table.classes,
        top=_curve(top_label(table), method, options, level),
        by_class=tuple(_curve(one, method, options, level) for one in every),
    )


def _curve(table: Table, method: Method, options: Options, level: float) -> Reliability:
    assert isinstance(table, ScoreTable)
    fitted = fit(table, method, options)
    assert isinstance(fitted, Calibration)
    probabilities = fitted.probabilities
    low, high = _band(table, level)
    shown = _shown(table.scores, probabilities, low, high)
    negatives, positives, edges = _histogram(table)
    return Reliability(
        scores=table.scores[shown],
        probabilities=probabilities[shown],
        low=low[shown],
        high=high[shown],
        level=level,
        method=method.name,
        n=table.n,
        edges=edges,
        negatives=negatives,
        positives=positives,
    )


def _band(table: ScoreTable, level: float, blocks: int | None = None) -> tuple[Floats, Floats]:
    """Return the lower and upper limit at each score of a table."""
    start = _block_starts(table, blocks or min(max(table.n // ITEMS, 20), BLOCKS))
    negatives, positives = (
        np.concatenate(([0], np.cumsum(np.add.reduceat(count, start))))
        for count in (table.negatives, table.positives)
    )
    first, last, share = _runs(negatives + positives)
    no, yes = (count[last + 1] - count[first] for count in (negatives, positives))
    tail = _spent(start.size, table.n / start.size, 1 - level) * share / 2
    ended = np.zeros(start.size + 1)  # largest lower limit of the runs in the first blocks
    np.maximum.at(ended, last + 1, lower_limit(yes, yes + no, tail))
    ahead = np.ones(start.size + 1)  # smallest upper limit of the runs from a block on
    np.minimum.at(ahead, first, upper_limit(yes, yes + no, tail))
    lows, highs = table.ranges
    behind = np.searchsorted(highs[np.append(start[1:], len(table)) - 1], table.scores, "right")
    before = np.searchsorted(lows[start], table.scores, "left")
    low, high = np.maximum.accumulate(ended), np.minimum.accumulate(ahead[::-1])[::-1]
    return low[behind], high[before]


def _runs(behind: Counts) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Return the first and last block of the runs, and the share of each; they add up to 1.

    `behind` is the number of items before each block, and of all. Lengths grow by a fifth and
    places move by a tenth of the length, so that every run has one almost like it. Were all
    lengths given the same, the few long runs would get more than they need; with the same for
    all runs, the many short ones would leave little. The root of it is between.
    """
    blocks = behind.size - 1
    parts, length = [], 1
    while length < blocks:
        first = np.arange(0, blocks - length, max(length // 10, 1))
        parts.append((np.append(first, blocks - length), length))
        length = max(length + 1, round(1.2 * length))
    parts.append((np.zeros(1, dtype=np.intp), blocks))
    first = np.concatenate([first for first, _ in parts])
    last = np.concatenate([first + length - 1 for first, length in parts])
    share = np.concatenate([np.full(first.size, first.size**-0.5) for first, _ in parts])
    kept = behind[last + 1] - behind[first] >= min(FEWEST, behind[-1] // 10)
    return first[kept], last[kept], share[kept] / share[kept].sum()


def _spent(blocks: int, items: float, error: float) -> float:
    """Return what the shares of all runs add up to, for a band that fails with this probability.

    One block leaves one run, and nothing to gain; `items` are those of a block on average. The
    first factor lies a little below what Gaussian sums allow, with up to 200 blocks of equal and
    unequal size, at errors of 0.002 to 0.5. The second allows for counts being whole numbers,
    which makes the limits of short runs hold more often than their share says.
    """
    overlap = 1 + 2 * (blocks - 1) / (blocks + 7) * (20 * error) ** 0.3
    return float(error * (1 + (overlap - 1) * (1 + 4 / items)))


def _block_starts(table: ScoreTable, blocks: int) -> NDArray[np.intp]:
    """Return the first row of each block: labels are not looked at, and rows not divided.

    Half of the blocks are of equal mass, a row going by its middle item, and half are of equal
    width, for the few items that are often left between crowds at both ends.
    """
    count = table.items
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
    if least == most and not 0 <= least <= 1:  # next to large numbers bins need some width
        span = (least - max(abs(least) / 2, 0.5), most + max(abs(most) / 2, 0.5))
    edges = np.histogram_bin_edges(table.scores, BINS, span)
    negatives, positives = (
        np.histogram(table.scores, edges, weights=count)[0]
        for count in (table.negatives, table.positives)
    )
    return negatives, positives, edges
