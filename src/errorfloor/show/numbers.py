"""Numbers as people read them, and how results choose their digits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from errorfloor._numbers import Style as Style
from errorfloor._numbers import counted as counted
from errorfloor._numbers import digits_of_size as digits_of_size
from errorfloor._numbers import level as level
from errorfloor._numbers import p_equals as p_equals
from errorfloor._numbers import p_value as p_value
from errorfloor._numbers import per_cent as per_cent
from errorfloor._numbers import points as points
from errorfloor._numbers import points_of_size as points_of_size
from errorfloor._numbers import range_of as range_of
from errorfloor._numbers import short as short
from errorfloor.metrics import Metric
from errorfloor.results import Estimate, Plan, RatingsEstimate

REFUTED = "refuted"  # in the place of a floor that the data contradict
NAMED = {"annotators": "interval over annotators"}  # others are "honest interval" and so on
_NO_INTERVAL = 0.01  # as whose width a value without an interval has digits


def value_and_limits(row: Estimate, digits: int | None = None) -> tuple[str, str]:
    """Return value and interval, with the digits that the interval supports; no interval is "".

    Of a refuted value there is neither. Where only one limit bounds what any model can do, both
    are rounded outwards, so that no digit overstates it.
    """
    if row.refuted:
        return REFUTED, ""
    digits, style = digits_for(row) if digits is None else digits, style_of(row)
    value = style.value(row.value, digits)
    if row.low is None or row.high is None:
        return value, ""
    low, high = row.low, row.high
    if row.claim.limits in ("low", "high"):
        low, high = style.down(low, digits), style.up(high, digits)
    return value, style.range_of(low, high, digits)


def formatted(row: Estimate, spec: str) -> str:
    """Return what an answer claims with its numbers in a format such as .1%.

    A limit is rounded to the side on which it stays true.
    """
    if row.refuted:
        return REFUTED
    claim = row.claim
    if claim.any_model:
        return format(row.value, spec)
    if claim.limits not in ("low", "high") or row.low is None or row.high is None:
        return f"{format(row.value, spec)} (no limit)"
    # Upwards is downwards on the other side of 0.
    limit, side, sign = (row.low, "least", 1) if claim.low else (row.high, "most", -1)
    if found := re.search(r"\.(\d+)([f%])$", spec):
        style = Style(in_per_cent=found[2] == "%")
        places = int(found[1])
        limit = sign * style.down(sign * limit, places if style.in_per_cent else places - 2)
    return f"at {side} {format(limit, spec)}"


def with_limits(row: Estimate) -> str:
    """Return the value with its interval in brackets, where there is one."""
    value, within = value_and_limits(row)
    return f"{value} ({within})" if within else value


def digits_for(row: Estimate) -> int:
    """Return how many digits the interval of an answer supports."""
    if isinstance(row, RatingsEstimate):
        from errorfloor.show import ratings  # which other answers have no use for

        return ratings.places(row) - 2 + style_of(row).decades
    return style_of(row).digits(width_of(row), edge_of(row.value))


def digits_for_all(rows: Iterable[Estimate]) -> int:
    """Return how many digits a column of answers needs, so that all have the same."""
    return max((digits_for(row) for row in rows if not row.refuted), default=0)


def width_of(row: Estimate) -> float:
    """Return the width of the interval, or one that leaves a digit where there is none."""
    if row.low is None or row.high is None:
        return _NO_INTERVAL
    # Where there is no lower limit, the upper one says how precise the value is.
    return (row.high - row.low if row.low else 2 * (row.high - row.value)) or _NO_INTERVAL


def edge_of(value: float) -> float:
    """Return how far a fraction is from 0 and 1, which it must not be rounded to."""
    return min(value, 1 - value) if value <= 1 else value


def sampling_of(row: Estimate) -> list[tuple[str, str]]:
    """Return what weights and clusters make of the number of items, under names."""
    facts = []
    if row.n_effective is not None:
        facts.append(("Effective items", f"{row.n_effective:,.0f}"))
    if row.clusters is not None:
        facts.append(("Clusters", f"{row.clusters:,}"))
    return facts


def style_of(row: Estimate) -> Style:
    """Return how people state the values of an estimate's metric."""
    return style_for(row.measure, len(row.classes), max(row.value, row.high or 0.0))


def style_of_plan(plan: Plan) -> Style:
    """Return how people state the widths of a plan."""
    return style_for(plan.measure, plan.classes)


def style_for(metric: Metric, classes: int = 2, size: float = 1.0) -> Style:
    """Return how people state values of a metric; of costs, with digits that fit their size.

    `size` is that of a value, for metrics without a largest one.
    """
    if metric.per_cent:
        return Style()
    most = metric.span(classes)[1]
    if math.isinf(most):
        most = size if 0 < size < math.inf else 1.0
    return Style(in_per_cent=False, unit=metric.unit, decades=math.floor(math.log10(4 * most)))


def given_with(metric: Metric) -> tuple[tuple[str, str], ...]:
    """Return what was given with a metric and is not in its name, with a heading each.

    Examples
    --------
    >>> from errorfloor.metrics.choice import MetricChoice
    >>> given_with(MetricChoice("cost", costs=(1, 5)).of(2))
    (('Costs', '1 for a false positive, 5 for a false negative'),)
    >>> given_with(MetricChoice("auc", prior=0.2).of(2))
    (('Known shares of classes', '0.8, 0.2'),)
    """
    found = []
    costs, prior = metric.given.get("costs"), metric.given.get("prior")
    if costs is not None and len(costs) == 2:
        prices = f"{costs[0][1]:g} for a false positive, {costs[1][0]:g} for a false negative"
        found.append(("Costs", prices))
    elif costs is not None:
        rows = "; ".join(", ".join(f"{one:g}" for one in row) for row in costs)
        found.append(("Costs", f"{rows} (a row for each true class)"))
    if prior is not None:
        found.append(("Known shares of classes", ", ".join(f"{one:g}" for one in prior)))
    return tuple(found)


def with_capital(words: str) -> str:
    """Return words with a capital at the beginning, the others as they are."""
    return words[:1].upper() + words[1:]


def with_article(words: str) -> str:
    """Return words behind "a" or "an".

    Examples
    --------
    >>> with_article("error"), with_article("balanced error"), with_article("F1")
    ('an error', 'a balanced error', 'an F1')
    """
    spelled = words[:2].isupper()  # letter by letter
    return f"{'an' if words[0] in ('AEFHILMNORSX' if spelled else 'aeiou') else 'a'} {words}"
