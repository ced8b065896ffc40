"""Messages of the library for people at a terminal: arguments become options.

The options are those that the commands really have. An option's parameter has the name of the
library's argument, so there is no list of them here.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from errorfloor import metrics
from errorfloor._checks import InputError, Mention, argument
from errorfloor.data.columns import UnclearColumnsError
from errorfloor.data.layouts import EVERY_LAYOUT, LAYOUTS, joined
from errorfloor.data.options import Source
from errorfloor.questions.options import as_typed
from errorfloor.show.markup import listed

# What else an argument may be called: arrays by the columns that hold them, and the model error
# that a bias is bounded for, or that caps a floor, which is not that of the model in question.
_SYNONYMS = {
    array: (role.argument,)
    for layout in LAYOUTS
    for array, role in zip(layout.arrays, layout.roles, strict=False)
    if not layout.of_shares
} | {"model_error": ("bias_for_error", "reached")}


_MOST_LINES = 3  # commands after an error
_COLUMNS = {role.argument for layout in LAYOUTS for role in layout.roles}


def written(mention: Mention) -> str:
    """Return how people at a terminal write an argument or a function of the library."""
    if mention.is_aside:
        return mention.in_python()
    if mention.is_function:
        return _function(mention.name)
    option = _option(mention.name)
    if mention.is_command:
        return f"{_typed_so_far(option)} {written(replace(mention, is_command=False))}"
    if option is None:
        return mention.name if mention.value is None else f"{mention.name}={mention.value}"
    name = max(option.opts, key=len)
    if mention.value is None:
        return name
    value = _read(mention.value)
    off = _option(f"no_{mention.name}") if value is False else None
    if off is not None:
        return max(off.opts, key=len)
    if option.is_flag:
        return name if value else f"no {name}"
    return f"{name} {shlex.quote(as_typed(value))}"


def guesses(source: Source) -> str:
    """Return which columns were taken for what, where nobody named them."""
    layout = next(layout for layout in EVERY_LAYOUT if layout.name == source.layout)
    roles = [role for role in layout.roles if role.name in source.guessed]
    several = roles and isinstance(source.columns[roles[0].name], tuple | list)
    nouns = [one.words if one.words == "ratings" else f"the {one.words}" for one in roles]
    taken = [
        f"{quoted(source.columns[one.name])} as {noun}"
        for one, noun in zip(roles, nouns, strict=True)
    ]
    return f"using column{'s' if several else ''} {listed(taken)}"


def quoted(column: Any) -> str:
    """Return a column, or several, by their names in quotes."""
    names = column if isinstance(column, tuple | list) else [column]
    return ", ".join(f'"{name}"' for name in names)


def _function(name: str) -> str:
    """Return how to ask for what a function does: by options here, or by another command."""
    own = name.removeprefix("from_")
    if name in _root().commands or (own in _root().commands and own != name):
        return f"errorfloor {own}"
    layout = next((layout for layout in LAYOUTS if layout.asks == name), None)
    if layout is None:
        return name
    here = _here()
    there = _all_parameters() if here is None else _parameters(here)
    if not all(role.argument in there for role in layout.needed):
        return "errorfloor estimate"
    mentions = [argument(role.argument) for role in layout.needed]
    return "".join(part if isinstance(part, str) else written(part) for part in joined(mentions))


def following(error: InputError) -> list[str]:
    """Return commands to type after an error: with what it asks for, or a look at the file.

    None where it lists some already, or where no file was named.
    """
    mentions = [part for part in error.parts if isinstance(part, Mention)]
    context = click.get_current_context(silent=True)
    files = () if context is None else context.params.get("files") or ()
    if any(one.is_command for one in mentions) or not files or "-" in files:
        return []
    named = (one for one in mentions if one.value is not None and "COL" not in one.value)
    asked = [one for one in named if _option(one.name) is not None and not _is_typed(one)]
    lines = [written(replace(one, is_command=True)) for one in asked][:_MOST_LINES]
    # A look at what cannot be read would end in the same error, and helps with columns only.
    about = any(one.name in _COLUMNS for one in mentions) and not str(error).startswith("Could not")
    here = context is not None and context.command.name == "look"
    return lines or ([shlex.join(("errorfloor", "look", *files))] if about and not here else [])


# What a column that a look leaves out may be, by the last option of the command that it proposes.
_MAY_BE = {"--prediction": "holds what a model predicts", "--label": "holds the true labels"}


def unclear(error: UnclearColumnsError) -> str:
    """Return what to say where nobody named the columns: the command that a look finds best."""
    context = click.get_current_context(silent=True)
    files = () if context is None else context.params.get("files") or ()
    several = any(isinstance(one, Mention) and one.is_command for one in error.parts)
    if several or context is None or not files or "-" in files:
        return error.told(written)
    from errorfloor.data.options import ReadOptions
    from errorfloor.questions.look import in_general, looked_at

    given = {name: context.params.get(name) for name in ("format", "labels", "on")}
    where = ReadOptions.of(**{name: one for name, one in given.items() if one})
    models, others = _named(context, "prediction"), _named(context, "weight", "cluster", "group")
    found, _ = looked_at(list(files), where, written, tuple(files), others, models)
    lines = [*_lines_here(found.next, files)]
    best = found.layouts[0] if found.layouts else None
    front = InputError(*error.front).told(written)
    forms = [*_lines_here(in_general(files, ()), files)]
    if not lines or lines == forms:  # or what can be asked of such a file is another command
        name = context.command_path
        other = "" if best is None else f" {best.says} {name} needs other columns."
        other = other or " Names and values do not tell which to use."
        return "\n  ".join([f"{front}{error.columns}{other}{error.needs} Name them.", *forms])
    if best is None:
        problems = [one for one in found.problems if one not in front]  # which has notes on files
        own = f"{front}{problems[0]}{error.needs}" if problems else None
        return "\n  ".join([own or error.told(written).partition("\n")[0], *lines])
    meant = [one.command for one in found.layouts if one.problem is None and one.command]
    ways = [*_lines_here(meant, files)]
    problem = "" if len(ways) > 1 or best.problem is None else f"{best.problem.rstrip('.:')}. "
    head = f"{front}Which columns should be used? {error.columns} {problem}Our guess:"
    if len(ways) > 1:
        return "\n  ".join([head, f"{ways[0]}\nor, if the columns mean something else:", *ways[1:]])
    if problem or len(lines) < 2:
        return "\n  ".join([head, lines[0]])
    *_, option, column = shlex.split(lines[1])
    if option not in _MAY_BE:
        return "\n  ".join([head, lines[0]])
    other = f'or, if column "{column}" {_MAY_BE[option]}:'
    return "\n  ".join([head, f"{lines[0]}\n{other}", lines[1]])


def _lines_here(lines: Sequence[str], files: Sequence[str]) -> Iterator[str]:
    """Yield the commands of `look` that this one can follow."""
    for line in lines:
        completed = _completed(line, files)
        if completed is not None:
            yield completed


def _named(context: click.Context, *options: str) -> list[str]:
    """Return the columns that were named for what stands next to labels, such as weights."""
    given = (context.params.get(name) or () for name in options)
    several = (one.split(",") if isinstance(one, str) else one for one in given)
    return [column for columns in several for column in columns]


def _completed(line: str, files: Sequence[str]) -> str | None:
    """Return a command of `look` with all that was typed so far; None if it has other options."""
    plain = shlex.join(("errorfloor", "estimate", *files))
    if not line.startswith(plain):
        return line
    own = line.removeprefix(plain)
    there = {name for one in _parameters(_here()).values() for name in one.opts}
    able = all(word in there for word in shlex.split(own) if word.startswith("--"))
    return f"{_typed_so_far()}{own}" if able else None


def _is_typed(mention: Mention) -> bool:
    """Tell whether an option was typed with that value already."""
    context = click.get_current_context(silent=True)
    option = _option(mention.name)
    if context is None or option is None or mention.value is None:
        return False
    typed, value = context.params.get(str(option.name)), _read(mention.value)
    return typed == value or (
        option.name == "metric" and isinstance(typed, str) and metrics.meant_by(typed) == value
    )


def _typed_so_far(without: click.Option | None = None) -> str:
    """Return the command as it was typed, without an option that gets another value."""
    context = click.get_current_context(silent=True)
    typed: Sequence[str] = () if context is None else context.find_root().obj or ()
    if without is not None:
        for option in (*_against(without), *(() if without.multiple else (without,))):
            typed = [*_without(typed, option)]
    return shlex.join(("errorfloor", *typed))


def _against(option: click.Option) -> Iterator[click.Option]:
    """Yield options of this command for columns that no layout has next to those of this one."""
    if option.name not in _COLUMNS:
        return
    layouts = [{role.argument for role in layout.roles} for layout in LAYOUTS]
    together = {name for names in layouts if option.name in names for name in names}
    for name, other in _parameters(_here()).items():
        if name in _COLUMNS - together:
            yield other


def _without(words: Sequence[str], option: click.Option) -> Iterator[str]:
    """Yield words of a command but for an option and its value."""
    rest = iter(words)
    for word in rest:
        if word in (*option.opts, *option.secondary_opts):
            if not option.is_flag:
                next(rest, None)
        elif not word.startswith(tuple(f"{name}=" for name in option.opts)):
            yield word


def _option(name: str) -> click.Option | None:
    """Return the option for an argument: of this command, or else of any."""
    context = click.get_current_context(silent=True)
    typed = {} if context is None else context.params
    names = sorted((name, *_SYNONYMS.get(name, ())), key=lambda one: typed.get(one) is None)
    for parameters in (_parameters(_here()), _all_parameters()):
        for one in names:
            if one in parameters:
                return parameters[one]
    return None


def _here() -> click.Command | None:
    context = click.get_current_context(silent=True)
    return None if context is None else context.command


def _root() -> click.Group:
    from errorfloor.apps.cli.commands import cli

    return cli


def _all_parameters() -> dict[str, click.Option]:
    # The first command that has an option is the one that people know it from.
    found: dict[str, click.Option] = {}
    for command in _commands(_root()):
        found = _parameters(command) | found
    return found


def _commands(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from _commands(command)
        else:
            yield command


def _parameters(command: click.Command | None) -> dict[str, click.Option]:
    parameters = () if command is None else command.params
    return {
        str(option.name): option
        for option in parameters
        if isinstance(option, click.Option) and not option.hidden
    }


def _read(text: str) -> object:
    """Return the value that was written in Python, or the text where that is none."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
