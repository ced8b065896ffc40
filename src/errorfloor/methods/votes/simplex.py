"""The distribution behind votes for many classes: on fixed points of the simplex.

Counts c of m votes have the chance ``m! prod(p_k^c_k / c_k!)``. *Partitions* are an item's counts
in falling order. Summed over all ways to give the parts of a partition to classes, their chance
depends on the probabilities in any order, so it needs no symmetry of the classes, and points need
sorted probabilities only. The sum is a recursion over classes: a class adds one part, or none.

A mixture's weights lie on a fixed set of points, so that answers need no random numbers. They are
a lattice of points, carried into distributions of several spreads, from nearly certain to nearly
uniform: symmetric Dirichlet distributions, and items that are much alike. Further points have few
classes, or two levels only: some classes share one part evenly, some share the rest. The most
extreme distributions that votes allow are often of these kinds.

What errors on each class cost, or how rare a class is, sorted probabilities do not tell. For that
the law is that of the *counts* themselves, and points fill the whole simplex: with each class in
its place there are many more counts than partitions, so fewer votes of an item are used and there
may be at most five classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import (
    betaincinv,
    binom,
    gammainccinv,
    gammaincinv,
    gammaln,
    ndtr,
    xlogy,
)

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.methods.votes.dual import SMOOTHING, Gain, Likelihood, Trail, anneal, log_gain
from errorfloor.methods.votes.share_bias import lost_at, plurality
from errorfloor.methods.votes.thinning import Votes, generator_of

# Votes of an item that enter likelihoods; of more votes every ten of them stand in.
MOST_VOTES_USED = 10
_CHUNK = 8192  # only for speed: rows at a time

Partition: TypeAlias = tuple[int, ...]


@lru_cache(maxsize=16)
def partitions(most: int = MOST_VOTES_USED) -> tuple[Partition, ...]:
    """Return all partitions of 0, 1, ..., `most`, by their sum."""
    found: list[list[Partition]] = [[()]]
    for total in range(1, most + 1):
        rows = [
            (first, *rest)
            for first in range(1, total + 1)
            for rest in found[total - first]
            if not rest or rest[0] <= first
        ]
        found.append(rows)
    return tuple(row for rows in found for row in rows)


@lru_cache(maxsize=16)
def sums(most: int = MOST_VOTES_USED) -> Counts:
    """Return the sum of each partition."""
    return np.array([sum(parts) for parts in partitions(most)], dtype=np.int64)


@lru_cache(maxsize=16)
def _steps(most: int) -> tuple[tuple[int, int, int], ...]:
    """Return (partition, part, partition without the part), larger sums first."""
    every = partitions(most)
    place = {parts: i for i, parts in enumerate(every)}
    steps = []
    for i in range(len(every) - 1, 0, -1):
        for part in sorted(set(every[i])):
            rest = list(every[i])
            rest.remove(part)
            steps.append((i, part, place[tuple(rest)]))
    return tuple(steps)


def law(points: Floats, most: int = MOST_VOTES_USED) -> Floats:
    """Return the chance of each partition among so many votes as its sum, at each point.

    Parameters
    ----------
    points : array of shape (points, classes)
        Probabilities of the classes.
    most : int
        The largest sum.

    Returns
    -------
    array of shape (partitions, points)

    Examples
    --------
    >>> law(np.array([[0.5, 0.3, 0.2]]), 2)[:, 0].round(2)  # (), (1), (1, 1), (2)
    array([1.  , 1.  , 0.62, 0.38])
    """
    parts = np.arange(1, most + 1)[:, None]
    terms = (own**parts / np.exp(gammaln(parts + 1)) for own in points.T if own.any())
    found = _recursion(terms, most, points.shape[0])
    return np.asarray(found * np.exp(gammaln(sums(most) + 1))[:, None])


def _recursion(terms: Iterable[Floats], most: int, columns: int) -> Floats:
    """Sum products of the classes' terms (parts, columns) over all ways to make each partition."""
    found = np.zeros((len(partitions(most)), columns))
    found[0] = 1.0
    for own in terms:
        # In place: a partition needs smaller ones only, as they were before this class.
        for i, part, rest in _steps(most):
            found[i] += own[part - 1] * found[rest]
    return found


def in_order(votes: Counts) -> Counts:
    """Return each row's votes in falling order, without columns that are all zero."""
    ordered = np.sort(votes, axis=1)[:, ::-1]
    return ordered[:, : max(int(np.count_nonzero(ordered.any(axis=0))), 1)]


def expected(votes: Counts, counts: Counts | Floats) -> Floats:
    """Return how many items have each partition, where each item shows at most ten votes.

    Of items with more votes, each choice of that many of them is as good as another: the item
    counts as a fraction for each partition, the share of choices that have it.

    Parameters
    ----------
    votes : array of shape (rows, classes)
        Number of votes for each class.
    counts : array of shape (rows,)
        Number of items with such votes.

    Returns
    -------
    array of shape (partitions,)
    """
    found = np.zeros(len(partitions()))
    few = votes.sum(axis=1) <= MOST_VOTES_USED
    if few.any():
        ordered = in_order(votes[few])[:, :MOST_VOTES_USED]
        found += np.bincount(places(ordered), counts[few], minlength=found.size)
    if not few.all():
        ordered, many = in_order(votes[~few]), np.asarray(counts[~few], dtype=np.float64)
        for at in range(0, many.size, _CHUNK):
            here = slice(at, at + _CHUNK)
            found += subtables(ordered[here]) @ many[here]
    return found


def places(ordered: Counts) -> NDArray[np.intp]:
    """Return which partition each row of votes in falling order is."""
    base = MOST_VOTES_USED + 1
    keys = np.array([_key(parts, base) for parts in partitions()])
    order = np.argsort(keys)
    own = ordered @ (base ** np.arange(ordered.shape[1], dtype=np.int64))
    return np.asarray(order[np.searchsorted(keys, own, sorter=order)])


def _key(parts: Partition, base: int) -> int:
    return sum(part * base**i for i, part in enumerate(parts))


def subtables(votes: Counts) -> Floats:
    """Return the share of choices of ten votes of each row that have each partition.

    Shape (partitions, rows); partitions of other sums have none.
    """
    most = MOST_VOTES_USED
    share = votes.T / votes.sum(axis=1)  # of votes, so that products stay in range
    step = 1 / votes.sum(axis=1)
    terms = np.empty((votes.shape[1], most, votes.shape[0]))
    terms[:, 0] = share
    for j in range(1, most):  # binom(c, j + 1) / m^(j + 1)
        terms[:, j] = terms[:, j - 1] * np.maximum(share - j * step, 0.0) / (j + 1)
    found = _recursion(terms, most, votes.shape[0])
    found[sums() != most] = 0.0
    return np.asarray(found / found.sum(axis=0))


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
    alike = np.concatenate([_similar_items(classes, spread) for spread in _SPREADS])
    points = np.concatenate((smooth, alike, _few_classes(classes), _two_levels(classes)))
    points.setflags(write=False)
    return Support(points, Ladder(smooth, 0), Ladder(alike, smooth.shape[0]))


def _lattice(size: int, multiplier: int, dimensions: int) -> Floats:
    """Return points that fill the unit cube evenly, from its corner on."""
    powers = [pow(multiplier, k, size) for k in range(dimensions)]
    return np.asarray(np.outer(np.arange(size), powers) % size / size)


def _dirichlet(uniform: Floats, spread: float) -> Floats:
    """Carry points of the cube to sorted draws of a symmetric Dirichlet distribution."""
    uniform, classes = (uniform + 0.5) % 1.0, uniform.shape[1]  # none lies on a face
    shape = (1 / spread - 1) / classes
    # The largest of K uniform numbers is the K-th root of one, the next is a part of it, and so
    # on. So the first coordinates, which fill their space best, decide the largest classes.
    logs = np.cumsum(np.log(uniform) / np.arange(classes, 0, -1), axis=1)
    gamma = gammainccinv(shape, -np.expm1(logs))
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def _similar_items(classes: int, spread: float) -> Floats:
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


# Fractions of an item, below which a partition is left out.
_LEAST_ITEMS = 0.01


@dataclass(frozen=True, kw_only=True)
class SimplexLikelihood(Likelihood):
    """A likelihood on points that may be left out."""

    def among(self, kept: NDArray[np.intp]) -> Self:
        """Return the same likelihood on some of the points."""
        matrix = np.ascontiguousarray(self.matrix[:, kept])
        return replace(self, matrix=matrix, points=self.points[kept], floor=self.floor[kept])


@dataclass(frozen=True, kw_only=True)
class PartitionLikelihood(SimplexLikelihood):
    """The likelihood of partitions of votes, on points of sorted probabilities."""

    cells: NDArray[np.intp]  # which partitions occur

    @classmethod
    def of(
        cls,
        items: Floats,
        classes: int,
        kept: NDArray[np.intp] | None = None,
        floor: Floats | None = None,
    ) -> PartitionLikelihood:
        """Return the likelihood of so many items with each partition, on some of the points."""
        n = float(items.sum())
        total = sums()
        seen = items >= min(_LEAST_ITEMS, float(items.max()))
        cells, share = np.flatnonzero(seen), items[seen] / items[seen].sum()
        by_total = np.bincount(total[cells], share, MOST_VOTES_USED + 1).astype(np.float64)
        at = support(classes)
        matrix, points = at.law[cells], at.points
        if kept is not None:
            # Row after row in memory, which is half the time of a fit.
            matrix, points = matrix.take(kept, axis=1), points[kept]
        fits = np.array([len(parts) <= classes for parts in partitions()])
        could = fits & (by_total[total] > 0)
        return cls(
            n=n,
            share=share,
            within=by_total[total[cells]],
            matrix=matrix,
            complete=bool((seen | ~could).all()),
            points=points,
            floor=np.asarray(1 - points[:, 0]) if floor is None else floor,
            cells=cells,
        )

    def log_chances(self, p: Floats) -> Floats:
        """Return the logarithm of each cell's chance if every item has these probabilities."""
        return np.log(_law_at(tuple(p.tolist()))[self.cells])


@lru_cache(maxsize=8)
def _law_at(p: tuple[float, ...]) -> Floats:
    return law(np.array([p]))[:, 0]


# How many items' worth of log-likelihood one unit of relative entropy to the reference costs.
PENALTY = 2.0
# Points that weigh less than this together change no answer.
_NEGLIGIBLE = 1e-7


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
        chances = law(self.points)[places(own)]
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
        place = places(own)
        chances = law(self.points)[place] @ self.weights
        lead, tied = own[:, 0], (own == own[:, :1]).sum(axis=1)
        rest = law(self.points[:, 1:])[places(own[:, 1:])]
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
    weights = likelihood.maximised(penalty / likelihood.n, reference[kept])[1]
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


# Votes of an item that are used, by the number of classes: about a hundred different counts.
MOST_VOTES = {3: 10, 4: 7, 5: 5}
_PLACED_LATTICE = _FOR_MANY
_PLACED_SPREADS = (0.05, 0.2, 0.5, 0.8)  # of which the one half is Dirichlet(1/K, ..., 1/K)
_PLACED_HALF = _PLACED_SPREADS.index(0.5)
_TORN = 15  # shares of the first of two classes that an item is torn between


@dataclass(frozen=True, kw_only=True)
class CountLikelihood(SimplexLikelihood):
    """The likelihood of counts of votes, each class in its place, on points of the simplex."""

    reference: Floats  # weights of the points that a fit keeps to where votes do not say otherwise
    votes: Counts  # of each cell

    @classmethod
    def around(cls, votes: Counts, counts: Counts | Floats) -> CountLikelihood:
        """Return the likelihood of a table of votes."""
        votes, items = kept_votes(votes, counts)
        n = float(items.sum())
        distinct, group = np.unique(votes.sum(axis=1), return_inverse=True)
        points, reference = _points(votes, items)
        classes = votes.shape[1]
        # So many different counts could be.
        could = sum(comb(int(m) + classes - 1, classes - 1) for m in distinct)
        return cls(
            n=n,
            share=items / n,
            within=np.bincount(group, items)[group] / n,
            matrix=np.exp(log_chances(votes, points)),
            complete=could == items.size,
            points=points,
            floor=np.zeros(points.shape[0]),
            reference=reference,
            votes=votes,
        )

    def among(self, kept: NDArray[np.intp]) -> CountLikelihood:
        """Return the same likelihood on some of the points."""
        return replace(super().among(kept), reference=self.reference[kept])

    def smoothed(self, penalty: float) -> Floats:
        """Return weights of the points that are fitted to the votes, and held to the reference."""
        found = np.zeros(self.reference.size)
        kept = np.flatnonzero(self.reference)
        found[kept] = self.among(kept).maximised(penalty / self.n, self.reference[kept])[1]
        return found

    def log_chances(self, p: Floats) -> Floats:
        """Return the logarithm of each cell's chance if every item has these probabilities."""
        return log_chances(self.votes, p[None])[:, 0]


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
    size = _PLACED_LATTICE[0]
    pi = np.maximum(shares_of_votes(votes, items), 1e-3)
    pi /= pi.sum()
    # The agreement of votes under Dirichlet(s pi) is (s pi'pi + 1) / (s + 1).
    same, agreement = float(pi @ pi), agreement_of(votes, items)
    ratio = min(max((agreement - same) / (1 - same), 0.005), 0.99)
    own = _placed_dirichlet(votes.shape[1], (1 / ratio - 1) * pi)
    reference = np.zeros(fixed.shape[0] + size)
    reference[_PLACED_HALF * size : (_PLACED_HALF + 1) * size] = 0.5 / size
    reference[-size:] = 0.5 / size
    return np.concatenate((fixed, own)), reference


@lru_cache(maxsize=4)
def _fixed(classes: int) -> Floats:
    """Return the points that are always the same."""
    parts = [
        _placed_dirichlet(classes, np.full(classes, (1 / s - 1) / classes)) for s in _PLACED_SPREADS
    ]
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


def _placed_dirichlet(classes: int, shape: Floats) -> Floats:
    """Carry a lattice of points of the cube to a Dirichlet distribution, classes in place."""
    uniform = (_lattice(*_PLACED_LATTICE, classes) + 0.5 / _PLACED_LATTICE[0]) % 1.0
    gamma = np.maximum(gammaincinv(shape, uniform), 1e-300)
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


_STRIDE = 8  # one in so many points to begin with
_ADDED = 200  # points at once
LIGHT = 1e-6  # share of the heaviest point's weight that is none
_MOST_SOLVED = 40  # problems on the way
# Further off than so many temperatures steps would stall; closer than that no points are missing.
_FAR, _CLOSE = 5.0, 0.1
# How nearly the last temperature is solved, for a rough bound or on the way, and for others.
NEARLY, SOLVED = 1e-3, 1e-9
FIRST = 1e-3  # only for speed, as are all temperatures but the last
EXACT = (FIRST, 1e-4, 10 * SMOOTHING, SMOOTHING)  # only for speed
_FOR_FIT = (0.01, *EXACT)  # only for speed


@dataclass
class Gathered:
    """The points of a likelihood that have mattered so far, and what was found on them.

    Weights of partitions bound a mean, less by how much they are off at the worst of all points;
    and for the best weights few points are the worst. So weights are sought on some of the points,
    points are added at which these weights are still further off, and so on: a cutting-plane
    method. Whatever was gathered, a bound is by the worst of all points.
    """

    likelihood: SimplexLikelihood
    points: NDArray[np.intp]
    trail: Trail = field(default_factory=dict, init=False)

    @classmethod
    def around(cls, likelihood: SimplexLikelihood, some: NDArray[np.intp]) -> Gathered:
        """Begin with some points and an even choice of all others."""
        return cls(likelihood, np.union1d(some, np.arange(0, likelihood.floor.size, _STRIDE)))

    def weights(
        self,
        target: Floats,
        gain: Gain,
        start: Floats,
        temperatures: tuple[float, ...],
        tolerance: float = SOLVED,
    ) -> tuple[Floats, Floats]:
        """Return the best weights at the last of falling temperatures, and the distribution.

        They are those of `dual.anneal`, but that points which were not gathered have no weight.
        """
        weights, place = start, 0
        for _ in range(_MOST_SOLVED):
            at = temperatures[place]
            own, few = self.points, self.likelihood.among(self.points)
            final = place == len(temperatures) - 1
            weights, density = anneal(
                few, weights, few.log_arcsine, target[own], gain, at, at, self.trail,
                tolerance if final else NEARLY,
            )  # fmt: skip
            off = self._gather(self.likelihood.polynomials(weights) - target, _CLOSE * at)
            if off > _FAR * at:
                place = max(place - 1, 0)
            elif final and not off:
                break
            elif not off:
                place += 1
        found = np.zeros(target.size)
        found[own] = density
        return weights, found

    def _gather(self, height: Floats, close: float) -> float:
        """Add points that are higher than those so far; return by how much, or 0 if none is."""
        above = height - height[self.points].max()
        new = np.flatnonzero(above > close)
        if not new.size:
            return 0.0
        most = new[np.argsort(-above[new], kind="stable")[:_ADDED]]
        self.points = np.union1d(self.points, most)
        return float(above.max())


def fitted_weights(likelihood: SimplexLikelihood, penalty: float) -> Floats:
    """Return weights that fit as well as those of `Likelihood.fitted`, sooner."""
    start = likelihood.share / likelihood.matrix.mean(axis=1)
    temperatures = (*(t for t in _FOR_FIT if t > penalty), penalty)
    nothing = np.zeros(likelihood.floor.size)
    # Where each cell is likeliest, no weight of it can grow without bound.
    gathered = Gathered.around(likelihood, likelihood.matrix.argmax(axis=1))
    return gathered.weights(nothing, log_gain, start, temperatures)[1]
