"""Points that stand for all distributions of sorted probabilities: always the same ones.

A mixture's weights lie on a fixed set of points, so that answers need no random numbers. Most are
a lattice of points carried into symmetric Dirichlet distributions of several spreads, from nearly
certain to nearly uniform. Others have two levels only: some classes share one part evenly, some
share the rest. The most extreme distributions that votes allow are often of that kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import gammainccinv

from errorfloor._typing import Floats
from errorfloor.methods.votes.many.partitions import law

# Korobov lattices: a prime number of points and the multiplier with the least weighted
# discrepancy (P2, weights falling as k^-1.5, 24 dimensions) of all.
_LATTICE, _SMALL_LATTICE, _MANY_CLASSES = (509, 99), (251, 24), 40
# Spreads of the Dirichlet distributions: the agreement of two votes between that of guessing
# over all classes (0) and that of certain ones (1).
_SPREADS = (0.004, 0.02, 0.05, 0.1, 0.18, 0.3, 0.5, 0.65, 0.8, 0.9, 0.96, 0.99)
HALF = _SPREADS.index(0.5)  # Dirichlet(1/K, ..., 1/K)
_LEVELS = 16  # shares of the larger part, of points with two levels
_SIZES = (1, 2, 3, 4, 6, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, eq=False)
class Support:
    """Sorted probabilities, and the Dirichlet distributions among them.

    Attributes
    ----------
    points : array of shape (points, classes)
        Probabilities, the largest first. First come as many points for each spread, then those
        with two levels.
    block : int
        Number of points of each spread.
    """

    points: Floats
    block: int

    @cached_property
    def agreements(self) -> Floats:
        """Chance that two votes agree, under each of the Dirichlet distributions."""
        pairs = (self.points**2).sum(axis=1)[: self.block * len(_SPREADS)]
        return np.asarray(pairs.reshape(len(_SPREADS), self.block).mean(axis=1))

    @cached_property
    def law(self) -> Floats:
        """Chance of each partition at each point."""
        return law(self.points)

    def dirichlet(self, agreement: float) -> Floats:
        """Return weights of the symmetric Dirichlet distribution with that agreement of votes.

        It is made of the two neighbours among those at hand, or is the last of them.
        """
        rungs = self.agreements
        upper = int(np.clip(np.searchsorted(rungs, agreement), 1, rungs.size - 1))
        low, high = rungs[upper - 1], rungs[upper]
        share = float(np.clip((agreement - low) / (high - low), 0.0, 1.0))
        weights = np.zeros(self.points.shape[0])
        weights[self._of(upper - 1)] = (1 - share) / self.block
        weights[self._of(upper)] = share / self.block
        return weights

    def reference(self, agreement: float) -> Floats:
        """Return weights half Dirichlet(1/K, ...), half Dirichlet with the votes' agreement."""
        weights = 0.5 * self.dirichlet(agreement)
        weights[self._of(HALF)] += 0.5 / self.block
        return weights

    def _of(self, spread: int) -> slice:
        return slice(spread * self.block, (spread + 1) * self.block)


@lru_cache(maxsize=8)
def support(classes: int) -> Support:
    """Return the points for a number of classes."""
    size, multiplier = _LATTICE if classes <= _MANY_CLASSES else _SMALL_LATTICE
    uniform = _lattice(size, multiplier, classes)
    blocks = [_dirichlet(uniform, spread) for spread in _SPREADS]
    points = np.concatenate((*blocks, _two_levels(classes)))
    points.setflags(write=False)
    return Support(points, size)


def _lattice(size: int, multiplier: int, dimensions: int) -> Floats:
    """Return points that fill the unit cube evenly, none of them on its faces."""
    powers = [pow(multiplier, k, size) for k in range(dimensions)]
    steps = np.outer(np.arange(size), powers) % size
    return np.asarray((steps / size + 0.5) % 1.0)


def _dirichlet(uniform: Floats, spread: float) -> Floats:
    """Carry points of the cube to sorted draws of a symmetric Dirichlet distribution."""
    classes = uniform.shape[1]
    shape = (1 / spread - 1) / classes
    # The largest of K uniform numbers is the K-th root of one, the next is a part of it, and so
    # on. So the first coordinates, which fill their space best, decide the largest classes.
    logs = np.cumsum(np.log(uniform) / np.arange(classes, 0, -1), axis=1)
    gamma = gammainccinv(shape, -np.expm1(logs))
    points = gamma / gamma.sum(axis=1, keepdims=True)
    return np.asarray(points)


def _two_levels(classes: int) -> Floats:
    """Return points where some classes share a part evenly, some others the rest."""
    sizes = sorted({size for size in (*_SIZES, classes - 1, classes) if size <= classes})
    rows = [np.full(size, 1 / size) for size in sizes]
    for first in sizes:
        for second in (size for size in sizes if first + size <= classes):
            even = first / (first + second)
            for part in even + (1 - even) * np.arange(1, _LEVELS) / _LEVELS:
                rows.append(np.repeat([part / first, (1 - part) / second], [first, second]))
    points = np.zeros((len(rows), classes))
    for row, own in zip(points, rows, strict=True):
        row[: own.size] = own
    return points
