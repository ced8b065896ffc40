"""How wide intervals will be where there are more than two classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.intervals.honest import of_errors
from errorfloor.methods.record import Options
from errorfloor.methods.rules.offsets import OffsetFit
from errorfloor.methods.votes.simplex import (
    MOST_VOTES_USED,
    PartitionMixture,
    fit_partitions,
    law,
    partitions,
    sums,
)
from errorfloor.metrics import ERROR
from errorfloor.results import Interval

# Items that stand for those to be expected, where partitions are too many to list.
_DRAWN, _SEED = 4000, 20261115
_DIVISIONS = 5  # of a pilot into folds, over which held-out errors are averaged


@dataclass(frozen=True, slots=True, eq=False)
class ManyVotes:
    """What a pilot of votes for many classes tells about votes to come."""

    fit: PartitionMixture
    classes: int

    @classmethod
    def of(cls, table: VoteTable) -> ManyVotes:
        """Fit the distribution behind a pilot."""
        return cls(fit_partitions(table.votes, table.counts), len(table.classes))

    def bias(self, m: int) -> float:
        """Return how far plain shares of so many votes will be off."""
        return 0.0 - float(self.fit.lost(np.array([m]))[0])

    def width(self, level: float, m: int, n: int) -> float:
        """Return the width of the likelihood interval on the expected votes of n items."""
        from errorfloor.intervals.votes.region import many_likelihood_limits

        votes, share = self._expected(m)
        items = n * share
        if m > MOST_VOTES_USED:  # such items are bet on one by one
            items = np.diff(np.round(np.cumsum(items)), prepend=0.0).astype(np.int64)
        some = items > 0
        low, high = many_likelihood_limits(votes[some], items[some], level=level)  # type: ignore[arg-type]
        return high - low

    def _expected(self, m: int) -> tuple[Counts, Floats]:
        """Return rows of votes, and the share of items that will have each."""
        if m > MOST_VOTES_USED:
            return self._drawn(m)
        chosen = [i for i in np.flatnonzero(sums(m) == m) if len(partitions(m)[i]) <= self.classes]
        rows = [partitions(m)[i] for i in chosen]
        votes = np.zeros((len(rows), self.classes), dtype=np.int64)
        for row, parts in zip(votes, rows, strict=True):
            row[: len(parts)] = parts
        share = law(self.fit.points, m)[chosen] @ self.fit.weights
        seen = share > 1e-9
        return votes[seen], share[seen] / share[seen].sum()

    def _drawn(self, m: int) -> tuple[Counts, Floats]:
        """Return votes on items that are drawn, always the same, at evenly spread points."""
        rng = np.random.default_rng(_SEED)
        place = (np.arange(_DRAWN) + 0.5) / _DRAWN
        at = np.searchsorted(np.cumsum(self.fit.weights), place).clip(max=len(self.fit.weights) - 1)
        p = self.fit.points[at]
        votes = rng.multinomial(m, p / p.sum(axis=1, keepdims=True)).astype(np.int64)
        rows, counts = np.unique(-np.sort(-votes, axis=1), axis=0, return_counts=True)
        return rows, counts / _DRAWN


@dataclass(frozen=True, slots=True, eq=False)
class ManyScores:
    """What a pilot of scores of many classes tells: the errors of the best weights."""

    middle: float
    gap: float  # from the middle to the errors in sample and held out
    correlated: float  # share of the variance of held-out errors that folds have in common
    n: int
    classes: int

    @classmethod
    def of(cls, table: ScoreTable) -> ManyScores:
        """Count the errors of the best weights, on the pilot's items and on those held out."""
        rules = OffsetFit.of(table.cells(), Options())
        folds = (rules.on(rules.sample.count, np.random.default_rng(k)) for k in range(_DIVISIONS))
        least, mean = rules.least_loss, float(np.mean([one.held_out_loss for one in folds]))
        gap = max(mean - least, 0.0) / 2
        return cls((least + mean) / 2, gap, rules.correlated, table.n, len(table.classes))

    def width(self, level: float, _: int, n: int) -> float:
        """Return the width of the honest interval on n items."""
        least, most = ERROR.span(self.classes)
        shift = self.gap * (self.n / n) ** (2 / 3)
        low, high = (
            min(max(rate, least), most) * n for rate in (self.middle - shift, self.middle + shift)
        )
        evidence = of_errors((low, n), (high, n), correlated=self.correlated)
        limits = Interval.at(level, evidence, ERROR, self.classes)
        return limits.high - limits.low
