"""Which metric a user asks for, with costs, a coverage or an error, and known shares of classes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from errorfloor import metrics
from errorfloor._checks import (
    InputError,
    Part,
    argument,
    as_numbers,
    check_choice,
    function,
    shown,
    unmasked,
)
from errorfloor._typing import Floats
from errorfloor.metrics.record import Metric

_FAR_OFF = 1e-6  # from 1, of shares that are to add up to it


@dataclass(frozen=True, slots=True)
class MetricChoice:
    """A metric by name, and what it needs to be one: checked, but for the number of classes."""

    metric: str = metrics.ERROR.name
    costs: Any = None
    at: float | None = None
    prior: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.metric, str):
            object.__setattr__(self, "metric", metrics.meant_by(self.metric))
        refuse_others(self.metric)
        check_choice(self.metric, metrics.names(), name="metric")
        record = metrics.named(self.metric)
        for name in _GIVEN:
            value = getattr(self, name)
            if value is None and name in record.needs:
                raise InputError(argument("metric", record.name), *_MISSING[name])
            if value is not None and name not in (*record.needs, *record.takes):
                goes = [one.name for one in metrics.METRICS if name in (*one.needs, *one.takes)]
                if len(goes) == 1:
                    raise InputError(
                        *(argument(name), " needs ", argument("metric", goes[0])),
                        *(". Add it, or leave out ", argument(name), "."),
                    )
                raise InputError(
                    *(argument(name), f" goes with the metrics {' and '.join(goes)}. "),
                    *("Leave it out, or ask for one of them with ", argument("metric"), "."),
                )
        if self.at is not None:
            _check_at(self.at, record)

    @property
    def record(self) -> Metric:
        """The metric, without what was given with it."""
        return metrics.named(self.metric)

    def of(self, classes: int) -> Metric:
        """Return the metric for so many classes."""
        return metric_given(self.metric, {name: getattr(self, name) for name in _GIVEN}, classes)

    def kept(self) -> dict[str, Any]:
        """Return what a result keeps of it besides the name, as plain values."""
        values = {name: getattr(self, name) for name in _GIVEN}
        return {
            name: np.asarray(value, dtype=np.float64).tolist()
            for name, value in values.items()
            if value is not None
        }


def metric_given(name: str, asked: Mapping[str, Any], classes: int) -> Metric:
    """Return the metric of that name for so many classes, with what was given: costs and the like.

    The name has been checked: it is that of a `MetricChoice`, or what a result keeps of one.
    """
    record = metrics.named(name)
    if record.two_only and classes > 2:
        raise InputError(
            argument("metric", record.name),
            f" is for two classes, and the labels are of {classes}. Count one class against "
            "the rest, or ask for another metric.",
        )
    given: dict[str, Any] = {}
    if asked.get("costs") is not None:
        given["costs"] = _as_costs(asked["costs"], classes).tolist()
    if asked.get("prior") is not None:
        given["prior"] = _as_prior(asked["prior"], classes).tolist()
    if asked.get("at") is not None:
        given["at"] = float(asked["at"])
    if not given or record.with_given is None:
        return record
    return replace(record.with_given(given, classes), name=record.name)


def refuse_others(metric: object) -> None:
    """Refuse metrics that people know and that have no limit here, with those that come close."""
    if not isinstance(metric, str) or metric in metrics.names():
        return
    for pattern, text in _OTHERS.items():
        if re.fullmatch(pattern, metric):
            raise InputError(argument("metric", metric), *text)


_MEANS = {one: argument("metric", metrics.named(one).name) for one in ("f1", "mcc", "auc", "brier")}
_CURVE = argument("metric", metrics.meant_by("pr-auc"))
_OF_ONE_CLASS = r"precision|recall|sensitivity|specificity|tpr|tnr|fpr|fnr|ppv|npv"
# By patterns of their names, in small letters with "-" between words.
_OTHERS: dict[str, tuple[Part, ...]] = {
    _OF_ONE_CLASS: (
        " has no limit of its own: a model that always, or almost never, says yes can have a "
        "perfect value. Ask for a metric that weighs both kinds of errors, such as ",
        *(_MEANS["f1"], " or ", _CURVE, "."),
    ),
    rf"({_OF_ONE_CLASS})-at-.*": (
        " is one point of a curve, and its best possible value is not estimated. For the whole "
        "precision-recall curve use ",
        *(_CURVE, "; for the whole ROC curve, for ", _MEANS["auc"], "."),
    ),
    r"(macro|micro|weighted)-f1(-score)?|f1-(macro|micro|weighted)": (
        " is an average over classes, whose best possible value is not estimated. Ask about one "
        "class against the rest: ",
        *(_MEANS["f1"], " with ", argument("positive"), "."),
    ),
    r"r2|pearson|spearman|qwk|ccc|icc|r?mse|mae|s?mape|wape|mase|rmsle|nrmse": (
        " is of numbers, and floors are of classes: a target such as sales (regression, time "
        "series) has none here. Only ratings, numbers that several people gave to each item, have "
        "limits, of r2, mse and mae among others. Use ",
        *(function("from_ratings"), "."),
    ),
    r"(cohens?-)?kappa(-score)?": (
        " has no limit here. ",
        *(_MEANS["mcc"], " corrects for chance as well; for classes in order, such as stars, use "),
        *(function("from_ratings"), "."),
    ),
    r"ece|calibration(-error)?": (
        " has no limit: any model can be calibrated. Ask how good probabilities can get: ",
        *(_MEANS["brier"], "."),
    ),
}
_GIVEN = ("costs", "at", "prior")
_MISSING = {
    "costs": (
        " needs ",
        argument("costs"),
        ": what a false positive and a false negative cost, such as ",
        argument("costs", (1, 5)),
        ", or a matrix with a row for each true class and a column for each decision.",
    ),
    "at": (
        " needs ",
        argument("at"),
        ": the share of items to answer, such as ",
        argument("at", 0.8),
        ", or the error to allow, such as 0.02.",
    ),
}


def _check_at(at: object, record: Metric) -> None:
    is_share = isinstance(at, Real | np.number) and not isinstance(at, bool)
    share = float(at) if is_share and at <= 100 else -1.0  # type: ignore[operator,arg-type]
    allowed = 0 < share <= 1 if record.less_is_better else 0 <= share < 1
    if not allowed:
        percent = 1 < share <= 100
        meant = f" Did you mean {share / 100:g}?" if percent else ""
        what = "a share of the items" if record.less_is_better else "an error"
        text = f" must be {what}, a number between 0 and 1, got {shown(at)}.{meant}"
        raise InputError(argument("at"), text)


def _as_costs(costs: object, classes: int) -> Floats:
    matrix = as_numbers(unmasked(costs, "costs"), "costs")
    if matrix.shape == (2,) and classes == 2:
        matrix = np.array([[0.0, matrix[0]], [matrix[1], 0.0]])
    pair = "a pair (false positive, false negative) or " if classes == 2 else ""
    if matrix.shape != (classes, classes):
        raise InputError(
            argument("costs"),
            f" must be {pair}a matrix of {classes} rows, one for each true class, and {classes} "
            f"columns, one for each decision; got shape {matrix.shape}.",
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise InputError(argument("costs"), " must be finite numbers of at least 0.")
    if np.diag(matrix).any():
        raise InputError(
            argument("costs"),
            " must be 0 where the decision is the true class. Subtract what a right decision costs "
            "from its row.",
        )
    if not (matrix.sum(axis=1) > 0).all():
        raise InputError(
            argument("costs"),
            f": no error on class number {int(np.argmin(matrix.sum(axis=1)))} costs anything, so "
            "the other classes would never be named. Give each class some cost.",
        )
    return matrix


def _as_prior(prior: object, classes: int) -> Floats:
    shares = as_numbers(unmasked(prior, "prior"), "prior")
    if shares.ndim == 0 and classes == 2:
        shares = np.array([1 - float(shares), float(shares)])
    one = "the share of class 1, or " if classes == 2 else ""
    if shares.shape != (classes,):
        raise InputError(
            argument("prior"),
            f" must be {one}a share for each of the {classes} classes, got {shown(prior)}.",
        )
    if not ((shares > 0).all() and abs(float(shares.sum()) - 1) <= _FAR_OFF):
        raise InputError(
            argument("prior"),
            f" must be shares above 0 that add up to 1, got {shown(prior)}.",
        )
    return np.asarray(shares / shares.sum())
