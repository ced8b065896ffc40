"""Maps from scores of many classes to probabilities, and what their likeliest classes leave.

Powers of scores with weights of the classes or without, or an isotonic fit of each class against
the rest, made to add up to one. Powers and weights are fitted by maximum likelihood: probabilities
are proportional to ``s_k ** b_k * w_k``, on the log scale a multinomial logistic regression with
few parameters, whose likelihood is concave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor import _references as references
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.fitted import MeanFloor
from errorfloor.methods.newton import solve
from errorfloor.methods.record import Basis, ClassCalibration, Classes, Method, Options, Shape
from errorfloor.methods.rules.fewest import TIE
from errorfloor.methods.rules.logs import (
    Labelled,
    are_logits,
    blocks,
    least_share,
    on_log_scale,
    shares,
    softmax,
    sums,
)
from errorfloor.metrics import ERROR

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


class PowerFloor:
    """Mean of ``1 - max p`` where p are fitted powers of scores times weights."""

    def __init__(self, family: Family, cells: Sample, options: Options) -> None:
        self.family = family
        self.items = Labelled.of(cells, options.clip)
        self.count = cells.count
        self.fitted = fit(family, self.items, self.count)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array([self._value(count) for count in counts])

    def _value(self, count: Counts) -> float:
        fitted = fit(self.family, self.items, count, self.fitted)
        totals = self.items.totals(count)
        return float(totals @ missed(fitted, self.items.logs) / totals.sum())

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn, by one Newton step each."""
        items, n = self.items, int(self.count.sum())
        left = missed(self.fitted, items.logs)
        totals = items.totals(self.count)
        turn = self._turn(totals) / n
        shift = np.empty(items.row.size)
        for block in blocks(items.row.size, len(items.logs)):
            row, label = items.row[block], items.label[block]
            logs = items.logs[:, row]
            lever = turn[0][:, None] * logs + turn[1][:, None]
            mean = (self.fitted.probabilities(logs) * lever).sum(axis=0)
            shift[block] = lever[label, np.arange(row.size)] - mean
        rest = (totals @ left - left[items.row]) / max(n - 1, 1)
        return np.asarray(rest - shift)

    def _turn(self, totals: Floats) -> Floats:
        """Return how the sum of ``1 - max p`` answers to a change of the likelihood's gradient."""
        classes = len(self.items.logs)
        slope = np.zeros((2, classes))  # by powers, and by weights
        for block in blocks(totals.size, classes):
            logs = self.items.logs[:, block]
            prob = self.fitted.probabilities(logs)
            top = prob.argmax(axis=0)
            best = prob.max(axis=0) * totals[block]
            change = prob * best
            np.subtract.at(change, (top, np.arange(top.size)), best)
            slope += (change * logs).sum(axis=1), change.sum(axis=1)
        spread = covariance(self.family, self.items, self.count, self.fitted)
        if self.family.powers:
            return np.asarray((spread @ slope.ravel()).reshape(2, classes))
        answer = spread @ np.append(slope[0].sum(), slope[1])
        return np.stack((np.full(classes, answer[0]), answer[1:]))


def missed(fitted: Power, logs: Floats) -> Floats:
    """Return what the likeliest class leaves at each row: ``1 - max p``."""
    left = np.empty(logs.shape[1])
    for block in blocks(left.size, len(logs)):
        left[block] = 1 - fitted.probabilities(logs[:, block]).max(axis=0)
    return left


def fit_map(
    name: str, family: Family, table: ScoreTable, options: Options, *, in_reach: bool = False
) -> ClassCalibration:
    """Return the fitted map of a family, with a least score for each row if `in_reach`."""
    cells = table.cells()
    items = Labelled.of(cells, options.clip)
    fitted = (fit_within_reach if in_reach else fit)(family, items, cells.count)
    least = least_share(table.scores, options.clip)
    parameters: dict[str, Any] = {
        "power": fitted.power if family.powers else float(fitted.power[0]),
        "weight": np.exp(fitted.weight - fitted.weight.max()),
    }
    if in_reach:
        parameters["least"] = float(np.exp(-fitted.reach))  # of each row's largest score
    apply = partial(_apply, fitted, least)
    return ClassCalibration(name, table, parameters, apply, least is None)


def _apply(fitted: Power, least: float | None, scores: Floats) -> Floats:
    return np.ascontiguousarray(fitted.probabilities(on_log_scale(scores, least)).T)


class OneVsRest:
    """Mean of ``1 - max p`` where p are isotonic fits, one for each class, normalised."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.cells = cells
        self.shares = shares(cells.scores)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        rows = len(self.cells.scores)
        totals = np.array([sums(self.cells.row, count, rows) for count in counts])
        missed = self._missed(counts, totals)
        return np.asarray((totals * missed).sum(axis=1) / totals.sum(axis=1))

    def _missed(self, counts: Counts, totals: Floats) -> Floats:
        """Return one minus the largest probability of each row, for each row of counts."""
        top, total = np.zeros((2, *totals.shape))
        for _, k, prob in self._fits(counts, totals):
            np.maximum(top[k], prob, out=top[k])
            total[k] += prob
        # Where no class is possible by its own fit, all are alike.
        with np.errstate(invalid="ignore"):
            return np.where(total > 0, 1 - top / total, 1 - 1 / len(self.shares))

    def _fits(self, counts: Counts, totals: Floats) -> Iterator[tuple[int, int, Floats]]:
        """Yield classes, rows of counts, and the fit of the class; the next takes its memory."""
        prob = np.zeros(totals.shape[1])
        short = self.cells.label.astype(np.uint16)  # only for speed
        of_class = np.argsort(short, kind="stable")
        ends = np.cumsum(np.bincount(self.cells.label, minlength=len(self.shares)))
        for label, mine in enumerate(np.split(of_class, ends[:-1])):
            if mine.size == 0:
                continue
            share, row = self.shares[label], self.cells.row[mine]
            steps = Steps(share, float(share[row].min()))
            for k, count in enumerate(counts):
                prob[:] = 0
                prob[steps.order] = steps.fit(sums(row, count[mine], share.size), totals[k])
                yield label, k, prob

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn, where steps stay in one piece.

        An item less moves the fits of all rows on its steps, by which the floor changes as much as
        by the item itself.
        """
        count, row = self.cells.count, self.cells.row
        totals = sums(row, count, len(self.cells.scores))
        prob = np.zeros(self.shares.shape)
        for label, _, fitted in self._fits(count[None], totals[None]):
            prob[label] = fitted
        total, top = prob.sum(axis=0), prob.max(axis=0)
        some = np.maximum(total, np.finfo(float).tiny)
        missed = np.where(total > 0, 1 - top / some, 1 - 1 / len(prob))
        first = prob.argmax(axis=0)
        moved = np.zeros(row.size)
        for label, fitted in enumerate(prob):
            _, step = np.unique(fitted, return_inverse=True)
            slope = np.where(total > 0, (top / some - (first == label)) / some, 0.0)
            lever = np.bincount(step, totals * slope) / np.maximum(np.bincount(step, totals) - 1, 1)
            moved += lever[step[row]] * (fitted[row] - (self.cells.label == label))
        return np.asarray((totals @ missed - missed[row] + moved) / max(int(count.sum()) - 1, 1))


class Steps:
    """Rows in the order of one class's share, from the least share that matters on.

    Shares that are equal but for rounding are one step. `start` has the first row of each step;
    None if each row is a step.
    """

    def __init__(self, share: Floats, least: float) -> None:
        some = share >= least * (1 - TIE)
        self.order: NDArray[np.intp] = np.argsort(share[some])
        if self.order.size < share.size:
            self.order = np.flatnonzero(some)[self.order]
        self.knots = share[self.order]
        self.start: NDArray[np.intp] | None = None
        tied = np.diff(self.knots) <= TIE * self.knots[1:]
        if tied.any():
            self.start = np.flatnonzero(np.append(True, ~tied))
            self.knots = self.knots[self.start]

    def fit(self, own: Floats, totals: Floats) -> Floats:
        """Return the fitted probability of the rows in their order, from labels and items."""
        levels = self.levels(own, totals)
        if self.start is None:
            return levels
        return np.repeat(levels, np.diff(np.append(self.start, self.order.size)))

    def levels(self, own: Floats, totals: Floats) -> Floats:
        """Return the fitted probability at each step; one without items has that before it."""
        from scipy.optimize import isotonic_regression  # slow to load

        own = own[self.order]
        if self.start is not None:
            own = np.add.reduceat(own, self.start)
        # A step without labels of the class is never above the one before: they are one block.
        first = np.flatnonzero(own)
        levels = np.zeros(own.size)
        if first.size:
            row = first if self.start is None else self.start[first]
            weight = np.add.reduceat(totals[self.order], row)  # items up to the next such step
            found = isotonic_regression(own[first] / weight, weights=weight).x
            levels[first[0] :] = np.repeat(found, np.diff(np.append(first, own.size)))
        return levels


def fit_steps(name: str, table: ScoreTable, options: Options) -> ClassCalibration:
    """Return the fitted maps of all classes."""
    totals = table.counts.sum(axis=1).astype(np.float64)
    found = []
    for share, own in zip(shares(table.scores), table.counts.T, strict=True):
        steps = Steps(share, 0.0)
        found.append((steps.knots, steps.levels(own.astype(np.float64), totals)))
    parameters = {"scores": [knots.tolist() for knots, _ in found]}
    parameters["probabilities"] = [levels.tolist() for _, levels in found]
    logits = are_logits(table.scores)
    return ClassCalibration(name, table, parameters, partial(_apply_steps, found, logits), logits)


def _apply_steps(found: list[tuple[Floats, Floats]], logits: bool, scores: Floats) -> Floats:
    share = softmax(scores.T.copy())[0] if logits else shares(scores)
    prob = np.column_stack(
        [np.interp(row, knots, levels) for row, (knots, levels) in zip(share, found, strict=True)]
    )
    total = prob.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, prob / total, 1 / len(found))


ONE_POWER, POWERS = Family(weights=False), Family(powers=True)
_AVERAGE = f"The floor is the mean of {ERROR.many_formula} over all items."
_BIASED = "biased either way, and no interval of the average shows it"
_method = partial(Method, reads=ScoreTable.kind, classes=Classes.MANY)


def _averaging(name: str, family: Family, **about: Any) -> Method:
    """Return the method that averages the confidences of a family of powers."""
    return _method(
        name=name,
        bind=partial(PowerFloor, family),
        bases=frozenset({Basis.RULES, Basis.ITEMS}),
        interval="bca",
        shape=Shape.CURVE,
        fit=partial(fit_map, name, family),
        options=("clip",),
        if_wrong=_BIASED,
        **about,
    )


def _of_scores(cells: Sample, options: Options) -> MeanFloor:
    missed = 1 - shares(cells.scores).max(axis=0)
    return MeanFloor(missed[cells.row], cells)


def _identity(table: ScoreTable, options: Options) -> ClassCalibration:
    return ClassCalibration(CORRUPTED.name, table, {}, _as_shares)


def _as_shares(scores: Any) -> Any:
    return shares(scores).T


CORRUPTED = _method(
    name="corrupted",
    bind=_of_scores,
    bases=frozenset({Basis.RULES, Basis.ITEMS}),
    interval="bca",
    assumes="The scores are true probabilities of the classes, taken at face value",
    if_wrong="as wrong as the scores",
    explains=f"The scores are taken as the probabilities p of the classes as they are. {_AVERAGE}",
    references=(references.MANY_SOFT_LABELS,),
    colour="red",
    fit=_identity,
    curve="offsets",
    needs_probabilities=True,
)
TEMPERATURE = _averaging(
    "temperature",
    ONE_POWER,
    assumes="One power of all scores turns them into true probabilities",
    explains="One power of the scores is fitted to the labels by maximum likelihood, and each row "
    f"divided by its sum. {_AVERAGE}",
    references=(references.TEMPERATURE,),
    colour="green",
)
VECTOR = _averaging(
    "vector",
    POWERS,
    assumes="A power and a weight for each class turn the scores into true probabilities",
    explains="A power and a weight for each class are fitted to the labels by maximum likelihood, "
    f"and each row divided by its sum. {_AVERAGE}",
    references=(references.TEMPERATURE,),
    colour="purple",
)
OVR_ISOTONIC = _method(
    name="ovr-isotonic",
    bind=OneVsRest,
    bases=frozenset({Basis.RULES, Basis.ITEMS}),
    interval="bca",
    assumes="Each score orders the items as the true probabilities of its class do, and what the "
    "classes' own fits add up to is shared alike",
    if_wrong=_BIASED,
    explains="The labels calibrate each class's scores against the rest by isotonic regression, "
    f"and each row is divided by its sum. {_AVERAGE}",
    references=(references.ISOTONIC,),
    shape=Shape.CURVE,
    colour="orange",
    fit=partial(fit_steps, "ovr-isotonic"),
)
