"""What a statistician would ask about votes.

Are there enough, of enough people? Do items of all numbers of votes have one distribution, and can
their votes be those of people who vote independently? Critical values of the tests come from votes
drawn from the fitted distribution, always the same for the same votes. Nothing is fitted to the
draws, so a test takes milliseconds; a fit would only bring drawn votes closer to what is expected,
so the critical values are, if anything, too high.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import counted, per_cent, points, points_of_size, range_of
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.checks.record import ANY, ENOUGH, Check, Wording, few_items, wording_of
from errorfloor.checks.soft import balance, unseen_classes
from errorfloor.data.annotators import effective_number, number_of
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.data.values import SHARE_ROUNDING
from errorfloor.intervals.votes.annotators import ANNOTATORS
from errorfloor.intervals.votes.limits import (
    ENOUGH_ANNOTATORS,
    FEWEST_ANNOTATORS,
    LIKELIHOOD,
    VoteLimits,
)
from errorfloor.methods.record import CHANCE, ITEM_DECIDES, VOTES_DECIDE, Options
from errorfloor.methods.soft import PLUGIN
from errorfloor.methods.votes.mixture import TwoClassMixture
from errorfloor.methods.votes.stopping import StoppingRule
from errorfloor.methods.votes.thinning import (
    Votes,
    by_total,
    generator_of,
    thinned,
    thinned_apart,
)
from errorfloor.results.claim import Finding, Level
from errorfloor.results.estimate import Estimate, VotesEstimate

if TYPE_CHECKING:
    from errorfloor.methods.votes.line import Mixture

SPLIT = 0.001  # chance of a false alarm, at most
DISTINCT = 3  # kinds of votes, of which a total is no accident


def _votes(estimate: Estimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, VoteTable)
    words = wording_of(estimate.measure)
    if len(table.classes) > 2:
        yield from _sum_of_others(table)
        yield from _too_split(table)
    yield few_items(estimate)
    yield from votes_per_item(table, words.limit)
    unanimous = table.votes.max(axis=1) == table.totals
    further = int(table.counts @ (table.totals - 1))
    yield unanimity(float(table.counts[unanimous].sum() / table.n), words, further=further)
    if len(table.classes) == 2:
        yield from _leading_share(table)
    share = table.counts @ (table.votes / table.totals[:, None]) / table.n
    if len(table.classes) == 2:
        positive = f"{per_cent(float(share[1]), 1)} positive"
        yield Finding("Class balance", positive, "ok", "Mean share of positive votes.")
    else:
        yield balance(share, table.classes, "Mean shares of the votes.")
        yield from unseen_classes(share == 0, table.classes, "votes", "note")
    if isinstance(estimate, VotesEstimate):
        yield from plugin_bias(estimate)


def _sum_of_others(table: VoteTable) -> Iterator[Finding]:
    """Find a column that is the sum of the others, which is no class."""
    total = (2 * table.votes == table.totals[:, None]).all(axis=0)
    if total.any() and len(table) >= DISTINCT and table.n >= ENOUGH:
        name = table.classes[int(np.argmax(total))]
        yield Finding(
            "A total among the classes",
            name,
            "refuted",
            f"On every item there are as many votes for {name} as for all others together: it is "
            "their total, not a class.",
            Sentence("Name the columns of the classes alone", aside("counts"), "."),
        )


def _too_split(table: VoteTable) -> Iterator[Finding]:
    """Find votes that differ more often than those of independent people, whatever the items."""
    from errorfloor.methods.votes.simplex import agreement_of  # SciPy's parts load slowly

    several = table.totals > 1
    n = int(table.counts[several].sum())
    guessing = 1 / len(table.classes)  # how often two votes on the hardest items agree
    agree = agreement_of(table.votes, table.counts)
    # Hoeffding's bound for a mean of numbers from 0 to 1.
    if table.entries is None and n and 2 * n * max(guessing - agree, 0) ** 2 > -np.log(SPLIT):
        yield Finding(
            "Misfit of votes",
            f"{per_cent(agree)} of pairs agree",
            "refuted",
            f"Two votes on an item agree less often than if people guessed among "
            f"{len(table.classes)} classes ({per_cent(guessing)}): the votes are not independent.",
            "Look for people who see each other's votes, and for votes that were filled in or left "
            "out on purpose.",
        )


def _leading_share(table: VoteTable) -> Iterator[Finding]:
    """Find votes for class 1 that look like those for the leading answer of each item."""
    share = table.positives / table.totals
    several = int(table.totals.min()) > 1 and table.n >= ENOUGH
    if several and share.min() >= 1 / 3 - SHARE_ROUNDING and share.min() < 1:
        yield Finding(
            "Votes for the leading answer",
            f"at least {per_cent(float(share.min()), 0)} everywhere",
            "note",
            f"{table.classes[1]} has at least a third of the votes on every item. If these are "
            "votes for whatever answer leads on an item, the floor is too low.",
            "Use the votes for one class that is the same on all items, or for each class.",
        )


# Votes after the first of each item. If so many agree, fewer than 1 % of votes differ (with 95 %
# confidence, by the rule of three), which people who vote independently rarely reach.
_AGREEING = 300


def unanimity(share: float, words: Wording, *, further: int = 0) -> Finding:
    """Say on how many items all votes agree, and doubt that many of them do everywhere."""
    if share == 1 and further >= _AGREEING:
        return Finding(
            "Unanimous items",
            per_cent(share, 1),
            "warn",
            f"All votes agree on every item, so they show no {words.limit} {words.short}. "
            "People who vote independently rarely agree everywhere. Did they discuss their votes, "
            "or was one label copied for each person?",
            "Use the votes that people gave before they talked.",
        )
    return Finding(
        "Unanimous items",
        per_cent(share, 1),
        "note" if share == 1 else "ok",
        f"Nobody disagrees anywhere, so the votes show no {words.limit} {words.short}."
        if share == 1
        else "Items whose votes all agree.",
    )


def votes_per_item(table: VoteTable, limit: str) -> Iterator[Finding]:
    """Say whether there are enough votes on an item, and whether their numbers differ."""
    low, high = int(table.totals.min()), int(table.totals.max())
    mean = float(table.counts @ table.totals / table.n)
    value = f"{low:,}" if low == high else f"{low:,} to {high:,}, {mean:.1f} on average"
    level: Level = "ok"
    sentence = "Enough votes: the remaining uncertainty comes mostly from the number of items."
    if high == 1:
        level = "warn" if table.n >= ENOUGH else "note"
        sentence = (
            "With a single vote per item nobody can disagree: items that everybody agrees on look "
            "the same as coin flips."
        )
    elif mean <= 3:
        level = "note"
        sentence = (
            f"With so few votes per item, a range of {limit}s stays possible however many items "
            "there are. More votes per item narrow it; more items alone do not."
        )
    elif mean < 10:
        sentence = f"A small range of {limit}s stays possible; the intervals of mixture contain it."
    yield Finding("Votes per item", value, level, sentence)
    if low != high:
        yield Finding(
            "Unequal numbers of votes",
            f"{len(np.unique(table.totals)):,} different",
            "note",
            Sentence(
                "Each item counts once, however many votes it has. If the number of votes "
                "depends on the item or on its votes, and not on chance, say so",
                *(aside("totals_by"), "."),
            ),
        )


def plugin_bias(estimate: VotesEstimate) -> Iterator[Finding]:
    """Say how far plain shares of votes are off."""
    if not estimate.measure.is_error:
        return
    if estimate.bias is not None:
        low, high = estimate.low, estimate.high
        width = high - low if low is not None and high is not None else 0.0
        serious = estimate.method == PLUGIN.name and -estimate.bias > max(width / 4, 1e-4)
        yield Finding(
            "Bias of vote shares",
            points(estimate.bias),
            "note" if serious else "ok",  # whoever asks for plain shares gets them
            "Simply counting the votes gives a floor that is too low by about this much on "
            "average, and the interval does not show it. Use method mixture."
            if serious
            else f"Simply counting the votes would give a floor of {per_cent(estimate.plugin)}. On "
            "average, that misses the true floor by about this much.",
        )
    if estimate.bias_bound is not None:
        sentence = (
            "By the paper's corollary 2, for any distribution whose floor is no higher than the "
            "model error that was given."
        )
        if estimate.bias_bound > estimate.value:
            sentence += " The bound exceeds the floor itself, so with these votes it tells nothing."
        value = points_of_size(estimate.bias_bound)
        yield Finding("Bound on that bias", value, "ok", sentence)


def _annotators(estimate: Estimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, VoteTable)
    if table.workloads is None or not len(table.workloads):
        return
    number, effective = number_of(table.workloads), effective_number(table.workloads)
    value = counted(number, "annotator")
    if effective < number - 0.05:
        value += f", as good as {effective:,.1f} with equal workloads"
    remedy = "Collect votes from more people, about equally many from each."
    whose = f"{estimate.measure.limit} is for {estimate.target}"
    if effective < FEWEST_ANNOTATORS:
        yield Finding(
            "annotators",
            value,
            "warn",
            f"{_few(number, effective)}, too few to speak for other people: the {whose}.",
            remedy,
        )
    elif effective >= ENOUGH_ANNOTATORS or estimate.interval is None:
        return
    elif estimate.interval.method == LIKELIHOOD.name and estimate.measure.is_error:
        yield Finding(
            "annotators",
            value,
            "note",
            f"The {whose}. For a new annotator of the same kind the limits are wider.",
            Sentence("Ask for these", *(aside("interval", ANNOTATORS.name), ".")),
        )
    elif estimate.interval.method == ANNOTATORS.name:
        yield Finding(
            "annotators",
            value,
            "note",
            f"The interval is wide because there are only {number:,} annotators: kinds of "
            "annotators who vote in another way may be missing.",
            Sentence(
                f"{remedy} For the votes of these {number:,} alone, ask for another interval",
                *(aside("interval", LIKELIHOOD.name), "."),
            ),
        )


def _few(number: int, effective: float) -> str:
    """Say how many annotators there are, or that a few of them gave most votes."""
    if effective > number - 1:
        return f"Only {counted(number, 'annotator')} voted"
    few = f"{effective:.0f} of the {number:,} annotators"
    return f"A few people gave most votes, as if only {few} had voted, all equally often"


# A floor that moves by no more than this is stated, whatever is refuted.
_MATERIAL = 0.002
_MANY_ITEMS = 20  # items with a total, from which it says something that none disagrees


def _fit_of_votes(estimate: VotesEstimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, VoteTable)
    options = _options(estimate)
    fitted: Any = estimate.mixture  # of two classes, as the table is
    if fitted is None or (options.totals_by == VOTES_DECIDE and options.rule is None):
        return  # without the rule nobody knows which votes are to be expected
    totals = np.unique(table.totals)
    if options.totals_by == CHANCE and totals.size > 1:
        tested = _one_distribution(table, fitted)
        if tested.refutes:
            item = replace(options, totals_by=ITEM_DECIDES)
            apart = _misfit(table, item, None)
            yield _unequal(estimate, table, item, apart[1])
            if not apart[1].refutes:  # else the finding says it already
                yield _finding(estimate, *apart)
            return
        yield Finding(
            "Why totals differ",
            "chance",
            "ok",
            "Items with few votes and items with many were voted on in similar ways, as "
            "expected if the number of votes has nothing to do with the item.",
        )
    common = None if options.by_item else fitted
    yield _finding(estimate, *_misfit(table, options, common))


def _options(estimate: VotesEstimate) -> Options:
    given = estimate.options
    return Options(
        totals_by=given.get("totals_by", CHANCE),
        stopping=given.get("stopping"),
        majority=given.get("majority"),
    )


def _one_distribution(table: VoteTable, fitted: Mixture) -> Tested:
    votes = Votes(table.positives, table.totals, table.counts)
    return one_distribution(Expected.under([(fitted, thinned_apart(*votes) or votes)]))


def _misfit(table: VoteTable, options: Options, fitted: Mixture | None) -> tuple[Expected, Tested]:
    """Test whether votes are to be expected from what was fitted, or from each total's own fit."""
    votes = Votes(table.positives, table.totals, table.counts)
    if fitted is None:
        votes = thinned_apart(*votes) or votes
        expected = Expected.under(TwoClassMixture(Sample.of_votes(*votes), options).parts)
    elif options.rule is not None:
        expected = Expected.under_rule(options.rule, fitted, votes)
    else:
        expected = Expected.under([(fitted, thinned(*votes) or votes)])
    return expected, misfit_of(expected)


def _finding(estimate: VotesEstimate, expected: Expected, tested: Tested) -> Finding:
    value = f"{max(tested.statistic, 0):.1f}, limit {tested.critical:.1f}"
    if not tested.refutes:
        power = power_of_misfit(expected, tested.critical)
        finds = "" if power == np.inf else "With so few votes the test finds hardly anything."
        if power is not None and power < np.inf:
            finds = (
                "The test finds only large departures: for a chance of 80 % to find one, the votes "
                f"on {per_cent(power, 0)} of all items have to be as even as they can be."
            )
        sentence = "The votes may come from people who vote independently"
        return Finding("Misfit of votes", value, "ok", f"{sentence}. {finds}".rstrip())
    off = _bias_of_error(estimate)
    small = off is not None and abs(off) <= _MATERIAL
    level: Level = "warn" if small else "refuted"
    limit = estimate.measure.limit
    return Finding(
        "Misfit of votes",
        value,
        level,
        "The votes do not look independent: whatever the items are like, independent votes would "
        "not be split in the same way so often."
        + (f" With so many votes the {limit} hardly depends on that." if small else ""),
        "Look for people who see each other's votes, for votes that were filled in or left out on "
        "purpose, and for votes that were collected until they agreed.",
    )


def _bias_of_error(estimate: VotesEstimate) -> float | None:
    """Return how far plain shares are off for the error, which tells how much hangs on the fit.

    Of other metrics shares may be near the value by chance: where all votes are split evenly, they
    have the largest Brier score there is, and so has the fit.
    """
    if estimate.measure.is_error:
        return estimate.bias
    assert isinstance(estimate.table, VoteTable)
    return TwoClassMixture(estimate.table.cells(), _options(estimate)).plugin_bias


def _unequal(estimate: VotesEstimate, table: VoteTable, item: Options, apart: Tested) -> Finding:
    """Say that totals are not by chance, with the answer of each design."""
    votes = replace(item, totals_by=VOTES_DECIDE)
    values = {one.totals_by: _floor(table, one) for one in (item, votes)}
    material = abs(values[ITEM_DECIDES] - values[VOTES_DECIDE]) > _MATERIAL
    if not material:
        return Finding(
            "Why totals differ",
            "not by chance",
            "note",
            "Items with few votes and items with many were voted on differently. Here this changes "
            f"the {estimate.measure.limit} by no more than {points_of_size(_MATERIAL)}.",
        )
    level = estimate.level or 0.95
    floor = "the floor" if estimate.measure.is_error else "the floor of the error"
    shown = {
        one.totals_by: f"{per_cent(values[one.totals_by])} ({_limits(table, one, values, level)})"
        for one in (item, votes)
    }
    return Finding(
        "Why totals differ",
        "not by chance",
        "refuted",
        Sentence(
            "Items with few votes and items with many were voted on differently, so the number of "
            "votes depends on the item, or on its votes. If some kinds of items get more votes",
            aside("totals_by", ITEM_DECIDES),
            f", {floor} is {shown[ITEM_DECIDES]}; if votes were collected until they agreed",
            aside("totals_by", VOTES_DECIDE),
            f", it is {shown[VOTES_DECIDE]}. {_hint(table, apart)}",
        ),
        Sentence("Say why the numbers differ", aside("totals_by"), "."),
    )


def _floor(table: VoteTable, options: Options) -> float:
    cells = table.cells()
    found = TwoClassMixture(cells, options).values(cells.count[None], np.random.default_rng(0))
    return float(found[0])


def _limits(table: VoteTable, options: Options, values: dict[str, float], level: float) -> str:
    from errorfloor.intervals.votes.region import likelihood_limits

    value = values[options.totals_by]
    found = VoteLimits.around("likelihood", value, table, likelihood_limits, options)
    return range_of(*found.limits(level))


def _hint(table: VoteTable, apart: Tested) -> str:
    """Say what the counts suggest, where each total has a distribution of its own."""
    if apart.refutes:
        return (
            "Items with the same number of votes cannot have been voted on independently, which "
            "points to votes that were collected until they agreed."
        )
    split = (table.positives > 0) & (table.positives < table.totals)
    fewest = int(table.totals[table.totals > 1].min())
    own = table.totals == fewest
    if table.counts[own].sum() >= _MANY_ITEMS and not split[own].any() and split.any():
        return (
            f"No item with {fewest:,} votes has two that disagree, which suggests that votes were "
            "collected until they agreed, unless these items are certain."
        )
    return "The counts do not tell which of the two is true."


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
        from errorfloor.methods.votes.line import binomial  # SciPy's parts load slowly

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
    def under_rule(cls, rule: StoppingRule, fit: Mixture, votes: Votes) -> Expected:
        """Return what a distribution expects where votes were collected by a rule."""
        from errorfloor.methods.votes.line import binomial

        k, m, log_orders = rule.cells(int(votes.totals.max()))
        p = binomial(k, m, fit.points, log_orders) @ fit.weights
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
    parts = _GroupMeans.of(expected)
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
    sizes = _sizes(expected)
    for share in _SPLIT:
        counts = sizes * ((1 - share) * expected.chances + share * even)
        if _deviance(counts[None], sizes * expected.chances)[0] < needed:
            continue  # other distributions lie even nearer
        lacks = (_lack_of_fit(expected, counts, expected.own == i) for i in set(expected.own))
        if sum(lacks) >= needed:
            return share
    return None


def _lack_of_fit(expected: Expected, counts: Floats, own: Bools) -> float:
    """Return the test statistic of expected counts, as far as one distribution goes."""
    from errorfloor.methods.votes.line import VoteLikelihood

    counts = np.maximum(counts[own], 1e-9 * counts[own].sum())
    votes = VoteLikelihood.on_grid(
        expected.positives[own], expected.totals[own], counts, 128, part=True
    )
    best = float(votes.share @ np.log(votes.share / votes.within))
    return 2 * votes.n * (best - votes.fit(1e-6)[0].log_likelihood)


@dataclass(frozen=True, slots=True)
class _GroupMeans:
    """Means of votes and of disagreement by groups of totals, with their variances."""

    scores: Floats  # groups by two, by cells: to be multiplied with counts
    inverses: Floats  # of the covariance of each group's means, groups by two by two

    @classmethod
    def of(cls, expected: Expected) -> _GroupMeans:
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


def _deviance(counts: Counts | Floats, size: Floats) -> Floats:
    """Return twice the log-likelihood ratio of free cell shares to expected sizes."""
    from scipy.special import xlogy

    return np.asarray(2 * xlogy(counts, counts / np.maximum(size, 1e-300)).sum(axis=1))


def _quantile(draws: Floats, error: float) -> float:
    """Return the draw that the statistic must exceed, by its rank among all of them."""
    rank = int(np.floor(error * (draws.size + 1)))
    return float(np.sort(draws)[-rank])


_check = partial(Check, kinds=(VoteTable.kind,))
RECORDS = (
    _check(
        name="fit of votes",
        run=_fit_of_votes,
        asks="Did people vote on items with few votes in the same way as on items with many? "
        "Could the votes come from people who vote independently?",
        false_alarm=0.015,
    ),
    _check(
        name="annotators",
        run=_annotators,
        asks="Are there enough annotators to speak for other people?",
        classes=ANY,
    ),
    _check(
        name="votes",
        classes=ANY,
        run=_votes,
        asks="Are there enough votes per item? How far off is a simple count of the votes?",
    ),
)
