"""Made data: its floor is exact, and what is done to its scores is what the paper does."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import kendalltau, norm

import errorfloor as ef
from errorfloor.datasets.synthetic import (
    break_order,
    corrupt,
    gaussian_mixture,
    label_flips,
    shuffle,
    vote,
)


def test_the_synthetic_floor_is_the_mean_of_its_soft_labels():
    # n = 200,000: the standard error of the mean of min(p, 1 - p) is below 0.0003.
    for weights, means in [((0.6, 0.4), ((0.0, 0.0), (2.0, 2.0))), ((0.1, 0.9), ((1.0,), (0.0,)))]:
        data = gaussian_mixture(200_000, weights=weights, means=means, rng=1)
        floors = np.minimum(data.soft_labels, 1 - data.soft_labels)
        assert floors.mean() == pytest.approx(data.floor, abs=4 * floors.std() / np.sqrt(200_000))
        assert data.labels.mean() == pytest.approx(weights[1], abs=0.005)
    assert gaussian_mixture(5, means=((1.0,), (1.0,)), rng=0).floor == 0.4


def test_corruption_moves_one_half_to_b_and_keeps_order():
    p = np.linspace(0, 1, 101)
    distorted = corrupt(p, 2, 0.7)
    assert corrupt(np.array([0.5]), 2, 0.7)[0] == pytest.approx(0.7)
    assert (np.diff(distorted) > 0).all()
    assert distorted[[0, -1]].tolist() == [0, 1]
    # the inverse of beta calibration with slope a
    np.testing.assert_allclose(corrupt(corrupt(p, 2, 0.5), 0.5, 0.5), p, atol=1e-12)


@pytest.mark.parametrize("weights", [(0.6, 0.4), (1, 1), (1, 19)])
@pytest.mark.parametrize("means", [((0, 0), (2, 2)), ((1,), (-0.3,)), ((0, 0, 1), (0.1, 0, 1))])
def test_the_floor_of_two_gaussians_is_the_integral_of_the_smaller_density(weights, means):
    share = np.array(weights) / sum(weights)
    distance = np.linalg.norm(np.subtract(*means))
    # The densities cross where their log-odds are 0, possibly far out.
    cross = distance / 2 - np.log(share[1] / share[0]) / distance
    expected = sum(
        quad(
            lambda x: min(share[0] * norm.pdf(x), share[1] * norm.pdf(x - distance)),
            *limits,
            epsabs=1e-12,
        )[0]
        for limits in ((-np.inf, cross), (cross, np.inf))
    )
    data = gaussian_mixture(1, weights=weights, means=means, rng=0)
    assert data.floor == pytest.approx(expected, abs=1e-9)


def test_far_apart_classes_have_certain_labels_and_no_floor():
    data = gaussian_mixture(1000, means=((0.0,), (200.0,)), rng=0)
    assert set(data.soft_labels) == {0.0, 1.0}
    assert data.floor == 0
    assert np.array_equal(data.labels, data.soft_labels == 1)


def test_seeds_keep_their_results():
    data = gaussian_mixture(3, rng=0)
    assert data.soft_labels.tolist() == pytest.approx(
        [0.016162567193782094, 0.8888880558261391, 0.990217021581506], rel=1e-12
    )


@pytest.mark.parametrize("rate", [0, 0.1, 0.5, 0.8])
def test_flipped_labels_have_the_flip_rate_as_their_probability_and_floor(rate):
    data = label_flips(100_000, rate=rate, rng=1)
    assert set(data.soft_labels) == {rate, 1 - rate}
    assert data.floor == min(rate, 1 - rate)
    floors = np.minimum(data.soft_labels, 1 - data.soft_labels)
    assert floors.mean() == pytest.approx(data.floor)
    # Standard errors of shares: at most 0.5 / sqrt(50,000) < 0.0023.
    assert (data.soft_labels == rate).mean() == pytest.approx(0.5 if rate != 0.5 else 1, abs=0.008)
    assert data.labels[data.soft_labels == rate].mean() == pytest.approx(rate, abs=0.01)


def test_the_paired_methods_change_scores_and_nothing_else():
    data = gaussian_mixture(500, rng=0)
    seen = data.corrupted(2, 0.7).out_of_order(0.3, rng=1).shuffled(0.2, rng=2)
    expected = corrupt(data.soft_labels, 2, 0.7)
    expected = shuffle(break_order(expected, 0.3, rng=1), 0.2, rng=2)
    assert np.array_equal(seen.scores, expected)
    voted = seen.voted(7, rng=3)
    assert np.array_equal(voted.positives, vote(expected, 7, rng=3))
    assert np.array_equal(voted.scores, voted.positives / 7)
    assert voted.totals == 7
    assert voted.vote_table == ef.VoteTable.from_arrays(voted.positives, 7)
    assert voted.score_table == ef.ScoreTable.from_arrays(voted.scores, data.labels)
    for made in (seen, voted):
        assert made.soft_labels is data.soft_labels
        assert made.labels is data.labels
        assert made.floor == data.floor
    assert data.scores is data.soft_labels
    assert voted.corrupted(1, 0.5).positives is None  # no longer what the scores are made of
    with pytest.raises(ValueError, match=r"no votes yet\. Draw some with `voted\(m\)`"):
        data.vote_table  # noqa: B018


def test_order_breaks_by_gaussian_noise_on_the_log_odds():
    p = np.linspace(0.01, 0.99, 50_000)
    noise = logit(break_order(p, 0.4, rng=0)) - logit(p)
    # Standard errors: 0.4 / sqrt(50,000) = 0.0018 of the mean, 0.0013 of the deviation.
    assert noise.mean() == pytest.approx(0, abs=0.008)
    assert noise.std() == pytest.approx(0.4, abs=0.006)
    assert np.array_equal(break_order(p, 0, rng=0), p)
    assert break_order([0.0, 1.0], 3, rng=0).tolist() == [0, 1]
    taus = [kendalltau(p, break_order(p, sigma, rng=0)).statistic for sigma in (0.01, 0.3, 3)]
    assert taus == sorted(taus, reverse=True)
    # Noise without signal: log-odds all equal.
    assert np.allclose(
        logit(break_order(np.full(4, 0.5), 1, rng=5)), np.random.default_rng(5).normal(size=4)
    )


def test_votes_are_binomial():
    k = vote(np.full(50_000, expit(-1)), 20, rng=0)
    p = expit(-1)
    # Standard errors: 0.0089 of the mean, about 0.025 of the variance.
    assert k.mean() == pytest.approx(20 * p, abs=0.036)
    assert k.var() == pytest.approx(20 * p * (1 - p), abs=0.1)
    assert vote([0.0, 1.0], 5, rng=0).tolist() == [0, 5]


@pytest.mark.parametrize("share", [0, 0.25, 1])
def test_a_partial_shuffle_moves_at_most_its_share_and_loses_nothing(share):
    scores = np.arange(1000.0)
    moved = shuffle(scores, share, rng=0)
    assert np.array_equal(np.sort(moved), scores)
    # One chosen item in `share * n` stays in place on average.
    assert (moved != scores).sum() == pytest.approx(share * 1000, abs=8)
    assert (moved != scores).sum() <= share * 1000
    assert np.array_equal(scores, np.arange(1000.0))


def test_a_full_shuffle_is_uniform():
    n = 3000
    draws = {
        order: sum(tuple(shuffle([0, 1, 2], 1, rng=seed).astype(int)) == order for seed in range(n))
        for order in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    }
    assert sum(draws.values()) == n
    # Five standard deviations of a binomial count with p = 1/6.
    assert all(abs(count - n / 6) < 5 * np.sqrt(n * 5 / 36) for count in draws.values())


BAD = [
    (lambda: gaussian_mixture(0), r"`n` must be a whole number of at least 1, got 0\. Pass how many items"),
    (lambda: gaussian_mixture(2.5), r"`n` must be a whole number"),
    (lambda: gaussian_mixture(5, weights=(1, 0)), r"`weights` must be 2 numbers greater than 0, one for each class"),
    (lambda: gaussian_mixture(5, weights=(1, 1, 1)), r"`weights` must be 2 numbers"),
    (lambda: gaussian_mixture(5, weights=(1, np.nan)), r"`weights` must be finite numbers: entry 1 is nan"),
    (lambda: gaussian_mixture(5, means=((0, 0), (1,))), r"`means` must be two points with equally many"),
    (lambda: gaussian_mixture(5, means=(0, 1)), r"`means` must be two points"),
    (lambda: gaussian_mixture(5, means=((0,), (np.inf,))), r"`means` must be two points"),
    (lambda: label_flips(5, rate=10), r"`rate` must be a number, at least 0 and at most 1; got 10\. Write 0\.1"),
    (lambda: corrupt(np.array([0.1, 3.0]), 2, 0.7), r"`soft_labels` must lie in \[0, 1\]: entry 1 is 3"),
    (lambda: corrupt(np.array([0.1]), 0, 0.7), r"`a` must be a number, greater than 0; got 0"),
    (lambda: corrupt(np.array([0.1]), 2, 1), r"`b` must be a number, greater than 0 and less than 1; got 1"),
    (lambda: break_order([0.1, -1], 1), r"`scores` must lie in \[0, 1\]: entry 1 is -1"),
    (lambda: break_order([0.1], -1), r"`sigma` must be a number, at least 0; got -1"),
    (lambda: break_order([0.1], "much"), r"`sigma` must be a number, at least 0; got 'much'"),
    (lambda: vote([0.5], 0), r"`m` must be a whole number of at least 1, got 0\. Pass how many votes per item"),
    (lambda: vote([np.nan], 3), r"`prob` must lie in \[0, 1\]: entry 0 is nan"),
    (lambda: shuffle([0.1, np.nan], 0.5), r"`scores` must be finite numbers: entry 1 is nan"),
    (lambda: shuffle([0.1], 1.5), r"`share` must be a number, at least 0 and at most 1; got 1\.5"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_refused_by_name_entry_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()
