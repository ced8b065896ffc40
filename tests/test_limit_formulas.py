"""Limits of intervals by their own formulas: each against plain code or a number by hand."""

import warnings
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import errorfloor as ef
from errorfloor.data.sample import Losses, Sample
from errorfloor.intervals.bets import Bets, Blocks, Hoeffding, growing_blocks
from errorfloor.intervals.honest import Honest, PoweredErrors, worth_of_correlated, worth_of_freedom
from errorfloor.intervals.jackknife import Jackknife, Units, _evidence, _larger, unseen_shift
from errorfloor.intervals.jackknife import SmoothJackknife as Smooth
from errorfloor.intervals.jackknife import _spread_without as spread_of
from errorfloor.intervals.models import ExactShare, MeanOfShares, OnScale, Wilson, mcc_error, mcc_of
from errorfloor.intervals.ranks import PairShare, divergence, of_precision
from errorfloor.methods.fitted import sides_of
from errorfloor.metrics import named
from errorfloor.metrics.two_by_two import OF_BALANCED, OF_F1, OF_MCC, TwoByTwo
from errorfloor.questions.cap import Capped, ReachedErrors

LEVEL = 0.9


Z = stats.norm.ppf(0.95)


def beta(a, b, q):
    return stats.beta.ppf(q, a, b)


# A model's own value.


@pytest.mark.parametrize("cells", [(30, 6, 4, 20), (3, 1, 1, 2), (12, 0, 3, 5), (1, 5, 7, 2)])
def test_the_standard_error_of_mcc_is_that_of_the_delta_method(cells):
    matrix = np.array(cells, dtype=float).reshape(2, 2)
    n = matrix.sum()
    share = (matrix.ravel() + 0.5) / (n + 2)

    def mcc(at):
        tn, fp, fn, tp = at
        return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))

    steps = 1e-5 * np.eye(4)
    slopes = np.array([(mcc(share + one) - mcc(share - one)) / 2e-5 for one in steps])
    covariance = np.diag(share) - np.outer(share, share)
    assert mcc_error(matrix) == pytest.approx(np.sqrt(slopes @ covariance @ slopes / n), rel=1e-4)


def test_the_mcc_is_the_correlation_of_label_and_decision():
    labels, decisions = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [7, 2, 3, 5], axis=1)
    matrix = np.array([[7.0, 2.0], [3.0, 5.0]])
    assert mcc_of(matrix) == pytest.approx(np.corrcoef(labels, decisions)[0, 1])
    for row in ([[4.0, 3.0], [0.0, 0.0]], [[4.0, 0.0], [3.0, 0.0]]):
        assert mcc_of(np.array(row)) == 0
        assert mcc_of(np.array(row)[::-1, ::-1]) == 0


@pytest.mark.parametrize("at", [0.0, 0.2, 0.65, 1.0])
def test_wilsons_limits_are_as_many_standard_errors_from_the_share(at):
    value = -2 + 3 * at
    low, high = Wilson(value, 17, span=3.0, least=-2.0).limits(LEVEL)
    for limit in (low, high):
        p = (limit + 2) / 3
        # Both sides are 0 where the limit is the share, at an end.
        assert abs(p - at) == pytest.approx(Z * np.sqrt(max(p * (1 - p), 0) / 17), abs=1e-7)
    assert -2 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= 1
    assert high - low > 0.1


def test_wilsons_limits_may_lie_about_two_numbers():
    low, high = Wilson(0.7, 20, lower=0.6).limits(LEVEL)
    assert low == Wilson(0.6, 20).limits(LEVEL)[0]
    assert high == Wilson(0.7, 20).limits(LEVEL)[1]


def test_exact_shares_are_quantiles_of_beta_laws():
    low, high = beta(3, 18, 0.05), beta(4, 17, 0.95)
    assert ExactShare(3, 20).limits(LEVEL) == pytest.approx((low, high))
    assert ExactShare(3, 20, is_f1=True).limits(LEVEL) == pytest.approx(
        (2 * low / (1 + low), 2 * high / (1 + high))
    )


def test_a_mean_of_shares_goes_as_far_as_both_go_at_a_right_angle():
    low, high = MeanOfShares((3, 8), (20, 10)).limits(LEVEL)
    below = (3 / 20 - beta(3, 18, 0.05), 8 / 10 - beta(8, 3, 0.05))
    above = (beta(4, 17, 0.95) - 3 / 20, beta(9, 2, 0.95) - 8 / 10)
    middle = (3 / 20 + 8 / 10) / 2
    assert (low, high) == pytest.approx(
        (middle - np.hypot(*below) / 2, middle + np.hypot(*above) / 2)
    )
    assert MeanOfShares((0, 0), (5, 4)).limits(LEVEL)[0] == 0
    assert MeanOfShares((5, 4), (5, 4)).limits(LEVEL)[1] == 1


def test_limits_on_a_scale_lie_as_far_from_the_value_there():
    half = Z * 0.1
    low, high = OnScale(0.7, 0.1, "logit", "").limits(LEVEL)
    odds, factor = 0.7 / 0.3, np.exp(half / (0.7 * 0.3))
    assert low / (1 - low) == pytest.approx(odds / factor)
    assert high / (1 - high) == pytest.approx(odds * factor)
    low, high = OnScale(0.4, 0.1, "z", "").limits(LEVEL)
    ratio, factor = 1.4 / 0.6, np.exp(2 * half / (1 - 0.16))
    assert (1 + low) / (1 - low) == pytest.approx(ratio / factor)
    assert (1 + high) / (1 - high) == pytest.approx(ratio * factor)
    low, high = OnScale(3.0, 0.1, "log", "").limits(LEVEL)
    assert (low, high) == pytest.approx((3 * np.exp(-half / 3), 3 * np.exp(half / 3)))


# Rankings.


@pytest.mark.parametrize(("value", "pairs"), [(0.8, 12), (0.05, 30), (0.5, 4.5)])
def test_certified_limits_of_a_ranking_are_as_far_as_chernoff_says(value, pairs):
    for limit in PairShare(value, pairs).limits(LEVEL):
        by_hand = value * np.log(value / limit) + (1 - value) * np.log((1 - value) / (1 - limit))
        assert by_hand == pytest.approx(np.log(20) / pairs)
    low, high = PairShare(value, pairs).limits(LEVEL)
    assert 0 < low < value < high < 1


def test_certified_limits_of_a_ranking_end_at_0_and_1():
    low, high = PairShare(1.0, 10).limits(LEVEL)
    assert (low, high) == (pytest.approx(20 ** (-1 / 10)), 1)
    low, high = PairShare(0.0, 10).limits(LEVEL)
    assert (low, high) == (0, pytest.approx(1 - 20 ** (-1 / 10)))
    # A tenth of a pair says nothing: even 1e-15 is not as far as it takes.
    assert PairShare(0.5, 0.1).limits(LEVEL) == (0, 1)
    assert divergence(0.3, 0.3) == 0
    assert divergence(0.25, 0.5) == pytest.approx(0.25 * np.log(0.5) + 0.75 * np.log(1.5))


def honest_auc(zeros, ones):
    """Return the evidence from so many negatives and positives at each score."""
    scores = np.tile(np.arange(len(zeros)), 2)
    labels = np.repeat([0, 1], len(zeros))
    count = np.concatenate((zeros, ones))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        return ef.from_scores(scores.repeat(count), labels.repeat(count), metric="auc").evidence


def test_the_auc_varies_as_a_share_of_so_many_items():
    zeros, ones = np.array([5, 9, 4, 2]), np.array([0, 3, 2, 5])
    table = np.array([[(i > j) + (i == j) / 2 for j in range(4)] for i in range(4)])
    of_ones = table @ zeros / 20  # negatives below a positive of each row
    of_zeros = table.T @ ones / 10  # positives above a negative
    found = honest_auc(zeros, ones)
    assert found.value == pytest.approx(ones @ of_ones / 10)
    variance = 0.0
    for place, count in ((of_ones, ones), (of_zeros, zeros)):
        items = np.append(np.repeat(place, count), [0.0, 1.0])
        variance += items.var() / (items.mean() * (1 - items.mean())) / count.sum()
    assert 1 / variance > 10
    assert found.n == pytest.approx(1 / variance)
    # Never fewer items than the rarer class has: all placements are at an end here.
    assert honest_auc([1, 0, 1], [0, 30, 0]).n == 2
    assert honest_auc([0, 30, 0], [1, 0, 1]).n == 2


def test_few_units_have_students_limits():
    found = Wilson(0.8, 30.0, freedom=5.0).limits(LEVEL)
    worth = (Z / stats.t.ppf(0.95, 5)) ** 2
    assert found == pytest.approx(Wilson(0.8, 30 * worth).limits(LEVEL))


def honest_precision(value, without, sample):
    """Return the evidence for a value, and values without an item of each cell."""
    without = np.array(without)
    return of_precision(SimpleNamespace(value=value, leave_one_out=lambda: without, sample=sample))


@pytest.mark.parametrize("value", [0.7, 0.66, 0.55])
def test_the_average_precision_varies_as_it_does_without_each_item(value):
    count, positive = np.array([3, 1, 2, 2]), np.array([True, False, True, False])
    cells = SimpleNamespace(count=count, positive=positive)
    without = np.array([0.62, 0.75, 0.7, 0.74])
    found = honest_precision(value, without, cells)
    items = np.repeat(without, count)
    variance = 7 / 8 * ((items - items.mean()) ** 2).sum() * 1.1
    assert found.value == value
    assert found.n == pytest.approx(min(value * (1 - value) / variance, 8))
    assert found.freedom == 4  # of five positives
    lower = {0.7: 0.7, 0.66: 8 * 0.66 - 7 * items.mean(), 0.55: 0.0}[value]
    assert found.lower == pytest.approx(lower)


def test_an_average_precision_that_does_not_vary_counts_as_its_positives():
    cells = SimpleNamespace(count=np.array([3, 5]), positive=np.array([True, False]))
    assert honest_precision(0.7, [0.7, 0.7], cells).n == 3
    assert honest_precision(1.0, [1.0, 0.9], cells).n == 3
    # Nothing is below 0, and at most as many items as there are.
    assert honest_precision(0.1, [0.3, 0.3], cells).lower == 0
    assert honest_precision(0.5, [0.5, 0.5001], cells).n == 8
    assert honest_precision(0.5, [0.0, 1.0], cells).n < 0.2
    assert honest_precision(0.7, [0.7, 0.7], cells).freedom == 2


def test_one_positive_says_nothing_of_the_average_precision():
    cells = SimpleNamespace(count=np.array([1, 4]), positive=np.array([True, False]))
    found = honest_precision(1.0, [0.0, 1.0], cells)
    assert found.freedom == 1
    low, high = found.limits(0.95)
    assert low < 1e-6
    assert high == 1


def test_limits_of_very_few_items_hold_the_binomial_ones():
    assert Wilson(1.0, 1.0).limits(0.95)[0] == pytest.approx(0.2065, abs=1e-4)
    assert Wilson(1.0, 1.0, exact=True).limits(0.95) == pytest.approx((0.025, 1))
    assert Wilson(0.0, 2.0, exact=True).limits(0.95) == pytest.approx((0, 1 - 0.025**0.5))
    # Where the binomial limits lie inside of Wilson's, these stay.
    low, high = (Wilson(0.5, 10.0, exact=one).limits(0.95) for one in (False, True))
    assert high[0] <= low[0] < low[1] <= high[1]


@pytest.mark.parametrize(("how", "freedom"), [(OF_MCC, 3), (OF_BALANCED, np.inf), (OF_F1, np.inf)])
def test_the_rarer_class_tells_a_variance_whose_law_is_not_known(how, freedom):
    assert how.freedom(TwoByTwo(5, 1, 90, 4)) == freedom
    assert how.freedom(TwoByTwo(1, 5, 4, 90)) == freedom
    assert how.freedom(TwoByTwo(1, 0, 1, 9)) == (1 if freedom == 3 else freedom)


# Losses.


OWN, HELD_OUT = (6.0, 3.0, 0.9), (8.0, 5.0, 0.8)  # sum, sum of squares, largest


def of_losses(own=OWN, held_out=HELD_OUT, items=40, **more):
    sample = Sample.of_rows(np.zeros(1), np.array([items]))
    both = (Losses(np.array([one[0]]), np.array([one[1]]), one[2]) for one in (own, held_out))
    return Honest(sides_of(sample, *both, **more))


def test_limits_of_losses_are_those_of_a_share_with_their_mean_and_variance():
    low, high = of_losses().limits(LEVEL)
    # Losses of 0.5 each: 12 of them are lost.
    assert low == pytest.approx(0.5 * beta(12, 29, 0.05))
    # One more of the largest, among as many items.
    total, squares = 8 + 0.8, 5 + 0.64
    scale = squares / total
    lost = total / scale
    assert high == pytest.approx(scale * beta(lost, 40 - lost + 1, 0.95))


def test_correlated_losses_count_as_fewer():
    low, high = of_losses(correlated=0.5).limits(LEVEL)
    worth = 1 / (1 + 1.3 * 0.5 / (1 + 0.5 * Z**2 / 4.5))
    fewer = of_losses(held_out=(8 * worth, 5 * worth, 0.8), items=40 * worth)
    assert (low, high) == pytest.approx((of_losses().limits(LEVEL)[0], fewer.limits(LEVEL)[1]))


def test_more_losses_than_items_could_have_are_the_most():
    # Losses of 1 on all 10 items and one more: nothing is behind them, and none are larger.
    every = (10.0, 10.0, 1.0)
    assert of_losses(every, every, 10).limits(LEVEL)[1] == 1


def test_limits_of_a_metric_that_falls_with_losses_are_in_order():
    low, high = of_losses().limits(LEVEL)
    turned = of_losses(link=lambda loss: 1 - loss).limits(LEVEL)
    assert turned == pytest.approx((1 - high, 1 - low))


# What items are worth.


def test_worth_of_items_is_by_hand():
    assert worth_of_correlated(0.0, 0.05) == 1
    assert worth_of_correlated(1.0, 0.05) == pytest.approx(1 / (1 + 1.3 / (1 + Z**2 / 4.5)))
    assert worth_of_correlated(0.3, 0.5) == pytest.approx(1 / (1 + 0.39))
    assert worth_of_freedom(3.0, 0.05) == pytest.approx((Z / stats.t.ppf(0.95, 3)) ** 2)


def test_powered_limits_are_those_of_as_many_labels():
    found = SimpleNamespace(least=0.1, held_out=0.2, worth=60.0)
    low, high = PoweredErrors(found, 0.5).limits(LEVEL)
    assert low == pytest.approx(beta(7.5, 60 - 7.5 + 1, 0.05))  # a quarter of the way: 0.125
    n = 60 * worth_of_correlated(0.5, 0.05)
    assert high == pytest.approx(beta(0.2 * n + 1, 0.8 * n, 0.95))


@dataclass(frozen=True)
class Given:
    """Limits that depend on the level in a known way."""

    method: str = "given"

    def limits(self, level):
        return 0.5 - level / 4, 0.5 + level / 4


def test_a_model_caps_the_upper_limit_alone():
    model = ReachedErrors(30, 60)
    for errors, value in ((30, 0.4), (50, 0.4), (30, 0.9), (30, 0.1)):
        model = ReachedErrors(errors, 60)
        cap = beta(errors + 1, 60 - errors, 1 - 0.01)  # a fifth of a tail of 0.05
        low, high = Capped(value, Given(), model).limits(LEVEL)
        assert low == min(0.275, value)
        assert high == pytest.approx(max(min(cap, 0.5 + 0.92 / 4), value))
    assert ReachedErrors(30, 60).value == pytest.approx(beta(31, 30, 0.5))


def test_a_model_contradicts_a_floor_only_if_its_limit_is_below():
    cap = ReachedErrors(5, 60).cap(0.05)
    assert cap == pytest.approx(beta(6, 55, 0.95))

    def capped(low):
        return Capped(0.4, SimpleNamespace(limits=lambda level: (low, 1.0)), ReachedErrors(5, 60))

    assert capped(np.nextafter(cap, 1)).contradicts(LEVEL)
    assert not capped(cap).contradicts(LEVEL)


# Bets on means.


def test_hoeffdings_limits_are_by_hand():
    half = 0.4 * np.sqrt(np.log(20) / (2 * 30))
    found = Hoeffding(0.2, 30, top=0.4).limits(LEVEL)
    assert found == pytest.approx((0.2 - half, 0.2 + half))


@pytest.mark.parametrize("top", [0.5, 1.0])
def test_bets_are_won_item_by_item_at_the_limits(top):
    values = top * np.array([0.0, 0.3, 0.9, 0.5])
    blocks = np.array([[1, 0, 2, 1], [0, 3, 1, 1], [20, 9, 4, 6], [40, 20, 9, 12]])
    low, high = Bets.of(values, Blocks.of(blocks), (0.0, top)).limits(LEVEL)
    shares, seen, logs = values / top, np.array([]), {"low": 0.0, "high": 0.0}
    for counts in blocks:
        spread_seen = seen.size * seen.var() if seen.size else 0.0
        stake = np.sqrt(2 * np.log(20) / (blocks.sum() * (0.25 + spread_seen) / (seen.size + 1)))
        own = np.repeat(shares, counts)
        logs["low"] += np.log(1 + min(stake, 0.5 * top / low) * (own - low / top)).sum()
        rest = 1 - high / top
        logs["high"] += np.log(1 + min(stake, 0.5 / rest) * (high / top - own)).sum()
        seen = np.append(seen, own)
    assert logs["low"] == pytest.approx(np.log(20), abs=1e-6)
    assert logs["high"] == pytest.approx(np.log(20), abs=1e-6)


@pytest.mark.parametrize("most", [1, 2])
def test_blocks_are_drawn_alike_however_they_are_kept(most):
    count = np.random.default_rng(0).integers(most + 1, size=40)
    drawn = Blocks.drawn(count, np.random.default_rng(1))
    other = Blocks.of(growing_blocks(count, np.random.default_rng(1)))
    for name in ("block", "unit", "times"):
        assert getattr(drawn, name).tolist() == getattr(other, name).tolist()
    assert drawn.n == count.sum()


# The jackknife.


def test_the_jackknife_goes_farther_where_units_raise_the_value():
    half = stats.t.ppf(0.95, 6)
    found = Jackknife(0.3, 0.02, 6.0, skewness=0.4).limits(LEVEL)
    shift = 0.4 * (2 * Z**2 + 1) / 6
    assert found == pytest.approx((0.3 - 0.02 * (half - shift), 0.3 + 0.02 * (half + shift)))
    for sign in (-1, 1):  # at most half as far
        low, high = Jackknife(0.3, 0.02, 6.0, skewness=9.0 * sign).limits(LEVEL)
        far = (low, high) if sign > 0 else (0.6 - high, 0.6 - low)
        assert far == pytest.approx((0.3 - 0.01 * half, 0.3 + 0.03 * half))
    least = stats.t.ppf(0.95, 1)
    assert Jackknife(0.3, 0.02, 0.2).limits(LEVEL)[1] == pytest.approx(0.3 + 0.02 * least)


def test_moments_of_units_are_sums_over_each():
    values, times = np.array([0.1, 0.4, 0.25]), np.array([2, 1, 3])
    units = Units(values, times, np.ones(3))
    each = np.repeat(values, times)
    raises = each.mean() - each
    assert units.number == 6
    assert units.moments() == pytest.approx([(raises**power).sum() for power in (2, 3, 4)])
    found = _evidence(0.3, units.moments(), 6)
    assert found.value == 0.3
    assert found.error == pytest.approx(np.sqrt(5 / 6 * (raises**2).sum()))
    assert found.skewness == pytest.approx((raises**3).sum() / (raises**2).sum() ** 1.5)
    kurtosis = (raises**4).mean() / (raises**2).mean() ** 2
    assert found.freedom == pytest.approx(min(5, 2 * 6 / (kurtosis - 1)))
    alike = _evidence(0.3, np.array([4.0, 0.0, 4.0]), 4)  # of +1 and -1: no kurtosis
    assert alike.freedom == 3
    uneven = _evidence(0.3, np.array([2.0, 0.0, 3.6]), 10)  # nearly all of it is of one unit
    assert uneven.freedom == pytest.approx(2 * 10 / (0.9 * 10 - 1))


def test_the_larger_of_two_moments_counts():
    own, pooled = np.array([1.0, 0.3, 5.0]), np.array([2.0, -0.1, 4.0])
    assert _larger(own, pooled).tolist() == [2, 0.3, 5]
    assert _larger(own, np.array([0.5, -0.4, 6.0])).tolist() == [1, -0.4, 6]
    assert _larger(own, np.array([0.5, 0.4, 6.0])).tolist() == [1, 0.4, 6]


def smooth(**changes):
    given = {"value": 0.2, "error": 0.01, "freedom": 8.0, "unseen": (0.0, 0.0), "span": (0.0, 0.5)}
    return Smooth(**(given | changes)).limits(LEVEL)


def test_smooth_limits_are_students_on_the_logit_scale():
    low, high = smooth()
    half = 1.03 * stats.t.ppf(0.95, 8) * 0.02  # on the span of 0.5
    factor = np.exp(half / (0.4 * 0.6))
    for limit, odds in ((low, 0.4 / 0.6 / factor), (high, 0.4 / 0.6 * factor)):
        assert limit == pytest.approx(0.5 * odds / (1 + odds))
    moved = smooth(value=1.2, span=(1.0, 1.5))
    assert moved == pytest.approx((1 + low, 1 + high))
    # A best rule that the items chose: too high by 0.03 perhaps, or too low by 0.02.
    assert smooth(chosen=(0.02, 0.03)) == pytest.approx((low - 0.03, high + 0.02))


def test_smooth_limits_allow_for_unseen_items():
    items = np.log(20) / np.log(40)  # of those that may be missing at a level of 0.95
    assert smooth(unseen=(-0.1, 0.2)) == pytest.approx((0.2 - 0.1 * items, 0.2 + 0.2 * items))
    assert smooth(unseen=(-1e-4, 1e-4)) == smooth()


def test_values_at_an_end_of_the_span_or_without_noise_have_no_smooth_limits():
    for end in (0.0, 0.5):
        assert smooth(value=end) == (end, end)
    assert smooth(error=1e-13) == (0.2, 0.2)
    assert smooth(error=0.0, free=0.3) == (0.2, 0.2)


def test_a_value_that_may_leave_the_span_has_limits_on_its_own_scale():
    half = 1.03 * stats.t.ppf(0.95, 8) * 0.2
    low, high = smooth(error=0.2, free=0.25)
    assert (low, high) == pytest.approx((0.25 - half, 0.25 + half))
    low, high = smooth(error=0.2, free=0.2 + 2 * half)
    assert (low, high) == pytest.approx((0.2, 0.2 + 3 * half))
    low, high = smooth(error=0.2, free=0.2 - 2 * half)
    assert (low, high) == pytest.approx((0.2 - 3 * half, 0.2))
    assert smooth(free=0.25) == smooth()  # where the noise is small, the logit scale will do


def test_the_spread_of_a_smooth_value_is_that_of_the_jackknife():
    values, count = np.array([0.1, 0.4, 0.25]), np.array([2, 1, 3])
    each = np.repeat(values, count)
    away = each - each.mean()
    error, freedom = spread_of(values, count)
    assert error == pytest.approx(np.sqrt(5 / 6 * (away**2).sum()))
    assert freedom == pytest.approx(2 * 6 / ((away**4).mean() / (away**2).mean() ** 2 - 1))
    assert spread_of(np.array([0.3, 0.3]), np.array([2, 5])) == (0.0, 7.0)
    # Halves at the same distance have no kurtosis: as good as known.
    assert spread_of(np.array([0.0, 1.0]), np.array([2, 2]))[1] == pytest.approx(
        2 * 4 / 1e-9, rel=1
    )
    lone = spread_of(np.array([0.0, 1.0]), np.array([1, 999]))[1]
    assert lone == pytest.approx(2 * 1000 / (999**2 / 999 - 1), rel=0.01)


def test_unseen_items_are_of_the_kinds_that_matter_most():
    p, count, more = np.array([0.1, 0.3, 0.8]), np.array([4, 5, 6]), np.log(40)
    metric = named("error")
    least = (4 * 0.1 + 5 * 0.3 + 6 * 0.2) / 15
    low = least * 15 / (15 + more) - least  # sure items
    high = (least * 15 + 0.5 * more) / (15 + more) - least  # coin flips
    assert unseen_shift(metric, p, count) == pytest.approx((low, high))
    many = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4]])
    least = (2 * 0.3 + 3 * 0.5) / 5
    low = least * 5 / (5 + more) - least
    high = (least * 5 + 2 / 3 * more) / (5 + more) - least
    assert unseen_shift(metric, many, np.array([2, 3])) == pytest.approx((low, high))
