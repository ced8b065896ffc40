"""Progress on a terminal: a bar, or one plain line where escape codes are not wanted."""

from __future__ import annotations

import io
import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
    sign: _Sign = _Line(what) if is_plain() else _Bar(what)
    late = _Late(sign.appear)
    try:
        late.start()
        yield sign.update
    finally:
        late.cancel()
        sign.close()


class _Sign(Protocol):
    """What shows progress. It appears late, from another thread, or never."""

    def appear(self) -> None: ...
    def update(self, done: float) -> None: ...
    def close(self) -> None: ...


class _Late:
    """Calls a function after a while, in a thread of its own; at once where that is 0."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self._seconds = patience()
        self._timer = threading.Timer(min(self._seconds, threading.TIMEOUT_MAX), function)
        self._timer.daemon = True

    def start(self) -> None:
        if self._seconds > 0:
            self._timer.start()
        else:
            self._function()

    def cancel(self) -> None:
        self._timer.cancel()


class _Line:
    """One line of text."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._closed = False

    def appear(self) -> None:
        with self._lock:
            if not self._closed:
                click.echo(f"{self._what} ...", err=True)

    def update(self, done: float) -> None:
        pass

    def close(self) -> None:
        with self._lock:
            self._closed = True


class _Bar:
    """A bar that is cleared at the end."""

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
