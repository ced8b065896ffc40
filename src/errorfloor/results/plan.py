"""Which labels to buy next, and which items to label."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from errorfloor._shown import Answer
from errorfloor._typing import Counts, Floats
from errorfloor.data.files import check_output
from errorfloor.data.storage import write_csv
from errorfloor.intervals.record import Seed
from errorfloor.metrics import ERROR, Metric
from errorfloor.results.claim import Claim


@dataclass(frozen=True, slots=True)
class Option:
    """A way to reach the target width, or to spend the budget: votes on each of so many items."""

    votes: int
    items: int
    cost: float
    width: float = math.nan  # of the interval then


@dataclass(frozen=True, slots=True)
class Trade:
    """One more vote on each item of the pilot, or `more` new items, for the same price.

    `deeper` and `broader` are the widths of the interval that these lead to, and `now` is that of
    the pilot: its items have the numbers of votes that they have, which may differ. `price` is
    what the votes cost, and about what the items do.
    """

    n: int
    more: int
    deeper: float
    broader: float
    now: float | None = None
    price: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan(Answer):
    """How wide the interval of a floor will be, and what is the cheapest way to a target.

    Attributes
    ----------
    votes : array of shape (a,)
        Numbers of votes per item; a single 1 for scores with one label per item.
    items : array of shape (b,)
        Numbers of items.
    width : array of shape (a, b)
        Expected width of the interval at `level`.
    bias : array of shape (a,)
        Expected bias of the plug-in from so many votes; 0 for scores.
    floor : float
        The floor that the pilot suggests.
    options : tuple of Option
        The items each number of votes needs for the target; numbers that cannot reach it are
        left out.
    affordable : tuple of Option
        With a budget: the items that it pays for with each number of votes, and the width then.
    deepened : Option or None
        With a budget and a pilot of votes: how many more votes it pays for on each item of the
        pilot, at most as many as were considered, and the width then.
    broadened : Option or None
        The same of further items next to those of the pilot, with as many votes each.
    narrowest : float or None
        Where no option reaches the target: the width that any number of items comes down to.
    trade : Trade or None
        For a pilot of votes: what one more vote on each item would change, next to new items.
    measure : Metric
        What the floor is a floor of, with what was given with it.
    classes : int
        Number of classes.
    claim : Claim
        What the answer will claim; of scores, labels alone never make a bound the floor.
    annotators : int or None
        How many annotators the widths are about, where the default interval is wider than that
        because it is about new annotators as well.
    people : int or None
        How many people voted in the pilot, where that is known.
    most_votes : int
        The most votes on an item of the pilot, where it has votes.
    """

    votes: Counts
    items: Counts
    width: Floats
    bias: Floats
    floor: float
    level: float
    target: float | None
    options: tuple[Option, ...]
    budget: float | None = None
    affordable: tuple[Option, ...] = ()
    deepened: Option | None = None
    broadened: Option | None = None
    narrowest: float | None = None
    trade: Trade | None = None
    measure: Metric = field(default=ERROR, repr=False)
    classes: int = 2
    claim: Claim = field(default_factory=Claim, repr=False)
    annotators: int | None = field(default=None, repr=False)
    people: int | None = field(default=None, repr=False)
    most_votes: int = field(default=0, repr=False)
    in_dict = (
        *("votes", "items", "width", "bias", "floor", "metric", "level", "target", "options"),
        *("best", "budget", "affordable", "best_affordable", "deepened", "broadened", "trade"),
        *("claim", "advice"),
    )

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.measure.name

    @property
    def best(self) -> Option | None:
        """The cheapest option."""
        return min(self.options, key=lambda option: option.cost, default=None)

    @property
    def best_affordable(self) -> Option | None:
        """The option with the narrowest interval that the budget pays for."""
        return min(self.affordable, key=lambda option: option.width, default=None)

    @property
    def extended(self) -> Option | None:
        """The better way to spend the budget on the pilot: on its items, or on more of them."""
        ways = [one for one in (self.deepened, self.broadened) if one is not None]
        return min(ways, key=lambda option: option.width, default=None)

    @property
    def extends(self) -> bool:
        """Whether the budget is better spent on the pilot than on a new set of items."""
        own, new = self.extended, self.best_affordable
        return own is not None and new is not None and own.width < new.width

    @property
    def people_needed(self) -> int | None:
        """How many people the votes that are recommended need, where more than voted so far."""
        if self.people is None:
            return None
        new = [self.best, None if self.extends else self.best_affordable]
        votes = [option.votes for option in new if option is not None]
        if self.extends and self.deepened is not None and self.extended is self.deepened:
            votes.append(self.most_votes + self.deepened.votes)
        if self.trade is not None:
            votes.append(self.most_votes + 1)
        most = max(votes, default=0)
        return most if most > self.people else None

    @property
    def advice(self) -> str:
        """What to do, in plain words."""
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, ready for JSON."""
        found = Answer.to_dict(self)
        if self.measure.is_error:
            del found["metric"]
        return found | dict(self.measure.given)


PILOT = 50  # labels, of items drawn at random, to ask for before widths are relied on


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelPlan(Answer):
    """Which items to label, and how wide the interval of the floor will be then.

    Attributes
    ----------
    rows : array of shape (budget,)
        The items to label, by their number from 0 on.
    weight : array of shape (n,)
        One over the probability to be labelled, of items that have a label or are to get one; NaN
        for the others. It is what `from_scores` takes as `weight` once the labels are there.
    width : float
        Expected width of the interval at `level`, with these items.
    width_at_random : float
        The same with as many items drawn at random.
    floor : float
        The floor that is expected.
    floor_from_labels : bool
        Whether labels said so, or else scores.
    n : int
        Number of items.
    labelled : int
        Number of items that have a label so far.
    level : float
        Confidence level.
    scores : array of shape (n,)
        The scores that were given.
    labels : array of shape (n,)
        The labels that were given; NaN where there are none.
    seed : Seed
        Where the random numbers started.
    files : tuple of str
        The files that the scores came from, if any.
    """

    rows: Counts
    weight: Floats = field(repr=False)
    width: float
    width_at_random: float
    floor: float
    floor_from_labels: bool
    n: int
    labelled: int
    level: float
    scores: Floats = field(repr=False)
    labels: Floats = field(repr=False)
    seed: Seed | None = field(default=None, repr=False)
    files: tuple[str, ...] = field(default=(), repr=False)
    in_dict = (
        *("sentence", "budget", "n", "labelled", "level", "width", "width_at_random", "floor"),
        *("assumptions", "rows", "weight", "seed"),
    )

    @property
    def budget(self) -> int:
        """Number of items to label."""
        return int(self.rows.size)

    @property
    def assumptions(self) -> str:
        """What has to hold for the expected widths, and what to do about it."""
        if self.floor_from_labels:
            return (
                f"The widths assume that the {self.labelled:,} items with labels so far are a "
                "random sample of all items."
            )
        return (
            "The widths assume that the scores are calibrated probabilities of class 1. Where the "
            "scores are overconfident, the interval will be several times wider. Label "
            f"{PILOT} random items first (a pilot), then plan again with their labels."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, ready for JSON."""
        return {**Answer.to_dict(self), "weight": self.weight[self.rows].tolist()}

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the items to label, and after them those that have one, with their weights."""
        check_output(path, self.files)
        old = np.flatnonzero(~np.isnan(self.labels))
        head = ("row", "score", "label", "probability", "weight")
        write_csv(path, head, map(self._line, (*self.rows.tolist(), *old.tolist())))
        return Path(path)

    def _line(self, row: int) -> tuple[object, ...]:
        label = "" if np.isnan(self.labels[row]) else int(self.labels[row])
        weight = float(self.weight[row])
        return row, float(self.scores[row]), label, 1 / weight, weight
