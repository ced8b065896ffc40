"""Best values for many counts at once, and without each item, against slow and obvious code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import errorfloor as ef
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.selective import CountedCoverageAt

TWO = {
    "balanced-error": {},
    "auc": {},
    "average-precision": {},
    "f1": {},
    "mcc": {},
    "error-at-coverage": {"at": 0.7},
    "coverage-at-error": {"at": 0.1},
}
MANY = {
    "balanced-error": {},
    "error-at-coverage": {"at": 0.7},
    "coverage-at-error": {"at": 0.3},
}
# Distinct, tied, sharp and rare probabilities.
PROBABILITIES = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    st.sampled_from([0.0, 1.0]),
    st.floats(0, 0.02),
)


class OneByOne:
    """Any metric on many counts, from its best value on one set of weights: slow and obvious."""

    def __init__(self, best, probabilities, count):
        self.best = best
        self.probabilities = probabilities
        self.count = count

    def values(self, counts):
        return np.array([self._value(count) for count in counts])

    def leave_one_out(self):
        every = np.arange(self.count.size)
        return np.array([self._value(self.count - (every == row)) for row in every])

    def _value(self, count):
        try:
            return self.best(self.probabilities, count) if count.any() else np.nan
        except ef.InputError:  # no items of a class
            return np.nan


def auc_of_pairs(p, count):
    """Return the best AUC from all pairs of different items."""
    items = np.repeat(p, count)
    different = ~np.eye(items.size, dtype=bool)
    products = np.outer(items, 1 - items)
    lesser, both = np.minimum(products, products.T)[different], (products + products.T)[different]
    return 1 - lesser.sum() / both.sum() if both.sum() > 0 else np.nan


def slow(name, metric, p, count):
    return OneByOne(auc_of_pairs if name == "auc" else metric.best, p, count)


def check(fast, slow, count, rng):
    counts = np.vstack((count, rng.multinomial(count.sum(), count / count.sum(), size=4)))
    np.testing.assert_allclose(fast.values(counts), slow.values(counts), atol=1e-9, rtol=0)
    if count.sum() > 1:
        without = slow.leave_one_out()
        found = fast.leave_one_out()
        if isinstance(fast, CountedCoverageAt):  # which goes beyond 1 where all can be answered
            found = np.minimum(found, 1)
        np.testing.assert_allclose(found, without, atol=1e-9, rtol=0)


@pytest.mark.parametrize("name", sorted(TWO))
@settings(max_examples=25)
@given(st.lists(PROBABILITIES, min_size=1, max_size=12), st.integers(0, 2**32))
def test_two_classes_are_counted_as_one_by_one(name, p, seed):
    rng = np.random.default_rng(seed)
    p = np.unique(np.asarray(p) + 0.0)
    p = p[(p == 0) | (p > 1e-4)]  # what rounding leaves of smaller ones is no share of a class
    count = rng.integers(1, 4, p.size)
    if p.size:
        metric = MetricChoice(name, **TWO[name]).of(2)
        check(metric.on(p, count), slow(name, metric, p, count), count, rng)


@pytest.mark.parametrize("name", sorted(MANY))
@settings(max_examples=25)
@given(st.integers(3, 5), st.integers(1, 7), st.booleans(), st.integers(0, 2**32))
def test_many_classes_are_counted_as_one_by_one(name, classes, rows, tied, seed):
    rng = np.random.default_rng(seed)
    votes = rng.multinomial(4, np.ones(classes) / classes, size=rows) / 4
    p = np.unique(votes if tied else rng.dirichlet(np.ones(classes), rows), axis=0)
    count = rng.integers(1, 4, len(p))
    metric = MetricChoice(name, **MANY[name]).of(classes)
    check(metric.on(p, count), slow(name, metric, p, count), count, rng)


@given(arrays(float, st.integers(2, 20), elements=st.floats(0.01, 0.99)), st.floats(0.05, 0.95))
def test_with_a_known_share_the_form_of_less_variance_is_a_mean_over_pairs(p, prior):
    p = np.unique(p)
    count = np.ones(p.size, dtype=np.int64)
    products = np.outer(p, 1 - p)
    different = ~np.eye(p.size, dtype=bool)
    both = 2 * prior * (1 - prior)
    least = 1 - np.minimum(products, products.T)[different].mean() / both if p.size > 1 else 0.5
    most = np.maximum(products, products.T)[different].mean() / both if p.size > 1 else 0.5
    found = MetricChoice("auc", prior=prior).of(2).on(p, count)
    if p.size > 1:
        clipped = np.clip([least, most], 0.5, 1)
        assert np.abs(clipped - found.values(count[None])[0]).min() < 1e-9
    if p.size > 2:
        raw = OneByOne(lambda q, c: _form_of_pairs(q, c, prior, found.sign), p, count)
        np.testing.assert_allclose(found.leave_one_out(), raw.leave_one_out(), atol=1e-9)


def _form_of_pairs(p, count, prior, sign):
    items = np.repeat(p, count)
    one, other = (items[part] for part in np.triu_indices(items.size, 1))
    products = one + other - 2 * one * other
    mean = np.mean(np.abs(one - other) + sign * products) / (4 * prior * (1 - prior))
    return mean + (sign < 0)


@pytest.mark.parametrize("asked", [{}, {"prior": 0.2}, {"prior": 0.7}], ids=str)
def test_the_auc_of_weighted_items_is_that_of_pairs_of_different_ones(asked):
    rng = np.random.default_rng(2)
    p, weight = np.sort(rng.beta(0.7, 1.5, 9)), rng.uniform(0.2, 4, 9)
    p[3] = p[2]
    weight[5] = 1e5  # without which rounding must leave the rest as it is
    count = np.array([1, 2, 1, 1, 3, 1, 1, 2, 1])
    metric = MetricChoice("auc", **asked).of(2)
    found = metric.on(p, count, weight)

    def slow(number):
        items, w = np.repeat(p, number), np.repeat(weight, number)
        one, other = np.triu_indices(items.size, 1)
        w, one, other = w[one] * w[other], items[one], items[other]
        apart, products = np.abs(one - other), one + other - 2 * one * other
        if not asked:
            return 0.5 + w @ apart / (2 * (w @ products))
        both = 4 * asked["prior"] * (1 - asked["prior"])
        return w @ (apart + found.sign * products) / w.sum() / both + (found.sign < 0)

    counts = np.vstack((count, rng.integers(0, 3, (4, 9))))
    expected = np.clip([slow(one) for one in counts], 0.5, 1)
    np.testing.assert_allclose(found.values(counts), expected, rtol=1e-12)
    without = [slow(count - one) for one in np.eye(9, dtype=int)]
    np.testing.assert_allclose(found.leave_one_out(), without, rtol=1e-6)
    light = np.flatnonzero(weight < 1e5)
    np.testing.assert_allclose(found.leave_one_out()[light], np.array(without)[light], rtol=1e-12)
    equal = metric.on(p, count, np.full(9, 2.5))
    np.testing.assert_allclose(equal.values(counts), metric.on(p, count).values(counts), rtol=1e-13)


def _forms(name, p, theta):
    n = p.shape[1]
    if name == "balanced-error":
        pair = np.stack((p / theta, (1 - p) / (1 - theta))) / 2
        return pair.min(axis=0).mean(axis=1), 1 - pair.max(axis=0).mean(axis=1)
    rank = 2 * np.arange(n) - n + 1
    apart = 2 * (p @ rank) / (n * (n - 1))
    total = p.sum(axis=1)
    both = 2 * (total * (n - total) - (p * (1 - p)).sum(axis=1)) / (n * (n - 1))
    known = 4 * theta * (1 - theta)
    return 1 - (both - apart) / known, (both + apart) / known


def test_the_sample_auc_is_unbiased_where_the_share_is_known():
    # The plug-in over all pairs, an item with itself included, is off by about 1 / n.
    rng = np.random.default_rng(0)
    p = rng.beta(1, 2, (20_000, 20))
    least, most = _forms("auc", np.sort(p, axis=1), 1 / 3)
    # Beta(1, 2) has E |p - p'| = 4/15 and so AUC = 1/2 + (4/15) / (4 * 2/9).
    for form in (least, most):
        assert form.mean() == pytest.approx(0.8, abs=4 * form.std() / 20_000**0.5)


def test_resamples_without_a_class_take_the_value_of_the_table():
    p = np.zeros(60)
    p[0] = 0.9
    for metric in ("auc", "average-precision", "mcc", "f1", "balanced-error"):
        found = ef.from_soft_labels(p, metric=metric, interval="percentile", rng=0)
        assert np.isfinite(found.replicates).all()
        assert (found.replicates == found.value).any()


@pytest.mark.parametrize("metric", ["auc", "average-precision", "mcc", "f1"])
def test_one_item_has_a_value(metric):
    found = ef.from_soft_labels([0.3], metric=metric, interval=None)
    alike = {"auc": 0.5, "average-precision": 0.3, "mcc": 0.0, "f1": 0.6 / 1.3}
    assert found.value == pytest.approx(alike[metric])


@pytest.mark.parametrize(
    "asked",
    [
        {"metric": "cost", "costs": (1, 5)},
        {"metric": "brier"},
        {"metric": "log-loss"},
        {"metric": "balanced-error"},
        {"metric": "balanced-error", "prior": 0.3},
        {"metric": "auc"},
        {"metric": "auc", "prior": 0.3},
        {"metric": "f1"},
        {"metric": "error-at-coverage", "at": 0.7},
        {"metric": "coverage-at-error", "at": 0.1},
    ],
    ids=lambda asked: "-".join(map(str, asked.values())),
)
@pytest.mark.parametrize("cells", [16, 64])
def test_merged_rows_move_no_value_by_more_than_it_says(asked, cells):
    rng = np.random.default_rng(cells)
    for p in (rng.beta(0.6, 1.4, 3000), rng.beta(3, 7, 3000), rng.random(3000) * 0.6):
        table = ef.SoftTable.from_arrays(p)
        exact = ef.from_soft_labels(table, interval=None, **asked)
        merged = ef.from_soft_labels(table.coarsen(cells), interval=None, **asked)
        assert abs(merged.value - exact.value) <= merged.resolution + 1e-12
        assert exact.resolution == 0
        # Items may all lie at one end of their rows, which the bound allows for.
        lows, highs = table.coarsen(cells).ranges
        for end in (lows, highs):
            moved = ef.SoftTable.from_arrays(np.repeat(end, table.coarsen(cells).counts))
            at_end = ef.from_soft_labels(moved, interval=None, **asked)
            assert abs(merged.value - at_end.value) <= merged.resolution + 1e-12


@pytest.mark.parametrize("metric", ["mcc", "average-precision"])
def test_where_nobody_knows_how_far_merged_rows_move_a_value_it_says_so(metric):
    table = ef.SoftTable.from_arrays(np.random.default_rng(0).random(500)).coarsen(16)
    found = ef.from_soft_labels(table, metric=metric, interval=None)
    assert found.resolution is None


def test_rows_that_are_too_wide_for_a_rare_class_say_nothing():
    lows, highs = np.array([0.0, 0.3]), np.array([0.01, 0.31])
    table = ef.SoftTable.from_ranges(lows, highs, np.array([10_000, 1]))
    for metric in ("auc", "f1", "balanced-error"):
        moved = MetricChoice(metric).of(2).moved(table.probabilities, *table.ranges, table.counts)
        assert moved == (1.0 if metric == "f1" else 0.5)


def test_means_of_known_numbers_are_kept_in_their_span_but_for_those_without_an_item():
    p, count = np.array([0.05, 0.9]), np.array([3, 2])
    found = MetricChoice("balanced-error", prior=0.3).of(2).on(p, count)
    numbers = found.numbers
    counts = np.array([[3, 2], [1, 0], [0, 1]])
    means = counts @ numbers / counts.sum(axis=1)
    assert found.values(counts) == pytest.approx(np.clip(means, 0, 0.5))
    without = (count @ numbers - numbers) / 4
    assert found.leave_one_out() == pytest.approx(without)
    alone = MetricChoice("balanced-error", prior=0.3).of(2).on(p[:1], np.array([1]))
    assert alone.leave_one_out().tolist() == [0]
