"""The command that sets a model next to the best that any model can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errorfloor.apps.cli import asking, gates
from errorfloor.apps.cli.building import Command, examples, with_session
from errorfloor.apps.cli.options import PREDICTION, with_ask, with_labels, with_model
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels
from errorfloor.data.layouts import LAYOUTS

if TYPE_CHECKING:
    from errorfloor.questions.model_options import ModelOptions
    from errorfloor.questions.question import Ask


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
@gates.REQUIRE
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
    """Say whether a model can still improve, is at the limit, or looks too good to be true.

    From votes, from true probabilities, or from scores with --complete the verdict is "room",
    "saturated" or "beyond". Other scores bound the floor from one side: the verdict is then "room",
    "matches" or "better".
    With --group, the model is compared with the floor of each group. With --prediction, the model
    is tested on the same items as the floor; paired tests say whether a better rule exists, and
    whether the scores miss something. For metrics of scores (auc, average-precision, brier,
    log-loss, coverage) that column holds the model's scores. Instead of a file you may
    give a floor that is known, such as 0.05 or 5%.
    """
    from errorfloor.show.words import long_text_of

    verdicts = gates.verdicts_of(session, require, required)
    verdict = None
    if prediction is None:
        asking.check_model(model, ask, labels)
        verdict = asking.verdict_on_number(labels, model, ask)
    if verdict is None:
        verdict = asking.answer(labels, session, ask, model, prediction, groups=True)
    unmet = gates.refused(session, verdict, verdicts)
    refuted = asking.refuted(verdict)
    text = long_text_of(verdict)
    session.show(verdict.to_dict(), text, answer=verdict, unmet=unmet, refuted=refuted)
