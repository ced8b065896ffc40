"""Questions about labels in files, and about a model beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor._checks import InputError, percentage
from errorfloor.apps.cli.messages import written
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels, note_doubles
from errorfloor.data.layouts import SCORES, Layout
from errorfloor.data.options import ReadOptions
from errorfloor.data.source import Reading

if TYPE_CHECKING:
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
) -> Any:
    """Return the floor of labels, of each group if need be; with a model, where that stands.

    With `groups` a model is judged by its predictions in each group.

    Several models, with commas between their columns, are compared with people.
    """
    from errorfloor.questions.headroom import judging, verdict_on
    from errorfloor.questions.question import answer

    if model.given or prediction is not None:
        check_model(model, ask, labels, prediction, groups=groups)

    def read(where: ReadOptions, layouts: Sequence[Layout]) -> Reading:
        return replace(labels, where=where, layouts=tuple(layouts)).read(session)

    if prediction is not None and "," in prediction and ask.choice.record.is_error:
        return people(labels, session, prediction.split(","), ask)
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


def _with_items(model: ModelOptions, reading: Reading, session: Session) -> ModelOptions:
    """Return the same model, tested on the items that were read where nobody says on which."""
    if model.n is not None or model.confusion is not None:
        return model
    if len(reading.tables) > 1:
        raise click.UsageError("Give --test-items: how many items the model was tested on.")
    n = reading.table.n
    session.remark(
        f"assuming that the model was tested on the {n:,} items of this file; "
        "--test-items COUNT if these were others"
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


def models(labels: Labels, session: Session, prediction: Sequence[str] | None, **how: Any) -> Any:
    """Return which model is better; None where nothing says that models are to be compared.

    Models are columns of a file, or files with the same labels.
    """
    from errorfloor.questions.compare_models import compared_models, models_in, models_in_files

    where, several = labels.where, len({*labels.files}) > 1
    if prediction is None and (not several or labels.is_stdin or where.group is not None):
        return None
    note_doubles(session, labels.files)
    if prediction is None:
        with session.step(f"reading {labels.name}"):
            found = models_in_files([*dict.fromkeys(labels.files)], where)
        if found is None:
            return None
        session.remark(
            f"{' and '.join(labels.files)} have the same labels: they are taken for models on the "
            "same items"
        )
        result: Any = compared_models(found.rows, how["choice"], where, how["level"])
        columns, guessed = found.columns, ["label", "prediction"]
    else:
        with labels.paths(session) as paths, session.step("comparing models"):
            data = paths[0] if len(paths) == 1 else paths
            asked = how["choice"], how["level"], how["rng"]
            result = models_in(data, None, None, prediction, where, *asked)
        columns = {**where.columns, "prediction": [*prediction]}
        guessed = []
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
    """Return where a model stands beside a floor given as a number, or None where it is a file."""
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
