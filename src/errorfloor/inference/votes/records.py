"""The intervals of floors from votes; what computes them loads when first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from errorfloor._references import VOTE_LIMITS
from errorfloor.data.tables import VoteTable
from errorfloor.inference.record import Case, Evidence, IntervalKind
from errorfloor.methods.record import Basis
from errorfloor.methods.votes.thin import Votes, points_for, thinned


@dataclass(frozen=True, slots=True, eq=False)
class VoteLimits:
    """Limits of the floor behind a vote table, at any level."""

    method: str
    value: float  # the estimate, which limits never leave out
    table: VoteTable = field(repr=False)
    find: Callable[..., tuple[float, float]] = field(repr=False)
    few: Votes | None = field(repr=False)  # of the votes, where all are too many

    @classmethod
    def of(cls, name: str, case: Case, find: Callable[..., tuple[float, float]]) -> VoteLimits:
        """Return the limits of a case, from a part of the votes where all are too many."""
        table = case.table
        assert isinstance(table, VoteTable)
        few = thinned(table.positives, table.totals, table.counts)
        return cls(name, case.value, table, find, few)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        table, few = self.table, self.few
        if few is None:
            low, high = self.find(table.positives, table.totals, table.counts, level=level)
        else:
            low, high = self.find(*few, level=level, n_points=points_for(int(few.totals.max())))
        return min(low, self.value), max(high, self.value)

    @property
    def note(self) -> str:
        """What to say about votes that were left out."""
        if self.few is None:
            return ""
        return (
            f" The limits use at most {self.few.totals.max():,} votes of each item, drawn at "
            "random but always the same; they hold as they would with all votes."
        )


def _likelihood(case: Case) -> Evidence:
    from errorfloor.inference.votes.limits import likelihood_limits  # SciPy's parts load slowly

    return VoteLimits.of("likelihood", case, likelihood_limits)


def _certified(case: Case) -> Evidence:
    from errorfloor.inference.votes.limits import certified_limits

    return VoteLimits.of("certified", case, certified_limits)


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
    promise="The interval holds the floors of all distributions that make the votes likely. It "
    "does not shrink to a point where few votes per item leave several floors open. Its coverage "
    "is measured by simulation; there is no proof for finite samples.",
    in_short="the floors of all distributions that the votes make likely",
    proof="[measured](votes.md)",
    holds="measured",
)
CERTIFIED = _kind(
    name="certified",
    make=_certified,
    promise="Both limits hold at any number of items, at the price of width.",
    in_short="every distribution, any n, any number of votes from 2 on",
    proof="[proven](theory.md#the-mixture-behind-votes)",
    holds="exact",
)
