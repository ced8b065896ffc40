"""FeeBee: how well estimators follow label noise that is added on purpose."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, Unpack, overload

import numpy as np

from errorfloor import methods as known
from errorfloor._checks import InputError, argument, check_whole, shown
from errorfloor._typing import Bools, Counts, RandomLike
from errorfloor.data.cells import ClassCells
from errorfloor.data.read import Reading, Where
from errorfloor.data.table import Table
from errorfloor.data.tables import ScoreTable
from errorfloor.inference.seeds import Seed
from errorfloor.methods.cuts import wrong_cells
from errorfloor.methods.record import Clip, Method, Options, Statistic
from errorfloor.methods.rules.fewest import wrong_of_offsets
from errorfloor.methods.soft import MeanFloor
from errorfloor.questions.answer import check_answerable, data_doubts
from errorfloor.questions.columns import ScoreColumns
from errorfloor.questions.groups import by_group, tables_with_items
from errorfloor.questions.label_noise import TableStatistic, under_noise
from errorfloor.questions.question import method_for
from errorfloor.questions.reading import check_scale, read_scores
from errorfloor.questions.weights import unweighted
from errorfloor.results import ORACLE, FeeBeeResult, Groups

Estimator: TypeAlias = Callable[[ScoreTable], float]
Methods: TypeAlias = "Iterable[str | Estimator] | Mapping[str, str | Estimator]"


class _Options(ScoreColumns, total=False):
    methods: Methods | None
    levels: int
    repeats: int
    clip: Clip
    rng: RandomLike


@overload
def feebee(
    scores: object,
    labels: object = None,
    *,
    model_error: float,
    group: None = None,
    **options: Unpack[_Options],
) -> FeeBeeResult: ...
@overload
def feebee(
    scores: object,
    labels: object = None,
    *,
    model_error: float,
    group: str,
    **options: Unpack[_Options],
) -> Groups[FeeBeeResult]: ...
def feebee(
    scores: object,
    labels: object = None,
    *,
    score: str | Sequence[str] | None = None,
    label: str | None = None,
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
    group: str | None = None,
    drop_missing: bool = False,
    methods: Methods | None = None,
    model_error: float,
    levels: int = 101,
    repeats: int = 10,
    clip: Clip = "auto",
    rng: RandomLike = None,
) -> Any:
    """Score estimators of the floor by how they follow label noise added on purpose.

    This is FeeBee [1]_. At noise r each label is, with probability r, redrawn by a fair coin. That
    takes the unknown floor F to ``r / 2 + (1 - r) F``. As F lies between 0 and the error E of any
    known model, an estimate at noise r should lie between ``r / 2`` and ``r / 2 + (1 - r) E``. The
    score is the mean distance by which it does not, over equidistant r from 0 to 1: lower is
    better. Of K classes each is drawn alike, and ``r (K - 1) / K`` takes the place of ``r / 2``.

    Parameters
    ----------
    scores : array-like of shape (n,), ScoreTable, dataframe or path
        Any finite numbers for isotonic, isotonic-cf, hist-K and platt; in [0, 1] for the others.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` has them.
    score, label, positive, positive_from, classes, group, drop_missing
        As in `from_scores`.
    methods : sequence or dict, optional
        Names of methods, functions from a ScoreTable to a number, or both; a dict gives the
        functions names of its own. All methods that fit the scores by default.
    model_error : float
        Error of the best model known, on these labels; 0 to 0.5, or to 1 - 1 / K. One minus the
        share of the most frequent class is always at hand.
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
        Scores with standard errors, curves, paired differences, and the oracle's score. With
        `group`, one for each of its values.

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
    >>> from errorfloor import ScoreTable
    >>> table = ScoreTable.from_counts([0.1, 0.3, 0.6, 0.9], [90, 70, 30, 10], [10, 30, 70, 90])
    >>> found = feebee(table, methods=["isotonic", "platt"], model_error=0.25, rng=0)
    >>> found["isotonic"].score < 0.01
    True
    >>> always = feebee(table, methods={"a fifth": lambda table: 0.2}, model_error=0.25, rng=0)
    >>> round(always["a fifth"].score, 3)
    0.091
    """
    named = None if methods is None else _named(methods)
    task = _Task(
        None,
        Options(clip),
        model_error,
        check_whole(levels, name="levels", least=2, remedy="101 is usual."),
        check_whole(repeats, name="repeats", least=1, remedy="10 is usual."),
    )
    where = Where.of(
        score=score,
        label=label,
        positive=positive,
        positive_from=positive_from,
        classes=classes,
        group=group,
        drop_missing=drop_missing,
    )
    reading = read_scores(scores, labels, where)
    number = len(next(iter(reading.tables.values())).classes)
    task = replace(task, model_error=_check_model_error(model_error, number))
    if named is not None:
        task = replace(task, named=_found(named, reading))
    check_scale(scores, reading, task.records)
    generator = rng if isinstance(rng, np.random.Generator) else Seed.of(rng).begin()
    if reading.source.group is None:
        return task.run(reading.table, generator)
    groups = list(tables_with_items(reading))
    own = dict(zip(groups, generator.spawn(len(groups)), strict=True))
    return by_group(reading, lambda table, name: task.run(table, own[name]))


@dataclass(frozen=True, slots=True)
class _Task:
    """What to evaluate, checked."""

    named: Mapping[str, Method | Estimator] | None
    options: Options
    model_error: float
    levels: int
    repeats: int

    @property
    def records(self) -> tuple[Method, ...]:
        """The methods of ours that were asked for."""
        every = () if self.named is None else self.named.values()
        return tuple(method for method in every if isinstance(method, Method))

    def run(self, table: Table, rng: np.random.Generator) -> FeeBeeResult:
        """Return the scores on one table."""
        assert isinstance(table, ScoreTable)
        table = unweighted(table, "feebee")
        check_answerable(table, self.records)
        seeds = rng.integers(2**63, size=2)
        named, notes = self.named, tuple[str, ...]()
        if named is None:
            fitting, notes = known.that_fit(table)
            named = {method.name: method for method in fitting}
        if table.coarse.any():
            notes += ("Many rows stand for ranges of scores, and all methods took them so.",)
        noise = np.arange(self.levels) / (self.levels - 1)
        estimates = self._estimates(named, table.cells(complete=True), noise, seeds)
        return FeeBeeResult(
            model_error=self.model_error,
            n=table.n,
            noise=noise,
            estimates=estimates,
            notes=notes,
            warnings=data_doubts(table),
            classes=len(table.classes),
        )

    def _estimates(
        self, named: Mapping[str, Method | Estimator], cells: Any, noise: Any, seeds: Counts
    ) -> dict[str, Any]:
        oracle = MeanFloor(self._wrong(cells).astype(np.float64), cells.count)

        def statistics(near: Any) -> dict[str, Statistic]:
            bound = {name: self._bind(name, method, near) for name, method in named.items()}
            return {**bound, ORACLE: oracle}

        found = under_noise((*named, ORACLE), statistics, cells, noise, self.repeats, seeds)
        share = float(cells.count @ oracle.floor) / int(cells.count.sum())
        found[ORACLE] = found[ORACLE] - (1 - noise) * max(share - self.model_error, 0)
        return found

    def _wrong(self, cells: Any) -> Bools:
        """Tell which cells the best rule errs on."""
        if isinstance(cells, ClassCells):
            return wrong_of_offsets(cells, self.options)
        return wrong_cells(cells)

    def _bind(self, name: str, method: Method | Estimator, cells: Any) -> Statistic:
        if isinstance(method, Method):
            return method.bind(cells, self.options)
        return TableStatistic(cells, _checked(name, method))


def _named(methods: Methods) -> dict[str, Any]:
    """Return names and functions by name, or say which entry is none."""
    if isinstance(methods, str) or callable(methods) or not isinstance(methods, Iterable):
        raise InputError(
            argument("methods"),
            ' must be a list such as ["isotonic", "beta"] or a dict of functions, '
            f"got {shown(methods)}.",
        )
    pairs: list[tuple[str, Any]]
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    else:
        pairs = [(_name(method, i), method) for i, method in enumerate(methods)]
    if not pairs:
        raise InputError(
            argument("methods"), " is empty. Name at least one, or leave it out for all."
        )
    named: dict[str, Any] = {}
    for name, method in pairs:
        if name in named:
            text = f" has {name!r} twice. Drop one, or pass a dict with other names."
            raise InputError(argument("methods"), text)
        if name == ORACLE:
            text = f" cannot have the name {name!r}, which the result uses."
            raise InputError(argument("methods"), text)
        named[name] = method
    return named


def _found(named: Mapping[str, Any], reading: Reading) -> dict[str, Method | Estimator]:
    """Return the methods of ours by their names, for the classes that were read."""
    return {
        name: method if callable(method) else method_for(method, reading)
        for name, method in named.items()
    }


def _name(method: Any, entry: int) -> str:
    if not callable(method):
        known.check_name(method, ScoreTable.kind)
        return str(method)
    name = getattr(method, "__name__", None)
    if not isinstance(name, str):
        raise InputError(
            argument("methods"),
            f" must have names: entry {entry} is {method!r} without a `__name__`. "
            'Pass a dict, such as {"mine": function}.',
        )
    return name


def _check_model_error(model_error: float, classes: int) -> float:
    most = 1 - 1 / classes
    if not isinstance(model_error, numbers.Real) or not 0 <= model_error <= most:
        rarer = "the share of the rarer class"
        constant = rarer if classes == 2 else "one minus the share of the most frequent class"
        raise InputError(
            argument("model_error"),
            f" must lie in [0, {most:.3g}], got {shown(model_error)}. Divide percentages by 100; "
            f"without a model, {constant} is the error of a constant one.",
        )
    return float(model_error)


def _checked(name: str, estimator: Estimator) -> Estimator:
    """Return a user's function that refuses what is no number."""

    def checked(table: ScoreTable) -> float:
        value = estimator(table)
        if not _is_finite_number(value):
            raise InputError(
                argument("methods"),
                f" {name!r} must return a finite number, got {value!r} for {table}. "
                "Have it return its best guess on noisy tables too.",
            )
        return float(value)

    return checked


def _is_finite_number(value: Any) -> bool:
    # Numbers of any library will do; text, and arrays of one number, are mistakes.
    try:
        single = not isinstance(value, str | bytes) and np.ndim(value) == 0
        return single and bool(np.isfinite(float(value)))
    except (TypeError, ValueError, OverflowError):
        return False
