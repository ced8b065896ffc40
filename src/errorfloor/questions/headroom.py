"""Whether a model is at the floor."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from numbers import Real
from typing import Any, Unpack, overload

import numpy as np

from errorfloor import inference
from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    LabelShiftWarning,
    argument,
    as_fraction,
    check_level,
    function,
    percentage,
    shown,
    warn,
    words,
)
from errorfloor._typing import RandomLike
from errorfloor.checks.record import method_of
from errorfloor.data.read import Where, is_data
from errorfloor.data.tables import VoteTable
from errorfloor.inference.cuts import CutErrors
from errorfloor.inference.record import Evidence
from errorfloor.questions.columns import AnyColumns
from errorfloor.questions.paired import Pair
from errorfloor.questions.question import floor_of
from errorfloor.results import Estimate, Groups, Interval, PairedTest, Verdict
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED

_MOST_DEVIATIONS = 7.0  # of the normal distribution, beyond which p-values are not told apart
_LARGEST_TAIL = 0.25  # at which limits of votes are asked for


class _Options(AnyColumns, total=False):
    model_error: float | str | None
    labels: object
    predictions: object
    prediction: str | None
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
    model_error: float | str | None = None,
    labels: object = None,
    predictions: object = None,
    prediction: str | None = None,
    level: float = 0.95,
    same_labelling: bool = False,
    group: str | None = None,
    rng: RandomLike = None,
    **columns: Any,
) -> Any:
    """Say whether a model has room left, is at the floor, or is beyond what any model can do.

    Parameters
    ----------
    estimate : Estimate, float, table, dataframe or path
        The floor, with an interval, or as a plain number (0.05 or "5%") that is taken for exact;
        or data whose floor is estimated by the default method; or scores, with `labels` and
        `predictions`.
    errors : int
        How many of `n` test items the model got wrong; or give `model_error`.
    n : int
        Number of test items.
    model_error : float or str
        The model's error as a fraction of `n`, in place of `errors`: 0.08, or "8%".
    labels, predictions : array-like of shape (n,), optional
        Beside an array of scores: the label of each item, and what the model predicts for it.
    prediction : str, optional
        Column of a dataframe or file with the model's predictions, in place of `errors` and `n`.
        Floor and model then share their items, and a paired test decides on room.
    level : float
        Confidence level.
    same_labelling : bool
        For a floor from votes: whether the test labels were drawn as the votes were. If not,
        the floor is that of another labelling, and the verdict comes with a warning.

    score, label, soft, positives, totals, counts, item, vote, annotator, annotators
        Columns of a dataframe or file, as in `from_scores`, `from_votes` and `from_soft_labels`.
    positive, positive_from, classes, group, drop_missing
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
    which is right for independent parts. Few votes per item leave a range of floors open, which is
    no noise: beside a floor from votes there is room if the lower limit of the model's error is
    above the upper limit of the floor, and the other way round.

    With predictions a sign test decides on room. If no rule in the score and the prediction beats
    the model, each prediction is wrong with probability at most 1/2 given both. The statistic is
    the largest (wrong - right) / sqrt(items) over pairs of a prefix of the items predicted 0, by
    falling score, and one of those predicted 1, by rising score; fair coins give its p-value at any
    number of items. "Room" then means that a better rule exists, even where scores are out of
    order. The model must not have been trained on these labels. The limits of the difference are
    those for independent parts, which are too wide where items are shared.

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
    if prediction is not None or predictions is not None:
        _refuse_counts(errors, n, model_error)
        pair = Pair.of(estimate, (labels, predictions), prediction, {"group": group, **columns})
        return beside_pair(floor_of(pair.reading, Where.of(), level=level, rng=rng), pair, level)
    model = _Model(*_model_errors(errors, n, model_error), level, same_labelling)
    if isinstance(estimate, Real | np.number) or percentage(estimate) is not None:
        estimate = _given(as_fraction(estimate, name="estimate"), level)
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


def beside_pair(floor: Estimate, pair: Pair, level: float) -> Verdict:
    """Return where the model of the predictions stands beside the floor of the same items."""
    return _Model(pair.errors, pair.n, level, same_labelling=True).beside(floor, pair.test())


@dataclass(frozen=True, slots=True)
class _Given:
    """A floor that somebody knows."""

    value: float
    method: str = "given"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the value, twice."""
        return self.value, self.value


def _given(value: float, level: float) -> Estimate:
    evidence = _Given(value)
    return Estimate(
        value=value,
        method=evidence.method,
        interval=Interval(value, value, level, evidence.method),
        n=0,
        assumptions="The floor was given as a number, and is taken for exact.",
        evidence=evidence,
    )


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

    def beside(self, floor: Estimate, test: PairedTest | None = None) -> Verdict:
        """Return where the model stands beside a floor; a test of "no room" decides on room."""
        if floor.evidence is None:
            raise InputError(
                argument("estimate"),
                " has no interval. Estimate the floor without ",
                *(argument("interval", None), "."),
            )
        gap = _Gap.of(self, floor, floor.evidence)
        low, high = gap.limits(self.level)
        p_room, p_beyond = gap.p_values(self.level)
        if test is not None:
            p_room = test.p
            found = p_room <= (1 - self.level) / 2
            low = max(low, 0.0) if found else min(low, 0.0)
            high = max(high, low)
        else:
            found = low > 0
        model_low, model_high = self.evidence.limits(self.level)
        return Verdict(
            verdict=ROOM if found else BEYOND if high < 0 else SATURATED,
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
            test=test,
        )

    def _doubts(self, floor: Estimate) -> tuple[str, ...]:
        method = method_of(floor)
        if self.same_labelling or method is None or method.reads != VoteTable.kind:
            return ()
        message = words(
            "The floor came from votes. If the test labels were made in another way (other "
            "people, other instructions, sharper images), their floor is another one. Where "
            "such labels stand beside the votes, name them with ",
            argument("label"),
            ", or say ",
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
    leaves_open: bool = False  # whether the limits of either part are more than noise

    @classmethod
    def of(cls, model: _Model, floor: Estimate, evidence: Evidence) -> _Gap:
        """Put the two in the order in which they are subtracted."""
        ours: tuple[float, Evidence] = (model.rate, model.evidence)
        best = (floor.value, evidence)
        if not floor.measure.less_is_better:
            ours, best = best, ours
        method = method_of(floor)
        kind = None if method is None else inference.of(method).get(evidence.method)
        return cls(*ours, *best, leaves_open=kind is not None and kind.leaves_open)

    @property
    def value(self) -> float:
        return self.worse - self.better

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the difference."""
        worse_low, worse_high = self.worse_evidence.limits(level)
        better_low, better_high = self.better_evidence.limits(level)
        if self.leaves_open:
            return worse_low - better_high, worse_high - better_low
        down = _distance(self.worse - worse_low, better_high - self.better)
        up = _distance(worse_high - self.worse, self.better - better_low)
        return self.value - down, self.value + up

    def p_values(self, level: float) -> tuple[float, float]:
        """Return the least tails at which 0 is outside: of "no room", and of "not beyond"."""
        above = self.worse >= self.better
        if self.leaves_open:
            tail = self._least_tail(level, above)
            return (tail, 1.0) if above else (1.0, tail)
        tail = self._tail(above)
        return (tail, 1 - tail) if above else (1 - tail, tail)

    def _margin(self, tail: float, above: bool) -> float:
        """Return how far 0 is outside the limits with these tails."""
        low, high = self.limits(1 - 2 * tail)
        return low if above else -high

    def _tail(self, above: bool) -> float:
        from scipy.optimize import brentq
        from scipy.special import ndtr

        def margin(z: float) -> float:
            return self._margin(float(ndtr(-z)), above)

        least, most = 1e-6, _MOST_DEVIATIONS  # tails from nearly a half to 1e-12
        if margin(least) <= 0:
            return 0.5
        if margin(most) > 0:
            return float(ndtr(-most))
        return float(ndtr(-brentq(margin, least, most, xtol=1e-5)))

    def _least_tail(self, level: float, above: bool) -> float:
        """Return a tail at which the limits are apart, the least up to one part in a hundred.

        Limits at low levels are not asked for, as they are made for high ones; nor is it assumed
        that they widen strictly with the level, so that the tail agrees with the verdict.
        """
        from scipy.special import ndtr, ndtri

        given = (1 - level) / 2
        apart = self._margin(given, above) > 0
        largest = max(_LARGEST_TAIL, given)
        if not apart and self._margin(largest, above) <= 0:
            return 1.0
        # From the smaller to the larger number of deviations: apart at the first, not at the last.
        first, last = (given, ndtr(-_MOST_DEVIATIONS)) if apart else (largest, given)
        near, far = -ndtri(first), -ndtri(last)
        if apart and (far <= near or self._margin(float(last), above) > 0):
            return float(min(first, last))
        while far - near > 0.005:
            middle = (near + far) / 2
            near, far = (middle, far) if self._margin(ndtr(-middle), above) > 0 else (near, middle)
        return float(ndtr(-near))


def _distance(first: float, second: float) -> float:
    # A limit on the wrong side of its estimate (a biased bootstrap) adds nothing.
    return float((max(first, 0.0) ** 2 + max(second, 0.0) ** 2) ** 0.5)


def _refuse_counts(errors: object, n: object, model_error: object) -> None:
    """Refuse numbers of errors beside predictions, from which they are counted."""
    given = {"errors": errors, "n": n, "model_error": model_error}
    for name, value in given.items():
        if value is not None:
            raise InputError(argument(name), " is counted from the predictions. Leave it out.")


def _model_errors(
    errors: int | None, n: int | None, model_error: float | str | None
) -> tuple[int, int]:
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
        return round(as_fraction(model_error, name="model_error") * items), items
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
