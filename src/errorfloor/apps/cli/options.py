"""The options that commands share, the records that they become, and what shells offer for them."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from errorfloor._checks import InputError, either
from errorfloor.apps.cli.building import FILE, NEW_FILE, Body, Decorator, option
from errorfloor.apps.cli.building import options as several
from errorfloor.apps.cli.labels import Labels
from errorfloor.apps.cli.messages import written
from errorfloor.apps.cli.session import Failure
from errorfloor.data.layouts import BESIDE, Layout, Role
from errorfloor.data.options import HOW_TO_READ, ReadOptions
from errorfloor.questions.options import (
    ANSWER,
    ASK_OPTIONS,
    COLUMNS,
    FLAG,
    MODEL_OPTIONS,
    NAMES,
    OF_METRIC,
    OPTIONS,
    READING,
    AskOption,
    as_typed,
    methods_help,
)

# What a shell offers where the Tab key is pressed.


def complete_columns(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the columns of the files that stand before; several have commas between them."""
    # Behind an option without its value click knows no arguments; the program remembers the words.
    words = context.find_root().obj or ()
    files = [one for one in words if os.path.isfile(one)]
    before, comma, last = typed.rpartition(",")
    there: list[str] = []
    with suppress(Exception):  # a shell shows no errors while one types
        from errorfloor.frames import scan

        there = list(scan(files).columns) if files else []
    return [f"{before}{comma}{one}" for one in _starting(last, there)]


def complete_methods(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the methods of all kinds of labels."""
    from errorfloor import methods
    from errorfloor.data.layouts import LAYOUTS

    kinds = dict.fromkeys(layout.kind for layout in LAYOUTS)
    return _starting(typed, (name for kind in kinds for name in methods.short_names(kind)))


def complete_intervals(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the intervals."""
    from errorfloor import intervals

    return _starting(typed, ("auto", *intervals.names(), "none"))


def complete_metrics(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the metrics."""
    from errorfloor import metrics

    return _starting(typed, metrics.names())


def complete_sets(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the real sets."""
    from errorfloor.datasets.catalogue import SETS

    return _starting(typed, (one.name for one in SETS))


def _starting(typed: str, names: Iterable[Any]) -> list[str]:
    """Return the names that begin as it was typed, each once."""
    return [name for name in dict.fromkeys(map(str, names)) if name.startswith(typed)]


# Options, and the records that they become.


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
    sampling: list[Decorator] = [WEIGHT, CLUSTER] if weights else []
    more = ["duplicates"] if "annotator" in roles else []
    more += ["unlabelled"] if unlabelled else []
    more += ["complete"] if complete else []
    more += ["label_is_vote"] if any(layout.of_shares for layout in layouts) else []
    how_read: list[Decorator] = [
        *map(listed, ("positive", "positive_from", "classes")),
        *group,
        *sampling,
        *JOINED,
    ]
    how_read += map(listed, ("format", "missing", "drop_missing", *more))

    def decorate(function: Body) -> Body:
        @click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
        @several(*map(column, roles.values()), *how_read)
        @functools.wraps(function)
        def wrapped(files: tuple[str, ...], **values: Any) -> None:
            how = {name: values.pop(name) for name in HOW_TO_READ if name in values}
            if how["positive"] is not None and how["positive_from"] is not None:
                raise click.UsageError("Give --positive or --positive-from, not both.")
            _refuse_two_arrays(files, how)
            columns: dict[str, Any] = {name: values.pop(name) or None for name in roles}
            try:
                where = ReadOptions.of(**columns, **how)
            except InputError as error:
                raise click.UsageError(error.told(written)) from error
            function(labels=Labels(files, where, tuple(layouts)), **values)

        return wrapped

    return decorate


def _refuse_two_arrays(files: Sequence[str], how: Mapping[str, Any]) -> None:
    """Refuse an array of labels in a file of its own, which has no column to match rows by."""
    labels = how.get("labels")
    if not labels or how.get("on") or not str(labels).endswith(".npy") or len(files) != 1:
        return
    code = (
        f"import numpy as np; np.savez('both.npz', scores=np.load({files[0]!r}), "
        f"labels=np.load({str(labels)!r}))"
    )
    raise Failure(
        "--labels matches two files by column name, and arrays have no column names. Save "
        "both in one file first:\n  "
        + "\n  ".join([shlex.join(["python", "-c", code]), "errorfloor both.npz"])
    )


def _once(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Any:
    """Refuse an option that is given twice, of which click would take the last silently."""
    if len(values) > 1:
        given = " and ".join(map(repr, values))
        raise click.BadParameter(f"it is given {len(values)} times, as {given}. Give it once.")
    return values[0] if values else None


def names_of(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[str] | None:
    """Return names with commas between them; given several times, each is one name."""
    return list(values) if len(values) > 1 else values[0].split(",") if values else None


_OF_COLUMNS = {"metavar": "COL", "section": COLUMNS, "shell_complete": complete_columns}
_ALIASES = {  # by the name of the role
    "score": ("scores", "proba"),
    "label": ("target",),
    "weight": ("weights", "sample-weight"),
    "cluster": ("clusters",),
    "votes": ("positives",),
    "total": ("totals",),
    "annotator": ("rater", "worker"),
    "annotators": ("raters", "workers"),
}
once = functools.partial(option, multiple=True, callback=_once)


def column(role: Role) -> Decorator:
    """Give a command an option that names the column of a role."""
    kind = functools.partial(option, multiple=True) if role.several else once
    aliases = [f"--{one}" for one in _ALIASES.get(role.name, ())]
    return kind(f"--{role.name}", role.argument, help=role.help, aliases=aliases, **_OF_COLUMNS)


def listed(
    name: str, options: Mapping[str, AskOption] = OPTIONS, parameter: str = "", **more: Any
) -> Decorator:
    """Give a command an option of the list, or of the list of another question."""
    own = options[name]
    complete = complete_columns if own.is_column else None
    if options is OPTIONS:
        complete = _COMPLETE.get(name)
    given: dict[str, Any] = {
        "metavar": own.metavar,
        "section": own.section,
        "help": own.help,
        "show_default": own.shows_default,
        "shell_complete": complete,
        "aliases": own.aliases,
        **({"multiple": True} if own.several else {}),
        **more,
    }
    if own.kind is FLAG:
        return option(own.on_command_line, parameter or name, is_flag=True, **given)
    if own.kind is NAMES:
        return option(own.on_command_line, name, multiple=True, callback=names_of, **given)
    if name == "positive":
        return once(own.on_command_line, name, **given)
    usual = as_typed(own.default) if isinstance(own.default, tuple) else own.default
    return option(own.on_command_line, name, **{"kind": own.kind, "default": usual, **given})


def listed_each(*names: str, of: Mapping[str, AskOption] = OPTIONS) -> Decorator:
    """Give a command several options of the list, or of the list of another question."""
    return several(*(listed(name, of) for name in names))


_COMPLETE = {"method": complete_methods, "interval": complete_intervals, "metric": complete_metrics}
GROUP = once(
    "--group",
    aliases=["--by", "--group-by", "--groups"],
    help="One answer for each value of a column.",
    **_OF_COLUMNS,
)
WEIGHT, CLUSTER = column(BESIDE[0]), column(BESIDE[1])
PREDICTION = once(
    "--prediction",
    aliases=["--predictions", "--predicted"],
    help="With --score and --label: the class that the model predicts, for a paired test.",
    **_OF_COLUMNS,
)
JOINED: tuple[Decorator, ...] = (
    once(
        "--labels",
        metavar="FILE",
        type=FILE,
        section=READING,
        help="A second file with the labels, such as human labels of items that an LLM judge "
        "scored; see --on.",
    ),
    once(
        "--on",
        metavar="COL",
        section=READING,
        help="With --labels: the column by which rows of both files are matched; ITEM=ID if it is "
        "called ITEM in FILE and ID in the file of labels.",
        shell_complete=complete_columns,
    ),
)
METHODS = option(
    "--method",
    "methods",
    metavar="NAME",
    multiple=True,
    section=ANSWER,
    help=methods_help,
    shell_complete=complete_methods,
)
ASK_OF_ERROR = tuple(name for name in ASK_OPTIONS if name not in OF_METRIC)


def with_ask(*names: str) -> Decorator:
    """Give a command the options that say what is asked, as one `ask`; all by default."""
    own = names or ASK_OPTIONS

    def decorate(function: Body) -> Body:
        @several(*map(listed, own))
        @functools.wraps(function)
        def wrapped(**values: Any) -> None:
            from errorfloor.questions.question import Ask

            given = {name: values.pop(name) for name in own}
            rate, reached = given.pop("bias_for_error", None), given.pop("reached", None)
            if rate is not None and reached is not None:
                raise click.UsageError("Give --reached or --bias-for-error, not both.")
            model_error = rate if reached is None else reached
            function(**values, ask=Ask(**given, model_error=model_error))

        return wrapped

    return decorate


def with_model(function: Body) -> Body:
    """Give a command the options that say what is known of a model, as one `model`."""

    @several(*map(listed, MODEL_OPTIONS))
    @functools.wraps(function)
    def wrapped(**values: Any) -> None:
        from errorfloor.questions.models import ModelOptions

        given = {name: values.pop(name) for name in MODEL_OPTIONS}
        function(**values, model=ModelOptions(**given))

    return wrapped


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
        help=lambda: f"{help} ({either(suffixes())}).",
    )


def report_suffixes() -> list[str]:
    """Return how names of reports may end."""
    from errorfloor.show.report import FORMATS

    return list(FORMATS)
