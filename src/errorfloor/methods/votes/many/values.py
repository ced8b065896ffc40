"""Best values of metrics other than error, from votes for more than two classes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.record import Basis, Classes, Method, Options
from errorfloor.methods.soft import BestValue, MeanFloor
from errorfloor.methods.votes import plugin
from errorfloor.methods.votes.many.mixture import (
    MANY_MIXTURE,
    Fit,
    all_of,
    check_options,
    check_votes,
    fits_of,
)
from errorfloor.methods.votes.refitted import Refitted
from errorfloor.methods.votes.thin import by_total
from errorfloor.methods.votes.values import value_of
from errorfloor.metrics import METRICS

if TYPE_CHECKING:
    from errorfloor.methods.votes.many.fit import PartitionMixture

_MOST_PLACED = 5  # classes
_PENALTY = 2.0  # items' worth of log-likelihood for a unit of relative entropy to the reference


class ManyMixtureValue(Refitted):
    """The best value of a metric under the distribution that is fitted to the votes."""

    def _check(self) -> None:
        refuse_majority(self.options)
        if self.options.metric.by_place:
            refuse_many_classes(self.cells, self.options)
        check_votes(self.cells, self.options)

    @cached_property
    def fitted(self) -> PartitionMixture:
        """The distribution of sorted probabilities of all items."""
        return all_of(self.cells, self._all_fits)

    @cached_property
    def _all_fits(self) -> list[Fit]:
        return fits_of(self.cells, self.cells.count, self.options)

    @property
    def plugin_bias(self) -> None:
        """How far plain vote shares lie from the value on average: not worked out."""

    def _fit(self, count: Counts) -> tuple[None, float]:
        """Return the value; what it is computed from is no part of the answer."""
        metric = self.options.metric
        if metric.by_pairs:  # two votes suffice, without any fit
            from errorfloor.methods.votes.many.fit import agreement_of

            # Votes that differ more often than independent ones can are no item's.
            differ = 1 - agreement_of(self.cells.votes, count)
            return None, min(differ, metric.span(self.cells.votes.shape[1])[1])
        parts = self._placed(count) if metric.by_place else self._sorted(count)
        points = np.concatenate([own for own, _ in parts])
        weights = np.concatenate([own for _, own in parts])
        return None, value_of(metric, points, weights)

    def _sorted(self, count: Counts) -> list[tuple[Floats, Floats]]:
        same = np.array_equal(count, self.cells.count)
        fits = self._all_fits if same else fits_of(self.cells, count, self.options)
        return [(fit.points, float(count[own].sum()) * fit.weights) for fit, own in fits]

    def _placed(self, count: Counts) -> list[tuple[Floats, Floats]]:
        from errorfloor.methods.votes.many.unsorted import CountLikelihood

        seen = count > 0
        kind = by_total(self.cells.totals) if self.options.by_item else np.zeros(seen.size)
        found = []
        for one in np.unique(kind[seen]):
            own = seen & (kind == one)
            likelihood = CountLikelihood.around(self.cells.votes[own], count[own])
            found.append((likelihood.points, likelihood.n * likelihood.fitted(_PENALTY)))
        return found


def refuse_majority(options: Options) -> None:
    """Refuse majorities, which have an answer for error only where there are many classes."""
    check_options(options)
    if options.target.majority > 2:
        raise InputError(
            *(argument("majority"), " goes with the error where there are more than two classes. "),
            *("Leave it out, or leave out ", argument("metric"), "."),
        )


def refuse_many_classes(cells: Sample, options: Options) -> None:
    """Refuse more classes than each can have its place of, and classes without any vote."""
    name, classes = options.metric.name, cells.votes.shape[1]
    if classes > _MOST_PLACED:
        raise InputError(
            *(argument("metric", name), f" from votes is for at most {_MOST_PLACED} classes, and "),
            f"there are {classes}: few votes do not tell how so many classes are confused. Put "
            "some of them together, or ask for ",
            *(argument("method", "plugin"), ", which is too good where votes are few."),
        )
    empty = np.flatnonzero(~cells.votes.any(axis=0))
    if options.metric.needs_classes and empty.size:
        raise InputError(
            *(argument("metric", name), " needs votes for every class, and there is none for "),
            f"class number {int(empty[0])}. Leave it out of the classes.",
        )


def _shares(cells: Sample) -> Floats:
    return np.asarray(cells.votes / cells.totals[:, None])


def _mean(cells: Sample, options: Options) -> MeanFloor:
    refuse_majority(options)
    return MeanFloor(options.metric.per_item(_shares(cells)), cells)


def _best(cells: Sample, options: Options) -> BestValue:
    refuse_majority(options)
    return BestValue(options.metric, _shares(cells), cells)


_OTHERS = tuple(one.name for one in METRICS if not one.two_only and not one.is_error)
_plain_mean, _plain_best = plugin.VALUES
MANY_VALUES: Method = replace(
    MANY_MIXTURE,
    bind=ManyMixtureValue,
    metrics=_OTHERS,
    bases=frozenset({Basis.MANY_VALUE}),
    explains="The distribution of the items' probabilities is fitted to their votes by maximum "
    "likelihood, a little smoothed: in falling order where the metric does not ask which class is "
    "which. The best value of the metric is that of this distribution; the Brier score is the "
    "share of pairs of votes that differ.",
    options=("totals_by",),
)
MANY_PLUGINS: tuple[Method, ...] = (
    replace(_plain_mean, bind=_mean, classes=Classes.MANY, answers=None),
    replace(
        _plain_best,
        bind=_best,
        classes=Classes.MANY,
        answers=None,
        metrics=tuple(name for name in _plain_best.metrics if name in _OTHERS),
    ),
)
