"""The mixture for many classes: the floor of the distribution behind votes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts
from errorfloor.data.sample import Sample
from errorfloor.methods.record import VOTES_DECIDE, Basis, Classes, Options, heeds_weights
from errorfloor.methods.votes.mixture import MIXTURE, refuse_single_votes
from errorfloor.methods.votes.refitted import Refitted
from errorfloor.methods.votes.thin import by_total, refuse_shares
from errorfloor.metrics import ERROR

if TYPE_CHECKING:
    from errorfloor.methods.votes.many.fit import PartitionMixture

Fit: TypeAlias = "tuple[PartitionMixture, Any]"  # and which cells it is for

MOST_KEPT = 10  # votes of an item that are used at once
MOST_OF_PLURALITY = 64  # votes that decide the label, where there are more than two classes


class ManyMixtureFloor(Refitted):
    """The floor of the distribution that is fitted to the votes.

    Attributes
    ----------
    fits : list of (PartitionMixture, array)
        The fitted distributions, and which cells each is for: one for all, unless items of each
        total have a distribution of their own.
    """

    def _check(self) -> None:
        check_votes(self.cells, self.options)

    @property
    def fitted(self) -> PartitionMixture:
        """The distribution of all items."""
        return all_of(self.cells, self.fits)

    @property
    def plugin_bias(self) -> float | None:
        """How far plain vote shares lie from the floor on average; None for a majority."""
        if self.options.totals_by == VOTES_DECIDE or self.options.target.majority > 2:
            return None
        lost = 0.0
        for fit, own in self.fits:
            totals, group = np.unique(self.cells.totals[own], return_inverse=True)
            lost += float(self.cells.count[own] @ fit.lost(totals)[group])
        return 0.0 - lost / float(self.cells.count.sum())

    def _fit(self, count: Counts) -> tuple[list[Fit], float]:
        """Return the fitted distributions with their cells, and the floor of all."""
        from errorfloor.methods.votes.many.fit import floor_of  # SciPy loads slowly

        fits, total = fits_of(self.cells, count, self.options), 0.0
        for fit, own in fits:
            votes, items = self.cells.votes[own], count[own]
            total += float(items.sum()) * floor_of(fit, votes, items)
        return fits, total / float(count.sum())


def fits_of(cells: Sample, count: Counts, options: Options) -> list[Fit]:
    """Return distributions that are fitted to so many items in the cells, with their cells."""
    from errorfloor.methods.votes.many.fit import fit_partitions  # SciPy loads slowly

    seen = count > 0
    kind = by_total(cells.totals) if options.by_item else np.zeros(seen.size)
    fits = []
    for one in np.unique(kind[seen]):
        own = np.flatnonzero(seen & (kind == one))
        majority = options.target.majority
        fits.append((fit_partitions(cells.votes[own], count[own], majority=majority), own))
    return fits


def all_of(cells: Sample, fits: list[Fit]) -> PartitionMixture:
    """Return the distribution of all items, of which each of the fits is a part."""
    parts = [fit for fit, _ in fits]
    if len(parts) == 1:
        return parts[0]
    sizes = np.array([cells.count[own].sum() for _, own in fits])
    share = sizes / sizes.sum()
    return replace(
        parts[0],
        points=np.concatenate([fit.points for fit in parts]),
        weights=np.concatenate([w * fit.weights for w, fit in zip(share, parts, strict=True)]),
        log_likelihood=float(share @ [fit.log_likelihood for fit in parts]),
        gap=float(share @ [fit.gap for fit in parts]),
    )


def check_votes(cells: Sample, options: Options) -> None:
    """Refuse votes and options that the mixture has no answer for."""
    refuse_single_votes(cells.totals)
    refuse_shares(cells.count, int(cells.totals.max()), MOST_KEPT)
    check_options(options)
    _check_stopped(options, cells.totals)


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


def _check_stopped(options: Options, totals: Counts) -> None:
    """Refuse votes of which only some can be used, where some of them follow no law."""
    most = int(totals.max())
    if options.totals_by == VOTES_DECIDE and most > MOST_KEPT and int(totals.min()) < most:
        raise InputError(
            argument("totals_by", VOTES_DECIDE),
            f" allows for at most {MOST_KEPT} votes per item where there are more than two "
            f"classes, and some items have {most:,}. Where the order of votes is known, give the "
            f"first {MOST_KEPT} votes of each item.",
        )


@heeds_weights(ERROR.name)
def _bind(cells: Sample, options: Options) -> ManyMixtureFloor:
    return ManyMixtureFloor(cells, options)


MANY_MIXTURE = replace(
    MIXTURE,
    classes=Classes.MANY,
    bind=_bind,
    bases=frozenset({Basis.PARTITIONS}),
    explains="The distribution of the items' probabilities, in falling order, is fitted to the "
    "items' votes, in falling order, by maximum likelihood, a little smoothed. The floor is the "
    f"mean of {ERROR.many_formula} over it. Of more than ten votes per item the shares are "
    "corrected by their bias under the fit.",
    options=("totals_by", "majority"),
)
