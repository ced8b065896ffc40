"""The intervals of floors from votes for many classes; what computes them loads when first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from errorfloor._references import BETTING, VOTE_LIMITS
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.record import Case, Evidence
from errorfloor.intervals.votes.records import CERTIFIED, LIKELIHOOD, not_a_sample
from errorfloor.methods.record import Basis, Options, heeds_weights
from errorfloor.metrics import ERROR


@dataclass(frozen=True, slots=True, eq=False)
class ManyVoteLimits:
    """Limits of the floor behind a vote table of many classes, at any level."""

    value: float  # the estimate, which limits never leave out
    table: VoteTable = field(repr=False)
    options: Options = field(default_factory=Options, repr=False)
    find: Callable[..., tuple[float, float]] | None = field(default=None, repr=False)
    method: str = "likelihood"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from errorfloor.intervals.votes.many_limits import likelihood_limits  # SciPy loads slowly

        table, find = self.table, self.find or likelihood_limits
        low, high = find(table.votes, table.counts, level=level, options=self.options)
        return min(low, self.value), max(high, self.value)

    @property
    def note(self) -> str:
        """For whose votes the limits hold."""
        return not_a_sample(self.table)


@heeds_weights(ERROR.name)
def _likelihood(case: Case) -> Evidence:
    if case.cells.weight is not None:
        from errorfloor.intervals.votes.weighted import WeightedVoteLimits

        return WeightedVoteLimits.of(case)
    table = case.table
    assert isinstance(table, VoteTable)
    return ManyVoteLimits(case.value, table, case.options)


def _certified(case: Case) -> Evidence:
    from errorfloor.intervals.votes.bracket import Bracket

    return Bracket.around(case)


MANY_LIKELIHOOD = replace(LIKELIHOOD, basis=Basis.PARTITIONS, make=_likelihood)
MANY_CERTIFIED = replace(
    CERTIFIED,
    basis=Basis.PARTITIONS,
    make=_certified,
    in_short="every distribution, any n, any number of votes and classes",
    proof="[proven](theory.md#votes-for-many-classes)",
    references=(VOTE_LIMITS, BETTING),
    is_random=True,
)
