"""Votes: which label, why totals differ, and whether votes can be what the floor assumes."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from needs import needs_data
from scipy.optimize import linprog, minimize
from scipy.stats import beta, binom

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.checks.votes import Expected, misfit_of, one_distribution, power_of_misfit
from errorfloor.intervals.bootstrap import Basic
from errorfloor.intervals.record import AroundValue
from errorfloor.intervals.votes.band import Band, certified_limits
from errorfloor.intervals.votes.region import TwoClassRegion, likelihood_limits
from errorfloor.methods.record import Options
from errorfloor.methods.votes.aims import Target
from errorfloor.methods.votes.line import cosines, fit_mixture, grid, supremum
from errorfloor.methods.votes.mixture import TwoClassMixture
from errorfloor.methods.votes.stopping import rule_named

# Refuted floors are the subject here; what they warn of is tested by their findings.
pytestmark = pytest.mark.filterwarnings("ignore::errorfloor._checks.ErrorFloorWarning")


def cells_of(positives, totals):
    table = ef.VoteTable.from_arrays(positives, totals)
    return table.positives, table.totals, table.counts


def by_item(rng, n, hard_votes, easy_votes, atoms=False):
    """Return votes where hard items get so many and easy ones so many, and the floor."""
    hard = rng.random(n) < 0.5
    if atoms:
        eta, floor = np.where(hard, 0.5, rng.integers(0, 2, n)), 0.25
    else:
        eta = np.where(hard, rng.beta(2, 2, n), rng.beta(0.2, 0.2, n))
        halves = (beta(a, a).expect(lambda e: np.minimum(e, 1 - e)) for a in (2, 0.2))
        floor = sum(halves) / 2
    m = np.where(hard, hard_votes, easy_votes)
    return rng.binomial(m, eta), m, floor


def collected(rng, eta, rule):
    """Vote on each item until the rule stops."""
    k, m = np.zeros((2, eta.size), dtype=int)
    going = np.arange(eta.size)
    while going.size:
        k[going] += rng.random(going.size) < eta[going]
        m[going] += 1
        going = going[[not rule.stops(a, b) for a, b in zip(k[going], m[going], strict=True)]]
    return k, m


# ---- which label -----------------------------------------------------------------------------


@pytest.mark.parametrize("r", [1, 2, 3, 4, 7, 10])
def test_a_majority_is_that_of_its_votes_with_ties_broken_at_random(r):
    eta = np.linspace(0, 1, 41)
    k = np.arange(r + 1)
    wins = (2 * k > r) + 0.5 * (2 * k == r)
    q = wins @ binom.pmf(k[:, None], r, eta)
    np.testing.assert_allclose(Target(r).positive(eta), q, atol=1e-12)
    np.testing.assert_allclose(Target(r)(eta), np.minimum(q, 1 - q), atol=1e-12)


@pytest.mark.parametrize("r", [1, 3, 5, 51, 1001])
def test_the_bend_of_a_majority_bounds_its_second_derivative(r):
    t = np.linspace(0, np.pi / 2, 20_001)
    floors = Target(r)((1 - np.cos(t)) / 2)
    second = np.abs(np.diff(floors, 2)).max() / (t[1] - t[0]) ** 2
    assert second <= Target(r).bend * (1 + 1e-3)
    assert second >= 0.99 * Target(r).bend


def test_the_supremum_bounds_polynomials_less_the_floor_of_a_majority():
    rng, eta = np.random.default_rng(0), np.linspace(0, 1, 100_001)
    for m, r in ((1, 3), (4, 5), (30, 99)):
        v, k = rng.normal(size=m + 1), np.arange(m + 1)[:, None]
        series = cosines(v @ binom.pmf(k, m, grid(64)), m)
        for sign in (1.0, -1.0):
            truth = (v @ binom.pmf(k, m, eta) - sign * Target(r)(eta)).max()
            assert truth - 1e-9 <= supremum(series, sign, Target(r)) <= truth + 1e-4


@pytest.mark.parametrize("limits", [likelihood_limits, certified_limits])
def test_with_many_items_limits_of_a_majority_shrink_to_what_votes_cannot_tell(limits):
    # Uniform G, three votes: every number of positives is equally frequent.
    eta = np.sin(np.linspace(0, np.pi / 2, 1001)) ** 2
    rows = binom.pmf(np.arange(4)[:, None], 3, eta)
    floor = Target(3)(eta)
    low, high = (
        sign * linprog(sign * floor, A_eq=rows, b_eq=np.full(4, 0.25)).fun for sign in (1, -1)
    )
    cells = np.arange(4), np.full(4, 3), np.full(4, 10**8)
    found = limits(*cells, options=Options(majority=3))
    assert found == pytest.approx((low, high), abs=1e-3)
    assert found[0] <= low + 1e-6
    assert found[1] >= high - 1e-6
    assert low < 3 / 16 < high  # of the uniform distribution: twice the integral of 3x^2 - 2x^3


def test_limits_of_a_majority_cover():
    hits = np.zeros(2)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cells = cells_of(rng.binomial(3, rng.random(500)), 3)
        for i, limits in enumerate((likelihood_limits, certified_limits)):
            low, high = limits(*cells, options=Options(majority=5))
            hits[i] += low <= 0.15625 <= high  # 2 int_0^1/2 of 10x^3 - 15x^4 + 6x^5
    assert (hits >= 40 * 0.95 - 3 * np.sqrt(40 * 0.95 * 0.05)).all()


def test_every_answer_from_votes_names_its_label():
    votes = [0, 1, 2, 3] * 30, 3
    one, three, four = (ef.from_votes(*votes, majority=r) for r in (None, 3, 4))
    assert one.target == "one more annotator's vote"
    assert " for one more annotator's vote, 95 %" in str(one)
    assert " for the majority of 3 votes, 95 %" in str(three)
    assert four.target == "the majority of 4 votes, ties broken at random"
    assert four.value == three.value == three.mixture.floor < one.value
    assert three.to_dict()["target"] == "the majority of 3 votes"
    assert three.options["majority"] == 3
    plain = ef.from_votes(*votes, majority=3, method="plugin", interval="betting")
    assert plain.value == three.plugin == pytest.approx(7 / 54)  # min(7/27, 20/27) on half
    assert plain.target == three.target


def test_the_plugins_bias_of_a_majority_is_that_of_drawn_votes():
    k, counts = np.arange(4), np.array([400, 100, 100, 400])
    found = ef.from_votes(np.repeat(k, counts), 3, majority=3)
    points, weights = found.mixture.points, found.mixture.weights
    shares = Target(3)(k / 3) @ binom.pmf(k[:, None], 3, points) @ weights
    assert found.bias == pytest.approx(shares - found.value, abs=1e-12)


@needs_data
@pytest.mark.parametrize("part", ["snli", "mnli", "abductive"])
def test_majorities_of_three_from_three_votes_are_near_those_from_all(part):
    data = ef.datasets.load_chaosnli(part)
    k, m = data.positives, data.totals
    truth = ef.from_votes(k, m, majority=3, interval=None).value
    rng = np.random.default_rng(1)
    found = [
        fit_mixture(*cells_of(rng.hypergeometric(k, m - k, 3), 3), target=Target(3)).floor
        for _ in range(40)
    ]
    assert np.mean(found) == pytest.approx(truth, abs=0.010)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "3", 1002])
def test_majorities_of_no_number_of_votes_are_refused(wrong):
    with pytest.raises(ValueError, match="`majority` must be a whole number of at least 1"):
        ef.from_votes([0, 1, 2], 2, majority=wrong)


def test_a_bias_bound_for_a_majority_is_refused():
    with pytest.raises(ValueError, match="`model_error` bounds the bias"):
        ef.from_votes([0, 1, 2], 2, majority=3, model_error=0.2)


# ---- some kinds of items get more votes ------------------------------------------------------


def test_totals_apart_are_fitted_one_by_one():
    k, m, _ = by_item(np.random.default_rng(0), 1000, 8, 2)
    found = ef.from_votes(k, m, totals_by="item", interval=None)
    apart = [fit_mixture(*cells_of(k[m == one], one)).floor for one in (2, 8)]
    share = np.array([np.mean(m == one) for one in (2, 8)])
    assert found.value == pytest.approx(share @ apart, abs=1e-12)
    assert found.mixture.floor == pytest.approx(found.value, abs=1e-9)
    assert found.mixture.weights.sum() == pytest.approx(1)


def test_with_one_total_every_design_gives_the_same():
    rng = np.random.default_rng(2)
    cells = cells_of(rng.binomial(3, rng.random(300)), 3)
    for limits in (likelihood_limits, certified_limits):
        assert limits(*cells, options=Options(totals_by="item")) == limits(*cells)


@pytest.mark.parametrize("region", [0.001, 0.01])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_joint_limit_is_that_of_a_general_optimiser(region, sign):
    k, m, _ = by_item(np.random.default_rng(1), 400, 3, 2)
    asked = Options(totals_by="item")
    likely = replace(
        TwoClassRegion.around(cells_of(k, m), 0.95, 16, asked), choose=region, use=region
    )
    votes, start = likely.kernel(), likely.fitted
    best = votes.share @ np.log(votes.chances(start))

    def inside(density):
        return votes.share @ np.log(np.maximum(votes.chances(density), 1e-12)) - best + region

    slow = minimize(
        lambda density: sign * votes.floor @ density,
        start,
        jac=lambda density: sign * votes.floor,
        bounds=[(0, 1)] * start.size,
        constraints=[
            {"type": "eq", "fun": lambda density: density.sum() - 1},
            {"type": "ineq", "fun": inside},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert slow.success
    found = likely.mean(sign)[0]
    # The optimiser sees the grid's points only, the limit all of [0, 1].
    assert slow.fun - 0.01 <= found <= slow.fun + 1e-5


@pytest.mark.parametrize("atoms", [False, True])
@pytest.mark.parametrize(("hard", "easy"), [(8, 2), (2, 8)])
def test_intervals_cover_where_hard_items_get_more_votes_or_fewer(atoms, hard, easy):
    hits, runs = np.zeros(2), 16
    for seed in range(runs):
        k, m, floor = by_item(np.random.default_rng(seed), 1000, hard, easy, atoms)
        for i, limits in enumerate((likelihood_limits, certified_limits)):
            low, high = limits(*cells_of(k, m), options=Options(totals_by="item"))
            hits[i] += low <= floor <= high
    assert (hits >= runs * 0.95 - 3 * np.sqrt(runs * 0.95 * 0.05)).all()
    assert abs(ef.from_votes(k, m, totals_by="item", interval=None).value - floor) < 0.05


def test_the_certified_band_of_each_total_allows_for_how_many_items_have_it():
    k, m, _ = by_item(np.random.default_rng(3), 500, 3, 2)
    band = Band.around(*cells_of(k, m), 0.95, 64, Options(totals_by="item"))
    assert (band.blocks, band.size) == (2, 64)
    # An item with two votes is in no set of items with three.
    sizes = band.matrix[:2]
    np.testing.assert_allclose(sizes[0], np.repeat([1.0, 0.0], 65), atol=1e-12)
    np.testing.assert_allclose(sizes[1], np.repeat([0.0, 1.0], 65), atol=1e-12)
    assert band.low[0] < np.mean(m == 2) < band.high[0]


def test_single_votes_of_some_items_leave_their_floor_open():
    rng = np.random.default_rng(4)
    m = rng.choice([1, 3], 400)
    k = rng.binomial(m, np.where(m == 1, 0.3, rng.integers(0, 2, 400)))
    found = ef.from_votes(k, m, totals_by="item")
    single = np.mean(m == 1)
    assert found.low < 0.03  # all of them certain
    assert found.high > 0.25 * single  # or all of them alike


def test_very_many_totals_are_thinned_to_fewer():
    rng = np.random.default_rng(5)
    m = rng.integers(1, 120, 1000)
    k = rng.binomial(m, rng.beta(0.5, 0.5, 1000))
    found = ef.from_votes(k, m, totals_by="item")
    assert found.low < 0.5 - 1 / np.pi < found.high
    assert found.high - found.low < 0.1
    assert "votes of each item, drawn at random" in found.assumptions


# ---- votes collected until they agree --------------------------------------------------------


@pytest.mark.parametrize("name", ["third", "lead-2", "lead-2-max-5", "lead-3-max-9"])
def test_a_rule_ends_in_as_many_orders_as_counting_them_says(name):
    rule = rule_named(name)
    eta = np.array([0.1, 0.5, 0.8])
    k, m, log_orders = rule.cells()
    orders = np.exp(log_orders).round()
    chances = orders[:, None] * eta ** k[:, None] * (1 - eta) ** (m - k)[:, None]
    if rule.most is not None:
        np.testing.assert_allclose(chances.sum(axis=0), 1, atol=1e-12)
    # Paths one by one, as bits of a number.
    found = dict.fromkeys(zip(k.tolist(), m.tolist(), strict=True), 0)
    for length in range(1, 8):
        for path in range(2**length):
            votes = [(path >> i) & 1 for i in range(length)]
            ends = [rule.stops(sum(votes[:i]), i) for i in range(1, length + 1)]
            if ends[-1] and not any(ends[:-1]):
                found[sum(votes), length] += 1
    for pair, number in zip(zip(k.tolist(), m.tolist(), strict=True), orders, strict=True):
        assert pair[1] > 7 or found[pair] == number


def uniform(rng, n):
    return rng.random(n)


def half_certain(rng, n):
    return rng.choice([0, 0.5], n)


@pytest.mark.parametrize("sample", [uniform, half_certain])
@pytest.mark.parametrize("name", ["third", "lead-2"])
def test_intervals_cover_where_votes_were_collected_until_they_agreed(name, sample):
    hits, runs = np.zeros(2), 24
    for seed in range(runs):
        rng = np.random.default_rng([seed, 7])
        cells = cells_of(*collected(rng, sample(rng, 1000), rule_named(name)))
        likely = likelihood_limits(*cells, options=Options(totals_by="votes"))
        sure = certified_limits(*cells, options=Options(totals_by="votes", stopping=name))
        hits += [low <= 0.25 <= high for low, high in (likely, sure)]
    assert (hits >= runs * 0.95 - 3 * np.sqrt(runs * 0.95 * 0.05)).all()


def test_fitting_totals_apart_is_badly_wrong_under_a_stopping_rule():
    rng = np.random.default_rng(0)
    k, m = collected(rng, rng.random(4000), rule_named("third"))
    right, wrong = (
        ef.from_votes(k, m, totals_by=why, interval=None).value for why in ("votes", "item")
    )
    assert right == pytest.approx(0.25, abs=0.03)
    assert wrong < 0.2


def test_certified_limits_need_the_rule_or_equal_totals():
    rng = np.random.default_rng(0)
    k, m = collected(rng, rng.random(200), rule_named("third"))
    with pytest.raises(ValueError, match=r"Declare the rule with `stopping`.*order of votes"):
        ef.from_votes(k, m, totals_by="votes", interval="certified")
    ef.from_votes(k, m, totals_by="votes", interval="certified", stopping="third")
    ef.from_votes([0, 1, 2] * 20, 2, totals_by="votes", interval="certified")


def test_votes_that_the_rule_cannot_end_with_are_refused():
    with pytest.raises(ValueError, match=r"`stopping='third'` cannot end with 1 of 2 votes"):
        ef.from_votes([0, 1, 2], 2, totals_by="votes", stopping="third")
    with pytest.raises(ValueError, match=r"cannot end with 2 of 4"):
        ef.from_votes([2, 2], [2, 4], totals_by="votes", stopping="lead-2")
    ef.from_votes([2, 2, 0], [2, 4, 2], totals_by="votes", stopping="lead-2-max-4", interval=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"totals_by": "luck"}, "`totals_by` must be one of chance, item, votes"),
        ({"totals_by": "votes", "stopping": "lead-1"}, "`stopping` must be one of third, lead-2"),
        ({"totals_by": "votes", "stopping": "lead-5-max-3"}, "`stopping` must be one of"),
        ({"totals_by": "votes", "stopping": 3}, "`stopping` must be one of"),
        ({"stopping": "third"}, "It goes with `totals_by='votes'`"),
    ],
)
def test_unknown_designs_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ef.from_votes([0, 1, 2], 2, **options)


# ---- limits nest -----------------------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 3, 10])
@pytest.mark.parametrize("totals_by", ["chance", "item"])
def test_limits_nest_at_low_levels_too(m, totals_by):
    rng = np.random.default_rng(m)
    totals = np.where(rng.random(300) < 0.5, m, 2)
    cells = cells_of(rng.binomial(totals, rng.beta(1, 2, 300)), totals)
    options = Options(totals_by=totals_by)
    levels = (0.001, 0.01, 0.05, 0.1, 0.3, 0.6, 0.9)
    ends = np.array([likelihood_limits(*cells, level=one, options=options) for one in levels])
    assert (np.diff(ends[:, 0]) <= 2e-5).all()
    assert (np.diff(ends[:, 1]) >= -2e-5).all()


def test_limits_where_the_item_decides_narrow_with_the_number_of_items():
    k, m = np.array([0, 1, 2, 0, 1, 2, 3]), np.repeat([2, 3], [3, 4])
    share = np.array([10, 20, 10, 40, 3, 2, 45])  # items of two votes look like coin flips
    ends = [
        likelihood_limits(k, m, share * 10**power, options=Options(totals_by="item"))
        for power in range(2, 8)
    ]
    narrower = np.diff(ends, axis=0) * [1, -1]
    assert (narrower[:3] > 0).all()
    assert (narrower[3:] > -1e-5).all()  # of more than 10 million the region counts 10 million


@pytest.mark.parametrize("pairs", [[25, 50, 25], [30, 43, 27], [23, 42, 35]])
def test_how_coin_flips_lean_by_chance_does_not_lower_the_upper_limit(pairs):
    # Items of three votes are certain; those of two are coin flips for all that the votes say.
    cells = np.array([0, 1, 2, 0, 3]), np.array([2, 2, 2, 3, 3]), np.array([*pairs, 500, 500])
    high = likelihood_limits(*cells, options=Options(totals_by="item"))[1]
    assert high == pytest.approx(0.0557895, abs=1e-6)
    assert high > 100 / 1100 / 2  # the floor of such items


@pytest.mark.parametrize(("votes", "m"), [([1], 2), ([1, 2], 3), ([0, 2, 1, 1, 1, 1, 1], 2)])
def test_where_votes_split_more_than_they_can_the_certified_limit_takes_over(votes, m):
    cells = cells_of(votes * 100, m)
    low, high = likelihood_limits(*cells)
    assert low == pytest.approx(certified_limits(*cells)[0], abs=1e-9)
    assert 0.49 < low < high == 0.5


def test_an_interval_that_stands_in_holds_its_estimate():
    # All replicates are at or above the estimate, so the basic interval ends at or below it.
    above = Basic(0.1, np.array([0.2, 0.3, 0.4]))
    assert above.limits(0.9)[1] < 0.1
    low, high = AroundValue(above, 0.1).limits(0.9)
    assert (low, high) == (above.limits(0.9)[0], 0.1)
    assert AroundValue(above, 0.1).method == "basic"
    assert AroundValue(above, 0.1).replicates is above.replicates
    with pytest.warns(ef.DegenerateBootstrapWarning):
        found = ef.from_votes([0, 0, 0, 0], 3, method="plugin", interval="bca", rng=0)
    assert found.low <= found.value <= found.high


# ---- can the votes be what the floor assumes -------------------------------------------------


def test_the_difference_between_totals_is_measured_in_standard_errors_of_each():
    # By hand: shares of positive votes and of pairs that differ, items of two and of three votes.
    p = {2: np.array([0.5, 0.3, 0.2]), 3: np.array([0.4, 0.3, 0.2, 0.1])}
    counts = {2: np.array([40, 30, 30]), 3: np.array([500, 200, 300, 0])}
    means, weights = [], []
    for m in (2, 3):
        k = np.arange(m + 1)
        values = np.stack((k / m, 2 * k * (m - k) / (m * (m - 1))))
        n = counts[m].sum()
        means.append(values @ counts[m] / n)
        weights.append(np.linalg.inv(np.cov(values, aweights=p[m], ddof=0) / n))
    middle = np.linalg.solve(sum(weights), sum(w @ x for w, x in zip(weights, means, strict=True)))
    apart = [x - middle for x in means]
    expected = Expected(
        *(np.array([0, 1, 2, 0, 1, 2, 3]), np.repeat([2, 3], [3, 4])),
        *(np.concatenate([p[2], p[3]]), [np.arange(3), np.arange(3, 7)]),
        *(np.concatenate([counts[2], counts[3]]), np.zeros(7, dtype=int)),
    )
    statistic = sum(x @ w @ x for w, x in zip(weights, apart, strict=True))
    assert one_distribution(expected).statistic == pytest.approx(statistic)


def findings(*votes, **options):
    return {one.name: one for one in ef.from_votes(*votes, **options).findings}


def test_a_clean_set_passes_both_checks():
    rng = np.random.default_rng(0)
    m = rng.integers(2, 7, 800)
    found = findings(rng.binomial(m, rng.random(800)), m)
    assert found["Why totals differ"].level == found["Misfit of votes"].level == "ok"
    assert "for a chance of 80 % to find one" in found["Misfit of votes"].sentence


@pytest.mark.parametrize(("hard", "easy"), [(8, 2), (2, 8)])
def test_totals_that_depend_on_the_item_refute_the_floor_and_each_design_is_shown(hard, easy):
    k, m, _ = by_item(np.random.default_rng(0), 1000, hard, easy)
    found = ef.from_votes(k, m)
    assert found.refuted
    (first, *_) = found.findings
    for why in ("item", "votes"):
        value = ef.from_votes(k, m, totals_by=why)
        assert f"(totals_by={why!r}, --totals-by {why})" in first.sentence
        assert f"{100 * value.value:.2f} % ({100 * value.low:.2f} to" in first.sentence
    assert "The counts do not tell which of the two is true." in first.sentence
    assert not ef.from_votes(k, m, totals_by="item").refuted


@pytest.mark.parametrize("name", ["third", "lead-2"])
def test_votes_until_they_agree_refute_the_floor_and_point_to_it(name):
    rng = np.random.default_rng(0)
    k, m = collected(rng, rng.random(600), rule_named(name))
    found = findings(k, m)["Why totals differ"]
    assert found.level == "refuted"
    assert "points to votes that were collected until they agreed" in found.sentence
    assert findings(k, m, totals_by="item")["Misfit of votes"].level == "refuted"
    assert "(totals_by='item', --totals-by item), the floor is" in found.sentence
    of_brier = findings(k, m, metric="brier")["Why totals differ"]
    assert "--totals-by item), the floor of the error is" in of_brier.sentence
    declared = findings(k, m, totals_by="votes", stopping=name)
    assert declared["Misfit of votes"].level == "ok"
    assert not ef.from_votes(k, m, totals_by="votes").refuted


def test_cells_that_never_occur_suggest_votes_until_they_agree():
    # Two votes never disagree, eight are coin flips: as if somebody had asked on.
    rng = np.random.default_rng(0)
    m = np.repeat([2, 8], 300)
    k = np.where(m == 2, 2 * rng.integers(0, 2, 600), rng.binomial(8, 0.5, 600))
    found = findings(k, m)["Why totals differ"]
    assert found.level == "refuted"
    assert "No item with 2 votes has two that disagree" in found.sentence
    # Single votes cannot disagree, and say nothing about why there are no more.
    single = findings([*k, *([0, 1] * 20)], [*m, *([1] * 40)])["Why totals differ"]
    assert "No item with 2 votes has two that disagree" in single.sentence


def test_totals_that_depend_on_the_item_are_noted_where_the_floor_does_not():
    # Three votes are all for class 0 and five for class 1, so no item is in doubt by any design.
    floor = ef.from_votes([0] * 100 + [5] * 100, [3] * 100 + [5] * 100)
    assert floor.value == pytest.approx(0, abs=1e-9)
    assert not floor.refuted
    (found,) = (one for one in floor.findings if one.name == "Why totals differ")
    assert (found.value, found.level, found.remedy) == ("not by chance", "note", "")
    assert found.sentence == (
        "Items with few votes and items with many were voted on differently. Here this changes "
        "the floor by no more than 0.20 points."
    )


def test_votes_that_split_always_are_no_mixture():
    found = findings([1] * 100, 2)["Misfit of votes"]
    assert found.level == "refuted"
    assert "do not look independent" in found.sentence


@pytest.mark.parametrize("metric", ["brier", "log-loss", "f1", "balanced-error", "auc"])
def test_votes_that_are_all_split_refute_the_best_value_of_any_metric(metric):
    # Plain shares and the fit agree on the largest Brier score there is, which tells nothing.
    with pytest.warns(ef.RefutedWarning, match="do not look independent"):
        assert ef.from_votes([1] * 100, 2, metric=metric).refuted


def test_the_misfit_statistic_is_the_likelihood_ratio_to_free_shares():
    rng = np.random.default_rng(1)
    k, _, counts = cells_of(rng.binomial(6, rng.choice([0.2, 0.5], 300)), 6)
    fits = TwoClassMixture(ef.VoteTable.from_arrays(np.repeat(k, counts), 6).cells()).parts
    fit = fits[0][0]
    fitted = binom.pmf(k[:, None], 6, fit.points) @ fit.weights
    expected = 2 * counts @ np.log(counts / 300 / fitted)
    tested = misfit_of(Expected.under(fits))
    assert tested.statistic == pytest.approx(expected, abs=1e-9)
    assert tested.critical == misfit_of(Expected.under(fits)).critical  # always the same
    # Seven cells have six degrees of freedom; nothing was fitted to the draws.
    from scipy.stats import chi2

    assert tested.critical == pytest.approx(chi2.ppf(0.99, 6), rel=0.15)


def test_evenly_split_items_are_found_as_often_as_the_power_says():
    rng = np.random.default_rng(2)
    fits = TwoClassMixture(
        ef.VoteTable.from_arrays(rng.binomial(10, rng.beta(0.5, 0.5, 1000)), 10).cells()
    ).parts
    expected = Expected.under(fits)
    share = power_of_misfit(expected, misfit_of(expected).critical)
    assert 0 < share < 0.4
    hits, runs = 0, 30
    for _ in range(runs):
        eta = rng.beta(0.5, 0.5, 1000)
        k = np.where(rng.random(1000) < share, 5, rng.binomial(10, eta))
        table = ef.VoteTable.from_arrays(k, 10)
        hits += misfit_of(Expected.under(TwoClassMixture(table.cells()).parts)).refutes
    assert hits >= runs * 0.8 - 3 * np.sqrt(runs * 0.8 * 0.2)


@pytest.mark.parametrize("n", [60, 1000])
def test_clean_sets_raise_few_alarms(n):
    alarms, runs = np.zeros(2), 120
    for seed in range(runs):
        rng = np.random.default_rng([seed, n])
        m = rng.choice([2, 3, 8], n)
        eta = [rng.random(n), rng.choice([0.1, 0.9], n), rng.beta(0.1, 1, n)][seed % 3]
        table = ef.VoteTable.from_arrays(rng.binomial(m, eta), m)
        expected = Expected.under(TwoClassMixture(table.cells()).parts)
        alarms += [
            one_distribution(expected).refutes, misfit_of(expected).refutes
        ]  # fmt: skip
    assert (alarms <= binom.ppf(0.999, runs, [0.005, 0.01])).all()


# ---- the command line ------------------------------------------------------------------------


def test_the_command_line_asks_for_majorities_and_designs(tmp_path):
    rng = np.random.default_rng(0)
    k, m = collected(rng, rng.random(200), rule_named("third"))
    path = tmp_path / "votes.csv"
    rows = "".join(f"{a},{b}\n" for a, b in zip(k, m, strict=True))
    path.write_text(f"positives,total\n{rows}")
    design = ["--totals-by", "votes", "--stopping", "third", "--interval", "certified"]
    told = CliRunner().invoke(cli, ["estimate", str(path), *design, "--majority", "3", "--json"])
    result = json.loads(told.stdout)["result"]
    found = ef.from_votes(
        k, m, totals_by="votes", stopping="third", interval="certified", majority=3
    )
    assert (result["value"], result["low"]) == (found.value, found.low)
    assert result["target"] == "the majority of 3 votes"
    assert result["options"]["stopping"] == "third"


def test_the_command_line_refuses_designs_of_scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,label\n0.1,0\n0.7,1\n0.8,0\n")
    told = CliRunner().invoke(cli, ["estimate", str(path), "--majority", "3"])
    assert told.exit_code != 0
    assert "--majority goes with votes" in told.stderr
    told = CliRunner().invoke(cli, ["estimate", str(path), "--stopping", "third"])
    assert told.exit_code != 0
    assert "--stopping says how votes decided" in told.stderr
