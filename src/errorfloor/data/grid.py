"""A fixed grid of scores, for tables whose distinct scores are too many to keep."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats

EXACT = 262_144  # distinct scores: a table has a row for each up to here, and beyond for cells
CELLS = 65_536  # of the grid from 0 to 1, where scores have to be merged


def cell_of(scores: Floats, cells: int) -> Counts:
    """Return the cell of a fixed grid on the whole line that each score falls into.

    From 0 to 1 cells are finer towards both ends, as the standard deviation of a label is smaller
    there. Only operations that round the same way everywhere are used, so that any engine that
    computes the same expression finds the same cells.
    """
    least, most = scores.min(initial=0.0), scores.max(initial=1.0)
    inside = scores if least >= 0 and most <= 1 else np.clip(scores, 0.0, 1.0)
    # In place, because this is most of the work on arrays of many scores.
    place, rest = np.sqrt(inside), 1 - inside
    place += 1
    place -= np.sqrt(rest, out=rest)
    place /= 2
    if inside is not scores:
        place = np.where(scores < 0, scores / (1 + np.abs(scores)), place)
        place = np.where(scores > 1, 2 - 1 / np.maximum(scores, 1), place)
    place *= np.nextafter(cells, 0)  # a bit less than `cells`, so that 1 is in the last cell
    return np.floor(place, out=place).astype(np.int64)
