"""The commands that ask how good any model can get: `estimate`, `headroom` and the like."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor import metrics
from errorfloor._checks import InputError, either
from errorfloor.apps.cli.building import (
    FILE,
    OLD_VERDICTS,
    Command,
    VerdictName,
    examples,
    option,
    options,
    with_session,
)
from errorfloor.apps.cli.building import options as several
from errorfloor.apps.cli.labels import (
    STDIN,
    Labels,
    answer_to,
    check_model,
    compare_models,
    compare_with_people,
    each,
    floor_or_verdict,
    guessed_prediction,
    models_ask,
    verdict_on_number,
)
from errorfloor.apps.cli.messages import guesses
from errorfloor.apps.cli.options import (
    CLUSTER,
    GROUP,
    METHODS,
    PREDICTION,
    WEIGHT,
    column,
    destination,
    listed,
    listed_each,
    report_suffixes,
    with_ask,
    with_labels,
    with_model,
)
from errorfloor.apps.cli.session import Session
from errorfloor.data.columns import UnclearColumnsError
from errorfloor.data.layouts import LAYOUTS, RATED, RATER, RATING, SCORES, of_kind
from errorfloor.data.tables import VoteTable
from errorfloor.questions.options import (
    ANSWER,
    ASK_OPTIONS,
    OF_LIMITS,
    OF_METRIC,
    OPTIONS_OF,
    RATING_OPTIONS,
    READING,
    Number,
)
from errorfloor.results.verdict import VERDICTS

if TYPE_CHECKING:
    from errorfloor.questions.models import ModelOptions
    from errorfloor.questions.question import Ask
    from errorfloor.show.gates import Limit

FLOOR, CEILING = "--fail-if-floor-above", "--fail-if-ceiling-below"
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
            "beyond also accepts better."
        ),
    ),
    option(
        "--require", "required", metavar="VERDICT", type=VerdictName(), multiple=True, hidden=True
    ),
)


def limit_of(session: Session, ask: Ask, limits: Mapping[str, float | None]) -> Limit | None:
    """Return the limit that was given by any name of the option, if the metric can have it."""
    from errorfloor.show.gates import Limit

    metric = metrics.named(ask.choice.metric)
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


def refused(session: Session, verdicts: Any, require: Collection[str]) -> str | None:
    """Say which verdicts are others than those that were required; None if none is."""
    if not require:
        return None
    from errorfloor.show import gates

    unmet = gates.refused(verdicts, require)
    session.about["passed"] = unmet is None
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
) -> None:
    """Find out whether a model can still improve, is at the limit, or looks too good to be true.

    The verdict is "room" (it can improve), "saturated" (no room was found) or "beyond" (too good to
    be true). Scores and features give one limit only; without --complete the verdict on them is
    "room", "matches" (as good as the best rule on these scores) or "better" (better than that
    rule). "open" means that nothing can be said.

    With --group, the model is compared with the best possible value of each group. With
    --prediction, the model is tested on the items of FILE, and paired tests show whether a rule on
    the scores is better. For auc, average-precision, brier, log-loss and the metrics of coverage,
    --prediction names the model's scores. Instead of a file you may give a known floor, such as
    0.05 or 5%.
    """
    verdicts = verdicts_of(session, require, required)
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
    session.answer(verdict, unmet=refused(session, verdict, verdicts))


@click.command(
    cls=Command,
    short_help="Find out how many people each model is worth.",
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
            "Scores bound a floor from one side only, because another model may see more. So they "
            "do not tell by how much two floors differ; votes and true probabilities do. To "
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
@several(*map(column, (RATED, RATING, RATER)))
@listed_each("ratings", "prediction", of=RATING_OPTIONS)
@several(WEIGHT, CLUSTER, GROUP)
@listed("rater", RATING_OPTIONS, parameter="shared")
@option(
    "--no-rater",
    is_flag=True,
    section=READING,
    help="Ignore who rated, whatever columns are called.",
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
@listed("classes")
@listed_each("duplicates", "method", "device", of=OPTIONS_OF["features"])
@listed_each("level", "rng")
@destination(report_suffixes, required=False, help="Write a report")
@with_session
def features(session: Session, file: str, output: Path | None, **asked: Any) -> None:
    """Give an upper limit of the floor, from the features and labels in FILE.

    Models predict each item after learning from earlier ones only. For each item, only the
    prediction of the model that did best on the items just before is counted.
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
            "--qwk or --pearson of ratings, with --n."
        )
    if asked["pairs"] is None and not of_ratings:
        raise click.UsageError("Missing option '--pairs': how many pairs of votes were compared.")
    shares = None if not share else share[0] if len(share) == 1 else share
    with session.step("estimating"):
        found = from_agreement(**asked, share=shares)
    session.answer(found)
