"""One run of a command: results to stdout, remarks and progress to stderr."""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

import click

from errorfloor import __version__

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

SCHEMA = "errorfloor/1"
REQUIREMENT = 3  # exit code where the answer is not the one that was required
BROKEN_PIPE = 141  # 128 + SIGPIPE, as programs have that the signal ends
INTERRUPTED = 130  # 128 + SIGINT

Draw = Callable[["Console"], None]


class Failure(click.ClickException):
    """Input that cannot be used; shown as one message, without a traceback."""

    def show(self, file: Any = None) -> None:
        """Print the message to stderr."""
        click.echo(f"error: {self.message}", err=True, file=file)


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
    """

    def __init__(
        self, command: str, arguments: tuple[str, ...], *, as_json: bool, quiet: bool
    ) -> None:
        self.command = command
        self.arguments = arguments
        self.as_json = as_json
        self.quiet = quiet
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
            click.echo(f"note: {text}", err=True)

    def show(
        self,
        result: Mapping[str, Any],
        text: str,
        *,
        draw: Draw | None = None,
        headline: bool = True,
        unmet: str | None = None,
    ) -> None:
        """Print the result, then the doubts; leave with code 3 if a requirement is `unmet`.

        Parameters
        ----------
        result : dict
            For programs.
        text : str
            For people, and for pipes.
        draw : callable, optional
            Draws on a terminal what `text` says.
        headline : bool
            Whether the first line says it all. Paths have none, and are not wrapped.
        unmet : str, optional
            What was required and is not so.
        """
        if self.as_json:
            content = {
                "schema": SCHEMA,
                "version": __version__,
                "command": self.command,
                **self.about,
                "result": result,
                "remarks": self._remarks + self._doubts,
            }
            click.echo(json.dumps(_plain(content), allow_nan=False))
        elif headline and sys.stdout.isatty():
            (draw or _wrapped(text))(_console())
        else:
            click.echo(text)
        if not self.quiet:
            for doubt in self._doubts:
                click.echo(f"warning: {doubt}", err=True)
        if unmet is not None:
            click.echo(f"failed: {unmet}", err=True)
            raise click.exceptions.Exit(REQUIREMENT)

    @contextmanager
    def step(self, what: str) -> Iterator[Callable[[float], None] | None]:
        """Show a bar on a terminal if this takes more than a second.

        Yields what takes the fraction that is done, or None where nobody watches.
        """
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        bar = _Bar(what)
        timer = threading.Timer(1.0, bar.appear)
        timer.daemon = True
        timer.start()
        try:
            yield bar.update
        finally:
            timer.cancel()
            bar.close()

    @contextmanager
    def silence(self) -> Iterator[None]:
        """With --quiet, keep from stderr what libraries show there by themselves."""
        if not self.quiet:
            yield
            return
        with redirect_stderr(StringIO()):
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
                if not issubclass(category, ErrorFloorWarning):
                    usual(message, category, filename, lineno, file, line)
                elif (doubt := in_options(str(message))) not in self._doubts:
                    self._doubts.append(doubt)

            warnings.showwarning = take
            yield


class _Bar:
    """A progress bar that appears late, from another thread, or never."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._done: float | None = None
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._closed = False

    def appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._closed:
                return
            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
            )
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task(self._what, total=None)
            self._progress.start()
            self._draw()

    def update(self, done: float) -> None:
        with self._lock:
            self._done = done
            self._draw()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._progress is not None:
                self._progress.stop()

    def _draw(self) -> None:
        if self._progress is not None and self._task is not None and self._done is not None:
            self._progress.update(self._task, total=1.0, completed=self._done)


def in_options(message: str) -> str:
    """Return a message of the library with its arguments named as options."""
    for argument, option in (
        ("`drop_missing=True`", "--drop-missing"),
        ("drop_missing=True", "--drop-missing"),
        ("`same_labelling=True`", "--same-labelling"),
        ("same_labelling=True", "--same-labelling"),
        ("`interval=None`", "--interval none"),
        ("None skips the interval", "none skips it"),
        ("`interval` ", "--interval "),
        ("`method` ", "--method "),
        ("`methods` ", "--method "),
        ("`positive`", "--positive"),
        ("`format`", "--format"),
        ("`model_error`", "--model-error"),
        ("`errors`", "--model-errors"),
        ("`n` ", "--test-items "),
        ("`votes`", "--try-votes"),
        ("`items`", "--try-items"),
        ("from_scores", "--score and --label"),
    ):
        message = message.replace(argument, option)
    return message


def _console() -> Console:
    """Return a console on stdout: without any escape codes where NO_COLOR is set."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Console(
        color_system=None if plain else "auto", highlight=False, markup=False, emoji=False
    )


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
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
