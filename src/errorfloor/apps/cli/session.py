"""One run of a command: results to stdout, remarks and progress to stderr."""

from __future__ import annotations

import io
import json
import math
import os
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from errorfloor import __version__
from errorfloor.apps.cli import process
from errorfloor.apps.cli.messages import written
from errorfloor.show.markup import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


def say(text: str, *, err: bool = False) -> None:
    """Print text for people. Names and values of others in it cannot steer the terminal."""
    click.echo(shown(text, sys.stderr if err else sys.stdout), err=err)


def complain(error: click.ClickException) -> None:
    """Print an error to stderr in the words of click."""
    text = _Unfiltered()
    error.show(text)
    say(text.getvalue().rstrip("\n"), err=True)


def shown(text: str, stream: TextIO) -> str:
    """Return text as a stream shows it: nothing hidden, and what it cannot encode as `?`."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return visible(text).encode(encoding, "replace").decode(encoding)


class _Unfiltered(io.StringIO):
    """Text from which click takes no escape codes, so that they can be shown."""

    def isatty(self) -> bool:
        return True


# Seconds that a step may take before it shows; the environment can say another number.
PATIENCE = 1.0
PATIENCE_VARIABLE = "ERRORFLOOR_PATIENCE"


def patience() -> float:
    """Return after how many seconds a step shows; what is no number leaves it as it is."""
    try:
        seconds = float(os.environ.get(PATIENCE_VARIABLE, ""))
    except ValueError:
        return PATIENCE
    return PATIENCE if math.isnan(seconds) else seconds


def is_plain() -> bool:
    """Tell whether the user wants no escape codes: NO_COLOR is set, or the terminal is dumb."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


class Unstyled(io.TextIOBase):
    """A stream that keeps escape codes from another."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text without its escape codes."""
        return self._stream.write(click.unstyle(text))

    def flush(self) -> None:
        """Flush the other stream."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Tell whether the other stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the other stream, by which its width is found."""
        return self._stream.fileno()


@contextmanager
def progressing(what: str) -> Iterator[Callable[[float], None]]:
    """Show on stderr what is going on, once it has taken a while.

    Yields what takes the fraction that is done.
    """
    sign = _Line(what) if is_plain() else _Bar(what)
    seconds = patience()
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), sign.appear)
    timer.daemon = True
    try:
        (timer.start if seconds > 0 else sign.appear)()
        yield sign.update
    finally:
        timer.cancel()
        sign.close()


class _Line:
    """One line of text that shows progress. It appears late, from another thread, or never."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._closed = False

    def appear(self) -> None:
        """Show it, unless it is closed by now."""
        with self._lock:
            if not self._closed:
                self._show()

    def update(self, done: float) -> None:
        """Take the fraction that is done."""

    def close(self) -> None:
        """Show it no more."""
        with self._lock:
            self._closed = True

    def _show(self) -> None:
        click.echo(f"{self._what} ...", err=True)


class _Bar(_Line):
    """A bar that is cleared at the end."""

    _done: float | None = None
    _progress: Progress | None = None

    def update(self, done: float) -> None:
        with self._lock:
            self._done = done
            self._draw()

    def close(self) -> None:
        super().close()
        if self._progress is not None:
            self._progress.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        text = TextColumn("{task.description}", markup=False)
        columns = (text, BarColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._progress.add_task(self._what, total=None)
        self._progress.start()
        self._draw()

    def _draw(self) -> None:
        if self._progress is not None and self._done is not None:
            (task,) = self._progress.task_ids
            self._progress.update(task, total=1.0, completed=self._done)


SCHEMA = "errorfloor/3"
REQUIREMENT = 3  # exit code where the answer is not the one that was required
REFUTED = 4  # exit code where the data contradict what the answer assumes
BROKEN_PIPE = 141  # 128 + SIGPIPE, as programs have that the signal ends


class Failure(click.ClickException):
    """Input that cannot be used; shown as one message, without a traceback."""

    def show(self, file: Any = None) -> None:
        """Print the message to stderr."""
        click.echo(f"error: {visible(self.message)}", err=True, file=file)


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

    def answer(
        self,
        found: Any,
        *,
        more: Sequence[str] = (),
        output: Path | None = None,
        unmet: str | None = None,
        refuted: bool | None = None,
    ) -> None:
        """Print the answer to a question, with `more` lines; for the rest see `show`."""
        from errorfloor.show.text import long_text_of

        self.show(
            found.to_dict(),
            "\n".join([long_text_of(found), *more]),
            answer=found,
            output=output,
            unmet=unmet,
            refuted=is_refuted(found) if refuted is None else refuted,
        )

    def show(
        self,
        result: Mapping[str, Any],
        text: str,
        *,
        answer: object = None,
        output: Path | None = None,
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
            What may have a picture on a terminal.
        output : Path, optional
            The file that was written.
        headline : bool
            Whether the first line says it all. Paths have none, and are not wrapped.
        unmet : str, optional
            What was required and is not so.
        refuted : bool
            Whether the data contradict what the answer assumes.
        """
        process.check_interrupt()
        if output is not None:
            result, text = {**result, "output": output}, f"{text}\nWrote {output}."
        if self.as_json:
            click.echo(json.dumps(_plain(self._object(result)), allow_nan=False))
        elif headline and sys.stdout.isatty():
            from errorfloor.show.terminal import draw  # nowhere else: the start is quick

            draw(answer, shown(text, sys.stdout), _console())
        else:
            say(text)
        if self.summary is not None:
            from errorfloor.show.exports import summary_of  # nowhere else, likewise

            with self.summary.open("a", encoding="utf-8") as file:
                file.write(summary_of(text, answer, self._doubts, unmet))
        if not self.quiet:
            for doubt in self._doubts:
                if self.as_json or doubt not in text:  # else it is printed already
                    say(f"Warning: {doubt}", err=True)
        if unmet is not None:
            say(f"Failed: {unmet}", err=True)
        elif "gate" in self.about:
            say(f"Passed: {self.about['gate']}", err=True)
        if refuted:
            raise click.exceptions.Exit(REFUTED)
        if unmet is not None:
            raise click.exceptions.Exit(REQUIREMENT)

    @contextmanager
    def step(self, what: str) -> Iterator[Callable[[float], None] | None]:
        """Show progress on a terminal if this takes a while.

        Yields what takes the fraction that is done, or None where nobody watches.
        """
        process.check_interrupt()
        if self.quiet or not sys.stderr.isatty():
            yield None
        else:
            with progressing(shown(what, sys.stderr)) as update:
                yield update
        process.check_interrupt()

    @contextmanager
    def quiet_libraries(self) -> Iterator[None]:
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
                    usual(visible(message), category, filename, lineno, file, line)
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


def is_refuted(found: Any) -> bool:
    """Tell whether the data contradict an answer, or one of several."""
    from errorfloor.results import Comparison, Groups, Verdict

    if isinstance(found, Groups):
        return any(map(is_refuted, found.values()))
    if isinstance(found, Verdict):
        return found.floor.refuted
    return bool(getattr(found.main if isinstance(found, Comparison) else found, "refuted", False))


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
