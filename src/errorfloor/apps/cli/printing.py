"""Text for people, on stdout and stderr."""

from __future__ import annotations

import io
import sys
from typing import TextIO

import click

from errorfloor.show.markup import in_sight


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
    return in_sight(text).encode(encoding, "replace").decode(encoding)


class _Unfiltered(io.StringIO):
    """Text from which click takes no escape codes, so that they can be shown."""

    def isatty(self) -> bool:
        return True
