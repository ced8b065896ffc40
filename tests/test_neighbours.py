"""Exact neighbours by every engine, and the exact spanning tree, next to slow obvious code."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from errorfloor.features import neighbours
from errorfloor.features.classics import spanning_tree
from errorfloor.features.neighbours import (
    ENGINES,
    Rounded,
    RoundedCloud,
    in_full,
    nearest,
    nearest_apart,
    squares_between,
)

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
