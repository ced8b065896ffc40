"""The certified interval for many classes: means of known numbers that enclose the floor.

Given an item's probabilities p, its votes enclose 1 - max p in two ways. *Bracket*: the share of
votes that the leading class leaves is too low on average, for a maximum of means is at most the
mean of maxima; and a vote that is predicted from the other votes is missed at least as often as
the likeliest class is. *Pairs*: two votes agree with chance A, the sum of p^2, which lies between
bounds in terms of max p. Each of the four means has a betting limit that holds for any n. Of three
classes, better numbers than these are sought; see `triangle`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.bets import Bets, Blocks
from errorfloor.intervals.record import Case
from errorfloor.intervals.votes.records import not_a_sample
from errorfloor.methods.record import VOTES_DECIDE

if TYPE_CHECKING:
    from errorfloor.intervals.votes.triangle import Triangle

SIDES = 4  # one-sided limits that share the error probability


@dataclass(frozen=True, slots=True, eq=False)
class Bracket:
    """Limits of the floor behind votes for many classes that hold at any number of items."""

    value: float  # the estimate, which limits never leave out
    classes: int
    left: Bets = field(repr=False)  # share of votes that the leading class leaves
    missed: Bets = field(repr=False)  # votes missed by the plurality of the others
    least: Bets = field(repr=False)  # agreement of pairs, as low as can be
    most: Bets = field(repr=False)  # and as high
    triangle: Triangle | None = field(default=None, repr=False)  # in place of all, of three classes
    note: str = ""
    method: str = "certified"

    @classmethod
    def around(cls, case: Case) -> Bracket:
        """Return the limits of a case."""
        cells, table = case.cells, case.table
        assert isinstance(table, VoteTable)
        _check(case, cells)
        votes, classes = cells.votes, len(table.classes)
        blocks = Blocks.drawn(case.count, case.streams.for_("blocks"))
        agree, some = agreements(votes), cells.totals > 1
        # Items with a single vote have no pair. Where totals say nothing about items, the others
        # stand for them; else they may agree as little or as much as can be.
        own = blocks if case.options.by_item else blocks.at(np.flatnonzero(some[blocks.unit]))
        least, most = (
            Bets.of(np.where(some, agree, unknown), own) for unknown in (1 / classes, 1.0)
        )
        triangle = None
        if classes == 3:
            from errorfloor.intervals.votes.triangle import Triangle  # SciPy's parts load slowly

            triangle = Triangle.of(votes, blocks)
        return cls(
            case.value,
            classes,
            Bets.of(1 - votes.max(axis=1) / cells.totals, blocks, (0.0, 1 - 1 / classes)),
            Bets.of(missed_votes(votes), blocks),
            least,
            most,
            triangle,
            not_a_sample(table),
        )

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        if self.triangle is not None:
            low, high = self.triangle.limits(level)
            return min(low, self.value), max(high, self.value)
        each = 1 - 2 * (1 - level) / SIDES  # two-sided, of which one side is used
        low = max(self.left.lower(each), pair_floor(self.most.upper(each), self.classes))
        high = min(self.missed.upper(each), 1 - self.least.lower(each))
        return min(low, self.value), max(high, self.value)


def agreements(votes: Counts) -> Floats:
    """Return the share of pairs of votes that agree, in each row; 1 where there is no pair."""
    own = votes.astype(np.float64)
    totals = own.sum(axis=1)
    pairs = totals * (totals - 1)
    return np.where(pairs > 0, (own * (own - 1)).sum(axis=1) / np.maximum(pairs, 1.0), 1.0)


def missed_votes(votes: Counts) -> Floats:
    """Return the share of votes that the plurality of the other votes misses, in each row.

    A vote for the single leader is met if its class still leads without it; classes that come up
    to it then share the chance. Any other vote is missed. A single vote is guessed.
    """
    most = votes.max(axis=1)
    leaders = (votes == most[:, None]).sum(axis=1)
    tied = (votes == most[:, None] - 1).sum(axis=1)
    met = np.where(leaders == 1, most / votes.sum(axis=1) / (tied + 1), 0.0)
    return np.asarray(1 - met)


def pair_floor(agreement: float, classes: int) -> float:
    """Return the least floor of items whose votes agree in pairs so often on average."""
    excess = max(classes * min(agreement, 1.0) - 1, 0.0)
    return float(1 - (1 + np.sqrt((classes - 1) * excess)) / classes)


def _check(case: Case, cells: Sample) -> None:
    """Refuse what there is no proof for."""
    if case.options.target.majority > 2:
        raise InputError(
            "The certified interval is for one more vote where there are more than two classes. "
            "Leave out ",
            argument("majority"),
            ", or ask for ",
            argument("interval", "likelihood"),
            ".",
        )
    totals = cells.totals
    if case.options.totals_by == VOTES_DECIDE and int(totals.min()) < int(totals.max()):
        raise InputError(
            "The certified interval needs totals that votes did not decide, where there are more "
            "than two classes. Where the order of votes is known, the first votes of each item, "
            "equally many, will do without ",
            argument("totals_by"),
            "; the likelihood interval needs no order.",
        )
