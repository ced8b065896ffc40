"""Which labels to buy next."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from errorfloor._shown import Answer
from errorfloor._typing import Counts, Floats
from errorfloor.metrics import ERROR, Metric
from errorfloor.results.claim import Claim


@dataclass(frozen=True, slots=True)
class Option:
    """A way to reach the target width: so many votes on each of so many items."""

    votes: int
    items: int
    cost: float


@dataclass(frozen=True, slots=True)
class Trade:
    """One more vote on each item of the pilot, or `more` new items, for the same price.

    `deeper` and `broader` are the widths of the interval that these lead to.
    """

    n: int
    more: int
    deeper: float
    broader: float


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
    narrowest : float or None
        Where no option reaches the target: the width that any number of items comes down to.
    trade : Trade or None
        For a pilot of votes: what one more vote on each item would change, beside new items.
    measure : Metric
        What the floor is a floor of, with what was given with it.
    classes : int
        Number of classes.
    claim : Claim
        What the answer will claim; of scores, labels alone never make a bound the floor.
    """

    votes: Counts
    items: Counts
    width: Floats
    bias: Floats
    floor: float
    level: float
    target: float | None
    options: tuple[Option, ...]
    narrowest: float | None = None
    trade: Trade | None = None
    measure: Metric = field(default=ERROR, repr=False)
    classes: int = 2
    claim: Claim = field(default_factory=Claim, repr=False)

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.measure.name

    @property
    def best(self) -> Option | None:
        """The cheapest option."""
        return min(self.options, key=lambda option: option.cost, default=None)

    @property
    def advice(self) -> str:
        """What to do, in plain words."""
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, ready for JSON."""
        return {
            "votes": self.votes.tolist(),
            "items": self.items.tolist(),
            "width": self.width.tolist(),
            "bias": self.bias.tolist(),
            "floor": self.floor,
            **({} if self.measure.is_error else {"metric": self.metric, **self.measure.given}),
            "level": self.level,
            "target": self.target,
            "options": [asdict(option) for option in self.options],
            "best": asdict(self.best) if self.best else None,
            "trade": asdict(self.trade) if self.trade else None,
            "claim": self.claim.to_dict(),
            "advice": self.advice,
        }
