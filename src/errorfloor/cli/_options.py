"""What commands share: their options, how they speak, and how they fail."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor.cli._columns import LAYOUTS
from errorfloor.cli._input import FORMATS, Labels, Rows, Source
from errorfloor.cli._session import BROKEN_PIPE, Failure, Session, in_options

if TYPE_CHECKING:
    from errorfloor import Estimate, Groups

Body = Callable[..., None]

SECTIONS = {
    "Columns": {"score", "label", "positive", "soft", "votes", "total"}
    | {"item", "annotator", "vote", "annotators"},
    "Reading": {"file_format", "drop_missing"},
    "The answer": {"method", "interval", "level", "resamples", "seed"},
}


class Command(click.Command):
    """A command whose help has its options in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that belong to no section first, those of all commands last."""
        titles = {name: title for title, names in SECTIONS.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        sections |= {title: [] for title in SECTIONS} | {"Output": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            name = parameter.name or ""
            if record is not None and isinstance(parameter, click.Option):
                output = name in ("as_json", "quiet") or "--help" in parameter.opts
                sections["Output" if output else titles.get(name, "Options")].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Group(click.Group):
    """A group that remembers what was typed."""

    command_class = Command
    group_class = type  # the same for groups inside

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of their definition."""
        return list(self.commands)

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        """Keep the arguments before click takes them apart."""
        typed = tuple(args)
        context = super().make_context(info_name, args, *rest, **extra)
        context.obj = context.obj or typed
        return context


def examples(*lines: str) -> str:
    """Return the end of a help page: commands that work as they stand."""
    files = any("demo/" in line for line in lines)
    head = "Examples, on files that `errorfloor demo --save demo` writes:" if files else "Examples:"
    return "\n".join(["\b", head, *(f"  {line}" for line in lines)])


def options(*decorators: Callable[[Body], Body]) -> Callable[[Body], Body]:
    """Return one decorator for several; help lists their options in this order."""

    def decorate(function: Body) -> Body:
        return functools.reduce(lambda inner, outer: outer(inner), reversed(decorators), function)

    return decorate


def speaking(function: Body) -> Body:
    """Give a command --json and --quiet, a session that heeds them, and errors in one message."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
    @click.option("-q", "--quiet", is_flag=True, help="No remarks and no progress on stderr.")
    @functools.wraps(function)
    def wrapped(as_json: bool, quiet: bool, **rest: Any) -> None:
        context = click.get_current_context()
        root = context.find_root()
        name = context.command_path.removeprefix(root.command_path).strip()
        session = Session(name, root.obj, as_json=as_json, quiet=quiet)
        try:
            with session.collecting_doubts():
                function(session, **rest)
        except BrokenPipeError:
            # Nobody reads on. What is left in the buffer goes nowhere, without a complaint.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            context.exit(BROKEN_PIPE)
        except Exception as error:
            if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from error
            message = explained(error)
            if message is None:
                raise
            raise Failure(message) from error

    return wrapped


def explained(error: Exception) -> str | None:
    """Return what to tell the user about an error of theirs, or None if it is one of ours."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, ImportError):
        text = str(error)
        return text if "pip install" in text else f"{text}: pip install 'errorfloor[cli]'."
    if isinstance(error, (ValueError, OSError)) or type(error).__module__.endswith("duckdb"):
        return in_options(str(error))
    return None


COLUMNS = {
    "score": "Scores, with one --label an item.",
    "label": "The one true label of an item.",
    "soft": "True probabilities of class 1.",
    "votes": "Votes for class 1, out of --total.",
    "total": "All votes on an item; or one number for all.",
    "item": "The item, where a row is one annotator's --vote.",
    "annotator": "Whose vote it is.",
    "vote": "The vote of a row.",
    "annotators": "One column an annotator, blanks allowed: a,b,c or 'rater*'.",
}


def reads(*layouts: str) -> Callable[[Body], Body]:
    """Give a command the options that say where labels are, as one `source`."""
    roles = tuple(role for layout in layouts for role in LAYOUTS[layout])
    columns = options(
        *(
            click.option(f"--{role}", metavar="COL", multiple=role == "annotators", help=text)
            for role, text in COLUMNS.items()
            if role in roles
        )
    )

    def decorate(function: Body) -> Body:
        @click.argument("files", metavar="FILE...", nargs=-1, required=True)
        @columns
        @click.option(
            "--positive", metavar="VALUE", help="Which value of labels or votes is class 1."
        )
        @click.option(
            "--format",
            "file_format",
            type=click.Choice(FORMATS),
            help="Told by name and content by default.",
        )
        @click.option("--drop-missing", is_flag=True, help="Leave out what has missing values.")
        @functools.wraps(function)
        def wrapped(
            files: tuple[str, ...],
            file_format: str | None,
            positive: str | None,
            drop_missing: bool,
            **rest: Any,
        ) -> None:
            named = {role: rest.pop(role) for role in roles}
            given = {role: column for role, column in named.items() if column}
            source = Source(files, file_format, given, positive, drop_missing, layouts)
            function(source=source, **rest)

        return wrapped

    return decorate


LEVEL = click.option(
    "--level",
    metavar="LEVEL",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the interval.",
)
SEED = click.option(
    "--seed",
    metavar="SEED",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of everything random; the same gives the same answer.",
)
INTERVAL = options(
    click.option(
        "--interval",
        metavar="NAME",
        default="auto",
        help="honest, certified, likelihood, betting, hoeffding, bca, basic, percentile or none; "
        "chosen to fit the method by default.",
    ),
    LEVEL,
    click.option(
        "--resamples",
        metavar="COUNT",
        type=click.IntRange(min=1),
        default=1000,
        show_default=True,
        help="Of the bootstrap, for intervals that use it.",
    ),
    SEED,
)
METHODS = click.option(
    "--method",
    "methods",
    metavar="NAME",
    multiple=True,
    help="Once for each method; all that fit by default.",
)


@dataclass(frozen=True, slots=True)
class Question:
    """How a floor is to be estimated."""

    method: str | None
    interval: str
    level: float
    resamples: int
    seed: int

    def answer(self, labels: Labels, session: Session) -> Estimate:
        """Return the floor of labels in any layout."""
        with session.step("estimating"):
            found: Estimate = self._function(labels.layout)(
                labels.table, **self._how(labels.layout)
            )
        return found

    def answer_by_group(self, rows: Rows, group: str, simultaneous: bool) -> Groups:
        """Return the floor of each group of rows."""
        how = {**rows.arguments, "group": group, "simultaneous": simultaneous}
        found: Groups = self._function(rows.layout)(rows.data, **how, **self._how(rows.layout))
        return found

    def _function(self, layout: str) -> Callable[..., Any]:
        from errorfloor import from_scores, from_soft_labels, from_votes

        known: dict[str, Callable[..., Any]]
        known = {"scores": from_scores, "soft labels": from_soft_labels}
        return known.get(layout, from_votes)

    def _how(self, layout: str) -> dict[str, Any]:
        if layout == "soft labels" and self.method is not None:
            raise click.UsageError("--method is for scores and votes; soft labels need none.")
        return {
            **({} if self.method is None else {"method": self.method}),
            "interval": None if self.interval == "none" else self.interval,
            "level": self.level,
            "n_resamples": self.resamples,
            "rng": self.seed,
        }


def asks_for_a_floor(function: Body) -> Body:
    """Give a command the options of an estimate, as one `question`."""

    @click.option(
        "--method",
        metavar="NAME",
        help="For scores isotonic (default), isotonic-cf, hist-K, beta, beta-am, beta-ab, beta-a, "
        "platt, platt-logit or corrupted; for votes mixture (default) or plugin.",
    )
    @INTERVAL
    @functools.wraps(function)
    def wrapped(
        method: str | None,
        interval: str,
        level: float,
        resamples: int,
        seed: int,
        **rest: Any,
    ) -> None:
        question = Question(method, interval, level, resamples, seed)
        function(question=question, **rest)

    return wrapped


MODEL = options(
    click.option(
        "--model-errors",
        metavar="COUNT",
        type=click.IntRange(min=0),
        help="Test items that the model got wrong.",
    ),
    click.option(
        "--model-error",
        metavar="RATE",
        type=click.FloatRange(0, 1),
        help="The same as a fraction: 0.08 for 8 %.",
    ),
    click.option(
        "--test-items", metavar="COUNT", type=click.IntRange(min=1), help="Number of test items."
    ),
    click.option(
        "--same-labelling", is_flag=True, help="The test labels were made as the votes were."
    ),
)


def destination(
    *suffixes: str,
    names: Sequence[str] = ("-o", "--output"),
    required: bool = True,
    help: str = "The file to write",  # noqa: A002
) -> Callable[[Body], Body]:
    """Give a command an option for a file with one of these endings, in a folder that exists."""

    def check(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
        if value is None:
            return None
        path = Path(value)
        if path.suffix.lower() not in suffixes:
            raise click.BadParameter(f"{value} must end in {' or '.join(suffixes)}.")
        if not path.parent.is_dir():
            raise click.BadParameter(f"there is no folder {path.parent}.")
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise click.BadParameter(f"{value} cannot be written.")
        return path

    return click.option(
        *names,
        metavar="FILE",
        required=required,
        callback=check,
        help=f"{help}, {' or '.join(suffixes)}.",
    )


class Numbers(click.ParamType):  # type: ignore[type-arg]  # takes an argument since click 8.4
    """Whole numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        """Return the numbers."""
        try:
            return value if isinstance(value, tuple) else tuple(map(int, value.split(",")))
        except ValueError:
            self.fail(f"{value!r} must be whole numbers such as 2,3,5.", param, ctx)
