"""Certified limits of costs and balanced error: bets item by item, on every cut."""

import numpy as np
import pytest
from scipy.special import betaincinv

import errorfloor as ef
from errorfloor.data.sample import Sample, split
from errorfloor.intervals.bets import Blocks
from errorfloor.intervals.certified import Certified, CutBets, ExactTables, OtherHalf, Prices
from errorfloor.intervals.seeds import Seed, Streams
from errorfloor.methods.cuts import Cuts
from errorfloor.methods.cuts import table_of as errors_of
from errorfloor.metrics import two_by_two
from errorfloor.metrics.two_by_two import OF_BALANCED, OF_F1, Binomial, TwoByTwo

LEVEL = 0.9
GOAL = np.log(20)  # 2 / (1 - level)
COST = two_by_two.cost_of(2.0, 0.7)
POSITIVE = np.array([False, False, True, False, True, False, True, True])
BLOCKS = np.array(
    [
        [1, 0, 0, 1, 1, 0, 2, 0],
        [0, 2, 1, 0, 0, 1, 0, 1],
        [9, 1, 2, 3, 1, 2, 4, 9],
        [20, 9, 5, 9, 4, 5, 9, 20],
    ]
)


def items(counts):
    """Return the cell of each item."""
    return np.repeat(np.arange(counts.size), counts)


def wrong(cut, cells):
    """Tell which items a cut that has so many cells below it gets wrong."""
    return (cells >= cut) != POSITIVE[cells]


def table_of(cut, counts):
    cells = items(counts)
    errs = wrong(cut, cells)
    ones = POSITIVE[cells]
    return TwoByTwo(*(float(x) for x in ((errs & ~ones).sum(), (errs & ones).sum())),
                    float((~ones).sum()), float(ones.sum()))  # fmt: skip


def cost_of(cut, cells):
    """Return the cost of each item, as a part of the larger one."""
    prices = np.where(POSITIVE[cells], 0.35, 1.0)
    return prices * wrong(cut, cells)


def balanced_of(cut, cells):
    """Return the mean error of both classes."""
    errs, ones = wrong(cut, cells), POSITIVE[cells]
    return sum(errs[kind].sum() / max(kind.sum(), 1) for kind in (ones, ~ones)) / 2


def stake_of(costs, n):
    """Return what gains most on n items of the variance of these, which one more makes uncertain.

    The bet gains about stake * drift - stake^2 * variance / 2 on an item.
    """
    variance = (0.25 + (costs.size * costs.var() if costs.size else 0)) / (costs.size + 1)
    return np.sqrt(2 * GOAL / (n * variance))


def stakes_of_classes(errs, ones, n):
    variance = []
    for kind, total in zip((~ones, ones), n, strict=True):
        own = errs[kind]
        spread = own.size * own.var() if own.size else 0.0
        variance.append((0.25 + spread) / (own.size + 1) / total)
    return [np.sqrt(2 * GOAL / sum(variance)) / total for total in n]


def before(block, loss):
    """Return the items of earlier blocks, and the cut that is best on them."""
    cells = items(BLOCKS[:block].sum(axis=0))
    cuts = range(POSITIVE.size + 1)
    return cells, min(cuts, key=lambda cut: loss(cut, cells))


def won(stakes, loss, means, most):
    """Return the logarithm of the least that any cut wins, item by item."""
    found = []
    for cut in range(POSITIVE.size + 1):
        total = 0.0
        for counts, both in zip(BLOCKS, stakes, strict=True):
            for cell in items(counts):
                one = int(POSITIVE[cell])
                stake = min(both[one], 0.5 / most) if most else both[one]
                total += np.log(1 + stake * (loss(cut, np.array([cell]))[0] - means[one]))
        found.append(total)
    return min(found)


def cut_bets(loss):
    blocks, prices = Blocks.of(BLOCKS), Prices.of(loss)
    sample, cuts = (
        Sample(np.arange(8.0), np.arange(8), POSITIVE * 1, BLOCKS.sum(axis=0)),
        Cuts(loss),
    )
    seen = [one.counts(8).astype(int) for one in blocks.before]
    tables = [errors_of(sample, one, cuts.fit(sample, one)) for one in seen]
    return CutBets.of(prices, blocks, POSITIVE, np.ones(8), prices.seen(tables))


def other_half(loss, chosen_on, tested):
    return OtherHalf.of(Prices.of(loss), tested, chosen_on)


def halves():
    train = BLOCKS[:3].sum(axis=0)
    cut = min(range(9), key=lambda cut: cost_of(cut, items(train)).mean())
    return cut, train, BLOCKS[3]


def test_the_lower_limit_of_a_cost_is_where_the_least_that_any_cut_wins_is_enough():
    low = cut_bets(COST).lower(LEVEL)
    stakes = []
    for block in range(len(BLOCKS)):
        cells, best = before(block, lambda cut, cells: cost_of(cut, cells).sum())
        stakes.append([stake_of(cost_of(best, cells), BLOCKS.sum())] * 2)
    assert 0 < low < 2
    mean = low / 2  # the larger cost is 2
    assert won(stakes, cost_of, (mean, mean), mean) == pytest.approx(GOAL, abs=1e-6)


@pytest.mark.parametrize("scale", [1, 30])
def test_the_upper_limit_of_a_cost_is_where_the_chosen_cut_wins_enough(scale):
    cut, train, test = halves()
    test = test * scale
    high = other_half(COST, table_of(cut, train), table_of(cut, test)).upper(LEVEL)
    costs = cost_of(cut, items(test))
    mean = high / 2
    assert costs.mean() < mean < 1
    stake = min(stake_of(cost_of(cut, items(train)), costs.size), 0.5 / (1 - mean))
    assert np.log(1 + stake * (mean - costs)).sum() == pytest.approx(GOAL, abs=1e-6)


def test_a_stake_on_less_cost_loses_at_most_half():
    # One item of either class tells next to nothing, and would have a stake beyond what there is.
    table = TwoByTwo(0.0, 0.0, 1.0, 1.0)
    found = other_half(COST, table, TwoByTwo(0.0, 0.0, 2.0, 2.0))
    # Four bets of 0.5 / (1 - m), each of which gains m; together they have to win 20.
    odds = 2 * (20 ** (1 / 4) - 1)  # m / (1 - m)
    assert found.upper(LEVEL) == pytest.approx(2 * odds / (1 + odds))
    for mean in (0.1, 0.4):
        stake = min(np.sqrt(2 * GOAL / (4 * 0.25 / 3)), 0.5 / (1 - mean))
        expected = 4 * np.log(1 + stake * mean)
        assert found.won(GOAL, 2 * mean) == pytest.approx(expected)
    # All of what can be lost is sure to come: there is no least stake then.
    assert found.won(GOAL, 2.0) == pytest.approx(4 * np.log(1 + np.sqrt(6 * GOAL)))


def balanced():
    train, test = BLOCKS[:3].sum(axis=0), BLOCKS[3]
    cut = min(range(9), key=lambda cut: balanced_of(cut, items(train)))
    high = other_half(OF_BALANCED, table_of(cut, train), table_of(cut, test)).upper(LEVEL)
    return cut, items(train), items(test), high


def test_the_lower_limit_of_a_balanced_error_is_where_bets_on_both_classes_win_enough():
    low = cut_bets(OF_BALANCED).lower(LEVEL)
    ones = (BLOCKS @ POSITIVE).sum()
    n = BLOCKS.sum() - ones, ones
    stakes = []
    for block in range(len(BLOCKS)):
        cells, best = before(block, balanced_of)
        stakes.append(stakes_of_classes(wrong(best, cells), POSITIVE[cells], n))
    assert 0 < low < 0.5
    ends = (2 * low, 0.0), (0.0, 2 * low)
    least = min(won(stakes, wrong, means, 2 * low) for means in ends)
    assert least == pytest.approx(GOAL, abs=1e-6)


def test_the_upper_limit_of_a_balanced_error_is_where_the_chosen_cut_wins_enough():
    cut, train, test, high = balanced()
    ones = POSITIVE[test]
    stakes = stakes_of_classes(wrong(cut, train), POSITIVE[train], ((~ones).sum(), ones.sum()))
    stake = np.minimum(stakes, 0.5)[ones.astype(int)]
    assert balanced_of(cut, test) < high < 0.5
    least = min(
        np.log(1 + stake * (np.where(ones, of_ones, of_zeros) - wrong(cut, test))).sum()
        for of_zeros, of_ones in ((2 * high, 0.0), (0.0, 2 * high))
    )
    assert least == pytest.approx(GOAL, abs=1e-6)


def test_a_stake_on_fewer_errors_of_either_class_loses_at_most_half():
    # Stakes would be far above 1 here; with half of it each item gains a factor of 1 + m.
    table = TwoByTwo(0.0, 0.0, 1.0, 1.0)
    found = other_half(OF_BALANCED, table, TwoByTwo(0.0, 1.0, 2.0, 3.0))
    zeros, ones = 2 * np.log(1.2), np.log(0.5) + 2 * np.log(1.0)
    others = np.log(1 - 0.5 * 0.6) + 2 * np.log(1.2)
    assert found.won(GOAL, 0.2) == pytest.approx(min(zeros + ones, others))
    assert found.upper(LEVEL) == 0.5


@pytest.mark.parametrize("tested", [(3.0, 4.0, 20.0, 30.0), (4.0, 3.0, 30.0, 20.0)])
@pytest.mark.parametrize("costs", [(2.0, 0.7), (0.5, 3.0)])
@pytest.mark.parametrize("mean", [0.4, 0.9])  # the first of which is a bet that has to be smaller
def test_bets_on_less_are_made_item_by_item(costs, tested, mean):
    table, own = TwoByTwo(*tested), TwoByTwo(2.0, 5.0, 15.0, 25.0)
    n, seen = (int(table.n), int(own.n))
    fp, fn = int(tested[0]), int(tested[1])
    weights = np.array(costs) / max(costs)
    costs_seen = np.repeat([*weights, 0.0], [2, 5, seen - 7])
    each = np.repeat([*weights, 0.0], [fp, fn, n - fp - fn])
    stake = min(stake_of(costs_seen, n), 0.5 / (1 - mean))
    assert (stake < 0.5 / (1 - mean)) == (mean > 0.5)
    found = other_half(two_by_two.cost_of(*costs), own, table).won(GOAL, mean * max(costs))
    assert found == pytest.approx(np.log(1 + stake * (mean - each)).sum())
    errs = np.repeat([True, False, True, False], [2, 13, 5, 20])
    stakes = stakes_of_classes(errs, np.repeat([False, True], [15, 25]), tested[2:])
    ones = np.repeat([False, True], [int(part) for part in tested[2:]])
    wrongs = np.repeat([1, 0, 1, 0], [fp, int(tested[2]) - fp, fn, int(tested[3]) - fn])
    stake = np.minimum(stakes, 0.5)[ones.astype(int)]
    least = min(
        np.log(1 + stake * (np.where(ones, of_ones, of_zeros) - wrongs)).sum()
        for of_zeros, of_ones in ((mean, 0.0), (0.0, mean))
    )
    found = other_half(OF_BALANCED, own, table).won(GOAL, mean / 2)
    assert found == pytest.approx(least)


def test_where_nothing_is_tested_everything_is_open():
    own, none = TwoByTwo(2.0, 5.0, 15.0, 25.0), TwoByTwo(0.0, 0.0, 0.0, 0.0)
    assert other_half(COST, own, none).upper(LEVEL) == 2
    assert other_half(OF_BALANCED, own, none).upper(LEVEL) == 0.5
    # No tested item of one class: nothing is won on it, and the other alone refutes nothing.
    for one_class in (TwoByTwo(0.0, 1.0, 0.0, 90.0), TwoByTwo(1.0, 0.0, 90.0, 0.0)):
        assert other_half(OF_BALANCED, own, one_class).upper(LEVEL) == 0.5


STAKES = np.array([[0.2, 0.9], [0.4, 2.5], [0.1, 0.3], [0.6, 0.05]])


@pytest.mark.parametrize("most", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("best", [0, 4, 8])  # cells below the cut that errs least
def test_the_least_won_is_that_of_a_slow_search(most, best, monkeypatch):
    positive = {0: [1, 1, 0, 1, 1, 1, 1, 1], 4: [0, 0, 1, 0, 1, 0, 1, 1], 8: [0, 0, 0, 1] + [0] * 4}
    monkeypatch.setitem(globals(), "POSITIVE", np.array(positive[best], dtype=bool))
    means = (0.3 * most, 0.8 * most)
    bets = cut_bets(two_by_two.cost_of(1.0, 0.35))
    expected = won(STAKES, cost_of, means, 0.8 * most)
    assert bets.least_won(STAKES, np.array(means)) == pytest.approx(expected)


def test_the_lower_limit_of_exact_tables_is_the_least_of_any_cut():
    # The cut of the least share has few trials, and a higher share of many has a higher limit;
    # and the other way round, where the limit of the least share is not the least limit.
    for successes, trials in (((9, 300, 40), (100, 3100, 90)), ((290, 11, 4), (3000, 100, 30))):
        k, n = np.array(successes, dtype=float), np.array(trials, dtype=float)
        every = Binomial(k, n, np.array([1.0, 1.0, 1.0]))
        tested = TwoByTwo(5.0, 6.0, 30.0, 20.0)
        low, high = ExactTables("", two_by_two.cost_of(1.0, 1.0), every, tested).limits(0.95)
        assert low == pytest.approx(betaincinv(k, n - k + 1, 0.025).min())
        assert high == pytest.approx(betaincinv(12, 39, 0.975))
        doubled = ExactTables(
            "", two_by_two.cost_of(2.0, 2.0), Binomial(k, n, np.full(3, 2.0)), tested
        )
        assert doubled.limits(0.95) == pytest.approx((2 * low, 2 * high))


def test_a_cut_of_few_trials_counts_although_its_share_is_far_above_the_least():
    # At this level Hoeffding's inequality is nearly an equality.
    k, n, scale = np.array([[4e5, 69, 5], [1e6, 100, 6], [1, 1, 100]])
    tail = 1e-10
    limits = scale * betaincinv(k, n - k + 1, tail)
    assert limits.argmin() == 1
    assert (k / n).argmin() == 0
    assert (k * n).argmin() == 2
    found = ExactTables(
        "", two_by_two.cost_of(1.0, 1.0), Binomial(k, n, scale), TwoByTwo(5.0, 6.0, 30.0, 20.0)
    )
    assert found.limits(1 - 2 * tail)[0] == pytest.approx(limits.min(), rel=1e-5)


def test_limits_of_f1_are_those_of_its_loss_the_other_way_round():
    k, n = np.array([30.0, 20.0]), np.array([100.0, 90.0])
    every, tested = Binomial(k, n, np.ones(2)), TwoByTwo(5.0, 6.0, 30.0, 20.0)
    low, high = ExactTables("", OF_F1, every, tested).limits(0.95)
    loss = betaincinv(20, 71, 0.025)
    assert high == pytest.approx(2 * (1 - loss) / (2 - loss))
    # With one more error: 12 of 26 items if it is a false positive, of 25 if a false negative.
    loss = betaincinv(12, 14, 0.975)
    assert low == pytest.approx(2 * (1 - loss) / (2 - loss))


def draws(scores, labels, metric, costs=None):
    """Return the evidence, the cells' labels, both halves and the blocks of a seed."""
    table = ef.ScoreTable.from_arrays(scores, labels)
    given = {} if costs is None else {"costs": costs}
    found = ef.from_scores(table, metric=metric, interval="certified", rng=7, **given)
    cells, streams = table.cells(), Streams.of(Seed.of(7).begin())
    train, test = split(cells.count, 2, streams.for_("halves"))
    evidence = found.evidence.evidence  # which is widened to hold the value
    return evidence, cells, train, test, Blocks.drawn(cells.count, streams.for_("blocks"))


@pytest.mark.parametrize("costs", [(1, 3), (2, 2), None])
def test_one_half_chooses_the_cut_that_the_other_tests(costs):
    rng = np.random.default_rng(0)
    scores = rng.random(60).round(1)
    labels = (rng.random(60) < scores).astype(int)
    metric = "balanced-error" if costs is None else "cost"
    found, cells, train, test, blocks = draws(scores, labels, metric, costs)
    loss = OF_BALANCED if costs is None else two_by_two.cost_of(*(float(cost) for cost in costs))

    def errors(cut, counts):
        below = np.arange(counts.size) < cut
        fn, fp = counts @ (below & cells.positive), counts @ (~below & ~cells.positive)
        ones = counts @ cells.positive
        return TwoByTwo(float(fp), float(fn), float(counts.sum() - ones), float(ones))

    cut = min(range(train.size + 1), key=lambda cut: loss.of(errors(cut, train)))
    parts = ("false_positives", "false_negatives", "negatives", "positives")
    table = found.tested if costs == (2, 2) else found.above.table
    for part in parts:
        assert getattr(table, part) == getattr(errors(cut, test), part)
    if costs == (2, 2):  # errors of equal costs are binomial, no bets are needed
        assert isinstance(found, ExactTables)
        every = [errors(cut, cells.count) for cut in range(cells.count.size + 1)]
        wrongs = [table.false_positives + table.false_negatives for table in every]
        assert found.every.successes.tolist() == wrongs
        assert (found.every.trials == 60).all()
    else:
        assert isinstance(found, Certified)
        expected = other_half(loss, errors(cut, train), errors(cut, test))
        assert found.above.noise == pytest.approx(expected.noise)
        assert np.abs(found.below.times).tolist() == blocks.times.tolist()
        assert (found.below.times > 0).tolist() == cells.positive[blocks.unit].tolist()


def test_f1_has_exact_tables():
    scores, labels = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6] * 5), np.array([0, 1, 0, 1, 0, 1] * 5)
    found = draws(scores, labels, "f1")[0]
    assert isinstance(found, ExactTables)
    assert found.how is OF_F1
