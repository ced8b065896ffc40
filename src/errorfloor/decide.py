"""What to do next: is a model at the floor, and which labels to buy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from errorfloor._checks import (
    LabelShiftWarning,
    as_counts,
    as_probabilities,
    as_scores,
    check_level,
    check_same_length,
    refuse,
    warn,
)
from errorfloor._typing import Counts, Floats
from errorfloor.bounds import exact_bias
from errorfloor.floors import BestCut
from errorfloor.intervals import CutErrors
from errorfloor.resample import cross_fitted_errors, split
from errorfloor.results import Estimate, Evidence, Interval, Option, Plan, Verdict
from errorfloor.tables import ScoreTable, VoteTable

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


def plan(
    pilot: VoteTable | ScoreTable | tuple[object, object],
    *,
    votes: Sequence[int] = (2, 3, 5, 10, 20),
    items: Sequence[int] = (100, 300, 1000, 3000, 10_000),
    target: float | None = None,
    cost_per_item: float = 0.0,
    cost_per_vote: float = 1.0,
    level: float = 0.95,
) -> Plan:
    """Say how wide the interval will be for so many votes and items, and what is cheapest.

    Parameters
    ----------
    pilot : VoteTable, ScoreTable or (points, weights)
        Votes collected so far; or scores with one label an item; or an assumed distribution of
        the probability of a positive vote.
    votes : sequence of int
        Numbers of votes an item to consider, each at least 2. Scores have one label an item.
    items : sequence of int
        Numbers of items to consider.
    target : float, optional
        Width of the interval to reach, as a fraction.
    cost_per_item, cost_per_vote : float
        Price of an item, and of each vote (or label) on it.
    level : float
        Confidence level.

    Returns
    -------
    Plan
        Widths for all numbers of votes and items and, with a target, how many items each number
        of votes needs and which of these is the cheapest.

    Notes
    -----
    A width is that of the default interval on the data to be expected. For votes that is the
    expected table under the distribution fitted to the pilot. For scores it is the pilot's
    midpoint of training and cross-fitted error, with half their difference to either side
    shrinking as n to the power of -2/3, the rate at which a cut is learnt.

    Examples
    --------
    >>> from errorfloor import VoteTable
    >>> pilot = VoteTable.from_arrays([0, 0, 0, 1, 1, 2, 2, 2], 2)
    >>> plan(pilot, votes=(2, 3), items=(100, 1000)).width.shape
    (2, 2)
    """
    level = check_level(level)
    goal = None if target is None else _check_number(target, "target", above=0.0)
    item, vote = (
        _check_number(cost, name)
        for cost, name in ((cost_per_item, "cost_per_item"), (cost_per_vote, "cost_per_vote"))
    )
    n_items = np.unique(as_counts(items, name="items", least=2))
    if isinstance(pilot, ScoreTable):
        n_votes = np.array([1])
        floor, width_of = _widths_of_scores(pilot, level)
        bias = np.zeros(1)
    else:
        n_votes = np.unique(as_counts(votes, name="votes", least=2))
        points, weights = _distribution(pilot)
        floor = float(np.average(np.minimum(points, 1 - points), weights=weights))
        width_of = partial(_width_of_votes, points, weights, level)
        bias = np.array([exact_bias(points, int(m), weights=weights) for m in n_votes])
    width = np.array([[width_of(int(m), int(n)) for n in n_items] for m in n_votes])
    options: list[Option] = []
    if goal is not None:
        for m, row in zip(n_votes.tolist(), width, strict=True):
            needed = _items_needed(partial(width_of, m), goal, n_items, row)
            if needed is not None:
                options.append(Option(m, needed, round(needed * (item + m * vote), 6)))
    best = min(options, key=lambda option: option.cost, default=None)
    parts = []
    if goal is not None:
        parts.append(_advice(goal, best, n_votes, width_of))
    if isinstance(pilot, VoteTable):
        parts.append(_vote_or_item(pilot, width_of, item, vote))
    return Plan(
        votes=n_votes,
        items=n_items,
        width=width,
        bias=bias,
        floor=floor,
        level=level,
        target=goal,
        options=tuple(options),
        advice=" ".join(parts),
    )


MOST_ITEMS = 10**8


def _check_number(value: float, name: str, *, above: float = -math.inf) -> float:
    """Return a finite number of at least 0 and above `above`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (0 <= number < math.inf and number > above):
        least = "above 0" if above >= 0 else "of at least 0"
        raise ValueError(f"`{name}` must be a number {least}, got {value!r}.")
    return number


def _distribution(pilot: VoteTable | tuple[object, object]) -> tuple[Floats, Floats]:
    """Return points and weights of the distribution that a pilot suggests."""
    if isinstance(pilot, VoteTable):
        from errorfloor.mixture import fit_mixture

        if len(pilot) == 0 or pilot.totals.max() < 2:
            raise ValueError(
                "`pilot` must have items with at least 2 votes. Collect a second vote on some."
            )
        fit = fit_mixture(pilot.positives, pilot.totals, pilot.counts)
        return fit.points, fit.weights
    if not isinstance(pilot, tuple) or len(pilot) != 2:
        raise ValueError(
            "`pilot` must be a VoteTable, a ScoreTable, or a pair (points, weights) of arrays."
        )
    points = as_probabilities(pilot[0], name="pilot points")
    weights = as_scores(pilot[1], name="pilot weights")
    check_same_length(points, weights, ("pilot points", "pilot weights"))
    refuse(weights < 0, weights, "`pilot weights` must be at least 0", "Drop such points.")
    if not weights.any():
        raise ValueError("`pilot weights` must not all be 0. Give some point a positive weight.")
    return points, weights / weights.sum()


def _width_of_votes(points: Floats, weights: Floats, level: float, m: int, n: int) -> float:
    """Return the width of the likelihood interval on the expected votes of n items."""
    from scipy.special import bdtr

    from errorfloor.mixture import likelihood_limits

    k = np.arange(m + 1)
    at_most = np.vstack([np.zeros(points.size), bdtr(k[:, None], m, points)])
    expected = n * (np.diff(at_most, axis=0) @ weights)
    seen = expected > 1e-9 * n
    low, high = likelihood_limits(k[seen], np.full(k.size, m)[seen], expected[seen], level=level)
    return high - low


def _widths_of_scores(pilot: ScoreTable, level: float) -> tuple[float, Callable[[int, int], float]]:
    """Return the pilot's floor, and the honest interval's width as a function of (1, n)."""
    if pilot.n < 20:
        raise ValueError(f"`pilot` has {pilot.n} items; pass at least 20 to learn from.")
    cells = pilot.cells()
    errors = int(BestCut(cells).errors(cells.count[None])[0])
    held_out = [
        cross_fitted_errors(cells.positive, split(cells.count, 10, np.random.default_rng(seed)))
        for seed in range(10)
    ]
    middle = (errors + float(np.mean(held_out))) / 2 / pilot.n
    gap = max(float(np.mean(held_out)) - errors, 0.0) / 2 / pilot.n

    def width(_: int, n: int) -> float:
        shift = gap * (pilot.n / n) ** (2 / 3)
        low, high = (min(max(rate, 0.0), 0.5) * n for rate in (middle - shift, middle + shift))
        limits = Interval.at(level, CutErrors("honest", low, n, high, n))
        return limits.high - limits.low

    return middle, width


def _items_needed(
    width_of: Callable[[int], float], goal: float, items: Counts, widths: Floats
) -> int | None:
    """Return how many items make the interval as narrow as the goal, up to two digits.

    `widths` are known at `items`. In logarithms a width is nearly a straight line in between.
    """
    known = dict(zip(items.tolist(), widths.tolist(), strict=True))
    n = int(items[-1])
    while known[n] > goal:
        if n >= MOST_ITEMS:
            return None
        n = min(10 * n, MOST_ITEMS)
        known[n] = width_of(n)
    low = max((n for n in known if known[n] > goal), default=1)
    high = min(n for n in known if known[n] <= goal)
    known.setdefault(low, 0.5)
    while high > 1.02 * low + 1:
        slope = math.log(known[high] / known[low]) / math.log(high / low)
        guess = low * math.exp(math.log(goal / known[low]) / slope)
        n = min(max(round(guess), low + 1, round(0.9 * low + 0.1 * high)), high - 1)
        known[n] = width_of(n)
        low, high = (low, n) if known[n] <= goal else (n, high)
    unit = 10 ** max(len(str(high)) - 2, 0)
    return int(-(-high // unit) * unit)


def _advice(
    goal: float, best: Option | None, votes: Counts, width_of: Callable[[int, int], float]
) -> str:
    wanted = f"a width of {100 * goal:.2f} points"
    if best is None:
        m = int(votes.max())
        least = 100 * width_of(m, MOST_ITEMS)
        return (
            f"No number of items reaches {wanted} with up to {m} votes each; the narrowest is "
            f"{least:.2f} points."
        )
    labels = "one label" if best.votes == 1 else f"{best.votes} votes"
    return (
        f"The cheapest way to {wanted} is {labels} on each of {best.items:,} items, "
        f"for {best.cost:,.0f}."
    )


def _vote_or_item(
    pilot: VoteTable, width_of: Callable[[int, int], float], item: float, vote: float
) -> str:
    """Say whether one more vote on each item or more items narrows the interval more."""
    m, n = max(round(float(np.average(pilot.totals, weights=pilot.counts))), 2), pilot.n
    price = item + m * vote
    if price == 0:
        return ""
    more = n + round(n * vote / price)
    deeper, broader = width_of(m + 1, n), width_of(m, more)
    spent = f"For the price of one more vote on each of the {n:,} items of the pilot"
    found = f"({100 * deeper:.2f} points against {100 * broader:.2f} with {more - n:,} more items)"
    if deeper < broader:
        return f"{spent}, that vote narrows the interval more than new items would {found}."
    return f"{spent}, new items narrow the interval at least as much {found}."


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
    from scipy.optimize import brentq
    from scipy.special import ndtr

    above = rate >= floor

    def margin(z: float) -> float:
        """Return how far 0 is outside the limits whose tails are beyond z standard deviations."""
        low, high = _difference(rate, model, floor, evidence, 1 - 2 * float(ndtr(-z)))
        return low if above else -high

    least, most = 1e-6, 7.0  # tails from nearly a half to 1e-12
    if margin(least) <= 0:
        tail = 0.5
    elif margin(most) > 0:
        tail = float(ndtr(-most))
    else:
        tail = float(ndtr(-brentq(margin, least, most, xtol=1e-5)))
    return (tail, 1 - tail) if above else (1 - tail, tail)
