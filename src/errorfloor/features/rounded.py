"""Points as products take them: around 0, of size 1 at most, and rounded.

The value of a pair is minus half of its squared distance, x y - (x x + y y) / 2: a product of two
rows with two numbers more. Sums of products lose digits, so that a value only proposes. How many
they lose at most is known (Higham, Accuracy and Stability of Numerical Algorithms, chapter 3): a
value is within ``K (|x| + |y|)**2`` of the true one, with K about half the number of terms times
the unit of rounding. That says which points can be among the nearest, and when one may lack.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.features.lists import blocks_of

Reals: TypeAlias = NDArray[np.floating[Any]]  # of single or double precision

Precision: TypeAlias = type[np.float32] | type[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rounded:
    """Points around a common centre, in a common scale.

    Attributes
    ----------
    rows : array of shape (n, d)
        The points.
    halves : array of shape (n,)
        Half of the squared length of each.
    centre : array of shape (d,)
        What is 0.
    scale : float
        A power of 2, so that nothing is rounded by it.
    """

    rows: Reals
    halves: Reals
    centre: Floats
    scale: float

    @classmethod
    def of(cls, points: Floats, dtype: Precision, like: Rounded | None = None) -> Rounded:
        """Return points around their mean, or in the frame of others."""
        if like is None:
            centre = points.mean(axis=0)
            largest = max(float(np.abs(points[at] - centre).max()) for at in _blocks(points))
            scale = 2.0 ** -np.frexp(largest)[1] if largest > 0 else 1.0
        else:
            centre, scale = like.centre, like.scale
        rows = np.empty(points.shape, dtype)
        halves = np.empty(len(points), dtype)
        for at in _blocks(points):
            rows[at] = (points[at] - centre) * scale
            halves[at] = (rows[at].astype(np.float64) ** 2).sum(axis=1) / 2
        return cls(rows, halves, centre, scale)

    def some(self, at: Counts | slice) -> Rounded:
        """Return some of the points."""
        return Rounded(self.rows[at], self.halves[at], self.centre, self.scale)

    def values(self, others: Rounded) -> Reals:
        """Return minus half of the squared distance of each point from each of the others."""
        found = self.rows @ others.rows.T
        found -= others.halves
        found -= self.halves[:, None]
        return found

    def slack(self, last: Reals) -> Floats:
        """Return how far below the value of its k-th best a point can be, and still be among k.

        `last` has the k-th best value for each of these points. What is that near is no longer
        than this point and its distance together, and so the longest points do not matter.
        """
        width = self.rows.shape[1]
        information = np.finfo(self.rows.dtype)
        share = ((width + 8) / 2 + 2) * float(information.eps) / 2
        root = np.sqrt(2 * share)
        length = np.sqrt(2 * self.halves.astype(np.float64))
        reach = np.sqrt(np.maximum(-2 * last.astype(np.float64), 0))
        reach = (reach + 2 * root * length) / (1 - root)
        least = (width + 8) * float(information.tiny)  # what is lost below the smallest number
        return np.asarray(2 * (share * (2 * length + reach) ** 2 + least))


@dataclass(frozen=True, slots=True, eq=False)
class RoundedCloud:
    """Points, with what was made of them for products."""

    points: Floats
    _made: dict[Precision, Rounded] = field(default_factory=dict)

    def rounded(self, precision: Precision) -> Rounded:
        """Return the points as products take them, made the first time."""
        if precision not in self._made:
            self._made[precision] = Rounded.of(self.points, precision)
        return self._made[precision]


def _blocks(points: Floats) -> list[slice]:
    return blocks_of(len(points), points.shape[1])  # only for speed
