"""What a check is: a question about the data behind an estimate, and words for its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Classes, Method, Shape
from errorfloor.metrics import Metric
from errorfloor.results.claim import Finding
from errorfloor.results.estimate import Estimate

if TYPE_CHECKING:
    from errorfloor.results.models import ModelComparison

Checked: TypeAlias = "Estimate | ModelComparison"  # what has findings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Check:
    """A question about the data behind an estimate.

    Attributes
    ----------
    name : str
        What is checked.
    kinds : tuple of str
        The kinds of tables that it is about; empty for all.
    classes : tuple of Classes
        For how many classes it is.
    of_errors : bool
        Whether it is about errors, and not for other metrics.
    run : callable
        From an estimate to findings.
    asks : str
        The question in a sentence, for the documentation.
    false_alarm : float
        How often it raises an alarm on clean data, at most; 0 where it only counts.
    any_sample : bool
        Whether a test allows for items that weigh differently or belong together.
    results : tuple of type
        What it is asked of: floors, models that were compared, or both.
    """

    name: str
    run: Callable[[Any], Iterable[Finding]]
    asks: str
    kinds: tuple[str, ...] = ()
    classes: tuple[Classes, ...] = (Classes.TWO,)
    of_errors: bool = False
    false_alarm: float = 0.0
    any_sample: bool = False
    results: tuple[type, ...] = (Estimate,)

    def applies_to(self, result: Checked) -> bool:
        """Tell whether the check is about such data."""
        if not isinstance(result, Estimate) or not isinstance(result, self.results):
            return isinstance(result, self.results)
        estimate, table = result, result.table
        if self.of_errors and not estimate.measure.is_error:
            return False
        if table is None:
            return not self.kinds
        if self.false_alarm and not self.any_sample and table.entries is not None:
            return False  # a test of equal items that stand alone, which these are not
        return Classes.of(table) in self.classes and (not self.kinds or table.kind in self.kinds)


ANY = tuple(Classes)  # number of classes
ENOUGH = 30  # items below which a share says little
FEW_EQUAL = 15  # equal items that weights are worth, below which limits were not tried


def as_they_are(method: Method | None) -> bool:
    """Tell whether a method takes scores for probabilities as they are."""
    return method is not None and method.reads == ScoreTable.kind and method.shape is Shape.NONE


def few_items(estimate: Estimate) -> Finding:
    """Say whether there are enough items for a share, and for the interval, to say something."""
    n = estimate.n
    equal = n if estimate.n_effective is None else estimate.n_effective
    if estimate.interval_method == "jackknife" and (n < ENOUGH or equal < FEW_EQUAL):
        return Finding(
            "Few items",
            f"{n:,}" if n < ENOUGH else f"{n:,}, worth {equal:.0f}",
            "warn",
            "The limits of the jackknife were tested, not proven. With fewer than "
            f"{ENOUGH} items, or weights as good as fewer than {FEW_EQUAL} equal ones, they can "
            "hold less often than stated.",
            "Collect more items.",
        )
    if n < ENOUGH:
        return Finding(
            "Few items",
            f"{n:,}",
            "note",
            "So few items say little about other items of the same kind.",
        )
    return Finding("Items", f"{n:,}", "ok", "The interval allows for their number.")


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
