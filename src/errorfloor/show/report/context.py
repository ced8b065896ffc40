"""All that has to be computed for a report, before anything is written or drawn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from errorfloor import checks
from errorfloor._checks import ErrorFloorWarning, InputError
from errorfloor._typing import RandomLike
from errorfloor.bounds import BiasCurves, bias_curves
from errorfloor.checks.record import as_they_are
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import Source
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.methods import default, known, logistic, names, that_fit
from errorfloor.methods.histogram import HISTOGRAM
from errorfloor.methods.record import Classes, Method, Shape
from errorfloor.methods.rules.maps import CORRUPTED as MANY_CORRUPTED
from errorfloor.methods.rules.offsets import MANY_SCORES
from errorfloor.questions.annotators import WITH_ANNOTATORS, annotators
from errorfloor.questions.compare import compare
from errorfloor.questions.confusion import confusion_of
from errorfloor.questions.items import items
from errorfloor.questions.reliability import reliability
from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    ClassReliability,
    Comparison,
    Confusion,
    Estimate,
    Items,
    Reliability,
    VotesEstimate,
)
from errorfloor.results.claim import LEVELS, Finding
from errorfloor.results.estimate import method_of
from errorfloor.show.numbers import digits_for_all, style_of

DEFAULT = default(ScoreTable.kind)
LEVEL = 0.95  # of what is computed next to an estimate without an interval
MOST_ROWS, CELLS = 20_000, 4096  # the eye sees no more
BINS = ((1000, 25), (100, 10))  # a bin needs some items, or its share of positives is all noise


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Context:
    """An estimate, and what a report shows next to it.

    Attributes
    ----------
    estimate : Estimate
    comparison : Comparison or None
        The floors of several methods, this one among them.
    curve : Reliability or None
        What the scores mean, where there are labels to tell.
    bias : BiasCurves or None
        What more votes would change, where a distribution behind them is known.
    confusion : Confusion or None
        Which classes no model can tell apart, where there are more than two.
    """

    estimate: Estimate
    comparison: Comparison | None = None
    curve: Reliability | ClassReliability | None = None
    bias: BiasCurves | None = None
    confusion: Confusion | None = None

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        comparison: Comparison | None = None,
        rng: RandomLike = 0,
        *,
        theory: bool = False,
    ) -> Context:
        """Compute what is not at hand; a few other methods are run if no comparison is given.

        Bounds from theory are for those who ask for them.
        """
        table = _labelled(estimate)
        if comparison is not None:
            comparison = _with(estimate, comparison)
        elif table is not None:
            comparison = _compared(estimate, table, rng)
        return cls(
            estimate=estimate,
            comparison=comparison,
            curve=curve_of(estimate),
            bias=_bias(estimate) if theory else None,
            confusion=_confusion(estimate),
        )


def curve_of(estimate: Estimate) -> Reliability | ClassReliability | None:
    """Return what the scores of an estimate mean, where there are labels to tell."""
    table = _labelled(estimate)
    if table is None:
        return None
    if len(table.classes) > 2:
        probable = len(table) <= MOST_ROWS and MANY_CORRUPTED.takes(table)
        return reliability(table, level=estimate.level or LEVEL) if probable else None
    method = method_of(estimate) or DEFAULT
    own = known(method.shown_as, kind=ScoreTable.kind)  # that of error, which has the curve
    found = reliability(
        table,
        method=DEFAULT.shown_as if own is None or own.fit is None else own.name,
        level=estimate.level or LEVEL,
        clip=estimate.options.get("clip", "auto"),
    )
    assert isinstance(found, Reliability)
    return found


def _labelled(estimate: Estimate) -> ScoreTable | None:
    """Return the table of scores and labels, where it has something to calibrate."""
    table = estimate.table
    if not isinstance(table, ScoreTable) or len(table) < 2 or table.entries is not None:
        return None  # curves and most methods do not use weights
    seen = np.count_nonzero(table.counts.sum(axis=0))
    return table if seen > 1 else None


def _with(estimate: Estimate, comparison: Comparison) -> Comparison:
    if estimate.method in comparison.methods:
        return comparison
    return Comparison((estimate, *comparison.rows), comparison.notes)


def _compared(estimate: Estimate, table: ScoreTable, rng: RandomLike) -> Comparison | None:
    """Return the floors of a few other methods next to the estimate."""
    able = names(table.kind, Classes.of(table), estimate.metric)
    every = that_fit(table, estimate.metric)[0]
    others = _others_for(table) if estimate.measure.is_error else every
    chosen = [one.name for one in others if one.name != estimate.method and one.name in able]
    if not chosen:
        return None
    given = estimate.measure.given
    with warnings.catch_warnings():
        # They stand in the rows, and the reader of a report does not see the console.
        warnings.simplefilter("ignore", ErrorFloorWarning)
        rows = compare(
            table.coarsen(CELLS) if len(table) > MOST_ROWS else table,
            methods=chosen,
            metric=estimate.metric,
            **given,
            level=estimate.level or LEVEL,
            n_resamples=500,
            clip=estimate.options.get("clip", "auto"),
            rng=rng,
        )
    notes = {note: None for row in rows for note in row.warnings if note not in estimate.warnings}
    return Comparison((estimate, *rows), tuple(notes))


def _others_for(table: ScoreTable) -> tuple[Method, ...]:
    """Return one method of each shape, as far as the scores and their number allow."""
    if Classes.of(table) is Classes.MANY:
        return tuple(method for method in MANY_SCORES if method.takes(table))
    bins = next((number for least, number in BINS if table.n >= least), None)
    curve = logistic.BETA_ABM if logistic.BETA_ABM.takes(table) else logistic.PLATT
    return (DEFAULT, *(() if bins is None else (HISTOGRAM.make(bins),)), curve)


def _confusion(estimate: Estimate) -> Confusion | None:
    table = estimate.table
    plain = estimate.measure.is_error and table is not None and table.entries is None
    if table is None or len(table.classes) == 2 or not plain:
        return None
    found = confusion_of(estimate)
    return found if found.pairs else None


def _bias(estimate: Estimate) -> BiasCurves | None:
    if not isinstance(estimate, VotesEstimate) or not isinstance(estimate.table, VoteTable):
        return None
    if len(estimate.table.classes) > 2 or estimate.table.entries is not None:
        return None  # the bounds are for two classes and equal items
    if not estimate.measure.is_error:
        return None
    return None if estimate.mixture is None else bias_curves(estimate=estimate)


MOST_ITEMS = 100_000  # of which a report reads the votes once more
T = TypeVar("T")


def items_again(estimate: Estimate) -> Items | ClassItems | None:
    """Return the items of an estimate, where its votes can be read again and items have names."""
    found = _again(estimate, items, [layout.name for layout in LAYOUTS])
    if found is None or int(found.count.sum()) != estimate.n:  # the file is another one by now
        return None
    return None if _are_row_numbers(found.item) else found


def annotators_again(estimate: Estimate) -> AnnotatorsResult | None:
    """Return the annotators of an estimate, where its votes can be read again."""
    found = _again(estimate, annotators, [layout.name for layout in WITH_ANNOTATORS])
    return None if found is None or found.n != estimate.n else found


def _again(estimate: Estimate, ask: Callable[..., T], layouts: list[str]) -> T | None:
    """Return another answer from the same files, or None where there is none."""
    source = estimate.source
    if not isinstance(estimate, VotesEstimate) or estimate.n > MOST_ITEMS or source is None:
        return None
    if not estimate.measure.is_error:  # items and annotators are about errors
        return None
    # Of a label that is a vote these would know the votes alone.
    others = any(map(source.options.is_given, ("group", "called", "format", "label_is_vote")))
    if source.origin != "files" or others or source.layout not in layouts:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ErrorFloorWarning)  # which the estimate has
            return ask(list(source.files), **_columns(source))
    except (InputError, OSError):  # the answer stands without
        return None


def _columns(source: Source) -> dict[str, Any]:
    layout = next(layout for layout in LAYOUTS if layout.name == source.layout)
    arguments = {role.name: role.argument for role in layout.roles}
    given = {
        arguments[role]: list(column) if isinstance(column, tuple) else column
        for role, column in source.columns.items()
    }
    how = source.options.given
    able = ("positive", "positive_from", "classes", "drop_missing")
    return {**given, **{name: how[name] for name in able if name in how}}


def _are_row_numbers(names: Any) -> bool:
    """Tell whether items have no names of their own."""
    return names.dtype.kind in "iu" and np.array_equal(names, np.arange(len(names)))


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
    digits = digits_for_all(rows)
    value = style_of(estimate).range_of(rows[0].value, rows[-1].value, digits)
    apart = [pair for pair in combinations(rows, 2) if _are_apart(*pair)]
    if not apart:
        every = "both" if len(rows) == 2 else f"all {len(rows)}"
        sentence = f"The intervals of {every} methods overlap."
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
