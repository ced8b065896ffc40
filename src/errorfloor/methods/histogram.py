"""Histogram binning: bins with equal numbers of items, and the share of positives in each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from errorfloor._references import BINNING
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Basis, Calibration, Method, Options, Series, Shape
from errorfloor.metrics import ERROR, Metric


class Binned:
    """Minorities of uniform-mass bins of scores."""

    def __init__(self, cells: Sample, bins: int) -> None:
        self.cells = cells
        self.bins = bins
        self.cells_before = np.append(cells.starts, len(cells))  # of each row, and in all
        self.positive = cells.positive.astype(np.int64)

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        n = counts.sum(axis=1)
        if (n != n[0]).any():  # bins of other sizes, so one at a time
            return np.concatenate([self.values(count[None], rng) for count in counts])
        # All rows end to end are one ascending sequence, and all their bins one search.
        start = np.arange(len(counts))[:, None]
        total = _running_sums(counts.ravel())
        positives = _running_sums((counts * self.positive).ravel())

        def row_of(item: NDArray[np.intp]) -> NDArray[np.intp]:
            place = np.searchsorted(total, n[0] * start + item, side="right") - 1
            return np.asarray(self.cells.row[place - len(self.cells) * start])

        inner = equal_mass_positions(int(n[0]), self.bins)
        _, cut = bin_edges(self.cells.scores, row_of(inner - 1), row_of(inner))
        ends = np.zeros((len(counts), inner.size + 2), dtype=np.intp)
        ends[:, 1:-1] = self.cells_before[cut]
        ends[:, -1] = len(self.cells)
        ends += len(self.cells) * start
        return _minorities(total[ends], positives[ends])

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        count, positive = self.cells.count, self.cells.positive
        n = int(count.sum()) - 1
        if n == 0:
            return np.zeros(1)
        total, positives = _running_sums(count), _running_sums(count * self.positive)
        inner = equal_mass_positions(n, self.bins)
        row = self.cells.row
        row_at = [row[np.searchsorted(total, inner + i, side="right") - 1] for i in (-1, 0, 1)]
        floors = np.empty(len(self.cells))
        for block in _blocks(len(self.cells), inner.size):
            # Items behind the one left out move up by one, so a bin that ends there begins and
            # ends one item later in the original order.
            left_out = total[self.cells_before[row[block]]][:, None]
            last = np.where(left_out < inner, row_at[1], row_at[0])
            first = np.where(left_out > inner, row_at[1], row_at[2])
            _, cut = bin_edges(self.cells.scores, last, first)
            ends = np.zeros((len(cut), inner.size + 2), dtype=np.intp)
            ends[:, 1:-1] = cut
            ends[:, -1] = self.cells.scores.size
            gone = ends > row[block][:, None]
            below = self.cells_before[ends]
            gone_positive = gone & positive[block][:, None]
            floors[block] = _minorities(total[below] - gone, positives[below] - gone_positive)
        return floors


def histogram(bins: int) -> Method:
    """Return the method with so many bins."""
    return Method(
        name=f"hist-{bins}",
        reads=ScoreTable.kind,
        bind=partial(_bind, bins),
        bases=frozenset({Basis.CUTS, Basis.ITEMS}),
        interval="bca",
        assumes="Items in the same bin of scores have about the same true probability",
        if_wrong="too few bins: too high; too many: too low",
        explains="Items are put into bins of equal size by score, and p is the share of positive "
        f"labels in an item's bin. The floor is the mean of {ERROR.formula} over all items.",
        references=(BINNING,),
        shape=Shape.BINS,
        colour="orange",
        fit=partial(_fit, bins),
        resolution=partial(_resolution, bins),
    )


HISTOGRAM = Series(stem="hist", letter="K", usual=(10, 25, 50, 100), make=histogram)


def _bind(bins: int, cells: Sample, options: Options) -> Binned:
    return Binned(cells, bins)


def _fit(bins: int, table: ScoreTable, options: Options) -> Calibration:
    total = np.concatenate(([0], np.cumsum(table.items)))
    positives = np.concatenate(([0], np.cumsum(table.positives)))
    inner = equal_mass_positions(table.n, bins)
    last = np.searchsorted(total, inner - 1, side="right") - 1
    first = np.searchsorted(total, inner, side="right") - 1
    edge, cut = bin_edges(table.scores, last, first)
    # Cuts that coincide, or fall behind the last row, would bound empty bins. Of edges with the
    # same cut the highest is kept, so that a new score joins the bin of its nearest neighbours.
    kept = np.append(np.diff(cut) > 0, True) & (cut < len(table))
    edge, cut = edge[kept], cut[kept]
    bounds = np.concatenate(([0], cut, [len(table)]))
    value = np.diff(positives[bounds]) / np.diff(total[bounds])
    steps = partial(_steps, edge, value)
    parameters = {"edges": edge, "probabilities": value}
    return Calibration(histogram(bins).name, table, steps(table.scores), parameters, steps)


def _steps(edges: Floats, values: Floats, scores: Floats) -> Floats:
    return np.asarray(values[np.searchsorted(edges, scores)])


def _resolution(bins: int, table: ScoreTable, metric: Metric) -> float:
    """Return the share of items that may be in another bin: at worst all of a row it ends in."""
    count = table.items
    position = equal_mass_positions(table.n, bins)
    total = _running_sums(count)
    last, first = (np.searchsorted(total, position - i, side="right") - 1 for i in (1, 0))
    divided = np.unique(first[(last == first)])
    return float(count[divided[table.coarse[divided]]].sum() / table.n)


def equal_mass_positions(n: int, bins: int) -> NDArray[np.intp]:
    """Return where `n` sorted items are divided into `bins` parts as equal as can be.

    The first ``n % bins`` parts are one longer; no more parts than items.
    """
    bins = min(bins, n)
    index = np.arange(1, bins)
    return index * (n // bins) + np.minimum(index, n % bins)


def bin_edges(
    scores: Floats, last: NDArray[np.intp], first: NDArray[np.intp]
) -> tuple[Floats, NDArray[np.intp]]:
    """Return the edge between the rows of neighbouring items, and the rows at or below it.

    An edge is the midpoint of the last score before and the first score behind it. Where they
    are equal, or so close that the midpoint rounds to the upper one, both go below, as in
    uncertainty-calibration 0.1.4.
    """
    edge = scores[last] / 2 + scores[first] / 2
    cut = np.where(edge < scores[first], last + 1, first + 1)
    return edge, cut


def _running_sums(counts: Counts) -> Counts:
    """Return sums over the last axis up to and without each entry, and the whole sum."""
    sums = np.zeros((*counts.shape[:-1], counts.shape[-1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=-1, out=sums[..., 1:])
    return sums


def _minorities(total: Counts, positives: Counts) -> Floats:
    """Return the share of minority labels in bins, from running sums at the ends of the bins."""
    size, in_bin = np.diff(total, axis=1), np.diff(positives, axis=1)
    return np.asarray(np.minimum(in_bin, size - in_bin).sum(axis=1) / size.sum(axis=1))


def _blocks(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of `rows` that keep arrays of this width to a few megabytes."""
    size = max(1, 2**18 // max(width, 1))  # only for speed
    return (slice(start, start + size) for start in range(0, rows, size))
