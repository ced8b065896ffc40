"""How ratings are read: numbers that several people gave to each item, in arrays or in rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, argument, function, refuse, shown
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.entries import POSITIVE, REMEDY
from errorfloor.data.layouts import (
    LISTS_OF_RATINGS,
    OF_RATINGS,
    RATER,
    RATINGS_IN_ROWS,
    RATINGS_SIDE_BY_SIDE,
    Layout,
)
from errorfloor.data.matrices import made_of
from errorfloor.data.naming import distinct_values, names_of_columns
from errorfloor.data.options import ARRAY, ReadOptions
from errorfloor.data.tables import RatedItems, RatingTable, check_ratings
from errorfloor.data.values import as_entries, missing_in, text_of, written_number

if TYPE_CHECKING:
    from errorfloor.data.columns import ChosenColumns
    from errorfloor.data.options import Reading
    from errorfloor.data.read import ReadCall
    from errorfloor.data.rows import RowRequest

MOST_RATINGS = 2**27  # that fit into memory
_MOST_COLUMNS = 100  # that are compared; more are no raters of many items
_FEW_ROWS = 20
_MADE_ROWS = 1000  # only for speed: in which a column is compared with sums of others
_APART = 4.5  # standard errors, beyond which columns differ by more than chance


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Ratings as they were read: an entry for each, and what each item has besides."""

    item: Counts
    value: Floats  # NaN where it is missing
    items: int
    rater: Any = None  # names, of any kind
    by_item: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # an entry for each item
    ids: Sequence[Any] | None = None
    name: str = "ratings"  # of the argument, for errors
    named: Callable[[int], str] | None = None  # from the place of a row to what people call it
    blanks: bool = True  # whether a missing rating is none
    width: int = 0  # number of columns, where each row has one rating in each or none

    def called(self, item: int) -> object:
        """Return what people call an item."""
        if self.ids is not None:
            return repr(self.ids[item])
        name = "" if self.named is None else self.named(item)
        return f"{item}, {name}" if name else item

    def without(self, none: Sequence[str] | None) -> _Entries:
        """Return the ratings that are not one of the numbers that mean none."""
        if none is None:
            return self
        gone = np.isin(self.value, [_number(one, 0, "missing", None) for one in none])
        if self.blanks:
            return replace(self, value=np.where(gone, np.nan, self.value))
        rater = None if self.rater is None else self.rater[~gone]
        return replace(self, item=self.item[~gone], value=self.value[~gone], rater=rater)


# Arrays ----------------------------------------------------------------------------------------


def read_arrays(data: Any, call: ReadCall) -> Reading:
    """Return ratings of arrays: a row per item, lists of unequal length, or an entry per rating."""
    options = call.options
    for name in (*options.columns, *(["group"] if options.group is not None else [])):
        raise InputError(argument(name), " goes with a dataframe or a file, and this is an array.")
    in_rows = "item" in options.arrays
    entries = _one_dimensional(data, options) if in_rows else _rows_of(data, options)
    entries = entries.without(options.missing)
    by_item, own = {}, dict(zip(("prediction",), options.predictions, strict=False))
    for name, value in {**options.sampling, **own}.items():
        array = as_entries(value)
        if array.shape != (entries.items,):
            raise InputError(
                argument(name),
                f" must have an entry for each of {entries.items:,} items, got shape "
                f"{array.shape}.",
            )
        by_item[name] = array
    table = _counted(replace(entries, by_item=by_item), options)
    layout = RATINGS_IN_ROWS if in_rows else RATINGS_SIDE_BY_SIDE
    named = {name: ARRAY for name, one in options.arrays.items() if not isinstance(one, bool)}
    return call.read(table, "arrays", layout, layout.rows({None: table}), columns=named)


def _one_dimensional(data: Any, options: ReadOptions) -> _Entries:
    values, items = _numbers(data, "data"), as_entries(options.arrays["item"])
    if values.ndim != 1 or items.shape != values.shape:
        raise InputError(
            *(argument("data"), " and ", argument("item")),
            f" must be one rating and its item per entry, got shapes {values.shape} and "
            f"{items.shape}.",
        )
    ids, item = distinct_values(items.astype(object))
    rater = options.arrays.get("rater")
    if isinstance(rater, bool | None):
        rater = None
    else:
        rater = as_entries(rater)
        if rater.shape != values.shape:
            raise InputError(argument("rater"), f" must have {values.size:,} entries as well.")
    return _Entries(item, values, len(ids), rater, ids=ids, name="data", blanks=False)


def _rows_of(data: Any, options: ReadOptions) -> _Entries:
    """Return a row of ratings per item."""
    each = options.arrays.get("rater", False)
    if not isinstance(each, bool):
        raise InputError(
            argument("rater"),
            " must be True where each column of an array is a rater, or else False. Whose each "
            "rating is goes with ",
            *(argument("item"), ", an entry for each rating."),
        )
    rows = _as_lists(data)
    if rows is not None:
        if each:
            raise _no_columns()
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
    rater = np.arange(values.shape[1]) if each else None
    return replace(_side_by_side(values, rater), name="data", width=values.shape[1])


def _side_by_side(
    values: Floats, raters: NDArray[Any] | None, names: Sequence[str] = ()
) -> _Entries:
    """Return a row of ratings per item; `raters` are those of the columns, where they are known."""
    n, width = values.shape
    _check_own(values, names)
    rater = None if raters is None else np.tile(raters, n)
    return _Entries(np.repeat(np.arange(n), width), values.ravel(), n, rater)


def _check_own(values: Floats, names: Sequence[str]) -> None:
    """Refuse a column that is the sum or mean of others, which agrees with them too well."""
    width = values.shape[1]
    for k in range(width if 2 < width <= _MOST_COLUMNS else 0):
        what, others = made_of(values[:_MADE_ROWS], k) or ("", ())
        if not others or made_of(values[:, [*others, k]], len(others)) is None:
            continue
        called = [repr(one) for one in names] or [f"{place}" for place in range(width)]
        rest = [one for place, one in enumerate(names) if place != k]
        raise InputError(
            argument("ratings" if names else "data"),
            f": column {called[k]} is the {what} of columns "
            f"{', '.join(called[place] for place in others)} in (nearly) all rows, and no rating "
            "by another person. ",
            *("Leave it out", *((": ", argument("ratings", ",".join(rest))) if rest else ()), "."),
        )


def _no_columns() -> InputError:
    return InputError(argument("rater"), " needs columns, and these are lists.")


def _as_lists(data: Any) -> list[list[Any]] | None:
    """Return lists of unequal length, or text such as 5;6;3; None for what is an array."""
    if not isinstance(data, list | tuple) or not data:
        return None
    if all(isinstance(one, str) for one in data):
        return [[part if part.strip() else None for part in one.split(";")] for one in data]
    if not all(isinstance(one, list | tuple | np.ndarray) for one in data):
        return None
    return [list(one) for one in data] if len({len(one) for one in data}) > 1 else None


def _numbers(values: Any, name: str, column: str | None = None) -> Floats:
    """Return numbers of any shape, NaN where they are missing; other text is refused.

    `name` is that of the argument, and `column` what people call the column, for errors.
    """
    array = as_entries(values)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind not in "OUT":
        raise InputError(argument(name), f" must hold real numbers, got {array.dtype}.")
    flat = array.ravel()
    none = missing_in(flat)
    found = np.full(flat.size, np.nan)
    there = flat[~none]
    try:
        found[~none] = there.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        found[~none] = [_number(flat[k], k, name, column) for k in np.flatnonzero(~none)]
    return found.reshape(array.shape)


def _number(value: Any, k: Any, name: str, column: str | None) -> float:
    text = str(value).strip()
    number = written_number(text) if text else np.nan
    if number is None:
        where = "" if column is None else f" (column {column!r})"
        raise InputError(
            argument(name),
            f"{where} must hold numbers: entry {k} is {shown(value)}. Ratings in words need "
            "numbers first; for the best possible accuracy of a vote among classes ask ",
            *(function("from_votes"), "."),
        )
    return number


# Rows of dataframes and files ------------------------------------------------------------------


def choose_columns(
    kinds: Mapping[str, str], given: Mapping[str, Any], options: ReadOptions, name: str
) -> ChosenColumns:
    """Return the layout of ratings and its columns, as `choose` does for labels.

    Lists are known by their names, as their numbers need not repeat; and a column that is merely
    left over is no rater.
    """
    from errorfloor.data.columns import choose, fitting

    rater = options.arrays.get("rater")
    for role, one in options.arrays.items():
        if one is not rater or not isinstance(rater, bool):
            also = ", True or False" if role == "rater" else ", as text"
            raise InputError(argument(role), f" must be the name of a column{also}.")
    kinds = _with_lists(kinds)
    allowed: tuple[Layout, ...] = (RATINGS_IN_ROWS,) if given else _plausible(kinds)
    if "ratings" in given:
        named: Any = given["ratings"]
        in_lists = isinstance(named, str) and kinds.get(named, "number") != "number"
        allowed = (*allowed, LISTS_OF_RATINGS if in_lists else RATINGS_SIDE_BY_SIDE)
        several = (named,) if isinstance(named, str) and not in_lists else named
        given = {**given, "ratings": several}
    found = choose(kinds, given, allowed, name)
    guessed = "rater" in found.guessed and found.columns["rater"] not in fitting(RATER, kinds)
    if found.layout is not RATINGS_IN_ROWS or not (guessed or rater is False):
        return found
    columns = {role: one for role, one in found.columns.items() if role != "rater"}
    roles = tuple(role for role in found.guessed if role != "rater")
    return replace(found, columns=columns, guessed=roles)


def _with_lists(kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds of columns where text is lists that are called so."""
    from errorfloor.data.columns import fitting

    lists = fitting(LISTS_OF_RATINGS.roles[0], kinds)
    return {**kinds, **{one: "list" for one in lists if kinds[one] == "text"}}


def _plausible(kinds: Mapping[str, str]) -> tuple[Layout, ...]:
    """Return the layouts that names of columns allow; all where they tell nothing."""
    from errorfloor.data.columns import likely_readings

    for layout in (LISTS_OF_RATINGS, RATINGS_IN_ROWS, RATINGS_SIDE_BY_SIDE):
        if likely_readings(kinds, (layout,)):
            return (layout,)
    return OF_RATINGS


def may_be_ratings(kinds: Mapping[str, str]) -> bool:
    """Tell whether columns are called what ratings are called."""
    return _plausible(_with_lists(kinds)) != OF_RATINGS


def count_columns(request: RowRequest) -> dict[Any, RatingTable]:
    """Count rows that are items with a column per rater."""
    told = request.options.arrays.get("rater")
    people = not are_numbered(request.columns["ratings"]) if told is None else told is True
    return _in_groups(_in_columns(request, people), request)


def are_numbered(columns: Sequence[str]) -> bool:
    """Tell whether columns are called like places in a row, which need not be one person each.

    Names of people do not differ by a number or a letter only, as those of a first and a second
    rating do, whoever gave it.

    Examples
    --------
    >>> are_numbered(["rating_1", "rating_2"]), are_numbered(["a", "b"]), are_numbered(["score"])
    (True, True, True)
    >>> are_numbered(["Ana", "Eva", "Li"]), are_numbered(["rating_ana", "rating_eva"])
    (False, False)
    """
    names = names_of_columns([*map(str, columns)])
    without = {re.sub(r"\d+", "", name) for name in names}
    return len(without) == 1 or all(len(name) == 1 for name in names)


def count_lists(request: RowRequest) -> dict[Any, RatingTable]:
    """Count rows that are items with the list of their ratings, which has been taken apart."""
    if request.options.arrays.get("rater") is True:
        raise _no_columns()
    return _in_groups(replace(_in_columns(request, False), width=0), request)


def _in_columns(request: RowRequest, are_raters: bool) -> _Entries:
    wide = request.columns["ratings"]
    names = {f"ratings {k}": one for k, one in enumerate(wide)}
    found = _fetched(request, names)
    values = [_numbers(found[new], "ratings", old) for new, old in names.items()]
    raters = np.array([text_of(one) for one in wide], dtype=object) if are_raters else None
    entries = _side_by_side(np.column_stack(values), raters, wide)
    named = partial(_name_of_row, request, wide)
    return replace(entries, by_item=_by_item(found, request), width=len(wide), named=named)


def _name_of_row(request: RowRequest, used: Sequence[str], row: int) -> str:
    """Return what a row is called: by its index, or by a column that has another value in each."""
    import narwhals as nw

    frame, kinds = request.frame, request.frame.collect_schema()
    if frame.implementation.is_pandas():
        index = frame.to_native().index
        if index[row] != row:
            return f"{index.name or 'index'} {index[row]}"
    if frame.implementation.is_duckdb() and not request.ordered:
        return ""  # whose rows may come in another order
    for column in (one for one in kinds if one not in used):
        if kinds[column].is_integer() or kinds[column] == nw.String:
            values = request.run(frame.select(column))[column].tolist()
            if len({*values}) == len(values):
                return f"{column} {text_of(values[row])}"
    return ""


def count_rows(request: RowRequest) -> dict[Any, RatingTable]:
    """Count rows that are one person's rating of one item."""
    columns = request.columns
    found = _fetched(request, columns)
    items = found["item"]
    none = missing_in(items)
    if none.any():
        if not request.options.drop_missing:
            raise _missing(("column ", repr(columns["item"])), int(none.sum()), items.size)
        found = {name: one[~none] for name, one in found.items()}
    ids, item = distinct_values(found["item"].astype(object))
    values = _numbers(found["rating"], "rating", columns["rating"])
    own = {
        name: _same_on_item(one, item, len(ids), name, ids)
        for name, one in _by_item(found, request).items()
    }
    entries = _Entries(item, values, len(ids), found.get("rater"), own, ids, "rating", blanks=False)
    return _in_groups(entries, request)


def _fetched(request: RowRequest, names: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the columns of ratings, and those of what each item has besides, as they stand."""
    from errorfloor.data.rows import named

    frame, given = named(request, names)
    found = request.run(frame)
    return {name: found[f"given_{name}"] for name in given}


def _by_item(found: Mapping[str, Any], request: RowRequest) -> dict[str, NDArray[Any]]:
    """Return what there is one of for each item."""
    names = {name: name for name in (*request.options.sampling, "group") if name in found}
    names |= dict(zip(("prediction",), request.predicted, strict=False))
    return {name: found[column] for name, column in names.items()}


def _in_groups(entries: _Entries, request: RowRequest) -> dict[Any, RatingTable]:
    """Return the table of each group; of the group None without groups."""
    options, groups = request.options, entries.by_item.get("group")
    if groups is None:
        return {None: _counted(entries, options)}
    none = missing_in(groups)
    if none.any() and not options.drop_missing:
        raise _missing(("column ", repr(options.group)), int(none.sum()), groups.size)
    found = {}
    for group in dict.fromkeys(groups[~none].tolist()):
        try:
            found[group] = _counted(_of_group(entries, groups == group), options)
        except InputError as error:
            raise error.behind(f"Group {group}: ") from error
    return dict(sorted(found.items(), key=lambda pair: str(pair[0])))


def _of_group(entries: _Entries, some: Bools) -> _Entries:
    kept = some[entries.item]
    place = np.cumsum(some) - 1
    return replace(
        entries,
        item=place[entries.item[kept]],
        value=entries.value[kept],
        items=int(some.sum()),
        rater=None if entries.rater is None else entries.rater[kept],
        by_item={name: one[some] for name, one in entries.by_item.items() if name != "group"},
        ids=None
        if entries.ids is None
        else [entries.ids[k] for k in np.flatnonzero(some).tolist()],
        named=None,  # by the place among all rows
    )


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


# Checks and counts -----------------------------------------------------------------------------


def _missing(what: tuple[Part, ...], number: int, all_: int) -> InputError:
    return InputError(
        *what,
        f" is missing in {number:,} of {all_:,} rows. Fill it in, or leave such rows out with ",
        argument("drop_missing", True),
        ".",
    )


def _counted(entries: _Entries, options: ReadOptions) -> RatingTable:
    """Return the table of checked ratings."""
    if entries.value.size > MOST_RATINGS:
        raise InputError(f"There are more than {MOST_RATINGS:,} ratings. Take a sample of items.")
    drop = options.drop_missing
    value, item, rater = _there(entries, drop)
    keep = np.bincount(item, minlength=entries.items) > 0
    by_item = {name: _checked_by_item(array, name) for name, array in entries.by_item.items()}
    for name, own in by_item.items():
        lost = missing_in(own) & keep
        if lost.any() and not drop:
            raise _missing((argument(name),), int(lost.sum()), lost.size)
        keep &= ~missing_in(own)
    empty = entries.items - int(keep.sum())
    if empty and not drop:
        raise InputError(
            argument(entries.name),
            f" has no rating of item {entries.called(int(np.argmin(keep)))} ({empty:,} of "
            f"{entries.items:,} items). Leave such items out with ",
            *(argument("drop_missing", True), "."),
        )
    differ = None
    if entries.width and rater is None:
        differ = _columns_apart(entries)
    place = np.cumsum(keep) - 1
    kept = keep[item]
    value, item = value[kept], place[item[kept]]
    rater = None if rater is None else rater[kept]
    if entries.ids is not None:
        entries = replace(entries, ids=[entries.ids[k] for k in np.flatnonzero(keep).tolist()])
    table = _table(value, item, rater, {name: one[keep] for name, one in by_item.items()}, entries)
    merged, row = table.merged
    return replace(merged, dropped=empty, items=RatedItems(row, differ))


def _there(entries: _Entries, drop_missing: bool) -> tuple[Floats, Counts, Any]:
    """Return ratings that are there with their items and raters, or refuse missing ones."""
    value, item = entries.value, entries.item
    none = np.isnan(value)
    if none.any() and not entries.blanks and not drop_missing:
        raise _missing((argument(entries.name),), int(none.sum()), none.size)
    rater = entries.rater
    if rater is not None:
        lost = missing_in(np.asarray(rater)) & ~none
        if lost.any():
            if not drop_missing:
                raise _missing((argument("rater"),), int(lost.sum()), lost.size)
            none = none | lost
    there = ~none
    value, item = value[there], item[there]
    check_ratings(value, entries.name)
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


def _checked_by_item(array: NDArray[Any], name: str) -> NDArray[Any]:
    if name == "cluster":
        none = missing_in(array)
        texts = [
            None if lost else text_of(one) for one, lost in zip(array.tolist(), none, strict=True)
        ]
        return np.array(texts, dtype=object)
    numbers = _numbers(array, name)
    there = numbers[~np.isnan(numbers)]
    if name == "weight":
        refuse(~((there > 0) & (there < np.inf)), there, (argument(name), f" {POSITIVE}"), REMEDY)
    else:
        check_ratings(there, name)
    return numbers


def _table(
    value: Floats, item: Counts, rater: Any, by_item: Mapping[str, Any], entries: _Entries
) -> RatingTable:
    if not value.size:
        raise InputError(argument(entries.name), " holds no ratings. Pass at least two items.")
    codes = names = None
    if rater is not None:
        found, code = distinct_values(rater)
        texts = np.array([text_of(one) for one in found])
        names, at = np.unique(texts, return_inverse=True)
        codes = at[code].astype(np.int64)
        order = np.lexsort((codes, item))
        twice = (np.diff(item[order]) == 0) & (np.diff(codes[order]) == 0)
        if twice.any():
            first = order[int(np.argmax(twice))]
            who, what = str(names[codes[first]]), entries.called(int(item[first]))
            raise InputError(
                argument("rater"),
                f": {who!r} rated item {what} twice ({int(twice.sum()):,} such ratings). Keep one "
                "rating of each rater on an item, or say ",
                *(argument("rater", False), " if nobody can tell who rated."),
            )
    else:
        order = np.lexsort((value, item))
    sizes = np.bincount(item)
    clusters = by_item.get("cluster")
    return RatingTable(
        value[order],
        sizes,
        np.ones(sizes.size, dtype=np.int64),
        weights=by_item.get("weight"),
        clusters=None if clusters is None else clusters.astype(str),
        raters=None if codes is None else codes[order],
        names=names,
        predictions=by_item.get("prediction"),
    )
