"""Sums of losses, for methods of many classes."""

from __future__ import annotations

from errorfloor.methods.maps import LossSums, RisingMap

__all__ = ["NO_LOSSES", "LossSums", "isotonic_map"]

NO_LOSSES = LossSums(0.0, 0.0, 0.0, 0.0)
isotonic_map = RisingMap.of_rows
