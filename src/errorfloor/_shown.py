"""Results know no words. What shows them is named here, and loads when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _show(module: str) -> Any:
    return import_module(f"errorfloor.show.{module}")


class Shown:
    """A result that people can print, draw, compare, and take to other programs."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        """Tell whether another result says the same; a number is never equal to a result."""
        if not isinstance(other, Shown):
            return NotImplemented
        if self is other:
            return True
        return type(self) is type(other) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return str(_show("text").text_of(self))

    def _repr_html_(self) -> str:
        return str(_show("html").html_of(self))

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the result with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            What `errorfloor.plot` draws of such a result: the gauge of a floor or a verdict.
        """
        return _show("plot").plot_of(self, ax)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the result as a dataframe of the library that is at hand.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first of these that is imported already, or else installed, by default.

        Returns
        -------
        dataframe
            A row for each method, group, annotator or the like; one row where there is one answer.
        """
        return _show("frame").frame_of(self, backend)


def frame_of_columns(columns: Any, backend: Any = None) -> Any:
    """Return columns as a dataframe of the library that is at hand."""
    return _show("frame").frame_of_columns(columns, backend)


def sentence_of(result: Any) -> str:
    """Return the one plain sentence that says what was found."""
    return str(_show("sentences").sentence_of(result))
