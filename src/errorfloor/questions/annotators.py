"""Which annotators carry the floor, and what it is without those who may be guessing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errorfloor import methods
from errorfloor._checks import InputError, check_level
from errorfloor._keywords import explains_keywords
from errorfloor._typing import Floats
from errorfloor.data.ballots import Ballots, Raters
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import Reading
from errorfloor.data.read import is_data, read
from errorfloor.data.tables import Table, VoteTable
from errorfloor.methods.record import Classes, Options
from errorfloor.questions.question import Ask, answer, where_in
from errorfloor.questions.sampling import unweighted
from errorfloor.results.annotators import Annotator, AnnotatorsResult

WITH_ANNOTATORS = tuple(layout for layout in LAYOUTS if layout.ballots is not None)
FEWEST = 20  # annotators, below which nobody is left out


@explains_keywords
def annotators(
    votes: object = None,
    *,
    item: str | None = None,
    vote: str | None = None,
    annotator: str | None = None,
    annotators: object = None,
    positive: object = None,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
    duplicates: str = "error",
    level: float = 0.95,
) -> AnnotatorsResult:
    """Say how each annotator votes, and what the floor is without those who may be guessing.

    Parameters
    ----------
    votes : dataframe or path
        Rows of single votes with their annotators, or a column of votes per annotator.
    item : str, optional
        Column of the item, where a row is a single vote.
    vote : str, optional
        Column of the vote in such rows.
    annotator : str, optional
        Column of the annotator in such rows.
    annotators : sequence of str, or array-like of shape (n, raters), optional
        Columns of votes, one for each annotator; or the votes themselves, as in `from_votes`.
    positive : optional
        The label that means class 1; all others then mean class 0.
    classes : sequence of str, optional
        Names of all classes, in order, as in `from_scores`.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    duplicates : {"error", "first", "last", "all"}
        What to do with several votes of one annotator on an item, as in `from_votes`.
    level : float
        Confidence level of the limits.

    Returns
    -------
    AnnotatorsResult
        One row for each. Below 20 annotators nobody is left out: who looks like a guesser among
        so few is a matter of chance, and the others would be few.

    Examples
    --------
    >>> import pandas as pd
    >>> people = ("ann", "bob", "cem", "dee", "eli", "eve")
    >>> rows = [(i, a, int(i < 4 or a == "eve")) for i in range(8) for a in people]
    >>> found = annotators(pd.DataFrame(rows, columns=["item", "annotator", "vote"]))
    >>> found["eve"].informedness, found["ann"].agreement
    (0.0, 0.9)
    """
    arguments = {**locals()}
    level = check_level(level)
    where = where_in(arguments)
    if not where.arrays and (isinstance(votes, Table) or not is_data(votes)):
        raise InputError(
            "`votes` must be a dataframe or a file with single votes and their annotators. Counts "
            "do not say whose votes they are."
        )
    from errorfloor.data.read_rows import ballots_of

    reading = read(votes, WITH_ANNOTATORS, where)
    unweighted(reading.table, "annotators")
    single = Raters.of(annotators, where).ballots if where.arrays else ballots_of(votes, where)
    return annotators_of(reading, single, level)


def annotators_of(reading: Reading, ballots: Ballots, level: float) -> AnnotatorsResult:
    """Return the annotators of votes that were read, counted and one by one."""
    floor = answer(reading, Ask(level=level))
    rows = sorted(rows_of(ballots, level), key=lambda row: (-row.share, row.annotator))
    everyone, without, left_out = None, None, None
    notes: tuple[str, ...] = ()
    if len(rows) < FEWEST:
        notes = (
            f"A floor that leaves out annotators who may be guessing needs {FEWEST} "
            "annotators or more in all.",
        )
    else:
        everyone, without, left_out = _measured(ballots, level)
        if without is None:
            notes = ("Without those who may be guessing, too few votes are left for a floor.",)
    return AnnotatorsResult(
        rows=tuple(rows),
        floor=floor,
        everyone=everyone,
        without=without,
        left_out=left_out,
        level=level,
        n=reading.table.n,
        notes=notes,
    )


def rows_of(ballots: Ballots, level: float) -> list[Annotator]:
    """Return how each annotator votes, by the order of the names."""
    by, size = ballots.annotator, len(ballots.names)
    others = ballots.totals[ballots.item] - 1
    same = ballots.counts[ballots.item, ballots.vote] - 1
    differ = (others - same) / np.maximum(others, 1)
    weight = differ / ballots.totals[ballots.item]
    paired = others > 0
    pairs = np.bincount(by[paired], minlength=size)
    differs = np.bincount(by[paired], differ[paired], size)
    shares = np.bincount(by, weight, size) / (weight.sum() or 1.0)
    numbers = np.bincount(by, minlength=size)
    value, low, high = _informedness(ballots, level)
    return [
        Annotator(
            annotator=name,
            votes=int(numbers[i]),
            agreement=float(1 - differs[i] / pairs[i]) if pairs[i] else None,
            informedness=_number(value[i]),
            low=_number(low[i]),
            high=_number(high[i]),
            share=float(shares[i]),
        )
        for i, name in enumerate(ballots.names)
        if numbers[i]
    ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _informedness(ballots: Ballots, level: float) -> tuple[Floats, Floats, Floats]:
    """Return sensitivity + specificity - 1 by annotator, and limits (Newcombe's, 1998).

    Of more classes, the shares of votes for a class where it leads among the others are added up
    over the classes that lead anywhere, and scaled so that guesses give at most 0 and the same
    votes 1. Where classes share the lead, nothing is told.
    """
    from scipy.special import ndtri

    size, z2 = len(ballots.names), float(ndtri((1 + level) / 2)) ** 2
    rest = ballots.counts[ballots.item]
    rest[np.arange(len(rest)), ballots.vote] -= 1
    leads = rest == rest.max(axis=1, keepdims=True)
    leader = np.where((leads.sum(axis=1) == 1) & (rest.max(axis=1) > 0), leads.argmax(axis=1), -1)
    value, below, above, seen = np.zeros((4, size))
    for k in range(len(ballots.classes)):
        among = leader == k
        total = np.bincount(ballots.annotator[among], minlength=size)
        same = np.bincount(ballots.annotator[among], ballots.vote[among] == k, size)
        with np.errstate(invalid="ignore", divide="ignore"):
            p = np.where(total > 0, same / total, 0.0)
            middle = (same + z2 / 2) / (total + z2)
            half = np.sqrt(z2 * (same * (1 - p) + z2 / 4)) / (total + z2)
        there = total > 0
        value += p
        seen += there
        below += np.where(there, (p - middle + half) ** 2, 0.0)
        above += np.where(there, (middle + half - p) ** 2, 0.0)
    known = np.where(seen > 1, seen - 1, np.nan)
    return (
        (value - 1) / known,
        (value - 1 - np.sqrt(below)) / known,
        (value - 1 + np.sqrt(above)) / known,
    )


def _measured(ballots: Ballots, level: float) -> tuple[float | None, float | None, float | None]:
    """Return floors with and without possible guessers, chosen and measured on other halves."""
    half = ballots.half[ballots.item]
    found = []
    for chosen in (half, ~half):
        rows = rows_of(ballots.where(chosen), level)
        informed = {row.annotator for row in rows if not row.may_guess}
        kept = np.array([name in informed for name in ballots.names])[ballots.annotator]
        stay = ballots.where(~chosen & kept)
        share = 1 - stay.vote.size / max(int((~chosen).sum()), 1)
        found.append((_floor(ballots.where(~chosen)), _floor(stay), share))
    everyone, without, left_out = zip(*found, strict=True)
    if None in everyone or None in without:
        return None, None, None
    return float(np.mean(everyone)), float(np.mean(without)), float(np.mean(left_out))


def _floor(ballots: Ballots) -> float | None:
    """Return the floor of votes, or None where no item has two."""
    if ballots.totals.max() < 2:
        return None
    cells = ballots.table().cells()
    classes = Classes.of(ballots.table())
    statistic = methods.default(VoteTable.kind, classes).bind(cells, Options())
    return float(statistic.values(cells.count[None], np.random.default_rng(0))[0])
