"""Checks for tests and CI: a failure says in a sentence what was found, and what was required.

They compare as the command line does with `--fail-if-floor-above`, `--fail-if-ceiling-below` and
`--fail-unless`.

Examples
--------
>>> import errorfloor as ef
>>> from errorfloor.testing import assert_floor, assert_headroom
>>> floor = ef.from_votes([0] * 60 + [1] * 10 + [2] * 10 + [3] * 60, 3)
>>> assert_floor(floor, at_most="20%")
>>> verdict = ef.headroom(floor, errors=60, n=200, same_labelling=True)
>>> assert_headroom(verdict)
"""

from __future__ import annotations

from typing import Any

from errorfloor._checks import InputError, argument, as_fraction, check_choice, function
from errorfloor.results import Estimate, Groups, Verdict
from errorfloor.results.verdict import VERDICTS
from errorfloor.show import gates

__all__ = ["assert_floor", "assert_headroom"]


def assert_floor(
    estimate: Estimate | Groups[Estimate],
    *,
    at_most: float | str | None = None,
    ceiling_at_least: float | str | None = None,
) -> None:
    """Fail unless the best possible value is as good as required.

    Where an answer is only a bound of the floor, the limit that was shown to be reachable is
    compared. A refuted answer always fails.

    Parameters
    ----------
    estimate : Estimate or Groups
        What `from_votes`, `from_scores` and the like return; of groups, each has to pass.
    at_most : float or str, optional
        The highest floor that passes: 0.1, or "10%". Of metrics of which less is better.
    ceiling_at_least : float or str, optional
        The lowest ceiling that passes: 0.9, or "90%". Of an error it is the accuracy.

    Raises
    ------
    AssertionError
        With the sentence of the estimate, and what is not as required.

    Examples
    --------
    >>> import errorfloor as ef
    >>> floor = ef.from_votes([0] * 60 + [1] * 10 + [2] * 10 + [3] * 60, 3)
    >>> assert_floor(floor, at_most="20%")
    >>> assert_floor(floor, ceiling_at_least=0.99)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    AssertionError: The best possible accuracy in predicting one more annotator's vote is ...
    Failed: the estimate of the best possible accuracy is 94 %, below the required 99 %.
    """
    __tracebackhide__ = True
    if (at_most is None) == (ceiling_at_least is None):
        raise InputError("Give ", argument("at_most"), " or ", argument("ceiling_at_least"), ".")
    first = next(iter(dict(estimate).values())) if isinstance(estimate, Groups) else estimate
    if not isinstance(first, Estimate):
        text = f" must be an estimate, got {type(estimate).__name__}. Call "
        raise InputError(argument("estimate"), text, function("from_votes"), " or the like first.")
    metric = first.measure
    name, given = "at_most", at_most
    if given is None:
        name, given = "ceiling_at_least", ceiling_at_least
    opposite = metric.less_is_better and name == "ceiling_at_least"
    if (opposite and not metric.opposite) or (not metric.less_is_better and name == "at_most"):
        other = "at_most" if metric.less_is_better else "ceiling_at_least"
        text = f" does not fit {metric.words}. Use "
        raise InputError(argument(name), text, argument(other), ".")
    free = "costs" in metric.needs or metric.unit
    value = as_fraction(given, name=name, most=float("inf") if free else 1.0)
    _fail(estimate, gates.unattainable(estimate, gates.Limit(value, is_opposite=opposite)))


def assert_headroom(
    verdict: Verdict | Groups[Verdict],
    *required: str,
    room_at_most: float | str | None = None,
) -> None:
    """Fail unless the verdict on a model is one of those required, or little enough may remain.

    Parameters
    ----------
    verdict : Verdict or Groups
        What `headroom` returns; of groups, each has to pass.
    *required : {"room", "saturated", "beyond", "matches", "better", "open"}
        Verdicts that pass; "room" if none is given, nor `room_at_most`. "saturated" also accepts
        "matches", and "beyond" accepts "better", which are the names where the answer is a bound.
        "saturated" passes where no room was found, also because the data are too few to tell.
    room_at_most : float or str, optional
        How much may remain at most, 0.02 or "2%": compared with the upper limit of the difference,
        which few data leave high.

    Raises
    ------
    AssertionError
        With the sentence of the verdict, and what is not as required.

    Examples
    --------
    >>> import errorfloor as ef
    >>> verdict = ef.headroom(0.05, errors=98, n=1000)
    >>> assert_headroom(verdict)
    >>> assert_headroom(verdict, room_at_most="7%")
    >>> assert_headroom(verdict, "saturated", "beyond")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    AssertionError: With the floor that you gave, the best possible accuracy is 95.0 %. ...
    Failed: The verdict is not 'saturated' or 'beyond': room: 3.0 to 6.8 points.
    """
    __tracebackhide__ = True
    first: Any = next(iter(dict(verdict).values())) if isinstance(verdict, Groups) else verdict
    if not isinstance(first, Verdict):
        text = f" must be a verdict, got {type(verdict).__name__}. Call "
        raise InputError(argument("verdict"), text, function("headroom"), " first.")
    if room_at_most is not None:
        free = "costs" in first.floor.measure.needs or not first.floor.measure.is_fraction
        most = as_fraction(room_at_most, name="room_at_most", most=float("inf") if free else 1.0)
        _fail(verdict, gates.too_much_left(verdict, most))
        if not required:
            return
    names = [check_choice(one, VERDICTS, name="required") for one in required or ("room",)]
    _fail(verdict, gates.refused(verdict, names))


def _fail(result: Any, unmet: str | None) -> None:
    __tracebackhide__ = True
    if unmet is not None:
        raise AssertionError(f"{result.sentence}\nFailed: {unmet}")
