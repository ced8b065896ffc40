"""Ratings: numbers that several people gave to each item, as a table that adds, and how it is read.

Rows of the table are items with the same ratings. Where raters are known, the table keeps who gave
which rating, and items are alike only if the same people rated them in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, argument, as_flag, function, refuse, shown
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.entries import POSITIVE, REMEDY, Entries
from errorfloor.data.layouts import ITEM, Layout, Role
from errorfloor.data.matrices import column
from errorfloor.data.naming import TWO_CLASSES
from errorfloor.data.options import ARRAY, HOW_TO_READ, ReadOptions
from errorfloor.data.source import Source, is_frame, is_source
from errorfloor.data.tables import Table
from errorfloor.data.values import as_entries, is_float, missing_in, text_of, written_number

MOST_RATINGS = 2**27  # that fit into memory
_MOST_COLUMNS = 100  # that are compared; more are no raters of many items
_FEW_ROWS = 20
_APART = 4.5  # standard errors, beyond which columns differ by more than chance
FARTHEST = 1e100  # from 0, so that fourth powers are in range


# The table -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RatingTable(Table):
    """Items by their ratings, with the number of items that have the same.

    Parameters
    ----------
    values : array of shape (ratings,)
        Ratings, row after row: those of a row ascend, or are in the order of their raters.
    sizes : array of shape (rows,)
        Number of ratings in each row.
    counts : array of shape (rows,)
        Number of items with such ratings.
    dropped : int
        Items that were left out because something was missing.
    weights : array of shape (rows,), optional
        What each item weighs.
    clusters : array of shape (rows,), optional
        Names of the clusters that items belong to.
    raters : array of shape (ratings,), optional
        Whose rating it is: places in `names`.
    names : array of str, optional
        Names of the raters.
    predictions : array of shape (rows,), optional
        A model's prediction for the item.

    Examples
    --------
    >>> table = RatingTable.from_arrays([[5, 6], [3, 3], [6, 5]])
    >>> table, table.sizes, table.counts
    (RatingTable(n=3, rows=2), array([2, 2]), array([1, 2]))
    """

    values: Floats
    sizes: Counts
    counts: Counts
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES  # ratings have none
    weights: Floats | None = None
    clusters: NDArray[Any] | None = None
    raters: Counts | None = None
    names: NDArray[Any] | None = None
    predictions: Floats | None = None
    entries: Entries | None = None

    kind: ClassVar[str] = "ratings"

    def __post_init__(self) -> None:
        sizes = column(self.sizes, "sizes", least=1)
        values = np.array(self.values, dtype=np.float64)
        _check_values(values, "values")
        rows = {"weights": self.weights, "clusters": self.clusters}
        rows |= {"predictions": self.predictions}
        self._freeze(sizes=sizes, counts=column(self.counts, "counts", least=1), **rows)
        for one, where in ((values, "values"), (self.raters, "raters")):
            if one is not None and len(one) != sizes.sum():
                raise ValueError(f"The {where} must be as many as the sizes add up to.")
        for name, array in (("values", values), ("raters", self.raters), ("names", self.names)):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def from_arrays(cls, ratings: object, **beside: Any) -> Self:
        """Count items with a row of ratings each, NaN where there is none.

        `beside` is what `from_ratings` takes: `item` and `rater` where a rating is an entry of its
        own, `rater=True` where each column is a rater, `weight`, `cluster` and `drop_missing`.
        """
        return cast("Self", read_arrays(ratings, Named.of(**beside)).table)

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.counts.sum())

    @property
    def ratings(self) -> int:
        """Number of ratings."""
        return int(self.counts @ self.sizes)

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        none = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0), none, none)

    @property
    def one_by_one(self) -> RatingTable:
        """The same with a row for each item."""
        if (self.counts == 1).all():
            return self
        row = np.repeat(np.arange(len(self)), self.counts)
        return replace(self._at(row), counts=np.ones(row.size, dtype=np.int64))

    def _at(self, row: Counts) -> RatingTable:
        """Return some rows in this order."""
        first = np.cumsum(self.sizes) - self.sizes
        sizes = self.sizes[row]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        place = np.repeat(first[row], sizes) + within
        kept: dict[str, Any] = {
            name: None if (one := getattr(self, name)) is None else one[row]
            for name in ("weights", "clusters", "predictions")
        }
        raters = None if self.raters is None else self.raters[place]
        kept |= {"values": self.values[place], "sizes": sizes, "counts": self.counts[row]}
        return replace(self, **kept, raters=raters)

    def with_predictions(self, predictions: Floats, row: Counts) -> RatingTable:
        """Return the table with a prediction for each item, whose rows are these."""
        items = replace(self._at(row), counts=np.ones(row.size, dtype=np.int64))
        return replace(items, predictions=np.asarray(predictions, dtype=np.float64)).merged[0]

    @property
    def merged(self) -> tuple[RatingTable, Counts]:
        """The same in order with equal rows as one, and the place of each row among them."""
        found: list[RatingTable] = []
        place = np.empty(len(self), dtype=np.int64)
        start = 0
        for size in np.unique(self.sizes):
            some = np.flatnonzero(self.sizes == size)
            part = self._at(some)
            first, row = _first_of_each(part._keys(int(size)))
            counts = np.bincount(row, part.counts, minlength=first.size).astype(np.int64)
            found.append(replace(part._at(first), counts=counts))
            place[some] = start + row
            start += first.size
        return (_stacked(found) if found else self), place

    def _keys(self, size: int) -> list[NDArray[Any]]:
        """Return what tells rows of one size apart, the most important last."""
        keys: list[NDArray[Any]] = []
        if self.clusters is not None:
            keys.append(np.unique(self.clusters, return_inverse=True)[1])
        keys += [one for one in (self.weights, self.predictions) if one is not None]
        parts = [one for one in (self.raters, self.values) if one is not None]
        for part in parts:
            keys += list(part.reshape(-1, size).T[::-1])
        return keys

    def _plus(self, other: Self) -> Self:
        for name, what in (("names", "raters"), ("weights", "weights"), ("clusters", "clusters")):
            known = getattr(self, name) is not None, getattr(other, name) is not None
            if known[0] != known[1] and len(self) and len(other):
                raise InputError(
                    f"One of the tables knows its {what}, and the other does not. Count both with "
                    f"their {what}, or both without."
                )
        if not len(self) or not len(other):
            rest = other if not len(self) else self
            return rest.without(self.dropped + other.dropped)
        both: list[RatingTable] = [self, other]
        if self.names is not None and other.names is not None:
            names: NDArray[Any] = np.unique(np.concatenate((self.names, other.names)))
            both = [one._with_names(names) for one in both]
        total = _stacked(both).merged[0]
        return cast("Self", replace(total, dropped=self.dropped + other.dropped))

    def _with_names(self, names: NDArray[Any]) -> RatingTable:
        assert self.raters is not None
        assert self.names is not None
        return replace(self, raters=np.searchsorted(names, self.names)[self.raters], names=names)


def _stacked(tables: Sequence[RatingTable]) -> RatingTable:
    def together(name: str) -> Any:
        parts = [getattr(one, name) for one in tables]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    columns = ("values", "sizes", "counts", "weights", "clusters", "raters", "predictions")
    return replace(tables[0], **{name: together(name) for name in columns})


def _first_of_each(keys: list[NDArray[Any]]) -> tuple[Counts, Counts]:
    """Return where each distinct row is first, in order, and the place of each row among them."""
    order = np.lexsort(keys)
    new = np.zeros(order.size, dtype=np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return order[new], place


def _check_values(values: Floats, name: str) -> None:
    refuse(
        ~(np.abs(values) < FARTHEST),
        values,
        (argument(name), f" must be finite numbers below {FARTHEST:.0e}"),
        "Correct or leave out such ratings.",
    )


# What people bring -----------------------------------------------------------------------------


_RATING_NAMES = frozenset(
    {"rating", "score", "grade", "mark", "stars", "mos", "value", "response", "judgment", "points"}
    | {"judgement", "rating_value", "quality", "opinion", "slider", "human_score", "human_rating"}
)
_RATER_NAMES = frozenset(
    {"rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "judge", "judge_id"}
    | {"reviewer", "reviewer_id", "coder", "coder_id", "user", "user_id", "participant", "listener"}
    | {"listener_id", "grader", "grader_id", "participant_id", "evaluator", "evaluator_id"}
)
RATED = Role(
    "item",
    "item",
    "The item, where a row is one person's --rating.",
    ITEM.names
    | {"paper", "paper_id", "essay", "essay_id", "clip", "clip_id", "stimulus", "stimulus_id"}
    | {"submission", "submission_id", "wav", "segment_id", "response_id", "video_id", "product_id"},
    unsure_names=ITEM.unsure_names | {"file", "filename", "name", "system_id", "segment", "video"},
)
RATING = Role("rating", "rating", "The rating of a row.", _RATING_NAMES, is_number=True)
RATER = Role("rater", "rater", "Whose rating it is.", _RATER_NAMES, optional=True)
SIDE_BY_SIDE = Role(
    "ratings",
    "ratings",
    "One column per rater, blanks allowed (a,b,c or 'rater*'); or one column with lists.",
    pattern=r"(rater|rating|annotator|judge|reviewer|grader|listener|coder|score|r|expert)"
    r"(_?\d+|_[a-z])",
    several=True,
    is_number=True,
)
IN_LISTS = Role(
    "ratings",
    "ratings",
    "All ratings of an item in one column: lists, or text such as 5;6;3.",
    frozenset({"ratings", "scores", "grades", "marks", "responses", "opinions"}),
    is_list=True,
)


def _never(request: Any) -> Mapping[Any, Table]:
    raise TypeError("Ratings are read by errorfloor.data.ratings.")


LONG = Layout(
    name="ratings in rows",
    table=RatingTable,
    roles=(RATED, RATING, RATER),
    says="A row is one person's rating of one item.",
    count=_never,
    asks="from_ratings",
    row_is_item=False,
)
WIDE = Layout(
    name="ratings side by side",
    table=RatingTable,
    roles=(SIDE_BY_SIDE,),
    says="A row is an item with a column of ratings per rater, blank where there is none.",
    count=_never,
    asks="from_ratings",
)
LISTS = Layout(
    name="lists of ratings",
    table=RatingTable,
    roles=(IN_LISTS,),
    says="A row is an item with the list of its ratings.",
    count=_never,
    asks="from_ratings",
)
LAYOUTS = (LONG, WIDE, LISTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a user says of the data: columns of a dataframe or file, or arrays next to arrays."""

    item: Any = None
    rating: Any = None
    ratings: Any = None
    rater: Any = None  # a column, an array, or whether each column is a rater
    prediction: Any = None
    options: ReadOptions = field(default_factory=ReadOptions)

    @classmethod
    def of(cls, **given: Any) -> Self:
        """Divide what was given into columns of ratings, and how to read them."""
        how = {name: given.pop(name) for name in HOW_TO_READ if name in given}
        as_flag(how.get("drop_missing", False), name="drop_missing")
        return cls(**given, options=ReadOptions(**how))

    @property
    def beside(self) -> dict[str, Any]:
        """What there is one of for each item."""
        own = {**self.options.beside, "group": self.options.group, "prediction": self.prediction}
        return {name: value for name, value in own.items() if value is not None}

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what was said."""
        own = {name: getattr(self, name) for name in ("item", "rating", "ratings", "rater")}
        own["prediction"] = self.prediction
        columns = [name for name, one in own.items() if one is not None and one is not False]
        return (*columns, *self.options.given)


@dataclass(frozen=True, slots=True, eq=False)
class RatingReading:
    """A table of ratings, which row each item has, and where they came from.

    Attributes
    ----------
    table : RatingTable
    row : array of shape (items,)
        The row of each item, in the order in which items first appear.
    source : Source
    ids : sequence, optional
        What items are called, where they have names.
    """

    table: RatingTable
    row: Counts = field(repr=False)
    source: Source
    ids: Sequence[Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Ratings as they were read: an entry for each, and what each item has besides."""

    item: Counts
    value: Floats  # NaN where it is missing
    items: int
    rater: Any = None  # names, of any kind
    beside: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # an entry for each item
    ids: Sequence[Any] | None = None
    name: str = "ratings"  # of the argument, for errors
    blanks: bool = True  # whether a missing rating is none
    width: int = 0  # number of columns, where each row has one rating in each or none


def read_ratings(
    data: Any, named: Named, progress: Callable[[float], None] | None = None
) -> dict[Any, RatingReading]:
    """Return the ratings of each group; of the group None without groups."""
    if isinstance(data, RatingReading):
        return {None: data}
    if isinstance(data, RatingTable):
        return {None: _of_table(data, named, "table")}
    if data is None:
        text = " is missing. Pass ratings as an array with a row per item, a dataframe or a file."
        raise InputError(argument("data"), text)
    are_paths = is_source(data) and not (isinstance(data, list) and _all_lists(data))
    if are_paths:
        from errorfloor.data.files import found_in
        from errorfloor.data.saved import saved_table

        with found_in(data, named.options.format) as found:
            table = saved_table(found)
            if isinstance(table, RatingTable):
                return {None: _of_table(table, named, "files", _paths(data))}
            return _of_rows(found, named, progress, _paths(data))
    if is_frame(data):
        return _of_rows(data, named, progress)
    return {None: read_arrays(data, named)}


def _all_lists(data: list[Any]) -> bool:
    """Tell lists of ratings in text, such as "5;6;3", from paths."""
    return all(isinstance(one, str) and all(map(is_float, one.split(";"))) for one in data)


def _paths(data: Any) -> tuple[str, ...]:
    given = (data,) if isinstance(data, str | os.PathLike) else data
    return tuple(os.fspath(path) for path in given)


def _of_table(
    table: RatingTable, named: Named, origin: Any, files: tuple[str, ...] = ()
) -> RatingReading:
    for name in named.given:
        if name not in ("format", "called"):
            text = " goes with ratings in arrays, dataframes and files. A table knows it already."
            raise InputError(argument(name), text, " Leave it out.")
    if not len(table):
        raise InputError(argument("data"), " is an empty table. Pass at least two items.")
    row = np.repeat(np.arange(len(table)), table.counts)
    source = Source(origin=origin, layout=table.kind, files=files, rows=table.n + table.dropped)
    return RatingReading(table, row, source)


# Arrays ----------------------------------------------------------------------------------------


def read_arrays(data: Any, named: Named) -> RatingReading:
    """Return ratings of arrays: a row per item, lists of unequal length, or an entry per rating."""
    for name in ("rating", "ratings", "group"):
        if name in named.given:
            raise InputError(
                argument(name), " goes with a dataframe or a file, and this is an array."
            )
    entries = _one_dimensional(data, named) if named.item is not None else _rows_of(data, named)
    beside = {}
    for name, value in named.beside.items():
        array = as_entries(value)
        if array.shape != (entries.items,):
            raise InputError(
                argument(name),
                f" must have an entry for each of {entries.items:,} items, got shape "
                f"{array.shape}.",
            )
        beside[name] = array
    source = Source(
        origin="arrays",
        layout=LONG.name if named.item is not None else WIDE.name,
        columns={name: ARRAY for name in ("item", "rater") if name in named.given},
        options=named.options.kept,
    )
    return _counted(replace(entries, beside=beside), named, source)


def _one_dimensional(data: Any, named: Named) -> _Entries:
    values, items = _numbers(data, "data"), as_entries(named.item)
    if values.ndim != 1 or items.shape != values.shape:
        raise InputError(
            *(argument("data"), " and ", argument("item")),
            f" must be one rating and its item per entry, got shapes {values.shape} and "
            f"{items.shape}.",
        )
    ids, item = _codes(items.tolist())
    rater = None
    if named.rater is not None and not isinstance(named.rater, bool):
        rater = as_entries(named.rater)
        if rater.shape != values.shape:
            raise InputError(argument("rater"), f" must have {values.size:,} entries as well.")
    return _Entries(item, values, len(ids), rater, ids=ids, name="data", blanks=False)


def _rows_of(data: Any, named: Named) -> _Entries:
    """Return a row of ratings per item."""
    if named.rater is not None and not isinstance(named.rater, bool):
        raise InputError(
            argument("rater"),
            " must be True where each column of an array is a rater, or else False. Whose each "
            "rating is goes with ",
            *(argument("item"), ", an entry for each rating."),
        )
    rows = _as_lists(data)
    if rows is not None:
        if named.rater:
            raise InputError(argument("rater"), " needs columns, and these are lists.")
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
        flat = np.array([one for row in rows for one in row], dtype=object)
        values = _numbers(flat, "data") if flat.size else np.zeros(0)
        return _Entries(np.repeat(np.arange(sizes.size), sizes), values, sizes.size, name="data")
    values = _numbers(data, "data")
    if values.ndim != 2:
        raise InputError(
            argument("data"),
            f" must have a row for each item and a column for each rating, got shape "
            f"{values.shape}. With one rating per entry name its ",
            *(argument("item"), "."),
        )
    n, width = values.shape
    rater = np.tile(np.arange(width), n) if named.rater else None
    item = np.repeat(np.arange(n), width)
    return _Entries(item, values.ravel(), n, rater, name="data", width=width)


def _as_lists(data: Any) -> list[list[Any]] | None:
    """Return lists of unequal length, or text such as 5;6;3; None for what is an array."""
    if not isinstance(data, list | tuple) or not data:
        return None
    if all(isinstance(one, str) for one in data):
        return [[part if part.strip() else None for part in one.split(";")] for one in data]
    if not all(isinstance(one, list | tuple | np.ndarray) for one in data):
        return None
    return [list(one) for one in data] if len({len(one) for one in data}) > 1 else None


def _numbers(values: Any, name: str) -> Floats:
    """Return numbers of any shape, NaN where they are missing; text is refused."""
    array = as_entries(values)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind not in "OUT":
        raise InputError(argument(name), f" must hold numbers, got {array.dtype}.")
    flat = array.ravel().tolist()
    none = missing_in(array.ravel())
    found = np.full(array.size, np.nan)
    for k, value in enumerate(flat):
        if not none[k]:
            try:
                found[k] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise _no_number(name, value, k) from None
    return found.reshape(array.shape)


def _no_number(name: str, value: object, k: int) -> InputError:
    return InputError(
        argument(name),
        f" must hold numbers: entry {k} is {shown(value)}. Ratings in words need numbers first; "
        "for the best possible accuracy of a vote among classes ask ",
        function("from_votes"),
        ".",
    )


def _codes(values: Sequence[Any]) -> tuple[list[Any], Counts]:
    """Return the distinct values in the order in which they appear, and which each one is."""
    place: dict[Any, int] = {}
    code = np.fromiter(
        (place.setdefault(value, len(place)) for value in values), np.int64, len(values)
    )
    return list(place), code


# Rows of dataframes and files ------------------------------------------------------------------


def _of_rows(
    data: Any, named: Named, progress: Any, files: tuple[str, ...] = ()
) -> dict[Any, RatingReading]:
    from errorfloor.data.read_rows import rows_of

    name = named.options.called or (files[0] if files else "the dataframe")
    with rows_of(data, named.options, progress) as (frame, run):
        layout, columns, guessed = _chosen(frame, run, named, name)
        entries = _read(frame, run, layout, columns, named)
    source = Source(
        origin="files" if files else "frame",
        layout=layout.name,
        files=files,
        columns=columns,
        guessed=guessed,
        options=named.options.kept,
        rows=entries.value.size if layout is LONG else entries.items,
    )
    groups = entries.beside.get("group")
    if groups is None:
        return {None: _counted(entries, named, source)}
    none = missing_in(groups)
    if none.any() and not named.options.drop_missing:
        raise _missing(("column ", repr(named.options.group)), int(none.sum()), groups.size)
    found = {}
    for group in dict.fromkeys(groups[~none].tolist()):
        try:
            found[group] = _counted(_of_group(entries, groups == group), named, source)
        except InputError as error:
            raise error.behind(f"Group {group}: ") from error
    return dict(sorted(found.items(), key=lambda pair: str(pair[0])))


def _of_group(entries: _Entries, some: Bools) -> _Entries:
    kept = some[entries.item]
    place = np.cumsum(some) - 1
    return _Entries(
        place[entries.item[kept]],
        entries.value[kept],
        int(some.sum()),
        None if entries.rater is None else entries.rater[kept],
        {name: one[some] for name, one in entries.beside.items()},
        None if entries.ids is None else [entries.ids[k] for k in np.flatnonzero(some).tolist()],
        entries.name,
        entries.blanks,
        entries.width,
    )


def _chosen(
    frame: Any, run: Any, named: Named, name: str
) -> tuple[Layout, dict[str, Any], tuple[str, ...]]:
    """Return the layout, its columns by role, and which of them were guessed."""
    from errorfloor.data.columns import choose, fitting
    from errorfloor.data.engines import kinds_of

    for role, value in {"item": named.item, "rating": named.rating, **named.beside}.items():
        if value is not None and not isinstance(value, str):
            raise InputError(
                argument(role), f" must be the name of a column, as text; got {shown(value)}."
            )
    kinds = kinds_of(frame, run)
    for role, one in named.beside.items():
        if one not in kinds:
            listed = ", ".join(map(str, kinds))
            text = f" names column {one!r}, which is not in {name}. Its columns are {listed}."
            raise InputError(argument(role), text)
    left = {one: kind for one, kind in kinds.items() if one not in named.beside.values()}
    for one in fitting(IN_LISTS, left):  # lists whose numbers never repeat are not told by values
        left[one] = "list" if left[one] == "text" else left[one]
    given, allowed = _given(named, left)
    found = choose(left, given, allowed, name)
    columns, guessed = dict(found.columns), found.guessed
    told = fitting(RATER, left)  # a column that is merely left over is no rater
    if found.layout is LONG and (
        named.rater is False or ("rater" in guessed and columns["rater"] not in told)
    ):
        columns.pop("rater", None)
        guessed = tuple(one for one in guessed if one != "rater")
    return found.layout, columns, guessed


def _given(named: Named, left: Mapping[str, str]) -> tuple[dict[str, Any], tuple[Layout, ...]]:
    """Return the columns that were named by role, and the layouts that they may be of."""
    given: dict[str, Any] = {
        one: value for one in ("item", "rating") if (value := getattr(named, one)) is not None
    }
    if isinstance(named.rater, str):
        given["rater"] = named.rater
    elif named.rater is not None and not isinstance(named.rater, bool):
        raise InputError(argument("rater"), " must be the name of a column, True or False.")
    if named.ratings is not None:
        if given:
            raise InputError(
                argument("ratings"),
                " names columns with a row per item, and ",
                argument(next(iter(given))),
                " a row per rating. Give one of them.",
            )
        lists = isinstance(named.ratings, str) and left.get(named.ratings) != "number"
        lists = lists and named.ratings in left
        given["ratings"] = named.ratings if lists else _names(named.ratings)
        return given, (LISTS,) if lists else (WIDE,)
    return given, (LONG,) if given else _plausible(left)


def _names(ratings: Any) -> tuple[str, ...]:
    """Return names of columns, or say that they are none."""
    try:
        names = (ratings,) if isinstance(ratings, str) else tuple(ratings)
    except TypeError:
        names = ()
    if not names or not all(isinstance(one, Hashable) for one in names):
        raise InputError(
            argument("ratings"),
            f" must be the names of columns, such as ['a', 'b', 'c']; got {shown(ratings)}.",
        )
    return names


def _plausible(kinds: Mapping[str, str]) -> tuple[Layout, ...]:
    """Return the layouts that names of columns allow; all where they tell nothing."""
    from errorfloor.data.columns import likely_readings

    for layout in (LISTS, LONG, WIDE):
        if likely_readings(kinds, (layout,)):
            return (layout,)
    return LAYOUTS


def may_be_ratings(kinds: Mapping[str, str]) -> bool:
    """Tell whether columns are called what ratings are called."""
    from errorfloor.data.columns import fitting

    lists = dict.fromkeys(fitting(IN_LISTS, kinds), "list")  # which values do not tell
    return _plausible({**kinds, **lists}) != LAYOUTS


def _read(
    frame: Any, run: Any, layout: Layout, columns: Mapping[str, Any], named: Named
) -> _Entries:
    from errorfloor.data.engines import select

    if layout is LONG:
        return _read_long(frame, run, columns, named)
    if layout is LISTS:
        from errorfloor.data.classes import votes_apart

        frame, wide = votes_apart(frame, run, columns["ratings"], "ratings")
    else:
        wide = tuple(columns["ratings"])
    wanted = {f"rating {k}": one for k, one in enumerate(wide)}
    found = run(select(frame, {**wanted, **{f"own {a}": b for a, b in named.beside.items()}}))
    values = [_column(found[new], old, "ratings") for new, old in wanted.items()]
    matrix = np.column_stack(values)
    n, width = matrix.shape
    rater = None
    if named.rater is True:
        if layout is LISTS:
            raise InputError(argument("rater"), " needs columns, and these are lists.")
        rater = np.tile(np.array([text_of(one) for one in wide], dtype=object), n)
    elif isinstance(named.rater, str):
        raise InputError(argument("rater"), " names a column of raters, which goes with rows.")
    beside = {one: found[f"own {one}"] for one in named.beside}
    own = 0 if layout is LISTS else width
    item = np.repeat(np.arange(n), width)
    return _Entries(item, matrix.ravel(), n, rater, beside, width=own)


def _read_long(frame: Any, run: Any, columns: Mapping[str, Any], named: Named) -> _Entries:
    from errorfloor.data.engines import select

    beside = {f"own {one}": column for one, column in named.beside.items()}
    found = run(select(frame, {**columns, **beside}))
    items = found["item"]
    none = missing_in(items)
    kept: Any = slice(None)
    if none.any():
        if not named.options.drop_missing:
            raise _missing(("column ", repr(columns["item"])), int(none.sum()), items.size)
        kept = ~none
    ids, item = _codes(items[kept].tolist())
    values = _column(found["rating"][kept], columns["rating"], "rating")
    own = {
        one: _same_on_item(found[f"own {one}"][kept], item, len(ids), one, ids)
        for one in named.beside
    }
    rater = found["rater"][kept] if "rater" in columns else None
    return _Entries(item, values, len(ids), rater, own, ids, "rating", blanks=False)


def _same_on_item(
    values: NDArray[Any], item: Counts, items: int, name: str, ids: Sequence[Any]
) -> NDArray[Any]:
    """Return the one value that each item has, or refuse several."""
    first = np.full(items, -1, dtype=np.int64)
    first[item[::-1]] = np.arange(item.size)[::-1]
    own = values[first]
    differ = values != own[item]
    differ &= ~(missing_in(values) & missing_in(own)[item])
    if np.asarray(differ).any():
        which = ids[int(item[int(np.argmax(differ))])]
        raise InputError(
            argument(name), f" must be the same in all rows of an item, and differs for {which!r}."
        )
    return own


def _column(values: NDArray[Any], name: str, role: str) -> Floats:
    """Return a column as numbers, NaN where it is missing."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    if values.dtype.kind == "c":
        raise InputError(argument(role), f" must hold real numbers, got {values.dtype}.")
    none = missing_in(values)
    found = np.full(values.size, np.nan)
    there = values[~none]
    try:
        found[~none] = there.astype(np.float64)
        return found
    except (TypeError, ValueError):
        pass
    for k in np.flatnonzero(~none):
        number = written_number(str(values[k])) if str(values[k]).strip() else np.nan
        if number is None:
            raise InputError(
                *(argument(role), f" (column {name!r}) must hold numbers: entry {k} is "),
                f"{shown(values[k])}. Ratings in words need numbers first.",
            )
        found[k] = number
    return found


# Checks and counts -----------------------------------------------------------------------------


def _missing(what: tuple[Part, ...], number: int, all_: int) -> InputError:
    return InputError(
        *what,
        f" is missing in {number:,} of {all_:,} rows. Fill it in, or leave such rows out with ",
        argument("drop_missing", True),
        ".",
    )


def _counted(entries: _Entries, named: Named, source: Source) -> RatingReading:
    """Return the table of checked ratings."""
    if entries.value.size > MOST_RATINGS:
        raise InputError(f"There are more than {MOST_RATINGS:,} ratings. Take a sample of items.")
    value, item, rater = _there(entries, named)
    keep = np.bincount(item, minlength=entries.items) > 0
    beside = dict(entries.beside)
    beside.pop("group", None)
    for name, array in beside.items():
        own = _checked_beside(array, name)
        lost = missing_in(own) & keep
        if lost.any() and not named.options.drop_missing:
            raise _missing((argument(name),), int(lost.sum()), lost.size)
        keep &= ~missing_in(own)
        beside[name] = own
    empty = entries.items - int(keep.sum())
    if empty and not named.options.drop_missing:
        which = int(np.argmin(keep))
        called = which if entries.ids is None else repr(entries.ids[which])
        raise InputError(
            argument(entries.name),
            f" has no rating of item {called} ({empty:,} of {entries.items:,} items). Leave such "
            "items out with ",
            *(argument("drop_missing", True), "."),
        )
    place = np.cumsum(keep) - 1
    kept = keep[item]
    value, item = value[kept], place[item[kept]]
    rater = None if rater is None else rater[kept]
    facts: dict[str, Any] = {}
    if isinstance(named.rater, bool):
        facts["rater"] = named.rater
    if isinstance(named.prediction, str):
        facts["prediction"] = named.prediction
    if entries.width and rater is None and (apart := _columns_apart(entries)) is not None:
        facts["columns_differ"] = apart
    source = replace(source, facts=facts)
    table = _table(value, item, rater, {name: one[keep] for name, one in beside.items()}, entries)
    merged, row = table.merged
    ids = None if entries.ids is None else [entries.ids[k] for k in np.flatnonzero(keep).tolist()]
    return RatingReading(replace(merged, dropped=empty), row, source, ids)


def _there(entries: _Entries, named: Named) -> tuple[Floats, Counts, Any]:
    """Return ratings that are there with their items and raters, or refuse missing ones."""
    value, item = entries.value, entries.item
    none = np.isnan(value)
    if none.any() and not entries.blanks and not named.options.drop_missing:
        raise _missing((argument(entries.name),), int(none.sum()), none.size)
    rater = entries.rater
    if rater is not None:
        lost = missing_in(np.asarray(rater)) & ~none
        if lost.any():
            if not named.options.drop_missing:
                raise _missing((argument("rater"),), int(lost.sum()), lost.size)
            none = none | lost
    there = ~none
    value, item = value[there], item[there]
    _check_values(value, entries.name)
    return value, item, None if rater is None else np.asarray(rater)[there]


def _columns_apart(entries: _Entries) -> str | None:
    """Return how far columns are apart, where that is more than chance."""
    if entries.width < 2 or entries.width > _MOST_COLUMNS:
        return None
    rows = entries.value.reshape(-1, entries.width)
    there = ~np.isnan(rows)
    rows = np.where(there, rows, 0.0)
    size = there.sum(axis=1)
    off = np.where(there, rows - (rows.sum(axis=1) / np.maximum(size, 1))[:, None], 0.0)
    off, there = off[size > 1], there[size > 1]
    number = there.sum(axis=0)
    if len(off) < _FEW_ROWS or number.min() < _FEW_ROWS:
        return None
    mean = off.sum(axis=0) / number
    error = np.sqrt(np.maximum((off**2).sum(axis=0) / number - mean**2, 1e-300) / number)
    if float(np.abs(mean / error).max()) < _APART:
        return None
    return f"means from {float(mean.min()):+.2g} to {float(mean.max()):+.2g} about the items'"


def _checked_beside(array: NDArray[Any], name: str) -> NDArray[Any]:
    if name == "cluster":
        none = missing_in(array)
        texts = [
            None if lost else text_of(one) for one, lost in zip(array.tolist(), none, strict=True)
        ]
        return np.array(texts, dtype=object)
    numbers = _column(array, name, name)
    there = numbers[~np.isnan(numbers)]
    if name == "weight":
        refuse(~((there > 0) & (there < np.inf)), there, (argument(name), f" {POSITIVE}"), REMEDY)
    else:
        _check_values(there, name)
    return numbers


def _table(
    value: Floats, item: Counts, rater: Any, beside: Mapping[str, Any], entries: _Entries
) -> RatingTable:
    if not value.size:
        raise InputError(argument(entries.name), " holds no ratings. Pass at least two items.")
    codes = names = None
    if rater is not None:
        found, code = _codes(rater.tolist())
        texts = np.array([text_of(one) for one in found])
        names, at = np.unique(texts, return_inverse=True)
        codes = at[code].astype(np.int64)
        order = np.lexsort((codes, item))
        twice = (np.diff(item[order]) == 0) & (np.diff(codes[order]) == 0)
        if twice.any():
            first = order[int(np.argmax(twice))]
            which = int(item[first]) if entries.ids is None else repr(entries.ids[item[first]])
            raise InputError(
                argument("rater"),
                f": {str(names[codes[first]])!r} rated item {which} twice ({int(twice.sum()):,} "
                "such ratings). Keep one rating of each rater on an item, or say ",
                *(argument("rater", False), " if nobody can tell who rated."),
            )
    else:
        order = np.lexsort((value, item))
    sizes = np.bincount(item)
    clusters = beside.get("cluster")
    return RatingTable(
        value[order],
        sizes,
        np.ones(sizes.size, dtype=np.int64),
        weights=beside.get("weight"),
        clusters=None if clusters is None else clusters.astype(str),
        raters=None if codes is None else codes[order],
        names=names,
        predictions=beside.get("prediction"),
    )
