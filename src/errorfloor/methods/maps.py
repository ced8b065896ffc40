"""Rising maps from scores to probabilities, and what items lose by the best of them.

The isotonic fit has the least loss of any rising curve on its own items, by any of these losses,
and so no more than the true probabilities have there. Fits to some items have more loss on others.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from errorfloor._references import REJECTION
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Losses, Sample
from errorfloor.methods.fitted import FOLDS, Chosen, Sides, mean_loss, sides_of
from errorfloor.methods.isotonic import ISOTONIC, ISOTONIC_CF
from errorfloor.methods.record import Basis, Method, Options, heeds_weights, unknown_resolution
from errorfloor.metrics import METRICS, Metric
from errorfloor.metrics.probabilities import BRIER, LOG_LOSS, OfItems
from errorfloor.metrics.selective import Selective


class RisingMap:
    """Rising maps from scores to probabilities; a map is the probability at each row."""

    @classmethod
    def fit(cls, sample: Sample, masses: Floats | Counts, more: float = 0.0) -> Floats:
        """Return the isotonic fit to cells of such masses."""
        return cls.of_rows(*sample.by_row(masses), more)

    @staticmethod
    def of_rows(zeros: Floats, ones: Floats, more: float = 0.0) -> Floats:
        """Return the fit to negatives and positives; empty rows lie on a line between others.

        `more` items with the share of positives of all are added to each block of the fit, which
        keeps probabilities from 0 and 1.
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
        return p if some.size == items.size else np.interp(np.arange(items.size), some, p)


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
        return MapFit(sample, self.how, lambda _: rng, self.span, midpoint=self.midpoint)

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
    def _tested(self) -> tuple[NDArray[np.intp], Counts, Floats]:
        """Cells of items in each of ten parts, how many, and their probabilities by the others."""
        sample, found = self.sample, []
        for part in sample.parts(FOLDS, self.draw("folds")):
            p = RisingMap.fit(sample, sample.mass(sample.count - part), more=1.0)
            cell = np.flatnonzero(part)
            found.append((cell, part[cell], p[sample.row[cell]]))
        cells, counts, probabilities = (np.concatenate(one) for one in zip(*found, strict=True))
        return cells, counts, probabilities

    def _own(self, by: OfItems) -> Losses:
        sample = self.sample
        return by.own_losses(self.map[sample.row], sample.positive, sample.count)

    def _held_out(self, by: OfItems) -> Losses:
        cell, count, p = self._tested
        each = by.each(p, self.sample.positive[cell])
        total, squares = (
            np.bincount(cell, count * part, minlength=len(self.sample)).astype(np.float64)
            for part in (each, each**2)
        )
        return Losses(total, squares, by.possible(p))


def _bind(sample: Sample, options: Options, *, midpoint: bool) -> MapFit:
    metric = options.metric
    return MapFit(sample, metric.how, options.draw, metric.span(2), midpoint=midpoint)


def is_mean(metric: Metric) -> bool:
    """Tell whether limits were measured where items weigh differently: those of mean losses."""
    return isinstance(metric.how, OfItems)


_weighs = heeds_weights(where=is_mean)
_OWN = replace(
    ISOTONIC, bind=_weighs(partial(_bind, midpoint=False)), resolution=unknown_resolution
)
_MIDPOINT = replace(
    ISOTONIC_CF,
    bind=_weighs(partial(_bind, midpoint=True)),
    when_merged="takes items of one row as tied",
)


def _of_losses(metric: Metric, *bases: Basis) -> tuple[Method, Method]:
    words = metric.words
    own = replace(
        _OWN,
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
    _surest(_OWN, "that of this rule on the same items"),
    _surest(
        _MIDPOINT,
        "the midpoint of what that gives on the items of the fit, which looks too good, and on "
        "items that were held out, which looks too bad",
    ),
)
RECORDS: tuple[Method, ...] = (*_BRIER, *_LOG_LOSS, *_SUREST)
DEFAULTS: tuple[Method, ...] = (_BRIER[1], _LOG_LOSS[1], _SUREST[1])
