"""Made data with features: floors agree with formulas, with simulation and with each other."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

import errorfloor as ef
from errorfloor.datasets.synthetic import (
    _in_space,
    gaussian_classes,
    gaussian_cloud,
    gaussian_mixture,
    gaussian_ring,
    mixture_floor,
    unwarp,
    warp,
    xor,
)


def off(data):
    """Return how many standard errors the mean of 1 - max(p) is from the floor."""
    errors = 1 - data.soft_labels.max(axis=1)
    return (errors.mean() - data.floor) / (errors.std() / np.sqrt(errors.size) + 1e-12)


def test_floors_agree_with_formulas_for_two_classes_and_for_a_ring():
    two = gaussian_classes(5, means=[[0, 0], [2, 2]], weights=[6, 4], rng=0)
    assert two.floor == pytest.approx(gaussian_mixture(5, rng=0).floor, abs=1e-12)
    angle = 2 * np.pi * np.arange(5) / 5
    means = 2 * np.column_stack((np.cos(angle), np.sin(angle)))
    ring = gaussian_classes(5, means=means, rng=0)
    assert ring.floor == pytest.approx(gaussian_ring(5, radius=2.0, rng=0).floor, abs=1e-9)
    line = gaussian_classes(5, means=[[0, 0, 0], [2, 0, 0], [4, 0, 0]], rng=0)
    assert line.floor == pytest.approx(norm.cdf(-1) * 4 / 3, abs=1e-12)


def test_floors_in_space_agree_with_another_algorithm_to_one_in_a_million():
    # Genz's algorithm for orthants of a Gaussian, as SciPy has it.
    generator = np.random.default_rng(1)
    means, weights = generator.normal(size=(4, 3)) * 1.2, np.array([0.1, 0.2, 0.3, 0.4])
    right = 0.0
    for k in range(4):
        step = np.delete(means[k] - means, k, axis=0)
        lead = np.log(weights[k] / np.delete(weights, k)) + (step**2).sum(axis=1) / 2
        cov = step @ step.T
        cell = multivariate_normal.cdf(lead, cov=cov, abseps=1e-7, maxpts=300_000, rng=0)
        right += weights[k] * cell
    assert mixture_floor(means, weights) == pytest.approx(1 - right, abs=3e-6)


def test_means_that_are_equally_far_have_the_floor_of_a_formula():
    means, weights = np.eye(4) * 2, np.full(4, 0.25)
    places = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    slow = _in_space((places[0] * places[1])[:, :3], weights)
    assert mixture_floor(means, weights) == pytest.approx(slow, abs=4e-6)


@pytest.mark.parametrize(
    ("dimensions", "classes", "floor"),
    [(1, 3, 0.2), (2, 2, 0.01), (2, 10, 0.1), (10, 10, 0.5), (50, 10, 0.9), (784, 2, 0.3)],
)
def test_the_mean_of_the_soft_labels_is_the_floor_that_was_asked_for(dimensions, classes, floor):
    data = gaussian_cloud(8_000, dimensions=dimensions, classes=classes, floor=floor, rng=4)
    assert data.floor == pytest.approx(floor, abs=1e-9)
    assert data.features.shape == (8_000, dimensions)
    assert abs(off(data)) < 4
    wrong = data.soft_labels.argmax(axis=1) != data.labels
    assert wrong.mean() == pytest.approx(floor, abs=4 * np.sqrt(0.25 / 8_000))


@pytest.mark.parametrize("seed", range(4))
def test_classes_of_any_means_and_shares_have_the_floor_of_their_soft_labels(seed):
    generator = np.random.default_rng(seed)
    means = generator.normal(size=(5, 1 + seed % 2)) * 1.5
    weights = generator.dirichlet(np.ones(5))
    assert abs(off(gaussian_classes(50_000, means=means, weights=weights, rng=seed))) < 4


def test_equal_means_leave_the_rarer_classes():
    assert gaussian_classes(5, means=[[1], [1]], weights=[1, 3], rng=0).floor == 0.25
    # Two of three classes are in the same place: the best rule leaves the rarer one out.
    floor = mixture_floor(np.array([[0.0], [0.0], [50.0]]), np.array([0.2, 0.3, 0.5]))
    assert floor == pytest.approx(0.2)


def test_no_line_tells_the_classes_of_xor_apart():
    data = xor(40_000, dimensions=3, floor=0.2, rng=0)
    assert abs(off(data)) < 4
    signs = (data.features[:, 0] * data.features[:, 1] > 0).astype(int)
    assert (signs != data.labels).mean() == pytest.approx(0.2, abs=0.008)
    for column in data.features.T:
        assert abs(np.corrcoef(column, data.labels)[0, 1]) < 0.02


@pytest.mark.parametrize("dimensions", [2, 3, 50])
def test_warping_can_be_undone_and_moves_points(dimensions):
    data = xor(200, dimensions=dimensions, rng=0)
    warped = data.warped(seed=3)
    np.testing.assert_allclose(unwarp(warped.features, seed=3), data.features, atol=1e-9)
    assert np.abs(warped.features - data.features).mean() > 0.3
    assert warped.floor == data.floor
    assert not np.allclose(warp(data.features, seed=4), warped.features)


def test_warped_classes_are_not_on_two_sides_of_a_plane():
    data = gaussian_cloud(4_000, dimensions=2, floor=0.05, rng=0).warped(strength=2.0)
    x = np.column_stack((np.ones(4_000), data.features))
    side = x @ np.linalg.lstsq(x, data.labels - 0.5, rcond=None)[0] > 0
    assert (side != data.labels).mean() > 0.1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian_cloud(0), "`n` must be"),
        (lambda: gaussian_cloud(5, floor=0.6), r"`floor` must be greater than 0 and at most 0\.5"),
        (lambda: gaussian_cloud(5, floor="x"), "`floor` must be"),
        (lambda: gaussian_cloud(5, floor=10**400), "`floor` must be"),
        (lambda: gaussian_classes(5, means=[[10**400], [0]]), "`means` must be a point for each"),
        (lambda: xor(5, dimensions=1), "`dimensions` must be"),
        (lambda: gaussian_classes(5, means=[[0]]), "`means` must be a point for each of two"),
        (lambda: gaussian_classes(5, means=[[0], [np.nan]]), "`means` must be"),
        (lambda: gaussian_classes(5, means=[[0], [1]], weights=[1]), "`weights` must be 2 numbers"),
    ],
)
def test_bad_wishes_are_refused(call, message):
    with pytest.raises(ef.InputError, match=message):
        call()
