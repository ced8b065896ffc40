"""What to do next about a result: one to three complete commands or lines of Python.

They are made as those that lead to the same result again, so that they can be pasted as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from errorfloor import methods
from errorfloor.data.layouts import SCORES
from errorfloor.data.tables import ScoreTable, Table, VoteTable
from errorfloor.methods.histogram import HISTOGRAM
from errorfloor.methods.record import ITEM_DECIDES, VOTES_DECIDE, Classes
from errorfloor.questions import look, models
from errorfloor.results import Estimate, Groups, RatingsEstimate, Verdict, VotesEstimate
from errorfloor.show.recipe import (
    FLOOR,
    Call,
    Name,
    metric_of,
    python_code,
    recipe_of,
    short,
    typed,
)
from errorfloor.show.sentences import refuting

MOST = 3  # steps; nobody takes more of them
FEW_VOTES = 10  # per item; with fewer, votes are what narrows an interval
PILOT = 20  # items with scores, fewer of which no plan is made from
WIDE = 0.02  # an interval, in which two points of accuracy lie
TEST_ITEMS = 1000  # of the model that nobody has named yet
TABLE = Name("floor.table")


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something to do next: why, and what to type; `command` is None where there is no file."""

    why: str
    python: str
    command: str | None = None

    @property
    def text(self) -> str:
        """What to type: the command where there is one."""
        return self.python if self.command is None else self.command

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def steps_of(estimate: Estimate, verdict: Verdict | None = None) -> tuple[NextStep, ...]:
    """Return what to do next about a floor, or about a model next to it."""
    if isinstance(estimate, RatingsEstimate):
        return () if estimate.refuted else tuple(_of_ratings(estimate, verdict))
    if estimate.refuted:
        return tuple(islice(_repaired(estimate), MOST))
    if estimate.table is None:  # a number, or an agreement rate
        return ()
    return tuple(islice(_further(estimate, verdict), MOST))


def in_lines(answer: object) -> Iterator[str]:
    """Yield what to type next about a floor, a line each, for a terminal."""
    if not isinstance(answer, Estimate) or answer.refuted or not answer.measure.is_error:
        return
    predicted = _predicted(answer)
    if predicted is not None:
        yield predicted
    if isinstance(answer, VotesEstimate) and isinstance(answer.table, VoteTable):
        yield from _about_votes(answer, answer.table, with_model=predicted is None)


def _predicted(estimate: Estimate) -> str | None:
    """Return how to compare the model whose predictions seem to be in a column of the file."""
    source = estimate.source
    if source is None or not source.files or typed(estimate, "headroom", {}) is None:
        return None
    column = look.prediction_in([*source.files], source.options, source.columns)
    if column is None:
        return None
    command = typed(estimate, "headroom", {"prediction": column})
    return f'column "{column}" looks like the predictions of a model; to compare them: {command}'


def _about_votes(estimate: VotesEstimate, table: VoteTable, *, with_model: bool) -> Iterator[str]:
    """Yield how to narrow an interval and, unless it is known, how to name a model."""
    votes, low, high = float(table.counts @ table.totals / table.n), estimate.low, estimate.high
    if low is not None and high is not None and high - low > WIDE and votes < FEW_VOTES:
        command = next((one.command for one in _plan(estimate)), None)
        if command is not None:
            each = f"{votes:.3g} {'vote' if votes == 1 else 'votes'} per item"
            yield f"the interval is wide because there are {each}; to plan more of them: {command}"
    model = {"accuracy": 0.9, "n": TEST_ITEMS}
    command = typed(estimate, "headroom", model) if with_model else None
    if command is not None:
        yield (
            "to see what your model can still gain, put in its accuracy in place of the example: "
            f"{command}"
        )


def _of_ratings(estimate: RatingsEstimate, verdict: Verdict | None) -> Iterator[NextStep]:
    """Yield how to compare a model with the ceiling of ratings."""
    if verdict is None and estimate.table is not None:
        made = recipe_of(estimate)
        yield NextStep(
            "Put in your model's prediction for each item, and see what it can still gain:",
            f"{made.python}\nprint(ef.headroom(floor, predictions=predictions))",
            None if made.command is None else f"{made.command} --prediction COLUMN",
        )


def steps_of_groups(groups: Groups[Estimate]) -> tuple[NextStep, ...]:
    """Return how to get intervals of groups that can be compared."""
    rows = list(groups.values())
    alone = len(rows) > 1 and not groups.simultaneous and all(row.interval for row in rows)
    if not alone or any(row.source is None or row.source.options.group is None for row in rows):
        return ()
    at_once = {
        name: replace(row, options={**row.options, "simultaneous": True})
        for name, row in groups.items()
    }
    asked = replace(groups, estimates=at_once, simultaneous=True)
    why = "To compare groups, ask for intervals that hold all at once:"
    return (_again(why, asked, "floors"),)


def _further(estimate: Estimate, verdict: Verdict | None) -> Iterator[NextStep]:
    """Yield what helps most first."""
    table = estimate.table
    if table is not None and table.entries is not None:  # other questions do not use weights
        if verdict is None:
            yield from _models(estimate)
        return
    votes = float(table.counts @ table.totals / table.n) if isinstance(table, VoteTable) else None
    few = votes is not None and votes < FEW_VOTES
    if few and verdict is None:
        yield from _plan(estimate)
    if verdict is None:
        yield from _models(estimate)
    if estimate.measure.is_error:  # items and classes are about errors
        yield from _closer(estimate)
    if not few or verdict is not None:
        yield from _plan(estimate)


def _models(estimate: Estimate) -> Iterator[NextStep]:
    """Yield how to compare a model, where its own value can be found."""
    if estimate.measure.is_error:
        yield _model(estimate)
    elif estimate.measure.of_model is not None:
        yield _other_model(estimate)


def _model(estimate: Estimate) -> NextStep:
    """Return how to compare a model, with errors for the user's own to take the place of."""
    errors = round(TEST_ITEMS * min(1.2 * estimate.value + 0.01, 1))
    why = (
        f"See what your model can still gain: of your own test items, put in how many it got wrong "
        f"in place of the example, {errors} of {TEST_ITEMS:,}:"
    )
    return _step(estimate, why, "headroom", {"errors": errors, "n": TEST_ITEMS})


def _other_model(estimate: Estimate) -> NextStep:
    """Return how to compare a model by another metric than error."""
    metric = estimate.measure
    gain = "and see what it can still gain:"
    if models.can_be_published(metric) and models.shares_of(estimate) is not None:
        why = (
            f"Put in your model's {metric.words} on its test items in place of the example, {gain}"
        )
        model = {"model_value": short(float(f"{_worse(estimate):.3g}")), "n": TEST_ITEMS}
        return _step(estimate, why, "headroom", model, about=metric_of(estimate))
    has = ("model_scores", "scores") if models.goes_by_scores(metric) else ("predictions",) * 2
    why = f"Put in your model's {has[1]} of test items and their labels, {gain}"
    arrays = {has[0]: Name(has[0]), "labels": Name("labels")}
    return _step(estimate, why, "headroom", arrays)


def _worse(estimate: Estimate) -> float:
    """Return a value a little worse than the best, for the user's own to take the place of."""
    least, most = estimate.measure.span(len(estimate.classes))
    step = 0.05 * (most - least)
    value = estimate.value + step if estimate.measure.less_is_better else estimate.value - step
    return min(max(value, least), most)


def _closer(estimate: Estimate) -> Iterator[NextStep]:
    """Yield where the errors are that no model can avoid."""
    table = estimate.table
    assert table is not None
    if len(table.classes) > 2:
        why = "See which classes are confused most:"
        yield _step(estimate, why, "confusion", grouped=False)
    if isinstance(table, VoteTable):
        if table.totals.max() > 1:
            why = "See which items contribute most to the floor, because people disagree on them:"
            step = _step(estimate, why, "items", of=TABLE, grouped=False)
            yield replace(step, command=None) if _has_label(estimate) else step
    elif isinstance(table, ScoreTable):
        why = "See what other methods say of the same scores:"
        shares = estimate.source is not None and estimate.source.layout != SCORES.name
        step = _step(estimate, why, "compare", of=TABLE)
        yield replace(step, command=None) if shares else step  # the command reads scores alone


def _has_label(estimate: Estimate) -> bool:
    """Tell whether a label is one of the votes, which the command for items does not read."""
    return estimate.source is not None and estimate.source.options.label_is_vote


def _plan(estimate: Estimate) -> Iterator[NextStep]:
    """Yield which labels to buy to halve the interval."""
    table = estimate.table
    width = 0.0 if estimate.interval is None else estimate.interval.high - estimate.interval.low
    if width <= 0 or not _can_be_planned(table) or estimate.options.get("majority"):
        return
    if not estimate.measure.is_error:
        return
    target = float(f"{width / 2:.2g}")
    why = "Plan which labels to buy for an interval of half the width:"
    yield _step(estimate, why, "plan", {"target": target}, of=TABLE)


def _can_be_planned(table: Table | None) -> bool:
    """Tell whether a pilot says enough to plan with."""
    if isinstance(table, VoteTable):
        return int(table.totals.max()) > 1
    if not isinstance(table, ScoreTable) or table.n < PILOT:
        return False
    return int(np.count_nonzero(table.counts.sum(axis=0))) > 1


def _repaired(estimate: Estimate) -> Iterator[NextStep]:
    """Yield how to ask again without what is refuted, as far as that can be known."""
    finding = refuting(estimate)[0]
    asked = [*REMEDIES[finding.name](estimate)] if finding.name in REMEDIES else []
    for why, changed in asked:
        yield _again(why, changed)
    if not asked:
        why = f"{finding.remedy} Then ask again:".lstrip()
        yield _again(why, estimate)


Remedy = Callable[[Estimate], Iterator[tuple[str, Estimate]]]


def _totals(estimate: Estimate) -> Iterator[tuple[str, Estimate]]:
    for why, decides in (
        ("If some kinds of items get more votes than others:", ITEM_DECIDES),
        ("If votes were collected until they agreed:", VOTES_DECIDE),
    )[: 1 if _has_label(estimate) else 2]:
        yield why, replace(estimate, options={**estimate.options, "totals_by": decides})


def _other_class(estimate: Estimate) -> Iterator[tuple[str, Estimate]]:
    source = estimate.source
    classes = None if source is None else source.facts.get("classes")
    if source is not None and isinstance(classes, dict) and len(classes["0"]) == 1:
        (other,) = classes["0"]
        yield (
            f"If class 1 is {other}:",
            replace(estimate, source=source.with_options(positive=other)),
        )
    why = "If the scores are meant as they are, a method that lets probabilities fall:"
    yield why, _by(estimate, HISTOGRAM.make(25).name)


def _without_order(estimate: Estimate) -> Iterator[tuple[str, Estimate]]:
    yield "A method that needs no order of the scores:", _by(estimate, HISTOGRAM.make(25).name)


def _calibrated(estimate: Estimate) -> Iterator[tuple[str, Estimate]]:
    table = estimate.table
    classes = Classes.TWO if table is None else Classes.of(table)
    usual = methods.default(ScoreTable.kind, classes)
    yield "The default method, which calibrates the scores:", _by(estimate, usual.name)


REMEDIES: dict[str, Remedy] = {
    "Why totals differ": _totals,
    "Reversed scores": _other_class,
    "Falling probabilities": _without_order,
    "Worse than guessing": _calibrated,
}


def _by(estimate: Estimate, method: str) -> Estimate:
    """Return what would be asked for by another method."""
    kept = ("level", "n_resamples", "simultaneous")
    options = {name: estimate.options[name] for name in kept if name in estimate.options}
    return replace(estimate, method=method, options={"interval": "auto", **options}, evidence=None)


def _again(why: str, result: Estimate | Groups[Estimate], name: str = "floor") -> NextStep:
    """Return a step that asks for a result."""
    made = recipe_of(result)
    return NextStep(why, f"{made.python}\nprint({name})", made.command)


def _step(
    estimate: Estimate,
    why: str,
    asks: str,
    given: Mapping[str, Any] | None = None,
    *,
    of: Name = FLOOR,
    about: Mapping[str, Any] | None = None,
    grouped: bool = True,
) -> NextStep:
    """Return a step whose Python goes on from the floor, and whose command has to say `about`.

    One group alone has no command.
    """
    source, given = estimate.source, given or {}
    alone = source is not None and source.options.group is not None and not grouped
    line = f"print({Call(asks=asks, first=(of,), given=given).python})"
    command = None if alone else typed(estimate, asks, {**(about or {}), **given})
    return NextStep(why, f"{python_code(estimate)}\n{line}", command)
