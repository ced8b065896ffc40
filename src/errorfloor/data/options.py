"""What people say about their data: columns, classes, weights, missing labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument, as_flag, check_choice, function, shown
from errorfloor.data.columns import TEXT_FIRST
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.naming import as_classes
from errorfloor.data.values import text_of

DUPLICATES = ("error", "first", "last", "all")
_MAY_BE_ARRAYS = ("counts", "annotators")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
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
    ) -> ReadOptions:
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
