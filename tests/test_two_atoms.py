from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import betabinom, binom

import errorfloor as ef
from errorfloor.intervals.votes.region import likelihood_limits
from errorfloor.methods.votes.line import fit_mixture
from errorfloor.questions import plan as module
from errorfloor.questions.plan import _beta, _start, two_atoms


def pilot(draw, votes, n, seed):
    rng = np.random.default_rng(seed)
    return ef.VoteTable.from_arrays(rng.binomial(votes, draw(rng, n)), votes)


def found(table):
    return two_atoms(table, fit_mixture(table.positives, table.totals, table.counts))


def width(draw, votes, n, repetitions=6):
    """Return the mean width of the interval that comes true."""
    widths = []
    for seed in range(repetitions):
        table = pilot(draw, votes, n, 1000 + seed)
        low, high = likelihood_limits(table.positives, table.totals, table.counts)
        widths.append(high - low)
    return np.mean(widths)


# The mean of six pilots; a single one is off by a tenth or more through its own noise.
@pytest.mark.parametrize(
    ("points", "votes", "n"),
    [((0.1, 0.9), 5, 500), ((0.25, 0.75), 10, 300), ((0.0, 0.5), 5, 500), ((0.05, 0.6), 10, 300)],
)
def test_plans_for_two_kinds_of_items_come_true(points, votes, n):
    def draw(rng, size):
        return rng.choice(points, size)

    plans = [
        ef.plan(pilot(draw, votes, n, seed), votes=(votes,), items=(2000,)).width[0, 0]
        for seed in range(6)
    ]
    assert np.mean(plans) == pytest.approx(width(draw, votes, 2000), rel=0.15)


def test_two_kinds_are_found_where_they_are_and_refuted_where_they_are_not():
    two = found(pilot(lambda rng, n: rng.choice([0.2, 0.9], n), 5, 1000, 3))
    assert two.points == pytest.approx([0.2, 0.9], abs=0.03)
    assert two.trust > 0.9
    arcsine = found(pilot(lambda rng, n: rng.beta(0.5, 0.5, n), 5, 1000, 3))
    assert arcsine is None or arcsine.trust < 0.01
    three = found(pilot(lambda rng, n: rng.choice([0.1, 0.5, 0.9], n), 5, 1000, 3))
    assert three is None or three.trust < 0.01


def test_a_coin_flip_that_is_not_refuted_is_one():
    two = found(pilot(lambda rng, n: rng.choice([0.0, 0.5], n), 5, 300, 1))
    assert two.points[1] == 0.5


def test_few_votes_leave_nothing_to_check():
    assert found(pilot(lambda rng, n: rng.choice([0.1, 0.9], n), 4, 500, 0)) is None


def test_votes_that_always_agree_are_no_problem():
    table = ef.VoteTable.from_arrays([0] * 50, 5)
    assert np.isfinite(ef.plan(table, votes=(5,), items=(100,)).width).all()
    table = ef.VoteTable.from_arrays([0, 5] * 25, 5)
    assert np.isfinite(ef.plan(table, votes=(5,), items=(100,)).width).all()


def test_likelihoods_are_those_of_scipy():
    table = pilot(lambda rng, n: rng.choice([0.2, 0.9], n), 5, 400, 3)
    two, k, c = found(table), table.positives, table.counts
    chance = binom.pmf(k[:, None], 5, two.points) @ two.weights
    rng = np.random.default_rng(0)
    for _ in range(20):  # nothing near is more likely
        points = np.clip(two.points + rng.normal(0, 0.02, 2), 0, 1)
        other = binom.pmf(k[:, None], 5, points) @ two.weights
        assert c @ np.log(chance) >= c @ np.log(other) - 1e-6
    best = max(
        2 * c @ betabinom.logpmf(k, 5, a, b)
        for a in np.geomspace(0.05, 20, 60)
        for b in np.geomspace(0.05, 20, 60)
    )
    assert _beta(k, table.totals, c) == pytest.approx(best, abs=0.3)
    assert _beta(k, table.totals, c) >= best - 1e-6


def test_the_search_starts_where_no_vote_is_impossible():
    certain = SimpleNamespace(points=np.array([0.0, 0.5, 1.0]), weights=np.array([0.5, 0.0, 0.5]))
    points, weights = _start(certain)
    assert (points > 0).all()
    assert (points < 1).all()
    assert points == pytest.approx([0, 1], abs=1e-5)
    assert weights == pytest.approx([0.5, 0.5])


def test_two_points_are_refuted_where_they_lack_more_than_chance_allows(monkeypatch):
    table = pilot(lambda rng, n: rng.choice([0.2, 0.9], n), 5, 400, 3)
    fit = fit_mixture(table.positives, table.totals, table.counts)
    chance = binom.pmf(table.positives[:, None], 5, fit.points) @ fit.weights
    best = 2 * float(table.counts @ np.log(chance))
    beta = _beta(table.positives, table.totals, table.counts)
    free, fixed = np.array([0.1, 0.45]), np.array([0.12, 0.5])
    weights = np.array([0.3, 0.7])

    def found(lost, less):
        """Let two points lack so much, and more where one of them is a coin flip."""

        def fitted(k, m, counts, points, weights_, held=None):
            if held is None:
                return free, weights, best - lost
            assert (held, points.tolist(), weights_.tolist()) == (1, [0.1, 0.5], [0.3, 0.7])
            return fixed, weights[::-1], best - lost - less

        monkeypatch.setattr(module, "_fitted", fitted)
        return two_atoms(table, fit)

    assert found(6.65, 5) is None
    assert found(6.55, 5).points is free
    assert found(1, 2.01).points is free
    coin = found(1, 1.99)
    assert (coin.points is fixed, coin.weights.tolist()) == (True, [0.7, 0.3])
    assert found(5, 1.65) is None  # the coin flip is taken, and refuted
    for lost in (0.5, 3.0):
        # What a third parameter is worth is taken off; the odds are a likelihood ratio.
        odds = np.exp((best - lost - 2 - beta) / 2)
        assert found(lost, 5).trust == pytest.approx(odds / (1 + odds))


def test_two_points_are_looked_for_from_five_votes_on():
    def draw(rng, n):
        return rng.choice([0.1, 0.9], n)

    assert found(pilot(draw, 5, 500, 0)) is not None
    some = ef.VoteTable.from_arrays([0, 4, 0, 5, 5, 0] * 20, [4, 4, 5, 5, 5, 5] * 20)
    assert found(some) is not None


def test_the_search_starts_from_the_means_of_either_side():
    fit = SimpleNamespace(points=np.array([0.1, 0.3, 0.8]), weights=np.array([0.2, 0.3, 0.5]))
    points, weights = _start(fit)  # its mean is 0.51
    assert points == pytest.approx([(0.02 + 0.09) / 0.5, 0.8])
    assert weights == pytest.approx([0.5, 0.5])
    alone = SimpleNamespace(points=np.array([0.4]), weights=np.array([1.0]))
    points, weights = _start(alone)
    assert points == pytest.approx([1e-6, 0.4])
    assert weights == pytest.approx([1e-6, 1])
