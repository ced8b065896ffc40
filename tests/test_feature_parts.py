"""Parts of the estimates from features, one by one, beside slow obvious code."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import comb

import errorfloor as ef
from errorfloor.data.features import Features
from errorfloor.data.source import Source
from errorfloor.features import classics, leaks, sequence, votes
from errorfloor.features.classics import least_of_pairs, least_of_votes, spanning_tree
from errorfloor.features.lists import (
    blocks_of,
    in_full,
    sorted_lists,
    squares_between,
    squares_of_pairs,
)
from errorfloor.features.neighbours import nearest
from errorfloor.questions.features import _doubts, _order

# The weighted mean over grids.


def by_grids(x, codes, classes):
    """Count minorities in the cells of twenty grids, one item at a time."""
    n, dimensions = x.shape
    scale = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(scale > 0, scale, 1)
    widths = np.linspace(1, 4, 20)
    minorities = []
    for width in widths:
        cells = {}
        for row, code in zip(x, codes, strict=True):
            cell = tuple(np.floor(row / (width * n ** (-0.5 / dimensions))))
            cells.setdefault(cell, np.zeros(classes))[code] += 1
        minorities.append(sum(cell.sum() - cell.max() for cell in cells.values()) / n)
    # The shortest weights that sum to 1 and let the first powers of the width vanish.
    powers = np.array([widths**power for power in range(min(dimensions, 3) + 1)])
    wanted = np.zeros(len(powers))
    wanted[0] = 1
    weights = powers.T @ np.linalg.solve(powers @ powers.T, wanted)
    return float(np.clip(weights @ minorities, 0, 1 - 1 / classes))


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
@pytest.mark.parametrize("classes", [2, 3])
def test_grids_give_what_counting_in_their_cells_gives(dimensions, classes):
    generator = np.random.default_rng(dimensions)
    # Places with several items each, so that narrow cells have minorities too.
    x = generator.integers(2, size=(200, dimensions)) + 0.1 * generator.normal(size=(200, 1))
    x = x * [1, 2, 30, 0.1][:dimensions] + [0, 5, -3, 2][:dimensions]
    codes = generator.integers(classes, size=200)
    codes[x[:, 0] > 0.5] = 0
    found = classics.find("noshad").ends(x, codes, classes)
    assert found.value == pytest.approx(by_grids(x, codes, classes), abs=1e-9)
    assert 0 < found.value < 1 - 1 / classes
    assert (found.low, found.high) == (None, None)
    flat = np.column_stack((x, np.full(200, 7.0)))  # a feature that says nothing
    found = classics.find("noshad").ends(flat, codes, classes)
    assert found.value == pytest.approx(by_grids(flat, codes, classes), abs=1e-9)


def test_the_mean_over_grids_is_a_share_that_guessing_does_not_beat():
    x = np.random.default_rng(0).normal(size=(60, 2))
    pure = classics.find("noshad").ends(x, np.zeros(60, dtype=int), 3)
    assert pure.value == 0
    for seed in range(8):  # of pure noise weights of both signs may go beyond
        codes = np.random.default_rng(seed).integers(2, size=60)
        assert 0 <= classics.find("noshad").ends(x, codes, 2).value <= 0.5


def test_every_set_of_labels_has_its_own_value():
    generator = np.random.default_rng(5)
    x, codes = generator.normal(size=(80, 2)), generator.integers(3, size=(4, 80))
    for record in classics.RECORDS:
        lists = classics.neighbours_for([record], x)
        measure = record.bind(x, lists, record.k)
        together = measure(codes, 3)
        for at, one in enumerate(codes):
            alone = record.ends(x, one, 3)
            assert together.value[at] == pytest.approx(alone.value, abs=1e-12)
            assert record.has_ends == (alone.low is not None)
            if record.has_ends:
                assert (together.low[at], together.high[at]) == (alone.low, alone.high)
                assert alone.value == pytest.approx((alone.low + alone.high) / 2)


def test_lists_are_long_enough_for_ties_and_for_a_tree():
    x = np.random.default_rng(0).normal(size=(40, 2))
    one, k, tree = (classics.find(name) for name in ("1nn", "knn-15", "ghp"))
    assert classics.neighbours_for([tree], x).indices.shape == (40, 10)
    assert classics.neighbours_for([one, tree], x).indices.shape == (40, 10)
    assert classics.neighbours_for([one, k], x).indices.shape == (40, 16)
    assert classics.neighbours_for([classics.find("knn-9")], x).indices.shape == (40, 10)
    assert classics.neighbours_for([classics.find("knn-10")], x).indices.shape == (40, 11)


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


def test_the_least_floor_of_one_neighbour_is_exact_at_the_places_of_the_grid():
    floors = np.array([0, 1, 2, 512, 1025, 3000, 4095, 4096]) / 8192
    found = least_of_votes(2 * floors * (1 - floors), 1, 2)
    np.testing.assert_allclose(found, floors, rtol=0, atol=1e-15)
    np.testing.assert_allclose(least_of_pairs(2 * floors * (1 - floors), 2), floors, atol=1e-9)


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


# Lists.


def test_lists_go_by_distance_and_then_by_index():
    squares = np.array([[2.0, 1.0, 2.0, 0.0], [3.0, 3.0, 3.0, 3.0]])
    indices = np.array([[9, 4, 3, 7], [6, 2, 8, 1]])
    found = sorted_lists(squares, indices, 3)
    assert found.indices.tolist() == [[7, 4, 3], [1, 2, 6]]
    assert found.squares.tolist() == [[0, 1, 2], [3, 3, 3]]
    assert sorted_lists(squares, indices).indices.tolist() == [[7, 4, 3, 9], [1, 2, 6, 8]]


def test_blocks_cover_all_rows_once_and_hold_about_a_million_numbers():
    for number, width in ((0, 3), (1, 0), (5, 2**20), (5, 2**21), (1000, 2**12), (1024, 2**12)):
        blocks = blocks_of(number, width)
        assert [row for one in blocks for row in range(number)[one]] == list(range(number))
        assert all(one.stop <= number for one in blocks)
        sizes = [one.stop - one.start for one in blocks]
        assert all(size == 1 or size * width <= 2**20 for size in sizes)
        assert all(one.stop == two.start for one, two in pairwise(blocks))
    assert len(blocks_of(1000, 2**12)) == 4


def test_distances_of_pairs_and_from_one_point_are_those_of_all():
    generator = np.random.default_rng(3)
    x, other = generator.normal(size=(30, 4)), generator.normal(size=(20, 4))
    every = ((x[:, None] - other) ** 2).sum(axis=2)
    at, of = generator.integers(30, size=50), generator.integers(20, size=50)
    np.testing.assert_allclose(squares_of_pairs(x, at, other, of), every[at, of])
    np.testing.assert_array_equal(squares_between(x, other[0]), squares_between(other[0], x))
    excluded = np.arange(30) % 3 == 0
    for k in (1, 4, 20):
        found = in_full(x, other[7], k, excluded)
        allowed = np.flatnonzero(~excluded)
        order = allowed[np.argsort(every[allowed, 7])][:k]
        assert found.indices.tolist() == [order.tolist()]
        np.testing.assert_allclose(found.squares[0], every[order, 7])
    assert in_full(x, other[7], 30, None).indices[0].tolist() == np.argsort(every[:, 7]).tolist()


def test_more_pairs_than_a_block_holds_are_measured_block_by_block(monkeypatch):
    monkeypatch.setattr("errorfloor.features.lists._CELLS", 160)
    x = np.random.default_rng(4).normal(size=(25, 2))
    at, of = np.divmod(np.arange(625), 25)
    np.testing.assert_allclose(squares_of_pairs(x, at, x, of), ((x[at] - x[of]) ** 2).sum(axis=1))
    assert squares_of_pairs(x, at[:0], x, of[:0]).size == 0


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
    monkeypatch.setattr(votes, "_MOST_TIED", most)
    generator = np.random.default_rng(k)
    x = generator.integers(3, size=(12 if k == 11 else 31, 2)).astype(float)
    codes = generator.integers(3, size=(2, len(x)))
    lists = nearest(x, k + 1)
    voters = votes.NeighbourVotes.of(x, k, lists)
    found = voters.votes(codes, 3)
    assert voters.k == min(k, len(x) - 1)
    for at, one in enumerate(codes):
        np.testing.assert_allclose(found[:, :, at], slow_votes(x, k, one, 3), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=0), voters.k)


def test_a_majority_that_is_shared_is_right_in_part():
    # By class, by item, for one set of labels: alone, shared by two of three, by all, lost.
    told = np.array([[3.0, 1.5, 1.0, 2.0], [0.0, 1.5 - 1e-12, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    codes = np.array([[0, 1, 2, 2]])
    assert votes.errors_of(told[:, :, None], codes)[0] == pytest.approx(
        (0 + 1 / 2 + 2 / 3 + 1) / 4, abs=1e-12
    )
    assert votes.counted(np.array([[0, 2, 2], [1, 1, 1]]), 3).tolist() == [[1, 0, 2], [0, 3, 0]]


# Prediction one item after the other.


def test_batches_grow_by_half_and_begin_after_sixteen_items():
    assert sequence.batches(16) == []
    assert sequence.batches(17) == [(16, 17)]
    assert sequence.batches(24) == [(16, 24)]
    assert sequence.batches(25) == [(16, 25)]
    assert sequence.batches(26) == [(16, 17), (17, 26)]
    assert sequence.batches(100) == [(16, 19), (19, 29), (29, 44), (44, 66), (66, 100)]


class Told:
    """A family of two models that note what they are given; one answers 0, and one 1."""

    names = ("zero", "one")

    def __init__(self):
        self.fits = []

    def fit(self, points, codes, classes):
        self.fits.append((len(points), len(codes), classes))
        return lambda queries: np.array([[0], [1]]) * np.ones(len(queries), dtype=int)


def test_the_first_items_are_predicted_by_the_majority_and_later_ones_by_models():
    codes = np.array([0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1])
    told = Told()
    found = sequence._wrong(np.zeros((20, 1)), codes, 2, told)
    assert told.fits == [(16, 16, 2)]
    majority = [1]
    for at in range(1, 16):
        ones = codes[:at].sum()
        majority.append(int((2 * ones > at) != codes[at]))
    assert found[0].tolist() == [*majority, 1, 0, 1, 1]
    assert found[1].tolist() == [*majority, 0, 1, 0, 0]
    run = sequence.run(np.zeros((20, 1)), codes, 2, [told])
    assert run.names == ("zero", "one")
    assert run.model_errors == (sum(majority) + 3, sum(majority) + 1)
    assert run.leader == "one"
    # Before items 16 and 18 both are level and the first leads; otherwise the second does.
    assert run.errors == sum(majority) + 1 + 1 + 1 + 0


def test_leaders_have_the_fewest_errors_on_the_later_half():
    generator = np.random.default_rng(0)
    wrong = generator.integers(2, size=(3, 41))
    slow = [min(range(3), key=lambda model: wrong[model, at // 2 : at].sum()) for at in range(42)]
    assert sequence.leaders_of(wrong).tolist() == slow


# Models.


def test_the_majority_is_the_most_frequent_class_and_the_first_of_equals():
    x = np.zeros((5, 1))
    for codes, answer in (([0, 1, 1, 2, 2], 1), ([2, 2, 2, 0, 1], 2), ([0, 0, 0, 0, 0], 0)):
        predict = sequence.fit_majority(x, np.array(codes), 3)
        assert predict(np.zeros((3, 1))).tolist() == [[answer] * 3]


def test_equal_votes_go_to_the_nearest_of_them():
    x = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], *([100.0 + i] for i in range(10))])
    codes = np.array([2, 1, 1, 0, 0, *([2] * 10)])
    predict = sequence.fit_neighbours(x, codes, 3)
    # Of one: class 2; of five: 1 and 0 have two votes each, and 1 is nearer; of fifteen: class 2.
    assert predict(np.array([[-1.0], [3.6]])).tolist() == [[2, 0], [1, 0], [2, 2]]


def test_the_discriminant_is_that_of_its_formula():
    generator = np.random.default_rng(1)
    codes = (
        generator.choice(3, p=[0.6, 0.3, 0.1], size=90) * 2
    )  # classes 1, 3 and 5 are yet to come
    x = generator.normal(size=(90, 2)) @ np.array([[1, 0.7], [0, 0.5]]) + codes[:, None] * [
        0.3,
        -0.2,
    ]
    x += [5, -50]
    means = np.array([x[codes == one].mean(axis=0) for one in (0, 2, 4)])
    prior = np.array([(codes == one).mean() for one in (0, 2, 4)])
    inverse = np.linalg.inv(sequence._shrunk(x - means[codes // 2]))
    queries = generator.normal(size=(400, 2)) * 2 + [5, -50]
    density = [
        np.log(share) - 0.5 * np.einsum("ij,jk,ik->i", queries - mean, inverse, queries - mean)
        for share, mean in zip(prior, means, strict=True)
    ]
    answers = sequence.fit_discriminant(x, codes, 6)(queries)
    np.testing.assert_array_equal(answers[0], 2 * np.argmax(density, axis=0))
    assert set(answers[0]) == {0, 2, 4}


def test_the_covariance_of_rows_that_are_alike_can_be_inverted():
    assert sequence._shrunk(np.zeros((4, 2))).tolist() == [[1, 0], [0, 1]]
    same = np.tile([[1.0, 1.0], [-1.0, -1.0]], (50, 1))  # nothing but one direction
    found = sequence._shrunk(same)
    assert found.tolist() == found.T.tolist()
    assert np.trace(found) == pytest.approx(2 + 2e-9, abs=1e-12)


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


def test_models_of_a_user_are_told_apart_by_number():
    class Own:
        def fit(self, x, y):
            self.seen = len(y)

        def predict(self, x):
            return np.ones(len(x), dtype=int)

    found = sequence.families([Own(), Own(), Own()])
    assert [family.names for family in found] == [
        ("majority",), ("linear-discriminant",), ("logistic",), ("1-nn", "5-nn", "15-nn"),
        ("Own",), ("Own-2",), ("Own-3",),
    ]  # fmt: skip
    predict = found[-1].fit(np.zeros((4, 1)), np.array([0, 1, 1, 2]), 3)
    assert predict(np.zeros((2, 1))).tolist() == [[1, 1]]
    alone = found[-1].fit(np.zeros((4, 1)), np.array([2, 2, 2, 2]), 3)
    assert alone(np.zeros((2, 1))).tolist() == [[2, 2]]


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


def test_a_column_that_tells_some_rows_only_is_found_out_by_all():
    codes = np.arange(2000) % 2
    column = codes.astype(float)
    rows = np.unique(np.linspace(0, 1999, 500).astype(int))
    odd = np.setdiff1d(np.arange(2000), rows)[0]
    column[odd] = 1 - column[odd]
    assert leaks.telling_columns(column[:, None], codes).size == 0
    assert leaks.telling_columns(codes[:, None].astype(float), codes).tolist() == [0]


# Limits of the classics, and of fits.


def test_classics_are_doubted_from_the_dimensions_on_in_which_they_failed():
    for name, least in (("1nn", 10), ("knn-15", 10), ("ghp", 10), ("noshad", 3)):
        record = classics.find(name)
        assert list(_doubts(record, least - 1)) == []
        (doubt,) = _doubts(record, least)
        assert (doubt.level, doubt.value) == ("warn", str(least))
        assert f"From about {least} dimensions on, {name} misses" in doubt.sentence


def test_trees_of_tied_edges_are_those_of_eight_orders(monkeypatch):
    seen = []

    def watched(points, lists):
        seen.append(points)
        return spanning_tree(points, lists)

    monkeypatch.setattr(classics, "spanning_tree", watched)
    x = np.random.default_rng(0).normal(size=(20, 2))
    codes = np.arange(20) % 2
    classics.find("ghp").ends(x, codes, 2)
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0], x)
    seen.clear()
    x[1] = x[0]
    x[2] = x[0]
    classics.find("ghp").ends(x, codes, 2)
    assert len(seen) == 8
    assert len({one.tobytes() for one in seen}) == 8
    assert all(sorted(one.tolist()) == sorted(x.tolist()) for one in seen)


def test_logistic_fits_take_fifty_steps_at_most(monkeypatch):
    from scipy import optimize

    seen, minimize = [], optimize.minimize

    def watched(*given, **options):
        seen.append((options["options"], options["method"]))
        return minimize(*given, **options)

    monkeypatch.setattr(optimize, "minimize", watched)
    sequence.fit_logistic(np.arange(6.0)[:, None], np.arange(6) % 2, 2)
    assert seen == [({"maxiter": 50}, "L-BFGS-B")]


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
