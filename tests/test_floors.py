"""Fast statistics on cell counts against slow, obvious ones on items."""

import numpy as np
import pytest
from helpers import best_cut_errors, bind, fit
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from strategies import labelled_scores, score_tables

import errorfloor as ef
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.intervals.bootstrap import acceleration, draw
from errorfloor.methods.histogram import Binned
from errorfloor.methods.logistic import Logistic
from errorfloor.questions.feebee import TableStatistic, redraw_labels

CLIP = 1e-3
RNG = np.random.default_rng(0)  # for statistics that leave it alone
LOGISTIC = ["beta", "beta-am", "beta-ab", "beta-a", "platt", "platt-logit"]
DETERMINISTIC = [method for method in ef.METHODS if method != "isotonic-cf"]


def slow_floor(method):
    return lambda table: fit(table, method, clip=CLIP).floor


def without_each(method, cells):
    """Return the floor without one item of each cell in turn, fitted again."""
    less = cells.count - np.eye(len(cells), dtype=np.int64)
    return TableStatistic(cells, slow_floor(method)).values(less, RNG)


def value(statistic, cells):
    return statistic.values(cells.count[None], RNG)[0]


@settings(max_examples=300)
@given(labelled_scores())
def test_the_isotonic_floor_is_the_training_error_of_the_best_cut(data):
    scores, labels = data
    grouped, inverse = np.unique(scores, return_inverse=True)
    weight = np.bincount(inverse)
    prob = isotonic_regression(np.bincount(inverse, labels) / weight, weights=weight).x[inverse]
    cuts = np.concatenate(([-1.0], grouped))
    best = min(np.mean((scores > cut) != labels) for cut in cuts)
    assert np.minimum(prob, 1 - prob).mean() == pytest.approx(best, abs=1e-12)
    cells = ef.ScoreTable.from_arrays(scores, labels).cells()
    assert value(bind("isotonic", cells, clip=CLIP), cells) == best


@given(score_tables())
def test_swapping_classes_and_flipping_scores_changes_no_symmetric_floor(table):
    flipped = ef.ScoreTable.from_counts(
        1 - table.scores[::-1], table.positives[::-1], table.negatives[::-1]
    )
    for method in ("corrupted", "isotonic", "beta-am", "beta-ab", "beta-a", "platt", "platt-logit"):
        mine, other = (
            value(bind(method, t.cells(), clip=CLIP), t.cells()) for t in (table, flipped)
        )
        assert mine == pytest.approx(other, abs=1e-7)


@given(labelled_scores(), st.integers(2, 5))
def test_monotone_transforms_of_scores_leave_isotonic_and_bins_unchanged(data, bins):
    scores, labels = data
    for method in ("isotonic", f"hist-{bins}"):
        transformed = (scores, 3 * scores - 7, np.exp(5 * scores), scores**3)
        cells = [ef.ScoreTable.from_arrays(s, labels).cells() for s in transformed]
        assert len({value(bind(method, c, clip=CLIP), c) for c in cells}) == 1


@pytest.mark.parametrize("method", [*DETERMINISTIC, "hist-3", "hist-1"])
@given(data=st.data())
@settings(max_examples=20)
def test_values_of_many_counts_are_those_of_their_tables(method, data):
    cells = data.draw(score_tables(both_classes=True)).cells()
    statistic = bind(method, cells, clip=CLIP)
    counts = draw(cells.count, 6, np.random.default_rng(1))
    expected = TableStatistic(cells, slow_floor(method)).values(counts, RNG)
    np.testing.assert_allclose(statistic.values(counts, RNG), expected, atol=2e-6)


@pytest.mark.parametrize("method", [*DETERMINISTIC, "hist-3", "hist-1"])
@given(table=score_tables())
@settings(max_examples=20)
def test_values_of_other_labels_are_those_of_their_tables(method, table):
    # Labels that the table does not have, and rows that lose a label, on complete cells.
    cells = table.cells(complete=True)
    counts = redraw_labels(cells.count, np.array([0, 0.2, 0.5, 1]), np.random.default_rng(1))
    expected = TableStatistic(cells, slow_floor(method)).values(counts, RNG)
    found = bind(method, cells, clip=CLIP).values(counts, RNG)
    np.testing.assert_allclose(found, expected, atol=2e-6)


@pytest.mark.parametrize("method", ["corrupted", "isotonic", "hist-1", "hist-4", "hist-25"])
@given(table=score_tables())
def test_leaving_one_out_equals_the_table_without_the_item(method, table):
    cells = table.cells()
    if table.n == 1:
        assert bind(method, cells, clip=CLIP).leave_one_out() == [0]
        return
    expected = without_each(method, cells)
    np.testing.assert_allclose(bind(method, cells, clip=CLIP).leave_one_out(), expected, atol=1e-12)


@pytest.mark.parametrize("method", LOGISTIC)
def test_leaving_one_out_of_a_logistic_fit_is_a_fit_to_the_rest(method, monkeypatch):
    data = gaussian_mixture(1500, rng=2)
    scores = np.round(corrupt(data.soft_labels, 2, 0.7), 2)
    cells = ef.ScoreTable.from_arrays(scores, data.labels).cells()
    exact = without_each(method, cells)
    np.testing.assert_allclose(bind(method, cells, clip=CLIP).leave_one_out(), exact, atol=1e-7)
    # Tables with many cells take one step a cell: most items are off by far less than they move
    # the floor, and the skewness that BCa needs is right to a few per cent.
    monkeypatch.setattr(Logistic, "few_cells", 0)
    step = bind(method, cells, clip=CLIP).leave_one_out()
    moved = np.abs(exact - value(bind(method, cells, clip=CLIP), cells))
    assert np.median(np.abs(step - exact) / moved) < 0.005
    expected = acceleration(exact, cells.count)
    assert acceleration(step, cells.count) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("method", LOGISTIC)
@pytest.mark.parametrize("n", [60, 1000])
def test_resampled_logistic_floors_are_those_of_full_fits(method, n):
    data = gaussian_mixture(n, rng=3)
    cells = ef.ScoreTable.from_arrays(corrupt(data.soft_labels, 2, 0.7), data.labels).cells()
    counts = draw(cells.count, 40, np.random.default_rng(1))
    fast = bind(method, cells, clip=CLIP).values(counts, RNG)
    slow = TableStatistic(cells, slow_floor(method)).values(counts, RNG)
    np.testing.assert_allclose(fast, slow, atol=1e-7)


def test_nearly_separable_resamples_end_where_full_fits_do():
    # A handful of errors: resamples without them are separable, and whole steps overshoot.
    scores = np.concatenate([np.linspace(0.01, 0.4, 40), np.linspace(0.6, 0.99, 40)])
    labels = scores > 0.5
    labels[[37, 42]] = ~labels[[37, 42]]
    cells = ef.ScoreTable.from_arrays(scores, labels).cells()
    counts = draw(cells.count, 200, np.random.default_rng(4))
    for method in ("beta", "beta-am", "beta-ab"):
        fast = bind(method, cells, clip=CLIP).values(counts, RNG)
        slow = TableStatistic(cells, slow_floor(method)).values(counts, RNG)
        np.testing.assert_allclose(fast, slow, atol=1e-6)


def test_resamples_that_need_a_smaller_beta_model_get_it():
    rng = np.random.default_rng(3)
    scores = rng.random(300)
    labels = rng.random(300) < np.where(scores < 0.5, 0.45 - 0.3 * scores, scores)
    cells = ef.ScoreTable.from_arrays(scores, labels).cells()
    counts = draw(cells.count, 50, rng)
    statistic = Logistic(cells, bind("beta", cells, clip=CLIP).model)
    fast = statistic.values(counts, RNG)
    slow = TableStatistic(cells, slow_floor("beta")).values(counts, RNG)
    np.testing.assert_allclose(fast, slow, atol=1e-7)
    assert statistic._refits


def test_bins_of_resamples_with_different_sizes_are_their_own():
    cells = ef.ScoreTable.from_arrays(np.arange(8) / 8, [0, 1, 0, 1, 1, 0, 1, 1]).cells()
    counts = np.array([[1] * 8, [2, 0, 1, 1, 0, 0, 3, 5], [0, 0, 0, 0, 0, 0, 0, 1]])
    expected = TableStatistic(cells, slow_floor("hist-3")).values(counts, RNG)
    np.testing.assert_allclose(Binned(cells, 3).values(counts, RNG), expected, atol=1e-12)


def test_the_midpoint_lies_between_its_two_errors_and_removes_most_of_the_bias():
    # Bias of the best cut and of the midpoint at n = 200, with the true floor of the paper's
    # mixture; 200 repetitions make the standard error of either about 0.0014.
    plain, midpoint = [], []
    for seed in range(200):
        data = gaussian_mixture(200, rng=seed)
        rows = ef.compare(
            data.soft_labels,
            data.labels,
            methods=["isotonic", "isotonic-cf"],
            interval=None,
            rng=seed,
        )
        plain.append(rows["isotonic"].value - data.floor)
        midpoint.append(rows["isotonic-cf"].value - data.floor)
        assert midpoint[-1] >= plain[-1]
    error = np.std(plain) / 200**0.5
    assert np.mean(plain) < -0.011 + 3 * error
    assert abs(np.mean(midpoint)) < 0.003 + 3 * error


def test_best_cut_counts_errors_as_integers():
    cells = ef.ScoreTable.from_arrays([1, 2, 2, 3], [1, 0, 1, 0]).cells()
    counts = np.array([[1, 1, 1, 1], [0, 5, 2, 9]])
    assert best_cut_errors(cells, counts).tolist() == [2, 5]
