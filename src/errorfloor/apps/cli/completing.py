"""What a shell offers where the Tab key is pressed: columns of the named file, methods, sets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import click


def columns(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the columns of the files that stand before; several have commas between them."""
    # Behind an option without its value click knows no arguments; the program remembers the words.
    words = context.find_root().obj or ()
    files = [one for one in words if os.path.isfile(one)]
    before, comma, last = typed.rpartition(",")
    there: list[str] = []
    with suppress(Exception):  # a shell shows no errors while one types
        from errorfloor.frames import scan

        there = list(scan(files).columns) if files else []
    return [f"{before}{comma}{one}" for one in starting(last, there)]


def methods(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the methods of all kinds of labels."""
    from errorfloor import methods
    from errorfloor.data.layouts import LAYOUTS

    kinds = dict.fromkeys(layout.kind for layout in LAYOUTS)
    return starting(typed, (name for kind in kinds for name in methods.short_names(kind)))


def intervals(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the intervals."""
    from errorfloor import intervals

    return starting(typed, ("auto", *intervals.names(), "none"))


def metrics(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the metrics."""
    from errorfloor import metrics

    return starting(typed, metrics.names())


def sets(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Offer the real sets."""
    from errorfloor.datasets.catalogue import SETS

    return starting(typed, (one.name for one in SETS))


def starting(typed: str, names: Iterable[Any]) -> list[str]:
    """Return the names that begin as it was typed, each once."""
    return [name for name in dict.fromkeys(map(str, names)) if name.startswith(typed)]
