"""Limits of values that limits of means decide: errors of models that abstain.

With r the least error of an item and ``D(t) = E (t - r)_+``, the errors of the best model that
answers a share c of the items are the largest ``c t - D(t)`` of all t in [0, 1/2]. So the error at
coverage c is the largest ``t - D(t) / c``, and the coverage at error e is the least ``D(t) / (t -
e)`` of all t above e, or 1 if that is less. What bounds all D(t) at once, a band around votes or a
region of likely distributions, bounds these.

D rises. Where a limit needs all t, it uses D at the lower end and t at the upper end of each of the
intervals that [0, 1/2] is divided into, and divides the one that matters most until that is no
loss.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Protocol, TypeAlias

from errorfloor.metrics import Metric
from errorfloor.metrics.selective import AtError

Look: TypeAlias = Callable[[float, float], float]  # t and a sign, to sign times D(t) or its bound

_MOST_DIVISIONS, _CLOSE = 40, 1e-3
_ZOOMS = 3  # towards the best value of t
# Values of t to begin with, in parts of the largest: the best one may be small.
_LEVELS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1.0)


class Sketch(Protocol):
    """What tells sooner than limits of D(t) about where they are."""

    def guess(self, t: float, sign: float) -> float:
        """Return sign times D(t) of the distribution that fits best."""

    def rough(self, t: float, sign: float) -> float:
        """Return about what `Sure.sure` does."""


class Sure(Protocol):
    """Limits of D(t), all of which hold at once."""

    @property
    def top(self) -> float:
        """The largest error of the best rule on an item."""

    @property
    def certain(self) -> bool:
        """Whether limits must hold for all t, and not for those alone that are looked at."""

    @property
    def sketch(self) -> Sketch | None:
        """What tells where to look, if anything does so sooner than the limits themselves."""

    def sure(self, t: float, sign: float) -> float:
        """Bound sign times D(t) from below."""


def limits_of(means: Sure, metric: Metric) -> tuple[float, float]:
    """Return limits of the error at a coverage, or of the coverage at an error."""
    find = _coverage_limits if isinstance(metric.how, AtError) else _error_limits
    return find(means, float(metric.given["at"]))


def _coverage_limits(means: Sure, e: float) -> tuple[float, float]:
    if e >= means.top:  # no best rule errs more
        return 1.0, 1.0
    levels = (e, *(e + (means.top - e) * t for t in _LEVELS))
    low = _least_of_all(means, lambda look, t, end: _positive(look, t) / (end - e), levels)
    high = _least(means, lambda look, t: -look(t, -1.0) / (t - e), levels[1:])
    return min(low, 1.0), min(high, 1.0)


def _error_limits(means: Sure, c: float) -> tuple[float, float]:
    levels = (0.0, *(means.top * t for t in _LEVELS))
    low = -_least(means, lambda look, t: -look(t, -1.0) / c - t, levels[1:])
    high = -_least_of_all(means, lambda look, t, end: _positive(look, t) / c - end, levels)
    return max(low, 0.0), min(high, means.top)


def _positive(look: Look, t: float) -> float:
    """Return what D(t) is at least."""
    return max(look(t, 1.0), 0.0) if t else 0.0


def _over_all(levels: tuple[float, ...], least: Callable[[float, float], float]) -> float:
    """Return the least of what intervals between levels allow, divided where that is least."""
    bounds = {pair: least(*pair) for pair in pairwise(levels)}
    for _ in range(_MOST_DIVISIONS):
        low, high = min(bounds, key=lambda pair: bounds[pair])
        if high - low < _CLOSE:
            break
        middle = (low + high) / 2
        del bounds[low, high]
        bounds[low, middle], bounds[middle, high] = least(low, middle), least(middle, high)
    return min(bounds.values())


def _least_of_all(
    means: Sure, value: Callable[[Look, float, float], float], levels: tuple[float, ...]
) -> float:
    """Return the least value of all t, or of those that are looked at where that will do."""
    if means.certain:
        return _over_all(levels, partial(value, means.sure))
    # Two of the levels that a sketch proposes: values may bend by less than it shows.
    return _least(means, lambda look, t: value(look, t, t), levels[1:], 2)


def _least(
    means: Sure, value: Callable[[Look, float], float], levels: tuple[float, ...], best: int = 1
) -> float:
    """Return the least value at some levels, and at some more on either side of the best.

    A sketch chooses the levels, where there is one, and spares all values but those at the best.
    """
    sure = partial(value, means.sure)
    if means.sketch is None:
        return min(_zoomed(sure, {t: sure(t) for t in levels}).values())
    rough = partial(value, means.sketch.rough)
    first = min(levels, key=partial(value, means.sketch.guess))
    found = _zoomed(rough, _downhill(rough, levels, levels.index(first)))
    return min(sure(t) for t in sorted(found, key=lambda t: found[t])[:best])


def _downhill(
    value: Callable[[float], float], levels: tuple[float, ...], first: int
) -> dict[float, float]:
    """Return values at one of the levels, and on either side of it for as long as they fall."""
    found = {levels[first]: value(levels[first])}
    for way in (levels[first::-1], levels[first:]):
        for before, t in pairwise(way):
            found[t] = value(t)
            if found[t] > found[before]:
                break
    return found


def _zoomed(value: Callable[[float], float], found: dict[float, float]) -> dict[float, float]:
    """Return values at further levels as well, on either side of the best ones."""
    for _ in range(_ZOOMS):
        order = sorted(found)
        best = min(order, key=lambda t: found[t])
        place = order.index(best)
        for neighbour in order[max(place - 1, 0) : place] + order[place + 1 : place + 2]:
            middle = (best + neighbour) / 2
            found[middle] = value(middle)
    return found
