"""One run of a command: results to stdout, remarks and progress to stderr."""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from errorfloor import __version__
from errorfloor.apps.cli import interrupts
from errorfloor.apps.cli.messages import written
from errorfloor.apps.cli.printing import say, shown
from errorfloor.apps.cli.progress import Unstyled, is_plain, progressing
from errorfloor.show.markup import in_sight

if TYPE_CHECKING:
    from rich.console import Console

SCHEMA = "errorfloor/3"
REQUIREMENT = 3  # exit code where the answer is not the one that was required
REFUTED = 4  # exit code where the data contradict what the answer assumes
BROKEN_PIPE = 141  # 128 + SIGPIPE, as programs have that the signal ends

Draw = Callable[["Console"], None]


class Failure(click.ClickException):
    """Input that cannot be used; shown as one message, without a traceback."""

    def show(self, file: Any = None) -> None:
        """Print the message to stderr."""
        click.echo(f"error: {in_sight(self.message)}", err=True, file=file)


class Session:
    """What a command says, and where.

    Parameters
    ----------
    command : str
        Its name, such as "estimate".
    arguments : sequence of str
        All that the user typed behind `errorfloor`.
    as_json : bool
        Whether the result is one JSON object.
    quiet : bool
        Whether stderr stays empty unless something fails.
    summary : Path, optional
        A file of Markdown to which the answer is added.
    """

    def __init__(
        self,
        command: str,
        arguments: tuple[str, ...],
        *,
        as_json: bool,
        quiet: bool,
        summary: Path | None = None,
    ) -> None:
        self.command = command
        self.arguments = arguments
        self.as_json = as_json
        self.quiet = quiet
        self.summary = summary
        self.about: dict[str, Any] = {}  # what else belongs into the JSON object
        self._remarks: list[str] = []
        self._doubts: list[str] = []

    @property
    def shell_command(self) -> str:
        """The command as it can be pasted into a shell."""
        return shlex.join(("errorfloor", *self.arguments))

    def remark(self, text: str) -> None:
        """Say something that is not the result."""
        self._remarks.append(text)
        if not self.quiet:
            say(f"note: {text}", err=True)

    def show(
        self,
        result: Mapping[str, Any],
        text: str,
        *,
        answer: object = None,
        draw: Draw | None = None,
        headline: bool = True,
        unmet: str | None = None,
        refuted: bool = False,
    ) -> None:
        """Print the result, then the doubts; leave with code 3 if a requirement is `unmet`.

        Leave with code 4 if the answer is `refuted`, whatever was required of it.

        Parameters
        ----------
        result : dict
            For programs.
        text : str
            For people, and for pipes.
        answer : object, optional
            What has a gauge, for a terminal.
        draw : callable, optional
            Draws on a terminal what `text` says.
        headline : bool
            Whether the first line says it all. Paths have none, and are not wrapped.
        unmet : str, optional
            What was required and is not so.
        refuted : bool
            Whether the data contradict what the answer assumes.
        """
        interrupts.heed()
        if self.as_json:
            click.echo(json.dumps(_plain(self._object(result)), allow_nan=False))
        elif headline and sys.stdout.isatty():
            encodable = shown(text, sys.stdout)
            (draw or _gauge(answer, encodable) or _wrapped(encodable))(_console())
        else:
            say(text)
        if self.summary is not None:
            from errorfloor.apps.cli import summary  # the start is quick

            summary.add(self.summary, text, answer, self._doubts, unmet)
        if not self.quiet:
            for doubt in self._doubts:
                if self.as_json or doubt not in text:  # else it was said
                    say(f"warning: {doubt}", err=True)
        if unmet is not None:
            say(f"Failed: {unmet}", err=True)
        if refuted:
            raise click.exceptions.Exit(REFUTED)
        if unmet is not None:
            raise click.exceptions.Exit(REQUIREMENT)

    @contextmanager
    def step(self, what: str) -> Iterator[Callable[[float], None] | None]:
        """Show progress on a terminal if this takes a while.

        Yields what takes the fraction that is done, or None where nobody watches.
        """
        interrupts.heed()
        if self.quiet or not sys.stderr.isatty():
            yield None
        else:
            with progressing(shown(what, sys.stderr)) as update:
                yield update
        interrupts.heed()

    @contextmanager
    def taming(self) -> Iterator[None]:
        """Keep from stderr what libraries show there by themselves, or only its escape codes."""
        if self.quiet:
            with redirect_stderr(StringIO()):
                yield
        elif is_plain():
            with redirect_stderr(Unstyled(sys.stderr)):
                yield
        else:
            yield

    @contextmanager
    def collecting_doubts(self) -> Iterator[None]:
        """Turn warnings about results into remarks."""
        from errorfloor import ErrorFloorWarning

        with warnings.catch_warnings():
            warnings.simplefilter("always", ErrorFloorWarning)
            usual = warnings.showwarning

            def take(
                message: Warning | str,
                category: type[Warning],
                filename: str,
                lineno: int,
                file: TextIO | None = None,
                line: str | None = None,
            ) -> None:
                if not isinstance(message, ErrorFloorWarning):
                    usual(in_sight(message), category, filename, lineno, file, line)
                elif (doubt := message.told(written)) not in self._doubts:
                    self._doubts.append(doubt)

            warnings.showwarning = take
            yield

    def _object(self, result: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "version": __version__,
            "command": self.command,
            **self.about,
            "result": result,
            "remarks": self._remarks + self._doubts,
        }


def _console() -> Console:
    """Return a console on stdout: without any escape codes where none are wanted."""
    from rich.console import Console

    return Console(
        color_system=None if is_plain() else "auto", highlight=False, markup=False, emoji=False
    )


def _gauge(answer: object, text: str) -> Draw | None:
    """Return what draws the gauge of an answer; None where it has none."""
    if answer is None:
        return None
    from errorfloor.show.gauge import drawn  # nowhere but on a terminal: the start is quick

    return drawn(answer, text)


def _wrapped(text: str) -> Draw:
    def draw(console: Console) -> None:
        first, *rest = text.splitlines()
        console.print(first, style="bold")
        for line in rest:
            console.print(line)

    return draw


def _plain(value: Any) -> Any:
    """Return what JSON can hold: no NaN, no infinity, no arrays."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
