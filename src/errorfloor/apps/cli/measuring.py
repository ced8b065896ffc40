"""What "good" means on the command line: the options for it, and the command that lists metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from errorfloor._checks import percentage
from errorfloor.apps.cli import completing
from errorfloor.apps.cli.building import ANSWER, Command, examples, gathered, option, with_session
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.types import Number

if TYPE_CHECKING:
    from errorfloor.metrics.asked import Asked


class Matrix(click.ParamType):  # type: ignore[type-arg]  # takes an argument since click 8.4
    """Numbers with commas between them; of several rows, with semicolons between these."""

    name = "numbers"

    def __init__(self, example: str, most: float | None = None) -> None:
        self.example = example
        self.number = Number(0, most)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a number, a list of numbers, or a list of rows."""
        if not isinstance(value, str):
            return value
        try:
            rows = [
                [self.number.convert(one.strip(), None, None) for one in row.split(",")]
                for row in value.split(";")
            ]
        except click.BadParameter as error:
            self.fail(f"{error.message} It is written as {self.example}.", param, ctx)
        if len(rows) > 1:
            return rows
        return rows[0] if len(rows[0]) > 1 else rows[0][0]


class Value(Number):
    """A value of a metric: a share, as a fraction or in per cent, or a cost of any size."""

    name = "value"

    def __init__(self) -> None:
        super().__init__(0)

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number."""
        meant = percentage(value)
        return super().convert(value if meant is None else meant, param, ctx)


def _names() -> str:
    """List the metrics, as they are now."""
    from errorfloor import metrics

    *most, last = metrics.names()
    return f"The metric whose best possible value you want: {', '.join(most)} or {last}."


@dataclass(frozen=True, slots=True)
class About:
    """The metric that is asked for, as it was typed."""

    metric: str
    costs: Any
    at: float | None
    prior: Any

    @property
    def asked(self) -> Asked:
        """What is asked for, checked."""
        from errorfloor.metrics.asked import Asked

        return Asked(self.metric, self.costs, self.at, self.prior)

    @property
    def is_error(self) -> bool:
        """Whether it is the error, as it is by default."""
        return self.asked.record.is_error


with_metric = gathered(
    "about",
    About,
    option(
        "--metric",
        metavar="NAME",
        default="error",
        show_default=True,
        section=ANSWER,
        help=_names,
        shell_complete=completing.metrics,
    ),
    option(
        "--costs",
        metavar="COSTS",
        type=Matrix("1,5 or 0,1,2;1,0,1;2,1,0"),
        section=ANSWER,
        help="With --metric cost: of a false positive and a false negative, 1,5; or a row for each "
        "true class with the cost of each decision, '0,1,2;1,0,1;2,1,0'.",
    ),
    option(
        "--at",
        metavar="SHARE",
        type=Number(0, 1),
        section=ANSWER,
        help="The share of items to answer (error-at-coverage), or the error to allow "
        "(coverage-at-error); 0.8, or 80%.",
    ),
    option(
        "--prior",
        metavar="SHARE",
        type=Matrix("0.2 or 0.5,0.3,0.2", 1),
        section=ANSWER,
        help="For balanced-error and auc: the known share of class 1, or of each class.",
    ),
)


@click.command(
    cls=Command,
    short_help="List the metrics and what data each needs.",
    epilog=examples("errorfloor metrics"),
)
@with_session
def metrics(session: Session) -> None:
    """List the metrics: what each is, for how many classes, and from which labels it can be had."""
    from errorfloor.show import metric_table

    session.show({"metrics": metric_table.as_dicts()}, metric_table.as_text(), headline=False)
