"""How people want their data to be read, and what was read: columns, classes, weights, files.

One record holds each, from the arguments of a function or the options of a command to the recipe
that reproduces a result.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from errorfloor._checks import InputError, argument, as_flag, check_choice, function, shown
from errorfloor.data.columns import TEXT_FIRST
from errorfloor.data.layouts import EVERY_LAYOUT
from errorfloor.data.matrices import CELLS
from errorfloor.data.naming import as_classes, names_of_columns
from errorfloor.data.tables import Table
from errorfloor.data.values import text_of

ARRAY = "an array"  # what weights and clusters that came next to arrays are called
DUPLICATES = ("error", "first", "last", "all")
_OF_RATINGS = ("item", "rater")
_OF_VOTES = ("counts", "annotators")
_MAY_BE_ARRAYS = (*_OF_VOTES, *_OF_RATINGS)
_OF_METRICS = ("metric", "costs", "at", "prior")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Which columns hold what, and how to read their values."""

    columns: Mapping[str, Any] = field(default_factory=dict)  # by the names of arguments
    # Votes in place of columns, items and raters of ratings, or whether each column is a rater.
    arrays: Mapping[str, Any] = field(default_factory=dict)
    headings: tuple[str, ...] = ()  # of votes that came as a dataframe in place of an array
    positive: object = None
    positive_from: float | None = None  # numbers from here on are class 1
    classes: tuple[str, ...] | None = None  # in order
    format: str | None = None
    missing: tuple[str, ...] | None = None  # answers that mean none, such as 99
    drop_missing: bool = False
    unlabelled: bool = False  # whether items without a label are kept as such
    complete: bool = False  # whether nothing else that a model could see matters
    label_is_vote: bool = False  # whether the label next to votes is one more vote
    duplicates: str = "error"  # what to do with votes of one annotator on an item
    group: str | None = None  # the column
    called: str | None = None  # what people call the files, if not by their paths
    labels: Any = None  # files that have the labels, which are joined to the rows
    on: str | None = None  # by which column; "a=b" where the files call it differently
    weight: Any = None  # a column, or an array next to arrays
    cluster: Any = None
    predictions: tuple[str, ...] = ()  # columns of what models predict for the items
    cells: int = CELLS  # of scores from 0 to 1, where cells are needed
    refine: bool = True  # whether to look a second time at scores in cells

    @classmethod
    def of(cls, **given: Any) -> ReadOptions:
        """Check what the user gave: options by name, columns by the names of their arguments.

        Columns that were not named are left out, and roles that no layout has are refused.
        """
        options = {name: given.pop(name) for name in HOW_TO_READ if name in given}
        columns = {name: one for name, one in given.items() if one is not None}
        for name in _OF_METRICS:
            if columns.pop(name, None) is not None:
                raise InputError(
                    *(argument(name), " does not go with this question, which is about errors. "),
                    *("Leave it out; ", function("from_scores"), " and the like take it."),
                )
        for name in given.keys() - {role.argument for one in EVERY_LAYOUT for role in one.roles}:
            if name not in _OF_METRICS:
                raise TypeError(f"got an unexpected keyword argument {name!r}")
        for name in _OF_VOTES:
            if hasattr(type(columns.get(name)), "columns"):
                options["headings"] = tuple(map(str, columns[name].columns))
        if hasattr(type(columns.get("counts")), "columns") and options.get("classes") is None:
            options["classes"] = names_of_columns(options["headings"])
        columns = {name: _without_names(name, one) for name, one in columns.items()}
        arrays = {name: one for name, one in columns.items() if _is_array(name, one)}
        named = {name: one for name, one in columns.items() if name not in arrays}
        return cls(columns=named, arrays=arrays, **options)._checked()

    def _checked(self) -> ReadOptions:
        """Return the same with each value of its type, or refuse what does not go together."""
        if self.group is not None and not isinstance(self.group, str):
            if _holds_several(self.group):  # an array, as of weights
                text = (
                    " must be the name of a column, also where labels are arrays. Put all of them "
                )
                raise InputError(
                    argument("group"),
                    text,
                    "into a dataframe, and pass that with the "
                    "names of its columns, such as from_scores(df, score='score', "
                    "label='label', group='group').",
                )
            text = f" must be the name of one column, as text; got {shown(self.group)}.{TEXT_FIRST}"
            raise InputError(argument("group"), text)
        self._check_joined()
        flags: dict[str, Any] = {name: as_flag(getattr(self, name), name=name) for name in _FLAGS}
        if flags["unlabelled"]:
            self._check_unlabelled(flags["drop_missing"])
        names, none = as_classes(self.classes), _as_missing(self.missing)
        self._check_agreement(names)
        return replace(
            self,
            **flags,
            classes=names,
            missing=none,
            positive_from=self._least_positive(),
            duplicates=check_choice(self.duplicates, DUPLICATES, name="duplicates"),
        )

    def _check_joined(self) -> None:
        """Refuse labels without a key, and a key without labels."""
        if self.on is None and self.labels is None:
            return
        if self.on is None:
            raise InputError(
                *(argument("labels"), " is a file of labels, which finds its rows by a column of "),
                *("both files. Name that with ", argument("on"), ", such as "),
                *(argument("on", "id"), ". For a column of the same file, use "),
                *(argument("label"), "."),
            )
        if not isinstance(self.on, str) or not self.on.strip("= "):
            text = f" must be the name of one column of both files, as text; got {shown(self.on)}."
            raise InputError(argument("on"), text)

    def joined_to(self, labels: object) -> ReadOptions:
        """Return the same with labels in files of their own, which came as another argument."""
        if self.on is None or self.labels is not None:
            return self
        given: Any = labels
        several = isinstance(given, list | tuple) and len(given) > 0
        paths = given if several else [given]
        if not all(isinstance(one, str | os.PathLike) for one in paths):
            raise InputError(
                *(argument("on"), " names the column by which the file of "),
                *(argument("labels"), " is joined. Pass its path, or leave out ", argument("on")),
                ".",
            )
        own = [os.fspath(one) for one in paths]
        return replace(self, labels=own if several else own[0])

    def _check_unlabelled(self, drop_missing: bool) -> None:
        """Refuse what does not go with items that are kept without a label."""
        if drop_missing:
            raise InputError(
                *(argument("unlabelled"), " keeps items without a label, and "),
                *(argument("drop_missing"), " leaves them out. Give one of them."),
            )
        if self.cluster is not None:
            raise InputError(
                *(argument("cluster"), " is not used with "),
                *(argument("unlabelled"), ". Leave out one of them."),
            )

    def _check_agreement(self, classes: tuple[str, ...] | None) -> None:
        """Refuse classes next to what says that they are others."""
        positive, positive_from = self.positive, self.positive_from
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

    def _least_positive(self) -> float | None:
        """Return the least number that is class 1, or refuse what is none."""
        value: object = self.positive_from
        if value is None:
            return None
        if self.positive is not None:
            raise InputError(
                *(argument("positive"), " and ", argument("positive_from")),
                " both say which labels are class 1. Give one of them.",
            )
        try:
            number = float(value) if isinstance(value, Real) else math.nan
        except OverflowError:
            number = math.nan
        if isinstance(value, bool) or not math.isfinite(number):
            text = " must be a finite number, such as 3 for ratings of 3 and more; got "
            raise InputError(argument("positive_from"), f"{text}{shown(value)}.")
        return number

    @property
    def sampling(self) -> dict[str, Any]:
        """How the items were sampled: weights and clusters, where there are some."""
        both = {"weight": self.weight, "cluster": self.cluster}
        return {name: value for name, value in both.items() if value is not None}

    @property
    def kept(self) -> ReadOptions:
        """What a source keeps of it, which has the columns that were read: no arrays."""
        weight, cluster = (
            one if one is None or isinstance(one, str) else ARRAY
            for one in (self.weight, self.cluster)
        )
        return replace(self, columns={}, arrays={}, headings=(), weight=weight, cluster=cluster)

    @property
    def given(self) -> dict[str, Any]:
        """How to read, as far as the user gave it: what a recipe has to repeat."""
        return {name: getattr(self, name) for name in HOW_TO_READ if self.is_given(name)}

    def is_given(self, name: str) -> bool:
        """Tell whether an option is another one than by default."""
        value, usual = getattr(self, name), _USUAL[name]
        return value is not None if usual is None else bool(value != usual)


_FLAGS = ("drop_missing", "unlabelled", "complete", "label_is_vote")
# What users give besides columns, in the order in which recipes write it. Only tables themselves
# are asked for with a number of cells.
HOW_TO_READ = tuple(
    one.name
    for one in fields(ReadOptions)
    if one.name not in ("columns", "arrays", "headings", "predictions", "cells", "refine")
)
_USUAL = {name: getattr(ReadOptions(), name) for name in HOW_TO_READ}


def _as_missing(value: Any) -> tuple[str, ...] | None:
    """Return the answers that mean none as text: one, or several in a list."""
    if value is None:
        return None
    several = value if isinstance(value, list | tuple) else [value]
    texts = tuple(dict.fromkeys(map(text_of, several)))
    if not texts or any(not isinstance(one, str | Real) for one in several):
        text = f" must be a value that means no answer, or a list of them; got {shown(value)}."
        raise InputError(argument("missing"), text)
    return texts


def _without_names(name: str, value: Any) -> Any:
    """Return the rows of a dataframe that came in place of an array of votes, or what else did."""
    if name not in _OF_VOTES or not hasattr(type(value), "columns"):
        return value
    import narwhals as nw

    try:
        return nw.from_native(value, eager_only=True).to_numpy()
    except TypeError:  # of rows that are not there yet
        raise InputError(
            *(argument(name), " is a dataframe without rows of its own. Pass it as "),
            *(argument("votes"), ", and the names of its columns as ", argument(name), "."),
        ) from None


def _holds_several(value: object) -> bool:
    return isinstance(value, Sized) and getattr(value, "ndim", 1) > 0 and len(value) > 1


def _is_array(name: str, value: Any) -> bool:
    """Tell whether an argument for the names of columns has what these hold: rows of votes."""
    if isinstance(value, str) or name not in _MAY_BE_ARRAYS:
        return False
    if isinstance(value, bool):
        return name == "rater"
    try:
        return np.ndim(value) > (name not in _OF_RATINGS)
    except ValueError:  # rows of unequal length
        return True


# What was read, where from and how, so that a result can be made again.

Origin: TypeAlias = Literal["arrays", "table", "frame", "files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a table came from, and how its columns and values were read."""

    origin: Origin
    layout: str  # the name of the layout
    files: tuple[str, ...] = ()  # as they were given: paths, patterns, folders
    columns: Mapping[str, Any] = field(default_factory=dict)  # by role: one, several, or a number
    guessed: tuple[str, ...] = ()  # roles whose columns nobody named
    options: ReadOptions = field(default_factory=ReadOptions)  # as given, without columns
    rows: int | None = None  # that were read, with those that were left out
    facts: Mapping[str, Any] = field(default_factory=dict)  # what only rows can tell

    def with_options(self, **options: Any) -> Source:
        """Return the same with some options changed."""
        return replace(self, options=replace(self.options, **options))

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        found: dict[str, Any] = {"origin": self.origin, "layout": self.layout, "files": self.files}
        found |= {"columns": self.columns, "guessed": self.guessed}
        joined = ("labels", "on") if self.options.labels is None else ()
        found |= {name: getattr(self.options, name) for name in HOW_TO_READ if name not in joined}
        found |= {"rows": self.rows, "facts": self.facts}
        return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


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


def is_source(data: object) -> bool:
    """Tell whether `data` is a path, or a list of paths."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(part, str | os.PathLike) for part in data)
    return isinstance(data, str | os.PathLike)


def names_of_files(files: Sequence[str], *, ending: bool = True) -> list[str]:
    """Return what tells files apart: their names, and their paths where two have the same name.

    Examples
    --------
    >>> names_of_files(["labels/anna.csv", "labels/ben.csv"], ending=False)
    ['anna', 'ben']
    """
    parts = [os.path.basename(one) for one in files]
    names = parts if ending else [os.path.splitext(one)[0] for one in parts]
    return names if len({*names}) == len(names) else [*files]


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
