"""FeeBee: how well estimators follow label noise that is added on purpose."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from errorfloor._checks import check_whole
from errorfloor._typing import Counts, Floats, RandomLike
from errorfloor.calibration import (
    Clip,
    as_score_table,
    check_method,
    methods_that_fit,
    needs_unit_interval,
    resolve_clip,
)
from errorfloor.estimate import data_doubts
from errorfloor.floors import BestCut, MeanFloor, TableStatistic, bind
from errorfloor.resample import (
    BLOCK,
    Statistic,
    expected_after_redraw,
    keep_freed_memory,
    redraw_labels,
)
from errorfloor.results import ORACLE, FeeBeeResult
from errorfloor.tables import Cells, ScoreTable

Estimator: TypeAlias = Callable[[ScoreTable], float]
Method: TypeAlias = str | Estimator
Methods: TypeAlias = Iterable[Method] | Mapping[str, Method]

# Levels of noise are taken in so many groups at most. A group shares the start of its logistic
# fits, which takes about as long as twenty of them.
GROUPS = 12
# Items in a group's expected table, at least, so that whole numbers are close to its fractions.
FINE = 10**6


def feebee(
    scores: object,
    labels: object = None,
    *,
    score: str | None = None,
    label: str | None = None,
    methods: Methods | None = None,
    model_error: float,
    levels: int = 101,
    repeats: int = 10,
    clip: Clip = "auto",
    rng: RandomLike = None,
) -> FeeBeeResult:
    """Score estimators of the floor by how they follow label noise added on purpose.

    This is FeeBee [1]_. At noise r each label is, with probability r, redrawn by a fair coin. That
    takes the unknown floor F to ``r / 2 + (1 - r) F``. As F lies between 0 and the error E of any
    known model, an estimate at noise r should lie between ``r / 2`` and ``r / 2 + (1 - r) E``. The
    score is the mean distance by which it does not, over equidistant r from 0 to 1: lower is
    better.

    Parameters
    ----------
    scores : array-like of shape (n,), ScoreTable, dataframe or path
        Any finite numbers for isotonic, isotonic-cf, hist-K and platt; in [0, 1] for the others.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` has them.
    score, label : str, optional
        Columns of a dataframe or file; see `errorfloor.frames.score_table`.
    methods : sequence or dict, optional
        Names of methods, functions from a ScoreTable to a number, or both; a dict gives the
        functions names of its own. All methods that fit the scores by default.
    model_error : float
        Error of the best model known, on these labels; 0 to 0.5. The share of the rarer class
        is always at hand.
    levels : int
        Number of noise levels, 0 and 1 among them.
    repeats : int
        How often labels are redrawn at each level. The paper reports a single run, whose noise
        hides the differences between good methods.
    clip : float or "auto"
        How far the beta family and platt-logit keep scores from 0 and 1; see `calibrate`.
    rng : None, int or numpy.random.Generator
        Makes the noise repeatable. It depends on the table only, not on `methods`.

    Returns
    -------
    FeeBeeResult
        Scores with standard errors, curves, paired differences, and the oracle's score.

    Notes
    -----
    Even a perfect estimator has a score above 0, because redrawn labels are a sample. The result
    compares with an oracle that suffers from that and from nothing else. It knows the best cut of
    the table, which errs on k of n labels, and reports the share K / n of noisy labels on which
    this cut errs. Redrawing changes a label with probability r / 2 and independently of all
    others, so K is the sum of a Binomial(n - k, r / 2) and a Binomial(k, 1 - r / 2) variable, and

        mean(K / n) = r / 2 + (1 - r) k / n,    variance(K / n) = (r / 2) (1 - r / 2) / n.

    The mean is the noisy floor if k / n is the floor: the oracle is unbiased. As the share of
    successes in independent trials it has the least variance of all unbiased estimators that
    assume nothing about where errors are. k / n stands in for the unknown floor, which is at most
    `model_error`; what exceeds that, ``(1 - r) max(k / n - model_error, 0)``, is subtracted, so
    that the oracle's mean is never out of bounds and its score is sampling noise alone.

    It is a yardstick and not a limit. An estimator that assumes a smooth map can vary less, and
    one that never exceeds 1/2 errs to one side only where the noise is almost complete.

    References
    ----------
    .. [1] C. Renggli, L. Rimanic, N. Hollenstein and C. Zhang, "Evaluating Bayes error estimators
       on real-world datasets with FeeBee", NeurIPS 2021, arXiv:2108.13034.

    Examples
    --------
    >>> table = ScoreTable([0.1, 0.3, 0.6, 0.9], [90, 70, 30, 10], [10, 30, 70, 90])
    >>> found = feebee(table, methods=["isotonic", "platt"], model_error=0.25, rng=0)
    >>> found["isotonic"].score < 0.01
    True
    >>> always = feebee(table, methods={"a fifth": lambda table: 0.2}, model_error=0.25, rng=0)
    >>> round(always["a fifth"].score, 3)
    0.091
    """
    named = None if methods is None else _named(methods)
    known = [method for method in (named or {}).values() if isinstance(method, str)]
    unit = any(map(needs_unit_interval, known))
    table = as_score_table(scores, labels, unit=unit, score=score, label=label)
    error = _check_model_error(model_error)
    n_levels = check_whole(levels, name="levels", least=2, remedy="101 is usual.")
    repeats = check_whole(repeats, name="repeats", least=1, remedy="10 is usual.")
    distance = resolve_clip(clip, table)
    seeds = np.random.default_rng(rng).integers(2**63, size=2)
    notes: tuple[str, ...] = ()
    if named is None:
        fitting, notes = methods_that_fit(table)
        named = {name: name for name in fitting}
    if table.coarse.any():
        notes += ("Many rows stand for ranges of scores, and all methods took them so.",)

    cells = table.cells(complete=True)
    noise = np.arange(n_levels) / (n_levels - 1)
    oracle = MeanFloor(BestCut(cells).wrong_cells().astype(np.float64), cells.count)

    def statistics(near: Cells) -> dict[str, Statistic]:
        bound = {name: _bind(name, method, near, distance) for name, method in named.items()}
        return {**bound, ORACLE: oracle}

    estimates = _under_noise((*named, ORACLE), statistics, cells, noise, repeats, seeds)
    share = float(cells.count @ oracle.floor) / table.n
    estimates[ORACLE] = estimates[ORACLE] - (1 - noise) * max(share - error, 0)
    return FeeBeeResult(
        model_error=error,
        n=table.n,
        noise=noise,
        estimates=estimates,
        notes=notes,
        warnings=data_doubts(table),
    )


def _under_noise(
    names: Iterable[str],
    statistics: Callable[[Cells], Mapping[str, Statistic]],
    cells: Cells,
    noise: Floats,
    repeats: int,
    seeds: Counts,
) -> dict[str, Floats]:
    """Return the values of statistics on the same noisy tables, each of shape (repeats, levels)."""
    source = np.random.default_rng(seeds[0])
    # One generator a statistic, all alike, so that no answer depends on what runs along with it.
    streams = {name: np.random.default_rng(seeds[1]) for name in names}
    values = {name: np.empty(noise.size * repeats) for name in streams}
    keep_freed_memory()
    for near, group in _groups(cells, noise):
        bound = statistics(near)
        for block in _blocks(group.start * repeats, group.stop * repeats, len(cells)):
            noises = noise[np.arange(block.start, block.stop) // repeats]
            counts = redraw_labels(cells.count, noises, source)
            for name, statistic in bound.items():
                values[name][block] = statistic.values(counts, streams[name])
    return {name: flat.reshape(noise.size, repeats).T for name, flat in values.items()}


def _named(methods: Methods) -> dict[str, Method]:
    """Return methods by name, or say which entry is none."""
    if isinstance(methods, str) or callable(methods) or not isinstance(methods, Iterable):
        raise ValueError(
            '`methods` must be a list such as ["isotonic", "beta"] or a dict of functions, '
            f"got {methods!r}."
        )
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    else:
        pairs = [(_name(method, i), method) for i, method in enumerate(methods)]
    if not pairs:
        raise ValueError("`methods` is empty. Name at least one, or leave it out for all.")
    named: dict[str, Method] = {}
    for name, method in pairs:
        if name in named:
            raise ValueError(
                f"`methods` has {name!r} twice. Drop one, or pass a dict with other names."
            )
        if name == ORACLE:
            raise ValueError(f"`methods` cannot have the name {name!r}, which the result uses.")
        named[name] = method if callable(method) else check_method(method)
    return named


def _name(method: Method, entry: int) -> str:
    if not callable(method):
        return check_method(method)
    name = getattr(method, "__name__", None)
    if not isinstance(name, str):
        raise ValueError(
            f"`methods` must have names: entry {entry} is {method!r} without a `__name__`. "
            'Pass a dict, such as {"mine": function}.'
        )
    return name


def _check_model_error(model_error: float) -> float:
    number = float(model_error) if isinstance(model_error, numbers.Real) else float("nan")
    if not 0 <= number <= 0.5:
        raise ValueError(
            f"`model_error` must lie in [0, 0.5], got {model_error!r}. Divide percentages by "
            "100; without a model, the share of the rarer class is the error of a constant one."
        )
    return number


def _groups(cells: Cells, noise: Floats) -> Iterator[tuple[Cells, range]]:
    """Yield ranges of levels, and cells with about the counts that are expected there.

    Whatever a statistic learns when it is bound, such as where its fits start, it learns nearby.
    """
    yield cells, range(1)
    for part in np.array_split(np.arange(1, noise.size), min(GROUPS, noise.size - 1)):
        group = range(int(part[0]), int(part[-1]) + 1)
        expected = expected_after_redraw(cells.count, float(noise[part].mean()))
        scale = max(1, FINE // int(cells.count.sum()))
        count: Counts = np.rint(scale * expected).astype(np.int64)
        yield replace(cells, count=count), group


def _blocks(start: int, stop: int, width: int) -> Iterator[slice]:
    """Yield slices from `start` to `stop` that keep arrays of this width to a megabyte."""
    size = max(1, BLOCK // width)
    return (slice(i, min(i + size, stop)) for i in range(start, stop, size))


def _bind(name: str, method: Method, cells: Cells, clip: float) -> Statistic:
    if isinstance(method, str):
        return bind(method, cells, clip=clip)

    def checked(table: ScoreTable) -> float:
        value = method(table)
        if not _is_finite_number(value):
            raise ValueError(
                f"`methods` {name!r} must return a finite number, got {value!r} for {table}. "
                "Have it return its best guess on noisy tables too."
            )
        return float(value)

    return TableStatistic(cells, checked)


def _is_finite_number(value: Any) -> bool:
    # Numbers of any library will do; text, and arrays of one number, are mistakes.
    try:
        single = not isinstance(value, str | bytes) and np.ndim(value) == 0
        return single and bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return False
