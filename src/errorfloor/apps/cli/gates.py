"""What a user requires of the answer, for scripts that stop where it is not so."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import click

from errorfloor import metrics
from errorfloor.apps.cli.building import OLD_VERDICTS, VerdictName, option, options
from errorfloor.apps.cli.session import Session
from errorfloor.questions.options import Number, either
from errorfloor.results.verdict import VERDICTS

if TYPE_CHECKING:
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
        help="Exit with code 3 if the lowest possible error (or --metric) is above this, such as "
        "10%.",
    ),
    option(
        CEILING,
        metavar="VALUE",
        kind=_VALUE,
        help="Exit with code 3 if the best possible accuracy (or --metric) is below this, such as "
        "90%.",
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
            f"Exit with code 3 unless the verdict is this one: {either(VERDICTS)}. Give "
            "it twice to accept two."
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


def unattainable(session: Session, floors: Any, limit: Limit | None) -> str | None:
    """Say which best possible values are worse than the limit; None if none is."""
    if limit is None:
        return None
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
