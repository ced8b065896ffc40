"""Results know no words. What shows them is named here, and loads when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _show(module: str) -> Any:
    return import_module(f"errorfloor.show.{module}")


class Shown:
    """A result that people can print, and look at in a notebook."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(_show("text").text_of(self))

    def _repr_html_(self) -> str:
        return str(_show("html").html_of(self))


class Framed(Shown):
    """A result of several rows, which can be had as a dataframe."""

    __slots__ = ()

    def to_frame(self, backend: Any = None) -> Any:
        """Return the rows as a dataframe of the library that is at hand.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first of these that is imported already, or else installed, by default.
        """
        return _show("frame").frame_of(self, backend)


def frame_of_columns(columns: Any, backend: Any = None) -> Any:
    """Return columns as a dataframe of the library that is at hand."""
    return _show("frame").frame_of_columns(columns, backend)


def sentence_of(result: Any) -> str:
    """Return the one plain sentence that says what was found."""
    return str(_show("sentences").sentence_of(result))
