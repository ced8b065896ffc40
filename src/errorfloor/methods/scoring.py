"""Sums of losses, for methods of many classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.methods.maps import RisingMap

isotonic_map = RisingMap.of_rows


@dataclass(frozen=True, slots=True)
class LossSums:
    """Losses of some items, added up."""

    total: float
    squares: float
    items: float
    most: float  # that any of them might have been

    @classmethod
    def of(cls, losses: Floats, count: Counts, possible: Floats | None = None) -> LossSums:
        """Add up losses, so many of each.

        `possible` is the largest loss that each might have been, with another label; the loss
        itself by default.
        """
        most = float((losses if possible is None else possible)[count > 0].max(initial=0.0))
        return cls(float(count @ losses), float(count @ losses**2), float(np.sum(count)), most)

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(
            self.total + other.total,
            self.squares + other.squares,
            self.items + other.items,
            max(self.most, other.most),
        )

    @property
    def mean(self) -> float:
        """The mean loss."""
        return self.total / max(self.items, 1)


NO_LOSSES = LossSums(0.0, 0.0, 0.0, 0.0)
