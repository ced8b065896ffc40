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
from errorfloor.metrics.record import of_classes
from errorfloor.questions.calibrate import fit
from errorfloor.questions.question import Ask, floor_of, refuse_with_estimate
from errorfloor.questions.sampling import unweighted
from errorfloor.results import Confusion, Estimate, Groups
from errorfloor.results.estimate import method_of

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
    to. Of votes they are the votes that are not for an item's most voted class, enlarged alike so
    that they add up to the floor.

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
    share = table.votes / table.totals[:, None]
    errors = (share * table.counts[:, None]).T @ chosen(share) / table.n
    np.fill_diagonal(errors, 0.0)
    found = float(errors.sum())
    if found > 0:
        errors *= floor.value / found
    basis = (
        "From votes against each item's most voted class, scaled so that they add up to the floor."
    )
    return errors, floor.method, basis


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
