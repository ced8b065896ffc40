"""The mixture: best values under the distribution behind votes; few votes per item will do.

The mean error of few votes comes from the distribution that fits them best. Of many that fit
equally well other metrics need a smooth one: costs, rankings and thresholds look at parts of the
distribution that five votes hardly show. So the fit is held to its reference by the worth of a few
items of log-likelihood, which makes values of smooth distributions nearly unbiased.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument, function
from errorfloor._references import MIXTURE as REFERENCE
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.methods.record import (
    DEFAULT_OPTIONS,
    VOTES_DECIDE,
    Basis,
    Classes,
    Method,
    Options,
    uses_weights,
)
from errorfloor.methods.votes.aims import ONE_VOTE, Target
from errorfloor.methods.votes.thinning import Votes, by_total, floor_of_all, refuse_shares, thinned
from errorfloor.metrics import ERROR, METRICS, Metric
from errorfloor.metrics.probabilities import OfItems
from errorfloor.metrics.two_by_two import OfTable

if TYPE_CHECKING:
    from errorfloor.methods.votes.line import Mixture
    from errorfloor.methods.votes.simplex import PartitionMixture

    MixtureT = TypeVar("MixtureT", Mixture, PartitionMixture)

Fit: TypeAlias = "tuple[Any, NDArray[np.intp]]"  # a distribution, and which cells it is for

_NEGLIGIBLE = 1e-12  # weights that no value depends on, but whose sums are not exact
_PENALTY = 2.0  # items' worth of log-likelihood for a unit of relative entropy to the reference
MOST_KEPT = 10  # votes of an item that are used at once, where there are more than two classes
MOST_OF_PLURALITY = 64  # votes that decide the label, likewise
_MOST_PLACED = 5  # classes that can each have their place


class Refitted:
    """The best value of a metric under the distribution fitted to votes: to any set of them.

    The fit is to votes that differ: equal ones are pooled, by what they weigh.

    Attributes
    ----------
    fits : list of (Mixture or PartitionMixture, array)
        The fitted distributions, and which cells each is for: one for all, unless items of each
        total have a distribution of their own.
    """

    def __init__(self, sample: Sample, options: Options = DEFAULT_OPTIONS) -> None:
        self.sample = sample
        self.cells = sample.distinct
        self.options = options
        self._check()
        self.fits, self._value = self._fit(self.cells.count)

    def _check(self) -> None:
        """Refuse votes and options that there is no answer for."""
        raise NotImplementedError

    def _fit(self, count: Counts) -> tuple[list[Fit], float]:
        """Return what is fitted to so many items in the cells, and the value of all."""
        raise NotImplementedError

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the value for each row of counts."""
        own = self.sample.count
        return np.array(
            [
                self._value
                if np.array_equal(count, own)
                else self._fit(self.sample.in_distinct(count))[1]
                for count in counts
            ]
        )

    def _groups(self, count: Counts) -> list[NDArray[np.intp]]:
        """Return the cells of items that have one distribution: all, or those of each total."""
        seen = np.flatnonzero(count > 0)
        kind = by_total(self.cells.totals[seen]) if self.options.by_item else np.zeros(seen.size)
        return [seen[kind == one] for one in np.unique(kind)]

    def _together(self, fits: list[Fit]) -> Any:
        """Return the distribution of all items, of which each of the fits is a part."""
        sizes = np.array([self.cells.count[own].sum() for _, own in fits])
        return together([fit for fit, _ in fits], sizes)


def together(fits: list[MixtureT], sizes: Floats) -> MixtureT:
    """Return the distribution of items that come from several, so many from each."""
    if len(fits) == 1:
        return fits[0]
    share = sizes / sizes.sum()
    points = np.concatenate([fit.points for fit in fits])
    weights = np.concatenate([w * fit.weights for w, fit in zip(share, fits, strict=True)])
    if points.ndim == 1:  # grids have points in common, and stay in order
        points, place = np.unique(points, return_inverse=True)
        weights = np.bincount(place, weights).astype(np.float64)
    return replace(
        fits[0],
        points=points,
        weights=weights,
        gap=float(share @ [fit.gap for fit in fits]),
        log_likelihood=float(share @ [fit.log_likelihood for fit in fits]),
    )


def weighs(metric: Metric) -> bool:
    """Tell whether best values are means over items, or what such means decide by one threshold.

    Also where they are once the share of class 1 is given.
    """
    how = metric.how
    sums = isinstance(how, OfTable) and how.prices is not None
    given = "prior" in metric.takes or "costs" in metric.needs
    by_items = metric.is_selective or isinstance(how, OfItems)
    return metric.is_error or by_items or (sums and given)


@uses_weights(where=weighs)
class TwoClassMixture(Refitted):
    """Best values from votes for two classes."""

    def _check(self) -> None:
        refuse_single_votes(self.cells.totals)
        if self.options.rule is not None:
            self.options.rule.check(self.cells.positives, self.cells.totals)
        k, metric = self.cells.positives, self.options.metric
        for name, has, needed in (
            ("1", k.any(), metric.needs_classes),
            ("0", (k < self.cells.totals).any(), metric.needs_classes == "both"),
        ):
            if needed and not has:
                raise InputError(
                    argument("metric", metric.name),
                    f" needs items of both classes, and there is no vote for class {name}. Add "
                    "items that have such votes, or ask for another metric.",
                )

    @cached_property
    def fitted(self) -> Mixture:
        """The distribution that explains the votes of all items best, without smoothing."""
        if not self.options.metric.is_error:
            return TwoClassMixture(self.cells, replace(self.options, metric=ERROR)).fitted
        found: Mixture = self._together(self.fits)
        return found

    @property
    def plugin_bias(self) -> float | None:
        """How far plain vote shares lie from the floor on average, where that is worked out.

        It is not where a rule stops: vote shares are no binomial shares then.
        """
        from errorfloor.methods.votes.share_bias import mean_lost, mean_lost_of

        if self.options.totals_by == VOTES_DECIDE or not self.options.metric.is_error:
            return None
        target, lost = self.options.target, 0.0
        for fit, votes in self.parts:
            given = fit.points, fit.weights, votes.totals, votes.counts
            one = mean_lost(*given) if target.needed == 1 else mean_lost_of(target, *given)
            lost += votes.n / self.cells.count.sum() * one
        return 0.0 - lost

    def _fit(self, count: Counts) -> tuple[list[Fit], float]:
        """Return the fitted distributions with their cells, and the value of all."""
        groups = self._groups(count)
        parts = [self._votes(own, count) for own in groups]
        found = [self._fit_part(votes) for votes in parts]
        fits = [fit for fit, _ in found]
        sizes = np.array([votes.n for votes in parts])
        metric = self.options.metric
        if metric.is_error:
            value = float(sizes / sizes.sum() @ [floor for _, floor in found])
        else:
            whole = together(fits, sizes)
            value = value_of(metric, whole.points, whole.weights, self.options.target)
        return list(zip(fits, groups, strict=True)), value

    @property
    def parts(self) -> list[tuple[Mixture, Votes]]:
        """The fitted distributions, and the votes that each is for."""
        return [(fit, self._votes(own, self.cells.count)) for fit, own in self.fits]

    def _votes(self, own: NDArray[np.intp], count: Counts) -> Votes:
        return Votes(self.cells.positives[own], self.cells.totals[own], count[own])

    def _fit_part(self, votes: Votes) -> tuple[Mixture, float]:
        """Return the fitted distribution, and the floor: its own, unless votes were left out."""
        from errorfloor.methods.votes.line import fit_mixture  # SciPy's parts load slowly

        options = self.options
        penalty, arcsine = (0.0, 0.5) if options.metric.is_error else options.metric.smoothing
        # Some of the votes that a rule ended with follow no law.
        few = thinned(*votes) if options.totals_by != VOTES_DECIDE else None
        fit = fit_mixture(
            *(few or votes),
            penalty=penalty,
            arcsine=arcsine,
            target=options.target,
            part=options.by_item,
        )
        if few is None or options.target.needed > 1:
            return fit, fit.floor
        return fit, floor_of_all(fit.points, fit.weights, few, votes)


@uses_weights(ERROR.name)
class ManyClassMixture(Refitted):
    """Best values from votes for more than two classes."""

    def _check(self) -> None:
        check_options(self.options)
        if self.options.metric.by_place:
            _refuse_many_classes(self.cells, self.options)
        refuse_single_votes(self.cells.totals)
        refuse_shares(self.cells.count, int(self.cells.totals.max()), MOST_KEPT)
        _refuse_stopped(self.options, self.cells.totals)

    @cached_property
    def fitted(self) -> PartitionMixture:
        """The distribution of sorted probabilities of all items."""
        found: PartitionMixture = self._together(self.fits or self._sorted(self.cells.count))
        return found

    @property
    def plugin_bias(self) -> float | None:
        """How far plain vote shares lie from the floor on average, where that is worked out."""
        options = self.options
        if options.totals_by == VOTES_DECIDE or options.target.majority > 2:
            return None
        if not options.metric.is_error:
            return None
        lost = 0.0
        for fit, own in self.fits:
            totals, group = np.unique(self.cells.totals[own], return_inverse=True)
            lost += float(self.cells.count[own] @ fit.lost(totals)[group])
        return 0.0 - lost / float(self.cells.count.sum())

    def _fit(self, count: Counts) -> tuple[list[Fit], float]:
        """Return the value, and distributions of sorted probabilities where it needs them."""
        from errorfloor.methods.votes.simplex import agreement_of, floor_of  # SciPy loads slowly

        metric, votes = self.options.metric, self.cells.votes
        if metric.by_pairs:  # two votes suffice, without any fit
            # Votes that differ more often than independent ones can are no item's.
            differ = 1 - agreement_of(votes, count)
            return [], min(differ, metric.span(votes.shape[1])[1])
        if metric.by_place:
            return [], value_of(metric, *_joined(self._placed(count)))
        fits = self._sorted(count)
        if not metric.is_error:
            parts = [(fit.points, float(count[own].sum()) * fit.weights) for fit, own in fits]
            return fits, value_of(metric, *_joined(parts))
        total = 0.0
        for fit, own in fits:
            total += float(count[own].sum()) * floor_of(fit, votes[own], count[own])
        return fits, total / float(count.sum())

    def _sorted(self, count: Counts) -> list[Fit]:
        """Return distributions of sorted probabilities."""
        from errorfloor.methods.votes.simplex import fit_partitions

        votes, majority = self.cells.votes, self.options.target.majority
        return [
            (fit_partitions(votes[own], count[own], majority=majority), own)
            for own in self._groups(count)
        ]

    def _placed(self, count: Counts) -> list[tuple[Floats, Floats]]:
        """Return probabilities with each class in its place, and how many items have each."""
        from errorfloor.methods.votes.simplex import CountLikelihood

        parts = [
            CountLikelihood.around(self.cells.votes[own], count[own]) for own in self._groups(count)
        ]
        return [(part.points, part.n * part.smoothed(_PENALTY)) for part in parts]


def _joined(parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    points, weights = zip(*parts, strict=True)
    return np.concatenate(points), np.concatenate(weights)


def value_of(metric: Metric, points: Floats, weights: Floats, target: Target = ONE_VOTE) -> float:
    """Return the best value of a metric where votes have these probabilities."""
    kept = weights > _NEGLIGIBLE * weights.max()
    return metric.best(target.positive(points[kept]), weights[kept])


def refuse_single_votes(totals: Counts) -> None:
    """Refuse votes from which nothing about the floor can be known."""
    if int(totals.max()) < 2:
        raise InputError(
            "Some items need at least 2 votes: from single votes, items that everybody agrees "
            "on and coin flips look the same. Collect a second vote on some items, or use ",
            function("from_scores"),
            " if there is a score for each item.",
        )


def check_options(options: Options) -> None:
    """Refuse what there is no answer for where there are more than two classes."""
    if options.stopping is not None:
        raise InputError(
            argument("stopping"),
            " is for two classes so far. Leave it out, or count one class against the rest.",
        )
    if options.target.majority > MOST_OF_PLURALITY:
        raise InputError(
            argument("majority"),
            f" may be at most {MOST_OF_PLURALITY} where there are more than two classes, got "
            f"{options.target.majority:,}. The majority of more votes is nearly certain on most "
            "items; count one class against the rest to have it.",
        )
    if options.target.majority > 2 and not options.metric.is_error:
        raise InputError(
            *(argument("majority"), " goes with the error where there are more than two classes. "),
            *("Leave it out, or leave out ", argument("metric"), "."),
        )


def _refuse_stopped(options: Options, totals: Counts) -> None:
    """Refuse votes of which only some can be used, where some of them follow no law."""
    most = int(totals.max())
    if options.totals_by == VOTES_DECIDE and most > MOST_KEPT and int(totals.min()) < most:
        raise InputError(
            argument("totals_by", VOTES_DECIDE),
            f" allows for at most {MOST_KEPT} votes per item where there are more than two "
            f"classes, and some items have {most:,}. Where the order of votes is known, give the "
            f"first {MOST_KEPT} votes of each item.",
        )


def _refuse_many_classes(cells: Sample, options: Options) -> None:
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


def _is_other(metric: Metric) -> bool:
    return not metric.is_error


MIXTURE = Method(
    name="mixture",
    reads=VoteTable.kind,
    bind=TwoClassMixture,
    bases=frozenset({Basis.MIXTURE}),
    interval="likelihood",
    assumes="Each item's votes are independent draws from its true probabilities",
    if_wrong="votes of people who copy each other, or of unequal quality, move it either way",
    explains="The distribution of the items' probabilities is fitted to their votes by maximum "
    f"likelihood, without assuming its shape. The floor is the mean of {ERROR.formula} over it.",
    references=(REFERENCE,),
    target="one more annotator's vote",
    colour="blue",
    options=("totals_by", "stopping", "majority"),
)
VALUES: Method = replace(
    MIXTURE,
    metrics=tuple(metric.name for metric in METRICS if _is_other(metric)),
    answers=_is_other,
    bases=frozenset({Basis.VALUE}),
    explains="The distribution of the items' probabilities is fitted to their votes by maximum "
    "likelihood, a little smoothed, without assuming its shape. The best value of the metric is "
    "that of this distribution.",
)
MANY_MIXTURE = replace(
    MIXTURE,
    classes=Classes.MANY,
    bind=ManyClassMixture,
    bases=frozenset({Basis.PARTITIONS}),
    explains="The distribution of the items' probabilities, in falling order, is fitted to the "
    "items' votes, in falling order, by maximum likelihood, a little smoothed. The floor is the "
    f"mean of {ERROR.many_formula} over it. Of items with more than ten votes it is "
    "what their shares of votes give, corrected for the bias of shares under this distribution.",
    options=("totals_by", "majority"),
)
MANY_VALUES: Method = replace(
    MANY_MIXTURE,
    metrics=tuple(one.name for one in METRICS if not one.two_only and _is_other(one)),
    bases=frozenset({Basis.MANY_VALUE}),
    explains="The distribution of the items' probabilities is fitted to their votes by maximum "
    "likelihood, a little smoothed: in falling order where the metric does not ask which class is "
    "which. The best value of the metric is that of this distribution; the Brier score is the "
    "share of pairs of votes that differ.",
    options=("totals_by",),
)
