"""A sign test on a model's own items: whether some rule beats the model.

Suppose that no rule in the score and the prediction does better than the model. Then, given scores
and predictions, each prediction is wrong independently with probability at most 1/2. Items that are
predicted 0 are put in order of falling score, those predicted 1 in order of rising score: the most
doubtful predictions come first. The statistic is the largest (wrong - right) / sqrt(items) over
pairs of a prefix of either list. It grows with every error, so it is largest, in distribution, if
each prediction is a fair coin: whatever the probabilities are, fair coins give a valid p-value.
Prefixes end between distinct scores, so the order of equal scores does not matter.

Of more than two classes, a prediction is tested against the class that the scores favour most among
the others, on the items that are truly one of these two, in order of the ratio of their scores: if
no rule beats the model, the other class is there at most as often. So is each other class, which is
tested for each pair of classes as well. The p-value is twice the smaller of the first one and of
the smallest of the others times their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable

# Draws of fair coins; always the same, so that the same items give the same p-value.
_DRAWS, _SEED = 9999, 20261115
_BLOCK = 500  # draws at once
_ENOUGH = 200  # draws as large as the statistic, after which the p-value is known well enough
_RATIO = 1.25  # of one prefix to the next
_DRAWN_PAIRS = 8  # of classes, for which coins are drawn
_LEAST = 1e-300  # of which a logarithm is taken; any order of the items is valid


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Prefixes of a list of predictions: how many items each has, and how many are wrong."""

    sizes: Counts  # from 0, ascending
    wrong: Counts

    @classmethod
    def of(cls, table: ScoreTable | None, predicted: int) -> Prefixes:
        """Put the items that are predicted 0 or 1 in order of doubt, and take a few prefixes."""
        if table is None or len(table) == 0:
            return cls(np.zeros(1, np.int64), np.zeros(1, np.int64))
        wrong = table.negatives if predicted else table.positives
        items = table.negatives + table.positives
        if not predicted:
            wrong, items = wrong[::-1], items[::-1]
        sizes, wrong = (np.concatenate(([0], np.cumsum(one))) for one in (items, wrong))
        chosen = np.unique(np.searchsorted(sizes, _ladder(int(sizes[-1]))))
        return cls(sizes[chosen], wrong[chosen])


def _ladder(n: int) -> Counts:
    """Return 0, a few small numbers, then ever larger ones in a geometric series up to n."""
    steps = int(np.log(n) / np.log(_RATIO)) + 1
    return np.unique(np.append(np.floor(_RATIO ** np.arange(steps)), (0, n))).astype(np.int64)


def sign_test(zeros: ScoreTable | None, ones: ScoreTable | None) -> tuple[float, float]:
    """Return the statistic and the p-value of "no rule in score and prediction beats the model".

    Parameters
    ----------
    zeros, ones : ScoreTable or None
        Scores and labels of the items that the model predicts 0 and 1 for; None if there are none.

    Returns
    -------
    statistic, p : float

    Notes
    -----
    The p-value is (1 + draws at least as large) / (1 + draws), which is valid at any number of
    draws. Where no draw is as large, the sum of the exact binomial tails of all pairs of prefixes
    is an upper limit, and the smaller of the two is returned. One common seed serves all data, as
    the draws depend on numbers of items only.
    """
    return _tested(Prefixes.of(zeros, 0), Prefixes.of(ones, 1))


def beats_every_cut(zeros: ScoreTable, ones: ScoreTable) -> tuple[float, float]:
    """Return the statistic and the p-value of "a cut of the scores is as good as any rule".

    Suppose that, of all rules in the score and the prediction, a cut of the score is the best. Then
    that cut is right with probability at least 1/2 wherever model and cut differ, so the number of
    these items on which the model is right is at most binomial. Which cut is the best is not known:
    the p-value is the largest over all cuts, which is valid at any number of items and for any
    scores (an intersection-union test of McNemar's tests).

    Parameters
    ----------
    zeros, ones : ScoreTable
        Scores and labels of the items that the model predicts 0 and 1 for.

    Returns
    -------
    statistic, p : float
        The least (model right - cut right) / sqrt(items that they differ on), and the p-value.
    """
    from scipy.special import betainc

    whole = zeros + ones
    right = np.zeros((len(whole), 2), dtype=np.int64)  # of the model, where it says 0 and where 1
    wrong = np.zeros_like(right)
    for predicted, side in enumerate((zeros, ones)):
        rows = np.searchsorted(whole.scores, side.scores)
        right[rows, predicted] = side.counts[:, predicted]
        wrong[rows, predicted] = side.counts[:, 1 - predicted]
    # A cut says 0 up to some row and 1 after it: it differs from 1 before and from 0 behind.
    before = [np.concatenate(([0], np.cumsum(one[:, 1]))) for one in (right, wrong)]
    behind = [np.concatenate((np.cumsum(one[::-1, 0])[::-1], [0])) for one in (right, wrong)]
    won, lost = (first + last for first, last in zip(before, behind, strict=True))
    statistic = (won - lost) / np.sqrt(np.maximum(won + lost, 1))
    p = np.where(won > 0, betainc(np.maximum(won, 1), lost + 1, 0.5), 1.0)
    return float(statistic.min()), float(p.max())


def sign_test_of_classes(sides: Sequence[ScoreTable]) -> tuple[float, float]:
    """Return the same for more than two classes.

    Parameters
    ----------
    sides : sequence of ScoreTable
        Scores and labels of the items that the model predicts each class for, by class.
    """
    nobody = Prefixes.of(None, 0)
    together = _in_doubt([_margins(side, a, _likeliest(side, a)) for a, side in enumerate(sides)])
    in_all, p_in_all = _tested(together, nobody)
    lists = [
        one
        for predicted, side in enumerate(sides)
        if len(side)
        for other in range(len(sides))
        if other != predicted and (one := _doubted(side, predicted, other)).sizes[-1] > 0
    ]
    # What is cheap to compute is never too small; the pairs that it says most of are drawn.
    bounds = [(_statistic(one, nobody), one) for one in lists]
    least = [(min(_union_bound(at, one.sizes), 1.0), at) for at, one in bounds]
    drawn = sorted(range(len(lists)), key=lambda i: least[i])[:_DRAWN_PAIRS]
    found = [*least, *(_tested(lists[i], nobody)[::-1] for i in drawn)]
    p, statistic = min(found, key=lambda one: (one[0], -one[1]), default=(1.0, 0.0))
    if p_in_all <= len(lists) * p:
        return in_all, min(2 * p_in_all, 1.0)
    return statistic, min(2 * len(lists) * p, 1.0)


def _doubted(side: ScoreTable, predicted: int, other: int) -> Prefixes:
    """Put items that are predicted one class and are truly that or another in order of doubt."""
    return _in_doubt([_margins(side, predicted, np.full(len(side), other))])


def _likeliest(side: ScoreTable, predicted: int) -> NDArray[np.intp]:
    """Return the class with the highest score but for the predicted one."""
    scores = side.scores.copy()
    scores[:, predicted] = -np.inf
    return np.asarray(scores.argmax(axis=1))


def _margins(side: ScoreTable, predicted: int, other: NDArray[np.intp]) -> tuple[Floats, Counts]:
    """Return by how much scores favour the prediction, and how many items are of each class."""
    row = np.arange(len(side))
    scores = np.column_stack((side.scores[:, predicted], side.scores[row, other]))
    if side.scores.size and side.scores.min() >= 0:
        scores = np.log(np.maximum(scores, _LEAST))
    counts = np.column_stack((side.counts[row, other], side.counts[:, predicted]))
    some = counts.any(axis=1)
    margin = np.round(scores[some, 0] - scores[some, 1], 9) + 0.0
    return margin, counts[some].astype(np.int64)


def _in_doubt(parts: Sequence[tuple[Floats, Counts]]) -> Prefixes:
    """Put items in order of doubt in their predictions, by the margins of their scores."""
    margins, counts = (np.concatenate(one) for one in zip(*parts, strict=True))
    margin, at = np.unique(margins, return_inverse=True)
    pair = np.column_stack([np.bincount(at, one, margin.size) for one in counts.T])
    return Prefixes.of(ScoreTable(margin, pair.astype(np.int64)), 1)


def _tested(first: Prefixes, second: Prefixes) -> tuple[float, float]:
    observed = _statistic(first, second)
    sizes = np.add.outer(first.sizes, second.sizes)
    roots = np.sqrt(np.maximum(sizes, 1))
    p = _share_as_large(observed, first.sizes, second.sizes, roots)
    if p > 1 / (1 + _DRAWS):
        return observed, p
    return observed, min(p, _union_bound(observed, sizes))


def _statistic(first: Prefixes, second: Prefixes) -> float:
    excess = [2 * one.wrong - one.sizes for one in (first, second)]
    roots = np.sqrt(np.maximum(np.add.outer(first.sizes, second.sizes), 1))
    return float((np.add.outer(*excess) / roots).max())


def _share_as_large(observed: float, first: Counts, second: Counts, roots: Floats) -> float:
    """Return how often fair coins are as large, by draws that end when enough of them are [1]_.

    References
    ----------
    .. [1] J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.
    """
    rng = np.random.default_rng(_SEED)
    done, as_large = 0, 0
    while done < _DRAWS:
        draws = min(_BLOCK, _DRAWS - done)
        left, right = (_walks(sizes, draws, rng) for sizes in (first, second))
        largest = np.full(draws, -np.inf)
        for column, root in zip(right.T, roots.T, strict=True):
            np.maximum(largest, ((left + column[:, None]) / root).max(axis=1), out=largest)
        so_far = as_large + np.cumsum(largest >= observed - 1e-12)
        if so_far[-1] >= _ENOUGH:
            return _ENOUGH / (done + 1 + int(np.searchsorted(so_far, _ENOUGH)))
        as_large, done = int(so_far[-1]), done + draws
    return (1 + as_large) / (1 + _DRAWS)


def _walks(sizes: Counts, draws: int, rng: np.random.Generator) -> Floats:
    """Return wrong less right in each prefix if every prediction is a fair coin."""
    steps = np.diff(sizes)
    heads = rng.binomial(steps, 0.5, (draws, steps.size))
    zero = np.zeros((draws, 1))
    return np.concatenate((zero, np.cumsum(2.0 * heads - steps, axis=1)), axis=1)


def _union_bound(statistic: float, sizes: Counts) -> float:
    """Return the sum of the chances that each pair of prefixes is as large as the statistic."""
    from scipy.special import betainc

    n = sizes[sizes > 0].astype(np.float64)
    least = np.ceil((n + statistic * np.sqrt(n)) / 2 - 1e-9)
    n, least = n[least <= n], np.maximum(least[least <= n], 1)
    return float(betainc(least, n - least + 1, 0.5).sum())
