"""The commands that ask about labels, and the program that they are part of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor import __version__
from errorfloor.apps.cli import asking, gates
from errorfloor.apps.cli.agreement import agreement
from errorfloor.apps.cli.building import Group, examples, option, with_session
from errorfloor.apps.cli.counting import count, merge
from errorfloor.apps.cli.features import features
from errorfloor.apps.cli.headroom import headroom
from errorfloor.apps.cli.improve import confusion, items, label
from errorfloor.apps.cli.interrupts import INTERRUPTED
from errorfloor.apps.cli.mcp import mcp
from errorfloor.apps.cli.more import data, metrics, paper, schema
from errorfloor.apps.cli.options import (
    METHODS,
    PREDICTION,
    destination,
    listed,
    listed_each,
    report_suffixes,
    with_ask,
    with_labels,
    with_model,
)
from errorfloor.apps.cli.people import difference, people
from errorfloor.apps.cli.ratings import ratings
from errorfloor.apps.cli.session import Session, complain
from errorfloor.apps.cli.source import Labels
from errorfloor.apps.cli.start import app, demo, look
from errorfloor.data.columns import UnclearColumnsError
from errorfloor.data.formats import FORMATS
from errorfloor.data.layouts import ANNOTATIONS, ANNOTATORS, LAYOUTS, SCORES, SOFT_LABELS
from errorfloor.questions.options import (
    ASK_OPTIONS,
    OF_LIMITS,
    OF_METRIC,
    OPTIONS_OF,
    PLAN_OPTIONS,
    either,
)

if TYPE_CHECKING:
    from errorfloor.questions.model_options import ModelOptions
    from errorfloor.questions.question import Ask


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = cli.main(arguments, prog_name="errorfloor", standalone_mode=False)
    except click.Abort as error:
        if isinstance(error.__cause__, EOFError):  # an error of ours: Click takes it for Ctrl-D
            raise error.__cause__ from None
        return INTERRUPTED
    except click.ClickException as error:
        complain(error)
        return error.exit_code
    return code if isinstance(code, int) else 0


@click.group(
    "errorfloor",
    cls=Group,
    sections={
        "Start": ("demo", "look", "app"),
        "Ask": (
            *("estimate", "headroom", "people", "ratings", "compare", "difference"),
            *("features", "agreement"),
        ),
        "Improve": ("plan", "label", "items", "annotators", "confusion", "feebee"),
        "Share": ("report", "card", "count", "merge"),
    },
    usual="estimate",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=f"""Find out how good any model can get on your data.

    The lowest error that any model can reach, the Bayes error or floor, is estimated from labels
    alone: votes of several annotators, scores with one true label per item, or true probabilities.
    Files are {either(kind.name for kind in FORMATS)}; text may be compressed; - is standard input.
    `errorfloor FILE` is short for `errorfloor estimate FILE`.
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


cli.add_command(demo)
cli.add_command(app)
cli.add_command(look)


@cli.command(
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
@gates.LIMITS
@with_session
def estimate(
    session: Session,
    labels: Labels,
    ask: Ask,
    **limits: float | None,
) -> None:
    """Estimate the floor.

    Columns are guessed where their names leave no doubt, and the guess is shown.
    """
    from errorfloor.questions.question import answer
    from errorfloor.show.words import long_text_of

    labels.check_simultaneous(ask.simultaneous)
    limit = gates.limit_of(session, ask, limits)
    try:
        reading = labels.read(session)
    except UnclearColumnsError:
        if not _answered_as_ratings(labels, session):
            raise
        return
    with session.step("estimating"):
        floor = answer(reading, ask)
    unmet = gates.unattainable(session, floor, limit)
    text = long_text_of(floor)
    refuted = asking.refuted(floor)
    session.show(floor.to_dict(), text, answer=floor, unmet=unmet, refuted=refuted)


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


@cli.command(
    short_help="Find out which of several models is better.",
    epilog=examples(
        "errorfloor compare demo/predictions.csv --label label --prediction old,new",
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
@with_session
def compare(
    session: Session,
    labels: Labels,
    prediction: list[str] | None,
    methods: tuple[str, ...],
    **how: Any,
) -> None:
    """Say which model is better, from their predictions for the same labelled items.

    The models are columns of one file (--prediction), or files with the same labels. The interval
    of the difference is paired. If the items are too few to tell, the answer says how many are
    needed. If no models are named, estimate the floor by several methods, from scores with one
    label each.
    """
    from errorfloor.questions.compare import CompareAsk
    from errorfloor.results import Comparison, ModelComparison
    from errorfloor.show import dots
    from errorfloor.show.lines import drawn, of_floors
    from errorfloor.show.numbers import style_of
    from errorfloor.show.words import long_text_of

    ask = CompareAsk(methods=methods or None, **how)
    found = None
    if prediction is not None or not methods:
        found = asking.models(labels, session, prediction, asking.models_ask(ask))
    if found is not None:
        text = long_text_of(found)
        draw = dots.drawn(found, text) if isinstance(found, ModelComparison) else None
        session.show(found.to_dict(), text, draw=draw, refuted=asking.refuted(found))
        return
    rows = asking.answered(labels, session, ask, "comparing")
    text = long_text_of(rows)
    draw = None
    if isinstance(rows, Comparison):
        draw = drawn(of_floors(rows), text, style_of(next(iter(rows))).value)
    session.show(rows.to_dict(), text, draw=draw, refuted=asking.refuted(rows))


@cli.command(
    short_help="Score methods by how they follow added label noise.",
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

    With --features, the classic methods 1nn, knn-K, ghp and noshad are rated. With --features and
    --score, so are the methods for scores.
    """
    from errorfloor.questions.feebee import FeeBeeAsk

    if how["model_error"] is None and how["model_value"] is None:
        raise click.UsageError("Missing option '--model-error', or '--model-value' for AUC.")
    ask = FeeBeeAsk(methods=methods or None, **how)
    if ask.features is not None:
        asking.feebee_of_features(labels, session, ask)
        return
    show_without_count(session, asking.answered(labels, session, ask, "adding noise"))


def show_without_count(session: Session, result: Any) -> None:
    """Show a result that does not say by itself how many items were left out."""
    from errorfloor.results import Groups
    from errorfloor.show.words import left_out, long_text_of

    dropped = 0 if isinstance(result, Groups) else session.about["input"]["dropped"]
    session.show(result.to_dict(), "\n".join([long_text_of(result), *left_out(dropped)]))


@cli.command(
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
    from errorfloor.show.frame import write_csv
    from errorfloor.show.words import long_text_of

    reading, ballots = labels.read_and(session, ballots_of)
    with session.step("looking at annotators"):
        found = annotators_of(reading, ballots, level)
    text = long_text_of(found)
    if output is not None:
        write_csv(found, output)
        text = f"{text}\nWrote {output}."
    session.show({**found.to_dict(), **({"output": output} if output else {})}, text)


cli.add_command(headroom)
cli.add_command(people)
cli.add_command(difference)


@cli.command(
    short_help="Find out which labels to buy next.",
    epilog=examples(
        "errorfloor plan demo/votes.csv --target 0.05 --cost-per-item 0.1 --cost-per-vote 0.05",
        "errorfloor plan demo/scores.csv --target 0.01 --json",
    ),
)
@with_labels(
    [layout for layout in LAYOUTS if layout is not SOFT_LABELS], groups=True, complete=True
)
@listed_each(*PLAN_OPTIONS, *OF_METRIC, "level")
@with_session
def plan(session: Session, labels: Labels, **how: Any) -> None:
    """Say which labels to buy next, from a pilot of votes or of scores with labels."""
    from errorfloor.questions.plan import PlanAsk

    show_without_count(session, asking.answered(labels, session, PlanAsk(**how), "planning"))


@cli.command(
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
@option("--theory", is_flag=True, help="Draw the bounds on the bias of vote shares as well.")
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
    from errorfloor.show.words import long_text_of

    labels.check_simultaneous(ask.simultaneous)
    if model.given and labels.where.group is not None:
        raise click.UsageError(
            "A report on groups has no model: leave out --group, or the model's errors. "
            "errorfloor headroom compares a model with the floor of each group."
        )
    result = asking.answer(labels, session, ask, model, prediction, compare=True)
    with session.step("writing"):
        # Files can be read again by what the result says; of standard input nothing is left.
        command = session.shell_command if labels.is_stdin else None
        output = output or labels.beside("-report.html")
        report(result, output, title=title, command=command, theory=theory)
    text = f"{long_text_of(result)}\nWrote {output}."
    session.show({**result.to_dict(), "output": output}, text, refuted=asking.refuted(result))


@cli.command(
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
    help="First line of the card; by default the file and its number of items.",
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

    result = asking.answer(labels, session, ask, model, prediction, compare=True)
    if asking.refuted(result):
        session.show(result.to_dict(), result.sentence, refuted=True)
    output = output or labels.beside("-card.svg")
    card(result, output, title=title, dark=dark)
    text = f"{result.sentence}\nWrote {output}."
    session.show({**result.to_dict(), "output": output}, text)


for command in (
    *(label, metrics, items, confusion, agreement, ratings, features, count, merge),
    *(mcp, paper, data, schema),
):
    cli.add_command(command)
