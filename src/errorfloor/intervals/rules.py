"""Intervals from the errors of rules that choose a class by weighted scores.

As those from cuts, of which they are the counterpart for more than two classes: below from the
fewest errors of any offsets, above from items that did not choose the rule.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from errorfloor._references import BINOMIAL
from errorfloor.data.sample import split
from errorfloor.intervals.honest import Honest
from errorfloor.intervals.record import AroundValue, Case, Evidence, IntervalKind
from errorfloor.methods.fitted import sides_of_errors
from errorfloor.methods.record import Basis, Method, heeds_weights
from errorfloor.methods.rules.fewest import Rule, needed_errors
from errorfloor.methods.rules.offsets import OffsetFit, TopErrors
from errorfloor.metrics import ERROR


def _fit(case: Case) -> OffsetFit:
    """Return the rule with the best offsets, which other methods are judged by as well."""
    if isinstance(case.statistic, OffsetFit):
        return case.statistic
    return OffsetFit.of(case.cells, case.options)


@heeds_weights(ERROR.name)
def _honest(case: Case) -> Evidence:
    top = case.statistic
    return Honest((top if isinstance(top, TopErrors) else _fit(case)).sides())


def _certified(case: Case) -> Evidence:
    found = _limits(case)
    return AroundValue(found, case.value) if isinstance(case.statistic, OffsetFit) else found


def _limits(case: Case) -> Evidence:
    n, count = case.table.n, case.count
    if isinstance(case.statistic, TopErrors):
        items = case.statistic.items
        first = case.statistic.rule.chosen(items, np.zeros(len(items.logs)))
        errors = int(count[first != items.label].sum())
        return Honest(sides_of_errors((errors, n), (errors, n)), "certified")
    rules = _fit(case).rules
    items = rules.items
    train, test = split(count, 2, case.streams.for_("halves"))
    rule = Rule.of(rules.fit(train if train.any() else count))
    # One class where several are tied, so that errors are whole and binomial.
    wrong = rule.chosen(items, items.by_class(train)) != items.label
    held_out = int(test[wrong].sum()), int(test.sum())
    sides = sides_of_errors((needed_errors(items, count), n), held_out)
    return Honest(sides, "certified")


def _assumes(method: Method) -> str:
    if Basis.ITEMS not in method.bases:
        return "; the upper limit holds for any scores"
    return (
        "; the interval's lower limit needs the largest weighted score to be that of the likeliest "
        "class instead, its upper limit holds for any scores"
    )


_kind = partial(
    IntervalKind,
    basis=Basis.RULES,
    references=(BINOMIAL,),
    assumes=_assumes,
    tests_rules=True,
)

HONEST = _kind(
    name="honest",
    make=_honest,
    promise="The lower limit comes from the fewest errors that a search over all weights of the "
    "classes finds. The upper one comes from ten-fold cross-fitting, and allows for items where "
    "no rule is clearly best. Coverage is measured by simulation, not proven.",
    with_weights="The lower limit comes from the fewest errors that a search over all weights of "
    "the classes finds, the upper one from ten-fold cross-fitting by item or cluster; both count "
    "the errors as those of as many equal items as vary as much. Coverage is measured.",
    in_short="many classes: fewest errors of any weights below, cross-fitted errors above",
    proof="[measured](many_scores.md)",
    holds="measured",
    stands_in=1,
)
CERTIFIED = _kind(
    name="certified",
    make=_certified,
    promise="Both limits hold at any number of items. The lower one counts errors that pairs of "
    "classes prove for all weights, and is often far below the estimate.",
    in_short="many classes: both limits exact at any n, the lower one loose",
    proof="[proven](theory.md#scores-of-many-classes)",
    holds="exact",
)
