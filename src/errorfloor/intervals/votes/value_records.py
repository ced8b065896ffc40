"""The intervals of metrics other than error from votes; what computes them loads when used."""

from __future__ import annotations

from dataclasses import replace

from errorfloor._checks import InputError, argument
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.record import Case, Evidence
from errorfloor.intervals.votes.records import (
    CERTIFIED,
    LIKELIHOOD,
    VoteLimits,
    likelihood,
    refuse_unknown_rule,
)
from errorfloor.methods.record import Basis, heeds_weights
from errorfloor.methods.soft import is_balance
from errorfloor.methods.votes.values import weighs


@heeds_weights(where=weighs)
def _likelihood(case: Case) -> Evidence:
    if case.options.aim is not None:
        return VoteLimits.of("likelihood", case, likelihood(case))
    from errorfloor.intervals.votes.values import value_limits

    return VoteLimits.of("likelihood", case, value_limits)


def _certified(case: Case) -> Evidence:
    from errorfloor.intervals.votes.inversion import inversion_of, inverted_limits
    from errorfloor.intervals.votes.limits import certified_limits

    assert isinstance(case.table, VoteTable)
    refuse_unknown_rule(case.options, case.table)
    metric = case.options.metric
    if case.options.aim is not None:
        return VoteLimits.of("certified", case, certified_limits)
    if inversion_of(metric) is None:
        known = (" Where the share of class 1 is known, ", argument("prior"), " makes it one.")
        raise InputError(
            *(argument("interval", "certified"), " is for metrics that means over items decide, "),
            f"and the best {metric.words} is no such value. Ask for ",
            *(argument("interval", "likelihood"), "."),
            *(known if is_balance(metric) else ()),
        )
    return VoteLimits.of("certified", case, inverted_limits)


def _many_likelihood(case: Case) -> Evidence:
    from errorfloor.intervals.votes.many_values import many_value_limits

    return VoteLimits.of("likelihood", case, many_value_limits)


VALUE_LIKELIHOOD = replace(
    LIKELIHOOD,
    basis=Basis.VALUE,
    make=_likelihood,
    promise="The interval holds the best values of all distributions that make the votes likely. "
    "It does not shrink to a point where few votes per item leave several values open. Its "
    "coverage is measured by simulation; there is no proof for finite samples.",
    in_short="the best values of all distributions that the votes make likely",
    proof="[measured](metrics.md#from-votes)",
)
VALUE_CERTIFIED = replace(CERTIFIED, basis=Basis.VALUE, make=_certified)
MANY_VALUE_LIKELIHOOD = replace(VALUE_LIKELIHOOD, basis=Basis.MANY_VALUE, make=_many_likelihood)
