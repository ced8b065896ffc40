"""A fixed grid of scores, for tables whose distinct scores are too many to keep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts

EXACT = 262_144  # distinct scores: a table has a row for each up to here, and beyond for cells
CELLS = 65_536  # of the grid from 0 to 1, where scores have to be merged


def cell_of(scores: NDArray[Any], cells: int) -> Counts:
    """Return the cell of a fixed grid on the whole line that each score falls into.

    From 0 to 1 cells are finer towards both ends, as the standard deviation of a label is smaller
    there. Only operations that round the same way everywhere are used, so that any engine that
    computes the same expression finds the same cells.
    """
    least, most = scores.min(initial=0.0), scores.max(initial=1.0)
    if least >= 0 and most <= 1:
        return unit_cell_of(scores, cells)
    scores = scores.astype(np.float64, copy=False)  # only for speed
    inside = np.clip(scores, 0.0, 1.0)
    place = (1 + np.sqrt(inside) - np.sqrt(1 - inside)) / 2
    place = np.where(scores < 0, scores / (1 + np.abs(scores)), place)
    place = np.where(scores > 1, 2 - 1 / np.maximum(scores, 1), place)
    return np.asarray(np.floor(place * _below(cells)).astype(np.int64))


def unit_cell_of(scores: NDArray[Any], cells: int) -> Counts:
    """Return what `cell_of` does for scores of any precision that lie in [0, 1], in less time."""
    # In place, because this is most of the work on arrays of many scores.
    place = scores.astype(np.float64)
    rest = 1 - place
    np.sqrt(place, out=place)
    place += 1
    place -= np.sqrt(rest, out=rest)
    place *= _below(cells) / 2  # to halve a number rounds nothing
    return place.astype(np.int64)


def _below(cells: int) -> float:
    """Return a bit less than `cells`, so that 1 is in the last cell."""
    return math.nextafter(cells, 0)
