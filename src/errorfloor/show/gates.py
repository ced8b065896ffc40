"""What is required of an answer: limits of the best possible value, and verdicts on a model."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from errorfloor._numbers import Style
from errorfloor.metrics.variances import OfVariances
from errorfloor.results import Estimate, Groups
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, SATURATED, Verdict
from errorfloor.show import ratings
from errorfloor.show.numbers import digits_for, style_of
from errorfloor.show.standings import digits_of, is_small, standing_of, unit_of_gain

# What a verdict is called where the answer is a bound of the floor; 0.2 had one name for both.
ONE_SIDED = {SATURATED: MATCHES, BEYOND: BETTER}
_MOST_DIGITS = 12  # of what somebody types


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


def unattainable(floors: Any, limit: Limit) -> str | None:
    """Say which best possible values, of one floor or of groups, are worse than a limit."""
    refuted = [
        f"no {floor.measure.limit} can be stated{_of(name)}"
        for name, floor in _each(floors).items()
        if floor.refuted
    ]
    unmet = refuted or [
        problems
        for name, floor in _each(floors).items()
        if (problems := _unmet(name, floor, limit))
    ]
    return f"{'; '.join(unmet)}." if unmet else None


def refused(verdicts: Any, require: Collection[str]) -> str | None:
    """Say that none of the required verdicts is shown, and what is, of one floor or of groups."""
    able = {*require, *(ONE_SIDED[one] for one in require if one in ONE_SIDED)}
    found = [
        f"{_found(one)}{'' if name is None else f' in {name}'}"
        for name, one in _each(verdicts).items()
        if one.floor.refuted or one.verdict not in able
    ]
    asked = " or ".join(map(repr, require))
    return f"The verdict is not {asked}: {'; '.join(found)}." if found else None


def too_much_left(verdicts: Any, most: float) -> str | None:
    """Say of which verdicts more than so much may remain: by the upper limit of the difference.

    Where another model may see more than what was compared with, no limit holds of what remains.
    """
    unmet = [
        problem
        for name, one in _each(verdicts).items()
        if (problem := _left_of(one, most, "" if name is None else f" in {name}"))
    ]
    return f"{'; '.join(unmet)}." if unmet else None


def _left_of(result: Verdict, most: float, where: str) -> str | None:
    if result.floor.refuted or result.verdict == BEYOND:
        return f"{_found(result)}{where}"
    style, unit = style_of(result.floor), unit_of_gain(result)
    allowed, digits = _as_typed(style, most, bare=True), digits_of(result)
    if not result.floor.claim.unbeatable(result.floor.measure):
        return f"how much may remain{where} is not known, as a model that sees more may do better"
    if result.high <= most:
        return None
    found = style.bare(result.high, digits)
    while found == style.bare(most, digits):
        digits += 1
        found = style.bare(result.high, digits)
    return f"up to {found} {unit} may remain{where}, above the allowed {allowed} {unit}"


def passed_in_doubt(verdicts: Any, require: Collection[str]) -> str | None:
    """Say which verdicts passed only because the data cannot tell, and how much may remain."""
    doubtful = {
        name: one
        for name, one in _each(verdicts).items()
        if one.verdict in (SATURATED, MATCHES) and not is_small(one)
    }
    if not doubtful or refused(verdicts, require):
        return None
    found = [
        f"{_found(one)}{'' if name is None else f' in {name}'}" for name, one in doubtful.items()
    ]
    return f"no room was found, but these data do not rule it out: {'; '.join(found)}."


def _found(result: Verdict) -> str:
    """Say what was found of a model in place of what is required, as its sentence does."""
    if result.floor.refuted:
        return f"no {result.floor.measure.limit} can be stated"
    if isinstance(result.floor.measure.how, OfVariances):
        words, into = ratings.stands_of(result).rstrip("."), "{}"
    else:
        standing = standing_of(result)
        words, into = standing.in_short(result), standing.in_gate
    return into.format(f"{words[:1].lower()}{words[1:]}")


def _each(result: Any) -> dict[Any, Any]:
    return dict(result) if isinstance(result, Groups) else {None: result}


def _unmet(name: Any, floor: Estimate, limit: Limit) -> str | None:
    """Say why a limit is not met: by the best possible value, or by what was shown to be reachable.

    Where the answer is only a bound of the best possible value, the limit that holds is compared.
    """
    metric, claim, style = floor.measure, floor.claim, style_of(floor)
    best = floor.value if claim.any_model else floor.reachable
    low = metric.less_is_better and not limit.is_opposite
    what = f"best possible {metric.opposite}" if limit.is_opposite else metric.limit
    if best is None:
        return f"the {what}{_of(name)} is not known: no limit holds for any model"
    if metric.gap(limit.of_metric, best) >= 0:
        return None
    found = 1 - best if limit.is_opposite else best
    allowed, digits = _as_typed(style, limit.value), digits_for(floor)
    while style.value(found, digits) == style.value(limit.value, digits):
        digits += 1
    if claim.any_model:
        side = "above the allowed" if low else "below the required"
        value = style.value(found, digits)
        return f"the estimate of the {what}{_of(name)} is {value}, {side} {allowed}"
    bound = (style.at_most if low else style.at_least)(found, digits)
    side = "at most" if low else "at least"
    return (
        f"the {what}{_of(name)} is only known to be {bound}, which does not show that it is {side} "
        f"{allowed}"
    )


def _as_typed(style: Style, limit: float, *, bare: bool = False) -> str:
    """Return a limit with the fewest digits that it can be written with; bare without its unit."""
    digits = 0
    while digits < _MOST_DIGITS and abs(float(style.bare(limit, digits)) - style.factor * limit) > (
        1e-9 * style.factor
    ):
        digits += 1
    return style.bare(limit, digits) if bare else style.value(limit, digits)


def _of(name: Any) -> str:
    return "" if name is None else f" of {name}"
