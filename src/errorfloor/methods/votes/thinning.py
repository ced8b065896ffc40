"""Fewer votes where there are too many to compute with.

The likelihood has a row for each distinct pair of votes, and the certified band one for each
possible pair; both have columns that grow with the root of the votes. So time and memory grow
without limit in the votes. Yet a few hundred votes on an item tell its probability well: what is
left open comes from the number of items.

Some of an item's votes, drawn at random, are binomial with the same probability. So limits from
them hold as well as limits from all votes. Where all votes would exceed a budget, each item keeps
at most 1,024 of them, and at most 256 if that is still too many. Totals are rounded down to a
ladder whose rungs are about a fifth apart, so that unequal totals become few. The seed of the draw
is a hash of the votes: the same votes give the same answer, and other votes another draw. Below the
budget every vote is used.

A draw adds noise, which the point estimate does without. At the maximum of likelihood the floor is
the mean, over items, of what the fit expects given their votes. Items with 256 votes or more count
with the minority share of all their votes instead, corrected by its exact bias under the fit.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.share_bias import mean_lost
from errorfloor.metrics.record import least_error

# Votes an item keeps at most; the first that the budget allows.
_CAPS = 1024, 256
# Budgets: multiplications in a step of the fit, and entries of the certified band's matrix.
_WORK, _BAND = 2**27, 2**23
# Pairs of votes in all, and totals, where each total has a distribution of its own.
_APART, _FEW_TOTALS = 1000.0, 12
# Totals up to here stay; above, rungs grow by a factor of 2^(1/4).
_EVERY_TOTAL = 16
# NumPy's hypergeometric draws end here. Cells with more items than this draw from probabilities.
_MOST_DRAWN, _MANY_ITEMS = 10**9, 4096


class Votes(NamedTuple):
    """Distinct pairs of votes and the number of items that have each."""

    positives: Counts
    totals: Counts
    counts: Counts

    @property
    def n(self) -> int:
        """Number of items; of weighted ones it need not be whole."""
        total: int = self.counts.sum().item()
        return total

    def where(self, chosen: NDArray[np.bool_]) -> Votes:
        """Return some of the pairs."""
        return Votes(self.positives[chosen], self.totals[chosen], self.counts[chosen])


def affordable(cells: int, totals: Counts) -> bool:
    """Tell whether so many distinct pairs of votes with these distinct totals fit the budget."""
    root = 8 * float(np.sqrt(totals.max()))  # of that order are points and cosines
    rank = min(float(cells), root)
    points = max(2.0 ** np.ceil(np.log2(root)), 256.0)
    return bool(
        rank**2 * (2 * cells + max(4096.0, points)) <= _WORK
        and float((totals + 1.0).sum()) * points <= _BAND
    )


def votes_used(votes: int) -> int:
    """Return how many of the votes on each item are used if every number of positives occurs."""
    least = min(votes, _CAPS[-1])
    able = (m for m in (votes, *_CAPS) if m <= votes and affordable(m + 1, np.array([m])))
    return next(able, least)


def points_for(votes: int) -> int:
    """Return grid intervals for limits from thinned votes: more than all votes can afford."""
    return 1024 if votes > _CAPS[-1] else 512


def refuse_shares(counts: Any, votes: int, most: int = 0) -> None:
    """Refuse items that are counted by weight where they have too many votes to use all of them.

    Some of the votes on an item can only be left out of whole items.
    """
    if votes > most and counts.dtype.kind == "f":
        raise InputError(
            f"Some items have {votes:,} votes, which are too many for a mixture with ",
            *(argument("weight"), " or ", argument("cluster"), ". Use "),
            *(argument("method", "plugin"), ", or fewer votes per item."),
        )


def thinned(positives: Counts, totals: Counts, counts: Counts) -> Votes | None:
    """Return the votes with some of them left out at random, or None where all can be used."""
    if totals.size == 0 or affordable(totals.size, np.unique(totals)):
        return None
    refuse_shares(counts, int(totals.max()))
    return _thinned_to(_CAPS, affordable, Votes(positives, totals, counts))


def _thinned_to(caps: tuple[int, ...], fits: Callable[[int, Counts], bool], votes: Votes) -> Votes:
    """Return the votes with at most as many of each item as the first cap that fits a budget."""
    order = np.lexsort((votes.positives, votes.totals))
    votes = Votes(*(column[order] for column in votes))
    rng = generator_of(votes)
    for cap in caps:
        votes = _draw(votes, _rungs(votes.totals, cap), rng)
        if fits(votes.totals.size, np.unique(votes.totals)):
            break
    return votes


def by_total(totals: Counts) -> Counts:
    """Return a number for each total, the same for totals that are so close that they go together.

    Totals of few different numbers of votes stay apart.
    """
    return totals if np.unique(totals).size <= _FEW_TOTALS else _rungs(totals, int(totals.max()))


def thinned_apart(positives: Counts, totals: Counts, counts: Counts) -> Votes | None:
    """Return the votes with fewer totals, each with fewer votes, or None where all can be used."""
    distinct = np.unique(totals)
    if distinct.size <= _FEW_TOTALS and _affordable_apart(totals.size, distinct):
        return None
    caps = _CAPS[-1], _CAPS[-1] // 4
    return _thinned_to(caps, _affordable_apart, Votes(positives, totals, counts))


def _affordable_apart(_: int, totals: Counts) -> bool:
    return float((totals + 1.0).sum()) <= _APART


def generator_of(votes: Votes) -> np.random.Generator:
    """Return random numbers that the votes decide, as if drawn again for other votes."""
    digest = sha256(np.stack(votes).astype("<i8").tobytes()).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def floor_of_all(points: Floats, weights: Floats, few: Votes, full: Votes) -> float:
    """Return the floor of one more vote from all votes, given the fit to thinned ones."""
    from errorfloor.methods.votes.line import binomial  # SciPy's parts load slowly

    k, m, counts = few.where(few.totals < _CAPS[-1])
    chances = binomial(k, m, points)
    total = float(counts @ (chances @ (weights * least_error(points)) / (chances @ weights)))
    k, m, counts = full.where(full.totals >= _CAPS[-1])
    if counts.size:
        lost = mean_lost(points, weights, m, counts)
        total += float(counts @ (np.minimum(k, m - k) / m)) + float(counts.sum()) * lost
    return min(max(total / float(full.counts.sum()), 0.0), 0.5)


def _rungs(totals: Counts, cap: int) -> Counts:
    """Return the highest rung of the ladder that is not above each total."""
    steps = max(int(4 * np.log2(cap / _EVERY_TOTAL)), 0)
    high = np.round(_EVERY_TOTAL * 2 ** (np.arange(1, steps + 1) / 4)).astype(np.int64)
    ladder = np.concatenate((np.arange(1, _EVERY_TOTAL + 1), high))
    return np.asarray(ladder[np.searchsorted(ladder, totals, side="right") - 1])


def _draw(votes: Votes, kept: Counts, rng: np.random.Generator) -> Votes:
    """Draw as many votes as are kept of each item, without replacement."""
    k, m, counts = votes
    size = int(kept.max()) + 1
    tally: dict[int, Counts] = {int(total): np.zeros(size, np.int64) for total in np.unique(kept)}
    by_chance = (counts > _MANY_ITEMS) | (np.maximum(k, m - k) >= _MOST_DRAWN)
    for i in np.flatnonzero(by_chance):
        chances = _hypergeometric(int(k[i]), int(m[i]), int(kept[i]))
        tally[int(kept[i])][: chances.size] += rng.multinomial(counts[i], chances)
    each = np.repeat(np.flatnonzero(~by_chance), counts[~by_chance])
    drawn = rng.hypergeometric(k[each], (m - k)[each], kept[each])
    for total, row in tally.items():
        row += np.bincount(drawn[kept[each] == total], minlength=size)
    totals = np.array(list(tally))
    table = np.array(list(tally.values()))
    group, positives = np.nonzero(table)
    return Votes(positives, totals[group], table[group, positives])


def _hypergeometric(k: int, m: int, kept: int) -> Floats:
    """Return the chance of 0, 1, ... positives among the votes kept of k positives in m votes."""
    j = np.arange(kept, dtype=np.float64)
    with np.errstate(divide="ignore"):
        up = np.log(np.maximum(k - j, 0.0)) + np.log(kept - j)
        down = np.log(j + 1) + np.log(np.maximum(m - k - kept + j + 1, 0.0))
    first = max(kept - (m - k), 0)
    height = np.full(kept + 1, -np.inf)
    height[first] = 0.0
    height[first + 1 :] = np.cumsum((up - down)[first:])
    chances = np.exp(height - height.max())
    return np.asarray(chances / chances.sum())
