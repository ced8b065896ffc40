"""What to do next: is a model at the floor, and which labels to buy."""

from __future__ import annotations

import operator

from errorfloor._checks import LabelShiftWarning, check_level, warn
from errorfloor.intervals import CutErrors
from errorfloor.results import Estimate, Evidence, Verdict

FROM_VOTES = ("plugin", "mixture")


def headroom(
    estimate: Estimate,
    errors: int | None = None,
    n: int | None = None,
    *,
    model_error: float | None = None,
    level: float = 0.95,
    same_labelling: bool = False,
) -> Verdict:
    """Say whether a model is above the floor, at it, or below it.

    Parameters
    ----------
    estimate : Estimate
        The floor, with an interval.
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

    Returns
    -------
    Verdict
        "room" if the difference of model error and floor is above 0 at this level, "below" if
        it is below 0, else "saturated".

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
    >>> floor = from_scores([0.1, 0.2, 0.6, 0.7, 0.8] * 40, [0, 1, 0, 1, 1] * 40, rng=0)
    >>> headroom(floor, errors=430, n=1000).verdict
    'room'
    """
    level = check_level(level)
    if estimate.evidence is None:
        raise ValueError("`estimate` has no interval. Estimate the floor without `interval=None`.")
    wrong, items = _model_errors(errors, n, model_error)
    evidence = estimate.evidence
    model = CutErrors("exact", wrong, items, wrong, items)
    rate = wrong / items
    low, high = _difference(rate, model, estimate.value, evidence, level)
    word = "room" if low > 0 else "below" if high < 0 else "saturated"
    p_above, p_below = _p_values(rate, model, estimate.value, evidence)
    warnings: tuple[str, ...] = ()
    if estimate.method in FROM_VOTES and not same_labelling:
        message = (
            "The floor came from votes. If the test labels were made in another way (other "
            "people, other instructions, sharper images), their floor is another one. Use "
            "from_scores with the votes' shares and the test labels, or say same_labelling=True."
        )
        warnings = (warn(message, LabelShiftWarning),)
    return Verdict(
        verdict=word,
        difference=rate - estimate.value,
        low=low,
        high=high,
        level=level,
        p_above=p_above,
        p_below=p_below,
        model_error=rate,
        n=items,
        floor=estimate,
        warnings=warnings,
    )


def _model_errors(errors: int | None, n: int | None, model_error: float | None) -> tuple[int, int]:
    try:
        items = operator.index(n)  # type: ignore[arg-type]
    except TypeError:
        items = 0
    if items < 1:
        raise ValueError(f"`n` must be the number of test items, at least 1; got {n!r}.")
    if (errors is None) == (model_error is None):
        raise ValueError("Give either `errors`, a number of items, or `model_error`, a fraction.")
    if model_error is not None:
        if not 0 <= model_error <= 1:
            raise ValueError(
                f"`model_error` must lie in [0, 1], got {model_error!r}. Divide percentages by 100."
            )
        return round(model_error * items), items
    try:
        wrong = operator.index(errors)  # type: ignore[arg-type]
    except TypeError:
        wrong = -1
    if not 0 <= wrong <= items:
        raise ValueError(
            f"`errors` must be a whole number from 0 to `n` = {items}, got {errors!r}. "
            "Pass a fraction as `model_error`."
        )
    return wrong, items


def _difference(
    rate: float, model: Evidence, floor: float, evidence: Evidence, level: float
) -> tuple[float, float]:
    """Return the limits of the model's error less the floor."""
    model_low, model_high = model.limits(level)
    low, high = evidence.limits(level)
    down = _distance(rate - model_low, high - floor)
    up = _distance(model_high - rate, floor - low)
    return rate - floor - down, rate - floor + up


def _distance(first: float, second: float) -> float:
    # A limit on the wrong side of its estimate (a biased bootstrap) adds nothing.
    return float((max(first, 0.0) ** 2 + max(second, 0.0) ** 2) ** 0.5)


def _p_values(
    rate: float, model: Evidence, floor: float, evidence: Evidence
) -> tuple[float, float]:
    """Return the least tails at which 0 is outside: of "not above" and of "not below" the floor."""
    above = rate >= floor
    inside, outside = 1 - 1e-12, 1e-12  # levels at which 0 is inside the limits, and outside
    for _ in range(50):
        middle = (inside + outside) / 2
        low, high = _difference(rate, model, floor, evidence, middle)
        if (low > 0) if above else (high < 0):
            outside = middle
        else:
            inside = middle
    tail = (1 - outside) / 2
    return (tail, 1 - tail) if above else (1 - tail, tail)
