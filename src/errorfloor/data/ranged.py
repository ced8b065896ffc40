"""Tables whose rows are places on a line, or short ranges of it where there are too many."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, as_floats, check_unit_interval, check_whole
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.entries import together
from errorfloor.data.grid import CELLS, cell_of
from errorfloor.data.table import (
    TWO_CLASSES,
    Table,
    is_ascending,
    is_ours,
    order_of,
    pool,
    starts_of,
)


class Ranged(Table):
    """What tables of scores and of soft labels share."""

    __slots__ = ()
    place: ClassVar[str]  # the column that says where
    counts: Counts
    lows: Floats | None
    highs: Floats | None

    @property
    def places(self) -> Floats:
        """Where each row is."""
        return np.asarray(getattr(self, self.place))

    @property
    def items(self) -> Counts:
        """Number of items of each row."""
        return self.counts if self.counts.ndim == 1 else np.asarray(self.counts.sum(axis=1))

    @property
    def row_masses(self) -> Any:
        """What the items of each row weigh together; their number without weights."""
        if self.entries is None:
            return self.items
        return self.entries.without_labels().sums(len(self), 1)[:, 0]

    @property
    def n(self) -> int:
        """Number of items, those without a label left out."""
        return int(self.counts.sum())

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the largest place of each row; both the same where it is one place."""
        return (
            self.places if self.lows is None else self.lows,
            self.places if self.highs is None else self.highs,
        )

    @property
    def coarse(self) -> Bools:
        """Tell which rows stand for several places."""
        if self.lows is None:
            return np.zeros(len(self), dtype=np.bool_)
        lows, highs = self.ranges
        return np.asarray(lows < highs)

    @classmethod
    def from_ranges(
        cls, lows: Floats, highs: Floats, counts: NDArray[Any], *, dropped: int = 0, **more: Any
    ) -> Self:
        """Return a table with a row for each range; ranges that overlap become one.

        `more` are further columns that add up, and the classes.
        """
        if lows.size == 0:
            return cls.empty(more.get("classes", TWO_CLASSES)).without(dropped)
        order = np.argsort(lows, kind="stable")
        entries = more.pop("entries", None)
        low, high = lows[order], np.maximum.accumulate(highs[order])
        start = np.flatnonzero(np.concatenate(([True], low[1:] > high[:-1])))
        low, high = low[start], np.maximum.reduceat(high, start)
        pooled = pool(counts, order, start)
        if entries is not None:
            more["entries"] = entries.moved(_rows_after(order, start))
        more = {
            name: pool(value, order, start) if isinstance(value, np.ndarray) else value
            for name, value in more.items()
        }
        if (low == high).all():
            return cls(low, pooled, dropped=dropped, **more)  # type: ignore[call-arg]
        middle = np.where(low == high, low, low / 2 + high / 2)
        return cls(middle, pooled, lows=low, highs=high, dropped=dropped, **more)  # type: ignore[call-arg]

    def coarsen(self, cells: int = CELLS) -> Self:
        """Return the table with the scores of each cell of a fixed grid merged into one row.

        The grid does not depend on the data, so shards that were coarsened add up to the same
        table as one pass over all items, and a power of two fits into the next one.

        Parameters
        ----------
        cells : int
            Number of cells from 0 to 1, finer towards both ends; as many again take negative
            scores, and scores above 1.
        """
        remedy = f"{CELLS:,} is usual; powers of two fit into each other."
        check_whole(cells, name="cells", least=1, remedy=remedy)
        if self.places.ndim > 1:
            return self
        start = starts_of(cell_of(self.places, cells))
        if start.size == len(self):
            return self
        lows, highs = self.ranges
        ends = np.append(start[1:], len(self)) - 1
        pooled: dict[str, Any] = {
            name: pool(value, slice(None), start) for name, value in self._added().items()
        }
        if self.entries is not None:
            pooled["entries"] = self.entries.moved(_rows_after(np.arange(len(self)), start))
        return type(self).from_ranges(
            lows[start], highs[ends], **pooled, dropped=self.dropped, classes=self.classes
        )

    def _plus(self, other: Self) -> Self:
        if self.places.ndim > 1:
            return self._plus_points(other)
        lows, highs = (np.concatenate(pair) for pair in zip(self.ranges, other.ranges, strict=True))
        return type(self).from_ranges(
            lows,
            highs,
            **self._joined(other),
            dropped=self.dropped + other.dropped,
            classes=self.classes,
        )

    def _plus_points(self, other: Self) -> Self:
        places = np.concatenate((self.places.T, other.places.T), axis=1).T
        order = order_of(places)
        start = starts_of(places[order])
        joined = self._joined(other)
        entries = joined.pop("entries", None)
        pooled = {name: pool(value, order, start) for name, value in joined.items()}
        if entries is not None:
            pooled["entries"] = entries.moved(_rows_after(order, start))
        dropped = self.dropped + other.dropped
        return type(self)(places[order][start], **pooled, dropped=dropped, classes=self.classes)  # type: ignore[call-arg]

    def _joined(self, other: Self) -> dict[str, Any]:
        """Return the columns that add up, one table behind the other; 0 where one has none."""
        mine, theirs = self._added(), other._added()
        like = mine | theirs
        joined: dict[str, Any] = {}
        entries = together(self.entries, other.entries, (len(self), len(other)))
        if entries is not None:
            joined["entries"] = entries
        for name, array in like.items():
            parts = [
                part.get(name, np.zeros((len(table), *array.shape[1:]), array.dtype)).T
                for table, part in ((self, mine), (other, theirs))
            ]
            joined[name] = np.concatenate(parts, axis=-1).T
        return joined

    def _added(self) -> dict[str, NDArray[Any]]:
        """Return the columns that add up."""
        where = (self.place, "lows", "highs")
        return {name: array for name, array in self.columns.items() if name not in where}

    def _set_places(self) -> None:
        """Check where the rows are. Adding zero turns -0.0 into 0.0: equal places, equal bits."""
        places = as_floats(getattr(self, self.place), name=self.place)
        if not (is_ours(places) and not _has_negative_zeros(places)):
            places = np.array(places.T, order="C").T + 0.0
        if not is_ascending(places):
            raise InputError(
                f"`{self.place}` of a table must be finite, distinct and ascending. "
                f"Build tables with {type(self).__name__}.from_arrays."
            )
        self._freeze(**{self.place: places, "counts": self.counts})
        if self.lows is not None or self.highs is not None:
            edges = {
                name: as_floats(places if edge is None else edge, name=name) + 0.0
                for name, edge in (("lows", self.lows), ("highs", self.highs))
            }
            self._freeze(**edges)
            self._check_ranges(places)

    def _check_unit(self, name: str) -> None:
        """Refuse places outside [0, 1]."""
        for edge in self.ranges:
            for of_class in np.atleast_2d(edge.T):
                check_unit_interval(of_class, name=name, entry="row")

    def _check_ranges(self, places: Floats) -> None:
        lows, highs = self.ranges
        inside = (lows <= places) & (places <= highs) if lows.shape == places.shape else False
        if not (np.all(inside) and (highs[:-1] < lows[1:]).all()):
            raise InputError(
                "`lows` and `highs` must be ranges around the scores that do not overlap. "
                f"Build such tables with {type(self).__name__}.coarsen."
            )


def _rows_after(order: NDArray[np.intp], start: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the new row of each old one, where rows in order become one up to the next start."""
    new = np.zeros(order.size, dtype=np.intp)
    new[start[1:]] = 1
    found = np.empty(order.size, dtype=np.intp)
    found[order] = np.cumsum(new)
    return found


def _has_negative_zeros(places: Floats) -> bool:
    return any(bool((np.signbit(key) & (key == 0)).any()) for key in np.atleast_2d(places.T))
