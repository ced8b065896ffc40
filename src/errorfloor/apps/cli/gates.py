"""What a user requires of the answer, for scripts that stop where it is not so."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from errorfloor import metrics
from errorfloor.apps.cli.asking import each
from errorfloor.apps.cli.building import option, options
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.types import OLD_VERDICTS, VerdictName
from errorfloor.questions.options import OPTIONS, either
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, SATURATED, VERDICTS

if TYPE_CHECKING:
    from errorfloor._numbers import Style
    from errorfloor.questions.question import Ask
    from errorfloor.results import Estimate

# What a verdict is called where the answer is a bound of the floor; 0.2 had one name for both.
ONE_SIDED = {SATURATED: MATCHES, BEYOND: BETTER}


_VALUE = OPTIONS["model_value"].kind
_MOST_DIGITS = 12  # of what somebody types
FLOOR, CEILING = "--fail-if-floor-above", "--fail-if-ceiling-below"
_LOW = {FLOOR: "fail_if_floor_above", "--fail-above": "fail_above"}
_HIGH = {CEILING: "fail_if_ceiling_below", "--fail-below": "fail_below"}
_EITHER = {"--attainable": "attainable"}


@dataclass(frozen=True, slots=True)
class Limit:
    """What the best possible value may be at worst, as it was typed.

    Attributes
    ----------
    value : float
    is_opposite : bool
        Whether it is of an accuracy where the metric is an error.
    """

    value: float
    is_opposite: bool = False

    @property
    def of_metric(self) -> float:
        """It as a value of the metric."""
        return 1 - self.value if self.is_opposite else self.value


LIMITS = options(
    option(
        FLOOR,
        metavar="VALUE",
        kind=_VALUE,
        help="Exit with code 3 if the lowest possible error (or --metric) is above this: 10%.",
    ),
    option(
        CEILING,
        metavar="VALUE",
        kind=_VALUE,
        help="Exit with code 3 if the best possible accuracy (or --metric) is below this: 90%.",
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
    refuted = [
        f"no {one.measure.limit} can be stated{_of(name)}" for name, one in _each_refuted(floors)
    ]
    if refuted:
        session.about["passed"] = False
        return f"{'; '.join(refuted)}."
    unmet = [said for name, floor in each(floors).items() if (said := _unmet(name, floor, limit))]
    session.about["passed"] = not unmet
    return f"{'; '.join(unmet)}." if unmet else None


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
    able = {*require, *(ONE_SIDED[one] for one in require if one in ONE_SIDED)}
    other = {
        name: "no verdict" if one.floor.refuted else one.verdict
        for name, one in each(verdicts).items()
        if one.floor.refuted or one.verdict not in able
    }
    session.about["passed"] = not other
    said = [f"the verdict{_of(name)} is {verdict}" for name, verdict in other.items()]
    return f"{'; '.join(said)}, not {' or '.join(require)}." if said else None


def _each_refuted(floors: Any) -> list[tuple[Any, Estimate]]:
    return [(name, floor) for name, floor in each(floors).items() if floor.refuted]


def _unmet(name: Any, floor: Estimate, limit: Limit) -> str | None:
    """Say why a limit is not met: by the best possible value, or by what was shown to be reachable.

    Where the answer is only a bound of the best possible value, the limit that holds is compared.
    """
    from errorfloor.show.numbers import style_of

    metric, claim, style = floor.measure, floor.claim, style_of(floor)
    best = floor.value if claim.any_model else floor.reachable
    low = metric.less_is_better and not limit.is_opposite
    what = f"best possible {metric.opposite}" if limit.is_opposite else metric.limit
    if best is None:
        return f"the {what}{_of(name)} is not known: no limit holds for any model"
    if metric.gap(limit.of_metric, best) >= 0:
        return None
    found = 1 - best if limit.is_opposite else best
    allowed, digits = _as_typed(style, limit.value)
    while style.value(found, digits) == style.value(limit.value, digits):
        digits += 1
    if claim.any_model:
        side = "above" if low else "below"
        return (
            f"the {what}{_of(name)} is {style.value(found, digits)}, {side} the allowed {allowed}"
        )
    bound = (style.at_most if low else style.at_least)(found, digits)
    return (
        f"the {what}{_of(name)} is only known to be {bound}; {allowed} is not shown to be reachable"
    )


def _as_typed(style: Style, limit: float) -> tuple[str, int]:
    """Return a limit with the fewest digits that it can be written with, and how many to round to.

    What is found has one digit at least.
    """
    digits = 0
    while digits < _MOST_DIGITS and abs(float(style.bare(limit, digits)) - style.factor * limit) > (
        1e-9 * style.factor
    ):
        digits += 1
    return style.value(limit, digits), max(digits, 1)


def _of(name: Any) -> str:
    return "" if name is None else f" of {name}"
