"""The concave problems behind fits and limits of votes, solved in their dual form.

One variable for each cell of the vote table. What the cells' probabilities are, as functions of
the points, is the kernel's business: one grid for all items, or one for each total.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np

from errorfloor._typing import Floats

Gain: TypeAlias = Callable[[float], tuple[float, float, float]]
# What was found at each temperature.
Trail: TypeAlias = dict[float, Floats]

# Smoothing of the limits, in units of the floor: they end within about ten times this.
SMOOTHING = 1e-6


class OnPoints(Protocol):
    """Cells of votes, and points that they may come from."""

    @property
    def share(self) -> Floats:
        """Share of the items in each cell."""

    @property
    def n(self) -> float:
        """Number of items."""

    @property
    def complete(self) -> bool:
        """Whether every cell that could be has items."""

    @property
    def floor(self) -> Floats:
        """The floor at each point."""

    @property
    def log_arcsine(self) -> Floats:
        """Logarithms of weights of the points; of arcsine ones where there are two classes."""

    def worst(self, weights: Floats, sign: float) -> float:
        """Bound the weighted chances less sign times the floor from above, wherever p may be."""


class Kernel(OnPoints, Protocol):
    """How likely each cell is at each point."""

    @property
    def within(self) -> Floats:
        """Share of each cell's total among the items of its grid."""

    def polynomials(self, weights: Floats) -> Floats:
        """Return the sum of the cells' probabilities times weights, at each point."""

    def chances(self, density: Floats) -> Floats:
        """Return the probability of each cell under weights of the points."""

    def newton_step(
        self,
        weights: Floats,
        density: Floats,
        gradient: Floats,
        expected: Floats,
        slope: float,
        bend: float,
        temperature: float,
    ) -> Floats:
        """Solve for the relative change of the weights."""


def region_limit(
    kernel: Kernel, sign: float, fitted: Floats, best: float, choose: float, use: float
) -> float:
    """Bound sign times the mean floor over G with likelihood within `use` of the maximum.

    The weights of the bound are the best ones for the region within `choose`. `fitted` are the
    cells' probabilities at the maximum, `best` is their mean log-likelihood.
    """
    return region_bound(kernel, sign, fitted, best, choose, use)[0]


def region_bound(
    kernel: Kernel,
    sign: float,
    fitted: Floats,
    best: float,
    choose: float,
    use: float,
    trail: Trail | None = None,
) -> tuple[float, Floats]:
    """Return the same, and the distribution that is extreme in the region within `choose`.

    A trail is kept from one aim to the next one of the same kernel, which is like it.
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
    """Bound sign times the mean floor over the region within `use` by any weights."""
    best -= float(kernel.share @ np.log(kernel.share))
    return _best_shift(kernel, weights, best - use) - kernel.worst(weights, sign)


def _best_shift(kernel: Kernel, weights: Floats, offset: float) -> float:
    """Maximise over a the dual value of weights raised by a in every cell, minus a.

    Cells of one total raised together raise P by a constant, so its supremum is known.
    """
    ratio = weights / kernel.within
    offset += float(kernel.share @ np.log(kernel.within))
    # Cells that no item is in have weight 0 and may not fall below it.
    least = -float(ratio.min()) if kernel.complete else 0.0
    mean = float(kernel.share @ ratio)
    spread = float(np.sqrt(kernel.share @ (ratio - mean) ** 2))
    best = _dual_value(ratio, kernel.share, offset)
    gap = max(spread * np.sqrt(kernel.n) - mean - least, spread, 1e-12)
    # The value is concave in the shift; a few narrowing scans on a log scale suffice.
    logs = np.log(gap) + np.linspace(-8.0, 4.0, 49)
    for _ in range(3):
        shifts = least + np.exp(logs)
        values = _shifted_values(ratio, kernel.share, offset, shifts)
        top = int(values.argmax())
        best = max(best, float(values[top]))
        step = logs[1] - logs[0]
        logs = logs[top] + np.linspace(-step, step, 21)
    return best


def anneal(
    kernel: Kernel,
    start: Floats,
    log_reference: Floats,
    target: Floats,
    gain: Callable[[float], Gain],
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
            kernel, starts, log_reference, target, gain(temperature), temperature,
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
        gained, slope, bend = gain(float(share @ np.log(weights)))
        return gained - temperature * (top + np.log(total)), slope, bend, density / total

    weights, (best, slope, bend, density) = max(
        ((start, value(start)) for start in starts), key=lambda pair: pair[1][0]
    )
    last_rise = np.inf
    for _ in range(100):
        expected = weights * (kernel.chances(density))
        gradient = slope * share - expected
        if np.abs(gradient / share).max() < tolerance * slope:
            break
        move = kernel.newton_step(weights, density, gradient, expected, slope, bend, temperature)
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


def log_gain(temperature: float) -> Gain:
    """Gain of the dual of maximum likelihood: value, slope and bend at a mean log weight."""
    return lambda mean_log: (mean_log, 1.0, 0.0)


def root_gain(offset: float) -> Callable[[float], Gain]:
    """Gain of the dual over a likelihood region: a geometric mean, and a barrier that keeps it > 0.

    The multiplier of the likelihood has been eliminated; it is the geometric mean itself.
    """

    def at(temperature: float) -> Gain:
        def gain(mean_log: float) -> tuple[float, float, float]:
            multiplier = float(np.exp(mean_log + offset))
            return multiplier + temperature * mean_log, multiplier + temperature, multiplier

        return gain

    return at


def _dual_value(ratio: Floats, share: Floats, offset: float) -> float:
    return float(np.exp(offset + share @ np.log(ratio)))


def _shifted_values(ratio: Floats, share: Floats, offset: float, shifts: Floats) -> Floats:
    values: Floats = np.exp(offset + np.log(ratio + shifts[:, None]) @ share) - shifts
    return values
