"""Powers of scores times weights of classes, fitted to labels by maximum likelihood.

Probabilities are proportional to ``s_k ** b_k * w_k``: on the log scale a multinomial logistic
regression with few parameters, whose likelihood is concave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.methods.newton import solve
from errorfloor.methods.rules.logs import Labelled, blocks, softmax

TOLERANCE = 1e-10  # the last step is worth less than this an item; it squares the error
MAX_STEPS = 100
MAX_HALVINGS = 40
REACH = 3.0  # standard errors between two classes, below which either may be the likelier
COIN = 0.25  # variance of the error of one tied item; where all have less, none is
FAR = 0.1  # of exponents; a last step to a maximum is about a ten-thousandth of that
REACHES = (np.inf, 12.0, 9.0, 7.0, 5.5, 4.0, 3.0)  # the last is 5 % of the largest score


@dataclass(frozen=True, slots=True)
class Family:
    """Which parameters are free: one power or one for each class, and weights or none."""

    powers: bool = False  # one for each class
    weights: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Power:
    """A fitted map: probabilities proportional to ``exp(power * log score + weight)``."""

    power: Floats  # one for each class
    weight: Floats  # their logarithms; minus infinity for classes without labels
    reach: float = np.inf  # log scores further than this below the row's largest are this far
    endless: bool = False  # labels are told apart without error, so that no power is the likeliest

    def values(self, logs: Floats) -> Floats:
        """Return the exponents, one row for each class."""
        if self.reach < np.inf:
            logs = np.maximum(logs, -self.reach)
        return np.asarray(self.power[:, None] * logs + self.weight[:, None])

    def probabilities(self, logs: Floats) -> Floats:
        """Return the probabilities, one row for each class."""
        return softmax(self.values(logs))[0]


def fit(
    family: Family,
    items: Labelled,
    count: Counts,
    start: Power | None = None,
    reach: float = np.inf,
) -> Power:
    """Return the powers and weights that make the labels of the cells likeliest.

    Powers below 0 would turn the order of the scores around. A common power is 0 instead, which
    leaves the shares of the classes, or equal ones without weights. Where there is no likeliest
    power, where the climb ends depends on its start, which may know labels of other items; so it
    starts from nothing.
    """
    task = _SoftmaxLikelihood.of(family, items, count, reach)
    flat = task.flat
    if start is None or not np.array_equal(np.isfinite(start.weight), np.isfinite(flat.weight)):
        start = flat
    found = task.climb(flat if start.endless else replace(start, reach=reach))
    if found.endless and start is not flat and not start.endless:
        found = task.climb(flat)
    return flat if not family.powers and found.power[0] <= 0 else found


def fit_within_reach(family: Family, items: Labelled, count: Counts) -> Power:
    """Return the likeliest fit with scores that are raised to a common part of the row's largest.

    Where some labels are guesses, a label with a score of almost nothing is no rare event, and
    without this a few of them would decide on the power and blur the weights. The part grows for
    as long as that makes the labels likelier.
    """
    least = float(items.logs.min())
    best, likelihood = None, -np.inf
    for reach in REACHES:
        if reach < np.inf and least >= -reach:
            continue
        fitted = fit(family, items, count, best, reach)
        new = _SoftmaxLikelihood.of(family, items, count, reach).at(fitted)[0]
        if best is not None and (best.endless or new <= likelihood):
            break
        best, likelihood = fitted, new
    assert best is not None
    return best


def covariance(family: Family, items: Labelled, count: Counts, fitted: Power) -> Floats:
    """Return the inverse of the likelihood's curvature: of powers, then of weights."""
    task = _SoftmaxLikelihood.of(family, items, count, fitted.reach)
    free = task.free
    _, _, hessian = task.at(fitted)
    spread = np.zeros_like(hessian)
    spread[np.ix_(free, free)] = np.linalg.pinv(hessian[np.ix_(free, free)], hermitian=True)
    return spread


def unclear_share(family: Family, items: Labelled, count: Counts, fitted: Power) -> float:
    """Return the share of the variance of errors that is of items whose likeliest classes are tied.

    There any rule does as well, and the folds waver together. The distance of the two largest
    log-probabilities is compared with its own standard error, from the curvature of the
    likelihood. Where distances vary smoothly, there are as many items at less than `REACH` as from
    there to twice that; only what is more is taken for tied. That is all where scores tell nothing.
    """
    totals = items.totals(count)
    spread = covariance(family, items, count, fitted)
    errors, near = 0.0, np.zeros(2)
    for block in blocks(totals.size, len(items.logs)):
        logs = items.logs[:, block]
        wrong = 1 - fitted.probabilities(logs).max(axis=0)
        variance = totals[block] * wrong * (1 - wrong)
        distance = _distance(logs, fitted, spread)
        near += [variance @ (distance < reach) for reach in (REACH, 2 * REACH)]
        errors += float(totals[block] @ wrong)
    every = max(errors * (1 - errors / float(totals.sum())), COIN)
    return float(np.clip((2 * near[0] - near[1]) / every, 0, 1))


def _distance(logs: Floats, fitted: Power, spread: Floats) -> Floats:
    """Return the distance between the two likeliest classes, in standard errors."""
    values = fitted.values(logs)
    row = np.arange(values.shape[1])
    first = values.argmax(axis=0)
    top = values[first, row]
    values[first, row] = -np.inf
    second = values.argmax(axis=0)
    gap = top - values[second, row]
    apart = logs[first, row] - logs[second, row]
    i, j = first + 1, second + 1  # the power comes first
    variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
    variance += apart * (2 * (spread[0, i] - spread[0, j]) + apart * spread[0, 0])
    return np.asarray(gap / np.sqrt(np.maximum(variance, np.finfo(float).tiny)))


def _log_shares(by_class: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(by_class / by_class.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class _SoftmaxLikelihood:
    """A likelihood to be climbed: a family, rows with items, and what is known of their labels."""

    family: Family
    logs: Floats
    totals: Floats
    by_class: Floats
    own_logs: Floats
    seen: Bools
    reach: float

    @classmethod
    def of(cls, family: Family, items: Labelled, count: Counts, reach: float) -> _SoftmaxLikelihood:
        totals, by_class = items.totals(count), items.by_class(count)
        seen = by_class > 0 if family.weights else np.ones(by_class.size, dtype=bool)
        logs, kept = items.logs, np.flatnonzero(totals)
        if 2 * kept.size < totals.size:  # a copy of more would take more memory than it saves time
            logs, totals = logs[:, kept], totals[kept]
        return cls(family, logs, totals, by_class, items.own_logs(count, reach), seen, reach)

    @property
    def flat(self) -> Power:
        """The maximum where the scores count for nothing."""
        classes = self.seen.size
        weight = _log_shares(self.by_class) if self.family.weights else np.zeros(classes)
        return Power(np.zeros(classes), weight, self.reach)

    @property
    def free(self) -> Bools:
        """Which parameters move; of the weights one may stay, because only ratios matter."""
        powers = self.seen if self.family.powers else np.ones(1, dtype=bool)
        weights = self.seen & (np.arange(self.seen.size) != np.argmax(self.by_class))
        return np.concatenate((powers, weights & self.family.weights))

    def climb(self, at: Power) -> Power:
        """Return the maximum by damped Newton steps.

        Where labels can be told apart without error there is no maximum: each step gains a
        constant factor, and the climb ends once that is worth nothing. The next step would still be
        long, or of any length, as the curvature is then rounding.
        """
        free, n = self.free, self.totals.sum()
        level, gradient, hessian = self.at(at)
        for _ in range(MAX_STEPS):
            step = np.zeros(free.size)
            step[free] = solve(hessian[np.ix_(free, free)], gradient[free])
            if gradient @ step <= TOLERANCE * n:
                is_far = self._distance(step) > FAR
                return replace(at, endless=True) if is_far else self.moved(at, step)
            for _ in range(MAX_HALVINGS):
                candidate = self.moved(at, step)
                new = self.at(candidate)
                if new[0] >= level:
                    break
                step = step / 2
            else:
                return at
            at, (level, gradient, hessian) = candidate, new
        return at

    def _distance(self, step: Floats) -> float:
        """Return how far a step moves the exponents, at most."""
        deepest = min(-float(self.logs.min()), self.reach)
        sizes = np.abs(step)
        split = step.size - self.seen.size
        return float(deepest * sizes[:split].max() + sizes[split:].max())

    def moved(self, at: Power, step: Floats) -> Power:
        """Return where a step in the parameters leads."""
        split = step.size - at.weight.size
        return Power(at.power + step[:split], at.weight + step[split:], self.reach)

    def at(self, at: Power) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood with its gradient, and minus its second derivatives."""
        classes = self.seen.size
        width = classes + (classes if self.family.powers else 1)
        normal = 0.0
        cross = np.zeros((width, width))
        first, second, mass = np.zeros((3, classes))
        for block in blocks(self.totals.size, classes):
            logs, weight = self.logs[:, block], self.totals[block]
            if self.reach < np.inf:
                logs = np.maximum(logs, -self.reach)
            prob, log_sum = softmax(at.values(logs))
            normal += float(weight @ log_sum)
            scaled = prob * logs
            first += scaled @ weight
            mass += prob @ weight
            second += np.einsum("kr,kr,r->k", scaled, logs, weight)
            power = scaled if self.family.powers else scaled.sum(axis=0, keepdims=True)
            every = np.concatenate((power, prob))
            cross += (every * weight) @ every.T
        seen = self.seen
        level = float(at.power[seen] @ self.own_logs[seen] + at.weight[seen] @ self.by_class[seen])
        gradient, hessian = self._derivatives(first, second, mass)
        return level - normal, gradient, hessian - cross

    def _derivatives(self, first: Floats, second: Floats, mass: Floats) -> tuple[Floats, Floats]:
        """Return the gradient, and the part of the Hessian that classes do not share."""
        power = self.own_logs - first
        if not self.family.powers:
            corner, side = np.array([[second.sum()]]), first[None]
            power = power.sum(keepdims=True)
        else:
            corner, side = np.diag(second), np.diag(first)
        gradient = np.concatenate((power, self.by_class - mass))
        return gradient, np.block([[corner, side], [side.T, np.diag(mass)]])
