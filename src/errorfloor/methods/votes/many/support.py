"""Points that stand for all distributions of sorted probabilities: always the same ones.

A mixture's weights lie on a fixed set of points, so that answers need no random numbers. They are
a lattice of points, carried into distributions of several spreads, from nearly certain to nearly
uniform: symmetric Dirichlet distributions, and items that are much alike. Further points have few
classes, or two levels only: some classes share one part evenly, some share the rest. The most
extreme distributions that votes allow are often of these kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammainccinv

from errorfloor._typing import Floats
from errorfloor.methods.votes.many.partitions import law

# Korobov lattices: a prime number of points and the multiplier with the least weighted
# discrepancy (P2, weights falling as k^-1.5, 24 dimensions) of all.
_LATTICE, _FOR_MANY, _MANY_CLASSES = (509, 99), (251, 24), 40
# Spreads: where the agreement of two votes lies between that of guessing over all classes (0) and
# that of certain ones (1).
_SPREADS = (0.004, 0.02, 0.05, 0.1, 0.18, 0.3, 0.5, 0.65, 0.8, 0.9, 0.96, 0.99)
_HALF = _SPREADS.index(0.5)  # of Dirichlet(1/K, ..., 1/K)
# Items that are alike: parameters of their beta distribution add up to this, or to more where
# that spreads them too far; and how many points it has.
_ALIKE, _LEADS = 20.0, 64
# Shares of the reference: Dirichlet(1/K, ...), Dirichlet with the votes' agreement, items alike.
# Of two classes it is that of the mixture for two classes.
_SHARES, _SHARES_OF_TWO = (0.5, 0.4, 0.1), (0.5, 0.5, 0.0)
# Points with few classes: how many at most, and parameters of their Dirichlet distributions.
_MOST_OF_FEW, _SHAPES_OF_FEW, _FOR_FEW = 6, (1.0, 0.25), (127, 44)
_THINNED = 4  # one in so many points of the lattices is used for limits
_LEVELS = 16  # shares of the larger part, of points with two levels
_SIZES = (1, 2, 3, 4, 6, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, eq=False)
class Ladder:
    """Distributions from spread out to nearly certain, equally many equal points for each."""

    points: Floats  # (points, classes), the largest probability first
    first: int  # where they are among all points

    @property
    def block(self) -> int:
        """Number of points of each distribution."""
        return int(self.points.shape[0]) // len(_SPREADS)

    def rung(self, spread: int) -> slice:
        """Return where the points of a spread are among all points."""
        return slice(self.first + spread * self.block, self.first + (spread + 1) * self.block)

    @cached_property
    def agreements(self) -> Floats:
        """Chance that two votes agree, under each of the distributions."""
        pairs = (self.points**2).sum(axis=1)
        return np.asarray(pairs.reshape(len(_SPREADS), self.block).mean(axis=1))

    def add(self, weights: Floats, agreement: float, share: float) -> None:
        """Give a share of all weight to the distribution that has this agreement of votes.

        It is made of two neighbours among those at hand, or is the last of them.
        """
        rungs = self.agreements
        upper = int(np.clip(np.searchsorted(rungs, agreement), 1, rungs.size - 1))
        low, high = rungs[upper - 1], rungs[upper]
        part = float(np.clip((agreement - low) / (high - low), 0.0, 1.0))
        weights[self.rung(upper - 1)] += share * (1 - part) / self.block
        weights[self.rung(upper)] += share * part / self.block


@dataclass(frozen=True, eq=False)
class Support:
    """All points for a number of classes."""

    points: Floats
    dirichlet: Ladder
    alike: Ladder

    @cached_property
    def law(self) -> Floats:
        """Chance of each partition of up to ten votes at each point, (partitions, points)."""
        return law(self.points)

    @cached_property
    def even(self) -> Floats:
        """Chance of each partition where all classes are equally likely."""
        classes = self.points.shape[1]
        return law(np.full((1, classes), 1 / classes))[:, 0]

    @cached_property
    def thinned(self) -> NDArray[np.intp]:
        """Which points limits are sought on: a part of the lattices, and all further ones."""
        on_lattices = self.dirichlet.points.shape[0] + self.alike.points.shape[0]
        index = np.arange(self.points.shape[0])
        return np.flatnonzero((index % _THINNED == 0) | (index >= on_lattices))

    def reference(self, agreement: float) -> Floats:
        """Return the weights that a fit keeps to where votes do not say otherwise.

        Half of them are Dirichlet(1/K, ..., 1/K). The others have the agreement of the votes: most
        are a symmetric Dirichlet distribution, some of items that are alike.
        """
        weights = np.zeros(self.points.shape[0])
        shares = _SHARES if self.points.shape[1] > 2 else _SHARES_OF_TWO
        weights[self.dirichlet.rung(_HALF)] = shares[0] / self.dirichlet.block
        self.dirichlet.add(weights, agreement, shares[1])
        self.alike.add(weights, agreement, shares[2])
        return weights


@lru_cache(maxsize=8)
def support(classes: int) -> Support:
    """Return the points for a number of classes."""
    uniform = _lattice(*(_LATTICE if classes <= _MANY_CLASSES else _FOR_MANY), classes)
    smooth = np.concatenate([_dirichlet(uniform, spread) for spread in _SPREADS])
    alike = np.concatenate([_alike(classes, spread) for spread in _SPREADS])
    points = np.concatenate((smooth, alike, _few_classes(classes), _two_levels(classes)))
    points.setflags(write=False)
    return Support(points, Ladder(smooth, 0), Ladder(alike, smooth.shape[0]))


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
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def _alike(classes: int, spread: float) -> Floats:
    """Return items with one likely class, a little different in how likely, whose others tie."""
    size = max(_ALIKE, 2 / spread)
    # Agreement of Dirichlet(size q) is (size q'q + 1) / (size + 1); q has two levels.
    square = (spread * (size + 1) - 1) / size
    mean = (1 + (classes - 1) * np.sqrt(max(square, 0.0))) / classes
    lead = betaincinv(size * mean, size * (1 - mean), (np.arange(_LEADS) + 0.5) / _LEADS)
    points = np.repeat((1 - lead[:, None]) / (classes - 1), classes, axis=1)
    points[:, 0] = lead
    return np.asarray(np.sort(points, axis=1)[:, ::-1])


def _few_classes(classes: int) -> Floats:
    """Return points where only a few classes occur at all."""
    found = [np.zeros((0, classes))]
    for few in range(2, min(classes, _MOST_OF_FEW + 1)):
        uniform = _lattice(*_FOR_FEW, few)
        for shape in _SHAPES_OF_FEW:
            points = np.zeros((uniform.shape[0], classes))
            points[:, :few] = _dirichlet(uniform, 1 / (1 + few * shape))
            found.append(points)
    return np.concatenate(found)


def _two_levels(classes: int) -> Floats:
    """Return points where some classes share a part evenly, some others the rest."""
    sizes = sorted({size for size in (*_SIZES, classes - 1, classes) if size <= classes})
    rows = [np.full(size, 1 / size) for size in sizes]
    for first in sizes:
        for second in (size for size in sizes if first + size <= classes):
            even = first / (first + second)
            parts = even + (1 - even) * np.arange(1, _LEVELS) / _LEVELS
            sizes_of = [first, second]
            rows += [np.repeat([part / first, (1 - part) / second], sizes_of) for part in parts]
    points = np.zeros((len(rows), classes))
    for row, own in zip(points, rows, strict=True):
        row[: own.size] = own
    return points
