"""Isotonic: the rising curve that fits the labels best, and the best threshold on the scores.

The isotonic fit has the least loss of any rising curve on its own items, by any loss of items, and
so no more than the true probabilities have there. For error, and every metric of both kinds of
error, it is the best cut. Fits to some items have more loss on others. So there are two methods:
what is lost on the items of the fit, and the midpoint of that and of what is lost on items held
out.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._references import ISOTONIC as REFERENCE
from errorfloor._references import REJECTION
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Losses, Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.cuts import CutFit
from errorfloor.methods.fitted import FOLDS, Chosen, Sides, mean_loss, noise_of, sides_of
from errorfloor.methods.record import Basis, Calibration, Method, Options, Shape, uses_weights
from errorfloor.metrics import ERROR, METRICS, Metric
from errorfloor.metrics.probabilities import BRIER, LOG_LOSS, OfItems
from errorfloor.metrics.selective import Selective
from errorfloor.metrics.two_by_two import OfTable, check_classes

__all__ = ["FOLDS", "ISOTONIC", "ISOTONIC_CF", "default_for", "of_metric"]


def weighs(metric: Metric) -> bool:
    """Tell whether limits were measured where items weigh differently: of sums and mean losses."""
    how = metric.how
    return how.prices is not None if isinstance(how, OfTable) else isinstance(how, OfItems)


def _fitted(sample: Sample, options: Options, *, midpoint: bool) -> Chosen:
    """Return the best cut where a metric is of both kinds of error, else the best rising map."""
    metric, how = options.metric, options.metric.how
    if not isinstance(how, OfTable):
        return MapFit(sample, how, options.draw, metric.span(2), midpoint=midpoint)
    if how.needs:
        both = how.needs == "both"
        check_classes(metric.words, sample.count, sample.positive, both=both)
    # Midpoints of errors are cut off at guessing with the estimate, once both parts are added.
    span = (0.0, 1.0) if how.pooled else metric.span(2)
    return CutFit(sample, how, options.draw, span, midpoint=midpoint)


_marked = uses_weights(where=weighs)


def _fit(table: ScoreTable, options: Options) -> Calibration:
    from scipy.optimize import isotonic_regression  # slow to load, and only maps need it

    masses = table.masses
    weight = masses.sum(axis=1)
    prob = isotonic_regression(masses[:, 1] / weight, weights=weight).x
    parameters = {"scores": table.scores, "probabilities": prob}
    line = partial(_line, table.scores, prob)
    return Calibration(ISOTONIC.name, table, prob, parameters, line)


def _line(knots: Floats, values: Floats, scores: Floats) -> Floats:
    return np.interp(scores, knots, values)


def _resolution(table: ScoreTable, metric: Metric) -> float | None:
    """Return how far the errors of the best cut may be off; of other metrics nobody knows."""
    return table.cut_resolution if metric.is_error else None


_ORDERED = "The scores order the items as their true probabilities do, however distorted"
_IF_WRONG = "the floor of the best threshold: too high, still an upper bound"
_BASES = frozenset({Basis.CUTS, Basis.ITEMS})

ISOTONIC = Method(
    name="isotonic",
    reads=ScoreTable.kind,
    bind=_marked(partial(_fitted, midpoint=False)),
    bases=_BASES,
    interval="honest",
    assumes=_ORDERED,
    if_wrong=_IF_WRONG,
    explains="The labels calibrate the scores by isotonic regression: the rising curve of "
    f"probabilities p that fits them best. The floor is the mean of {ERROR.formula} over all "
    'items. That equals the share of labels that the best rule of the form "score above t" gets '
    "wrong.",
    references=(REFERENCE,),
    shape=Shape.ORDER,
    colour="blue",
    fit=_fit,
    resolution=_resolution,
)

ISOTONIC_CF = Method(
    name="isotonic-cf",
    reads=ScoreTable.kind,
    bind=_marked(partial(_fitted, midpoint=True)),
    bases=_BASES,
    interval="honest",
    assumes=_ORDERED,
    if_wrong="the same",
    explains='The best rule of the form "score above t" errs too rarely on the items that chose '
    "it, and rules tried on items that did not choose them err too often. The floor is the "
    "midpoint of both, which removes most of the optimism of isotonic regression.",
    references=(REFERENCE,),
    shape=Shape.ORDER,
    colour="blue",
    curve=ISOTONIC.name,  # it corrects an estimate, and has no map of its own
    when_merged="tries no threshold inside them",
)


@cache
def of_metric(metric: Metric) -> tuple[Method, Method]:
    """Return both methods for another metric of both kinds of error."""
    how = metric.how
    assert isinstance(how, OfTable)
    best, side = ("largest", "low") if not metric.less_is_better else ("least", "high")
    opposite = {"low": "a lower", "high": "an upper"}[side]
    title = metric.words[:1].upper() + metric.words[1:]
    bases = {Basis.CUT_TABLES} | ({Basis.EXACT_TABLES} if how.law else set())
    summed = set() if how.prices is None else {Basis.ITEMS}  # quick to fit to each resample
    about = {
        "metrics": (metric.name,),
        "if_wrong": f"the {metric.limit} of the best threshold: too {side}, still {opposite} bound",
    }
    own = replace(
        ISOTONIC,
        bases=frozenset(bases | {Basis.ITEMS}),
        explains=f"The {metric.limit} is the {best} {metric.words} that any rule of the form "
        '"score above t" has on these items. For probabilities in the order of the scores no other '
        "rule is better.",
        **about,  # type: ignore[arg-type]
    )
    midpoint = replace(
        ISOTONIC_CF,
        bases=frozenset(bases | summed),
        explains=f'{title} of the best rule of the form "score above t" looks too good on the '
        "items that chose it, and rules tried on items that did not choose them look too bad. The "
        f"{metric.limit} is the midpoint of both.",
        **about,  # type: ignore[arg-type]
    )
    return own, midpoint


def default_for(metric: Metric) -> Method:
    """Return the method for a metric where none is named.

    It is the midpoint: the best threshold on a few items looks far too good on them.
    """
    return of_metric(metric)[1]


class RisingMap:
    """Rising maps from scores to probabilities; a map is the probability at each row."""

    @classmethod
    def fit(cls, sample: Sample, masses: Floats | Counts, more: float = 0.0) -> Floats:
        """Return the isotonic fit to cells of such masses."""
        return cls.of_rows(*sample.by_row(masses), more)

    @staticmethod
    def of_rows(
        zeros: Floats, ones: Floats, more: float = 0.0, place: Floats | None = None
    ) -> Floats:
        """Return the fit to negatives and positives; empty rows lie on a line between others.

        `more` items with the share of positives of all are added to each block of the fit, which
        keeps probabilities from 0 and 1. Rows are equally far apart, unless they have a `place`.
        """
        from scipy.optimize import isotonic_regression  # slow to load

        items = zeros + ones
        some = np.flatnonzero(items)
        if not some.size:
            return np.full(items.size, 0.5)
        fitted = isotonic_regression(ones[some] / items[some], weights=items[some])
        p = np.asarray(fitted.x)
        if more > 0:
            share = (ones.sum() + 0.5) / (items.sum() + 1)
            size = np.repeat(fitted.weights, np.diff(fitted.blocks))
            p = (p * size + more * share) / (size + more)
        if some.size == items.size:
            return p
        at = np.arange(items.size) if place is None else place
        return np.asarray(np.interp(at, at[some], p))


class MapFit(Chosen):
    """The rising map that loses the least, by losses of items.

    Attributes
    ----------
    map : array of shape (rows,)
        Its probabilities.
    candidates : tuple of OfItems
        Losses that the metric may follow from: the value is by the first, limits are by each.
    """

    def __init__(
        self,
        sample: Sample,
        how: OfItems | Selective,
        draw: Draw,
        span: tuple[float, float],
        *,
        midpoint: bool,
    ) -> None:
        # Sums are about as many equal items, and one more item is a typical one.
        super().__init__(sample.reweighted(1 / sample.unit), draw)
        self.how, self.span, self.midpoint = how, span, midpoint
        self.map = RisingMap.fit(self.sample, self.sample.masses)
        self.candidates = self._candidates(self.map, self.sample.masses)
        self.link = self.candidates[0].link

    @property
    def own_loss(self) -> float:
        """The mean loss on the items of the fit."""
        return self.candidates[0].mean(self.map, *self.sample.by_row(self.sample.masses))

    @property
    def held_out_loss(self) -> float:
        """The mean loss on items held out."""
        return mean_loss(self.sample, self._held_out(self.candidates[0]))

    def every_side(self) -> tuple[Sides, ...]:
        """Return both sides by each of the losses."""
        return tuple(
            sides_of(self.sample, self._own(by), self._held_out(by), by.link)
            for by in self.candidates
        )

    def sides(self) -> Sides:
        """Return both sides by the first losses."""
        return self.every_side()[0]

    def own_values(self, counts: Counts, /) -> Floats:
        """Return the value on the items of the fit, for each row of counts."""
        return np.array([self._own_value(self.sample.mass(count)) for count in counts])

    def on(self, count: Counts, rng: np.random.Generator, /) -> MapFit:
        """Return the same on other counts, with folds from `rng`."""
        sample = self.sample.counted(count)
        found = MapFit(sample, self.how, lambda _: rng, self.span, midpoint=self.midpoint)
        found.repeats = 1
        return found

    def leave_one_out(self) -> Floats:
        """Return the own value without one item of each cell in turn, by the same map."""
        own, each = self.losses(self.map), self.sample.each
        rest = np.maximum(self.sample.total - each, 0)
        left = float(self.sample.masses @ own) - each * own
        return np.asarray(self.link(np.divide(left, rest, out=np.zeros(rest.size), where=rest > 0)))

    def losses(self, probabilities: Floats) -> Floats:
        """Return the loss of an item of each cell where rows have such probabilities."""
        return self.candidates[0].each(probabilities[self.sample.row], self.sample.positive)

    def _candidates(self, p: Floats, masses: Floats | Counts) -> tuple[OfItems, ...]:
        return self.how.candidates(p[self.sample.row], self.sample.positive, masses)

    def _own_value(self, masses: Floats | Counts) -> float:
        zeros, ones = self.sample.by_row(masses)
        p = RisingMap.of_rows(zeros, ones)
        by = self._candidates(p, masses)[0]
        return float(by.link(by.mean(p, zeros, ones)))

    @cached_property
    def _tested(self) -> tuple[NDArray[np.intp], Any, Floats]:
        """Cells of items in each of ten parts, how many, and their probabilities by the others.

        Where folds are drawn several times, each time counts as its share.
        """
        by = self.candidates[0]
        each = self.repeated(
            self._hold_out, lambda one: noise_of(self.sample, self._lost(*one, by))
        )
        cells, counts, probabilities = (np.concatenate(one) for one in zip(*each, strict=True))
        return cells, counts / len(each) if len(each) > 1 else counts, probabilities

    def _hold_out(self, rng: np.random.Generator) -> tuple[NDArray[np.intp], Any, Floats]:
        sample, found = self.sample, []
        for part in sample.parts(FOLDS, rng):
            p = RisingMap.fit(sample, sample.mass(sample.count - part), more=1.0)
            cell = np.flatnonzero(part)
            found.append((cell, part[cell], p[sample.row[cell]]))
        cells, counts, probabilities = (np.concatenate(one) for one in zip(*found, strict=True))
        return cells, counts, probabilities

    def _own(self, by: OfItems) -> Losses:
        sample = self.sample
        return by.own_losses(self.map[sample.row], sample.positive, sample.count)

    def _held_out(self, by: OfItems) -> Losses:
        return self._lost(*self._tested, by)

    def _lost(self, cell: NDArray[np.intp], count: Any, p: Floats, by: OfItems) -> Losses:
        """Return what so many items of cells lose at such probabilities."""
        each = by.each(p, self.sample.positive[cell])
        total, squares = (
            np.bincount(cell, count * part, minlength=len(self.sample)).astype(np.float64)
            for part in (each, each**2)
        )
        return Losses(total, squares, by.possible(p))


_MIDPOINT = replace(ISOTONIC_CF, when_merged="takes items of one row as tied")


def _of_losses(metric: Metric, *bases: Basis) -> tuple[Method, Method]:
    words = metric.words
    own = replace(
        ISOTONIC,
        metrics=(metric.name,),
        bases=frozenset({*bases, Basis.ITEMS}),
        if_wrong="the floor of the best rising curve: too high, still an upper bound",
        explains="The labels calibrate the scores by isotonic regression: the rising curve of "
        f"probabilities that fits them best. The floor is the {words} of that curve on the same "
        "items, which is the least of any rising curve.",
    )
    midpoint = replace(
        _MIDPOINT,
        metrics=(metric.name,),
        bases=frozenset(bases),
        explains=f"The floor is the midpoint of two values of the {words} of isotonic regression: "
        "on the items of the fit, where it is too low, and on items that were held out, where it "
        "is too high.",
    )
    return own, midpoint


def _surest(like: Method, value: str) -> Method:
    return replace(
        like,
        metrics=tuple(one.name for one in METRICS if one.is_selective),
        bases=frozenset({Basis.SELECTED}),
        if_wrong="the value of the best rising curve: too pessimistic",
        explains="The labels calibrate the scores by isotonic regression, and the items whose "
        f"likelier class is likeliest are kept first. The value is {value}.",
        references=(*like.references, REJECTION),
    )


_BRIER = _of_losses(BRIER, Basis.LOSSES, Basis.BOUNDED_LOSSES)
_LOG_LOSS = _of_losses(LOG_LOSS, Basis.LOSSES)
_SUREST = (
    _surest(ISOTONIC, "that of this rule on the same items"),
    _surest(
        _MIDPOINT,
        "the midpoint of what that gives on the items of the fit, which looks too good, and on "
        "items that were held out, which looks too bad",
    ),
)
RECORDS: tuple[Method, ...] = (*_BRIER, *_LOG_LOSS, *_SUREST)
DEFAULTS: tuple[Method, ...] = (_BRIER[1], _LOG_LOSS[1], _SUREST[1])
