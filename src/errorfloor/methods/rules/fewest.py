"""Rules that choose a class by scores and offsets, and the fewest errors that any of them makes.

A rule adds an offset to the log score of each class and chooses the largest sum. If all offsets
but one stay, each item changes sides at one place, so the best place for that one is found exactly.
Going round the classes ends where no single offset gains; several starts and random choices among
equally good places make that end seldom a poor one. The generator is fixed: the same items have
the same answer.

How many errors no offsets can do without is proved by pairs of classes. An item of class j is an
error wherever class k beats j there. So among the items of classes j and k any offsets err at least
as often as the best cut of the difference of the two log scores. Each class may be part of several
pairs, with weights that add up to at most one: then no error is counted more than once. The best
weights are a matching of the classes with themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor.methods.rules.logs import Labelled, blocks

if TYPE_CHECKING:
    from errorfloor._typing import Bools, Counts, Floats
    from errorfloor.methods.rules.maps import Power

TIE = 1e-9  # classes whose values differ by no more are tied: logarithms are rounded
APART = 4 * TIE  # places between items that are closer than this are not tried
STARTS = 20
FEWEST_STARTS = 4
MOST_STEPS = 3e9  # numbers looked at, in all
STALE, MANY = 3, 2e5  # rounds without a gain; one of so many numbers is enough
LARGEST = 1e7  # numbers; of more, some items are searched and all are counted
SPREAD = 0.5  # of offsets about those of a start
BINS, SAMPLED, FEW = 1024, 2**13, 2**14  # only for speed


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Choose the class with the largest ``follows * log score + offset``; tied ones alike."""

    offsets: Floats  # minus infinity for a class that is never chosen
    follows: bool = True  # the scores; else the class with the largest offset is always chosen

    @classmethod
    def of(cls, fitted: Power) -> Rule:
        """Return the rule that chooses the likeliest class of a map with a common power."""
        power = float(fitted.power[0])
        return cls(fitted.weight / power) if power > 0 else cls(fitted.weight, follows=False)

    @classmethod
    def as_it_is(cls, classes: int) -> Rule:
        """Return the rule that chooses the class with the largest score."""
        return cls(np.zeros(classes))

    def tied(self, logs: Floats) -> Bools:
        """Tell which classes are chosen in each row, several where they are tied."""
        values = logs * self.follows + self.offsets[:, None]
        return np.asarray(values >= values.max(axis=0) - TIE)

    def wrong(self, items: Labelled, cells: Any = slice(None)) -> Floats:
        """Return the probability that the rule does not choose the label, for some of the cells."""
        rows, labels = items.row[cells], items.label[cells]
        wrong = np.empty(rows.size)
        for block in blocks(rows.size, len(items.logs)):
            tied = self.tied(items.logs[:, rows[block]])
            right = tied[labels[block], np.arange(tied.shape[1])] / tied.sum(axis=0)
            wrong[block] = 1 - right
        return wrong

    def chosen(self, items: Labelled, prefer: Floats) -> NDArray[np.intp]:
        """Return one class for each cell; of tied ones that which is preferred most."""
        first = np.argsort(np.argsort(-prefer, kind="stable"), kind="stable")
        chosen = np.empty(items.row.size, dtype=np.intp)
        for block in blocks(items.row.size, len(items.logs)):
            tied = self.tied(items.logs[:, items.row[block]])
            chosen[block] = np.argmin(np.where(tied, first[:, None], first.size), axis=0)
        return chosen


def fewest_errors(
    items: Labelled, count: Counts, starts: Iterable[Rule], most: int = STARTS
) -> tuple[int, Rule]:
    """Return the fewest errors that were found, counted again, and offsets that reach them.

    Classes without labels are never chosen. Where items are very many, the search looks at some of
    them, and the errors are counted on all. Where classes are tied the item counts as an error:
    a small change of the offsets would do as well as the better of the tied ones for each class.
    """
    some = np.flatnonzero(count)
    stride = int(-(-some.size * len(items.logs) // LARGEST))
    seen = np.flatnonzero(items.by_class(count))
    search = _Search.of(items.where(some[::stride]), count[some[::stride]], seen)
    best = np.zeros(seen.size)
    fewest = int(count.sum()) + 1
    for offsets in _all_starts(starts, seen, search, most):
        about = best if offsets is None else offsets
        if offsets is None:
            about = best + SPREAD * search.rng.standard_normal(seen.size)
        found = search.descend(about)
        wrong = search.recount(found) if stride == 1 else _strict(items, count, seen, found)
        if wrong < fewest:
            fewest, best = wrong, found
        if search.is_spent:
            break
    offsets = np.full(len(items.logs), -np.inf)
    offsets[seen] = best
    return fewest, Rule(offsets)


def _strict(items: Labelled, count: Counts, seen: NDArray[np.intp], offsets: Floats) -> int:
    """Return the errors of offsets on all items, block by block."""
    some, wrong = np.flatnonzero(count), 0
    for block in blocks(some.size, len(items.logs)):
        part = some[block]
        search = _Search.of(items.where(part), count[part], seen)
        wrong += search.recount(offsets)
    return wrong


def _all_starts(
    starts: Iterable[Rule], seen: NDArray[np.intp], search: _Search, most: int
) -> Iterable[Floats | None]:
    """Yield the offsets of the given rules, then None for each start near the best so far."""
    given = 0
    for rule in starts:
        if rule.follows and np.isfinite(rule.offsets[seen]).all():
            given += 1
            yield rule.offsets[seen]
    size = search.rivals.size
    more = int(np.clip(4e6 / size, FEWEST_STARTS, most)) - given
    yield from (None for _ in range(max(more, 1)))


@dataclass(slots=True, eq=False)
class _Search:
    """Items laid out for moving one offset at a time."""

    rivals: Floats  # log scores (classes, items), minus infinity at each item's own label
    own: Floats  # log score of each item's own label
    of_class: tuple[NDArray[np.intp], ...]  # the items of each label
    weight: Counts
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    looked_at: float = 0.0

    @classmethod
    def of(cls, items: Labelled, weight: Counts, seen: NDArray[np.intp]) -> _Search:
        label = np.searchsorted(seen, items.label)
        rivals = items.logs[seen]
        at = (label, np.arange(label.size))
        own = rivals[at]
        rivals[at] = -np.inf
        order = np.split(
            np.argsort(label, kind="stable"),
            np.cumsum(np.bincount(label, minlength=seen.size))[:-1],
        )
        return cls(rivals, own, tuple(order), weight)

    @property
    def is_spent(self) -> bool:
        return self.looked_at >= MOST_STEPS

    def recount(self, offsets: Floats) -> int:
        """Return the errors of offsets, where tied items are errors."""
        rival = (self.rivals + offsets[:, None]).max(axis=0)
        return int(self.weight[self._own(offsets) <= rival + TIE].sum())

    def descend(self, offsets: Floats) -> Floats:
        """Return offsets that no change of a single one makes better, by rounds of best places."""
        offsets = offsets.copy()
        values = self.rivals + offsets[:, None]
        own = self._own(offsets)
        best, stale = -1, 0
        patience = STALE if values.size < MANY else 1
        while stale < patience and not self.is_spent and len(offsets) > 1:
            before = best
            for k in self.rng.permutation(offsets.size):
                best, step = self._best_step(values, own, int(k))
                offsets[k] += step
                values[k] = self.rivals[k] + offsets[k]
                own[self.of_class[k]] += step
            stale = 0 if best > before else stale + 1
        return offsets

    def _own(self, offsets: Floats) -> Floats:
        own = self.own.copy()
        for offset, mine in zip(offsets, self.of_class, strict=True):
            own[mine] += offset
        return own

    def _best_step(self, values: Floats, own: Floats, k: int) -> tuple[int, float]:
        """Return the most items that are right for any offset of class k, and how far it is."""
        self.looked_at += values.size
        mine = self.of_class[k]
        rival = values[:k].max(axis=0, initial=-np.inf)
        rival = np.maximum(rival, values[k + 1 :].max(axis=0, initial=-np.inf))
        # Items of class k are right above a place; others that beat all but k are right below.
        margin, ahead = own - values[k], own > rival + TIE
        margin[mine], ahead[mine] = (rival - own)[mine], True
        gain = np.where(ahead, -self.weight, 0)
        gain[mine] = self.weight[mine]
        below = -int(gain.sum(where=gain < 0))
        turning = np.flatnonzero(ahead)
        return best_place(margin[turning], gain[turning], below, self.rng)


def best_place(at: Floats, gain: Counts, below: int, rng: np.random.Generator) -> tuple[int, float]:
    """Return the most that is reached anywhere, and one such place at random.

    `below` is what is reached below all numbers in `at`; passing one of them adds its `gain`.
    """
    if at.size > FEW:
        at, gain = _thinned(at, gain, below)  # only for speed
    order = np.argsort(at)
    at = at[order]
    reached = below + np.cumsum(gain[order])
    room = np.append(np.diff(at), np.inf)
    reached = np.where(room > APART, reached, -1)
    most = max(int(reached.max(initial=-1)), below)
    places = np.flatnonzero(reached == most)
    pick = int(rng.integers(places.size + (below == most)))
    if pick == places.size:
        return most, float(at[0] - 1) if at.size else 0.0
    place = int(places[pick])
    return most, float(at[place] + min(room[place], 2.0) / 2)


def _thinned(at: Floats, gain: Counts, below: int) -> tuple[Floats, Counts]:
    """Leave out numbers that the best place is not near, with their gains put together.

    What is reached inside a bin is at most what is reached before it and all that it can gain.
    """
    low, high = np.quantile(at[:: max(at.size // SAMPLED, 1)], [0.01, 0.99])
    scale = (BINS - 2) / max(float(high - low), 1e-300)
    bin_of = np.clip((at - low) * scale + 1, 0, BINS - 1).astype(np.intp)
    whole = np.bincount(bin_of, gain, minlength=BINS)
    rise = np.bincount(bin_of, np.maximum(gain, 0), minlength=BINS)
    before = below + np.concatenate(([0], np.cumsum(whole)))
    near = before[:-1] + rise >= before.max()
    kept = near[bin_of]
    first, last = np.full(BINS, np.inf), np.full(BINS, -np.inf)
    np.minimum.at(first, bin_of, at)
    np.maximum.at(last, bin_of, at)
    far = np.flatnonzero(~near & (first <= last))
    deep = np.full(far.size, int(rise.sum()) + 1)  # so that no place between them is best
    return (
        np.concatenate((at[kept], first[far], last[far])),
        np.concatenate((gain[kept], -deep, deep + whole[far].astype(np.int64))),
    )


def needed_errors(items: Labelled, count: Counts) -> int:
    """Return a number of errors that every choice of offsets makes on these items."""
    from scipy.optimize import linear_sum_assignment  # slow to load

    errors = pair_errors(items, count)
    row, column = linear_sum_assignment(errors, maximize=True)
    # Each pair is there twice, and errors are whole numbers.
    return int(np.ceil(errors[row, column].sum() / 2))


def pair_errors(items: Labelled, count: Counts) -> Counts:
    """Return, for each pair of classes, the errors of the best cut among their own items."""
    some = count > 0
    items, count = items.where(some), count[some]
    classes = len(items.logs)
    of_class = [np.flatnonzero(items.label == k) for k in range(classes)]
    errors = np.zeros((classes, classes), dtype=np.int64)
    for j in range(classes):
        for k in range(j):
            pair = np.concatenate((of_class[j], of_class[k]))
            behind = items.logs[k, pair] - items.logs[j, pair]  # j wins above this place
            sign = np.where(np.arange(pair.size) < of_class[j].size, 1, -1)
            errors[j, k] = errors[k, j] = _fewest(behind, sign * count[pair])
    return errors


def _fewest(behind: Floats, gain: Counts) -> int:
    right, _ = best_place(behind, gain, -int(gain.sum(where=gain < 0)), np.random.default_rng(0))
    return int(np.abs(gain).sum()) - right
