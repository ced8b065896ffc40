"""Intervals of metrics from soft labels: what they promise, by known truths and slow code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import errorfloor as ef
from benchmarks import metrics_page, metrics_soft, metrics_speed
from errorfloor.intervals.bets import (
    BettingF1,
    BettingSelective,
    Blocks,
    Errors,
    _SelectiveBets,
    growing_blocks,
)
from errorfloor.intervals.jackknife import SmoothJackknife as Jackknife
from errorfloor.intervals.jackknife import _spread_without as spread_of
from errorfloor.intervals.jackknife import unseen_shift
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.selective import CountedErrorAt

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.RefutedWarning")


def covered(law, n, repetitions):
    sets = np.array([metrics_soft.limits_of(law, n, seed) for seed in range(repetitions)])
    held, _ = metrics_soft.shares_of(law, sets)
    return {
        (q.name, kind): share for (q, kind), share in zip(metrics_soft.CASES, held, strict=True)
    }


@pytest.mark.parametrize("law", ["skewed", "two atoms", "almost sharp", "almost flat"])
def test_intervals_hold_the_truth_as_often_as_they_say(law):
    repetitions = 60
    # Three standard errors below .95. Without what was not seen the jackknife holds .2 to .8 of
    # the almost sharp and the almost flat, and without pairs of items .81 of the two atoms.
    least = 0.95 - 3 * (0.95 * 0.05 / repetitions) ** 0.5
    for case, share in covered(law, 500, repetitions).items():
        assert share >= least, (law, case)


@pytest.mark.parametrize("law", metrics_soft.LAWS)
def test_the_laws_of_the_study_are_those_of_their_draws(law):
    p = metrics_soft.LAWS[law].draw(np.random.default_rng(0), 50_000)
    mean = metrics_soft.prior(law)
    assert p.mean() == pytest.approx(mean, abs=5 * p.std() / 50_000**0.5 + 1e-9)
    points, weights = metrics_soft.LAWS[law].points()
    assert ((points >= 0) & (points <= 1)).all()
    square = weights @ points**2 / weights.sum()
    assert (p**2).mean() == pytest.approx(square, abs=5 * (p**2).std() / 50_000**0.5 + 1e-9)


def test_the_document_has_the_least_and_the_mean_share():
    shape = len(metrics_soft.CASES)
    found = {
        ("skewed", 200): (np.full(shape, 0.9), np.full(shape, 0.25)),
        ("uniform", 200): (np.full(shape, 1.0), np.full(shape, 0.75)),
    }
    text = metrics_soft.document(found, 100)
    assert "| auc | `jackknife` | 0.900 (0.950) | skewed |" in text
    assert "| auc (prior known) | `jackknife` | 0.5000 |" in text
    assert "| cost ((1, 5)) | `betting` | 0.900 | 1.000 |" in text


@pytest.mark.parametrize("classes", [2, 10])
def test_what_is_timed_is_the_same_number_on_shares_of_votes(classes):
    p = metrics_speed.shares(classes)
    assert p.shape[0] == metrics_speed.ITEMS
    votes = p * metrics_speed.VOTES
    np.testing.assert_allclose(votes, votes.round(), atol=1e-9)
    if classes == 2:
        found = ef.from_soft_labels(p, metric="auc", interval=None)
        assert metrics_speed.plain_auc(p) == pytest.approx(found.value, abs=1e-10)


def test_sections_of_the_page_are_written_apart():
    page = "a\n<!-- section: x -->\nold\n<!-- end of section -->\nb"
    new = metrics_page.with_section(page, "x", "new\n")
    assert new == "a\n<!-- section: x -->\n\nnew\n\n<!-- end of section -->\nb"
    assert metrics_page.section_of(new, "x") == "new"
    with pytest.raises(ValueError, match="no section 'y'"):
        metrics_page.with_section(page, "y", "new")


# The jackknife


def test_of_a_mean_the_spread_is_the_usual_standard_error():
    x = np.random.default_rng(0).random(50)
    without = (x.sum() - x) / 49
    error, _ = spread_of(without, np.ones(50, dtype=np.int64))
    assert error == pytest.approx(x.std(ddof=1) / 50**0.5)


@pytest.mark.parametrize("theta", [None, 0.3])
def test_the_error_of_pairs_is_the_second_term_of_the_variance_of_all_pairs(theta):
    p = np.sort(np.random.default_rng(2).beta(1, 2, 80))
    count = np.ones(80, dtype=np.int64)
    given = {} if theta is None else {"prior": theta}
    found = MetricChoice("auc", **given).of(2).on(p, count)
    apart, both = np.abs(p[:, None] - p), p[:, None] + p - 2 * np.outer(p, p)
    slope = found.sign if theta else 1 - 2 * found.values(count[None])[0]
    share = theta or p.mean()
    adds = (apart + slope * both) / (4 * share * (1 - share))
    assert found.error_of_pairs() == pytest.approx((2 * adds.var() / (80 * 79)) ** 0.5, rel=1e-6)


def test_two_kinds_of_items_that_are_equally_many_have_an_error_from_pairs_alone():
    # Half at 0.2 and half at 0.8: no single item moves the AUC, to first order. The variance of
    # the AUC over samples of 100 is then that of pairs; three quarters to four thirds of it.
    count = np.array([50, 50])
    found = MetricChoice("auc").of(2).on(np.array([0.2, 0.8]), count)
    assert np.ptp(found.leave_one_out()) < 1e-12
    drawn = np.random.default_rng(0).binomial(100, 0.5, 4000)
    samples = found.values(np.column_stack((drawn, 100 - drawn)))
    assert 0.75 < found.error_of_pairs() ** 2 / samples.var() < 4 / 3


def test_the_rule_that_many_items_at_the_mean_choose_is_allowed_for():
    # Four in five items are at 0.3, the mean is 0.302 and its standard error 0.0089: two of these
    # below, all items at 0.3 are on the other side of the mean.
    p, count = np.array([0.1, 0.3, 0.5]), np.array([9, 80, 10])
    found = MetricChoice("balanced-error").of(2).on(p, count)
    share = count / 99
    theta = share @ p
    error = np.sqrt(share @ (p - theta) ** 2 / 99)
    beyond = 2 * error - (theta - 0.3)
    assert beyond > 0
    expected = 2 * 80 / 99 * beyond / (4 * theta * (1 - theta))
    assert found.off_by_choice() == (pytest.approx(expected), 0)
    evidence = ef.from_soft_labels(np.repeat(p, count), metric="balanced-error").evidence
    assert evidence.limits(0.95)[1] == pytest.approx(evidence._smooth(0.95)[1] + expected)
    # With nobody near the mean there is nothing to allow for, and nobody differs from it at all.
    apart = MetricChoice("balanced-error").of(2).on(np.array([0.0, 1.0]), np.array([50, 50]))
    assert apart.off_by_choice()[0] == pytest.approx(0, abs=1e-15)
    alike = MetricChoice("balanced-error").of(2).on(np.array([0.3]), np.array([50]))
    assert alike.off_by_choice()[0] == pytest.approx(0, abs=1e-15)


def mcc_of(rule, p, share):
    """Return the correlation of label and rule, a share of items each."""
    named, right, total = share @ rule, share @ (rule * p), share @ p
    return (right - named * total) / np.sqrt(named * (1 - named) * total * (1 - total))


@pytest.mark.parametrize(
    ("p", "count"),
    [
        ([0.1, 0.3, 0.5], [10, 80, 11]),
        ([0.1, 0.3, 0.5], [12, 80, 9]),
        ([0.1, 0.29, 0.31, 0.5, 0.9], [10, 30, 40, 11, 2]),
        ([0.0, 0.2, 0.4, 0.6, 0.7, 1.0], [3, 20, 25, 20, 5, 1]),
    ],
)
def test_thresholds_that_may_be_as_good_as_the_best_are_allowed_for(p, count):
    p, count = np.array(p), np.array(count)
    share, step = count / count.sum(), 1e-6
    rules = [p >= cut for cut in p[1:]]
    values = np.array([mcc_of(rule, p, share) for rule in rules])
    # What an item adds, from a population with a little more of its kind.
    adds = np.array([
        [(mcc_of(rule, p, share + step * (kind - share)) - value) / step for kind in np.eye(p.size)]
        for rule, value in zip(rules, values, strict=True)
    ])  # fmt: skip
    beside = adds - adds[values.argmax()]
    error = np.sqrt((beside - (beside @ share)[:, None]) ** 2 @ share / count.sum())
    expected = max(0, *(2 * error - values.max() + values))
    found = MetricChoice("mcc").of(2).on(p, count)
    assert found.off_by_choice() == (0, pytest.approx(expected, abs=1e-5))
    assert expected > 0.001
    evidence = ef.from_soft_labels(np.repeat(p, count), metric="mcc").evidence
    smooth = evidence._smooth(0.95)[0]
    assert evidence.limits(0.95)[0] == pytest.approx(smooth - expected, abs=1e-5)


def test_the_jackknife_holds_where_many_items_are_at_the_mean():
    law = metrics_soft.LAWS["at the mean"]
    true = MetricChoice("balanced-error").of(2).best(*law.points())
    held = 0
    for seed in range(300):
        p = law.draw(np.random.default_rng(seed), 500)
        found = ef.from_soft_labels(p, metric="balanced-error")
        held += found.low <= true <= found.high
    assert held / 300 > 0.95 - 3 * (0.95 * 0.05 / 300) ** 0.5 + 0.02  # 0.93 without the allowance


def test_too_few_items_for_a_measured_interval_are_said_so():
    p = np.array([0.2, 0.8] * 5)
    with pytest.warns(ef.DoubtWarning, match="fewer than 30 items"):
        ef.from_soft_labels(p, metric="average-precision")
    weight = np.where(np.arange(200) < 5, 1000.0, 1.0)
    with pytest.warns(ef.DoubtWarning, match="as good as fewer than 15 equal ones"):
        ef.from_soft_labels(np.linspace(0, 1, 200), metric="auc", weight=weight)
    ef.from_soft_labels(np.linspace(0, 1, 200), metric="auc")
    ef.from_soft_labels(p, metric="brier")  # whose limits are proven


def test_a_coverage_of_all_items_may_be_one_of_fewer():
    # The floor is 9.9 % with a standard error of 0.3 points: that of the population may well be
    # above 10 %, where not all items can be answered. A guess has room for 0.4.
    p = np.tile([0.0, 0.198, 0.05, 0.15], 400)
    found = ef.from_soft_labels(p, metric="coverage-at-error", at=0.1, interval="jackknife")
    assert found.value == found.high == 1
    error = p.std(ddof=1) / p.size**0.5 / 0.4
    free = 1 + (0.1 - p.mean()) / 0.4
    assert found.low == pytest.approx(free - 1.03 * 1.9614 * error, abs=2e-4)


def test_what_was_not_seen_is_allowed_for():
    # All items are sure, so leaving one out changes nothing; but log(40) of them may be coins.
    p = np.repeat([0.0, 1.0], [70, 30])
    found = ef.from_soft_labels(p, metric="balanced-error", rng=0)
    assert found.value == pytest.approx(0, abs=1e-12)
    weights = np.array([70, 30, np.log(40)])
    assert found.high == pytest.approx(
        max(
            MetricChoice("balanced-error").of(2).best(np.array([0, 1, kind]), weights)
            for kind in (0.3, 0.5)
        )
    )
    # At other levels in proportion to the items that may be missing.
    wide, narrow = (found.at_level(level).high for level in (0.99, 0.9))
    assert wide / narrow == pytest.approx(np.log(200) / np.log(20), rel=0.01)


def test_kinds_that_were_not_seen_lower_and_raise_the_value():
    p = np.array([0.2, 0.6])
    low, high = unseen_shift(MetricChoice("auc").of(2), p, np.array([40, 60]))
    assert low < 0 < high
    three = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    low, high = unseen_shift(MetricChoice("balanced-error").of(3), three, np.array([40, 60, 50]))
    assert low < 0 < high


@given(st.floats(0.5001, 0.9999), st.floats(1e-6, 0.3), st.floats(2, 1e6), st.floats(0.5, 0.99))
def test_limits_stay_within_what_the_metric_can_be(value, error, freedom, level):
    low, high = Jackknife(value, error, freedom, (0.0, 0.0), (0.5, 1.0)).limits(level)
    assert 0.5 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= 1.0


def test_an_estimate_that_left_the_span_keeps_the_width_of_its_limits():
    from scipy.stats import t

    half = 1.03 * t.ppf(0.975, 50) * 0.02
    evidence = Jackknife(1.0, 0.02, 50.0, (0.0, 0.0), (0.5, 1.0), free=1.01)
    assert evidence.limits(0.95) == pytest.approx((1.01 - half, 1.01 + half))
    far = Jackknife(1.0, 0.02, 50.0, (0.0, 0.0), (0.5, 1.0), free=1.2)
    assert far.limits(0.95)[0] == 1.0  # the value is never left out
    inside = Jackknife(0.8, 0.02, 50.0, (0.0, 0.0), (0.5, 1.0), free=0.8)
    assert inside.limits(0.95) == Jackknife(0.8, 0.02, 50.0, (0, 0), (0.5, 1.0)).limits(0.95)


@pytest.mark.parametrize("metric", ["auc", "balanced-error"])
def test_only_with_a_known_share_an_estimate_may_leave_the_span(metric):
    p = np.random.default_rng(3).beta(1, 2, 60)
    assert ef.from_soft_labels(p, metric=metric, rng=0).evidence.free is None
    found = ef.from_soft_labels(p, metric=metric, prior=0.35, rng=0)
    assert found.evidence.free == pytest.approx(found.value)


# Betting


def blocks_of(p, count, seed=0):
    return growing_blocks(count, np.random.default_rng(seed))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(20, 400))
def test_limits_of_f1_are_where_every_trial_value_is_refuted(seed, rows, n):
    rng = np.random.default_rng(seed)
    p = np.unique(rng.choice([0, 1, *rng.random(rows)], rows))
    count = rng.multinomial(n, np.ones(p.size) / p.size)
    blocks = blocks_of(p, count, seed)
    low, high = BettingF1(p, Blocks.of(blocks)).limits(0.95)
    assert low <= high
    trials = np.linspace(0.001, 0.999, 61)
    above, below = slow_f1_capital(p, blocks, trials)
    goal = np.log(40)
    # What is refuted is what lies outside: with no gaps, as the gains are monotone.
    np.testing.assert_array_equal(above > goal, trials < low)
    np.testing.assert_array_equal(below > goal, trials > high)


def slow_f1_capital(p, blocks, trials):
    """Return the logarithms of the capitals, item by item, block by block."""
    above, below = np.zeros((2, trials.size))
    n = blocks.sum()
    for place, block in enumerate(blocks):
        earlier = np.repeat(p, blocks[:place].sum(axis=0))
        f = 0.5
        if earlier.sum() > 0:
            ranked = np.sort(earlier)[::-1]
            k = np.arange(1, ranked.size + 1)
            f = (2 * np.cumsum(ranked) / (k + ranked.sum())).max()
        x = np.maximum(2 * earlier - f, 0) - f * earlier
        variance = (0.25 + (x.var() * x.size if x.size else 0)) / (x.size + 1)
        stake = np.sqrt(2 * np.log(40) / (n * variance))
        for at, trial in enumerate(trials):
            x = np.maximum(2 * p - trial, 0) - trial * p
            above[at] += block @ np.log1p(min(stake, 1 / trial) * x)
            below[at] += block @ np.log1p(-min(stake, 0.25 / (1 - trial)) * x)
    return above, below


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_item_takes_more_than_half_of_the_capital(p, f):
    excess = max(2 * p - f, 0) - f * p
    assert f == 0 or excess * 1 / f >= -0.5 - 1e-12
    assert f == 1 or -excess * 0.25 / (1 - f) >= -0.5 - 1e-12


def selective(asked, p, blocks):
    counted = asked(p, blocks.sum(axis=0))
    errors = Errors.of(counted.error, blocks[:, counted.order], 0.5)
    return BettingSelective(counted, errors, 0.5)


def slow_stakes(kept, blocks):
    """Yield the stake of each block, from the variance of earlier items."""
    for place in range(len(blocks)):
        earlier = np.repeat(kept, blocks[:place].sum(axis=0))
        spread = earlier.var() * earlier.size if earlier.size else 0
        variance = (0.25 * 0.25 + spread) / (earlier.size + 1)
        yield np.sqrt(2 * np.log(40) / (blocks.sum() * variance))


def slow_loss(p, blocks, c, q, t):
    """Return the logarithm of the capital from betting that E (t - r)_+ is below c (t - q)."""
    kept, promised = np.maximum(t - np.minimum(p, 1 - p), 0), c * (t - q)
    return sum(
        block @ np.log1p(min(stake, 0.5 / (t - promised)) * (promised - kept))
        for block, stake in zip(blocks, slow_stakes(kept, blocks), strict=True)
    )


def test_bets_on_harder_items_are_won_item_by_item():
    rng = np.random.default_rng(4)
    p = np.unique(rng.beta(0.5, 1, 12).round(2))
    blocks = blocks_of(p, rng.multinomial(300, np.ones(p.size) / p.size), 4)
    own = selective(lambda p, c: CountedErrorAt(p, c, 0.7), p, blocks)
    best = _SelectiveBets(own.errors, 0.5, np.log(40))
    for q, t in ((0.05, 0.3), (0.2, 0.45), (0.01, 0.02)):
        slow = slow_loss(p, blocks, 0.7, q, t) - np.log(40)
        assert best.is_harder(0.7, q, np.full(len(blocks), t)) == pytest.approx(slow)
    # Where the last item errs as much as is promised, nothing is bet.
    assert best.is_harder(0.7, 0.3, np.full(len(blocks), 0.3)) == pytest.approx(-np.log(40))


def test_known_shares_are_bet_on_in_forms_that_earlier_items_choose():
    p = metrics_soft.LAWS["rare"].draw(np.random.default_rng(1), 1000)
    found = ef.from_soft_labels(p, metric="balanced-error", prior=0.02, interval="betting", rng=0)
    assert found.interval_method == "betting"
    assert found.low <= found.value <= found.high
    bets = found.evidence
    assert bets.least[0] == 0  # the min form, before any item is seen
    assert (bets.values >= bets.least[bets.blocks.block] - 1e-12).all()
    assert (bets.values <= bets.most[bets.blocks.block] + 1e-12).all()


def test_without_known_shares_the_jackknife_takes_the_place_of_betting():
    p = np.random.default_rng(1).beta(1, 2, 200)
    with pytest.warns(ef.DegenerateBootstrapWarning, match="shares of the classes are estimated"):
        found = ef.from_soft_labels(p, metric="balanced-error", interval="betting", rng=0)
    assert found.interval_method == "jackknife"


@pytest.mark.parametrize("metric", ["balanced-error", "error-at-coverage", "coverage-at-error"])
@pytest.mark.parametrize("classes", [3, 10])
def test_many_classes_have_intervals_that_hold_the_truth(metric, classes):
    # Classes of unequal shares; the truth from two hundred thousand items.
    at = {"error-at-coverage": 0.8, "coverage-at-error": 0.2}.get(metric)
    draw = np.random.default_rng(classes)
    alpha = np.linspace(0.2, 1, classes)
    true = (
        MetricChoice(metric, at=at)
        .of(classes)
        .best(draw.dirichlet(alpha, 200_000), np.ones(200_000))
    )
    kinds = ("jackknife",) if metric == "balanced-error" else ("betting", "jackknife")
    for kind in kinds:
        held = 0
        for seed in range(40):
            p = np.random.default_rng([classes, seed]).dirichlet(alpha, 500)
            found = ef.from_soft_labels(p, metric=metric, at=at, interval=kind, rng=seed)
            held += found.low <= true <= found.high
        assert held >= 34  # 40 draws of .95: fewer than 34 have a chance of .003
