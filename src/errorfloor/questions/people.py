"""How many people a model is worth, and which models differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from errorfloor._checks import InputError, as_flag, as_fraction, shown
from errorfloor._keywords import record_of
from errorfloor._numbers import counted as counted_words
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.ballots import Ballots
from errorfloor.data.items import (
    PredictedReader,
    PredictedVotes,
    as_predictions,
    reader_of,
)
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data, read
from errorfloor.data.source import Reading
from errorfloor.data.tables import VoteTable
from errorfloor.questions.compared import MOST_PEOPLE, PeopleComparison
from errorfloor.questions.question import Ask, VoteColumns, takes
from errorfloor.questions.weights import unweighted
from errorfloor.results.people import AltTest, People

PANELS = (1, 3, 5)
EPSILON = 0.2  # of the alternative annotator test
_FEWEST_PEOPLE, _FEWEST_ITEMS = 2, 30  # on an item, and of an annotator
_FALSE_DISCOVERIES = 0.05
_NUMBER = (int, float, np.integer, np.floating)


class _Options(VoteColumns, total=False):
    totals_by: str
    stopping: str | None
    level: float


@takes(_Options)
def people(
    votes: object = None,
    totals: object = None,
    *,
    predictions: Mapping[str, object] | None = None,
    prediction: str | Sequence[str] | None = None,
    panels: Sequence[int] = PANELS,
    epsilon: float = EPSILON,
    **options: Unpack[_Options],
) -> People:
    """Say how many people each model is worth, and which models differ.

    A model is compared with panels of people: how often does the answer that most of r people give
    equal the answer of one more person, and how often does the model's? A model that does so as
    often as panels of r is worth r people.

    Parameters
    ----------
    votes : array-like of shape (n,) or (n, classes), VoteTable, dataframe or path
        As in `from_votes`.
    totals : int or array-like of shape (n,), or str
        As in `from_votes`.
    predictions : dict of array-like, optional
        What each model answers for each item, by the model's name; next to arrays of votes.
    prediction : str or sequence of str, optional
        Columns of the models' answers, in a dataframe or file.
    positives : str or array-like of shape (n,), optional
        Column of the number of votes for class 1, or these numbers.
    counts : str or sequence of str, or array-like of shape (n, classes), optional
        Columns of the number of votes for each class, or these numbers.
    item : str, optional
        Column of the item, where a row is a single vote.
    vote : str, optional
        Column of the vote in such rows.
    annotator : str, optional
        Column of the annotator in such rows.
    annotators : sequence of str, or array-like of shape (n, raters), optional
        Columns of votes, one for each annotator, or the votes themselves.
    annotations : str, optional
        Column with all votes on an item.
    duplicates : {"error", "first", "last", "all"}
        What to do with several votes of one annotator on an item.
    positive : optional
        The vote that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1.
    classes : sequence of str, optional
        Names of all classes, in order.
    drop_missing : bool
        Whether to keep only the items that all models answered, and that have votes.
    panels : sequence of int
        Odd numbers of people in the panels to report.
    totals_by : {"chance", "item", "votes"}
        Why items have unequal numbers of votes, as in `from_votes`. With "votes", which were
        collected until they agreed, all numbers come from the fitted mixture.
    stopping : str, optional
        The rule, as in `from_votes`.
    epsilon : float
        For the alternative annotator test: how much better than the model an annotator may be.
    level : float
        Confidence level.

    Returns
    -------
    People
        Agreement of two people, panels, the best possible, and a row for each model.

    Notes
    -----
    Panels smaller than the number of votes need no model of votes: each vote is judged by all
    panels of the others. Larger ones come from the mixture that `from_votes` fits. A model has room
    if the largest panel that the votes allow agrees with one more person more often than the model
    does, because no panel is better than the best possible. Where annotators are known, and five or
    more (with equal workloads), they count as a sample as well as items. Agreement of people is not
    the most that a model can reach: panels agree more often with one more person than people with
    each other.

    Examples
    --------
    >>> counts = [[3, 0], [2, 1], [1, 2], [0, 3]] * 50
    >>> found = people(counts=counts, predictions={"mine": [0, 0, 1, 1] * 50})
    >>> round(found.agreement.value, 3), round(found["mine"].value, 3)
    (0.667, 0.833)
    """
    panels = as_panels(panels)
    epsilon = as_fraction(epsilon, name="epsilon")
    ask = record_of(Ask, options).checked(VoteTable.kind)
    given: dict[str, Any] = {**options}
    columns = {name: one for name, one in given.items() if name in VoteColumns.__annotations__}
    drop_missing = columns.pop("drop_missing", False)
    if votes is None:
        votes = columns.pop("positives", None)
    reading, found = _read(votes, totals, predictions, prediction, columns, drop_missing)
    return people_of(reading, found, ask, panels=panels, epsilon=epsilon)


def as_columns(prediction: object) -> tuple[str, ...]:
    """Return the columns of predictions, or say what is wrong with them."""
    given = (prediction,) if isinstance(prediction, str) else prediction
    names = list(given) if isinstance(given, Sequence) and not isinstance(given, bytes) else []
    if not names or not all(isinstance(one, str) for one in names):
        raise InputError(
            "`prediction` must be the name of a column, or a list of names; got "
            f"{shown(prediction)}. Give `predictions` next to arrays of votes."
        )
    return tuple(names)


def as_panels(panels: Any) -> tuple[int, ...]:
    """Return sizes of panels in order, or say that one is even or none."""
    try:
        given: list[Any] = [panels] if isinstance(panels, _NUMBER) else list(panels)
    except TypeError:
        given = []
    bad = [one for one in given if not _is_odd(one)]
    if not given or bad:
        raise InputError(
            f"`panels` must be odd numbers of people from 1 to {MOST_PEOPLE}, such as (1, 3, 5); "
            f"got {shown(bad[0] if bad else panels)}. One more person in an odd panel adds nothing "
            "but ties."
        )
    return tuple(sorted({int(one) for one in given}))


def _is_odd(size: Any) -> bool:
    return isinstance(size, _NUMBER) and bool(1 <= size <= MOST_PEOPLE and size % 2 == 1)


def _read(
    votes: Any,
    totals: Any,
    predictions: Any,
    prediction: Any,
    columns: dict[str, Any],
    drop_missing: bool,
) -> tuple[Reading, PredictedVotes]:
    """Read votes with what models predict next to them."""
    drop_missing = as_flag(drop_missing, name="drop_missing")
    if predictions is not None and (is_data(votes) or prediction is not None):
        raise InputError(
            "`predictions` goes with arrays of votes, and `prediction` with a dataframe or file. "
            "Give the one that fits."
        )
    if predictions is None:
        names = () if prediction is None else as_columns(prediction)
        if names and not is_data(votes):
            raise InputError(
                "`prediction` is a column of a dataframe or file. Pass one, or give `predictions`, "
                "a dict of answers, next to arrays of votes."
            )
        where = ReadOptions.of(**columns, drop_missing=drop_missing and is_data(votes))
        reader, where = reader_of(where, names)
        reading = read(votes, reader.layouts, where, second=totals)
        return reading, reader.found(reading)
    number = _length(votes, columns)
    names, answers, there = as_predictions(predictions, number, drop_missing=drop_missing)
    if not there.all():
        votes, totals = _some(votes, there), _some(totals, there)
        for name in ("counts", "annotators"):
            columns[name] = _some(columns.get(name), there)
        answers = tuple(one[there] for one in answers)
    reader = PredictedReader(names, answers)
    reading = read(votes, reader.layouts, ReadOptions.of(**columns), second=totals)
    dropped = int(np.count_nonzero(~there))
    if dropped:
        table: Any = reading.table
        table = replace(table, dropped=table.dropped + dropped)
        reading = replace(reading, tables={None: table})
    return reading, reader.found(reading)


def _length(votes: Any, columns: Mapping[str, Any]) -> int:
    given = (votes, columns.get("counts"), columns.get("annotators"))
    first = next((one for one in given if one is not None), ())
    try:
        return len(first)
    except TypeError:  # of a number
        return 0


def _some(values: Any, kept: Bools) -> Any:
    if values is None or np.ndim(values) == 0:
        return values
    if hasattr(values, "dtype"):
        return np.asarray(values)[kept]
    return [one for one, stays in zip(values, kept, strict=True) if stays]


def people_of(
    reading: Reading,
    found: PredictedVotes,
    ask: Ask,
    *,
    panels: Sequence[int] = PANELS,
    epsilon: float = EPSILON,
) -> People:
    """Return the answer for votes that were read, item by item."""
    unweighted(reading.table, "people")
    several = found.votes.sum(axis=1) >= 2
    if not several.any():
        raise InputError(
            "There is one vote per item, which cannot say how often people agree. Collect a second "
            "vote on some items: a few hundred items with two votes or more will do. For a model "
            "and one label per item use `errors` and `n` of headroom."
        )
    crowd = PeopleComparison.of(reading, found.where(several), ask)
    singles = int(np.count_nonzero(~several))
    return people_in(crowd, singles, panels=panels, epsilon=epsilon)


def people_in(
    crowd: PeopleComparison,
    singles: int = 0,
    *,
    panels: Sequence[int] = PANELS,
    epsilon: float = EPSILON,
) -> People:
    """Return the answer for votes with models next to them; some items had a single vote."""
    notes = [*_about_sample(crowd, singles)]
    findings, models = [], []
    for model in crowd.found.models:
        row, own = crowd.model(model)
        models.append(row)
        findings += own
    differences = crowd.differences()
    return People(
        agreement=crowd.panel(1).plain,
        best_possible=crowd.best,
        panels=tuple(crowd.panel(r).rate for r in panels),
        curve=tuple(crowd.panel(r).rate for r in crowd.sizes),
        models=tuple(models),
        constant=crowd.constant(),
        differences=differences,
        resolvable=crowd.resolvable(),
        alt_test=_alt_tests(crowd, epsilon),
        floor=crowd.floor,
        level=crowd.level,
        n=len(crowd.found.votes),
        crossed=crowd.crowd is not None,
        notes=tuple(notes),
        findings=tuple(findings),
        dropped=crowd.reading.table.dropped,
        source=crowd.reading.source,
    )


def _about_sample(crowd: PeopleComparison, singles: int) -> list[str]:
    notes = []
    ballots = crowd.found.ballots
    if crowd.crowd is not None:
        people = counted_words(crowd.crowd.number, "annotator")
        notes.append(
            f"{people} are treated as a random sample, as the items are: limits hold for other "
            "people, too."
        )
    elif ballots is not None:
        effective = crowd.all_people.effective  # type: ignore[union-attr]
        notes.append(
            "The votes come from too few people to stand for others (effective number "
            f"{effective:.1f}): limits hold for new items that these same people vote on."
        )
    else:
        notes.append(
            "It is not known who gave which vote: limits hold for new items, as if every vote came "
            "from another person."
        )
    if singles:
        items = counted_words(singles, "item")
        notes.append(
            f"{items} with a single vote {'has' if singles == 1 else 'have'} no part in it."
        )
    if crowd.unanimous:
        notes.append("People never disagree on these items, so no model is worth more or less.")
    return notes


def _alt_tests(crowd: PeopleComparison, epsilon: float) -> tuple[AltTest, ...] | None:
    ballots = crowd.found.ballots
    if ballots is None or not crowd.found.models:
        return None
    found = [alt_test(ballots, one.place, one.name, epsilon) for one in crowd.found.models]
    kept = tuple(one for one in found if one is not None)
    return kept or None


def alt_test(
    ballots: Ballots, place: Counts, name: str, epsilon: float = EPSILON
) -> AltTest | None:
    """Return the alternative annotator test of one model; None where nobody has enough items.

    Each annotator is left out in turn. On each item of that person the answers of the model and of
    the person are compared by how many of the others gave them. The model wins against an annotator
    if it is not worse by more than epsilon, by a t-test, corrected for the number of annotators
    (Benjamini and Yekutieli). Ties count for both sides. The procedure is that of N. Calderon,
    R. Reichart and R. Dror, "The alternative annotator test for LLM-as-a-judge", ACL 2025.

    Parameters
    ----------
    ballots : Ballots
        Single votes with their annotators.
    place : array of shape (n,)
        The model's answer for each item, as the place of a class; -1 for none of them.
    name : str
        Of the model.
    epsilon : float
        By how much an annotator may be better, because people cost more.
    """
    p_values, wins = [], []
    counts, totals = ballots.counts, ballots.totals
    for one in range(len(ballots.names)):
        own = np.flatnonzero(ballots.annotator == one)
        own = own[totals[ballots.item[own]] >= _FEWEST_PEOPLE]
        if own.size < _FEWEST_ITEMS:
            continue
        item, vote = ballots.item[own], ballots.vote[own]
        human = counts[item, vote] - 1
        answer = place[item]
        model = np.where(answer >= 0, counts[item, answer] - (answer == vote), 0)
        wins.append(float((model >= human).mean()))
        worse = np.sign(human - model).astype(np.float64)
        p_values.append(_p_below(worse, epsilon))
    if not wins:
        return None
    rejected = by_yekutieli(np.array(p_values), _FALSE_DISCOVERIES)
    return AltTest(name, rejected / len(wins), float(np.mean(wins)), len(wins))


def _p_below(values: Floats, limit: float) -> float:
    """Return the p-value of a mean of at least `limit`, by a t-test."""
    from scipy.special import stdtr

    error = values.std(ddof=1) / np.sqrt(values.size)
    if error == 0:
        return 0.0 if values.mean() < limit else 1.0
    return float(stdtr(values.size - 1, (values.mean() - limit) / error))


def by_yekutieli(p_values: Floats, rate: float) -> int:
    """Return how many hypotheses are rejected, with false ones at this rate at most."""
    number = p_values.size
    rank = np.arange(1, number + 1)
    limits = rank / number * rate / (1 / rank).sum()
    below = np.flatnonzero(np.sort(p_values) <= limits)
    return int(below[-1] + 1) if below.size else 0
