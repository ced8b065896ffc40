"""The distribution behind votes: known values, laws, fast code against slow code, certificates."""

import itertools
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import beta as beta_distribution
from scipy.stats import binom

import errorfloor as ef
from errorfloor.bounds import bias_curves
from errorfloor.intervals.votes.band import Band, _limits, _sets, certified_limits
from errorfloor.intervals.votes.region import likelihood_limits
from errorfloor.methods.votes import line, thinning
from errorfloor.methods.votes.line import VoteLikelihood, fit_mixture
from errorfloor.methods.votes.mixture import TwoClassMixture


def table(positives, totals):
    pairs = np.column_stack((positives, np.broadcast_to(totals, np.shape(positives))))
    cells, counts = np.unique(pairs, axis=0, return_counts=True)
    return cells[:, 0], cells[:, 1], counts


def draw(seed, n, totals, sample):
    rng = np.random.default_rng(seed)
    m = np.broadcast_to(totals(rng, n) if callable(totals) else totals, n)
    return table(rng.binomial(m, sample(rng, n)), m)


def uniform(rng, n):
    return rng.random(n)


def coin(rng, n):
    return np.full(n, 0.5)


def two_atoms(rng, n):
    return rng.choice([0.1, 0.9], n)


def mixed_totals(rng, n):
    return rng.integers(1, 9, n)


CASES = [
    (2, uniform), (3, uniform), (10, uniform), (5, coin), (5, two_atoms), (mixed_totals, uniform),
]  # fmt: skip


def em(votes, reference, steps):
    """Multiply the weights by the gradient, over and over: slow, simple, surely right."""
    weights = reference.copy()
    for _ in range(steps):
        weights *= (votes.share / (votes.matrix @ weights)) @ votes.matrix
    return weights


# ---- the point -------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1, 1), (3, 3), (0.4, 0.4)])
def test_exact_beta_binomial_frequencies_give_nearly_the_beta_floor(m, a, b):
    from scipy.stats import betabinom

    k = np.arange(m + 1)
    counts = np.round(1e9 * betabinom.pmf(k, m, a, b)).astype(np.int64)
    floor = beta_distribution(a, b).expect(lambda eta: np.minimum(eta, 1 - eta))
    assert fit_mixture(k, np.full(m + 1, m), counts).floor == pytest.approx(floor, abs=0.012)


def test_arcsine_frequencies_give_back_the_arcsine_distribution():
    # P(k) = 3/8, 2/8, 3/8 for two votes; the floor of Beta(1/2, 1/2) is 1/2 - 1/pi.
    fit = fit_mixture(np.array([0, 1, 2]), np.array([2, 2, 2]), np.array([375, 250, 375]))
    assert fit.floor == pytest.approx(0.5 - 1 / np.pi, abs=1e-5)


@pytest.mark.parametrize(("totals", "sample"), CASES)
def test_no_direction_gains_more_than_a_millionth(totals, sample):
    cells = draw(1, 2000, totals, sample)
    fit = fit_mixture(*cells)
    assert fit.gap <= 1e-6
    # Independent of the solver: the gradient from scipy.stats, on a finer grid of our own.
    eta = np.sin(np.linspace(0, np.pi / 2, 4001)) ** 2
    share = cells[2] / cells[2].sum()
    fitted = binom.pmf(cells[0][:, None], cells[1][:, None], fit.points) @ fit.weights
    slope = (share / fitted) @ binom.pmf(cells[0][:, None], cells[1][:, None], eta) - 1
    assert slope.max() <= fit.gap + 1e-9
    assert fit.log_likelihood == pytest.approx(share @ np.log(fitted), abs=1e-10)


@pytest.mark.parametrize("m", [2, 3])
def test_newton_ends_where_em_from_the_reference_ends(m):
    votes = VoteLikelihood.on_grid(*draw(2, 2000, m, uniform), 256)
    slow = em(votes, votes.reference(), 20_000)
    fast, _ = votes.fit(1e-7)
    assert fast.log_likelihood >= votes.share @ np.log(votes.matrix @ slow) - 1e-6
    # EM ends close to the maximiser of least relative entropy, not exactly in it.
    assert fast.floor == pytest.approx(votes.floor @ slow, abs=1e-3)

    def entropy(weights):
        return weights @ np.log(np.maximum(weights, 1e-300) / votes.reference())

    assert entropy(fast.weights) <= entropy(slow) + 1e-5


@pytest.mark.parametrize(("totals", "sample"), CASES)
def test_doubling_the_grid_moves_the_floor_less_than_1e_4(totals, sample):
    cells = draw(4, 2000, totals, sample)
    coarse, fine = fit_mixture(*cells), fit_mixture(*cells, n_points=1024)
    assert coarse.floor == pytest.approx(fine.floor, abs=1e-4)


@pytest.mark.parametrize(("totals", "sample"), CASES)
def test_swapping_the_classes_changes_nothing(totals, sample):
    k, m, counts = draw(5, 2000, totals, sample)
    swapped = (m - k, m, counts)
    assert fit_mixture(*swapped).floor == pytest.approx(fit_mixture(k, m, counts).floor, abs=1e-6)
    for limits in (likelihood_limits, certified_limits):
        assert limits(*swapped) == pytest.approx(limits(k, m, counts), abs=1e-5)


def test_the_order_of_the_cells_changes_nothing():
    k, m, counts = draw(6, 2000, mixed_totals, uniform)
    order = np.random.default_rng(0).permutation(k.size)
    shuffled = (k[order], m[order], counts[order])
    assert fit_mixture(*shuffled).floor == pytest.approx(fit_mixture(k, m, counts).floor, abs=1e-6)
    assert certified_limits(*shuffled) == pytest.approx(certified_limits(k, m, counts), abs=1e-6)


def test_a_penalty_moves_towards_the_reference_and_the_gap_says_what_it_cost():
    cells = draw(7, 2000, 10, uniform)
    free, soft = fit_mixture(*cells), fit_mixture(*cells, penalty=2.0)
    lost = free.log_likelihood - soft.log_likelihood
    assert 0 < lost <= soft.gap


def test_single_votes_are_refused():
    with pytest.raises(ValueError, match="`totals` must reach 2"):
        fit_mixture(np.array([0, 1]), np.array([1, 1]), np.array([5, 5]))


def test_unanimous_votes_have_floor_zero_and_an_upper_limit_above_it():
    cells = np.array([0, 3]), np.array([3, 3]), np.array([500, 500])
    assert fit_mixture(*cells).floor == pytest.approx(0, abs=1e-9)
    for limits in (likelihood_limits, certified_limits):
        low, high = limits(*cells)
        assert low == pytest.approx(0, abs=1e-9)
        assert 0 < high < 0.01


# ---- the intervals ---------------------------------------------------------------------------


def identified_set(sample_pmf, m):
    """Return the floors of all G with exactly these vote frequencies, by a plain linear program."""
    eta = np.sin(np.linspace(0, np.pi / 2, 2001)) ** 2
    rows = binom.pmf(np.arange(m + 1)[:, None], m, eta)
    floor = np.minimum(eta, 1 - eta)
    return [
        sign * linprog(sign * floor, A_eq=rows, b_eq=sample_pmf, method="highs").fun
        for sign in (1, -1)
    ]


@pytest.mark.parametrize("m", [2, 3, 5])
@pytest.mark.parametrize("limits", [likelihood_limits, certified_limits])
def test_with_many_items_both_intervals_shrink_to_what_votes_cannot_tell(m, limits):
    # Uniform G: every count of positives is equally frequent.
    low, high = identified_set(np.full(m + 1, 1 / (m + 1)), m)
    found = limits(np.arange(m + 1), np.full(m + 1, m), np.full(m + 1, 10**8))
    assert found[0] == pytest.approx(low, abs=1e-3)
    assert found[1] == pytest.approx(high, abs=1e-3)
    assert found[0] <= low + 1e-6
    assert found[1] >= high - 1e-6


@pytest.mark.parametrize(("totals", "sample"), CASES)
def test_intervals_hold_the_point_and_nest_in_the_level(totals, sample):
    cells = draw(8, 2000, totals, sample)
    point = fit_mixture(*cells).floor
    for limits in (likelihood_limits, certified_limits):
        ends = [limits(*cells, level=level) for level in (0.8, 0.95, 0.99)]
        for (low, high), (lower, higher) in itertools.pairwise(ends):
            assert lower <= low + 1e-5
            assert high <= higher + 1e-5
    # The certified band may be empty but for one G (votes that agree less than coin flips do), so
    # only the practical interval promises to hold the point.
    low, high = likelihood_limits(*cells)
    assert low - 1e-4 <= point <= high + 1e-4


@pytest.mark.parametrize(("totals", "sample"), CASES)
def test_certified_limits_hold_for_any_grid(totals, sample):
    cells = draw(9, 2000, totals, sample)
    coarse = certified_limits(*cells, n_points=32)
    fine = certified_limits(*cells, n_points=1024)
    assert coarse[0] <= fine[0] + 2e-5
    assert coarse[1] >= fine[1] - 2e-5


def test_two_votes_with_known_answer():
    # Two votes, folded: the share p of items with one vote each has an exact interval, and the
    # smallest floor with E[eta (1 - eta)] = p / 2 is that of a single minority share:
    # (1 - sqrt(1 - 2 p)) / 2. The folded set has 0.8 of the error probability.
    n, split = 2000, 500
    cells = np.array([0, 1, 2]), np.array([2, 2, 2]), np.array([750, split, 750])
    p = beta_distribution.ppf(-np.expm1(-0.02), split, n - split + 1)
    low, high = certified_limits(*cells)
    assert low == pytest.approx((1 - np.sqrt(1 - 2 * p)) / 2, abs=1e-5)
    p = beta_distribution.ppf(np.exp(-0.02), split + 1, n - split)
    assert high == pytest.approx(p, abs=1e-5)  # largest when eta is 0, 1/2 or 1


def test_the_supremum_bounds_a_polynomial_on_all_of_the_unit_interval():
    rng = np.random.default_rng(0)
    eta = np.linspace(0, 1, 200_001)
    for m in (1, 4, 30):
        v = rng.normal(size=m + 1)
        grid = line.grid(64)
        series = line.cosines(v @ binom.pmf(np.arange(m + 1)[:, None], m, grid), m)
        truth = (v @ binom.pmf(np.arange(m + 1)[:, None], m, eta) - np.minimum(eta, 1 - eta)).max()
        assert truth - 1e-9 <= line.supremum(series, 1.0) <= truth + 1e-4


@pytest.mark.parametrize("limits", [likelihood_limits, certified_limits])
@pytest.mark.parametrize(
    ("sample", "floor", "totals"),
    [(uniform, 0.25, 3), (coin, 0.5, mixed_totals), (two_atoms, 0.1, 2)],
)
def test_intervals_cover(limits, sample, floor, totals):
    hits = 0
    for seed in range(60):
        low, high = limits(*draw(seed, 500, totals, sample))
        hits += low <= floor + 1e-9 and floor - 1e-9 <= high
    assert hits >= 60 * 0.95 - 3 * np.sqrt(60 * 0.95 * 0.05)


def test_votes_that_no_distribution_gives_still_get_an_interval():
    # One vote each way on every item: P(k = 1) is at most 1/2 for binomial votes.
    cells = np.array([1]), np.array([2]), np.array([1000])
    low, high = certified_limits(*cells)
    assert 0.45 < low <= high == 0.5


@pytest.mark.parametrize("totals", [(2,), (3,), (40,), (2, 3), (1, 2, 5, 60)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_certified_bands_error_probabilities_add_up_to_one_less_the_level(totals, level):
    k = np.concatenate([np.arange(m + 1) for m in totals])
    m = np.repeat(totals, np.array(totals) + 1)
    sets, error = _sets(k, m, 1 - level)
    assert len(sets) == len(error)
    assert (error > 0).all()
    assert error.sum() == pytest.approx(1 - level, rel=1e-12)
    # Each set spends its part on both sides, a little less than half of it on either.
    n, inside = 500.0, np.linspace(0, 500, len(sets)).round()
    low, high = _limits(inside, n, error)
    below = np.where(inside > 0, binom.sf(inside - 1, n, low), 0)
    above = np.where(inside < n, binom.cdf(inside, n, high), 0)
    assert (below + above <= error * (1 + 1e-9)).all()
    assert (below + above >= 0.48 * error).all()
    # Sets that treat k and m - k alike have four fifths, where they are others than the lower ones.
    alike = (sets == sets[:, np.lexsort((m - k, m))]).all(axis=1)
    assert error[alike].sum() == pytest.approx(0.8 * (1 - level), rel=1e-12)
    assert len({tuple(row) for row in sets[alike]}) == alike.sum() <= 10
    assert 0 < (~alike).sum() <= 10


def test_the_band_is_around_the_shares_that_were_seen():
    cells = draw(6, 300, mixed_totals, uniform)
    band = Band.around(*cells, 0.95, 64)
    sets, error = _sets(*cells[:2], 0.05)
    seen = sets @ cells[2]  # every pair of votes occurs, so these are the sets of the band
    np.testing.assert_allclose((band.low, band.high), _limits(seen, 300.0, error))
    assert ((band.low < seen / 300) & (seen / 300 < band.high)).all()
    # Items that are surely 0 are in every set, items that are surely 1 in the folded ones only.
    assert band.matrix[:, 0] == pytest.approx(1)
    folded = np.round(band.matrix[:, -1])
    assert band.matrix[:, -1] == pytest.approx(folded)
    assert error[folded == 1].sum() == pytest.approx(0.04)
    assert (band.degree, band.size) == (8, 64)


# ---- the grid --------------------------------------------------------------------------------


def test_binomial_probabilities_are_scipys():
    k, m = np.array([0, 3, 1, 7, 60]), np.array([1, 3, 4, 7, 200])
    eta = np.array([0.0, 0.1, 0.5, 0.99, 1.0])
    expected = binom.pmf(k[:, None], m[:, None], eta)
    np.testing.assert_allclose(line.binomial(k, m, eta), expected, rtol=1e-11, atol=1e-300)


# ---- many votes ------------------------------------------------------------------------------


def thousands(rng, n):
    return rng.integers(5000, 50_001, n)


def half_coins(rng, n):
    return rng.choice([0.3, 0.5], n)


def skewed(rng, n):
    return rng.beta(2, 5, n)


MANY = [(20_000, skewed, 17 / 64), (thousands, skewed, 17 / 64), (thousands, half_coins, 0.4)]


def many(seed, n, totals, sample):
    """Return positives, totals, and the floor of just these items."""
    rng = np.random.default_rng(seed)
    m = np.broadcast_to(totals(rng, n) if callable(totals) else totals, n)
    eta = sample(rng, n)
    return rng.binomial(m, eta), m, np.minimum(eta, 1 - eta).mean()


def test_unanimous_items_stay_so_however_many_votes_they_have():
    k, m = np.array([0, 4 * 10**9]), np.array([4 * 10**9, 4 * 10**9])
    few = thinning.thinned(k, m, np.array([5, 7]))
    assert set(few.positives / few.totals) == {0.0, 1.0}
    assert few.counts.tolist() == [5, 7]


@pytest.mark.parametrize(
    ("totals", "sample"), [(lambda rng, n: rng.integers(2, 2001, n), half_coins), (3000, skewed)]
)
def test_thinned_votes_give_nearly_the_mixture_of_all_votes(totals, sample):
    k, m, _ = many(13, 200, totals, sample)
    assert thinning.thinned(*table(k, m)) is not None
    full = fit_mixture(*table(k, m)).floor
    # The floor of 200 such items varies by 0.007 or more.
    assert ef.from_votes(k, m, interval=None).value == pytest.approx(full, abs=0.004)


@pytest.mark.parametrize(("totals", "sample", "floor"), MANY)
def test_intervals_from_thinned_votes_cover(totals, sample, floor):
    hits = np.zeros(2)
    for seed in range(12):
        k, m, _ = many(seed, 60, totals, sample)
        few = thinning.thinned(*table(k, m))
        for i, limits in enumerate((likelihood_limits, certified_limits)):
            low, high = limits(*few, n_points=512)
            hits[i] += low <= floor <= high
    assert (hits >= 12 * 0.95 - 3 * np.sqrt(12 * 0.95 * 0.05)).all()


def test_an_estimate_from_thinned_votes_says_so_and_holds_its_value():
    k, m, _ = many(14, 60, thousands, half_coins)
    for interval in ("likelihood", "certified"):
        found = ef.from_votes(k, m, interval=interval, rng=1)
        assert "The limits use at most " in found.assumptions
        assert found.low <= found.value <= found.high
        again = ef.from_votes(k[::-1], m[::-1], interval=interval, rng=2)
        assert (again.value, again.low, again.high) == (found.value, found.low, found.high)
    assert "limits use" not in ef.from_votes(k, m, interval=None).assumptions
    assert "limits use" not in ef.from_votes([0, 1, 2], 2).assumptions


@pytest.mark.parametrize(
    ("n", "least", "most"),
    [(1, 10**9, 10**9), (100, 10**6, 10**6), (200, 50_000, 200_000), (20_000, 1, 10**9)],
)
def test_many_votes_need_less_than_a_gigabyte(n, least, most):
    k, m, floor = many(15, n, lambda rng, n: rng.integers(least, most + 1, n), two_atoms)
    tracemalloc.start()
    try:
        found = ef.from_votes(k, m)
        limits = certified_limits(*found.evidence.few, n_points=1024)
        curves = bias_curves(estimate=found)
        plan = ef.plan(((0.1, 0.9), (1, 1)), votes=(2, most), items=(100,))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.8e9
    assert found.value == pytest.approx(floor, abs=0.002)
    assert limits[0] <= floor <= limits[1]
    assert curves.votes.max() == 2 * m.max()
    assert (np.diff(curves.exact) <= 1e-12).all()
    assert plan.width[0, 0] > plan.width[1, 0] > 0


def test_headroom_from_many_votes():
    k, m, _ = many(15, 60, 10**9, two_atoms)
    found = ef.from_votes(k, m, interval="certified")
    assert ef.headroom(found, errors=900, n=1000, same_labelling=True).verdict == "room"


def test_items_with_many_votes_far_from_one_half_raise_no_warning():
    found = ef.from_votes([0, 1, 700, 750, 1500, 1499], 1500)  # warnings are errors here
    assert "limits use" not in found.assumptions
    assert found.low <= found.value <= found.high


def test_a_fit_to_other_counts_is_their_own():
    cells = ef.VoteTable.from_arrays([0, 1, 2, 3, 3, 5, 5, 5], 5).cells()
    statistic = TwoClassMixture(cells)
    other = np.where(np.arange(cells.count.size) % 2, 3, 1) * cells.count
    counts = np.vstack((cells.count, 2 * cells.count, other))
    found = statistic.values(counts, np.random.default_rng(0))
    again = TwoClassMixture(replace(cells, count=other))
    assert found[0] == pytest.approx(found[1], abs=1e-6)
    assert found[2] == pytest.approx(again.values(other[None], np.random.default_rng(0))[0])
    assert abs(found[2] - found[0]) > 1e-4
