"""What is asked of the door besides the data, and what comes back."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from errorfloor._checks import (
    InputError,
    Part,
    argument,
    as_flag,
    check_choice,
    function,
    shown,
)
from errorfloor.data.annotators import text_of
from errorfloor.data.columns import TEXT_FIRST
from errorfloor.data.layouts import LAYOUTS, SOFT_LABELS, Layout, joined
from errorfloor.data.naming import as_classes, listed
from errorfloor.data.source import ARRAY, Origin, Source
from errorfloor.data.table import Table
from errorfloor.data.tables import ScoreTable, SoftTable

DUPLICATES = ("error", "first", "last", "all")
_MAY_BE_ARRAYS = ("counts", "annotators")
_SCORES_AS_SOFT = {"soft": "scores"}  # what takes the scores of a table for true probabilities


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which columns hold what, and how to read their values."""

    columns: Mapping[str, Any]  # by the names of arguments
    arrays: Mapping[str, Any] = field(default_factory=dict)  # votes given in place of columns
    positive: object = None
    positive_from: float | None = None
    classes: tuple[str, ...] | None = None  # in order
    group: str | None = None
    drop_missing: bool = False
    unlabelled: bool = False  # whether items without a label are kept as such
    complete: bool = False  # whether nothing else that a model could see matters
    label_is_vote: bool = False  # whether the label beside votes is one more vote
    format: str | None = None
    duplicates: str = "error"  # what to do with votes of one annotator on an item
    called: str | None = None  # what people call the files, if not by their paths
    weight: Any = None  # a column, or an array beside arrays
    cluster: Any = None
    predictions: tuple[str, ...] = ()  # columns of what models predict for the items

    @property
    def beside(self) -> dict[str, Any]:
        """Weights and clusters, where there are some."""
        both = {"weight": self.weight, "cluster": self.cluster}
        return {name: value for name, value in both.items() if value is not None}

    @classmethod
    def of(
        cls,
        *,
        positive: object = None,
        positive_from: float | None = None,
        classes: Sequence[object] | None = None,
        group: str | None = None,
        drop_missing: bool = False,
        unlabelled: bool = False,
        complete: bool = False,
        label_is_vote: bool = False,
        format: str | None = None,  # noqa: A002
        duplicates: str = "error",
        called: str | None = None,
        weight: Any = None,
        cluster: Any = None,
        **columns: Any,
    ) -> Where:
        """Leave out the columns that were not named, and refuse roles that no layout has."""
        known = {role.argument for layout in LAYOUTS for role in layout.roles}
        for name in ("metric", "costs", "at", "prior"):
            if columns.pop(name, None) is not None:
                raise InputError(
                    *(argument(name), " does not go with this question, which is about errors. "),
                    *("Leave it out; ", function("from_scores"), " and the like take it."),
                )
        for name in columns.keys() - known:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
        check_group(group)
        drop_missing = as_flag(drop_missing, name="drop_missing")
        unlabelled = as_flag(unlabelled, name="unlabelled")
        check_unlabelled(unlabelled, drop_missing, cluster)
        names = as_classes(classes)
        check_agreement(names, positive, positive_from)
        given = {name: one for name, one in columns.items() if one is not None}
        arrays = {name: one for name, one in given.items() if _holds_votes(name, one)}
        return cls(
            columns={name: one for name, one in given.items() if name not in arrays},
            arrays=arrays,
            positive=positive,
            positive_from=least_positive(positive_from, positive),
            classes=names,
            group=group,
            drop_missing=drop_missing,
            unlabelled=unlabelled,
            complete=as_flag(complete, name="complete"),
            label_is_vote=as_flag(label_is_vote, name="label_is_vote"),
            format=format,
            duplicates=as_duplicates(duplicates),
            called=called,
            weight=weight,
            cluster=cluster,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Tables, and where they came from."""

    tables: Mapping[Any, Table]  # by group; of the group None where there are no groups
    source: Source

    @property
    def table(self) -> Table:
        """The only table."""
        (table,) = self.tables.values()
        return table


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of the door besides the data."""

    layouts: tuple[Layout, ...]
    where: Where
    second: object
    name: str | None
    progress: Callable[[float], None] | None

    @property
    def kinds(self) -> tuple[str, ...]:
        """What tables may hold that the caller can use."""
        return tuple(dict.fromkeys(layout.kind for layout in self.layouts))

    @property
    def first(self) -> Part:
        """The argument that the data came by."""
        names = [layout.arrays[0] for layout in self.layouts if layout.arrays]
        usual = names[0] if len(self.kinds) == 1 and names else "data"
        return argument(self.name or usual)

    @property
    def pair(self) -> Layout:
        """The layout that is made of two arrays."""
        return next(layout for layout in self.layouts if len(layout.arrays) > 1)

    def source(self, origin: Origin, layout: Layout, rows: int, **more: Any) -> Source:
        """Return where a table came from, with all that was said about it."""
        where = self.where
        if where.complete and (layout.kind != ScoreTable.kind or layout.of_shares):
            said = "shares of votes" if layout.of_shares else layout.kind
            raise InputError(
                argument("complete"),
                f" is about scores: that nothing else a model could see matters. These are {said}. "
                "Leave it out.",
            )
        return Source(
            origin=origin,
            layout=layout.name,
            positive=where.positive,
            positive_from=where.positive_from,
            classes=where.classes,
            drop_missing=where.drop_missing,
            unlabelled=where.unlabelled,
            complete=where.complete,
            label_is_vote=where.label_is_vote,
            format=where.format,
            duplicates=where.duplicates,
            group=where.group,
            called=where.called,
            weight=_as_kept(where.weight),
            cluster=_as_kept(where.cluster),
            rows=rows,
            **more,
        )


def _holds_votes(name: str, value: Any) -> bool:
    """Tell whether an argument for the names of columns has votes themselves: rows of them."""
    if name not in _MAY_BE_ARRAYS or isinstance(value, str):
        return False
    if hasattr(type(value), "columns"):
        raise InputError(
            *(argument(name), " is a dataframe. Pass the dataframe as "),
            *(argument("votes"), ", and the names of its columns as ", argument(name), "."),
        )
    try:
        return np.ndim(value) > 1
    except ValueError:  # rows of unequal length
        return True


def _as_kept(value: Any) -> str | None:
    """Return the column of weights or clusters, or what an array of them is called."""
    return value if value is None or isinstance(value, str) else ARRAY


def check_group(group: object) -> None:
    """Refuse what is not the name of one column."""
    if group is not None and not isinstance(group, str):
        text = f" must be the name of one column, as text; got {shown(group)}.{TEXT_FIRST}"
        raise InputError(argument("group"), text)


def check_unlabelled(unlabelled: bool, drop_missing: bool, cluster: object) -> None:
    """Refuse what does not go with items that are kept without a label."""
    if unlabelled and drop_missing:
        raise InputError(
            *(argument("unlabelled"), " keeps items without a label, and "),
            *(argument("drop_missing"), " leaves them out. Give one of them."),
        )
    if unlabelled and cluster is not None:
        raise InputError(
            *(argument("cluster"), " is not heeded with "),
            *(argument("unlabelled"), ". Leave out one of them."),
        )


def with_label_as_vote(layouts: Sequence[Layout], where: Where) -> Sequence[Layout]:
    """Return the layouts of votes beside a label, or refuse to take a label for a vote."""
    able = [layout for layout in layouts if layout.of_shares]
    if "label" not in where.columns or not able:
        raise InputError(
            *(argument("label_is_vote"), " adds the label of each item to its votes. Name the "),
            *("votes, and the column of the label with ", argument("label"), ", or leave it out."),
        )
    return able


def as_duplicates(value: object) -> str:
    """Return what to do with several votes of one annotator on an item."""
    return check_choice(value, DUPLICATES, name="duplicates")


def check_agreement(
    classes: tuple[str, ...] | None, positive: object, positive_from: float | None
) -> None:
    """Refuse classes beside what says that they are others."""
    if classes is None or (positive is None and positive_from is None):
        return
    if positive_from is not None or len(classes) > 2:
        other = argument("positive_from") if positive is None else argument("positive")
        raise InputError(
            *(argument("classes"), " asks about all classes, and ", other),
            " about one side against the other. Give one of them.",
        )
    if text_of(positive) != classes[1]:
        raise InputError(
            argument("classes"),
            f" makes {classes[1]!r} class 1, because it comes second, and ",
            *(argument("positive"), f" {text_of(positive)!r}. Give one of them."),
        )


def least_positive(value: object, positive: object) -> float | None:
    """Return the least number that is class 1, or refuse what is none."""
    if value is None:
        return None
    if positive is not None:
        raise InputError(
            *(argument("positive"), " and ", argument("positive_from")),
            " both say which labels are class 1. Give one of them.",
        )
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        text = f" must be a finite number, such as 3 for ratings of 3 and more; got {shown(value)}."
        raise InputError(argument("positive_from"), text)
    return number


def is_source(data: object) -> bool:
    """Tell whether `data` is a path, or a list of paths."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(part, str | os.PathLike) for part in data)
    return isinstance(data, str | os.PathLike)


def as_paths(value: object, name: str) -> list[Any]:
    """Return one path or several as a list, or say that it is none."""
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike)
    several = several and getattr(value, "ndim", 1) > 0
    paths = list(value) if several else [value]  # type: ignore[call-overload]
    if not paths:
        raise InputError(argument(name), " is empty. Pass at least one file.")
    if not is_source(paths):
        raise InputError(argument(name), f" must be a path or a list of paths, got {shown(value)}.")
    return paths


def as_asked(
    table: Table, asked: Asked, said: tuple[Part, str], paths: tuple[str, ...] = ()
) -> Reading:
    """Return a table that needs no counting, if the caller can use it.

    `said` is what errors call it, and what it is.
    """
    name, what = said
    named, used = asked.where.columns, {}
    wants_soft = named == _SCORES_AS_SOFT or ScoreTable.kind not in asked.kinds
    if isinstance(table, ScoreTable) and SOFT_LABELS in asked.layouts and wants_soft:
        table, used = SoftTable.from_scores(table), _SCORES_AS_SOFT
    if named and named != used:
        raise _no_columns(asked, said)
    refuse_options(asked)
    for one in asked.where.beside:
        text = f" is {what}, which has weights and clusters already if any. Leave out "
        raise InputError(name, text, argument(one), ".")
    if asked.where.classes is not None and asked.where.classes != table.classes:
        text = f" is {what} of the classes {listed(table.classes)}. Leave out "
        raise InputError(name, text, argument("classes"), ".")
    layout = next((one for one in asked.layouts if one.kind == table.kind), None)
    if layout is None:
        asks = next(one.asks for one in LAYOUTS if one.kind == table.kind)
        text = f" is {what}, which holds {table.kind}; this needs {either(asked.kinds)}. Use "
        raise InputError(name, text, function(asks), " for it.")
    if len(table) == 0:
        raise InputError(name, " is an empty table. Pass at least one item.")
    origin: Origin = "files" if paths else "table"
    rows = table.n + table.dropped
    return Reading(
        {None: table}, asked.source(origin, layout, rows, files=paths, columns=dict(used))
    )


def _no_columns(asked: Asked, said: tuple[Part, str]) -> InputError:
    text = f" is {said[1]}, whose columns are known, so name none."
    if SOFT_LABELS not in asked.layouts:
        return InputError(said[0], text)
    remark = " takes the scores of a table for true probabilities."
    return InputError(said[0], f"{text} ", argument("soft", "scores"), remark)


def either(names: Sequence[str]) -> str:
    """Return a list with "or" before its last word."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def refuse_options(asked: Asked, *, may_drop: bool = False, may_be_positive: bool = False) -> None:
    """Refuse what is about rows, where there are none."""
    where = asked.where
    positive = () if may_be_positive else (where.positive, where.positive_from)
    said = (*positive, where.group)
    drops = where.drop_missing and not may_drop
    if drops or where.duplicates != "error" or any(one is not None for one in said):
        options = joined([argument("positive"), argument("drop_missing")], ", ")
        columns = joined([argument(role.argument) for role in asked.layouts[0].needed])
        raise InputError(
            *(*options, " and ", argument("group")),
            " go with a dataframe or file of rows. Pass one, and name its columns with ",
            *(*columns, "."),
        )
