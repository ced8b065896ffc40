"""What commands are built from: options, help pages in sections, and a session for each run."""

from __future__ import annotations

import errno
import functools
import inspect
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from errorfloor._checks import InputError, either, typed_python
from errorfloor.apps.cli import process
from errorfloor.apps.cli.labels import Labels
from errorfloor.apps.cli.messages import following, unclear, written
from errorfloor.apps.cli.session import BROKEN_PIPE, Failure, Session
from errorfloor.data.columns import UnclearColumnsError
from errorfloor.data.format_record import sheet_in
from errorfloor.data.layouts import BESIDE, Layout, Role
from errorfloor.data.options import HOW_TO_READ, ReadOptions
from errorfloor.data.storage import beside_scratch
from errorfloor.questions.options import (
    ANSWER,
    ASK_OPTIONS,
    COLUMNS,
    FLAG,
    MODEL_OPTIONS,
    NAMES,
    OF_METRIC,
    OPTIONS,
    PLAIN,
    READING,
    AskOption,
    Choice,
    Kind,
    Number,
    Whole,
    as_typed,
    methods_help,
)
from errorfloor.results.verdict import BEYOND, VERDICTS
from errorfloor.show import markup

FILE = click.Path()  # whatever it is, shells complete it as a file
NEW_FILE = click.Path()  # the same, of what is written
_HYPHEN = "\N{NON-BREAKING HYPHEN}"  # in place of those at which lines would end
_MOST_NAMED = 3  # commands or files that may be meant
OLD_VERDICTS = {"below": BEYOND}  # what 0.1 called them


def as_click(kind: Kind) -> click.ParamType[Any]:
    """Return a kind of value as click knows them."""
    if isinstance(kind, Choice):
        return click.Choice(kind.choices)
    return Within(kind) if isinstance(kind, Number | Whole) else Typed(kind)


class Typed(click.ParamType):  # type: ignore[type-arg]  # takes an argument since click 8.4
    """A value that its kind reads."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = kind.name

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value."""
        if not isinstance(value, str):
            return value
        try:
            return self.kind.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Within(Typed, click.FloatRange):
    """A number, whose range help pages show."""

    def __init__(self, kind: Number | Whole) -> None:
        if isinstance(kind, Whole):
            click.FloatRange.__init__(self, kind.least)
        else:
            ends = (kind.least, kind.most, kind.min_open, kind.max_open)
            click.FloatRange.__init__(self, *ends)
        Typed.__init__(self, kind)

    def _describe_range(self) -> str:
        """Return the range; nothing where there are no ends."""
        return "" if self.min is None and self.max is None else super()._describe_range()


class VerdictName(click.Choice[str]):
    """A verdict; its name in 0.1 is taken as well."""

    def __init__(self) -> None:
        super().__init__(VERDICTS)

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the verdict as it was typed."""
        return str(value) if value in OLD_VERDICTS else super().convert(value, param, ctx)


Body = Callable[..., None]
Decorator = Callable[[Body], Body]
Help = str | Callable[[], str]  # made when it is shown, where it is a function

OUTPUT = "Output"


class ClickOption(click.Option):
    """An option in a section of the help page, whose help may be made when it is shown."""

    def __init__(
        self,
        *arguments: Any,
        help: Help = "",  # noqa: A002
        section: str = PLAIN,
        kind: Kind | None = None,
        aliases: Sequence[str] = (),
        **more: Any,
    ) -> None:
        self._help: Help = ""
        if kind is not None:
            more["type"] = as_click(kind)
        super().__init__(*arguments, **more)
        self._help = help
        self.section = section
        self.aliases = tuple(aliases)  # that people type as well, and no help shows

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Have the parser know the aliases, too."""
        shown = self.opts
        self.opts = [*shown, *self.aliases]
        super().add_to_parser(parser, ctx)
        self.opts = shown

    @property
    def help(self) -> str:
        """What the option is for."""
        return inspect.cleandoc(self._help() if callable(self._help) else self._help)

    @help.setter  # noqa: A003
    def help(self, value: str | None) -> None:
        self._help = value or ""


class Lines(click.HelpFormatter):
    """Lines of a help page, which end at no hyphen: average-precision can be copied."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], *args: Any, **how: Any) -> None:
        """Write words, and what they mean next to them."""
        super().write_dl([(one, text.replace("-", _HYPHEN)) for one, text in rows], *args, **how)

    def getvalue(self) -> str:
        """Return the whole page."""
        return super().getvalue().replace(_HYPHEN, "-")


class _Context(click.Context):
    formatter_class = Lines


class Command(click.Command):
    """A command whose help has its options in sections, those that matter most without the rest.

    Numbers that are typed by themselves may be meant for the options that `in_order` names.
    """

    context_class = _Context

    def __init__(self, *args: Any, in_order: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.in_order = in_order

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; of one that is another command's, say which."""
        typed = [*args]  # which click takes apart
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _no_such_option(error.option_name, ctx) from error
        except click.UsageError as error:
            are_numbers = all(re.fullmatch(r"[\d.,]+%?", one) for one in typed)
            if are_numbers and 0 < len(typed) <= len(self.in_order):
                raise self._without_options(ctx, typed) from error
            raise

    def _without_options(self, ctx: click.Context, words: Sequence[str]) -> click.UsageError:
        """Return what to say of numbers without options: the command that has them."""
        options = [one for name in self.in_order for one in self.params if one.name == name]
        named = [
            part
            for option, word in zip_longest(options, words)
            for part in (max(option.opts, key=len), word or option.make_metavar(ctx))
        ]
        line = shlex.join([*ctx.command_path.split(), *named])
        return click.UsageError(f"Name what each number is:\n  {line}", ctx)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options, with one that shows the help of them all."""
        found = super().get_params(ctx)
        return [*found, _HELP_ALL] if _seldom(found) else found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that belong to no section first, those of all commands last."""
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in _TITLES}
        parameters = self.get_params(ctx)
        seldom = () if ctx.meta.get(_ALL) else _seldom(parameters)
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if parameter.name in seldom:
                continue
            if record is not None and isinstance(parameter, click.Option):
                sections[self._title(parameter)].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def _title(self, option: click.Option) -> str:
        """Return the heading of an option: what it is about, if it is the command's own."""
        section: str = getattr(option, "section", OUTPUT)
        if section != PLAIN:
            return section
        titles = _OF_COMMANDS.get(self.name or "", _OF_OPTIONS)
        return titles.get(option.name or "", PLAIN)


def _no_such_option(name: str, context: click.Context) -> click.UsageError:
    """Return what to say of an option that a command does not have: who has it, or what is near."""
    command, root = context.command, context.find_root().command
    own = [one for each in command.params for one in each.opts if one.startswith("--")]
    near = get_close_matches(name, own, n=1, cutoff=0.7)
    names = {one.name for one in command.params}
    commands = [*root.commands.values()] if isinstance(root, click.Group) else []
    commands.sort(key=lambda one: len(names - {each.name for each in one.params}))  # alike first
    others = [
        f"errorfloor {one.name}"
        for one in commands
        if any(name in (*each.opts, *getattr(each, "aliases", ())) for each in one.params)
    ]
    more = f"{context.command_path} --help-all lists the options."
    if name == "--alpha":  # which is one less the level elsewhere
        more = "For a confidence level, use --level, such as --level 0.95."
    elif others:
        more = f"{markup.listed(others[:_MOST_NAMED])} {'has' if len(others) == 1 else 'have'} it."
    elif near:
        more = f"Did you mean {near[0]}?"
    said = f"{context.command_path} has no option {markup.visible(name)}. {more}"
    return click.UsageError(said, context)


_ALL = f"{__name__}.all"
_MODEL, _GATE = "Your model", "Gate for CI"
_ON_VOTES, _ON_RATINGS = "Agreement on votes", "Agreement on ratings"
_COST, _TRIED = "What labels cost", "What to try"
# The headings of a help page, in order. Options that are a command's own have them by their names.
_TITLES = (
    *(PLAIN, _MODEL, _ON_VOTES, _ON_RATINGS, _COST, _TRIED, COLUMNS, READING, ANSWER, _GATE),
    OUTPUT,
)
_OF_OPTIONS = {
    **dict.fromkeys(("errors", "accuracy", "confusion", "n", "same_labelling"), _MODEL),
    **dict.fromkeys(("require", "required", "fail_if_floor_above"), _GATE),
    "fail_if_room_above": _GATE,
    **dict.fromkeys(("fail_if_ceiling_below", "fail_above", "fail_below", "attainable"), _GATE),
    **dict.fromkeys(("output", "title", "dark", "theory"), OUTPUT),
}
_OF_COMMANDS = {
    "agreement": {
        **dict.fromkeys(("agree", "pairs", "share", "kappa", "alpha"), _ON_VOTES),
        **dict.fromkeys(("icc", "qwk", "pearson", "n", "metric"), _ON_RATINGS),
    },
    "plan": {
        **dict.fromkeys(("cost_per_item", "cost_per_vote"), _COST),
        **dict.fromkeys(("votes", "items"), _TRIED),
    },
}
_MOST_SHOWN = 10  # options, but for those of all commands
# The options that many commands share, those that most people need first.
_OFTEN = (
    *("score", "label", "positives", "totals", "prediction", "metric", "item", "annotator", "vote"),
    *("rating", "rater", "group", "level", "positive", "complete", "method", "counts"),
)
# Of the options that are a command's own, those that few people need.
_OWN_BUT_SELDOM = (
    *(
        "confusion",
        "same_labelling",
        "fail_if_room_above",
        "theory",
        "title",
        "dark",
        "means",
        "symmetric",
    ),
)


def _seldom(parameters: Sequence[click.Parameter]) -> set[str]:
    """Return the options that the short help leaves out: all but ten."""
    options = [
        one
        for one in parameters
        if isinstance(one, click.Option)
        and not one.hidden
        and getattr(one, "section", OUTPUT) != OUTPUT
    ]
    own = [one.name for one in options if getattr(one, "section", OUTPUT) == PLAIN]
    shared = {one.name for one in options} - {*own}
    ranked = [
        *(name for name in own if name not in _OWN_BUT_SELDOM),
        *(name for name in _OFTEN if name in shared),
    ]
    return {str(one.name) for one in options} - {*map(str, ranked[:_MOST_SHOWN])}


def _show_all(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        context.meta[_ALL] = True
        click.echo(context.get_help())
        context.exit()


_HELP_ALL = ClickOption(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    section=OUTPUT,
    help="Show this message with all options, and exit.",
)


class Group(click.Group):
    """A group that remembers what was typed, and takes a file for a question about it.

    Attributes
    ----------
    sections : dict of str to Commands
        The commands by the headings that they stand under in the help.
    usual : str
        The command that is meant where a file stands in the place of one.
    """

    context_class = _Context
    command_class = Command
    group_class = type  # the same for groups inside

    def __init__(
        self,
        *arguments: Any,
        sections: Mapping[str, Sequence[click.Command]] = MappingProxyType({}),
        usual: str = "",
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.sections = sections
        self.usual = usual
        for commands in sections.values():
            for command in commands:
                self.add_command(command)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under the headings that they belong to."""
        for title, commands in (self.sections or {"More": [*self.commands.values()]}).items():
            with formatter.section(title):
                formatter.write_dl(
                    [(str(one.name), one.get_short_help_str(80)) for one in commands]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; where a file or standard input is named in its place, the usual."""
        is_file = args[0] == "-" or os.path.exists(args[0])
        if self.usual and args[0] not in self.commands and (is_file or sheet_in(args[0])[1]):
            return self.usual, self.commands[self.usual], args
        if not self.usual or args[0] in self.commands or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        if re.search(r"[/\\]|\.\w+$", args[0]):
            raise click.UsageError(f"There is no file {args[0]!r} here. Check its name and folder.")
        files = [one for one in sorted(os.listdir()) if one.startswith(f"{args[0]}.")]
        near = [*get_close_matches(args[0], self.commands, n=1, cutoff=0.7), *files[:_MOST_NAMED]]
        meant = f"Did you mean {either(near)}?" if near else "Name a command, or a file as it is."
        raise click.UsageError(f"There is no command and no file {args[0]!r}. {meant}", ctx)

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        """Keep the arguments before click takes them apart."""
        typed = tuple(args)
        context = super().make_context(info_name, args, *rest, **extra)
        context.obj = context.obj or typed
        return context


option = functools.partial(click.option, cls=ClickOption)


def options(*decorators: Decorator) -> Decorator:
    """Return one decorator for several; help lists their options in this order."""

    def decorate(function: Body) -> Body:
        return functools.reduce(lambda inner, outer: outer(inner), reversed(decorators), function)

    return decorate


def examples(*lines: str) -> str:
    """Return the end of a help page: commands that work as they stand."""
    files = any("demo/" in line for line in lines)
    head = "Examples, on files that `errorfloor demo --save demo` writes:" if files else "Examples:"
    return "\n".join(["\b", head, *(f"  {line}" for line in lines)])


def with_session(function: Body) -> Body:
    """Give a command --json and --quiet, a session that uses them, and errors in one message."""

    @option("--json", "as_json", is_flag=True, section=OUTPUT, help="Print one JSON object.")
    @option("-q", "--quiet", is_flag=True, section=OUTPUT, help="Print no notes and no progress.")
    @option(
        "--summary",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        section=OUTPUT,
        help="Add the answer and its picture to a Markdown file, such as the summary of a CI job.",
    )
    @functools.wraps(function)
    def wrapped(as_json: bool, quiet: bool, summary: Path | None, **rest: Any) -> None:
        context = click.get_current_context()
        root = context.find_root()
        name = context.command_path.removeprefix(root.command_path).strip()
        session = Session(name, root.obj, as_json=as_json, quiet=quiet, summary=summary)
        try:
            with session.collecting_doubts():
                _check_outputs(context)
                function(session, **rest)
        except BrokenPipeError:
            # Nobody reads on. What is left in the buffer goes nowhere, without a complaint.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            context.exit(BROKEN_PIPE)
        except Exception as error:
            # DuckDB makes an error of Ctrl-C; so may libraries that it interrupts while they load.
            if process.was_interrupted() or str(error) == "Query interrupted":
                raise KeyboardInterrupt from error
            message = explained(error)
            if message is None:
                raise
            raise Failure(message) from error

    return wrapped


def _check_outputs(context: click.Context) -> None:
    """Refuse to write over what a command reads, before it reads anything."""
    given = {one: context.params.get(one.name or "") for one in context.command.params}
    read = [value for one, value in given.items() if one.type is FILE and value is not None]
    files = [name for value in read for name in ([value] if isinstance(value, str) else value)]
    for parameter, path in given.items():
        if parameter.type is NEW_FILE and path is not None and files:
            from errorfloor.data.files import check_output

            sources = ["/dev/stdin" if name == "-" else name for name in files]
            check_output(path, sources, name=parameter.name or "")


def _room(error: OSError) -> str:
    """Return what to do where there is no room for a file."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return ""
    temporary = beside_scratch(error.filename) != error.filename
    other = "have another folder for temporary files by TMPDIR" if temporary else "name another"
    return f" Make room there, or {other}."


def explained(error: Exception) -> str | None:
    """Return what to tell the user about an error of theirs, or None if it is one of ours."""
    if isinstance(error, UnclearColumnsError):
        return unclear(error)
    if isinstance(error, InputError):
        return "\n  ".join([error.told(written), *following(error)])
    if isinstance(error, PermissionError) and error.filename:
        return f"{error.filename}: {error.strerror}. Change its rights, or name another file."
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{beside_scratch(error.filename)}: {error.strerror}.{_room(error)}"
    if isinstance(error, ImportError):
        text = str(error)
        return text if "pip install" in text else f"{text}: pip install 'errorfloor[cli]'."
    if isinstance(error, MemoryError | OverflowError):
        return f"This takes more than the machine has ({error}). Ask for less at once."
    if isinstance(error, OSError) and error.strerror:  # of a stream, which has no name
        return f"{error.strerror}."
    if type(error).__module__.endswith("duckdb"):
        return f"DuckDB could not read this: {error}"
    return str(error) if isinstance(error, ValueError | OSError) else None


# The options that commands share, the records that they become, and what shells offer for them.


# What a shell offers where the Tab key is pressed.


def complete_columns(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the columns of the files that stand before; several have commas between them."""
    # Behind an option without its value click knows no arguments; the program remembers the words.
    words = context.find_root().obj or ()
    files = [one for one in words if os.path.isfile(sheet_in(one)[0])]
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
        @options(*map(column, roles.values()), *how_read)
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
        "--labels needs column names to match two files, and arrays have none. Save "
        "both in one file first:\n  " + f"{typed_python(code)}\n  errorfloor both.npz"
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
    name: str, of: Mapping[str, AskOption] = OPTIONS, parameter: str = "", **more: Any
) -> Decorator:
    """Give a command an option of the list, or of the list of another question."""
    own = of[name]
    complete = complete_columns if own.is_column else None
    if of is OPTIONS:
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
    return options(*(listed(name, of) for name in names))


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
    help="The class that the model predicts, in a file with votes, or with scores and labels. It "
    "is tested on these items.",
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
        @options(*map(listed, own))
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

    @options(*map(listed, MODEL_OPTIONS))
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
