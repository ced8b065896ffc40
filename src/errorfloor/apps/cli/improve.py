"""The commands that say what to collect next, and what is hard: `plan`, `label` and the like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.labels import Labels, answer_to, feebee_of_features
from errorfloor.apps.cli.options import (
    ASK_OF_ERROR,
    METHODS,
    destination,
    listed,
    listed_each,
    with_ask,
    with_labels,
)
from errorfloor.apps.cli.session import Session, is_refuted
from errorfloor.data.layouts import ANNOTATIONS, ANNOTATORS, LAYOUTS, SCORES, SOFT_LABELS, of_kind
from errorfloor.data.tables import VoteTable
from errorfloor.questions.options import OF_METRIC, OPTIONS_OF, PLAN_OPTIONS

if TYPE_CHECKING:
    from errorfloor.questions.question import Ask


@click.command(
    cls=Command,
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

    show_without_count(session, answer_to(labels, session, PlanAsk(**how), "planning"))


@click.command(
    cls=Command,
    short_help="Choose which items to label.",
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
    """Choose which items to label: more of those with unsure scores, with weights to correct this.

    --score names the scores, and --label the labels so far, if any. The file that is
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

    With --votes or --annotators, --item may name the items.
    """
    from errorfloor.data.items import KeptVotes
    from errorfloor.questions.items import of_reading, with_names
    from errorfloor.show.text import left_out

    keeper = KeptVotes()
    reading = replace(labels, where=with_names(labels.where), layouts=keeper.layouts).read(session)
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
