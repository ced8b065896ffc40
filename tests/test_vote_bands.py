"""The certified band of votes and its inversion: plain code, exact chances, known curves."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from errorfloor.intervals.votes import (
    inversion,
)
from errorfloor.intervals.votes.band import (
    Band,
    _law_of,
    _limits,
    _Means,
    _sets,
    _sets_of_each,
    _up_to,
)
from errorfloor.methods.record import Options
from errorfloor.methods.votes.line import grid
from errorfloor.metrics.choice import MetricChoice


def options(name, classes=2, totals_by="chance", **given):
    return Options(metric=MetricChoice(name, **given).of(classes), totals_by=totals_by)


# The band.


def cells_of(*totals):
    k = np.concatenate([np.arange(m + 1) for m in totals])
    return k, np.repeat(totals, np.array(totals) + 1)


def test_sets_of_three_votes_are_those_up_to_each_share():
    sets, error = _sets(*cells_of(3), 0.1)
    assert sets.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 1]]
    assert error == pytest.approx([0.02 / 3] * 3 + [0.08])


def test_sets_of_many_votes_end_at_ten_shares_of_either_kind():
    k, m = cells_of(60)
    sets, error = _sets(k, m, 0.1)
    share, minority = k / m, np.minimum(k, m - k) / m
    lower = [share <= np.sin(np.pi * i / 22) ** 2 for i in range(1, 11)]
    folded = [minority <= np.sin(np.pi * i / 40) ** 2 for i in range(10)]
    distinct = {tuple(one) for one in lower}, {tuple(one) for one in folded}
    assert len(sets) == sum(map(len, distinct))
    assert {tuple(one) for one in sets.astype(bool)} == distinct[0] | distinct[1]
    assert error[: len(distinct[0])] == pytest.approx(0.02 / len(distinct[0]))
    assert error[len(distinct[0]) :] == pytest.approx(0.08 / len(distinct[1]))


def test_as_many_shares_as_thresholds_are_all_used():
    values = np.arange(5) / 4
    assert _up_to(values, np.array([0.1, 0.2, 0.3, 0.4])).sum(axis=1).tolist() == [1, 2, 3, 4]
    # Fewer thresholds than shares: sin(pi / 6)^2 is 1/4, which counts, and sin(pi / 4)^2 a half.
    found = _up_to(values, np.array([1 / 6 + 1e-9, 1 / 4 - 1e-9, 0.35]))
    assert found.sum(axis=1).tolist() == [2, 4]


def test_totals_apart_have_sets_of_their_own_and_one_for_their_number():
    sets, error = _sets_of_each(*cells_of(1, 2), 0.1)
    assert sets.tolist() == [
        [1, 1, 0, 0, 0],  # items with one vote
        [0, 0, 1, 1, 1],  # with two
        [1, 0, 0, 0, 0],  # one vote: how many are negative
        [0, 0, 1, 0, 0],  # two votes: none, or at most one positive, or both alike
        [0, 0, 1, 1, 0],
        [0, 0, 1, 0, 1],
    ]
    # Half of it on the numbers. Of the rest a half each; of that, as for one total.
    assert error == pytest.approx([0.025, 0.025, 0.025, 0.0025, 0.0025, 0.02])


@pytest.mark.parametrize("totals_by", ["chance", "item"])
def test_the_chances_of_sets_are_binomial(totals_by):
    totals, counts = np.array([1, 2, 2, 2]), np.array([6, 1, 2, 3])
    positives = np.array([1, 0, 1, 2])
    law = _law_of(totals, counts, options("error", totals_by=totals_by))
    sets = np.array([[1.0, 0, 0, 1, 0], [0.0, 1, 1, 0, 1]])
    points = np.array([0.2, 0.9])
    each = np.array([1 - points, points, (1 - points) ** 2, 2 * points * (1 - points), points**2])
    found = law.chances(sets, points)
    if totals_by == "chance":  # half of the items have one vote
        assert law.blocks == 1
        assert found == pytest.approx(sets @ (each / 2))
    else:
        assert law.blocks == 2
        apart = np.hstack((sets[:, :2] @ each[:2], sets[:, 2:] @ each[2:]))
        assert found == pytest.approx(apart)
    assert law.observed(positives, totals, counts).tolist() == [0, 6, 1, 2, 3]
    # Pairs that the law does not know are in no set.
    more = (np.append(a, b) for a, b in ((positives, [3, 2]), (totals, [3, 4]), (counts, [9, 9])))
    assert law.observed(*more).tolist() == [0, 6, 1, 2, 3]


def test_limits_of_shares_are_exact_at_tails_a_little_below_half_the_error():
    low, high = _limits(np.array([3.0, 8.0]), 20.0, np.array([0.1, 0.02]))
    for i, (k, tail) in enumerate(((3, 1 - np.exp(-0.05)), (8, 1 - np.exp(-0.01)))):
        assert binom.sf(k - 1, 20, low[i]) == pytest.approx(tail)
        assert binom.cdf(k, 20, high[i]) == pytest.approx(tail)


def bands():
    rng = np.random.default_rng(0)
    for totals_by in ("chance", "item"):
        k, m = cells_of(2, 4)
        counts = rng.multinomial(400, binom.pmf(k, m, 0.3) / 4 + binom.pmf(k, m, 0.9) / 4)
        yield Band.around(k, m, counts, 0.9, 64, options("error", totals_by=totals_by))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_limit_of_a_band_is_the_least_of_what_lies_inside_of_it(sign):
    for band in bands():
        floor = np.tile(np.minimum(grid(64), 1 - grid(64)), band.blocks)
        found = linprog(
            sign * floor, A_ub=np.vstack((band.matrix, -band.matrix)),
            b_ub=np.append(band.high, -band.low), A_eq=np.ones((1, floor.size)), b_eq=[1.0],
        )  # fmt: skip
        limit = band.lower_limit(sign)
        # On all of [0, 1] there may be a little less than on the grid, never more.
        assert found.fun - 1e-3 < limit < found.fun + 1e-7


def test_a_band_that_holds_nothing_is_widened_as_little_as_can_be():
    band = next(bands())
    # All items but a tenth are in the first set, and none of them in a larger one.
    low, high = band.low.copy(), band.high.copy()
    low[0], high[0], low[1], high[1] = 0.9, 1.0, 0.0, 0.3
    rows, sides = np.vstack((band.matrix, -band.matrix)), np.append(high, -low)
    # The first set is part of the second: their shares must come to meet each other halfway.
    assert band._least_slack(rows, sides) == pytest.approx(0.3, abs=1e-3)
    wider = replace(band, low=low - 0.3001, high=high + 0.3001)
    for sign in (1.0, -1.0):
        found = replace(band, low=low, high=high).lower_limit(sign)
        assert found == pytest.approx(wider.lower_limit(sign), abs=1e-3)


# Inversion.


@dataclass(frozen=True)
class Known:
    """Limits of D(t) about a known one, of items with these least errors."""

    errors: tuple[float, ...] = (0.0, 0.02, 0.1, 0.15, 0.3, 0.45)
    wide: float = 0.0
    certain: bool = False
    top: float = 0.5
    sketched: bool = False

    @property
    def sketch(self):
        return self if self.sketched else None

    def mean(self, t):
        return np.maximum(t - np.array(self.errors), 0).mean()

    def sure(self, t, sign):
        return sign * self.mean(t) - self.wide

    def rough(self, t, sign):
        return sign * self.mean(t)

    guess = rough


def selective(errors, coverage):
    """Return the error of the surest share of items, of which the last may count in part."""
    left, total = coverage * len(errors), 0.0
    for error in sorted(errors):
        total += min(left, 1) * error
        left -= min(left, 1)
    return total / (coverage * len(errors))


@pytest.mark.parametrize("coverage", [0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("sketched", [False, True])
def test_errors_at_a_coverage_are_those_of_the_surest_items(coverage, sketched):
    known = Known(sketched=sketched)
    truth = selective(known.errors, coverage)
    low, high = inversion.error_limits(known, coverage)
    assert truth - 0.006 < low <= truth + 1e-12  # some values of t are tried
    assert low == pytest.approx(high, abs=0.006)
    low, high = inversion.error_limits(replace(known, certain=True), coverage)
    assert low <= truth + 1e-12
    assert truth - 1e-12 <= high < truth + 0.008


def test_errors_of_sure_items_are_found_below_all_levels():
    known = Known(errors=(0.003,) * 9 + (0.5,))
    for coverage in (0.5, 0.8):
        low, high = inversion.error_limits(replace(known, certain=True), coverage)
        assert low <= 0.003 <= high < 0.005
    low, _ = inversion.coverage_limits(replace(known, certain=True), 0.002)
    assert low <= 1e-9  # no items err as little


@pytest.mark.parametrize("error", [0.0, 0.03, 0.1])
@pytest.mark.parametrize("sketched", [False, True])
def test_coverages_at_an_error_are_those_of_the_surest_items(error, sketched):
    known = Known(sketched=sketched)
    coverages = np.linspace(0.01, 1, 1000)
    truth = max(c for c in coverages if selective(known.errors, c) <= error + 1e-12)
    low, high = inversion.coverage_limits(known, error)
    assert truth - 1e-3 < high < truth + 0.02
    assert low == pytest.approx(high, abs=0.02)
    low, high = inversion.coverage_limits(replace(known, certain=True), error)
    # At an error of 0 nothing is certain: few items may be surer than any t above it.
    assert (truth - 0.02 if error else -1e-12) < low < truth + 1e-3
    assert truth - 1e-3 < high < truth + 0.02


@pytest.mark.parametrize("wide", [0.01, 0.05])
def test_wider_limits_of_means_give_wider_ones_of_the_curve(wide):
    known, t = Known(wide=wide), np.linspace(1e-4, 0.5, 4000)
    means = np.array([known.mean(one) for one in t])
    at = 0.8
    low, high = inversion.error_limits(known, at)
    least = max((t - (means + wide) / at).max(), 0)
    most = (t - np.maximum(means - wide, 0) / at).max()
    assert (low, high) == pytest.approx((least, most), abs=0.004)
    certain = inversion.error_limits(replace(known, certain=True), at)
    assert certain == pytest.approx((least, most), abs=0.008)
    assert certain[1] >= most - 1e-9
    at = 0.05
    above = t > at
    most = ((means + wide)[above] / (t[above] - at)).min()
    least = (np.maximum(means - wide, 0)[above] / (t[above] - at)).min()
    for found in (known, replace(known, certain=True)):
        low, high = inversion.coverage_limits(found, at)
        assert (low, high) == pytest.approx((least, min(most, 1)), abs=0.02)


def test_no_best_rule_errs_more_than_the_top():
    assert inversion.coverage_limits(Known(), 0.5) == (1.0, 1.0)
    assert inversion.coverage_limits(Known(top=2 / 3), 2 / 3) == (1.0, 1.0)
    assert inversion.coverage_limits(Known(errors=(0.6, 0.6), top=2 / 3), 0.5)[1] < 0.9
    low, high = inversion.error_limits(Known(wide=1.0), 0.9)
    assert (low, high) == (0.0, 0.5)
    assert inversion.coverage_limits(Known(wide=1.0), 0.1) == (0.0, 1.0)


def test_intervals_are_divided_where_they_allow_least():
    seen = []

    def least(low, high):
        seen.append((low, high))
        return abs((low + high) / 2 - 0.3) - (high - low)  # of |t - 0.3|, at least

    found = inversion._over_all((0.0, 0.25, 1.0), least)
    assert -0.002 < found <= 0
    assert seen[:4] == [(0.0, 0.25), (0.25, 1.0), (0.25, 0.625), (0.625, 1.0)]
    assert seen[4:6] == [(0.25, 0.4375), (0.4375, 0.625)]
    assert 0.0003 < min(high - low for low, high in seen) < 0.001


def test_the_limits_of_f1_are_where_what_it_takes_is_0():
    class Means(_Means):
        def f1(self, x, sign):
            return sign * (0.6 - x) - 0.1  # known to within 0.1

    low, high = Means(None, None).f1_limits()
    assert (low, high) == pytest.approx((0.5, 0.7), abs=2.0**-12 + 1e-12)
    assert low <= 0.5 + 1e-12
    assert high >= 0.7 - 1e-12


def test_means_of_f1_and_of_sure_items_are_lines_between_knots():
    asked = []

    class Watched(_Means):
        def limit(self, knots, values, sign):
            asked.append((knots, values, sign))
            return 0.0

    watched = Watched(None, None)
    for x in (0.3, 0.8):
        watched.f1(x, 1.0)
        eta = np.linspace(0, 1, 101)
        knots, values, sign = asked.pop()
        line = np.interp(eta, knots, values)
        assert line == pytest.approx(np.maximum(2 * eta - x, 0) - x * eta)
        assert sign == 1.0
    for t in (0.2, 0.5, 0.55):
        watched.sure(t, -1.0)
        knots, values, sign = asked.pop()
        line = np.interp(eta, knots, values)
        assert line == pytest.approx(np.maximum(t - np.minimum(eta, 1 - eta), 0))
        assert sign == -1.0
        assert all(a < b for a, b in pairwise(knots))
