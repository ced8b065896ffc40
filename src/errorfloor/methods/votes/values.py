"""Best values of metrics other than error, under the distribution behind votes of two classes.

The mean error of few votes comes from the distribution that fits them best. Of many that fit
equally well other metrics need a smooth one: costs, rankings and thresholds look at parts of the
distribution that five votes hardly show. So the fit is held to its reference by the worth of a few
items of log-likelihood, which makes values of smooth distributions nearly unbiased.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.record import VOTES_DECIDE, Basis, Method, Options, heeds_weights
from errorfloor.methods.votes.mixture import MIXTURE, MixtureFloor, refuse_single_votes, together
from errorfloor.methods.votes.refitted import Refitted
from errorfloor.methods.votes.target import ONE_VOTE, Target
from errorfloor.methods.votes.thin import Votes, by_total, thinned
from errorfloor.metrics import ERROR, METRICS, Metric
from errorfloor.metrics.probabilities import OfItems
from errorfloor.metrics.two_by_two import OfTable

if TYPE_CHECKING:
    from errorfloor.methods.votes.likelihood import Mixture

_NEGLIGIBLE = 1e-12  # weights that no value depends on, but whose sums are not exact


class MixtureValue(Refitted):
    """The best value of a metric under the distribution that is fitted to the votes, smoothed."""

    def _check(self) -> None:
        refuse_single_votes(self.cells.totals)
        if self.options.rule is not None:
            self.options.rule.check(self.cells.positives, self.cells.totals)
        refuse_one_class(self.cells, self.options.metric)

    @cached_property
    def fitted(self) -> Mixture:
        """The distribution that explains the votes best, without smoothing."""
        return MixtureFloor(self.cells, replace(self.options, metric=ERROR)).fitted

    @property
    def plugin_bias(self) -> None:
        """How far plain vote shares lie from the value on average: not worked out."""

    def _fit(self, count: Counts) -> tuple[Mixture, float]:
        """Return the smoothed distribution of all items, and the value."""
        seen = count > 0
        votes = Votes(self.cells.positives[seen], self.cells.totals[seen], count[seen])
        options = self.options
        thin = options.totals_by != VOTES_DECIDE  # some votes of a rule follow no law
        kind = by_total(votes.totals) if options.by_item else np.zeros(votes.totals.size)
        parts = [votes.where(kind == one) for one in np.unique(kind)]
        fits = [
            _smoothed(part, *options.metric.smoothing, thin=thin, part=len(parts) > 1)
            for part in parts
        ]
        fit = together(fits, np.array([part.n for part in parts]))
        return fit, value_of(options.metric, fit.points, fit.weights, options.target)


def _smoothed(votes: Votes, penalty: float, arcsine: float, *, thin: bool, part: bool) -> Mixture:
    from errorfloor.methods.votes.fit import fit_mixture  # SciPy's parts load slowly

    few = thinned(*votes) if thin else None
    return fit_mixture(*(few or votes), penalty=penalty, arcsine=arcsine, part=part)


def value_of(metric: Metric, points: Floats, weights: Floats, target: Target = ONE_VOTE) -> float:
    """Return the best value of a metric where votes have these probabilities."""
    kept = weights > _NEGLIGIBLE * weights.max()
    return metric.best(target.positive(points[kept]), weights[kept])


def refuse_one_class(cells: Sample, metric: Metric) -> None:
    """Refuse votes that are all for one class, where the metric needs items of both."""
    has = {"1": bool(cells.positives.any()), "0": bool((cells.positives < cells.totals).any())}
    needs = metric.needs_classes
    needed = {"1": bool(needs), "0": needs == "both"}
    for name in needed:
        if needed[name] and not has[name]:
            raise InputError(
                argument("metric", metric.name),
                f" needs items of both classes, and there is no vote for class {name}. Add items "
                "that have such votes, or ask for another metric.",
            )


def weighs(metric: Metric) -> bool:
    """Tell whether best values are means over items, or what such means decide by one threshold.

    Also where they are once the share of class 1 is given.
    """
    how = metric.how
    sums = isinstance(how, OfTable) and how.prices is not None and not metric.is_error
    given = "prior" in metric.takes or "costs" in metric.needs
    return metric.is_selective or isinstance(how, OfItems) or (sums and given)


@heeds_weights(where=weighs)
def _bind(cells: Sample, options: Options) -> MixtureValue:
    return MixtureValue(cells, options)


def _is_other(metric: Metric) -> bool:
    return not metric.is_error


_OTHERS = tuple(metric.name for metric in METRICS if _is_other(metric))
_EXPLAINS = (
    "The distribution of the items' probabilities is fitted to their votes by maximum likelihood, "
    "a little smoothed, without assuming its shape. The best value of the metric is that of this "
    "distribution."
)

VALUES: Method = replace(
    MIXTURE,
    bind=_bind,
    metrics=_OTHERS,
    answers=_is_other,
    bases=frozenset({Basis.VALUE}),
    explains=_EXPLAINS,
)
