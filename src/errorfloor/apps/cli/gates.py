"""What a user requires of the answer, for scripts that stop where it is not so."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import click

from errorfloor.apps.cli.asking import each
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.types import OLD_VERDICTS

if TYPE_CHECKING:
    from errorfloor.results import Estimate


def limit_of(session: Session, attainable: float | None, fail_above: float | None) -> float | None:
    """Return the limit that was given by either name of the option."""
    if fail_above is None:
        return attainable
    if attainable is not None:
        raise click.UsageError("--fail-above is the old name of --attainable: give one of them.")
    session.remark("--fail-above is called --attainable now")
    return fail_above


def unattainable(session: Session, floors: Any, limit: float | None) -> str | None:
    """Say which best possible values are worse than the limit; None if none is."""
    if limit is None:
        return None
    refuted = [f"no floor can be stated{_of(name)}" for name, one in _each_refuted(floors)]
    if refuted:
        session.about["passed"] = False
        return f"{'; '.join(refuted)}."
    worse = [_value(name, floor) for name, floor in each(floors).items() if _gap(floor, limit) < 0]
    session.about["passed"] = not worse
    if not worse:
        return None
    side = "above" if _gap(next(iter(each(floors).values())), 0.0) < 0 else "below"
    return f"{side} {limit:g}: {'; '.join(worse)}."


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
    other = {
        name: "no verdict" if one.floor.refuted else one.verdict
        for name, one in each(verdicts).items()
        if one.floor.refuted or one.verdict not in require
    }
    session.about["passed"] = not other
    said = [f"the verdict{_of(name)} is {verdict}" for name, verdict in other.items()]
    return f"{'; '.join(said)}, not {' or '.join(require)}." if said else None


def _each_refuted(floors: Any) -> list[tuple[Any, Estimate]]:
    return [(name, floor) for name, floor in each(floors).items() if floor.refuted]


def _gap(floor: Estimate, limit: float) -> float:
    """Return how much worse the limit is than the best possible value."""
    return floor.measure.gap(limit, floor.value)


def _value(name: Any, floor: Estimate) -> str:
    return f"the {floor.measure.limit}{_of(name)}, {floor.value:.6g}"


def _of(name: Any) -> str:
    return "" if name is None else f" of {name}"
