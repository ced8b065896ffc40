"""What a user requires of the answer, for scripts that stop where it is not so."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import click

from errorfloor import metrics
from errorfloor.apps.cli.asking import each
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.types import OLD_VERDICTS
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, SATURATED

if TYPE_CHECKING:
    from errorfloor.questions.question import Ask
    from errorfloor.results import Estimate

# What a verdict is called where the answer is a bound of the floor; 0.2 had one name for both.
ONE_SIDED = {SATURATED: MATCHES, BEYOND: BETTER}


def limit_of(
    session: Session,
    ask: Ask,
    attainable: float | None,
    fail_above: float | None,
    fail_below: float | None,
) -> float | None:
    """Return the limit that was given by any name of the option, if the metric can have it."""
    metric = metrics.named(ask.choice.metric)
    given = {"--attainable": attainable, "--fail-above": fail_above, "--fail-below": fail_below}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise click.UsageError(f"{named[1]} is another name of {named[0]}: give one of them.")
    if not named:
        return None
    (name,) = named
    limit = given[name]
    assert limit is not None
    if name == ("--fail-below" if metric.less_is_better else "--fail-above"):
        better = "--fail-above" if metric.less_is_better else "--fail-below"
        raise click.UsageError(
            f"{name} does not go with {metric.words}, which is to be "
            f"{'low' if metric.less_is_better else 'high'}. Use {better} or --attainable."
        )
    fraction = "costs" not in metric.needs and not metric.unit
    if limit > 1 and fraction:
        meant = f" {limit:g} % is {limit / 100:g}." if limit <= 100 else ""
        message = f"{limit:g} is not between 0 and 1.{meant}"
        raise click.BadParameter(message, param_hint=f"'{name}'")
    if name == "--fail-above":
        session.remark("--fail-above is called --attainable now")
    return limit


def unattainable(session: Session, floors: Any, limit: float | None) -> str | None:
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


def verdicts_of(session: Session, require: Collection[str]) -> tuple[str, ...]:
    """Return the verdicts that were required, by their names of today."""
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


def _unmet(name: Any, floor: Estimate, limit: float) -> str | None:
    """Say why a limit is not met: by the best possible value, or by what was shown to be reachable.

    Where the answer is only a bound of the best possible value, the limit that holds is compared.
    """
    metric, claim = floor.measure, floor.claim
    if claim.any_model:
        if metric.gap(limit, floor.value) >= 0:
            return None
        side = "above" if metric.less_is_better else "below"
        return f"{side} {limit:g}: the {metric.limit}{_of(name)}, {floor.value:.6g}"
    shown = floor.reachable
    if shown is not None and metric.gap(limit, shown) >= 0:
        return None
    what = "no limit holds for any model" if shown is None else f"only {shown:.6g} is"
    return f"{limit:g} is not shown to be reachable{_of(name)}: {what}"


def _of(name: Any) -> str:
    return "" if name is None else f" of {name}"
