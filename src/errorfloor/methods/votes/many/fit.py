"""Fit the distribution of sorted probabilities behind votes for many classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import binom, ndtr

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.methods.votes.many.largest import MOST_EXACT, mean_largest, plurality
from errorfloor.methods.votes.many.likelihood import PartitionLikelihood
from errorfloor.methods.votes.many.partitions import (
    MOST_VOTES_USED,
    expected,
    in_order,
    law,
    places,
)
from errorfloor.methods.votes.many.support import support

# How many items' worth of log-likelihood one unit of relative entropy to the reference costs.
PENALTY = 2.0
# Points that weigh less than this together change no answer.
_NEGLIGIBLE = 1e-7
# Of many votes some totals have their bias computed, so far apart or more, and not more of them.
_KNOT, _MOST_TOTALS = 0.15, 8


@dataclass(frozen=True, slots=True, eq=False)
class PartitionMixture:
    """A distribution of sorted probabilities on the fixed points.

    Attributes
    ----------
    points : array of shape (points, classes)
        Probabilities of the classes, the largest first.
    weights : array of shape (points,)
        Their weights; they sum to one.
    log_likelihood : float
        Mean log-likelihood per item of partitions of at most ten votes.
    gap : float
        No distribution on the fixed points has a mean log-likelihood more than this above it; it
        includes what the penalty gave away.
    majority : int
        Of how many votes the label is the plurality.
    """

    points: Floats
    weights: Floats
    log_likelihood: float
    gap: float
    majority: int = 1

    @property
    def floors(self) -> Floats:
        """The floor of items with each of the probabilities."""
        return floors(self.points, self.majority)

    @property
    def floor(self) -> float:
        """The mean floor."""
        return float(self.weights @ self.floors)

    def lost(self, totals: Counts) -> Floats:
        """Return how far the plug-in from so many votes lies below the floor of one more vote.

        One number for each of the totals.
        """
        return _lost(self, tuple(totals.tolist()))

    def posterior_floor(self, votes: Counts) -> Floats:
        """Return the expected floor of items with each row of votes.

        Of more than ten votes it is what the leading class leaves, and what such a share is
        expected to lose.
        """
        own, few = _votes_used(votes)
        chances = law(self.points)[places(own, MOST_VOTES_USED)]
        found = chances @ (self.weights * self.floors) / (chances @ self.weights)
        if not few.all():
            many = votes[~few]
            shares = np.sort(many, axis=1)[:, ::-1] / many.sum(axis=1, keepdims=True)
            found[~few] = floors(shares, self.majority)
            if self.majority <= 2:
                totals, group = np.unique(many.sum(axis=1), return_inverse=True)
                found[~few] += self.lost(totals)[group]
        return np.asarray(found)

    def posterior_doubt(self, votes: Counts) -> Floats:
        """Return the chance that the class with the most votes is not the likeliest one.

        Of several classes with the most votes it is the same for each. Of more than ten votes it
        is that of ten votes in the same proportions, or of a normal test against the second class
        if that is less.
        """
        own, few = _votes_used(votes)
        place = places(own, MOST_VOTES_USED)
        chances = law(self.points)[place] @ self.weights
        lead, tied = own[:, 0], (own == own[:, :1]).sum(axis=1)
        rest = law(self.points[:, 1:])[places(own[:, 1:], MOST_VOTES_USED)]
        # The likeliest class has the most votes, and the rest falls on the others; of classes
        # that share the lead each is the likeliest as often.
        leads = (self.points[:, 0] ** lead[:, None] * rest) @ self.weights
        doubt = 1 - binom(own.sum(axis=1), lead) / tied * leads / chances
        if not few.all():
            first, second = np.sort(votes[~few], axis=1)[:, :-3:-1].T
            doubt[~few] = np.minimum(doubt[~few], ndtr((second - first) / np.sqrt(first + second)))
        return np.asarray(doubt)


@lru_cache(maxsize=1)  # the floor and the bias of plain shares ask for the same
def _lost(fit: PartitionMixture, totals: tuple[int, ...]) -> Floats:
    order = np.argsort(fit.weights, kind="stable")
    kept = order[np.cumsum(fit.weights[order]) > _NEGLIGIBLE]
    weights = fit.weights[kept] / fit.weights[kept].sum()
    found = np.asarray(lost_at(fit.points[kept], np.array(totals)) @ weights)
    found.setflags(write=False)
    return found


def _votes_used(votes: Counts) -> tuple[Counts, Bools]:
    """Return at most ten votes of each row, in proportion and falling order, and which are all."""
    ordered = in_order(votes)[:, :MOST_VOTES_USED]
    totals = votes.sum(axis=1)
    few = totals <= MOST_VOTES_USED
    part = ordered * np.minimum(MOST_VOTES_USED / totals, 1.0)[:, None]
    whole = np.floor(part + 1e-9).astype(np.int64)
    # What rounding down leaves goes to the classes that lost most by it.
    missing = np.minimum(totals, MOST_VOTES_USED) - whole.sum(axis=1)
    rank = np.argsort(np.argsort(whole - part, axis=1, kind="stable"), axis=1, kind="stable")
    used = -np.sort(-(whole + (rank < missing[:, None])), axis=1)
    return used, few


def floors(points: Floats, majority: int = 1) -> Floats:
    """Return the floor of items with each of the sorted probabilities."""
    if majority <= 2:  # of two votes that differ one is drawn, which is one vote
        return np.asarray(1 - points[:, 0])
    return np.asarray(1 - plurality(points, majority))


def fit_partitions(
    votes: Counts,
    counts: Counts | Floats,
    *,
    majority: int = 1,
    penalty: float = PENALTY,
) -> PartitionMixture:
    """Fit the distribution behind votes by penalised maximum likelihood.

    The likelihood is that of partitions: each item's votes in falling order. Which class has how
    many votes does not matter, and nothing is assumed about it. Items with more than ten votes
    count as the average of all choices of ten of them.

    Parameters
    ----------
    votes : array of shape (rows, classes)
        Number of votes for each class.
    counts : array of shape (rows,)
        Number of items with such votes.
    majority : int
        Of how many votes the label is the plurality; it does not change the fit.
    penalty : float
        How many items' worth of log-likelihood one unit of relative entropy to the reference
        costs.

    Examples
    --------
    >>> votes = np.array([[3, 0, 0], [0, 2, 1], [1, 1, 1]])
    >>> fit = fit_partitions(votes, np.array([60, 30, 10]))
    >>> round(fit.floor, 3)
    0.228
    """
    items = expected(votes, counts)
    at = support(votes.shape[1])
    reference = at.reference(agreement_of(votes, counts))
    kept = np.flatnonzero(reference)
    likelihood = PartitionLikelihood.of(items, votes.shape[1], kept)
    weights = likelihood.fit(penalty / likelihood.n, reference[kept])
    fitted = likelihood.matrix @ weights
    slope = (likelihood.share / fitted) @ at.law[likelihood.cells]
    return PartitionMixture(
        likelihood.points,
        weights,
        float(likelihood.share @ np.log(fitted)),
        max(float(slope.max()) - 1, 0.0),
        majority,
    )


def agreement_of(votes: Counts, counts: Counts | Floats) -> float:
    """Return the share of pairs of votes on an item that agree; between guessing and certain."""
    totals = votes.sum(axis=1)
    some = totals > 1
    if not some.any():  # of single votes nobody knows it: halfway
        return (1 + 1 / int(votes.shape[1])) / 2
    own, m = votes[some].astype(np.float64), totals[some].astype(np.float64)
    pairs = (own * (own - 1)).sum(axis=1) / (m * (m - 1))
    return float(pairs @ counts[some] / counts[some].sum())


def floor_of(fit: PartitionMixture, votes: Counts, counts: Counts | Floats) -> float:
    """Return the floor of all items: the fit's own, unless items have more votes than it used.

    Those count with the share of votes that the leading class leaves, corrected by its exact bias
    under the fit.
    """
    totals = votes.sum(axis=1)
    many = totals > MOST_VOTES_USED
    if fit.majority > 2 or not many.any():
        return fit.floor
    distinct, group = np.unique(totals[many], return_inverse=True)
    left = 1 - votes[many].max(axis=1) / totals[many] + fit.lost(distinct)[group]
    total = float(counts[many] @ left) + fit.floor * float(counts[~many].sum())
    return float(np.clip(total / float(counts.sum()), 0.0, 1 - 1 / votes.shape[1]))


def lost_at(points: Floats, totals: Counts) -> Floats:
    """Return how far plug-ins from so many votes lie below the floor, (totals, points).

    The loss is smooth in the logarithm of the votes; of many large totals some are computed.
    """
    found = np.empty((totals.size, points.shape[0]))
    high = totals > MOST_EXACT
    knots = totals[high]
    if knots.size:
        low, most = float(knots.min()), float(knots.max())
        size = min(int(np.ceil(np.log(most / low) / _KNOT)) + 1, _MOST_TOTALS)
        if knots.size > size:
            knots = np.unique(np.geomspace(low, most, size).round().astype(np.int64))
    if not high.all():
        found[~high] = mean_largest(points, totals[~high]) - points[:, 0]
    if knots.size:
        some = mean_largest(points, knots) - points[:, 0]
        place = np.interp(np.log(totals[high]), np.log(knots), np.arange(knots.size))
        below = np.minimum(place.astype(np.intp), max(knots.size - 2, 0))
        part = (place - below)[:, None]
        above = np.minimum(below + 1, knots.size - 1)
        found[high] = (1 - part) * some[below] + part * some[above]
    return np.maximum(found, 0.0)
