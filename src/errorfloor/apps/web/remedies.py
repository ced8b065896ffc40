"""Which column a finding is about, and what one click can do about it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from errorfloor._checks import InputError, Mention
from errorfloor.apps.web.state import FIELDS, OF_RATINGS, ROLE, ROLE_WORDS, ROLES, State
from errorfloor.checks.record import Checked
from errorfloor.data.columns import fitting
from errorfloor.data.layouts import ITEM_OF_ROW
from errorfloor.methods.record import ITEM_DECIDES, VOTES_DECIDE
from errorfloor.questions.options import OPTIONS
from errorfloor.results import Estimate
from errorfloor.results.claim import Finding

_VOTES = ("votes", "counts", "vote", "annotators", "annotations")
_SCORES = ("score", *_VOTES)  # votes next to a label are scores
_LABELS = ("label",)
_VALUES = ("label", "vote", "annotators", "annotations", "counts", "score", "soft")
_SERIOUS = ("refuted", "warn")


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a button says, and the fields that it sets."""

    title: str
    fields: Mapping[str, str]


Mend = Callable[[Any, State, Mapping[str, int]], Iterator[Remedy]]


def _nothing(*_: Any) -> Iterator[Remedy]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Place:
    """The roles whose column a finding is about, the first that there is, and its remedies."""

    roles: tuple[str, ...] = ()
    mend: Mend = _nothing


def _flip(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    """Take the other label for class 1, which is what the scores are about."""
    known = None if estimate.source is None else estimate.source.facts.get("classes")
    if isinstance(known, dict):
        others = [str(name) for name in known.get("0", ())]
    else:
        others = ["0"] if set(classes) == {"0", "1"} else []
    if len(others) == 1:
        fields = {"positive": others[0], "positive_from": ""}
        yield Remedy(f"Flip: class 1 is {others[0]}", fields)


def _calibrate(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    if state.field("method"):
        yield Remedy("Take the default method", {"method": ""})


def _by_bins(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    yield Remedy("Take hist-25, which needs no order", {"method": "hist-25"})


def _gold(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    column = None if estimate.source is None else estimate.source.facts.get("labels_beside_votes")
    if isinstance(column, str):
        yield Remedy(f"Ask about {column}", {f"{ROLE}{column}": "label"})


def _cluster(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    columns = [name.removeprefix(ROLE) for name in state.given if name.startswith(ROLE)]
    for name in fitting(ITEM_OF_ROW, columns)[:1]:
        yield Remedy(f"Rows with the same {name} belong together", {f"{ROLE}{name}": "cluster"})


def _weights(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    fact = None if estimate.source is None else estimate.source.facts.get("weight_beside")
    if fact is not None:
        yield Remedy(f"{fact[0]} holds weights", {f"{ROLE}{fact[0]}": "weight"})


def _clear(
    estimate: Estimate, state: State, classes: Mapping[str, int], role: str = "score"
) -> Iterator[Remedy]:
    """Take the role from the column that has it, so that another one can have it."""
    for name, own in state.roles.items():
        if own == role:
            yield Remedy(f"{name} is no {ROLE_WORDS[role].title}", {f"{ROLE}{name}": ""})


_clear_label = partial(_clear, role="label")


def _no_vote(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    yield Remedy("The label is no vote like these", {"label_is_vote": ""})


def _total(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    """Take the role from the column that is the total of the others."""
    found = next(one for one in estimate.findings if one.name == "A total among the classes")
    own = [name for name, role in state.roles.items() if role == "counts"]
    for name in own:
        if name == found.value or name.endswith(f"_{found.value}"):
            yield Remedy(f"{name} is no class", {f"{ROLE}{name}": ""})


def _why_totals(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    yield Remedy("Some kinds of items get more votes", {"totals_by": ITEM_DECIDES})
    yield Remedy("Votes were collected until they agreed", {"totals_by": VOTES_DECIDE})


def _list_classes(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    if classes and not any("," in name for name in classes):
        yield Remedy("They are different classes", {"classes": ",".join(classes)})


def _same_people(estimate: Estimate, state: State, classes: Mapping[str, int]) -> Iterator[Remedy]:
    option = f"{OF_RATINGS}rater"
    yield Remedy(FIELDS[option].button, {option: "yes"})


# By the name of the finding.
PLACES: Mapping[str, Place] = {
    "A total among the classes": Place(("counts",), _total),
    "Answers that are no class": Place(_VALUES, _list_classes),
    "annotators": Place(("annotator", "annotators")),
    "Interval of an average": Place(),
    "Classes without labels": Place(_LABELS),
    "Classes without votes": Place(_VOTES),
    "Bias of vote shares": Place(_VOTES),
    "Bound on that bias": Place(_VOTES),
    "Class balance": Place(("label", "soft", *_VOTES)),
    "Classes": Place(_VALUES),
    "Columns differ": Place(("ratings",), _same_people),
    "Columns in another order": Place(_SCORES),
    "Close scores with equal labels": Place(_SCORES, _cluster),
    "Constant scores": Place(_SCORES, _clear),
    "Constant soft labels": Place(("soft",)),
    "Copied items": Place(),
    "Direction of scores": Place(_SCORES),
    "Disagreement": Place(),
    "Equal scores with equal labels": Place(_SCORES, _cluster),
    "Exact zeros and ones": Place((*_SCORES, "soft"), _calibrate),
    "Falling probabilities": Place(_SCORES, _by_bins),
    "Few clusters": Place(("cluster",)),
    "Items with one rating": Place(),
    "One item": Place(),
    "Predictions equal to an annotator": Place(),
    "Predictions made from the votes": Place(),
    "Raters": Place(),
    "Signal": Place(),
    "Few items": Place(),
    "Few labels": Place(_LABELS),
    "Few negatives": Place(_LABELS),
    "Few positives": Place(_LABELS),
    "Hardly better than guessing": Place(_SCORES),
    "Heavy items": Place(("weight",)),
    "Items that may belong together": Place(),
    "Weights that were not used": Place((), _weights),
    "Numbers that are no rating": Place(("ratings",)),
    "Better than guessing": Place(_SCORES),
    "Gold label from the same votes": Place(_LABELS, _clear_label),
    "Items": Place(),
    "Label as one more vote": Place(_LABELS, _no_vote),
    "Label called a prediction": Place(_LABELS, _clear_label),
    "Label that follows from the score": Place(_LABELS, _clear_label),
    "Scores as of training data": Place(_SCORES),
    "Scores without a label": Place(),
    "Left out": Place(),
    "Ratings left out": Place(),
    "Votes left out": Place(),
    "Merged scores": Place(("score",)),
    "Misfit of votes": Place(_VOTES),
    "One class": Place(_LABELS),
    "One class of labels": Place(_LABELS),
    "Equal models": Place(("prediction",)),
    "Rows matched by order": Place(),
    "One class in two spellings": Place(_VALUES, _list_classes),
    "Range of scores": Place(_SCORES),
    "Repeated items": Place(("item",), _cluster),
    "Reversed scores": Place(_SCORES, _flip),
    "Rising probabilities": Place(_SCORES),
    "Rounded probabilities": Place(("soft",)),
    "Scores are predictions": Place(_SCORES, _clear),
    "Scores are row numbers": Place(_SCORES, _clear),
    "Scores are the labels": Place(_SCORES, _clear),
    "Scores like the labels": Place(_SCORES, _clear),
    "Ties": Place(_SCORES),
    "Trust": Place(("soft",)),
    "Unanimous items": Place(_VOTES),
    "Unequal numbers of votes": Place(("total", *_VOTES)),
    "Vote shares": Place(("score", "soft")),
    "Votes for the leading answer": Place(_VOTES),
    "Votes next to labels": Place(_VOTES, _gold),
    "Votes per item": Place(("total", *_VOTES)),
    "Why totals differ": Place(("total", *_VOTES), _why_totals),
    "Worse than guessing": Place(_SCORES, _calibrate),
}


def column_of(finding: Finding, state: State) -> str | None:
    """Return the column that a finding is about, the first of several; None for all of the data."""
    place = PLACES.get(finding.name, Place())
    owners = {role: column for column, role in reversed(state.roles.items())}
    return next((owners[role] for role in place.roles if role in owners), None)


def remedies_of(
    finding: Finding, estimate: Checked, state: State, classes: Mapping[str, int]
) -> list[Remedy]:
    """Return what one click can do about a finding."""
    if finding.level not in _SERIOUS:
        return []
    return list(PLACES.get(finding.name, Place()).mend(estimate, state, classes))


def remedies_of_error(error: InputError, state: State) -> list[Remedy]:
    """Return what an error asks for, as far as it says values that fields of the form can have."""
    arguments = {role.argument: role.name for role in ROLES.values()}
    found = {}
    for part in error.parts:
        if not isinstance(part, Mention) or part.value is None or part.is_function:
            continue
        value = _value(part.value)
        if part.name in arguments and isinstance(value, str):
            fields = {f"{ROLE}{value}": arguments[part.name]}
            title = f"{value} is the {ROLE_WORDS[arguments[part.name]].title}"
        elif part.name in OPTIONS and isinstance(value, str | int | float | bool):
            option = OPTIONS[part.name]
            if not option.button:
                continue
            fields = {part.name: "yes" if value is True else str(value)}
            title = option.button.format(option.titles.get(str(value), value))
        else:
            continue
        if all(name in state.given or not name.startswith(ROLE) for name in fields) and any(
            state.field(name) != one for name, one in fields.items()
        ):
            found[title] = Remedy(title, fields)
    return list(found.values())


def _value(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
