"""Whether votes can be what their floor assumes: one distribution for all totals, independent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._numbers import limits, per_cent, points_of_size
from errorfloor.checks.record import Check
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.methods.record import CHANCE, ITEM_DECIDES, VOTES_DECIDE, Options
from errorfloor.methods.votes.mixture import MixtureFloor
from errorfloor.methods.votes.thin import Votes, thinned, thinned_apart
from errorfloor.results.estimate import VotesEstimate
from errorfloor.results.finding import Finding, Level

if TYPE_CHECKING:
    from errorfloor.intervals.votes.fits import Expected, Tested
    from errorfloor.methods.votes.likelihood import Mixture

# A floor that moves by no more than this is stated, whatever is refuted.
_MATERIAL = 0.002
_MANY = 20  # items with a total, from which it says something that none disagrees


def _run(estimate: VotesEstimate) -> Iterator[Finding]:
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
            yield _unequal(estimate, table, options)
            options = replace(options, totals_by=ITEM_DECIDES)
            if _misfit(table, options, None)[1].refutes:
                return  # which the finding says already
        else:
            yield Finding(
                "Why totals differ",
                "chance",
                "ok",
                "Items with few and with many votes are alike in how they were voted on, as where "
                "the number of votes has nothing to do with the item.",
            )
    common = None if options.by_item else fitted
    yield _fit(estimate, *_misfit(table, options, common))


def _options(estimate: VotesEstimate) -> Options:
    given = estimate.options
    return Options(
        totals_by=given.get("totals_by", CHANCE),
        stopping=given.get("stopping"),
        majority=given.get("majority"),
    )


def _one_distribution(table: VoteTable, fitted: Mixture) -> Tested:
    from errorfloor.intervals.votes.fits import Expected, one_distribution

    votes = Votes(table.positives, table.totals, table.counts)
    return one_distribution(Expected.under([(fitted, thinned_apart(*votes) or votes)]))


def _misfit(table: VoteTable, options: Options, fitted: Mixture | None) -> tuple[Expected, Tested]:
    """Test whether votes are to be expected from what was fitted, or from each total's own fit."""
    from errorfloor.intervals.votes.fits import Expected, misfit_of

    votes = Votes(table.positives, table.totals, table.counts)
    if fitted is None:
        votes = thinned_apart(*votes) or votes
        expected = Expected.under(MixtureFloor(Sample.of_votes(*votes), options).fits)
    elif options.rule is not None:
        expected = Expected.under_rule(options.rule, fitted, votes)
    else:
        expected = Expected.under([(fitted, thinned(*votes) or votes)])
    return expected, misfit_of(expected)


def _fit(estimate: VotesEstimate, expected: Expected, tested: Tested) -> Finding:
    from errorfloor.intervals.votes.fits import power_of_misfit

    value = f"{max(tested.statistic, 0):.1f} of {tested.critical:.1f}"
    if not tested.refutes:
        power = power_of_misfit(expected, tested.critical)
        finds = "" if power == np.inf else "With so few votes the test finds hardly anything."
        if power is not None and power < np.inf:
            finds = (
                f"Were the votes of {per_cent(power, 0)} of all items split as evenly as can be, "
                "the test would find that 8 times in 10."
            )
        said = "The votes can be those of people who vote independently"
        return Finding("Misfit of votes", value, "ok", f"{said}. {finds}".rstrip())
    off = _bias_of_error(estimate)
    small = off is not None and abs(off) <= _MATERIAL
    level: Level = "warn" if small else "refuted"
    limit = estimate.measure.limit
    return Finding(
        "Misfit of votes",
        value,
        level,
        "The votes are no mixture of independent votes: whatever the items are like, so many of "
        "one kind of split are not to be expected."
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
    return MixtureFloor(estimate.table.cells(), _options(estimate)).plugin_bias


def _unequal(estimate: VotesEstimate, table: VoteTable, options: Options) -> Finding:
    """Say that totals are not by chance, with the answer of each design."""
    item, votes = (replace(options, totals_by=why) for why in (ITEM_DECIDES, VOTES_DECIDE))
    values = {one.totals_by: _floor(table, one) for one in (item, votes)}
    material = abs(values[ITEM_DECIDES] - values[VOTES_DECIDE]) > _MATERIAL
    if not material:
        return Finding(
            "Why totals differ",
            "not by chance",
            "note",
            "Items with few and with many votes differ in how they were voted on. Here it makes no "
            f"difference of more than {points_of_size(_MATERIAL)} to the "
            f"{estimate.measure.limit}.",
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
        "Items with few and with many votes differ in how they were voted on, so the number of "
        "votes has to do with the item, or with its votes. If some kinds of items get more votes "
        f"(totals_by item), {floor} is {shown[ITEM_DECIDES]}; if votes were collected until they "
        f"agreed (totals_by votes), it is {shown[VOTES_DECIDE]}. {_hint(table, item)}",
        "Say why the numbers differ: totals_by, on the command line --totals-by.",
    )


def _floor(table: VoteTable, options: Options) -> float:
    cells = table.cells()
    found = MixtureFloor(cells, options).values(cells.count[None], np.random.default_rng(0))
    return float(found[0])


def _limits(table: VoteTable, options: Options, values: dict[str, float], level: float) -> str:
    from errorfloor.intervals.votes.limits import likelihood_limits
    from errorfloor.intervals.votes.records import VoteLimits

    value = values[options.totals_by]
    found = VoteLimits.around("likelihood", value, table, likelihood_limits, options)
    return limits(*found.limits(level))


def _hint(table: VoteTable, item: Options) -> str:
    """Say what the counts suggest."""
    if _misfit(table, item, None)[1].refutes:
        return (
            "Items with the same number of votes cannot have been voted on independently, which "
            "points to votes that were collected until they agreed."
        )
    split = (table.positives > 0) & (table.positives < table.totals)
    fewest = int(table.totals[table.totals > 1].min())
    own = table.totals == fewest
    if table.counts[own].sum() >= _MANY and not split[own].any() and split.any():
        return (
            f"No item with {fewest:,} votes has two that disagree, which suggests that votes were "
            "collected until they agreed, unless these items are certain."
        )
    return "The counts do not tell which."


FIT = Check(
    name="fit of votes",
    kinds=(VoteTable.kind,),
    run=_run,
    asks="Do items of all numbers of votes have one distribution, and can their votes be those of "
    "people who vote independently?",
    false_alarm=0.015,
)
