"""Limits of intervals by their own formulas: each against plain code or a number by hand."""

import warnings
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import errorfloor as ef
from errorfloor.intervals.bets import Bets, Blocks, Hoeffding, PairShare, divergence
from errorfloor.intervals.jackknife import SmoothJackknife as Smooth
from errorfloor.intervals.jackknife import _spread_without as spread_of
from errorfloor.intervals.models import ExactShare, Wilson, mcc_error, mcc_of
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


def test_exact_shares_are_quantiles_of_beta_laws():
    low, high = beta(3, 18, 0.05), beta(4, 17, 0.95)
    assert ExactShare(3, 20).limits(LEVEL) == pytest.approx((low, high))
    assert ExactShare(3, 20, is_f1=True).limits(LEVEL) == pytest.approx(
        (2 * low / (1 + low), 2 * high / (1 + high))
    )


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


# Losses.


OWN, HELD_OUT = (6.0, 3.0, 0.9), (8.0, 5.0, 0.8)  # sum, sum of squares, largest


# What items are worth.


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


# The jackknife.


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
