"""Floors of a distribution that is fitted anew to every set of votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.record import Options


class Refitted:
    """What statistics have in common whose value comes from a fit to votes.

    The fit is to votes that differ: equal ones are pooled, by what they weigh.
    """

    def __init__(self, sample: Sample, options: Options | None = None) -> None:
        self.sample = sample
        self.cells = sample.distinct
        self.options = options or Options()
        self._check()
        self.fits, self._floor = self._fit(self.cells.count)

    def _check(self) -> None:
        """Refuse votes and options that there is no answer for."""
        raise NotImplementedError

    def _fit(self, count: Counts) -> tuple[Any, float]:
        """Return what is fitted to so many items in the cells, and the floor of all."""
        raise NotImplementedError

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        own = self.sample.count
        return np.array(
            [
                self._floor
                if np.array_equal(count, own)
                else self._fit(self.sample.in_distinct(count))[1]
                for count in counts
            ]
        )
