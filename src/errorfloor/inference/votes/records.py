"""The intervals of floors from votes; what computes them loads when first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from errorfloor._references import VOTE_LIMITS
from errorfloor.data.tables import VoteTable
from errorfloor.inference.record import Case, Evidence, IntervalKind
from errorfloor.methods.record import Basis


@dataclass(frozen=True, slots=True, eq=False)
class VoteLimits:
    """Limits of the floor behind a vote table, at any level."""

    method: str
    value: float  # the estimate, which limits never leave out
    table: VoteTable = field(repr=False)
    find: Callable[..., tuple[float, float]] = field(repr=False)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        table = self.table
        low, high = self.find(table.positives, table.totals, table.counts, level=level)
        return min(low, self.value), max(high, self.value)


def _likelihood(case: Case) -> Evidence:
    from errorfloor.inference.votes.limits import likelihood_limits  # SciPy's parts load slowly

    assert isinstance(case.table, VoteTable)
    return VoteLimits("likelihood", case.value, case.table, likelihood_limits)


def _certified(case: Case) -> Evidence:
    from errorfloor.inference.votes.limits import certified_limits

    assert isinstance(case.table, VoteTable)
    return VoteLimits("certified", case.value, case.table, certified_limits)


_kind = partial(IntervalKind, basis=Basis.MIXTURE, references=(VOTE_LIMITS,), is_random=False)

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
