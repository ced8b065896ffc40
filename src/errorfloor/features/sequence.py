"""Sequential prediction: each item is predicted by what was fitted to earlier items alone.

Whichever model is asked, and however it was chosen from the past, an item with features x is
predicted wrongly with probability at least 1 - max P(y | x). So the number of errors is at least
as large as a Binomial(n, floor) in distribution, at any n, for any models and any features. That
includes features of later items: only their labels are kept from the models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.features.models import ModelFamily, fit_majority

_FIRST = 16  # items before the first fit
# Fits are on so much more items than the one before: together twice the items of one on all.
_GROWTH = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What became of predicting items one after another.

    Attributes
    ----------
    names : tuple of str
        The models.
    errors : int
        Errors of the leaders: each item by the model that was best on the later half of the past.
    model_errors : tuple of int
        Errors of each model by itself.
    leader : str
        The model that leads after the last item.
    """

    names: tuple[str, ...]
    errors: int
    model_errors: tuple[int, ...]
    leader: str


def run(points: Floats, codes: Counts, classes: int, families: Sequence[ModelFamily]) -> Run:
    """Predict items in the order of the rows."""
    # By when they first occur, so that no answer depends on what classes are called. No model
    # answers a class that is yet to come, whose number would give away a later label.
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    codes = first.argsort().argsort()[codes]
    names = tuple(name for family in families for name in family.names)
    wrong = np.concatenate([_wrong(points, codes, classes, family) for family in families])
    leaders = leaders_of(wrong)
    errors = int(wrong[leaders[:-1], np.arange(len(codes))].sum())
    return Run(names, errors, tuple(int(row.sum()) for row in wrong), names[leaders[-1]])


def leaders_of(wrong: Counts) -> Counts:
    """Return which model leads before each item, and after the last one.

    It is the one with the fewest errors on the later half of the items so far, the first of
    several: models learn, so that what they did long ago says less.
    """
    n = wrong.shape[1]
    before = np.concatenate((np.zeros((len(wrong), 1), dtype=np.int64), wrong.cumsum(axis=1)), 1)
    places = np.arange(n + 1)
    return np.asarray((before[:, places] - before[:, places // 2]).argmin(axis=0))


def batches(n: int) -> list[tuple[int, int]]:
    """Return the batches after the first items: each is predicted from all before it."""
    edges = [n]
    while edges[0] > _FIRST * _GROWTH:
        edges.insert(0, int(edges[0] / _GROWTH))
    return list(pairwise([_FIRST, *(edge for edge in edges if edge > _FIRST)]))


def _wrong(points: Floats, codes: Counts, classes: int, family: ModelFamily) -> Counts:
    """Return whether each model of a family is wrong about each item."""
    wrong = np.empty((len(family.names), len(codes)), dtype=np.int64)
    wrong[:, 0] = 1  # with no past there is nothing to go by
    for at in range(1, min(_FIRST, len(codes))):
        predict = fit_majority(points[:at], codes[:at], classes)
        wrong[:, at] = predict(points[at : at + 1])[0] != codes[at]
    for start, stop in batches(len(codes)):
        predict = family.fit(points[:start], codes[:start], classes)
        wrong[:, start:stop] = predict(points[start:stop]) != codes[start:stop]
    return wrong
