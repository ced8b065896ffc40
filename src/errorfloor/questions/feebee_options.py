"""What FeeBee is asked for, checked: the metric, the noise, a known model and the methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from errorfloor import methods as known
from errorfloor._checks import InputError, argument, shown, words
from errorfloor.data.source import Reading
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Method
from errorfloor.metrics import Metric, noise
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import feebee_metrics
from errorfloor.questions.feebee_features import Part, part_named
from errorfloor.questions.question import method_for
from errorfloor.results import ORACLE

USELESS = 0.5  # balanced error and AUC of a model that tells nothing

Estimator: TypeAlias = Callable[[ScoreTable], float]
Methods: TypeAlias = Iterable[str | Estimator] | Mapping[str, str | Estimator]


def asked_for(metric: str, means: object) -> MetricChoice:
    """Return the metric that was asked for, if noise has a known effect on it."""
    asked = MetricChoice(metric)
    able = noise.known()
    if asked.metric not in able:
        raise InputError(
            argument("metric", asked.metric),
            " has no known value under noise, so FeeBee cannot tell who follows it. Ask for "
            f"{', '.join(able[:-1])} or {able[-1]}.",
        )
    if asked.record.is_error and means is not None:
        raise InputError(
            *(argument("means"), " goes with balanced error and AUC: what error becomes is known "),
            *("for a fair coin only. Leave it out, or name another ", argument("metric"), "."),
        )
    return asked


def measure_of(asked: MetricChoice, classes: int) -> Metric:
    """Return the metric, or say that its value under noise is known for two classes only."""
    if classes > 2 and not asked.record.is_error:
        raise InputError(
            argument("metric", asked.metric),
            f" has a known value under noise for two classes, and the labels are of {classes}. "
            "Ask for error, or count one class against the rest.",
        )
    return asked.of(classes)


def check_both_classes(table: ScoreTable, metric: Metric) -> None:
    """Refuse labels of one class."""
    positives = int(table.positives.sum())
    if not 0 < positives < table.n:
        raise InputError(
            f"{metric.words[0].upper()}{metric.words[1:]} needs labels of both classes, and all "
            f"{table.n:,} are of one. Add items of the other class."
        )


def check_means(means: Any) -> tuple[float, ...]:
    """Return the means of the noise, or say which is none."""
    if means is None:
        return noise.MEANS
    every = [means] if isinstance(means, Real) else means
    text = " must be numbers between 0 and 1, such as [0.2, 0.5, 0.8], "
    if not isinstance(every, Sequence | np.ndarray) or isinstance(every, str) or not len(every):
        raise InputError(argument("means"), f"{text}got {shown(means)}.")
    for one in every:
        if not isinstance(one, Real) or not 0 < float(one) < 1:
            raise InputError(argument("means"), f"{text}without 0 and 1; got {shown(one)}.")
    return tuple(float(one) for one in every)


def known_error(
    metric: Metric, model_error: float | None, model_value: float | None, classes: int
) -> float:
    """Return the model's error, balanced error or one less its AUC, however it was given."""
    if model_error is not None and model_value is not None:
        raise InputError(
            *(argument("model_error"), " and ", argument("model_value")),
            " are two names of one thing. Give one of them.",
        )
    if model_error is not None and not metric.less_is_better:
        raise InputError(
            *(argument("model_error"), f" is no {metric.words}. Give the best known model's "),
            *(f"{metric.words} as ", argument("model_value"), ", or 0.5 where there is none."),
        )
    name = "model_value" if model_error is None else "model_error"
    value = model_value if model_error is None else model_error
    if value is None:
        name = "model_value" if not metric.is_error else "model_error"
        text = f" is missing: the {metric.words} of the best model known. "
        raise InputError(*words(argument(name), text, _without(metric, classes)))
    ends = sorted((float(not metric.less_is_better), _trivial(metric, classes)))
    if not isinstance(value, Real) or not ends[0] <= value <= ends[1]:
        text = f" must lie in [{ends[0]:.3g}, {ends[1]:.3g}], got {shown(value)}. "
        remedy = f"Divide percentages by 100; {_lower(_without(metric, classes))}"
        raise InputError(*words(argument(name), text, remedy))
    return float(value) if metric.less_is_better else 1 - float(value)


def _trivial(metric: Metric, classes: int) -> float:
    return 1 - 1 / classes if metric.is_error else USELESS


def _without(metric: Metric, classes: int) -> str:
    """Say what is at hand without a model."""
    if not metric.is_error:
        return "Without a model, 0.5 is what a constant one has."
    rarer = "the share of the rarer class"
    constant = rarer if classes == 2 else "one minus the share of the most frequent class"
    return f"Without a model, {constant} is the error of a constant one."


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def named_methods(methods: Methods, asked: MetricChoice, featured: bool = False) -> dict[str, Any]:
    """Return names and functions by name, or say which entry is none."""
    plain = isinstance(methods, Iterable) and getattr(methods, "ndim", 1) == 1
    if isinstance(methods, str) or callable(methods) or not plain:
        raise InputError(
            argument("methods"),
            ' must be a list such as ["isotonic", "beta"] or a dict of functions, '
            f"got {shown(methods)}.",
        )
    pairs: list[tuple[str, Any]]
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    else:
        pairs = [(_name(method, i, asked, featured), method) for i, method in enumerate(methods)]
    if featured:
        pairs = [(name, _classic_or(method)) for name, method in pairs]
    if not pairs:
        raise InputError(
            argument("methods"), " is empty. Name at least one, or leave it out for all."
        )
    named: dict[str, Any] = {}
    for name, method in pairs:
        if name in named:
            text = f" has {name!r} twice. Drop one, or pass a dict with other names."
            raise InputError(argument("methods"), text)
        if name == ORACLE:
            text = f" cannot have the name {name!r}, which the result uses."
            raise InputError(argument("methods"), text)
        named[name] = method
    return named


def found_methods(
    named: Mapping[str, Any], reading: Reading, metric: Metric
) -> dict[str, Method | Estimator]:
    """Return the methods of ours by their names, for the classes that were read."""
    if not metric.is_error:
        return {
            name: method if callable(method) else feebee_metrics.find(method, metric)
            for name, method in named.items()
        }
    return {
        name: method
        if callable(method) or isinstance(method, Part)
        else method_for(method, reading)
        for name, method in named.items()
    }


def _classic_or(method: Any) -> Any:
    """Return the part of a classic estimate that a name asks for, or what was given."""
    found = part_named(method) if isinstance(method, str) else None
    return method if found is None else found


def check_scored(named: Iterable[Any], scored: bool) -> None:
    """Refuse methods of scores where there are only features."""
    for method in () if scored else named:
        if not isinstance(method, Part):
            raise InputError(
                argument("methods"),
                f" {shown(method)} reads scores, and there are features only. Add scores, or name "
                "classics such as 1nn and ghp.",
            )


def _name(method: Any, entry: int, asked: MetricChoice, featured: bool) -> str:
    if featured and isinstance(method, str) and (part := part_named(method)) is not None:
        return part.name
    if not callable(method):
        if asked.record.is_error:
            known.check_name(method, ScoreTable.kind)
        else:
            feebee_metrics.find(method, asked.of(2))
        return str(method)
    name = getattr(method, "__name__", None)
    if not isinstance(name, str):
        raise InputError(
            argument("methods"),
            f" must have names: entry {entry} is {method!r} without a `__name__`. "
            'Pass a dict, such as {"mine": function}.',
        )
    return name


def checked_estimator(name: str, estimator: Estimator) -> Estimator:
    """Return a user's function that refuses what is no number."""

    def checked(table: ScoreTable) -> float:
        value = estimator(table)
        if not _is_finite_number(value):
            raise InputError(
                argument("methods"),
                f" {name!r} must return a finite number, got {value!r} for {table}. "
                "Have it return its best guess on noisy tables too.",
            )
        return float(value)

    return checked


def _is_finite_number(value: Any) -> bool:
    # Numbers of any library will do; text, and arrays of one number, are mistakes.
    try:
        single = not isinstance(value, str | bytes) and np.ndim(value) == 0
        return single and bool(np.isfinite(float(value)))
    except (TypeError, ValueError, OverflowError):
        return False
