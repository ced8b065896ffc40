"""Floors of a distribution that is fitted anew to every set of votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats


class Refitted:
    """What statistics have in common whose value comes from a fit to the counts of cells."""

    cells: Any
    _floor: float  # of the cells as they are

    def _fit(self, count: Counts) -> tuple[Any, float]:
        """Return what is fitted to so many items in the cells, and the floor of all."""
        raise NotImplementedError

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        own = self.cells.count
        return np.array(
            [self._floor if np.array_equal(count, own) else self._fit(count)[1] for count in counts]
        )
