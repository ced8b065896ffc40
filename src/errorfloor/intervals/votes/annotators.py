"""The interval that counts annotators as a sample, as well as items.

The floor is about the vote of a fresh annotator. Votes of the same annotator are alike, so few
annotators, or few who cast most votes, leave the floor open by more than votes of many people
would. How much more is measured by leaving out one group of annotators at a time.

Leaving out refits nothing. The floor is the mean of f(eta); how it answers to a change of eta is
f'(eta). The polynomial P of degree two whose slope is nearest to f' under the fitted distribution
has a mean that the votes estimate without bias, item by item, from the share of positive votes and
of pairs that disagree. For annotators who guess now and then (eta moves towards 1/2) its answer is
exactly that of the floor. So the spread of the mean of P over groups is that of the floor.

Groups differ by chance, too, which the likelihood interval has already. What exchanging votes
within items at random would give is subtracted; it is known from hypergeometric moments.

No spread shows people of a kind that happens to be missing. J people hold none of a kind that is a
share s of all with chance (1 - s)^J, so the upper limit allows for the share s for which that is
(1 - level) / 2: some log(2 / (1 - level)) / J. Of kinds that know no more than others, those who
answer another class than they would raise the floor F most: by s (1 - F / top), where guessing
costs `top`. For the majority of several votes of two classes it is at most that.

Of more than two classes the mean that answers like the floor is the share of pairs of votes that
disagree, times a number. If a small share e of all votes were guesses, the floor of an item would
rise by e (max p - 1/K), and its disagreement by 2 e (sum p^2 - 1/K); the number is the ratio of
their means under the fitted distribution. Pairs of fewer votes, drawn from those of an item,
disagree as often on average. Their variance needs the numbers of twos, threes and fours of votes
that are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument
from errorfloor._references import JACKKNIFE
from errorfloor._typing import Counts, Floats
from errorfloor.data.annotators import effective_number, number_of, unseen_share
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.intervals.votes.limits import (
    ENOUGH_ANNOTATORS,
    LIKELIHOOD,
    MANY_LIKELIHOOD,
    LimitsOfThese,
    is_sample,
)
from errorfloor.intervals.votes.limits import FEWEST_ANNOTATORS as FEWEST
from errorfloor.methods.record import Basis
from errorfloor.methods.votes.aims import ONE_VOTE, Target
from errorfloor.metrics import ERROR

_MANY_HASHES = 1000  # annotators, from which some may well have the same hash
_LEVEL_OF_OPEN = 0.05  # so low that limits show little but what few votes leave open
_STEP = 1e-3  # of guesses, at which slopes are taken


class SpreadOfPeople(NamedTuple):
    """What annotators add to the variance of the floor, and how well that is known."""

    variance: float
    freedom: float


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorLimits:
    """Limits of the floor that count annotators as a sample, at any level."""

    value: float
    likelihood: Evidence = field(repr=False)
    open_low: float  # how far the floor may lie below the value, however many items there were
    open_high: float
    spread: SpreadOfPeople
    number: int  # of annotators
    effective: float
    top: float = 0.5  # the largest floor there can be
    method: str = "annotators"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import stdtrit

        low, high = self.likelihood.limits(level)
        quantile = float(stdtrit(self.spread.freedom, (1 + level) / 2)) ** 2
        shared = quantile * self.spread.variance
        below = max(self.value - self.open_low - low, 0.0)
        above = max(high - self.value - self.open_high, 0.0)
        more_below = np.sqrt(below**2 + shared) - below
        # With the spread of those who are there, this is close to the upper limit of Clopper and
        # Pearson for their share, however many of them there are.
        missing = unseen_share(self.effective, (1 - level) / 2) * (1 - self.value / self.top)
        more_above = np.sqrt(above**2 + shared + missing**2) - above
        return max(low - float(more_below), 0.0), min(high + float(more_above), self.top)

    @property
    def note(self) -> str:
        """For how many annotators the limits speak."""
        note = str(getattr(self.likelihood, "thinned_note", ""))
        equal = f"worth {self.effective:,.0f} with equal numbers of votes"
        skewed = f" ({equal}, because some gave many more votes than others)"
        the = "about" if self.number >= _MANY_HASHES else "the"
        people = (
            f"{the} {self.number:,} annotators{skewed if self.effective < self.number / 2 else ''}"
        )
        few = ""
        if self.effective < ENOUGH_ANNOTATORS:
            few = (
                " It is wide because they are few: kinds of annotators who vote in another way "
                "may be missing."
            )
        return (
            f"{note} The items and {people} are each treated as a random sample, so the "
            f"interval also holds for a new annotator of the same kind.{few}"
        )


def spread_of(table: VoteTable, slopes: tuple[float, float]) -> SpreadOfPeople:
    """Return what annotators add to the variance of the mean of a polynomial.

    Groups of unequal size are left out one at a time. Their pseudo-values have the weights of
    their votes; the squares are corrected for the mean being theirs (CR2), and the degrees of
    freedom are Satterthwaite's.
    """
    assert table.by_group is not None
    part, m, k, its_m, its_k, n = table.by_group.T
    change = _mean(m - its_m, k - its_k, slopes) - _mean(m, k, slopes)
    noise = _variance_if_exchanged(m, k, m - its_m, slopes)
    values = _mean(table.totals, table.positives, slopes)
    return spread_over_groups(table, values, LeftOut(part, m, its_m, n, change, noise))


class LeftOut(NamedTuple):
    """What leaving out a group of annotators does to items with such votes."""

    part: Counts
    totals: Counts
    its_totals: Counts
    n: Counts
    change: Floats  # of the estimate from the item's votes; none on average if any others went
    noise: Floats  # its variance then


def spread_over_groups(table: VoteTable, values: Floats, left_out: LeftOut) -> SpreadOfPeople:
    """Return the spread of the mean of `values`, one for each row of the table."""
    part, m, its_m, n, change, noise = left_out
    part = np.unique(part, return_inverse=True)[1]
    size = int(part.max()) + 1

    def add(values: NDArray[Any]) -> Floats:
        return np.bincount(part, n * values, size).astype(np.float64)

    pairs = table.totals >= 2
    items = float(table.counts[pairs].sum())
    total = float(table.counts[pairs] @ values[pairs])
    gone = (m >= 2) & (m - its_m < 2)
    # An item that is left with one vote goes. By chance it would be any with so many votes.
    usual, varies = _by_total(table, m, values)
    expected = np.where(gone, -usual, 0.0)
    noise = np.where(gone, varies, noise)
    left = np.maximum(items - add(gone * 1.0), 1.0)
    weight = add(its_m * 1.0) / float(table.totals @ table.counts)
    scale = (1 - weight) / weight
    found, by_chance = (
        scale * (total / items - (total + add(values)) / left) for values in (change, expected)
    )
    squares = float(weight @ weight)
    factor = weight**2 / (1 - 2 * weight + squares)
    chance = _around(by_chance, weight) + scale**2 * add(noise) / left**2
    variance = float(factor @ (_around(found, weight) - chance))
    freedom = max(squares**2 / float((weight**4).sum()) - 1, 1.0)
    return SpreadOfPeople(max(variance, 0.0), freedom)


def _by_total(table: VoteTable, m: Counts, values: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of the estimate over all items with m votes."""
    totals, at = np.unique(table.totals, return_inverse=True)
    number = np.bincount(at, table.counts)
    mean = np.bincount(at, table.counts * values) / number
    variance = np.bincount(at, table.counts * (values - mean[at]) ** 2) / number
    place = np.searchsorted(totals, m)
    return mean[place], variance[place]


def _around(values: Floats, weight: Floats) -> Floats:
    return np.asarray((values - weight @ values) ** 2)


def _mean(m: Counts, k: Counts, slopes: tuple[float, float]) -> Floats:
    """Return the unbiased estimate of the polynomial from k of m votes; 0 below two votes."""
    some = np.maximum(m, 2)
    share, disagree = k / some, k * (some - k) / (some * (some - 1.0))
    return np.where(m >= 2, slopes[0] * share + slopes[1] * disagree, 0.0)


def _variance_if_exchanged(m: Counts, k: Counts, r: Counts, slopes: tuple[float, float]) -> Floats:
    """Return the variance of the estimate from r votes that are drawn from k of m positive ones.

    The estimate is a sum of falling powers of the number that is drawn.
    """
    first, second, third, fourth = (_share(r, m, n) * _falling(k, n) for n in (1, 2, 3, 4))
    some = np.maximum(r, 2)
    one, two = (slopes[0] + slopes[1]) / some, slopes[1] / (some * (some - 1.0))
    square = one**2 * (second + first) - 2 * one * two * (third + 2 * second)
    square += two**2 * (fourth + 4 * third + 2 * second)
    return np.where(r >= 2, np.maximum(square - (one * first - two * second) ** 2, 0.0), 0.0)


def slopes_of(points: Floats, weights: Floats, target: Target = ONE_VOTE) -> tuple[float, float]:
    """Return b and c for which b + c (1 - 2 eta) is nearest to the slope of the floor."""
    slope = np.gradient(target(points), points)
    design = np.column_stack((np.ones(points.size), 1 - 2 * points))
    moments = design.T @ (weights[:, None] * design)
    b, c = np.linalg.lstsq(moments, design.T @ (weights * slope), rcond=1e-6)[0]
    return float(b), float(c)


def spread_of_many(table: VoteTable, slope: float) -> SpreadOfPeople:
    """Return what annotators add to the variance of the mean disagreement, times the slope."""
    assert table.by_group is not None
    part, m, twos, threes, fours, its_m, rest, n = table.by_group.T
    before = disagreement(m, twos)
    change = disagreement(m - its_m, rest) - before
    noise = variance_if_exchanged(m, m - its_m, twos, threes, fours)
    same = (table.votes * (table.votes - 1)).sum(axis=1)
    left_out = LeftOut(part, m, its_m, n, slope * change, slope**2 * noise)
    return spread_over_groups(table, slope * disagreement(table.totals, same), left_out)


def disagreement(m: Counts, twos: Counts) -> Floats:
    """Return the share of pairs of m votes that differ; 0 below two votes."""
    pairs = np.maximum(m, 2) * (np.maximum(m, 2) - 1.0)
    return np.where(m >= 2, 1 - twos / pairs, 0.0)


def variance_if_exchanged(
    m: Counts, r: Counts, twos: Counts, threes: Counts, fours: Counts
) -> Floats:
    """Return the variance of the disagreement of r votes that are drawn from m, by their moments.

    Falling powers of the drawn numbers have means in closed form, and a square is a sum of them.
    """
    first, second, third = (_share(r, m, power) for power in (2, 3, 4))
    own = fours + 4.0 * threes + 2.0 * twos  # squares of each class's pairs
    square = third * (fours + twos.astype(np.float64) ** 2 - own) + 4 * second * threes
    square += 2 * first * twos
    pairs = np.maximum(r * (r - 1.0), 1.0)
    variance = (square - (first * twos) ** 2) / pairs**2
    return np.where(r >= 2, np.maximum(variance, 0.0), 0.0)


def _share(r: Counts, m: Counts, power: int) -> Floats:
    """Return the chance that so many given votes of m are all among r drawn ones."""
    found = np.ones(m.size)
    for less in range(power):
        found *= np.maximum(r - less, 0) / np.maximum(m - less, 1)
    return found


def _falling(k: Counts, power: int) -> Floats:
    """Return k (k - 1) ... of so many factors."""
    return np.asarray(np.prod([np.maximum(k - less, 0.0) for less in range(power)], axis=0))


def slope_of(points: Floats, weights: Floats, majority: int) -> float:
    """Return how much the floor rises for each bit of disagreement that guesses add."""
    from errorfloor.methods.votes.simplex import floors

    classes = points.shape[1]
    mixed = (1 - _STEP) * points + _STEP / classes
    rise = weights @ (floors(mixed, majority) - floors(points, majority))
    more = weights @ ((points**2).sum(axis=1) - (mixed**2).sum(axis=1))
    return float(rise / more) if more > 0 else 0.0


def spread_in(case: Case) -> SpreadOfPeople:
    """Return what annotators add to the variance of a floor, of two classes or more."""
    table, fitted = case.table, case.statistic.fitted
    assert isinstance(table, VoteTable)
    if len(table.classes) > 2:
        slope = slope_of(fitted.points, fitted.weights, fitted.majority)
        return spread_of_many(table, slope)
    return spread_of(table, slopes_of(fitted.points, fitted.weights, case.options.target))


def _annotators(case: Case) -> Evidence:
    return around(case, LIKELIHOOD)


def _many_annotators(case: Case) -> Evidence:
    return around(case, MANY_LIKELIHOOD)


def around(case: Case, kind: IntervalKind) -> AnnotatorLimits:
    """Return the limits of a kind with what annotators differ, where they are a sample."""
    table = case.table
    assert isinstance(table, VoteTable)
    if table.workloads is None:
        raise InputError(
            argument("interval", "annotators"),
            " needs to know whose vote each one is. Pass rows of single votes with ",
            argument("annotator"),
            " or a column per annotator with ",
            argument("annotators"),
            ", or leave it out.",
        )
    effective = effective_number(table.workloads)
    if effective < FEWEST:
        raise Undefined(
            f"its annotators say no more than {effective:.1f} with equal workloads would, and "
            f"{FEWEST:.0f} are the fewest that are a sample",
            kind,
        )
    limits = kind.make(case)
    limits = limits.likelihood if isinstance(limits, LimitsOfThese) else limits
    low, high = limits.limits(_LEVEL_OF_OPEN)
    top = ERROR.span(len(table.classes))[1]
    return AnnotatorLimits(
        case.value,
        limits,
        case.value - low,
        high - case.value,
        spread_in(case),
        number_of(table.workloads),
        effective,
        top,
    )


ANNOTATORS = IntervalKind(
    name="annotators",
    basis=Basis.MIXTURE,
    make=_annotators,
    promise="The likelihood interval, widened by what annotators differ, and upwards for those who "
    "may happen to be missing: it speaks for the vote of a fresh annotator, so annotators are a "
    "sample as well as items. Its coverage is measured by simulation; there is no proof for finite "
    "samples.",
    in_short="the same for a fresh annotator; the default from 20 annotators on",
    proof="[measured](../benchmarks/results/annotators.md)",
    references=(JACKKNIFE,),
    is_random=False,
    leaves_open=True,
    speaks_for_others=True,
    preferred=is_sample,
)
MANY_ANNOTATORS = replace(ANNOTATORS, basis=Basis.PARTITIONS, make=_many_annotators)
