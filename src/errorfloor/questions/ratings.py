"""From numbers that people give to the best that any model can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, NamedTuple, Self, TypedDict, Unpack, overload
from zlib import crc32

import numpy as np

from errorfloor import checks
from errorfloor._checks import (
    InputError,
    as_flag,
    check_choice,
    check_level,
    check_whole,
    shown,
)
from errorfloor._keywords import record_of
from errorfloor._typing import RandomLike
from errorfloor.data.layouts import OF_RATINGS
from errorfloor.data.options import Reading, ReadOptions, Source
from errorfloor.data.read import read
from errorfloor.data.tables import RatingTable
from errorfloor.intervals.ratings import (
    CERTIFIED,
    JACKKNIFE,
    FisherLimits,
    certified_mean,
    certified_ratio,
    difference_limits,
    noise_limits,
    ratio_limits,
)
from errorfloor.intervals.record import Evidence, Seed
from errorfloor.methods.ratings import (
    ABSOLUTE,
    FEW_RATERS,
    RATERS,
    RELATIVE,
    Rated,
    Totals,
    Variances,
    are_shared,
    totals_of,
)
from errorfloor.metrics.record import Metric
from errorfloor.metrics.variances import DIFFERENCE, NAMES, NOISE, RATIO, rating_metric
from errorfloor.questions.question import Ask, Part, by_group, takes
from errorfloor.results import Groups, Interval
from errorfloor.results.estimate import RatingsEstimate

METHOD = "variances"
INTERVALS = (JACKKNIFE, CERTIFIED)
ONE, MEAN, MEDIAN = "one", "mean", "median"
_COLUMNS = ("item", "rating", "ratings", "rater", "weight", "cluster", "missing", "drop_missing")


@dataclass(frozen=True, slots=True)
class Label:
    """Which label a model is compared with.

    Attributes
    ----------
    name : str or int
        As it is kept: "one", "mean", a number of ratings, or "median-3".
    number : int or None
        How many ratings it is made of; None for those at hand.
    median : bool
        Whether it is their median.
    """

    name: str | int
    number: int | None
    median: bool = False

    @classmethod
    def of(cls, label: Any) -> Label:
        """Return the label that was asked for."""
        if isinstance(label, str) and label in (ONE, MEAN):
            return cls(label, 1 if label == ONE else None)
        text = str(label).strip() if isinstance(label, str) else ""
        kind, _, number = text.partition("-")
        if kind == MEDIAN and number.isdecimal() and 1 < int(number) < 1000:
            return cls(f"{MEDIAN}-{int(number)}", int(number), median=True)
        whole = int(text) if text.isdecimal() and len(text) < 7 else label
        is_whole = isinstance(whole, int | np.integer) and not isinstance(whole, bool)
        if is_whole and whole >= 1:
            return cls(ONE if whole == 1 else int(whole), int(whole))
        hint = ""
        if kind == MEDIAN:
            hint = " A median needs the number of its ratings, such as 'median-3'."
        raise InputError(
            "`label` must be 'one' (one more rating), 'mean' (of the ratings that items have), a "
            f"number of ratings whose mean it is, or 'median-3'; got {shown(label)}.{hint}"
        )

    def words(self, at_hand: float) -> str:
        """Return for which label an answer is."""
        if self.median:
            return f"the median of {self.number} ratings"
        if self.number == 1:
            return "one more rating"
        if self.number is not None:
            return f"the mean of {self.number} ratings"
        few = f"{at_hand:.1f}".removesuffix(".0")
        return f"the mean rating ({few} ratings per item)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsAsk(Ask):
    """What is asked of ratings."""

    metric: str = "r2"
    label: str | int = ONE  # which label a model is compared with
    raters: str = ABSOLUTE
    scale: Any = None  # least and largest rating there can be

    @property
    def record(self) -> Metric:
        """The metric."""
        return rating_metric(self.metric)

    @property
    def meant(self) -> Label:
        """The label."""
        return Label.of(self.label)

    def checked(self, kind: str = RatingTable.kind) -> Self:
        """Return the same, or refuse what is wrong before ratings are read."""
        metric, hint = self.metric, ""
        if isinstance(metric, str):
            metric = metric.lower().replace("_", "-").replace("r^2", "r2")
            hint = " The RMSE is the square root of the MSE." if metric == "rmse" else ""
        record = rating_metric(check_choice(metric, NAMES, name="metric", hint=hint))
        check_choice(self.raters, RATERS, name="raters")
        interval, meant = self.interval, self.meant
        if interval is not None:
            off = " `interval=None` skips it."
            interval = check_choice(interval, ("auto", *INTERVALS), name="interval", hint=off)
        if record.how.of == DIFFERENCE and meant.number != 1:
            raise InputError(
                f"`metric={record.name!r}` is answered for one more rating: how far a mean of "
                "ratings is from its median two ratings do not tell. Ask for 'mse', or for "
                f"`label={ONE!r}`."
            )
        if interval == CERTIFIED and self.scale is None:
            raise InputError(
                f"`interval={CERTIFIED!r}` needs to know the least and the largest rating there "
                f"can be, such as `scale={(1, 5)!r}`."
            )
        if interval == CERTIFIED and meant.number is None:
            raise InputError(
                f"`interval={CERTIFIED!r}` is for one more rating or the mean of a number of them, "
                "such as `label=3`."
            )
        Seed.of(self.rng)
        return replace(
            self,
            metric=record.name,
            scale=_as_scale(self.scale),
            interval=interval,
            level=check_level(self.level),
            simultaneous=as_flag(self.simultaneous, name="simultaneous"),
        )

    def kept(self) -> dict[str, Any]:
        """Return what has an influence on the answer, as plain values."""
        return {
            "interval": self.interval,
            "level": self.level,
            "label": self.meant.name,
            "raters": self.raters,
            "scale": None if self.scale is None else list(self.scale),
        }


class _Options(TypedDict, total=False):
    metric: str
    label: str | int
    item: object
    rating: str | None
    ratings: str | Sequence[str] | None
    rater: object
    raters: str
    scale: tuple[float, float] | None
    weight: object
    cluster: object
    simultaneous: bool
    missing: object
    drop_missing: bool
    interval: str | None
    level: float
    rng: RandomLike


@overload
def from_ratings(
    data: object, *, group: None = None, **options: Unpack[_Options]
) -> RatingsEstimate: ...
@overload
def from_ratings(
    data: object, *, group: str, **options: Unpack[_Options]
) -> Groups[RatingsEstimate]: ...
@takes(_Options, RatingsAsk)
def from_ratings(data: Any, *, group: str | None = None, **options: Unpack[_Options]) -> Any:
    """Estimate how good any model can get where people give numbers: essays, MOS, reviews, sliders.

    Parameters
    ----------
    data : array-like of shape (n, m), lists, RatingTable, dataframe or path
        Ratings of items, two or more on most. An array has a row for each item, NaN where there is
        no rating; lists may be of unequal length. In dataframes and files a row is one rating
        (`item`, `rating`, `rater`), or an item with a column per rater or a column of lists such as
        "5;6;3" (`ratings`). Columns are guessed where their names leave no doubt.
    metric : {"r2", "pearson", "spearman", "qwk", "ccc", "mse", "mae"}
        What "good" means: the best possible R2, correlation, quadratically weighted kappa or
        concordance, or the least mean squared or absolute error.
    label : "one", "mean", int, or text such as "median-3"
        What a model is compared with: one more person's rating, the mean of the ratings that items
        have, the mean of so many ratings, or the median of so many, which needs twice as many.
    item : str, or array-like of shape (ratings,)
        Column of the item, where a row is a rating; next to an array with one rating per entry, the
        item of each.
    rating : str
        Column of the rating in such rows.
    ratings : str or sequence of str
        Columns of ratings, one for each rater, or one that holds lists, where a row is an item.
    rater : str, bool, or array-like of shape (ratings,)
        Column of the rater in rows of ratings. True where each column is a rater, which is the
        default for columns whose names differ by more than a number or a letter. Where the same
        people rate several items, their biases are told apart from what items are like. False says
        that nobody knows who rated, whatever columns are called.
    raters : {"absolute", "relative"}
        Whether biases of shared raters are noise, as they are for a model that predicts the rating
        of one more rater ("absolute"), or not ("relative").
    scale : (float, float)
        Least and largest rating there can be. Others are refused. Certified limits need it.
    weight : str or array-like of shape (n,)
        What each item weighs.
    cluster : str or array-like of shape (n,)
        Which items depend on each other; whole clusters are then left out by the jackknife.
    group : str
        Column of a dataframe or file: one answer for each of its values.
    simultaneous : bool
        Whether the intervals of all groups hold at once at `level`.
    missing : float or list, optional
        Numbers that mean no rating, such as 99: they are missing.
    drop_missing : bool
        Whether to leave out items without a rating, and rows where something is missing.
    interval : {"auto", "jackknife", "certified"} or None
        "jackknife", the default, was measured to cover; "certified" is proved for every
        distribution on `scale`, and wider.
    level : float
        Confidence level.
    rng : None, int or numpy.random.Generator
        For the pairs of items behind certified limits.

    Returns
    -------
    RatingsEstimate
        With `group`, one for each of its values.

    Notes
    -----
    With V the variance of the items' true scores and W that of a rating about them, rho = V/(V + W)
    is the ICC: what two people reach with each other. No model has an R2 above rho, nor a
    correlation, concordance or QWK above sqrt(rho), and these are reached. So agreement between
    people is not the ceiling; where two people agree with a QWK of 0.60, a model can reach 0.77.

    Examples
    --------
    >>> rows = [[5, 6], [3, 3], [6, 5], [2, 4], [8, 7], [4, 4]] * 5
    >>> found = from_ratings(rows, metric="pearson")
    >>> round(found.icc, 3), round(found.value, 3)
    (0.802, 0.895)
    """
    ask = record_of(RatingsAsk, options).checked()
    columns = {name: one for name, one in options.items() if name in _COLUMNS}
    where = ReadOptions.of(group=group, **columns)
    return answer_of_ratings(read_ratings(data, where), ask, _estimated)


def read_ratings(data: Any, where: ReadOptions) -> Reading:
    """Return ratings as tables, from arrays, a table, a dataframe or files."""
    return read(data, OF_RATINGS, where, name="data")


def _as_scale(scale: Any) -> tuple[float, float] | None:
    if scale is None:
        return None
    try:
        low, high = (float(end) for end in scale if not isinstance(end, np.complexfloating))
    except (TypeError, ValueError, OverflowError):
        low, high = np.nan, np.nan
    if not -np.inf < low < high < np.inf:
        raise InputError(
            f"`scale` must be the least and the largest rating, such as (1, 5); got {shown(scale)}."
        )
    return low, high


def answer_of_ratings(
    reading: Reading, ask: RatingsAsk, one: Callable[[RatingsIn, RatingsAsk, Part], Any]
) -> Any:
    """Return what `one` finds of ratings, or of those of each group."""

    def found(table: RatingTable, part: Part) -> Any:
        ratings = RatingsIn(table, reading.source)
        return one(ratings, replace(ask, level=part.level), part)

    return by_group(reading.tables, reading.source, ask, found)


class RatingsIn(NamedTuple):
    """The ratings of a question, and where they came from."""

    table: RatingTable
    source: Source


def _estimated(ratings: RatingsIn, ask: RatingsAsk, part: Part) -> RatingsEstimate:
    found = replace(estimate(ratings, ask, part.seed), group=part.group)
    checks.issue(found)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Ratings with their variances, as a metric looks at them.

    Attributes
    ----------
    rated : Rated
        The ratings; ranks where the metric goes by ranks.
    totals : Totals
        What their variances follow from.
    plain : Totals
        The same of the ratings themselves.
    shared : bool
        Whether raters are shared by items.
    noise : callable
        From variances to the noise of the label.
    """

    rated: Rated
    totals: Totals
    plain: Totals
    shared: bool
    label: Label

    @classmethod
    def of(cls, table: RatingTable, ask: RatingsAsk) -> Fit:
        """Return the fit of a table that has been checked."""
        if ask.meant.median:
            table = _medians(table, ask.meant.number or 1)
        item = np.repeat(np.arange(len(table)), table.sizes)
        shared = table.raters is not None and are_shared(item, table.raters)
        own = Rated.of(table, shared=shared)
        plain = totals_of(own, ask.raters)
        rated = own.ranks if ask.record.how.ranks else own
        totals = totals_of(rated, ask.raters) if ask.record.how.ranks else plain
        return cls(rated, totals, plain, shared, ask.meant)

    @property
    def offset(self) -> float:
        """Noise of the label over that of a rating."""
        if self.label.median or self.label.number is not None:
            return 1 / (1 if self.label.median else self.label.number or 1)
        found = self.totals.all
        return float(found.of_means / found.noise) if found.noise > 0 else 1.0

    def share(self, ratio: float) -> float:
        """Return the share of signal in the label, from signal over noise of a rating."""
        return 1.0 if np.isinf(ratio) else ratio / (ratio + self.offset)

    def noise_of(self, found: Variances) -> Any:
        """Return the noise of the label."""
        if self.label.number is None:
            return np.maximum(found.of_means, 0.0)
        return found.noise / (1 if self.label.median else self.label.number)


def estimate(ratings: RatingsIn, ask: RatingsAsk, seed: Seed) -> RatingsEstimate:
    """Return the estimate of one table of ratings."""
    table = ratings.table
    _refuse_unusable(table, ask)
    fit = Fit.of(table, ask)
    _refuse_certified(fit, table, ask)
    value, evidence = _value(fit, table, ask, seed)
    made = replace(_described(ratings, ask, fit, seed), value=value, evidence=evidence)
    if evidence is not None:
        made = replace(made, interval=Interval.at(ask.level, evidence, made.measure))
    return checks.checked(made)


def _described(ratings: RatingsIn, ask: RatingsAsk, fit: Fit, seed: Seed) -> RatingsEstimate:
    """Return the estimate without its value."""
    table, source = ratings
    if table.items is not None and table.items.columns_differ is not None:
        facts = {**source.facts, "columns_differ": table.items.columns_differ}
        source = replace(source, facts=facts)
    found = fit.plain.all
    signal, noise = max(float(found.signal), 0.0), float(found.noise)
    known = None
    if fit.shared and table.raters is not None:
        known = int(np.unique(table.raters).size)
    weighed = table.weights is not None and np.ptp(table.weights) > 0
    mass = fit.rated.weight
    effective = float(fit.rated.count @ mass) ** 2 / float(fit.rated.count @ mass**2)
    target = ask.meant.words(table.ratings / table.n)
    if known is not None and known < FEW_RATERS:
        target += f" of these {known} raters"
    return RatingsEstimate(
        value=0.0,
        method=METHOD,
        interval=None,
        n=table.n,
        n_effective=effective if weighed else None,
        clusters=None if table.clusters is None else int(np.unique(table.clusters).size),
        assumptions=_assumes(fit.shared, table.raters is not None, ask.raters),
        metric=ask.metric,
        target=target,
        dropped=table.dropped,
        options=ask.kept(),
        seed=seed if ask.interval == CERTIFIED else None,
        source=source,
        table=table,
        icc=1.0 if noise == 0 else signal / (signal + noise),
        signal=signal,
        noise=noise,
        ratings=table.ratings,
        raters=known,
        label=ask.meant.name,
        whole_grades=_whole_grades(table, ask, signal, noise),
    )


def estimate_again(found: RatingsEstimate, ask: RatingsAsk, seed: Seed) -> RatingsEstimate:
    """Return another answer from the same ratings."""
    assert isinstance(found.table, RatingTable)
    assert found.source is not None
    return estimate(RatingsIn(found.table, found.source), ask, seed)


def _assumes(shared: bool, known: bool, raters: str) -> str:
    if not shared:
        whose = (
            "Each item was rated by people of its own"
            if known
            else "It is not known who gave which rating; each counts as one by a different person"
        )
        return f"{whose}, drawn at random, and people gave their ratings independently."
    bias = "; biases of raters do not count" if raters == RELATIVE else ""
    return f"Items and raters were drawn at random, and the raters rated independently{bias}."


def _value(
    fit: Fit, table: RatingTable, ask: RatingsAsk, seed: Seed
) -> tuple[float, Evidence | None]:
    """Return the best value and the evidence for its limits."""
    how = ask.record.how
    rated, totals = fit.rated, fit.totals
    ends = ask.scale or (float(table.values.min()), float(table.values.max()))
    width = ends[1] - ends[0]
    certified = ask.interval == CERTIFIED
    evidence: Any
    if how.of == DIFFERENCE:
        evidence = difference_limits(rated, width)
        value = evidence.value / np.sqrt(2)
        if certified:
            evidence = certified_mean(
                rated.differences, rated, width, (0.5, 1.0), _paired(rated, seed)
            )
    elif how.of == NOISE:
        part = fit.offset if fit.label.number is not None else 1.0
        most = width**2 / 2 * part
        evidence = noise_limits(rated, totals, fit.noise_of, most)
        value = evidence.value
        if certified:
            evidence = certified_mean(
                rated.spread, rated, width**2 / 2, (part, part), _paired(rated, seed)
            )
    else:
        link = partial(_linked, fit, how.link)
        evidence = ratio_limits(rated, totals, link)
        value = evidence.value
        if certified:
            wide = 1.0 if how.ranks else width
            evidence = certified_ratio(rated, wide, link, value, _paired(rated, seed))
    return float(value), None if ask.interval is None else evidence


def _paired(rated: Rated, seed: Seed) -> np.random.Generator:
    """Return a generator for pairs of items, which depends on the ratings as well.

    Items of a table are in the order of their ratings. One and the same permutation for all data
    would always pair the same ranks.
    """
    codes = np.unique(rated.value, return_inverse=True)[1].astype(np.int64)
    own = crc32(codes.tobytes())
    return np.random.default_rng([int(seed.begin().integers(2**32)), own])


def _linked(fit: Fit, link: Any, ratio: float) -> float:
    return float(link(fit.share(ratio)))


def _whole_grades(table: RatingTable, ask: RatingsAsk, signal: float, noise: float) -> float | None:
    """Return about the best QWK of whole grades with one more rating, where ratings are whole."""
    if ask.metric != "qwk" or ask.meant.number != 1 or signal + noise <= 0:
        return None
    if not (table.values == np.round(table.values)).all():
        return None
    return float(np.sqrt(signal / (signal + noise + 1 / 12)))


def _medians(table: RatingTable, r: int) -> RatingTable:
    """Return medians of r ratings each in place of the ratings, as many as items have."""
    if table.raters is not None:
        raise InputError(
            "`label` cannot be a median where raters are shared. Ask for a mean, or say "
            "`rater=False`."
        )
    table = table.one_by_one
    blocks = table.sizes // r
    if int((blocks > 1).sum()) < 2:
        raise InputError(
            f"`label`: the median of {r} ratings needs items with {2 * r} ratings, and "
            f"{int((blocks > 1).sum()):,} of {table.n:,} items have so many. Ask for the mean, "
            f"`label={r!r}`, which two ratings tell."
        )
    item = np.repeat(np.arange(len(table)), table.sizes)
    order = np.lexsort((np.random.default_rng(0).random(item.size), item))
    first = np.cumsum(table.sizes) - table.sizes
    place = np.arange(item.size) - first[item]
    kept = place < (blocks * r)[item]
    values = table.values[order][kept].reshape(-1, r)
    some = np.flatnonzero(blocks)
    made: dict[str, Any] = {
        name: None if (one := getattr(table, name)) is None else one[some]
        for name in ("weights", "clusters", "predictions")
    }
    middle = np.asarray(np.median(values, axis=1))
    made |= {"values": middle, "sizes": blocks[some], "counts": table.counts[some]}
    whole = replace(table, **made)
    return whole.merged[0]


# What cannot be answered -----------------------------------------------------------------------


def _refuse_unusable(table: RatingTable, ask: RatingsAsk) -> None:
    if ask.scale is not None:
        low, high = ask.scale
        off = (table.values < low) | (table.values > high)
        if off.any():
            raise InputError(
                f"`scale` is {low:g} to {high:g}, and {float(table.values[off][0]):g} is off it "
                f"({int(off.sum()):,} ratings). Correct the ratings or the scale."
            )
    if table.n < 2:
        raise InputError("`data` has one item. How items differ takes at least two; bring more.")
    several = int(table.counts @ (table.sizes > 1))
    if several == 0:
        raise InputError(
            "`data` has one rating per item, which cannot tell signal from noise. Have a second "
            "person rate some items; if ratings of one item are in several rows, name `item`."
        )
    if np.ptp(table.values) == 0:
        raise InputError(
            f"`data`: all {table.ratings:,} ratings are {float(table.values[0]):g}. Without any "
            "spread there is nothing to predict, and no R2 or correlation is defined."
        )


def _refuse_certified(fit: Fit, table: RatingTable, ask: RatingsAsk) -> None:
    if ask.interval != CERTIFIED:
        return
    why = None
    if fit.shared:
        why = "the same raters rate several items, so that items are not independent"
    elif table.weights is not None or table.clusters is not None:
        why = "items weigh differently or belong together"
    elif ask.record.how.ranks:
        why = "ranks depend on all items at once"
    if why is not None:
        raise InputError(
            f"`interval={CERTIFIED!r}` holds for independent items of equal weight, and here "
            f"{why}. Use `interval={JACKKNIFE!r}`."
        )


# Published agreement ---------------------------------------------------------------------------


PUBLISHED = ("icc", "qwk", "pearson")


def from_published(
    given: str, agreement: Any, n: Any, metric: str | None, interval: str | None, level: float
) -> RatingsEstimate:
    """Return the ceiling that a published agreement between two people means."""
    usual = metric if metric is not None else ("pearson" if given == "icc" else given)
    choices = tuple(name for name in NAMES if rating_metric(name).how.of == RATIO)
    record = rating_metric(check_choice(usual, choices, name="metric"))
    is_number = isinstance(agreement, Real) and not isinstance(agreement, bool)
    if not is_number or not -1 <= float(agreement) <= 1:
        raise InputError(f"`{given}` must be a number between -1 and 1, got {shown(agreement)}.")
    if n is not None:
        remedy = "Pass the number of items that both people rated."
        n = check_whole(n, name="n", least=4, remedy=remedy)
    if interval is not None:
        check_choice(interval, ("auto", "published"), name="interval")
    rho = float(agreement)
    evidence = None
    if n is not None and interval is not None:
        evidence = FisherLimits(rho, n, record.how.link)
    who = "Two people, drawn at random, rated each item independently; ratings are roughly normal"
    bias = "; the correlation ignores biases of raters" if given == "pearson" else ""
    made = RatingsEstimate(
        value=float(record.how.link(max(rho, 0.0))),
        method=METHOD,
        interval=None,
        n=n or 0,
        assumptions=f"{who}{bias}.",
        metric=record.name,
        target="one more rating",
        options={"interval": interval, "level": level, "given": given, "agreement": rho, "n": n},
        evidence=evidence,
        icc=max(rho, 0.0),
        signal=max(rho, 0.0),
        noise=1 - max(rho, 0.0),
        ratings=0,
    )
    if evidence is None:
        return made
    return replace(made, interval=Interval.at(level, evidence, made.measure))
