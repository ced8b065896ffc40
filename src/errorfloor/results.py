"""What the estimators return: frozen values that say what was found and how."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
)

import numpy as np

from errorfloor._checks import check_level
from errorfloor._typing import Counts, Floats
from errorfloor.tables import ScoreTable, VoteTable

if TYPE_CHECKING:
    from errorfloor._vote_likelihood import Mixture

FrameLibrary: TypeAlias = Literal["pandas", "polars", "pyarrow"]


class Evidence(Protocol):
    """What an interval was computed from, ready for another level."""

    @property
    def method(self) -> str:
        """Name of the interval."""

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval for a floor, as fractions within [0, 0.5]."""

    low: float
    high: float
    level: float
    method: str

    @classmethod
    def at(cls, level: float, evidence: Evidence) -> Interval:
        """Return the interval that `evidence` gives at `level`; a floor is never above 1/2."""
        low, high = evidence.limits(level)
        return cls(min(max(low, 0.0), 0.5), min(max(high, 0.0), 0.5), level, evidence.method)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """An error floor: its value, its interval, and how both were obtained.

    Attributes
    ----------
    value : float
        The floor as a fraction, 0 to 0.5.
    method : str
        How the value was obtained.
    interval : Interval or None
        None if it was skipped.
    n : int
        Number of items.
    assumptions : str
        What has to hold for value and interval to mean what they say.
    warnings : tuple of str
        Doubts met on the way, the same that were issued as warnings.
    resolution : float or None
        How far merging neighbouring scores into one row can have moved the value: 0 where none
        were merged, None where there is no bound for the method.
    dropped : int
        Items left out because something was missing, where that was asked for.
    table : ScoreTable or VoteTable or None
        The counts that the estimate is computed from, for pictures and reports.
    """

    value: float
    method: str
    interval: Interval | None
    n: int
    assumptions: str
    warnings: tuple[str, ...] = ()
    resolution: float | None = 0.0
    dropped: int = 0
    evidence: Evidence | None = field(default=None, repr=False)
    table: ScoreTable | VoteTable | None = field(default=None, repr=False)

    @property
    def low(self) -> float | None:
        """Lower limit of the interval."""
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        """Upper limit of the interval."""
        return self.interval.high if self.interval else None

    @property
    def level(self) -> float | None:
        """Confidence level of the interval."""
        return self.interval.level if self.interval else None

    @property
    def interval_method(self) -> str | None:
        """Name of the interval."""
        return self.interval.method if self.interval else None

    @property
    def replicates(self) -> Floats | None:
        """Bootstrap replicates of the value, where the interval came from a bootstrap."""
        return getattr(self.evidence, "replicates", None)

    def at_level(self, level: float) -> Estimate:
        """Return the same estimate with its interval at another level, without new draws."""
        if self.evidence is None:
            raise ValueError(
                "This estimate has no interval. Estimate again without `interval=None`."
            )
        return replace(self, interval=Interval.at(check_level(level), self.evidence))

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
            "interval_method": self.interval_method,
            "n": self.n,
            "resolution": self.resolution,
            "dropped": self.dropped,
            "assumptions": self.assumptions,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        value, limits = _in_per_cent(self)
        how = f"{self.method}, n = {self.n:,}"
        if self.interval is None:
            return f"floor {value} ({how})"
        level = f"{100 * self.interval.level:g} %"
        return f"floor {value}, {level} interval {limits} ({how}, {self.interval.method})"

    def _repr_html_(self) -> str:
        return _html_of([self]) + f"<p><small>{html.escape(self.assumptions)}</small></p>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VotesEstimate(Estimate):
    """An error floor from votes, with what the votes' plain shares would have said.

    Attributes
    ----------
    plugin : float
        Mean share of minority votes, the paper's `hard` estimate.
    bias : float or None
        How far the plug-in lies from the floor on average, at the fitted distribution; negative.
        None where single votes leave it open.
    bias_bound : float or None
        The paper's bound on the size of that bias for any distribution whose floor is at most
        the model error that was given (corollary 2).
    mixture : Mixture or None
        The distribution of probabilities that best explains the votes.
    """

    plugin: float
    bias: float | None
    bias_bound: float | None = None
    mixture: Mixture | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        extra = {"plugin": self.plugin, "bias": self.bias, "bias_bound": self.bias_bound}
        return {**Estimate.to_dict(self), **extra}


class _Row(Protocol):
    """What was found for one method."""

    @property
    def method(self) -> str:
        """Name of the method."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""


RowT = TypeVar("RowT", bound=_Row)


class _Rows(Generic[RowT]):
    """Results of several methods on the same items, one row each."""

    __slots__ = ()
    rows: Any  # a tuple of RowT: a field of one kind of result, computed by the other

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RowT]:
        return iter(self.rows)

    def __getitem__(self, method: str) -> RowT:
        for row in self:
            if row.method == method:
                return row
        raise KeyError(f"{method!r} was not compared; there are {', '.join(self.methods)}")

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order of the rows."""
        return tuple(row.method for row in self)

    def to_frame(self, backend: FrameLibrary | None = None) -> Any:
        """Return the rows as a dataframe of the library that is at hand.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first of these that is imported already, or else installed, by default.
        """
        return _to_frame([row.to_dict() for row in self], backend)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(_Rows[Estimate]):
    """The floors of several methods on the same items and the same resamples."""

    rows: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all rows as plain values, ready for JSON."""
        return {"rows": [row.to_dict() for row in self], "notes": list(self.notes)}

    def __str__(self) -> str:
        lines = [
            ("method", "floor", "interval", "by"),
            *((row.method, *_in_per_cent(row), row.interval_method or "") for row in self),
        ]
        return "\n".join([*_text_table(lines, "<>><"), *self.notes])

    def _repr_html_(self) -> str:
        return _html_of(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Groups(Mapping[Any, Estimate]):
    """The floors of the groups of one data set, by the groups' names.

    Attributes
    ----------
    column : str
        What the items were grouped by.
    estimates : dict
        The estimate of each group.
    level : float
        Confidence level: of all intervals at once if `simultaneous`, else of each.
    simultaneous : bool
        Whether all intervals hold at once: each of g intervals then has the level
        ``1 - (1 - level) / g``. Groups that were formed after a look at the labels are not covered
        by any level.
    dropped : int
        Items left out of all groups, and items without a group.
    """

    column: str
    estimates: Mapping[Any, Estimate]
    level: float
    simultaneous: bool = False
    dropped: int = 0

    def __getitem__(self, group: Any) -> Estimate:
        return self.estimates[group]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return all groups as plain values, ready for JSON."""
        return {
            "group": self.column,
            "level": self.level,
            "simultaneous": self.simultaneous,
            "dropped": self.dropped,
            "rows": [{"group": _jsonable(name), **row.to_dict()} for name, row in self.items()],
        }

    def to_frame(self, backend: FrameLibrary | None = None) -> Any:
        """Return a dataframe with one row a group; `backend` as for a `Comparison`."""
        return _to_frame([row.to_dict() for row in self.values()], backend, {"group": list(self)})

    def __str__(self) -> str:
        rows = ((str(name), f"{row.n:,}", *_in_per_cent(row)) for name, row in self.items())
        lines = _text_table([(self.column, "n", "floor", "interval"), *rows], "<>>>")
        return "\n".join([*lines, self._how()])

    def _repr_html_(self) -> str:
        rows = [(str(name), f"{row.n:,}", *_in_per_cent(row)) for name, row in self.items()]
        table = _html_table((self.column, "n", "floor", "interval"), rows)
        return f"{table}<p><small>{html.escape(self._how())}</small></p>"

    def _how(self) -> str:
        method = next(iter(self.values())).method
        level = f"{100 * self.level:g} %"
        return (
            f"{method}, {level} for {'all groups at once' if self.simultaneous else 'each group'}"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdict:
    """Where a model stands: its error less the floor.

    Attributes
    ----------
    verdict : {"room", "saturated", "below"}
        Whether the difference is above 0, cannot be told from 0, or is below 0.
    difference, low, high : float
        The model's error less the floor, and the limits at `level`.
    p_above, p_below : float
        P-values: small `p_above` speaks against a model at or below the floor, small `p_below`
        against one at or above it.
    """

    verdict: str
    difference: float
    low: float
    high: float
    level: float
    p_above: float
    p_below: float
    model_error: float
    n: int
    floor: Estimate
    warnings: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in one plain sentence."""
        model = f"The model's error of {100 * self.model_error:.2f} %"
        floor = f"the floor of {100 * self.floor.value:.2f} %"
        low, high = 100 * abs(self.low), 100 * abs(self.high)
        if self.verdict == "room":
            return f"{model} is above {floor}: {low:.2f} to {high:.2f} points of room are left."
        if self.verdict == "saturated":
            return f"{model} cannot be told from {floor}: at most {high:.2f} points are left."
        return (
            f"{model} is below {floor} by {high:.2f} to {low:.2f} points, which no classifier can "
            "be: suspect a leaked test set, labels made in another way, or scores out of order."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict and how it was reached as plain values, ready for JSON."""
        names = ("verdict", "difference", "low", "high", "level", "p_above", "p_below")
        return {
            **{name: getattr(self, name) for name in (*names, "model_error", "n", "sentence")},
            "floor": self.floor.to_dict(),
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Option:
    """One way to reach a target: so many votes on so many items, at a cost."""

    votes: int
    items: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """How wide the interval of a floor will be, and what is the cheapest way to a target.

    Attributes
    ----------
    votes : array of shape (a,)
        Numbers of votes an item; a single 1 for scores with one label an item.
    items : array of shape (b,)
        Numbers of items.
    width : array of shape (a, b)
        Expected width of the interval at `level`.
    bias : array of shape (a,)
        Expected bias of the plug-in from so many votes; 0 for scores.
    floor : float
        The floor that the pilot suggests.
    options : tuple of Option
        The items each number of votes needs for the target; numbers that cannot reach it are
        left out.
    advice : str
        What to do, in plain words.
    """

    votes: Counts
    items: Counts
    width: Floats
    bias: Floats
    floor: float
    level: float
    target: float | None
    options: tuple[Option, ...]
    advice: str

    @property
    def best(self) -> Option | None:
        """The cheapest option."""
        return min(self.options, key=lambda option: option.cost, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, ready for JSON."""
        return {
            "votes": self.votes.tolist(),
            "items": self.items.tolist(),
            "width": self.width.tolist(),
            "bias": self.bias.tolist(),
            "floor": self.floor,
            "level": self.level,
            "target": self.target,
            "options": [asdict(option) for option in self.options],
            "best": asdict(self.best) if self.best else None,
            "advice": self.advice,
        }

    def __str__(self) -> str:
        head = ["votes", "plug-in bias", *(f"{n:,} items" for n in self.items)]
        rows = [
            [f"{m}", f"{100 * bias:+.2f}", *(f"{100 * width:.2f}" for width in widths)]
            for m, bias, widths in zip(self.votes, self.bias, self.width, strict=True)
        ]
        sizes = [max(len(line[i]) for line in (head, *rows)) for i in range(len(head))]
        lines = [
            "  ".join(f"{cell:>{size}}" for cell, size in zip(line, sizes, strict=True))
            for line in (head, *rows)
        ]
        title = f"Width of the {100 * self.level:g} % interval, in percentage points"
        return "\n".join([title, *lines, self.advice])


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher the FeeBee score of `first` is than that of `second` on the same noise.

    The limits are those of Student's t over the repeats; None where there is one repeat only.
    """

    first: str
    second: str
    value: float
    low: float | None
    high: float | None
    level: float

    @property
    def is_clear(self) -> bool:
        """Whether the limits leave 0 out."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class FeeBeeScore:
    """One method's FeeBee score: the mean distance by which its curve is out of bounds.

    Attributes
    ----------
    score : float
        Mean over the repeats; the sum of `upper` and `lower`.
    standard_error : float or None
        Of `score`, from the spread over the repeats; None where there is one repeat only. It
        tells what other noise would have changed, not what other items would.
    upper, lower : float
        What estimates above the upper bound add to the score, and estimates below the lower.
    excess : Difference
        The score less the oracle's on the same noise.
    """

    method: str
    score: float
    standard_error: float | None
    upper: float
    lower: float
    excess: Difference

    def to_dict(self) -> dict[str, Any]:
        """Return the score and its parts as plain values, ready for JSON."""
        names = ("method", "score", "standard_error", "upper", "lower")
        return {
            **{name: getattr(self, name) for name in names},
            "excess": self.excess.value,
            "excess_low": self.excess.low,
            "excess_high": self.excess.high,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseCurve:
    """A method's mean estimate at each level of noise.

    `low` to `high` is where one more run would fall at `level`, by Student's t over the repeats;
    None where there is one repeat only. The true floor lies between the two bounds.
    """

    method: str
    noise: Floats
    estimate: Floats
    low: Floats | None
    high: Floats | None
    level: float
    lower_bound: Floats
    upper_bound: Floats


ORACLE = "oracle"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeeBeeResult(_Rows[FeeBeeScore]):
    """How well each method follows label noise that was added on purpose.

    Iterate over it, or index it by method, for the scores; "oracle" is a name as well.

    Attributes
    ----------
    model_error : float
        Error of a known model, which bounds the floor from above.
    n : int
        Number of items.
    noise : array of shape (levels,)
        Probability that a label is redrawn by a fair coin.
    estimates : dict of arrays of shape (repeats, levels)
        Each method's estimate on each noisy table, and the oracle's, the last. Methods saw the
        same tables, so their differences are paired.
    notes, warnings : tuple of str
        What was left out, and doubts met on the way.
    """

    model_error: float
    n: int
    noise: Floats
    estimates: Mapping[str, Floats] = field(repr=False)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[FeeBeeScore, ...]:
        """The score of each method, without the oracle."""
        return tuple(self._score(method) for method in self.estimates if method != ORACLE)

    @property
    def oracle(self) -> FeeBeeScore:
        """What an unbiased estimator scores on the same noise; see `feebee`."""
        return self._score(ORACLE)

    @property
    def repeats(self) -> int:
        """How often the noise was drawn at each level."""
        return len(self.estimates[ORACLE])

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the largest floor that each level of noise allows."""
        least = self.noise / 2
        return least, least + (1 - self.noise) * self.model_error

    def __getitem__(self, method: str) -> FeeBeeScore:
        self._check(method)
        return self._score(method)

    def runs(self, method: str) -> Floats:
        """Return the score of each repeat, what one run of FeeBee would have reported."""
        self._check(method)
        return np.asarray(sum(self._parts(method)))

    def difference(self, first: str, second: str = ORACLE, *, level: float = 0.95) -> Difference:
        """Return how much higher the score of `first` is than that of `second`, with limits."""
        gap = self.runs(first) - self.runs(second)
        value, error = float(gap.mean()), _standard_error(gap)
        if error is None:
            return Difference(first, second, value, None, None, check_level(level))
        reach = _student(level, gap.size) * error
        return Difference(first, second, value, value - reach, value + reach, level)

    def differences(self, *, level: float = 0.95) -> tuple[Difference, ...]:
        """Return the difference of every pair of methods."""
        pairs = combinations(self.methods, 2)
        return tuple(self.difference(*pair, level=level) for pair in pairs)

    def curve(self, method: str, *, level: float = 0.95) -> NoiseCurve:
        """Return the mean estimate at each level of noise, with a band and the bounds."""
        self._check(method)
        found = self.estimates[method]
        mean, low, high = found.mean(axis=0), None, None
        level = check_level(level)
        if self.repeats > 1:
            spread = found.std(axis=0, ddof=1) * np.sqrt(1 + 1 / self.repeats)
            reach = _student(level, self.repeats) * spread
            low, high = mean - reach, mean + reach
        least, largest = self.bounds
        return NoiseCurve(
            method=method,
            noise=self.noise,
            estimate=mean,
            low=low,
            high=high,
            level=level,
            lower_bound=least,
            upper_bound=largest,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return scores, paired differences and curves as plain values, ready for JSON."""
        curves = {method: found.mean(axis=0).tolist() for method, found in self.estimates.items()}
        return {
            "model_error": self.model_error,
            "n": self.n,
            "levels": self.noise.size,
            "repeats": self.repeats,
            "level": 0.95,
            "rows": [row.to_dict() for row in self],
            "oracle": self.oracle.to_dict(),
            "differences": [
                {name: getattr(gap, name) for name in ("first", "second", "value", "low", "high")}
                for gap in self.differences()
            ],
            "noise": self.noise.tolist(),
            "curves": curves,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return "\n".join([*_text_table(self._lines(), "<>>>>>"), self._how(), *self.notes])

    def _repr_html_(self) -> str:
        head, *lines = self._lines()
        return _html_table(head, lines) + f"<p><small>{html.escape(self._how())}</small></p>"

    def _check(self, method: str) -> None:
        if method not in self.estimates:
            names = ", ".join(self.estimates)
            raise KeyError(f"{method!r} was not evaluated; there are {names}")

    def _parts(self, method: str) -> tuple[Floats, Floats]:
        """Return what is above and what is below the bounds, a number for each repeat."""
        least, largest = self.bounds
        found = self.estimates[method]
        above, below = np.maximum(found - largest, 0), np.maximum(least - found, 0)
        return above.mean(axis=1), below.mean(axis=1)

    def _score(self, method: str) -> FeeBeeScore:
        upper, lower = self._parts(method)
        return FeeBeeScore(
            method=method,
            score=float(upper.mean() + lower.mean()),
            standard_error=_standard_error(upper + lower),
            upper=float(upper.mean()),
            lower=float(lower.mean()),
            excess=self.difference(method),
        )

    def _lines(self) -> list[tuple[str, ...]]:
        # Two digits of the oracle's standard error, and five decimals at least, as the paper has.
        error = self.oracle.standard_error or 1.0
        digits = int(np.clip(1 - np.floor(np.log10(error)), 5, 12))
        head = ("method", "score", "std. error", "above", "below", "over the oracle, 95 %")
        return [head, *(_score_line(row, digits) for row in (*self, self.oracle))]

    def _how(self) -> str:
        return (
            f"{self.repeats} repeats of {self.noise.size} levels of noise, n = {self.n:,}, "
            f"model error {100 * self.model_error:.4g} %"
        )


def _score_line(row: FeeBeeScore, digits: int) -> tuple[str, ...]:
    error = "" if row.standard_error is None else f"{row.standard_error:.{digits}f}"
    gap = row.excess
    if row.method == ORACLE or gap.low is None:
        over = ""
    else:
        over = f"{gap.low:+.{digits}f} to {gap.high:+.{digits}f}"
    numbers = (f"{value:.{digits}f}" for value in (row.score, row.upper, row.lower))
    score, upper, lower = numbers
    return row.method, score, error, upper, lower, over


def _standard_error(values: Floats) -> float | None:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None


def _student(level: float, size: int) -> float:
    """Return Student's quantile for a two-sided interval from `size` values."""
    from scipy.special import stdtrit

    return float(stdtrit(size - 1, (1 + check_level(level)) / 2))


def _jsonable(value: Any) -> Any:
    """Return a value that JSON has as it is, and any other, such as a date, as text."""
    plain = isinstance(value, str | int) or (isinstance(value, float) and np.isfinite(value))
    return value if plain else str(value)


def _in_per_cent(row: Estimate) -> tuple[str, str]:
    """Return value and interval for people to read, with digits enough for their difference."""
    if row.interval is None:
        return f"{100 * row.value:.2f} %", ""
    low, high = 100 * row.interval.low, 100 * row.interval.high
    digits = 2 if high - low > 0.1 else 3
    return f"{100 * row.value:.{digits}f} %", f"{low:.{digits}f} % to {high:.{digits}f} %"


def _html_of(rows: Sequence[Estimate]) -> str:
    head = ("method", "floor", "interval", "level", "by", "n")
    lines = [
        (
            row.method,
            *_in_per_cent(row),
            "" if row.level is None else f"{100 * row.level:g} %",
            row.interval_method or "",
            f"{row.n:,}",
        )
        for row in rows
    ]
    return _html_table(head, lines)


def _html_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        inner = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(row(line, "td") for line in lines)
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>"


def _text_table(lines: Sequence[Sequence[str]], align: str) -> list[str]:
    """Return lines with columns as wide as their widest cell, left (<) or right (>) aligned."""
    width = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            f"{cell:{side}{size}}" for cell, side, size in zip(line, align, width, strict=True)
        ).rstrip()
        for line in lines
    ]


def _to_frame(
    rows: Sequence[Mapping[str, Any]],
    backend: FrameLibrary | None,
    names: Mapping[str, Sequence[Any]] | None = None,
) -> Any:
    """Return rows of plain values as a dataframe, after columns of `names`."""
    import narwhals as nw

    columns = [name for name in rows[0] if name not in ("assumptions", "warnings")]
    data = {**(names or {}), **{name: [row[name] for row in rows] for name in columns}}
    return nw.from_dict(data, backend=backend or _frame_library()).to_native()


def _frame_library() -> FrameLibrary:
    import importlib.util
    import sys

    libraries = get_args(FrameLibrary)
    for library in libraries:
        if library in sys.modules:
            return cast("FrameLibrary", library)
    for library in libraries:
        if importlib.util.find_spec(library):
            return cast("FrameLibrary", library)
    raise ImportError("to_frame needs pandas, polars or pyarrow: pip install pandas")
