"""The certified interval for many classes: means of known numbers that enclose the floor.

Given an item's probabilities p, its votes enclose 1 - max p in two ways. *Bracket*: the share of
votes that the leading class leaves is too low on average, for a maximum of means is at most the
mean of maxima; and a vote that is predicted from the other votes is missed at least as often as
the likeliest class is. *Pairs*: two votes agree with chance A, the sum of p^2, which lies between
bounds in terms of max p. Each of the four means has a betting limit that holds for any n. Of three
classes, better numbers than these are sought; see `Triangle`.

The floor of the plurality of r votes is enclosed likewise. From m >= r votes, the chance of each
class to have the plurality of r that are drawn from them is unbiased, so what the largest of these
chances leaves is too low on average; and the plurality of r drawn votes is missed by that of the
others at least as often as by the best rule. From fewer votes, the floor of one vote is above: of
the counts of r votes the class with the largest p has the largest count more often than any other,
so it wins at least as often as a vote that is drawn from them is for it, which is max p.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.special import binom

from errorfloor._checks import InputError, argument
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.bets import BLOCKS, Bets, Blocks
from errorfloor.intervals.record import Case
from errorfloor.intervals.votes.limits import not_a_sample
from errorfloor.methods.record import VOTES_DECIDE
from errorfloor.methods.votes.simplex import (
    MOST_VOTES_USED,
    fit_partitions,
    in_order,
    law,
    log_chances,
    partitions,
    places,
    sums,
)

SIDES = 4  # one-sided limits that share the error probability
_MOST_DRAWS = 20_000  # ways to draw the votes of a plurality, beyond which simpler numbers serve


@dataclass(frozen=True, slots=True, eq=False)
class Bracket:
    """Limits of the floor behind votes for many classes that hold at any number of items."""

    value: float  # the estimate, which limits never leave out
    classes: int
    majority: int  # of how many votes the label is the plurality
    left: Bets = field(repr=False)  # share of votes that the leading class leaves
    missed: Bets = field(repr=False)  # votes missed by the plurality of the others
    least: Bets = field(repr=False)  # agreement of pairs, as low as can be
    most: Bets = field(repr=False)  # and as high
    triangle: Triangle | None = field(default=None, repr=False)  # in place of all, of three classes
    note: str = ""
    method: str = "certified"

    @classmethod
    def around(cls, case: Case) -> Bracket:
        """Return the limits of a case."""
        cells, table = case.cells, case.table
        assert isinstance(table, VoteTable)
        _check(case, cells)
        votes, classes = cells.votes, len(table.classes)
        blocks = Blocks.drawn(case.count, case.streams.for_("blocks"))
        agree, some = agreements(votes), cells.totals > 1
        # Items with a single vote have no pair. Where totals say nothing about items, the others
        # stand for them; else they may agree as little or as much as can be.
        own = blocks if case.options.by_item else blocks.at(np.flatnonzero(some[blocks.unit]))
        least, most = (
            Bets.of(np.where(some, agree, unknown), own) for unknown in (1 / classes, 1.0)
        )
        triangle = None
        majority = case.options.target.majority
        left, missed = enclosing(votes, majority)
        if classes == 3 and majority <= 2:
            triangle = Triangle.of(votes, blocks)
        return cls(
            case.value,
            classes,
            majority,
            Bets.of(left, blocks, (0.0, 1 - 1 / classes)),
            Bets.of(missed, blocks),
            least,
            most,
            triangle,
            not_a_sample(table, case.options),
        )

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        if self.triangle is not None:
            low, high = self.triangle.limits(level)
            return min(low, self.value), max(high, self.value)
        each = 1 - 2 * (1 - level) / SIDES  # two-sided, of which one side is used
        low = self.left.lower(each)
        if self.majority <= 2:
            low = max(low, pair_floor(self.most.upper(each), self.classes))
        high = min(self.missed.upper(each), 1 - self.least.lower(each))
        return min(low, self.value), max(high, self.value)


def enclosing(votes: Counts, majority: int) -> tuple[Floats, Floats]:
    """Return numbers for each row of votes whose means enclose the floor of the plurality."""
    totals, classes = votes.sum(axis=1), votes.shape[1]
    if majority <= 2:
        return 1 - votes.max(axis=1) / totals, missed_votes(votes)
    left, missed, ordered = np.zeros(totals.size), missed_votes(votes), in_order(votes)
    for i in np.flatnonzero(totals >= majority):
        # Which numbers serve may depend on the total, but not on how its votes fell.
        if comb(min(classes, int(totals[i])) + majority - 1, majority) <= _MOST_DRAWS:
            own = ordered[i, : np.count_nonzero(ordered[i])]
            drawn = _drawn(own.size, majority)
            chance = binom(own, drawn).prod(axis=1) / binom(totals[i], majority)
            leads = _leads(drawn)
            left[i] = 1 - (chance @ leads).max()
            if totals[i] > majority:
                missed[i] = 1 - chance @ (leads * _leads(own - drawn)).sum(axis=1)
    return np.maximum(left, 0.0), np.clip(missed, 0.0, 1.0)


@lru_cache(maxsize=32)
def _drawn(classes: int, votes: int) -> Counts:
    """Return all numbers of votes for each class that add up to so many."""
    picked = np.array(list(combinations_with_replacement(range(classes), votes)))
    return np.asarray((picked[:, :, None] == np.arange(classes)).sum(axis=1))


def _leads(votes: Counts) -> Floats:
    """Return the chance of each class to have the plurality, ties broken at random."""
    most = votes == votes.max(axis=1, keepdims=True)
    return np.asarray(most / most.sum(axis=1, keepdims=True))


def agreements(votes: Counts) -> Floats:
    """Return the share of pairs of votes that agree, in each row; 1 where there is no pair."""
    own = votes.astype(np.float64)
    totals = own.sum(axis=1)
    pairs = totals * (totals - 1)
    return np.where(pairs > 0, (own * (own - 1)).sum(axis=1) / np.maximum(pairs, 1.0), 1.0)


def missed_votes(votes: Counts) -> Floats:
    """Return the share of votes that the plurality of the other votes misses, in each row.

    A vote for the single leader is met if its class still leads without it; classes that come up
    to it then share the chance. Any other vote is missed. A single vote is guessed.
    """
    most = votes.max(axis=1)
    leaders = (votes == most[:, None]).sum(axis=1)
    tied = (votes == most[:, None] - 1).sum(axis=1)
    met = np.where(leaders == 1, most / votes.sum(axis=1) / (tied + 1), 0.0)
    return np.asarray(1 - met)


def pair_floor(agreement: float, classes: int) -> float:
    """Return the least floor of items whose votes agree in pairs so often on average."""
    excess = max(classes * min(agreement, 1.0) - 1, 0.0)
    return float(1 - (1 + np.sqrt((classes - 1) * excess)) / classes)


def _check(case: Case, cells: Sample) -> None:
    """Refuse what there is no proof for."""
    totals = cells.totals
    if case.options.totals_by == VOTES_DECIDE and int(totals.min()) < int(totals.max()):
        raise InputError(
            "The certified interval needs totals that votes did not decide, where there are more "
            "than two classes. Where the order of votes is known, the first votes of each item, "
            "equally many, will do without ",
            argument("totals_by"),
            "; the likelihood interval needs no order.",
        )


CLASSES = 3
_CHOSEN_AT = (1, 2, 4)  # blocks before which numbers are chosen again, of five
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
    """Sharper limits for three classes: the best numbers per partition that stay on one side.

    Numbers v for the partitions of m votes have the mean ``P(p) = sum(v * chance of the
    partition)`` on an item with probabilities p. If P stays above 1 - max p for every p, the mean
    of v over items bounds the floor from above; from below likewise. Which v is best is a linear
    program.

    That P stays on its side is certain, not sampled. On the triangle of sorted p the floor is
    linear and P a polynomial of degree m. In each of the small triangles that it is divided into,
    both are averages of their Bernstein coefficients, so it suffices that the coefficients stay on
    their side.

    The program needs to know how frequent partitions are. Limits bet on blocks of items in turn,
    and the numbers for a block are chosen by the blocks before it: bets may depend on the past.
    """

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
        parts = partitions()[cell]
        row[: len(parts)] = parts
    share = chances[cells] / chances[cells].sum()
    found = [weights_for(total, share, sign, largest) for largest in _LARGEST]
    found.append(_plain(every, sign))
    best = found[int(np.argmin([_judged(weights, share, sign, n) for weights in found]))]
    place = places(-np.sort(-votes, axis=1))
    return best, np.searchsorted(cells, place)


def _judged(values: Floats, share: Floats, sign: float, n: float) -> float:
    """Return how far a bound is to be expected on its side, with noise; less is better."""
    mean = float(share @ values)
    noise = float(np.sqrt(float(share @ (values - mean) ** 2) / max(n, 1.0)))
    return sign * mean + _NOISE * noise


def weights_for(votes: int, share: Floats, sign: float, largest: float) -> Floats:
    """Return the numbers of partitions on one side of the floor with the nearest mean."""
    from scipy.optimize import linprog  # loads slowly, and few ask for it

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
    fits: Bools = np.array([len(parts) <= CLASSES for parts in partitions()])
    return np.flatnonzero(fits & (sums() == votes))


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
    basis = np.exp(log_chances(order, at)).T  # polynomials (columns) at points (rows)
    shape = values.shape[0], -1, order.shape[0]
    coefficients = np.linalg.solve(basis, values.reshape(shape).transpose(0, 2, 1))
    flat = np.asarray(coefficients.transpose(0, 2, 1).reshape(values.shape[0], -1))
    return flat, np.asarray(1 - points[:, 0])


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
