"""Limits of the floor behind votes for many classes, over the distributions that are likely.

As for two classes, any weights of partitions bound the floor: ``floor(p) >= P(p) - sup(P - floor)``
where P is the weighted sum of the partitions' chances at p. The supremum is taken over the fixed
points, which fill the simplex densely but not wholly; so the limits are measured, not proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import chdtri

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.bets import Bets, Blocks
from errorfloor.intervals.votes.bracket import missed_votes
from errorfloor.methods.record import Options
from errorfloor.methods.votes.dual import Kernel, region_limit
from errorfloor.methods.votes.joint import Joint
from errorfloor.methods.votes.many.fit import floors, lost_at
from errorfloor.methods.votes.many.likelihood import PartitionLikelihood
from errorfloor.methods.votes.many.partitions import MOST_VOTES_USED, expected
from errorfloor.methods.votes.many.support import support
from errorfloor.methods.votes.thin import Votes, by_total, generator_of

# Share of the error probability that the likelihood region may use; as for two classes.
_SHARE_OF_TWO, _SHARE = 0.9, 0.5
# Share that goes to the noise of plain shares, where items have many votes.
_FOR_SHARES = 0.8
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
    within betting limits, and the region bounds the bias of that share. Blocks of items to bet on
    are drawn at random, but always the same for the same votes.

    Parameters
    ----------
    votes : array of shape (rows, classes)
        Number of votes for each class.
    counts : array of shape (rows,)
        Number of items with such votes.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    options : Options, optional
        Which label the floor is for, and why totals differ. Where the item decided, each total has
        a distribution of its own, and the limits are those of one joint problem.

    Returns
    -------
    low, high : float
    """
    options = options or Options()
    votes, counts = _canonical(votes, counts)
    plain = _Plain.of(votes, counts, options)
    for_shares = _FOR_SHARES * (1 - level) if plain.totals.size else 0.0
    kind = by_total(votes.sum(axis=1)) if options.by_item else np.zeros(counts.size)
    groups = [kind == one for one in np.unique(kind)]
    parts = [_likelihood_of(votes[own], counts[own], options) for own in groups]
    low, high = _region(parts, 1 - level - for_shares, int(votes.sum(axis=1).max()))
    top = 1 - 1 / votes.shape[1]
    if plain.totals.size:
        drawn = generator_of(Votes(votes[:, 0], votes.sum(axis=1), counts))
        blocks = Blocks.drawn(counts, drawn)
        least, most = Bets.of(plain.left, blocks, (0.0, top)).limits(1 - for_shares)
        # With many votes, predicting each from the others errs little more than the floor.
        missed = Bets.of(missed_votes(votes), blocks).upper(1 - for_shares)
        low, high = low + least, min(high + most, missed)
    return max(low, 0.0), min(high, top)


def _canonical(votes: Counts, counts: Counts) -> tuple[Counts, Counts]:
    """Return each item's votes in falling order, equal ones together."""
    ordered = np.sort(votes, axis=1)[:, ::-1]
    distinct, group = np.unique(ordered, axis=0, return_inverse=True)
    return distinct, np.bincount(group.ravel(), counts).astype(counts.dtype)


def _likelihood_of(votes: Counts, counts: Counts, options: Options) -> PartitionLikelihood:
    """Return the likelihood of items that have one distribution."""
    at = support(votes.shape[1])
    plain = _Plain.of(votes, counts, options)
    floor = plain.bounded(votes.shape[1], options.target.majority)
    return PartitionLikelihood.of(expected(votes, counts), votes.shape[1], at.thinned, floor)


def _region(parts: list[PartitionLikelihood], error: float, most: int) -> tuple[float, float]:
    """Return limits of what is to be bounded, over all that have a likelihood near the maximum."""
    n = sum(part.n for part in parts)
    sizes = np.array([part.n for part in parts]) / n
    freedom = min(4, max(sum(part.share.size - 1 for part in parts), 1))
    use = float(chdtri(1, (_SHARE_OF_TWO if most == 2 else _SHARE) * error)) / (2 * n)
    choose = max(float(chdtri(freedom, error)) / (2 * n), use)
    weights = [part.fit_evenly(min(_TIE_BREAK, 0.05 / n)) for part in parts]
    pairs = list(zip(parts, weights, strict=True))
    fitted = [part.matrix @ own for part, own in pairs]
    value = float(sizes @ [part.floor @ own for part, own in pairs])
    lost = [part.uniform_loss(own) for part, own in zip(parts, fitted, strict=True)]
    kernel: Kernel = parts[0]
    if len(parts) > 1:
        kernel = Joint(parts, sizes)
        fitted = [size * own for size, own in zip(sizes, fitted, strict=True)]
    chances = np.concatenate(fitted)
    best = float(kernel.share @ np.log(chances))
    low = region_limit(kernel, 1.0, chances, best, choose, use)
    high = float(max(part.floor.max() for part in parts))
    if float(sizes @ lost) > choose:
        high = -region_limit(kernel, -1.0, chances, best, choose, use)
    return min(low, value), max(high, value)


@dataclass(frozen=True, slots=True)
class _Plain:
    """Items with many votes, which count with the share that the leading class leaves."""

    left: Floats  # that share in each row, 0 for items with few votes
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
        distinct, group = np.unique(totals[many], return_inverse=True)
        shares = np.bincount(group, counts[many], minlength=distinct.size) / n
        return cls(left, 1 - float(shares.sum()), distinct, shares)

    def bounded(self, classes: int, majority: int) -> Floats:
        """Return what is left to bound at each point: the floor, or the bias of the share."""
        found = self.few * floors(_points(classes), majority)
        if self.totals.size:
            found += self.shares @ _lost(classes, tuple(self.totals.tolist()))
        return np.asarray(found)


def _points(classes: int) -> Floats:
    at = support(classes)
    return np.asarray(at.points[at.thinned])


@lru_cache(maxsize=2)  # groups of items, other levels: again and again the same totals
def _lost(classes: int, totals: tuple[int, ...]) -> Floats:
    found = lost_at(_points(classes), np.array(totals))
    found.setflags(write=False)
    return found
