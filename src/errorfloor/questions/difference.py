"""By how much two floors differ."""

from __future__ import annotations

import math

from errorfloor import intervals
from errorfloor._checks import InputError, as_flag, check_level, shown
from errorfloor._keywords import explains_keywords
from errorfloor.intervals.record import Evidence
from errorfloor.results import Estimate
from errorfloor.results.estimate import method_of
from errorfloor.results.people import FloorDifference


@explains_keywords
def difference(
    floor_a: object, floor_b: object, *, independent: bool | None = None, level: float = 0.95
) -> FloorDifference:
    """Say by how much the first of two floors is higher.

    Parameters
    ----------
    floor_a : Estimate
        A floor with an interval; from votes, soft labels or scores that were declared complete.
    floor_b : Estimate
        Another one, of the same metric.
    independent : bool, optional
        Whether the two sets of items are independent samples, such as two years or two languages.
        By default they are taken for independent unless they come from the same file or table.
    level : float
        Confidence level.

    Returns
    -------
    FloorDifference

    Notes
    -----
    Few votes per item leave a range of floors open, which is no noise and does not average out. So
    for votes the limits are l1 - u2 to u1 - l2, each floor's own at a level for which both hold
    together. Limits that are only noise are combined as squares of distances add [1]_ where the
    sets are independent.

    References
    ----------
    .. [1] G. Zou and A. Donner, "Construction of confidence limits about effect measures",
       Statistics in Medicine 27, 2008.

    Examples
    --------
    >>> from errorfloor import from_votes
    >>> easy = from_votes([0] * 450 + [1] * 50 + [2] * 500, totals=2)
    >>> hard = from_votes([0] * 350 + [1] * 300 + [2] * 350, totals=2)
    >>> found = difference(hard, easy)
    >>> found.low > 0
    True
    """
    level = check_level(level)
    first, second = _as_floor(floor_a, "floor_a"), _as_floor(floor_b, "floor_b")
    if first.measure != second.measure:
        raise InputError(
            f"`floor_a` is about the {first.measure.words} and `floor_b` about the "
            f"{second.measure.words}. Compare floors of one metric."
        )
    alone = (
        _are_apart(first, second)
        if independent is None
        else as_flag(independent, name="independent")
    )
    open_ends = _leaves_open(first) or _leaves_open(second)
    if open_ends or not alone:
        each = math.sqrt(level) if alone else (1 + level) / 2
        one, other = first.at_level(each), second.at_level(each)
        (low, high), (other_low, other_high) = _limits(one), _limits(other)
        low, high = low - other_high, high - other_low
    else:
        each = level
        one, other = first.at_level(each), second.at_level(each)
        low, high = _by_squares(one, other)
    return FloorDifference(
        value=first.value - second.value,
        low=low,
        high=high,
        level=level,
        each_level=each,
        first=one,
        second=other,
        independent=alone,
    )


def _named(value: object) -> str:
    """Return how a value is written, and of data only what it is."""
    plain = isinstance(value, str | int | float | tuple | list | dict | None)
    return shown(value) if plain else f"a {type(value).__name__}"


def _as_floor(floor: object, name: str) -> Estimate:
    if not isinstance(floor, Estimate):
        raise InputError(
            f"`{name}` must be an Estimate with an interval, got {_named(floor)}. Estimate each "
            "floor by `from_votes()` or `from_soft_labels()` first, and pass both results."
        )
    if floor.evidence is None or floor.low is None or floor.high is None:
        raise InputError(f"`{name}` has no interval. Estimate the floor without `interval=None`.")
    if not floor.claim.any_model:
        sees = floor.claim.sees or "these data"
        raise InputError(
            f"`{name}` bounds the {floor.measure.limit} from one side only, because {sees} may "
            "miss what another model sees. The difference of two such bounds says nothing about "
            f"the {floor.measure.limit}s. Compare floors of votes or of true probabilities."
        )
    return floor


def _are_apart(first: Estimate, second: Estimate) -> bool:
    """Tell whether two floors come from different data, as far as their sources tell."""
    if first is second or (first.table is not None and first.table is second.table):
        return False
    one, other = first.source, second.source
    files = set(one.files if one else ()) & set(other.files if other else ())
    return not files


def _leaves_open(floor: Estimate) -> bool:
    """Tell whether limits are wider than noise makes them."""
    method = method_of(floor)
    evidence: Evidence | None = floor.evidence
    if method is None or evidence is None:
        return True
    kind = intervals.of(method).get(evidence.method)
    return kind is None or kind.leaves_open


def _limits(floor: Estimate) -> tuple[float, float]:
    assert floor.interval is not None
    return floor.interval.low, floor.interval.high


def _by_squares(one: Estimate, other: Estimate) -> tuple[float, float]:
    value = one.value - other.value
    (low, high), (other_low, other_high) = _limits(one), _limits(other)
    down = math.hypot(max(one.value - low, 0.0), max(other_high - other.value, 0.0))
    up = math.hypot(max(high - one.value, 0.0), max(other.value - other_low, 0.0))
    return value - down, value + up
