"""A real set: scores and labels of its items, their votes where there are any, and its papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.tables import ScoreTable, VoteTable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """Items of a binary problem, each with a score and a label.

    Attributes
    ----------
    name : str
        What the set is called.
    scores : array of shape (n,)
        Share of the votes for a positive class, or the mean rating, in [0, 1].
    labels : array of shape (n,)
        Whether the item's one true class is a positive one.
    ids : array of shape (n,)
        The name of each item at its source.
    votes : array of shape (n, classes), or None
        How many people chose each class.
    targets : array of shape (n,)
        The true class of each item, as an index into `classes`.
    classes : tuple of str
        Names of the classes.
    positive : tuple of str
        The classes that count as 1.
    source : str
        Where the data comes from.
    licence : str
        On what terms.
    citation : str
        What to cite.
    annotations : dict of arrays, or None
        The columns item, annotator and vote of the single votes, where annotators are known.
    """

    name: str
    scores: Floats
    labels: Bools
    ids: NDArray[np.str_]
    votes: Counts | None
    targets: Counts
    classes: tuple[str, ...]
    positive: tuple[str, ...]
    source: str
    licence: str
    citation: str
    annotations: Mapping[str, NDArray[Any]] | None = None

    def __post_init__(self) -> None:
        for array in (self.scores, self.labels, self.ids, self.votes, self.targets):
            if array is not None:
                array.setflags(write=False)

    def __repr__(self) -> str:
        votes = "" if self.votes is None else f", votes={int(self.votes.sum())}"
        return f"Dataset({self.name!r}, n={self.n}{votes})"

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.labels.size)

    @property
    def positives(self) -> Counts:
        """Votes for the positive classes, one entry per item."""
        return np.asarray(self._votes()[:, self._is_positive()].sum(axis=1))

    @property
    def totals(self) -> Counts:
        """All votes, one entry per item."""
        return np.asarray(self._votes().sum(axis=1))

    @property
    def score_table(self) -> ScoreTable:
        """Scores and labels as a table of counts."""
        return ScoreTable.from_arrays(self.scores, self.labels)

    @property
    def vote_table(self) -> VoteTable:
        """Positive and all votes as a table of counts."""
        return VoteTable.from_arrays(self.positives, self.totals)

    def _votes(self) -> Counts:
        if self.votes is None:
            raise ValueError(
                f"{self.name} has no votes, only a score and a label per item. "
                "Use `scores` and `labels`, or `score_table`."
            )
        return self.votes

    def _is_positive(self) -> Bools:
        return np.isin(self.classes, self.positive)


def from_votes(
    votes: NDArray[Any],
    targets: NDArray[Any],
    *,
    classes: tuple[str, ...],
    positive: tuple[str, ...],
    ids: NDArray[np.str_] | None = None,
    **about: Any,
) -> Dataset:
    """Split the classes in two: a score is the share of an item's votes for `positive` ones."""
    is_positive = np.isin(classes, positive)
    return Dataset(
        scores=votes[:, is_positive].sum(axis=1) / votes.sum(axis=1),
        labels=is_positive[targets],
        ids=np.arange(len(votes)).astype(np.str_) if ids is None else ids,
        votes=votes.astype(np.int64),
        targets=targets.astype(np.int64),
        classes=classes,
        positive=positive,
        **about,
    )
