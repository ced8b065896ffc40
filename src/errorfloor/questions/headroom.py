"""Whether a model is at the floor."""

from __future__ import annotations

import numbers
import operator
from dataclasses import dataclass
from typing import Any, Unpack, overload

from errorfloor import methods
from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    LabelShiftWarning,
    argument,
    check_level,
    function,
    shown,
    warn,
    words,
)
from errorfloor._typing import RandomLike
from errorfloor.data.read import Where, is_data
from errorfloor.data.tables import VoteTable
from errorfloor.inference.cuts import CutErrors
from errorfloor.inference.record import Evidence
from errorfloor.metrics import named as metric_named
from errorfloor.questions.columns import AnyColumns
from errorfloor.questions.estimate import floor_of
from errorfloor.results import Estimate, Groups, Interval, Verdict
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED


class _Options(AnyColumns, total=False):
    model_error: float | None
    level: float
    same_labelling: bool
    rng: RandomLike


@overload
def headroom(
    estimate: object,
    errors: int | None = None,
    n: int | None = None,
    *,
    group: None = None,
    **options: Unpack[_Options],
) -> Verdict: ...
@overload
def headroom(
    estimate: object,
    errors: int | None = None,
    n: int | None = None,
    *,
    group: str,
    **options: Unpack[_Options],
) -> Groups[Verdict]: ...
def headroom(
    estimate: Any,
    errors: int | None = None,
    n: int | None = None,
    *,
    model_error: float | None = None,
    level: float = 0.95,
    same_labelling: bool = False,
    group: str | None = None,
    rng: RandomLike = None,
    **columns: Any,
) -> Any:
    """Say whether a model has room left, is at the floor, or is beyond what any model can do.

    Parameters
    ----------
    estimate : Estimate, table, dataframe or path
        The floor, with an interval; or data whose floor is estimated by the default method.
    errors : int
        How many of `n` test items the model got wrong; or give `model_error`.
    n : int
        Number of test items.
    model_error : float
        The model's error as a fraction of `n`, in place of `errors`.
    level : float
        Confidence level.
    same_labelling : bool
        For a floor from votes: whether the test labels were drawn as the votes were. If not,
        the floor is that of another labelling, and the verdict comes with a warning.

    score, label, soft, positives, totals, item, vote, annotator, annotators
        Columns of a dataframe or file, as in `from_scores`, `from_votes` and `from_soft_labels`.
    positive, positive_from, group, drop_missing
        As in `from_scores`; with `group`, the model is compared with the floor of each group.
    rng : None, int or numpy.random.Generator
        For the interval of a floor that is estimated here.

    Returns
    -------
    Verdict
        "room" if the difference of model error and floor is above 0 at this level, "beyond" if
        it is below 0, which no model can be, else "saturated". With `group`, one for each of its
        values.

    Notes
    -----
    The limits of the difference combine those of its two parts as squares of distances add [1]_,
    which is right for independent parts. Where floor and model share their items, both go up and
    down together and the limits are too wide, not too narrow.

    References
    ----------
    .. [1] G. Zou and A. Donner, "Construction of confidence limits about effect measures",
       Statistics in Medicine 27, 2008.

    Examples
    --------
    >>> from errorfloor import from_scores
    >>> floor = from_scores([0.2, 0.2, 0.2, 0.8, 0.8] * 40, [0, 0, 1, 1, 1] * 40, rng=0)
    >>> headroom(floor, errors=430, n=1000).verdict
    'room'
    """
    level = check_level(level)
    model = _Model(*_model_errors(errors, n, model_error), level, same_labelling)
    if not isinstance(estimate, Estimate | Groups):
        if not is_data(estimate):
            raise InputError(
                argument("estimate"),
                f" must be an Estimate with an interval, got {shown(estimate)}. Estimate the floor "
                "by ",
                *(function("from_scores"), ", ", function("from_votes"), " or "),
                *(function("from_soft_labels"), "; or pass a table, a dataframe or a file."),
            )
        estimate = floor_of(estimate, Where.of(group=group, **columns), level=level, rng=rng)
    elif group is not None or columns:
        named = ["group"] if group is not None else list(columns)
        raise InputError(argument(named[0]), " goes with data, not with an Estimate. Leave it out.")
    if isinstance(estimate, Groups):
        return Groups(
            estimate.column,
            {name: model.beside(floor) for name, floor in estimate.items()},
            level,
            dropped=estimate.dropped,
        )
    return model.beside(estimate)


@dataclass(frozen=True, slots=True)
class _Model:
    """A model's errors on test items, and how to judge them."""

    errors: int
    n: int
    level: float
    same_labelling: bool

    @property
    def rate(self) -> float:
        return self.errors / self.n

    @property
    def evidence(self) -> CutErrors:
        return CutErrors("exact", self.errors, self.n, self.errors, self.n)

    def beside(self, floor: Estimate) -> Verdict:
        """Return where the model stands beside a floor."""
        if floor.evidence is None:
            raise InputError(
                argument("estimate"),
                " has no interval. Estimate the floor without ",
                *(argument("interval", None), "."),
            )
        gap = _Gap.of(self, floor, floor.evidence)
        low, high = gap.limits(self.level)
        p_room, p_beyond = gap.p_values()
        model_low, model_high = self.evidence.limits(self.level)
        return Verdict(
            verdict=ROOM if low > 0 else BEYOND if high < 0 else SATURATED,
            difference=gap.value,
            low=low,
            high=high,
            level=self.level,
            p_room=p_room,
            p_beyond=p_beyond,
            model_error=self.rate,
            n=self.n,
            model=Interval(model_low, model_high, self.level, "exact"),
            floor=floor if floor.level == self.level else floor.at_level(self.level),
            same_labelling=self.same_labelling,
            warnings=self._doubts(floor),
        )

    def _doubts(self, floor: Estimate) -> tuple[str, ...]:
        method = methods.known(floor.method)
        if self.same_labelling or method is None or method.reads != VoteTable.kind:
            return ()
        message = words(
            "The floor came from votes. If the test labels were made in another way (other "
            "people, other instructions, sharper images), their floor is another one. Use ",
            function("from_scores"),
            " with the votes' shares and the test labels, or say ",
            argument("same_labelling", True),
            ".",
        )
        return (warn(message, LabelShiftWarning),)


@dataclass(frozen=True, slots=True)
class _Gap:
    """How much worse a model is than the best there can be: the worse value less the better."""

    worse: float
    worse_evidence: Evidence
    better: float
    better_evidence: Evidence

    @classmethod
    def of(cls, model: _Model, floor: Estimate, evidence: Evidence) -> _Gap:
        """Put the two in the order in which they are subtracted."""
        ours: tuple[float, Evidence] = (model.rate, model.evidence)
        best = (floor.value, evidence)
        if not metric_named(floor.metric).less_is_better:
            ours, best = best, ours
        return cls(*ours, *best)

    @property
    def value(self) -> float:
        return self.worse - self.better

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the difference."""
        worse_low, worse_high = self.worse_evidence.limits(level)
        better_low, better_high = self.better_evidence.limits(level)
        down = _distance(self.worse - worse_low, better_high - self.better)
        up = _distance(worse_high - self.worse, self.better - better_low)
        return self.value - down, self.value + up

    def p_values(self) -> tuple[float, float]:
        """Return the least tails at which 0 is outside: of "no room", and of "not beyond"."""
        from scipy.optimize import brentq
        from scipy.special import ndtr

        above = self.worse >= self.better

        def margin(z: float) -> float:
            """Return how far 0 is outside the limits with tails beyond z standard deviations."""
            low, high = self.limits(1 - 2 * float(ndtr(-z)))
            return low if above else -high

        least, most = 1e-6, 7.0  # tails from nearly a half to 1e-12
        if margin(least) <= 0:
            tail = 0.5
        elif margin(most) > 0:
            tail = float(ndtr(-most))
        else:
            tail = float(ndtr(-brentq(margin, least, most, xtol=1e-5)))
        return (tail, 1 - tail) if above else (1 - tail, tail)


def _distance(first: float, second: float) -> float:
    # A limit on the wrong side of its estimate (a biased bootstrap) adds nothing.
    return float((max(first, 0.0) ** 2 + max(second, 0.0) ** 2) ** 0.5)


def _model_errors(errors: int | None, n: int | None, model_error: float | None) -> tuple[int, int]:
    items = _as_index(n)
    if not 1 <= items <= MOST_VOTES:
        raise InputError(
            argument("n"), f" must be the number of test items, at least 1; got {shown(n)}."
        )
    if (errors is None) == (model_error is None):
        raise InputError(
            *("Give either ", argument("errors"), ", a number of items, or "),
            *(argument("model_error"), ", a fraction."),
        )
    if model_error is not None:
        if not isinstance(model_error, numbers.Real) or not 0 <= model_error <= 1:
            text = f" must lie in [0, 1], got {shown(model_error)}. Divide percentages by 100."
            raise InputError(argument("model_error"), text)
        return round(model_error * items), items
    wrong = _as_index(errors)
    if not 0 <= wrong <= items:
        raise InputError(
            *(argument("errors"), " must be a whole number from 0 to ", argument("n")),
            *(f" = {items}, got {shown(errors)}. Pass a fraction as ", argument("model_error")),
            ".",
        )
    return wrong, items


def _as_index(value: Any) -> int:
    """Return a whole number, and -1 for what is none."""
    try:
        return operator.index(value)
    except TypeError:
        return -1
