"""The program `errorfloor`: its commands by sections of the help, and its exit code."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import errorfloor
from errorfloor import __version__
from errorfloor._checks import InputError, either
from errorfloor.apps.cli import process
from errorfloor.apps.cli.building import (
    ASK_OF_ERROR,
    CLUSTER,
    FILE,
    GROUP,
    JOINED,
    METHODS,
    OLD_VERDICTS,
    PREDICTION,
    WEIGHT,
    Command,
    Group,
    VerdictName,
    column,
    complete_sets,
    destination,
    examples,
    listed,
    listed_each,
    option,
    options,
    report_suffixes,
    with_ask,
    with_labels,
    with_model,
    with_session,
)
from errorfloor.apps.cli.labels import (
    STDIN,
    Labels,
    answer_to,
    check_model,
    compare_models,
    compare_with_people,
    each,
    feebee_of_features,
    floor_or_verdict,
    guessed_prediction,
    models_ask,
    note_repeated_files,
    verdict_on_number,
)
from errorfloor.apps.cli.mcp import mcp
from errorfloor.apps.cli.messages import guesses, written
from errorfloor.apps.cli.session import SCHEMA, Failure, Session, complain, is_refuted
from errorfloor.data.columns import UnclearColumnsError
from errorfloor.data.formats import FORMATS
from errorfloor.data.layouts import (
    ANNOTATIONS,
    ANNOTATORS,
    LAYOUTS,
    RATED,
    RATER,
    RATING,
    SCORES,
    SOFT_LABELS,
    of_kind,
)
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import VoteTable
from errorfloor.questions.options import (
    ANSWER,
    ASK_OPTIONS,
    OF_LIMITS,
    OF_METRIC,
    OPTIONS_OF,
    PLAN_OPTIONS,
    RATING_OPTIONS,
    READING,
    Number,
    Whole,
)
from errorfloor.results.verdict import VERDICTS

if TYPE_CHECKING:
    from errorfloor.data.tables import Table
    from errorfloor.datasets.dataset import Dataset
    from errorfloor.questions.models import ModelOptions
    from errorfloor.questions.question import Ask
    from errorfloor.show.gates import Limit


# To start with.


@click.command(
    cls=Command,
    short_help="Run every method on simulated data whose true floor is known.",
    epilog=examples(
        "errorfloor demo", "errorfloor demo --save demo", "errorfloor demo --picture demo.svg"
    ),
)
@option(
    "--save",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Write small CSV files instead.",
)
@destination(
    lambda: (".svg", ".png", ".pdf"),
    names=["--picture"],
    required=False,
    help="Also draw the floors",
)
@with_session
def demo(session: Session, save: str | None, picture: Path | None) -> None:
    """Run every method on simulated data with a known floor, or save files to try things on.

    The scores of the demo are the true probabilities on a distorted scale. Their order is right, so
    no information is lost. Scores of your own model miss some of it, so they give an upper limit
    only.
    """
    from errorfloor.apps import demo

    if save is not None:
        paths = demo.save(save)
        session.show({"files": paths}, "\n".join(map(str, paths)), headline=False)
        session.remark(f"next: errorfloor estimate {paths[0]}")
        return
    with session.step("estimating by every method"):
        rows, floor = demo.run()
        many, its_floor = demo.run_five()
    result = {**rows.to_dict(), "true_floor": floor}
    result["five_classes"] = {**many.to_dict(), "true_floor": its_floor}
    text = f"{demo.text(rows, floor)}\n\n{demo.text_of_five(many, its_floor)}"
    session.show(result, text)
    if picture is not None:
        session.remark(f"wrote {demo.draw(rows, floor, picture)}")


@click.command(
    cls=Command,
    short_help="Show what a file holds and what to type next.",
    epilog=examples("errorfloor look demo/votes.csv", "errorfloor look demo/*.csv --json"),
)
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@options(*JOINED, listed("format"))
@with_session
def look(session: Session, files: tuple[str, ...], **how: Any) -> None:
    """Say what the columns of a file are, how they may be read, and what is wrong with them.

    Nothing is estimated. The last lines are commands to copy and paste.
    """
    from errorfloor.questions.look import looked_at

    labels = Labels(files, ReadOptions.of(**how), LAYOUTS)
    with labels.paths(session) as paths, session.step(f"looking at {labels.name}"):
        called = labels.name if labels.is_stdin else None
        found, _ = looked_at(paths, replace(labels.where, called=called), written, files)
    session.show(found.to_dict(), str(found), headline=False)


_EXTRA = "The page needs more ({}): pip install 'errorfloor[app]'."


@click.command(
    cls=Command,
    short_help="Open a page in the browser to drop files on.",
    epilog=examples("errorfloor app", "errorfloor app --no-browser"),
)
@option(
    "--port",
    metavar="PORT",
    kind=Whole(0, 65535),
    default=0,
    help="Where the page is served, on this machine only; any free port by default.",
)
@option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@with_session
def app(session: Session, port: int, no_browser: bool) -> None:
    """Open a page in the browser: drop a file, see the answer, change the settings.

    Nothing leaves this machine: the server listens on 127.0.0.1 only, its address holds a secret,
    and files are deleted when the page is closed or the server ends. Ctrl-C ends it.
    """
    try:
        from errorfloor.apps.web.server import serve
    except ImportError as error:
        raise Failure(_EXTRA.format(error)) from error

    def say(address: str) -> None:
        session.show({"address": address}, address, headline=False)
        session.remark("Ctrl-C ends the app and deletes what was uploaded")

    process.keep_running()
    serve(port, say, browser=not no_browser)


# How good any model can get.

FLOOR, CEILING = "--fail-if-floor-above", "--fail-if-ceiling-below"
ROOM_ABOVE = "--fail-if-room-above"
_LOW = {FLOOR: "fail_if_floor_above", "--fail-above": "fail_above"}
_HIGH = {CEILING: "fail_if_ceiling_below", "--fail-below": "fail_below"}
_EITHER = {"--attainable": "attainable"}
_VALUE = Number(0, percent=True, name="value")

LIMITS = options(
    option(
        FLOOR,
        metavar="VALUE",
        kind=_VALUE,
        help="Exit with code 3 if the estimate of the lowest possible error (or --metric) is above "
        "this, such as 10%. For scores, the upper limit is compared instead.",
    ),
    option(
        CEILING,
        metavar="VALUE",
        kind=_VALUE,
        help="Exit with code 3 if the estimate of the best possible accuracy (or --metric) is "
        "below this, such as 90%. For scores, the lower limit is compared instead.",
    ),
    *(
        option(name, metavar="VALUE", kind=_VALUE, hidden=True)
        for name in (_LOW | _HIGH | _EITHER)
        if name not in (FLOOR, CEILING)
    ),
)
REQUIRE = options(
    option(
        "--fail-unless",
        "require",
        metavar="VERDICT",
        type=VerdictName(),
        multiple=True,
        help=lambda: (
            f"Exit with code 3 unless the verdict is this one: {either(VERDICTS)} (see "
            "above). Repeat the option to accept several; saturated also accepts matches, and "
            "beyond also accepts better. Where the data cannot tell, saturated is met; "
            f"{ROOM_ABOVE} does not."
        ),
    ),
    option(
        ROOM_ABOVE,
        metavar="VALUE",
        kind=_VALUE,
        help="Exit with code 3 unless the upper limit of how much worse the model is than the best "
        "possible value is at most this, such as 2%. For scores without --complete "
        "no such limit is known.",
    ),
    option(
        "--require", "required", metavar="VERDICT", type=VerdictName(), multiple=True, hidden=True
    ),
)


def limit_of(session: Session, ask: Ask, limits: Mapping[str, float | None]) -> Limit | None:
    """Return the limit that was given by any name of the option, if the metric can have it."""
    from errorfloor.show.gates import Limit

    metric = ask.choice.record
    given = {
        name: limits[key]
        for name, key in (_LOW | _HIGH | _EITHER).items()
        if limits[key] is not None
    }
    if len(given) > 1:
        first, second, *_ = given
        raise click.UsageError(f"Give {first} or {second}, not both.")
    if not given:
        return None
    ((name, limit),) = given.items()
    assert limit is not None
    usual = FLOOR if metric.less_is_better else CEILING
    if name == CEILING and metric.opposite:
        _check_fraction(name, limit)
        return Limit(limit, is_opposite=True)
    if name in (_HIGH if metric.less_is_better else _LOW):
        better = "lower" if metric.less_is_better else "higher"
        raise click.UsageError(
            f"{name} does not fit {metric.words}, of which {better} is better. Use {usual}."
        )
    if "costs" not in metric.needs and not metric.unit:
        _check_fraction(name, limit)
    if name not in (FLOOR, CEILING):
        session.remark(f"{name} is called {usual} now")
    return Limit(limit)


def _check_fraction(name: str, limit: float) -> None:
    if limit > 1:
        meant = f" {limit:g} % is {limit / 100:g}." if limit <= 100 else ""
        message = f"{limit:g} is not between 0 and 1.{meant}"
        raise click.BadParameter(message, param_hint=f"'{name}'")


def unattainable(session: Session, floors: Any, limit: Limit) -> str | None:
    """Say which best possible values are worse than the limit; None if none is."""
    from errorfloor.show import gates

    unmet = gates.unattainable(floors, limit)
    session.about["passed"] = unmet is None
    return unmet


def verdicts_of(
    session: Session, require: Collection[str], required: Collection[str]
) -> tuple[str, ...]:
    """Return the verdicts that were required by either name, by their names of today."""
    if required:
        session.remark("--require is called --fail-unless now")
    require = (*require, *required)
    for old, new in OLD_VERDICTS.items():
        if old in require:
            session.remark(f"{old} is called {new} now")
    return tuple(dict.fromkeys(OLD_VERDICTS.get(one, one) for one in require))


def refused(
    session: Session, verdicts: Any, require: Collection[str], most: float | None = None
) -> str | None:
    """Say what is not as required: other verdicts, or more that may remain; None if all is."""
    if not require and most is None:
        return None
    from errorfloor.show import gates

    found = [gates.refused(verdicts, require) if require else None]
    if most is not None:
        found.append(gates.too_much_left(verdicts, most))
    told = "; ".join(one.rstrip(".") for one in found if one)
    unmet = f"{told}." if told else None
    session.about["passed"] = unmet is None
    doubt = gates.passed_in_doubt(verdicts, require) if most is None else None
    if doubt is not None:
        session.about["gate"] = f"{doubt} To limit what may remain, use {ROOM_ABOVE}."
    return unmet


@click.command(
    cls=Command,
    short_help="Estimate the best possible value on your data.",
    epilog=examples(
        "errorfloor estimate demo/scores.csv",
        "errorfloor estimate demo/scores.csv --score score --label label --method beta --json",
        "errorfloor estimate demo/votes.csv --votes positives --total total",
        "errorfloor estimate demo/annotations.csv --item item --annotator annotator --vote vote",
        "errorfloor estimate demo/annotators.csv --annotators ann,bob,eve",
        "errorfloor estimate demo/scores.csv --group batch --simultaneous",
        "errorfloor estimate demo/soft_labels.csv --soft soft_label --level 0.9",
        "errorfloor estimate demo/soft_labels.csv --metric auc",
        "cat demo/scores.csv | errorfloor estimate - --fail-if-floor-above 20%",
    ),
)
@with_labels(LAYOUTS, groups=True, weights=True, unlabelled=True, complete=True)
@with_ask(*ASK_OPTIONS, "simultaneous")
@LIMITS
@with_session
def estimate(session: Session, labels: Labels, ask: Ask, **limits: float | None) -> None:
    """Estimate how good any model can get on your data: by default, the lowest possible error.

    Columns are guessed where their names leave no doubt, and the guess is shown.
    """
    from errorfloor.questions.question import answer

    labels.check_simultaneous(ask.simultaneous)
    limit = limit_of(session, ask, limits)
    try:
        reading = labels.read(session)
    except UnclearColumnsError:
        if not _answered_as_ratings(labels, session):
            raise
        return
    with session.step("estimating"):
        floor = answer(reading, ask)
    unmet = None if limit is None else unattainable(session, floor, limit)
    session.answer(floor, unmet=unmet)
    if sys.stdout.isatty() and not (session.as_json or session.quiet):  # for people only
        from errorfloor.show.next_steps import in_lines  # the start is quick

        for line in in_lines(floor):
            session.remark(line)


def _answered_as_ratings(labels: Labels, session: Session) -> bool:
    """Answer as `ratings` does where a file holds ratings, and nothing but the file was named."""
    context = click.get_current_context()
    plain = {"--json", "-q", "--quiet", "estimate", *labels.files}
    if len(labels.files) != 1 or labels.is_stdin or set(session.arguments) - plain:
        return False
    from errorfloor.questions.look import ratings_in

    if ratings_in(labels.files[0]) is None:
        return False
    session.remark(
        f"these are ratings, so this is the same as `errorfloor ratings {labels.files[0]}`"
    )
    flags = {"--json": session.as_json, "--quiet": session.quiet}
    typed = [*(flag for flag, is_set in flags.items() if is_set), "--", labels.files[0]]
    with ratings.make_context("ratings", typed, parent=context.parent) as own:
        ratings.invoke(own)
    return True


@click.command(
    cls=Command,
    short_help="Find out whether a model can still improve.",
    epilog=examples(
        "errorfloor headroom demo/scores.csv --model-errors 98 --test-items 1000",
        "errorfloor headroom demo/scores.csv --model-error 0.1 --test-items 900 --fail-unless room",
        "errorfloor headroom 5% --model-errors 98 --test-items 1000",
        "errorfloor headroom demo/soft_labels.csv --metric auc --model-value 0.93 --test-items 900",
        "errorfloor headroom demo/soft_labels.csv --metric f1 --confusion '480,40;60,420'",
    ),
)
@with_labels(LAYOUTS, groups=True, weights=True, unlabelled=True, complete=True)
@PREDICTION
@with_model
@with_ask()
@REQUIRE
@with_session
def headroom(
    session: Session,
    labels: Labels,
    prediction: str | None,
    model: ModelOptions,
    ask: Ask,
    require: tuple[str, ...],
    required: tuple[str, ...],
    fail_if_room_above: float | None,
) -> None:
    """Find out whether a model can still improve, is at the limit, or looks too good to be true.

    The verdict is "room" (it can improve), "saturated" (no room was found) or "beyond" (too good to
    be true). Scores and features give one limit only; without --complete the verdict from them is
    "room", "matches" (as good as the best rule on these scores) or "better" (better than that
    rule). "open" means that nothing can be said.

    With --group, the model is compared with the best possible value of each group. With
    --prediction, the model is tested on the items of FILE, and paired tests show whether a rule on
    the scores is better. For auc, average-precision, brier, log-loss and the metrics of coverage,
    --prediction names the model's scores. Instead of a file you may give a known floor, such as
    0.05 or 5%.
    """
    verdicts = verdicts_of(session, require, required)
    if fail_if_room_above is not None and "costs" not in ask.choice.record.needs:
        _check_fraction(ROOM_ABOVE, fail_if_room_above)
    verdict, guessed = None, None
    if prediction is None and not model.given:
        prediction = guessed = guessed_prediction(labels, session, ask)
    if prediction is None:
        check_model(model, ask, labels)
        verdict = verdict_on_number(labels, model, ask)
    if verdict is None:
        verdict = floor_or_verdict(labels, session, ask, model, prediction, groups=True)
    if guessed is not None:
        session.about["input"]["guessed"] += ("prediction",)
    session.answer(verdict, unmet=refused(session, verdict, verdicts, fail_if_room_above))


@click.command(
    cls=Command,
    short_help="Find out how many people each model or LLM judge is worth.",
    epilog=examples(
        "errorfloor people demo/annotations.csv",
        "errorfloor people demo/models.csv --prediction careful,hasty",
        "errorfloor people demo/models.csv --prediction careful --panels 1,3,9 --json",
        "errorfloor people demo/models.csv --prediction careful,hasty -o people.html",
    ),
)
@with_labels(of_kind(VoteTable.kind))
@listed_each("prediction", "panels", of=OPTIONS_OF["people"])
@listed_each("totals_by", "stopping")
@listed("epsilon", OPTIONS_OF["people"])
@listed("level")
@destination(
    report_suffixes,
    required=False,
    help="Write a report with a curve of agreement against panel size",
)
@with_session
def people(
    session: Session,
    labels: Labels,
    prediction: list[str] | None,
    panels: Any,
    epsilon: float,
    output: Path | None,
    **how: Any,
) -> None:
    """Find out how often people agree, and how many people a model is worth.

    A model is worth r people if it matches another person's answer as often as the majority of r
    people does. Without --prediction, only people are compared. If the file says who
    gave each vote, and enough people voted, the intervals also hold for new annotators of the
    same kind. The exit code is 4 if the predictions were made from these votes.
    """
    from errorfloor.questions.people import as_panels
    from errorfloor.questions.question import Ask

    asked = {"panels": as_panels(panels), "epsilon": epsilon}
    found = compare_with_people(labels, session, prediction or (), Ask(**how), **asked)
    write_report(session, found, output, from_stdin=labels.is_stdin)
    session.answer(found, output=output)


@click.command(
    cls=Command,
    short_help="Compare the floors of two files.",
    epilog=examples(
        "errorfloor difference demo/votes.csv demo/annotations.csv",
        "errorfloor difference demo/votes.csv demo/annotations.csv --dependent --json",
    ),
)
@with_labels(LAYOUTS)
@option(
    "--independent/--dependent",
    default=None,
    section=ANSWER,
    help="Whether the two files hold different, independent items; independent by default.",
)
@with_ask()
@with_session
def difference(session: Session, labels: Labels, ask: Ask, independent: bool | None) -> None:
    """Show by how much the floor of the first file is above that of the second.

    Columns are guessed separately in each file; those that you name are used in both.
    """
    from errorfloor.questions.difference import difference

    if len(labels.files) != 2:
        raise click.UsageError(f"Name two files to compare, got {len(labels.files)}.")
    floors, inputs = [], []
    for file in labels.files:
        floors.append(answer_to(replace(labels, files=(file,)), session, ask))
        inputs.append(session.about["input"])
    session.about["input"] = inputs
    if not all(floor.claim.any_model for floor in floors):
        lines = [shlex.join(("errorfloor", "estimate", file)) for file in labels.files]
        raise InputError(
            "Scores give only an upper limit of a floor, because another model may see more. So "
            "they do not tell by how much two floors differ; votes and true probabilities do. To "
            "compare two models on the same items, or to look at each file by itself:\n  ",
            "\n  ".join([shlex.join(("errorfloor", "compare", *labels.files)), *lines]),
        )
    found = difference(*floors, independent=independent, level=ask.level)
    session.answer(found)


@click.command(
    cls=Command,
    short_help="Find out how good a model of ratings can get.",
    epilog=examples(
        "errorfloor ratings demo/ratings.csv --metric qwk",
        "errorfloor ratings demo/ratings.csv --prediction model --label mean",
        "errorfloor ratings demo/ratings.csv --no-rater --interval certified --scale 1,6 --json",
    ),
)
@click.argument("file", metavar="FILE", type=FILE)
@options(*map(column, (RATED, RATING, RATER)))
@listed_each("ratings", "prediction", of=RATING_OPTIONS)
@options(WEIGHT, CLUSTER, GROUP)
@listed("rater", RATING_OPTIONS, parameter="shared")
@option(
    "--no-rater",
    is_flag=True,
    section=READING,
    help="Ignore who gave each rating, whatever the columns are called.",
)
@listed_each("missing", "drop_missing")
@listed_each("metric", "label", "raters", "scale", "interval", of=RATING_OPTIONS)
@listed_each("level", "rng")
@destination(report_suffixes, required=False, help="Write a report")
@with_session
def ratings(
    session: Session,
    file: str,
    output: Path | None,
    prediction: str | None,
    shared: bool,
    no_rater: bool,
    rng: int,
    **asked: Any,
) -> None:
    """Estimate how good any model can get on the ratings in FILE.

    Ratings of an item are in several rows, in several columns, or in one column of lists such as
    5;6;3. How well people agree is not the ceiling: a model can do better than one person.
    """
    from errorfloor.questions.rated import model_beside_ratings
    from errorfloor.questions.ratings import from_ratings

    _refuse_stdin(file)
    if shared and no_rater:
        raise click.UsageError("--shared and --no-rater contradict each other. Give one of them.")
    if shared or no_rater:
        if asked["rater"] is not None:
            raise click.UsageError("--rater names a column: leave out --shared and --no-rater.")
        asked["rater"] = shared
    with session.step(f"reading {file}"):
        if prediction is not None:
            found = model_beside_ratings(file, prediction=prediction, **asked)
        else:
            found = from_ratings(file, rng=rng, **asked)
    one = next(iter(each(found).values()))
    source = getattr(one, "floor", one).source
    if source is not None and source.guessed:
        session.remark(guesses(source))
    write_report(session, found, output)
    session.answer(found, output=output)


@click.command(
    cls=Command,
    short_help="Find out which of several models is better.",
    epilog=examples(
        "errorfloor compare demo/predictions.csv --label label --prediction old,new",
        "errorfloor compare demo/predictions.csv --prediction old,new -o models.html",
        "errorfloor compare demo/predictions.csv --prediction old,new --metric f1 --json",
        "errorfloor compare demo/scores.csv",
        "errorfloor compare demo/scores.csv --method isotonic --method beta --json",
        "errorfloor compare demo/scores.csv --method isotonic --method platt --group batch",
    ),
)
@with_labels([SCORES], groups=True, weights=True, unlabelled=True, complete=True)
@listed(
    "prediction",
    OPTIONS_OF["people"],
    help="Columns with predictions, one for each model: classes, or scores of class 1.",
)
@listed_each(*OF_METRIC)
@METHODS
@listed_each(*OF_LIMITS)
@destination(report_suffixes, required=False, help="Write a report")
@with_session
def compare(
    session: Session,
    labels: Labels,
    prediction: list[str] | None,
    methods: tuple[str, ...],
    output: Path | None,
    **how: Any,
) -> None:
    """Say which model is better, from their predictions for the same labelled items.

    The models are columns of one file (--prediction), or files with the same labels. Models are
    compared item by item, so the interval of their difference is paired. If the items are too few
    to tell, the answer says how many are needed. If no models are named, estimate the floor by
    several methods, from scores and one label per item.
    """
    from errorfloor.questions.compare import CompareAsk

    ask = CompareAsk(methods=methods or None, **how)
    found = None
    if prediction is not None or not methods:
        found = compare_models(labels, session, prediction, models_ask(ask))
    found = answer_to(labels, session, ask, "comparing") if found is None else found
    write_report(session, found, output, from_stdin=labels.is_stdin)
    session.answer(found, output=output)


@click.command(
    cls=Command,
    short_help="Estimate an upper limit of the floor from features.",
    epilog=examples(
        "errorfloor features demo/scores.csv --label label --duplicates all -o features.html",
        "errorfloor features demo/scores.csv --label label --duplicates first --method 1nn --json",
    ),
)
@click.argument("file", metavar="FILE", type=FILE)
@listed_each("label", "features", "cluster", of=OPTIONS_OF["features"])
@listed_each("classes", "drop_missing")
@listed_each("duplicates", "method", "device", of=OPTIONS_OF["features"])
@listed_each("level", "rng")
@destination(report_suffixes, required=False, help="Write a report")
@with_session
def features(session: Session, file: str, output: Path | None, **asked: Any) -> None:
    """Give an upper limit of the floor, from the features and labels in FILE.

    Models predict each item after learning from earlier ones only. For each item, only the
    prediction of the model that was best so far is counted.
    There is no lower limit: that needs several votes per item.
    """
    from errorfloor.questions.features import from_features

    _refuse_stdin(file)
    with session.step(f"predicting {file}"):
        found = from_features(file, **asked)
    write_report(session, found, output)
    session.answer(found, output=output)


def _refuse_stdin(file: str) -> None:
    """Refuse standard input where a file is read more than once."""
    if file == STDIN:
        raise click.UsageError("This command needs a file: save standard input to one first.")


def write_report(
    session: Session, found: Any, output: Path | None, *, from_stdin: bool = False
) -> None:
    """Write a report on an answer where a file for it was named."""
    if output is not None:
        from errorfloor.show.report import report

        with session.step("writing"):
            report(found, output, command=session.shell_command if from_stdin else None)


@click.command(
    cls=Command,
    in_order=("agree", "pairs"),
    short_help="Show which floors a published agreement rate allows.",
    epilog=examples(
        "errorfloor agreement --agree 460 --pairs 500",
        "errorfloor agreement --agree 92% --pairs 500 --share 0.3",
        "errorfloor agreement --kappa 0.7 --share 0.3 --share 0.35 --pairs 500 --json",
        "errorfloor agreement --qwk 0.6 --n 300",
    ),
)
@listed_each(*OPTIONS_OF["agreement"], of=OPTIONS_OF["agreement"])
@listed_each("interval", "level")
@with_session
def agreement(session: Session, share: tuple[float, ...], **asked: Any) -> None:
    """Estimate the floor from how many pairs of votes agree, for two classes.

    With --icc, --qwk or --pearson, estimate the ceiling from how well two people's ratings agree.
    """
    from errorfloor.questions.agreement import from_agreement

    of_ratings = any(asked[name] is not None for name in ("icc", "qwk", "pearson"))
    of_votes = any(asked[name] is not None for name in ("agree", "kappa", "alpha"))
    if not (of_votes or of_ratings):
        raise click.UsageError(
            "Give the agreement: --agree, --kappa or --alpha of votes, with --pairs; or --icc, "
            "--qwk or --pearson of ratings, with --n. Such as:\n  errorfloor agreement --agree 92% "
            "--pairs 500\n  errorfloor agreement --qwk 0.6 --n 300"
        )
    if asked["pairs"] is None and not of_ratings:
        raise click.UsageError("Missing option '--pairs': how many pairs of votes were compared.")
    shares = None if not share else share[0] if len(share) == 1 else share
    with session.step("estimating"):
        found = from_agreement(**asked, share=shares)
    session.answer(found)


# What to collect next, and what is hard.


@click.command(
    cls=Command,
    short_help="Find out which labels to buy next.",
    epilog=examples(
        "errorfloor plan demo/votes.csv --target 0.05 --cost-per-item 0.1 --cost-per-vote 0.05",
        "errorfloor plan demo/votes.csv --budget 2000 --cost-per-item 1 --cost-per-vote 0.5",
        "errorfloor plan demo/scores.csv --target 0.01 --json",
    ),
)
@with_labels(
    [layout for layout in LAYOUTS if layout is not SOFT_LABELS], groups=True, complete=True
)
@listed_each(*PLAN_OPTIONS, *OF_METRIC, "level")
@with_session
def plan(session: Session, labels: Labels, **how: Any) -> None:
    """From a pilot of votes, or of scores with labels, say which labels to buy next."""
    from errorfloor.questions.plan import PlanAsk

    show_without_count(session, answer_to(labels, session, PlanAsk(**how), "planning"))


@click.command(
    cls=Command,
    short_help="Choose which items to label next to the scores of a model or judge.",
    epilog=examples(
        "errorfloor label demo/scores.csv --score score --budget 100 -o to_label.csv",
        "errorfloor label demo/scores.csv --score score --width 0.05",
    ),
)
@with_labels([SCORES])
@listed_each(*OPTIONS_OF["label"], of=OPTIONS_OF["label"])
@destination(lambda: (".csv",), required=False)
@listed_each("level", "rng")
@with_session
def label(
    session: Session, labels: Labels, at_random: bool, output: Path | None, **how: Any
) -> None:
    """Choose which items to label: more of those with uncertain scores. Weights correct for this.

    --score names the scores, and --label the labels that you have, if any. The file that is
    written has the number of each row, its probability of being chosen and its weight.
    """
    from errorfloor.questions.plan_labels import of_files

    with labels.paths(session) as paths, session.step("planning"):
        found = of_files(paths, labels.where, by_score=not at_random, **how)
    _show_rows(session, found, output)


def _show_rows(session: Session, found: Any, output: Path | None, *more: str) -> None:
    """Show what has a row for each item, and write it as CSV where that is asked for."""
    wrote = () if output is None else (f"Wrote {found.to_csv(output)}.",)
    text = "\n".join([str(found), *more, *wrote])
    session.show({**found.to_dict(), "output": output}, text, headline=False)


@click.command(
    cls=Command,
    short_help="Show which items contribute most to the floor.",
    epilog=examples(
        "errorfloor items demo/votes.csv -o items.csv",
        "errorfloor items demo/annotations.csv --item item --vote vote --json",
    ),
)
@with_labels(of_kind(VoteTable.kind))
@destination(lambda: (".csv",), required=False)
@option(
    "--symmetric/--not-symmetric",
    default=None,
    help="Treat both classes the same way, or not; by default, whatever fits the votes.",
)
@with_session
def items(session: Session, labels: Labels, output: Path | None, symmetric: bool | None) -> None:
    """Show for each item how probable class 1 is, and how often even the best model errs on it.

    Where a row is an item, --item may name the column with its id; usual names are found.
    """
    from errorfloor.data.items import KeptVotes
    from errorfloor.questions.items import of_reading, with_names
    from errorfloor.show.text import left_out

    keeper = KeptVotes()
    reading = with_names(
        labels.where,
        lambda how: replace(labels, where=how, layouts=keeper.layouts).read(session),
    )
    with session.step("fitting"):
        found = of_reading(reading, keeper, symmetric)
    _show_rows(session, found, output, *left_out(found.dropped, reading.source))


@click.command(
    cls=Command,
    short_help="Show which classes are confused most.",
    epilog=examples(
        "errorfloor confusion demo/class_scores.csv",
        "errorfloor confusion demo/class_votes.csv -o pairs.csv --json",
    ),
)
@with_labels(LAYOUTS, complete=True)
@with_ask(*ASK_OF_ERROR)
@destination(lambda: (".csv",), required=False, help="Write a row for each pair of classes")
@with_session
def confusion(session: Session, labels: Labels, ask: Ask, output: Path | None) -> None:
    """Show which classes are confused most often.

    From votes and true probabilities these are the confusions that no model avoids; from scores,
    those of the best rule on these scores.
    """
    from errorfloor.questions.confusion import confusion_of

    floor = answer_to(labels, session, ask)
    found = confusion_of(floor)
    _write_csv(found, output)
    session.answer(found, output=output, refuted=is_refuted(floor))


def _write_csv(found: Any, output: Path | None) -> None:
    if output is not None:
        from errorfloor.show.exports import write_csv

        write_csv(found, output)


@click.command(
    cls=Command,
    short_help="Show how each annotator affects the estimate.",
    epilog=examples(
        "errorfloor annotators demo/annotations.csv",
        "errorfloor annotators demo/annotators.csv --annotators ann,bob,eve -o people.csv",
    ),
)
@with_labels([ANNOTATIONS, ANNOTATORS])
@listed("level")
@destination(lambda: [".csv"], required=False, help="Write a row for each annotator")
@with_session
def annotators(session: Session, labels: Labels, level: float, output: Path | None) -> None:
    """Say how each annotator votes, and what the floor is without those who may be guessing."""
    from errorfloor.data.read_rows import ballots_of
    from errorfloor.questions.annotators import annotators_of

    reading, ballots = labels.read_and(session, ballots_of)
    with session.step("looking at annotators"):
        found = annotators_of(reading, ballots, level)
    _write_csv(found, output)
    session.answer(found, output=output)


@click.command(
    cls=Command,
    short_help="Test methods by adding known noise to labels.",
    epilog=examples(
        "errorfloor feebee demo/scores.csv --model-error 0.1 --method isotonic --method beta",
        "errorfloor feebee demo/scores.csv --metric auc --model-value 0.95 --method isotonic",
        "errorfloor feebee demo/scores.csv --label label --features score --model-error 0.1",
    ),
)
@with_labels([SCORES], groups=True)
@listed_each("features", "model_error", "model_value", "metric", "means", of=OPTIONS_OF["feebee"])
@METHODS
@listed_each("levels", "repeats", of=OPTIONS_OF["feebee"])
@listed("clip")
@listed("device", OPTIONS_OF["feebee"])
@listed("rng")
@with_session
def feebee(session: Session, labels: Labels, methods: tuple[str, ...], **how: Any) -> None:
    """Add known noise to the labels, and score how far off each method is; lower is better.

    With --features, the classic methods 1nn, knn-K, ghp and noshad are tested. With --features and
    --score, the methods for scores are tested as well.
    """
    from errorfloor.questions.feebee import FeeBeeAsk

    if how["model_error"] is None and how["model_value"] is None:
        raise click.UsageError("Missing option '--model-error', or '--model-value' for AUC.")
    ask = FeeBeeAsk(methods=methods or None, **how)
    if ask.features is not None:
        feebee_of_features(labels, session, ask)
        return
    show_without_count(session, answer_to(labels, session, ask, "adding noise"))


def show_without_count(session: Session, result: Any) -> None:
    """Show a result that does not say by itself how many items were left out."""
    from errorfloor.results import Groups
    from errorfloor.show.text import left_out

    read = session.about["input"]
    gone = [] if isinstance(result, Groups) else left_out(read["dropped"], read)
    session.answer(result, more=gone)


# To pass answers and tables on.


@click.command(
    cls=Command,
    short_help="Write a report as HTML, Markdown or JSON.",
    epilog=examples(
        "errorfloor report demo/votes.csv",
        "errorfloor report demo/scores.csv -o report.html",
        "errorfloor report demo/scores.csv --model-errors 98 --test-items 1000 -o report.md",
        "errorfloor report demo/scores.csv --group batch --simultaneous -o groups.html",
    ),
)
@with_labels(LAYOUTS, groups=True, weights=True, unlabelled=True, complete=True)
@destination(report_suffixes, required=False)
@option("--title", metavar="TEXT", help="Heading of the report.")
@option("--theory", is_flag=True, help="Also draw how far a simple count of the votes can be off.")
@PREDICTION
@with_model
@with_ask(*ASK_OPTIONS, "simultaneous")
@with_session
def report(
    session: Session,
    labels: Labels,
    model: ModelOptions,
    ask: Ask,
    prediction: str | None,
    output: Path | None,
    title: str | None,
    theory: bool,
) -> None:
    """Write a report on the floor, and on where a model stands if you give its errors.

    Without -o the report of votes.csv is votes-report.html, in the current folder. With --group,
    the floors of all groups are in one report.
    """
    from errorfloor.show.report import report

    labels.check_simultaneous(ask.simultaneous)
    if model.given and labels.where.group is not None:
        raise click.UsageError(
            "A report on groups has no model: leave out --group, or the model's errors. "
            "errorfloor headroom compares a model with the floor of each group."
        )
    result = floor_or_verdict(labels, session, ask, model, prediction, compare=True)
    with session.step("writing"):
        # Files can be read again by what the result says; of standard input nothing is left.
        command = session.shell_command if labels.is_stdin else None
        output = output or labels.output_file("-report.html")
        report(result, output, title=title, command=command, theory=theory)
    session.answer(result, output=output)


@click.command(
    cls=Command,
    short_help="Draw the answer as a card to share.",
    epilog=examples(
        "errorfloor card demo/votes.csv",
        "errorfloor card demo/votes.csv --model-errors 98 --test-items 1000 -o card.png --dark",
    ),
)
@with_labels(LAYOUTS, weights=True, unlabelled=True, complete=True)
@destination(lambda: (".svg", ".png"), required=False)
@option(
    "--title",
    metavar="TEXT",
    help="First line of the card; by default the name of the file and its number of items.",
)
@option("--dark", is_flag=True, help="For dark pages.")
@PREDICTION
@with_model
@with_ask()
@with_session
def card(
    session: Session,
    labels: Labels,
    model: ModelOptions,
    ask: Ask,
    prediction: str | None,
    output: Path | None,
    title: str | None,
    dark: bool,
) -> None:
    """Draw the best possible value, and your model next to it, as a picture to share.

    Without -o the card of votes.csv is votes-card.svg, in the current folder.
    """
    from errorfloor.show.card import card

    result = floor_or_verdict(labels, session, ask, model, prediction, compare=True)
    if is_refuted(result):
        session.show(result.to_dict(), result.sentence, refuted=True)
    output = output or labels.output_file("-card.svg")
    card(result, output, title=title, dark=dark)
    session.show(result.to_dict(), result.sentence, output=output)


with_table = destination(lambda: [kind.suffixes[0] for kind in FORMATS if kind.holds_tables])


@click.command(
    cls=Command,
    short_help="Count labels into a table that can be shared.",
    epilog=examples(
        "errorfloor count demo/scores.csv -o scores.npz", "errorfloor estimate scores.npz"
    ),
)
@with_labels(LAYOUTS, weights=True, unlabelled=True)
@with_table
@with_session
def count(session: Session, labels: Labels, output: Path) -> None:
    """Count labels into a table. All commands read such tables, and `merge` adds them up.

    A table has one row for each distinct score, soft label or number of votes, and nothing else
    about the items.
    """
    table = labels.read(session).table
    table.save(output)
    _show_table(session, table, output)


@click.command(
    cls=Command,
    short_help="Add up tables.",
    epilog=examples(
        "errorfloor count demo/votes.csv -o first.npz",
        "errorfloor count demo/annotations.csv -o second.npz",
        "errorfloor merge first.npz second.npz -o both.npz",
    ),
)
@click.argument("tables", metavar="TABLE...", type=FILE, nargs=-1, required=True)
@with_table
@with_session
def merge(session: Session, tables: tuple[str, ...], output: Path) -> None:
    """Add up tables that `count` wrote, as if all items had been counted at once."""
    from errorfloor.data.files import merge

    note_repeated_files(session, tables)
    with session.step("adding up"):
        table = merge(tables)
    table.save(output)
    _show_table(session, table, output)


def _show_table(session: Session, table: Table, output: Path) -> None:
    """Say what a table holds and where it was written."""
    from errorfloor.show.text import left_out

    kind = type(table).__name__
    result = {"output": output, "kind": kind, "n": table.n, "rows": len(table)}
    text = f"Wrote {output}: {table.n:,} items, stored as {len(table):,} different rows ({kind})."
    text = "\n".join([text, *left_out(table.dropped, {})])
    session.show({**result, "dropped": table.dropped}, text)


# And more.


@click.command(
    cls=Command,
    short_help="List the metrics and what data each needs.",
    epilog=examples("errorfloor metrics"),
)
@with_session
def metrics(session: Session) -> None:
    """List the metrics: for how many classes, what they need, and from which data."""
    from errorfloor.show import grids

    session.show({"metrics": grids.metrics_as_dicts()}, grids.metrics_as_text(), headline=False)


@click.group(cls=Group, epilog=examples("errorfloor data list", "errorfloor data path"))
def data() -> None:
    """Download real data sets to try."""


@data.command("list", epilog=examples("errorfloor data list"))
@with_session
def list_sets(session: Session) -> None:
    """List the sets."""
    from errorfloor.datasets.catalogue import SETS

    sets = [one for one in SETS if one.items]
    names = ("name", "items", "votes", "positive")
    rows = [{**{name: getattr(one, name) for name in names}, "here": one.is_here} for one in sets]
    lines = [f"{'name':<18}  {'items':>6}  {'votes per item':>14}  {'class 1':<20}  here"]
    lines += [
        f"{one.name:<18}  {one.items:>6}  {one.votes:>14}  {one.positive:<20}  "
        f"{'yes' if one.is_here else 'no'}"
        for one in sets
    ]
    parts = [one.name for one in SETS if not one.items]
    lines.append(f"{parts[0]} to {parts[-1]} are its single years.")
    session.show({"sets": rows}, "\n".join(lines))


@data.command(epilog=examples("errorfloor data fetch cifar10h --save cifar10h.csv"))
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=complete_sets)
@option("--save", metavar="FILE", help="Write the set as CSV, for the other commands.")
@with_session
def fetch(session: Session, names: tuple[str, ...], save: str | None) -> None:
    """Download data sets into the cache if they are not there yet, and check them.

    Nothing is downloaded if the environment variable ERRORFLOOR_DATA names a folder.
    """
    from errorfloor.datasets import catalogue

    sets = [catalogue.called(name) for name in names]
    if save is not None and len(sets) > 1:
        raise click.UsageError("--save takes one set.")
    rows, lines = [], []
    for one in sets:
        with session.quiet_libraries():
            content = one.load()
        about = {"name": one.name, "n": content.n}
        about |= {"licence": content.licence, "citation": content.citation}
        rows.append({**about, "files": one.paths()})
        lines += [f"{content.name}: {content.n:,} items, {content.licence}"]
        lines += map(str, one.paths())
        if save is not None:
            save_csv(content, save)
            lines.append(f"wrote {save}")
    session.show({"sets": rows, "saved": save}, "\n".join(lines), headline=False)


@data.command(epilog=examples("errorfloor data path"))
@click.argument("name", required=False, shell_complete=complete_sets)
@with_session
def path(session: Session, name: str | None) -> None:
    """Print the paths of the files of a data set; without NAME, the folder of all data sets."""
    from errorfloor.datasets import catalogue

    if name is None:
        folder = catalogue.folder()
        session.show({"folder": folder}, str(folder), headline=False)
        return
    one = catalogue.called(name)
    if not one.is_here:
        raise ValueError(f"{name} is not here yet: errorfloor data fetch {name}")
    session.show({"files": one.paths()}, "\n".join(map(str, one.paths())), headline=False)


def save_csv(content: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a set as CSV: id, score, label, and the votes if it has any."""
    from errorfloor.data.storage import write_csv

    columns: dict[str, list[object]] = {
        "id": content.ids.tolist(),
        "score": content.scores.tolist(),
        "label": content.labels.astype(int).tolist(),
    }
    if content.votes is not None:
        columns |= {"positives": content.positives.tolist(), "total": content.totals.tolist()}
    write_csv(path, list(columns), zip(*columns.values(), strict=True))


@click.command(
    cls=Command,
    short_help="Draw the figures of the paper again (from a clone).",
    epilog=examples("errorfloor paper figure-2 --out paper"),
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("paper"),
    help="Folder to write to; by default one called paper.",
)
@option(
    "--docs",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for a page with all figures, which is written when every figure exists.",
)
@option("--force", is_flag=True, help="Recompute what already exists.")
@with_session
def paper(
    session: Session, names: tuple[str, ...], out: Path, docs: Path | None, force: bool
) -> None:
    """Draw the paper's figures again, with every printed number next to the recomputed one.

    Needs a git clone of errorfloor, whose package `papers` draws them.

    NAME is figure-1 to figure-12 or table-feebee; all of them by default. The name follow-up
    is short for follow-up-figure, follow-up-table and follow-up-feebee, from the second paper.
    """
    from errorfloor._checks import check_choice
    from errorfloor.paper import find_papers

    try:
        find_papers()
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    from papers import FIGURES, FOLLOW_UP, reproduce
    from papers.__main__ import summary, which_of, write_pages

    for name in names:
        check_choice(name, (*FIGURES, "all", *FOLLOW_UP, "follow-up"), name="NAME")
    which = which_of(names)
    with session.quiet_libraries():
        figures = reproduce(which, out, force=force)
    pages = write_pages(figures, out, docs)
    for _, missing in pages:
        if missing:
            session.remark(f"no page yet: {out} lacks {', '.join(missing)}.")
    page = next((page for page, _ in pages if page is not None), None)
    rows = [
        {
            "name": figure.name,
            "title": figure.title,
            "svg": figure.svg,
            "checks": [check.to_dict() for check in figure.checks],
        }
        for figure in figures
    ]
    lines = [summary(figure) for figure in figures] + ([f"wrote {page}"] if page else [])
    session.show({"figures": rows, "page": page}, "\n".join(lines), headline=False)


def path_of(schema: str) -> Path:
    """Return the path of a schema, "errorfloor/3" being `schema/errorfloor-3.json`."""
    return Path(errorfloor.__file__).parent / "schema" / f"{schema.replace('/', '-')}.json"


@click.command(
    cls=Command,
    short_help="Print the JSON Schema of every --json answer.",
    epilog=examples("errorfloor schema"),
)
def schema() -> None:
    """Print the JSON Schema that every answer with --json follows.

    The key `schema` of an answer holds the version. Later releases may add keys;
    any other change gets a new version, such as errorfloor/4.
    """
    click.echo(path_of(SCHEMA).read_text(encoding="utf-8"), nl=False)


# The program.


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = cli.main(arguments, prog_name="errorfloor", standalone_mode=False)
    except click.Abort as error:
        if isinstance(error.__cause__, EOFError):  # an error of ours: Click takes it for Ctrl-D
            raise error.__cause__ from None
        return process.INTERRUPTED
    except click.ClickException as error:
        complain(error)
        return error.exit_code
    return code if isinstance(code, int) else 0


@click.group(
    "errorfloor",
    cls=Group,
    sections={
        "Start": (demo, look, app),
        "Ask": (estimate, headroom, people, ratings, compare, difference, features, agreement),
        "Improve": (plan, label, items, annotators, confusion, feebee),
        "Share": (report, card, count, merge),
        "More": (metrics, mcp, paper, data, schema),
    },
    usual="estimate",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=f"""Find out how good any model can get on your data.

    The lowest error that any model can reach is the Bayes error; we call it the floor. It is
    estimated from votes of several annotators, from scores or features with one true label per
    item, from true probabilities, or from ratings.
    FILE may be {", ".join(kind.title or kind.name for kind in FORMATS)}, or what a labelling tool
    exports; text may be compressed; - is standard input. `errorfloor FILE` is short for
    `errorfloor estimate FILE`.
    """,
    epilog=examples(
        "errorfloor demo --save demo",
        "errorfloor demo/votes.csv",
        "errorfloor headroom demo/votes.csv --model-errors 98 --test-items 1000",
    ),
)
@click.version_option(__version__, prog_name="errorfloor", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Print the help where no command is given."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
