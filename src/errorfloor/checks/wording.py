"""Words for floors and for ceilings, which findings put into their sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace

from errorfloor.metrics import Metric


@dataclass(frozen=True, slots=True)
class Wording:
    """What points down from a floor, and up from a ceiling.

    Examples
    --------
    >>> from errorfloor.metrics import named
    >>> words = wording_of(named("auc"))
    >>> f"Where they differ, that {words.worsens} the {words.limit}."
    'Where they differ, that lowers the ceiling.'
    """

    limit: str
    value: str  # what a rule has of the metric
    best: str  # the value of a perfect model
    perfect: str  # a limit at that value
    short: str  # where other limits are
    better: str  # than another limit
    too_good: str  # where a limit is that no model reaches
    worsens: str
    bound: str  # what a worse limit is
    beyond: str  # where the true limit is of scores that tell nothing


_FLOOR = Wording(
    limit="floor",
    value="value",
    best="0",
    perfect="a floor of 0",
    short="above 0",
    better="lower",
    too_good="low",
    worsens="raises",
    bound="an upper bound",
    beyond="anything below, even 0",
)
_CEILING = Wording(
    limit="ceiling",
    value="value",
    best="perfect",
    perfect="a perfect ceiling",
    short="short of perfect",
    better="higher",
    too_good="high",
    worsens="lowers",
    bound="a lower bound",
    beyond="anything above",
)


def wording_of(metric: Metric) -> Wording:
    """Return the words for the best value of a metric."""
    words = _FLOOR if metric.less_is_better else _CEILING
    return replace(words, value=metric.words) if metric.is_error else words
