"""Parts of methods for scores and soft labels: numbers by hand, and the same item by item."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import errorfloor as ef
from errorfloor import methods
from errorfloor.data.sample import DOUBT, Kinds, Losses, Sample, split
from errorfloor.methods import logistic, newton, ranks
from errorfloor.methods.histogram import Binned, bin_edges, equal_mass_positions
from errorfloor.methods.logistic import Logistic, LogisticModel
from errorfloor.methods.prediction_powered import (
    CorrectedErrors,
    Moments,
    PoweredCut,
    design_of,
    flat_variance,
)
from errorfloor.methods.record import Classes, Method, Options, Series
from errorfloor.methods.soft import BestValue, MeanFloor
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.ranking import Placements

pytestmark = pytest.mark.usefixtures("folds_once")

RNG = np.random.default_rng(0)


def cells_of(negatives, positives, weight=None, cluster=None):
    """Return the cells of rows with so many items of either class, one score each."""
    rows = range(len(negatives))
    pairs = [(row, label) for row in rows for label in (True, False)]
    count = [positives[row] if label else negatives[row] for row, label in pairs]
    kept = [i for i in range(len(pairs)) if count[i]]
    row, positive = (np.array([pairs[i][part] for i in kept]) for part in (0, 1))
    number = np.array([count[i] for i in kept])
    scores = np.arange(len(negatives)) / 10
    weight = None if weight is None else np.asarray(weight, dtype=float)
    return Sample(scores, row, positive, number, weight, cluster)


# Calibrated AUC


def slow_calibrated_auc(scores, labels):
    p = IsotonicRegression().fit_transform(scores, labels)
    lesser, both = 0.0, 0.0
    for one in p:
        for other in p:
            products = one * (1 - other), other * (1 - one)
            lesser, both = lesser + min(products), both + sum(products)
    return 1 - lesser / both


def test_the_calibrated_auc_of_a_resample_is_that_of_its_own_fit():
    cells = cells_of([3, 1, 2, 0], [0, 2, 1, 4])
    bound = ranks.CALIBRATED_AUC.bind(cells, Options(metric=MetricChoice("auc").of(2)))
    others = [cells.count, np.array([1, 1, 1, 0, 0, 1]), np.array([3, 0, 0, 1, 1, 2])]
    for count in others:
        scores = np.repeat(cells.scores[cells.row], count)
        labels = np.repeat(cells.positive, count)
        found = bound.values(count[None], RNG)[0]
        assert found == pytest.approx(slow_calibrated_auc(scores, labels), abs=1e-9)
    one_class = np.where(cells.positive, cells.count, 0), np.where(cells.positive, 0, 2)
    assert bound.values(np.array(one_class), RNG).tolist() == [0.5, 0.5]
    with pytest.raises(ef.InputError, match="AUC needs items of both classes"):
        ranks.CALIBRATED_AUC.bind(
            cells_of([0, 0], [1, 2]), Options(metric=MetricChoice("auc").of(2))
        )


# Means and best values of known probabilities


def test_means_with_and_without_an_item_are_those_of_the_items():
    floor, count = np.array([0.1, 0.4, 0.25]), np.array([2, 1, 3])
    plain, heavy = (
        MeanFloor(floor, Sample.of_rows(floor, count, weight))
        for weight in (None, np.array([1.0, 4.0, 0.5]))
    )
    counts = np.array([[2, 1, 3], [0, 1, 1]])
    assert plain.values(counts, RNG) == pytest.approx([1.35 / 6, 0.65 / 2])
    assert heavy.values(counts, RNG) == pytest.approx([2.175 / 7.5, 1.725 / 4.5])
    without = [counts[0] - np.eye(3, dtype=int)[cell] for cell in range(3)]
    for one in (plain, heavy):
        assert one.leave_one_out() == pytest.approx(one.values(np.array(without), RNG))
    for weight in (None, np.array([3.0])):
        alone = MeanFloor(floor[:1], Sample.of_rows(floor[:1], np.array([1]), weight))
        assert alone.leave_one_out().tolist() == [0]
    pairs = Sample.of_rows(floor, count, np.array([1.0, 4.0, 0.5]), np.array([0, 1, 0]))
    together = MeanFloor(floor, pairs)
    assert together.without_units() == pytest.approx([0.4, 0.575 / 3.5])
    assert together.leave_one_out() == pytest.approx(heavy.leave_one_out())


@pytest.mark.parametrize("name", ["average-precision", "f1", "balanced-error"])
def test_best_values_of_weighted_items_are_those_of_copies(name):
    p, count, weight = np.array([0.1, 0.3, 0.5, 0.9]), np.array([2, 1, 1, 3]), [1.0, 3.0, 2.0, 1.0]
    metric = MetricChoice(name).of(2)
    best = BestValue(metric, p, Sample.of_rows(p, count, np.array(weight)))
    for number in (count, np.array([1, 0, 2, 1])):
        copies = np.repeat(p, (number * weight).astype(int))
        found = best.values(number[None], RNG)[0]
        assert found == pytest.approx(metric.best(copies, np.ones(copies.size)))
    assert best.is_slow  # so that a jackknife asks for few items
    without = [best.values((count - own)[None], RNG)[0] for own in np.eye(4, dtype=int)]
    assert best.leave_one_out() == pytest.approx(without)


def test_best_values_of_shares_are_in_the_order_of_the_cells():
    shares, count = np.array([0.5, 0.0, 1.0, 0.25]), np.array([2, 3, 1, 2])
    metric = MetricChoice("balanced-error").of(2)
    order = np.argsort(shares)
    for weight in (None, np.array([1.0, 2.0, 1.0, 3.0])):
        own = BestValue(metric, shares, Sample.of_rows(shares, count, weight))
        plain = np.ones(4) if weight is None else weight
        counts = np.array([count, [1, 2, 2, 0]])
        expected = [metric.best(shares[order], (one * plain)[order]) for one in counts]
        assert own.values(counts, RNG) == pytest.approx(expected)
        without = [
            metric.best(shares[order], ((count - np.eye(4)[cell]) * plain)[order])
            for cell in range(4)
        ]
        assert own.leave_one_out() == pytest.approx(without)
        assert own.is_slow == (weight is not None)


def test_resamples_without_a_value_take_that_of_the_table():
    cells = Sample.of_rows(np.array([0.0, 0.5]), np.array([3, 1]))
    best = BestValue(MetricChoice("auc").of(2), cells.probabilities, cells)
    assert best.value == pytest.approx(best.values(cells.count[None], RNG)[0])
    counts = np.array([[4, 0], [1, 3], [3, 1]])
    found = best.values(counts, RNG)
    assert found[0] == best.value
    assert found[2] == pytest.approx(best.value)
    assert found[1] != pytest.approx(best.value)
    assert best.values(counts[:1], RNG) == found[:1]
    assert best.values(counts[1:2], RNG) == pytest.approx(found[1:2])
    assert best.leave_one_out()[1] == best.value
    alone = Sample.of_rows(np.array([0.3]), np.array([1]))
    one = BestValue(MetricChoice("auc").of(2), alone.probabilities, alone)
    assert one.value == pytest.approx(0.5)


# Weighted losses


def items_of(count, weight, cluster=None):
    """Return the weight of each item, and its unit."""
    cell = np.repeat(np.arange(len(count)), count)
    unit = np.arange(cell.size) if cluster is None else np.asarray(cluster)[cell]
    return np.asarray(weight)[cell], unit, cell


# Labels on some items


def powered(**about):
    plain = {"least": 0.1, "held_out": 0.2, "correction": 0.0, "power": 0.5, "variance": 0.1}
    return CorrectedErrors(**{**plain, "n": 100, "wrong": 4.0, "held_out_alone": 0.2, **about})


def test_labels_are_worth_more_where_predictions_help_and_many_are_wrong():
    assert powered().value == pytest.approx(0.15)
    assert powered(least=-0.5, held_out=0.1).value == 0
    # Variance 0.1 of 0.16; with 4 wrong items 16 parts of 20 are believed.
    assert powered().relative == pytest.approx(1 - 0.8 * (1 - 0.1 / 0.16))
    assert powered().worth == pytest.approx(100 / powered().relative)
    assert powered(variance=0.32).relative == pytest.approx(2)
    assert powered(held_out_alone=0.0).relative == 1
    assert powered(variance=0.16).relative == pytest.approx(1)


def test_moments_find_the_power_of_least_variance():
    rng = np.random.default_rng(3)
    n, others = 40, 60
    loss = (rng.random(n) < 0.3).astype(float)
    guess = 0.3 + 0.9 * (loss - 0.3) + 0.4 * rng.normal(size=n)
    weight = rng.choice([0.5, 1.5], n)
    weight *= n / weight.sum()
    share, outside = n / (n + others), 0.28
    moments = Moments(weight, share)
    one, other = np.arange(n) < 20, np.arange(n) >= 20
    everywhere = np.empty(n)
    for part in (one, other):
        moments.add(part.astype(np.int64), loss, guess, outside)
        everywhere[part] = share * guess[part].mean() + (1 - share) * outside
    found = moments.found(0.05, n)
    away = guess - everywhere
    mean = float(weight @ loss) / n

    def variance(power):
        whole = weight * (loss - mean - power * away)
        # What the labelled items add to the mean of all is no error.
        shared = 2 * power * share * (weight * (loss - mean) @ away)
        shared -= power**2 * share * (weight @ away**2)
        return (float(whole @ whole) + float(shared)) / n

    powers = np.linspace(0, 1, 10_001)
    values = [variance(power) for power in powers]
    assert found.power == pytest.approx(powers[int(np.argmin(values))], abs=2e-4)
    assert 0 < found.power < 1
    assert found.variance == pytest.approx(min(values), rel=1e-6)
    correction = -found.power * float(weight @ away) / n
    assert found.correction == pytest.approx(correction)
    assert found.least == pytest.approx(max(0.05 + correction, 0))
    assert found.held_out == pytest.approx(mean + correction)
    assert (found.held_out_alone, found.n, found.wrong) == (pytest.approx(mean), n, loss.sum())


def test_predictions_that_are_all_the_same_are_not_heeded():
    moments = Moments(np.ones(4), 0.5)
    moments.add(np.ones(4, dtype=np.int64), np.array([0.0, 1, 0, 0]), np.full(4, 0.25), 0.25)
    found = moments.found(0.2, 4)
    assert (found.power, found.correction) == (0, 0)
    assert found.variance == pytest.approx(0.25 * 0.75)


def test_weights_of_labelled_items_have_the_mean_one():
    cells = cells_of([2, 1], [0, 3], [1.0, 4.0, 2.0])
    design = design_of(cells, np.array([2, 1, 1]))
    assert design.weight == pytest.approx(np.array([1.0, 4, 2]) * 4 / 8)
    plain = design_of(replace(cells, weight=None), np.array([2, 1, 1]))
    assert plain.each.tolist() == [1, 1, 1]


def test_the_variance_of_flat_items_is_a_quarter_each():
    negatives, positives = np.array([30, 20, 20, 2]), np.array([2, 18, 19, 30])
    cells = cells_of(negatives, positives)
    # The best cut errs on 41, that below all rows on no more than 3 sqrt(109) more. Between them
    # are 70 negatives and 39 positives.
    expected = (39 - 1.5 * 39**0.5) / 2
    assert flat_variance(cells) == pytest.approx(expected)
    heavy = replace(cells, weight=np.full(8, 3.0))
    assert flat_variance(heavy) == pytest.approx(expected)


def test_the_errors_of_a_cut_are_guessed_by_rank():
    cells = replace(cells_of([3, 0, 1, 0], [0, 0, 1, 2]), unlabelled=np.array([0, 5, 1, 2]))
    cut = PoweredCut(cells, Options().draw)
    assert cut.rank.tolist() == [1.5, 5.5, 9.5, 13]
    guess = cut._guess(cells.count.astype(float), 1)  # the first cell is below
    # Rates 0, then one half, then 1; the empty row at rank 5.5 of 1.5 to 9.5.
    assert guess == pytest.approx([0.0, 0.25, 0.5, 0.0])
    assert cut._guess(cells.count.astype(float), 4) == pytest.approx([0, 0.25, 0.5, 1])


# Records


def test_numbers_in_names_are_plain_whole_numbers():
    series = Series(stem="hist", letter="K", usual=(10,), make=lambda number: number)
    assert series.name == "hist-K"
    assert series.numbered("hist-12") == 12
    for name in (
        "hist-0",
        "hist-012",
        "bins-12",
        "hist-1.5",
        "hist--1",
        "hist",
        "hist-" + "9" * 16,
    ):
        assert series.numbered(name) is None
    assert series.numbered("hist-" + "9" * 15) == 10**15 - 1
    assert [series.resembles(name) for name in ("hist-1.5", "hist-x", "hist", "bins-1")] == [
        True, False, True, False,
    ]  # fmt: skip


def test_options_keep_scores_from_the_ends_by_half_the_smallest_distance():
    plain = Options()
    assert plain.distance(np.array([0.0, 0.1, 0.5, 0.98, 1.0])) == pytest.approx(0.01)
    assert plain.distance(np.array([0.0, 1.0])) == 0.25
    assert plain.distance(np.array([-0.2, 1.5])) == pytest.approx(0.1)
    assert Options(clip=0.125).distance(np.array([0.1])) == 0.125
    for wrong in (0, 0.5, -0.1, "none", 0.7):
        with pytest.raises(ef.InputError, match="`clip` must be"):
            Options(clip=wrong)
    with pytest.raises(ef.InputError, match="`stopping` says how votes decided"):
        Options(stopping="third")
    with pytest.raises(ef.InputError, match="`stopping` says how votes decided"):
        Options(stopping="third", totals_by="item")
    assert Options(stopping="third", totals_by="votes").rule.most == 3
    assert (plain.rule, plain.by_item, Options(totals_by="item").by_item) == (None, False, True)
    with pytest.raises(ef.InputError, match="totals_by"):
        Options(totals_by="whim")
    with pytest.raises(ef.InputError, match="majority"):
        Options(majority=0)


# Logistic regression in few features


def test_a_basis_is_orthonormal_under_the_weights_and_leads_back():
    features = np.column_stack((np.ones(6), np.arange(6.0), 50 * np.arange(6.0) ** 2))
    weight = np.array([1.0, 2, 1, 4, 1, 3])
    basis, back = newton.orthonormal_basis(features, weight)
    assert basis.shape == (6, 3)
    assert features @ back == pytest.approx(basis)
    gram = (basis * (weight / 12)[:, None]).T @ basis
    assert gram == pytest.approx(np.eye(3), abs=1e-9)


def test_columns_that_say_the_same_or_nothing_are_one_or_none():
    features = np.column_stack((np.ones(4), np.full(4, 3.0), np.zeros(4)))
    basis, back = newton.orthonormal_basis(features, np.ones(4))
    assert basis.shape == (4, 1)
    assert np.abs(basis[:, 0]) == pytest.approx(1)
    assert features @ back == pytest.approx(basis)
    nothing, none = newton.orthonormal_basis(np.zeros((4, 2)), np.ones(4))
    assert (nothing.tolist(), none.tolist()) == (np.zeros((4, 1)).tolist(), [[0], [0]])


def test_a_fit_has_no_slope_left_and_ends_where_labels_are_separable():
    x = np.linspace(-2, 2, 9)
    basis = np.column_stack((np.ones(9), x))
    total, target = np.full(9, 4.0), np.array([0, 1, 0, 2, 1, 3, 2, 4, 4.0])
    found = newton.fit(basis, total, target)
    p = 1 / (1 + np.exp(-basis @ found))
    assert (target - total * p) @ basis == pytest.approx([0, 0], abs=1e-9)
    apart = newton.fit(basis, total, np.where(x > 0.25, 4.0, 0.0))
    assert np.isfinite(apart).all()
    assert newton.sigmoid(basis @ apart) == pytest.approx(np.where(x > 0.25, 1, 0), abs=1e-6)
    offset = newton.fit(basis * [1, 0.0], total, target)  # a column of nothing
    assert offset == pytest.approx([np.log(17 / 19), 0], abs=1e-9)


def test_systems_are_solved_one_by_one_or_stacked_and_singular_ones_too():
    hessian = np.array([[[2.0, 1.0], [1.0, 3.0]], [[4.0, 0.0], [0.0, 1.0]]])
    gradient = np.array([[1.0, 2.0], [8.0, 3.0]])
    assert newton.solve(hessian, gradient) == pytest.approx(np.array([[0.2, 0.6], [2, 3]]))
    assert newton.solve(hessian[1], gradient[1]) == pytest.approx([2, 3])
    assert np.isfinite(newton.solve(np.zeros((2, 2)), np.zeros(2))).all()
    z = np.array([-800.0, -1.0, 0.0, 1.0, 800.0])
    one = 1 / (1 + np.exp(-1))
    assert newton.sigmoid(z) == pytest.approx([0, 1 - one, 0.5, one, 1])


def test_features_of_scores_have_the_usual_names_for_their_coefficients():
    log2 = np.log(2)
    given = {
        ("one", "log", "log_rest"): ([0.5, 2.0, 3.0], (2, 3, 0.5)),
        ("one", "log_odds"): ([0.5, 2.0], (2, 2, 0.5)),
        ("log_twice", "log_rest_twice"): ([2.0, 3.0], (2, 3, 2 * log2 - 3 * log2)),
        ("log_odds",): ([2.0], (2, 2, 0)),
    }
    scores = np.array([0.0, 0.2, 0.7, 1.0])
    s = np.clip(scores, 0.01, 0.99)
    for features, (coefficients, (a, b, c)) in given.items():
        model = LogisticModel("beta", features, 0.01)
        found = model.parameters(np.array(coefficients))
        assert found == pytest.approx({"a": a, "b": b, "c": c})
        # log-odds(p) = a log(s) - b log(1 - s) + c
        line = model.design(scores) @ coefficients
        assert line == pytest.approx(a * np.log(s) - b * np.log(1 - s) + c)
    platt = LogisticModel("platt", ("one", "score"), 0.01, smoothed=True)
    assert platt.parameters(np.array([1.0, 4.0])) == {"slope": 4, "intercept": 1}
    assert platt.design(np.array([-3.0, 5.0])).tolist() == [[1, -3], [1, 5]]
    odds = LogisticModel("platt-logit", ("one", "log_odds"), 0.01, smoothed=True)
    assert odds.parameters(np.array([1.0, 4.0])) == {"slope": 4, "intercept": 1}
    assert platt.targets(8, 3) == pytest.approx((0.1, 0.8))
    assert [float(x) for x in LogisticModel("beta-a", ("log_odds",), 0.01).targets(8.0, 3.0)] == [
        0,
        1,
    ]


def test_beta_drops_the_first_coefficient_that_falls_and_fits_again():
    model = LogisticModel("beta", ("one", "log", "log_rest"), 0.01)
    coefficients = np.array([[0, 1, 1], [0, -1, 1], [0, 1, -1], [0, -1, -1], [0, 0, 0]])
    (no_a, of_b), (no_b, of_a) = model.refits(coefficients)
    assert no_a.tolist() == [False, True, False, True, False]
    assert no_b.tolist() == [False, False, True, False, False]
    assert (of_b.features, of_a.features) == (("one", "log_rest"), ("one", "log"))
    assert list(LogisticModel("beta-am", ("one", "log_odds"), 0.01).refits(coefficients)) == []


@pytest.mark.parametrize("features", [("one", "log_odds"), ("log_odds",), ("one", "log")])
@pytest.mark.parametrize("smoothed", [False, True])
def test_floors_of_other_counts_are_those_of_their_own_fits(features, smoothed):
    rng = np.random.default_rng(8)
    cells = cells_of(rng.integers(1, 6, 9), rng.integers(1, 6, 9))
    cells = replace(cells, seen=np.linspace(0.05, 0.95, 9))
    floor = Logistic(cells, LogisticModel("own", features, 0.01, smoothed))
    counts = np.vstack((cells.count, rng.multinomial(60, np.full(18, 1 / 18), 6)))
    found, prob = floor.values(counts, RNG), floor.probabilities(counts)
    for count, value, curve in zip(counts, found, prob, strict=True):
        slow, coefficients = floor._fit_one(count)
        assert value == pytest.approx(slow, abs=1e-9)
        slow_curve = newton.sigmoid(floor.model.design(cells.scores) @ coefficients)
        assert curve == pytest.approx(slow_curve, abs=1e-6)
    each = [floor.values((cells.count - one)[None], RNG)[0] for one in np.eye(18, dtype=np.int64)]
    assert floor.leave_one_out() == pytest.approx(each, abs=1e-9)
    quick = Logistic(cells, floor.model)
    quick.few_cells = 10
    # One step goes wrong by little, but for scores whose fit crosses 1/2.
    off = np.abs(quick.leave_one_out() - each)
    assert np.median(off) < 0.05 * np.std(each)
    assert off.max() < 0.5 * np.std(each)


# Bins


def test_bins_are_as_equal_as_can_be_and_no_more_than_items():
    assert equal_mass_positions(10, 3).tolist() == [4, 7]
    assert equal_mass_positions(9, 3).tolist() == [3, 6]
    assert equal_mass_positions(11, 4).tolist() == [3, 6, 9]
    assert equal_mass_positions(2, 5).tolist() == [1]
    scores = np.array([0.1, 0.2, 0.6])
    edge, cut = bin_edges(scores, np.array([0, 1, 1]), np.array([1, 1, 2]))
    assert edge == pytest.approx([0.15, 0.2, 0.4])
    assert cut.tolist() == [1, 2, 2]
    close = np.array([1.0, np.nextafter(1.0, 2)])
    assert bin_edges(close, np.array([0]), np.array([1]))[1].tolist() in ([1], [2])


@pytest.mark.parametrize("bins", [1, 2, 4, 30])
def test_binned_floors_are_those_of_sorted_items(bins):
    cells = cells_of([3, 1, 2, 0, 2], [0, 2, 1, 4, 1])
    own = Binned(cells, bins)

    def slow(count):
        score = np.repeat(cells.scores[cells.row], count)
        label = np.repeat(cells.positive, count)
        edges = []
        for place in equal_mass_positions(score.size, bins):
            before, behind = score[place - 1], score[place]
            edges.append((before + behind) / 2)
        bin_of = np.searchsorted(edges, score)
        sums = [label[bin_of == one] for one in range(len(edges) + 1)]
        return sum(min(int(part.sum()), int((~part).sum())) for part in sums) / score.size

    counts = [cells.count, np.array([1, 0, 2, 1, 3, 1, 0, 2]), np.ones(8, dtype=np.int64)]
    assert own.values(np.array(counts), RNG) == pytest.approx([slow(one) for one in counts])
    without = [slow(cells.count - one) for one in np.eye(8, dtype=np.int64)]
    assert own.leave_one_out() == pytest.approx(without)
    alone = Binned(cells_of([1], [0]), bins)
    assert alone.leave_one_out().tolist() == [0]


@pytest.mark.parametrize("cluster", [None, np.array([0, 0, 1, 2, 2])])
def test_weighted_losses_are_worth_as_many_items_as_have_their_variance(cluster):
    count, weight = np.array([3, 1, 2, 2, 1]), np.array([1.0, 2.0, 0.5, 1.0, 1.5])
    each = np.array([0.1, 0.9, 0.4, 0.2, 0.7])
    design = Sample.of_rows(count, count, weight, cluster)
    total, squares, mass = weight @ (count * each), weight @ (count * each**2), weight @ count
    w, unit_of, cell = items_of(count, weight, cluster)
    x = each[cell]

    def far(at, units):
        sums = np.bincount(units, w * (x - at))
        size = sums.size / (sums.size - 1) if cluster is not None and units is unit_of else 1
        return float(sums @ sums) * size

    alone = np.arange(x.size)
    usual = squares / total
    typical, heavy = (w @ w) / mass, (np.bincount(unit_of, w) ** 2).sum() / mass
    alike = 0.0
    if cluster is not None:
        mean = total / mass
        within, spread = far(mean, alone), float(w @ (x - mean) ** 2)
        alike = (far(mean, unit_of) - within) / (heavy * spread - within)
        number = total / usual / heavy
        alike = (number * min(max(alike, 0), 1) + DOUBT) / (number + DOUBT)
    unit = typical + (heavy - typical) * alike
    mean = (total + 2 * unit * usual) / (mass + 4 * unit)
    pseudo = 2 * unit * ((usual - mean) ** 2 + mean**2)
    one = (far(mean, unit_of) + unit * pseudo) / (float(w @ (x - mean) ** 2) + pseudo)
    losses = Losses(count * each, count * each**2)
    assert design.equal_item(losses, Kinds.one(design, usual)) == pytest.approx(one)


def test_losses_of_clusters_of_one_item_are_those_of_items():
    x = np.array([0.1, 0.9, 0.4, 0.2, 0.7])
    design = Sample.of_rows(np.zeros(5), np.ones(5, dtype=np.int64), np.ones(5), np.arange(5))
    usual = (x**2).sum() / x.sum()
    found = design.equal_item(Losses(x, x**2), Kinds.one(design, usual))
    mean = (x.sum() + 2 * usual) / 9
    pseudo = 2 * ((usual - mean) ** 2 + mean**2)
    spread = ((x - mean) ** 2).sum()
    assert found == pytest.approx((spread * 5 / 4 + pseudo) / (spread + pseudo))


def test_platt_scaling_alone_takes_scores_on_any_scale():
    labels, scores = np.tile([0, 1, 1], 10), np.tile([0.2, 0.6, 0.4], 10)
    table = ef.ScoreTable.from_arrays(scores, labels)
    wide = ef.ScoreTable.from_arrays(10 * scores - 3, labels)
    records = (
        logistic.BETA_ABM, logistic.BETA_AM, logistic.BETA_AB, logistic.BETA_A, logistic.PLATT,
        logistic.PLATT_LOGIT,
    )  # fmt: skip
    for one in records:
        anywhere = one.name == "platt"
        assert one.needs_probabilities == (not anywhere)
        assert one.options == (() if anywhere else ("clip",))
        assert one.takes(table)
        assert one.takes(wide) == anywhere
        fitted = one.fit(table, Options())
        assert set(fitted.parameters) == (
            {"slope", "intercept"} if "platt" in one.name else set("abc")
        )
        if anywhere:
            assert 0 < fitted(np.array([-4.0]))[0] < fitted(np.array([9.0]))[0] < 1
            continue
        with pytest.raises(ef.InputError, match=r"\[0, 1\]"):
            fitted(np.array([1.5]))
    # Platt's targets keep a fit to labels that are told without error from the ends.
    apart = ef.ScoreTable.from_arrays(np.tile([0.2, 0.8], 10), np.tile([0, 1], 10))
    smooth, plain = (one.fit(apart, Options())(np.array([0.8]))[0] for one in records[::-4])
    assert smooth == pytest.approx(11 / 12)
    assert plain > 0.999


SURE = cells_of([9, 6, 4, 3, 1, 0], [0, 2, 3, 5, 7, 6])


def one_of(method):
    """Return the metrics of a method for scores of two classes."""
    two = isinstance(method, Method) and method.classes is Classes.TWO
    return method.metrics if two and method.reads == "scores" else ()


def calibrated_by(count, more=0.0):
    """Return the isotonic fit at each row, with more items of the mean in each block."""
    zeros, ones = (part[0] for part in SURE.by_row(count[None]))
    some = np.flatnonzero(zeros + ones)
    items = (zeros + ones)[some]
    p = IsotonicRegression().fit(some, ones[some] / items, sample_weight=items).predict(some)
    size = np.array([items[np.isclose(p, one)].sum() for one in p])
    share = (ones.sum() + 0.5) / (items.sum() + 1)
    return np.interp(np.arange(zeros.size), some, (p * size + more * share) / (size + more))


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("error-at-coverage", 0.3), ("error-at-coverage", 0.5), ("error-at-coverage", 0.9),
        ("error-at-coverage", 1.0), ("coverage-at-error", 0.0), ("coverage-at-error", 0.1),
        ("coverage-at-error", 0.2), ("coverage-at-error", 0.6),
    ],
)  # fmt: skip
def test_the_surest_items_of_an_isotonic_fit_have_its_best_value(name, at):
    metric = MetricChoice(name, at=at).of(2)
    options = Options(metric=metric)
    own, midpoint = (one.bind(SURE, options) for one in methods.RECORDS if name in one_of(one))
    for count in (SURE.count, np.array([3, 1, 0, 2, 2, 1, 4, 0, 1, 3])):
        p = calibrated_by(count)[SURE.row]
        best = metric.best(p, count)
        assert own.values(count[None], RNG)[0] == pytest.approx(best, abs=1e-9)
        # An item that is left aside costs as many errors as the last one that is kept makes, or
        # the next one, of errors that are just allowed.
        doubt = np.repeat(np.sort(np.minimum(p, 1 - p)), count[np.argsort(np.minimum(p, 1 - p))])
        if name == "error-at-coverage":
            price = doubt[int(np.ceil(at * doubt.size - 1e-9)) - 1]
        elif best < 1:
            price = doubt[int(np.floor(best * doubt.size + 1e-9))]
        else:
            price = 0.5 if at < 0.5 else (1 + at) / 2
        total = 0.0
        for part in split(count, 10, np.random.default_rng(9)):
            q = calibrated_by(count - part, more=1.0)[SURE.row]
            wrong = (q > 0.5) != SURE.positive
            total += float(part @ np.where(np.minimum(q, 1 - q) >= price - 1e-9, price, wrong))
        loss = total / count.sum()
        if metric.less_is_better:
            held = (loss - price * (1 - at)) / at
        else:
            held = (price - loss) / max(price - at, 1e-9)
        held = min(max(held, metric.span(2)[0]), metric.span(2)[1])
        found = midpoint.values(count[None], np.random.default_rng(9))[0]
        assert found == pytest.approx((best + held) / 2, abs=1e-6)


def test_prices_beside_the_best_guess_are_those_of_items_kept_earlier_or_later():
    # Errors of 0.1, 0.3 and 0.4 on 20, 40 and 40 items.
    doubt, count = np.array([0.4, 0.1, 0.3, 0.0]), np.array([40, 20, 40, 0])

    def prices(name, at):
        return MetricChoice(name, at=at).of(2).how.prices(doubt, doubt > 0.2, count)

    assert 2 * (0.6 * 0.4 / 100) ** 0.5 < 0.4
    assert prices("error-at-coverage", 0.6) == pytest.approx((0.3, 0.3, 0.4))
    assert prices("error-at-coverage", 0.4) == pytest.approx((0.3, 0.3, 0.3))
    assert prices("error-at-coverage", 0.25) == pytest.approx((0.3, 0.1, 0.3))
    every = prices("coverage-at-error", 0.45)
    assert every[0] == every[2] == 0.5
    # A fifth with 0.1 errs in 0.02, so 0.2 of 0.4 leaves room for as many of 0.3.
    some = prices("coverage-at-error", 0.2)
    assert some[:2] == pytest.approx((0.3, max(0.1, 0.2 + 0.1 / 4)))


# Rankings


def ranked(cells, method=ranks.AUC):
    return method.bind(cells, Options(metric=MetricChoice(method.metrics[0]).of(2)))


def slow_auc(score, label, weight):
    """Return the share of pairs in order, each weighing as both its items do."""
    right = every = 0.0
    for i in np.flatnonzero(label):
        for j in np.flatnonzero(~label):
            every += weight[i] * weight[j]
            right += weight[i] * weight[j] * ((score[i] > score[j]) + (score[i] == score[j]) / 2)
    return right / every if every else 0.5


def slow_precision(score, label):
    """Return the mean precision down to each positive, over all orders of tied items."""
    rows = [np.flatnonzero(score == one) for one in np.unique(score)[::-1]]
    found = []
    for orders in product(*(permutations(row.tolist()) for row in rows)):
        order = [i for row in orders for i in row]
        ones = np.cumsum(label[order])
        found.append(np.sum((ones / np.arange(1, len(order) + 1))[label[order]]))
    return np.mean(found) / max(label.sum(), 1)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_auc_is_the_share_of_pairs_in_order_with_and_without_an_item(weighted):
    cells = cells_of([2, 0, 1, 1], [1, 1, 2, 0])
    weight = np.array([1.0, 0.5, 2.0, 1.0, 1.5, 3.0]) if weighted else np.ones(6)
    own = ranked(replace(cells, weight=weight) if weighted else cells)

    def slow(count):
        cell = np.repeat(np.arange(6), count)
        return slow_auc(cells.scores[cells.row][cell], cells.positive[cell], weight[cell])

    others = [cells.count, np.array([0, 1, 2, 3, 0, 1]), np.array([3, 0, 1, 1, 1, 0])]
    others += [np.where(cells.positive, 2, 0), np.where(cells.positive, 0, 1)]
    expected = [max(slow(one), 0.5) for one in others]
    assert own.values(np.array(others), RNG) == pytest.approx(expected)
    reverse = cells_of([0, 3], [2, 1], np.ones(3))
    worse = ranked(reverse if weighted else replace(reverse, weight=None))
    assert worse.values(reverse.count[None], RNG).tolist() == [0.5]
    without = [slow(cells.count - one) for one in np.eye(6, dtype=np.int64)]
    assert own.leave_one_out() == pytest.approx(without)
    # The last item of a class leaves the value as it is.
    last = cells_of([1, 2], [0, 1], np.array([2.0, 1.0, 1.0]))
    bound = ranked(last if weighted else replace(last, weight=None))
    index = int(np.flatnonzero(last.positive)[0])
    assert bound.leave_one_out()[index] == pytest.approx(bound.values(last.count[None], RNG)[0])


def test_placements_are_shares_of_the_other_class():
    found = Placements.of(cells_of([2, 1, 0], [0, 3, 1]))
    assert found.place == pytest.approx([1, 2.5 / 3, 2.5 / 4, 1])
    assert (found.zeros, found.ones) == (3, 4)
    assert found.area == pytest.approx((3 * 2.5 / 3 + 1) / 4)


def test_the_average_precision_is_that_of_all_orders_of_tied_items():
    cells = cells_of([1, 0, 2, 1, 0], [0, 1, 1, 2, 1])
    own = ranked(cells, ranks.AVERAGE_PRECISION)

    def slow(count):
        cell = np.repeat(np.arange(len(cells)), count)
        return slow_precision(cells.scores[cells.row][cell], cells.positive[cell])

    others = [cells.count, np.array([2, 0, 1, 1, 0, 3, 0]), np.array([1, 0, 0, 2, 0, 1, 0])]
    assert own.values(np.array(others), RNG) == pytest.approx([slow(one) for one in others])
    none = np.where(cells.positive, 0, 1)
    assert own.values(none[None], RNG).tolist() == [0]
    without = [slow(cells.count - one) for one in np.eye(len(cells), dtype=np.int64)]
    assert own.leave_one_out() == pytest.approx(without)
    alone = ranked(cells_of([1], [1]), ranks.AVERAGE_PRECISION)
    assert alone.leave_one_out() == pytest.approx([0, 1])
