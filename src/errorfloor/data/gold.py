"""A gold label next to the votes on an item: what tables keep of how the two agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts
from errorfloor.data.matrices import counted_votes
from errorfloor.data.table import added


@dataclass(frozen=True, slots=True, eq=False)
class GoldVotes:
    """Distinct votes with a gold label, and how many items have them.

    Shares of votes do not say how many votes they are of, and votes to which the label was added
    do not say which one it is, so a table made of either keeps this.
    """

    votes: Counts  # by class, without the label
    labels: Counts  # the place of its class
    counts: Counts

    @classmethod
    def of(cls, votes: Counts, labels: Counts, counts: Counts | None = None) -> GoldVotes:
        """Count equal items."""
        found = counted_votes(np.column_stack((votes, labels)), counts, None)
        return cls(found["votes"][:, :-1], found["votes"][:, -1], found["counts"])

    @property
    def totals(self) -> Counts:
        """All votes on the items of each row."""
        return added(self.votes)

    @property
    def for_gold(self) -> Counts:
        """Votes for the gold label."""
        return np.take_along_axis(self.votes, self.labels[:, None], axis=1)[:, 0]


def with_vote(votes: Counts, labels: Counts) -> Counts:
    """Return votes with one more, for the label of each item."""
    return np.asarray(votes + (labels[:, None] == np.arange(votes.shape[1])))
