"""The parts that limits from votes are made of, each against plain code or known numbers."""

from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom, chi2

from errorfloor.inference.blocks import growing_blocks
from errorfloor.inference.votes import inversion, many_limits, triangle, weighted
from errorfloor.inference.votes.band import Band, _law_of, _limits, _sets, _sets_of_each, _up_to
from errorfloor.inference.votes.bracket import missed_votes
from errorfloor.inference.votes.many_values import (
    ManyRegion,
    _balanced,
    _balanced_error,
    _Doubts,
    _slope_of_balanced,
    many_value_limits,
)
from errorfloor.inference.votes.values import Region
from errorfloor.methods.design import Design
from errorfloor.methods.record import Options
from errorfloor.methods.votes.grid import grid
from errorfloor.methods.votes.many.partitions import partitions
from errorfloor.methods.votes.weighted import Pool
from errorfloor.metrics.asked import Asked


def options(name, classes=2, totals_by="chance", **given):
    return Options(metric=Asked(name, **given).of(classes), totals_by=totals_by)


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

    fitted = rough


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
    class Means:
        def f1(self, x, sign):
            return sign * (0.6 - x) - 0.1  # known to within 0.1

    low, high = inversion._f1(Means(), None)
    assert (low, high) == pytest.approx((0.5, 0.7), abs=2.0**-12 + 1e-12)
    assert low <= 0.5 + 1e-12
    assert high >= 0.7 - 1e-12


def test_means_of_f1_and_of_sure_items_are_lines_between_knots():
    asked = []

    class Watched(inversion._Means):
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


# Likelihood regions of two classes.


@pytest.mark.parametrize(("m", "share", "freedom"), [(2, 0.9, 2), (3, 0.5, 3), (7, 0.5, 4)])
def test_regions_are_half_a_chi_square_quantile_deep(m, share, freedom):
    k, totals = cells_of(m)
    counts = np.arange(1, m + 2) * 10
    region = Region.around((k, totals, counts), 0.9, 64, options("auc"))
    n = counts.sum()
    assert region.use == pytest.approx(chi2.ppf(1 - share * 0.1, 1) / (2 * n))
    assert region.choose == pytest.approx(chi2.ppf(0.9, freedom) / (2 * n))
    wide = Region.around((k, totals, counts), 0.05, 64, options("auc"))
    assert wide.choose == pytest.approx(max(chi2.ppf(0.05, freedom) / (2 * n), wide.use))
    assert region.most_votes == m
    assert region.tells_much is False
    assert Region.around((k, totals + 20 - m, counts), 0.9, 64, options("auc")).tells_much


def region_of(name="auc", totals_by="chance", **given):
    k, totals = cells_of(3, 5)
    counts = np.array([30, 9, 8, 20, 40, 15, 9, 8, 9, 25])
    return Region.around((k, totals, counts), 0.9, 64, options(name, totals_by=totals_by, **given))


@pytest.mark.parametrize("totals_by", ["chance", "item"])
def test_what_is_too_far_outside_is_brought_inside_by_fifths(totals_by):
    region = region_of(totals_by=totals_by)
    best = region.votes.share @ np.log(region.votes.chances(region.fitted))
    assert region._best == pytest.approx(best)
    rng = np.random.default_rng(1)
    steps = []
    for size in (1e-6, 0.05, 0.5, 1.0):
        extreme = (1 - size) * region.fitted + size * rng.dirichlet(np.ones(region.fitted.size))
        if totals_by == "item":  # each total keeps its share
            halves = np.split(extreme, 2)
            extreme = np.concatenate(
                [
                    size * half / half.sum()
                    for size, half in zip(region.votes.sizes, halves, strict=True)
                ]
            )
        part, tried = 1.0, 0
        while True:
            mixed = (1 - part) * region.fitted + part * extreme
            lost = best - region.votes.share @ np.log(region.votes.chances(mixed))
            if lost <= 1.1 * region.use:
                break
            part, tried = 0.8 * part, tried + 1
        steps.append(tried)
        assert region._inside(extreme) == pytest.approx(mixed, abs=1e-14)
    assert steps[0] == 0
    assert max(steps) > 1


def test_what_makes_votes_impossible_is_outside():
    region = region_of()
    sure = np.zeros(region.fitted.size)
    sure[0] = 1.0  # nobody votes for class 1
    inside = region._inside(sure)
    lost = region._best - region.votes.share @ np.log(region.votes.chances(inside))
    assert 0 < lost <= 1.1 * region.use
    assert inside.sum() == pytest.approx(1)


def test_the_best_of_some_steps_is_taken(monkeypatch):
    region = region_of()
    one, other = np.eye(region.fitted.size)[[0, -1]]
    monkeypatch.setattr(Region, "value", lambda self, weights: (weights[-1] - 0.6) ** 2)
    assert region._further(1.0, one, other) == pytest.approx((one + other) / 2)
    assert region._further(-1.0, one, other) == pytest.approx(one)
    assert region._further(-1.0, other, one) == pytest.approx(one)


def test_items_that_are_alike_are_kept_within_the_region():
    k, totals = cells_of(4)
    counts = np.round(3000 * binom.pmf(k, 4, 0.3)).astype(int)
    region = Region.around((k, totals, counts), 0.9, 64, options("brier"))
    n = counts.sum()
    eta = float(counts @ k) / (4 * n)
    assert region.points @ region.fitted == pytest.approx(eta, abs=1e-4)
    # Twice the loss of n items is a squared distance in standard errors.
    half = np.sqrt(2 * n * region.use * eta * (1 - eta) / (4 * n))
    values = np.array(region.alike())
    ends = np.array([eta - half, eta + half]) * (1 - np.array([eta - half, eta + half]))
    spacing = 8 * np.sqrt(eta * (1 - eta) / (4 * n)) / 32
    assert values[0] == pytest.approx(eta * (1 - eta), abs=1e-5)
    assert ends[0] - 1e-9 <= values.min() <= ends[0] + 2 * spacing
    assert ends[1] - 2 * spacing <= values.max() <= ends[1] + 1e-9
    apart = np.where(k % 4 == 0, 100, 1)
    assert Region.around((k, totals, apart), 0.9, 64, options("brier")).alike() == []


# Many classes.


def votes_of(classes=3, total=4, items=300, seed=0, spread=0.4):
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(total, rng.dirichlet(np.full(classes, spread), items))
    return np.unique(drawn, axis=0, return_counts=True)


@pytest.mark.parametrize(("total", "share"), [(2, 0.9), (4, 0.5)])
def test_regions_of_many_classes_are_half_a_chi_square_quantile_deep(total, share):
    votes, counts = votes_of(total=total)
    region = ManyRegion.around(votes, counts, 0.9, options("log-loss", 3))
    cells = {2: 2, 4: 4}[total]  # partitions of the votes into at most three parts
    assert region.use == pytest.approx(chi2.ppf(1 - share * 0.1, 1) / 600)
    assert region.choose == pytest.approx(max(chi2.ppf(0.9, min(4, cells - 1)) / 600, region.use))
    assert region.votes == total
    costs = options("cost", 3, costs=np.array([[0, 1, 2], [1, 0, 1], [3, 1, 0]]))
    placed = ManyRegion.around(votes, counts, 0.9, costs)
    freedom = min(9, {2: 5, 4: 14}[total])  # counts of three classes, less one
    assert placed.use == placed.choose == pytest.approx(chi2.ppf(0.9, freedom) / 600)


def test_guesses_that_a_region_allows_are_some_error_of_sure_items():
    votes, counts = votes_of()
    region = ManyRegion.around(votes, counts, 0.9, options("error-at-coverage", 3, at=0.5))
    guesses = 1 - np.exp(-region.use / 4)
    assert region.noisier(0.1) == pytest.approx(0.1 * (1 - guesses) + guesses * 2 / 3)


def test_votes_tell_much_where_there_are_ten_and_one_distribution():
    asked = options("log-loss", 3)
    few, many = votes_of(total=9), votes_of(total=10)
    assert not ManyRegion.around(*few, 0.9, asked).tells_much
    assert ManyRegion.around(*many, 0.9, asked).tells_much
    both = np.concatenate((many[0], votes_of(total=12)[0]))
    counts = np.ones(len(both), dtype=np.int64)
    apart = ManyRegion.around(both, counts, 0.9, options("log-loss", 3, totals_by="item"))
    assert len(apart.parts) == 2
    assert not apart.tells_much
    assert apart.sizes == pytest.approx([len(many[0]) / len(both), 1 - len(many[0]) / len(both)])
    assert apart.fitted.sum() == pytest.approx(1)


def test_doubts_are_means_of_how_much_surer_items_are():
    votes, counts = votes_of()
    region = ManyRegion.around(votes, counts, 0.9, options("error-at-coverage", 3, at=0.5))
    doubts = _Doubts(region)
    assert doubts.top == pytest.approx(2 / 3)
    assert doubts.sketch is None
    errors = 1 - region.points.max(axis=1)
    for t in (0.1, 0.4):
        mean = region.fitted @ np.maximum(t - errors, 0)
        assert doubts.fitted(t, 1.0) == pytest.approx(mean)
        assert doubts.fitted(t, -1.0) == pytest.approx(-mean)
        assert doubts.sure(t, 1.0) < mean < -doubts.sure(t, -1.0)


def test_the_balanced_error_weighs_every_class_alike():
    points = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    weights = np.array([0.6, 0.3, 0.1])
    shares = weights @ points
    # The rule that names the class with the largest p / share errs least on average over classes.
    named = (points / shares).argmax(axis=1)
    right = [sum(weights[i] * points[i, c] for i in range(3) if named[i] == c) for c in range(3)]
    assert _balanced_error(points, weights) == pytest.approx(1 - np.mean(right / shares))


def test_the_slope_of_the_balanced_error_is_that_of_moved_items():
    rng = np.random.default_rng(2)
    points, weights = rng.dirichlet(np.ones(3), 6), rng.dirichlet(np.ones(6))
    slope = _slope_of_balanced(points, weights)
    at, step = weights @ slope(points), 1e-6
    for other in rng.dirichlet(np.ones(3), 5):
        moved = _balanced_error(np.vstack((points, other)), np.append((1 - step) * weights, step))
        change = (moved - _balanced_error(points, weights)) / step
        assert slope(other[None])[0] - at == pytest.approx(change, abs=1e-4)


@dataclass
class Simplex:
    """A region of weights of points, of which means have limits by trying its corners."""

    points: np.ndarray
    corners: np.ndarray
    fitted: np.ndarray

    def limit(self, aim, sign):
        means = self.corners @ aim(self.points)
        worst = int(np.argmin(sign * means))
        return sign * means[worst], self.corners[worst]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_limits_of_the_balanced_error_are_those_of_its_slope_where_it_is_extreme(sign):
    rng = np.random.default_rng(3)
    points, middle = rng.dirichlet(np.ones(3) / 2, 8), rng.dirichlet(np.full(8, 5.0))
    corners = 0.97 * middle + 0.03 * rng.dirichlet(np.ones(8) / 4, 12)
    region = Simplex(points, corners, middle)
    extreme = min(sign * _balanced_error(points, one) for one in corners)
    found = _balanced(region, sign)
    # To first order, over a region that is small: far nearer than the limit is to the middle.
    away = abs(sign * extreme - _balanced_error(points, middle))
    assert abs(found - sign * extreme) < 0.1 * away


def test_limits_of_many_classes_never_leave_the_span():
    votes, counts = votes_of(total=3, items=40)
    for name, given in (("brier", {}), ("balanced-error", {}), ("coverage-at-error", {"at": 0.1})):
        asked = options(name, 3, **given)
        low, high = many_value_limits(votes, counts, level=0.9, options=asked)
        least, most = asked.metric.span(3)
        assert least <= low < high <= most
        region = ManyRegion.around(votes, counts, 0.9, asked)
        assert low <= asked.metric.best(region.points, region.fitted) <= high


# Floors of many classes.


def test_votes_count_in_falling_order():
    votes = np.array([[1, 0, 3], [3, 1, 0], [0, 0, 4], [2, 1, 1]])
    ordered, counts = many_limits._canonical(votes, np.array([5, 2, 1, 7]))
    assert ordered.tolist() == [[2, 1, 1], [3, 1, 0], [4, 0, 0]]
    assert counts.tolist() == [7, 7, 1]
    assert counts.dtype == np.int64


def test_items_of_many_votes_count_with_what_the_leading_class_leaves():
    votes = np.array([[2, 1, 0], [6, 3, 1], [8, 2, 1], [6, 6, 3], [5, 5, 5]])
    counts = np.array([4, 3, 2, 1, 2])
    plain = many_limits._Plain.of(votes, counts, Options())
    assert plain.left == pytest.approx([0, 0, 3 / 11, 9 / 15, 10 / 15])  # ten votes are few
    assert plain.few == pytest.approx(7 / 12)
    assert plain.totals.tolist() == [11, 15]
    assert plain.shares == pytest.approx([2 / 12, 3 / 12])
    # The majority of several votes has a floor of its own: no shares stand for it.
    for majority, few in ((2, 7 / 12), (3, 1.0)):
        assert many_limits._Plain.of(votes, counts, Options(majority=majority)).few == (
            pytest.approx(few)
        )


def test_what_is_left_to_bound_is_the_floor_of_some_and_the_bias_of_others():
    votes, counts = np.array([[2, 1, 0], [8, 2, 1]]), np.array([3, 1])
    plain = many_limits._Plain.of(votes, counts, Options())
    found = plain.bounded(3, 1)
    points = many_limits._points(3)
    # The mean of the largest of 11 votes is more than 11 times the largest probability.
    rng = np.random.default_rng(4)
    for i in (0, 7, 60, 300):
        largest = rng.multinomial(11, points[i], 20_000).max(axis=1) / 11
        floor = 1 - points[i].max()
        bias = floor - (1 - largest.mean())
        assert found[i] == pytest.approx(0.75 * floor + 0.25 * bias, abs=4e-4 + 1e-9)
    few = many_limits._Plain.of(votes[:1], counts[:1], Options()).bounded(3, 1)
    assert few == pytest.approx(1 - points.max(axis=1))


@pytest.mark.parametrize(("total", "share", "freedom"), [(2, 0.9, 1), (3, 0.5, 2), (6, 0.5, 4)])
def test_regions_of_floors_are_half_a_chi_square_quantile_deep(total, share, freedom, monkeypatch):
    votes, counts = votes_of(total=total)
    seen = []

    def watched(kernel, sign, chances, best, choose, use):
        seen.append((sign, choose, use))
        assert best == pytest.approx(kernel.share @ np.log(chances))
        return -0.25 * sign + 0.4

    monkeypatch.setattr(many_limits, "region_limit", watched)
    part = many_limits._likelihood_of(*many_limits._canonical(votes, counts), Options())
    low, high = many_limits._region([part], 0.1, total)
    use = chi2.ppf(1 - share * 0.1, 1) / 600
    choose = max(chi2.ppf(0.9, freedom) / 600, use)
    assert seen == [(1.0, pytest.approx(choose), pytest.approx(use)),
                    (-1.0, pytest.approx(choose), pytest.approx(use))]  # fmt: skip
    fitted = part.fit_evenly(1e-7)
    value = part.floor @ fitted
    assert low == pytest.approx(min(0.15, value), abs=1e-4)
    assert high == pytest.approx(max(-0.65, value), abs=1e-4)


def test_coin_flips_of_many_classes_leave_the_largest_floor_open():
    votes, counts = votes_of(total=3, spread=1e5)
    low, high = many_limits.likelihood_limits(votes, counts, level=0.9)
    assert high == pytest.approx(2 / 3)
    assert low < 0.6
    sure = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3]])
    low, high = many_limits.likelihood_limits(sure, np.array([90, 100, 110]), level=0.9)
    assert low == pytest.approx(0, abs=1e-4)
    assert high < 0.1


# Three classes.


def test_small_triangles_fill_the_large_one():
    for side in (1, 2, 5):
        small = triangle.small_triangles(side)
        assert small.shape == (side**2, 3, 3)
        assert small.sum(axis=2) == pytest.approx(1)
        assert small.min() == 0
        area = np.abs(np.linalg.det(small))  # as parts of the large one
        assert area == pytest.approx(1 / side**2)
        middles = {tuple(one) for one in small.mean(axis=1).round(9).tolist()}
        assert len(middles) == side**2


def test_numbers_are_judged_by_their_mean_and_its_noise():
    values, share = np.array([0.1, 0.5, 0.9]), np.array([0.5, 0.3, 0.2])
    mean = values @ share
    noise = np.sqrt((values - mean) ** 2 @ share / 50)
    assert triangle._judged(values, share, 1.0, 50) == pytest.approx(mean + 2.5 * noise)
    assert triangle._judged(values, share, -1.0, 50) == pytest.approx(-mean + 2.5 * noise)
    assert triangle._judged(values, share, 1.0, 0) == triangle._judged(values, share, 1.0, 1)


def test_bets_on_numbers_of_blocks_are_won_item_by_item():
    values = np.array([[0.0, 0.3, 0.6], [-0.2, 0.4, 0.5], [-0.2, 0.3, 0.9]])
    least, most = np.array([0.0, -0.2, -0.2]), np.array([0.67, 0.67, 0.9])
    blocks = np.array([[2, 1, 3], [1, 4, 6], [9, 12, 40]])
    goal = np.log(20)
    found = triangle._refuted_up_to(values, least, most, blocks, goal)
    won = 0.0
    for b in range(3):
        seen = np.repeat(values[b], blocks[:b].sum(axis=0))
        spread = seen.size * seen.var() if seen.size else 0.0
        variance = (0.25 * (most[b] - least[b]) ** 2 + spread) / (seen.size + 1)
        stake = min(np.sqrt(2 * goal / (blocks.sum() * variance)), 0.5 / (found - least[b]))
        won += np.log(1 + stake * (np.repeat(values[b], blocks[b]) - found)).sum()
    assert won == pytest.approx(goal, abs=1e-6)
    # Too few items refute nothing: the least there can be.
    assert triangle._refuted_up_to(values, least, most, blocks // 3, 50.0) == -0.2
    below = triangle.Side(-1.0, values, least, most)
    assert below.limit(blocks, goal) == found
    above = triangle.Side(1.0, -values, -most, -least)
    assert above.limit(blocks, goal) == -found


def test_plain_numbers_are_what_leaders_leave_and_what_others_miss():
    votes = np.array([[4, 1, 0], [2, 2, 1], [3, 2, 0]])
    below, above = (triangle.Side.plain(votes, 2, sign) for sign in (-1.0, 1.0))
    assert below.values == pytest.approx(np.tile([0.2, 0.6, 0.4], (2, 1)))
    # A vote for a single leader by one is met half of the time, as there are two leaders then.
    assert above.values == pytest.approx(np.tile([0.2, 1.0, 1 - 0.6 / 2], (2, 1)))
    for side, top in ((below, 2 / 3), (above, 1.0)):
        assert side.least.tolist() == [0, 0]
        assert side.most == pytest.approx([top, top])


def test_chosen_numbers_are_known_from_a_block_on():
    votes = np.array([[2, 1, 0], [1, 2, 0], [3, 0, 0], [1, 1, 1], [5, 0, 0]])
    own = votes.sum(axis=1) == 3
    side = triangle.Side.plain(votes, 4, 1.0)
    before = side.values.copy()
    chances = np.full(len(partitions(10)), 1.0)
    weights, of = triangle._chosen(votes[own], chances, 1.0, 500)
    side.choose(2, votes, own, chances, 500)
    assert (side.values[:2] == before[:2]).all()
    assert (side.values[2:, ~own] == before[2:, ~own]).all()
    assert side.values[2:, own] == pytest.approx(np.tile(weights[of], (2, 1)))
    assert of[0] == of[1]  # the order of classes says nothing
    assert len({int(one) for one in of}) == 3
    assert side.least.tolist() == [0, 0, min(0, weights.min()), min(0, weights.min())]
    assert side.most.tolist() == [1, 1, max(1, weights.max()), max(1, weights.max())]
    # Of what is tried, the numbers with the lowest bound are chosen.
    share = np.full(3, 1 / 3)
    tried = [triangle.weights_for(3, share, 1.0, largest) for largest in (1.0, 2.0)]
    cells = [partitions(10)[cell] for cell in triangle.cells_of(3)]
    padded = np.array([[*parts, *[0] * (3 - len(parts))] for parts in cells])
    tried.append(missed_votes(padded))
    best = min(tried, key=lambda one: triangle._judged(one, share, 1.0, 500))
    assert weights == pytest.approx(best)


def test_each_side_of_a_triangle_has_half_of_the_error():
    votes, counts = votes_of(total=5, items=600)
    blocks = growing_blocks(counts, np.random.default_rng(0))
    found = triangle.Triangle.of(votes, blocks)
    goal = np.log(2 / 0.1)
    low, high = found.below.limit(blocks, goal), found.above.limit(blocks, goal)
    assert 0 < low < high < 2 / 3
    assert found.limits(0.1) == (low, high)
    few = triangle.Triangle.of(votes[:2], blocks[:, :2] * 0 + 1)
    low, high = few.limits(1e-9)
    assert (low, high) == pytest.approx((0, 2 / 3))


# Weighted votes.


def pools():
    votes = np.array([[3, 0], [1, 2], [2, 1], [0, 4], [1, 0]])
    row = np.array([0, 0, 1, 2, 2, 3, 4])
    count, weight = np.array([2, 1, 3, 1, 2, 4, 1]), np.array([1.0, 2, 0.5, 3, 1, 0.7, 1])
    yield Pool(votes, row, Design(count, weight))
    yield Pool(votes, row, Design(count, weight, np.array([0, 1, 0, 2, 1, 2, 3])))


def test_what_floors_depend_on_is_counted_vote_by_vote():
    votes = np.array([[3, 0, 0], [1, 2, 0], [2, 2, 1], [0, 1, 0]])
    left, agree, all_agree, *shares = weighted._functions(votes)
    for i, row in enumerate(votes):
        cast = np.repeat(np.arange(3), row)
        assert left[i] == pytest.approx(1 - max(np.mean(cast == c) for c in range(3)))
        pairs = [a == b for a, b in combinations(cast, 2)]
        assert agree[i] == pytest.approx(np.mean(pairs) if pairs else 0.5)
        assert all_agree[i] == (len(set(cast)) == 1)
        for c in range(3):
            assert shares[c][i] == pytest.approx(np.mean(cast == c))


def test_means_of_votes_are_worth_as_many_items_as_vary_as_much():
    for pool in pools():
        design, values = pool.design, np.array([0.1, 0.4, 0.9, 0.2, 0.5])
        each = np.repeat(values[pool.row], design.count)  # of single items
        weights = np.repeat(design.weight, design.count)
        total = weights.sum()
        unit = (weights**2).sum() / total
        mean = weights @ each / total
        spread = weights @ (each - mean) ** 2 / total
        moved = weights * (each - mean)
        if design.cluster is None:
            squares = (moved**2).sum()
        else:
            of = np.repeat(design.cluster, design.count)
            squares = sum(moved[of == c].sum() ** 2 for c in range(4))
        usual = 2.0 * unit
        each_one = max(unit, (squares + usual * unit * spread) / (spread * (total + usual)))
        found, alike = weighted._worth(pool, (values, np.full(5, 0.3)))
        assert found == pytest.approx(total / each_one)
        assert alike == pytest.approx(total / unit)
