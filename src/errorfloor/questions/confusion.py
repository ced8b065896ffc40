"""Which classes no model can tell apart: the errors of the best rule by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor._keywords import explains_keywords
from errorfloor._typing import Counts, Floats, RandomLike
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods import find
from errorfloor.methods.record import Classes, Options
from errorfloor.methods.votes.mixture import MOST_KEPT
from errorfloor.metrics.record import of_classes
from errorfloor.questions.calibrate import fit
from errorfloor.questions.question import Ask, floor_of, refuse_with_estimate
from errorfloor.questions.sampling import unweighted
from errorfloor.results import Confusion, Estimate, Groups
from errorfloor.results.estimate import method_of

_FEW_VOTES = 5  # per item, up to which the closest pairs were clearly too small in simulations
TIE = 1e-9  # probabilities that differ by less are the same


@explains_keywords
def confusion(
    estimate: object, *, group: str | None = None, rng: RandomLike = 0, **columns: Any
) -> Any:
    """Show which classes even the best possible model confuses.

    Parameters
    ----------
    estimate : Estimate, table, dataframe or path
        A floor with its table; or data, whose floor is estimated by the default method.
    group : str, optional
        Column of a dataframe or file: one answer for each of its values.
    rng : None, int or numpy.random.Generator
        Seed of a floor that is estimated here, 0 by default; None draws a new one.
    **columns
        Columns of a dataframe or file, `classes`, `positive` and `drop_missing`, as in
        `from_scores`, `from_votes` and `from_soft_labels`.

    Returns
    -------
    Confusion
        With `group`, one for each of its values.

    Notes
    -----
    The best rule answers the likeliest class of each item; equal chances are shared. Of soft
    labels its errors are known. Of scores they are counted on the items that the rule was fitted
    to. Of votes they are estimates: the votes that are not for an item's most voted class, and
    what such counts are expected to miss, which is most between close classes; both are scaled so
    that they add up to the floor. In simulations (`benchmarks/results/confusion.md`) with 3 votes
    per item a pair with half of all errors still came out 4 percentage points too low on average,
    and one that is hardly told apart 9; with 5 votes less than 1, and 3. There is no interval.

    Examples
    --------
    >>> from errorfloor import SoftTable
    >>> found = confusion(SoftTable([[0.0, 0.1, 0.9], [0.5, 0.4, 0.1]], [30, 10]))
    >>> print(found.sentence)
    50 % of the errors that any model makes confuse 1 with 0.
    """
    if not isinstance(estimate, Estimate | Groups):
        if not is_data(estimate):
            raise InputError(
                "`estimate` must be a floor with its table, or data: a table, a dataframe or a "
                f"file; got {type(estimate).__name__}."
            )
        where = ReadOptions.of(group=group, **columns)
        estimate = floor_of(estimate, where, Ask(interval=None, rng=rng))
    else:
        seeded = rng is not None and not (isinstance(rng, int | np.integer) and rng == 0)
        named = {"rng": seeded, "group": group is not None, **dict.fromkeys(columns, True)}
        refuse_with_estimate(name for name, is_given in named.items() if is_given)
    if isinstance(estimate, Groups):
        return estimate.each(lambda _, floor: confusion_of(floor))
    return confusion_of(estimate)


def confusion_of(floor: Any) -> Confusion:
    """Return the errors of the best rule behind a floor, by class."""
    if not floor.measure.is_error:
        raise InputError(
            f"The confusion of classes is about errors, and this is the {floor.measure.words} "
            f"{floor.measure.limit}. Estimate the floor without `metric`."
        )
    table = None if floor.table is None else unweighted(floor.table, "confusion")
    if isinstance(table, SoftTable):
        made = _of_soft_labels(table)
    elif isinstance(table, VoteTable):
        made = _of_votes(table, floor)
    elif isinstance(table, ScoreTable):
        made = _of_scores(table, floor)
    else:
        raise InputError("`estimate` has lost its table. Pass what an estimate returned, or data.")
    errors, method, basis = made
    np.fill_diagonal(errors, 0.0)
    return Confusion(
        classes=table.classes,
        errors=errors,
        method=method,
        n=table.n,
        basis=basis,
        source=floor.source,
        best_of=floor.claim.best_of,
        estimated=not isinstance(table, SoftTable),
    )


def chosen(probabilities: Floats) -> Floats:
    """Return how often the best rule answers each class, equal chances shared."""
    best = probabilities >= probabilities.max(axis=1, keepdims=True) - TIE
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def _of_soft_labels(table: SoftTable) -> tuple[Floats, str, str]:
    p = of_classes(table.probabilities)
    errors = (p * table.items[:, None]).T @ chosen(p) / table.n
    return errors, "clean", "The soft labels say how often the likeliest class is wrong."


def _of_votes(table: VoteTable, floor: Estimate) -> tuple[Floats, str, str]:
    cells = table.cells().distinct
    errors = _against(cells.votes / cells.totals[:, None], cells.count)
    # Of two classes there is one pair, and which way it errs would only become noisier.
    several = cells.votes.shape[1] > 2
    few = (cells.totals <= MOST_KEPT) & several
    if few.any():
        errors = np.maximum(errors + _lost(cells.votes[few], cells.count[few]), 0.0)
    np.fill_diagonal(errors, 0.0)
    found = float(errors.sum())
    if found > 0:
        errors *= floor.value / found
    basis = "From votes against each item's most voted class"
    if few.any():
        basis = f"{basis}, corrected for errors that majorities hide"
    basis = f"{basis}; scaled to add up to the floor, and without an interval."
    if several and cells.count @ cells.totals <= _FEW_VOTES * cells.count.sum():
        basis = f"{basis} So few votes tend to make the most confused pairs too small."
    return errors, floor.method, basis


def _against(probabilities: Floats, count: Floats | Counts) -> Floats:
    """Return how many items of each class (row) the best rule takes for each (column)."""
    return np.asarray((probabilities * count[:, None]).T @ chosen(probabilities))


_DRAWN = 50_000  # items, always the same


def _lost(votes: Counts, count: Counts) -> Floats:
    """Return the errors by class that the votes against majorities are expected to miss.

    Of few votes on an item between two classes the majority is too often the wrong one, which hides
    errors, most of them between close classes. So many are hidden under a distribution that
    explains the votes.
    """
    points, weights = _behind(votes, count)
    rng = np.random.default_rng(0)
    true = points[rng.choice(len(points), size=_DRAWN, p=weights / weights.sum())]
    totals = rng.choice(votes.sum(axis=1), size=_DRAWN, p=count / count.sum())
    seen = rng.multinomial(totals, true) / totals[:, None]
    each = np.full(_DRAWN, count.sum() / _DRAWN)
    return _against(true, each) - _against(seen, each)


_LIKE, _ADDED_VOTES = 3000, 0.5  # points near the votes of items, and how near
# Probabilities of one class of a pair, and how much of such an item is spread over all classes.
_OF_PAIRS, _SPREADS = np.array([0.02, 0.06, 0.12, 0.2, 0.28, 0.36, 0.44, 0.5]), (0.0, 0.04, 0.12)
_STEPS = 10  # of expectation and maximisation; more would follow chance
_MOST_CHANCES = 10_000_000  # rows times points: pairs seldom voted for together are left out


def _behind(votes: Counts, count: Counts) -> tuple[Floats, Floats]:
    """Return probabilities of the classes, each in its place, that explain the votes, and weights.

    Points are near the votes of items that are drawn, or certain, or between two classes that were
    voted for together; the last two also with a part spread over all classes as the votes are.
    """
    classes, items = votes.shape[1], count / count.sum()
    share = items @ (votes / votes.sum(axis=1, keepdims=True))
    share = np.maximum(share, 1e-3) / np.maximum(share, 1e-3).sum()
    rng = np.random.default_rng(0)
    like = rng.standard_gamma(votes[rng.choice(len(votes), _LIKE, p=items)] + _ADDED_VOTES * share)
    like /= like.sum(axis=1, keepdims=True)

    parts = np.union1d(_OF_PAIRS, 1 - _OF_PAIRS)
    one, other = np.triu_indices(classes, 1)
    seen = (votes > 0).astype(np.float64)
    together = ((seen * items[:, None]).T @ seen)[one, other]
    most = (_MOST_CHANCES // len(votes) - _LIKE) // (len(_SPREADS) * parts.size)
    kept = np.argsort(-together, kind="stable")[: max(most, classes)]
    kept = kept[together[kept] > 0]
    pairs = np.zeros((kept.size, parts.size, classes))
    place = np.arange(kept.size)
    pairs[place, :, one[kept]], pairs[place, :, other[kept]] = parts, 1 - parts
    few = np.concatenate((np.eye(classes), pairs.reshape(-1, classes)))

    kinds = [like, *((1 - spread) * few + spread * share for spread in _SPREADS)]
    points = np.concatenate(kinds)
    weights = np.concatenate([np.full(len(own), 1 / len(own)) for own in kinds])
    chances = votes @ np.log(np.maximum(points, 1e-12)).T
    chances -= chances.max(axis=1, keepdims=True)
    np.exp(chances, out=chances)
    for _ in range(_STEPS):
        weights *= (items / (chances @ weights)) @ chances
    return points, weights


def _of_scores(table: ScoreTable, floor: Estimate) -> tuple[Floats, str, str]:
    method = method_of(floor)
    if method is None or method.fit is None:
        name = "isotonic" if method is None else method.shown_as
        method = find(name, ScoreTable.kind, Classes.of(table))
    options = Options(floor.options.get("clip", "auto"))
    rule = chosen(of_classes(fit(table, method, options).probabilities))
    counts: Counts = table.counts
    errors = counts.T @ rule / table.n
    return (
        errors,
        method.name,
        "The rule was chosen on the same items, so a few errors too few are counted.",
    )
