"""FeeBee: how well estimators follow label noise that is added on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self, TypeAlias, Unpack, overload

import numpy as np

from errorfloor import methods as known
from errorfloor._checks import InputError, check_choice, check_whole, shown
from errorfloor._keywords import record_of
from errorfloor._typing import Bools, Counts, Floats, RandomLike
from errorfloor.data.features import FeatureItems, read_items
from errorfloor.data.options import Reading
from errorfloor.data.sample import MANY_ITEMS, Sample
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.features import classics
from errorfloor.features.classics import SEQUENTIAL, Classic, Ends, Measure, NeighbourVotes
from errorfloor.intervals.bootstrap import BLOCK, keep_freed_memory
from errorfloor.methods.cuts import CutFit, wrong_of
from errorfloor.methods.fitted import MeanFloor
from errorfloor.methods.logistic import Logistic
from errorfloor.methods.record import Classes, Clip, Method, Options, Statistic
from errorfloor.methods.rules.offsets import OffsetFit
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.record import PairsInOrder
from errorfloor.questions.question import (
    Ask,
    Part,
    ScoreColumns,
    answer,
    answer_of_scores,
    check_answerable,
    data_doubts,
    first_of,
    method_for,
    takes,
    where_in,
)
from errorfloor.questions.sampling import unweighted
from errorfloor.results import ORACLE, FeeBeeResult, Groups
from errorfloor.results.feebee import MEANS, kept_after, known_under_noise

# Labels redrawn at random, on purpose ----------------------------------------------------------

# Levels of noise are taken in so many groups at most. A group shares the start of its logistic
# fits, which takes about as long as twenty of them.
GROUPS = 12
# Items in a group's expected table, at least, so that whole numbers are close to its fractions.
FINE = 10**6
FAIR = 0.5  # the mean of labels that are redrawn by a coin


def under_noise(
    names: Iterable[str],
    statistics: Callable[[Any], Mapping[str, Statistic]],
    cells: Sample,
    noise: Floats,
    repeats: int,
    seeds: Counts,
    mean: float = FAIR,
    items: FeatureItems | None = None,
) -> dict[str, Floats]:
    """Return the values of statistics on the same noisy tables, each of shape (repeats, levels).

    Of two classes a redrawn label is 1 with probability `mean`; of more each is drawn alike. Where
    there are `items`, their labels are redrawn one by one, by a fair coin or each class alike, and
    statistics of single items see them, the others what they count to.
    """
    source = np.random.default_rng(seeds[0])
    # One generator a statistic, all alike, so that no answer depends on what runs along with it.
    streams = {name: np.random.default_rng(seeds[1]) for name in names}
    values = {name: np.empty(noise.size * repeats) for name in streams}
    keep_freed_memory()
    width = len(cells) if items is None else max(len(cells), items.codes.size * items.classes)
    for near, group in _groups(cells, noise, mean):
        bound = statistics(near)
        for block in _blocks(group.start * repeats, group.stop * repeats, width):
            noises = noise[np.arange(block.start, block.stop) // repeats]
            if items is None:
                counts = codes = _redrawn(cells, noises, source, mean)
            else:
                codes = redraw_items(items.codes, items.classes, noises, source)
                counts = items.counts(codes)
            for name, statistic in bound.items():
                seen = codes if isinstance(statistic, NoisyItems) else counts
                values[name][block] = statistic.values(seen, streams[name])
    return {name: flat.reshape(noise.size, repeats).T for name, flat in values.items()}


def _redrawn(cells: Sample, noise: Floats, rng: np.random.Generator, mean: float) -> Counts:
    if cells.classes == 2:
        return redraw_labels(cells.count, noise, rng, mean)
    return redraw_classes(cells.count, cells.scores.shape[1], noise, rng)


def redraw_classes(count: Counts, classes: int, noise: Floats, rng: np.random.Generator) -> Counts:
    """Return counts after each label was redrawn among all classes with a probability of `noise`.

    As `redraw_labels`, with the cells of all classes in every row.
    """
    occurs = np.flatnonzero(count)
    found = np.empty((noise.size, count.size), dtype=np.int64)
    share = np.full(classes, 1 / classes)
    for counts, one in zip(found, noise, strict=True):
        redrawn = rng.binomial(count[occurs], one)
        counts[:] = count
        counts[occurs] -= redrawn
        by_row = np.bincount(occurs // classes, redrawn, count.size // classes).astype(np.int64)
        many = by_row > MANY_ITEMS * classes
        counts.reshape(-1, classes)[many] += rng.multinomial(by_row[many], share)
        by_row[many] = 0
        place = np.repeat(np.arange(by_row.size), by_row) * classes
        place += rng.integers(classes, size=place.size)
        counts += np.bincount(place, minlength=count.size)
    return found


def redraw_labels(
    count: Counts, noise: Floats, rng: np.random.Generator, mean: float = FAIR
) -> Counts:
    """Return counts after each label was redrawn with a probability of `noise`.

    Parameters
    ----------
    count : array of shape (cells,)
        Of both labels of every row, as ``cells(complete=True)`` lays them out.
    noise : array of shape (k,)
        Probabilities, one for each draw.
    mean : float
        The probability that a redrawn label is 1: a fair coin by default.

    Returns
    -------
    array of shape (k, cells)
        Every row of the table keeps its number of items.
    """
    # A new label agrees with the old one now and then, so what changes sides is binomial. Draws
    # of one cell follow one another, because NumPy sets up a binomial once for all that are alike.
    occurs = np.flatnonzero(count)
    flipped = np.zeros((noise.size, count.size), dtype=np.int64)
    chance = np.where(occurs % 2 == 0, 1 - mean, mean)[:, None] * noise  # positive cells first
    flipped[:, occurs] = rng.binomial(count[occurs, None], chance, size=chance.shape).T
    pairs = flipped.reshape(noise.size, -1, 2)
    return np.asarray(count - flipped + pairs[..., ::-1].reshape(flipped.shape))


def expected_after_redraw(count: Counts, noise: float, mean: float = FAIR) -> Floats:
    """Return the mean of what `redraw_labels` draws at one level of noise."""
    pairs = count.reshape(-1, 2)
    gain = np.array([mean, 1 - mean])
    return np.asarray((pairs + (pairs[:, ::-1] * gain - pairs * gain[::-1]) * noise).ravel())


def expected_classes(count: Counts, classes: int, noise: float) -> Floats:
    """Return the mean of what `redraw_classes` draws at one level of noise."""
    by_row = count.reshape(-1, classes)
    redrawn = by_row.sum(axis=1, keepdims=True) * (noise / classes)
    return np.asarray(((1 - noise) * by_row + redrawn).ravel())


def _expected(cells: Sample, noise: float, mean: float) -> Floats:
    if cells.classes == 2:
        return expected_after_redraw(cells.count, noise, mean)
    return expected_classes(cells.count, cells.scores.shape[1], noise)


def redraw_items(codes: Counts, classes: int, noise: Floats, rng: np.random.Generator) -> Counts:
    """Return sets of labels, each redrawn among all classes with a probability of `noise`."""
    found = np.tile(codes, (noise.size, 1))
    redrawn = rng.random(found.shape) < noise[:, None]
    found[redrawn] = rng.integers(classes, size=np.count_nonzero(redrawn))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class NoisyItems:
    """A statistic of the labels of single items, of shape (sets, n)."""

    function: Callable[[Counts], Floats]

    def values(self, codes: Counts, _: np.random.Generator, /) -> Floats:
        """Return the statistic for each set of labels."""
        return self.function(codes)


class TableStatistic:
    """Any function from a score table to a number, one table at a time."""

    def __init__(self, cells: Sample, function: Callable[[ScoreTable], float]) -> None:
        self.cells = cells
        self.function = function

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array(
            [self.function(ScoreTable.from_cells(self.cells, count)) for count in counts]
        )


def _groups(cells: Any, noise: Floats, mean: float) -> Iterator[tuple[Any, range]]:
    """Yield ranges of levels, and cells with about the counts that are expected there.

    Whatever a statistic learns when it is bound, such as where its fits start, it learns nearby.
    """
    yield cells, range(1)
    for part in np.array_split(np.arange(1, noise.size), min(GROUPS, noise.size - 1)):
        group = range(int(part[0]), int(part[-1]) + 1)
        expected = _expected(cells, float(noise[part].mean()), mean)
        scale = max(1, FINE // int(cells.count.sum()))
        count: Counts = np.rint(scale * expected).astype(np.int64)
        yield replace(cells, count=count), group


def _blocks(start: int, stop: int, width: int) -> Iterator[slice]:
    """Yield slices from `start` to `stop` that keep arrays of this width to a megabyte."""
    size = max(1, BLOCK // width)
    return (slice(i, min(i + size, stop)) for i in range(start, stop, size))


# Estimators of balanced error and AUC of two classes, and their oracles ------------------------

USELESS = 0.5  # the value of a model that tells nothing, and what one class allows to say


def methods_of(metric: Metric) -> dict[str, Method]:
    """Return the methods for a metric: those with an answer of their own, and those with a map."""
    own = {one.name: one for one in known.reading(ScoreTable.kind, Classes.TWO, metric.name)}
    maps = (one for one in known.reading(ScoreTable.kind) if one.fit is not None)
    return own | {one.name: one for one in maps if one.name not in own}


def method_of(name: object, metric: Metric) -> Method:
    """Return the method of that name for a metric, or say which there are."""
    own = known.known(str(name), Classes.TWO, ScoreTable.kind, metric.name)
    if own is not None:
        return own
    of_error = known.known(str(name), Classes.TWO, ScoreTable.kind)
    if of_error is not None and of_error.fit is not None:
        return of_error
    hint = f" They are those for {metric.words}."
    return methods_of(metric)[
        check_choice(name, tuple(methods_of(metric)), name="method", hint=hint)
    ]


def bind_to_metric(method: Method, cells: Sample, options: Options) -> Statistic:
    """Return a method's estimate of the metric as a statistic."""
    if method.is_for(options.metric.name):
        return method.bind(cells, options)
    statistic = method.bind(cells, options)
    if isinstance(statistic, Logistic):  # which fits many tables at once
        return OfMaps(statistic.probabilities, options.metric)
    return OfMaps(_Fits(method, cells, options), options.metric)


@dataclass(frozen=True, slots=True)
class _Fits:
    """The probabilities at each score of maps that are fitted one at a time."""

    method: Method
    cells: Sample
    options: Options

    def __call__(self, counts: Counts) -> Floats:
        fit = self.method.fit
        assert fit is not None
        tables = (ScoreTable.from_cells(self.cells, count) for count in counts)
        return np.array([fit(table, self.options).probabilities for table in tables])


@dataclass(frozen=True, slots=True)
class OfMaps:
    """The best value of a metric on items with the probabilities of fitted maps."""

    maps: Callable[[Counts], Floats]
    metric: Metric

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the best value for each row of counts."""
        items = counts.reshape(len(counts), -1, 2).sum(axis=2)
        distance = _apart if by_order(self.metric) else _from_mean
        sign = -1 if self.metric.less_is_better else 1
        prob, share = self.maps(counts), items / items.sum(axis=1, keepdims=True)
        mean = (prob * share).sum(axis=1)
        spread = 4 * mean * (1 - mean)
        told = np.divide(distance(prob, share), spread, out=np.zeros(len(counts)), where=spread > 0)
        return np.asarray(USELESS + sign * told)


def by_order(metric: Metric) -> bool:
    """Tell whether a metric goes by the order of the scores, not by a rule."""
    return isinstance(metric.of_model, PairsInOrder)


def _from_mean(prob: Floats, share: Floats) -> Floats:
    """Return E |p - E p| for each row."""
    mean = (prob * share).sum(axis=1, keepdims=True)
    return np.asarray((np.abs(prob - mean) * share).sum(axis=1))


def _apart(prob: Floats, share: Floats) -> Floats:
    """Return E |p - p'| of two independent items for each row."""
    order = np.argsort(prob, axis=1, kind="stable")
    p, w = np.take_along_axis(prob, order, axis=1), np.take_along_axis(share, order, axis=1)
    behind = 1 - np.cumsum(w, axis=1)[:, :-1]
    return np.asarray(2 * (np.diff(p, axis=1) * behind * (1 - behind)).sum(axis=1))


@dataclass(frozen=True, slots=True)
class OfRule:
    """Balanced error of a rule that says which cells it errs on."""

    wrong: Bools
    positive: Bools

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the balanced error for each row of counts."""
        rates = [
            counts[:, self.wrong & cells].sum(axis=1) / counts[:, cells].sum(axis=1)
            for cells in (self.positive, ~self.positive)
        ]
        return np.asarray((rates[0] + rates[1]) / 2)


def best_balanced_rule(cells: Sample) -> OfRule:
    """Return the cut with the least balanced error on the items of the cells."""
    positives = int(cells.count[cells.positive].sum())
    negatives = int(cells.count.sum()) - positives
    # Whole numbers, so that no rounding chooses between cuts; of several the lowest counts.
    step = cells.count.astype(object) * np.where(cells.positive, negatives, -positives)
    walk = np.concatenate(([0], np.cumsum(step)))
    below = np.arange(len(cells)) < int(np.argmin(walk))
    return OfRule(np.asarray(cells.positive == below), cells.positive)


class OfOrder:
    """AUC of the scores as they are, ties by halves."""

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the AUC for each row of counts."""
        pairs = counts.reshape(len(counts), -1, 2).astype(np.float64)
        positives, negatives = pairs[..., 0], pairs[..., 1]
        below = np.cumsum(negatives, axis=1) - negatives / 2
        all_pairs = positives.sum(axis=1) * negatives.sum(axis=1)
        return np.asarray((positives * below).sum(axis=1) / all_pairs)


@dataclass(frozen=True, slots=True)
class WithBothClasses:
    """A statistic of tables that hold both classes, and `otherwise` where noise left one only."""

    statistic: Statistic
    positive: Bools
    otherwise: float = USELESS

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the statistic for each row of counts."""
        positives = counts[:, self.positive].sum(axis=1)
        both = (positives > 0) & (positives < counts.sum(axis=1))
        found = np.full(len(counts), self.otherwise)
        if both.any():
            found[both] = self.statistic.values(counts[both], rng)
        return found


@dataclass(frozen=True, slots=True)
class Oracle:
    """What is known to err, or to rank, alike on all noisy tables: unbiased but for its noise."""

    metric: Metric
    cells: Sample

    def statistic(self) -> Statistic:
        """Return the value of a rule, or an order, that was fixed before noise came."""
        if by_order(self.metric):
            return OfOrder()
        return best_balanced_rule(self.cells)

    def within_bounds(self, found: Floats, model: float, noise: Floats, mean: float) -> Floats:
        """Return its values less what its mean is out of bounds: worse than the model's."""
        value = self.statistic().values(self.cells.count[None], np.random.default_rng(0))[0]
        worse = max(self.metric.gap(float(value), model), 0.0)
        sign = -1 if self.metric.less_is_better else 1
        return np.asarray(found + sign * worse * kept_after(self.share, noise, mean))

    @property
    def share(self) -> float:
        """The share of class 1."""
        return float(self.cells.count[self.cells.positive].sum() / self.cells.count.sum())


# What is asked for -----------------------------------------------------------------------------

ENDS = LOW, HIGH = "low", "high"


@dataclass(frozen=True, slots=True)
class ClassicPart:
    """What is asked of a classic estimate: its value, or one of its ends."""

    classic: Classic
    end: str | None = None

    @property
    def name(self) -> str:
        """As it is asked for, such as 1nn or 1nn-low."""
        return self.classic.name if self.end is None else f"{self.classic.name}-{self.end}"

    def of(self, shared: _Last, codes: Counts) -> Floats:
        """Return what was asked for of sets of labels."""
        ends = shared(codes)
        return np.asarray({None: ends.value, LOW: ends.low, HIGH: ends.high}[self.end])


def every_part() -> dict[str, ClassicPart]:
    """Return the values and ends of all classics, by name."""
    records = [classics.find(name) for name in classics.NAMES]
    parts = [
        ClassicPart(one, end) for one in records for end in (None, *ENDS) if one.has_ends or not end
    ]
    return {part.name: part for part in parts}


def part_named(name: object) -> ClassicPart | None:
    """Return what a name asks of a classic; None where it is no classic's."""
    if name == SEQUENTIAL:
        raise InputError(
            f"`methods` {SEQUENTIAL!r} fits its models again to every set of labels, which FeeBee "
            "has a thousand of. Leave it out."
        )
    stem, _, end = str(name).rpartition("-")
    stem, last = (stem, end) if end in ENDS else (str(name), None)
    if stem not in classics.NAMES and not stem.startswith("knn-"):
        return None
    classic = classics.find(stem)
    if last is not None and not classic.has_ends:
        raise InputError(f"`methods` {classic.name!r} has no ends, only a value.")
    return ClassicPart(classic, last)


def check_asked(asked: MetricChoice, features: Any, device: str | None) -> None:
    """Refuse metrics that no classic estimates, and a device for nothing."""
    if device is not None and features is None:
        raise InputError("`device` is for neighbours, of `features`.")
    if features is not None and not asked.record.is_error:
        raise InputError(
            "`features` goes with error: no classic estimates another metric. Leave out `metric` "
            "or `features`."
        )


def bind(
    parts: Mapping[str, ClassicPart], items: FeatureItems, device: str | None = None
) -> tuple[dict[str, NoisyItems], NoisyItems | None]:
    """Find neighbours and trees, and return what looks labels up through them, and an oracle.

    The oracle of items without scores is the rule that goes by the majority of neighbours with
    the labels before noise came.
    """
    records = {part.classic.name: part.classic for part in parts.values()}
    beside = [] if items.scored else [classics.K_NEAREST]
    if not records and not beside:
        return {}, None
    lists = classics.neighbours_for([*records.values(), *beside], items.points, device)
    shared = {
        name: _Last(one.bind(items.points, lists, one.k), items.classes)
        for name, one in records.items()
    }
    bound = {
        name: NoisyItems(partial(part.of, shared[part.classic.name]))
        for name, part in parts.items()
    }
    if items.scored:
        return bound, None
    voters = NeighbourVotes.of(items.points, classics.K_NEAREST.k, lists)
    predicted = voters.votes(items.codes[None], items.classes)[..., 0].argmax(axis=0)
    return bound, NoisyItems(lambda codes: (codes != predicted).mean(axis=1))


class _Last:
    """A classic's ends of the last sets of labels, which its parts ask for one after another."""

    def __init__(self, measure: Measure, classes: int) -> None:
        self.measure, self.classes = measure, classes
        self.codes: Counts | None = None
        self.ends: Ends | None = None

    def __call__(self, codes: Counts) -> Ends:
        if self.ends is None or codes is not self.codes:
            self.codes, self.ends = codes, self.measure(codes, self.classes)
        return self.ends


Estimator: TypeAlias = Callable[[ScoreTable], float]
Methods: TypeAlias = Iterable[str | Estimator] | Mapping[str, str | Estimator]


def asked_for(metric: str, means: object) -> MetricChoice:
    """Return the metric that was asked for, if noise has a known effect on it."""
    asked = MetricChoice(metric)
    able = known_under_noise()
    if asked.metric not in able:
        raise InputError(
            f"`metric={asked.metric!r}` has no known value under noise, so FeeBee cannot tell who "
            f"follows it. Ask for {', '.join(able[:-1])} or {able[-1]}."
        )
    if asked.record.is_error and means is not None:
        raise InputError(
            "`means` goes with balanced error and AUC: what error becomes is known for a fair coin "
            "only. Leave it out, or name another `metric`."
        )
    return asked


def measure_of(asked: MetricChoice, classes: int) -> Metric:
    """Return the metric, or say that its value under noise is known for two classes only."""
    if classes > 2 and not asked.record.is_error:
        raise InputError(
            f"`metric={asked.metric!r}` has a known value under noise for two classes, and the "
            f"labels are of {classes}. Ask for error, or count one class against the rest."
        )
    return asked.of(classes)


def check_both_classes(table: ScoreTable, metric: Metric) -> None:
    """Refuse labels of one class."""
    positives = int(table.positives.sum())
    if not 0 < positives < table.n:
        raise InputError(
            f"{metric.words[0].upper()}{metric.words[1:]} needs labels of both classes, and all "
            f"{table.n:,} are of one. Add items of the other class."
        )


def check_means(means: Any) -> tuple[float, ...]:
    """Return the means of the noise, or say which is none."""
    if means is None:
        return MEANS
    every = [means] if isinstance(means, Real) else means
    text = " must be numbers between 0 and 1, such as [0.2, 0.5, 0.8], "
    if not isinstance(every, Sequence | np.ndarray) or isinstance(every, str) or not len(every):
        raise InputError(f"`means`{text}got {shown(means)}.")
    for one in every:
        if not isinstance(one, Real) or not 0 < float(one) < 1:
            raise InputError(f"`means`{text}without 0 and 1; got {shown(one)}.")
    return tuple(float(one) for one in every)


def known_error(
    metric: Metric, model_error: float | None, model_value: float | None, classes: int
) -> float:
    """Return the model's error, balanced error or one less its AUC, however it was given."""
    if model_error is not None and model_value is not None:
        raise InputError(
            "`model_error` and `model_value` are two names of one thing. Give one of them."
        )
    if model_error is not None and not metric.less_is_better:
        raise InputError(
            f"`model_error` is no {metric.words}. Give the best known model's {metric.words} as "
            "`model_value`, or 0.5 where there is none."
        )
    name = "model_value" if model_error is None else "model_error"
    value = model_value if model_error is None else model_error
    if value is None:
        name = "model_value" if not metric.is_error else "model_error"
        raise InputError(
            f"`{name}` is missing: the {metric.words} of the best model known. "
            f"{_without(metric, classes)}"
        )
    trivial = 1 - 1 / classes if metric.is_error else USELESS
    ends = sorted((float(not metric.less_is_better), trivial))
    if not isinstance(value, Real) or not ends[0] <= value <= ends[1]:
        otherwise = _without(metric, classes)
        raise InputError(
            f"`{name}` must lie in [{ends[0]:.3g}, {ends[1]:.3g}], got {shown(value)}. Divide "
            f"percentages by 100; {otherwise[0].lower()}{otherwise[1:]}"
        )
    return float(value) if metric.less_is_better else 1 - float(value)


def _without(metric: Metric, classes: int) -> str:
    """Say what is at hand without a model."""
    if not metric.is_error:
        return "Without a model, 0.5 is what a constant one has."
    rarer = "the share of the rarer class"
    constant = rarer if classes == 2 else "one minus the share of the most frequent class"
    return f"Without a model, {constant} is the error of a constant one."


def named_methods(methods: Methods, asked: MetricChoice, featured: bool = False) -> dict[str, Any]:
    """Return names and functions by name, or say which entry is none."""
    plain = isinstance(methods, Iterable) and getattr(methods, "ndim", 1) == 1
    if isinstance(methods, str) or callable(methods) or not plain:
        raise InputError(
            '`methods` must be a list such as ["isotonic", "beta"] or a dict of functions, got '
            f"{shown(methods)}."
        )
    pairs: list[tuple[str, Any]]
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    else:
        pairs = [(_name(method, i, asked, featured), method) for i, method in enumerate(methods)]
    if featured:  # where a name may be one of the classic estimates
        pairs = [
            (name, (part_named(one) if isinstance(one, str) else None) or one)
            for name, one in pairs
        ]
    if not pairs:
        raise InputError("`methods` is empty. Name at least one, or leave it out for all.")
    named: dict[str, Any] = {}
    for name, method in pairs:
        if name in named:
            raise InputError(
                f"`methods` has {name!r} twice. Drop one, or pass a dict with other names."
            )
        if name == ORACLE:
            raise InputError(f"`methods` cannot have the name {name!r}, which the result uses.")
        named[name] = method
    return named


def _name(method: Any, entry: int, asked: MetricChoice, featured: bool) -> str:
    if featured and isinstance(method, str) and (part := part_named(method)) is not None:
        return part.name
    if not callable(method):
        if asked.record.is_error:
            known.check_name(method, ScoreTable.kind)
        else:
            method_of(method, asked.of(2))
        return str(method)
    name = getattr(method, "__name__", None)
    if not isinstance(name, str):
        raise InputError(
            f"`methods` must have names: entry {entry} is {method!r} without a `__name__`. Pass a "
            'dict, such as {"mine": function}.'
        )
    return name


def checked_estimator(name: str, estimator: Estimator) -> Estimator:
    """Return a user's function that refuses what is no number."""

    def checked(table: ScoreTable) -> float:
        value = estimator(table)
        if not _is_finite_number(value):
            raise InputError(
                f"`methods` {name!r} must return a finite number, got {value!r} for {table}. Have "
                "it return its best guess on noisy tables too."
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


Asked: TypeAlias = Method | Estimator | ClassicPart
LEVELS, LEVELS_OF_EACH = 101, 21  # of noise: of a fair coin, and of each of several means


@dataclass(frozen=True, slots=True, kw_only=True)
class FeeBeeAsk(Ask):
    """What is asked of estimators on noisy labels."""

    features: object = None  # columns of what a model sees
    items: FeatureItems | None = None  # the same, read
    methods: Any = None  # all that fit where none is named
    means: Any = None  # of the noise
    model_value: float | None = None  # in place of `model_error`
    levels: int | None = None
    repeats: int = 10
    device: str | None = None  # where neighbours are looked for
    gives_limits: ClassVar[bool] = False

    def checked(self, kind: str) -> Self:
        """Return the same, or refuse what is wrong before labels are read."""
        asked = asked_for(self.metric, self.means)
        check_asked(asked, self.features, self.device)
        named = self.methods
        if named is not None:
            named = named_methods(named, asked, self.features is not None)
        usual = LEVELS if asked.record.is_error else LEVELS_OF_EACH
        levels = usual if self.levels is None else self.levels
        return replace(
            Ask.checked(self, kind),
            methods=named,
            levels=check_whole(levels, name="levels", least=2, remedy=f"{usual} is usual."),
            repeats=check_whole(self.repeats, name="repeats", least=1, remedy="10 is usual."),
        )

    def named_for(self, reading: Reading, metric: Metric) -> Mapping[str, Asked] | None:
        """Return what was named, for the classes that were read; without scores, classics alone."""
        if self.methods is None:
            return None
        found = dict(self.methods)
        for name, one in self.methods.items():
            if isinstance(one, ClassicPart):
                continue
            if self.items is not None and not self.items.scored:
                raise InputError(
                    f"`methods` {shown(one)} reads scores, and there are features only. Add "
                    "scores, or name classics such as 1nn and ghp."
                )
            if not callable(one):
                own = method_for(one, reading) if metric.is_error else method_of(one, metric)
                found[name] = own
        return found

    def methods_for(self, reading: Reading) -> tuple[Method, ...]:
        """Return the methods of ours that were named."""
        named = self.named_for(reading, measure_of(self.choice, len(first_of(reading).classes)))
        return tuple(one for one in (named or {}).values() if isinstance(one, Method))

    def ready(self, reading: Reading) -> Callable[[Table, Part], FeeBeeResult]:
        """Return what adds noise to one table."""
        number = len(first_of(reading).classes)
        measure = measure_of(self.choice, number)
        error: Any = self.model_error
        task = _Task(
            ask=self,
            model_error=known_error(measure, error, self.model_value, number),
            means=() if measure.is_error else check_means(self.means),
            named=self.named_for(reading, measure),
            options=Options(self.clip, metric=measure),
        )
        return lambda table, part: task.run(table, part.rng)


class _Options(ScoreColumns, total=False):
    features: object
    methods: Methods | None
    metric: str
    means: Sequence[float] | None
    model_error: float | None
    model_value: float | None
    levels: int | None
    repeats: int
    clip: Clip
    device: str | None
    rng: RandomLike


@overload
def feebee(
    scores: object = None, labels: object = None, *, group: None = None, **options: Unpack[_Options]
) -> FeeBeeResult: ...
@overload
def feebee(
    scores: object = None, labels: object = None, *, group: str, **options: Unpack[_Options]
) -> Groups[FeeBeeResult]: ...
@takes(_Options, FeeBeeAsk)
def feebee(
    scores: object = None,
    labels: object = None,
    *,
    group: str | None = None,
    **options: Unpack[_Options],
) -> Any:
    """Score estimators of the floor by how they follow label noise added on purpose.

    This is FeeBee [1]_. At noise r each label is, with probability r, redrawn by a fair coin. That
    takes the unknown floor F to ``r / 2 + (1 - r) F``. As F lies between 0 and the error E of any
    known model, an estimate at noise r should lie between ``r / 2`` and ``r / 2 + (1 - r) E``. The
    score is the mean distance by which it does not, over equidistant r from 0 to 1: lower is
    better. Of K classes each is drawn alike, and ``r (K - 1) / K`` takes the place of ``r / 2``.

    For balanced error and AUC of two classes [2]_ the coin may have any mean b. With t the share of
    class 1, and ``t' = (1 - r) t + r b`` after noise, a value V of any model, and of the best one,
    becomes ``1/2 + k (V - 1/2)`` with ``k = (1 - r) t (1 - t) / (t' (1 - t'))``. The score is the
    mean over noise of several means.

    Parameters
    ----------
    scores : array-like of shape (n,), ScoreTable, dataframe or path
        Any finite numbers for isotonic, isotonic-cf, hist-K and platt; in [0, 1] for the others.
        May be left out next to `features`.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` has them.
    features : array-like of shape (n, d), or columns, optional
        What a model sees of each item, for the classic estimates of `from_features`: neighbours
        and trees are found once, and each set of noisy labels is looked up. Of a dataframe or file
        the columns of numbers, or the one that holds lists; scores are then read where `score`
        names them.
    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels; guessed likewise.
    positive : optional
        The label that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order, as in `from_scores`.
    group : str, optional
        Column of a dataframe or file: one answer for each of its values.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    methods : sequence or dict, optional
        Names of methods, functions from a ScoreTable to a number, or both; a dict gives the
        functions names of its own. All methods that fit the scores by default. Of features
        "1nn", "knn-K" such as "knn-15", "ghp" and "noshad", and "1nn-low" or "ghp-high" for an
        end; all of these by default.
    metric : str
        "error", "balanced-error" or "auc": what the methods are to estimate.
    means : sequence of float, optional
        Of balanced error and AUC: how probable 1 is where a label is redrawn. 0.1, 0.2 ... 0.9 by
        default, as in [2]_.
    model_error : float
        Error of the best model known, on these labels; 0 to 0.5, or to 1 - 1 / K. One minus the
        share of the most frequent class is always at hand. With balanced error, that.
    model_value : float
        The same under a name that fits every metric: of AUC, the best model's AUC. 0.5 is always
        at hand for balanced error and AUC.
    levels : int, optional
        Number of noise levels, 0 and 1 among them. 101 by default; for balanced error and AUC 21
        for each mean.
    repeats : int
        How often labels are redrawn at each level. The paper reports a single run, whose noise
        hides the differences between good methods.
    clip : float or "auto"
        How far the beta family and platt-logit keep scores from 0 and 1; see `calibrate`.
    device : str, optional
        Where neighbours of `features` are looked for, such as "cuda"; see `from_features`.
    rng : None, int or numpy.random.Generator
        Seed of the noise, 0 by default; None draws a new one. The noise depends on the table only,
        not on `methods`.

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

    For balanced error the oracle is likewise the balanced error, on noisy labels, of the cut that
    is best without noise; for AUC it is the AUC of the scores as they are. Of features without
    scores it is the rule that goes by 15 neighbours and their labels before noise came.

    It is a yardstick and not a limit. An estimator that assumes a smooth map can vary less, and
    one that never exceeds 1/2 errs to one side only where the noise is almost complete.

    References
    ----------
    .. [1] C. Renggli, L. Rimanic, N. Hollenstein and C. Zhang, "Evaluating Bayes error estimators
       on real-world datasets with FeeBee", NeurIPS 2021, arXiv:2108.13034.
    .. [2] R. Ushio, T. Ishida and M. Sugiyama, "Bayes-optimal BER and AUC: estimation and
       evaluation of estimators", 2026.

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
    >>> auc = feebee(table, methods=["isotonic", "platt"], metric="auc", model_value=0.8, rng=0)
    >>> auc["isotonic"].score < auc["platt"].score
    True
    """
    ask = record_of(FeeBeeAsk, options).checked(ScoreTable.kind)
    where = where_in(options, group)
    features = options.get("features")
    if features is None:
        return answer_of_scores(scores, labels, where, ask, labelled=True)
    items = read_items(scores, labels, features, where)
    return answer(items.reading, replace(ask, items=items))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What to evaluate, checked."""

    ask: FeeBeeAsk
    named: Mapping[str, Asked] | None
    options: Options
    model_error: float
    means: tuple[float, ...]  # of the noise; none stands for a fair coin

    @property
    def metric(self) -> Metric:
        """What the methods are to estimate."""
        return self.options.metric

    def run(self, table: Table, rng: np.random.Generator) -> FeeBeeResult:
        """Return the scores on one table."""
        assert isinstance(table, ScoreTable)
        table = unweighted(table, "feebee")
        every = () if self.named is None else self.named.values()
        check_answerable(table, [method for method in every if isinstance(method, Method)])
        if self.means:
            check_both_classes(table, self.metric)
        named, notes = self.named, tuple[str, ...]()
        if named is None:
            named, notes = self._all_for(table)
        if table.coarse.any():
            notes += ("Many rows stand for ranges of scores, and all methods took them so.",)
        assert self.ask.levels is not None
        noise = np.arange(self.ask.levels) / (self.ask.levels - 1)
        cells = table.cells(complete=True)
        if self.means:
            estimates, more = self._estimates_of_means(named, cells, noise, rng)
            notes += more
        else:
            estimates = self._estimates(named, cells, noise, rng.integers(2**63, size=2))
        scored = self.ask.items is None or self.ask.items.scored
        return FeeBeeResult(
            model_error=self.model_error,
            n=table.n,
            noise=noise,
            estimates=estimates,
            notes=notes,
            warnings=data_doubts(table) if scored else (),
            classes=len(table.classes),
            metric=self.metric.name,
            means=self.means,
            share=float(table.positives.sum() / table.n) if self.means else None,
            dimensions=None if self.ask.items is None else self.ask.items.points.shape[1],
        )

    def _all_for(self, table: ScoreTable) -> tuple[Mapping[str, Asked], tuple[str, ...]]:
        """Return the methods that take the table's scores or the features, by name, and notes."""
        if self.means:
            every = methods_of(self.metric)
            fit = {name: one for name, one in every.items() if one.takes(table)}
            left_out = ", ".join(name for name in every if name not in fit)
            note = f"Methods that need scores in [0, 1] were left out: {left_out}."
            return fit, (note,) if left_out else ()
        if self.ask.items is not None and not self.ask.items.scored:
            return every_part(), ()
        fitting, notes = known.that_fit(table)
        parts = {} if self.ask.items is None else every_part()
        return {**{method.name: method for method in fitting}, **parts}, notes

    def _estimates(
        self, named: Mapping[str, Asked], cells: Any, noise: Any, seeds: Counts
    ) -> dict[str, Any]:
        parts = {name: one for name, one in named.items() if isinstance(one, ClassicPart)}
        items, repeats = self.ask.items, self.ask.repeats
        own, rule = ({}, None) if items is None else bind(parts, items, self.ask.device)
        cut = MeanFloor(self._wrong(cells).astype(np.float64), cells)
        oracle: Statistic = cut if rule is None else rule

        def statistics(near: Any) -> dict[str, Statistic]:
            bound = {
                name: own[name]
                if isinstance(method, ClassicPart)
                else self._bind(name, method, near)
                for name, method in named.items()
            }
            return {**bound, ORACLE: oracle}

        names = (*named, ORACLE)
        found = under_noise(names, statistics, cells, noise, repeats, seeds, items=items)
        share = float(cells.count @ cut.floor) / int(cells.count.sum())
        share = share if rule is None else float(found[ORACLE][0, 0])  # before noise comes
        found[ORACLE] = found[ORACLE] - (1 - noise) * max(share - self.model_error, 0)
        return found

    def _estimates_of_means(
        self, named: Mapping[str, Asked], cells: Any, noise: Any, rng: Any
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the same for noise of each mean, and a note on tables of one class."""
        oracle = Oracle(self.metric, cells)
        fixed = WithBothClasses(oracle.statistic(), cells.positive, np.nan)

        def statistics(near: Any) -> dict[str, Statistic]:
            bound = {name: self._bind(name, method, near) for name, method in named.items()}
            safe = {name: WithBothClasses(one, cells.positive) for name, one in bound.items()}
            return {**safe, ORACLE: fixed}

        names, less = (*named, ORACLE), self.metric.less_is_better
        model = self.model_error if less else 1 - self.model_error
        every, alone = [], 0
        own_seeds = rng.integers(2**63, size=(len(self.means), 2))
        for mean, seeds in zip(self.means, own_seeds, strict=True):
            found = under_noise(names, statistics, cells, noise, self.ask.repeats, seeds, mean)
            of_one_class = np.isnan(found[ORACLE])
            alone += int(np.count_nonzero(of_one_class))
            found[ORACLE][of_one_class] = USELESS
            found[ORACLE] = oracle.within_bounds(found[ORACLE], model, noise, mean)
            every.append(found)
        estimates = {name: np.stack([one[name] for one in every], axis=2) for name in names}
        tables = estimates[ORACLE].size
        note = f"Noise left one class on {alone:,} of {tables:,} tables, where all methods got 0.5."
        return estimates, (note,) if alone else ()

    def _wrong(self, cells: Any) -> Bools:
        """Tell which cells the best rule errs on."""
        if cells.classes > 2:
            return OffsetFit.of(cells, self.options).least_errs
        return wrong_of(cells, CutFit(cells, ERROR.how, self.options.draw).rule)

    def _bind(self, name: str, method: Any, cells: Any) -> Statistic:
        if isinstance(method, Method):
            if self.means:
                return bind_to_metric(method, cells, self.options)
            return method.bind(cells, self.options)
        return TableStatistic(cells, checked_estimator(name, method))
