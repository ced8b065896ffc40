"""The intervals of best values from votes; what computes them loads when first used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._references import BETTING, VOTE_LIMITS
from errorfloor._typing import Counts, Floats
from errorfloor.data.annotators import effective_number, number_of
from errorfloor.data.sample import PSEUDO, Sample
from errorfloor.data.tables import Table, VoteTable
from errorfloor.intervals.models import worth_of_freedom
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.record import DEFAULT_OPTIONS, VOTES_DECIDE, Basis, Options, uses_weights
from errorfloor.methods.soft import is_balance
from errorfloor.methods.votes.mixture import weighs
from errorfloor.methods.votes.stopping import EXPLAINED
from errorfloor.methods.votes.thinning import Votes, points_for, thinned, thinned_apart
from errorfloor.metrics import ERROR


def _numbers(sample: Sample, options: Options) -> Iterator[float]:
    """Yield how many equal items vary as much, by what floors depend on."""
    votes = sample.distinct
    functions = _functions(votes.seen)
    if not options.metric.is_error and options.aim is not None:
        functions += (options.aim(votes.positives / votes.totals),)
    yield from _worth(sample, functions)
    # Where few units have any votes against the rest, their own spread is no guide.
    apart = votes.seen.max(axis=1) < votes.totals
    yield sample.share_and_size(sample.count * apart[sample.place] * 1.0)[1]


def _functions(votes: Counts) -> tuple[Floats, ...]:
    """Return what floors depend on, for each row of votes."""
    totals = votes.sum(axis=1)
    most = votes.max(axis=1)
    pairs = (votes * (votes - 1.0)).sum(axis=1) / np.maximum(totals * (totals - 1.0), 1.0)
    shares = votes.T / totals
    return (1 - most / totals, np.where(totals > 1, pairs, 0.5), (most == totals) * 1.0, *shares)


def _worth(sample: Sample, functions: tuple[Floats, ...]) -> Iterator[float]:
    """Yield how many equal items have a mean of each row's values that varies as much."""
    mass, total = sample.masses, sample.total
    unit = sample.items.unit
    for values in functions:
        own = values[sample.place]
        mean = float(mass @ own) / total
        away = own - mean
        spread = float(mass @ away**2) / total
        each = unit  # what an item weighs if the values have nothing to do with weights
        if spread > 0:
            # A few units as usual steady the ratio where only few items differ from the rest.
            usual = PSEUDO * unit
            squares = sample.squares(away) + usual * unit * spread
            each = max(each, squares / (spread * (total + usual)))
        yield total / each


FEWEST_ANNOTATORS = 5.0  # with equal workloads, below which annotators are no sample
# Below this many an answer is about these people unless others are asked for: limits for a new one
# are wide then, as whole kinds of annotators may be missing.
ENOUGH_ANNOTATORS = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class VoteLimits:
    """Limits of the floor behind votes of two classes or more, at any level.

    Where items weigh differently or belong together, they count as so many equal ones.
    """

    method: str
    value: float  # the estimate, which limits never leave out
    table: VoteTable = field(repr=False)
    find: Callable[..., tuple[float, float]] = field(repr=False)
    few: Votes | None = field(repr=False)  # of the votes, where all are too many
    options: Options = field(default=DEFAULT_OPTIONS, repr=False)
    sample: Sample = field(kw_only=True, repr=False)
    items: float = field(kw_only=True)  # equal ones that vary as much

    @classmethod
    def around(
        cls,
        name: str,
        value: float,
        table: Table,
        find: Callable[..., tuple[float, float]],
        options: Options,
    ) -> VoteLimits:
        """Return the limits around a value, from a part of the votes where all are too many."""
        assert isinstance(table, VoteTable)
        sample, few = table.cells(), None
        votes = sample.distinct
        # Of a rule's end some votes follow no law; limits of many classes use few by themselves.
        if options.totals_by != VOTES_DECIDE and sample.classes == 2:
            thin = thinned_apart if options.by_item else thinned
            few = thin(votes.positives, votes.totals, votes.count)
        items = sample.equal_number(lambda: min(_numbers(sample, options)))
        return cls(name, value, table, find, few, options, sample=sample, items=items)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        few, how = self.few, {"level": level, "options": self.options}
        if few is not None:
            n_points = 256 if self.options.by_item else points_for(int(few.totals.max()))
            low, high = self.find(*few, **how, n_points=n_points)
        else:
            known = worth_of_freedom(self.sample.freedom, (1 - level) / 2)
            sample, votes, items = self.sample, self.sample.distinct, known * self.items
            same = items == float(sample.count.sum())
            count = sample.in_distinct(sample.count, None if same else items)
            kinds = (votes.seen,) if sample.classes > 2 else (votes.positives, votes.totals)
            low, high = self.find(*kinds, count, **how)
        return min(low, self.value), max(high, self.value)

    @property
    def note(self) -> str:
        """What to say about votes that were left out, and about annotators."""
        return self.thinned_note + not_a_sample(self.table, self.options)

    @property
    def thinned_note(self) -> str:
        """What to say about votes that were left out."""
        if self.few is None:
            return ""
        return (
            f" The limits use at most {self.few.totals.max():,} votes of each item, drawn at "
            "random but always the same; they hold as they would with all votes."
        )


def is_sample(table: VoteTable, fewest: float = ENOUGH_ANNOTATORS) -> bool:
    """Tell whether the annotators of a table are known, and enough to count as a sample."""
    if table.workloads is None or not table.n:
        return False
    return effective_number(table.workloads) >= fewest


def not_a_sample(table: VoteTable, options: Options) -> str:
    """Say for whose votes limits hold that do not count annotators as a sample."""
    if table.workloads is None:
        return (
            " It is not known who gave which vote: the interval assumes that there are many "
            "annotators, or that all vote in the same way."
        )
    if effective_number(table.workloads) < FEWEST_ANNOTATORS:
        return ""  # a check says so, and the sentence names whose votes they are
    whose = options.target.words(number_of(table.workloads))
    return f" The interval is for {whose}, not by {options.target.others}."


@dataclass(frozen=True, slots=True, eq=False)
class LimitsOfThese:
    """Limits of the floor of a vote by one of a few annotators, at any level.

    Votes on an item are by different people, and the law behind the likelihood is that of votes any
    of which may be by anybody. Of J people, that is another law by as much as pairs of votes are by
    one person: 1 / J of them. So the limits allow for 1 / J of the spread that people cause.
    """

    value: float
    likelihood: VoteLimits = field(repr=False)
    deviation: float
    top: float  # the largest floor there can be
    method: str = "likelihood"

    @classmethod
    def around(cls, case: Case, plain: VoteLimits) -> VoteLimits | LimitsOfThese:
        """Return limits with what few named annotators differ; else those of the votes."""
        work = plain.table.workloads
        if work is None or not len(work) or not case.options.metric.is_error:
            return plain
        number = effective_number(work)
        if not FEWEST_ANNOTATORS <= number < ENOUGH_ANNOTATORS:
            return plain
        from errorfloor.intervals.votes.annotators import spread_in  # which asks for these limits

        deviation = float(np.sqrt(spread_in(case).variance)) / number
        return cls(case.value, plain, deviation, ERROR.span(len(plain.table.classes))[1])

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import ndtri

        low, high = self.likelihood.limits(level)
        more = float(ndtri((1 + level) / 2)) * self.deviation
        below, above = np.hypot(self.value - low, more), np.hypot(high - self.value, more)
        return max(self.value - float(below), 0.0), min(self.value + float(above), self.top)

    @property
    def note(self) -> str:
        """For whose votes the limits hold."""
        return self.likelihood.note


@uses_weights(where=weighs)
def _likelihood(case: Case) -> Evidence:
    from errorfloor.intervals.votes.region import likelihood_limits  # SciPy's parts load slowly

    # The band behind it is of whole items.
    whole = case.cells.distinct.count.dtype.kind == "i"
    find = partial(likelihood_limits, with_band=whole)
    plain = VoteLimits.around("likelihood", case.value, case.table, find, case.options)
    return plain if plain.table.workloads is None else LimitsOfThese.around(case, plain)


@uses_weights(ERROR.name)
def _many_likelihood(case: Case) -> Evidence:
    from errorfloor.intervals.votes.region import many_likelihood_limits

    find = many_likelihood_limits
    plain = VoteLimits.around("likelihood", case.value, case.table, find, case.options)
    return plain if plain.table.workloads is None else LimitsOfThese.around(case, plain)


def _certified(case: Case) -> Evidence:
    from errorfloor.intervals.votes.band import certified_limits, is_decided

    assert isinstance(case.table, VoteTable)
    _refuse_unknown_rule(case.options, case.table)
    metric = case.options.metric
    if case.options.aim is None and not is_decided(metric):
        known = (" Where the share of class 1 is known, ", argument("prior"), " makes it one.")
        raise InputError(
            *(argument("interval", "certified"), " is for metrics that means over items decide, "),
            f"and the best {metric.words} is no such value. Ask for ",
            *(argument("interval", "likelihood"), "."),
            *(known if is_balance(metric) else ()),
        )
    return VoteLimits.around("certified", case.value, case.table, certified_limits, case.options)


def _many_certified(case: Case) -> Evidence:
    from errorfloor.intervals.votes.bracket import Bracket

    return Bracket.around(case)


def _refuse_unknown_rule(options: Options, table: VoteTable) -> None:
    """Refuse votes that were collected until they agreed, by a rule that nobody declared."""
    same = int(table.totals.min()) == int(table.totals.max())
    if options.totals_by == VOTES_DECIDE and options.rule is None and not same:
        raise InputError(
            "The certified interval needs to know when votes were enough, because that decides "
            "which shares of votes can come about. Declare the rule with ",
            argument("stopping"),
            f": {EXPLAINED} Where the order of votes is known, the first votes of each item, "
            "equally many, will do without ",
            argument("totals_by"),
            ". The likelihood interval needs neither.",
        )


_kind = partial(
    IntervalKind,
    basis=Basis.MIXTURE,
    references=(VOTE_LIMITS,),
    is_random=False,
    leaves_open=True,
)

LIKELIHOOD = _kind(
    name="likelihood",
    make=_likelihood,
    promise="The interval holds the floors of all distributions that make the votes likely. With "
    "few votes per item it stays wide however many items there are, as several floors then explain "
    "the votes. Its coverage is measured by simulation; there is no proof for finite samples.",
    with_weights="The interval holds the floors of all distributions that make the votes likely, "
    "where items count as so many equal ones as vary as much. Its coverage is measured by "
    "simulation; there is no proof for finite samples.",
    in_short="the floors of all distributions that the votes make likely",
    proof="[measured](../benchmarks/results/votes.md)",
)
CERTIFIED = _kind(
    name="certified",
    make=_certified,
    promise="Both limits hold at any number of items, at the price of width.",
    in_short="every distribution, any n, any number of votes from 2 on",
    proof="[proven](theory/votes.md#the-mixture-behind-votes)",
)
MANY_LIKELIHOOD = replace(LIKELIHOOD, basis=Basis.PARTITIONS, make=_many_likelihood)
MANY_CERTIFIED = replace(
    CERTIFIED,
    basis=Basis.PARTITIONS,
    make=_many_certified,
    in_short="every distribution, any n, any number of votes and classes",
    proof="[proven](theory/classes.md#votes-for-many-classes)",
    references=(VOTE_LIMITS, BETTING),
    is_random=True,
)
VALUE_LIKELIHOOD = replace(
    LIKELIHOOD,
    basis=Basis.VALUE,
    promise="The interval holds the best values of all distributions that make the votes likely. "
    "With few votes per item it stays wide however many items there are, as several values then "
    "explain the votes. Its coverage is measured by simulation; there is no proof for finite "
    "samples.",
    in_short="the best values of all distributions that the votes make likely",
    proof="[measured](../benchmarks/results/metrics.md#from-votes)",
)
VALUE_CERTIFIED = replace(CERTIFIED, basis=Basis.VALUE)
MANY_VALUE_LIKELIHOOD = replace(VALUE_LIKELIHOOD, basis=Basis.MANY_VALUE, make=_many_likelihood)
