"""Functions with a version for each class of results, in a table by the names of the classes.

`functools.singledispatch` needs the classes themselves. To load all of them took 70 ms of processor
time where it was measured, and who shows one result has no use for the modules of all others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, TypeVar

Shown = TypeVar("Shown")
Version = Callable[[Any], Shown]


class ByClassName(Generic[Shown]):
    """A function of a result, and its versions by the names of the classes that they are for."""

    def __init__(self, usual: Version[Shown]) -> None:
        self.usual = usual
        self.versions: dict[str, Version[Shown]] = {}
        update_wrapper(self, usual)

    def register(self, *names: str) -> Callable[[Version[Shown]], Version[Shown]]:
        """Add a version for the classes of these names."""

        def add(version: Version[Shown]) -> Version[Shown]:
            self.versions |= dict.fromkeys(names, version)
            return version

        return add

    def __call__(self, result: Any) -> Shown:
        """Return what the version for the result's class returns, or for the next one above it."""
        for kind in type(result).__mro__:
            if kind.__name__ in self.versions:
                return self.versions[kind.__name__](result)
        return self.usual(result)
