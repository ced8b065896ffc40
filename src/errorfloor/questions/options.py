"""The options of a question besides columns: one list, with the words of each place.

An argument in Python, an option on the command line and a field of the page are one `AskOption`: a
name, a kind of value that reads what people type, and what each place says about it. Columns are
the roles of `data.layouts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from errorfloor._checks import MOST_VOTES, InputError, either, percentage
from errorfloor.data.formats import FORMATS
from errorfloor.data.layouts import LAYOUTS, SCORES
from errorfloor.data.options import DUPLICATES
from errorfloor.results.feebee import known_under_noise

PLAIN, COLUMNS, READING, ANSWER = "Options", "Columns", "Reading", "The answer"


class Kind(Protocol):
    """What the value of an option may be."""

    @property
    def name(self) -> str:
        """What people call such a value."""
        ...

    def read(self, text: str) -> Any:
        """Return the value that was typed, or raise a ValueError that says what it must be."""
        ...


@dataclass(frozen=True, slots=True)
class ReadText:
    """Text that a function reads; it raises a ValueError that says what the text must be."""

    name: str
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    choices: tuple[str, ...]
    name: str = "choice"

    def read(self, text: str) -> str:
        """Return the word."""
        if text not in self.choices:
            raise ValueError(f"{text!r} is not one of {', '.join(map(repr, self.choices))}.")
        return text


@dataclass(frozen=True, slots=True)
class Number:
    """A number within a range; neither infinity nor NaN, which no range would keep out."""

    least: float | None = None
    most: float | None = None
    min_open: bool = False
    max_open: bool = False
    percent: bool = False  # whether per cent are understood, as they are where most is 1
    name: str = "number"

    @property
    def is_fraction(self) -> bool:
        """Whether it is a part of 1."""
        return self.most is not None and self.most <= 1

    def read(self, text: str) -> float:
        """Return the number; per cent are understood where it is a fraction."""
        meant = percentage(text) if self.is_fraction or self.percent else None
        try:
            number = float(text) if meant is None else meant
        except ValueError:
            raise ValueError(f"{text!r} is not a valid number.") from None
        if self._is_outside(number):
            hint = f" {number:g} % is {number / 100:g}." if 1 < number <= 100 else ""
            hint = hint if self.is_fraction and meant is None else ""
            raise ValueError(f"{number} is not in the range {self.range}.{hint}")
        if not math.isfinite(number):
            raise ValueError(f"{text!r} must be a finite number.")
        return number

    def _is_outside(self, number: float) -> bool:
        below = self.least is not None and number < self.least
        above = self.most is not None and number > self.most
        at_open_end = (self.min_open and number == self.least) or (
            self.max_open and number == self.most
        )
        return below or above or at_open_end

    @property
    def range(self) -> str:
        """The range as a formula; nothing where it has no ends."""
        if self.least is None and self.most is None:
            return ""
        low, high = "<" if self.min_open else "<=", "<" if self.max_open else "<="
        if self.least is None:
            return f"x{high}{self.most}"
        if self.most is None:
            return f"x>{self.least}" if self.min_open else f"x>={self.least}"
        return f"{self.least}{low}x{high}{self.most}"


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number of at least some other; not more than floats can count by default."""

    least: int
    most: int | None = MOST_VOTES
    name: str = "whole number"

    def read(self, text: str) -> int:
        """Return the number."""
        number = _whole(text)
        if number is None or number < self.least:
            raise ValueError(f"{_brief(text)} must be a whole number, {self.least} or more.")
        if self.most is not None and number > self.most:
            raise ValueError(f"{_brief(text)} must not be more than {self.most}.")
        return number


@dataclass(frozen=True, slots=True)
class Matrix:
    """Numbers with commas between them; of several rows, with semicolons between these."""

    example: str
    most: float | None = None
    name: str = "numbers"

    def read(self, text: str) -> Any:
        """Return a number, a list of numbers, or a list of rows."""
        number = Number(0, self.most)
        try:
            rows = [[number.read(one.strip()) for one in row.split(",")] for row in text.split(";")]
        except ValueError as error:
            raise ValueError(f"{error} It is written as {self.example}.") from None
        if len(rows) > 1:
            return rows
        return rows[0] if len(rows[0]) > 1 else rows[0][0]


def _whole(text: str) -> int | None:
    """Return the whole number that is written, or None if it is none, or endless."""
    try:
        return int(text)
    except ValueError:
        return None


def _brief(text: str) -> str:
    """Return what was typed, as far as it helps to recognise it."""
    quoted = repr(text)
    return quoted if len(quoted) <= 40 else f"{quoted[:20]}...{quoted[-10:]}"


def _wholes(text: str) -> tuple[int, ...]:
    numbers = tuple(map(_whole, text.split(",")))
    if any(number is None or number > MOST_VOTES for number in numbers):
        raise ValueError(
            f"{_brief(text)} must be whole numbers such as 2,3,5, none above {MOST_VOTES}."
        )
    return tuple(number for number in numbers if number is not None)


def _ratio(text: str) -> tuple[int, int]:
    numbers = [_whole(part) for part in text.split("/")]
    part, whole = numbers if len(numbers) == 2 else (None, None)
    if part is None or whole is None or not 0 <= part <= whole <= MOST_VOTES or whole == 0:
        raise ValueError(f"{_brief(text)} must be two whole numbers such as 90/1000.")
    return part, whole


def _column_or_more(text: str) -> str | list[str]:
    """Return names with commas between them as a list; one alone may hold lists or a pattern."""
    names = [name.strip() for name in text.split(",")]
    return names[0] if len(names) == 1 else names


def _ends(text: str) -> Any:
    """Return the ends of a scale; the library says what is wrong with anything else."""
    parts = text.replace("-", ",", 1).split(",") if "," not in text else text.split(",")
    try:
        return tuple(float(part) for part in parts)
    except ValueError:
        return text


def _rate_or_count(text: str) -> Any:
    """Return a number where one is typed; the library says what is wrong with anything else."""
    for kind in (int, float):  # 1 counts pairs, and 1.0 is a rate
        with suppress(ValueError):
            return kind(text)
    return text


_SHARE = Number(0, 1, min_open=True, max_open=True)
_CLIP = Number(0, 0.5, min_open=True, max_open=True)

TEXT = ReadText("text", str)
FLAG = ReadText("flag", bool)  # yes, whatever stands there, or nothing
NAMES = ReadText("names", lambda text: text.split(","))
OR_NONE = ReadText("text", lambda text: None if text == "none" else text)
WHOLES = ReadText("numbers", _wholes)  # with commas between them
SHARES = ReadText("shares", lambda text: tuple(map(_SHARE.read, text.split(","))))
COLUMN_OR_MORE = ReadText("text", _column_or_more)
ENDS = ReadText("text", _ends)
RATE_OR_COUNT = ReadText("text", _rate_or_count)
RATIO = ReadText(
    "fraction", _ratio
)  # two numbers with a slash between, the first not above the other
CLIP = ReadText("clip", lambda text: text if text == "auto" else _CLIP.read(text))


def as_typed(value: Any) -> str:
    """Return a value as it is typed behind an option: commas in a row, semicolons between rows."""
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        rows = [row if isinstance(row, list | tuple) else [row] for row in value]
        between = ";" if any(isinstance(row, list | tuple) for row in value) else ","
        return between.join(",".join(str(_plain(one)) for one in row) for row in rows)
    return str(_plain(value))


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value  # a number of NumPy


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOption:
    """An option of a question: how its value is read, and what each place calls it.

    Attributes
    ----------
    name : str
        The argument in Python, which is also the name of the field.
    kind : Kind
        What its value may be.
    default
        Its value where it is left out.
    flag : str
        The option on the command line; made from `name` if it is left out.
    aliases : tuple of str
        What else people type for it, which no help shows.
    section, metavar, help
        Where and how the help page shows it; `help` may be made when it is shown.
    shows_default : bool
        Whether the help page has the default.
    several : bool
        Whether it may be given more than once.
    is_column : bool
        Whether it names columns of the data.
    label, after, hint : str
        What the page says before its field, after it, and in brackets. Without a label the page has
        no such field.
    titles : dict of str to str
        What the page calls the values of a choice; the default is "".
    button : str
        What a button of the page says that sets it to {}.
    """

    name: str
    kind: Kind = TEXT
    default: Any = None
    flag: str = ""
    aliases: tuple[str, ...] = ()
    section: str = ANSWER
    metavar: str | None = None
    help: str | Callable[[], str] = ""
    shows_default: bool = False
    several: bool = False
    is_column: bool = False
    label: str = ""
    after: str = ""
    hint: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    button: str = ""

    @property
    def on_command_line(self) -> str:
        """What people type before its value."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    def read(self, text: str) -> Any:
        """Return the value of a field, or the default where it is empty."""
        if not text:
            return self.default
        try:
            return self.kind.read(text)
        except ValueError as error:
            raise InputError(f"`{self.name}`: {error}") from error


def _metric_help() -> str:
    """List the metrics, as they are now."""
    from errorfloor import metrics

    return f"The metric whose best possible value you want: {either(metrics.names())}."


def _rating_metric_help() -> str:
    """List the metrics of ratings."""
    from errorfloor.metrics.variances import NAMES

    return f"The metric whose best possible value you want: {either(NAMES)}."


def _method_help() -> str:
    """List the methods for each kind of labels, as they are now."""
    from errorfloor import methods

    parts = []
    for kind in dict.fromkeys(layout.kind for layout in LAYOUTS):
        usual = {one.name for one in methods.DEFAULTS if one.reads == kind}
        names = list(methods.short_names(kind))
        names.sort(key=lambda name: name not in usual)
        parts.append(f"for {kind}: {either(names)}")
    text = "; ".join(parts)
    return f"Rarely needed: by default it is chosen to fit the data. {text[:1].upper()}{text[1:]}."


def methods_help() -> str:
    """List the methods that can be compared, as they are now."""
    from errorfloor import methods

    names = either(methods.short_names(SCORES.kind))
    return f"{names}. Repeat the option for several; by default all that suit the data are used."


def _interval_help() -> str:
    """List the intervals, as they are now."""
    from errorfloor import intervals

    names = either([*intervals.names(), "none"])
    return f"How to compute the interval: {names}. By default it is chosen to fit the method."


_plain_option = partial(AskOption, section=PLAIN)
_reading_option = partial(AskOption, section=READING)
_column_option = partial(AskOption, section=COLUMNS, is_column=True)
# How to read what columns hold.
_READ = (
    AskOption(
        name="positive",
        section=COLUMNS,
        aliases=("--pos-label", "--positive-class"),
        metavar="VALUE",
        help="Which value of labels or votes is class 1.",
        label="Class 1 is",
        button="Class 1 is {}",
    ),
    AskOption(
        name="positive_from",
        kind=Number(),
        section=COLUMNS,
        metavar="NUMBER",
        help="Ratings from this number on are class 1.",
        label="Ratings from",
        after="on are class 1",
        button="Ratings from {} on are class 1",
    ),
    AskOption(
        name="classes",
        kind=NAMES,
        section=COLUMNS,
        metavar="NAMES",
        help="All classes in order, a,b,c; the columns of scores or counts are in the same order.",
        label="All classes in order",
        hint="a,b,c",
    ),
    AskOption(
        name="simultaneous",
        kind=FLAG,
        default=False,
        section=COLUMNS,
        help="Make the confidence hold for all groups together, not for each by itself (wider "
        "intervals).",
        label="Intervals of all groups hold at once",
    ),
    _reading_option(
        name="format",
        kind=Choice(tuple(kind.name for kind in FORMATS)),
        help="Detected from the file by default; inspect is an eval log of Inspect AI.",
    ),
    _reading_option(
        name="missing",
        kind=NAMES,
        metavar="VALUE,VALUE",
        help="Answers that mean no answer, such as 99 or unsure: they are left out.",
        label="Answers that mean no answer",
        hint="such as 99, unsure",
    ),
    _reading_option(
        name="drop_missing",
        kind=FLAG,
        default=False,
        help="Leave out rows with missing values.",
        label="Leave out rows with missing values",
        button="Leave out rows with missing values",
    ),
    _reading_option(
        name="unlabelled",
        kind=FLAG,
        default=False,
        help="Also use the scores of items without a label.",
        label="Keep items without a label: their scores count, too",
        button="Keep items without a label",
    ),
    AskOption(
        name="complete",
        kind=FLAG,
        default=False,
        help="Declare that no model could know more than these scores say. The answer is then the "
        "floor itself, not a bound on it.",
        label="These scores are complete: nothing else that a model could see would change them",
    ),
    _reading_option(
        name="label_is_vote",
        kind=FLAG,
        default=False,
        help="With votes and --label: the label is one more vote of the same kind.",
        label="The label is one more vote of the same kind",
    ),
    _reading_option(
        name="duplicates",
        kind=Choice(DUPLICATES),
        default="error",
        help="If an annotator voted more than once on an item: stop with an error, or take the "
        "first, the last or all votes.",
        label="Votes or rows that repeat",
        titles={
            "": "are refused",
            "first": "count once (the first)",
            "last": "count once (the last)",
            "all": "all count",
        },
        button="Those that repeat {}",
    ),
)
# What the answer is about, and how it is found.
_ASK = (
    AskOption(
        name="metric",
        default="error",
        shows_default=True,
        metavar="NAME",
        help=_metric_help,
        label="Metric",
        button="Ask for {}",
    ),
    AskOption(
        name="costs",
        kind=Matrix("1,5 or 0,1,2;1,0,1;2,1,0"),
        metavar="COSTS",
        help="For --metric cost: what a false positive and a false negative cost, such as '1,5'. "
        "For more classes, a row for each true class with the cost of each decision, and "
        "semicolons between the rows: '0,1,2;1,0,1;2,1,0'.",
        label="Costs of a false positive and a false negative",
        hint="such as 1,5",
    ),
    AskOption(
        name="at",
        kind=Number(0, 1),
        metavar="SHARE",
        help="For error-at-coverage, the share of items to answer; for coverage-at-error, the "
        "error to allow: 0.8 or 80%.",
        label="At which share of items, or which error",
        hint="such as 0.8",
        button="At {}",
    ),
    AskOption(
        name="prior",
        kind=Matrix("0.2 or 0.5,0.3,0.2", 1),
        metavar="SHARE",
        help="For balanced-error and auc: the known share of class 1, or of each class.",
        label="Known share of class 1, or shares of all classes",
    ),
    AskOption(
        name="method",
        metavar="NAME",
        help=_method_help,
        label="Method",
        button="Take the method {}",
    ),
    AskOption(
        name="interval",
        kind=OR_NONE,
        default="auto",
        metavar="NAME",
        help=_interval_help,
        label="Interval",
    ),
    AskOption(
        name="level",
        kind=Number(0, 1, min_open=True, max_open=True),
        aliases=("--confidence", "--confidence-level", "--ci"),
        default=0.95,
        metavar="LEVEL",
        help="Confidence level of the interval.",
        shows_default=True,
        label="Confidence level",
        hint="0.95 by default",
    ),
    AskOption(
        name="n_resamples",
        kind=Whole(1),
        default=1000,
        flag="--resamples",
        aliases=("--n-resamples", "--bootstrap"),
        metavar="COUNT",
        help="Number of bootstrap resamples, for intervals that use them.",
        shows_default=True,
    ),
    AskOption(
        name="clip",
        kind=CLIP,
        default="auto",
        metavar="NUMBER",
        help="For methods that need it: how far scores are kept from 0 and 1, auto or a number.",
        shows_default=True,
    ),
    AskOption(
        name="totals_by",
        kind=Choice(("chance", "item", "votes")),
        default="chance",
        metavar="REASON",
        help="For votes: why some items have more votes than others: chance, item "
        "(some kinds of items get more) or votes (they were collected until they agreed).",
        shows_default=True,
        label="Numbers of votes differ",
        titles={"": "by chance", "item": "by the kind of item", "votes": "by votes that agree"},
        button="Numbers of votes differ {}",
    ),
    AskOption(
        name="stopping",
        metavar="RULE",
        help="With --totals-by votes: the rule by which voting ended: third (two votes, and a "
        "third if they differ), lead-2 (when one label is two votes ahead), lead-2-max-7 (or after "
        "7 votes) and so on.",
        label="Votes were collected by the rule",
        hint="such as lead-2",
    ),
    AskOption(
        name="majority",
        kind=Whole(1),
        metavar="COUNT",
        help="For votes: the floor for the majority vote of this many people, not for one vote.",
        label="For the majority of",
        after="votes (blank: one more vote)",
        button="Ask for the majority of {}",
    ),
    AskOption(
        name="bias_for_error",
        kind=Number(0, 0.5),
        metavar="RATE",
        help="For votes: also show how far a simple count of the votes can be off, if the floor is "
        "at most RATE.",
    ),
    AskOption(
        name="reached",
        kind=RATIO,
        metavar="COUNT/COUNT",
        help="For votes: a model's errors out of its test items, such as 90/1000, on fresh labels "
        "of the same kind. The floor cannot be higher than that.",
    ),
    AskOption(
        name="rng",
        kind=Whole(0, None),
        default=0,
        flag="--seed",
        aliases=("--random-state", "--random-seed", "--rng"),
        metavar="SEED",
        help="Seed for all that is random; the same seed gives the same answer.",
        shows_default=True,
    ),
)
# What is known of a model.
_MODEL = (
    _plain_option(
        name="errors",
        kind=Whole(0),
        flag="--model-errors",
        metavar="COUNT",
        help="Test items that the model got wrong.",
        label="My model got",
        after="wrong",
    ),
    AskOption(
        name="model_error",
        kind=Number(0, 1),
        aliases=("--error",),
        metavar="RATE",
        help="The model's error as a fraction: 0.08, or 8%.",
    ),
    _plain_option(
        name="accuracy",
        kind=Number(0, 1),
        flag="--model-accuracy",
        aliases=("--accuracy",),
        metavar="RATE",
        help="The model's accuracy: 0.92, or 92%.",
    ),
    AskOption(
        name="model_value",
        kind=Number(percent=True, name="value"),
        aliases=("--value",),
        section=ANSWER,
        metavar="VALUE",
        help="The model's value of the metric on the test items, such as its AUC.",
        label="My model's value of the metric",
    ),
    _plain_option(
        name="confusion",
        kind=Matrix("480,40;60,420"),
        metavar="COUNTS",
        help="Confusion matrix: counts of test items, a row for each true class, a column for "
        "each decision: '480,40;60,420'.",
    ),
    _plain_option(
        name="n",
        kind=Whole(1),
        flag="--test-items",
        aliases=("--n", "--n-test", "--test-size"),
        metavar="COUNT",
        help="Number of items the model was tested on. Needed with --model-errors; otherwise the "
        "number of items in FILE by default.",
        label="of",
        after="test items",
    ),
    _plain_option(
        name="same_labelling",
        kind=FLAG,
        default=False,
        help="The test labels were collected like the votes.",
        label="The test labels were collected like the votes",
    ),
)
# Which labels may be bought.
_PLAN = (
    _plain_option(
        name="target",
        kind=Number(0, 1, min_open=True),
        metavar="WIDTH",
        help="Width of the interval to reach, such as 0.05 for five points.",
        label="Width of the interval to reach",
    ),
    _plain_option(
        name="budget",
        kind=Number(0, min_open=True),
        metavar="AMOUNT",
        help="What a new set of items with their votes may cost, in the unit of the prices.",
        label="Budget",
    ),
    _plain_option(
        name="cost_per_item",
        kind=Number(0),
        default=0.0,
        metavar="PRICE",
        help="Price of a new item, 0 by default.",
        label="Price of an item",
    ),
    _plain_option(
        name="cost_per_vote",
        kind=Number(0),
        default=1.0,
        metavar="PRICE",
        help="Price of a vote or label, 1 by default.",
        label="Price of a vote or label",
    ),
    _plain_option(
        name="votes",
        kind=WHOLES,
        default=(2, 3, 5, 10, 20),
        flag="--try-votes",
        metavar="M,M,...",
        help="Votes per item to consider.",
        shows_default=True,
        label="Votes per item",
    ),
    _plain_option(
        name="items",
        kind=WHOLES,
        default=(100, 300, 1000, 3000, 10000),
        flag="--try-items",
        metavar="N,N,...",
        help="Numbers of items to consider.",
        shows_default=True,
        label="Items",
    ),
)

# What other questions are asked with. Some names are those of `OPTIONS`, with other values.
MODELS = _column_option(
    name="prediction",
    kind=NAMES,
    aliases=("--predictions", "--predicted", "--models"),
    metavar="COL,COL,...",
    help="Columns with models' predictions, one for each model.",
)
_FEATURES_OF_FEEBEE = _column_option(
    name="features",
    kind=COLUMN_OR_MORE,
    metavar="COLUMNS",
    help="Columns that a model sees, separated by commas, or one column of lists; --score is then "
    "used only if you name it.",
)
_DEVICE = AskOption(
    name="device",
    metavar="DEVICE",
    help="What searches for neighbours: the processor by default, or cuda, a graphics card, which "
    "needs PyTorch.",
)
_FEEBEE = (
    _FEATURES_OF_FEEBEE,
    _plain_option(
        name="model_error",
        kind=Number(0, 1),
        metavar="RATE",
        help="Error of the best model known so far on these labels, a fraction.",
    ),
    _plain_option(
        name="model_value",
        kind=Number(0, 1),
        metavar="VALUE",
        help="Instead of --model-error: the best known value of --metric, such as an AUC.",
    ),
    _plain_option(
        name="metric",
        kind=Choice(known_under_noise()),
        default=known_under_noise()[0],
        metavar="NAME",
        help=f"The quantity that methods estimate: {either(known_under_noise())}.",
        shows_default=True,
    ),
    _plain_option(
        name="means",
        kind=SHARES,
        metavar="NUMBERS",
        help="Probabilities of class 1 in the random labels that replace given ones (not used for "
        "error); 0.1,0.2,...,0.9 by default.",
    ),
    _plain_option(
        name="levels",
        kind=Whole(2),
        metavar="COUNT",
        help="Number of noise levels, including 0 and 1. By default 101 for error, and 21 for each "
        "value of --means for balanced-error and auc.",
    ),
    _plain_option(
        name="repeats",
        kind=Whole(1),
        default=10,
        metavar="COUNT",
        help="How many times noise is drawn at each level.",
        shows_default=True,
    ),
    _DEVICE,
)
_PEOPLE = (
    MODELS,
    AskOption(
        name="panels",
        kind=WHOLES,
        default=(1, 3, 5),
        metavar="R,R,...",
        help="Panel sizes to report (odd numbers of people).",
        shows_default=True,
    ),
    AskOption(
        name="epsilon",
        kind=Number(0, 1),
        default=0.2,
        metavar="NUMBER",
        help="Allowance of the alternative annotator test: on how much larger a share of items the "
        "model may do worse than an annotator. The result without it (0) is given as well.",
        shows_default=True,
    ),
)
_LABEL = (
    _plain_option(name="budget", kind=Whole(1), metavar="COUNT", help="Number of labels to buy."),
    _plain_option(
        name="width",
        kind=Number(0, 1),
        metavar="FRACTION",
        help="Wanted width of the interval, such as 0.05 for five points; give this or --budget.",
    ),
    _plain_option(
        name="at_random", kind=FLAG, help="Choose items purely at random, whatever their scores."
    ),
)
_FEATURES = (
    _column_option(
        name="label",
        metavar="COLUMN",
        help="The column of labels; if FILE is an .npy file, a second .npy file with the labels.",
    ),
    replace(
        _FEATURES_OF_FEEBEE,
        help="Columns that a model sees, separated by commas, or one column of lists; by default "
        "all other numeric columns.",
    ),
    _column_option(
        name="cluster", metavar="COLUMN", help="Items with the same value belong together."
    ),
    _reading_option(
        name="duplicates",
        default="error",
        metavar="HOW",
        help="What to do with rows with equal features: error (stop), first (keep one) or all "
        "(keep them, as different items).",
        shows_default=True,
    ),
    AskOption(
        name="method",
        default="sequential",
        metavar="METHOD",
        help="Only sequential gives a proven limit; 1nn, knn-K, ghp and noshad are older estimates "
        "without a proof.",
        shows_default=True,
    ),
    _DEVICE,
)
_AGREEMENT = (
    _plain_option(
        name="agree",
        kind=RATE_OR_COUNT,
        metavar="COUNT",
        help="Number of pairs of votes that agree, or their share, such as 0.92 or 92%.",
    ),
    _plain_option(
        name="pairs", kind=Whole(1), metavar="COUNT", help="How many pairs of votes were compared."
    ),
    _plain_option(
        name="share",
        kind=Number(0, 1),
        metavar="RATE",
        help="Share of votes that are for class 1. If you know it for each of two raters, give the "
        "option twice. With --agree, an even split by default.",
        several=True,
    ),
    *(
        AskOption(name=name, kind=Number(-1, 1), section=PLAIN, metavar="NUMBER", help=text)
        for name, text in (
            ("kappa", "Cohen's kappa, with --share."),
            ("alpha", "Krippendorff's alpha, with --share."),
            ("icc", "For ratings: their ICC."),
            ("qwk", "For ratings: QWK between the ratings of two people."),
            ("pearson", "For ratings: correlation between the ratings of two people."),
        )
    ),
    _plain_option(
        name="n",
        kind=Whole(4),
        metavar="COUNT",
        help="For ratings: number of items that two people rated.",
    ),
    _plain_option(
        name="metric",
        metavar="NAME",
        help="For ratings: the metric whose ceiling you want. By default the one you gave "
        "(--qwk or --pearson), and pearson for --icc.",
    ),
)
_RATINGS = (
    _column_option(
        name="ratings",
        kind=COLUMN_OR_MORE,
        metavar="COLUMNS",
        help="If each row is an item: the columns of the raters (a,b,c or 'rater*'), or one column "
        "of lists.",
    ),
    _column_option(
        name="prediction",
        metavar="COLUMN",
        help="Column of a model's predictions: the answer then says how good they are.",
    ),
    AskOption(
        name="metric",
        default="r2",
        shows_default=True,
        metavar="NAME",
        help=_rating_metric_help,
        label="Metric",
        button="Ask for {}",
    ),
    AskOption(
        name="label",
        default="one",
        shows_default=True,
        metavar="WHICH",
        help="What models are compared with: one (another rating), mean (of all ratings of the "
        "item), N (the mean of N ratings), or median-3 (the median of three).",
        label="A model is compared with",
        titles={"": "one more rating", "mean": "the mean of the ratings of an item"},
    ),
    _reading_option(
        name="rater",
        kind=FLAG,
        flag="--shared",
        help="Each column of --ratings is the same person on every item: the default, unless the "
        "columns' names differ only by a number or a letter, as in rating_1.",
        label="Each column is the same person on every item",
        button="Each column is one person",
    ),
    AskOption(
        name="raters",
        default="absolute",
        shows_default=True,
        metavar="HOW",
        help="If a rater is stricter than others: count that as noise (absolute), or ignore it "
        "(relative).",
        label="That some people rate higher than others",
        titles={"": "is noise", "relative": "does not count"},
    ),
    AskOption(
        name="scale", kind=ENDS, metavar="LOW,HIGH", help="Lowest and highest possible rating."
    ),
    AskOption(
        name="interval",
        kind=OR_NONE,
        default="auto",
        metavar="NAME",
        help="auto, jackknife, certified (needs --scale), or none.",
        shows_default=True,
    ),
)

OPTIONS: Mapping[str, AskOption] = {one.name: one for one in (*_READ, *_ASK, *_MODEL, *_PLAN)}
ASK_OPTIONS, MODEL_OPTIONS, PLAN_OPTIONS = (
    tuple(one.name for one in every) for every in (_ASK, _MODEL, _PLAN)
)
OPTIONS_OF: Mapping[str, Mapping[str, AskOption]] = {
    question: {one.name: one for one in every}
    for question, every in {
        "feebee": _FEEBEE,
        "people": _PEOPLE,
        "label": _LABEL,
        "features": _FEATURES,
        "agreement": _AGREEMENT,
        "ratings": _RATINGS,
    }.items()
}
RATING_OPTIONS = OPTIONS_OF["ratings"]
OF_METRIC = ("metric", "costs", "at", "prior")  # which metric is asked for
OF_LIMITS = ("interval", "level", "n_resamples", "clip", "rng")  # and with which limits
