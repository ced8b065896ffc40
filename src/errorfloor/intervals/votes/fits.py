"""Tests of what floors from votes assume: one distribution for all totals, independent votes.

Critical values come from votes drawn from the fitted distribution, always the same for the same
votes. Nothing is fitted to the draws, so a test takes milliseconds; a fit would only bring drawn
votes closer to what is expected, so the critical values are, if anything, too high.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.methods.votes.grid import binomial, stopped
from errorfloor.methods.votes.likelihood import Mixture, VoteLikelihood
from errorfloor.methods.votes.stopping import Rule
from errorfloor.methods.votes.thin import Votes, by_total, generator_of

# Draws, and fewer of very many cells.
_DRAWS, _FEW_DRAWS, _MANY_CELLS = 1999, 499, 400
# Error probabilities of the tests.
ONE_DISTRIBUTION, MISFIT = 0.005, 0.01
# Shares of items whose votes are split evenly, for which the power of the test is worked out.
_SPLIT = 0.02, 0.05, 0.1, 0.2, 0.4


@dataclass(frozen=True, slots=True)
class Tested:
    """A test statistic and what it must exceed to refute the assumption."""

    statistic: float
    critical: float

    @property
    def refutes(self) -> bool:
        """Whether the assumption is refuted."""
        return self.statistic > self.critical


@dataclass(frozen=True, slots=True)
class Expected:
    """All pairs of votes that can be, with their chances among items of a trial, and items."""

    positives: Counts
    totals: Counts
    chances: Floats
    trials: Sequence[Counts]  # which cells belong to each; within a trial chances add up to 1
    counts: Counts
    own: Counts | None  # which distribution each cell is from; None where a rule stopped votes

    @classmethod
    def under(cls, fits: Sequence[tuple[Mixture, Votes]]) -> Expected:
        """Return what fitted distributions expect, the number of items with each total given."""
        columns: list[tuple[Counts, Counts, Floats, Counts, Counts]] = []
        trials, at = [], 0
        for i, (fit, votes) in enumerate(fits):
            for m in np.unique(votes.totals):
                own = votes.where(votes.totals == m)
                k, totals = np.arange(m + 1), np.full(m + 1, m)
                counts = np.zeros(m + 1, dtype=np.int64)
                counts[own.positives] = own.counts
                chances = binomial(k, totals, fit.points) @ fit.weights
                columns.append((k, totals, chances, counts, np.full(m + 1, i)))
                trials.append(np.arange(at, at + m + 1))
                at += int(m) + 1
        k, m, p, counts, of = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        return cls(k, m, p, trials, counts, of)

    @classmethod
    def under_rule(cls, rule: Rule, fit: Mixture, votes: Votes) -> Expected:
        """Return what a distribution expects where votes were collected by a rule."""
        k, m, orders = rule.cells(int(votes.totals.max()))
        p = stopped(k, m, orders, fit.points) @ fit.weights
        seen = dict(zip(zip(votes.positives.tolist(), votes.totals.tolist(), strict=True),
                        votes.counts.tolist(), strict=True))  # fmt: skip
        counts = np.array([seen.get(pair, 0) for pair in zip(k.tolist(), m.tolist(), strict=True)])
        # Items that go on beyond what was followed are a cell of their own.
        rest = max(1 - float(p.sum()), 0.0)
        k, m, p, counts = (
            np.append(k, 0), np.append(m, 0), np.append(p, rest), np.append(counts, 0),
        )  # fmt: skip
        return cls(k, m, p, [np.arange(k.size)], counts, None)

    def drawn(self, rng: np.random.Generator) -> Counts:
        """Return counts of items drawn from the distribution, shape (draws, cells)."""
        draws = _DRAWS if self.counts.size <= _MANY_CELLS else _FEW_DRAWS
        counts = np.empty((draws, self.counts.size), dtype=np.int64)
        for cells in self.trials:
            chances = self.chances[cells] / self.chances[cells].sum()
            counts[:, cells] = rng.multinomial(self.counts[cells].sum(), chances, size=draws)
        return counts

    @property
    def votes(self) -> Votes:
        """The votes that were seen."""
        seen = self.counts > 0
        return Votes(self.positives[seen], self.totals[seen], self.counts[seen])


def one_distribution(expected: Expected) -> Tested:
    """Test whether items of all totals have the same mean vote and the same disagreement.

    Under one distribution the mean share of positive votes and the share of pairs of votes that
    differ have the same expectations at all totals. The statistic adds up the squared differences
    of each total's from those of all, in units of their variances under the fit.
    """
    parts = _Parts.of(expected)
    observed = parts.statistics(expected.counts[None])[0]
    draws = parts.statistics(expected.drawn(generator_of(expected.votes)))
    return Tested(float(observed), _quantile(draws, ONE_DISTRIBUTION))


def misfit_of(expected: Expected) -> Tested:
    """Test whether votes are those of a mixture, by the likelihood ratio to free cell shares."""
    size = _sizes(expected) * expected.chances
    observed = _deviance(expected.counts[None], size)[0]
    draws = _deviance(expected.drawn(generator_of(expected.votes)), size)
    return Tested(float(observed), _quantile(draws, MISFIT))


def power_of_misfit(expected: Expected, critical: float) -> float | None:
    """Return which share of evenly split items the test finds in 8 of 10 data sets, at least.

    None where it finds not even the largest of them, and infinite where that is not worked out.
    """
    if expected.own is None or expected.counts.size > _MANY_CELLS:
        return np.inf
    odd = np.abs(2 * expected.positives - expected.totals)
    even = np.zeros(odd.size)
    even[odd <= 1] = 1 / (1 + expected.totals[odd <= 1] % 2)
    # A noncentral chi-square with noncentrality x has mean x or more and a spread of 2 sqrt(x).
    needed = (0.84 + np.sqrt(0.84**2 + critical)) ** 2
    for share in _SPLIT:
        counts = _sizes(expected) * ((1 - share) * expected.chances + share * even)
        if sum(_misfit(expected, counts, expected.own == i) for i in set(expected.own)) >= needed:
            return share
    return None


def _misfit(expected: Expected, counts: Floats, own: Bools) -> float:
    """Return the test statistic of expected counts, as far as one distribution goes."""
    counts = np.maximum(counts[own], 1e-9 * counts[own].sum())
    votes = VoteLikelihood.on_grid(
        expected.positives[own], expected.totals[own], counts, 128, part=True
    )
    best = float(votes.share @ np.log(votes.share / votes.group_share))
    return 2 * votes.n * (best - votes.fit(1e-6)[0].log_likelihood)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Means of votes and of disagreement by groups of totals, with their variances."""

    scores: Floats  # groups by two, by cells: to be multiplied with counts
    inverses: Floats  # of the covariance of each group's means, groups by two by two

    @classmethod
    def of(cls, expected: Expected) -> _Parts:
        k, m, p = expected.positives, expected.totals, expected.chances
        pairs = np.where(m > 1, 2 * k * (m - k) / np.maximum(m * (m - 1.0), 1.0), 0.0)
        values = np.stack((k / m, pairs))
        kinds = by_total(m)
        groups = [kinds == kind for kind in np.unique(kinds)]
        size = _sizes(expected)
        scores, inverses = np.zeros((len(groups), 2, k.size)), np.zeros((len(groups), 2, 2))
        for i, own in enumerate(groups):
            n = expected.counts[own].sum()
            scores[i][:, own] = values[:, own] / n
            covariance = np.zeros((2, 2))
            for total in np.unique(m[own]):
                cells = m == total
                centred = values[:, cells] - (values[:, cells] @ p[cells])[:, None]
                covariance += size[cells][0] * (centred * p[cells]) @ centred.T
            inverses[i] = np.linalg.pinv(covariance / n**2, rcond=1e-9, hermitian=True)
            if m[own].max() == 1:  # single votes cannot disagree
                inverses[i, 1], inverses[i, :, 1] = 0.0, 0.0
        return cls(scores, inverses)

    def statistics(self, counts: Counts) -> Floats:
        """Return the test statistic of each row of counts."""
        means = np.einsum("gvc,dc->dgv", self.scores, counts.astype(np.float64))
        pooled = np.linalg.pinv(self.inverses.sum(axis=0), hermitian=True)
        middle = np.einsum("gvw,dgw->dv", self.inverses, means) @ pooled
        apart = means - middle[:, None]
        return np.asarray(np.einsum("dgv,gvw,dgw->d", apart, self.inverses, apart))


def _sizes(expected: Expected) -> Floats:
    """Return the number of items in each cell's trial."""
    sizes = np.zeros(expected.counts.size)
    for cells in expected.trials:
        sizes[cells] = expected.counts[cells].sum()
    return sizes


def _deviance(counts: Counts, size: Floats) -> Floats:
    """Return twice the log-likelihood ratio of free cell shares to expected sizes."""
    from scipy.special import xlogy

    return np.asarray(2 * xlogy(counts, counts / np.maximum(size, 1e-300)).sum(axis=1))


def _quantile(draws: Floats, error: float) -> float:
    """Return the draw that the statistic must exceed, by its rank among all of them."""
    rank = int(np.floor(error * (draws.size + 1)))
    return float(np.sort(draws)[-rank])
