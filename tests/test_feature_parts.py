"""Parts of the estimates from features, one by one, next to slow obvious code."""

import numpy as np
import pytest
from scipy.special import comb

import errorfloor as ef
from errorfloor.data.features import Features
from errorfloor.data.source import Source
from errorfloor.features import classics, leaks, sequence
from errorfloor.features.classics import least_of_pairs, least_of_votes
from errorfloor.features.neighbours import nearest, squares_between
from errorfloor.questions.features import _order

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


# Votes of neighbours.


def slow_votes(x, k, codes, classes):
    """Share the last places among all who are tied for them, one point at a time."""
    n = len(x)
    found = np.zeros((classes, n))
    for i in range(n):
        squares = squares_between(x, x[i])
        others = np.delete(np.arange(n), i)
        edge = np.sort(squares[others])[min(k, n - 1) - 1]
        inside = [j for j in others if squares[j] < edge]
        tied = [j for j in others if squares[j] == edge]
        for j in inside:
            found[codes[j], i] += 1
        for j in tied:
            found[codes[j], i] += (min(k, n - 1) - len(inside)) / len(tied)
    return found


@pytest.mark.parametrize("k", [1, 2, 5, 11, 30])
@pytest.mark.parametrize("most", [0, 1, 256])
def test_votes_are_those_of_slow_counting(k, most, monkeypatch):
    monkeypatch.setattr(classics, "_MOST_TIED", most)
    generator = np.random.default_rng(k)
    x = generator.integers(3, size=(12 if k == 11 else 31, 2)).astype(float)
    codes = generator.integers(3, size=(2, len(x)))
    lists = nearest(x, k + 1)
    voters = classics.NeighbourVotes.of(x, k, lists)
    found = voters.votes(codes, 3)
    assert voters.k == min(k, len(x) - 1)
    for at, one in enumerate(codes):
        np.testing.assert_allclose(found[:, :, at], slow_votes(x, k, one, 3), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=0), voters.k)


# Models.


def test_logistic_regression_minimises_its_loss():
    generator = np.random.default_rng(2)
    codes = generator.integers(2, size=80) * 3
    x = generator.normal(size=(80, 2)) * [1, 100] + codes[:, None] * [0.4, 10]
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    y = codes == 3
    # Two weights that are opposite share the ridge: that of their difference is half as strong.
    w = np.zeros(3)
    design = np.column_stack((z, np.ones(80)))
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ w))
        slope = design.T @ (p - y) + 0.5 * w * [1, 1, 0]
        w -= np.linalg.solve(design.T * (p * (1 - p)) @ design + np.diag([0.5, 0.5, 0]), slope)
    predict = sequence.fit_logistic(x, codes, 4)
    queries = generator.normal(size=(2000, 2)) * [1, 100] + [0.6, 15]
    logit = np.column_stack(((queries - x.mean(axis=0)) / x.std(axis=0), np.ones(2000))) @ w
    clear = np.abs(logit) > 0.003
    np.testing.assert_array_equal(predict(queries)[0][clear], 3 * (logit[clear] > 0))


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


# Limits of the classics, and of fits.


def test_rows_are_one_of_each_cluster_and_without_copies():
    points = np.array([[0.0], [1.0], [0.0], [2.0], [1.0], [3.0]])

    def order(duplicates, clusters=None):
        source = Source(origin="arrays", layout="")
        data = Features(points, np.zeros(6, dtype=int), ("0",), clusters, source)
        return _order(data, duplicates, np.random.default_rng(1)).tolist()

    every = np.random.default_rng(1).permutation(6).tolist()
    assert order("all") == every
    assert order("first") == [row for row in every if row in (0, 1, 3, 5)]
    clusters = np.array([5, 5, 7, 7, 9, 9])
    first = [next(row for row in every if clusters[row] == one) for one in (5, 7, 9)]
    assert order("all", clusters) == [row for row in every if row in first]
    with pytest.raises(ef.InputError, match=r"Rows 0 and 2 of `X` are equal \(2 rows repeat"):
        order("error")
    points = np.arange(6.0)[:, None]
    assert order("error") == every
