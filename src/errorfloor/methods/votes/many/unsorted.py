"""The distribution of probabilities behind votes for a few classes, with each class in its place.

What errors on each class cost, or how rare a class is, sorted probabilities do not tell. So the law
is that of the counts themselves, and points fill the simplex: a lattice, carried into Dirichlet
distributions of several spreads, and items that are certain or torn between few classes. With each
class in its place there are many more counts than partitions, so fewer votes of an item are used
and there may be at most five classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, gammaln, xlogy

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.many.fit import agreement_of
from errorfloor.methods.votes.many.likelihood import PartitionLikelihood
from errorfloor.methods.votes.thin import Votes, generator_of

# Votes of an item that are used, by the number of classes: about a hundred different counts.
MOST_VOTES = {3: 10, 4: 7, 5: 5}
_LATTICE = (251, 24)  # Korobov: a prime number of points and a multiplier; as for sorted points
_SPREADS = (0.05, 0.2, 0.5, 0.8)  # of which the one half is Dirichlet(1/K, ..., 1/K)
_HALF = _SPREADS.index(0.5)
_TORN = 15  # shares of the first of two classes that an item is torn between


@dataclass(frozen=True)
class CountLikelihood(PartitionLikelihood):
    """The likelihood of counts of votes, each class in its place, on points of the simplex."""

    reference: Floats  # weights of the points that a fit keeps to where votes do not say otherwise
    votes: Counts  # of each cell

    @classmethod
    def around(cls, votes: Counts, counts: Counts | Floats) -> CountLikelihood:
        """Return the likelihood of a table of votes."""
        votes, items = kept_votes(votes, counts)
        n = float(items.sum())
        totals = votes.sum(axis=1)
        distinct, group = np.unique(totals, return_inverse=True)
        within = np.bincount(group, items)[group] / n
        points, reference = _points(votes, items)
        could = sum(_number_of(int(m), votes.shape[1]) for m in distinct)
        return cls(
            n,
            np.arange(items.size),
            items / n,
            within,
            np.exp(log_chances(votes, points)),
            points,
            could == items.size,
            np.zeros(points.shape[0]),
            reference,
            votes,
        )

    def among(self, kept: NDArray[np.intp]) -> CountLikelihood:
        """Return the same likelihood on some of the points."""
        matrix = np.ascontiguousarray(self.matrix[:, kept])
        points, floor, reference = self.points[kept], self.floor[kept], self.reference[kept]
        return replace(self, matrix=matrix, points=points, floor=floor, reference=reference)

    def fitted(self, penalty: float) -> Floats:
        """Return weights of the points that are fitted to the votes, and held to the reference."""
        found = np.zeros(self.reference.size)
        kept = np.flatnonzero(self.reference)
        own = PartitionLikelihood(
            self.n, self.cells, self.share, self.within, self.matrix[:, kept], self.points[kept],
            self.complete, self.floor[kept],
        )  # fmt: skip
        found[kept] = own.fit(penalty / self.n, self.reference[kept])
        return found

    def alike_loss(self, fitted: Floats, p: Floats) -> float:
        """Return the mean log-likelihood that is lost if every item has these probabilities."""
        return float(self.share @ (np.log(fitted) - log_chances(self.votes, p[None])[:, 0]))


def kept_votes(votes: Counts, counts: Counts | Floats) -> tuple[Counts, Floats]:
    """Return distinct counts of the votes that are used, and how many items have each.

    Of more votes than can be used some are drawn at random, always the same for the same votes.
    """
    most, totals = MOST_VOTES[votes.shape[1]], votes.sum(axis=1)
    few = totals <= most
    rows, items = [votes[few]], [np.asarray(counts[few], dtype=np.float64)]
    if not few.all():
        many, number = votes[~few], np.asarray(counts[~few]).astype(np.int64)
        rng = generator_of(Votes(many[:, 0], many.sum(axis=1), number))
        rows += [
            rng.multivariate_hypergeometric(row, most, size=int(size))
            for row, size in zip(many, number, strict=True)
        ]
        items.append(np.ones(int(number.sum())))
    distinct, group = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    return distinct, np.bincount(group.ravel(), np.concatenate(items)).astype(np.float64)


def log_chances(votes: Counts, points: Floats) -> Floats:
    """Return the logarithm of the chance of each row of votes at each point."""
    own = votes.astype(np.float64)
    logs = gammaln(own.sum(axis=1) + 1) - gammaln(own + 1).sum(axis=1)
    terms = sum(xlogy(own[:, [k]], points[:, k]) for k in range(own.shape[1]))
    return np.asarray(logs[:, None] + terms)


def shares_of_votes(votes: Counts, counts: Counts | Floats) -> Floats:
    """Return the mean share of votes of each class."""
    shares = votes / votes.sum(axis=1, keepdims=True)
    return np.asarray(counts @ shares / counts.sum())


def _points(votes: Counts, items: Floats) -> tuple[Floats, Floats]:
    """Return the points for a table, and the reference: half of it has the votes' moments."""
    fixed = _fixed(votes.shape[1])
    size = _LATTICE[0]
    pi = np.maximum(shares_of_votes(votes, items), 1e-3)
    pi /= pi.sum()
    # The agreement of votes under Dirichlet(s pi) is (s pi'pi + 1) / (s + 1).
    same, agreement = float(pi @ pi), agreement_of(votes, items)
    ratio = min(max((agreement - same) / (1 - same), 0.005), 0.99)
    own = _dirichlet(votes.shape[1], (1 / ratio - 1) * pi)
    reference = np.zeros(fixed.shape[0] + size)
    reference[_HALF * size : (_HALF + 1) * size] = 0.5 / size
    reference[-size:] = 0.5 / size
    return np.concatenate((fixed, own)), reference


@lru_cache(maxsize=4)
def _fixed(classes: int) -> Floats:
    """Return the points that are always the same."""
    parts = [_dirichlet(classes, np.full(classes, (1 / s - 1) / classes)) for s in _SPREADS]
    torn = [np.eye(classes), np.full((1, classes), 1 / classes)]
    for number in range(2, classes + 1):
        for few in combinations(range(classes), number):
            row = np.zeros((1, classes))
            row[0, list(few)] = 1 / number
            torn.append(row)
    share = np.arange(1, _TORN + 1) / (_TORN + 1)
    for one, other in combinations(range(classes), 2):
        rows = np.zeros((_TORN, classes))
        rows[:, one], rows[:, other] = share, 1 - share
        torn.append(rows)
    return np.concatenate((*parts, *torn))


def _dirichlet(classes: int, shape: Floats) -> Floats:
    """Carry a lattice of points of the cube to a Dirichlet distribution, classes in place."""
    size, multiplier = _LATTICE
    powers = [pow(multiplier, k, size) for k in range(classes)]
    uniform = (np.outer(np.arange(size), powers) % size / size + 0.5 / size) % 1.0
    gamma = np.maximum(gammaincinv(shape, uniform), 1e-300)
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def _number_of(votes: int, classes: int) -> int:
    """Return how many different counts so many votes can have."""
    return comb(votes + classes - 1, classes - 1)
