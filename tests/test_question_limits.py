"""Where questions change their answer: at a limit, and just before it."""

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data.items import KeptScores
from errorfloor.methods.record import Options
from errorfloor.methods.rules.offsets import OffsetFit
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import confusion, items, models, plan, plan_labels
from errorfloor.questions.plan import ManyScores, ManyVotes

# Models


def test_spreads_are_of_four_hundred_resamples_of_up_to_4096_rows():
    for rows, kept in ((4096, 4096), (4097, 2049)):
        counts, shapes = np.ones((rows, 3), dtype=np.int64), []
        found = models._bootstrap(counts, lambda drawn, to=shapes: to.append(drawn.shape) or 0.0)
        assert (found.shape, set(shapes)) == ((400,), {(kept, 3)})


# Items


@pytest.mark.parametrize(("p", "even"), [(0.05, False), (0.0501, True)])
def test_classes_are_exchangeable_unless_a_test_at_a_twentieth_refutes_it(p, even, monkeypatch):
    monkeypatch.setattr(items, "p_of_symmetry", lambda rows: p)
    found = ef.items([0, 1, 1, 2, 3, 0], totals=3)
    assert (found.symmetric, found.symmetry) == (even, p)


# Confusion


def test_chances_that_differ_by_rounding_only_are_shared():
    for off, first in ((5e-10, 0.5), (2e-9, 0.0)):
        found = confusion.chosen(np.array([[0.4, 0.4 + off, 0.2 - off]]))
        assert found.tolist() == [[first, 1 - first, 0]]


# Weights


def test_limits_need_ten_clusters():
    def asked(clusters, interval="auto"):
        n = 6 * clusters
        rng = np.random.default_rng(0)
        p = rng.random(n).round(2)
        cluster = np.arange(n) % clusters
        return ef.from_soft_labels(p, cluster=cluster, interval=interval, rng=0)

    with pytest.warns(ef.ErrorFloorWarning):
        assert asked(10).clusters == 10
    with pytest.raises(ef.InputError, match="`cluster` has 9 values"):
        asked(9)


# Plans


def test_plans_go_up_to_a_hundred_million_items():
    last = plan._items_needed(
        lambda n: 0.1 if n >= 10**8 else 0.5, 0.1, np.array([100]), np.array([0.5])
    )
    assert last == 10**8


@pytest.mark.parametrize(("metric", "most"), [("brier", 10**8), ("auc", 10**6)])
def test_widths_of_other_metrics_are_computed_up_to_a_number_of_items(metric, most, monkeypatch):
    table = ef.VoteTable.from_arrays([0, 1, 2, 3, 3, 0, 2, 1] * 5, 3)
    _, width = plan.Measured(MetricChoice(metric), 0.9).of_votes(table)
    seen = []

    def watched(points, weights, m, n):
        seen.append(n)
        raise StopIteration

    monkeypatch.setattr(plan, "_expected", watched)
    for n in (1000, most, most + 1, 10**9):
        with pytest.raises(StopIteration):
            width(3, n)
    assert seen == [1000, most, most, most]


def test_many_votes_are_those_of_four_thousand_drawn_items():
    pilot = ManyVotes.of(ef.VoteTable.from_arrays([[3, 0, 1], [1, 2, 1], [0, 4, 0], [2, 1, 1]]))
    rows, share = pilot._drawn(30)
    assert (rows.sum(axis=1) == 30).all()
    assert (np.diff(rows, axis=1) <= 0).all()
    np.testing.assert_allclose(share * 4000, np.round(share * 4000), atol=1e-9)
    assert np.gcd.reduce(np.round(share * 4000).astype(int)) == 1
    assert share.sum() == pytest.approx(1)


def test_held_out_errors_of_many_classes_are_means_of_five_divisions():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(3, 0.5), 90).round(2) + 0.01
    y = (p.cumsum(axis=1) > rng.random((90, 1)) * p.sum(axis=1, keepdims=True)).argmax(axis=1)
    table = ef.ScoreTable.from_arrays(p / p.sum(axis=1, keepdims=True), y)
    found = ManyScores.of(table)
    rules = OffsetFit.of(table.cells(), Options())
    errors = rules.least_wrong.sum()
    folds = (rules.on(rules.sample.count, np.random.default_rng(seed)) for seed in range(5))
    held_out = np.mean([one.held_out_wrong.sum() for one in folds])
    assert held_out > errors
    assert found.middle == pytest.approx((errors + held_out) / 180)
    assert found.gap == pytest.approx((held_out - errors) / 180)
    assert (found.n, found.classes) == (90, 3)
    # The way from the middle narrows with the number of items to the power of 2/3.
    assert found.width(0.9, 1, 90) > found.width(0.9, 1, 720)


def test_thirty_labels_of_both_classes_say_more_than_scores():
    def floor(labels, scores=None):
        known = np.full(100, np.nan)
        known[: len(labels)] = labels
        rng = np.random.default_rng(0)
        kept = KeptScores(rng.random(100) if scores is None else scores, known)
        return plan_labels._floor(kept)

    assert floor(np.arange(29) % 2) is None
    assert floor(np.arange(30) % 2) is not None
    assert floor(np.zeros(30)) is None
    with pytest.raises(ef.InputError, match="with 30 labels of both classes any scores will do"):
        floor(np.arange(29) % 2, 3 * np.random.default_rng(0).random(100))


def test_numbers_of_labels_are_found_in_twelve_halvings_of_their_logarithm():
    class Half(plan_labels._Task):
        """The width is one over the number of labels."""

        def __init__(self):
            self.open = np.array([10**6])

        def width(self, budget, by_score, seed):
            return 1 / budget

    steps = np.ceil(4096 * np.log(300_000) / np.log(10**6))
    assert Half().needed(1 / 300_000, True, 0) == np.ceil(10 ** (6 * steps / 4096))
