"""The intervals of floors from votes for many classes; what computes them loads when first used."""

from __future__ import annotations

from dataclasses import replace

from errorfloor._references import BETTING, VOTE_LIMITS
from errorfloor.intervals.record import Case, Evidence
from errorfloor.intervals.votes.records import CERTIFIED, LIKELIHOOD, VoteLimits
from errorfloor.methods.record import Basis, heeds_weights
from errorfloor.metrics import ERROR


@heeds_weights(ERROR.name)
def _likelihood(case: Case) -> Evidence:
    from errorfloor.intervals.votes.many_limits import likelihood_limits  # SciPy loads slowly

    return VoteLimits.of("likelihood", case, likelihood_limits)


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
