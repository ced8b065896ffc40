"""Labels that are words: which of them is class 1, as the user says, or as common pairs have it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from errorfloor._checks import InputError, Part, argument, command
from errorfloor.data.engines import Frame, is_missing, select, with_number
from errorfloor.data.layouts import Layout
from errorfloor.data.rows import Request, spelt

# Pairs of which the first means "yes": letters and digits only, in small letters.
PAIRS = (
    *("yes no", "y n", "true false", "t f", "1 0", "on off", "positive negative", "pos neg"),
    *("spam ham", "spam notspam", "pass fail", "passed failed", "success failure", "good bad"),
    *("correct incorrect", "correct wrong", "right wrong", "accept reject", "accepted rejected"),
    *("approve reject", "approved rejected", "approved denied", "agree disagree", "like dislike"),
    *("relevant irrelevant", "present absent", "malignant benign", "abnormal normal", "win loss"),
    *("fraud legit", "fraud legitimate", "fraud genuine", "fraud normal", "sick healthy"),
    *("case control", "hit miss", "active inactive", "duplicate unique", "true fake"),
    *(f"toxic {one}" for one in ("clean", "normal", "ok", "neutral", "none", "safe", "civil")),
    *(f"{one} {other}" for one in ("hate", "offensive", "abusive") for other in ("normal", "none")),
)
_KNOWN = {tuple(pair.split()) for pair in PAIRS}
_WITHOUT = ("not", "non", "no")  # before a word make it the other class
_MOST = 50  # values that are looked at
_LISTED = 6  # values that a message names
_SOME_ROWS = 2**16  # in which the values are looked for where the positive one is named


def positive_of(values: Sequence[str]) -> str | None:
    """Return which of two words means "yes", or None where that is not known.

    Examples
    --------
    >>> positive_of(["ham", "spam"]), positive_of(["Not toxic", "Toxic"]), positive_of(["a", "b"])
    ('spam', 'Toxic', None)
    """
    if len(values) != 2:
        return None
    for one, other in (values, values[::-1]):
        yes, no = _letters(one), _letters(other)
        if (yes, no) in _KNOWN or (yes and no in {f"{without}{yes}" for without in _WITHOUT}):
            return one
    return None


def settled(request: Request, layout: Layout) -> tuple[Request, dict[str, list[str]] | None]:
    """Return the request with the positive class known, and which values are of which class.

    The classes are None where labels are 0 and 1 as they stand.
    """
    role = next((role for role in layout.roles if role.is_class), None)
    kinds = request.frame.collect_schema()
    if role is None:
        return request, None
    if request.positive_from is not None:
        least = f"{request.positive_from:g}"
        return request, {"1": [f"{least} and more"], "0": [f"less than {least}"]}
    given = request.columns[role.argument]
    columns = list(given) if isinstance(given, tuple) else [given]
    known = request.group is None or str(request.group) in [*kinds]
    if not known or any(one not in [*kinds] or kinds[one].is_nested() for one in columns):
        return request, None  # which will be said where they are read
    if request.positive is not None:
        some = replace(request, frame=request.frame.head(_SOME_ROWS))
        return request, _divided(_values(some, columns), request.positive)
    texts = [
        one for one in columns if kinds[one] in (nw.String, nw.Categorical, nw.Enum, nw.Object)
    ]
    if not texts or not _has_words(request, texts):
        return request, None
    values = _values(request, columns)
    if any(spelt(value) in (0, 1) for value in values):
        return request, None  # a stray word among numbers
    positive = positive_of(values)
    if positive is None:
        raise _question(request, role.argument, columns, values)
    return replace(request, positive=positive), _divided(values, positive)


def _letters(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", value.casefold())


def _has_words(request: Request, columns: Sequence[str]) -> bool:
    """Tell whether the first rows hold text that spells neither numbers nor booleans."""
    head = request.run(_selected(request.frame, columns).head(1000))
    found = {str(one) for values in head.values() for one in values.tolist() if _is_there(one)}
    return any(spelt(value) is None for value in found)


def _values(request: Request, columns: Sequence[str]) -> list[str]:
    """Return the distinct values of all columns together, as text, in order."""
    found: set[str] = set()
    for column in columns:
        rows = _selected(request.frame, [column])
        rows = rows.filter(~is_missing(rows, "value 0")).unique().head(_MOST)
        found |= {str(one) for one in request.run(rows)["value 0"].tolist() if _is_there(one)}
    return sorted(found)


def _selected(frame: Frame, columns: Sequence[str]) -> Frame:
    return select(frame, {f"value {i}": column for i, column in enumerate(columns)})


def _is_there(value: object) -> bool:
    # Neither None nor NaN nor the NA of pandas, of which nothing can be asked.
    return value is not None and str(value) not in ("nan", "<NA>", "NaT")


def _divided(values: Sequence[str], positive: object) -> dict[str, list[str]]:
    ones = [value for value in values if _is_same(value, positive)]
    return {"1": ones or [str(positive)], "0": [value for value in values if value not in ones]}


def _is_same(value: str, positive: object) -> bool:
    if value == str(positive):
        return True
    number = spelt(value)
    return number is not None and number == spelt(str(positive))


def _question(
    request: Request, name: str, columns: Sequence[str], values: Sequence[str]
) -> InputError:
    """Ask which class is 1, with what to type for each, the likeliest first."""
    means = _mean_scores(request, columns[0]) if "score" in request.columns else {}
    ranked = sorted(values, key=lambda value: -means.get(value, 0.0))[:_LISTED]
    said: tuple[Part, ...] = (argument(name), f" (column {columns[0]!r})")
    listed = ", ".join([*values[:_LISTED], "..."] if len(values) > _LISTED else values)
    which = "Say which one is class 1"
    if len(values) > 2:
        which += "; the answer is then for that one against the rest"
    if len(means) > 1:
        most = ranked[0]
        which += f". The scores are highest for {most}, {means[most]:.4g} on average"
    commands = (part for one in ranked for part in ("\n  ", command("positive", one)))
    return InputError(*said, f" holds words: {listed}. {which}:", *commands)


def _mean_scores(request: Request, label: str) -> dict[str, float]:
    columns = {"given": request.columns["score"], "label": label}
    if columns["given"] not in [*request.frame.collect_schema()]:
        return {}
    rows = with_number(select(request.frame, columns), "given", "score")
    rows = rows.filter(nw.col("score").is_finite().fill_null(False), ~is_missing(rows, "label"))
    found = request.run(rows.group_by("label").agg(nw.col("score").mean().alias("mean")))
    means = np.asarray(found["mean"], np.float64).tolist()
    return dict(zip(map(str, found["label"].tolist()), means, strict=True))


def described(classes: Any, ones: int, zeros: int, what: str) -> str:
    """Say which class is which, with how many there are of each.

    Examples
    --------
    >>> described({"1": ["spam"], "0": ["ham"]}, 1025, 975, "items")
    'class 1 = spam, 1,025 items; class 0 = ham, 975'
    """
    yes, no = (", ".join(classes[name]) or "none" for name in ("1", "0"))
    rest = " (one class against the rest)" if len(classes["0"]) > 1 else ""
    return f"class 1 = {yes}, {ones:,} {what}; class 0 = {no}, {zeros:,}{rest}"
