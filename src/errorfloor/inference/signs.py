"""A sign test on a model's own items: whether some rule beats the model.

Suppose that no rule in the score and the prediction does better than the model. Then, given scores
and predictions, each prediction is wrong independently with probability at most 1/2. Items that are
predicted 0 are put in order of falling score, those predicted 1 in order of rising score: the most
doubtful predictions come first. The statistic is the largest (wrong - right) / sqrt(items) over
pairs of a prefix of either list. It grows with every error, so it is largest, in distribution, if
each prediction is a fair coin: whatever the probabilities are, fair coins give a valid p-value.
Prefixes end between distinct scores, so the order of equal scores does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable

# Draws of fair coins; always the same, so that the same items give the same p-value.
_DRAWS, _SEED = 9999, 20261115
_BLOCK = 500  # draws at once
_ENOUGH = 200  # draws as large as the statistic, after which the p-value is known well enough
_RATIO = 1.25  # of one prefix to the next


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
    first, second = Prefixes.of(zeros, 0), Prefixes.of(ones, 1)
    excess = [2 * one.wrong - one.sizes for one in (first, second)]
    sizes = np.add.outer(first.sizes, second.sizes)
    roots = np.sqrt(np.maximum(sizes, 1))
    observed = float((np.add.outer(*excess) / roots).max())
    p = _share_as_large(observed, first.sizes, second.sizes, roots)
    if p > 1 / (1 + _DRAWS):
        return observed, p
    return observed, min(p, _union_bound(observed, sizes))


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
