"""Intervals from the errors of rules that choose a class by weighted scores.

As those from cuts, of which they are the counterpart for more than two classes: below from the
fewest errors of any offsets, above from items that did not choose the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from errorfloor._references import BINOMIAL
from errorfloor.data.sample import split
from errorfloor.intervals.held_out import HeldOutErrors
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.intervals.weighted import WeightedErrors
from errorfloor.methods.record import Basis, Method, heeds_weights
from errorfloor.methods.rules.choice import Rule
from errorfloor.methods.rules.fewest import fewest_errors
from errorfloor.methods.rules.offsets import OFFSETS_FAMILY, OffsetErrors, TopErrors
from errorfloor.methods.rules.packing import needed_errors
from errorfloor.methods.rules.softmax import fit_within_reach
from errorfloor.methods.rules.unsure import unsure_share
from errorfloor.methods.rules.weighted import WeightedOffsets
from errorfloor.metrics import ERROR

_USUAL = 0.5  # share of unsure items that leaves the errors of the folds as they are


@dataclass(frozen=True, slots=True)
class RuleErrors(HeldOutErrors):
    """Limits from the errors of rules; `unsure` is the share of items that none is best for.

    Where that is most of them, held-out items count as fewer. See "Scores of many classes" in
    docs/theory.md.
    """

    unsure: float = 0.0

    @property
    def correlated(self) -> float:
        """Share of the variance of the held-out errors that is that of unsure items."""
        return max(self.unsure - _USUAL, 0) / (1 - _USUAL)


def _rules(case: Case) -> OffsetErrors:
    """Return the rule with the best offsets, which other methods are judged by as well."""
    if isinstance(case.statistic, OffsetErrors):
        return case.statistic
    return OffsetErrors(case.cells, case.options)


@heeds_weights(ERROR.name)
def _honest(case: Case) -> Evidence:
    if case.cells.weight is not None:
        return _weighted_honest(case)
    if isinstance(case.statistic, TopErrors):  # one rule, which no item has chosen
        errors, n = float(case.count @ case.statistic.floor), case.table.n
        return RuleErrors("honest", errors, n, errors, n)
    return honest_errors(_rules(case), case.streams.for_("folds"))


def _weighted_honest(case: Case) -> Evidence:
    design = case.cells
    if isinstance(case.statistic, TopErrors):
        share, n = design.worth(case.count * case.statistic.floor)
        return WeightedErrors("honest", share, n, share, n, design.freedom)
    rules = case.statistic
    assert isinstance(rules, WeightedOffsets)
    share, n = design.worth(rules.fewest())
    held_out, held_n = design.worth(rules.held_out(case.streams.for_("folds")))
    correlated = max(rules.unsure() - _USUAL, 0) / (1 - _USUAL)
    return WeightedErrors("honest", share, n, held_out, held_n, design.freedom, correlated)


def honest_errors(rules: OffsetErrors, rng: np.random.Generator) -> RuleErrors:
    """Return the fewest errors of any weights, and those of fitted ones on held-out items."""
    n = int(rules.count.sum())
    starts = (rules.rule, Rule.as_it_is(len(rules.items.logs)))
    errors, _ = fewest_errors(rules.items, rules.count, starts)
    held_out = rules.held_out(rng)
    unsure = unsure_share(OFFSETS_FAMILY, rules.items, rules.count, rules.fitted)
    return RuleErrors("honest", errors, n, held_out, n, unsure)


def _certified(case: Case) -> Evidence:
    if isinstance(case.statistic, TopErrors):
        items, n = case.statistic.items, case.table.n
        first = case.statistic.rule.chosen(items, np.zeros(len(items.logs)))
        errors = int(case.count[first != items.label].sum())
        return RuleErrors("certified", errors, n, errors, n)
    rules = _rules(case)
    items = rules.items
    train, test = split(case.count, 2, case.streams.for_("halves"))
    rule = Rule.of(fit_within_reach(OFFSETS_FAMILY, items, train if train.any() else case.count))
    # One class where several are tied, so that errors are whole and binomial.
    wrong = rule.chosen(items, items.by_class(train)) != items.label
    errors = needed_errors(items, case.count)
    held_out = int(test[wrong].sum())
    return RuleErrors("certified", errors, case.table.n, held_out, int(test.sum()))


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
