"""What a method is: a record of what it reads, assumes and promises, and of what does the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from errorfloor._checks import InputError, argument, shown
from errorfloor._typing import Counts, Floats
from errorfloor.data.table import Table

if TYPE_CHECKING:
    from errorfloor.methods.calibration import Calibration

Clip: TypeAlias = float | Literal["auto"]

_MOST_DIGITS = 15  # of the number in a method's name


class Statistic(Protocol):
    """A number computed from the items of a table, bound to the table's cells."""

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the statistic for each row of `counts`, an array of shape (k, cells).

        `rng` is for statistics that divide items at random; the others leave it alone.
        """

    def leave_one_out(self) -> Floats:
        """Return, for each cell, the statistic of the table less one item of that cell."""


class Basis(Enum):
    """What an interval is computed from; a method says which of these it has."""

    ITEMS = "resampled items"
    MEAN = "a mean of known numbers"
    CUTS = "errors of cuts of the scores"
    MIXTURE = "the distribution behind votes"


class Shape(Enum):
    """What a method assumes of the map from scores to probabilities."""

    ORDER = "it rises"
    BINS = "it is flat within bins"
    CURVE = "it is a curve of few parameters"
    NONE = "it is the identity, or there is no map"


@dataclass(frozen=True, slots=True)
class Options:
    """What a user may say about how a method works."""

    clip: Clip = "auto"  # how far scores are kept from 0 and 1

    def __post_init__(self) -> None:
        clip = self.clip
        if clip != "auto" and not (isinstance(clip, int | float | np.number) and 0 < clip < 0.5):
            raise InputError(
                argument("clip"),
                f' must be "auto" or a number between 0 and 0.5, got {shown(clip)}. '
                "numpy.finfo(float).eps clips as betacal does.",
            )

    def distance(self, scores: Floats) -> float:
        """Return how far to keep these scores from 0 and 1.

        "auto" is half the smallest distance from 0 or 1 that is not itself zero.
        """
        if self.clip != "auto":
            return float(self.clip)
        distance = np.minimum(np.abs(scores), np.abs(1 - scores))
        positive = distance[distance > 0]
        return float(positive.min() / 2) if positive.size else 0.25


def unknown_resolution(table: Any) -> float | None:
    """Say that nobody knows how far merged rows can have moved the value."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Method:
    """A way to estimate how good any model can get.

    Attributes
    ----------
    name : str
        The paper's, where it has one.
    reads : str
        The kind of table.
    bind : callable
        From the cells of a table and options to the estimate as a statistic.
    bases : frozenset of Basis
        What intervals can be computed from.
    interval : str
        The default one.
    assumes, if_wrong, explains : str
        What has to hold; what happens where it does not; what the method does. For people.
    references : tuple of str
        Where it comes from.
    target : str
        Which label the floor is for.
    shape : Shape
        What it assumes of the map from scores to probabilities.
    colour : str
        The name of its colour in pictures.
    fit : callable, optional
        From a table and options to the calibration map, where it has one.
    curve : str
        Whose map pictures show for it: its own, unless it has none.
    needs_probabilities : bool
        Whether scores must lie in [0, 1].
    options : tuple of str
        Which `Options` it heeds.
    resolution : callable
        How far merged rows of a table can have moved the value; None where nobody knows.
    when_merged : str
        What it does with merged rows, where nobody knows how far that moves the value.
    """

    name: str
    reads: str
    bind: Callable[[Any, Options], Statistic]
    bases: frozenset[Basis]
    interval: str
    assumes: str
    if_wrong: str
    explains: str
    references: tuple[str, ...]
    target: str = "the given label"
    shape: Shape = Shape.NONE
    colour: str = "grey"
    fit: Callable[[Any, Options], Calibration] | None = None
    curve: str | None = None
    needs_probabilities: bool = False
    options: tuple[str, ...] = ()
    resolution: Callable[[Any], float | None] = unknown_resolution
    when_merged: str = "takes each at its middle"

    @property
    def shown_as(self) -> str:
        """The method whose map pictures show for this one."""
        return self.curve or self.name

    def takes(self, table: Table) -> bool:
        """Tell whether the table's scores lie where the method needs them."""
        places = getattr(table, "places", np.zeros(1))
        return not self.needs_probabilities or bool(places.min() >= 0 and places.max() <= 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """Methods that differ in one whole number, such as hist-K."""

    stem: str
    letter: str  # that stands for the number
    usual: tuple[int, ...]
    make: Callable[[int], Method]

    @property
    def name(self) -> str:
        """The name with a letter for the number."""
        return f"{self.stem}-{self.letter}"

    def numbered(self, name: str) -> Method | None:
        """Return the method of that name, or None if it is none of these."""
        stem, _, number = name.rpartition("-")
        if stem != self.stem or not number.isdecimal() or len(number) > _MOST_DIGITS:
            return None
        if number != str(int(number)):
            return None
        return self.make(int(number)) if int(number) else None

    def resembles(self, name: str) -> bool:
        """Tell whether the name is one of these but for its number."""
        stem, _, number = name.partition("-")
        return stem == self.stem and not number.strip("-+.0123456789")
