"""Which classes the best rule takes for which others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from errorfloor._shown import Answer, Plain
from errorfloor._typing import Floats
from errorfloor.data.options import Source


@dataclass(frozen=True, slots=True)
class ClassPair(Plain):
    """Two classes that are taken for one another.

    Attributes
    ----------
    first, second : str
        The classes, the one that is truly there more often first.
    share : float
        The pair's share of all errors, both ways together.
    first_as_second, second_as_first : float
        The same for either way.
    """

    first: str
    second: str
    share: float
    first_as_second: float
    second_as_first: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Confusion(Answer):
    """The errors of the best rule by class: what it cannot tell apart on such data.

    Attributes
    ----------
    classes : tuple of str
        Names of the classes.
    errors : array of shape (classes, classes)
        Share of all items that are truly of the class of the row and are given that of the column
        by the best rule. The diagonal is 0; the sum is the rule's error.
    method : str
        How the rule was found.
    n : int
        Number of items.
    basis : str
        What the errors were counted from, in a sentence.
    best_of : str
        Whose errors they are, where they are not those of any model: those of the best rule on
        scores, which another model may not make.
    estimated : bool
        Whether the errors are estimates, from votes or labels, in place of known ones.
    """

    classes: tuple[str, ...]
    errors: Floats = field(repr=False)
    method: str
    n: int
    basis: str
    source: Source | None = field(default=None, repr=False)
    best_of: str = ""
    estimated: bool = False
    in_dict = (
        *("value", "classes", "errors", "shares", "pairs", "method", "n", "basis", "best_of"),
        *("estimated", "source"),
    )

    @property
    def whose(self) -> str:
        """Whose errors they are."""
        return self.best_of or "any model"

    @property
    def value(self) -> float:
        """The error of the best rule."""
        return float(self.errors.sum())

    @property
    def shares(self) -> Floats:
        """Each class's share of the errors: of items that are truly of this class."""
        return np.asarray(self.errors.sum(axis=1) / (self.value or 1.0))

    @property
    def pairs(self) -> tuple[ClassPair, ...]:
        """The pairs of classes that are taken for one another, the largest share first."""
        both = (self.errors + self.errors.T) / (self.value or 1.0)
        one = self.errors / (self.value or 1.0)
        first, second = np.triu_indices(len(self.classes), 1)
        order = np.argsort(-both[first, second], kind="stable")
        found = []
        for i, k in zip(first[order].tolist(), second[order].tolist(), strict=True):
            if both[i, k] == 0:
                break
            a, b = (i, k) if one[i, k] >= one[k, i] else (k, i)
            names = self.classes[a], self.classes[b]
            found.append(ClassPair(*names, float(both[i, k]), float(one[a, b]), float(one[b, a])))
        return tuple(found)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[ClassPair]:
        return iter(self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON."""
        return {**Answer.to_dict(self), "best_of": self.whose}
