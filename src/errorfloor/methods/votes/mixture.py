"""The mixture: the floor of the distribution behind votes, which few votes per item suffice for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from errorfloor._checks import InputError, function
from errorfloor._references import MIXTURE as REFERENCE
from errorfloor._typing import Counts, Floats
from errorfloor.data.cells import VoteCells
from errorfloor.data.tables import VoteTable
from errorfloor.methods.record import Basis, Method, Options
from errorfloor.methods.votes.thin import Votes, floor_of_all, thinned
from errorfloor.metrics import ERROR

if TYPE_CHECKING:
    from errorfloor.methods.votes.likelihood import Mixture


class MixtureFloor:
    """The floor of the distribution that is fitted to the votes."""

    def __init__(self, cells: VoteCells) -> None:
        if int(cells.totals.max()) < 2:
            raise InputError(
                "Some items need at least 2 votes: from single votes, items that everybody agrees "
                "on and coin flips look the same. Collect a second vote on some items, or use ",
                function("from_scores"),
                " if there is a score for each item.",
            )
        self.cells = cells
        self.fitted, self._floor = self._fit(cells.count)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        own = self.cells.count
        return np.array(
            [self._floor if np.array_equal(count, own) else self._fit(count)[1] for count in counts]
        )

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        count = self.cells.count
        less = (count - one for one in np.eye(len(count), dtype=np.int64))
        return np.array([self._fit(one_less)[1] for one_less in less])

    def _fit(self, count: Counts) -> tuple[Mixture, float]:
        """Return the fitted distribution, and the floor: its own, unless votes were left out."""
        from errorfloor.methods.votes.fit import fit_mixture  # SciPy's parts load slowly

        seen = count > 0
        votes = Votes(self.cells.positives[seen], self.cells.totals[seen], count[seen])
        few = thinned(*votes)
        fit = fit_mixture(*(few or votes))
        if few is None:
            return fit, fit.floor
        return fit, floor_of_all(fit.points, fit.weights, few, votes)


def _bind(cells: VoteCells, options: Options) -> MixtureFloor:
    return MixtureFloor(cells)


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
)
