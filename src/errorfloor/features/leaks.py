"""What gives labels away: columns that are the label, the order of rows, rows that belong together.

Rows that belong together though nobody said so are copies with some noise, or rows of one patient.
Such rows share a label for another reason than their features, and a model that saw one of them
predicts the others better than any model predicts new items. Three signs give them away, each with
labels that agree inside and differ outside: a gap in the distances after the first neighbours;
nearest neighbours that agree where the next ones do not; and neighbours that are again and again
as many rows apart. Labels that are drawn again for each row do no harm, and are not found. Rows in
random order with noise as large as the distance to others are not found either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.features.neighbours import nearest

_ROWS = 500  # rows that most columns are telling by
_VALUES = 3  # times as many values as classes at most, in a column that is the label
_BY_CHANCE = 1e-6  # that labels change so seldom along a column that says nothing of them
_EACH = 10  # items for each value, on average, of which agreement is no accident


def telling_columns(points: Floats, codes: Counts) -> Counts:
    """Return the columns of few values each of which goes with one class alone."""
    classes = int(codes.max()) + 1
    rows = np.unique(np.linspace(0, len(codes) - 1, _ROWS).astype(np.int64))
    likely = [
        column
        for column in range(points.shape[1])
        if _tells(points[rows, column], codes[rows], classes)
    ]
    telling = [column for column in likely if _tells(points[:, column], codes, classes)]
    return np.array(telling, dtype=np.int64)


def changes_along(values: Floats, codes: Counts) -> tuple[int, float, bool]:
    """Return how often labels change along a column, how often by chance, and whether that is far.

    Far fewer changes mean that rows were sorted by class, or come in groups, when the column was
    made.
    """
    from scipy.special import bdtr

    steps = len(codes) - 1
    changes = int(np.count_nonzero(np.diff(codes[np.argsort(values, kind="stable")])))
    shares = np.bincount(codes) / len(codes)
    chance = float(1 - (shares**2).sum())
    return changes, chance * steps, bool(bdtr(changes, steps, chance) < _BY_CHANCE)


def _tells(values: Floats, codes: Counts, classes: int) -> bool:
    found, value = np.unique(values, return_inverse=True)
    if found.size > min(_VALUES * classes, len(values) // _EACH):
        return False
    seen: Bools = np.zeros((found.size, classes), dtype=np.bool_)
    seen[value, codes] = True
    return bool((seen.sum(axis=1) == 1).all())


# Rows that belong together.

_SAMPLE = 1000  # rows whose neighbours are looked at
_SIZE = 10  # neighbours that a group has at most
_LISTED = 2 * (_SIZE + 1)  # neighbours, of which the farther ones tell what is usual
_UNEQUAL = 2.0  # times as much spread in one column as in another
_FEW = 0.5  # different values for each row, at most, in columns that are spread
_RARE = 0.01  # how often a row has such a gap by chance
_SHARE = 0.02  # of the rows: fewer that belong together do little harm
_GROUPS = 10  # from which on they are no accident
_CLASS = 5  # times as many items as a group has are in its class, at least
_AGREE = 0.2  # times as many labels differ inside as outside, at most
_CHANCE = 1e-6  # that so few differ inside, were they drawn as those outside


@dataclass(frozen=True, slots=True)
class RelatedRows:
    """Rows that look as if they belonged together.

    Attributes
    ----------
    one, other : int
        Two such rows.
    share : float
        Share of the rows that have such neighbours.
    same, same_outside : float
        How often labels agree within, and with the next neighbours outside.
    """

    one: int
    other: int
    share: float
    same: float
    same_outside: float


@dataclass(frozen=True, slots=True, eq=False)
class _Neighbours:
    """The neighbours of some rows, nearest first: how far, which rows, and whether labels differ.

    `others` is how many further rows have the label of each.
    """

    rows: Counts
    apart: Floats
    indices: Counts
    differ: Bools
    others: Counts
    n: int
    width: int

    @classmethod
    def of(cls, points: Floats, codes: Counts, device: str | None) -> _Neighbours:
        n = len(points)
        some = np.random.default_rng(0).permutation(n)[:_SAMPLE]
        rows = np.sort(some)
        lists = nearest(points, _LISTED + 1, points[rows], device=device)
        own = lists.indices == rows[:, None]
        own[~own.any(axis=1), -1] = True  # not listed among many at the same place
        shape = (rows.size, _LISTED)
        indices = lists.indices[~own].reshape(shape)
        apart = np.sqrt(lists.squares[~own].reshape(shape))
        others = np.bincount(codes)[codes[rows]] - 1
        differ = codes[indices] != codes[rows, None]
        return cls(rows, apart, indices, differ, others, n, points.shape[1])


def rows_together(points: Floats, codes: Counts, device: str | None = None) -> RelatedRows | None:
    """Return that rows belong together, where they look like it; labels are in order of rows."""
    if len(points) < 2 * _LISTED:
        return None
    ordered = _is_ordered(points, codes)
    for form in _forms(_spread(points)):
        near = _Neighbours.of(form, codes, device)
        signs = [(_before_gaps(near), _AGREE), (_nearest_alone(near), _AGREE / 2)]
        signs += [] if ordered else [(_at_one_lag(near), _AGREE)]
        found = next(filter(None, (_judged(near, *sign) for sign in signs)), None)
        if found is not None:
            return found
    return None


def _spread(points: Floats) -> Floats:
    """Return points whose columns of few values are spread over the steps between these.

    Rows with equal values in such columns would else be far from all others, and yet have nothing
    in common but a kind: the gap would be that between kinds.
    """
    generator = np.random.default_rng(0)
    some = points[generator.permutation(len(points))[:_SAMPLE]]
    values = [np.unique(column) for column in some.T]
    few = [at for at, one in enumerate(values) if 1 < one.size <= _FEW * len(some)]
    if few:
        points = points.copy()
    for at in few:
        step = np.median(np.diff(values[at]))
        points[:, at] += step * (generator.random(len(points)) - 0.5)
    return points


def _forms(points: Floats) -> Iterator[Floats]:
    """Yield points as neighbours see them, and with columns that weigh the same if they do not."""
    yield points
    scale = points.std(axis=0)
    scale[scale == 0] = scale.max()
    if scale.max() > _UNEQUAL * scale.min():
        yield points / scale


def _is_ordered(points: Floats, codes: Counts) -> bool:
    """Tell whether rows are sorted, by class or by a feature: then those side by side are alike."""
    runs = 1 + np.count_nonzero(np.diff(codes))
    steps = np.diff(points, axis=0)
    sorted_by = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)
    return bool(runs <= 2 * (codes.max() + 1) or (sorted_by & steps.any(axis=0)).any())


def _before_gaps(near: _Neighbours) -> Bools:
    """Return which neighbours come before a gap that chance seldom makes.

    With k neighbours in d dimensions, (r_k / r_k+1)^(d k) is uniform wherever points are as dense.
    """
    growth = np.log(near.apart[:, -1:] / np.maximum(near.apart[:, _SIZE : _SIZE + 1], 1e-300))
    middle = max(float(np.median(growth)), 1e-9)
    dimensions = min(np.log(_LISTED / (_SIZE + 1)) / middle, near.width)
    k = np.arange(1, _SIZE + 1)
    here, after = near.apart[:, :_SIZE], near.apart[:, 1 : _SIZE + 1]
    chance = np.divide(here, after, out=np.ones_like(here), where=after > 0) ** (dimensions * k)
    ends = np.where(chance.min(axis=1) < _RARE / _SIZE, chance.argmin(axis=1) + 1, 0)
    return np.asarray(np.arange(_LISTED) < ends[:, None])


def _nearest_alone(near: _Neighbours) -> Bools:
    """Return the nearest neighbour of each row."""
    inside = np.zeros_like(near.differ)
    inside[:, 0] = True
    return inside


def _at_one_lag(near: _Neighbours) -> Bools:
    """Return which neighbours are as many rows further on, where that is more than an accident."""
    from scipy.special import bdtrc

    size = max(1, min(_SIZE, near.n // 40))
    lags = near.indices - near.rows[:, None]
    values, counts = np.unique(lags[:, :size], return_counts=True)
    most = int(counts.argmax())
    often = int(counts[most])
    chance = bdtrc(often - 1, near.rows.size, size / (near.n - 1)) * 2 * near.n
    if chance > _CHANCE:
        return np.zeros_like(near.differ)
    return np.asarray((lags == values[most]) & (np.arange(_LISTED) < size))


def _judged(near: _Neighbours, inside: Bools, most: float) -> RelatedRows | None:
    """Return that the neighbours inside belong to rows, if labels agree there and not outside.

    That is, at most so many times as many labels differ inside as outside.
    """
    from scipy.special import bdtr

    # Of a class with few items all may be near each other for what they are.
    at = np.flatnonzero(inside.any(axis=1) & (near.others >= _CLASS * inside.sum(axis=1)))
    if at.size < _SHARE * near.rows.size:
        return None
    sizes = inside.sum(axis=1)[at]
    last = np.where(inside[at], np.arange(_LISTED), 0).max(axis=1)[:, None]
    places = np.arange(_LISTED)
    # As many outside as inside, and one more: the farther ones say less about the place.
    outside = ~inside[at] & (places > last) & (places <= last + sizes[:, None] + 1)
    within = float(((near.differ[at] & inside[at]).sum(axis=1) / sizes).mean())
    beyond = float(((near.differ[at] & outside).sum(axis=1) / outside.sum(axis=1)).mean())
    groups = float((1 / (sizes + 1)).sum())
    chance = bdtr(math.floor(within * groups), math.ceil(groups), beyond)
    if groups < _GROUPS or within > most * beyond or chance > _CHANCE:
        return None
    row, first = int(near.rows[at[0]]), int(near.indices[at[0], inside[at[0]].argmax()])
    share = at.size / near.rows.size
    return RelatedRows(min(row, first), max(row, first), share, 1 - within, 1 - beyond)
