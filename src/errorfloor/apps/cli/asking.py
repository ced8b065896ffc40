"""From labels that were read to the answer of one question."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from errorfloor._checks import InputError, argument, percentage
from errorfloor.apps.cli.measuring import About
from errorfloor.apps.cli.modelling import Model
from errorfloor.apps.cli.options import How
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels, note_doubles
from errorfloor.data.layouts import LAYOUTS, SCORES
from errorfloor.data.source import Reading
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable


def floor(
    reading: Reading, how: How, about: About | None = None, *, simultaneous: bool = False
) -> Any:
    """Return the floor, or one for each group."""
    from errorfloor.methods.record import Options
    from errorfloor.metrics.asked import Asked
    from errorfloor.questions.answer import Request
    from errorfloor.questions.question import Question, method_for

    kind, asked = _kind(reading), Asked() if about is None else about.asked
    method_for(how.method, reading, asked.metric)
    _check_fits(kind, how)
    request = Request.of(how.interval, how.level, how.n_resamples, how.rng)
    options = Options(how.clip, how.totals_by, how.stopping, how.majority)
    question = Question.about(asked, reading, how.method, options, how.model_error)
    return question.answer(reading, request, how.rng, simultaneous)


def answer(
    labels: Labels,
    session: Session,
    how: How,
    about: About,
    model: Model,
    prediction: str | None = None,
    *,
    simultaneous: bool = False,
) -> Any:
    """Return the floor of labels, of each group if need be; with a model, where that stands."""
    if prediction is not None:
        model.check_paired(how, labels.where.group)
        if about.is_error:
            return paired_verdict(labels, session, prediction, how)
        return scored_verdict(labels, session, prediction, how, about)
    if model.is_given:
        model.check(how, about)
    reading = labels.read(session)
    if model.is_given:
        model = model.with_items(reading, session)
    with session.step("estimating"):
        found = floor(reading, how, about, simultaneous=simultaneous)
        return verdict(found, model, how.level) if model.is_given else found


def verdict(floors: Any, model: Model, level: float) -> Any:
    """Return where a model stands beside the floor, or beside that of each group."""
    from errorfloor.questions.headroom import headroom

    return headroom(
        floors,
        model.errors,
        model.n,
        model_error=model.model_error,
        accuracy=model.accuracy,
        model_value=model.model_value,
        confusion=model.confusion,
        level=level,
        same_labelling=model.same_labelling,
    )


def paired_verdict(labels: Labels, session: Session, prediction: str, how: How) -> Any:
    """Return where a model stands beside the floor of the items that it predicts."""
    from errorfloor.questions.headroom import beside_pair
    from errorfloor.questions.paired import Pair, naming_predictions, votes_reader

    files = None if labels.is_stdin else list(labels.files)  # which can be looked at first
    beside_votes = votes_reader(files, labels.where, prediction)
    if beside_votes is not None:
        return _voted_verdict(labels, session, beside_votes, how)
    by_prediction = replace(
        labels, where=replace(labels.where, group=prediction), layouts=(SCORES,)
    )
    with naming_predictions():
        pair = Pair.read(by_prediction.read(session))
    columns = session.about["input"]["columns"]
    columns["prediction"] = columns.pop("group")
    with session.step("estimating"):
        return beside_pair(floor(pair.reading, how), pair, how.level)


def _voted_verdict(labels: Labels, session: Session, beside_votes: Any, how: How) -> Any:
    """Return where a model stands beside votes on the items that it predicts."""
    from errorfloor.methods.record import Options
    from errorfloor.questions.headroom import beside_pair
    from errorfloor.questions.paired import VotesPair

    reader, where = beside_votes
    reading = replace(labels, where=where, layouts=reader.layouts).read(session)
    session.about["input"]["columns"]["prediction"] = where.predictions[0]
    options = Options(totals_by=how.totals_by, stopping=how.stopping)
    with session.step("comparing with people"):
        pair = VotesPair.read(reading, reader.found(reading), options, how.level)
        return beside_pair(pair.floor, pair, how.level)


def scored_verdict(
    labels: Labels, session: Session, prediction: str, how: How, about: About
) -> Any:
    """Return the same for another metric, by which the model's column may hold its scores."""
    from errorfloor.questions.headroom import beside
    from errorfloor.questions.predicted import for_floor, read_model

    if labels.is_stdin:
        raise InputError(
            *(argument("prediction"), " with ", argument("metric"), " reads a file twice. Save "),
            "standard input as a file, and name that.",
        )
    layouts = (SCORES, *(one for one in LAYOUTS if one.kind == SoftTable.kind))
    reading = replace(labels, where=for_floor(labels.where), layouts=layouts).read(session)
    with session.step("estimating"):
        found = floor(reading, how, about)
        model = read_model(list(labels.files), labels.where, prediction, found)
        session.about["input"]["columns"]["prediction"] = prediction
        return beside(found, model, how.level, same_labelling=True)


def feebee_of_features(labels: Labels, session: Session, **how: Any) -> None:
    """Add noise to the labels of items with features, and show who follows it."""
    from errorfloor.questions.feebee import feebee
    from errorfloor.show.words import long_text_of

    where = labels.where
    asked = {
        name: getattr(where, name)
        for name in ("positive", "positive_from", "classes", "group", "drop_missing")
    }
    note_doubles(session, labels.files)
    with labels.paths(session) as paths, session.step(f"adding noise to {labels.name}"):
        found = feebee(paths[0] if len(paths) == 1 else paths, **where.columns, **asked, **how)
    session.show(found.to_dict(), long_text_of(found))


def verdict_on_number(labels: Labels, model: Model, level: float, about: About) -> Any:
    """Return where a model stands beside a floor given as a number, or None where it is a file."""
    from errorfloor.questions.headroom import headroom

    number = _number(labels.files)
    if number is None:
        return None
    if model.n is None and model.confusion is None:
        raise click.UsageError("Give --test-items: how many items the model was tested on.")
    return headroom(
        number,
        model.errors,
        model.n,
        model_error=model.model_error,
        accuracy=model.accuracy,
        model_value=model.model_value,
        confusion=model.confusion,
        level=level,
        **asdict(about),
    )


def _number(files: tuple[str, ...]) -> float | None:
    """Return the number that stands in place of a file, such as 0.05 or 5%."""
    if len(files) != 1 or Path(files[0]).exists():
        return None
    meant = percentage(files[0])
    try:
        return float(files[0]) if meant is None else meant
    except ValueError:
        return None


def each(result: Any) -> dict[Any, Any]:
    """Return the result of each group by its name; of the group None where there is one only."""
    from errorfloor.results import Groups

    return dict(result) if isinstance(result, Groups) else {None: result}


def refuted(result: Any) -> bool:
    """Tell whether the data contradict a floor, or one of several."""
    from errorfloor.results import Comparison, Verdict

    if isinstance(result, Verdict):
        return result.floor.refuted
    if isinstance(result, Comparison):
        return result.main.refuted
    return any(map(refuted, each(result).values())) if None not in each(result) else result.refuted


def _kind(reading: Reading) -> str:
    return next(iter(reading.tables.values())).kind


def _check_fits(kind: str, how: How) -> None:
    """Refuse options that say nothing about labels of this kind."""
    for name, value, usual, reads in (
        ("clip", how.clip, "auto", ScoreTable.kind),
        ("totals_by", how.totals_by, "chance", VoteTable.kind),
        ("majority", how.majority, None, VoteTable.kind),
        ("bias_for_error", how.bias_for_error, None, VoteTable.kind),
        ("reached", how.reached, None, VoteTable.kind),
    ):
        if value != usual and kind != reads:
            raise InputError(argument(name), f" goes with {reads}; these are {kind}. Leave it out.")
