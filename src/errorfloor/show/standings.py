"""Where a model stands, in words and colour: one record for each verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from errorfloor.data.tables import VoteTable
from errorfloor.results import Estimate
from errorfloor.results.claim import TRAINED
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, OPEN, ROOM, SATURATED, Verdict
from errorfloor.show import numbers
from errorfloor.show.palette import BLUE, GREEN, GREY, ORANGE

# What may remain at most of a model that is called at the limit; see `is_small`.
_ONE_POINT, _A_TENTH = 0.01, 0.1
# What to look at where a model seems to be better than any model can be.
SUSPECT = "a leaked test set or labels made in another way"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a verdict is stated.

    Attributes
    ----------
    sentence : callable
        From a verdict, and what to call the model, such as "your model, at 90 %,", to a sentence.
    in_short : callable
        From a verdict to the title of its picture.
    in_gate : str
        What says that of a model whose verdict is another than required, with {} for the title.
    fact : callable
        From what is compared with to two or three words.
    caption : str
        What the shaded part of the picture is.
    of_groups : str
        What follows on "Your model", with {} for what it is compared with.
    colour : str
        Of the shaded part.
    """

    sentence: Callable[[Verdict, str], str]
    in_short: Callable[[Verdict], str]
    fact: Callable[[str], str]
    caption: str
    of_groups: str
    colour: str
    in_gate: str = "{}"


def standing_of(result: Verdict) -> Standing:
    """Return how a verdict is stated."""
    return STANDINGS[result.verdict]


def only_if(floor: Estimate) -> str:
    """Say what an answer hangs on that looks doubtful, behind a full stop; else nothing."""
    if all(one.name != TRAINED for one in floor.findings):
        return ""
    return " This holds only if the model behind these scores was not trained on these items."


def is_small(result: Verdict) -> bool:
    """Tell whether what may remain is so little that the model can be called at the limit.

    That is so where the interval of the difference ends within a margin of equivalence: 0.01 (one
    point of an error or accuracy), or a tenth of what the model lacks, whichever is more.
    """
    metric, value = result.floor.measure, result.model_value
    lacks = value if metric.less_is_better else metric.span(len(result.floor.classes))[1] - value
    return result.high <= max(_ONE_POINT if metric.is_fraction else 0.0, _A_TENTH * lacks)


def digits_of(result: Verdict) -> int:
    """Return how many digits the limits of the difference support."""
    least, most = sorted((abs(result.low), abs(result.high)))
    if result.low <= 0 <= result.high:
        least = max(result.high, 0.0)
    return numbers.style_of(result.floor).digits(result.high - result.low, least or most)


def limits_of(result: Verdict) -> tuple[float, float]:
    """Return the limits of the difference, rounded as they are stated: outwards, if bounds."""
    style, digits = numbers.style_of(result.floor), digits_of(result)
    if _is_closed(result):
        return result.low, result.high
    return style.down(result.low, digits), style.up(result.high, digits)


def gain_of(result: Verdict) -> tuple[str, str]:
    """Return how many points the model can gain, or is beyond: at least and at most."""
    low, high = limits_of(result)
    sizes = sorted((abs(low), abs(high)))
    if result.low <= 0 <= result.high:
        sizes = [0.0, high]
    style, digits = numbers.style_of(result.floor), digits_of(result)
    least, most = (style.bare(size, digits) for size in sizes)
    return least.lstrip("-") if not float(least) else least, most


def unit_of_gain(result: Verdict) -> str:
    """Return what a model's gain is counted in: points, or the metric itself."""
    metric = result.floor.measure
    if metric.per_cent:
        return "points"
    return f"{metric.unit} of {metric.words}" if metric.unit else metric.words


def _begun(model: str) -> str:
    """Return what the model is called, at the beginning of a sentence."""
    return f"{model[:1].upper()}{model[1:]}"


def _has_room(result: Verdict, model: str) -> str:
    unit, metric, model = unit_of_gain(result), result.floor.measure, _begun(model)
    if result.test is not None and result.found_by_test:
        sure = f"{result.test.name}, {numbers.p_equals(result.test.p)}"
        most = f" {_begun(_most_left(result))}." if _is_closed(result) else ""
        return f"{model} can be beaten: a better rule exists ({sure}).{most}"
    if metric.less_is_better and not metric.per_cent:
        return f"{model} can still come down by {_room(result)} in {metric.words}."
    return f"{model} can still gain {_room(result)} {unit}."


def _is_closed(result: Verdict) -> bool:
    """Tell whether there is a limit to what any model can gain."""
    return result.floor.claim.unbeatable(result.floor.measure)


def _room(result: Verdict) -> str:
    """Return how much can be gained; where another model may see more, at least so much."""
    least, most = gain_of(result)
    if not _is_closed(result):
        return f"at least {least}"
    return f"{least} to {most}" if not result.found_by_test else f"up to {most}"


def _room_in_short(result: Verdict) -> str:
    if result.found_by_test and not _is_closed(result):
        return "Room: a better rule exists"
    return f"Room: {_room(result)} {unit_of_gain(result)}"


def _is_saturated(result: Verdict, model: str) -> str:
    if is_small(result):
        return f"{_begun(model)} is at the limit: {_left(result)}."
    return (
        f"These data cannot tell whether {model} can still improve: {_left(result)}."
        f"{_would_tell(result)}"
    )


def _would_tell(result: Verdict) -> str:
    """Say what would narrow the difference: more of what its wider part comes from."""
    floor = result.floor
    width = 0.0 if floor.low is None or floor.high is None else floor.high - floor.low
    if result.model.high - result.model.low >= width:
        return " More test items would show it."
    if isinstance(floor.table, VoteTable):
        return _votes_that_would_tell(floor, floor.table, width)
    return "" if floor.table is None else " More items would show it."


def _votes_that_would_tell(floor: Estimate, table: VoteTable, width: float) -> str:
    """Say whose votes would narrow a floor: of more people where these leave it open or are all."""
    own = getattr(floor.evidence, "likelihood", None)
    if own is not None and floor.level is not None:
        low, high = own.limits(floor.level)
        if high - low < width / 2:
            return " Votes by more people would show it."
    if table.workloads is not None and int(table.totals.min()) == len(table.workloads):
        return " More votes per item would show it; these annotators all voted, so ask more people."
    return " More votes per item would show it."


def _counts_points(result: Verdict) -> bool:
    return unit_of_gain(result) == "points"


def _most_left(result: Verdict) -> str:
    remain = "remain" if _counts_points(result) else "remains"
    return f"at most {gain_of(result)[1]} {unit_of_gain(result)} {remain}"


def _left(result: Verdict) -> str:
    """Return what may remain: at most so little, or between nothing and so much."""
    if is_small(result):
        return _most_left(result)
    return f"{' to '.join(gain_of(result))} {unit_of_gain(result)} may remain"


def _is_beyond(result: Verdict, model: str) -> str:
    condition = result.floor.claim.condition
    doubt = f", or doubt that {condition}" if condition and result.floor.n else ""
    size = _size(result)
    return f"{_begun(model)} looks {size} too good: suspect {SUSPECT}{doubt}."


def _size(result: Verdict) -> str:
    return f"{' to '.join(gain_of(result))} {unit_of_gain(result)}"


def _matches(result: Verdict, model: str) -> str:
    claim, model = result.floor.claim, _begun(model)
    most = f"at most {gain_of(result)[1]} {unit_of_gain(result)} worse"
    if is_small(result):
        return f"{model} is as good as {claim.best_of} ({most}).{claim.may_do_better}"
    are = "is" if result.n == 1 else "are"
    return (
        f"{model} may be as good as {claim.best_of}, but {_items(result)} {are} too few to tell: "
        f"it is {most}.{claim.may_do_better}"
    )


def _matches_in_short(result: Verdict) -> str:
    begins = "Is as" if is_small(result) else "May be as"
    return f"{begins} good as {result.floor.claim.best_of}"


def _is_better(result: Verdict, model: str) -> str:
    claim, test = result.floor.claim, result.information
    by = f"{_size(result)} " if result.high < 0 else ""
    sure = ""
    if test is not None and test.shows(result.level):
        sure = f" ({test.name}, {numbers.p_equals(test.p)})"
    more = f"It sees more than {claim.sees}" if claim.sees else "It sees more"
    return (
        f"{_begun(model)} is {by}better than {claim.best_of}{sure}. {more}, uses another rule, or "
        "its test labels leaked: this comparison cannot tell which."
    )


def _better_in_short(result: Verdict) -> str:
    by = f"{_size(result)} better" if result.high < 0 else "Better"
    return f"{by} than {result.floor.claim.best_of}"


def _is_open(result: Verdict, model: str) -> str:
    side = "better" if result.high < 0 else "worse" if result.low > 0 else ""
    where = f"is {_size(result)} {side} than that" if side else "may be as good as that"
    return (
        f"{_begun(model)} {where}. These data cannot tell whether it can still improve: they do "
        "not show that anything better is reachable."
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
        in_short=lambda result: _begun(_left(result)),
        fact=lambda best: f"not shown to be worse than the {best}",
        caption="The grey part may be chance: it is not shown that the model can improve.",
        of_groups="may be at the limit",
        colour=GREY,
    ),
    BEYOND: Standing(
        sentence=_is_beyond,
        in_short=lambda result: f"Looks {_size(result)} too good",
        fact=lambda best: "looks too good",
        caption="The orange part is beyond what any model can reach on labels like these.",
        of_groups="looks too good to be true",
        colour=ORANGE,
        in_gate="your model {}",
    ),
    MATCHES: Standing(
        sentence=_matches,
        in_short=_matches_in_short,
        fact=lambda best: f"not shown to be worse than {best}",
        caption="The grey part may be chance. A model that sees more may do better than both.",
        of_groups="may be as good as {}",
        colour=GREY,
        in_gate="your model {}",
    ),
    BETTER: Standing(
        sentence=_is_better,
        in_short=_better_in_short,
        fact=lambda best: f"better than {best}",
        caption="The blue part is what the model gains by seeing more, by another rule or by a "
        "leak, which this comparison cannot tell apart.",
        of_groups="is better than {}",
        colour=BLUE,
        in_gate="your model is {}",
    ),
    OPEN: Standing(
        sentence=_is_open,
        in_short=lambda result: "Cannot tell whether it can improve",
        fact=lambda best: "open",
        caption="The grey part bounds nothing: no limit here was shown to be reachable.",
        of_groups="cannot be judged",
        colour=GREY,
        in_gate="these data {}",
    ),
}
