"""A reliability curve with its band, and those of many classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errorfloor._shown import Answer
from errorfloor._typing import Counts, Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reliability(Answer):
    """A reliability curve with its band, and the histogram of the scores.

    Attributes
    ----------
    scores : array of shape (p,)
        Distinct scores, ascending. Where there are thousands, those that the curve needs.
    probabilities : array of shape (p,)
        Fitted probability of class 1 at each.
    low : array of shape (p,)
        Lower limits of the true probabilities, for all scores together at `level`, if these do not
        fall as the score rises. Between scores the limit of the score before holds.
    high : array of shape (p,)
        Upper limits, likewise. Between scores the limit of the score behind holds.
    method : str
        The calibrator.
    n : int
        Number of items.
    edges : array of shape (b + 1,)
        Edges of the histogram's bins.
    negatives : array of shape (b,)
        Items with label 0 in each bin.
    positives : array of shape (b,)
        Items with label 1 in each bin.
    """

    scores: Floats
    probabilities: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    n: int
    edges: Floats
    negatives: Counts
    positives: Counts
    in_dict = (
        *("scores", "probabilities", "low", "high", "edges", "negatives", "positives", "level"),
        *("method", "n", "in_order"),
    )

    @property
    def in_order(self) -> bool:
        """Whether the limits leave room for probabilities that do not fall with the score.

        Scores in order fail this with a probability of at most one minus the level, and far less
        in practice: a lower and an upper limit have to be wrong, or nearly.
        """
        return bool((self.low <= self.high).all())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassReliability(Answer):
    """Reliability curves of many classes: of the top label, and of each class against the rest.

    Attributes
    ----------
    classes : tuple of str
        Names of the classes.
    top : Reliability
        Scores are the largest share of each item, label 1 says that its class is right.
    by_class : tuple of Reliability
        For each class: scores are its shares, label 1 is the class and label 0 all others. The
        band of each curve holds by itself at its level.
    """

    classes: tuple[str, ...]
    top: Reliability
    by_class: tuple[Reliability, ...]

    def __getitem__(self, name: str) -> Reliability:
        return self.by_class[self.classes.index(name)]

    @property
    def level(self) -> float:
        """The level of each band."""
        return self.top.level

    @property
    def method(self) -> str:
        """The calibrator."""
        return self.top.method

    @property
    def n(self) -> int:
        """Number of items."""
        return self.top.n

    def to_dict(self) -> dict[str, Any]:
        """Return all curves as plain values, ready for JSON."""
        named = zip(self.classes, self.by_class, strict=True)
        return {
            "classes": list(self.classes),
            "top": self.top.to_dict(),
            "by_class": {name: curve.to_dict() for name, curve in named},
        }
