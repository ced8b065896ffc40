import json
from collections import Counter

import numpy as np
import pytest
from helpers import answer
from scipy.stats import binomtest, norm

import errorfloor as ef
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.intervals.votes.region import likelihood_limits
from errorfloor.methods.votes.line import fit_mixture
from errorfloor.questions.headroom import _distance
from errorfloor.questions.plan import Totals


@pytest.fixture(scope="module")
def floor():
    data = gaussian_mixture(2000, rng=1)
    scores = corrupt(data.soft_labels, 2, 0.7)
    return ef.from_scores(scores, data.labels, complete=True, rng=1)


def test_a_model_far_above_the_floor_has_room(floor):
    found = ef.headroom(floor, errors=300, n=1000)
    assert found.verdict == "room"
    assert 0 < found.low < found.difference < found.high
    assert found.difference == pytest.approx(0.3 - floor.value)
    assert found.p_room < 1e-6 < 1 - 1e-6 < found.p_beyond
    assert str(found) == found.sentence
    assert "can still gain" in found.sentence


def test_a_model_at_the_floor_is_saturated(floor):
    found = ef.headroom(floor, model_error=floor.value, n=1000)
    assert found.verdict == "saturated"
    assert found.low < 0 < found.high
    assert "These data cannot tell whether your model" in found.sentence


def test_a_model_below_the_floor_is_suspicious(floor):
    found = ef.headroom(floor, errors=10, n=1000)
    assert found.verdict == "beyond"
    assert found.low < found.high < 0
    assert found.p_beyond < 1e-6
    assert "leaked test set" in found.sentence


def test_a_model_without_errors_and_one_that_is_always_wrong_are_judged(floor):
    found = ef.headroom(floor, errors=0, n=1000)
    assert found.verdict == "beyond"
    assert (found.model_error, found.n) == (0, 1000)
    assert found.difference == -floor.value
    # Clopper and Pearson: 0.975 = (1 - p)^1000 at the upper limit.
    assert found.model.low == 0
    assert found.model.high == pytest.approx(1 - 0.025 ** (1 / 1000))
    assert answer(found) == answer(ef.headroom(floor, model_error=0, n=1000))
    worst = ef.headroom(floor, errors=1000, n=1000)
    assert worst.verdict == "room"
    assert (worst.model_error, worst.model.high) == (1, 1)
    assert answer(worst) == answer(ef.headroom(floor, model_error=1, n=1000))
    assert ef.headroom(floor, errors=0, n=1).verdict == "saturated"


def test_the_floor_beside_the_model_has_the_level_of_the_verdict(floor):
    found = ef.headroom(floor, 90, 1000, level=0.8)
    assert (found.level, found.floor.level, found.model.level) == (0.8, 0.8, 0.8)
    assert found.floor.low == floor.at_level(0.8).low
    assert ef.headroom(floor, 90, 1000).floor is floor
    exact = binomtest(90, 1000).proportion_ci(0.8)
    assert (found.model.low, found.model.high) == pytest.approx(tuple(exact))


def test_p_values_end_at_seven_standard_deviations(floor):
    least = norm.sf(7)
    assert ef.headroom(floor, 900, 1000).p_room == pytest.approx(least)
    assert ef.headroom(floor, 0, 10**6).p_beyond == pytest.approx(least)


def test_a_limit_on_the_wrong_side_of_its_estimate_adds_nothing():
    assert _distance(3.0, 4.0) == 5
    assert _distance(-3.0, 4.0) == 4
    assert _distance(3.0, -4.0) == 3
    assert _distance(-1.0, -1.0) == 0


def test_errors_and_a_fraction_of_them_are_the_same(floor):
    first, second = ef.headroom(floor, 90, 1000), ef.headroom(floor, model_error=0.09, n=1000)
    assert answer(first) == answer(second)
    assert json.loads(json.dumps(first.to_dict()))["floor"]["method"] == "isotonic-cf"


@pytest.mark.parametrize("errors", [60, 100, 130])
def test_p_values_are_the_tails_at_which_the_verdict_turns(floor, errors):
    found = ef.headroom(floor, errors, 1000)
    p = min(found.p_room, found.p_beyond)
    if p < 0.49:
        for tail, turned in ((1.01 * p, True), (0.99 * p, False)):
            again = ef.headroom(floor, errors, 1000, level=1 - 2 * tail)
            assert (again.verdict != "saturated") == turned
    assert found.p_room + found.p_beyond == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:All soft labels are equal")
def test_a_known_floor_leaves_the_models_own_interval():
    # Without doubt about the floor the limits are those of Clopper and Pearson.
    certain = ef.from_soft_labels(np.full(10**6, 0.1), interval="hoeffding")
    found = ef.headroom(certain, 150, 1000)
    model = binomtest(150, 1000).proportion_ci(0.95)
    assert (found.low, found.high) == pytest.approx((model[0] - 0.1, model[1] - 0.1), abs=1e-4)


def test_more_test_items_narrow_the_difference(floor):
    widths = [
        (found := ef.headroom(floor, model_error=0.1, n=n)).high - found.low
        for n in (100, 1000, 10_000)
    ]
    assert widths == sorted(widths, reverse=True)


# 200 repetitions: the standard error of a rate of 0.05 a side is 0.0154. The full study is
# benchmarks/results/headroom.md.
@pytest.mark.parametrize("interval", ["honest", "certified"])
def test_an_optimal_model_is_called_above_or_below_as_rarely_as_the_level_says(interval):
    words = Counter()
    for seed in range(200):
        data, test = gaussian_mixture(400, rng=seed), gaussian_mixture(600, rng=10**6 + seed)
        found = ef.from_scores(data.soft_labels, data.labels, interval=interval, rng=seed)
        errors = np.count_nonzero((test.soft_labels > 0.5) != test.labels)
        words[ef.headroom(found, errors, 600, level=0.9).verdict] += 1
    assert words["room"] / 200 < 0.05 + 3 * 0.0154
    assert words["beyond"] / 200 < 0.05 + 3 * 0.0154


def test_a_model_five_points_above_the_floor_is_found_to_have_room():
    words = Counter()
    for seed in range(100):
        data, test = gaussian_mixture(2000, rng=seed), gaussian_mixture(2000, rng=10**6 + seed)
        found = ef.from_scores(data.soft_labels, data.labels, rng=seed)
        errors = np.count_nonzero((test.soft_labels > 0.5) != test.labels) + 100
        words[ef.headroom(found, errors, 2000).verdict] += 1
    assert words["room"] >= 99


def test_a_floor_from_votes_comes_with_a_warning_unless_the_labels_are_alike(rng):
    votes = ef.from_votes(rng.binomial(50, rng.beta(0.5, 0.5, 500)), 50, rng=0)
    with pytest.warns(ef.LabelShiftWarning, match="was estimated from votes.*same_labelling=True"):
        found = ef.headroom(votes, 5, 500)
    assert "was estimated from votes" in found.warnings[0]
    assert ef.headroom(votes, 5, 500, same_labelling=True).warnings == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"errors": 5}, r"`n` must be the number of test items, at least 1; got None"),
        ({"errors": 5, "n": 0}, r"`n` must be the number of test items"),
        ({"n": 10}, r"Give either `errors`, a number of items, or `model_error`, a fraction"),
        ({"errors": 1, "model_error": 0.1, "n": 10}, r"Give either"),
        ({"errors": 11, "n": 10}, r"`errors` must be a whole number from 0 to `n` = 10, got 11"),
        ({"errors": -1, "n": 10}, r"`errors` must be a whole number from 0 to `n` = 10, got -1"),
        ({"errors": 0.1, "n": 10}, r"got 0\.1\. Pass a fraction as `model_error`"),
        ({"model_error": 7.5, "n": 10}, r"`model_error` must lie in \[0, 1\], got 7\.5\. Divide"),
        ({"model_error": float("nan"), "n": 10}, r"`model_error` must lie in"),
        ({"errors": 1, "n": 10, "level": 95}, r"`level` must lie strictly between 0 and 1"),
    ],
)
def test_bad_models_are_refused(floor, arguments, message):
    with pytest.raises(ValueError, match=message):
        ef.headroom(floor, **arguments)


def test_a_floor_without_an_interval_gives_no_verdict():
    bare = ef.from_soft_labels([0.1, 0.2], interval=None)
    with pytest.raises(ValueError, match="`estimate` has no interval"):
        ef.headroom(bare, 1, 10)


# Planning


@pytest.fixture(scope="module")
def pilot():
    rng = np.random.default_rng(5)
    eta = gaussian_mixture(400, means=((0.0,), (1.0,)), rng=5).soft_labels
    return ef.VoteTable.from_arrays(rng.binomial(3, eta), 3)


def test_more_votes_and_more_items_narrow_the_interval(pilot):
    found = ef.plan(pilot, votes=(2, 4, 8), items=(100, 1000, 10_000))
    assert found.width.shape == (3, 3)
    assert (np.diff(found.width, axis=0) < 0).all()
    assert (np.diff(found.width, axis=1) < 0).all()
    assert (np.diff(found.bias) > 0).all()
    assert (found.bias < 0).all()
    assert json.loads(json.dumps(found.to_dict()))["best"] is None
    assert "points" in str(found)


def test_planned_widths_are_the_widths_that_come(pilot):
    found = ef.plan(pilot, votes=(3, 5), items=(1000,))
    behind = fit_mixture(pilot.positives, pilot.totals, pilot.counts)
    for m, (planned,) in zip(found.votes, found.width, strict=True):
        widths = []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            votes = rng.binomial(m, rng.choice(behind.points, 1000, p=behind.weights))
            got = ef.from_votes(votes, int(m))
            widths.append(got.high - got.low)
        # On the cautious side: real votes do not fit any distribution as well as expected ones.
        assert 0.97 < planned / np.mean(widths) < 1.2


def test_a_pilot_of_unequal_numbers_of_votes_is_planned_with_these_numbers(rng):
    totals, prob = rng.integers(3, 8, 1500), rng.beta(0.6, 0.9, 1500)

    def width(more):
        found = ef.from_votes(rng.binomial(totals + more, prob), totals + more)
        return found.high - found.low

    pilot = ef.VoteTable.from_arrays(rng.binomial(totals, prob), totals)
    trade = ef.plan(pilot, votes=(3,), items=(100,)).trade
    assert max(trade.deeper, trade.broader) < trade.now
    assert trade.now == pytest.approx(np.mean([width(0) for _ in range(6)]), rel=0.15)
    assert trade.deeper == pytest.approx(np.mean([width(1) for _ in range(6)]), rel=0.15)


def test_a_plan_goes_on_from_a_result(pilot):
    found = ef.from_votes(pilot)
    assert ef.plan(found, votes=(3,), items=(100,)) == ef.plan(pilot, votes=(3,), items=(100,))


def test_many_different_numbers_of_votes_are_planned_with_few_that_stand_for_them(rng):
    totals = np.repeat(np.arange(2, 62), 3)
    pilot = ef.VoteTable.from_arrays(rng.binomial(totals, 0.3), totals)
    few = Totals.of(pilot)
    assert len(few.votes) <= 20
    assert few.share.sum() == pytest.approx(1)
    assert few.mean == pytest.approx(totals.mean(), rel=0.02)


def test_the_cheapest_option_reaches_the_target(pilot):
    found = ef.plan(pilot, votes=(3, 5, 10), items=(300, 3000), target=0.1, cost_per_item=2.0)
    assert found.best is not None
    assert found.best.cost == min(option.cost for option in found.options)
    assert found.best.cost == found.best.items * (2 + found.best.votes)
    again = ef.plan(pilot, votes=(found.best.votes,), items=(found.best.items,))
    assert again.width[0, 0] <= 0.1
    assert f"{found.best.items:,} items" in found.advice
    dear_votes = ef.plan(pilot, votes=(3, 5, 10), items=(300,), target=0.1, cost_per_item=0.0)
    dear_items = ef.plan(pilot, votes=(3, 5, 10), items=(300,), target=0.1, cost_per_item=100.0)
    assert dear_items.best.votes >= dear_votes.best.votes
    assert dear_items.best.items <= dear_votes.best.items


def test_a_budget_buys_the_narrowest_interval_that_it_pays_for(pilot):
    prices = {"cost_per_item": 2.0, "cost_per_vote": 0.5}
    tried = {"votes": (3, 5, 10), "items": (300,)}
    found = ef.plan(pilot, budget=900, **tried, **prices)
    assert [option.votes for option in found.affordable] == [3, 5, 10]
    for option in found.affordable:
        price = 2 + 0.5 * option.votes
        assert option.cost == option.items * price <= 900 < (option.items + 1) * price
        again = ef.plan(pilot, votes=(option.votes,), items=(option.items,))
        assert again.width[0, 0] == option.width >= found.best_affordable.width
    best = found.best_affordable
    assert f"with {best.votes} votes for each of {best.items:,} items" in found.advice
    # What the cheapest way to a target costs buys the target.
    cheapest = ef.plan(pilot, target=0.1, **tried, **prices).best
    spent = ef.plan(pilot, budget=cheapest.cost, **tried, **prices).best_affordable
    assert spent.width <= cheapest.width <= 0.1
    assert found.to_dict()["best_affordable"]["width"] == best.width


def test_a_budget_goes_to_the_items_at_hand_where_that_tells_more():
    rng = np.random.default_rng(9)
    p = np.where(rng.random(500) < 0.6, rng.beta(1, 9, 500), rng.beta(6, 2, 500))
    votes = (rng.random((500, 2)) < p[:, None]).astype(int)
    table = ef.VoteTable.from_arrays(votes.sum(axis=1), 2)
    found = ef.plan(table, budget=2000)
    own, new = found.deepened, found.best_affordable
    assert (own.votes, own.items, own.cost) == (4, 500, 2000)
    assert own.width < new.width < found.trade.now
    assert found.sentence.startswith(
        "With a budget of 2,000, 4 more votes for each of your 500 items give the narrowest"
    )
    assert f"with {new.votes} votes for each of {new.items} items, would make it" in found.sentence
    dear = ef.plan(table, budget=1500, cost_per_vote=3)  # one more vote, or 250 more items
    assert (dear.deepened.votes, dear.deepened.width) == (1, dear.trade.deeper)
    assert (dear.broadened.items, dear.broadened.width) == (dear.trade.more, dear.trade.broader)
    many = ef.VoteTable.from_arrays(rng.binomial(20, rng.beta(0.5, 0.5, 40)), 20)
    broad = ef.plan(many, budget=800)  # many votes on few items: new items tell more
    assert broad.extended is broad.broadened
    assert "40 more items with as many votes as yours" in broad.sentence
    few = ef.plan(table, budget=40)  # no vote on each of 500 items, but 20 new ones
    assert few.deepened is None
    assert few.broadened.items == 20
    assert ef.plan(([0.1, 0.9], [1, 1]), budget=400).extended is None


def test_a_plan_says_that_more_votes_take_more_people():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(9)
    votes = (rng.random((500, 2)) < rng.beta(0.5, 0.9, 500)[:, None]).astype(int)
    frame = pd.DataFrame(votes, columns=["ann", "bob"])
    says = "Nobody votes twice on an item, so {} votes per item need as many people, and 2 voted"
    assert says.format(3) in ef.plan(frame, annotators=["ann", "bob"]).sentence
    found = ef.plan(frame, annotators=["ann", "bob"], target=0.05)
    assert says.format(found.best.votes) in found.sentence
    spent = ef.plan(frame, annotators=["ann", "bob"], budget=2000)
    assert spent.extended is spent.deepened
    assert says.format(6) in spent.sentence
    anybody = ef.plan(ef.VoteTable.from_arrays(votes.sum(axis=1), 2), target=0.05)
    assert anybody.people is None
    assert "Nobody votes twice" not in anybody.sentence


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 0}, "`budget` must be a number above 0, got 0"),
        (
            {"budget": 3, "cost_per_item": 1.0},
            "`budget` does not pay for two items.* cost 6. Raise",
        ),
        ({"budget": 3, "cost_per_vote": 0.0}, "`budget` needs a price. Give `cost_per_item` or"),
    ],
)
def test_a_budget_that_buys_nothing_is_refused(pilot, given, message):
    with pytest.raises(ef.InputError, match=message):
        ef.plan(pilot, **given)


def test_a_target_out_of_reach_says_the_best_that_can_be_had(pilot):
    found = ef.plan(pilot, votes=(2, 3), items=(100,), target=0.0001)
    assert found.best is None
    assert "No number of items gives an interval of 0.01 points with up to 3 votes" in found.advice
    assert "the narrowest has" in found.advice


def test_it_says_whether_to_buy_a_vote_or_items(pilot):
    assert (
        "One more vote for each of your 400 items"
        in ef.plan(pilot, votes=(2,), items=(100,)).advice
    )


def test_an_assumed_distribution_will_do():
    # All coin flips: the plug-in's bias from 2 votes is a quarter.
    found = ef.plan(([0.5], [1.0]), votes=(2,), items=(1000,))
    assert found.floor == 0.5
    assert found.bias[0] == -0.25
    assert found.advice == ""


def test_items_needed_for_scores_give_the_width_asked_for():
    data = gaussian_mixture(500, rng=3)
    found = ef.plan(ef.ScoreTable.from_arrays(data.soft_labels, data.labels), target=0.02)
    assert found.votes.tolist() == [1]
    assert found.best is not None
    widths = []
    for seed in range(30):
        again = gaussian_mixture(found.best.items, rng=seed)
        got = ef.from_scores(again.soft_labels, again.labels, rng=seed)
        widths.append(got.high - got.low)
    # The pilot's own floor is off by a tenth or so, and widths go with its root.
    assert np.mean(widths) == pytest.approx(0.02, rel=0.15)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"pilot": 3},
            r"`pilot` must be what from_votes or from_scores returned, a VoteTable, a Sc",
        ),
        (
            {"pilot": ef.VoteTable.from_arrays([0, 1], 1)},
            r"`pilot` must have items with at least 2",
        ),
        ({"pilot": ([0.5], [0.0])}, r"`pilot weights` must not all be 0"),
        ({"pilot": ([1.5], [1.0])}, r"`pilot points` must lie in \[0, 1\]: entry 0 is 1\.5"),
        ({"pilot": ([0.5], [1.0]), "votes": [1]}, r"`votes` must be whole numbers of at least 2"),
        ({"pilot": ([0.5], [1.0]), "items": []}, r"`items` is empty"),
        ({"pilot": ([0.5], [1.0]), "target": 0}, r"`target` must be a number above 0, got 0"),
        ({"pilot": ([0.5], [1.0]), "cost_per_vote": -1}, r"`cost_per_vote` must be a number of at"),
        (
            {"pilot": ef.ScoreTable.from_arrays([0.1], [1])},
            r"`pilot` has 1 items; pass at least 20",
        ),
    ],
)
def test_bad_plans_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ef.plan(**arguments)


def test_a_model_below_a_gold_floor_of_votes_may_see_more_than_voters():
    rng = np.random.default_rng(0)
    gold = rng.integers(2, size=400)
    votes = rng.binomial(3, 0.2 + 0.6 * gold)
    floor = ef.from_votes(votes, 3, labels=gold)
    said = ef.headroom(floor, errors=5, n=2_000).sentence
    assert (
        "better than the best threshold on these shares of votes. It sees more than these" in said
    )
    assert "any model can be" not in said


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


def drawn_pilot(draw, votes, n, seed):
    rng = np.random.default_rng(seed)
    return ef.VoteTable.from_arrays(rng.binomial(votes, draw(rng, n)), votes)


def width(draw, votes, n, repetitions=6):
    """Return the mean width of the interval that comes true."""
    widths = []
    for seed in range(repetitions):
        table = drawn_pilot(draw, votes, n, 1000 + seed)
        low, high = likelihood_limits(table.positives, table.totals, table.counts)
        widths.append(high - low)
    return np.mean(widths)


@pytest.mark.parametrize(
    ("points", "votes", "n"),
    [((0.1, 0.9), 5, 500), ((0.25, 0.75), 10, 300), ((0.0, 0.5), 5, 500), ((0.05, 0.6), 10, 300)],
)
def test_plans_for_two_kinds_of_items_come_true(points, votes, n):
    def draw(rng, size):
        return rng.choice(points, size)

    plans = [
        ef.plan(drawn_pilot(draw, votes, n, seed), votes=(votes,), items=(2000,)).width[0, 0]
        for seed in range(6)
    ]
    assert np.mean(plans) == pytest.approx(width(draw, votes, 2000), rel=0.15)


def test_votes_that_always_agree_are_no_problem():
    table = ef.VoteTable.from_arrays([0] * 50, 5)
    assert np.isfinite(ef.plan(table, votes=(5,), items=(100,)).width).all()
    table = ef.VoteTable.from_arrays([0, 5] * 25, 5)
    assert np.isfinite(ef.plan(table, votes=(5,), items=(100,)).width).all()
