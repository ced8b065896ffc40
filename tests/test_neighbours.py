"""Exact neighbours by every engine, and the exact spanning tree, beside slow obvious code."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from errorfloor.features import neighbours
from errorfloor.features.classics import spanning_tree
from errorfloor.features.lists import in_full, squares_between
from errorfloor.features.neighbours import ENGINES, nearest, nearest_apart
from errorfloor.features.rounded import Rounded, RoundedCloud

NAMES = [engine.name for engine in ENGINES]


def points_of(kind, n=150, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 12))
    kinds = {
        "one": lambda: x[:, :1],
        "two": lambda: x[:, :2],
        "many": lambda: generator.normal(size=(n, 40)),
        "tied": lambda: generator.integers(3, size=(n, 4)).astype(float),
        "many tied": lambda: generator.integers(2, size=(n, 12)).astype(float),
        "copies": lambda: x[generator.integers(n // 4, size=n)],
        "all equal": lambda: np.full((n, 12), 0.1),
        "flat": lambda: np.column_stack((x[:, :9], np.full(n, 7.0))),
        "apart": lambda: x + 1e6 * (np.arange(n) % 3)[:, None],
        "far": lambda: x + 1e9,
        "tiny": lambda: x * 1e-40,
        "huge": lambda: x * 1e60,
        "outlier": lambda: np.where(np.arange(n)[:, None] == 5, 1e9, x),
        "of all sizes": lambda: x * 10.0 ** generator.integers(-12, 12, size=(n, 1)),
    }
    return kinds[kind]()


KINDS = [
    *("one", "two", "many", "tied", "many tied", "copies", "all equal", "flat", "apart", "far"),
    *("tiny", "huge", "outlier", "of all sizes"),
]


def by_all_distances(x, k, queries=None):
    """Sort all distances, of equal ones the lower index first."""
    asked = x if queries is None else queries
    squares = np.stack([squares_between(x, row) for row in asked])
    if queries is None:
        np.fill_diagonal(squares, np.inf)
    order = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(squares, order, 1), order


def by_kruskal(x):
    """Take edges by length, then by their ends, where they join two parts."""
    low, high = np.triu_indices(len(x), 1)
    part = np.arange(len(x))
    edges = []
    for at in np.lexsort((high, low, squares_between(x[low], x[high]))):
        one, other = part[low[at]], part[high[at]]
        if one != other:
            part[part == other] = one
            edges.append((low[at], high[at]))
    return sorted(edges)


@pytest.fixture(autouse=True)
def several_blocks(monkeypatch):
    monkeypatch.setattr(neighbours, "_BLOCK", 64)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_engine_finds_the_neighbours_of_all_distances(kind, name):
    if name == "faiss":
        pytest.importorskip("faiss")
    x = points_of(kind)
    queries = points_of(kind, 70, seed=1)
    for k in (1, 7, 40):
        for asked in (None, queries):
            found = nearest(x, k, asked, engine=name)
            squares, indices = by_all_distances(x, k, asked)
            np.testing.assert_array_equal(found.squares, squares)
            np.testing.assert_array_equal(found.indices, indices)


@pytest.mark.parametrize("most", [0.0, 1.0])
@pytest.mark.parametrize("kind", ["two", "tied", "many tied", "copies", "all equal", "apart"])
def test_asking_each_place_once_gives_the_same_lists(kind, most, monkeypatch):
    monkeypatch.setattr(neighbours, "_MOST_PLACES", most)
    x = points_of(kind)
    assert (neighbours.places_of(x) is None) == (most == 0)
    for k in (1, 9, 60, 149):
        for asked in (None, points_of(kind, 40, seed=1)):
            found = nearest(x, k, asked)
            squares, indices = by_all_distances(x, k, asked)
            np.testing.assert_array_equal(found.squares, squares)
            np.testing.assert_array_equal(found.indices, indices)


def test_places_are_told_apart_by_all_numbers_and_come_in_the_order_of_points():
    x = np.array([[2.0, 0.0], [1.0, 5.0], [2.0, -0.0], [1.0, 5.0], [2.0, 0.0], [1.0, 5.0]])
    places = neighbours.places_of(x)
    assert places.first.tolist() == [0, 1]
    assert places.place.tolist() == [0, 1, 0, 1, 0, 1]
    assert places.members.tolist() == [0, 2, 4, 1, 3, 5]
    assert places.start.tolist() == [0, 3, 6]
    assert neighbours.places_of(np.array([[2.0, 0.0], [1.0, 5.0], [2.0, 1.0]])) is None


def test_many_copies_are_no_more_work_than_their_places(monkeypatch):
    asked = []
    find = neighbours._nearest

    def watched(points, *rest):
        asked.append(len(points))
        return find(points, *rest)

    monkeypatch.setattr(neighbours, "_nearest", watched)
    nearest(points_of("copies"), 5)
    assert asked == [len(np.unique(points_of("copies"), axis=0))]


def test_the_engine_depends_on_the_dimensions_and_on_what_is_installed(monkeypatch):
    def taken(width, own):
        return neighbours._engine(None, width, own).name

    monkeypatch.setattr(neighbours, "_installed", lambda name: True)
    assert taken(8, True) == taken(3, False) == "tree"
    assert taken(9, False) == "faiss"
    # Among themselves, a product serves both of its sides.
    for cores, name in ((3, "products"), (4, "faiss")):
        monkeypatch.setattr(neighbours, "_cores", lambda cores=cores: cores)
        assert taken(9, True) == name
    monkeypatch.setattr(neighbours, "_installed", lambda name: False)
    assert taken(9, True) == taken(9, False) == "products"


@pytest.mark.parametrize("n", [2, 3, 9, 10, 11])
@pytest.mark.parametrize("width", [2, 20])
def test_few_points_have_all_others_as_neighbours(n, width):
    x = np.random.default_rng(0).normal(size=(n, width))
    found = nearest(x, 5)
    assert found.indices.shape == (n, min(5, n - 1))
    np.testing.assert_array_equal(found.indices, by_all_distances(x, 5)[1][:, : n - 1])
    assert nearest(x, 50, x[:2]).indices.shape == (2, n)


@pytest.mark.parametrize("change", [lambda x: x + 1e4, lambda x: x * 1e-30, lambda x: x * 64 - 3])
def test_shift_and_scale_change_no_neighbour(change):
    x = points_of("many")
    for name in ("tree", "products"):
        np.testing.assert_array_equal(
            nearest(change(x), 10, engine=name).indices, nearest(x, 10, engine=name).indices
        )


@pytest.mark.parametrize("kind", ["many", "flat", "tiny", "far"])
def test_single_precision_is_enough_where_points_are_plain(kind, monkeypatch):
    def never(*_):
        raise AssertionError("proposals of matrix products were not enough")

    monkeypatch.setattr(neighbours, "_in_double", never)
    x = points_of(kind)
    found = nearest(x, 7, engine="products")
    np.testing.assert_array_equal(found.indices, by_all_distances(x, 7)[1])


@pytest.mark.parametrize("most", [0.0, 1.0])
def test_all_are_done_again_where_most_are_open(most, monkeypatch):
    # Far clusters are beyond single precision. Done again all at once or one by one: the same.
    monkeypatch.setattr(neighbours, "_MOST", most)
    x = points_of("apart")
    found = nearest(x, 9, engine="products")
    np.testing.assert_array_equal(found.indices, by_all_distances(x, 9)[1])
    tied = points_of("many tied")[:60]  # left open by double precision as well
    found = nearest(tied, 9, engine="products")
    np.testing.assert_array_equal(found.indices, by_all_distances(tied, 9)[1])


def test_double_precision_is_enough_where_points_lie_in_clusters(monkeypatch):
    def never(*_):
        raise AssertionError("proposals of matrix products were not enough")

    monkeypatch.setattr(neighbours, "in_full", never)
    x = points_of("many") + 2e3 * (np.arange(150) % 3)[:, None]
    found = nearest(x, 20, engine="products")
    np.testing.assert_array_equal(found.indices, by_all_distances(x, 20)[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["many", "apart", "outlier", "of all sizes", "tied"])
def test_values_are_as_near_to_the_truth_as_they_say(kind, dtype):
    x = points_of(kind)
    known = Rounded.of(x, dtype)
    exact = -0.5 * known.scale**2 * np.stack([squares_between(x, row) for row in x])
    for k in (1, 20):
        values = known.values(known)
        last = np.sort(values, axis=1)[:, -k]
        least = neighbours.least_of(known, last)
        # A value that is among the true k best is above what it has to be above.
        true = exact >= np.sort(exact, axis=1)[:, [-k]]
        assert (values > least[:, None])[true].all()


def test_the_slack_grows_with_dimensions_and_lengths_and_not_with_far_points():
    x = points_of("many")
    plain = Rounded.of(x, np.float32)
    last = np.full(len(x), -0.01, np.float32)
    slack = plain.slack(last)
    length = np.sqrt(2 * plain.halves)
    assert (np.diff(slack[length.argsort()]) >= 0).all()
    # By hand: 40 and 8 terms in half, and 2 more, of 2**-24 each.
    share = 26 * 2.0**-24
    reach = (np.sqrt(0.02) + 2 * np.sqrt(2 * share) * length) / (1 - np.sqrt(2 * share))
    np.testing.assert_allclose(slack, 2 * share * (2 * length + reach) ** 2, rtol=1e-5)
    assert plain.some(slice(3)).rows.shape == (3, 40)


def test_the_nearest_of_other_parts_are_those_of_all_distances():
    for kind in ("many", "many tied", "apart", "copies"):
        x = points_of(kind)
        part = np.random.default_rng(3).integers(4, size=len(x))
        rows = np.flatnonzero(part != 2)[::3]
        found = nearest_apart(RoundedCloud(x), rows, part, 3)
        for at, row in enumerate(rows):
            expected = in_full(x, x[row], 3, part == part[row])
            squares = np.where(part == part[row], np.inf, squares_between(x, x[row]))
            np.testing.assert_array_equal(found.indices[at], squares.argsort(kind="stable")[:3])
            np.testing.assert_array_equal(found.indices[at], expected.indices[0])
            np.testing.assert_array_equal(found.squares[at], expected.squares[0])


@pytest.mark.parametrize("listed", [1, 4, 30, 149])
@pytest.mark.parametrize("kind", KINDS)
def test_the_spanning_tree_is_that_of_kruskal(kind, listed):
    x = points_of(kind)
    lists = nearest(x, listed)
    expected = by_kruskal(x)
    assert [tuple(edge) for edge in spanning_tree(x, lists)] == expected
    order = np.random.default_rng(2).permutation(len(x))
    edges = spanning_tree(x[order], lists.in_order(order))
    assert [tuple(edge) for edge in edges] == by_kruskal(x[order])


@pytest.mark.parametrize("kind", ["one", "two", "many", "flat"])
def test_the_spanning_tree_is_as_short_as_another_library_has_it(kind):
    x = points_of(kind)
    apart = cdist(x, x)
    edges = spanning_tree(x, nearest(x, 5))
    length = apart[edges[:, 0], edges[:, 1]].sum()
    assert length == pytest.approx(minimum_spanning_tree(apart).sum(), rel=1e-12)


def test_only_points_that_may_have_the_shortest_edge_are_looked_at_further(monkeypatch):
    seen = []

    def watched(cloud, rows, part):
        seen.append(len(rows))
        return nearest_apart(cloud, rows, part)

    monkeypatch.setattr("errorfloor.features.classics.nearest_apart", watched)
    monkeypatch.setattr("errorfloor.features.classics._AT_ONCE", 4)
    generator = np.random.default_rng(0)
    # Two dense clusters, and lists that end inside them: a few points at the rims are enough.
    x = generator.normal(size=(300, 2)) + 40 * (np.arange(300) % 2)[:, None]
    edges = spanning_tree(x, nearest(x, 20))
    assert [tuple(edge) for edge in edges] == by_kruskal(x)
    assert 0 < sum(seen) <= 150
    seen.clear()
    spanning_tree(x[::2], nearest(x[::2], 20))
    assert not seen
