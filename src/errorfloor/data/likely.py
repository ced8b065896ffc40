"""Which columns may hold what by their first values, where their names do not tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.data.columns import (
    ChosenColumns,
    fitting,
    guessed,
    names_an_id,
    says_correct,
    simple,
)
from errorfloor.data.engines import Columns, Frame, select
from errorfloor.data.layouts import (
    ANNOTATIONS,
    ANNOTATORS,
    CLUSTER,
    COUNTS,
    ITEM,
    LABEL,
    LAYOUTS,
    PEOPLE,
    RATER,
    RATING,
    SCORES,
    SOFT_LABELS,
    TRUTH,
    VOTES,
    Layout,
)
from errorfloor.data.matrices import made_of, rounding_of
from errorfloor.data.naming import common_start, names_of_columns, positive_of
from errorfloor.data.values import MOST_ROUNDING, SHARE_ROUNDING, is_id, is_missing, spelt

_ROWS, _CELLS = 1000, 2**18  # that are looked at
_MOST_LABELS = 20  # classes of a column that may hold labels
_MOST_LISTED = 12  # columns that a command names one by one
_MOST_ANSWERS = 5  # classes of columns that may be annotators
_FEWEST_SHARES = 8  # between 0 and 1 that tell that they are shares of numbers of votes
_MOST_COMPARED = 12  # only for speed: columns, each pair of which is compared
_LEAST_KAPPA = 0.2  # of columns that agree: "fair" begins there
_MOST_COPIES = 0.05  # of the rows of votes
_FEWEST_CLASSES, _MOST_VOTES, _LEAST_ZEROS = 3, 1000, 0.2  # of votes for classes
_MOST_KEYS = 8  # columns of which pairs are tried
_LEAST_CHANCE = 5.0  # pairs that chance would repeat, so that none is no accident
_NO_VALUES = ("list", "votes", "other")  # kinds of columns whose values are not compared
# What is often a part of the names of such columns.
_LABELS = (
    r"(^|_)(labels?|class|cls|category|target|truth|true|gold|outcome|actual"
    r"|human(?!_?\d))(_|$)"  # human_1 is a person
)
_SCORES = r"(^|_)(p|prob\w*|scores?|confidence|logits?|conf)(_|$)"
_SIMILAR = r"(^|_)(similarity|sim|cos(ine)?|relevance|margin|odds|risk|perplexity)(_|\d|$)"
_MODELS = (
    r"(^|_)(model|pred|preds|predicted|prediction|clf|classifier|baseline|candidate|champion"
    r"|challenger|algo|algorithm|machine|auto|automatic|automated|ai|bot|chatbot|chatgpt|gpt\w*"
    r"|\w*bert\w*|llm|claude|gemini|llama|mistral|qwen|deepseek|xgb\w*|lgbm|svm|cnn|rnn|dnn|lstm"
    r"|net|resnet|vit|yolo)(_|\d|$)"
)
_PREDICTIONS = r"(^|_)(pred|preds|predicted|prediction|predictions|y_?hat|guess|output)(_|$)"
_FORECASTS = r"(^|_)(forecasts?|predict(or|s)?|estimated?|simulated|expected)(_|\d|$)"
# What is made of several people's ratings, or agreed on.
_RESULTS = (
    r"(^|_)(totals?|sum|mean|avg|average|median|final|resolved|consensus|adjudicated|overall"
    r"|combined|aggregated?)(_|\d|$)"
)
_STATES = r"(is|was|has|had|did|will)_\w+"  # is_fraud, has_churned
_PEOPLE = rf"(^|_)({PEOPLE}|participant|user)(_|\d|$)"
# Short for people, which other words may be short for as well.
_SHORT = r"(rad|radiol|rdr|dr|anno|annot)_?\d+"
_VOTES = (
    r"(^|_)(votes?|answer|verdict|judge?ments?|decision|choice|preference|preferred|response|opinion"
    r"|annotation|assessment|reading|labels?|category|class)(_|$)"
)
_TOTALS = (
    r"(^|_)(totals?|num|number|count|raters|annotators|voters|workers|asked|classifications"
    r"|gesamt|insgesamt)(_|$)"
    rf"|^n_(votes|answers|({PEOPLE})s)$|_votes$"
)
_AGREEMENT = r"confidence|agreement|majority|consensus|unanim"
# What tells that numbers are votes, and not hours, rooms or clicks.
_VOTING = (
    rf"(^|_)(vot(e|es|ed|ers?)|classifications|answers?|responses?|people|({PEOPLE})s?)(_|\d|$)"
)
_RATINGS = rf"(^|_)(ratings?|stars?|grades?|marks?|({PEOPLE})s?)(_|\d|$)"
# People who do nothing with items but vote on them; users and nurses do much else.
_VOTERS = (
    r"(^|_)(annotators?|workers?|raters?|coders?|judges?|labell?ers?|graders?|assessors?|voters?"
    r"|taggers?|scorers?|turkers?|reviewers?|evaluators?|moderators?|readers?)(_|\d|$)|completed_by"
)
# What is measured of an item and is neither a score nor a label of it.
_MEASURES = (
    r"(^|_)(age|seconds?|secs?|minutes?|hours?|days?|weeks?|months?|years?|time|timestamp|duration"
    r"|latency|ms|length|len|words?|chars?|characters|tokens?|bytes|size|width|height|weight|price"
    r"|amount|income|salary|revenue|position|page|dwell|distance|speed|temperature|latitude"
    r"|longitude|lat|lon|lng|zip|postcode)(_|\d|$)"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4}|\d\d?:\d\d(:|$)")


@dataclass(frozen=True)
class FirstValues:
    """What the first rows hold in a column."""

    name: str
    kind: str
    cells: tuple[str, ...]  # of each row, "" where something is missing

    @cached_property
    def values(self) -> tuple[str, ...]:
        """What is there."""
        return tuple(one for one in self.cells if one)

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers, where they all are."""
        if self.kind not in ("number", "boolean"):
            return None
        percent = len(self.values) > 0 and all(value.endswith("%") for value in self.values)
        found = [_of_percent(value) if percent else spelt(value) for value in self.values]
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
        """Whether there are few different values, which come again where there are some."""
        again = len(self.values) <= _MOST_ANSWERS or len(self.classes) < len(self.values)
        return again and 1 < len(self.classes) <= _MOST_LABELS

    @cached_property
    def is_id(self) -> bool:
        """Whether it numbers the rows or items, by its name or its values."""
        return names_an_id(self.name) or (self.numbers is not None and is_id(self.numbers))

    @cached_property
    def are_dates(self) -> bool:
        """Whether these are days or times."""
        return len(self.values) > 0 and all(_DATE.match(one) for one in self.values)

    @cached_property
    def is_repeated(self) -> bool:
        """Whether values come again, as an item does with each of its votes."""
        return 1 < len({*self.values}) <= len(self.values) / 1.5

    @cached_property
    def comes_again(self) -> bool:
        """Whether some value comes again, as items do in rows that are in no order."""
        return 1 < len({*self.values}) < len(self.values)

    def tells(self, other: FirstValues) -> bool:
        """Tell whether each of its values stands next to one value of another column only."""
        both = {*zip(self.cells, other.cells, strict=True)}
        return len({one for one, _ in both}) == len(both)

    @cached_property
    def is_measure(self) -> bool:
        """Whether it is called after what is measured, such as an age, and not a score or label."""
        named = any(_is_called(self, one) for one in (_SCORES, _LABELS))
        return not named and _is_called(self, _MEASURES)

    @property
    def may_be_scores(self) -> bool:
        """Whether there are many different numbers, which do not number the rows."""
        return self.kind == "number" and not self.is_id and len(self.classes) > _MOST_LABELS

    @cached_property
    def are_fractions(self) -> bool:
        """Whether these are numbers from 0 to 1 of which some are between, as of no classes."""
        numbers = self.numbers if self.kind == "number" else None
        if numbers is None or not _are_shares(self) or len(self.classes) < 3:
            return False
        return bool(((numbers > 0) & (numbers < 1)).any())

    @property
    def may_be_votes(self) -> bool:
        """Whether these are numbers of votes: whole, and some of them above 1."""
        numbers = self.numbers
        return numbers is not None and self.are_whole and bool((numbers > 1).any())


def _of_percent(text: str) -> float | None:
    number = spelt(text.rstrip("% "))
    return None if number is None else number / 100


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
        FirstValues(name, kinds[name], tuple(_cells(found[alias].tolist())))
        for alias, name in short.items()
    ]


def _cells(values: Sequence[Any]) -> Iterator[str]:
    for value in values:
        yield "" if is_missing(value) else str(value).strip()


def sure_reading(
    seen: Sequence[FirstValues],
    allowed: Sequence[Layout],
    *,
    numbers_vote: bool = False,
    predicted: Sequence[FirstValues] = (),
) -> ChosenColumns | None:
    """Return the reading that names and values tell together.

    These are scores of classes, in columns that are called like the values of the label; numbers
    of votes for yes and for no; shares of votes next to their numbers; votes next to the names of
    people; and one share next to one label of two classes, where nothing else is there but ids, or
    where both are called so. More than two numbers are ratings, and votes only where the user gives
    the number from which on they mean yes (`numbers_vote`). Columns that are numbered behind what
    is short for a person, such as rad1, are people where they hold the same few answers and agree.
    Where it is known which columns models `predicted`, all others that hold the same few answers
    are people. Votes have to be called so, or after people who vote, unless only votes are asked
    for: other numbers add up, too.
    """
    every = _by_values(seen, numbers_vote=numbers_vote)
    declared = numbers_vote or all(one.table is VOTES.table for one in allowed)
    found = [one for one in every if declared or _is_named(one, seen)]
    found = found or _people_beside(seen, predicted) or _people_in_short(seen)
    found = [one for one in found if declared or not leaves_scores(seen, one)]
    if not found or any(one.columns != found[0].columns for one in found):
        return None
    for layout in allowed:
        if layout.name == found[0].layout.name:  # which may ask for fewer columns
            names = {role.name for role in layout.roles}
            columns = {name: one for name, one in found[0].columns.items() if name in names}
            return guessed(layout, columns)
    return None


def leaves_scores(seen: Sequence[FirstValues], reading: ChosenColumns) -> bool:
    """Tell whether votes in rows leave out what may be a score of a label, which the votes are.

    Users click on items that a model has scored; only who is called a voter does nothing but vote.
    """
    if reading.layout is not ANNOTATIONS or _score_of(seen, reading.columns) is None:
        return False
    who = next((one for one in seen if one.name == reading.columns.get("annotator")), None)
    return who is None or not _is_called(who, _VOTERS)


def _score_of(seen: Sequence[FirstValues], used: Mapping[str, Any]) -> FirstValues | None:
    """Return the only column of many shares next to a vote of two classes."""
    votes = [one for one in seen if one.name == used.get("vote") and len(one.classes) == 2]
    scores = [one for one in seen if one.may_be_scores and _are_shares(one)]
    return scores[0] if votes and len(scores) == 1 else None


def _by_values(seen: Sequence[FirstValues], *, numbers_vote: bool = False) -> list[ChosenColumns]:
    """Return the readings that values tell, whatever the columns are about."""
    rows = votes_in_rows(seen, numbers_vote=numbers_vote)
    if len(rows) == 1:
        return rows
    guesses = (
        *(
            _class_scores,
            _probabilities,
            _yes_and_no,
            _class_counts,
            _votes_of_all,
            shares_of_votes,
        ),
        *(_score_by_name, _one_share, _score_next_to_truth),
    )
    return [one for one in (guess(seen) for guess in guesses) if one is not None]


def _is_named(reading: ChosenColumns, seen: Sequence[FirstValues]) -> bool:
    """Tell whether a name says that these are votes: hours of a day add up to one number, too."""
    if reading.layout is ANNOTATIONS:
        named = {one.name: one for one in seen}
        who, vote = (named[reading.columns[role]] for role in ("annotator", "vote"))
        is_vote = bool(fitting(ANNOTATIONS.roles[2], [vote.name])) or _is_called(vote, _VOTES)
        return is_vote or _is_called(who, _VOTERS)
    if reading.layout not in (VOTES, COUNTS) or _yes_and_no(seen) is not None:
        return True
    return any(_is_called(one, _VOTING) for one in seen)


def votes_in_rows(
    columns: Sequence[FirstValues], *, numbers_vote: bool = False
) -> list[ChosenColumns]:
    """Return item, annotator and vote, where names tell who votes, and values what on what.

    An item has several rows, each by another person. What never changes within an item, such as
    its language, or within a person is no vote.
    """
    who, item = _people_and_items(columns)
    if who is None or item is None:
        return []
    votes = [one for one in _votes_on(item, who, columns) if not one.classes & who.classes]
    if any(one.numbers is not None and len(one.classes) > 2 for one in votes) and not numbers_vote:
        return []
    return [
        guessed(ANNOTATIONS, {"item": item.name, "annotator": who.name, "vote": one.name})
        for one in votes
    ]


def _people_and_items(
    columns: Sequence[FirstValues],
) -> tuple[FirstValues | None, FirstValues | None]:
    """Return the column of people, and the one that likeliest names items."""
    who = _people(columns)
    return who, None if who is None else next(iter(_items_of(who, columns)), None)


def _people(columns: Sequence[FirstValues]) -> FirstValues | None:
    """Return the column of people; of two, such as their numbers and names, the first."""
    sure = fitting(ANNOTATIONS.roles[1], [one.name for one in columns])
    called = [one for one in columns if one.name in sure] or [
        one for one in columns if _is_called(one, _PEOPLE)
    ]
    others = (_MODELS, _SCORES)
    able = [
        one
        for one in called
        if one.is_repeated and not any(_is_called(one, other) for other in others)
    ]
    same = all(able[0].tells(one) and one.tells(able[0]) for one in able)
    return able[0] if able and same else None


def _items_of(who: FirstValues, columns: Sequence[FirstValues]) -> list[FirstValues]:
    """Return the columns that may name items, the likeliest first: a person has each once.

    But for a few rows that are copies, where a name says that it is an item.
    """

    def is_able(one: FirstValues) -> bool:
        pairs = [pair for pair in zip(one.cells, who.cells, strict=True) if all(pair)]
        named = names_an_id(one.name) and one.is_repeated
        once = len({*pairs}) >= len(pairs) * (1 - _MOST_COPIES * named) > 0
        called = bool(fitting(ITEM, [one.name])) or names_an_id(one.name)
        often = one.is_repeated or _repeats_by_chance(one, who) >= _LEAST_CHANCE
        return once and (often or called) and not one.are_dates

    able = [one for one in columns if one is not who and is_able(one)]
    able = [one for one in able if one.is_repeated] or able
    return sorted(able, key=lambda one: (not fitting(ITEM, [one.name]), not names_an_id(one.name)))


def _votes_on(
    item: FirstValues, who: FirstValues, columns: Sequence[FirstValues]
) -> list[FirstValues]:
    """Return the columns that may hold votes: few values, which item and person do not tell."""
    labels = [one for one in _labels(columns, but=(item.name, who.name)) if not one.are_dates]
    free = [one for one in labels if not item.tells(one) and not who.tells(one)] or labels
    votes = fitting(ANNOTATIONS.roles[2], [one.name for one in free])
    called = [one for one in free if one.name in votes]
    return called or [one for one in free if _is_called(one, _VOTES)] or free


def _people_beside(
    columns: Sequence[FirstValues], predicted: Sequence[FirstValues]
) -> list[ChosenColumns]:
    """Return columns of people next to predictions of the same classes, where nothing else is."""
    labels = _labels(columns)
    classes = {name for one in predicted for name in one.classes}
    if not predicted or len(labels) < 2 or not _say_nothing(columns, labels):
        return []
    if any(not one.classes & classes or _is_no_person(one) for one in labels):
        return []
    return [guessed(ANNOTATORS, {"annotators": tuple(one.name for one in labels)})]


def _people_in_short(columns: Sequence[FirstValues]) -> list[ChosenColumns]:
    """Return columns such as rad1 and rad2, which hold the same few answers, and mostly agree."""
    people = [one for one in columns if re.fullmatch(_SHORT, simple(one.name))]
    starts = {re.split(r"_?\d", simple(one.name))[0] for one in people}
    classes = {name for one in people for name in one.classes}
    few = 1 < len(classes) <= _MOST_ANSWERS
    if len(people) < 2 or len(starts) > 1 or not few or not _agree(people):
        return []
    return [guessed(ANNOTATORS, {"annotators": tuple(one.name for one in people)})]


def _agree(columns: Sequence[FirstValues]) -> bool:
    """Tell whether pairs of columns have the same value clearly more often than chance gives."""
    rows = same = by_chance = 0.0
    for one, other in combinations(columns[:_MOST_COMPARED], 2):
        both = [pair for pair in zip(one.cells, other.cells, strict=True) if all(pair)]
        first, second = Counter(cell for cell, _ in both), Counter(cell for _, cell in both)
        rows += len(both)
        same += sum(cell == there for cell, there in both)
        by_chance += sum(first[name] * second[name] for name in first) / max(len(both), 1)
    return same - by_chance > _LEAST_KAPPA * (rows - by_chance)


def _is_no_person(column: FirstValues) -> bool:
    """Tell whether a column is called a label, a model or a prediction."""
    called = any(_is_called(column, one) for one in (_LABELS, _MODELS, _PREDICTIONS))
    return called or bool(fitting(LABEL, [column.name]))


def shares_of_votes(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return shares of votes next to their numbers: all products are whole numbers."""
    found = [
        (share, total)
        for share in columns
        if _are_shares(share) and len(share.classes) > 2 and not _is_of_the_leading(share)
        for total in columns
        if total.may_be_votes and not names_an_id(total.name) and _are_parts(share, total)
    ]
    if len(found) != 1:
        return None
    ((share, total),) = found
    return guessed(VOTES, {"votes": share.name, "total": total.name})


def _is_of_the_leading(share: FirstValues) -> bool:
    """Tell whether no share is below a third, as if each were that of its item's leading answer."""
    return share.numbers is not None and bool(share.numbers.min() >= 1 / 3 - SHARE_ROUNDING)


def agreement_and_label(columns: Sequence[FirstValues]) -> tuple[str, str] | None:
    """Return a column that says how many agree, and the answer they agree on, of many classes."""
    shares = [
        one
        for one in columns
        if _are_shares(one)
        and _is_of_the_leading(one)
        and re.search(_AGREEMENT, one.name, re.IGNORECASE)
        and any(_are_parts(one, total) for total in columns if total.may_be_votes)
    ]
    if len(shares) != 1:
        return None
    (share,) = shares
    others = [one for one in columns if one is not share and share.name.startswith(one.name)]
    labels = others or _labels(columns)
    return (share.name, labels[0].name) if len(labels) == 1 else None


def _are_parts(share: FirstValues, total: FirstValues) -> bool:
    """Tell whether shares of totals are whole numbers, which seldom happens by chance."""
    shares, totals = share.numbers, total.numbers
    if shares is None or totals is None or shares.size != totals.size or totals.min() < 1:
        return False
    votes = shares * totals
    inside = (shares > 0) & (shares < 1)
    whole = np.abs(votes - np.round(votes)) <= np.minimum(SHARE_ROUNDING * totals, MOST_ROUNDING)
    return bool(whole.all() and inside.sum() >= _FEWEST_SHARES)


def _one_share(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return the only column of numbers from 0 to 1 and the only one of two classes.

    Other columns are ids or free text. Whatever such a number is, it may be used as a score: the
    answer bounds the floor, and assumes nothing of it.
    """
    columns = [one for one in columns if not _is_called(one, _PREDICTIONS) or one.may_be_scores]
    scores = [one for one in columns if one.may_be_scores or (one.are_fractions and not one.is_id)]
    labels = [one for one in columns if one.may_be_labels and not names_an_id(one.name)]
    labels = [one for one in labels if one not in scores]
    if len(scores) != 1 or len(labels) != 1 or not _are_shares(scores[0]):
        return None
    (score,), (label,) = scores, labels
    rest = [one.name for one in columns if one not in (score, label)]
    if len(label.classes) != 2 or says_correct(label.name) or fitting(ANNOTATIONS.roles[1], rest):
        return None
    if not _say_nothing(columns, (score, label)):
        return None
    return guessed(SCORES, {"score": score.name, "label": label.name})


def _score_by_name(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return numbers that are called scores and a label of two classes that is called one."""
    numbers = [one for one in columns if one.kind == "number" and len(one.classes) > 2]
    scores = [one for one in numbers if _is_called(one, _SCORES) and not names_an_id(one.name)]
    labels = [one for one in _labels(columns) if not _is_called(one, _PREDICTIONS)]
    called = [one for one in labels if fitting(LABEL, [one.name])]
    called = called or [
        one for one in labels if _is_called(one, _LABELS) or re.match(_STATES, simple(one.name))
    ]
    if len(scores) != 1 or len(called) != 1:
        return None
    (score,), (label,) = scores, called
    if len(label.classes) != 2 or says_correct(label.name) or _people(columns) is not None:
        return None
    return guessed(SCORES, {"score": score.name, "label": label.name})


def ratings_beside(columns: Sequence[FirstValues]) -> tuple[str, ...]:
    """Return the columns of numbers on one scale of few steps, two at least: each may be a rater.

    None where another column of numbers is there, but for ids.
    """
    numbers = [one for one in columns if one.numbers is not None and not names_an_id(one.name)]
    numbers = [one for one in numbers if one.may_be_labels or not one.is_id]
    if len(_of_raters(numbers)) < len(numbers):
        return ()
    steps = {step for one in numbers for step in one.classes}
    one_scale = all(one.may_be_labels and 2 * len(one.classes) > len(steps) for one in numbers)
    if len(numbers) < 2 or not one_scale or not 2 < len(steps) <= _MOST_LABELS:
        return ()
    if any(len(one.classes) == 2 or _is_no_person(one) for one in numbers) or _people(columns):
        return ()  # of rows that are ratings names tell
    if not _rise_together(numbers):
        return ()
    return tuple(one.name for one in numbers)


def _of_raters(numbers: Sequence[FirstValues]) -> list[FirstValues]:
    """Return the columns of numbers that may be a person's: those called so, where some are.

    None is called after a model, is made of others, such as their sum, or is called a result of
    others, such as the final one.
    """
    models = (_MODELS, _PREDICTIONS, _FORECASTS)
    able = [one for one in numbers if not any(_is_called(one, other) for other in models)]
    if len(able) > 1:
        cells = [[spelt(cell) if cell else None for cell in one.cells] for one in able]
        values = np.array(cells, dtype=np.float64).T
        able = [one for k, one in enumerate(able) if made_of(values, k) is None]
    own = [one for one in able if not _is_called(one, _RESULTS)]
    able = own if len(own) > 1 else able
    called = [one for one in able if _is_called(one, _RATINGS)]
    return called if len(called) > 1 else able


def are_called_ratings(columns: Mapping[str, Any]) -> bool:
    """Tell whether columns that were read as ratings are called so, or after those who rate."""
    names = columns.get("ratings", columns.get("rating"))
    each = [names] if isinstance(names, str) else names
    return all(fitting(RATING, [one]) or re.search(_RATINGS, simple(one)) for one in each)


def ratings_in_rows(columns: Sequence[FirstValues]) -> dict[str, str]:
    """Return item, rating and rater, where names tell who rates; nothing where that is unclear."""
    who, item = _people_and_items(columns)
    if who is None or item is None:
        return {}
    others = [one for one in columns if one is not who and one is not item]
    numbers = [one for one in others if one.numbers is not None and not one.is_id]
    numbers = [one for one in numbers if len(one.classes) > 2 and not who.tells(one)]
    free = [one for one in numbers if not item.tells(one)]
    called = [one for one in free if fitting(RATING, [one.name])] or free
    if len(called) != 1:
        return {}
    return {"item": item.name, "rating": called[0].name, "rater": who.name}


def _rise_together(columns: Sequence[FirstValues]) -> bool:
    """Tell whether items that are high in one column tend to be so in others, as ratings are."""
    rows = [row for row in zip(*(one.cells for one in columns), strict=True) if all(row)]
    values = np.array([[spelt(cell) or 0.0 for cell in row] for row in rows], dtype=np.float64)
    if len(rows) < _FEWEST_SHARES or not values.std(axis=0).all():
        return True  # which tells nothing
    return bool(np.corrcoef(values.T).sum() > len(columns))


def correct_and_score(columns: Sequence[FirstValues]) -> str | None:
    """Return the column that says whether a model was right, where no other holds labels."""
    labels = _labels(columns)
    told = [one for one in labels if says_correct(one.name) and len(one.classes) == 2]
    return told[0].name if len(told) == 1 == len(labels) else None


def models_and_label(
    columns: Sequence[FirstValues], *, any_name: bool = False
) -> tuple[list[str], str] | None:
    """Return columns of what models predict, two at least, and that of the labels.

    With `any_name`, columns with classes of the label may be called as they like.
    """
    labels = _labels(columns)
    told = [one for one in labels if fitting(LABEL, [one.name]) or _is_called(one, _LABELS)]
    models = [one for one in labels if _is_called(one, _MODELS) and one not in told]
    if any_name and len(told) == 1 and not models:
        models = [one for one in labels if one not in told]
    if any_name and not told:
        told = [one for one in labels if one not in models]
    if len(told) != 1 or len(models) < 2:
        return None
    same = [one.name for one in models if one.classes & told[0].classes]
    return (same, told[0].name) if len(same) > 1 else None


def label_of(columns: Sequence[FirstValues], predicted: Sequence[FirstValues]) -> str | None:
    """Return the only column of labels where models predict the same classes, and nothing else.

    None where there may be scores or votes, or nothing is predicted.
    """
    classes = {name for one in predicted for name in one.classes}
    labels = [one for one in _labels(columns) if one.classes & classes]
    told = [one for one in labels if fitting(LABEL, [one.name]) or _is_called(one, _LABELS)]
    if len(told or labels) != 1 or any(one.may_be_scores for one in columns):
        return None
    return None if _people(columns) else (told or labels)[0].name


def readings_by_values(columns: Sequence[FirstValues]) -> list[ChosenColumns]:
    """Return the readings that values allow, the likeliest first."""
    sure = sure_reading(columns, LAYOUTS)
    if sure is not None:
        return [sure]
    rows = votes_in_rows(columns) or _unnamed_votes(columns) or _votes_on_pairs(columns)
    rows = or_scores(columns, rows)
    if rows or (rows := _by_values(columns)):
        return rows[:2]
    return [*_scored(columns), *_beside(columns)]


def or_scores(
    columns: Sequence[FirstValues], readings: Sequence[ChosenColumns]
) -> list[ChosenColumns]:
    """Return readings behind that of the scores which one of them leaves out, if any."""
    left = any(leaves_scores(columns, one) for one in readings)
    return [*(_scored(columns) if left else []), *readings]


def _scored(columns: Sequence[FirstValues]) -> list[ChosenColumns]:
    found = _one_score(columns)
    return [] if found is None else [found]


def _beside(columns: Sequence[FirstValues]) -> list[ChosenColumns]:
    found = (
        _people_by_name(columns)
        or _answers(columns)
        or _votes_below(columns)
        or _uneven_counts(columns)
    )
    return [] if found is None else [found]


def _unnamed_votes(columns: Sequence[FirstValues]) -> list[ChosenColumns]:
    """Return item, annotator and vote by values alone: two columns of which no pair is repeated."""
    keys = [one for one in columns if one.comes_again and not one.are_dates]
    keys = [one for one in keys if one.kind == "text" or one.are_whole]
    people = [one for one in keys if one.is_repeated and not fitting(CLUSTER, [one.name])]
    for who in sorted(people, key=lambda one: len(one.classes)):
        for item in _items_of(who, keys):
            votes = [one for one in _votes_on(item, who, columns) if not item.tells(one)]
            words = [one for one in votes if one.numbers is None or len(one.classes) == 2]
            more = len(item.classes) > len(who.classes)
            if words and more and _repeats_by_chance(item, who) >= _LEAST_CHANCE:
                found = {"item": item.name, "annotator": who.name, "vote": words[0].name}
                return [guessed(ANNOTATIONS, found)]
    return []


def _votes_on_pairs(columns: Sequence[FirstValues]) -> list[ChosenColumns]:
    """Return votes on items that two columns name together, such as a query and a document."""
    who = _people(columns)
    if who is None:
        return []
    keys = [one for one in columns if one.is_repeated and not one.are_dates and one is not who]
    keys = [one for one in keys if one.kind == "text" or one.are_whole][:_MOST_KEYS]
    for k, one in enumerate(keys):
        for other in keys[k + 1 :]:
            cells = tuple(map(" ".join, zip(one.cells, other.cells, strict=True)))
            pair = FirstValues(f"{one.name},{other.name}", "text", cells)
            if one.tells(other) or other.tells(one) or not _items_of(who, [pair]):
                continue
            rest = [column for column in columns if column not in (one, other)]
            votes = [vote for vote in _votes_on(pair, who, rest) if not pair.tells(vote)]
            found = {"item": pair.name, "annotator": who.name}
            if votes and pair.is_repeated:
                return [guessed(ANNOTATIONS, {**found, "vote": votes[0].name})]
    return []


def _repeats_by_chance(one: FirstValues, other: FirstValues) -> float:
    """Return how many pairs of values would come twice if columns had nothing to do."""
    n = len(one.cells)
    every = n * (n - 1)
    same = [sum(k * (k - 1) for k in Counter(column.values).values()) for column in (one, other)]
    return same[0] * same[1] / (2 * max(every, 1))


def prediction_and_label(columns: Sequence[FirstValues]) -> tuple[str, str] | None:
    """Return the columns of a model's classes and of the true ones, where no scores are there."""
    named = [one for one in columns if may_predict(one.name)]
    named = named or _answers_next_to_truth(columns)
    likely = [one for one in named if one.may_be_labels]
    labels = [one for one in _labels(columns) if one not in named]
    told = [one for one in labels if _is_called(one, _LABELS)]
    if len(likely) != 1 or len(told) != 1 or any(one.may_be_scores for one in columns):
        return None
    (prediction,), (label,) = likely, told
    return (prediction.name, label.name) if prediction.classes & label.classes else None


def prediction_beside(
    columns: Sequence[FirstValues], used: Collection[str], *, of_people: bool = False
) -> str | None:
    """Return the only column that is called a prediction and holds classes of the columns used.

    Where nobody says which these are, any other column may be. Next to those `of_people` it may be
    called after a model as well. A copy of one that is used is what the tool that wrote the file
    calls a vote.
    """
    labels = _labels(columns, but=[*used])
    called = [one for one in labels if may_predict(one.name, of_people=of_people)]
    known = [one for one in columns if one.name in used] if used else labels
    classes = {name for one in known if one not in called for name in one.classes}
    copies = {one.cells for one in known if one not in called}
    found = [one.name for one in called if one.classes <= classes and one.cells not in copies]
    return found[0] if len(found) == 1 else None


def called_predictions(columns: Sequence[FirstValues], used: Mapping[str, Any]) -> dict[str, str]:
    """Return a column that is called a prediction, and the likeliest label where none is used.

    What it holds may be other than classes of the label: it is to be asked about.
    """
    labels = _labels(columns, but=[str(one) for one in used.values()])
    called = [one for one in labels if may_predict(one.name)]
    others = [one for one in labels if one not in called]
    if not called:
        return {}
    label = {"label": _likeliest(others).name} if others and "label" not in used else {}
    return {"prediction": called[0].name, **label}


def only_other(columns: Sequence[FirstValues], used: Collection[str]) -> tuple[str, bool] | None:
    """Return the only other column of the classes of people's columns, and if it may be the truth.

    It is called a label, or after an expert, where it may be; else a model may have predicted it.
    """
    people = [one for one in columns if one.name in used]
    classes = {name for one in people for name in one.classes}
    copies = {one.cells for one in people}
    labels = _labels(columns, but=used)
    found = [one for one in labels if one.classes <= classes and one.cells not in copies]
    if len(found) != 1 or len(found[0].classes) < len(classes):
        return None
    name = found[0].name
    may_be_true = is_called_label(name) or bool(fitting(TRUTH, [name]))
    return name, may_be_true or _is_called(found[0], _PEOPLE)


def may_predict(name: str, *, of_people: bool = False) -> bool:
    """Tell whether a column is called a model's prediction, or next to people after a model."""
    patterns = (_PREDICTIONS, _MODELS) if of_people else (_PREDICTIONS,)
    return any(re.search(one, simple(name)) for one in patterns)


def _answers_next_to_truth(columns: Sequence[FirstValues]) -> list[FirstValues]:
    """Return the only other column of the classes of a label that is called true, such as gold."""
    labels = _labels(columns)
    true = [one for one in labels if fitting(TRUTH, [one.name])]
    others = [one for one in labels if one not in true]
    same = [one for one in others if len(true) == 1 and one.classes == true[0].classes]
    return same if len(same) == len(others) == 1 else []


def _score_next_to_truth(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return the only numbers next to a label of two classes that is called true.

    Such as a judge's points from 0 to 10 next to `gold`, where each row is another item.
    """
    true = [one for one in _labels(columns) if fitting(TRUTH, [one.name])]
    numbers = [
        one
        for one in columns
        if one not in true
        and one.kind == "number"
        and len(one.classes) > 2
        and not (one.is_id or one.is_measure)
    ]
    rest = [one for one in columns if one not in (*true, *numbers)]
    if len(true) != 1 or len(numbers) != 1 or len(true[0].classes) != 2:
        return None
    if any(one.is_repeated or one.kind not in ("number", "text") for one in rest):
        return None
    return guessed(SCORES, {"score": numbers[0].name, "label": true[0].name})


def features_and_label(columns: Sequence[FirstValues]) -> tuple[list[str], str] | None:
    """Return columns of numbers that nothing tells from each other, three at least, and a label."""
    numbers = [one for one in columns if one.may_be_scores]
    labels = [one for one in _labels(columns) if not _is_called(one, _PREDICTIONS)]
    told = any(_is_called(one, _SCORES) for one in numbers)
    if len(numbers) <= 2 or told or not labels or sum(map(_are_shares, numbers)) == 1:
        return None
    return [one.name for one in numbers], _likeliest(labels).name


def only_label(columns: Sequence[FirstValues]) -> str | None:
    """Return the column of labels where the others say nothing about it: ids and free text."""
    labels = [one for one in _labels(columns) if not _names_people(one)]
    rest = [one for one in columns if not _names_people(one)]
    return labels[0].name if len(labels) == 1 and _say_nothing(rest, labels) else None


def _names_people(column: FirstValues) -> bool:
    """Tell whether a column is called after who votes or rates, and by nothing else."""
    return any(fitting(role, [column.name]) for role in (ANNOTATIONS.roles[1], RATER))


def item_and_people(columns: Sequence[FirstValues]) -> dict[str, str]:
    """Return the columns of items and of people by role, as far as names and values tell."""
    who, item = _people_and_items(columns)
    items = [one for one in columns if one is not who and one.is_repeated]
    items = [one for one in items if fitting(ITEM, [one.name])] or items
    item = item or (items[0] if len(items) == 1 else None)
    found = {"item": item, "annotator": who}
    return {role: one.name for role, one in found.items() if one is not None}


def texts_beside(columns: Sequence[FirstValues], label: str) -> list[str]:
    """Return the columns of words next to a label that are no ids: texts of the items."""
    others = [one for one in columns if one.kind == "text" and one.name != label]
    return [one.name for one in others if not one.is_id and any(" " in cell for cell in one.cells)]


def several_labels(columns: Sequence[FirstValues], label: str) -> tuple[str, str] | None:
    """Return what has several labels, and who may have given them: COL where that is unclear."""
    (told,) = (one for one in columns if one.name == label)
    rest = [one for one in columns if one is not told]
    items = [one for one in rest if one.is_repeated and not one.tells(told)]
    if len(items) != 1:
        return None
    others = [one.name for one in rest if one is not items[0]]
    return items[0].name, others[0] if len(others) == 1 else "COL"


def keys_of_items(files: Sequence[Sequence[FirstValues]]) -> list[tuple[str, ...]]:
    """Return columns of all files that may name items together, the likeliest first.

    No two of the first rows of a file have the same values there.
    """
    first, *others = files
    names = [{one.name for one in file} for file in others]
    shared = [one for one in first if all(one.name in some for some in names)]
    able = [one for one in shared if one.kind == "text" or one.are_whole or one.is_id]
    ids = [one.name for one in able if names_an_id(one.name) or fitting(ITEM, [one.name])]
    texts = [one.name for one in able if one.kind == "text" and not one.may_be_labels]
    every = [*((one,) for one in ids), tuple(texts), *((one,) for one in texts)]
    return [key for key in dict.fromkeys(every) if key and all(_is_key(key, one) for one in files)]


def _is_key(names: Sequence[str], columns: Sequence[FirstValues]) -> bool:
    cells = [one.cells for name in names for one in columns if one.name == name]
    rows = [*zip(*cells, strict=True)]
    return len({*rows}) == len(rows) > 1


def score_and_label_apart(
    files: Sequence[Sequence[FirstValues]], key: Sequence[str]
) -> tuple[int, str, int, str] | None:
    """Return which of two files has the only score, which the labels, and their columns."""
    if len(files) != 2:
        return None
    for i, j in ((0, 1), (1, 0)):
        scores, others = (
            [one for one in files[k] if one.name not in key and _may_score(one)] for k in (i, j)
        )
        labels = [one for one in _labels(files[j], key) if not _is_called(one, _PREDICTIONS)]
        if len(scores) == 1 and not others and labels:
            same = [one for one in labels if one.name == scores[0].name]
            return i, scores[0].name, j, (same[0] if same else _likeliest(labels)).name
    return None


def _may_score(one: FirstValues) -> bool:
    return one.are_fractions or (one.may_be_scores and not one.is_measure)


def only_score(columns: Sequence[FirstValues]) -> str | None:
    """Return the only column that may hold scores."""
    scores = [one.name for one in columns if _may_score(one)]
    return scores[0] if len(scores) == 1 else None


def vote_in_each(files: Sequence[Sequence[FirstValues]], key: Sequence[str]) -> str | None:
    """Return the only column that may hold votes, the same in all files, next to a key.

    Other columns are ids, texts and what is measured, such as the time that an answer took.
    """
    labels = [{one.name for one in _labels(columns, key)} for columns in files]
    if len(labels[0]) != 1 or any(one != labels[0] for one in labels):
        return None
    rest = [
        one
        for columns in files
        for one in columns
        if one.name not in (*labels[0], *key) and not one.is_measure
    ]
    return next(iter(labels[0])) if _say_nothing(rest, ()) else None


def _labels(columns: Sequence[FirstValues], but: Collection[str] = ()) -> list[FirstValues]:
    return [
        one
        for one in columns
        if one.may_be_labels
        and one.name not in but
        and not names_an_id(one.name)
        and not one.is_measure
    ]


def _is_called(column: FirstValues, pattern: str) -> bool:
    return re.search(pattern, simple(column.name)) is not None


def _class_scores(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return scores in columns that are called like the values of the label."""
    numbers = {one.name: one for one in columns if one.kind == "number"}
    found = {one: _called_like(one, numbers) for one in _true_labels(columns)}
    labels = [one for one, scores in found.items() if scores]
    told = [one for one in labels if fitting(LABEL, [one.name])] or labels
    if len(told) != 1 or told[0].name in told[0].classes:
        return None
    (label,) = told
    scores = found[label]
    if all(numbers[name].are_whole for name in scores):  # votes, or the label in another form
        return None
    return guessed(SCORES, {"score": scores, "label": label.name})


def _probabilities(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return numbers that add up to 1 on each item, next to labels that are their places."""
    found = probabilities_and_label(columns)
    if found is None:
        return None
    scores, label = found
    places = {f"{k}" for k in range(len(scores))}
    numbered = len(scores) == len(label.classes) == 2 and [one[-1] for one in scores] == ["0", "1"]
    if not (label.classes <= places or (numbered and positive_of([*label.classes]) is not None)):
        return None
    return guessed(SCORES, {"score": scores, "label": label.name})


def _true_labels(columns: Sequence[FirstValues]) -> list[FirstValues]:
    """Return columns of labels, those called a prediction only where there is no other."""
    labels = _labels(columns)
    return [one for one in labels if not _is_called(one, _PREDICTIONS)] or labels


def probabilities_and_label(
    columns: Sequence[FirstValues],
) -> tuple[tuple[str, ...], FirstValues] | None:
    """Return the columns of fractions that add up to 1 on each item, and the only label."""
    shares = [one for one in columns if one.are_fractions and all(one.cells)]
    labels = [one for one in _true_labels(columns) if one not in shares]
    labels = [one for one in labels if fitting(LABEL, [one.name])] or labels
    if len(shares) < 2 or len(labels) != 1 or len(shares[0].cells) < _FEWEST_SHARES:
        return None
    whole = np.array([one.numbers for one in shares], dtype=np.float64).sum(axis=0)
    if not (np.abs(whole - 1) <= SHARE_ROUNDING).all() or len(labels[0].classes) > len(shares):
        return None
    places = [int(end[1]) for one in shares if (end := re.search(r"([0-9]+)$", one.name))]
    if places and places != [*range(places[0], places[0] + len(shares))]:
        return None  # the columns are in another order than the classes
    return tuple(one.name for one in shares), labels[0]


def _called_like(label: FirstValues, numbers: Collection[str]) -> tuple[str, ...]:
    """Return a column for each value of a label, called as that is, or all with one word before.

    With several such words the columns are scores of several models, and none is told from others.
    Of columns that are numbered further than the values, such as features, none is such a score.
    """
    classes = {simple(one) for one in label.classes}
    if "" in classes or len(classes) != len(label.classes):
        return ()
    plain = [simple(one) for one in numbers]
    starts = {"", *(f"{one.rpartition('_')[0]}_" for one in plain if "_" in one)}
    if all(one.isdecimal() for one in classes):
        starts = {
            start
            for start in starts
            if {one for one in plain if re.fullmatch(rf"{re.escape(start)}\d+", one)}
            <= {f"{start}{one}" for one in classes}
        }
    wanted = [{f"{start}{one}" for one in classes} for start in starts]
    named = [tuple(one for one in numbers if simple(one) in names) for names in wanted]
    found = [scores for scores in named if len(scores) == len(classes)]
    return found[0] if len(found) == 1 else ()


def confusion_matrix(columns: Sequence[FirstValues]) -> list[list[int]] | None:
    """Return numbers of items where rows and columns are both called by all classes."""
    names = [one for one in columns if one.kind == "text" and len(one.classes) > 1]
    numbers = {one.name.strip(): one for one in columns if one.are_whole and all(one.cells)}
    for one in names:
        rows = [cell.strip() for cell in one.cells]
        if len({*rows}) == len(rows) and {*rows} <= {*numbers}:
            return [
                [int(spelt(numbers[name].cells[k]) or 0) for name in rows] for k in range(len(rows))
            ]
    return None


def only_shares(columns: Sequence[FirstValues]) -> list[str]:
    """Return the only column of shares, or all that add up to 1, next to ids and free text."""
    shares = [one for one in columns if one.may_be_scores and _are_shares(one)]
    several = [one for one in columns if one.numbers is not None and not one.is_id]
    shares = shares if len(shares) == 1 else several if _add_up(several) else []
    return [one.name for one in shares] if _say_nothing(columns, shares) else []


def soft_labels_beside(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return probabilities of several classes: all columns but ids and free text add up to 1."""
    names = only_shares(columns)
    return guessed(SOFT_LABELS, {"soft": tuple(names)}) if len(names) > 1 else None


def _add_up(columns: Sequence[FirstValues]) -> bool:
    """Tell whether columns hold fractions that add up to 1 on each item, but for rounding."""
    if len(columns) < 2 or not all(_are_shares(one) and all(one.cells) for one in columns):
        return False
    rows = np.array([one.numbers for one in columns], dtype=np.float64).T
    some = any(one.are_fractions for one in columns)
    return some and bool((np.abs(rows.sum(axis=1) - 1) <= rounding_of(rows)).all())


def only_numbers(columns: Sequence[FirstValues]) -> tuple[list[str], list[str]] | None:
    """Return columns of numbers where the others are ids and free text, and those of raters.

    There are two columns of numbers at least, and any number of raters. Those that are called
    raters may stand next to anything.
    """
    called = [one.name for one in columns if _is_called(one, _RATINGS)]
    if len(raters := [one for one in numbers_beside(columns) if one in called]) > 1:
        return raters, raters
    numbers = [one for one in columns if one.may_be_scores and not one.is_measure]
    several = 1 < len(numbers) <= _MOST_LISTED and _rise_together(numbers)
    if not several or not _say_nothing(columns, numbers):
        return None
    return [one.name for one in numbers], [one.name for one in _of_raters(numbers)]


def _say_nothing(columns: Sequence[FirstValues], but: Sequence[FirstValues]) -> bool:
    """Tell whether all columns but some are ids and free text."""
    rest = [one for one in columns if one not in but]
    return all(one.is_id or one.kind == "text" for one in rest) and not _labels(rest)


def _yes_and_no(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return the numbers of votes for yes and for no, where columns are called so."""
    votes = [
        one.name
        for one in columns
        if one.may_be_votes and not one.is_id and not fitting(ITEM, [one.name])
    ]
    words = names_of_columns(votes) if len(votes) == 2 else ()  # without what both have
    meant = positive_of(votes) or positive_of(words)
    if len(votes) != 2 or meant is None:
        return None
    yes, no = votes if meant in (votes[0], words[0]) else votes[::-1]
    return guessed(COUNTS, {"counts": (no, yes)})


def _numbers_of_votes(columns: Sequence[FirstValues]) -> list[FirstValues]:
    """Return the columns of whole numbers that name no item, without gaps."""
    return [
        one
        for one in columns
        if one.are_whole and all(one.cells) and not one.is_id and not fitting(ITEM, [one.name])
    ]


def _class_counts(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return whole numbers that add up to the same on each item, or to another column."""
    votes = _numbers_of_votes(columns)
    if len(votes) < 2 or len(votes[0].cells) < _FEWEST_SHARES or len(votes) > _MOST_LABELS:
        return None
    numbers = np.array([one.numbers for one in votes])
    whole = numbers.sum(axis=0)
    totals = [k for k in range(len(votes)) if (2 * numbers[k] == whole).all()] if votes[2:] else []
    classes = [one for k, one in enumerate(votes) if k not in totals]
    same = bool((whole == whole[0]).all())
    if len(totals) > 1 or not (totals or same) or whole.max() < 2 or len(classes) < 2:
        return None
    if all(len(one.classes) < 2 for one in classes) or _yes_and_no(columns) is not None:
        return None
    return guessed(COUNTS, {"counts": tuple(one.name for one in classes)})


def _uneven_counts(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return small whole numbers, many of them 0, whose sums differ: each may be a class."""
    votes = [one for one in _numbers_of_votes(columns) if not one.is_measure]
    if not _FEWEST_CLASSES <= len(votes) <= _MOST_LABELS:
        return None
    numbers = np.array([one.numbers for one in votes])
    zeros, most = float((numbers == 0).mean()), float(numbers.max())
    if zeros < _LEAST_ZEROS or not 1 < most <= _MOST_VOTES or not (numbers.sum(axis=0) > 0).all():
        return None
    return guessed(COUNTS, {"counts": tuple(one.name for one in votes)})


def _votes_of_all(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return votes and the number of all votes: the latter is called so, and never the smaller."""
    votes = _numbers_of_votes(columns)
    totals = [one for one in votes if _is_called(one, _TOTALS)]
    if len(votes) != 2 or len(totals) != 1:
        return None
    (total,) = totals
    (part,) = (one for one in votes if one is not total)
    return _votes_of(part, total)


def _votes_of(part: FirstValues, total: FirstValues) -> ChosenColumns | None:
    """Return votes and the number of all votes, unless some item has more than all of them."""
    if part.numbers is None or total.numbers is None or len(part.classes) < 2:
        return None
    below = bool((part.numbers <= total.numbers).all())
    if not below or total.numbers.max() < 2 or fitting(LABEL, [part.name]):
        return None
    return guessed(VOTES, {"votes": part.name, "total": total.name})


def _votes_below(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return the only two columns of small whole numbers of which one never exceeds the other."""
    votes = [one for one in _numbers_of_votes(columns) if not one.is_measure]
    votes = [one for one in votes if one.numbers is not None and one.numbers.max() <= _MOST_VOTES]
    if not 2 <= len(votes) <= _MOST_KEYS or len(columns[0].cells) < _FEWEST_SHARES:
        return None
    pairs = [(one, other) for one in votes for other in votes if one is not other]
    found = [one for one in (_votes_of(*pair) for pair in pairs) if one is not None]
    return found[0] if len(found) == 1 else None


def numbers_beside(columns: Sequence[FirstValues]) -> list[str]:
    """Return the columns of numbers but for ids, each of which may be a rater."""
    able = [one for one in columns if one.numbers is not None and len(one.classes) > 2]
    return [one.name for one in _of_raters([one for one in able if not one.is_id])]


def _one_score(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return a score and a label: of scores what is called so or is a share.

    Other numbers may be a target, such as sales next to whether there was a promotion.
    """
    scores = [one for one in columns if one.may_be_scores and _is_score(one)]
    labels = [one for one in _labels(columns) if not _is_called(one, _PREDICTIONS)]
    if not scores or not labels:
        return None
    score = min(scores, key=lambda one: (not _is_called(one, _SCORES), not _are_shares(one)))
    return guessed(SCORES, {"score": score.name, "label": _likeliest(labels).name})


def _is_score(column: FirstValues) -> bool:
    """Tell whether numbers are called a score or a model's output, or are shares."""
    called = any(_is_called(column, one) for one in (_SCORES, _SIMILAR, _MODELS, _PREDICTIONS))
    return called or (_are_shares(column) and not column.is_measure)


def is_called_label(column: str) -> bool:
    """Tell whether a column is called what labels are called."""
    return bool(fitting(LABEL, [column])) or re.search(_LABELS, simple(column)) is not None


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
    """Return the columns that hold the same few answers, three at least: each may be a person.

    They may hold the same words, of which there are more, where they mostly agree.
    """
    few = [one for one in _labels(columns) if not _is_no_person(one)]
    few = [one for one in few if len(one.classes) <= _MOST_ANSWERS or one.numbers is None]
    able = [one for one in few if 2 * len(one.classes) <= len(one.values)]  # which are repeated
    groups: dict[frozenset[str], list[FirstValues]] = {}
    for one in sorted(able, key=lambda one: -len(one.classes)):
        same = next((answers for answers in groups if one.classes <= answers), one.classes)
        groups.setdefault(same, []).append(one)
    several = [group for group in groups.values() if len(group) > 2]
    several = [one for one in several if len(one[0].classes) <= _MOST_ANSWERS or _agree(one)]
    if len(several) != 1:
        return None
    chosen = {one.name for one in _family(several[0])}
    names = tuple(one.name for one in columns if one.name in chosen)
    if len(names) > _MOST_LISTED:
        start = common_start(names)
        if not start or any(one.name.startswith(start) for one in columns if one not in several[0]):
            return None
        names = (f"{start}*",)
    return guessed(ANNOTATORS, {"annotators": names})


def _people_by_name(columns: Sequence[FirstValues]) -> ChosenColumns | None:
    """Return columns called after people, such as Coder_AB and Coder_KL, with the same values."""
    starts: dict[str, list[FirstValues]] = {}
    for one in columns:
        called = re.fullmatch(rf"({PEOPLE})_?[a-z0-9]+", simple(one.name))
        if called is not None and one.may_be_labels and not names_an_id(one.name):
            starts.setdefault(called[1], []).append(one)
    several = [group for group in starts.values() if len(group) > 1]
    if len(several) != 1 or len(several[0]) > _MOST_LISTED:
        return None
    values = {value for one in several[0] for value in one.classes}
    if any(2 * len(one.classes) <= len(values) for one in several[0]):
        return None
    return guessed(ANNOTATORS, {"annotators": tuple(one.name for one in several[0])})


def _family(columns: Sequence[FirstValues]) -> Sequence[FirstValues]:
    """Return the columns with one beginning, such as dr_a and dr_b, where those are most."""
    starts: dict[str, list[FirstValues]] = {}
    for one in columns:
        start = re.match(r"(.*[a-z])(_?\d+|_[a-z0-9]+)", simple(one.name))
        starts.setdefault("" if start is None else start[1], []).append(one)
    most = max((some for start, some in starts.items() if start), key=len, default=[])
    return most if 2 * len(most) > len(columns) and len(most) > 1 else columns
