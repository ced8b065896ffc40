"""Where a model stands, in words and colour: one record for each verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from errorfloor.checks.leaks import TRAINED
from errorfloor.results import Estimate
from errorfloor.results.claim import Claim
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, OPEN, ROOM, SATURATED, Verdict
from errorfloor.show import numbers
from errorfloor.show.palette import BLUE, GREEN, GREY, ORANGE

# What to look at where a model seems to be better than any model can be.
SUSPECT = "a leaked test set or labels made in another way"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a verdict is stated.

    Attributes
    ----------
    sentence : callable
        From a verdict to what follows on "Your model, at 90 %, ".
    in_short : callable
        From a verdict to the title of its picture.
    fact : callable
        From what is compared with to two or three words.
    caption : str
        What the shaded part of the picture is.
    of_groups : str
        What follows on "Your model", with {} for what it is compared with.
    colour : str
        Of the shaded part.
    """

    sentence: Callable[[Verdict], str]
    in_short: Callable[[Verdict], str]
    fact: Callable[[str], str]
    caption: str
    of_groups: str
    colour: str


def standing_of(result: Verdict) -> Standing:
    """Return how a verdict is stated."""
    return STANDINGS[result.verdict]


def may_do_better(claim: Claim) -> str:
    """Say that a model that sees more may do better, behind a full stop; else nothing."""
    return f" A model that sees more than {claim.sees} may do better." if claim.sees else ""


def only_if(floor: Estimate) -> str:
    """Say what an answer hangs on that looks doubtful, behind a full stop; else nothing."""
    if all(one.name != TRAINED for one in floor.findings):
        return ""
    return " This holds only if the model behind these scores was not trained on these items."


def gain_of(result: Verdict) -> tuple[str, str]:
    """Return how many points the model can gain, or is beyond: at least and at most."""
    sizes = sorted((abs(result.low), abs(result.high)))
    if result.verdict in (SATURATED, MATCHES):
        sizes = [0.0, result.high]
    style = numbers.style_of(result.floor)
    digits = style.digits(result.high - result.low, sizes[0] or sizes[1])
    if result.verdict == ROOM and not _is_closed(result):  # what is stated as a bound
        sizes[0] = style.down(sizes[0], digits)
    least, most = (style.bare(size, digits) for size in sizes)
    return least, most


def unit_of_gain(result: Verdict) -> str:
    """Return what a model's gain is counted in: points, or the metric itself."""
    metric = result.floor.measure
    if metric.per_cent:
        return "points"
    return f"{metric.unit} of {metric.words}" if metric.unit else metric.words


def _has_room(result: Verdict) -> str:
    unit, metric = unit_of_gain(result), result.floor.measure
    if result.test is not None:
        sure = f"{result.test.name}, {numbers.p_equals(result.test.p)}"
        most = f" At most {gain_of(result)[1]} {unit} remain." if _is_closed(result) else ""
        return f"can be beaten: a better rule exists ({sure}).{most}"
    if metric.less_is_better and not metric.per_cent:
        return f"can still come down by {_room(result)} in {metric.words}."
    return f"can still gain {_room(result)} {unit}."


def _is_closed(result: Verdict) -> bool:
    """Tell whether there is a limit to what any model can gain."""
    return result.floor.claim.unbeatable(result.floor.measure)


def _room(result: Verdict) -> str:
    """Return how much can be gained; where another model may see more, at least so much."""
    least, most = gain_of(result)
    if not _is_closed(result):
        return f"at least {least}"
    return f"{least} to {most}" if result.test is None else f"up to {most}"


def _room_in_short(result: Verdict) -> str:
    if result.test is not None and not _is_closed(result):
        return "Room: a better rule exists"
    return f"Room: {_room(result)} {unit_of_gain(result)}"


def _is_saturated(result: Verdict) -> str:
    return f"is at the limit, as far as {_items(result)} can show; {_left(result)}."


def _left(result: Verdict) -> str:
    unit = unit_of_gain(result)
    return f"at most {gain_of(result)[1]} {unit} {'remain' if unit == 'points' else 'remains'}"


def _is_beyond(result: Verdict) -> str:
    condition = result.floor.claim.condition
    doubt = f", or doubt that {condition}" if condition and result.floor.n else ""
    return f"is {_size(result)} better than any model can be: suspect {SUSPECT}{doubt}."


def _size(result: Verdict) -> str:
    return f"{' to '.join(gain_of(result))} {unit_of_gain(result)}"


def _matches(result: Verdict) -> str:
    claim = result.floor.claim
    most = f"{gain_of(result)[1]} {unit_of_gain(result)}"
    return (
        f"is as good as {claim.best_of}, as far as {_items(result)} can show "
        f"(at most {most} worse).{may_do_better(claim)}"
    )


def _is_better(result: Verdict) -> str:
    claim, test = result.floor.claim, result.information
    by = f"{_size(result)} " if result.high < 0 else ""
    sure = ""
    if test is not None and test.p <= (1 - result.level) / 2:
        sure = f" ({test.name}, {numbers.p_equals(test.p)})"
    more = f"It sees more than {claim.sees}" if claim.sees else "It sees more"
    return (
        f"is {by}better than {claim.best_of}{sure}. {more}, uses another rule, or its test labels "
        "leaked: this comparison cannot tell which."
    )


def _better_in_short(result: Verdict) -> str:
    by = f"{_size(result)} better" if result.high < 0 else "Better"
    return f"{by} than {result.floor.claim.best_of}"


def _is_open(result: Verdict) -> str:
    side = "better" if result.high < 0 else "worse" if result.low > 0 else ""
    where = f"is {_size(result)} {side} than that" if side else "cannot be told from that"
    return (
        f"{where}. Whether it can still improve is open: nothing better was shown to be reachable."
    )


def _items(result: Verdict) -> str:
    return numbers.counted(result.n, "item") if result.n else "these items"


STANDINGS = {
    ROOM: Standing(
        sentence=_has_room,
        in_short=_room_in_short,
        fact=lambda best: "room left",
        caption="The shaded part is the room that the model has.",
        of_groups="can still gain",
        colour=GREEN,
    ),
    SATURATED: Standing(
        sentence=_is_saturated,
        in_short=lambda result: f"A{_left(result).removeprefix('a')}",
        fact=lambda best: f"at the {best}",
        caption="The grey part may be chance: model and best possible cannot be told apart.",
        of_groups="is at the limit, as far as these items can show,",
        colour=GREY,
    ),
    BEYOND: Standing(
        sentence=_is_beyond,
        in_short=lambda result: f"{_size(result)} too good",
        fact=lambda best: f"better than the {best}",
        caption="The orange part is where no model can be.",
        of_groups="is better than any model can be",
        colour=ORANGE,
    ),
    MATCHES: Standing(
        sentence=_matches,
        in_short=lambda result: f"As good as {result.floor.claim.best_of}",
        fact=lambda best: f"as good as {best}",
        caption="The grey part may be chance. A model that sees more may do better than both.",
        of_groups="is as good as {}, as far as these items can show,",
        colour=GREY,
    ),
    BETTER: Standing(
        sentence=_is_better,
        in_short=_better_in_short,
        fact=lambda best: f"better than {best}",
        caption="The blue part is what the model gains by seeing more, by another rule or by a "
        "leak, which this comparison cannot tell apart.",
        of_groups="is better than {}",
        colour=BLUE,
    ),
    OPEN: Standing(
        sentence=_is_open,
        in_short=lambda result: "Room is neither shown nor refuted",
        fact=lambda best: "open",
        caption="The grey part bounds nothing: no limit here was shown to be reachable.",
        of_groups="cannot be judged",
        colour=GREY,
    ),
}
