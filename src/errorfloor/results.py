"""What the estimators return: frozen values that say what was found and how."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, cast, get_args

from errorfloor._checks import check_level
from errorfloor._typing import Counts, Floats

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
    """

    value: float
    method: str
    interval: Interval | None
    n: int
    assumptions: str
    warnings: tuple[str, ...] = ()
    evidence: Evidence | None = field(default=None, repr=False)

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
        return _html_table([self]) + f"<p><small>{html.escape(self.assumptions)}</small></p>"


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
    """

    plugin: float
    bias: float | None
    bias_bound: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        extra = {"plugin": self.plugin, "bias": self.bias, "bias_bound": self.bias_bound}
        return {**Estimate.to_dict(self), **extra}


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The floors of several methods on the same items and the same resamples."""

    rows: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.rows)

    def __getitem__(self, method: str) -> Estimate:
        for row in self.rows:
            if row.method == method:
                return row
        raise KeyError(f"{method!r} was not compared; there are {', '.join(self.methods)}")

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order of the rows."""
        return tuple(row.method for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return all rows as plain values, ready for JSON."""
        return {"rows": [row.to_dict() for row in self.rows], "notes": list(self.notes)}

    def to_frame(self, backend: FrameLibrary | None = None) -> Any:
        """Return the rows as a dataframe of the library that is at hand.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first of these that is imported already, or else installed, by default.
        """
        import narwhals as nw

        rows = [row.to_dict() for row in self.rows]
        columns = [name for name in rows[0] if name not in ("assumptions", "warnings")]
        data = {name: [row[name] for row in rows] for name in columns}
        return nw.from_dict(data, backend=backend or _frame_library()).to_native()

    def __str__(self) -> str:
        lines = [
            ("method", "floor", "interval", "by"),
            *((row.method, *_in_per_cent(row), row.interval_method or "") for row in self.rows),
        ]
        width = [max(len(line[i]) for line in lines) for i in range(4)]
        text = [
            f"{a:<{width[0]}}  {b:>{width[1]}}  {c:>{width[2]}}  {d}".rstrip()
            for a, b, c, d in lines
        ]
        return "\n".join([*text, *self.notes])

    def _repr_html_(self) -> str:
        return _html_table(self.rows)


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


def _in_per_cent(row: Estimate) -> tuple[str, str]:
    """Return value and interval for people to read, with digits enough for their difference."""
    if row.interval is None:
        return f"{100 * row.value:.2f} %", ""
    low, high = 100 * row.interval.low, 100 * row.interval.high
    digits = 2 if high - low > 0.1 else 3
    return f"{100 * row.value:.{digits}f} %", f"{low:.{digits}f} % to {high:.{digits}f} %"


def _html_table(rows: Any) -> str:
    head = (
        "<tr><th>method</th><th>floor</th><th>interval</th><th>level</th><th>by</th><th>n</th></tr>"
    )
    body = ""
    for row in rows:
        level = "" if row.level is None else f"{100 * row.level:g} %"
        cells = (row.method, *_in_per_cent(row), level, row.interval_method or "", f"{row.n:,}")
        body += "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


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
