"""Questions about labels in files, and about a model next to them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor._checks import InputError, percentage
from errorfloor.apps.cli.messages import quoted, written
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels, note_doubles
from errorfloor.data.columns import UnclearColumnsError
from errorfloor.data.layouts import SCORES, Layout
from errorfloor.data.options import ReadOptions
from errorfloor.data.source import Reading
from errorfloor.questions.options import OF_METRIC

if TYPE_CHECKING:
    from errorfloor.questions.compare_models import ModelsAsk
    from errorfloor.questions.feebee import FeeBeeAsk
    from errorfloor.questions.model_options import ModelOptions
    from errorfloor.questions.question import Ask


def answered(labels: Labels, session: Session, ask: Ask, step: str = "estimating") -> Any:
    """Return the answer to what is asked of labels."""
    from errorfloor.questions.question import answer

    reading = labels.read(session)
    with session.step(step):
        return answer(reading, ask)


def answer(
    labels: Labels,
    session: Session,
    ask: Ask,
    model: ModelOptions,
    prediction: str | None = None,
    *,
    groups: bool = False,
    compare: bool = False,
) -> Any:
    """Return the floor of labels, of each group if need be; with a model, where that stands.

    With `groups` a model is judged by its predictions in each group.

    Several models, with commas between their columns, are compared with people; next to a label,
    with each other, where `compare` allows it.
    """
    from errorfloor.questions.headroom import judging, verdict_on
    from errorfloor.questions.question import answer

    if model.given or prediction is not None:
        check_model(model, ask, labels, prediction, groups=groups)

    def read(where: ReadOptions, layouts: Sequence[Layout]) -> Reading:
        return replace(labels, where=where, layouts=tuple(layouts)).read(session)

    if prediction is not None and "," in prediction and not _of_classes(labels, prediction, ask):
        several, named = prediction.split(","), labels.where.columns.keys()
        if not compare or not named <= {"label", "score"}:
            _refuse_models(labels, prediction, ask)
            return people(labels, session, several, ask)
        if not named and ask.choice.record.is_error and not labels.is_stdin:
            with suppress(UnclearColumnsError):
                return people(labels, session, several, ask)
        return models(labels, session, several, models_ask(ask))
    if prediction is not None:
        files = None if labels.is_stdin else list(labels.files)  # which can be looked at first
        judge = judging(files, labels.where, prediction, ask, read)
        columns = session.about["input"]["columns"]
        own = columns.get("group", prediction) == prediction  # predictions are read as groups
        columns["prediction"] = columns.pop("group", prediction) if own else prediction
        with session.step("estimating"):
            return judge()
    reading = labels.read(session)
    if model.given:
        model = _with_items(model, reading, session)
    with session.step("estimating"):
        found = answer(reading, ask)
        return verdict_on(found, model, ask.level) if model.given else found


def _of_classes(labels: Labels, prediction: str, ask: Ask) -> bool:
    """Tell whether columns are one model's scores of many classes, by which the metric goes."""
    scores: Any = labels.where.columns.get("score") or ()
    number = scores.count(",") + 1 if isinstance(scores, str) else len(scores)
    return number > 2 and number == prediction.count(",") + 1 and not ask.choice.record.is_error


def _refuse_models(labels: Labels, prediction: str, ask: Ask) -> None:
    """Refuse several models that are not compared with people, and say how to compare them."""
    columns, metric = labels.where.columns, ask.choice.record
    if not {"label", "score"} & columns.keys() and metric.is_error:
        return
    words = ["--label", columns["label"]] if "label" in columns else []
    words += ["--prediction", prediction, *([] if metric.is_error else ["--metric", metric.name])]
    raise InputError(
        "One model at a time can be tested against the best possible value. Which of these models "
        f"is better:\n  {shlex.join(['errorfloor', 'compare', *labels.files, *words])}"
    )


def _with_items(model: ModelOptions, reading: Reading, session: Session) -> ModelOptions:
    """Return the same model, tested on the items that were read where nobody says on which."""
    if model.n is not None or model.confusion is not None:
        return model
    if len(reading.tables) > 1:
        raise click.UsageError("Give --test-items: how many items the model was tested on.")
    n = reading.table.n
    session.remark(
        f"assuming that the model was tested on the {n:,} items of this file; if not, give "
        "--test-items COUNT"
    )
    return replace(model, n=n)


def check_model(
    model: ModelOptions,
    ask: Ask,
    labels: Labels,
    prediction: str | None = None,
    *,
    groups: bool = False,
) -> None:
    """Refuse half a model, and what leaves no verdict on it, before any file is read."""
    from errorfloor.questions.paired import refuse_groups

    try:
        model.check(ask, prediction)
        if prediction is not None and not (groups and ask.choice.record.is_error):
            refuse_groups(labels.where.group)
    except InputError as error:
        raise click.UsageError(error.told(written)) from error


def people(
    labels: Labels, session: Session, prediction: Sequence[str], ask: Ask, **how: Any
) -> Any:
    """Return how many people each model is worth."""
    from errorfloor.data.items import reader_of
    from errorfloor.questions.people import people_of

    reader, where = reader_of(labels.where, prediction)
    reading = replace(labels, where=where, layouts=reader.layouts).read(session)
    if prediction:
        session.about["input"]["columns"]["prediction"] = list(prediction)
    with session.step("comparing with people"):
        return people_of(reading, reader.found(reading), ask, **how)


def models_ask(ask: Ask) -> ModelsAsk:
    """Return what is asked of models, of which the metric is the usual one unless it was named."""
    from errorfloor.metrics.choice import MetricChoice
    from errorfloor.questions.compare_models import ModelsAsk

    given = {name: getattr(ask, name) for name in OF_METRIC}
    source = click.get_current_context().get_parameter_source("metric")
    is_default = source is click.core.ParameterSource.DEFAULT
    choice = None if is_default else MetricChoice(**given)
    return ModelsAsk(choice=choice, level=ask.level, rng=ask.rng)


def models(
    labels: Labels, session: Session, prediction: Sequence[str] | None, ask: ModelsAsk
) -> Any:
    """Return which model is better; None where nothing says that models are to be compared.

    Models are columns of a file, or files with the same labels.
    """
    from errorfloor.data.models import models_in_columns, models_in_files
    from errorfloor.questions.compare_models import compared, models_in

    where, several = labels.where, len({*labels.files}) > 1
    guess = None
    if prediction is None and not (several or labels.is_stdin or where.columns or where.format):
        guess = models_in_columns(labels.files[0])
    if guess is not None:
        prediction, label = guess
        where = replace(where, columns={"label": label})
        told = f"{quoted(label)} as the label and {quoted(prediction)} as what models predict"
        session.remark(f"using column {told}")
    if prediction is None and (not several or labels.is_stdin or where.group is not None):
        return None
    note_doubles(session, labels.files)
    if prediction is None:
        with session.step(f"reading {labels.name}"):
            found = models_in_files([*dict.fromkeys(labels.files)], where)
        if found is None:
            return None
        session.remark(
            f"{' and '.join(labels.files)} have the same labels: they are read as models on the "
            "same items"
        )
        result: Any = compared(found, ask)
        columns, guessed = found.source.columns, [*found.source.guessed]
    else:
        with labels.paths(session) as paths, session.step("comparing models"):
            data = paths[0] if len(paths) == 1 else paths
            result = models_in(data, None, None, prediction, where, ask)
        first: Any = next(iter(each(result).values()))
        label = first.source.columns["label"]
        if guess is None and first.source.guessed:
            session.remark(f"using column {quoted(label)} as the label")
        if len(first.classes) == 2 and not first.measure.is_error:
            session.remark(f"class 1 = {first.classes[1]}; class 0 = {first.classes[0]}")
        columns = {**where.columns, "prediction": [*prediction]}
        guessed = [] if guess is None else ["label", "prediction"]
    session.about["input"] = {
        "files": labels.files,
        "layout": "models",
        "columns": columns,
        "guessed": guessed,
        "n": sum(one.n for one in each(result).values()),
        "dropped": result.dropped,
    }
    return result


def feebee_of_features(labels: Labels, session: Session, ask: FeeBeeAsk) -> None:
    """Add noise to the labels of items with features, and show who follows it."""
    from errorfloor.data.features import read_items
    from errorfloor.questions.question import answer
    from errorfloor.show.words import long_text_of

    note_doubles(session, labels.files)
    with labels.paths(session) as paths, session.step(f"adding noise to {labels.name}"):
        ask = ask.checked(SCORES.kind)
        items = read_items(paths[0] if len(paths) == 1 else paths, None, ask.features, labels.where)
        found = answer(items.reading, replace(ask, items=items))
    session.show(found.to_dict(), long_text_of(found))


def verdict_on_number(labels: Labels, model: ModelOptions, ask: Ask) -> Any:
    """Return where a model stands next to a floor given as a number, or None where it is a file."""
    from errorfloor.questions.headroom import given_floor, verdict_on

    number = _number(labels.files)
    if number is None:
        return None
    if model.n is None and model.confusion is None:
        raise click.UsageError("Give --test-items: how many items the model was tested on.")
    return verdict_on(given_floor(number, ask.choice, ask.level), model, ask.level)


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
