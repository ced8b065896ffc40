import warnings
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import errorfloor as ef
from errorfloor.bounds import (
    auc_deviation,
    balanced_error_deviation,
    computable_bias_bound,
    exact_bias,
    expected_bias_bound,
    ishida_bias_bound,
    isotonic_deviation,
    l_err,
    noisy_isotonic_deviation,
    separated_bias_bound,
    sharp_bias_bound,
    soft_label_deviation,
    votes_deviation,
)
from errorfloor.bounds import deviation as _deviation
from errorfloor.metrics.choice import MetricChoice

PAPER_M = np.array([10, 25, 50, 100, 250, 500, 1000])
VOTES = st.integers(1, 300)
PROBABILITIES = arrays(float, st.integers(1, 12), elements=st.floats(0, 1))
LEVELS = st.floats(0.001, 0.999)


def two_gaussians():
    """Points and weights of the paper's (a): equal classes, means sqrt(8) apart on a line.

    Gauss-Legendre in pieces over one half of the line. The bias has a kink at the middle, which
    costs a plain grid the third digit of the slope.
    """
    node, weight = np.polynomial.legendre.leggauss(20)
    x = (np.arange(180)[:, None] + (node + 1) / 2).ravel() / 20
    distance = np.sqrt(8)
    density = np.exp(-((x - distance / 2) ** 2) / 2) + np.exp(-((x + distance / 2) ** 2) / 2)
    return 1 / (1 + np.exp(distance * x)), density * np.tile(weight, 180)


def slow_bias(p, m):
    """The binomial sum itself, in rational numbers."""
    q = Fraction(p)
    mean = sum(
        comb(m, k) * q**k * (1 - q) ** (m - k) * min(Fraction(k, m), 1 - Fraction(k, m))
        for k in range(m + 1)
    )
    return float(mean - min(q, 1 - q))


def slope(bias):
    return np.polyfit(np.log(PAPER_M), np.log(-np.array(bias)), 1)[0]


# Known values


def test_the_bias_of_two_gaussians_falls_like_one_over_m():
    points, weights = two_gaussians()
    bias = [exact_bias(points, m, weights=weights) for m in PAPER_M]
    # The slow binomial sum gives the same to 1e-12; the paper's simulation has -0.9066. Items drawn
    # at random, 20,000 of them, scatter by 0.016 around this.
    assert slope(bias) == pytest.approx(-0.996349, abs=1e-6)


def test_the_bias_of_coin_flips_falls_like_one_over_root_m():
    assert slope([exact_bias([0.5], m) for m in PAPER_M]) == pytest.approx(-0.4972, abs=5e-5)


@pytest.mark.parametrize(("m", "bias"), [(10, 3.1e-5), (25, 7.8e-9), (50, 4.7e-15)])
def test_the_bias_of_separated_classes_falls_exponentially(m, bias):
    assert exact_bias([0.1, 0.9], m) == pytest.approx(-bias, rel=0.02)


@pytest.mark.parametrize(("p", "m", "bias"), [(0.3, 1, 0.3), (0.3, 2, 0.09), (0.7, 3, 0.09)])
def test_the_bias_at_one_two_and_three_votes_is_p_or_its_square(p, m, bias):
    assert exact_bias([p], m) == pytest.approx(-bias, rel=1e-14)


def test_the_bias_of_coin_flips_with_many_votes_is_that_of_a_normal():
    assert exact_bias([0.5], 100_000) == pytest.approx(
        -(1 / np.sqrt(2 * np.pi * 100_000)) * (1 - 1 / 400_000), rel=1e-10
    )


def test_known_values_of_the_bias_bounds():
    assert computable_bias_bound(0.0005, 50) == pytest.approx(0.0027572, abs=5e-8)
    assert ishida_bias_bound(10_000, 50) == pytest.approx(0.5577, abs=5e-5)
    assert separated_bias_bound(0.4, 10) == pytest.approx(0.36 / 32)
    assert separated_bias_bound(0.5, 10) == 0
    assert separated_bias_bound(1e-20, 10) == pytest.approx(1e20 / 80)
    assert expected_bias_bound([0.5], 50) == pytest.approx(np.sqrt(np.pi / 100))
    assert expected_bias_bound([0.1], 50) == pytest.approx(0.09 / 0.8 / 50)
    assert sharp_bias_bound(0.25, 2) == 0.125


def test_l_err_is_zero_at_certainty_and_infinite_at_a_coin_flip():
    assert l_err([0, 1, 0.1, 0.9, 0.5]) == pytest.approx([0, 0, 0.1125, 0.1125, np.inf])
    assert l_err(0.5) == np.inf


@pytest.mark.parametrize("model_error", [0.5, 0.7, 1.0])
def test_a_useless_model_leaves_the_bound_that_always_holds(model_error):
    assert computable_bias_bound(model_error, 50) == np.sqrt(np.pi / 100)


def test_a_perfect_model_leaves_no_bias():
    assert computable_bias_bound(0, 50) == sharp_bias_bound(0, 50) == 0


def test_known_values_of_the_deviations():
    assert soft_label_deviation(100) == pytest.approx(np.sqrt(np.log(40) / 800))
    first = np.sqrt(np.log(200) / 200)
    assert votes_deviation(100, 8, 0.99) == pytest.approx(first + np.sqrt(np.pi / 16))
    assert votes_deviation(100, 8, 0.99, separation=0.1) == pytest.approx(first + 0.96 / 6.4)
    assert votes_deviation(100, 2, 0.99, sharp=True) == pytest.approx(first / 2 + 0.25)
    assert votes_deviation(100, 2, 0.99, separation=0.1, sharp=True) == pytest.approx(
        first / 2 + 0.16
    )


def test_kuiper_quantiles_at_the_limit_are_the_tabulated_ones():
    # M. Stephens, Biometrika 52, 1965, and J. R. Stat. Soc. B 32, 1970.
    levels, table = [0.85, 0.9, 0.95, 0.975, 0.99], [1.537, 1.620, 1.747, 1.862, 2.001]
    values = [isotonic_deviation(10**12, level) * 10**6 for level in levels]
    assert values == pytest.approx(table, abs=6e-4)


@given(st.integers(2, 40), st.floats(0.01, 1))
def test_kuiper_law_near_its_least_value_is_the_known_power(n, part):
    # N. Kuiper, 1960: P(V <= v) = n! (v - 1/n)^(n - 1) for v <= 2/n.
    v = (1 + part) / n
    known = np.prod(np.arange(1, n) * (v - 1 / n)) * n
    assert _deviation.kuiper_law(v, n)[0] == pytest.approx(known, rel=1e-11)


@given(st.integers(2, 40), st.floats(0.01, 1))
def test_kuiper_law_near_its_largest_value_is_the_known_power(n, part):
    # Above 1 - 1/n only all points within an arc of 1 - v will do: n (1 - v)^(n - 1).
    v = 1 - part / n
    assert _deviation.kuiper_law(v, n)[1] == pytest.approx(
        n * (1 - v) ** (n - 1), rel=1e-9, abs=1e-290
    )


def test_known_values_of_the_deviations_of_balanced_error_and_auc():
    assert balanced_error_deviation(100) == soft_label_deviation(100)
    assert balanced_error_deviation(100, 0.99, estimated=0.2) == pytest.approx(
        17 / 8 * np.sqrt(2 * np.log(400) / 16)
    )
    assert auc_deviation(100, 0.2, 0.99) == pytest.approx(np.sqrt(np.log(200) / 16))
    assert auc_deviation(100, 0.2, 0.99, estimated=True) == pytest.approx(
        10 * np.sqrt(np.log(400) / 16)
    )
    # Hoeffding's with 50 independent pairs of numbers up to 1 / 1.28; the paper's if that is less.
    assert auc_deviation(101, 0.2, sharp=True) == pytest.approx(np.sqrt(np.log(40) / 100) / 1.28)
    assert auc_deviation(101, 0.01, sharp=True) == auc_deviation(101, 0.01)
    assert auc_deviation([100, 200], 0.5).shape == (2,)
    assert balanced_error_deviation(100, estimated=[[0.1], [0.2]]).shape == (2, 1)


@pytest.mark.parametrize("theta", [0.1, 0.5])
def test_the_deviations_of_auc_hold(theta):
    # Beta(2 theta, 2 (1 - theta)), whose AUC is that of 200,000 draws to three digits.
    rng = np.random.default_rng(0)
    metric = MetricChoice("auc", prior=theta).of(2)
    large = np.sort(rng.beta(2 * theta, 2 * (1 - theta), 200_000))
    true = MetricChoice("auc").of(2).best(large, np.ones(large.size))
    count = np.ones(50, dtype=np.int64)
    draws = np.sort(rng.beta(2 * theta, 2 * (1 - theta), (500, 50)), axis=1)
    found = [1 - _least(p) / (2 * theta * (1 - theta)) for p in draws]
    assert metric.on(draws[0], count).values(count[None])[0] <= 1
    bound = auc_deviation(50, theta, sharp=True)
    assert np.mean(np.abs(np.array(found) - true) <= bound) >= 0.95
    assert bound <= auc_deviation(50, theta) <= auc_deviation(50, theta, estimated=True)


def _least(p):
    products = np.outer(p, 1 - p)
    return np.minimum(products, products.T)[~np.eye(p.size, dtype=bool)].mean()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: auc_deviation(10, 0), "`prior` must lie strictly between 0 and 1"),
        (lambda: auc_deviation(10, 20), "divide percentages"),
        (lambda: balanced_error_deviation(10, estimated=1), "`estimated` must lie strictly"),
        (lambda: auc_deviation(1, 0.5), "`n` must be at least 2"),
        (lambda: auc_deviation(10, 0.5, estimated=True, sharp=True), "Leave out `sharp`"),
        (lambda: auc_deviation([1, 2], [0.1, 0.2, 0.3]), "shapes must fit"),
    ],
)
def test_what_is_no_share_or_no_pair_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def test_one_item_leaves_the_trivial_deviation():
    assert isotonic_deviation(1) == 1


# Laws


@given(PROBABILITIES, VOTES)
def test_the_exact_bias_lies_within_every_bound(soft, m):
    size = -exact_bias(soft, m)
    floor = float(np.mean(np.minimum(soft, 1 - soft)))
    separation = np.abs(soft - 0.5).min()
    slack = 1e-12
    assert size >= 0
    assert size <= expected_bias_bound(soft, m) + slack
    assert size <= sharp_bias_bound(floor, m) + slack
    assert sharp_bias_bound(floor, m) <= computable_bias_bound(floor, m) + slack
    assert size <= ishida_bias_bound(len(soft), m)
    if separation > 0:
        assert size <= separated_bias_bound(separation, m) + slack


@given(PROBABILITIES, st.integers(1, 300))
def test_one_more_vote_never_raises_bias_or_bound(soft, m):
    floor = float(np.mean(np.minimum(soft, 1 - soft)))
    for size in (
        lambda m: -exact_bias(soft, m),
        lambda m: expected_bias_bound(soft, m),
        lambda m: computable_bias_bound(floor, m),
        lambda m: sharp_bias_bound(floor, m),
        lambda m: separated_bias_bound(0.1, m),
        lambda m: ishida_bias_bound(len(soft), m),
        lambda m: votes_deviation(len(soft), m),
        lambda m: votes_deviation(len(soft), m, separation=0.1),
    ):
        assert size(m + 1) <= size(m) + 1e-15


@given(st.integers(1, 10**12), st.integers(1, 10**12), PROBABILITIES)
def test_the_paper_is_below_ishida_for_all_n_and_m(n, m, soft):
    older = ishida_bias_bound(n, m)
    assert expected_bias_bound(np.append(soft, 0.5), m) <= older
    assert expected_bias_bound([0.5], m) <= older
    assert computable_bias_bound(0.5, m) <= older


@given(PROBABILITIES, VOTES)
def test_the_computable_bound_follows_from_the_expected_one(soft, m):
    floor = float(np.mean(np.minimum(soft, 1 - soft)))
    assert expected_bias_bound(soft, m) <= computable_bias_bound(floor, m) + 1e-12


@given(PROBABILITIES, st.integers(1, 100_000))
def test_swapping_the_classes_changes_no_bias(soft, m):
    assert exact_bias(1 - soft, m) == pytest.approx(exact_bias(soft, m), rel=1e-6, abs=1e-14)


@given(st.floats(0, 1), st.integers(1, 50_000))
def test_an_odd_vote_adds_nothing_to_an_even_number(p, c):
    assert exact_bias([p], 2 * c) == exact_bias([p], 2 * c + 1)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9), VOTES), min_size=1, max_size=9))
def test_weights_stand_for_repeated_items(rows):
    points, weights, votes = np.array(rows).T
    repeat = weights.astype(int)
    for function in (exact_bias, expected_bias_bound):
        assert function(points, votes, weights=weights) == pytest.approx(
            function(np.repeat(points, repeat), np.repeat(votes, repeat)), rel=1e-9, abs=1e-14
        )


def test_the_sharp_bound_is_reached_by_coin_flips_among_certain_items():
    assert exact_bias([0, 0.5, 1, 1], 7) == pytest.approx(-sharp_bias_bound(0.125, 7))


@given(st.integers(1, 10**9), LEVELS)
def test_deviations_fall_with_items_and_rise_with_level(n, level):
    higher = (1 + level) / 2
    for deviation in (soft_label_deviation, lambda n, level: votes_deviation(n, 5, level)):
        assert deviation(n + 1, level) < deviation(n, level) < deviation(n, higher)


@given(st.integers(1, 120), LEVELS)
def test_isotonic_deviation_falls_with_items_and_rises_with_level(n, level):
    here = isotonic_deviation(n, level)
    assert isotonic_deviation(n + 1, level) < here <= isotonic_deviation(n, (1 + level) / 2)


@pytest.mark.parametrize("level", [1e-12, 0.01, 0.5, 0.95, 0.999, 1 - 1e-9, 1 - 1e-15])
def test_the_large_sample_form_is_just_above_the_exact_quantile(level, monkeypatch):
    exact = isotonic_deviation(1000, level)
    _deviation.kuiper_quantile.cache_clear()
    monkeypatch.setattr(_deviation, "EXACT_UP_TO", 0)
    assert exact < isotonic_deviation(1000, level) < exact + 0.32 / 1000
    _deviation.kuiper_quantile.cache_clear()


@given(st.integers(2, 200), st.floats(0, 1))
def test_kuiper_law_adds_up_to_one(n, part):
    below, above = _deviation.kuiper_law(1 / n + part * (1 - 1 / n), n)
    assert below + above == pytest.approx(1, abs=1e-12)


def test_arguments_broadcast_and_single_numbers_give_floats():
    m = np.array([1, 10, 100])
    column = np.array([[0.1], [0.4]])
    for function in (separated_bias_bound, computable_bias_bound, sharp_bias_bound):
        grid = function(column, m)
        assert grid.shape == (2, 3)
        assert grid[1, 2] == pytest.approx(function(0.4, 100), rel=1e-14)
        assert type(function(0.4, 100)) is float
    assert ishida_bias_bound([[1], [5]], m).shape == (2, 3)
    assert votes_deviation([[1], [5]], m, separation=0.1).shape == (2, 3)
    assert isotonic_deviation([[5], [5000]]).shape == (2, 1)
    assert type(isotonic_deviation(5)) is type(soft_label_deviation(5)) is float


# Slow against fast


@given(st.floats(0, 1), st.integers(1, 40))
def test_the_closed_form_equals_the_binomial_sum(p, m):
    assert exact_bias([p], m) == pytest.approx(slow_bias(p, m), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("p", [0.3, 0.45, 0.49, 0.499, 0.5])
@pytest.mark.parametrize("m", [1000, 1001, 100_000])
def test_the_closed_form_equals_the_positive_part_sum_for_many_votes(p, m):
    # (2/m) sum (k - m/2)+ P(k), from the centre term on by ratios: no gamma functions.
    k = np.arange(m // 2 + 1, m + 1)
    ratio = np.cumsum(np.log((m - k[:-1]) / (k[:-1] + 1) * p / (1 - p)))
    sizes = np.exp(np.concatenate(([0], ratio))) * (k - m / 2)
    first = Fraction(comb(m, int(k[0])), 2**m)
    log_first = np.log(float(first)) + k[0] * np.log(2 * p) + (m - k[0]) * np.log(2 * (1 - p))
    expected = 2 / m * np.exp(log_first) * sizes.sum()
    assert exact_bias([p], m) == pytest.approx(-expected, rel=1e-7 if expected < 1e-6 else 1e-9)


@given(st.floats(1e-9, 1), st.integers(1, 10**6))
def test_the_computable_bound_is_the_least_over_t(model_error, m):
    # Golden section on both sides of the kink at t = E; the left side only rises.
    slow = np.sqrt(np.pi / (2 * m))

    def at(t):
        return t * (1 - t) / (1 - 2 * t) / m + min(1, model_error / t) * slow

    least = slow
    if model_error < 0.5:
        a, b = model_error, np.nextafter(0.5, 0)
        golden = (np.sqrt(5) - 1) / 2
        for _ in range(120):
            x, y = b - golden * (b - a), a + golden * (b - a)
            a, b = (a, y) if at(x) < at(y) else (x, b)
        least = min(least, at((a + b) / 2))
    assert computable_bias_bound(model_error, m) == pytest.approx(least, abs=1e-12, rel=1e-10)


@pytest.mark.parametrize("n", [2, 3, 7, 30, 200])
def test_kuiper_law_agrees_with_simulation(n, rng):
    u = np.sort(rng.random((20_000, n)), axis=1)
    i = np.arange(1, n + 1)
    kuiper = (i / n - u).max(axis=1) + (u - (i - 1) / n).max(axis=1)
    for level in (0.1, 0.5, 0.95):
        hits = np.mean(kuiper <= isotonic_deviation(n, level))
        assert hits == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 20_000))


@pytest.mark.parametrize("n", [10, 100, 2000])
def test_the_isotonic_deviation_covers_the_best_cut(n, rng):
    # P(y = 1 | s) = s: the best cut is 1/2 and its error 1/4. Many ties: scores in tenths.
    s = rng.integers(0, 10, (2000, n)) / 10 + 0.05
    y = rng.random((2000, n)) < s
    cuts = np.arange(11) / 10
    errors = [np.mean(np.where(s > cut, ~y, y), axis=1) for cut in cuts]
    estimate = np.min(errors, axis=0)
    hits = np.mean(np.abs(estimate - 0.25) <= isotonic_deviation(n, 0.95))
    assert hits >= 0.95


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("separation", [None, 0.2])
def test_the_votes_deviation_covers_the_floor(separation, sharp, rng):
    p = 0.5 if separation is None else 0.3
    votes = rng.binomial(5, p, size=(4000, 60)) / 5
    estimate = np.minimum(votes, 1 - votes).mean(axis=1)
    bound = votes_deviation(60, 5, 0.9, separation=separation, sharp=sharp)
    assert np.mean(np.abs(estimate - p) <= bound) >= 0.9


# Error texts


@pytest.mark.parametrize("function", [exact_bias, expected_bias_bound])
def test_bad_soft_labels_votes_and_weights_are_named(function):
    with pytest.raises(ValueError, match=r"`soft_labels` must lie in \[0, 1\]: entry 1 is 40"):
        function([0.2, 40.0], 5)
    with pytest.raises(ValueError, match=r"`m` must be whole numbers of at least 1: entry 0 is 0"):
        function([0.2], 0)
    with pytest.raises(ValueError, match=r"`m` must be whole .* entry 1 is 2.5 .*how many votes"):
        function([0.2, 0.3], [2, 2.5])
    with pytest.raises(ValueError, match=r"`m` must be one number or 1-d, got shape \(1, 2\)"):
        function([0.2, 0.3], [[2, 2]])
    with pytest.raises(ValueError, match=r"`soft_labels` and `m` must have the same length"):
        function([0.2, 0.3], [2, 2, 2])
    with pytest.raises(ValueError, match=r"`soft_labels` and `weights` must have the same length"):
        function([0.2, 0.3], 2, weights=[1])
    with pytest.raises(ValueError, match=r"`weights` must be at least 0: entry 1 is -1"):
        function([0.2, 0.3], 2, weights=[1, -1])
    with pytest.raises(ValueError, match=r"`weights` must not all be 0"):
        function([0.2, 0.3], 2, weights=[0, 0])
    with pytest.raises(ValueError, match=r"`weights` must be finite numbers: entry 0 is inf"):
        function([0.2, 0.3], 2, weights=[np.inf, 1])


@pytest.mark.parametrize("function", [computable_bias_bound, sharp_bias_bound])
def test_a_model_error_in_per_cent_is_refused(function):
    with pytest.raises(
        ValueError, match=r"`model_error` must lie in \[0, 1\]: entry 0 is 5.*by 100"
    ):
        function(5, 50)


@pytest.mark.parametrize("separation", [0, -0.1, 0.6])
def test_an_impossible_separation_is_refused(separation):
    text = r"`separation` must lie in \(0, 0.5\]: entry 0 is .* computable_bias_bound"
    with pytest.raises(ValueError, match=text):
        separated_bias_bound(separation, 10)
    with pytest.raises(ValueError, match=text):
        votes_deviation(10, 10, separation=separation)


def best_cut(scores, labels):
    """Return the training error of the best cut, which is the isotonic estimate."""
    order = np.argsort(scores, kind="stable")
    ordered, label = scores[order], labels[order]
    wrong = np.concatenate([[0], np.cumsum(label)]) + np.concatenate(
        [np.cumsum((1 - label)[::-1])[::-1], [0]]
    )
    between = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])
    return wrong[between].min() / scores.size


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("kind", ["gaussian", "two points", "rare and large"])
def test_noisy_scores_keep_the_isotonic_estimate_within_its_bound(noise, kind, rng):
    # f(p) = (p + p^2) / 2 has slopes of 1/2 to 3/2. The floor of uniform probabilities is 1/4.
    n, runs, hits = 400, 200, 0
    bound = noisy_isotonic_deviation(n, noise, 0.5)
    below = isotonic_deviation(n)
    for _ in range(runs):
        p = rng.random(n)
        draws = {
            "gaussian": rng.standard_normal(n),
            "two points": rng.choice([-1.0, 1.0], n),
            "rare and large": np.where(rng.random(n) < 0.04, 24**0.5, -((1 / 24) ** 0.5)),
        }[kind]
        scores = (p + p**2) / 2 + noise * draws
        off = best_cut(scores, (rng.random(n) < p).astype(int)) - 0.25
        hits += -below <= off <= bound
    assert hits >= 0.95 * runs


@pytest.mark.parametrize("c", [0.2, 1.0])
def test_the_part_of_the_noise_is_at_most_twice_too_large(c):
    # p is 1/2 - d or 1/2 + d and the score c p with noise of -c d or c d: half of all items have
    # the score c / 2, and for a cut they are coin flips.
    d, noise = 0.1, 0.1 * c
    floor = 0.5 - d
    best = 0.5 * 0.5 + 0.5 * floor
    part = noisy_isotonic_deviation(1000, noise, c) - isotonic_deviation(1000)
    assert best - floor == pytest.approx(part / 2)
    # The same, drawn: a bound of less than half the part would fail.
    rng = np.random.default_rng(0)
    p = 0.5 + d * rng.choice([-1.0, 1.0], 200_000)
    scores = np.round(c * p + noise * rng.choice([-1.0, 1.0], p.size), 12)
    drawn = best_cut(scores, (rng.random(p.size) < p).astype(int))
    assert drawn - floor == pytest.approx(part / 2, abs=0.005)


def test_the_noisy_deviation_takes_arrays_and_refuses_what_cannot_be():
    assert noisy_isotonic_deviation(100, 0, 1) == isotonic_deviation(100)
    assert noisy_isotonic_deviation([100, 200], [[0.1], [0.2]], 0.5).shape == (2, 2)
    with pytest.raises(ValueError, match="`noise` must not be negative"):
        noisy_isotonic_deviation(100, -0.1, 1)
    with pytest.raises(ValueError, match=r"`slope` must be positive.* Where f is flat"):
        noisy_isotonic_deviation(100, 0.1, 0)
    with pytest.raises(ValueError, match="`n` must be whole"):
        noisy_isotonic_deviation(0, 0.1, 1)


@pytest.mark.parametrize("function", [soft_label_deviation, isotonic_deviation])
def test_bad_sizes_and_levels_are_refused(function):
    with pytest.raises(ValueError, match=r"`n` must be whole .* entry 0 is 0.*how many items"):
        function(0)
    with pytest.raises(ValueError, match=r"`n` must be finite numbers: entry 1 is nan"):
        function([5, np.nan])
    with pytest.raises(ValueError, match=r"`level` must lie strictly between 0 and 1, got 95"):
        function(10, 95)


def test_missing_and_ragged_numbers_are_refused_by_name():
    with pytest.raises(ValueError, match=r"`soft_labels` must be finite numbers: entry 1 is nan"):
        l_err(np.ma.array([0.1, 0.2], mask=[False, True]))
    with pytest.raises(ValueError, match=r"`soft_labels` must lie in \[0, 1\]: entry 1 is 2"):
        l_err([0.1, 2])
    with pytest.raises(ValueError, match=r"`m` must be a 1-d array of numbers"):
        separated_bias_bound(0.1, [[1, 2], [3]])
    with pytest.raises(ValueError, match=r"`m` must be numbers"):
        ishida_bias_bound(10, "many")


def test_shapes_that_do_not_fit_are_named():
    text = r"got `separation` \(2,\), `m` \(3,\)\. Pass one number"
    with pytest.raises(ValueError, match=text):
        separated_bias_bound([0.1, 0.2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"`n` \(2,\), `m` \(\), `separation` \(3,\)"):
        votes_deviation([1, 2], 3, separation=[0.1, 0.2, 0.3])


@pytest.mark.parametrize("m", [10**4, 10**6, 10**9])
@pytest.mark.parametrize("distance", [0, 0.1, 0.5, 1, 2])
def test_the_exact_bias_holds_for_a_thousand_million_votes(m, distance):
    # Twice differentiated it is twice the Beta(c, c) density: integrate that, in units of
    # 1 / sqrt(m) around 1/2, by Gauss and Legendre.
    x, weights = np.polynomial.legendre.leggauss(200)
    x, weights = 4 * (x + 1), 4 * weights

    def density(u):
        return np.exp((m // 2 - 1) * np.log1p(-4 * u**2 / m))

    lost = weights @ (x * density(x + distance)) / (weights @ density(x)) / np.sqrt(m)
    assert -exact_bias([0.5 - distance / np.sqrt(m)], m) == pytest.approx(lost, rel=1e-8)


def test_no_floor_is_above_a_half_so_larger_limits_of_it_say_no_more():
    for m in (1, 2, 9):
        assert sharp_bias_bound(0.7, m) == sharp_bias_bound(1, m) == sharp_bias_bound(0.5, m)
        assert m == 1 or sharp_bias_bound(0.5, m) > sharp_bias_bound(0.49, m)


def test_items_and_shares_have_to_fit_together():
    with pytest.raises(ValueError, match=r"The shapes must fit together, got `n` \(3,\), `estim"):
        balanced_error_deviation([10, 20, 30], estimated=[0.1, 0.2])


def test_where_nobody_disagrees_the_exact_bias_is_a_plain_zero():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ef.from_votes([0, 3] * 30, 3)
    sure = replace(found.mixture, points=np.array([0.0, 1.0]), weights=np.array([0.5, 0.5]))
    found = replace(found, mixture=sure)
    curves = ef.bounds.bias_curves([1, 2, 3], estimate=found)
    assert (curves.exact == 0).all()
    assert not np.signbit(curves.exact).any()
