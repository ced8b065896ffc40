"""Labels in files, and questions about them: reading with progress, and notes on guesses."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from errorfloor._checks import InputError, argument, command, percentage
from errorfloor.apps.cli.messages import guesses, quoted, written
from errorfloor.apps.cli.session import Session
from errorfloor.data.columns import UnclearColumnsError, by_role, layout_of
from errorfloor.data.layouts import ANNOTATORS, LAYOUTS, SCORES, Layout
from errorfloor.data.options import Reading, ReadOptions
from errorfloor.data.read import read
from errorfloor.data.storage import naming, scratch
from errorfloor.data.tables import VoteTable

if TYPE_CHECKING:
    from errorfloor.questions.compare import ModelsAsk
    from errorfloor.questions.feebee import FeeBeeAsk
    from errorfloor.questions.models import ModelOptions
    from errorfloor.questions.question import Ask

STDIN = "-"
_COMPARED, _LEAST_COMPARED = 1000, 20  # labels of two files
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Labels:
    """Files, and what the user says about them."""

    files: tuple[str, ...]
    where: ReadOptions
    layouts: tuple[Layout, ...]  # that the command can use

    @property
    def is_stdin(self) -> bool:
        """Whether they come from standard input, which nobody can read again."""
        return self.files == (STDIN,)

    @property
    def name(self) -> str:
        """What the files are called in messages."""
        if self.is_stdin:
            return "standard input"
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"{self.files[0]}{more}"

    def output_file(self, ending: str) -> Path:
        """Return a file in the current folder that is called after the first of these files."""
        first = Path("labels" if self.is_stdin else self.files[0]).name
        return Path(first.partition(".")[0] + ending)

    def read(self, session: Session) -> Reading:
        """Return the labels, counted, and say which columns were guessed."""
        return self.read_and(session, lambda paths, where: None)[0]

    def read_and(
        self, session: Session, also: Callable[[list[str], ReadOptions], T]
    ) -> tuple[Reading, T]:
        """Return the same, and what `also` reads from the files."""
        from errorfloor.data.rows import FewLabelsError

        self._check()
        note_repeated_files(session, self.files)
        with self.paths(session) as paths, session.step(f"reading {self.name}") as progress:
            where = replace(self.where, called=self.name) if self.is_stdin else self.where
            try:
                reading = read(paths, self.layouts, where, progress=progress)
            except FewLabelsError:  # they are kept where they are the most
                context = click.get_current_context(silent=True)
                if context is None or "unlabelled" not in context.params:
                    raise
                unlabelled = replace(where, unlabelled=True)
                reading = read(paths, self.layouts, unlabelled, progress=progress)
            more = also(paths, where)
        _refuse_two_models(reading, self.files)
        # Of standard input there is a copy, which is gone by now.
        reading = replace(reading, source=replace(reading.source, files=self.files))
        session.about["input"] = _described(reading)
        if reading.source.guessed:
            session.remark(guesses(reading.source))
        if reading.source.options.unlabelled and not self.where.unlabelled:
            session.remark(
                "most items have no label: their scores are used too, as with --unlabelled; "
                "--drop-missing leaves these items out"
            )
        for note in reading.source.facts.get("notes", ()):
            session.remark(note)
        if reading.source.layout == ANNOTATORS.name:
            _remark_on_blanks(session, reading)
        if divided := reading.source.facts.get("divided"):
            from errorfloor.checks.soft import rounded

            session.remark(rounded(divided))
        _remark_on_classes(session, reading)
        return reading, more

    def check_simultaneous(self, simultaneous: bool) -> None:
        """Refuse intervals that hold for all groups at once where there are no groups."""
        if simultaneous and self.where.group is None:
            raise click.UsageError("--simultaneous goes with --group. Add that, or leave it out.")

    def _check(self) -> None:
        """Refuse what is wrong whatever the files hold."""
        if STDIN in self.files and len(self.files) > 1:
            raise click.UsageError("- for standard input stands alone. Name it without files.")
        named = {role.name: role for layout in LAYOUTS for role in layout.roles}
        columns = by_role(self.where.columns)
        for name, column in columns.items():
            option = written(argument(named[name].argument))
            if column == self.where.group:
                raise click.UsageError(
                    f"{option} and --group name the same column, {column!r}. "
                    "Group by another column, or leave out --group."
                )
            if named[name].several and len(column) == 1 and not set(column[0]) & set(",*?["):
                raise click.UsageError(
                    f"{option} needs at least two columns, got {column[0]!r}. "
                    "Name all of them with commas between, or give a pattern such as 'rater*'."
                )
        try:
            layout_of(columns, self.layouts)
        except InputError as error:
            raise click.UsageError(error.told(written)) from error

    @contextmanager
    def paths(self, session: Session) -> Iterator[list[str]]:
        """Yield the files, for standard input a copy of it, which readers can go over twice."""
        if not self.is_stdin:
            yield list(self.files)
            return
        if sys.stdin is None:
            raise InputError(
                "Standard input is closed. Pipe labels into the command, or name a file."
            )
        with scratch() as folder:
            path = Path(folder) / "stdin"
            with naming(path), path.open("wb") as file, session.step(f"reading {self.name}"):
                shutil.copyfileobj(sys.stdin.buffer, file)
            yield [str(path)]


def _refuse_two_models(reading: Reading, files: Sequence[str]) -> None:
    """Refuse to add up two files with the same labels in the same order, such as of two models."""
    label = reading.source.columns.get("label")
    different = len({os.path.realpath(file) for file in files})
    if reading.source.layout != SCORES.name or not isinstance(label, str) or different != 2:
        return
    from errorfloor.data.engines import select
    from errorfloor.data.read_rows import rows_of

    first = []
    files = [*{os.path.realpath(file): file for file in files}.values()]
    for file in files:
        as_named = ReadOptions(format=reading.source.options.format)
        with rows_of(file, as_named, ordered=True) as (frame, run):
            found = run(select(frame, {"label": label}).head(_COMPARED))["label"].tolist()
        first.append(found)
    one, other = first
    if one == other and len(one) >= _LEAST_COMPARED and len(set(map(str, one))) > 1:
        lines = [shlex.join(("errorfloor", "estimate", file)) for file in files]
        raise InputError(
            f"{files[0]} and {files[1]} hold the same labels in the same order, as scores of two "
            "models on the same items do. Added up, each item would count twice. Find out which "
            "model is better, or ask about each by itself:\n  ",
            "\n  ".join([shlex.join(("errorfloor", "compare", *files)), *lines]),
        )


def note_repeated_files(session: Session, files: Sequence[str]) -> None:
    """Say which files are named more than once; they are counted once."""
    names = {os.path.realpath(file): file for file in reversed(files)}  # by which they came first
    for path, times in Counter(map(os.path.realpath, files)).items():
        if times > 1:
            session.remark(f"{names[path]} is named {times} times, and counted once")


def _remark_on_blanks(session: Session, reading: Reading) -> None:
    """Say how many votes of people side by side are missing."""
    cells = len(reading.source.columns["annotators"]) * (reading.source.rows or 0)
    tables: Any = reading.tables.values()
    votes = sum(int(table.totals @ table.counts) for table in tables)
    if votes < cells:
        session.remark(
            f"{cells - votes:,} of {cells:,} votes are missing (blank, N/A and the like)"
        )


def _remark_on_classes(session: Session, reading: Reading) -> None:
    """Say which class is which, where labels are not 0 and 1."""
    classes = reading.source.facts.get("classes")
    votes = any(isinstance(table, VoteTable) for table in reading.tables.values())
    if isinstance(classes, list):
        from errorfloor.data.classes import described_many

        session.remark(described_many(classes, "votes" if votes else "items"))
    elif classes is not None:
        from errorfloor.data.classes import described

        ones, zeros = (
            sum(of) for of in zip(*map(_numbers_of, reading.tables.values()), strict=True)
        )
        session.remark(described(classes, ones, zeros, "votes" if votes else "items"))


def _numbers_of(table: Any) -> tuple[int, int]:
    """Return the labels or votes of class 1 and of class 0."""
    if isinstance(table, VoteTable):
        ones = int(table.positives @ table.counts)
        return ones, int(table.totals @ table.counts) - ones
    return int(table.positives.sum()), int(table.negatives.sum())


def _described(reading: Reading) -> dict[str, object]:
    """Return what was read as plain values."""
    source, tables = reading.source, reading.tables.values()
    group = {} if source.options.group is None else {"group": source.options.group}
    facts = source.facts.get("classes")
    many = dict(facts) if isinstance(facts, list) else None
    return {
        "files": source.files,
        "layout": source.layout,
        "columns": {**source.columns, **group},
        **({} if many is None else {"classes": many}),
        "guessed": source.guessed,
        "n": sum(table.n for table in tables),
        "dropped": sum(table.dropped for table in tables),
        **{name: one for name, one in source.facts.items() if name == "missing_in_rows"},
    }


def answer_to(labels: Labels, session: Session, ask: Ask, step: str = "estimating") -> Any:
    """Return the answer to what is asked of labels."""
    from errorfloor.questions.question import answer

    reading = labels.read(session)
    with session.step(step):
        return answer(reading, ask)


def floor_or_verdict(
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
            return compare_with_people(labels, session, several, ask)
        if not named and ask.choice.record.is_error and not labels.is_stdin:
            with suppress(UnclearColumnsError):
                return compare_with_people(labels, session, several, ask)
        return compare_models(labels, session, several, models_ask(ask))
    if prediction is not None:
        files = None if labels.is_stdin else list(labels.files)  # which can be looked at first
        judge = judging(files, labels.where, prediction, ask, read)
        columns = session.about["input"]["columns"]
        own = columns.get("group", prediction) == prediction  # predictions are read as groups
        columns["prediction"] = columns.pop("group", prediction) if own else prediction
        with session.step("estimating"):
            return judge()
    try:
        reading = labels.read(session)
    except UnclearColumnsError:  # of a file with a label and models alone
        found = compare_models(labels, session, None, models_ask(ask)) if compare else None
        if found is None or model.given:
            raise
        return found
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
        "Only one model at a time can be tested against the best possible value. To see which of "
        f"these models is better:\n  {shlex.join(['errorfloor', 'compare', *labels.files, *words])}"
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


def guessed_prediction(labels: Labels, session: Session, ask: Ask) -> str | None:
    """Return the column of a model's predictions, and say that it is used; None where unsure."""
    from errorfloor.questions.look import prediction_in
    from errorfloor.questions.models import goes_by_scores

    if labels.is_stdin or goes_by_scores(ask.choice.record):
        return None
    try:
        column = prediction_in([*labels.files], labels.where, labels.where.columns)
    except InputError:  # of which the reading itself speaks
        return None
    if column is not None:
        session.remark(f"using column {quoted(column)} as the model's predictions")
    return column


def check_model(
    model: ModelOptions,
    ask: Ask,
    labels: Labels,
    prediction: str | None = None,
    *,
    groups: bool = False,
) -> None:
    """Refuse half a model, and what leaves no verdict on it, before any file is read."""
    from errorfloor.questions.headroom import refuse_groups

    try:
        model.check(ask, prediction)
        if prediction is not None and not (groups and ask.choice.record.is_error):
            refuse_groups(labels.where.group)
    except InputError as error:
        proposed = [] if model.given or prediction is not None else _with_prediction(labels, ask)
        raise click.UsageError("\n  ".join([error.told(written), *proposed])) from error


def _with_prediction(labels: Labels, ask: Ask) -> Iterator[str]:
    """Yield the same command with the column that is called a model's predictions."""
    from errorfloor.questions.look import called_predictions_in
    from errorfloor.questions.models import goes_by_scores

    if labels.is_stdin or goes_by_scores(ask.choice.record):
        return
    with suppress(InputError, OSError):
        found = called_predictions_in([*labels.files], labels.where)
        if found:
            first, *others = found.items()
            yield " ".join([written(command(*first)), *(written(argument(*one)) for one in others)])


def compare_with_people(
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
    from errorfloor.questions.compare import ModelsAsk

    source = click.get_current_context().get_parameter_source("metric")
    return ModelsAsk.of(ask, is_named=source is not click.core.ParameterSource.DEFAULT)


def compare_models(
    labels: Labels, session: Session, prediction: Sequence[str] | None, ask: ModelsAsk
) -> Any:
    """Return which model is better; None where nothing says that models are to be compared.

    Models are columns of a file, or files with the same labels.
    """
    from errorfloor.data.models import models_in_columns

    where, several = labels.where, len({*labels.files}) > 1
    guess = None
    if prediction is None and not (several or labels.is_stdin or where.columns or where.format):
        guess = models_in_columns(labels.files[0])
    if guess is not None:
        prediction, label = guess
        labels = replace(labels, where=replace(where, columns={"label": label}))
        both = f"{quoted(label)} as the label and {quoted(prediction)} as what models predict"
        session.remark(f"using column {both}")
    if prediction is None and (not several or labels.is_stdin or where.group is not None):
        return None
    note_repeated_files(session, labels.files)
    if prediction is None:
        found = _models_in_files(labels, session, ask)
        source = None if found is None else found.source
        columns, guessed = ({}, ()) if source is None else (source.columns, source.guessed)
    else:
        found = _models_in_columns(labels, session, prediction, ask, is_guess=guess is not None)
        columns = {**labels.where.columns, "prediction": [*prediction]}
        guessed = () if guess is None else ("label", "prediction")
    if found is not None:
        session.about["input"] = {
            "files": labels.files,
            "layout": "models",
            "columns": columns,
            "guessed": [*guessed],
            "n": sum(one.n for one in each(found).values()),
            "dropped": found.dropped,
        }
    return found


def _models_in_files(labels: Labels, session: Session, ask: ModelsAsk) -> Any:
    """Return which model is better, each in a file; None where the labels of files differ."""
    from errorfloor.data.models import models_in_files
    from errorfloor.questions.compare import compared

    with session.step(f"reading {labels.name}"):
        found = models_in_files([*dict.fromkeys(labels.files)], labels.where)
    if found is None:
        return None
    session.remark(
        f"{' and '.join(labels.files)} have the same labels: they are read as models on the "
        "same items"
    )
    return compared(found, ask)


def _models_in_columns(
    labels: Labels, session: Session, prediction: Sequence[str], ask: ModelsAsk, *, is_guess: bool
) -> Any:
    """Return which model is better, each in a column."""
    from errorfloor.questions.compare import models_in

    with labels.paths(session) as paths, session.step("comparing models"):
        data = paths[0] if len(paths) == 1 else paths
        found = models_in(data, None, None, prediction, labels.where, ask)
    first: Any = next(iter(each(found).values()))
    if not is_guess and first.source.guessed:
        session.remark(f"using column {quoted(first.source.columns['label'])} as the label")
    if len(first.classes) == 2 and not first.measure.is_error:
        session.remark(f"class 1 = {first.classes[1]}; class 0 = {first.classes[0]}")
    return found


def feebee_of_features(labels: Labels, session: Session, ask: FeeBeeAsk) -> None:
    """Add noise to the labels of items with features, and show who follows it."""
    from errorfloor.data.features import read_items
    from errorfloor.questions.question import answer

    note_repeated_files(session, labels.files)
    with labels.paths(session) as paths, session.step(f"adding noise to {labels.name}"):
        ask = ask.checked(SCORES.kind)
        items = read_items(paths[0] if len(paths) == 1 else paths, None, ask.features, labels.where)
        found = answer(items.reading, replace(ask, items=items))
    session.answer(found)


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
