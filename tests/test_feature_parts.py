"""Parts of the estimates from features, one by one, next to slow obvious code."""

import numpy as np
import pytest
from scipy.special import comb

import errorfloor as ef
from errorfloor.features import classics, leaks
from errorfloor.features.classics import least_of_pairs, least_of_votes

# The weighted mean over grids.


def test_the_number_of_neighbours_is_part_of_the_name():
    for name, k in (("knn-1", 1), ("knn-007", 7), ("knn-999999", 999_999), ("knn-K", 15)):
        assert (classics.find(name).name, classics.find(name).k) == (f"knn-{k}", k)
    for name in ("knn-0", "knn-1000000", "knn-", "knn", "knn-1.5", "knn--2"):
        with pytest.raises(ef.InputError, match="whole number K of at least 1"):
            classics.find(name)
    for name in ("1nn", "ghp", "noshad"):
        assert classics.find(name).name == name
    with pytest.raises(ef.InputError, match="knn-15"):
        classics.find("nearest")


# The least floors.


@pytest.mark.parametrize("k", [3, 4, 7])
def test_the_least_floor_of_more_neighbours_is_that_of_the_concave_hull(k):
    odd = k if k % 2 else k - 1
    p = np.linspace(0, 0.5, 4097)
    wrong = sum(comb(odd, j) * p**j * (1 - p) ** (odd - j) for j in range(odd // 2 + 1, odd + 1))
    error = p * (1 - wrong) + (1 - p) * wrong
    # The largest error of a mixture of two places whose mean is the floor.
    for at in (40, 400, 1500, 4000):
        left, right = np.arange(at + 1)[:, None], np.arange(at + 1, 4097)
        share = (right - at) / (right - left)
        most = (share * error[left] + (1 - share) * error[right]).max()
        assert least_of_votes(np.array([most]), k, 2)[0] == pytest.approx(p[at], abs=1e-9)


def test_of_more_classes_the_least_floor_is_that_of_pairs():
    errors = np.array([0, 0.1, 0.4, 2 / 3, 0.9])
    for k in (1, 4, 15):
        np.testing.assert_array_equal(least_of_votes(errors, k, 3), least_of_pairs(errors, 3))
    by_hand = [2 / 3 * (1 - (1 - 1.5 * error) ** 0.5) for error in (0, 0.1, 0.4)]
    np.testing.assert_allclose(least_of_pairs(errors, 3), [*by_hand, 2 / 3, 2 / 3], atol=1e-8)


# Features that are the label.


def test_columns_of_few_values_that_go_with_one_class_each_tell_the_label():
    codes = np.arange(60) % 2
    same, more = codes * 7.0, codes + 2.0 * (np.arange(60) // 2 % 3)
    seven = np.where(np.arange(60) == 0, -1.0, more)
    wrong = np.where(np.arange(60) == 30, 1 - codes, codes).astype(float)
    points = np.column_stack((same, np.arange(60.0), more, seven, wrong, np.zeros(60)))
    assert leaks.telling_columns(points, codes).tolist() == [0, 2]
    # Ten items for each value at least.
    assert leaks.telling_columns(same[:20, None], codes[:20]).tolist() == [0]
    assert leaks.telling_columns(same[:19, None], codes[:19]).tolist() == []
