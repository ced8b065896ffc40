"""Results know no words. What shows them is named here, and loads when first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

RowT = TypeVar("RowT")


def _show(module: str) -> Any:
    return import_module(f"errorfloor.show.{module}")


def as_plain(value: Any) -> Any:
    """Return a value as JSON has it: records as mappings, arrays and tuples as lists."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {one.name: as_plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | list):
        return [as_plain(one) for one in value]
    return value.tolist() if hasattr(value, "tolist") else value


class Plain:
    """A record that other programs can have as plain values."""

    __slots__ = ()
    in_dict: ClassVar[tuple[str, ...]] = ()  # what these are, in order; all fields by default

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        every: Any = self
        names = self.in_dict or [one.name for one in fields(every)]
        return {name: as_plain(getattr(self, name)) for name in names}


class Shown(Plain):
    """A result that people can print, draw, compare, and take to other programs."""

    __slots__ = ()

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
        return _show("exports").frame_of(self, backend)

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the numbers of the result by flat names, for trackers of experiments.

        Parameters
        ----------
        prefix : str
            What each name begins with, such as "errorfloor.".

        Returns
        -------
        dict of str to float
            What ``mlflow.log_metrics``, ``wandb.log`` and the like take: no text, nothing nested,
            nothing that is missing. True is 1.
        """
        found: dict[str, float] = _show("exports").metrics_of(self, prefix)
        return found

    def to_markdown(self) -> str:
        """Return the result as a part of a data card or a model card, in Markdown."""
        return str(_show("exports").markdown_of(self))


class Answer(Shown):
    """A result that one sentence sums up."""

    __slots__ = ()

    @property
    def sentence(self) -> str:
        """The answer in one plain sentence."""
        return str(_show("sentences").sentence_of(self))


class Named(Generic[RowT]):
    """A result with a row for each thing that has a name."""

    __slots__ = ()
    rows: Any  # a tuple of RowT: a field of one kind of result, computed by the other
    name_of_rows: ClassVar[str] = "name"  # the field that has it

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RowT]:
        return iter(self.rows)

    def __getitem__(self, name: Any) -> RowT:
        for row in self:
            if getattr(row, self.name_of_rows) == name:
                return row
        raise KeyError(name)


def formatted(result: Any, spec: str) -> str:
    """Return what an estimate claims, in a format such as .3f."""
    return str(_show("numbers").formatted(result, spec))


def frame_of_columns(columns: Any, backend: Any = None) -> Any:
    """Return columns as a dataframe of the library that is at hand."""
    return _show("exports").frame_of_columns(columns, backend)


def model_index_of(*arguments: Any) -> str:
    """Return the metadata of a model card for a verdict."""
    return str(_show("exports").model_index_of(*arguments))
