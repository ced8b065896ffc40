"""Which items carry the floor."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from errorfloor._checks import InputError, as_flag, function
from errorfloor._keywords import explains_keywords
from errorfloor._typing import Counts, Floats
from errorfloor.data.columns import MissingColumnsError
from errorfloor.data.items import KeptVotes, VoteItems
from errorfloor.data.options import Reading, ReadOptions
from errorfloor.data.read import read
from errorfloor.data.tables import VoteTable
from errorfloor.methods.votes.thinning import Votes, thinned
from errorfloor.metrics import ERROR
from errorfloor.questions.sampling import unweighted
from errorfloor.results.estimate import Estimate
from errorfloor.results.items import ClassItems, Items

_LEVEL = 0.05  # of the test that refutes exchangeable classes
# Items' worth of likelihood that keep the fit smooth. At the maximum of likelihood it has a few
# atoms, and all items that belong to one are equally hard, those on which nobody differs as well.
_PENALTY = 2.0


@explains_keywords
def items(
    votes: object = None,
    totals: object = None,
    *,
    symmetric: bool | None = None,
    item: str | None = None,
    **columns: Any,
) -> Items | ClassItems:
    """Say how probable class 1 is for each item, and how much the item adds to the floor.

    Parameters
    ----------
    votes : array-like of shape (n,), VoteTable, dataframe or path
        As in `from_votes`.
    totals : int or array-like of shape (n,), or str
        As in `from_votes`.
    symmetric : bool, optional
        Whether the classes are exchangeable, such as two candidates in random order: then only
        the size of a majority counts, not its side. By default they are taken for exchangeable
        unless the votes refute it at a level of 5 %.
    item : str, optional
        Column with the items' names; guessed where only one can be.
    positives : str, optional
        Column of the number of votes for class 1.
    counts : str or sequence of str, or array-like of shape (n, classes), optional
        Columns of the number of votes for each class, or a pattern such as "n_*". Or the numbers
        themselves, as in `from_votes`.
    vote : str, optional
        Column of the vote in such rows.
    annotator : str, optional
        Column of the annotator in such rows.
    annotators : sequence of str, or array-like of shape (n, raters), optional
        Columns of votes, one for each annotator. Or the votes themselves, as in `from_votes`.
    positive : optional
        The label that means class 1; all others then mean class 0.
    classes : sequence of str, optional
        Names of all classes, in order, as in `from_scores`.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.

    Returns
    -------
    Items, or ClassItems where there are more than two classes
        One row for each item, in the order of the data; votes in rows of their own are put
        together and sorted by the item's name.

    Notes
    -----
    The distribution G behind the votes is fitted by maximum likelihood with a small penalty that
    keeps it smooth. Given k of m votes, the expectations of eta and of min(eta, 1 - eta) are those
    under G weighted by the binomial probability of k. Their mean is about the floor; the penalty
    moves it a little. A fit with few atoms can make items harder on which more people agree. Where
    it does, for items with equally many votes and the same leading class, although their
    probability is no nearer to 1/2, the votes hardly tell which is harder: both get the mean of the
    two, which leaves the floor as it is, and the smaller majority comes first. Single items are
    uncertain: at three votes the ranking tells the hardest tenth apart with an area under the curve
    of about 0.8. Of more than two classes only the sizes of an item's numbers of votes count, not
    which class has which.

    Examples
    --------
    >>> found = items([0, 3, 1, 3, 0, 2], totals=3)
    >>> found.rank.tolist()
    [3, 3, 1, 3, 3, 1]
    """
    if isinstance(votes, Estimate):
        raise _no_votes(votes)
    keeper = KeptVotes()
    symmetric = None if symmetric is None else as_flag(symmetric, name="symmetric")
    if votes is None:
        votes = columns.pop("positives", None)
    where = ReadOptions.of(**columns, item=item)
    reading = with_names(where, lambda how: read(votes, keeper.layouts, how, second=totals))
    return of_reading(reading, keeper, symmetric)


def _no_votes(estimate: Estimate) -> InputError:
    """Say what is needed in place of an estimate."""
    if isinstance(estimate.table, VoteTable):
        return InputError(
            "`votes` is an estimate, which has no names of items. Pass the votes themselves, as "
            "you did to ",
            *(function("from_votes"), "."),
        )
    return InputError(
        "`votes` must be votes of several people on each item, and this is an estimate from other "
        "data. With one label per item nothing tells a wrong label from a hard item; have some "
        "items labelled again, by other people."
    )


def with_names(where: ReadOptions, door: Callable[[ReadOptions], Reading]) -> Reading:
    """Read with the column of items as mere names where other columns hold whole items.

    Where no other is named, these are guessed if the items have no votes in rows.
    """
    columns = dict(where.columns)
    if "item" not in columns:
        return door(where)
    as_names = replace(where, group=columns.pop("item"), columns=columns)
    if columns.keys() & {"positives", "counts", "annotators", "annotations"}:
        return door(as_names)
    try:
        return door(where)
    except MissingColumnsError:
        if not columns:
            with suppress(InputError):
                return door(as_names)
        raise


def of_reading(reading: Reading, keeper: KeptVotes, symmetric: bool | None) -> Items | ClassItems:
    """Return the items of what was read by the keeper's layouts."""
    rows, table = keeper.items_of(reading), reading.table
    assert isinstance(table, VoteTable)
    table = unweighted(table, "items")
    if int(rows.totals.max()) < 2:
        raise InputError(
            "`totals` must reach 2 for some item: single votes do not tell hard items from easy "
            "ones."
        )
    if len(rows.classes) > 2:
        return _of_many(rows, reading, symmetric)
    p = None if symmetric is not None else p_of_symmetry(rows)
    even = symmetric if p is None else p > _LEVEL
    cells, at = _cells(rows)
    probability, contribution = _expected(cells, bool(even))
    part = _less_for_more(contribution, probability, cells, bool(even))[at]
    majority = np.maximum(rows.positives, rows.totals - rows.positives) / rows.totals
    return Items(
        item=rows.names,
        positives=rows.positives,
        totals=rows.totals,
        count=rows.counts,
        probability=probability[at],
        contribution=part,
        rank=_ranks(part, rows.counts, majority),
        floor=float(np.average(part, weights=rows.counts)),
        symmetric=bool(even),
        symmetry=p,
        dropped=table.dropped,
        source=reading.source,
    )


def _of_many(rows: VoteItems, reading: Reading, symmetric: bool | None) -> ClassItems:
    """Return the items where there are more than two classes."""
    from errorfloor.methods.votes.simplex import fit_partitions

    if symmetric is False:
        raise InputError(
            "`symmetric=False` is for two classes: of more, only the sizes of votes count. Leave "
            "it out."
        )
    cells, at = np.unique(-np.sort(-rows.votes, axis=1), axis=0, return_inverse=True)
    at = at.ravel()
    fit = fit_partitions(cells, np.bincount(at, rows.counts).astype(np.int64))
    part = fit.posterior_floor(cells)[at]
    return ClassItems(
        item=rows.names,
        classes=rows.classes,
        votes=rows.votes,
        totals=rows.totals,
        count=rows.counts,
        answer=np.array(rows.classes)[rows.votes.argmax(axis=1)],
        doubt=fit.posterior_doubt(cells)[at],
        contribution=part,
        rank=_ranks(part, rows.counts),
        floor=float(np.average(part, weights=rows.counts)),
        dropped=reading.table.dropped,
        source=reading.source,
    )


def p_of_symmetry(rows: VoteItems) -> float:
    """Return the p-value of "k votes of m are as frequent as m - k", by a likelihood ratio.

    Counts of a pair of cells are binomial with probability 1/2 if classes are exchangeable.
    """
    from scipy.special import chdtrc, xlogy

    low = 2 * rows.positives < rows.totals
    odd = 2 * rows.positives != rows.totals
    pairs = np.stack((rows.totals, np.minimum(rows.positives, rows.totals - rows.positives)))
    _, which = np.unique(pairs[:, odd], axis=1, return_inverse=True)
    if which.size == 0:
        return 1.0
    first = np.bincount(which.ravel(), rows.counts[odd] * low[odd])
    both = np.bincount(which.ravel(), rows.counts[odd])
    second = both - first
    ratio = xlogy(first, 2 * first / both) + xlogy(second, 2 * second / both)
    # Pairs of cells with hardly any item in them carry no evidence, only degrees of freedom.
    enough = both >= 5
    if not enough.any():
        return 1.0
    return float(chdtrc(np.count_nonzero(enough), 2 * ratio[enough].sum()))


def _cells(rows: VoteItems) -> tuple[Votes, Any]:
    """Return the distinct pairs of votes, and which of them each row has."""
    pairs, at = np.unique(np.stack((rows.totals, rows.positives)), axis=1, return_inverse=True)
    counts = np.bincount(at.ravel(), rows.counts).astype(np.int64)
    return Votes(pairs[1], pairs[0], counts), at.ravel()


def _expected(cells: Votes, even: bool) -> tuple[Floats, Floats]:
    """Return the expected probability of class 1, and the expected floor, given each cell."""
    from errorfloor.methods.votes.line import fit_mixture, log_binomial

    seen = thinned(*cells) or cells
    if even:
        seen = _mirrored(seen)
    fit = fit_mixture(*seen, penalty=_PENALTY)
    # From the smaller side, so that items with equal majorities are equal to the last bit.
    other = even & (2 * cells.positives > cells.totals)
    k = np.where(other, cells.totals - cells.positives, cells.positives)
    logs = log_binomial(k, cells.totals, fit.points)
    with np.errstate(divide="ignore"):
        logs += np.log(fit.weights)
    chance = np.exp(logs - logs.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    p = chance @ fit.points
    return np.where(other, 1 - p, p), chance @ ERROR.per_item(fit.points)


def _less_for_more(part: Floats, probability: Floats, cells: Votes, even: bool) -> Floats:
    """Return what cells contribute, without more for a larger majority of as many votes.

    Whatever G is, the probability of class 1 rises with the votes for it. So of two cells with the
    same leading class that with the larger majority is the less doubtful one, unless the class is
    so rare that the smaller majority would speak against it. What each contributes is much less
    certain than these probabilities, so that an order against them is an accident of the fit.
    """
    k, m = cells.positives, cells.totals
    order = np.lexsort((k, m))
    low, high = order[:-1], order[1:]
    same = m[low] == m[high]
    doubt = np.round(np.minimum(probability, 1 - probability), 9)
    up = same & (2 * k[low] >= m[low]) & (doubt[low] >= doubt[high])
    down = same & (2 * k[high] <= m[high]) & (doubt[high] >= doubt[low])
    harder = np.concatenate((low[up], high[down]))
    easier = np.concatenate((high[up], low[down]))
    weights = cells.counts.astype(np.float64)
    if even:  # what mirrors each other stays equal
        _, pair = np.unique(np.stack((m, np.minimum(k, m - k))), axis=1, return_inverse=True)
        weights = (np.bincount(pair.ravel(), weights) / np.bincount(pair.ravel()))[pair.ravel()]
    pooled, block = part.copy(), np.arange(part.size)
    while (wrong := np.flatnonzero(pooled[easier] > pooled[harder] + 1e-12)).size:
        # The highest joins what lies above it first: the pool of adjacent violators, on a tree.
        at = wrong[pooled[easier[wrong]].argmax()]
        block[block == block[easier[at]]] = block[harder[at]]
        joined = block == block[harder[at]]
        pooled[joined] = np.average(part[joined], weights=weights[joined])
    return np.asarray(np.round(pooled, 12))  # so that what mirrors each other is equal


def _mirrored(cells: Votes) -> Votes:
    """Return the cells with half of the items of each on either side."""
    k, m = cells.positives, cells.totals
    pairs, at = np.unique(
        np.stack((np.append(m, m), np.append(k, m - k))), axis=1, return_inverse=True
    )
    counts = np.bincount(at.ravel(), np.append(cells.counts, cells.counts) / 2)
    return Votes(pairs[1], pairs[0], counts)


def _ranks(part: Floats, counts: Counts, majority: Floats | None = None) -> Counts:
    """Return 1 plus the number of items that contribute more; rounding makes no difference.

    Of items that contribute as much, those with a smaller majority are counted as well.
    """
    keys = np.round(np.stack((part, np.zeros(part.size) if majority is None else -majority)), 9)
    values, at = np.unique(-keys, axis=1, return_inverse=True)
    sizes = np.bincount(at.ravel(), counts, values.shape[1]).astype(np.int64)
    return np.asarray((np.cumsum(sizes) - sizes + 1)[at.ravel()])
