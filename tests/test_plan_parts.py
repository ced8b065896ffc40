"""Parts of plans and verdicts, each against hand calculation or plain code."""

from collections import Counter
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom, multinomial

import errorfloor as ef
from errorfloor.intervals.votes import region
from errorfloor.methods.votes.simplex import PartitionMixture
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import plan
from errorfloor.questions.feebee import redraw_classes
from errorfloor.questions.headroom import Gap
from errorfloor.questions.plan import ManyVotes, _fitted, between

# How many items are needed


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(250, {250, 260}), (1234, {1300}), (90, {90, 91, 92}), (123_456, {130_000})],
)
def test_as_many_items_are_needed_as_the_width_says_up_to_two_digits(wanted, found):
    def width(n):
        return 0.02 * np.sqrt(wanted / n)

    items = np.array([100, 1000, 10_000])
    assert plan._items_needed(width, 0.02, items, width(items)) in found


@pytest.mark.parametrize(
    ("power", "wanted", "items", "asked"),
    [
        (1 / 2, 250, [100, 1000], [250, 249]),
        # At least a tenth of the way from the one end: 0.9 * 1000 + 0.1 * 10,000.
        (1 / 2, 1234, [100, 1000, 10_000], [1900, 1234, 1233]),
        (1 / 3, 5555, [100], [1000, 10_000, 5555, 5554]),
        # Below the least number of items a width of one half at one item is the other end.
        (1 / 2, 37, [100, 300], [54, 43, 39, 38, 37, 36]),
    ],
)
def test_widths_that_are_straight_lines_in_logarithms_are_soon_found(power, wanted, items, asked):
    seen = []

    def width(n):
        seen.append(n)
        return 0.02 * (wanted / n) ** power

    known = 0.02 * (wanted / np.array(items)) ** power
    plan._items_needed(width, 0.02, np.array(items), known)
    assert seen == asked


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_twenty_items_with_scores_are_a_pilot():
    def asked(n):
        table = ef.ScoreTable.from_arrays(np.arange(n) / n, np.arange(n) % 3 == 0)
        return ef.plan(table, items=[100, 400])

    found = asked(20)
    assert (found.votes.tolist(), found.width.shape) == ([1], (1, 2))
    assert found.width[0, 0] > found.width[0, 1]
    with pytest.raises(ef.InputError, match="`pilot` has 19 items; pass at least 20"):
        asked(19)
    two = ef.VoteTable.from_arrays([0, 1, 2, 1], 2)
    assert ef.plan(two, votes=[2, 3], items=[100]).width.shape == (2, 1)
    with pytest.raises(ef.InputError, match="`pilot` must have items with at least 2 votes"):
        ef.plan(ef.VoteTable.from_arrays([0, 1, 1], 1))


def test_widths_that_no_number_of_items_reaches_need_none():
    items = np.array([100])
    most = plan.MOST_ITEMS
    assert plan._items_needed(lambda n: 0.5, 0.1, items, np.array([0.5])) is None
    at_last = plan._items_needed(lambda n: 0.1 if n == most else 0.5, 0.1, items, np.array([0.5]))
    assert at_last == most


@pytest.mark.parametrize("wrong", [-1, np.inf, np.nan, "a", None, 10**400])
def test_prices_and_targets_are_numbers(wrong):
    assert plan._check_number(0, "cost_per_item") == 0
    assert plan._check_number("2.5", "target", above=0.0) == 2.5
    with pytest.raises(ef.InputError, match="`cost_per_item` must be a number of at least 0"):
        plan._check_number(wrong, "cost_per_item")
    with pytest.raises(ef.InputError, match="`target` must be a number above 0"):
        plan._check_number(wrong, "target", above=0.0)
    with pytest.raises(ef.InputError, match="`target` must be a number above 0"):
        plan._check_number(0, "target", above=0.0)


def test_assumed_distributions_are_checked_and_add_up_to_one():
    points, weights = plan._check_distribution([0.1, 0.5], [1, 3])
    assert (points.tolist(), weights.tolist()) == ([0.1, 0.5], [0.25, 0.75])
    for wrong, says in (
        (([0.1, 0.5], [1]), "must have the same length"),
        (([0.1, 1.5], [1, 1]), "must lie in"),
        (([0.1, 0.5], [1, -1]), "`pilot weights` must be at least 0: entry 1"),
        (([0.1, 0.5], [0, 0]), "must not all be 0"),
    ):
        with pytest.raises(ef.InputError, match=says):
            plan._check_distribution(*wrong)


def test_one_more_vote_is_set_beside_new_items_of_the_same_price():
    def task(**given):
        plain = {"votes": (2,), "items": np.array([100]), "level": 0.95, "target": None}
        return plan.PlanAsk(**{**plain, "cost_per_item": 2.0, "cost_per_vote": 1.0, **given})

    table = ef.VoteTable.from_arrays([0, 1, 2, 3] * 25, [2, 3, 3, 3] * 25)
    # Three votes on average: an item with them costs 5, so that 100 votes are worth 20 items.
    asked = []
    trade = task()._trade(table, lambda m, n: asked.append((m, n)) or m + n)
    assert (trade.n, trade.more, trade.deeper, trade.broader) == (100, 20, 104, 123)
    assert asked == [(4, 100), (3, 120)]
    assert task(cost_per_item=0.0, cost_per_vote=0.0)._trade(table, lambda m, n: 0.1) is None
    single = ef.VoteTable.from_arrays([0, 1, 2, 1], [1, 1, 2, 1])
    assert task()._trade(single, lambda m, n: m).deeper == 3  # two votes at least


def test_the_cheapest_option_reaches_the_target():
    found = ef.plan(
        ([0.1, 0.5, 0.9], [4, 1, 4]), votes=(3, 5), items=(100, 1000), target=0.08,
        cost_per_item=3, cost_per_vote=2,
    )  # fmt: skip
    for option in found.options:
        assert option.cost == option.items * (3 + 2 * option.votes)
    assert found.best.cost == min(option.cost for option in found.options)
    assert found.narrowest is None
    assert found.classes == 2
    assert found.floor == pytest.approx((0.1 * 8 + 0.5) / 9)


def test_widths_between_two_are_geometric_means():
    assert between(lambda m, n: 4.0, lambda m, n: 9.0, 0.5, 1, 1) == pytest.approx(6)
    assert between(lambda m, n: 4.0, lambda m, n: 9.0, 0.0, 1, 1) == pytest.approx(4)
    assert between(lambda m, n: m, lambda m, n: n, 0.25, 16, 81) == pytest.approx(8 * 3)


# Many classes


FIT = PartitionMixture(np.array([[0.6, 0.3, 0.1], [1 / 3] * 3]), np.array([0.75, 0.25]), 0.0, 0.0)


def test_expected_votes_of_many_classes_are_those_of_every_outcome():
    votes, share = ManyVotes(FIT, 3)._expected(4)
    slow = Counter()
    for row in product(range(5), repeat=3):
        if sum(row) == 4:
            chance = [multinomial.pmf(row, 4, p) for p in FIT.points]
            slow[tuple(sorted(row, reverse=True))] += float(np.dot(chance, FIT.weights))
    found = {tuple(row): one for row, one in zip(votes.tolist(), share.tolist(), strict=True)}
    assert found == pytest.approx(slow)
    assert share.sum() == pytest.approx(1)


def test_very_many_votes_are_drawn_and_counted_in_whole_items(monkeypatch):
    votes, share = ManyVotes(FIT, 3)._expected(20)
    assert share.sum() == pytest.approx(1)
    assert (votes.sum(axis=1) == 20).all()
    assert (np.diff(votes, axis=1) <= 0).all()
    largest = 20 * FIT.points.max(axis=1)  # which the largest number of votes exceeds
    assert share @ votes[:, 0] > FIT.weights @ largest
    assert (share * 4000 == np.round(share * 4000)).all()
    seen = []

    def limits(votes, items, *, level):
        seen.append((items, level))
        return 0.1, 0.3

    monkeypatch.setattr(region, "many_likelihood_limits", limits)
    assert ManyVotes(FIT, 3).width(0.9, 20, 1001) == pytest.approx(0.2)
    items, level = seen[0]
    assert (items.sum(), items.dtype, level) == (1001, np.int64, 0.9)
    ManyVotes(FIT, 3).width(0.9, 4, 1001)
    assert seen[1][0].sum() == pytest.approx(1001)


# Other metrics


def test_expected_votes_are_the_nearest_whole_numbers_from_the_first_on():
    points, weights = np.array([0.2, 0.7]), np.array([0.4, 0.6])
    behind = 1000 * np.cumsum(binom.pmf(np.arange(6)[:, None], 5, points) @ weights)
    k, counts = plan._expected(points, weights, 5, 1000)
    assert k.tolist() == list(range(6))
    assert counts.tolist() == np.diff(np.round(behind), prepend=0).tolist()
    k, counts = plan._expected(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 5, 10)
    assert (k.tolist(), counts.tolist()) == ([0, 5], [5, 5])


def test_widths_of_other_metrics_from_scores_narrow_with_the_root():
    rng = np.random.default_rng(0)
    scores = rng.random(80).round(2)
    table = ef.ScoreTable.from_arrays(scores, rng.random(80) < scores)
    measured = plan.Measured(MetricChoice("brier"), 0.9)
    found, width = measured.of_scores(table)
    own = ef.from_scores(table, metric="brier", level=0.9, rng=0)
    assert (found.low, found.high) == (own.low, own.high)
    assert width(1, 80) == pytest.approx(own.high - own.low)
    assert width(1, 320) == pytest.approx((own.high - own.low) / 2)


# Verdicts


@dataclass(frozen=True)
class Fixed:
    """Limits so many times the normal deviation from a value."""

    value: float
    spread: float
    method: str = "fixed"

    def limits(self, level):
        z = ndtri((1 + level) / 2)
        return self.value - z * self.spread, self.value + z * self.spread


def gap(worse, better, spread=0.01, *, leaves_open=False):
    both = Fixed(worse, spread), Fixed(better, spread)
    return Gap(worse, both[0], better, both[1], leaves_open)


def test_p_values_of_a_difference_are_normal_tails():
    one = gap(0.25, 0.22)
    assert one.value == pytest.approx(0.03)
    z = 0.03 / np.sqrt(2 * 0.01**2)
    room, beyond = one.p_values(0.95)
    assert room == pytest.approx(ndtr(-z), rel=1e-3)
    assert beyond == pytest.approx(1 - ndtr(-z), rel=1e-3)
    assert gap(0.22, 0.25).p_values(0.95) == pytest.approx((beyond, room), rel=1e-3)
    assert gap(0.2, 0.2).p_values(0.95) == (0.5, 0.5)
    assert gap(0.9, 0.1).p_values(0.95) == (ndtr(-7), 1 - ndtr(-7))
    half = ndtri(0.975) * np.sqrt(2) * 0.01
    assert one.limits(0.95) == pytest.approx((0.03 - half, 0.03 + half))


def test_p_values_of_limits_that_are_more_than_noise_are_where_these_part():
    def tails(worse, better, level=0.95):
        return gap(worse, better, leaves_open=True).p_values(level)

    # Limits of 0.25 and 0.2 part where the normal deviation is 2.5.
    found = tails(0.25, 0.2)
    assert found[1] == 1
    assert ndtr(-2.5) <= found[0] <= 1.02 * ndtr(-2.5)
    # Not at the level itself, but at larger tails.
    found = tails(0.22, 0.2)
    assert ndtr(-1) <= found[0] <= 1.02 * ndtr(-1)
    assert tails(0.2, 0.25)[0] == 1
    assert tails(0.2, 0.25)[1] == tails(0.25, 0.2)[0]
    assert tails(0.21, 0.2) == (1, 1)  # not even at a quarter
    assert tails(0.9, 0.1) == (ndtr(-7), 1)
    given = (1 - (1 - 1e-13)) / 2
    assert tails(0.9, 0.1, 1 - 1e-13) == (given, 1)
    assert gap(0.25, 0.2, leaves_open=True).limits(0.95) == pytest.approx(
        (0.05 - 2 * 0.01 * ndtri(0.975), 0.05 + 2 * 0.01 * ndtri(0.975))
    )


# Two kinds of items, and noise


def test_two_points_are_the_most_likely_ones():
    k, m = np.arange(6), np.full(6, 5)
    counts = np.array([30, 25, 12, 8, 10, 15])
    points, weights, reached = _fitted(k, m, counts, np.array([0.2, 0.8]), np.array([0.5, 0.5]))

    def twice(points, weights):
        return 2 * float(counts @ np.log(binom.pmf(k[:, None], m[:, None], points) @ weights))

    assert reached == pytest.approx(twice(points, weights))
    for i, step in product(range(2), (-1e-3, 1e-3)):
        moved = points.copy()
        moved[i] += step
        assert twice(moved, weights) < reached
        assert twice(points, weights + step * np.array([1, -1])) < reached
    held, _, less = _fitted(k, m, counts, np.array([0.2, 0.5]), np.array([0.5, 0.5]), held=1)
    assert held[1] == 0.5
    assert less < reached


def test_redrawn_classes_keep_the_items_of_each_row_and_their_means():
    count = np.array([500, 0, 100, 3, 4, 0])
    noise = np.full(2000, 0.5)
    drawn = redraw_classes(count, 3, noise, np.random.default_rng(0)).reshape(-1, 2, 3)
    assert (drawn.sum(axis=2) == [600, 7]).all()
    expected = 0.5 * count.reshape(2, 3) + 0.5 * np.array([[200], [7 / 3]])
    deviation = np.sqrt(expected / len(noise)) + 1e-9  # at most, as of Poisson numbers
    assert (np.abs(drawn.mean(axis=0) - expected) < 5 * deviation).all()
    assert redraw_classes(count, 3, np.zeros(1), np.random.default_rng(0))[0].tolist() == (
        count.tolist()
    )


def test_plans_know_the_number_of_classes():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 60).round(2)
    votes = ef.VoteTable.from_arrays(rng.multinomial(3, p / p.sum(axis=1, keepdims=True)))
    assert ef.plan(votes, votes=(3,), items=(100,)).classes == 3
    scores = ef.ScoreTable.from_arrays(p, p.argmax(axis=1))
    assert ef.plan(scores, items=(100,)).classes == 3
    assert ef.plan(scores, items=(100,), metric="brier").classes == 3
    assert (
        ef.plan(ef.VoteTable.from_arrays([0, 1, 2] * 9, 2), votes=(2,), items=(100,)).classes == 2
    )
