"""The options that say what is known of a model, and the record that they become."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click

from errorfloor.apps.cli.building import ANSWER, gathered, option
from errorfloor.apps.cli.measuring import About, Matrix, Value
from errorfloor.apps.cli.options import How
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.types import Number, Whole
from errorfloor.data.source import Reading


@dataclass(frozen=True, slots=True)
class Model:
    """A model's errors, as they were given."""

    errors: int | None
    model_error: float | None
    accuracy: float | None
    model_value: float | None
    confusion: Any
    n: int | None
    same_labelling: bool

    @property
    def rates(self) -> tuple[float | None, float | None]:
        """The model's error as a fraction, and its accuracy."""
        return self.model_error, self.accuracy

    @property
    def is_given(self) -> bool:
        """Whether there is a model at all."""
        every = (self.errors, *self.rates, self.model_value, self.confusion, self.n)
        return any(value is not None for value in every)

    def check(self, how: How, about: About) -> None:
        """Refuse half a model, and what leaves no verdict on it."""
        if self.confusion is None and self.model_value is None and not about.is_error:
            raise click.UsageError(
                f"Give --test-items and --model-value, the model's {about.asked.metric}, or "
                "--confusion, or --prediction."
            )
        if self.confusion is None and self.model_value is None:
            self._check_errors()
        elif self.model_value is not None and self.n is None:
            raise click.UsageError("Give --test-items with --model-value.")
        self.check_interval(how)

    def _check_errors(self) -> None:
        given = [one for one in (self.errors, *self.rates) if one is not None]
        if len(given) != 1 or (self.n is None and self.errors is not None):
            raise click.UsageError(
                "Give --test-items and either --model-errors, --model-error or --model-accuracy."
            )
        if self.errors is not None and self.n is not None and self.errors > self.n:
            raise click.UsageError(
                "--model-errors must not be more than --test-items. Check which is which."
            )

    def with_items(self, reading: Reading, session: Session) -> Model:
        """Return the same model, tested on the items that were read where nobody says on which."""
        if self.n is not None or self.confusion is not None:
            return self
        if len(reading.tables) > 1:
            raise click.UsageError("Give --test-items: how many items the model was tested on.")
        n = reading.table.n
        session.remark(
            f"taking the {n:,} items of the file for those that the model was tested on; "
            "--test-items COUNT if these were others"
        )
        return replace(self, n=n)

    def check_paired(self, how: How, group: str | None) -> None:
        """Refuse numbers of errors and groups beside predictions."""
        if self.is_given:
            raise click.UsageError(
                "--prediction counts the model's errors: leave out --model-errors, --model-error, "
                "--model-accuracy, --model-value, --confusion and --test-items."
            )
        if group is not None:
            raise click.UsageError(
                "--prediction cannot be used with --group. Ask about each group on its own."
            )
        self.check_interval(how)

    @staticmethod
    def check_interval(how: How) -> None:
        """Refuse to judge by a floor without limits."""
        if how.interval is None:
            raise click.UsageError("A verdict needs an interval: leave out --interval none.")


with_model = gathered(
    "model",
    Model,
    option(
        "--model-errors",
        "errors",
        metavar="COUNT",
        type=Whole(0),
        help="Test items that the model got wrong.",
    ),
    option(
        "--model-error",
        aliases=["--error"],
        section=ANSWER,
        metavar="RATE",
        type=Number(0, 1),
        help="The model's error as a fraction: 0.08, or 8%.",
    ),
    option(
        "--model-accuracy",
        "accuracy",
        aliases=["--accuracy"],
        metavar="RATE",
        type=Number(0, 1),
        help="The model's accuracy: 0.92, or 92%.",
    ),
    option(
        "--model-value",
        section=ANSWER,
        metavar="VALUE",
        type=Value(),
        help="The model's value of the metric on the test items, such as its AUC.",
    ),
    option(
        "--confusion",
        metavar="COUNTS",
        type=Matrix("480,40;60,420"),
        help="Test items of each true class (rows) and decision: '480,40;60,420'.",
    ),
    option(
        "--test-items",
        "n",
        aliases=["--n", "--n-test", "--test-size"],
        metavar="COUNT",
        type=Whole(1),
        help="Number of test items; those of FILE by default, for a rate.",
    ),
    option("--same-labelling", is_flag=True, help="The test labels were made as the votes were."),
)
