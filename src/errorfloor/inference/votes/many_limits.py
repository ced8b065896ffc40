"""Limits of the floor behind votes for many classes, over the distributions that are likely.

As for two classes, any weights of partitions bound the floor: ``floor(p) >= P(p) - sup(P - floor)``
where P is the weighted sum of the partitions' chances at p. The supremum is taken over the fixed
points, which fill the simplex densely but not wholly; so the limits are measured, not proven.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, ndtri

from errorfloor._typing import Counts, Floats
from errorfloor.inference.votes.bracket import missed_votes
from errorfloor.methods.record import Options
from errorfloor.methods.votes.many.fit import floors, lost_at
from errorfloor.methods.votes.many.likelihood import PartitionLikelihood
from errorfloor.methods.votes.many.partitions import MOST_VOTES_USED, expected
from errorfloor.methods.votes.many.support import support

# Share of the error probability that the likelihood region may use; as for two classes.
_SHARE_OF_TWO, _SHARE = 0.9, 0.5
_TIE_BREAK = 1e-7


def likelihood_limits(
    votes: Counts, counts: Counts, *, level: float = 0.95, options: Options | None = None
) -> tuple[float, float]:
    """Return limits of the floor over the distributions that the votes make likely.

    The lower limit bounds the floor of every distribution whose log-likelihood is within half a
    chi-square quantile (one degree of freedom) of the maximum; the upper limit likewise. Weights
    are chosen at a larger region, as for two classes. The largest floor there can be is the upper
    limit whenever "all classes are equally likely on every item" lies in the larger region.

    Items with more than ten votes count with the share of votes that the leading class leaves,
    within normal limits, and the region bounds the bias of that share.

    Parameters
    ----------
    votes : array of shape (rows, classes)
        Number of votes for each class.
    counts : array of shape (rows,)
        Number of items with such votes.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    options : Options, optional
        Which label the floor is for.

    Returns
    -------
    low, high : float
    """
    options = options or Options()
    plain = _Plain.of(votes, counts, options)
    error = 1 - level
    if plain.totals.size:  # half of the error probability for the noise of plain shares
        error /= 2
    at = support(votes.shape[1])
    floor = plain.bounded(at.points[at.thinned], options.target.majority)
    likelihood = PartitionLikelihood.of(expected(votes, counts), votes.shape[1], at.thinned, floor)
    low, high = _region(likelihood, votes, error)
    if plain.totals.size:
        normal = float(ndtri(1 - error / 2))
        low, high = (
            low + plain.mean - normal * plain.noise,
            high + plain.mean + normal * plain.noise,
        )
        # With many votes, predicting each from the others errs little more than the floor.
        mean, noise = _mean_and_noise(missed_votes(votes), counts)
        high = min(high, mean + normal * noise)
    return max(low, 0.0), min(high, 1 - 1 / votes.shape[1])


def _mean_and_noise(values: Floats, counts: Counts) -> tuple[float, float]:
    """Return the mean over items, and its standard error."""
    n = float(counts.sum())
    mean = float(counts @ values) / n
    return mean, float(np.sqrt(counts @ (values - mean) ** 2) / n)


def _region(likelihood: PartitionLikelihood, votes: Counts, error: float) -> tuple[float, float]:
    most = min(int(votes.sum(axis=1).max()), MOST_VOTES_USED)
    n = likelihood.n
    freedom = min(4, likelihood.share.size - 1 or 1)
    use = float(chdtri(1, (_SHARE_OF_TWO if most == 2 else _SHARE) * error)) / (2 * n)
    choose = max(float(chdtri(freedom, error)) / (2 * n), use)
    even = np.full(likelihood.points.shape[0], 1 / likelihood.points.shape[0])
    weights = likelihood.fit(min(_TIE_BREAK, 0.05 / n), even)
    fitted = likelihood.matrix @ weights
    low = likelihood.lower_limit(1.0, fitted, choose, use)
    high = float(likelihood.floor.max())
    if likelihood.uniform_loss(fitted) > choose:
        high = -likelihood.lower_limit(-1.0, fitted, choose, use)
    value = float(likelihood.floor @ weights)
    return min(low, value), max(high, value)


@dataclass(frozen=True, slots=True)
class _Plain:
    """Items with many votes, which count with the share that the leading class leaves."""

    mean: float  # over all items, of that share, 0 for items with few votes
    noise: float  # standard error of the mean
    few: float  # share of the items with few votes
    totals: Counts
    shares: Floats  # of the items with each of these totals

    @classmethod
    def of(cls, votes: Counts, counts: Counts, options: Options) -> _Plain:
        totals, n = votes.sum(axis=1), float(counts.sum())
        many = totals > MOST_VOTES_USED
        if options.target.majority > 2:
            many[:] = False
        left = np.where(many, 1 - votes.max(axis=1) / totals, 0.0)
        mean, noise = _mean_and_noise(left, counts)
        distinct, group = np.unique(totals[many], return_inverse=True)
        shares = np.bincount(group, counts[many], minlength=distinct.size) / n
        return cls(mean, noise, 1 - float(shares.sum()), distinct, shares)

    def bounded(self, points: Floats, majority: int) -> Floats:
        """Return what is left to bound at each point: the floor, or the bias of the share."""
        found = self.few * floors(points, majority)
        if self.totals.size:
            found += self.shares @ lost_at(points, self.totals)
        return np.asarray(found)
