"""Which columns may hold what by their first values, where their names do not tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.data.columns import (
    ChosenColumns,
    fitting,
    names_an_id,
    says_correct,
    simple,
)
from errorfloor.data.engines import Columns, Frame, select
from errorfloor.data.layouts import ANNOTATIONS, ANNOTATORS, COUNTS, ITEM, LABEL, SCORES, Layout
from errorfloor.data.naming import positive_of
from errorfloor.data.values import is_id, is_missing, spelt

_ROWS, _CELLS = 1000, 2**18  # that are looked at
_MOST_LABELS = 20  # classes of a column that may hold labels
_MOST_LISTED = 12  # columns that a command names one by one
_MOST_ANSWERS = 5  # classes of columns that may be annotators
_NO_VALUES = ("list", "votes", "other")  # kinds of columns whose values are not compared
# What is often a part of the names of such columns.
_LABELS = r"(^|_)(labels?|class|cls|category|target|truth|true|gold|outcome|human|actual)(_|$)"
_SCORES = r"(^|_)(p|prob\w*|scores?|confidence|logits?|conf)(_|$)"
_MODELS = r"(^|_)(model|pred|preds|predicted|prediction|clf|classifier|gpt\w*|bert\w*|llm)(_|\d|$)"
_PREDICTIONS = r"(^|_)(pred|preds|predicted|prediction|predictions|y_?hat|guess|output)(_|$)"


@dataclass(frozen=True)
class FirstValues:
    """What the first rows hold in a column, without what is missing."""

    name: str
    kind: str
    values: tuple[str, ...]

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers, where they all are."""
        if self.kind not in ("number", "boolean"):
            return None
        found = [spelt(value) for value in self.values]
        numbers = [one for one in found if one is not None]
        return np.array(numbers) if numbers and len(numbers) == len(found) else None

    @cached_property
    def classes(self) -> frozenset[str]:
        """The different values, each number written in one way."""
        if self.numbers is None:
            return frozenset(self.values)
        return frozenset(f"{one:g}" for one in np.unique(self.numbers).tolist())

    @cached_property
    def are_whole(self) -> bool:
        """Whether all values are whole numbers, none below 0."""
        numbers = self.numbers
        return numbers is not None and bool((numbers >= 0).all() and (numbers % 1 == 0).all())

    @property
    def may_be_labels(self) -> bool:
        """Whether there are few different values."""
        return 1 < len(self.classes) <= _MOST_LABELS

    @cached_property
    def is_id(self) -> bool:
        """Whether it numbers the rows or items, by its name or its values."""
        return names_an_id(self.name) or (self.numbers is not None and is_id(self.numbers))

    @property
    def may_be_scores(self) -> bool:
        """Whether there are many different numbers, which do not number the rows."""
        return self.kind == "number" and not self.is_id and not self.may_be_labels

    @property
    def may_be_votes(self) -> bool:
        """Whether these are numbers of votes: whole, and some of them above 1."""
        numbers = self.numbers
        return numbers is not None and self.are_whole and bool((numbers > 1).any())


def first_values(
    frame: Frame, run: Callable[[Frame], Columns], kinds: Mapping[str, str]
) -> list[FirstValues]:
    """Return what the first rows hold in the columns whose values can be compared."""
    names = [name for name in kinds if isinstance(name, str) and kinds[name] not in _NO_VALUES]
    if not names:
        return []
    rows = max(min(_ROWS, _CELLS // len(names)), 1)
    short = {f"c{i}": name for i, name in enumerate(names)}
    found = run(select(frame, short).head(rows))
    return [
        FirstValues(name, kinds[name], tuple(_there(found[alias].tolist())))
        for alias, name in short.items()
    ]


def _there(values: Sequence[Any]) -> Iterator[str]:
    for value in values:
        text = "" if value is None else str(value).strip()
        if text and not is_missing(text):
            yield text


def sure_reading(
    columns: Sequence[FirstValues], allowed: Sequence[Layout], *, numbers_vote: bool = False
) -> ChosenColumns | None:
    """Return the reading that names and values tell together.

    These are scores of classes, in columns that are called like the values of the label; numbers
    of votes for yes and for no; votes next to the names of people; and one share next to one label
    of two classes, where nothing else is there but ids. More than two numbers are ratings, and
    votes only where it is said from which number on they mean yes (`numbers_vote`).
    """
    votes = partial(_votes_of_people, numbers_vote=numbers_vote)
    guesses = (_class_scores, _yes_and_no, votes, _one_share)
    found = [one for one in (guess(columns) for guess in guesses) if one is not None]
    return found[0] if len(found) == 1 and found[0].layout in allowed else None


def _votes_of_people(columns: Sequence[FirstValues], *, numbers_vote: bool) -> ChosenColumns | None:
    """Return item, annotator and vote, where names tell who votes, and values what on what.

    An item has several rows, each by another person.
    """
    people = fitting(ANNOTATIONS.roles[1], [one.name for one in columns])
    others = [one for one in columns if one.name not in people]
    votes = [one for one in others if one.may_be_labels]
    items = [one for one in others if one not in votes]
    if len(people) != 1 or len(votes) != 1 or len(items) != 1:
        return None
    (who,) = (one for one in columns if one.name == people[0])
    (item,), (vote,) = items, votes
    if vote.numbers is not None and len(vote.classes) > 2 and not numbers_vote:
        return None
    pairs = list(zip(item.values, who.values, strict=False))
    repeated = len(item.classes) <= len(item.values) / 1.5
    if len(item.values) != len(who.values) or not repeated or len({*pairs}) < len(pairs):
        return None
    found = {"item": item.name, "annotator": who.name, "vote": vote.name}
    return _guessed(ANNOTATIONS, found)


def _one_share(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return the only column of numbers from 0 to 1 and the only one of two classes.

    Other columns are ids or free text. Whatever such a number is, it may be used as a score: the
    answer bounds the floor, and assumes nothing of it.
    """
    scores = [one for one in columns if one.may_be_scores]
    labels = [one for one in columns if one.may_be_labels and not names_an_id(one.name)]
    if len(scores) != 1 or len(labels) != 1 or not _are_shares(scores[0]):
        return None
    (score,), (label,) = scores, labels
    rest = [one for one in columns if one not in (score, label)]
    plain = all(one.is_id or one.kind == "text" for one in rest)
    if len(label.classes) != 2 or not plain or says_correct(label.name):
        return None
    if fitting(ANNOTATIONS.roles[1], [one.name for one in rest]):
        return None
    return _guessed(SCORES, {"score": score.name, "label": label.name})


def correct_and_score(columns: Sequence[FirstValues]) -> str | None:
    """Return the column that says whether a model was right, where no other holds labels."""
    labels = _labels(columns)
    told = [one for one in labels if says_correct(one.name) and len(one.classes) == 2]
    return told[0].name if len(told) == 1 == len(labels) else None


def models_and_label(columns: Sequence[FirstValues]) -> tuple[list[str], str] | None:
    """Return columns of what models predict, two at least, and that of the labels."""
    labels = _labels(columns)
    told = [one for one in labels if fitting(LABEL, [one.name]) or _is_called(one, _LABELS)]
    models = [one for one in labels if _is_called(one, _MODELS) and one not in told]
    if len(told) != 1 or len(models) < 2:
        return None
    same = [one.name for one in models if one.classes & told[0].classes]
    return (same, told[0].name) if len(same) > 1 else None


def likely_readings(columns: Sequence[FirstValues]) -> list[ChosenColumns]:
    """Return the readings that values allow, the likeliest first."""
    sure = sure_reading(columns, (SCORES, COUNTS))
    if sure is not None:
        return [sure]
    names = [one.name for one in columns]
    items, people = fitting(ITEM, names), fitting(ANNOTATIONS.roles[1], names)
    if len(items) == len(people) == 1:
        labels = _labels(columns, but=(items[0], people[0]))
        return [
            _guessed(ANNOTATIONS, {"item": items[0], "annotator": people[0], "vote": one.name})
            for one in labels[:2]
        ]
    found = [_one_score(columns), _answers(columns)]
    return [one for one in found if one is not None]


def prediction_and_label(columns: Sequence[FirstValues]) -> tuple[str, str] | None:
    """Return the columns of a model's classes and of the true ones, where no scores are there."""
    named = [one for one in columns if re.search(_PREDICTIONS, simple(one.name))]
    likely = [one for one in named if one.may_be_labels]
    labels = [one for one in _labels(columns) if one not in named]
    told = [one for one in labels if _is_called(one, _LABELS)]
    if len(likely) != 1 or len(told) != 1 or any(one.may_be_scores for one in columns):
        return None
    (prediction,), (label,) = likely, told
    return (prediction.name, label.name) if prediction.classes & label.classes else None


def features_and_label(columns: Sequence[FirstValues]) -> tuple[list[str], str] | None:
    """Return columns of numbers that nothing tells from each other, three at least, and a label."""
    numbers = [one for one in columns if one.may_be_scores]
    labels = [one for one in _labels(columns) if not _is_called(one, _PREDICTIONS)]
    told = any(_is_called(one, _SCORES) for one in numbers)
    if len(numbers) <= 2 or told or not labels or _are_shares_of_some(numbers):
        return None
    return [one.name for one in numbers], _likeliest(labels).name


def _are_shares_of_some(numbers: Sequence[FirstValues]) -> bool:
    """Tell whether one column alone is between 0 and 1, which may be a score."""
    return sum(map(_are_shares, numbers)) == 1


def only_label(columns: Sequence[FirstValues]) -> str | None:
    """Return the column of labels where the others say nothing about it: ids and free text."""
    labels = _labels(columns)
    others = [one for one in columns if one not in labels]
    plain = all(one.is_id or one.kind == "text" for one in others)
    return labels[0].name if len(labels) == 1 and plain else None


def _labels(columns: Sequence[FirstValues], but: Collection[str] = ()) -> list[FirstValues]:
    return [
        one
        for one in columns
        if one.may_be_labels and one.name not in but and not names_an_id(one.name)
    ]


def _is_called(column: FirstValues, pattern: str) -> bool:
    return re.search(pattern, simple(column.name)) is not None


def _guessed(layout: Layout, columns: dict[str, Any]) -> ChosenColumns:
    return ChosenColumns(layout, columns, tuple(columns))


def _class_scores(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return scores in columns that are called like the values of the label."""
    numbers = {one.name: one for one in columns if one.kind == "number"}
    labels = [one for one in _labels(columns) if one.classes <= numbers.keys()]
    told = [one for one in labels if fitting(LABEL, [one.name])] or labels
    if len(told) != 1 or told[0].name in told[0].classes:
        return None
    (label,) = told
    scores = tuple(name for name in numbers if name in label.classes)
    if all(numbers[name].are_whole for name in scores):  # votes, or the label in another form
        return None
    return _guessed(SCORES, {"score": scores, "label": label.name})


def _yes_and_no(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return the numbers of votes for yes and for no, where columns are called so."""
    votes = [
        one.name
        for one in columns
        if one.may_be_votes and not one.is_id and not fitting(ITEM, [one.name])
    ]
    if len(votes) != 2 or positive_of(votes) is None:
        return None
    yes = positive_of(votes)
    no = next(one for one in votes if one != yes)
    return _guessed(COUNTS, {"counts": (no, yes)})


def _one_score(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return a score and a label: what is called so or is a share, and else the first and last."""
    scores = [one for one in columns if one.may_be_scores]
    labels = [one for one in _labels(columns) if not _is_called(one, _PREDICTIONS)]
    if not scores or not labels:
        return None
    score = min(scores, key=lambda one: (not _is_called(one, _SCORES), not _are_shares(one)))
    return _guessed(SCORES, {"score": score.name, "label": _likeliest(labels).name})


def _likeliest(labels: Sequence[FirstValues]) -> FirstValues:
    """Return the labels that are called so, of the fewest classes, and else the last."""
    return min(
        reversed(labels),
        key=lambda one: (
            not fitting(LABEL, [one.name]),
            not _is_called(one, _LABELS),
            len(one.classes),
        ),
    )


def _are_shares(column: FirstValues) -> bool:
    numbers = column.numbers
    return numbers is not None and bool((numbers >= 0).all() and (numbers <= 1).all())


def _answers(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return the columns that hold the same few answers, three at least: each may be a person."""
    few = [one for one in _labels(columns) if len(one.classes) <= _MOST_ANSWERS]
    able = [one for one in few if 2 * len(one.classes) <= len(one.values)]  # which are repeated
    groups: dict[frozenset[str], list[FirstValues]] = {}
    for one in sorted(able, key=lambda one: -len(one.classes)):
        same = next((answers for answers in groups if one.classes <= answers), one.classes)
        groups.setdefault(same, []).append(one)
    alike = [group for group in groups.values() if len(group) > 2]
    if len(alike) != 1:
        return None
    chosen = {one.name for one in alike[0]}
    names = tuple(one.name for one in columns if one.name in chosen)
    if len(names) > _MOST_LISTED:
        start = _common_start(names)
        if not start or any(one.name.startswith(start) for one in columns if one not in alike[0]):
            return None
        names = (f"{start}*",)
    return _guessed(ANNOTATORS, {"annotators": names})


def _common_start(names: Sequence[str]) -> str:
    """Return what all names begin with.

    Examples
    --------
    >>> _common_start(["question 1", "question 2"]), _common_start(["alice", "bob"])
    ('question ', '')
    """
    least, most = min(names), max(names)
    same = next((i for i, letter in enumerate(least) if letter != most[i]), len(least))
    return least[:same]
