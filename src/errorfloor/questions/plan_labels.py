"""Which items to label, where scores of all are known: by how unsure each item's label is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._checks import (
    InputError,
    as_flag,
    check_level,
    check_unit_interval,
    check_whole,
)
from errorfloor._keywords import explains_keywords
from errorfloor._typing import Bools, Counts, Floats, RandomLike
from errorfloor.data.items import KeptScores
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data, read
from errorfloor.data.sample import Sample
from errorfloor.intervals.honest import of_fit
from errorfloor.intervals.record import Seed
from errorfloor.methods.prediction_powered import PoweredCut
from errorfloor.methods.record import Options
from errorfloor.questions.sampling import check_alike
from errorfloor.results.plan import LabelPlan

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


FEWEST = 30  # labels that say more of the items than scores at face value do
_STEPS = 12  # of the search for a number of labels


@explains_keywords
def plan_labels(
    scores: object,
    labels: object = None,
    *,
    budget: int | None = None,
    width: float | None = None,
    by_score: bool = True,
    score: str | None = None,
    label: str | None = None,
    positive: object = None,
    positive_from: float | None = None,
    level: float = 0.95,
    rng: RandomLike = 0,
) -> LabelPlan:
    """Say how many items to label and which, where all items have scores.

    Items are drawn at random, those with unsure labels more often than others: near the cut a label
    tells more. Each has a known probability, so that weights make up for it: pass the plan's
    `weight` to `from_scores`, with the new labels and ``unlabelled=True``.

    Parameters
    ----------
    scores : array-like of shape (n,), dataframe or path
        Scores of all items. Without labels they are taken for calibrated probabilities of class 1,
        and the widths of overconfident scores are promised several times too narrow: label some
        items at random first, and pass their labels. The plan's `assumptions` say so, too.
    labels : array-like of shape (n,), optional
        Labels so far, of items that were chosen at random; None or NaN for the others.
    budget : int, optional
        Number of labels to buy.
    width : float, optional
        Width of the interval to reach, as a fraction; the plan finds the budget.
    by_score : bool
        Whether unsure items are drawn more often. False draws all alike.
    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels so far, which are read where it is named.
    positive : optional
        The label that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    level : float
        Confidence level.
    rng : None, int or numpy.random.Generator
        Seed of the choice of items, 0 by default; None draws a new one.

    Returns
    -------
    LabelPlan

    Notes
    -----
    The probability of an item is proportional to the standard deviation of its label, and at least
    a quarter of the mean. With 30 labels or more, probabilities come from them. The expected width
    is the mean over labels drawn from these probabilities, 24 times.

    Examples
    --------
    >>> import numpy as np
    >>> plan = plan_labels(np.linspace(0, 1, 10_000), budget=300, rng=0)
    >>> plan.budget, plan.width < plan.width_at_random
    (300, True)
    """
    where = ReadOptions.of(score=score, label=label, positive=positive, positive_from=positive_from)
    asked = _Asked(budget, width, as_flag(by_score, name="by_score"), check_level(level), rng)
    return asked.plan(_read(scores, labels, where))


def of_files(paths: Any, where: ReadOptions, **asked: Any) -> LabelPlan:
    """Return the same for files, with all that was said about them."""
    return _Asked(**asked).plan(_read(paths, None, where))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is wanted, besides the items."""

    budget: int | None
    width: float | None
    by_score: bool
    level: float
    rng: RandomLike

    def plan(self, kept: KeptScores) -> LabelPlan:
        """Return the plan for items."""
        if (self.budget is None) == (self.width is None):
            raise InputError("Give `budget` or `width`, one of them: how many labels, or how wide.")
        known = ~np.isnan(kept.labels)
        if known.all():
            raise InputError(
                "All items have labels, so there is none to choose. Add items whose `labels` are "
                "blank."
            )
        seed = Seed.of(self.rng)
        begun = self.rng if isinstance(self.rng, np.random.Generator) else seed.begin()
        for_widths, for_items = begun.integers(2**63, size=2).tolist()
        floor = _floor(kept)
        items = scored(kept.scores, kept.labels, floor)
        task = _Task(items, np.bincount(items.cell[~known], minlength=items.items.size), self.level)
        budget = self._budget(task, for_widths)
        each = items.chances(budget, task.open, by_score=self.by_score)[items.cell]
        new = drawn(np.where(known, 0.0, each), np.random.default_rng(for_items))
        chance = task.chances(budget, self.by_score)
        return LabelPlan(
            rows=np.flatnonzero(new),
            weight=np.where(known | new, 1 / chance[items.cell], np.nan),
            width=task.width(budget, self.by_score, for_widths),
            width_at_random=task.width(budget, False, for_widths),
            floor=items.floor,
            floor_from_labels=floor is not None,
            n=known.size,
            labelled=int(known.sum()),
            level=self.level,
            scores=kept.scores,
            labels=kept.labels,
            seed=seed,
            files=kept.files,
        )

    def _budget(self, task: _Task, seed: int) -> int:
        most = int(task.open.sum())
        if self.width is not None:
            return task.needed(_as_width(self.width), self.by_score, seed)
        remedy = f"{most:,} items have no label so far."
        assert self.budget is not None
        return check_whole(self.budget, name="budget", least=1, most=most, remedy=remedy)


def _as_width(width: object) -> float:
    if isinstance(width, bool) or not isinstance(width, int | float) or not 0 < width < 1:
        raise InputError(
            "`width` must be a number between 0 and 1, such as 0.05 for five points; got "
            f"{width!r}."
        )
    return float(width)


def _read(scores: object, labels: object, where: ReadOptions) -> KeptScores:
    kept = KeptScores()
    layout = kept.layout(
        labelled="label" in where.columns or labels is not None or not is_data(scores)
    )
    kept.files = read(scores, (layout,), where, second=labels).source.files
    return kept


def _floor(kept: KeptScores) -> float | None:
    """Return the floor that labels suggest; None where they are too few, and scores speak."""
    from errorfloor.data.arrays import partly_labelled

    known = ~np.isnan(kept.labels)
    if int(known.sum()) < FEWEST or len(set(kept.labels[known])) < 2:
        instead = f"; with {FEWEST} labels of both classes any scores will do"
        check_unit_interval(kept.scores, name="scores", entry="entry", instead=instead)
        return None
    table = partly_labelled(kept.scores, kept.labels, ReadOptions.of(unlabelled=True))
    check_alike(table)
    cells = table.cells()
    return PoweredCut(cells, Options().draw).value


class _Task:
    """Items, how many of each cell have no label, and the interval that is wanted."""

    def __init__(self, items: Scored, open_: Counts, level: float) -> None:
        self.items, self.open, self.level = items, open_, level
        # The probability to have been labelled at random before.
        self.before = 1 - float(open_.sum()) / float(items.items.sum())

    def chances(self, budget: float, by_score: bool) -> Floats:
        """Return the probability of each cell's items to be labelled, before or now."""
        now = self.items.chances(budget, self.open, by_score=by_score)
        return np.asarray(self.before + (1 - self.before) * now)

    def width(self, budget: float, by_score: bool, seed: int) -> float:
        """Return the expected width with so many labels more."""
        rng = np.random.default_rng(seed)
        return self.items.width(self.chances(budget, by_score), self.level, rng)

    def needed(self, width: float, by_score: bool, seed: int) -> int:
        """Return how many labels make the interval so wide: a search on the log scale."""
        low, high = 1.0, float(self.open.sum())
        if self.width(high, by_score, seed) > width:
            raise InputError(
                f"`width` {width:g} is narrower than {int(high):,} labels make it, which is one "
                "for each item. Ask for a wider interval, or score more items."
            )
        for _ in range(_STEPS):
            middle = float(np.sqrt(low * high))
            wide = self.width(middle, by_score, seed) > width
            low, high = (middle, high) if wide else (low, middle)
        return int(np.ceil(high))
