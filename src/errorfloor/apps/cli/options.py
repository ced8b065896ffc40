"""The options that commands share, and the records that they become."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from errorfloor._checks import InputError
from errorfloor.apps.cli import completing
from errorfloor.apps.cli.building import ANSWER, COLUMNS, READING, Body, Decorator, gathered, option
from errorfloor.apps.cli.building import options as several
from errorfloor.apps.cli.source import Labels
from errorfloor.apps.cli.types import FILE, NEW_FILE, Clip, Fraction, Number, Whole
from errorfloor.apps.cli.voice import written
from errorfloor.data import options as reading
from errorfloor.data.formats import FORMATS
from errorfloor.data.layouts import BESIDE, LAYOUTS, Layout, Role
from errorfloor.data.options import HOW_TO_READ, ReadOptions


def with_labels(
    layouts: Sequence[Layout],
    *,
    groups: bool = False,
    weights: bool = False,
    unlabelled: bool = False,
    complete: bool = False,
) -> Decorator:
    """Give a command the options that say where labels are, as one `labels`."""
    roles = {role.argument: role for layout in layouts for role in layout.roles}
    group = [GROUP] if groups else []
    beside: list[Decorator] = [WEIGHT, CLUSTER] if weights else []
    more = [DUPLICATES] if "annotator" in roles else []
    more += [UNLABELLED] if unlabelled else []
    more += [COMPLETE] if complete else []
    more += [LABEL_IS_VOTE] if any(layout.of_shares for layout in layouts) else []
    how_read: list[Decorator] = [POSITIVE, POSITIVE_FROM, CLASSES, *group, *beside]
    how_read += [*JOINED, FORMAT, DROP_MISSING, *more]

    def decorate(function: Body) -> Body:
        @click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
        @several(*map(_column, roles.values()), *how_read)
        @functools.wraps(function)
        def wrapped(files: tuple[str, ...], **values: Any) -> None:
            how = {name: values.pop(name) for name in HOW_TO_READ if name in values}
            if how["positive"] is not None and how["positive_from"] is not None:
                raise click.UsageError("Give --positive or --positive-from, not both.")
            columns: dict[str, Any] = {name: values.pop(name) or None for name in roles}
            try:
                where = ReadOptions.of(**columns, **how)
            except InputError as error:
                raise click.UsageError(error.told(written)) from error
            function(labels=Labels(files, where, tuple(layouts)), **values)

        return wrapped

    return decorate


def _once(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Any:
    """Refuse what is said twice, of which click would take the last without a word."""
    if len(values) > 1:
        given = " and ".join(map(repr, values))
        raise click.BadParameter(f"it is given {len(values)} times, as {given}. Give it once.")
    return values[0] if values else None


def names_of(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[str] | None:
    """Return names with commas between them; given several times, each is one name."""
    return list(values) if len(values) > 1 else values[0].split(",") if values else None


_OF_COLUMNS = {"metavar": "COL", "section": COLUMNS, "shell_complete": completing.columns}
once = functools.partial(option, multiple=True, callback=_once)


def _column(role: Role) -> Decorator:
    kind = functools.partial(option, multiple=True) if role.several else once
    return kind(f"--{role.name}", role.argument, help=role.help, **_OF_COLUMNS)


POSITIVE = once(
    "--positive",
    metavar="VALUE",
    section=COLUMNS,
    help="Which value of labels or votes is class 1.",
)
POSITIVE_FROM = option(
    "--positive-from",
    metavar="NUMBER",
    type=Number(),
    section=COLUMNS,
    help="Ratings from this number on are class 1.",
)
CLASSES = option(
    "--classes",
    metavar="NAMES",
    multiple=True,
    callback=names_of,
    section=COLUMNS,
    help="All classes in order, a,b,c; the columns of scores or counts are in the same order.",
)
GROUP = once("--group", help="One answer for each value of a column.", **_OF_COLUMNS)
WEIGHT, CLUSTER = _column(BESIDE[0]), _column(BESIDE[1])
SIMULTANEOUS = option(
    "--simultaneous",
    is_flag=True,
    section=COLUMNS,
    help="All intervals of the groups hold at once.",
)
PREDICTION = once(
    "--prediction",
    help="With --score and --label: the class that the model predicts, for a paired test.",
    **_OF_COLUMNS,
)
FORMAT = option(
    "--format",
    type=click.Choice([kind.name for kind in FORMATS]),
    section=READING,
    help="Told by name and content by default.",
)
JOINED: tuple[Decorator, ...] = (
    once(
        "--labels",
        metavar="FILE",
        type=FILE,
        section=READING,
        help="A second file with the labels, such as those that people gave to what a judge "
        "decided about; see --on.",
    ),
    once(
        "--on",
        metavar="COL",
        section=READING,
        help="With --labels: the column that both files have, by which rows find their label; "
        "ITEM=ID where they call it differently.",
        shell_complete=completing.columns,
    ),
)
DROP_MISSING = option(
    "--drop-missing", is_flag=True, section=READING, help="Leave out what has missing values."
)

UNLABELLED = option(
    "--unlabelled",
    is_flag=True,
    section=READING,
    help="Keep items without a label: their scores count, too.",
)


COMPLETE = option(
    "--complete",
    is_flag=True,
    section=ANSWER,
    help="Declare that nothing else that a model could see would change what these scores say: the "
    "answer is then the floor itself, not a bound of it.",
)
LABEL_IS_VOTE = option(
    "--label-is-vote",
    is_flag=True,
    section=READING,
    help="With votes and --label: the label is one more vote of the same kind.",
)


DUPLICATES = option(
    "--duplicates",
    type=click.Choice(reading.DUPLICATES),
    default="error",
    section=READING,
    help="Votes of one annotator on an item, in rows: take the first, the last or all of them.",
)


def _method_help() -> str:
    """List the methods for each kind of labels, as they are now."""
    from errorfloor import methods

    parts = []
    for kind in dict.fromkeys(layout.kind for layout in LAYOUTS):
        usual = {one.name for one in methods.DEFAULTS if one.reads == kind}
        names = list(methods.short_names(kind))
        if len(names) > 1:
            names.sort(key=lambda name: name not in usual)
            names = [f"{name} (default)" if name in usual else name for name in names]
        parts.append(f"for {kind} {either(names)}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _methods_help() -> str:
    """List the methods that can be compared, as they are now."""
    from errorfloor import methods
    from errorfloor.data.layouts import SCORES

    names = either(methods.short_names(SCORES.kind))
    return f"{names}. Once for each method; all that fit by default."


def _interval_help() -> str:
    """List the intervals, as they are now."""
    from errorfloor import intervals

    return f"{either([*intervals.names(), 'none'])}; chosen to fit the method by default."


def either(names: Iterable[str]) -> str:
    """Return names with "or" before the last."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def _none(context: click.Context, parameter: click.Parameter, value: str) -> str | None:
    return None if value == "none" else value


METHOD = option(
    "--method",
    metavar="NAME",
    section=ANSWER,
    help=_method_help,
    shell_complete=completing.methods,
)
METHODS = option(
    "--method",
    "methods",
    metavar="NAME",
    multiple=True,
    section=ANSWER,
    help=_methods_help,
    shell_complete=completing.methods,
)
INTERVAL = option(
    "--interval",
    metavar="NAME",
    default="auto",
    callback=_none,
    section=ANSWER,
    help=_interval_help,
    shell_complete=completing.intervals,
)
LEVEL = option(
    "--level",
    metavar="LEVEL",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    section=ANSWER,
    help="Confidence level of the interval.",
)
RESAMPLES = option(
    "--resamples",
    "n_resamples",
    metavar="COUNT",
    type=Whole(1),
    default=1000,
    show_default=True,
    section=ANSWER,
    help="Of the bootstrap, for intervals that use it.",
)
CLIP = option(
    "--clip",
    metavar="NUMBER",
    type=Clip(),
    default="auto",
    show_default=True,
    section=ANSWER,
    help="auto or a number: how far methods that need it keep scores from 0 and 1.",
)
TOTALS_BY = option(
    "--totals-by",
    metavar="REASON",
    type=click.Choice(["chance", "item", "votes"]),
    default="chance",
    show_default=True,
    section=ANSWER,
    help="For votes: why items have unequal numbers of them. chance; item, some kinds of items get "
    "more; or votes, they were collected until they agreed.",
)
STOPPING = option(
    "--stopping",
    metavar="RULE",
    section=ANSWER,
    help="With --totals-by votes: third (two votes, and a third if they differ), lead-2 (until one "
    "label is two votes ahead), lead-2-max-7 (up to 7 votes) and so on.",
)
MAJORITY = option(
    "--majority",
    metavar="COUNT",
    type=Whole(1),
    section=ANSWER,
    help="For votes: the floor for the majority of so many, not for one more vote.",
)
BIAS_FOR_ERROR = option(
    "--bias-for-error",
    metavar="RATE",
    type=Number(0, 0.5),
    section=ANSWER,
    help="For votes: also bound the bias of plain vote shares, if the floor is at most this.",
)
REACHED = option(
    "--reached",
    metavar="COUNT/COUNT",
    type=Fraction(),
    section=ANSWER,
    help="For votes: a model's errors on fresh labels of the same kind, such as 90/1000, which cap "
    "the floor.",
)
SEED = option(
    "--seed",
    "rng",
    metavar="SEED",
    type=Whole(0, None),
    default=0,
    show_default=True,
    section=ANSWER,
    help="Seed of everything random; the same gives the same answer.",
)


@dataclass(frozen=True, slots=True)
class Precision:
    """Which interval to give, and from which random numbers."""

    interval: str | None
    level: float
    n_resamples: int
    clip: Any
    rng: int


@dataclass(frozen=True, slots=True)
class How(Precision):
    """How a floor is to be estimated."""

    method: str | None
    totals_by: str
    stopping: str | None
    majority: int | None
    bias_for_error: float | None
    reached: tuple[int, int] | None = None

    @property
    def model_error(self) -> Any:
        """What the library calls either of the two."""
        if self.reached is not None and self.bias_for_error is not None:
            raise click.UsageError("Give --reached or --bias-for-error, not both.")
        return self.bias_for_error if self.reached is None else self.reached


with_precision = gathered("precision", Precision, INTERVAL, LEVEL, RESAMPLES, CLIP, SEED)
VOTES = (TOTALS_BY, STOPPING, MAJORITY, BIAS_FOR_ERROR, REACHED)
with_how = gathered("how", How, METHOD, INTERVAL, LEVEL, RESAMPLES, CLIP, *VOTES, SEED)


def destination(
    suffixes: Callable[[], Iterable[str]],
    *,
    names: Sequence[str] = ("-o", "--output"),
    required: bool = True,
    help: str = "The file to write",  # noqa: A002
) -> Decorator:
    """Give a command an option for a file with one of these endings, in a folder that exists."""

    def check(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
        if value is None:
            return None
        path = Path(value)
        if path.suffix.lower() not in suffixes():
            raise click.BadParameter(f"{value!r} must end in {either(suffixes())}. Add the ending.")
        if not path.parent.is_dir():
            raise click.BadParameter(
                f"there is no folder {str(path.parent)!r}. Make it first, or name another."
            )
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise click.BadParameter(f"{value!r} cannot be written. Name another file.")
        return path

    return option(
        *names,
        metavar="FILE",
        type=NEW_FILE,
        required=required,
        callback=check,
        help=lambda: f"{help}, {either(suffixes())}.",
    )


def report_suffixes() -> list[str]:
    """Return how names of reports may end."""
    from errorfloor.show.report import FORMATS

    return list(FORMATS)
