"""What to know about an estimate before using it, answered from its table and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from errorfloor.reliability_band import Reliability
from errorfloor.reporting._blocks import Diagnostic
from errorfloor.reporting._score_checks import of_scores, of_soft_labels
from errorfloor.reporting._vote_checks import of_votes
from errorfloor.reporting._words import counted, percent
from errorfloor.results import Comparison, Estimate
from errorfloor.tables import ScoreTable, VoteTable

_WITHOUT_CURVE = ("isotonic", "hist")  # methods that assume no shape of the calibration map


def diagnose(
    estimate: Estimate, comparison: Comparison | None, curve: Reliability | None
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of an estimate, those that call for attention first."""
    table = estimate.table
    found: list[Diagnostic] = []
    if isinstance(table, VoteTable):
        found += of_votes(table, estimate)
    elif isinstance(table, ScoreTable) and estimate.method == "clean":
        found += of_soft_labels(table)
    elif isinstance(table, ScoreTable):
        found += of_scores(table, estimate)
    if curve is not None:
        found.append(_order(curve))
    if comparison is not None:
        found += _agreement(estimate, comparison)
    found += _of_estimate(estimate)
    return tuple(sorted(found, key=lambda one: ("warn", "note", "ok").index(one.level)))


def _of_estimate(estimate: Estimate) -> Iterator[Diagnostic]:
    if estimate.dropped:
        share = estimate.dropped / (estimate.n + estimate.dropped)
        yield Diagnostic(
            "Left out",
            f"{counted(estimate.dropped, 'item')} ({percent(share, 1)})",
            "warn" if share > 0.05 else "note",
            "Something was missing in these items. If that has to do with how hard an item is, "
            "the floor is that of the others only.",
        )
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
    level = f"{100 * curve.level:g} %"
    if curve.in_order:
        sentence = f"A probability that rises with the score fits the labels at {level}."
        return Diagnostic("Rising probabilities", "not refuted", "ok", sentence)
    return Diagnostic(
        "Falling probabilities",
        "rising ones are refuted",
        "warn",
        f"Somewhere the probability falls as the score rises, at {level}. Isotonic's floor is then "
        "that of the best cut of these scores, an upper bound on the true one.",
    )


def _agreement(estimate: Estimate, comparison: Comparison) -> Iterator[Diagnostic]:
    calibrated = (row for row in comparison if row.interval and row.method != "corrupted")
    rows = sorted(calibrated, key=_value)
    if len(rows) < 2:
        return
    value = f"{percent(rows[0].value)} to {percent(rows[-1].value)}"
    apart = [pair for pair in combinations(rows, 2) if _apart(*pair)]
    if not apart:
        sentence = f"The intervals of all {len(rows)} methods overlap."
        yield Diagnostic("Agreement of methods", value, "ok", sentence)
        return
    lower, upper = max(apart, key=_how_telling)
    wrong = [row.method for row in (lower, upper) if _family(row) not in _WITHOUT_CURVE]
    if _refutes_order(lower, upper):
        wrong = [estimate.method]
        why = "A higher score does not always mean a higher probability, as isotonic assumes."
    elif len(wrong) == 2:
        why = "At most one of their curves fits these scores."
    elif wrong and not _has_isotonic((lower, upper)):
        # Bins have a bias of their own, which alone can take them away from the right curve.
        few = lower.method not in wrong
        bins, fault = (lower, "have too few items") if few else (upper, "are too wide")
        why = f"Either the curve of {wrong[0]} does not fit, or the bins of {bins.method} {fault}."
        wrong = []
    elif wrong:
        why = f"The curve that {wrong[0]} assumes does not fit these scores."
    else:
        wrong = [upper.method]
        why = f"The bins of {upper.method} are too wide for these scores."
    yield Diagnostic(
        "Methods disagree",
        value,
        "warn" if estimate.method in wrong else "note",
        f"The interval of {lower.method} lies below that of {upper.method}. {why}",
    )


def _family(row: Estimate) -> str:
    return row.method.split("-")[0]


def _value(row: Estimate) -> float:
    return row.value


def _how_telling(pair: tuple[Estimate, Estimate]) -> tuple[bool, bool, float]:
    """Put what refutes isotonic's assumption above all, then what isotonic refutes."""
    lower, upper = pair
    return _refutes_order(lower, upper), _has_isotonic(pair), upper.value - lower.value


def _has_isotonic(pair: tuple[Estimate, Estimate]) -> bool:
    return "isotonic" in map(_family, pair)


def _refutes_order(lower: Estimate, upper: Estimate) -> bool:
    return _family(lower) == "hist" and _family(upper) == "isotonic"


def _apart(first: Estimate, second: Estimate) -> bool:
    a, b = first.interval, second.interval
    return a is not None and b is not None and (a.high < b.low or b.high < a.low)
