"""Annotators: how each one votes, and what the floor is without those who may be guessing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from errorfloor._shown import Answer, Named
from errorfloor.results.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """How one annotator votes, compared with the others on the same items.

    Attributes
    ----------
    annotator : str
        The id as text.
    votes : int
        Number of votes.
    agreement : float or None
        Mean share of the other votes on an item that are the same; None where there are none.
    informedness : float or None
        Sensitivity plus specificity minus 1 against the majority of the others: 1 for the same
        votes, 0 for a guess. None where the others' majority is never one of the classes. Of more
        than two classes, the mean share of the same votes over the classes that lead among the
        others, on the same scale.
    low : float or None
        Lower limit of the informedness.
    high : float or None
        Upper limit of the informedness.
    share : float
        Share of all disagreement that is between this annotator and others; the shares of all
        annotators sum to one.
    """

    annotator: str
    votes: int
    agreement: float | None
    informedness: float | None
    low: float | None
    high: float | None
    share: float

    @property
    def may_guess(self) -> bool:
        """Whether the votes cannot be told from guesses."""
        return self.low is None or self.low <= 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**asdict(self), "may_guess": self.may_guess}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnnotatorsResult(Named[Annotator], Answer):
    """The annotators of a set of votes, those with the largest share of the floor first.

    Attributes
    ----------
    rows : tuple of Annotator
        One for each.
    floor : Estimate
        The floor of all votes.
    everyone : float or None
        The floor of all annotators on the same items as `without`.
    without : float or None
        The floor of those who can be told from guessing. Who is left out is chosen on one half of
        the items and the floor is measured on the other, then the halves change places; both
        numbers are means of the two. None where nobody is left out on principle.
    left_out : float or None
        The share of the votes that was left out, a mean of the two as well.
    level : float
        Confidence level of the limits of the annotators.
    n : int
        Number of items.
    notes : tuple of str
        What else there is to say.
    """

    rows: tuple[Annotator, ...]
    floor: Estimate
    everyone: float | None
    without: float | None
    left_out: float | None
    level: float
    n: int
    notes: tuple[str, ...] = field(default=())
    name_of_rows = "annotator"
    in_dict = (
        *("sentence", "rows", "floor", "everyone", "without", "left_out", "level", "n", "notes"),
    )

    def __getitem__(self, name: object) -> Annotator:
        return Named.__getitem__(self, str(name))
