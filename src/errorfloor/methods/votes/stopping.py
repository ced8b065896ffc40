"""Rules by which votes on an item are collected until they agree, declared by name.

A rule sees nothing but the votes so far. So an item with probability eta ends with k of m votes
with chance (number of orders in which the rule lets that happen) eta^k (1 - eta)^(m - k).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from errorfloor._checks import InputError, argument, check_choice
from errorfloor._typing import Counts, Floats

# A rule without a most of its own is followed so far; what goes on is left out of all sets.
_HORIZON = 42
_LEAD = re.compile(r"lead-([2-9])(?:-max-([1-9]\d{0,2}))?")
USUAL = ("third", "lead-2", "lead-2-max-7")
EXPLAINED = (
    '"third" is two votes, and a third if they differ; "lead-2" goes on until one label is two '
    'votes ahead; "lead-2-max-7" does so up to 7 votes. The numbers may be others.'
)


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """When to stop: a lead of so many votes, or so many votes for one label; or the most votes."""

    name: str
    lead: int | None = None
    first: int | None = None
    most: int | None = None

    def stops(self, positives: int, total: int) -> bool:
        """Tell whether an item with these votes gets no more."""
        if total == self.most:
            return True
        if self.lead is not None:
            return abs(2 * positives - total) >= self.lead
        return self.first is not None and max(positives, total - positives) >= self.first

    def cells(self, reach: int = 0) -> tuple[Counts, Counts, Floats]:
        """Return the pairs of votes that items can end with, and the logarithms of their orders.

        A rule without a most is followed for `_HORIZON` votes, whatever the data; `reach` asks for
        more.
        """
        most = self.most or max(_HORIZON, reach)
        going, ends = {0: 1}, []  # orders that lead to so many positives, of items that go on
        for total in range(1, most + 1):
            after: dict[int, int] = {}
            for k, orders in going.items():
                for new in (k, k + 1):
                    after[new] = after.get(new, 0) + orders
            ends += [(k, total, math.log(n)) for k, n in after.items() if self.stops(k, total)]
            going = {k: orders for k, orders in after.items() if not self.stops(k, total)}
            if not going:
                break
        positives, totals = (np.array([end[i] for end in ends], dtype=np.int64) for i in (0, 1))
        return positives, totals, np.array([end[2] for end in ends], dtype=np.float64)

    def check(self, positives: Counts, totals: Counts) -> None:
        """Refuse votes that the rule does not end with."""
        k, m, _ = self.cells(int(totals.max()))
        allowed = set(zip(k.tolist(), m.tolist(), strict=True))
        for pair in zip(positives.tolist(), totals.tolist(), strict=True):
            if pair not in allowed:
                raise InputError(
                    *(argument("stopping", self.name), f" cannot end with {pair[0]} of {pair[1]} "),
                    "votes for class 1, and some items have these. Declare the rule that was "
                    "used, or leave out the items that did not follow it.",
                )


def rule_named(name: object) -> StoppingRule:
    """Return the rule of that name, or say which there are."""
    if isinstance(name, str) and name == "third":
        return StoppingRule("third", first=2, most=3)
    found = _LEAD.fullmatch(name) if isinstance(name, str) else None
    if found is not None:
        lead, most = int(found[1]), found[2] and int(found[2])
        if not most or most >= lead:
            return StoppingRule(found[0], lead=lead, most=most or None)
    check_choice(name, USUAL, name="stopping", hint=f" {EXPLAINED}")
    raise AssertionError("check_choice refuses what is not there")
