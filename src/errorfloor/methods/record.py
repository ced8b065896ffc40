"""What a method is: a record of what it reads, assumes and promises, and of what does the work.

Some fit a map from scores to probabilities, of class 1 or of many classes; these maps are below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    ForwardRef,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
)

import numpy as np

from errorfloor._checks import (
    InputError,
    argument,
    as_probabilities,
    as_scores,
    check_choice,
    shown,
)
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Sample
from errorfloor.methods.fitted import Fitted
from errorfloor.methods.votes.aims import Aim, Target, aim_of, target_of
from errorfloor.methods.votes.stopping import StoppingRule, rule_named
from errorfloor.metrics import BUILT_IN, ERROR, USUAL, Metric, named, names

if TYPE_CHECKING:
    from errorfloor.data.tables import ScoreTable, Table
else:  # which `typing.get_type_hints` finds
    ScoreTable = ForwardRef("ScoreTable", module="errorfloor.data.tables")
    Table = ForwardRef("Table", module="errorfloor.data.tables")

Clip: TypeAlias = float | Literal["auto"]
COLOURS = ("blue", "orange", "green", "red", "purple", "sky", "grey")  # of `show/palette.py`

# Why items have unequal numbers of votes: it has nothing to do with them, it depends on what the
# item is like, or on its votes so far.
TOTALS_BY = CHANCE, ITEM_DECIDES, VOTES_DECIDE = "chance", "item", "votes"

# Which label a floor is for.
GIVEN_LABEL, GOLD_LABEL = "the given label", "the gold label"
DRAWN_LABEL = "a label drawn from the soft labels"
_MOST_DIGITS = 15  # of the number in a method's name


FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def uses_weights(
    *metrics: str, where: Callable[[Metric], bool] | None = None
) -> Callable[[FunctionT], FunctionT]:
    """Mark a function that uses weights and clusters of cells, for these metrics or for all.

    With `where`, for the metrics of which that is so. A mark of the function, not of the record,
    so that a copy of a record with another function does not promise what that does not do.
    """

    def marked(function: FunctionT) -> FunctionT:
        setattr(function, _WEIGHTED, where or partial(_is_among, frozenset(metrics)))
        return function

    return marked


def _is_among(metrics: frozenset[str], metric: Metric) -> bool:
    return not metrics or metric.name in metrics


def uses_weights_for(function: Callable[..., Any], metric: Metric) -> bool:
    """Tell whether a function was marked as using weights for a metric."""
    where = getattr(function, _WEIGHTED, None)
    return where is not None and bool(where(metric))


_WEIGHTED = "uses_weights_for"  # an attribute of functions that do


class Statistic(Protocol):
    """A number computed from the items of a table, bound to the table's cells."""

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the statistic for each row of `counts`, an array of shape (k, cells).

        `rng` is for statistics that divide items at random; the others leave it alone.
        """


def value_of(statistic: Statistic, count: Counts, draw: Draw) -> float:
    """Return the value on the items of a table; a `Fitted` has it already."""
    if isinstance(statistic, Fitted):
        return statistic.value
    return float(statistic.values(count[None], draw("folds"))[0])


class Classes(Enum):
    """How many classes a method is for; a method of one name may be there twice."""

    TWO = "two classes"
    MANY = "more than two classes"

    @classmethod
    def of(cls, table: Table) -> Classes:
        """Return which methods the classes of a table call for."""
        return cls.TWO if len(table.classes) == 2 else cls.MANY


class Basis(Enum):
    """What an interval is computed from; a method says which of these it has.

    Of a statistic ITEMS asks for `leave_one_out` besides `values`. CUTS and, of many classes, RULES
    ask for nothing: their intervals try cuts and rules of the scores. So do MIXTURE, VALUE,
    PARTITIONS and MANY_VALUE, whose intervals read the votes. Any other asks for a class: MEAN for
    `MeanFloor` (`methods/fitted.py`), SMOOTH and ROOTS for `BestValue` (`methods/soft.py`), PAIRS
    and PRECISION for `RankFit` (`methods/ranks.py`), POWERED for `PredictionPowered`,
    BOUNDED_LOSSES for `MapFit`, and the rest for a `Fitted` that was chosen among others.
    """

    ITEMS = "resampled items"
    MEAN = "a mean of known numbers"
    CUTS = "errors of cuts of the scores"
    MIXTURE = "the distribution behind votes"
    VALUE = "a value of the distribution behind votes"
    PARTITIONS = "the distribution behind votes for many classes"
    MANY_VALUE = "a value of the distribution behind votes for many classes"
    SMOOTH = "a smooth function of the distribution of items"
    ROOTS = "a value that means of known numbers determine"
    RULES = "errors of rules that choose a class by weighted scores"
    CUT_TABLES = "both kinds of error of cuts of the scores"
    EXACT_TABLES = "both kinds of error of cuts, where their law is known"
    PAIRS = "pairs of items of both classes, in the order of the scores"
    PRECISION = "positive items in the order of the scores"
    LOSSES = "losses of fitted probabilities or decisions on items held out"
    BOUNDED_LOSSES = "losses of fitted probabilities that are at most one"
    SELECTED = "errors on the items that are surest by the scores"
    POWERED = "labels of some items and scores of all"


class Shape(Enum):
    """What a method assumes of the map from scores to probabilities."""

    ORDER = "it rises"
    BINS = "it is flat within bins"
    CURVE = "it is a curve of few parameters"
    NONE = "it is the identity, or there is no map"


def _always_alike(purpose: str) -> np.random.Generator:
    return np.random.default_rng(0)


@dataclass(frozen=True, slots=True)
class Options:
    """What a user may say about how a method works."""

    clip: Clip = "auto"  # how far scores are kept from 0 and 1
    totals_by: str = "chance"  # why items have unequal numbers of votes
    stopping: str | None = None  # the rule by which votes were collected until they agreed
    majority: int | None = None  # of how many votes the label is the majority
    metric: Metric = ERROR  # what the floor or ceiling is of
    draw: Draw = field(default=_always_alike, compare=False, repr=False)  # for methods that divide

    def __post_init__(self) -> None:
        check_choice(self.totals_by, TOTALS_BY, name="totals_by")
        if self.stopping is not None:
            rule_named(self.stopping)
            if self.totals_by != VOTES_DECIDE:
                raise InputError(
                    *(argument("stopping"), " says how votes decided when to stop. It goes with "),
                    *(argument("totals_by", VOTES_DECIDE), "; leave one of them out."),
                )
        target_of(self.majority)
        clip = self.clip
        is_number = isinstance(clip, int | float | np.number)
        if not (0 < clip < 0.5 if is_number else isinstance(clip, str) and clip == "auto"):  # type: ignore[operator]
            raise InputError(
                argument("clip"),
                f' must be "auto" or a number between 0 and 0.5, got {shown(clip)}. '
                "numpy.finfo(float).eps clips as betacal does.",
            )

    @property
    def target(self) -> Target:
        """Which label a floor from votes is for."""
        return target_of(self.majority)

    @property
    def aim(self) -> Aim | None:
        """What a best value from votes is the mean of; None where it is no mean over items."""
        return aim_of(self.metric, self.target)

    @property
    def rule(self) -> StoppingRule | None:
        """The declared rule by which votes were collected."""
        return None if self.stopping is None else rule_named(self.stopping)

    @property
    def by_item(self) -> bool:
        """Whether items of each total have a distribution of their own."""
        return self.totals_by == ITEM_DECIDES

    def distance(self, scores: Floats) -> float:
        """Return how far to keep these scores from 0 and 1.

        "auto" is half the smallest distance from 0 or 1 that is not itself zero.
        """
        if self.clip != "auto":
            return float(self.clip)
        distance = np.minimum(np.abs(scores), np.abs(1 - scores))
        positive = distance[distance > 0]
        return float(positive.min() / 2) if positive.size else 0.25


DEFAULT_OPTIONS = Options()


def check_references(record: Any) -> None:
    """Refuse a record whose references are one text, of which each letter would be one."""
    if isinstance(record.references, str):
        raise InputError(
            f"The record {record.name} has text as references. Write a tuple: "
            f"references=({record.references!r},)."
        )


def unknown_resolution(table: Any, metric: Metric) -> float | None:
    """Say that nobody knows how far merged rows can have moved the value."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Method:
    """A way to estimate how good any model can get.

    Attributes
    ----------
    name : str
        The paper's, where it has one.
    reads : str
        The kind of table.
    classes : Classes
        For how many classes it is.
    metrics : tuple of str
        Which metrics it answers for. Methods of one name may be there for several.
    answers : callable, optional
        For which others, that someone may add, it does as well.
    bind : callable
        From the items of a table, a `Sample` (`data/sample.py`), and `Options` to the estimate as a
        `Statistic`.
    bases : frozenset of Basis
        What intervals can be computed from.
    interval : str
        The name of the default one.
    assumes, if_wrong, explains : str
        What has to hold; what happens where it does not; what the method does. For people.
    references : tuple of str
        Where it comes from.
    target : str
        Which label the floor is for.
    shape : Shape
        What it assumes of the map from scores to probabilities.
    colour : str
        Its colour in pictures, one of `COLOURS`.
    fit : callable, optional
        From a table and options to the calibration map, where it has one.
    curve : str
        Whose map pictures show for it: its own, unless it has none.
    needs_probabilities : bool
        Whether scores must lie in [0, 1].
    options : tuple of str
        Which `Options` it uses; with "majority" among them the user chooses the target.
    resolution : callable
        From a table and a metric to how far merged rows can have moved the value; None where nobody
        knows.
    when_merged : str
        What it does with merged rows, where nobody knows how far that moves the value.
    partly : bool
        Whether it is for tables in which some items have no label, and uses their scores.
    optimistic : bool
        Whether its value is too good on average, so that only the better limit is one of the best
        that any model can do.
    rule : str
        Of scores: whose best value it is, with {} for the scores; by default what its shape and the
        metric say.
    condition : str
        What has to be true of scores that are declared complete, behind "these scores are complete
        and"; by default what its shape says.
    beyond_guessing : bool
        Whether a value that is worse than guessing stays as it is, because it refutes what the
        method assumes. Other values end there: the best value is no worse than that of a guess, so
        that where held-out items are, the guess is nearer to it.
    """

    name: str
    reads: str
    bind: Callable[[Sample, Options], Statistic]
    bases: frozenset[Basis]
    interval: str
    assumes: str
    if_wrong: str
    explains: str
    references: tuple[str, ...]
    classes: Classes = Classes.TWO
    metrics: tuple[str, ...] = USUAL
    answers: Callable[[Metric], bool] | None = None
    target: str = GIVEN_LABEL
    shape: Shape = Shape.NONE
    colour: str = "grey"
    fit: Callable[[Any, Options], Calibration | ClassCalibration] | None = None
    curve: str | None = None
    needs_probabilities: bool = False
    options: tuple[str, ...] = ()
    resolution: Callable[[Any, Metric], float | None] = unknown_resolution
    when_merged: str = "takes each at its middle"
    partly: bool = False
    optimistic: bool = False
    rule: str = ""
    condition: str = ""
    beyond_guessing: bool = False

    def __post_init__(self) -> None:
        """Refuse what would be noticed much later, by a user."""
        check_references(self)
        if self.colour not in COLOURS:
            raise InputError(
                f"The record of the method {self.name} has colour={self.colour!r}. Write one of "
                f"{', '.join(COLOURS)}."
            )

    def is_for(self, metric: str) -> bool:
        """Tell whether it answers for the metric of a name."""
        if metric in self.metrics:
            return True
        added = metric not in BUILT_IN and metric in names()
        return added and self.answers is not None and self.answers(named(metric))

    @property
    def shown_as(self) -> str:
        """The method whose map pictures show for this one."""
        return self.curve or self.name

    def target_with(self, options: Options, annotators: int | None = None) -> str:
        """Which label the floor is for, where a user may choose it, and by whom if by so few."""
        return options.target.words(annotators) if "majority" in self.options else self.target

    def weighs(self, metric: Metric = ERROR) -> bool:
        """Tell whether it uses weights of items, and which items belong together."""
        return uses_weights_for(self.bind, metric)

    def takes(self, table: Table) -> bool:
        """Tell whether the table's scores lie where the method needs them."""
        places = getattr(table, "places", np.zeros(1))
        return not self.needs_probabilities or bool(places.min() >= 0 and places.max() <= 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """Methods that differ in one whole number, such as hist-K."""

    stem: str
    letter: str  # that stands for the number
    usual: tuple[int, ...]
    make: Callable[[int], Method]

    @property
    def name(self) -> str:
        """The name with a letter for the number."""
        return f"{self.stem}-{self.letter}"

    def numbered(self, name: str) -> Method | None:
        """Return the method of that name, or None if it is none of these."""
        stem, _, number = name.rpartition("-")
        if stem != self.stem or not number.isdecimal() or len(number) > _MOST_DIGITS:
            return None
        if number != str(int(number)):
            return None
        return self.make(int(number)) if int(number) else None

    def resembles(self, name: str) -> bool:
        """Tell whether the name is one of these but for its number."""
        stem, _, number = name.partition("-")
        return stem == self.stem and not number.strip("-+.0123456789")


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    arrays = {name: one.tolist() for name, one in parameters.items() if isinstance(one, np.ndarray)}
    return {**parameters, **arrays}


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A fitted map from scores to probabilities; call it on new scores.

    Scores outside the range seen in the fit get the value at its nearer end.
    """

    method: str
    table: ScoreTable = field(repr=False)
    probabilities: Floats = field(repr=False)  # at table.scores
    parameters: Mapping[str, Any]
    _map: Callable[[Floats], Floats] = field(repr=False)
    _needs_probabilities: bool = field(default=False, repr=False)

    def __call__(self, scores: object) -> Floats:
        """Return the fitted probability of class 1 at each of `scores`."""
        checked = as_probabilities if self._needs_probabilities else as_scores
        s = checked(scores, name="scores")
        return self._map(np.clip(s, self.table.scores[0], self.table.scores[-1]))

    def to_dict(self) -> dict[str, Any]:
        """Return the map at the scores of the fit as plain values, ready for JSON."""
        return {
            "method": self.method,
            "n": self.table.n,
            "floor": self.floor,
            "parameters": _plain(self.parameters),
            "scores": self.table.scores.tolist(),
            "probabilities": self.probabilities.tolist(),
        }

    @property
    def floor(self) -> float:
        """Mean of ``min(p, 1 - p)`` over the items of the fit."""
        return ERROR.best(self.probabilities, self.table.items)


@dataclass(frozen=True, slots=True, eq=False)
class ClassCalibration:
    """A fitted map from scores to the probabilities of all classes; call it on new scores.

    Attributes
    ----------
    method : str
        The method that fitted it.
    table : ScoreTable
        What it was fitted to.
    parameters : dict
        What was fitted, by name; arrays have one entry for each class.
    """

    method: str
    table: ScoreTable = field(repr=False)
    parameters: Mapping[str, Any]
    _map: Callable[[Floats], Floats] = field(repr=False)
    _logits: bool = field(default=False, repr=False)  # else no score may be below 0

    def __call__(self, scores: object) -> Floats:
        """Return the probability of each class, for rows of one score per class."""
        return self._map(self._checked(scores))

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, in the order of columns."""
        return self.table.classes

    @property
    def probabilities(self) -> Floats:
        """Those at the scores of the fit."""
        return self._map(self.table.scores)

    @property
    def floor(self) -> float:
        """Mean of ``1 - max p`` over the items of the fit."""
        return ERROR.best(self.probabilities, self.table.items)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain values, ready for JSON."""
        return {
            "method": self.method,
            "n": self.table.n,
            "classes": list(self.classes),
            "floor": self.floor,
            "parameters": _plain(self.parameters),
        }

    def _checked(self, scores: object) -> Floats:
        array = np.asarray(scores, dtype=np.float64)
        classes = len(self.classes)
        if array.ndim != 2 or array.shape[1] != classes or not array.size:
            raise InputError(
                argument("scores"),
                f" must have one row per item and {classes} columns, one for each class, got "
                f"shape {array.shape}.",
            )
        bad = ~np.isfinite(array) if self._logits else ~(np.isfinite(array) & (array >= 0))
        if bad.any():
            row, column = (int(at[0]) for at in np.nonzero(bad))
            wanted = "finite" if self._logits else "finite and at least 0, as in the fit"
            raise InputError(
                argument("scores"),
                f" must be {wanted}: row {row} has {array[row, column]} for class "
                f"{self.classes[column]!r}.",
            )
        return array
