"""What the votes say about each item."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._shown import Shown, as_plain, frame_of_columns
from errorfloor._typing import Counts, Floats
from errorfloor.data.files import check_output
from errorfloor.data.options import Source
from errorfloor.data.storage import write_csv


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemRows(Shown):
    """What the items of two classes and of more have in common.

    Attributes
    ----------
    item : array of shape (rows,)
        The items' names where the data have some, else their places, from 0 on. Of a table of
        counts, the places of its rows.
    totals : array of shape (rows,)
        All votes.
    count : array of shape (rows,)
        Number of items that the row stands for: 1 unless the data are a table of counts.
    contribution : array of shape (rows,)
        Expected error of the best answer given the votes. Their mean is about the floor.
    rank : array of shape (rows,)
        1 for the items that contribute most; equal contributions share a rank, but of two classes
        the smaller majority comes first.
    floor : float
        The mean contribution.
    """

    item: NDArray[Any]
    totals: Counts
    count: Counts
    contribution: Floats
    rank: Counts
    floor: float
    dropped: int = 0
    source: Source | None = None

    def __len__(self) -> int:
        return len(self.item)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by their names."""
        raise NotImplementedError

    def hardest(self, most: int = 10) -> NDArray[np.intp]:
        """Return the rows that contribute most, the first of them first."""
        return np.argsort(self.rank, kind="stable")[:most]

    def to_frame(self, backend: Any = None) -> Any:
        """Return one row for each item as a dataframe of the library that is at hand.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first of these that is imported already, or else installed, by default.
        """
        return frame_of_columns(self.columns, backend)

    def to_csv(self, path: Any) -> Path:
        """Write one row for each item to a CSV file, by rank, and return its path."""
        check_output(path, () if self.source is None else self.source.files)
        order = self.hardest(len(self))
        columns = [one[order].tolist() for one in self.columns.values()]
        write_csv(path, list(self.columns), zip(*columns, strict=True))
        return Path(path)

    def to_dict(self) -> dict[str, Any]:
        """Return all items as plain values, ready for JSON."""
        return {
            "floor": self.floor,
            "n": int(self.count.sum()),
            "dropped": self.dropped,
            "columns": {name: values.tolist() for name, values in self.columns.items()},
            "source": as_plain(self.source),
        }

    def _counted(self, columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the columns without the counts, unless rows stand for several items."""
        return {name: one for name, one in columns.items() if name != "count" or (one != 1).any()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items(ItemRows):
    """Each item's expected part in the floor, from its votes and from those of all others.

    Attributes
    ----------
    item : array or None
        Names of the items; None where they have none.
    totals : array of shape (rows,)
        All votes on the item.
    count : array of shape (rows,)
        How many items a row stands for.
    contribution : array of shape (rows,)
        Expected error at best on the item: its part in the floor.
    rank : array of shape (rows,)
        Place by contribution, from 1 on; of equal ones, the smaller majority first.
    floor : float
        The mean of all contributions.
    positives : array of shape (rows,)
        Votes for class 1.
    probability : array of shape (rows,)
        Expected probability of class 1 given the votes.
    symmetric : bool
        Whether the classes were taken for exchangeable, so that only the size of a majority counts.
    symmetry : float or None
        P-value of "the classes are exchangeable", where the votes were asked.
    """

    positives: Counts
    probability: Floats
    symmetric: bool
    symmetry: float | None = None

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by their names; `count` only where rows stand for several items."""
        return self._counted({name: getattr(self, name) for name in _COLUMNS})

    def to_dict(self) -> dict[str, Any]:
        """Return all items as plain values, ready for JSON."""
        asked = {"symmetric": self.symmetric, "symmetry": self.symmetry}
        return {**ItemRows.to_dict(self), **asked}


_COLUMNS = ("item", "positives", "totals", "count", "probability", "contribution", "rank")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassItems(ItemRows):
    """The same where there are more than two classes.

    Attributes
    ----------
    item : array or None
        Names of the items; None where they have none.
    totals : array of shape (rows,)
        All votes on the item.
    count : array of shape (rows,)
        How many items a row stands for.
    contribution : array of shape (rows,)
        Expected error at best on the item: its part in the floor.
    rank : array of shape (rows,)
        Place by contribution, from 1 on.
    floor : float
        The mean of all contributions.
    classes : tuple of str
        Names of the classes.
    votes : array of shape (rows, classes)
        Votes for each class.
    answer : array of shape (rows,)
        The class with the most votes; the first of several, in the order of the classes.
    doubt : array of shape (rows,)
        Chance that another class is likelier.
    """

    classes: tuple[str, ...]
    votes: Counts
    answer: NDArray[np.str_]
    doubt: Floats

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by their names; those of the votes have the names of the classes."""
        votes = {f"votes {name}": self.votes[:, k] for k, name in enumerate(self.classes)}
        rest = ("totals", "count", "answer", "doubt", "contribution", "rank")
        return self._counted(
            {"item": self.item, **votes, **{name: getattr(self, name) for name in rest}}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all items as plain values, ready for JSON."""
        return {**ItemRows.to_dict(self), "classes": list(self.classes)}
