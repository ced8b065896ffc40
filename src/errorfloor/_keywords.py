"""Keywords that people know from other libraries: an error says what they are called here."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_LONGEST = 30  # characters of a value that is repeated

# What a keyword is called in SciPy, scikit-learn and statsmodels, and what it is called here.
_OTHER_NAMES = {
    "seed": "rng",
    "random_state": "rng",
    "random_seed": "rng",
    "alpha": "level",
    "confidence": "level",
    "confidence_level": "level",
    "ci": "level",
    "n_boot": "n_resamples",
    "n_bootstrap": "n_resamples",
    "n_bootstraps": "n_resamples",
    "sample_weight": "weight",
    "sample_weights": "weight",
    "weights": "weight",
    "by": "group",
    "clusters": "cluster",
    "pos_label": "positive",
    "y_score": "scores",
    "y_prob": "scores",
    "y_true": "labels",
    "y": "labels",
}

# What has two meanings elsewhere, where a function has both.
_TWO_NAMES = {
    "groups": {
        "group": "the column whose values get an answer each",
        "cluster": "what says which items belong together",
    }
}


def explains_keywords(
    function: Callable[P, R], signature: inspect.Signature | None = None
) -> Callable[P, R]:
    """Have a function say what to write in place of a keyword that its signature does not have."""
    shown = signature or inspect.signature(function)
    known = [one.name for one in shown.parameters.values() if one.kind is not one.VAR_KEYWORD]
    passes_on = len(known) < len(shown.parameters)

    @functools.wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        for name in keywords:
            if name not in known and (not passes_on or name in _OTHER_NAMES):
                problem = f"{function.__name__}() got an unexpected keyword argument {name!r}."
                meant = _OTHER_NAMES.get(name)
                meant = meant if meant in known or passes_on else None
                raise TypeError(f"{problem} {_hint(name, keywords[name], meant, known)}".strip())
        return function(*args, **keywords)

    checked.__signature__ = shown  # type: ignore[attr-defined]
    return checked


def record_of(record: Callable[..., R], arguments: Mapping[str, Any]) -> R:
    """Return a record of those of a function's arguments that it has fields for."""
    names = [one.name for one in fields(record) if one.name in arguments]  # type: ignore[arg-type]
    return record(**{name: arguments[name] for name in names})


def _hint(name: str, value: object, meant: str | None, known: Sequence[str]) -> str:
    """Return what to write in place of a keyword, which is `meant` or else the nearest."""
    either = {one: says for one, says in _TWO_NAMES.get(name, {}).items() if one in known}
    if either:
        return " ".join(f"{one!r} is {says}." for one, says in either.items())
    if meant is None:
        near = difflib.get_close_matches(name, known, n=1)
        return f"Did you mean {near[0]!r}?" if near else ""
    if name == "alpha" and isinstance(value, float | int):
        return f"Write level={1 - value:.6g} for alpha={value!r}."
    short = isinstance(value, bool | int | float | str) and len(repr(value)) < _LONGEST
    return f"Write {meant}={value!r}." if short else f"It is called {meant!r} here."
