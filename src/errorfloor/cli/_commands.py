"""The commands. What they need beyond click is imported when they run, so that help is quick."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor import __version__
from errorfloor.cli._columns import LAYOUTS
from errorfloor.cli._data import data
from errorfloor.cli._input import Labels, Source
from errorfloor.cli._options import (
    INTERVAL,
    LEVEL,
    METHODS,
    MODEL,
    SEED,
    Group,
    Numbers,
    Question,
    asks_for_a_floor,
    destination,
    examples,
    reads,
    speaking,
)
from errorfloor.cli._session import INTERRUPTED, Session

if TYPE_CHECKING:
    from errorfloor import Estimate, Groups, Verdict

VERDICTS = ("room", "saturated", "below")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = cli.main(arguments, prog_name="errorfloor", standalone_mode=False)
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return code if isinstance(code, int) else 0


@click.group(
    "errorfloor",
    cls=Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        "errorfloor demo",
        "errorfloor demo --save demo",
        "errorfloor estimate demo/scores.csv",
    ),
)
@click.version_option(__version__, prog_name="errorfloor", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Say how low any classifier's error can go on your data.

    That floor, the Bayes error, is estimated from labels alone: scores with one true label an item,
    votes of several annotators, or true probabilities. Files are CSV, TSV, JSONL, Parquet or NPZ,
    compressed or not; - is standard input.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command(
    short_help="Run every method on made data, beside the true floor.",
    epilog=examples(
        "errorfloor demo", "errorfloor demo --save demo", "errorfloor demo --picture demo.svg"
    ),
)
@click.option(
    "--save",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Write small CSV files instead.",
)
@destination(
    ".svg", ".png", ".pdf", names=["--picture"], required=False, help="Draw the floors, too"
)
@speaking
def demo(session: Session, save: str | None, picture: Path | None) -> None:
    """Run every method on made data, beside the true floor; or save data to try things on."""
    from errorfloor import demo

    if save is not None:
        paths = demo.save(save)
        session.show({"files": paths}, "\n".join(map(str, paths)), headline=False)
        session.remark(f"next: errorfloor estimate {paths[0]}")
        return
    with session.step("estimating by every method"):
        rows, floor = demo.run()
    session.show({**rows.to_dict(), "true_floor": floor}, demo.text(rows, floor))
    if picture is not None:
        session.remark(f"wrote {demo.draw(rows, floor, picture)}")


@cli.command(
    short_help="Estimate the floor of your labels.",
    epilog=examples(
        "errorfloor estimate demo/scores.csv",
        "errorfloor estimate demo/scores.csv --score score --label label --method beta --json",
        "errorfloor estimate demo/votes.csv --votes positives --total total",
        "errorfloor estimate demo/annotations.csv --item item --annotator annotator --vote vote",
        "errorfloor estimate demo/annotators.csv --annotators ann,bob,eve",
        "errorfloor estimate demo/scores.csv --group batch --simultaneous",
        "errorfloor estimate demo/soft_labels.csv --soft soft_label --level 0.9",
        "cat demo/scores.csv | errorfloor estimate - --fail-above 0.2",
    ),
)
@reads(*LAYOUTS)
@asks_for_a_floor
@click.option("--group", metavar="COL", help="One floor for each value of a column.")
@click.option("--simultaneous", is_flag=True, help="All intervals of the groups hold at once.")
@click.option(
    "--fail-above",
    metavar="FLOOR",
    type=click.FloatRange(0, 0.5),
    help="Exit with code 3 if the floor is higher; a fraction, 0.05 for 5 %.",
)
@speaking
def estimate(
    session: Session,
    source: Source,
    question: Question,
    group: str | None,
    simultaneous: bool,
    fail_above: float | None,
) -> None:
    """Estimate the floor.

    Columns are guessed where their names leave no doubt, and the guess is said.
    """
    from errorfloor.cli._text import of_estimate, of_groups

    if simultaneous and group is None:
        raise click.UsageError("--simultaneous goes with --group.")
    if group is not None:
        by_group = estimate_groups(session, source, question, group, simultaneous)
        floors = {f"the floor of {name}": row.value for name, row in by_group.items()}
        result, text = by_group.to_dict(), of_groups(by_group)
    else:
        found = question.answer(source.read(session), session)
        floors = {"the floor": found.value}
        result, text = found.to_dict(), of_estimate(found)
    unmet = None
    if fail_above is not None:
        high = [f"{name}, {value:.4g}" for name, value in floors.items() if value > fail_above]
        session.about["passed"] = not high
        unmet = f"above {fail_above:g}: {'; '.join(high)}." if high else None
    session.show(result, text, unmet=unmet)


def estimate_groups(
    session: Session, source: Source, question: Question, group: str, simultaneous: bool
) -> Groups:
    """Return the floor of each value of a column."""
    with source.rows(session) as rows:
        if isinstance(rows, Labels):
            raise ValueError(f"{source.name} is a saved table, which has no groups.")
        with session.step("estimating each group"):
            found = question.answer_by_group(rows, group, simultaneous)
    session.about["input"] = {
        "files": source.files,
        "layout": rows.layout,
        "columns": {**rows.columns, "group": group},
        "n": sum(row.n for row in found.values()),
        "dropped": found.dropped,
    }
    return found


@cli.command(
    short_help="Estimate it by several methods.",
    epilog=examples(
        "errorfloor compare demo/scores.csv",
        "errorfloor compare demo/scores.csv --method isotonic --method beta --json",
    ),
)
@reads("scores")
@METHODS
@INTERVAL
@speaking
def compare(
    session: Session,
    source: Source,
    methods: tuple[str, ...],
    interval: str,
    level: float,
    resamples: int,
    seed: int,
) -> None:
    """Estimate the floor by several methods, from scores with one label an item."""
    from errorfloor import compare
    from errorfloor.cli._text import drawn, of_comparison

    labels = source.read(session)
    with session.step("comparing"):
        rows = compare(
            labels.table,
            methods=methods or None,
            interval=None if interval == "none" else interval,
            level=level,
            n_resamples=resamples,
            rng=seed,
        )
    text = of_comparison(rows)
    session.show(rows.to_dict(), text, draw=drawn(rows, text))


@cli.command(
    short_help="Score methods by how they follow added label noise.",
    epilog=examples(
        "errorfloor feebee demo/scores.csv --model-error 0.1 --method isotonic --method beta",
    ),
)
@reads("scores")
@click.option(
    "--model-error",
    metavar="RATE",
    type=click.FloatRange(0, 0.5),
    required=True,
    help="Error of the best model known on these labels, a fraction.",
)
@METHODS
@click.option(
    "--levels",
    metavar="COUNT",
    type=click.IntRange(min=2),
    default=101,
    show_default=True,
    help="Levels of noise from 0 to 1.",
)
@click.option(
    "--repeats",
    metavar="COUNT",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Draws of the noise at each level.",
)
@SEED
@speaking
def feebee(
    session: Session,
    source: Source,
    model_error: float,
    methods: tuple[str, ...],
    levels: int,
    repeats: int,
    seed: int,
) -> None:
    """Score methods by how well they follow label noise added on purpose; less is better."""
    from errorfloor import feebee
    from errorfloor.cli._text import left_out

    labels = source.read(session)
    with session.step("adding noise"):
        found = feebee(
            labels.table,
            methods=methods or None,
            model_error=model_error,
            levels=levels,
            repeats=repeats,
            rng=seed,
        )
    text = "\n".join([str(found), *left_out(labels.table.dropped)])
    session.show(found.to_dict(), text)


@cli.command(
    short_help="Say whether a model is above, at or below the floor.",
    epilog=examples(
        "errorfloor headroom demo/scores.csv --model-errors 98 --test-items 1000",
        "errorfloor headroom demo/scores.csv --model-error 0.098 --test-items 1000 --require room",
    ),
)
@reads(*LAYOUTS)
@MODEL
@asks_for_a_floor
@click.option(
    "--require",
    metavar="VERDICT",
    type=click.Choice(VERDICTS),
    multiple=True,
    help="room, saturated or below: exit with code 3 if it is another. Give it twice for either.",
)
@speaking
def headroom(
    session: Session,
    source: Source,
    question: Question,
    require: tuple[str, ...],
    **model: Any,
) -> None:
    """Say whether a model is above the floor, at it, or below it."""
    from errorfloor.cli._text import of_verdict

    check_model(**model)
    labels = source.read(session)
    found = verdict(question.answer(labels, session), question.level, **model)
    unmet = None
    if require:
        session.about["passed"] = found.verdict in require
        if found.verdict not in require:
            unmet = f"the verdict is {found.verdict}, not {' or '.join(require)}."
    session.show(found.to_dict(), of_verdict(found), unmet=unmet)


def check_model(
    model_errors: int | None, model_error: float | None, test_items: int | None, **_: Any
) -> None:
    """Refuse half a model."""
    if test_items is None or (model_errors is None) == (model_error is None):
        raise click.UsageError("Give --test-items and either --model-errors or --model-error.")


def verdict(
    floor: Estimate,
    level: float,
    *,
    model_errors: int | None,
    model_error: float | None,
    test_items: int | None,
    same_labelling: bool,
) -> Verdict:
    """Return where the model stands."""
    from errorfloor import headroom

    return headroom(
        floor,
        model_errors,
        test_items,
        model_error=model_error,
        level=level,
        same_labelling=same_labelling,
    )


@cli.command(
    short_help="Say which labels to buy next.",
    epilog=examples(
        "errorfloor plan demo/votes.csv --target 0.05 --cost-per-item 0.1 --cost-per-vote 0.05",
        "errorfloor plan demo/scores.csv --target 0.01 --json",
    ),
)
@reads(*(layout for layout in LAYOUTS if layout != "soft labels"))
@click.option(
    "--target",
    metavar="WIDTH",
    type=click.FloatRange(0, 0.5, min_open=True),
    help="Width of the interval to reach, a fraction.",
)
@click.option(
    "--cost-per-item", metavar="PRICE", type=click.FloatRange(0), default=0.0, help="0 by default."
)
@click.option(
    "--cost-per-vote", metavar="PRICE", type=click.FloatRange(0), default=1.0, help="1 by default."
)
@click.option(
    "--try-votes",
    type=Numbers(),
    metavar="M,M,...",
    default="2,3,5,10,20",
    show_default=True,
    help="Votes an item to consider.",
)
@click.option(
    "--try-items",
    type=Numbers(),
    metavar="N,N,...",
    default="100,300,1000,3000,10000",
    show_default=True,
    help="Numbers of items to consider.",
)
@LEVEL
@speaking
def plan(
    session: Session,
    source: Source,
    try_votes: tuple[int, ...],
    try_items: tuple[int, ...],
    **how: Any,
) -> None:
    """Say which labels to buy next, from a pilot of votes or of scores with labels."""
    from errorfloor import plan
    from errorfloor.cli._text import left_out

    labels = source.read(session)
    with session.step("planning"):
        found = plan(labels.table, votes=try_votes, items=try_items, **how)
    text = "\n".join([str(found), *left_out(labels.table.dropped)])
    session.show(found.to_dict(), text)


@cli.command(
    short_help="Write a report as HTML, Markdown or JSON.",
    epilog=examples(
        "errorfloor report demo/scores.csv -o report.html",
        "errorfloor report demo/scores.csv --model-errors 98 --test-items 1000 -o report.md",
    ),
)
@reads(*LAYOUTS)
@destination(".html", ".md", ".json")
@click.option("--title", metavar="TEXT", help="Heading of the report.")
@MODEL
@asks_for_a_floor
@speaking
def report(
    session: Session,
    source: Source,
    question: Question,
    output: Path,
    title: str | None,
    **model: Any,
) -> None:
    """Write a report on the floor; with a model's errors, on where the model stands."""
    from errorfloor import report
    from errorfloor.cli._text import of_estimate, of_verdict

    about_model = any(model[name] is not None for name in model if name != "same_labelling")
    if about_model:
        check_model(**model)
    labels = source.read(session)
    floor = question.answer(labels, session)
    found: Estimate | Verdict = floor
    text = of_estimate(floor)
    if about_model:
        found = stands = verdict(floor, question.level, **model)
        text = of_verdict(stands)
    with session.step("writing"):
        about = {"file": source.name, **labels.named_columns()}
        report(found, output, title=title, source=about, command=session.shell_command)
    session.show({**found.to_dict(), "output": output}, f"{text}\nWrote {output}.")


@cli.command(
    short_help="Count labels into a table that can be shared.",
    epilog=examples(
        "errorfloor count demo/scores.csv -o scores.npz",
        "errorfloor estimate scores.npz",
    ),
)
@reads(*LAYOUTS)
@destination(".npz")
@speaking
def count(session: Session, source: Source, output: Path) -> None:
    """Count labels into a table, which `merge` adds to others and all commands read.

    A table has one row for each distinct score or number of votes, and nothing else of the items.
    """
    labels = source.read(session)
    labels.table.save(output)
    show_table(session, labels.table, output)


@cli.command(
    short_help="Add up tables.",
    epilog=examples(
        "errorfloor count demo/votes.csv -o first.npz",
        "errorfloor count demo/annotations.csv -o second.npz",
        "errorfloor merge first.npz second.npz -o both.npz",
    ),
)
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
@destination(".npz")
@speaking
def merge(session: Session, tables: tuple[str, ...], output: Path) -> None:
    """Add up tables that `count` wrote; the sum equals one count of all items."""
    from errorfloor import merge

    table = merge(tables)
    table.save(output)
    show_table(session, table, output)


def show_table(session: Session, table: Any, output: Path) -> None:
    """Say what a table holds and where it was written."""
    from errorfloor.cli._text import left_out

    kind = type(table).__name__
    result = {"output": output, "kind": kind, "n": table.n, "rows": len(table)}
    text = f"Wrote {output}: {table.n:,} items in {len(table):,} rows ({kind})."
    text = "\n".join([text, *left_out(table.dropped)])
    session.show({**result, "dropped": table.dropped}, text)


@cli.command(
    short_help="Draw the paper's figures anew.",
    epilog=examples("errorfloor paper figure-2 --out paper"),
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("paper"),
    help="Folder for the files, paper by default.",
)
@click.option(
    "--docs",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for paper.md and figures/, once all figures are there.",
)
@click.option("--force", is_flag=True, help="Compute again what is there.")
@speaking
def paper(
    session: Session, names: tuple[str, ...], out: Path, docs: Path | None, force: bool
) -> None:
    """Draw the paper's figures anew, with every printed number beside ours.

    NAME is figure-1 to figure-12 or table-feebee; all of them by default.
    """
    from errorfloor.paper import reproduce
    from errorfloor.paper.__main__ import summary, write_page

    which = "all" if names in ((), ("all",)) else names
    with session.silence():
        found = reproduce(which, out, force=force)
    page, missing = write_page(out, docs)
    if missing:
        session.remark(f"no page yet: {out} lacks {', '.join(missing)}.")
    rows = [
        {
            "name": one.name,
            "title": one.title,
            "svg": one.svg,
            "checks": [check.to_dict() for check in one.checks],
        }
        for one in found
    ]
    lines = [summary(one) for one in found] + ([f"wrote {page}"] if page else [])
    session.show({"figures": rows, "page": page}, "\n".join(lines), headline=False)


cli.add_command(data)
