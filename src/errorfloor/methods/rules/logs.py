"""Scores of many classes as shares, and on a log scale, where weights become offsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument

if TYPE_CHECKING:
    from errorfloor._typing import Counts, Floats
    from errorfloor.data.sample import Sample
    from errorfloor.methods.record import Clip

BLOCK = 2**16  # only for speed: numbers taken at a time, which the cache holds


def are_logits(scores: Floats) -> bool:
    """Tell whether scores are on a log scale already: one below 0 anywhere says so."""
    return bool(scores.min() < 0)


def blocks(rows: int, classes: int) -> Iterator[slice]:
    """Yield ranges of rows that keep what is computed for them in the cache."""
    size = max(BLOCK // classes, 1)  # only for speed
    return (slice(start, start + size) for start in range(0, rows, size))


def log_scores(scores: Floats, clip: Clip = "auto") -> Floats:
    """Return the logarithms of scores less the largest of each row, one row for each class.

    Parameters
    ----------
    scores : array of shape (rows, classes)
        Shares of each row's sum, none below 0; or logits, which are taken as they are, if any
        number in the table is below 0.
    clip : float or "auto"
        The least share. "auto" is half the smallest one of the table that is above 0. All that
        are below become equal to it, so what was equal stays so.

    Returns
    -------
    array of shape (classes, rows)
    """
    return on_log_scale(scores, least_share(scores, clip))


def least_share(scores: Floats, clip: Clip) -> float | None:
    """Return the share that smaller ones are raised to, or None for logits."""
    if are_logits(scores):
        return None
    if clip != "auto":
        return float(clip)
    least = np.inf
    for block in blocks(*scores.shape):
        share = scores[block] / row_sums(scores[block])[:, None]
        least = min(least, float(share.min(initial=np.inf, where=share > 0)))
    return max(least / 2, float(np.finfo(float).tiny))


def on_log_scale(scores: Floats, least: float | None) -> Floats:
    """Return log scores, with shares below `least` raised to it; None says that they are logits."""
    logs = np.empty(scores.shape[::-1])
    for block in blocks(*scores.shape):
        part = scores[block].T
        if least is not None:
            part = np.log(np.maximum(part / row_sums(scores[block]), least))
        np.subtract(part, part.max(axis=0), out=logs[:, block])
    return logs


def row_sums(scores: Floats) -> Floats:
    """Return the sum of each row, or say which row has none that it could be divided by."""
    sums = np.asarray(scores.sum(axis=1))
    if not (sums > 0).all():
        row = int(np.argmin(sums > 0))
        raise InputError(
            argument("scores"),
            f" must have a number above 0 in each row, and {scores[row].tolist()} has none. "
            "Leave such items out, or pass logits.",
        )
    return sums


def shares(scores: Floats) -> Floats:
    """Return the share of each class, one row for each class; logits are exponents."""
    logits = are_logits(scores)
    found = np.empty(scores.shape[::-1])
    for block in blocks(*scores.shape):
        part = scores[block].T
        found[:, block] = softmax(part.copy())[0] if logits else part / row_sums(scores[block])
    return found


def softmax(values: Floats) -> tuple[Floats, Floats]:
    """Return probabilities in place of exponents, and the logarithms of their sums before."""
    top = values.max(axis=0)
    values -= top
    np.exp(values, out=values)
    total = values.sum(axis=0)
    values /= total
    return values, top + np.log(total)


def sums(at: NDArray[np.intp], weight: NDArray[Any], size: int) -> Floats:
    """Return the sum of the weights at each of so many places."""
    return np.asarray(np.bincount(at, weight, minlength=size), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Log scores of the rows of a table, and its cells: the labels that occur at each row."""

    logs: Floats  # of shape (classes, rows)
    row: NDArray[np.intp]
    label: NDArray[np.intp]

    @classmethod
    def of(cls, cells: Sample, clip: Clip) -> Labelled:
        """Take the logarithms of the scores of a table's cells."""
        return cls(log_scores(cells.scores, clip), cells.row, cells.label)

    def totals(self, count: Counts) -> Floats:
        """Return the items of each row."""
        return sums(self.row, count, self.logs.shape[1])

    def by_class(self, count: Counts) -> Floats:
        """Return the items with each label."""
        return sums(self.label, count, len(self.logs))

    def own_logs(self, count: Counts, reach: float) -> Floats:
        """Return the sum of the log scores that items have for their own labels, by class."""
        own = count * np.maximum(self.logs[self.label, self.row], -reach)
        return sums(self.label, own, len(self.logs))

    def where(self, some: NDArray[Any]) -> Labelled:
        """Return the same with some of the cells only, and the rows that these have."""
        row, label = self.row[some], self.label[some]
        return Labelled(self.logs[:, row], np.arange(row.size), label)
