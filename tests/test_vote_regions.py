"""Likelihood regions of votes: what they are made of, against plain code."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom, chi2, multinomial

from errorfloor.intervals.votes import region as regions
from errorfloor.intervals.votes.region import (
    ManyClassRegion,
    TwoClassRegion,
    _balanced,
    _balanced_error,
    _slope_of_balanced,
    least_of_two,
    many_likelihood_limits,
)
from errorfloor.methods.record import Options
from errorfloor.methods.votes.aims import Lines
from errorfloor.methods.votes.line import VoteLikelihood, grid
from errorfloor.methods.votes.simplex import PartitionLikelihood, fitted_weights, floors
from errorfloor.metrics.choice import MetricChoice


def options(name, classes=2, totals_by="chance", **given):
    return Options(metric=MetricChoice(name, **given).of(classes), totals_by=totals_by)


def cells_of(*totals):
    k = np.concatenate([np.arange(m + 1) for m in totals])
    return k, np.repeat(totals, np.array(totals) + 1)


def votes_of(classes=3, total=4, items=300, seed=0, spread=0.4):
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(total, rng.dirichlet(np.full(classes, spread), items))
    return np.unique(drawn, axis=0, return_counts=True)


# Two classes.


@pytest.mark.parametrize(("m", "share", "freedom"), [(2, 0.9, 2), (3, 0.5, 3), (7, 0.5, 4)])
def test_regions_are_half_a_chi_square_quantile_deep(m, share, freedom):
    k, totals = cells_of(m)
    counts = np.arange(1, m + 2) * 10
    region = TwoClassRegion.around((k, totals, counts), 0.9, 64, options("auc"))
    n = counts.sum()
    assert region.use == pytest.approx(chi2.ppf(1 - share * 0.1, 1) / (2 * n))
    assert region.choose == pytest.approx(chi2.ppf(0.9, freedom) / (2 * n))
    wide = TwoClassRegion.around((k, totals, counts), 0.05, 64, options("auc"))
    assert wide.choose == pytest.approx(max(chi2.ppf(0.05, freedom) / (2 * n), wide.use))
    assert region.most_votes == m
    assert region.tells_much is False
    assert TwoClassRegion.around((k, totals + 20 - m, counts), 0.9, 64, options("auc")).tells_much


def region_of(name="auc", totals_by="chance", **given):
    k, totals = cells_of(3, 5)
    counts = np.array([30, 9, 8, 20, 40, 15, 9, 8, 9, 25])
    return TwoClassRegion.around(
        (k, totals, counts), 0.9, 64, options(name, totals_by=totals_by, **given)
    )


@pytest.mark.parametrize("totals_by", ["chance", "item"])
def test_what_is_too_far_outside_is_brought_inside_by_fifths(totals_by):
    region = region_of(totals_by=totals_by)
    best = region.kernel().share @ np.log(region.kernel().chances(region.fitted))
    assert region.best == pytest.approx(best)
    rng = np.random.default_rng(1)
    steps = []
    for size in (1e-6, 0.05, 0.5, 1.0):
        extreme = (1 - size) * region.fitted + size * rng.dirichlet(np.ones(region.fitted.size))
        if totals_by == "item":  # each total keeps its share
            halves = np.split(extreme, 2)
            extreme = np.concatenate(
                [size * half / half.sum() for size, half in zip(region.sizes, halves, strict=True)]
            )
        part, tried = 1.0, 0
        while True:
            mixed = (1 - part) * region.fitted + part * extreme
            lost = best - region.kernel().share @ np.log(region.kernel().chances(mixed))
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
    lost = region.best - region.kernel().share @ np.log(region.kernel().chances(inside))
    assert 0 < lost <= 1.1 * region.use
    assert inside.sum() == pytest.approx(1)


def test_the_best_of_some_steps_is_taken(monkeypatch):
    region = region_of()
    one, other = np.eye(region.fitted.size)[[0, -1]]
    monkeypatch.setattr(TwoClassRegion, "value", lambda self, weights: (weights[-1] - 0.6) ** 2)
    assert region._further(1.0, one, other) == pytest.approx((one + other) / 2)
    assert region._further(-1.0, one, other) == pytest.approx(one)
    assert region._further(-1.0, other, one) == pytest.approx(one)


def test_items_that_are_alike_are_kept_within_the_region():
    k, totals = cells_of(4)
    counts = np.round(3000 * binom.pmf(k, 4, 0.3)).astype(int)
    region = TwoClassRegion.around((k, totals, counts), 0.9, 64, options("brier"))
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
    assert TwoClassRegion.around((k, totals, apart), 0.9, 64, options("brier")).alike() == []


def on_knots(function):
    knots = grid(256)
    return Lines(tuple(knots.tolist()), tuple(function(knots).tolist()), on_grid=True)


@pytest.mark.parametrize("totals_by", ["chance", "item"])
def test_means_have_their_bound_at_a_distribution_in_the_region(totals_by):
    region = region_of(totals_by=totals_by)
    for function in (lambda p: (p - 0.3) ** 2, lambda p: np.maximum(0.6 - p, 0)):
        for sign in (1.0, -1.0):
            limit, at = region._bound(on_knots(function), sign, region.use)
            mean, fitted = at @ function(region.points), region.fitted @ function(region.points)
            assert at.sum() == pytest.approx(1)
            lost = region.best - region.kernel().share @ np.log(region.kernel().chances(at))
            assert lost <= 1.1 * region.use + 1e-12
            # The bound is that of the whole region, and the distribution comes near to it.
            assert limit - 1e-9 <= sign * mean < sign * fitted
            assert sign * mean - limit < 0.1 * (sign * fitted - limit)
            wider = region._bound(on_knots(lambda p, of=function: 10 * of(p)), sign, region.use)
            assert wider[0] == pytest.approx(10 * limit, rel=1e-3)
    assert region._bound(on_knots(lambda p: np.full(p.size, 0.4)), 1.0, region.use)[0] == (
        pytest.approx(0.4, abs=1e-6)
    )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_limit_of_a_mean_by_its_slope_is_that_of_the_mean_itself(sign):
    k, totals = cells_of(3, 5)
    counts = np.array([30, 9, 8, 20, 40, 15, 9, 8, 9, 25])
    asked = options("brier")
    region = TwoClassRegion.around((k, totals, counts), 0.9, 256, asked)
    low, high = region.mean_limits()
    assert region.value(region.fitted) == pytest.approx(region.fitted_mean, abs=1e-6)
    assert region.limit(sign) == pytest.approx(low if sign > 0 else high, abs=2e-4)


def test_searches_start_from_distributions_in_the_region_that_few_functions_have():
    for m, folds in ((5, (0.15, 0.3, 0.5, 0.75, 1.0)), (12, (0.3, 0.6, 1.0)), (20, None)):
        k, totals = cells_of(m)
        counts = np.ceil(400 * (binom.pmf(k, m, 0.2) + binom.pmf(k, m, 0.5))).astype(int)
        region = TwoClassRegion.around((k, totals, counts), 0.9, 64, options("auc"))
        starts = region.starts
        assert starts[0] is region.fitted
        if folds is None:
            assert len(starts) == 1
            continue
        mean = region.points @ region.fitted
        wave = np.cos((m + 1) * np.arccos(1 - 2 * region.points))
        hinges = [np.maximum(fold - region.points, 0) for fold in (0.2 * mean, 0.5 * mean, *folds)]
        assert len(starts) == 1 + 2 * (1 + len(hinges))
        for i, function in enumerate((wave, *hinges)):
            low, high = starts[1 + 2 * i : 3 + 2 * i]
            assert low @ function <= region.fitted @ function + 1e-9
            assert high @ function >= region.fitted @ function - 1e-9
        for start in starts:
            lost = region.best - region.kernel().share @ np.log(region.kernel().chances(start))
            assert lost <= 1.1 * region.use + 1e-12


def test_folds_are_mirrored_where_class_1_is_common():
    k, totals = cells_of(4)
    counts = np.array([200, 60, 30, 20, 10])
    one = TwoClassRegion.around((k, totals, counts), 0.9, 64, options("auc"))
    other = TwoClassRegion.around((k, totals, counts[::-1]), 0.9, 64, options("auc"))
    for a, b in zip(one.starts[3:], other.starts[3:], strict=True):  # but for the wave
        assert a @ one.points == pytest.approx(1 - b @ other.points, abs=2e-3)


def test_sure_items_are_those_of_the_region():
    region = region_of("average-precision")
    errors = np.minimum(region.points, 1 - region.points)
    for t in (0.1, 0.4):
        own = on_knots(lambda p, t=t: np.maximum(t - np.minimum(p, 1 - p), 0))
        for sign in (1.0, -1.0):
            limit = region.sure(t, sign)
            assert limit == pytest.approx(region._bound(own, sign, region.choose)[0], abs=1e-6)
            assert limit < sign * (region.fitted @ np.maximum(t - errors, 0))


@pytest.mark.parametrize("totals_by", ["chance", "item"])
def test_two_kinds_of_items_are_those_that_the_region_holds(totals_by):
    k, totals = cells_of(3, 4)
    counts = 1 + np.round(200 * (binom.pmf(k, totals, 0.1) + binom.pmf(k, totals, 0.6))).astype(int)
    asked = options("average-precision", totals_by=totals_by)
    region = TwoClassRegion.around((k, totals, counts), 0.9, 64, asked)
    share, points = counts / counts.sum(), grid(64)
    sizes = np.array([counts[totals == m].sum() for m in totals]) / counts.sum()
    chances = sizes[:, None] * binom.pmf(k[:, None], totals[:, None], points)
    best = share @ np.log(sizes * (binom.pmf(k[:, None], totals[:, None], region.points[:65])
                                   @ region.fitted[:65]))  # fmt: skip
    if totals_by == "item":
        weights = np.split(region.fitted, 2)
        own = [binom.pmf(k[:, None], totals[:, None], points) @ one for one in weights]
        best = share @ np.log(np.where(totals == 3, *own))
    expected = least_of_two(points, chances, share, best - region.choose, lambda p: p)
    assert region.least_of_two() == pytest.approx(expected, abs=1e-9)
    assert expected < 1


# Many classes.


@pytest.mark.parametrize(("total", "share"), [(2, 0.9), (4, 0.5)])
def test_regions_of_many_classes_are_half_a_chi_square_quantile_deep(total, share):
    votes, counts = votes_of(total=total)
    region = ManyClassRegion.around(votes, counts, 0.9, options("log-loss", 3))
    cells = {2: 2, 4: 4}[total]  # partitions of the votes into at most three parts
    assert region.use == pytest.approx(chi2.ppf(1 - share * 0.1, 1) / 600)
    assert region.choose == pytest.approx(max(chi2.ppf(0.9, min(4, cells - 1)) / 600, region.use))
    assert region.votes == total
    costs = options("cost", 3, costs=np.array([[0, 1, 2], [1, 0, 1], [3, 1, 0]]))
    placed = ManyClassRegion.around(votes, counts, 0.9, costs)
    freedom = min(9, {2: 5, 4: 14}[total])  # counts of three classes, less one
    assert placed.use == placed.choose == pytest.approx(chi2.ppf(0.9, freedom) / 600)


def test_guesses_that_a_region_allows_are_some_error_of_sure_items():
    votes, counts = votes_of()
    region = ManyClassRegion.around(votes, counts, 0.9, options("error-at-coverage", 3, at=0.5))
    guesses = 1 - np.exp(-region.use / 4)
    assert region.noisier(0.1) == pytest.approx(0.1 * (1 - guesses) + guesses * 2 / 3)


def test_votes_tell_much_where_there_are_ten_and_one_distribution():
    asked = options("log-loss", 3)
    few, many = votes_of(total=9), votes_of(total=10)
    assert not ManyClassRegion.around(*few, 0.9, asked).tells_much
    assert ManyClassRegion.around(*many, 0.9, asked).tells_much
    both = np.concatenate((many[0], votes_of(total=12)[0]))
    counts = np.ones(len(both), dtype=np.int64)
    apart = ManyClassRegion.around(both, counts, 0.9, options("log-loss", 3, totals_by="item"))
    assert len(apart.parts) == 2
    assert not apart.tells_much
    assert apart.sizes == pytest.approx([len(many[0]) / len(both), 1 - len(many[0]) / len(both)])
    assert apart.fitted.sum() == pytest.approx(1)


def test_doubts_are_means_of_how_much_surer_items_are():
    votes, counts = votes_of()
    region = ManyClassRegion.around(votes, counts, 0.9, options("error-at-coverage", 3, at=0.5))
    assert region.top == pytest.approx(2 / 3)
    assert region.sketch is None
    errors = 1 - region.points.max(axis=1)
    for t in (0.1, 0.4):
        mean = region.fitted @ np.maximum(t - errors, 0)
        assert region.guess(t, 1.0) == pytest.approx(mean)
        assert region.guess(t, -1.0) == pytest.approx(-mean)
        assert region.sure(t, 1.0) < mean < -region.sure(t, -1.0)


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

    def bound(self, aim, sign):
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
        low, high = many_likelihood_limits(votes, counts, level=0.9, options=asked)
        least, most = asked.metric.span(3)
        assert least <= low < high <= most
        region = ManyClassRegion.around(votes, counts, 0.9, asked)
        assert low <= asked.metric.best(region.points, region.fitted) <= high


# Floors of many classes.


def test_items_of_many_votes_count_with_what_the_leading_class_leaves():
    votes, counts = np.array([[2, 1, 0], [8, 2, 0], [8, 2, 1]]), np.array([2, 1, 1])
    found = regions._partitions(votes, counts, Options())
    points = found.points
    # The mean of the largest of 11 votes is more than 11 times the largest probability.
    rng = np.random.default_rng(4)
    for i in (0, 7, 60, 300):
        largest = rng.multinomial(11, points[i], 20_000).max(axis=1) / 11
        floor = 1 - points[i].max()
        bias = floor - (1 - largest.mean())
        # Ten votes are few.
        assert found.floor[i] == pytest.approx(0.75 * floor + 0.25 * bias, abs=4e-4 + 1e-9)
    few = regions._partitions(votes[:2], counts[:2], Options())
    assert few.floor == pytest.approx(1 - points.max(axis=1))
    # The majority of several votes has a floor of its own: no shares stand for it.
    two, three = (regions._partitions(votes, counts, Options(majority=r)) for r in (2, 3))
    assert two.floor == pytest.approx(found.floor)
    assert three.floor == pytest.approx(floors(points, 3))


@pytest.mark.parametrize(("total", "share", "freedom"), [(2, 0.9, 1), (3, 0.5, 2), (6, 0.5, 4)])
def test_regions_of_floors_are_half_a_chi_square_quantile_deep(total, share, freedom, monkeypatch):
    votes, counts = votes_of(total=total)
    region = ManyClassRegion.around(votes, counts, 0.9, Options())
    assert region.use == pytest.approx(chi2.ppf(1 - share * 0.1, 1) / 600)
    assert region.choose == pytest.approx(max(chi2.ppf(0.9, freedom) / 600, region.use))
    part = region.parts[0]
    value = part.floor @ part.fitted(1e-7)
    assert region.fitted_mean == pytest.approx(value, abs=1e-6)

    def bound(self, sign, *_):
        return -0.25 * sign + 0.4, None

    monkeypatch.setattr(ManyClassRegion, "mean", bound)
    low, high = many_likelihood_limits(votes, counts, level=0.9)
    assert low == pytest.approx(min(0.15, value), abs=1e-4)
    assert high == pytest.approx(max(-0.65, value), abs=1e-4)


def test_coin_flips_of_many_classes_leave_the_largest_floor_open():
    votes, counts = votes_of(total=3, spread=1e5)
    low, high = many_likelihood_limits(votes, counts, level=0.9)
    assert high == pytest.approx(2 / 3)
    assert low < 0.6
    sure = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3]])
    low, high = many_likelihood_limits(sure, np.array([90, 100, 110]), level=0.9)
    assert low == pytest.approx(0, abs=1e-4)
    assert high < 0.1


@pytest.mark.parametrize("scale", [1, 5000])
def test_fits_cost_less_than_a_twentieth_of_an_item(scale, monkeypatch):
    votes, counts = votes_of(total=3)
    counts = counts * scale
    expected = 1e-7 if scale == 1 else 0.05 / 1.5e6
    seen = []

    def watched(method):
        def called(self, penalty, *rest):
            seen.append(penalty)
            return method(self, penalty, *rest)

        return called

    for kind in (PartitionLikelihood, VoteLikelihood):
        monkeypatch.setattr(kind, "fitted", watched(kind.fitted))
    region = ManyClassRegion.around(votes, counts, 0.9, options("log-loss", 3))
    assert region.fitted.sum() == pytest.approx(1)
    k, totals = cells_of(3)
    cells = k, totals, np.array([90, 80, 70, 60]) * scale
    assert TwoClassRegion.around(cells, 0.9, 64, options("auc")).fitted.sum() == pytest.approx(1)
    assert seen == pytest.approx([expected] * 2)


def test_fits_of_many_votes_are_on_gathered_points(monkeypatch):
    votes, counts = votes_of(total=10)
    asked = []

    def watched(part, penalty):
        asked.append((part.least, penalty))
        return fitted_weights(part, penalty)

    monkeypatch.setattr(regions, "fitted_weights", watched)
    region = ManyClassRegion.around(votes, counts, 0.9, options("log-loss", 3))
    assert region.fitted.sum() == pytest.approx(1)
    assert asked == [(1e-12, pytest.approx(1e-7))]
    assert region.shares == pytest.approx(region.fitted @ region.points)


@pytest.mark.parametrize("name", ["log-loss", "cost"])
def test_items_may_be_alike_where_votes_are_as_likely(name):
    given = {"costs": np.array([[0, 1, 2], [1, 0, 1], [3, 1, 0]])} if name == "cost" else {}
    even = np.full(3, 1 / 3)
    for spread, alike in ((1e5, True), (0.3, False)):
        votes, counts = votes_of(total=3, spread=spread)
        region = ManyClassRegion.around(votes, counts, 0.9, options(name, 3, **given))
        assert (region.lost(even) <= region.choose) == alike
    # The loss is that of the log-likelihood, by hand, where each class has its place.
    if name == "cost":
        chances = region.parts[0].matrix @ region.fitted
        share = region.parts[0].share
        law = multinomial.pmf(region.parts[0].votes, 3, even)
        lost = share @ (np.log(chances) - np.log(law))
        assert region.lost(even) == pytest.approx(lost, abs=1e-9)


def test_parts_of_items_lose_by_their_shares():
    two, three = votes_of(total=2, items=100), votes_of(total=4, items=300, seed=1)
    votes = np.concatenate((two[0], three[0]))
    counts = np.concatenate((two[1], three[1]))
    given = {"costs": np.array([[0, 1, 2], [1, 0, 1], [3, 1, 0]])}
    region = ManyClassRegion.around(votes, counts, 0.9, options("cost", 3, "item", **given))
    assert region.sizes == pytest.approx([0.25, 0.75])
    p = np.array([0.5, 0.3, 0.2])
    weights = np.split(region.fitted, [region.parts[0].points.shape[0]])
    lost = 0.0
    for part, own, size in zip(region.parts, weights, (0.25, 0.75), strict=True):
        law = multinomial.pmf(part.votes, part.votes[0].sum(), p)
        lost += size * (part.share @ (np.log(part.matrix @ own / size) - np.log(law)))
    assert region.lost(p) == pytest.approx(lost, abs=1e-6)
    # The mean number of votes decides what guesses would cost.
    assert region.votes == pytest.approx((100 * 2 + 300 * 4) / 400)
