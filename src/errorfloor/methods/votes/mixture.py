"""The mixture: the floor of the distribution behind votes, which few votes per item suffice for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from errorfloor._checks import InputError, function
from errorfloor._references import MIXTURE as REFERENCE
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.methods.record import VOTES_DECIDE, Basis, Method, Options, heeds_weights
from errorfloor.methods.votes.refitted import Refitted
from errorfloor.methods.votes.target import Target
from errorfloor.methods.votes.thin import Votes, by_total, floor_of_all, thinned
from errorfloor.metrics import ERROR

if TYPE_CHECKING:
    from errorfloor.methods.votes.likelihood import Mixture


class MixtureFloor(Refitted):
    """The floor of the distribution that is fitted to the votes."""

    def _check(self) -> None:
        refuse_single_votes(self.cells.totals)
        if self.options.rule is not None:
            self.options.rule.check(self.cells.positives, self.cells.totals)

    @property
    def fitted(self) -> Mixture:
        """The distribution of all items."""
        return together([fit for fit, _ in self.fits], np.array([part.n for _, part in self.fits]))

    @property
    def plugin_bias(self) -> float | None:
        """How far plain vote shares lie from the floor on average; None where a rule stops."""
        from errorfloor.methods.votes.lost import mean_lost, mean_lost_of

        if self.options.totals_by == VOTES_DECIDE:
            return None  # vote shares are no binomial shares then
        target, lost = self.options.target, 0.0
        for fit, votes in self.fits:
            given = fit.points, fit.weights, votes.totals, votes.counts
            one = mean_lost(*given) if target.needed == 1 else mean_lost_of(target, *given)
            lost += votes.n / self.cells.count.sum() * one
        return 0.0 - lost

    def _fit(self, count: Counts) -> tuple[list[tuple[Mixture, Votes]], float]:
        """Return the fitted distributions with their votes, and the floor of all."""
        seen = count > 0
        votes = Votes(self.cells.positives[seen], self.cells.totals[seen], count[seen])
        if not self.options.by_item:
            thin = self.options.totals_by != VOTES_DECIDE  # some votes of a rule follow no law
            fit, floor = fit_votes(votes, self.options.target, thin=thin)
            return [(fit, votes)], floor
        kind = by_total(votes.totals)
        parts = [votes.where(kind == one) for one in np.unique(kind)]
        found = [fit_votes(part, self.options.target, part=True) for part in parts]
        floor = sum(part.n * one for part, (_, one) in zip(parts, found, strict=True)) / votes.n
        return [(fit, part) for part, (fit, _) in zip(parts, found, strict=True)], float(floor)


def refuse_single_votes(totals: Counts) -> None:
    """Refuse votes from which nothing about the floor can be known."""
    if int(totals.max()) < 2:
        raise InputError(
            "Some items need at least 2 votes: from single votes, items that everybody agrees "
            "on and coin flips look the same. Collect a second vote on some items, or use ",
            function("from_scores"),
            " if there is a score for each item.",
        )


def fit_votes(
    votes: Votes, target: Target, *, part: bool = False, thin: bool = True
) -> tuple[Mixture, float]:
    """Return the fitted distribution, and the floor: its own, unless votes were left out."""
    from errorfloor.methods.votes.fit import fit_mixture  # SciPy's parts load slowly

    few = thinned(*votes) if thin else None
    fit = fit_mixture(*(few or votes), target=target, part=part)
    if few is None or target.needed > 1:
        return fit, fit.floor
    return fit, floor_of_all(fit.points, fit.weights, few, votes)


def together(fits: list[Mixture], sizes: Floats) -> Mixture:
    """Return the distribution of items that come from several, so many from each."""
    if len(fits) == 1:
        return fits[0]
    share = sizes / sizes.sum()
    points, place = np.unique(np.concatenate([fit.points for fit in fits]), return_inverse=True)
    weights = np.concatenate([w * fit.weights for w, fit in zip(share, fits, strict=True)])
    return replace(
        fits[0],
        points=points,
        weights=np.bincount(place, weights).astype(np.float64),
        gap=float(share @ [fit.gap for fit in fits]),
        log_likelihood=float(share @ [fit.log_likelihood for fit in fits]),
    )


@heeds_weights(ERROR.name)
def _bind(cells: Sample, options: Options) -> MixtureFloor:
    return MixtureFloor(cells, options)


MIXTURE = Method(
    name="mixture",
    reads=VoteTable.kind,
    bind=_bind,
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
