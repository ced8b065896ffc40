"""The concave problems behind fits and limits of votes, solved in their dual form.

One variable for each cell of the vote table. What the cells' probabilities are, as functions of
the points that items may lie at, is the likelihood's business: points of a line where there are two
classes, of a simplex where there are more, and points of its own for each total where some kinds of
items get more votes than others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Floats

# From a mean logarithm and the temperature to value, slope and bend.
Gain: TypeAlias = Callable[[float, float], tuple[float, float, float]]
# What was found at each temperature.
Trail: TypeAlias = dict[float, Floats]

# Smoothing of the limits, in units of the floor: they end within about ten times this.
SMOOTHING = 1e-6
# Penalty, per item, that breaks ties among maximisers; the likelihood lost is about ten times less
# than the 1e-6 an item that is promised.
TIE_BREAK = 1e-7


class NewtonState(NamedTuple):
    """Where Newton's method is: its next step is solved from this."""

    weights: Floats  # of the cells
    density: Floats  # weights of the points
    gradient: Floats
    expected: Floats  # weights times the cells' probabilities
    slope: float  # of the gain
    bend: float
    temperature: float


@dataclass(frozen=True, kw_only=True)
class Likelihood:
    """The likelihood of items that have one distribution.

    Attributes
    ----------
    n : float
        Number of items.
    share, within : array of shape (cells,)
        Share of the items in each cell, and of those that have as many votes as the cell.
    matrix : array of shape (cells, points)
        Chance of the cell among so many votes, at each point.
    complete : bool
        Whether every cell that could be has items.
    points : array of shape (points,) or (points, classes)
        Probabilities that items may have.
    floor : array of shape (points,)
        What is bounded, at each of them.
    least : float
        Share of the heaviest point below which points are left out of Newton's steps.
    """

    n: float
    share: Floats
    within: Floats
    matrix: Floats
    complete: bool
    points: Floats
    floor: Floats
    least: float = 0.0

    def aimed(self, aim: Any) -> Self:
        """Return the same with another function of the probabilities to be bounded."""
        return replace(self, floor=aim(self.points))

    @property
    def log_arcsine(self) -> Floats:
        """Logarithms of weights of the points: equal ones, or arcsine ones on a line."""
        return np.full(len(self.points), -np.log(len(self.points)))

    def worst(self, weights: Floats, sign: float) -> float:
        """Bound the polynomials less sign times the floor from above: at the points, or beyond."""
        return float((weights @ self.matrix - sign * self.floor).max())

    def fitted(self, penalty: float) -> Floats:
        """Return weights of the points that make the votes likeliest, all alike beforehand."""
        size = len(self.points)
        return self.maximised(penalty, np.full(size, 1 / size))[1]

    def log_chances(self, p: Any) -> Floats:
        """Return the logarithm of each cell's chance if every item has these probabilities."""
        raise NotImplementedError

    def single_point_loss(self, fitted: Floats, p: Any) -> float:
        """Return the mean log-likelihood that is lost if every item has these probabilities.

        `fitted` are the cells' probabilities at the maximum.
        """
        return float(self.share @ np.log(fitted)) - float(self.share @ self.log_chances(p))

    def polynomials(self, weights: Floats) -> Floats:
        """Return the sum of the cells' probabilities times weights, at each point."""
        return np.asarray(weights @ self.matrix)

    def chances(self, density: Floats) -> Floats:
        """Return the chance of each cell under weights of the points."""
        return np.asarray(self.matrix @ density)

    def maximised(
        self, penalty: float, reference: Floats, start: Floats | None = None, first: float = 0.1
    ) -> tuple[Floats, Floats]:
        """Maximise mean log-likelihood minus penalty times relative entropy to the reference.

        Returns the dual weights, from which the next fit may start, and those of the points.
        """
        if start is None:
            start = self.share / (self.matrix @ reference)
        nothing = np.zeros(reference.size)
        return anneal(self, start, np.log(reference), nothing, log_gain, first, penalty)

    @property
    def factors(self) -> tuple[Floats, Floats] | None:
        """Two matrices of low rank whose product the matrix is, where that makes steps faster."""
        return None

    def newton_step(self, at: NewtonState) -> Floats:
        """Solve for the relative change of the weights."""
        if self.factors is not None:
            return _low_rank_step(at, self.share, *self.factors)
        matrix, density = self.matrix, at.density
        if self.least > 0:
            kept = np.flatnonzero(density > self.least * density.max())
            if 2 * kept.size < density.size:  # only for speed
                matrix, density = matrix[:, kept], density[kept]
        spread = spread_of(at.weights[:, None] * matrix, density)
        spread -= np.outer(at.expected, at.expected)
        hessian = spread / at.temperature
        hessian -= at.bend * np.outer(self.share, self.share)
        hessian.flat[:: self.share.size + 1] += at.slope * self.share  # its diagonal
        return solve(hessian, at.gradient)


# Only for speed: products of larger blocks OpenBLAS shares out among threads, which wait for each
# other a thousand times as long as the product takes where another program keeps a core busy.
_SIDE, _PRODUCT = 64, 64**3


def spread_of(rows: Floats, density: Floats) -> Floats:
    """Return the sum over points of density times the outer square of the point's column."""
    size, points = rows.shape
    side = -(-size // -(-size // _SIDE))  # blocks of one size, as few as can be
    step = _PRODUCT // side**2
    heavy, found = rows * density, np.empty((size, size))
    for i in range(0, size, side):
        for j in range(i, size, side):
            left, right = heavy[i : i + side], rows[j : j + side].T
            block = left[:, :step] @ right[:step]
            for k in range(step, points, step):
                block += left[:, k : k + step] @ right[k : k + step]
            found[i : i + side, j : j + side] = block
            found[j : j + side, i : i + side] = block.T
    return found


@dataclass(frozen=True)
class Joint:
    """A kernel with points of its own for each total.

    Some kinds of items get more votes than others. Then the pair (total, votes) of an item is one
    draw from a sum of measures, one for each total, that add up to mass 1. A point is a total with
    probabilities, and a cell of another total has no chance there. What bounds the floor is as for
    one distribution, with the worst case taken over all totals.
    """

    parts: Sequence[Likelihood]
    sizes: Floats  # share of the items in each part

    @property
    def n(self) -> float:
        """Number of items."""
        return sum(part.n for part in self.parts)

    @cached_property
    def share(self) -> Floats:
        """Share of the items in each cell."""
        return np.concatenate(
            [size * part.share for size, part in zip(self.sizes, self.parts, strict=True)]
        )

    @cached_property
    def within(self) -> Floats:
        """Share of each cell's total among the items of its points: all of them."""
        return np.ones(self.share.size)

    @property
    def complete(self) -> bool:
        """Whether every cell that could be has items."""
        return all(part.complete for part in self.parts)

    @cached_property
    def floor(self) -> Floats:
        """What is bounded, at each point."""
        return np.concatenate([part.floor for part in self.parts])

    @cached_property
    def log_arcsine(self) -> Floats:
        """Logarithms of weights of the points, each total's scaled by its share of the items."""
        logs = [part.log_arcsine for part in self.parts]
        return np.concatenate([one + np.log(w) for one, w in zip(logs, self.sizes, strict=True)])

    def polynomials(self, weights: Floats) -> Floats:
        """Return the sum of the cells' probabilities times weights, at each point."""
        pairs = zip(self.parts, self._of_cells(weights), strict=True)
        return np.concatenate([own @ part.matrix for part, own in pairs])

    def chances(self, density: Floats) -> Floats:
        """Return the chance of each cell under weights of the points."""
        pairs = zip(self.parts, self._of_points(density), strict=True)
        return np.concatenate([part.matrix @ own for part, own in pairs])

    def worst(self, weights: Floats, sign: float) -> float:
        """Bound the polynomials less sign times the floor from above, the worst of all totals."""
        pairs = zip(self.parts, self._of_cells(weights), strict=True)
        return max(part.worst(own, sign) for part, own in pairs)

    def newton_step(self, at: NewtonState) -> Floats:
        """Solve for the relative change of the weights; cells of two totals share no points."""
        hessian = -np.outer(at.expected, at.expected) / at.temperature
        hessian -= at.bend * np.outer(self.share, self.share)
        hessian.flat[:: self.share.size + 1] += at.slope * self.share
        cells, densities = self._of_cells(at.weights), self._of_points(at.density)
        first = 0
        for part, weights, density in zip(self.parts, cells, densities, strict=True):
            rows = weights[:, None] * part.matrix
            here = slice(first, first + weights.size)
            hessian[here, here] += spread_of(rows, density) / at.temperature
            first += weights.size
        return solve(hessian, at.gradient)

    @cached_property
    def _cuts(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the cells and the points of a total end and those of the next begin."""
        shapes = np.array([part.matrix.shape for part in self.parts])
        cells, points = np.cumsum(shapes, axis=0)[:-1].T
        return cells, points

    def _of_cells(self, values: Floats) -> list[Floats]:
        return np.split(values, self._cuts[0])

    def _of_points(self, values: Floats) -> list[Floats]:
        return np.split(values, self._cuts[1])


Kernel: TypeAlias = Likelihood | Joint


def region_bound(
    kernel: Kernel,
    sign: float,
    fitted: Floats,
    best: float,
    choose: float,
    use: float,
    trail: Trail | None = None,
) -> tuple[float, Floats]:
    """Bound sign times the mean floor over G with likelihood within `use` of the maximum.

    The weights of the bound are the best ones for the region within `choose`, and the distribution
    that is extreme there is returned as well. `fitted` are the cells' probabilities at the maximum,
    `best` is their mean log-likelihood. A trail is kept from one aim to the next one of the same
    kernel, which is like it.
    """
    offset = best - float(kernel.share @ np.log(kernel.share)) - choose
    weights, density = anneal(
        kernel, region_start(kernel, fitted, choose), kernel.log_arcsine, sign * kernel.floor,
        root_gain(offset), 0.1, SMOOTHING, trail,
    )  # fmt: skip
    return bound_of(kernel, sign, weights, best, use), density


def region_start(kernel: Kernel, fitted: Floats, choose: float) -> Floats:
    """Return weights on the scale of (change in floor) / (change in log-likelihood)."""
    return np.asarray(0.3 / np.sqrt(2 * choose) * kernel.share / fitted)


def bound_of(kernel: Kernel, sign: float, weights: Floats, best: float, use: float) -> float:
    """Bound sign times the mean floor over the region within `use` by any weights.

    In every cell they are raised by what makes the bound sharpest. Cells of one total raised
    together raise P by a constant, so its supremum is known.
    """
    ratio = weights / kernel.within
    offset = best - float(kernel.share @ np.log(kernel.share)) - use
    offset += float(kernel.share @ np.log(kernel.within))
    # Cells that no item is in have weight 0 and may not fall below it.
    least = -float(ratio.min()) if kernel.complete else 0.0
    mean = float(kernel.share @ ratio)
    spread = float(np.sqrt(kernel.share @ (ratio - mean) ** 2))
    value = float(np.exp(offset + kernel.share @ np.log(ratio)))
    gap = max(spread * np.sqrt(kernel.n) - mean - least, spread, 1e-12)
    # The value is concave in the shift; a few narrowing scans on a log scale suffice.
    logs = np.log(gap) + np.linspace(-8.0, 4.0, 49)
    for _ in range(3):
        shifts = least + np.exp(logs)
        values = np.exp(offset + np.log(ratio + shifts[:, None]) @ kernel.share) - shifts
        top = int(values.argmax())
        value = max(value, float(values[top]))
        step = logs[1] - logs[0]
        logs = logs[top] + np.linspace(-step, step, 21)
    return value - kernel.worst(weights, sign)


def anneal(
    kernel: Kernel,
    start: Floats,
    log_reference: Floats,
    target: Floats,
    gain: Gain,
    first: float,
    last: float,
    trail: Trail | None = None,
    tolerance: float = 1e-9,
) -> tuple[Floats, Floats]:
    """Solve at falling temperatures, each from where the two before point to.

    Where a `trail` has what was found at a temperature for another target, that is tried as well.
    The tolerance is that of the last temperature.
    """
    starts = [start]
    temperature, before = max(first, last), None
    while True:
        if trail is not None and temperature in trail:
            starts.append(trail[temperature])
        final = temperature <= last
        weights, density = _newton(
            kernel, starts, log_reference, target, gain, temperature,
            tolerance if final else 1e-3,
        )  # fmt: skip
        if trail is not None:
            trail[temperature] = weights
        if final:
            return weights, density
        cooler = temperature / 10 if temperature > 20 * last else last
        starts = [weights]
        if before is not None:
            slope = (weights - before[0]) / (temperature - before[1])
            ahead = weights + slope * (cooler - temperature)
            starts.append(np.maximum(ahead, 0.2 * weights))
        before, temperature = (weights, temperature), cooler


def _newton(
    kernel: Kernel,
    starts: list[Floats],
    log_reference: Floats,
    target: Floats,
    gain: Gain,
    temperature: float,
    tolerance: float,
) -> tuple[Floats, Floats]:
    """Maximise ``gain(weights) - temperature * log sum exp((P - target) / temperature)``.

    This is the dual of maximising likelihood (or the target's mean, over a likelihood region)
    minus temperature times relative entropy: concave, with one variable a cell, and the
    primal weights of the grid come out as the softmax.
    """
    share = kernel.share

    def value(weights: Floats) -> tuple[float, float, float, Floats]:
        height = log_reference + (kernel.polynomials(weights) - target) / temperature
        top = height.max()
        density = np.exp(height - top)
        total = density.sum()
        gained, slope, bend = gain(float(share @ np.log(weights)), temperature)
        return gained - temperature * (top + np.log(total)), slope, bend, density / total

    weights, (best, slope, bend, density) = max(
        ((start, value(start)) for start in starts), key=lambda pair: pair[1][0]
    )
    last_rise = np.inf
    for _ in range(100):
        expected = weights * kernel.chances(density)
        gradient = slope * share - expected
        if np.abs(gradient / share).max() < tolerance * slope:
            break
        move = kernel.newton_step(
            NewtonState(weights, density, gradient, expected, slope, bend, temperature)
        )
        rise = float(gradient @ move)
        if rise < 1e-13 and not rise < last_rise / 4:  # Newton has stalled on rounding
            break
        last_rise = rise
        length = min(1.0, 0.9 / max(-float(move.min()), 0.9))  # weights stay positive
        new = value(weights * (1 + length * move))
        while not new[0] >= best + 0.1 * length * rise - 1e-14 and length > 1e-8:
            length /= 2
            new = value(weights * (1 + length * move))
        if length <= 1e-8:  # rounding: nothing is left to gain
            break
        weights = weights * (1 + length * move)
        best, slope, bend, density = new
    return weights, density


def solve(hessian: Floats, gradient: Floats) -> Floats:
    """Return the Newton step, the shortest where there are many."""
    try:
        step = np.linalg.solve(hessian, gradient)
    except np.linalg.LinAlgError:
        # With very many items the common scale of the weights is free up to rounding.
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
    return np.asarray(step, dtype=np.float64)


def _low_rank_step(at: NewtonState, share: Floats, cells: Floats, series: Floats) -> Floats:
    """Return the Newton step where the matrix is cells times series: linear in their number.

    What is solved is diagonal plus low rank (Woodbury).
    """
    mean = series @ at.density
    rank = mean.size
    middle = np.zeros((rank + 1, rank + 1))
    middle[:rank, :rank] = (spread_of(series, at.density) - np.outer(mean, mean)) / at.temperature
    middle[rank, rank] = -at.bend
    outer = np.column_stack((at.weights[:, None] * cells, share))
    scaled = outer.T / (at.slope * share)
    system = np.eye(rank + 1) + middle @ (scaled @ outer)
    inner = solve(system, middle @ (scaled @ at.gradient))
    return np.asarray((at.gradient - outer @ inner) / (at.slope * share))


def log_gain(mean_log: float, temperature: float) -> tuple[float, float, float]:
    """Return the gain of the dual of maximum likelihood at a mean log weight."""
    return mean_log, 1.0, 0.0


def root_gain(offset: float) -> Gain:
    """Return the gain of the dual over a likelihood region.

    It is a geometric mean, and a barrier that keeps it above 0. The multiplier of the likelihood
    has been eliminated; it is the geometric mean itself.
    """

    def gain(mean_log: float, temperature: float) -> tuple[float, float, float]:
        multiplier = float(np.exp(mean_log + offset))
        return multiplier + temperature * mean_log, multiplier + temperature, multiplier

    return gain
