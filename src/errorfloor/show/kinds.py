"""Functions with a version for each kind of result, told apart by the names of their classes.

They do what `functools.singledispatch` does, but load no class to know it by: who shows one result
has no use for the modules of all others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, TypeVar

Shown = TypeVar("Shown")


class ByKind(Generic[Shown]):
    """A function of a result, and its versions by the class that their argument is said to be."""

    def __init__(self, usual: Callable[[Any], Shown]) -> None:
        self.usual = usual
        self.versions: dict[str, Callable[[Any], Shown]] = {}
        update_wrapper(self, usual)

    def register(self, version: Callable[[Any], Shown]) -> Callable[[Any], Shown]:
        """Add a version for the class, or the classes, in its annotation."""
        said = version.__annotations__["result"]
        for kind in said.split(" | "):
            self.versions[kind.partition("[")[0]] = version
        return version

    def __call__(self, result: Any) -> Shown:
        """Return what the version for the result's class returns, or for the next one above it."""
        for kind in type(result).__mro__:
            if kind.__name__ in self.versions:
                return self.versions[kind.__name__](result)
        return self.usual(result)
