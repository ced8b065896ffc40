"""Best values of metrics from votes: laws, slow code, known truths and refusals."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import errorfloor as ef
from benchmarks import metrics_atoms
from benchmarks import metrics_votes as study
from benchmarks.metrics_page import METRICS
from errorfloor import metrics
from errorfloor.intervals.votes import region as regions
from errorfloor.intervals.votes.band import certified_limits
from errorfloor.intervals.votes.region import (
    ManyClassRegion,
    TwoClassRegion,
    likelihood_limits,
    many_likelihood_limits,
)
from errorfloor.methods.record import ITEM_DECIDES, Options
from errorfloor.methods.votes.aims import Target, aim_of
from errorfloor.methods.votes.line import binomial, grid
from errorfloor.methods.votes.simplex import CountLikelihood
from errorfloor.metrics.choice import MetricChoice

GIVEN = {**METRICS, "coverage-at-error": {"at": 0.1}}
MEANS = ("cost", "brier", "log-loss")
OTHERS = tuple(name for name in GIVEN if name not in MEANS)


def metric(name, classes=2, **given):
    return MetricChoice(name, **{**GIVEN.get(name, {}), **given}).of(classes)


def options(name, majority=None, **given):
    return Options(metric=metric(name, **given), majority=majority)


def votes_of(points, weights, m, n):
    """Return cells with exactly the numbers of items to be expected."""
    k = np.arange(m + 1)
    m = np.full(m + 1, m)
    return k, m, n * (binomial(k, m, np.asarray(points, dtype=float)) @ np.asarray(weights))


def drawn(draw, m, n, seed):
    rng = np.random.default_rng(seed)
    k = rng.binomial(m, draw(rng, n))
    positives, counts = np.unique(k, return_counts=True)
    return positives, np.full(positives.size, m), counts


# What is averaged


@pytest.mark.parametrize("name", ["cost", "brier", "log-loss"])
def test_what_is_averaged_is_the_metric(name):
    points = np.linspace(0, 1, 1001)
    assert aim_of(metric(name), Target())(points) == pytest.approx(
        metric(name).per_item(points), abs=1e-12
    )


def test_other_metrics_are_no_means():
    assert all(aim_of(metric(name), Target()) is None for name in OTHERS)
    assert aim_of(metric("balanced-error", prior=0.2), Target())(
        np.array([0.0, 0.1, 0.2, 1.0])
    ) == pytest.approx([0, 0.25, 0.5, 0])


# Means over items


@pytest.mark.parametrize("find", [likelihood_limits, certified_limits])
@pytest.mark.parametrize("majority", [None, 3])
def test_equal_costs_are_the_error(find, majority):
    cells = drawn(lambda rng, n: rng.beta(0.5, 0.7, n), 4, 800, 1)
    error = find(*cells, options=Options(majority=majority))
    cost = find(*cells, options=options("cost", majority, costs=(2, 2)))
    assert np.array(cost) / 2 == pytest.approx(error, abs=1e-5)


@pytest.mark.parametrize("find", [likelihood_limits, certified_limits])
def test_the_brier_score_is_known_from_two_votes(find):
    cells = np.array([0, 1, 2]), np.array([2, 2, 2]), 10**9 * np.array([375, 250, 375])
    low, high = find(*cells, options=options("brier"))
    # The region counts 10 million of these items, whose limits are 0.00015 away.
    assert low == pytest.approx(0.125, abs=2e-4)
    assert high == pytest.approx(0.125, abs=2e-4)
    assert low <= 0.125 <= high


def test_items_as_hard_as_can_be_leave_the_largest_cost_open():
    cells = drawn(lambda rng, n: np.full(n, 1 / 6), 5, 500, 3)
    assert likelihood_limits(*cells, options=options("cost"))[1] == pytest.approx(5 / 6)


# Values that means decide


@pytest.mark.parametrize("name", ["f1", "error-at-coverage", "coverage-at-error"])
@pytest.mark.parametrize("points", [(0.3, 0.6), (0.02, 0.2, 0.7), (0.0, 0.5)])
def test_certified_limits_hold_every_distribution_that_explains_the_votes(name, points):
    weights = np.arange(1, len(points) + 1) / np.arange(1, len(points) + 1).sum()
    for m, n in ((2, 300), (5, 10**6)):
        cells = votes_of(points, weights, m, n)
        low, high = certified_limits(*cells, options=options(name))
        assert low <= metric(name).best(np.array(points), weights) <= high
        assert 0 <= low < high <= 1


def test_certified_limits_of_f1_close_in_as_votes_and_items_grow():
    points, weights = grid(64), np.full(65, 1 / 65)
    truth = metric("f1").best(points, weights)
    widths = []
    for m, n in ((3, 10**3), (10, 10**5), (30, 10**8)):
        low, high = certified_limits(*votes_of(points, weights, m, n), options=options("f1"))
        assert low <= truth <= high
        widths.append(high - low)
    assert widths[0] > 3 * widths[1] > 6 * widths[2]
    assert widths[2] < 0.015


# Values of the whole distribution


def thirds(m):
    return drawn(lambda rng, n: rng.choice([0.05, 0.3, 0.7], n), m, 500, 4)


@cache
def likely_distributions(m):
    """Return few-point distributions within the likelihood region, by many steps of EM."""
    region = TwoClassRegion.around(thirds(m), 0.95, 256, options(OTHERS[0]))
    rng, cells = np.random.default_rng(7), region.parts[0]
    share, found = cells.share, []
    for _ in range(200):
        points = np.sort(rng.random(rng.integers(3, 6)))
        points[0] *= rng.random() / 3
        matrix = binomial(cells.positives, cells.totals, points)
        weights = rng.dirichlet(np.ones(points.size))
        for _ in range(200):
            weights *= (share / (matrix @ weights)) @ matrix
        if region.best - share @ np.log(matrix @ weights) <= region.use:
            found.append((points, weights))
    return found


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("m", [2, 5])
def test_limits_hold_the_values_of_likely_distributions_that_a_blind_search_finds(name, m):
    low, high = likelihood_limits(*thirds(m), options=options(name))
    found = likely_distributions(m)
    assert len(found) >= 15
    values = np.array([metric(name).best(*one) for one in found])
    # A search from some starts need not find the very last bit.
    assert values.min() >= low - 0.004
    assert values.max() <= high + 0.004


def test_items_that_are_alike_leave_no_ranking():
    cells = drawn(lambda rng, n: np.full(n, 0.3), 5, 400, 8)
    assert likelihood_limits(*cells, options=options("auc"))[0] == 0.5
    assert likelihood_limits(*cells, options=options("mcc"))[0] == 0.0
    assert likelihood_limits(*cells, options=options("balanced-error"))[1] == 0.5


@pytest.mark.parametrize(("eta", "coins"), [(0.515, True), (0.6, False)])
def test_items_that_are_alike_may_be_coin_flips_if_votes_lean_by_chance(eta, coins):
    cells = votes_of([eta], [1.0], 3, 300)  # whose share is known to 1.7 points
    asked = options("error-at-coverage", at=0.7)
    assert (likelihood_limits(*cells, options=asked)[1] == 0.5) == coins
    region = TwoClassRegion.around(cells, 0.95, 256, options("average-precision"))
    values = region.values_if_equal()  # of items that are alike: their probability
    half = np.sqrt(2 * 300 * region.use * eta * (1 - eta) / 900)
    assert (min(values), max(values)) == pytest.approx((eta - half, eta + half), abs=0.006)


@pytest.mark.parametrize("part", [0.0, 0.25, 0.5, 1.0])
def test_average_precision_of_two_kinds_of_items(part):
    one, other = np.array([0.1, 0.6, 0.3, 0.0]), np.array([0.7, 0.2, 0.3, 0.5])
    found = regions.average_precision_of_two(one, other, part)
    for i in range(one.size):
        pair, weights = np.array([one[i], other[i]]), np.array([1 - part, part])
        if pair @ weights > 0:
            assert found[i] == pytest.approx(metric("average-precision").best(pair, weights))


@pytest.mark.parametrize("target", [Target(), Target(3)])
def test_the_least_of_two_kinds_is_that_of_a_plain_search(target):
    k, m, counts = votes_of([0.2, 0.7], [0.6, 0.4], 4, 300)
    points, share = grid(16), counts / counts.sum()
    chances = binomial(k, m, points)
    best = share @ np.log(binomial(k, m, np.array([0.2, 0.7])) @ [0.6, 0.4])
    expected = 1.0
    for i, j in combinations(range(points.size), 2):
        for part in (1 - np.cos(np.linspace(0, np.pi, 41))) / 2:
            mixed = (1 - part) * chances[:, i] + part * chances[:, j]
            if mixed.all() and share @ np.log(mixed) >= best - 0.01:
                pair = target.positive(points[[i, j]]), np.array([1 - part, part])
                expected = min(expected, metric("average-precision").best(*pair))
    found = regions.least_of_two(points, chances, share, best - 0.01, target.positive)
    assert found == pytest.approx(expected)
    assert regions.least_of_two(points, chances, share, best + 1, target.positive) == 1.0


def test_average_precision_holds_the_value_of_two_kinds_of_items():
    truth, limits = metrics_atoms.simulate("half 0.1, half 0.6", 5, 4)
    assert ((limits[:, 0] <= truth) & (truth <= limits[:, 1])).sum() >= 3
    totals = np.repeat([4, 6], [5, 7])  # and where each total has a distribution of its own
    cells = np.r_[np.arange(5), np.arange(7)]
    counts = 250 * binomial(cells, totals, np.array([0.1, 0.6])) @ [0.5, 0.5]
    asked = replace(options("average-precision"), totals_by=ITEM_DECIDES)
    assert likelihood_limits(cells, totals, counts, options=asked)[0] <= truth


@pytest.mark.parametrize("name", ["auc", "f1"])
def test_totals_may_depend_on_the_items(name):
    rng = np.random.default_rng(9)
    hard = rng.random(900) < 0.5
    eta = np.where(hard, rng.beta(2, 2, 900), rng.beta(0.2, 0.2, 900))
    totals = np.where(hard, 6, 2)
    truth = metric(name).best(np.sort(eta), np.ones(900))
    found = ef.from_votes(rng.binomial(totals, eta), totals, metric=name, totals_by="item")
    assert found.low <= truth <= found.high
    assert found.value == pytest.approx(truth, abs=0.03)


# Answers


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(10)
    return rng.binomial(5, rng.beta(0.5, 0.8, 600))


@pytest.mark.parametrize("name", GIVEN)
def test_every_metric_is_answered_with_limits_and_the_value_of_plain_shares(name, votes):
    found = ef.from_votes(votes, 5, metric=name, **GIVEN[name])
    again = ef.from_votes(votes[::-1], 5, metric=name, rng=3, **GIVEN[name])
    assert (found.value, found.interval) == (again.value, again.interval)
    assert found.low <= found.value <= found.high
    assert found.low < found.high
    assert found.interval_method == "likelihood"
    assert found.metric == name
    assert found.bias is None
    assert found.mixture is not None
    with pytest.warns(ef.DoubtWarning, match="look like shares of 5 votes"):
        shares = ef.from_soft_labels(votes / 5, metric=name, interval=None, **GIVEN[name])
    assert found.plugin == pytest.approx(shares.value, abs=1e-12)
    plain = ef.from_votes(votes, 5, metric=name, method="plugin", interval=None, **GIVEN[name])
    assert plain.value == found.plugin
    assert found.at_level(0.5).high < found.high


def test_plain_shares_of_unequal_totals_are_those_of_soft_labels():
    rng = np.random.default_rng(20)
    totals = rng.integers(7, 90, 300)
    positives = rng.binomial(totals, rng.beta(0.5, 0.5, 300))
    for name in ("auc", "f1", "average-precision", "coverage-at-error"):
        found = ef.from_votes(
            positives, totals, metric=name, method="plugin", n_resamples=50, rng=0, **GIVEN[name]
        )
        soft = ef.from_soft_labels(positives / totals, metric=name, interval=None, **GIVEN[name])
        assert found.value == pytest.approx(soft.value, abs=1e-12)
        assert found.low < found.value < found.high


def test_majorities_take_the_place_of_votes(votes):
    single, three = (
        ef.from_votes(votes, 5, metric="auc", majority=majority) for majority in (None, 3)
    )
    assert three.value > single.value
    assert three.low > single.low
    assert three.target == "the majority of 3 votes"
    sure = ef.from_votes(votes, 5, metric="log-loss", majority=3, interval="certified")
    assert sure.low < sure.value < sure.high


@pytest.mark.parametrize("name", ["auc", "average-precision", "mcc", "balanced-error"])
def test_there_is_no_certified_interval_for_rankings(name, votes):
    with pytest.raises(ValueError, match="is for metrics that means over items decide"):
        ef.from_votes(votes, 5, metric=name, interval="certified")


def test_a_known_share_of_class_1_makes_balanced_error_a_mean(votes):
    found = ef.from_votes(votes, 5, metric="balanced-error", prior=0.4, interval="certified")
    assert found.low < found.value < found.high


@pytest.mark.parametrize("name", ["auc", "average-precision", "mcc", "balanced-error", "f1"])
def test_votes_of_one_class_are_refused(name):
    with pytest.raises(ValueError, match="there is no vote for class 1"):
        ef.from_votes([0, 0, 0], 3, metric=name)


def test_what_votes_cannot_answer_is_refused(votes):
    with pytest.raises(ValueError, match="there is no vote for class 0"):
        ef.from_votes([3, 3, 3], 3, metric="auc")
    with pytest.raises(ValueError, match="at least 2 votes"):
        ef.from_votes([0, 1, 1], 1, metric="auc")
    with pytest.raises(ValueError, match="`model_error` caps the floor of the error"):
        ef.from_votes(votes, 5, metric="brier", model_error=(3, 10))
    with pytest.raises(ValueError, match="`interval` must be"):
        ef.from_votes(votes, 5, metric="auc", interval="bca")


def test_votes_that_all_agree_are_answered():
    found = ef.from_votes([0] * 40 + [3] * 60, 3, metric="auc")
    assert found.value > 0.95
    assert found.high == 1.0
    few = ef.from_votes([0, 2], 2, metric="log-loss")
    assert few.low == pytest.approx(0.0, abs=1e-6)
    assert few.high > 0.5


# Many classes


def many_votes(shape, m, n, seed):
    rng = np.random.default_rng(seed)
    return rng.multinomial(m, rng.dirichlet(shape, n))


def test_the_brier_score_of_many_classes_is_the_disagreement_of_pairs():
    votes = many_votes([0.3] * 4, 3, 200, 11)
    found = ef.from_votes(votes, metric="brier", interval=None)
    pairs = (votes * (votes - 1)).sum(axis=1) / 6
    assert found.value == pytest.approx(1 - pairs.mean())


@pytest.mark.parametrize("name", study.MANY_METRICS)
@pytest.mark.parametrize("classes", [3, 4])
def test_metrics_of_many_classes_are_near_the_truth(name, classes):
    shape = np.linspace(0.2, 0.6, classes)
    costs = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes)))
    given = {**study.MANY_METRICS, "cost": {"costs": costs}}[name]
    items = np.random.default_rng(12).dirichlet(shape, 50_000)
    truth = MetricChoice(name, **given).of(classes).best(items, np.ones(50_000))
    found = ef.from_votes(many_votes(shape, 5, 1000, 13), metric=name, **given)
    assert found.low <= truth <= found.high
    assert found.low < found.value < found.high
    near = 0.12 if name == "coverage-at-error" else 0.04
    assert found.value == pytest.approx(truth, abs=near)
    assert found.bias is None


def test_equal_costs_of_three_classes_are_nearly_the_error():
    votes = many_votes([0.4, 0.4, 0.4], 4, 1000, 14)
    error = ef.from_votes(votes)
    cost = ef.from_votes(votes, metric="cost", costs=1 - np.eye(3))
    assert cost.value == pytest.approx(error.value, abs=0.01)
    assert (cost.low, cost.high) == pytest.approx((error.low, error.high), abs=0.03)


def test_items_of_many_classes_that_are_alike_leave_the_largest_values_open():
    rng = np.random.default_rng(16)
    votes, counts = np.unique(rng.multinomial(4, [0.5, 0.3, 0.2], 400), axis=0, return_counts=True)
    asked = Options(metric=metric("balanced-error", 3))
    assert many_likelihood_limits(votes, counts, options=asked)[1] == pytest.approx(2 / 3)
    even, counts = np.unique(rng.multinomial(4, [1 / 3] * 3, 400), axis=0, return_counts=True)
    asked = Options(metric=metric("log-loss", 3))
    assert many_likelihood_limits(even, counts, options=asked)[1] == pytest.approx(np.log(3))


def test_a_region_of_many_classes_has_one_likelihood_for_each_total():
    votes = np.concatenate((many_votes([0.3] * 3, 2, 200, 17), many_votes([0.6] * 3, 5, 200, 18)))
    found = ef.from_votes(counts=votes, metric="log-loss", totals_by="item")
    assert found.low < found.value < found.high
    asked = Options(metric=metric("cost", 3, costs=1 - np.eye(3)), totals_by="item")
    region = ManyClassRegion.around(votes, np.ones(400, dtype=np.int64), 0.95, asked)
    assert [type(part) for part in region.parts] == [CountLikelihood] * 2
    assert region.fitted.sum() == pytest.approx(1)


def test_what_many_classes_have_no_answer_for_is_refused():
    votes = many_votes([0.3] * 6, 3, 100, 19)
    with pytest.raises(ValueError, match="at most 5 classes, and there are 6"):
        ef.from_votes(votes, metric="balanced-error")
    assert ef.from_votes(votes, metric="balanced-error", method="plugin", rng=0).value < 0.6
    with pytest.raises(ValueError, match="`majority` goes with the error"):
        ef.from_votes(votes, metric="log-loss", majority=3)
    with pytest.raises(ValueError, match="needs votes for every class"):
        ef.from_votes(counts=votes[:, :3] * [1, 1, 0] + [1, 1, 0], metric="balanced-error")
    with pytest.raises(ValueError, match="cannot be answered from votes of more than") as asked:
        ef.from_votes(votes, metric="auc")
    able = str(asked.value).partition("Ask for one of ")[2].rstrip(".").split(", ")
    assert {"error", "balanced-error", "log-loss"} <= {*able}
    for name in {*metrics.names()} - {*able}:
        with pytest.raises(ValueError, match="cannot be answered from votes of more than two"):
            ef.from_votes(votes, metric=name, interval=None)


# The study, in small


@pytest.mark.parametrize("name", study.SMOOTH)
def test_values_of_smooth_distributions_are_nearly_unbiased(name):
    found = study.values((name, 5, 2000), 12)
    for own, errors in found.items():
        most = 0.01 if own == "coverage-at-error" else 0.003
        noise = 4 * errors.std(ddof=1) / len(errors) ** 0.5
        assert abs(errors.mean()) <= most + noise, own


def test_intervals_hold_the_truth_of_two_atoms():
    found = study.simulate(("two atoms: 0.3 and 0.6", 5, 500), 3)
    missed = sum(round(3 * (1 - study.covers(rows)[0])) for rows in found.values())
    assert missed <= 3  # of 30; at 95 % four or more have a chance of 0.06, were they independent


@pytest.mark.parametrize("given", [{}, {"metric": "brier"}, {"metric": "log-loss"}])
def test_votes_that_agree_less_than_guesses_are_refuted(given):
    with pytest.warns(ef.RefutedWarning, match="less often than if people guessed"):
        found = ef.from_votes(counts=np.ones((200, 3), dtype=int), **given)
    assert found.refuted
    assert found.value <= found.measure.span(3)[1]
    guesses = np.random.default_rng(0).multinomial(4, np.full(3, 1 / 3), size=400)
    assert not ef.from_votes(guesses, **given).refuted


@pytest.mark.filterwarnings("ignore:All votes agree")
def test_sure_items_may_have_some_error_however_unanimous_they_are():
    votes = 4 * np.eye(3, dtype=int)[np.arange(400) % 3]
    found = ef.from_votes(votes, metric="error-at-coverage", at=0.8)
    # Of 1,600 votes that agree, a share of 1.92 / 1,600 may have been guesses among three classes.
    assert found.high > 1.9 / 1600 * 2 / 3
