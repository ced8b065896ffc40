"""Rows of scores or soft labels, checked and counted into tables by the engine that has them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, argument
from errorfloor._typing import Floats
from errorfloor.data import arrays, matrices
from errorfloor.data.arrays import count_checked, merged_if_many, none_labelled, with_others
from errorfloor.data.engines import (
    Columns,
    Frame,
    is_number,
    number_of_rows,
    select,
    where_missing,
    with_cell,
    with_missing,
    with_numbers,
    with_zero,
)
from errorfloor.data.entries import Entries
from errorfloor.data.matrices import (
    ROUNDING,
    check_some_positive,
    check_sums,
    counted_scores,
    counted_soft,
    normalised,
    rows_of,
    side_by_side,
)
from errorfloor.data.naming import Naming, names_of_columns
from errorfloor.data.rows import (
    CheckedRows,
    ColumnRule,
    Given,
    check_positive,
    checked,
    checked_together,
    count_where,
    counted_by,
    entries,
    groups_of,
    named,
    tables_by_group,
    whole,
    with_class,
)
from errorfloor.data.tables import MergedRows, ScoreTable, SoftTable

if TYPE_CHECKING:
    from errorfloor.data.rows import RowRequest

_OF_NUMBER = 20  # bytes of each number while rows are counted: where it came from, and in order
_OF_ROW = 48  # bytes besides: the order of the rows, their labels and their counts
_SHARE = 0.9  # of what is free
FEW_ROWS = 2**24  # whose scores and labels take a few hundred megabytes
MergedT = TypeVar("MergedT", bound=MergedRows)
_LABEL = "label of an item without one"  # a column that no data has


# How much memory rows with a number for each class take, and how much there is.


def bytes_needed(n: int, classes: int) -> int:
    """Return about how many bytes it takes to count so many rows."""
    return n * (_OF_NUMBER * classes + _OF_ROW)


def bytes_free() -> float:
    """Return how many bytes may be taken, as far as the system says so."""
    return _SHARE * min(_of_machine(), _of_container())


def in_gigabytes(size: float) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> in_gigabytes(2.5e9), in_gigabytes(3e5)
    ('2.5 GB', '0.0 GB')
    """
    return f"{size / 1e9:,.1f} GB"


def _of_machine() -> float:
    """Return what is free on the machine, or what it has at all."""
    with suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    with suppress(AttributeError, OSError, ValueError):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return float("inf")


def _of_container() -> float:
    """Return what a container leaves of the memory that it is allowed."""
    folder = "/sys/fs/cgroup"
    with (
        suppress(OSError, ValueError),
        open(f"{folder}/memory.max", encoding="ascii") as most,
        open(f"{folder}/memory.current", encoding="ascii") as now,
        open(f"{folder}/memory.stat", encoding="ascii") as stat,
    ):
        parts = dict(line.split() for line in stat)
        # Copies of files are given up where memory is short.
        return float(int(most.read()) - int(now.read()) + int(parts.get("inactive_file", 0)))
    return float("inf")


# Rows with one score: taken on trust first, checked where need be.


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Rows with a score, and with a label if there is a column of labels."""

    request: RowRequest
    frame: Frame
    given: Given
    rules: tuple[ColumnRule, ...]

    @classmethod
    def read(cls, request: RowRequest, score: str, label: str | None = None) -> ScoreRows:
        """Name the columns of these arguments, and read them as numbers."""
        names = [name for name in (score, label) if name is not None]
        frame, given = named(request, {name: request.columns[name] for name in names})
        frame = with_numbers(frame, {"score": f"given_{score}"})
        finite = ColumnRule(
            given[score],
            f"given_{score}",
            ~nw.col("score").is_finite().fill_null(False),
            "must be finite numbers",
            "Drop infinite values and convert text to numbers first.",
        )
        if label is None:
            return cls(request, frame, given, (finite,))
        frame, binary = with_class(frame, label, given[label], request)
        return cls(request, frame, given, (finite, binary))

    def likely(self) -> CheckedRows:
        """Return the rows that will do, which are all most of the time.

        Whoever counts them will see whether they are `n`, and need not ask beforehand.
        """
        kinds, run = self.frame.collect_schema(), self.request.run
        score = nw.col("score")
        n = count_where(self.frame, run, {})["n"]
        first = np.asarray(run(self.frame.select("score").head(1000))["score"], np.float64)
        unit = not ((first < 0) | (first > 1)).any()
        if unit:  # as far as the first rows tell
            fits = (score >= nw.lit(0, kinds["score"])) & (score <= nw.lit(1, kinds["score"]))
        else:
            fits = score.is_finite()
        frame = self.frame.filter(fits)
        if self._labels:
            label, whole_labels = nw.col("label"), kinds["label"].is_integer()
            binary = (label >= 0) & (label <= 1) if whole_labels else (label == 0) | (label == 1)
            frame = self.frame.filter(fits, binary)
        if self._groups:
            frame = frame.filter(~where_missing(frame, "given_group"))
        return CheckedRows(self._kept(frame), run, n, {}, self._groups, unit, bool(self._labels))

    def checked(self) -> CheckedRows:
        """Return the rows after a look at all that may be wrong with them."""
        items = checked(self.request, self.frame, self.given, self.rules)
        if self.request.options.positive is not None:
            check_positive(items, self.request.options.positive, self.given["label"], "label")
        return replace(items, frame=self._kept(items.frame))

    @property
    def _labels(self) -> tuple[str, ...]:
        return ("label",) if "label" in self.given else ()

    @property
    def _groups(self) -> tuple[str, ...]:
        return groups_of(self.given)

    def _kept(self, frame: Frame) -> Frame:
        return frame.select("score", *self._labels, *self._groups, *self.request.options.sampling)


def count_scores(request: RowRequest) -> dict[Any, ScoreTable]:
    """Return the table of each group; of the group None where there are no groups."""
    numbers = _numbers(request)
    table = None if numbers is None else _table_of_few(request, numbers)
    if table is not None:
        return {None: table}
    rows = ScoreRows.read(request, "score", "label")
    if request.options.sampling:
        return _weighed(rows.checked())
    if numbers is None:
        table = _table_of_few(request, rows.frame.select("score", "label"))  # only for speed
    if table is not None:
        return {None: table}
    items = rows.likely()
    tables = _first_pass(items, request.options.cells, ScoreTable)
    none_positive = not any(table.positives.any() for table in tables.values())
    if _some_lost(items, tables) or (request.options.positive is not None and none_positive):
        items = rows.checked()
        tables = _first_pass(items, request.options.cells, ScoreTable)
    return _refined(items, tables) if request.options.refine else tables


def _numbers(request: RowRequest) -> Frame | None:
    """Return the columns of scores and labels in DuckDB if there is nothing to read as numbers.

    To name and read columns in a way that suits all takes as long as to fetch 100,000 rows.
    """
    more = any(map(request.options.is_given, ("positive", "positive_from", "group")))
    if not request.frame.implementation.is_duckdb() or request.naming is not None or more:
        return None
    columns = {name: request.columns[name] for name in ("score", "label")}
    if request.options.sampling or not all(isinstance(column, str) for column in columns.values()):
        return None
    kinds = request.frame.collect_schema()
    if not all(column in kinds and is_number(kinds[column]) for column in columns.values()):
        return None
    return select(request.frame, columns)


def _table_of_few(request: RowRequest, frame: Frame) -> ScoreTable | None:
    """Return the table of rows that fit into memory; None if they do not, or some will not do.

    The frame has the columns `score` and `label` alone. To fetch them takes DuckDB a fraction of
    the time of a group-by.
    """
    if request.options.group is not None or not frame.implementation.is_duckdb():
        return None
    if request.options.cells > matrices.CELLS:  # too many for an entry each
        return None
    if not 0 < number_of_rows(frame, request.run) <= FEW_ROWS:
        return None
    found = request.run(frame)
    scores, labels = found["score"], found["label"]
    if not _will_do(scores, labels):
        return None
    if request.options.positive is not None and not labels.any():
        return None
    return count_checked(scores, labels, cells=request.options.cells, refine=request.options.refine)


def _will_do(scores: NDArray[Any], labels: NDArray[Any]) -> bool:
    """Tell whether scores are finite and labels 0 or 1."""
    with np.errstate(invalid="ignore"):
        ends = scores.min(), scores.max()  # not a number where one is
    if not np.isfinite(ends).all():
        return False
    if labels.dtype.kind in "biu":
        return bool(labels.min() >= 0 and labels.max() <= 1)
    return bool(((labels == 0) | (labels == 1)).all())


def count_soft_labels(request: RowRequest) -> dict[Any, SoftTable]:
    """Return the table of each group; of the group None where there are no groups."""
    rows = ScoreRows.read(request, "soft")
    if request.options.sampling:
        return _weighed(rows.checked())
    items = rows.likely()
    tables = _first_pass(items, request.options.cells, SoftTable)
    if _some_lost(items, tables):
        tables = _first_pass(rows.checked(), request.options.cells, SoftTable)
    return tables


def _weighed(items: CheckedRows) -> dict[Any, Any]:
    """Return the tables of rows with weights or clusters."""
    found = counted_by(items, "score", *(("label",) if items.labelled else ()))
    kind = ScoreTable if items.labelled else SoftTable
    return tables_by_group(items, found, partial(of_lines, items, found), kind.empty())


def _some_lost(items: CheckedRows, tables: dict[Any, MergedT]) -> bool:
    """Tell whether some rows are not in the tables, or there are none."""
    counted = sum(table.n for table in tables.values())
    return counted != items.n or counted == 0


def _first_pass(items: CheckedRows, cells: int, kind: type[MergedT]) -> dict[Any, MergedT]:
    tables = _exact_tables(items, kind)
    if tables is not None:
        return tables
    query = with_cell(items.frame, cells, unit=items.unit).group_by(*items.groups, "cell")
    found = items.run(
        query.agg(
            *_counts_of(items),
            nw.col("score").min().alias("low"),
            nw.col("score").max().alias("high"),
        )
    )
    return _tables_of(items, found, kind)


def _exact_tables(items: CheckedRows, kind: type[MergedT]) -> dict[Any, MergedT] | None:
    """Return tables of all distinct scores, or None if there are too many."""
    query = _by_score(items, items.frame)
    if items.n > matrices.EXACT:
        # Most of the time the first rows tell, and the whole group-by is spared.
        first = 2 * matrices.EXACT  # only for speed
        head = _by_score(items, items.frame.head(first))
        if whole(items.run(head.select(nw.len().alias("n")))["n"])[0] > matrices.EXACT:
            return None
        query = query.head(matrices.EXACT + 1)  # only for speed: more rows are thrown away
    found = items.run(query)
    return _tables_of(items, found, kind) if found["n"].size <= matrices.EXACT else None


def _by_score(items: CheckedRows, frame: Frame) -> Frame:
    return frame.group_by(*items.groups, "score").agg(*_counts_of(items))


def _counts_of(items: CheckedRows) -> list[nw.Expr]:
    positives = [nw.col("label").sum().alias("positives")] if items.labelled else []
    return [nw.len().alias("n"), *positives]


def _tables_of(items: CheckedRows, found: Columns, kind: type[MergedT]) -> dict[Any, MergedT]:
    low, high = (found[name] if name in found else found["score"] for name in ("low", "high"))
    counts = whole(found["n"])
    if items.labelled:
        positives = whole(found["positives"])
        counts = side_by_side(counts - positives, positives)

    def make(at: Any) -> MergedT:
        lows, highs = (ends[at].astype(np.float64) for ends in (low, high))
        return kind.from_ranges(lows, highs, counts[at])

    return tables_by_group(items, found, make, kind.empty())


def _refined(items: CheckedRows, tables: dict[Any, ScoreTable]) -> dict[Any, ScoreTable]:
    """Take the rows apart that can hold the best cut, by a second look at their scores."""
    ranges = {group: arrays.unsure_ranges(table) for group, table in tables.items()}
    score, kind = nw.col("score"), items.frame.collect_schema()["score"]
    wanted = [
        _of_group(items, group, (score >= nw.lit(low, kind)) & (score <= nw.lit(high, kind)))
        for group, found in ranges.items()
        for low, high in found
    ]
    if not wanted or len(wanted) > 8 * arrays.MOST_RANGES:
        return tables
    query = _by_score(items, items.frame.filter(reduce(or_, wanted)))
    found = items.run(query.head(arrays.MOST_REFINED + 1))
    if found["n"].size > arrays.MOST_REFINED:
        return tables
    parts = _tables_of(items, found, ScoreTable)
    return {
        group: arrays.taken_apart(table, ranges[group], parts[group]) if ranges[group] else table
        for group, table in tables.items()
    }


def _of_group(items: CheckedRows, group: Any, condition: nw.Expr) -> nw.Expr:
    return (nw.col("group") == group) & condition if items.groups else condition


def of_lines(items: CheckedRows, found: Columns, at: Any) -> ScoreTable | SoftTable:
    """Return the table of a group of counted rows with one score or soft label each."""
    scores = np.asarray(found["score"], dtype=np.float64)[at] + 0.0
    places, row = np.unique(scores, return_inverse=True)
    n = whole(found["n"])[at]
    label = whole(found["label"])[at] if items.labelled else np.zeros(row.size, dtype=np.int64)
    own = entries(items, found, at, row, label, n)
    by_class = np.zeros((2 if items.labelled else 1, places.size), dtype=np.int64)
    np.add.at(by_class, (label, row), n)
    if items.labelled:
        return merged_if_many(ScoreTable(places, side_by_side(*by_class), entries=own))
    return SoftTable(places, by_class[0], entries=own)


# Rows with a column for each class are brought into memory and counted there: they hardly ever
# repeat, so a group-by would bring as many back. What would not fit is refused before it is read.


def count_class_scores(request: RowRequest) -> dict[Any, ScoreTable]:
    """Return the table of each group of rows with a score for each class, and a label."""
    assert request.naming is not None
    names = request.naming.names
    items, found, rows = _rows_by_class(request, "score", ("label",))
    check_some_positive(rows)
    code = found.pop("label").astype(np.int16)

    def make(at: Any) -> ScoreTable:
        own = _class_entries(items, found, at, rows, code)  # before the rows are used up
        some = rows if isinstance(at, slice) else np.array(rows[at], order="F")
        return ScoreTable(entries=own, **counted_scores(some, code[at], names))

    return tables_by_group(items, found, make, ScoreTable.empty(names))


def count_class_soft(request: RowRequest) -> dict[Any, SoftTable]:
    """Return the table of each group of rows with the probability of each class."""
    columns = request.columns["soft"]
    names = request.options.classes or names_of_columns(columns)
    items, found, given = _rows_by_class(request, "soft", ())
    check_sums(given, "soft")
    rows = normalised(given)

    def make(at: Any) -> SoftTable:
        own = _class_entries(items, found, at, rows)
        return SoftTable(entries=own, **counted_soft(rows[at], names))

    return tables_by_group(items, found, make, SoftTable.empty(names))


def _class_entries(
    items: CheckedRows, found: Columns, at: Any, rows: Floats, code: NDArray[Any] | None = None
) -> Entries | None:
    """Return the entries of a group, where there are weights or clusters."""
    if not items.sampling:
        return None
    label = None if code is None else code[at].astype(np.int64)
    return entries(items, found, at, rows_of(rows[at]), label)


def _rows_by_class(
    request: RowRequest, name: str, more_names: tuple[str, ...]
) -> tuple[CheckedRows, Columns, Floats]:
    """Return checked rows, their columns but for those of classes, and these as one array."""
    frame, given, rules = _numbers_by_class(request, name, more_names)
    _refuse_too_many(request, frame, name)
    more = []
    for one in more_names:
        frame, rule = with_class(frame, one, given[one], request)
        more.append(rule)
    items = checked_together(request, frame, given, rules, more)
    scores = [
        nw.col(f"{name} {k}").cast(nw.Float64).alias(f"s{k}")
        for k in range(len(request.columns[name]))
    ]
    places = (nw.col(one).cast(nw.Int16) for one in more_names)
    others = (*groups_of(given), *request.options.sampling)
    found = items.run(items.frame.select(*scores, *places, *others))
    rows = np.empty((len(scores), found["s0"].size))
    for k in range(len(scores)):
        rows[k] = found.pop(f"s{k}")  # whose own memory is given back, one by one
    return items, found, rows.T


def _numbers_by_class(
    request: RowRequest, name: str, more_names: tuple[str, ...] = ()
) -> tuple[Frame, dict[str, tuple[Part, ...]], list[ColumnRule]]:
    """Name the columns of the classes, and read them as numbers."""
    names = {f"{name} {k}": one for k, one in enumerate(request.columns[name])}
    frame, given = named(request, names | {one: request.columns[one] for one in more_names})
    frame = with_numbers(frame, {one: f"given_{one}" for one in names})
    rules = []
    for one in names:
        number = nw.col(one)
        right, must = number.is_finite(), "must be finite numbers"
        remedy = "Drop infinite values and convert text to numbers first."
        if name == "soft":
            right, must = (number >= 0) & (number <= 1), "must lie in [0, 1]"
            remedy = "Divide percentages by 100, pass logits through a softmax."
        rules.append(ColumnRule(given[one], f"given_{one}", ~right.fill_null(False), must, remedy))
    return frame, given, rules


def _refuse_too_many(request: RowRequest, frame: Frame, name: str) -> None:
    """Refuse rows that would not fit into memory, before they are read."""
    number = len(request.columns[name])
    n = count_where(frame, request.run, {})["n"]
    need, there = bytes_needed(n, number), bytes_free()
    if need > there:
        raise InputError(
            argument(name),
            f" has {n:,} rows of {number} classes, which take about {in_gigabytes(need)} of memory "
            f"while they are counted; {in_gigabytes(there)} are free. Take a sample of the rows: "
            "a million of them tell a floor to a tenth of a point.",
        )


def as_two(request: RowRequest, name: str) -> RowRequest:
    """Return rows of two classes with one column: the score or the probability of class 1.

    It is what arrays with two columns become: the second of two probabilities, the share of
    the second of two numbers, or the difference of two logits.
    """
    found = _count_pairs(request, name)
    one, other = request.columns[name]
    if name == "soft" and found["off"]:
        raise InputError(
            *(argument(name), f" (columns {one!r} and {other!r}) of an item must add up to 1: "),
            f"{found['off']:,} of {found['n']:,} do not. Divide them by their sum.",
        )
    plain = not found["off"] and not found["negative"]
    if plain and not found["gone"]:
        return request.with_column(name, other)
    if found["blank"] and not found["negative"]:
        text = f" of an item must not all be 0: {found['blank']:,} of {found['n']:,} are. "
        raise InputError(argument(name), text, "Leave out such items, or pass logits.")
    parts = {"first of two": one, "second of two": other}
    first, second = (nw.col(part).cast(nw.Float64) for part in parts)
    read = second - first if found["negative"] else second / (first + second)
    if plain:
        read = second + 0 * first  # missing where either is
    column = f"{one}, {other}"
    frame = with_numbers(request.frame, parts).with_columns(read.alias(column))
    return request.with_column(name, column, frame)


def _count_pairs(request: RowRequest, name: str) -> dict[str, int]:
    """Return how many pairs do not add up to 1, have a negative number, two zeros, or no first."""
    frame, _, _ = _numbers_by_class(request, name)
    first, second = (nw.col(f"{name} {k}").cast(nw.Float64) for k in range(2))
    gone = [where_missing(frame, f"{name} {k}") for k in range(2)]
    off = ((first + second - 1).abs() > ROUNDING).fill_null(False)
    marks = {
        "off": off & ~gone[0] & ~gone[1],  # for some engines NaN is above all numbers
        "negative": ((first < 0) | (second < 0)).fill_null(False),
        "blank": ((first == 0) & (second == 0)).fill_null(False),
        "gone": gone[0],
    }
    return count_where(frame, request.run, marks)


# Items without a label, told apart from the others and kept next to them.


def count_both(request: RowRequest, count: Any) -> Mapping[Any, ScoreTable]:
    """Return the tables of rows with a label and of those without, added up for each group."""
    label = request.columns["label"]
    there, rest = (with_missing(request.frame, label, missing=one) for one in (False, True))
    labels = select(request.frame, {"label": label})
    found = count_where(labels, request.run, {"gone": where_missing(labels, "label")})
    plain = request.with_options(unlabelled=False)
    if found["gone"] in (0, found["n"]):
        if found["n"] and found["gone"]:
            raise none_labelled(found["n"])
        return count(plain)  # type: ignore[no-any-return]
    labelled = count(replace(plain, frame=there))
    naming = request.naming and Naming(request.naming.names, {"0": 0})
    alone = plain.with_options(
        weight=None, cluster=None, positive=None, positive_from=None, refine=False
    )
    others = count(
        replace(alone.with_column("label", _LABEL, with_zero(rest, _LABEL)), naming=naming)
    )
    empty = ScoreTable.empty(next(iter(labelled.values())).classes)
    groups = [*labelled, *(group for group in others if group not in labelled)]
    return {
        group: with_others(labelled.get(group, empty), others[group])
        if group in others
        else labelled[group]
        for group in groups
    }
