"""Labels redrawn at random, on purpose, and statistics of what that leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.features import FeatureItems
from errorfloor.data.sample import MANY_ITEMS, Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.bootstrap import BLOCK, keep_freed_memory
from errorfloor.methods.record import Statistic

# Levels of noise are taken in so many groups at most. A group shares the start of its logistic
# fits, which takes about as long as twenty of them.
GROUPS = 12
# Items in a group's expected table, at least, so that whole numbers are close to its fractions.
FINE = 10**6
FAIR = 0.5  # the mean of labels that are redrawn by a coin


def under_noise(
    names: Iterable[str],
    statistics: Callable[[Any], Mapping[str, Statistic]],
    cells: Sample,
    noise: Floats,
    repeats: int,
    seeds: Counts,
    mean: float = FAIR,
    items: FeatureItems | None = None,
) -> dict[str, Floats]:
    """Return the values of statistics on the same noisy tables, each of shape (repeats, levels).

    Of two classes a redrawn label is 1 with probability `mean`; of more each is drawn alike. Where
    there are `items`, their labels are redrawn one by one, by a fair coin or each class alike, and
    statistics of single items see them, the others what they count to.
    """
    source = np.random.default_rng(seeds[0])
    # One generator a statistic, all alike, so that no answer depends on what runs along with it.
    streams = {name: np.random.default_rng(seeds[1]) for name in names}
    values = {name: np.empty(noise.size * repeats) for name in streams}
    keep_freed_memory()
    width = len(cells) if items is None else max(len(cells), items.codes.size * items.classes)
    for near, group in _groups(cells, noise, mean):
        bound = statistics(near)
        for block in _blocks(group.start * repeats, group.stop * repeats, width):
            noises = noise[np.arange(block.start, block.stop) // repeats]
            if items is None:
                counts = codes = _redrawn(cells, noises, source, mean)
            else:
                codes = redraw_items(items.codes, items.classes, noises, source)
                counts = items.counts(codes)
            for name, statistic in bound.items():
                seen = codes if isinstance(statistic, NoisyItems) else counts
                values[name][block] = statistic.values(seen, streams[name])
    return {name: flat.reshape(noise.size, repeats).T for name, flat in values.items()}


def _redrawn(cells: Sample, noise: Floats, rng: np.random.Generator, mean: float) -> Counts:
    if cells.classes == 2:
        return redraw_labels(cells.count, noise, rng, mean)
    return redraw_classes(cells.count, cells.scores.shape[1], noise, rng)


def redraw_classes(count: Counts, classes: int, noise: Floats, rng: np.random.Generator) -> Counts:
    """Return counts after each label was redrawn among all classes with a probability of `noise`.

    As `redraw_labels`, with the cells of all classes in every row.
    """
    occurs = np.flatnonzero(count)
    found = np.empty((noise.size, count.size), dtype=np.int64)
    share = np.full(classes, 1 / classes)
    for counts, one in zip(found, noise, strict=True):
        redrawn = rng.binomial(count[occurs], one)
        counts[:] = count
        counts[occurs] -= redrawn
        by_row = np.bincount(occurs // classes, redrawn, count.size // classes).astype(np.int64)
        many = by_row > MANY_ITEMS * classes
        counts.reshape(-1, classes)[many] += rng.multinomial(by_row[many], share)
        by_row[many] = 0
        place = np.repeat(np.arange(by_row.size), by_row) * classes
        place += rng.integers(classes, size=place.size)
        counts += np.bincount(place, minlength=count.size)
    return found


def redraw_labels(
    count: Counts, noise: Floats, rng: np.random.Generator, mean: float = FAIR
) -> Counts:
    """Return counts after each label was redrawn with a probability of `noise`.

    Parameters
    ----------
    count : array of shape (cells,)
        Of both labels of every row, as ``cells(complete=True)`` lays them out.
    noise : array of shape (k,)
        Probabilities, one for each draw.
    mean : float
        The probability that a redrawn label is 1: a fair coin by default.

    Returns
    -------
    array of shape (k, cells)
        Every row of the table keeps its number of items.
    """
    # A new label agrees with the old one now and then, so what changes sides is binomial. Draws
    # of one cell follow one another, because NumPy sets up a binomial once for all that are alike.
    occurs = np.flatnonzero(count)
    flipped = np.zeros((noise.size, count.size), dtype=np.int64)
    chance = np.where(occurs % 2 == 0, 1 - mean, mean)[:, None] * noise  # positive cells first
    flipped[:, occurs] = rng.binomial(count[occurs, None], chance, size=chance.shape).T
    pairs = flipped.reshape(noise.size, -1, 2)
    return np.asarray(count - flipped + pairs[..., ::-1].reshape(flipped.shape))


def expected_after_redraw(count: Counts, noise: float, mean: float = FAIR) -> Floats:
    """Return the mean of what `redraw_labels` draws at one level of noise."""
    pairs = count.reshape(-1, 2)
    gain = np.array([mean, 1 - mean])
    return np.asarray((pairs + (pairs[:, ::-1] * gain - pairs * gain[::-1]) * noise).ravel())


def expected_classes(count: Counts, classes: int, noise: float) -> Floats:
    """Return the mean of what `redraw_classes` draws at one level of noise."""
    by_row = count.reshape(-1, classes)
    redrawn = by_row.sum(axis=1, keepdims=True) * (noise / classes)
    return np.asarray(((1 - noise) * by_row + redrawn).ravel())


def _expected(cells: Sample, noise: float, mean: float) -> Floats:
    if cells.classes == 2:
        return expected_after_redraw(cells.count, noise, mean)
    return expected_classes(cells.count, cells.scores.shape[1], noise)


def redraw_items(codes: Counts, classes: int, noise: Floats, rng: np.random.Generator) -> Counts:
    """Return sets of labels, each redrawn among all classes with a probability of `noise`."""
    found = np.tile(codes, (noise.size, 1))
    redrawn = rng.random(found.shape) < noise[:, None]
    found[redrawn] = rng.integers(classes, size=np.count_nonzero(redrawn))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class NoisyItems:
    """A statistic of the labels of single items, of shape (sets, n)."""

    function: Callable[[Counts], Floats]

    def values(self, codes: Counts, _: np.random.Generator, /) -> Floats:
        """Return the statistic for each set of labels."""
        return self.function(codes)


class TableStatistic:
    """Any function from a score table to a number, one table at a time."""

    def __init__(self, cells: Sample, function: Callable[[ScoreTable], float]) -> None:
        self.cells = cells
        self.function = function

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array(
            [self.function(ScoreTable.from_cells(self.cells, count)) for count in counts]
        )

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        count = self.cells.count
        if count.sum() == 1:
            return np.zeros(1)
        less = (count - np.eye(len(count), dtype=np.int64)[i] for i in range(len(count)))
        return np.array(
            [self.function(ScoreTable.from_cells(self.cells, one_less)) for one_less in less]
        )


def _groups(cells: Any, noise: Floats, mean: float) -> Iterator[tuple[Any, range]]:
    """Yield ranges of levels, and cells with about the counts that are expected there.

    Whatever a statistic learns when it is bound, such as where its fits start, it learns nearby.
    """
    yield cells, range(1)
    for part in np.array_split(np.arange(1, noise.size), min(GROUPS, noise.size - 1)):
        group = range(int(part[0]), int(part[-1]) + 1)
        expected = _expected(cells, float(noise[part].mean()), mean)
        scale = max(1, FINE // int(cells.count.sum()))
        count: Counts = np.rint(scale * expected).astype(np.int64)
        yield replace(cells, count=count), group


def _blocks(start: int, stop: int, width: int) -> Iterator[slice]:
    """Yield slices from `start` to `stop` that keep arrays of this width to a megabyte."""
    size = max(1, BLOCK // width)
    return (slice(i, min(i + size, stop)) for i in range(start, stop, size))
