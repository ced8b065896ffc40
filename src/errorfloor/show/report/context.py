"""All that has to be computed for a report, before anything is written or drawn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from errorfloor._checks import ErrorFloorWarning
from errorfloor._typing import RandomLike
from errorfloor.bounds import BiasCurves, bias_curves
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.methods import default, known, logistic, names, that_fit
from errorfloor.methods.histogram import HISTOGRAM
from errorfloor.methods.record import Classes, Method
from errorfloor.methods.rules.maps import CORRUPTED as MANY_CORRUPTED
from errorfloor.methods.rules.offsets import MANY_SCORES
from errorfloor.questions.compare import compare
from errorfloor.questions.confusion import confusion_of
from errorfloor.questions.reliability import reliability
from errorfloor.results import (
    ClassReliability,
    Comparison,
    Confusion,
    Estimate,
    Reliability,
    VotesEstimate,
)
from errorfloor.results.estimate import method_of

DEFAULT = default(ScoreTable.kind)
LEVEL = 0.95  # of what is computed beside an estimate without an interval
MOST_ROWS, CELLS = 20_000, 4096  # the eye sees no more
BINS = ((1000, 25), (100, 10))  # a bin needs some items, or its share of positives is all noise


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Context:
    """An estimate, and what a report shows beside it.

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
        return None  # curves and most methods do not heed weights
    seen = np.count_nonzero(table.counts.sum(axis=0))
    return table if seen > 1 else None


def _with(estimate: Estimate, comparison: Comparison) -> Comparison:
    if estimate.method in comparison.methods:
        return comparison
    return Comparison((estimate, *comparison.rows), comparison.notes)


def _compared(estimate: Estimate, table: ScoreTable, rng: RandomLike) -> Comparison | None:
    """Return the floors of a few other methods beside the estimate."""
    able = names(table.kind, Classes.of(table), estimate.metric)
    every = that_fit(table, estimate.metric)[0]
    beside = _beside(table) if estimate.measure.is_error else every
    chosen = [one.name for one in beside if one.name != estimate.method and one.name in able]
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


def _beside(table: ScoreTable) -> tuple[Method, ...]:
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
