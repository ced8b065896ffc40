"""What items of unequal weight are worth: as many equal ones as would vary as much.

References
----------
.. [1] E. Korn and B. Graubard, "Confidence intervals for proportions with small expected number of
   positive counts estimated from survey data", Survey Methodology 24, 1998.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Floats

if TYPE_CHECKING:
    from errorfloor.data.sample import Sample

# Units of which it is taken for granted that all, and none, of their items lose: a variance that
# is told by two or three of them alone would be as often far too small.
PSEUDO = 2.0
DOUBT = 0.5  # units by which it is taken for granted that the items of a cluster are alike


@dataclass(frozen=True, eq=False)
class Losses:
    """What the items of each cell lose, and the squares of it, added up; not yet weighted."""

    total: Floats
    squares: Floats
    most: float = 1.0  # that any of them might have lost

    @classmethod
    def of(cls, count: Any, each: Floats, squares: Floats | None = None) -> Losses:
        """Return what so many items of each cell lose, from the mean loss and the mean square."""
        return cls(count * each, count * (each**2 if squares is None else squares))

    def __add__(self, other: Losses) -> Losses:
        total, squares = self.total + other.total, self.squares + other.squares
        return Losses(total, squares, max(self.most, other.most))


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of items whose losses are alike: all of them, or negatives and positives."""

    of: NDArray[np.intp]  # of each cell
    usual: Floats  # what an item loses that loses anything
    centre: Callable[[Any, Any], Floats]  # from what kinds weigh and lose to mean losses
    unit: Callable[[float], Floats]  # what a pseudo unit weighs, if so much of a cluster goes along
    heavier: Floats  # how much more such a unit weighs where it loses

    @classmethod
    def one(cls, sample: Sample, usual: float) -> Kinds:
        """Return all items as one kind."""
        of = np.zeros(sample.count.size, dtype=np.intp)
        ones = np.ones(1)
        return cls(of, ones * usual, _mean, lambda alike: ones * sample.typical(alike), ones)


def _mean(mass: Floats, total: Floats) -> Floats:
    return total / mass


def equal_item(sample: Sample, losses: Losses, kinds: Kinds) -> float:
    """Return what each of the equal items weighs whose mean loss would vary as much.

    `PSEUDO` typical units that lose the usual and as many that lose nothing are added to each kind
    of item. It is what a typical unit weighs where nothing is lost.
    """
    unit = kinds.unit(_alike(sample, losses, kinds))
    weigh = partial(np.bincount, kinds.of, minlength=kinds.usual.size)
    mass, total = weigh(sample.masses), weigh(sample.mass(losses.total))
    centre = kinds.centre(mass + 2 * PSEUDO * unit, total + PSEUDO * unit * kinds.usual)
    far, spread = _around(sample, losses, centre[kinds.of])
    ill, well = (kinds.usual - centre) ** 2, centre**2
    far += PSEUDO * float(unit**2 @ (kinds.heavier * ill + well))
    spread += PSEUDO * float(unit @ (ill + well))
    return far / spread if spread > 0 else sample.unit


def _alike(sample: Sample, losses: Losses, kinds: Kinds) -> float:
    """Return how far the items of a cluster go along: their correlation within clusters.

    That is 1 until some units that lose tell otherwise.
    """
    if sample.cluster is None:
        return 0.0
    weigh = partial(np.bincount, kinds.of, minlength=kinds.usual.size)
    parts = sample.masses, sample.mass(losses.total), sample.mass(losses.squares)
    mass, total, squares = (weigh(part) for part in parts)
    centre = kinds.centre(mass, total)
    within, between = (
        _around(units, losses, centre[kinds.of])[0] for units in (sample.items, sample)
    )
    most = float((squares - 2 * centre * total + centre**2 * mass) @ kinds.unit(1.0))
    found = 1.0
    if most > within:
        found = min(max((between - within) / (most - within), 0.0), 1.0)
    number = total.sum() ** 2 / squares.sum() / sample.unit if squares.any() else 0.0
    return float((number * found + DOUBT) / (number + DOUBT))


def _around(sample: Sample, losses: Losses, centre: Any) -> tuple[float, float]:
    """Return squared sums of units' weighted distances from a centre, and items' of weight 1.

    Those of clusters are as many more as their number of freedoms lacks of them.
    """
    far = losses.squares - 2 * centre * losses.total + centre**2 * sample.count
    spread = max(float(sample.mass(far).sum()), 0.0)
    if sample.cluster is None:
        return max(float(sample.mass(sample.mass(far)).sum()), 0.0), spread
    sums = np.bincount(sample.cluster, sample.mass(losses.total - centre * sample.count))
    return float(sums @ sums) * sums.size / max(sums.size - 1, 1), spread
