"""Parts of methods for scores and soft labels: numbers by hand, and the same item by item."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import errorfloor as ef
from errorfloor.data.sample import DOUBT, PSEUDO, Sample, split
from errorfloor.methods import calibrated, logistic, newton, weighted_cuts
from errorfloor.methods.clean import BestValue
from errorfloor.methods.cuts import cross_fitted_errors, flat_items, held_out_errors, wrong_cells
from errorfloor.methods.histogram import Binned, bin_edges, equal_mass_positions
from errorfloor.methods.isotonic import BestCut
from errorfloor.methods.logistic_floor import Logistic
from errorfloor.methods.logistic_model import LogisticModel
from errorfloor.methods.powered import Moments, Powered, PoweredCut, design_of, flat_variance
from errorfloor.methods.ranks import Placements, Precision, Ranking, WeightedRanking, by_row
from errorfloor.methods.record import Options, Series
from errorfloor.methods.scoring import IsotonicLoss, LossSums, brier, isotonic_map, log_loss
from errorfloor.methods.selective_scores import (
    AtCoverage,
    AtError,
    BestOfSurest,
    Decided,
    MidpointOfSurest,
    slope,
)
from errorfloor.methods.soft import MeanFloor
from errorfloor.methods.weighted import WeightedCut
from errorfloor.methods.weighted_scoring import CellLosses, WeightedLoss, WeightedMidpointLoss
from errorfloor.metrics.asked import Asked
from errorfloor.metrics.two_by_two import (
    Balanced,
    Binomial,
    Cost,
    Missed,
    TwoByTwo,
    Uncorrelated,
    all_cuts,
    check_classes,
)

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
    bound = calibrated.AUC.bind(cells, Options(metric=Asked("auc").of(2)))
    others = [cells.count, np.array([1, 1, 1, 0, 0, 1]), np.array([3, 0, 0, 1, 1, 2])]
    for count in others:
        scores = np.repeat(cells.scores[cells.row], count)
        labels = np.repeat(cells.positive, count)
        found = bound.values(count[None], RNG)[0]
        assert found == pytest.approx(slow_calibrated_auc(scores, labels), abs=1e-9)
    one_class = np.where(cells.positive, cells.count, 0), np.where(cells.positive, 0, 2)
    assert bound.values(np.array(one_class), RNG).tolist() == [0.5, 0.5]
    with pytest.raises(ef.InputError, match="AUC needs items of both classes"):
        calibrated.AUC.bind(cells_of([0, 0], [1, 2]), Options(metric=Asked("auc").of(2)))


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


@pytest.mark.parametrize("name", ["auc", "f1", "balanced-error"])
def test_best_values_of_weighted_items_are_those_of_copies(name):
    p, count, weight = np.array([0.1, 0.3, 0.5, 0.9]), np.array([2, 1, 1, 3]), [1.0, 3.0, 2.0, 1.0]
    metric = Asked(name).of(2)
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
    metric = Asked("balanced-error").of(2)
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
    best = BestValue(Asked("auc").of(2), cells.probabilities, cells)
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
    one = BestValue(Asked("auc").of(2), alone.probabilities, alone)
    assert one.value == pytest.approx(0.5)


# How items were sampled


def items_of(count, weight, cluster=None):
    """Return the weight of each item, and its unit."""
    cell = np.repeat(np.arange(len(count)), count)
    unit = np.arange(cell.size) if cluster is None else np.asarray(cluster)[cell]
    return np.asarray(weight)[cell], unit, cell


@pytest.mark.parametrize("cluster", [None, np.array([0, 1, 1, 2])])
def test_units_are_worth_what_their_squares_say(cluster):
    count, weight = np.array([2, 1, 3, 1]), np.array([1.0, 0.5, 2.0, 4.0])
    design = Sample.of_rows(count, count, weight, cluster)
    w, unit, cell = items_of(count, weight, cluster)
    sums = np.bincount(unit, w)
    assert design.total == w.sum()
    assert design.masses.tolist() == [2, 0.5, 6, 4]
    assert design.unit == pytest.approx((sums**2).sum() / w.sum())
    assert design.units == pytest.approx(w.sum() ** 2 / (sums**2).sum())
    assert design.freedom == pytest.approx(max((sums**2).sum() ** 2 / (sums**4).sum() - 1, 1))
    values = np.array([0.5, -1.0, 2.0, 0.25])
    within = np.bincount(unit, w * values[cell])
    assert design.squares(values) == pytest.approx((within**2).sum())
    if cluster is not None:
        assert design.clusters == 3
        found = np.concatenate(list(design.without_each()))
        assert found.tolist() == [[0, 1, 3, 1], [2, 0, 0, 1], [2, 1, 3, 0]]


def test_one_heavy_unit_has_one_degree_of_freedom():
    design = Sample.of_rows(np, np.array([1, 3]), np.array([100.0, 1.0]))
    assert design.freedom == 1.0
    even = Sample.of_rows(np, np.array([10]), np.array([2.0]))
    assert even.freedom == pytest.approx(9)


def test_wrong_items_are_worth_as_many_as_have_their_variance():
    count, weight = np.array([4, 3, 5]), np.array([1.0, 2.0, 0.5])
    wrong = np.array([1.0, 2.0, 0.0])
    share, n = Sample.of_rows(count, count, weight).worth(wrong)
    total, errors, unit = 12.5, 5.0, (4 + 3 * 4 + 5 * 0.25) / 12.5
    assert share == errors / total
    # With two more typical items that are wrong, and two that are right.
    middle = (errors + 2 * unit) / (total + 4 * unit)
    ill = 1 * 1 + 2 * 4 + 2 * unit**2
    well = 3 * 1 + 1 * 4 + 5 * 0.25 + 2 * unit**2
    squares = ill * (1 - middle) ** 2 + well * middle**2
    assert n == pytest.approx(total / (squares / (middle * (1 - middle) * (total + 4 * unit))))
    assert (PSEUDO, DOUBT) == (2.0, 0.5)


def test_wrong_items_of_clusters_go_along_as_far_as_they_are_alike():
    count, weight = np.array([2, 2, 3, 1]), np.array([1.0, 1.0, 1.0, 2.0])
    cluster, wrong = np.array([0, 1, 2, 3]), np.array([2.0, 1.0, 0.0, 0.0])
    design = Sample.of_rows(count, count, weight, cluster)
    share, n = design.worth(wrong)
    assert share == pytest.approx(3 / 9)
    items = (2 + 2 + 3 + 4) / 9
    unit = (4 + 4 + 9 + 4) / 9

    def deviations(at):
        sums = [2 - 2 * at, 1 - 2 * at, -3 * at, -2 * at]
        return sum(one**2 for one in sums) * 4 / 3

    def single(at):
        return 3 * (1 - at) ** 2 + (1 + 3 + 4) * at**2

    at = 3 / 9
    most = at * (1 - at) * 9 * unit
    alike = (deviations(at) - single(at)) / (most - single(at))
    number = 9 / unit * at
    alike = (number * min(max(alike, 0), 1) + 0.5) / (number + 0.5)
    usual = items + (unit - items) * alike
    middle = (3 + 2 * usual) / (9 + 4 * usual)
    squares = deviations(middle) + 2 * usual**2 * ((1 - middle) ** 2 + middle**2)
    assert n == pytest.approx(9 / (squares / (middle * (1 - middle) * (9 + 4 * usual))))


@pytest.mark.parametrize("cluster", [None, np.array([0, 1, 1, 2, 3])])
def test_folds_and_parts_divide_all_items_and_keep_clusters_whole(cluster):
    count = np.array([3, 1, 2, 4, 1])
    design = Sample.of_rows(count, count, np.ones(5), cluster)
    parts = list(design.parts(4, np.random.default_rng(1)))
    assert np.sum(parts, axis=0).tolist() == count.tolist()
    assert len(parts) == 4
    if cluster is not None:
        for part in parts:
            assert set((part / count).tolist()) <= {0.0, 1.0}
            assert (part[1] > 0) == (part[2] > 0)
        cell, fold = design.folds(4, np.random.default_rng(1))
        assert cell is None
        assert sorted({int(fold[0]), int(fold[1]), int(fold[3]), int(fold[4])}) == [0, 1, 2, 3]
        assert fold[1] == fold[2]
        return
    cell, fold = design.folds(4, np.random.default_rng(1))
    assert cell.tolist() == [0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 4]
    assert fold.size == 11
    assert set(fold.tolist()) <= {0, 1, 2, 3}
    alone = Sample.of_rows(np, np.ones(5, dtype=np.int64), np.ones(5))
    assert alone.folds(4, np.random.default_rng(1))[0] is None
    assert len(np.unique(alone.folds(4, np.random.default_rng(1))[1])) > 1


def test_cells_of_many_items_are_divided_by_chance():
    design = Sample.of_rows(np, np.array([4000, 1]), np.ones(2))
    parts = np.array(list(design.parts(10, np.random.default_rng(1))))
    assert parts.sum(axis=0).tolist() == [4000, 1]
    assert 300 < parts[:, 0].min() < 400 < parts[:, 0].max() < 500


# Cuts


def test_the_lowest_of_several_best_cuts_counts():
    cells = cells_of([1, 0, 1], [0, 1, 0])  # 0, 1, 0: one error at the first cut and at no cut
    assert wrong_cells(cells).tolist() == [False, False, True]
    none = cells_of([0, 1], [1, 0])  # 1, 0: named positive both, or neither
    assert wrong_cells(none).tolist() == [False, True]
    sign = np.where(cells.positive, 1, -1)
    assert held_out_errors(sign, cells.count, np.array([0, 0, 5])) == 5
    assert held_out_errors(sign, np.array([0, 2, 1]), np.array([3, 1, 0])) == 3
    assert held_out_errors(sign, np.array([2, 0, 3]), np.array([1, 4, 2])) == 4
    parts = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    errors = sum(held_out_errors(sign, cells.count - part, part) for part in parts)
    assert cross_fitted_errors(cells.positive, cells.count, parts) == errors == 3


def test_the_best_cut_without_an_item_is_that_of_the_others():
    cells = cells_of([2, 1, 1, 0], [0, 2, 0, 1])
    own = BestCut(cells)
    without = [own.values((cells.count - one)[None], RNG)[0] for one in np.eye(5, dtype=int)]
    assert own.leave_one_out() == pytest.approx(without)
    alone = BestCut(cells_of([1], [0]))
    assert alone.leave_one_out().tolist() == [0]


def test_items_of_unequal_prices_lie_flat_where_costs_are_about_equal():
    # By hand: prices 1 and 3, walk of costs 3 * positives - negatives.
    negatives, positives = np.array([9, 3, 3, 0]), np.array([1, 1, 1, 5])
    walk, items = np.array([0, -6, -6, -6, 9]), np.array([0, 10, 14, 18, 23])
    best = 1
    near = [
        i for i in range(5)
        if (walk[i] - walk[best]) ** 2 <= 9 * 3 * abs(items[i] - items[best])
    ]  # fmt: skip
    assert near == [0, 1, 2, 3, 4]
    # Below the cut it errs on positives, above it on negatives.
    below = (10 * 1 - 6) / 4
    above = (13 * 3 - 15) / 4
    sure = [max(one - 1.5 * one**0.5, 0) for one in (below, above)]
    expected = sure[0] * 4 / 1 + sure[1] * 4 / 3
    found = weighted_cuts.flat_items((1.0, 3.0), negatives, positives)
    assert found == pytest.approx(expected)
    assert expected > 0
    even = weighted_cuts.flat_items((1.0, 1.0), negatives, positives)
    assert even == pytest.approx(flat_items(negatives, positives))
    assert weighted_cuts.flat_items((0.0, 1.0), negatives, positives) == 0


# Both kinds of error


def test_every_cut_errs_on_positives_below_and_negatives_above():
    positive = np.array([True, False, True, False])
    found = all_cuts(positive, np.array([[1, 2, 3, 4]]))
    assert found.false_negatives.tolist() == [[0, 1, 1, 4, 4]]
    assert found.false_positives.tolist() == [[6, 6, 4, 4, 0]]
    assert (found.negatives.tolist(), found.positives.tolist()) == ([[6]], [[4]])
    assert found.n.tolist() == [[10]]


def test_tables_are_scaled_and_raised():
    table = TwoByTwo(1, 2, 10, 5)
    twice = table.scaled(2)
    assert (twice.false_positives, twice.false_negatives) == (2, 4)
    assert (twice.negatives, twice.positives, twice.n) == (20, 10, 30)
    more, other = table.with_one_more()
    assert (more.false_positives, more.false_negatives, more.n) == (2, 2, 15)
    assert (other.false_positives, other.false_negatives, other.n) == (1, 3, 15)
    many = TwoByTwo(np.array([1, 2, 3]), np.array([4, 5, 6]), 10, 5).at([0, 2])
    assert (many.false_positives.tolist(), many.false_negatives.tolist()) == ([1, 3], [4, 6])


TABLE = TwoByTwo(3.0, 2.0, 20.0, 10.0)


def test_losses_of_both_kinds_of_error_are_worked_out_by_hand():
    cost = Cost(1.0, 4.0)
    assert cost.of(TABLE) == pytest.approx(11 / 30)
    assert cost.prices(TABLE) == pytest.approx((1 / 30, 4 / 30))
    like = cost.like(TABLE)
    # Costs of 1 and 4 have the second moment 35 / 30, as one of `scale` in 11 / scale of 30 has.
    assert (like.scale, like.trials) == (pytest.approx(35 / 11), 30)
    assert like.scale * like.successes / like.trials == pytest.approx(11 / 30)
    assert like.deviation**2 * 30 == pytest.approx(35 / 30 - (11 / 30) ** 2)
    none = cost.like(TwoByTwo(0.0, 0.0, 20.0, 10.0))
    assert (none.scale, none.successes) == (4, 0)
    assert (Cost(2, 2).are_alike, cost.are_alike) == (True, False)
    assert Cost.given({"costs": [[0, 3], [7, 0]]}) == Cost(3.0, 7.0)
    assert cost.of(TwoByTwo(0.0, 0.0, 0.0, 0.0)) == 0
    assert cost.metric(0.25) == Balanced().metric(0.25) == 0.25


def test_a_balanced_error_varies_as_two_shares_do():
    balanced = Balanced()
    assert balanced.of(TABLE) == pytest.approx((3 / 20 + 2 / 10) / 2)
    assert balanced.prices(TABLE) == pytest.approx((0.025, 0.05))
    like = balanced.like(TABLE)
    assert like.scale * like.successes / like.trials == pytest.approx(balanced.of(TABLE))
    variance = (0.15 * 0.85 / 20 + 0.2 * 0.8 / 10) / 4
    assert like.deviation**2 == pytest.approx(variance)
    none = balanced.like(TwoByTwo(0.0, 0.0, 20.0, 10.0))
    assert (none.successes, none.trials, none.scale) == (0, 1, 1)
    assert balanced.of(TwoByTwo(0.0, 0.0, 0.0, 10.0)) == 0
    assert balanced.prices(TwoByTwo(0.0, 0.0, 0.0, 0.0)) == (0.5, 0.5)


def test_missed_items_are_those_of_f1():
    missed = Missed()
    assert missed.of(TABLE) == pytest.approx(5 / 13)
    assert missed.metric(5 / 13) == pytest.approx(2 * 8 / (2 * 8 + 5))
    like = missed.like(TABLE)
    assert (like.successes, like.trials, like.scale) == (5, 13, 1)
    step = 1e-6
    by_step = [
        (missed.of(TwoByTwo(3 + one, 2 + other, 20.0, 10.0)) - 5 / 13) / step
        for one, other in ((step, 0), (0, step))
    ]
    assert missed.prices(TABLE) == pytest.approx(by_step, rel=1e-4)
    assert missed.of(TwoByTwo(0.0, 0.0, 5.0, 0.0)) == 0


def test_the_correlation_of_label_and_decision_is_that_of_items():
    uncorrelated = Uncorrelated()
    label = np.repeat([1, 1, 0, 0], [8, 2, 3, 17])
    decision = np.repeat([1, 0, 1, 0], [8, 2, 3, 17])
    mcc = np.corrcoef(label, decision)[0, 1]
    assert uncorrelated.metric(uncorrelated.of(TABLE)) == pytest.approx(mcc)
    more = uncorrelated.of(TwoByTwo(4.0, 2.0, 20.0, 10.0)) - uncorrelated.of(TABLE)
    other = uncorrelated.of(TwoByTwo(3.0, 3.0, 20.0, 10.0)) - uncorrelated.of(TABLE)
    assert uncorrelated.prices(TABLE) == pytest.approx((more, other))
    assert min(more, other) > 0
    # All decisions alike, or all labels.
    for alike in (TwoByTwo(0.0, 10.0, 20.0, 10.0), TwoByTwo(2.0, 0.0, 20.0, 0.0)):
        assert uncorrelated.of(alike) == 0.5
        assert uncorrelated.like(alike).trials == alike.n


@pytest.mark.parametrize("cells", [(8, 2, 3, 17), (3, 4, 1, 30), (20, 5, 2, 3)])
def test_the_variance_of_mcc_is_that_of_the_delta_method(cells):
    """Compare Bishop, Fienberg and Holland's formula with numerical derivatives."""

    def mcc(tp, fn, fp, tn):
        return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))

    n = sum(cells)
    p = np.array(cells) / n
    slopes = []
    for i in range(4):
        up, down = p.copy(), p.copy()
        up[i], down[i] = p[i] + 1e-6, p[i] - 1e-6
        slopes.append((mcc(*up) - mcc(*down)) / 2e-6)
    slopes = np.array(slopes)
    variance = (p @ slopes**2 - (p @ slopes) ** 2) / n
    tp, fn, fp, tn = map(float, cells)
    table = TwoByTwo(fp, fn, fp + tn, tp + fn)
    like = Uncorrelated().like(table)
    loss = (1 - mcc(*p)) / 2
    trials = min(loss * (1 - loss) / (variance / 4), n)
    assert like.trials == pytest.approx(trials, rel=1e-4)
    assert like.successes == pytest.approx(loss * like.trials)
    assert like.scale == 1


def test_a_binomial_share_deviates_as_it_should():
    assert Binomial(4.0, 16.0, 2.0).deviation == pytest.approx(2 * (0.25 * 0.75 / 16) ** 0.5)
    assert Binomial(17.0, 16.0, 1.0).deviation == 0  # rounding above all trials


def test_metrics_say_which_class_they_miss():
    positive = np.array([True, False])
    check_classes("F1", np.array([1, 0]), positive, both=False)
    check_classes("AUC", np.array([1, 1]), positive, both=True)
    with pytest.raises(ef.InputError, match="F1 needs positive items, and all 1,200 labels are 0"):
        check_classes("F1", np.array([0, 1200]), positive, both=False)
    with pytest.raises(ef.InputError, match=r"AUC needs items of both classes, and all 3 .* are 1"):
        check_classes("AUC", np.array([3, 0]), positive, both=True)


# Labels on some items


def powered(**about):
    plain = {"least": 0.1, "held_out": 0.2, "correction": 0.0, "power": 0.5, "variance": 0.1}
    return Powered(**{**plain, "n": 100, "wrong": 4.0, "held_out_alone": 0.2, **about})


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
    assert plain.weight.tolist() == [1, 1, 1]


def test_the_variance_of_flat_items_is_a_quarter_each():
    negatives, positives = np.array([30, 20, 20, 2]), np.array([2, 18, 19, 30])
    cells = cells_of(negatives, positives)
    expected = flat_items(negatives, positives) / 4
    assert expected > 1
    assert flat_variance(cells) == pytest.approx(expected)
    heavy = replace(cells, weight=np.full(8, 3.0))
    assert flat_variance(heavy) == pytest.approx(expected)


def test_the_errors_of_a_cut_are_guessed_by_rank():
    cells = replace(cells_of([3, 0, 1, 0], [0, 0, 1, 2]), unlabelled=np.array([0, 5, 1, 2]))
    cut = PoweredCut(cells)
    assert cut.rank.tolist() == [1.5, 5.5, 9.5, 13]
    guess = cut._guess(cells.count.astype(float), 1)  # the first cell is below
    # Rates 0, then one half, then 1; the empty row at rank 5.5 of 1.5 to 9.5.
    assert guess == pytest.approx([0.0, 0.25, 0.5, 0.0])
    assert cut._guess(cells.count.astype(float), 4) == pytest.approx([0, 0.25, 0.5, 1])


# Weighted cuts


def test_weighted_cuts_fall_behind_whole_rows():
    cells = cells_of([2, 1, 1, 0], [0, 2, 0, 1], [1.0, 0.5, 2.0, 1.0, 3.0])
    cut = WeightedCut(cells)
    assert cut.ends.tolist() == [0, 2, 3, 4]
    # The mass below each end, positives less negatives: -2, -3, -4, -1.
    assert cut.below(cut.design.masses) == 4
    assert cut.wrong(cut.design.masses).tolist() == [False, True, False, False, False]
    assert cut.share() == pytest.approx(1 / 9)
    assert cut.wrong_at(0).tolist() == [True, False, True, True, False]
    assert cut.below(np.where(cells.positive, 1.0, 0.0)) == 0
    some = np.array([1, 2, 4])
    assert cut.wrong_among(some, np.array([1.0, 2.0, 3.0])).tolist() == [True, False, False]
    assert cut.wrong_among(some, np.array([2.0, 2.0, 3.0])).tolist() == [False, True, False]
    assert cut.wrong_among(some[:0], np.empty(0)).tolist() == []
    without = [cut.values((cells.count - one)[None], RNG)[0] for one in np.eye(5, dtype=int)]
    assert cut.leave_one_out() == pytest.approx(without)
    alone = WeightedCut(cells_of([1], [0], [2.0]))
    assert alone.leave_one_out().tolist() == [0]


# Losses


def test_losses_add_and_have_their_mean_and_deviation():
    losses, count = np.array([0.5, 0.1, 0.9]), np.array([2, 4, 0])
    sums = LossSums.of(losses, count)
    assert (sums.total, sums.items, sums.most) == (pytest.approx(1.4), 6, 0.5)
    assert sums.squares == pytest.approx(0.54)
    assert sums.mean == pytest.approx(1.4 / 6)
    each = np.repeat(losses, count)
    assert sums.deviation == pytest.approx(each.std() / 6**0.5)
    possible = LossSums.of(losses, count, np.array([0.6, 0.7, 5.0]))
    assert possible.most == 0.7
    both = sums + possible.scaled(3)
    assert (both.total, both.squares) == (pytest.approx(5.6), pytest.approx(2.16))
    assert (both.items, both.most) == (24, 0.7)
    nothing = LossSums.of(losses, np.zeros(3))
    assert (nothing.mean, nothing.deviation, nothing.most) == (0, 0, 0)


def test_losses_of_probabilities_are_those_of_either_label():
    p = np.array([0.0, 0.2, 1.0])
    zeros, ones = brier(p)
    assert zeros == pytest.approx([0, 0.04, 1])
    assert ones == pytest.approx([1, 0.64, 0])
    zeros, ones = log_loss(p)
    assert zeros == pytest.approx([0, -np.log(0.8), 0])
    assert ones == pytest.approx([0, -np.log(0.2), 0])


def test_the_isotonic_map_fills_empty_rows_and_is_kept_from_the_ends():
    zeros, ones = np.array([2.0, 0, 0, 1, 0]), np.array([0.0, 0, 1, 1, 3])
    # Blocks: 0 of 2; 2 of 3; 3 of 3. The second row is halfway between.
    plain = isotonic_map(zeros, ones)
    assert plain == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1])
    share = 5.5 / 9
    held = [share / 3, (2 + share) / 4, (3 + share) / 4]
    more = isotonic_map(zeros, ones, 1.0)
    assert more == pytest.approx([held[0], (held[0] + held[1]) / 2, held[1], held[1], held[2]])
    assert isotonic_map(np.zeros(2), np.zeros(2)).tolist() == [0.5, 0.5]


# Models that leave items aside


def test_points_of_a_curve_have_their_prices():
    kept, wrong = np.array([0.0, 0.25, 0.75, 1.0]), np.array([0.0, 0.0, 0.1, 0.2])
    slopes = [0.0, 0.2, 0.4]
    assert slope(kept, wrong, 0.5, behind=False) == pytest.approx(slopes[1])
    assert slope(kept, wrong, 0.75, behind=False) == pytest.approx(slopes[1])
    assert slope(kept, wrong, 0.75, behind=True) == pytest.approx(slopes[2])
    assert slope(kept, wrong, 0.0, behind=False) == slopes[0]
    assert slope(kept, wrong, 1.0, behind=True) == pytest.approx(slopes[2])
    at = AtCoverage(0.75)
    assert at.coverage(kept, wrong) == 0.75
    assert at.most is None
    assert at.least(0.3) == 0
    # At the price 0.2 the loss is 0.1 of errors and a quarter of the price.
    assert at.value(0.1 + 0.05, 0.2) == pytest.approx(0.1 / 0.75)
    assert at.noise(LossSums(1.0, 1.0, 300.0, 1.0), 0.2) == pytest.approx(1 / 40)
    by = AtError(0.1)
    assert (by.most, AtError(0.5).most, AtError(0.6).most) == (0.5, 0.75, 0.8)
    assert by.coverage(kept, wrong) == pytest.approx(0.5)  # 0.05 of errors among half
    assert by.least(0.3) == pytest.approx(0.15)
    assert by.value(0.05 + 0.2 * 0.5, 0.2) == pytest.approx(0.5)
    losses = LossSums(2.0, 2.0, 10.0, 1.0)
    assert by.noise(losses, 0.2) == pytest.approx(losses.deviation / 0.1)


def test_decisions_are_kept_the_surest_first_and_cost_their_price_where_they_are_not():
    decided = Decided(np.array([0.4, 0.1, 0.2, 0.1]), np.array([True, False, True, True]))
    kept, wrong = decided.curve(np.array([2, 1, 4, 0]))
    assert kept == pytest.approx([0, 1 / 7, 5 / 7, 1])
    assert kept[-1] == 1
    assert wrong == pytest.approx([0, 0.1 / 7, 0.9 / 7, 1.7 / 7])
    assert decided.losses(0.2).tolist() == [0.2, 0, 0.2, 1]
    lost = decided.lost(0.3, np.array([2, 1, 4, 0]))
    assert (lost.total, lost.items, lost.most) == (pytest.approx(4.6), 7, 1)


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
    cells = replace(cells, scores=np.linspace(0.05, 0.95, 9))
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


# Weighted losses


@pytest.mark.parametrize("cluster", [None, np.array([0, 0, 1, 2, 2])])
def test_weighted_losses_are_worth_as_many_items_as_have_their_variance(cluster):
    count, weight = np.array([3, 1, 2, 2, 1]), np.array([1.0, 2.0, 0.5, 1.0, 1.5])
    each = np.array([0.1, 0.9, 0.4, 0.2, 0.7])
    design = Sample.of_rows(count, count, weight, cluster)
    found = CellLosses(count * each, count * each**2, 0.95)
    total, squares, mass = weight @ (count * each), weight @ (count * each**2), weight @ count
    assert found.mean(design) == pytest.approx(total / mass)
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
    sums = found.sums(design)
    assert sums.items == pytest.approx(mass / one)
    assert sums.total == pytest.approx(total / one)
    assert (sums.squares, sums.most) == (pytest.approx(squares / one), 0.95)
    both = found + CellLosses(np.ones(5), np.full(5, 2.0), 0.5)
    assert both.total == pytest.approx(count * each + 1)
    assert both.squares == pytest.approx(count * each**2 + 2)
    assert both.most == 0.95
    nothing = CellLosses(np.zeros(5), np.zeros(5), 0.0).sums(design)
    assert (nothing.items, nothing.total) == (pytest.approx(mass), 0)


def test_losses_of_clusters_of_one_item_are_those_of_items():
    x = np.array([0.1, 0.9, 0.4, 0.2, 0.7])
    design = Sample.of_rows(np, np.ones(5, dtype=np.int64), np.ones(5), np.arange(5))
    found = CellLosses(x, x**2, 0.9).sums(design)
    usual = (x**2).sum() / x.sum()
    mean = (x.sum() + 2 * usual) / 9
    pseudo = 2 * ((usual - mean) ** 2 + mean**2)
    spread = ((x - mean) ** 2).sum()
    assert found.items == pytest.approx(5 / ((spread * 5 / 4 + pseudo) / (spread + pseudo)))


def test_weighted_losses_of_an_isotonic_fit_are_those_of_copies():
    cells = cells_of([3, 1, 2, 0], [0, 2, 1, 4], [1.0, 2.0, 3.0, 1.0, 2.0, 1.0])
    own = WeightedLoss(brier, cells, 0.25)
    weight = cells.weight.astype(int)
    for count in (cells.count, np.array([1, 1, 0, 1, 2, 1])):
        copies = count * weight
        plain = IsotonicLoss(brier, replace(cells, count=copies, weight=None), 0.25)
        found = own.values(count[None], RNG)[0]
        assert found == pytest.approx(plain.values(copies[None], RNG)[0])
    # Without an item, by the same fit.
    zeros, ones = own.rows(cells.count)
    each = own.cell_losses(isotonic_map(zeros, ones))
    mass = cells.count * cells.weight
    expected = [
        (mass @ each - cells.weight[i] * each[i]) / (mass.sum() - cells.weight[i]) for i in range(6)
    ]
    assert own.leave_one_out() == pytest.approx(expected)
    midpoint = WeightedMidpointLoss(brier, cells, 0.25)
    count = cells.count
    held = np.zeros(6)
    for part in Sample.of_rows(count, count, own.design.weight).parts(10, np.random.default_rng(5)):
        p = isotonic_map(*own.rows(count - part), more=1.0)
        held += part * own.cell_losses(p)
    other = min(cells.weight @ held / mass.sum(), 0.25)
    found = midpoint.values(count[None], np.random.default_rng(5))[0]
    assert found == pytest.approx((own.values(count[None], RNG)[0] + other) / 2)


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


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("error-at-coverage", 0.3), ("error-at-coverage", 0.5), ("error-at-coverage", 0.9),
        ("error-at-coverage", 1.0), ("coverage-at-error", 0.0), ("coverage-at-error", 0.1),
        ("coverage-at-error", 0.2), ("coverage-at-error", 0.6),
    ],
)  # fmt: skip
def test_the_surest_items_of_an_isotonic_fit_have_its_best_value(name, at):
    metric = Asked(name, at=at).of(2)
    own, midpoint = BestOfSurest(metric, SURE, 2), MidpointOfSurest(metric, SURE, 2)
    for count in (SURE.count, np.array([3, 1, 0, 2, 2, 1, 4, 0, 1, 3])[: len(SURE)]):
        zeros, ones = (part[0] for part in by_row(SURE, count[None]))
        p = isotonic_map(zeros, ones)
        expected = metric.best(p, zeros + ones)
        assert own.values(count[None], RNG)[0] == pytest.approx(expected, abs=1e-9)
        price = own._prices(count)[0]
        total = 0.0
        for part in split(count, 10, np.random.default_rng(9)):
            zeros, ones = (rest[0] for rest in by_row(SURE, (count - part)[None]))
            q = isotonic_map(zeros, ones, more=1.0)[SURE.row]
            doubt, wrong = np.minimum(q, 1 - q), (q > 0.5) != SURE.positive
            total += float(part @ np.where(doubt >= price, price, wrong))
        held = own.goal.value(total / count.sum(), price)
        held = min(max(held, metric.span(2)[0]), metric.span(2)[1])
        found = midpoint.values(count[None], np.random.default_rng(9))[0]
        assert found == pytest.approx((expected + held) / 2, abs=1e-9)


def test_prices_beside_the_best_guess_are_those_of_items_kept_earlier_or_later():
    # Errors of 0.1, 0.3 and 0.4 on 20, 40 and 40 items, by an isotonic fit.
    cells = cells_of([18, 28, 16], [2, 12, 24])
    share = AtCoverage(0.6)
    own = BestOfSurest(Asked("error-at-coverage", at=0.6).of(2), cells, 2)
    off = 2 * (share.share * 0.4 / 100) ** 0.5
    assert off < 0.4
    assert own.prices == pytest.approx((0.3, 0.3, 0.4))
    inside = BestOfSurest(Asked("error-at-coverage", at=0.4).of(2), cells, 2)
    assert inside.prices == pytest.approx((0.3, 0.3, 0.3))
    early = BestOfSurest(Asked("error-at-coverage", at=0.25).of(2), cells, 2)
    assert early.prices == pytest.approx((0.3, 0.1, 0.3))
    every = BestOfSurest(Asked("coverage-at-error", at=0.45).of(2), cells, 2)
    assert every.prices[0] == every.prices[2] == 0.5
    some = BestOfSurest(Asked("coverage-at-error", at=0.2).of(2), cells, 2)
    # A fifth with 0.1 errs in 0.02, so 0.2 of 0.4 leaves room for as many of 0.3.
    assert some.values(cells.count[None], RNG)[0] == pytest.approx(0.4)
    assert some.prices[0] == pytest.approx(0.3)
    assert some.prices[1] == pytest.approx(max(0.1, 0.2 + 0.1 / 4))


# Rankings


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
    own = WeightedRanking(replace(cells, weight=weight)) if weighted else Ranking(cells)

    def slow(count):
        cell = np.repeat(np.arange(6), count)
        return slow_auc(cells.scores[cells.row][cell], cells.positive[cell], weight[cell])

    others = [cells.count, np.array([0, 1, 2, 3, 0, 1]), np.array([3, 0, 1, 1, 1, 0])]
    others += [np.where(cells.positive, 2, 0), np.where(cells.positive, 0, 1)]
    expected = [max(slow(one), 0.5) for one in others]
    assert own.values(np.array(others), RNG) == pytest.approx(expected)
    reverse = cells_of([0, 3], [2, 1], np.ones(3))
    worse = WeightedRanking(reverse) if weighted else Ranking(reverse)
    assert worse.values(reverse.count[None], RNG).tolist() == [0.5]
    without = [slow(cells.count - one) for one in np.eye(6, dtype=np.int64)]
    assert own.leave_one_out() == pytest.approx(without)
    # The last item of a class leaves the value as it is.
    last = cells_of([1, 2], [0, 1], np.array([2.0, 1.0, 1.0]))
    bound = WeightedRanking(last) if weighted else Ranking(replace(last, weight=None))
    index = int(np.flatnonzero(last.positive)[0])
    assert bound.leave_one_out()[index] == pytest.approx(bound.values(last.count[None], RNG)[0])


def test_placements_are_shares_of_the_other_class():
    places = Placements(np.array([2.0, 1, 0]), np.array([0.0, 3, 1]))
    assert places.of_positives == pytest.approx([1 / 3, 2.5 / 3, 1])
    assert places.of_negatives == pytest.approx([1, 2.5 / 4, 0.5 / 4])


def test_the_average_precision_is_that_of_all_orders_of_tied_items():
    cells = cells_of([1, 0, 2, 1, 0], [0, 1, 1, 2, 1])
    own = Precision(cells)

    def slow(count):
        cell = np.repeat(np.arange(len(cells)), count)
        return slow_precision(cells.scores[cells.row][cell], cells.positive[cell])

    others = [cells.count, np.array([2, 0, 1, 1, 0, 3, 0]), np.array([1, 0, 0, 2, 0, 1, 0])]
    assert own.values(np.array(others), RNG) == pytest.approx([slow(one) for one in others])
    none = np.where(cells.positive, 0, 1)
    assert own.values(none[None], RNG).tolist() == [0]
    without = [slow(cells.count - one) for one in np.eye(len(cells), dtype=np.int64)]
    assert own.leave_one_out() == pytest.approx(without)
    alone = Precision(cells_of([1], [1]))
    assert alone.leave_one_out() == pytest.approx([0, 1])


# The best cut by other metrics than error


def cut_errors(cells, count, cut):
    """Return false positives and negatives where so many cells are below the cut, by hand."""
    fp = sum(count[i] for i in range(len(cells)) if i >= cut and not cells.positive[i])
    fn = sum(count[i] for i in range(len(cells)) if i < cut and cells.positive[i])
    return float(fp), float(fn)


def table_of(cells, count, cut):
    zeros, ones = float(count[~cells.positive].sum()), float(count[cells.positive].sum())
    return TwoByTwo(*cut_errors(cells, count, cut), zeros, ones)


@pytest.mark.parametrize("loss", [Cost(1.0, 3.0), Balanced(), Missed(), Uncorrelated()])
def test_cuts_of_any_loss_are_tried_one_by_one(loss):
    cells = cells_of([5, 2, 3, 1, 0], [1, 1, 4, 2, 3])
    size = len(cells)
    own = weighted_cuts.BestOfCuts(loss, cells, (0.0, 1.0))

    def lowest(count):
        losses = [float(loss.of(table_of(cells, count, cut))) for cut in range(size + 1)]
        return int(np.argmin(losses))

    def best(count):
        return float(loss.metric(loss.of(table_of(cells, count, lowest(count)))))

    others = [cells.count, np.array([2, 0, 1, 1, 3, 0, 1, 2, 1])]
    assert own.values(np.array(others), RNG) == pytest.approx([best(one) for one in others])
    cut, found = weighted_cuts.best_cut(loss, cells.positive, cells.count)
    assert cut == lowest(cells.count)
    expected = table_of(cells, cells.count, cut)
    assert (found.false_positives, found.false_negatives) == (
        expected.false_positives, expected.false_negatives,
    )  # fmt: skip
    assert (found.negatives, found.positives) == (11, 11)
    without = [
        float(loss.metric(loss.of(table_of(cells, cells.count - one, cut))))
        for one in np.eye(size, dtype=np.int64)
    ]
    assert own.leave_one_out() == pytest.approx(without)
    parts = split(cells.count, 10, np.random.default_rng(3))
    errors = np.sum([cut_errors(cells, part, lowest(cells.count - part)) for part in parts], axis=0)
    held = weighted_cuts.held_out(loss, cells.positive, parts)
    assert (held.false_positives, held.false_negatives) == tuple(errors)
    assert (held.negatives, held.positives) == (11, 11)
    midpoint = weighted_cuts.MidpointOfCuts(loss, cells, (0.0, 0.4))
    other = min(max(float(loss.metric(loss.of(held))), 0.0), 0.4)
    found = midpoint.values(cells.count[None], np.random.default_rng(3))[0]
    assert found == pytest.approx((best(cells.count) + other) / 2)
    test = np.array([0, 1, 2, 0, 1, 1, 0, 0, 4])
    tried = weighted_cuts.tested(loss, cells.positive, cells.count, test)
    assert (tried.false_positives, tried.false_negatives) == cut_errors(cells, test, cut)
    assert (tried.negatives, tried.positives) == (
        test[~cells.positive].sum(),
        test[cells.positive].sum(),
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_methods_for_cuts_say_which_class_is_missing_and_heed_weights(weighted):
    weight = np.ones(2) if weighted else None
    both, zeros = cells_of([2], [3], weight), cells_of([2, 1], [0, 0], weight)
    ones = cells_of([0, 0], [2, 1], weight)
    needs = {"cost": "", "balanced-error": "both", "f1": "positive", "mcc": "both"}
    for record in weighted_cuts.RECORDS:
        (name,) = record.metrics
        if weighted and name not in weighted_cuts.PRICED:
            continue
        given = {"costs": (1, 2)} if name == "cost" else {}
        options = Options(metric=Asked(name, **given).of(2))
        bound = record.bind(both, options)
        assert bound.span == options.metric.span(2)
        kind = type(bound).__name__
        midpoint = record.name == "isotonic-cf"
        plain = "MidpointOfCuts" if midpoint else "BestOfCuts"
        assert kind == (("PricedMidpoint" if midpoint else "PricedCut") if weighted else plain)
        for cells, missing in ((zeros, "positive"), (ones, "negative")):
            if needs[name] == "both" or needs[name] == missing:
                with pytest.raises(ef.InputError, match="needs"):
                    record.bind(cells, options)
            else:
                record.bind(cells, options)
    assert [one.name for one in weighted_cuts.DEFAULTS] == [
        "isotonic", "isotonic", "isotonic-cf", "isotonic-cf",
    ]  # fmt: skip
