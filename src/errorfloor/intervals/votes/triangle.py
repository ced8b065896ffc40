"""Sharper certified limits for three classes: the best numbers per partition that stay on one side.

Numbers v for the partitions of m votes have the mean ``P(p) = sum(v * chance of the partition)``
on an item with probabilities p. If P stays above 1 - max p for every p, the mean of v over items
bounds the floor from above; from below likewise. Which v is best is a linear program.

That P stays on its side is certain, not sampled. On the triangle of sorted p the floor is linear
and P a polynomial of degree m. In each of the small triangles that it is divided into, both are
averages of their Bernstein coefficients, so it suffices that the coefficients stay on their side.

The program needs to know how frequent partitions are. Limits bet on blocks of items in turn, and
the numbers for a block are chosen by the blocks before it: bets may depend on the past.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.intervals.bets import BLOCKS, Bets, Blocks
from errorfloor.intervals.votes.bracket import missed_votes
from errorfloor.methods.votes.many.fit import fit_partitions
from errorfloor.methods.votes.many.partitions import MOST_VOTES_USED, law, partitions, places, sums

CLASSES = 3
_CHOSEN_AT = (1, 2, 4)  # blocks before which numbers are chosen anew, of five
_ALONG = 40  # coefficients along a side of the large triangle
# Largest numbers per partition; the larger, the sharper the bound and the noisier its mean.
_LARGEST = (1.0, 2.0)
_NOISE = 2.5  # standard errors that a bound is judged with
_REACHED = 1e-9  # what rounding may have done to coefficients


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Numbers per block and row whose means lie on one side of the floor."""

    sign: float  # 1 for the upper side
    values: Floats  # (blocks, rows)
    least: Floats  # that a number of each block can be, whatever the votes
    most: Floats

    @classmethod
    def plain(cls, votes: Counts, sign: float) -> Side:
        """Return what needs no choice: what the leading class leaves, or votes that others miss."""
        values = _plain(votes, sign)
        top = 1.0 if sign > 0 else 1 - 1 / CLASSES
        return cls(sign, np.tile(values, (BLOCKS, 1)), np.zeros(BLOCKS), np.full(BLOCKS, top))

    def choose(self, block: int, votes: Counts, own: Bools, chances: Floats, n: int) -> None:
        """Choose numbers for rows of one total, from a block on."""
        weights, of = _chosen(votes[own], chances, self.sign, n)
        self.values[block:, own] = weights[of]
        self.least[block:] = np.minimum(self.least[block:], weights.min())
        self.most[block:] = np.maximum(self.most[block:], weights.max())

    def limit(self, blocks: Blocks, level: float) -> float:
        """Return the floor that betting refutes to just this side of it."""
        span, bounds = (0.0, 1 - 1 / CLASSES), (self.least, self.most)
        bets = Bets.of(self.values, blocks, span, bounds=bounds)
        return bets.lower(level) if self.sign < 0 else bets.upper(level)


@dataclass(frozen=True, slots=True, eq=False)
class Triangle:
    """Numbers whose means enclose the floor, and the items to bet on."""

    below: Side = field(repr=False)
    above: Side = field(repr=False)
    blocks: Blocks = field(repr=False)

    @classmethod
    def of(cls, votes: Counts, blocks: Blocks) -> Triangle:
        """Choose numbers for each block by the votes of the blocks before it."""
        totals, n = votes.sum(axis=1), int(blocks.n)
        below, above = (Side.plain(votes, sign) for sign in (-1.0, 1.0))
        before = [seen.counts(len(votes)) for seen in blocks.before]
        few = np.unique(totals[(totals > 1) & (totals <= MOST_VOTES_USED)])
        for b in _CHOSEN_AT if few.size else ():
            seen = before[b] > 0
            if seen.any():
                fit = fit_partitions(votes[seen], before[b][seen])
                chances = law(fit.points) @ fit.weights
                for m in few:
                    below.choose(b, votes, totals == m, chances, n)
                    above.choose(b, votes, totals == m, chances, n)
        return cls(below, above, blocks)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        return self.below.limit(self.blocks, level), self.above.limit(self.blocks, level)


def _plain(votes: Counts, sign: float) -> Floats:
    return missed_votes(votes) if sign > 0 else 1 - votes.max(axis=1) / votes.sum(axis=1)


def _chosen(votes: Counts, chances: Floats, sign: float, n: int) -> tuple[Floats, NDArray[np.intp]]:
    """Return numbers for the partitions of a total, and which partition each row is."""
    total = int(votes[0].sum())
    cells = cells_of(total)
    every = np.zeros((cells.size, CLASSES), dtype=np.int64)
    for row, cell in zip(every, cells, strict=True):
        parts = partitions(MOST_VOTES_USED)[cell]
        row[: len(parts)] = parts
    share = chances[cells] / chances[cells].sum()
    found = [weights_for(total, share, sign, largest) for largest in _LARGEST]
    found.append(_plain(every, sign))
    best = found[int(np.argmin([_judged(weights, share, sign, n) for weights in found]))]
    place = places(-np.sort(-votes, axis=1), MOST_VOTES_USED)
    return best, np.searchsorted(cells, place)


def _judged(values: Floats, share: Floats, sign: float, n: float) -> float:
    """Return how far a bound is to be expected on its side, with noise; less is better."""
    mean = float(share @ values)
    noise = float(np.sqrt(float(share @ (values - mean) ** 2) / max(n, 1.0)))
    return sign * mean + _NOISE * noise


def weights_for(votes: int, share: Floats, sign: float, largest: float) -> Floats:
    """Return the numbers of partitions on one side of the floor with the nearest mean."""
    from scipy.optimize import linprog  # SciPy's parts load slowly

    coefficients, floor = bernstein(votes)
    found = linprog(
        sign * share, A_ub=-sign * coefficients.T, b_ub=-sign * floor, bounds=(-largest, largest)
    )
    weights = np.asarray(found.x) if found.x is not None else np.full(share.size, sign)
    # Partitions have chances that add up to 1: raising all numbers raises P as much.
    short = float(np.max(sign * (floor - weights @ coefficients)))
    return np.asarray(weights + sign * (max(short, 0.0) + _REACHED))


def cells_of(votes: int) -> NDArray[np.intp]:
    """Return which partitions three classes can have among so many votes."""
    fits: Bools = np.array([len(parts) <= CLASSES for parts in partitions(MOST_VOTES_USED)])
    return np.flatnonzero(fits & (sums(MOST_VOTES_USED) == votes))


@lru_cache(maxsize=16)
def bernstein(votes: int) -> tuple[Floats, Floats]:
    """Return Bernstein coefficients of all partitions' chances, and of the floor.

    Shapes (partitions, coefficients) and (coefficients,): those of all small triangles together.
    """
    order = np.array(
        [(i, j, votes - i - j) for i in range(votes + 1) for j in range(votes + 1 - i)]
    )
    at = order / votes
    corners = np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    points = np.concatenate(
        [at @ (triangle @ corners) for triangle in small_triangles(_ALONG // votes)]
    )
    values = law(points)[cells_of(votes)]
    basis = law_of_counts(order, at)
    shape = values.shape[0], -1, order.shape[0]
    coefficients = np.linalg.solve(basis, values.reshape(shape).transpose(0, 2, 1))
    flat = np.asarray(coefficients.transpose(0, 2, 1).reshape(values.shape[0], -1))
    return flat, np.asarray(1 - points[:, 0])


def law_of_counts(order: Counts, at: Floats) -> Floats:
    """Return the Bernstein polynomials (columns) at points (rows): multinomial chances."""
    from scipy.special import gammaln, xlogy

    logs = xlogy(order[None], at[:, None]).sum(axis=2)
    logs += gammaln(order[0].sum() + 1) - gammaln(order + 1).sum(axis=1)
    return np.asarray(np.exp(logs))


def small_triangles(side: int) -> Floats:
    """Return the corners of the small triangles, (triangles, 3, 3), in shares of the large ones."""
    found = []
    for i in range(side):
        for j in range(side - i):
            found.append([(i, j), (i + 1, j), (i, j + 1)])
            if i + j < side - 1:
                found.append([(i + 1, j), (i, j + 1), (i + 1, j + 1)])
    pairs = np.array(found) / side
    return np.concatenate((pairs, 1 - pairs.sum(axis=2, keepdims=True)), axis=2)
