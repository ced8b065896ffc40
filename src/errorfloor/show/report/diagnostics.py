"""What to know about an estimate before using it: its findings, and what its neighbours say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from errorfloor import checks
from errorfloor.checks.record import as_they_are, method_of
from errorfloor.methods.record import Shape
from errorfloor.results import Comparison, Estimate
from errorfloor.results.finding import LEVELS, Finding
from errorfloor.show.numbers import style_of


def diagnose(estimate: Estimate, comparison: Comparison | None = None) -> tuple[Finding, ...]:
    """Return the findings about an estimate and its neighbours, the gravest first."""
    found = [*(estimate.findings or checks.of(estimate))]
    if comparison is not None:
        found += _agreement(estimate, comparison)
    return tuple(sorted(found, key=lambda one: LEVELS.index(one.level)))


def _agreement(estimate: Estimate, comparison: Comparison) -> Iterator[Finding]:
    rows = sorted(
        (row for row in comparison if row.interval and not as_they_are(method_of(row))),
        key=lambda row: row.value,
    )
    if len(rows) < 2:
        return
    style = style_of(estimate)
    value = f"{style.value(rows[0].value)} to {style.value(rows[-1].value)}"
    apart = [pair for pair in combinations(rows, 2) if _are_apart(*pair)]
    if not apart:
        sentence = f"The intervals of all {len(rows)} methods overlap."
        yield Finding("Agreement of methods", value, "ok", sentence)
        return
    lower, upper = max(apart, key=_how_telling)
    wrong, why = _explained(estimate, lower, upper)
    yield Finding(
        "Methods disagree",
        value,
        "warn" if estimate.method in wrong else "note",
        f"The interval of {lower.method} lies below that of {upper.method}. {why}",
    )


def _explained(estimate: Estimate, lower: Estimate, upper: Estimate) -> tuple[list[str], str]:
    """Return which methods are refuted by intervals that lie apart, and why."""
    curves = [row.method for row in (lower, upper) if not _assumes_no_curve(row)]
    if _refutes_order(lower, upper):
        why = "A higher score does not always mean a higher probability, as isotonic assumes."
        return [estimate.method], why
    if len(curves) == 2:
        return curves, "At most one of their curves fits these scores."
    if curves and not _has_order((lower, upper)):
        # Bins have a bias of their own, which alone can take them away from the right curve.
        few = lower.method not in curves
        bins, fault = (lower, "have too few items") if few else (upper, "are too wide")
        either = f"Either the curve of {curves[0]} does not fit"
        return [], f"{either}, or the bins of {bins.method} {fault}."
    if curves:
        return curves, f"The curve that {curves[0]} assumes does not fit these scores."
    return [upper.method], f"The bins of {upper.method} are too wide for these scores."


def _shape(row: Estimate) -> Shape | None:
    method = method_of(row)
    return None if method is None else method.shape


def _assumes_no_curve(row: Estimate) -> bool:
    return _shape(row) in (Shape.ORDER, Shape.BINS)


def _has_order(pair: tuple[Estimate, Estimate]) -> bool:
    return Shape.ORDER in map(_shape, pair)


def _refutes_order(lower: Estimate, upper: Estimate) -> bool:
    return _shape(lower) is Shape.BINS and _shape(upper) is Shape.ORDER


def _how_telling(pair: tuple[Estimate, Estimate]) -> tuple[bool, bool, float]:
    """Put what refutes isotonic's assumption above all, then what isotonic refutes."""
    lower, upper = pair
    return _refutes_order(lower, upper), _has_order(pair), upper.value - lower.value


def _are_apart(first: Estimate, second: Estimate) -> bool:
    a, b = first.interval, second.interval
    return a is not None and b is not None and (a.high < b.low or b.high < a.low)
