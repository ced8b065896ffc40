"""What to know about an estimate before using it, answered from its table and its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Shape
from errorfloor.results import Comparison, Estimate, Reliability
from errorfloor.show.numbers import counted, level, per_cent
from errorfloor.show.records import as_they_are, method_of
from errorfloor.show.report.blocks import Diagnostic
from errorfloor.show.report.score_checks import of_scores, of_soft_labels
from errorfloor.show.report.vote_checks import of_votes

CHECKS: dict[str, Callable[[Any, Estimate], Iterator[Diagnostic]]] = {
    ScoreTable.kind: of_scores,
    SoftTable.kind: of_soft_labels,
    VoteTable.kind: of_votes,
}
LEVELS = ("warn", "note", "ok")
MANY = 0.05  # a share of items left out from which on they matter


def diagnose(
    estimate: Estimate, comparison: Comparison | None, curve: Reliability | None
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of an estimate, those that call for attention first."""
    table = estimate.table
    found = [] if table is None else [*CHECKS[table.kind](table, estimate)]
    if curve is not None:
        found.append(_order(curve))
    if comparison is not None:
        found += _agreement(estimate, comparison)
    found += [*_missing(estimate), *_repeated(estimate), *_merged(estimate)]
    return tuple(sorted(found, key=lambda one: LEVELS.index(one.level)))


def _missing(estimate: Estimate) -> Iterator[Diagnostic]:
    if estimate.dropped:
        share = estimate.dropped / (estimate.n + estimate.dropped)
        yield Diagnostic(
            "Left out",
            f"{counted(estimate.dropped, 'item')} ({per_cent(share, 1)})",
            "warn" if share > MANY else "note",
            "Something was missing in these items. If that has to do with how hard an item is, "
            "the floor is that of the others only.",
        )


def _repeated(estimate: Estimate) -> Iterator[Diagnostic]:
    facts = {} if estimate.source is None else estimate.source.facts
    repeated = facts.get("repeated_items", 0)
    if repeated:
        rows = "1 row repeats" if repeated == 1 else f"{repeated:,} rows repeat"
        yield Diagnostic(
            "Repeated items",
            counted(repeated, "row"),
            "warn",
            f"{rows} an item that is there already. Repeated items count each time, and make the "
            "interval too narrow.",
        )


def _merged(estimate: Estimate) -> Iterator[Diagnostic]:
    if estimate.resolution is None:
        yield Diagnostic(
            "Merged scores",
            "no bound",
            "note",
            "Neighbouring scores were merged to save memory, which makes this floor an "
            "approximation; isotonic's comes with a bound on what that does.",
        )
    elif estimate.resolution:
        yield Diagnostic(
            "Merged scores",
            f"at most {100 * estimate.resolution:.2g} points",
            "note",
            "Neighbouring scores were merged to save memory, which can have moved the floor by "
            "no more than this.",
        )


def _order(curve: Reliability) -> Diagnostic:
    sure = level(curve.level)
    if curve.in_order:
        sentence = f"A probability that rises with the score fits the labels at {sure}."
        return Diagnostic("Rising probabilities", "not refuted", "ok", sentence)
    return Diagnostic(
        "Falling probabilities",
        "rising ones are refuted",
        "warn",
        f"Somewhere the probability falls as the score rises, at {sure}. Isotonic's floor is then "
        "that of the best cut of these scores, an upper bound on the true one.",
    )


def _agreement(estimate: Estimate, comparison: Comparison) -> Iterator[Diagnostic]:
    rows = sorted(
        (row for row in comparison if row.interval and not as_they_are(method_of(row))),
        key=lambda row: row.value,
    )
    if len(rows) < 2:
        return
    value = f"{per_cent(rows[0].value)} to {per_cent(rows[-1].value)}"
    apart = [pair for pair in combinations(rows, 2) if _are_apart(*pair)]
    if not apart:
        sentence = f"The intervals of all {len(rows)} methods overlap."
        yield Diagnostic("Agreement of methods", value, "ok", sentence)
        return
    lower, upper = max(apart, key=_how_telling)
    wrong, why = _explained(estimate, lower, upper)
    yield Diagnostic(
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
